// Where a wider agent may come to: a flood over cells, through edges of which some part is clear on both sides. What is
// clear of a cell may be in parts, so it comes to all that the agent can reach, and perhaps to more.
#include "core/path/wide.h"

#define ON_EDGE 1e-3 // points of the fine grid: little to the slack

bool nav_path_wide_cut(wide_search *s, uint32_t *count, const wide_gap *out)
{
    nav_path_wide *w = s->w;
    for (uint32_t k = *count; k-- > 0;) {
        wide_gap before = w->gaps[k];
        if (out->high <= before.low || out->low >= before.high) continue;
        w->gaps[k].high = out->low;
        w->gaps[k].left = out->right;
        if (before.high - out->high >= WIDE_NARROW) {
            if (!PATH_GROW(w->gaps, w->gap_room, *count)) return false;
            w->gaps[(*count)++] = (wide_gap){out->high, before.high, out->left, before.left};
        }
        if (w->gaps[k].high - w->gaps[k].low < WIDE_NARROW) w->gaps[k] = w->gaps[--*count];
    }
    return true;
}

// Takes from the gaps of an edge what pieces of a cell on one side of it cover.
static bool cut_edge(wide_search *s, uint32_t tile, uint32_t cell, wide_vec a, wide_vec along, uint32_t *count)
{
    const wide_tile *t = nav_path_wide_clear(s, tile);
    if (!t) return false;
    for (uint32_t i = t->first[cell]; i < t->first[cell + 1] && *count; i++) {
        const wide_piece *p = &t->pieces[i];
        double low = INFINITY, high = -INFINITY;
        if (!p->knot_count || fabs(wide_cross(along, wide_from(a, p->middle))) > p->extent + ON_EDGE) continue;
        for (uint32_t k = p->first; k < p->first + p->count; k++) {
            wide_vec v = wide_from(a, t->outline[k]);
            if (fabs(wide_cross(along, v)) > ON_EDGE) continue;
            low = fmin(low, wide_dot(along, v));
            high = fmax(high, wide_dot(along, v));
        }
        if (p->round) {
            wide_vec c = wide_from(a, p->at);
            double reach = s->radius - WIDE_SLACK, off = wide_cross(along, c),
                   half = sqrt(fmax(reach * reach - off * off, 0));
            low = fmax(low, wide_dot(along, c) - half);
            high = fmin(high, wide_dot(along, c) + half);
        }
        if (low < high && !nav_path_wide_cut(s, count, &(wide_gap){.low = low, .high = high})) return false;
    }
    return true;
}

// Is some of the edge clear that leads to the cell at `to` behind it?
static bool find_open(wide_search *s, const path_place *here, uint32_t corner, const path_place *to)
{
    const path_tile *t = s->set->tiles[here->tile];
    wide_vec a = wide_of(path_corner(t, corner)), e = wide_from(a, wide_of(path_corner(t, path_next(t, corner))));
    uint32_t count = 1;
    if (!PATH_GROW(s->w->gaps, s->w->gap_room, 0)) {
        s->out_of_memory = true;
        return false;
    }
    s->w->gaps[0] = (wide_gap){.high = wide_length(e)};
    s->out_of_memory |= !cut_edge(s, here->tile, here->cell, a, wide_unit(e), &count) ||
                        !cut_edge(s, to->tile, to->cell, a, wide_unit(e), &count);
    return count && !s->out_of_memory;
}

// The same, from what is known where it was asked before.
static bool is_open(wide_search *s, const path_place *here, uint32_t corner, const path_place *to)
{
    const path_tile *t = s->set->tiles[here->tile];
    wide_tile *clear = nav_path_wide_clear(s, here->tile);
    if (!clear) {
        s->out_of_memory = true;
        return false;
    }
    if (clear->open[corner] == WIDE_UNKNOWN) {
        wide_open open = find_open(s, here, corner, to) ? WIDE_OPEN : WIDE_SHUT;
        if (s->out_of_memory) return false;
        clear->open[corner] = (uint8_t)open;
        if (t->twin[corner] >= 0) clear->open[t->twin[corner]] = (uint8_t)open;
    }
    return clear->open[corner] == WIDE_OPEN;
}

