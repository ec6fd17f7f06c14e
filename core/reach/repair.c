// Does a group that lost something still hang together? Every part that may have come off holds a touched node: a
// neighbour of what was taken away. From all of them searches go out, one node each in turn.
//
//      o o o|x|. . .        x was taken away. Left and right search; the smaller side has nothing left first and
//      o o o|x|. . . .      becomes a group of its own. Had there been another way around, the two would have met
//      o o o|x|. . .        on it, and be one search from then on.
//
// It ends when one search is left, which keeps the group and need not go on. So a cut costs the size of all parts but
// the largest, and no cut what lies within the way around: little on open ground, much in a maze that just hangs
// together. (Holm, de Lichtenberg and Thorup's structure bounds that by log^2 n, with a forest of Euler tours a depth,
// at a higher price for every other change.)

#include "core/reach/reach_work.h"

static uint32_t front_of(const nav_reach *r, uint32_t f)
{
    while (r->fronts[f].up != f) f = r->fronts[f].up;
    return f;
}

static void append(nav_reach *r, uint32_t *first, uint32_t *end, uint32_t node)
{
    r->node[node].next = NONE;
    if (*first == NONE)
        *first = node;
    else
        r->node[*end].next = node;
    *end = node;
}

static void append_list(nav_reach *r, uint32_t *first, uint32_t *end, uint32_t more, uint32_t more_end)
{
    if (more == NONE) return;
    if (*first == NONE)
        *first = more;
    else
        r->node[*end].next = more;
    *end = more_end;
}

static void begin_front(nav_reach *r, uint32_t f, uint32_t node)
{
    r->fronts[f] = (reach_front){f, NONE, NONE, NONE, NONE};
    r->node[node].seen = r->serial;
    r->node[node].front = f;
    append(r, &r->fronts[f].open, &r->fronts[f].open_end, node);
}

// One node of an open search. Returns how many other searches it met.
static uint32_t step(nav_reach *r, uint32_t f)
{
    reach_front *front = &r->fronts[f];
    uint32_t n = front->open, met = 0;
    front->open = r->node[n].next;
    append(r, &front->done, &front->done_end, n);
    r->steps++;
    for (uint32_t h = r->node[n].first_half; h != NONE; h = r->half[h].next) {
        if (r->half[h].is_arc) continue;
        uint32_t o = r->half[h ^ 1].node;
        if (r->node[o].seen != r->serial) {
            r->node[o].seen = r->serial;
            r->node[o].front = f;
            append(r, &front->open, &front->open_end, o);
            continue;
        }
        uint32_t g = front_of(r, r->node[o].front);
        if (g == f) continue;
        reach_front *other = &r->fronts[g];
        append_list(r, &front->done, &front->done_end, other->done, other->done_end);
        append_list(r, &front->open, &front->open_end, other->open, other->open_end);
        other->up = f;
        met++;
    }
    return met;
}

static void split_off(nav_reach *r, uint32_t f, bool reached)
{
    uint32_t group = nav_reach_group_create(r, reached);
    for (uint32_t n = r->fronts[f].done, next; n != NONE; n = next) {
        next = r->node[n].next;
        nav_reach_group_remove(r, n);
        nav_reach_group_add(r, group, n);
    }
}

// queue: numbers of the searches that are neither met nor at their end.
static void repair_group(nav_reach *r, uint32_t root)
{
    uint32_t count = 0, listed, alive, *searches = r->queue;
    bool reached = r->group[root].reached;
    r->serial++;
    for (uint32_t n = r->group[root].starts, next; n != NONE; n = next, count++) {
        next = r->node[n].next;
        begin_front(r, count, n);
        searches[count] = count;
    }
    r->group[root].starts = NONE;
    r->group[root].lost = false;
    listed = alive = count;
    for (uint32_t at = 0; alive > 1; at++) {
        if (at >= listed) at = 0;
        uint32_t f = searches[at];
        bool ended = r->fronts[f].up == f && r->fronts[f].open == NONE;
        if (r->fronts[f].up != f || ended) {
            searches[at--] = searches[--listed];
            if (!ended) continue;
            alive--;
            split_off(r, f, reached);
            continue;
        }
        alive -= step(r, f);
    }
}

void nav_reach_repair(nav_reach *r)
{
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t n = r->touched[i];
        reach_group *g = &r->group[nav_reach_root(r, n)];
        if (!g->lost) continue;
        r->node[n].next = g->starts;
        g->starts = n;
    }
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t root = nav_reach_root(r, r->touched[i]);
        if (r->group[root].lost) repair_group(r, root);
    }
}
