// The verdict. Groups of touched nodes are judged again. A group without a seed that was reached may have been so by an
// arc from another one in doubt: so what its arcs lead to is in doubt as well, and so on. Then those with a seed, or
// with an arc from a group beyond doubt, are reached, and spread along their arcs.

#include "core/reach/reach_work.h"

void nav_reach_mark_changed(nav_reach *r, uint32_t tile)
{
    reach_tile *t = &r->tile[tile];
    if (t->changed) return;
    t->changed = true;
    t->next_changed = r->changed;
    r->changed = tile;
}

// Calls for each arc of the group that leads away (0) or here (1); other is the half at its other end.
#define EACH_ARC(r, group_, direction, other)                                                                          \
    for (uint32_t first_ = (r)->group[group_].arcs[direction], h_ = first_, other = h_ ^ 1; h_ != NONE;                \
         h_ = (r)->half[h_].arc_next == first_ ? NONE : (r)->half[h_].arc_next, other = h_ ^ 1)

static bool is_supported(nav_reach *r, uint32_t g)
{
    EACH_ARC(r, g, 1, from)
    if (r->group[nav_reach_root(r, r->half[from].node)].reached) return true;
    return false;
}

static uint32_t collect_doubtful(nav_reach *r)
{
    uint32_t count = 0;
    r->serial++;
    for (uint32_t i = 0; i < r->touched_count; i++) { // grows meanwhile
        uint32_t g = nav_reach_root(r, r->touched[i]);
        reach_group *group = &r->group[g];
        if (group->judged == r->serial) continue;
        group->judged = r->serial;
        group->was_reached = group->reached;
        r->judged[count++] = g;
        r->steps++;
        if (!r->directed || group->seeds || !group->reached) continue;
        EACH_ARC(r, g, 0, to) nav_reach_touch(r, r->half[to].node);
    }
    return count;
}

void nav_reach_judge(nav_reach *r)
{
    uint32_t count = collect_doubtful(r), head = 0, tail = 0;
    for (uint32_t i = 0; i < count; i++) {
        reach_group *g = &r->group[r->judged[i]];
        g->reached = r->directed ? g->seeds > 0 : g->doubled_area >= r->min_doubled_cells;
    }
    if (!r->directed) return;
    for (uint32_t i = 0; i < count; i++) {
        reach_group *g = &r->group[r->judged[i]];
        bool was_certain = g->reached && g->was_reached; // all that its arcs lead to is reached already
        if (!g->reached) g->reached = is_supported(r, r->judged[i]);
        if (g->reached && !was_certain) r->verdicts[tail++] = r->judged[i];
    }
    while (head < tail) {
        uint32_t g = r->verdicts[head++];
        EACH_ARC(r, g, 0, to)
        {
            uint32_t d = nav_reach_root(r, r->half[to].node);
            if (r->group[d].reached) continue;
            r->group[d].reached = true;
            nav_reach_touch(r, r->half[to].node);
            r->verdicts[tail++] = d;
        }
    }
}

static void turn(nav_reach *r, uint32_t n, bool on)
{
    reach_node *node = &r->node[n];
    node->on = on;
    r->off_count += on ? (uint32_t)-1 : 1;
    r->off_area += on ? -node->doubled_area : node->doubled_area;
    nav_reach_mark_changed(r, node->tile);
}

// Every part of a group that has another verdict than its nodes were told holds a touched node.
void nav_reach_tell(nav_reach *r)
{
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t start = r->touched[i], head = 0, tail = 0;
        bool reached = r->group[nav_reach_root(r, start)].reached;
        if (r->node[start].on == reached) continue;
        turn(r, start, reached);
        r->queue[tail++] = start;
        while (head < tail) {
            uint32_t n = r->queue[head++];
            r->steps++;
            for (uint32_t h = r->node[n].first_half; h != NONE; h = r->half[h].next) {
                uint32_t o = r->half[h ^ 1].node;
                if (r->half[h].is_arc || r->node[o].on == reached) continue;
                turn(r, o, reached);
                r->queue[tail++] = o;
            }
        }
    }
    while (r->touched_count) r->node[r->touched[--r->touched_count]].touched_at = NONE;
}
