// Where a wider agent may come to: a flood over cells, through edges of which some part is clear on both sides. What is
// clear of a cell may be in parts, so it comes to all that the agent can reach, and perhaps to more.
#include "core/path/wide.h"

#include <stdlib.h>

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
static bool is_open(wide_search *s, const path_place *here, uint32_t corner, const path_place *to)
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

// Of open addressing: where a cell is among those that were reached, or is to be.
static uint32_t slot_of(const nav_path_wide *w, uint32_t tile, uint32_t cell)
{
    uint32_t i = path_slot_of((uint64_t)tile << 32 | cell, w->seen_room);
    while (w->seen[i] != PATH_NONE && (w->reached[w->seen[i]].tile != tile || w->reached[w->seen[i]].cell != cell))
        i = (i + 1) & (w->seen_room - 1);
    return i;
}

static bool make_room(wide_search *s)
{
    nav_path_wide *w = s->w;
    if (2 * (s->reached_count + 1) <= w->seen_room) return true;
    uint32_t room = w->seen_room ? 2 * w->seen_room : 256;
    uint32_t *seen = realloc(w->seen, room * sizeof *seen);
    if (!seen) return false;
    w->seen = seen;
    w->seen_room = room;
    for (uint32_t i = 0; i < room; i++) seen[i] = PATH_NONE;
    for (uint32_t i = 0; i < s->reached_count; i++) seen[slot_of(w, w->reached[i].tile, w->reached[i].cell)] = i;
    return true;
}

static bool is_reached(const wide_search *s, const path_place *p)
{
    return s->w->seen[slot_of(s->w, p->tile, p->cell)] != PATH_NONE;
}

static void add(wide_search *s, path_place p)
{
    nav_path_wide *w = s->w;
    if (!make_room(s) || !PATH_GROW(w->reached, w->reached_room, s->reached_count)) {
        s->out_of_memory = true;
        return;
    }
    uint32_t slot = slot_of(w, p.tile, p.cell);
    if (w->seen[slot] != PATH_NONE) return;
    w->seen[slot] = s->reached_count;
    w->reached[s->reached_count++] = p;
}

bool nav_path_wide_flood(wide_search *s, uint32_t first, uint32_t end, uint32_t most)
{
    nav_path_wide *w = s->w;
    s->reached_count = 0;
    for (uint32_t i = 0; i < w->seen_room; i++) w->seen[i] = PATH_NONE;
    for (uint32_t i = first; i < end; i++) add(s, w->near[i]);
    for (uint32_t at = 0; at < s->reached_count; at++) {
        path_place here = w->reached[at];
        const path_tile *t = s->set->tiles[here.tile];
        if (at % 64 == 63 && s->q->stop && s->q->stop(s->q->user)) s->full = s->stopped = true;
        s->full |= w->bytes > WIDE_MOST_BYTES;
        if (at >= most || s->full || s->out_of_memory) return false;
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            path_place to = {.tile = here.tile};
            uint32_t corner = k;
            if (!wide_pass(s, &to.tile, &corner)) continue;
            to.cell = s->set->tiles[to.tile]->cell[corner];
            if (!is_reached(s, &to) && is_open(s, &here, k, &to)) add(s, to);
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

bool nav_path_wide_is_apart(wide_search *s, uint32_t most)
{
    uint32_t starts = s->start_count, all = starts + s->goal_count;
    if (nav_path_wide_flood(s, starts, all, most) && !any_reached(s, 0, starts)) return true;
    return nav_path_wide_flood(s, 0, starts, most) && !any_reached(s, starts, all);
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