static bool is_reached(const wide_search *s, const path_place *p)
{
    const wide_tile *t = s->kept->tiles[p->tile];
    return t && t->query == s->kept->query && t->reached[p->cell] == s->w->flood;
}

static void add(wide_search *s, path_place p)
{
    nav_path_wide *w = s->w;
    wide_tile *t = nav_path_wide_clear(s, p.tile);
    if (!t || !PATH_GROW(w->reached, w->reached_room, s->reached_count)) {
        s->out_of_memory = true;
        return;
    }
    if (t->reached[p.cell] == w->flood) return;
    t->reached[p.cell] = w->flood;
    w->reached[s->reached_count++] = p;
}

bool nav_path_wide_flood(wide_search *s, uint32_t first, uint32_t end, uint32_t most)
{
    nav_path_wide *w = s->w;
    s->reached_count = 0;
    w->flood++;
    for (uint32_t i = first; i < end; i++) add(s, w->near[i]);
    for (uint32_t at = 0; at < s->reached_count; at++) {
        path_place here = w->reached[at];
        const path_tile *t = s->set->tiles[here.tile];
        if (at % 64 == 63 && s->q->stop && s->q->stop(s->q->user)) s->full = s->stopped = true;
        s->full |= s->kept->bytes > WIDE_MOST_BYTES;
        if (at >= most || s->full || s->out_of_memory) return false;
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            path_place to = {.tile = here.tile};
            uint32_t corner = k;
            if (!wide_pass(s, &to.tile, &corner)) continue;
            to.cell = s->set->tiles[to.tile]->cell[corner];
            if (!is_reached(s, &to) && is_open(s, &here, k, &to)) add(s, to);
        }
        if (!wide_links(s) || !t->mouth_count) continue;
        const path_mouth *m = &s->set->mouths[nav_path_first_mouth(s->set, here.tile, here.cell)],
                         *last = &s->set->mouths[t->first_mouth + t->mouth_count];
        for (; m < last && m->cell == here.cell; m++) {
            const path_jump *j = &s->set->jumps[m->jump];
            if (nav_path_wide_may_jump(s, j)) add(s, j->to);
        }
    }
    return !s->out_of_memory;
}

static bool any_reached(const wide_search *s, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (is_reached(s, &s->w->near[i])) return true;
    return false;
}

// Floods from what is in `near` before `end`. Are the others surely not to be reached from there?
static bool is_cut_off(wide_search *s, uint32_t first, uint32_t end, uint32_t other, uint32_t other_end, uint32_t most)
{
    bool is_all = nav_path_wide_flood(s, first, end, most);
    s->is_joined |= !s->out_of_memory && any_reached(s, other, other_end);
    return is_all && !s->is_joined;
}

bool nav_path_wide_is_apart(wide_search *s, uint32_t most)
{
    uint32_t starts = s->start_count, all = starts + s->goal_count;
    // Links may lead one way.
    if (!wide_links(s) && is_cut_off(s, starts, all, 0, starts, most)) return true;
    return !s->is_joined && is_cut_off(s, 0, starts, starts, all, most);
}

typedef struct nearest_place {
    wide_search *s;
    const path_place *in;
} nearest_place;

static void keep_nearest(void *user, wide_vec at, double distance)
{
    nearest_place *n = user;
    if (distance >= n->s->nearest) return;
    n->s->nearest = distance;
    n->s->nearest_place = (path_place){n->in->tile, n->in->cell, wide_spot(at), 0};
}

bool nav_path_wide_find_nearest(wide_search *s, path_place start, wide_vec goal)
{
    uint32_t end;
    s->nearest = INFINITY;
    s->nearest_place = start;
    s->out_of_memory |= !nav_path_wide_list(s, 0, start, WIDE_SLACK, &end);
    if (s->out_of_memory) return false;
    if (!nav_path_wide_flood(s, 0, end, s->max_nodes)) {
        s->full |= !s->out_of_memory;
        return false;
    }
    for (uint32_t i = 0; i < s->reached_count; i++) {
        path_place in = s->w->reached[i];
        nearest_place n = {s, &in};
        if (!nav_path_wide_places(s, in.tile, in.cell, goal, s->nearest, keep_nearest, &n)) return false;
    }
    return true;
}
