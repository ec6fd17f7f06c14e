// A path over ground of different cost: straight pieces, whose ends at verges are moved to where the path costs the
// least (one after the other, again and again: the cost is convex). What it costs is measured along the cells that it
// crosses.
#include "core/path/weigh.h"

#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 60, HALVINGS = 48, SHARES = 8 };

void nav_path_weigh_destroy(path_weigh *w)
{
    if (!w) return;
    free(w->verges);
    free(w->pieces);
    free(w->arrivals);
    free(w->slots);
    free(w->best.legs);
    free(w->best.edges);
    free(w->draft.legs);
    free(w->draft.edges);
    free(w);
}

static size_t draft_bytes(const path_draft *d)
{
    return d->leg_room * sizeof *d->legs + d->edge_room * sizeof *d->edges;
}

size_t nav_path_weigh_bytes(const path_weigh *w)
{
    if (!w) return 0;
    return sizeof *w + w->verge_room * sizeof *w->verges + w->piece_room * sizeof *w->pieces +
           w->arrival_room * sizeof *w->arrivals + w->slot_room * sizeof *w->slots + draft_bytes(&w->best) +
           draft_bytes(&w->draft);
}

// --- From the turns of a search ---

static double height_at_corner(const path_search *s, const path_turn *t)
{
    const path_tile *tile = s->set->tiles[t->tile];
    return (double)tile->y[tile->vert[t->corner]];
}

// Where it ends, by the turn there. The edges are in the list already.
static void end_leg(const path_search *s, const path_turn *t, path_leg *leg)
{
    const path_weigh *w = s->f->weigh;
    path_spot end = path_piece_end(s, t);
    leg->to[0] = end.x;
    leg->to[1] = end.z;
    leg->jump = leg->piece = PATH_NONE;
    leg->tile = t->tile;
    if (t->kind == PATH_CROSS) {
        const path_arrival *a = &w->arrivals[t->corner];
        const path_piece *p = &w->pieces[a->piece];
        const path_verge *verge = &w->verges[p->verge];
        leg->tile = verge->tile[a->side];
        leg->cell = s->set->tiles[leg->tile]->cell[verge->corner[a->side]];
        leg->piece = a->piece;
        leg->t = (p->t0 + p->t1) / 2;
    } else if (t->kind == PATH_JUMP) {
        const path_jump *j = &s->set->jumps[t->corner];
        leg->tile = j->from.tile;
        leg->cell = j->from.cell;
        leg->y = j->from.y;
        leg->jump = t->corner;
    } else {
        leg->cell = s->set->tiles[t->tile]->cell[t->corner];
        leg->y = t->kind == PATH_GOAL ? t->y : height_at_corner(s, t);
    }
}

static nav_status add_leg(path_search *s, uint32_t from, uint32_t to, path_draft *d)
{
    uint32_t last, count = 0;
    nav_status st = nav_path_trace_piece(s, from, to, &last);
    if (st != NAV_OK) return st;
    const path_cone *cones = s->f->cones;
    for (uint32_t i = last; i != PATH_NONE; i = cones[i].before) count++;
    if (!PATH_GROW(d->legs, d->leg_room, d->leg_count)) return NAV_ERR_MEMORY;
    while (d->edge_count + (uint64_t)count > d->edge_room)
        if (!PATH_GROW(d->edges, d->edge_room, d->edge_room)) return NAV_ERR_MEMORY;
    const path_turn *begin = &s->f->turns[from];
    path_leg *leg = &d->legs[d->leg_count++];
    *leg = (path_leg){.from = {begin->at.x, begin->at.z},
                      .edge = d->edge_count,
                      .edge_count = count,
                      .weight = s->rules ? s->rules->weight[begin->class] : 1};
    d->edge_count += count;
    for (uint32_t i = last; i != PATH_NONE; i = cones[i].before)
        d->edges[leg->edge + --count] = (path_edge_at){cones[i].tile, cones[i].corner};
    end_leg(s, &s->f->turns[to], leg);
    return NAV_OK;
}

// --- Where it crosses the verges ---

static void point_of(const path_weigh *w, const path_leg *leg, double t, double out[2])
{
    const path_verge *verge = &w->verges[w->pieces[leg->piece].verge];
    out[0] = verge->begin.x + t * verge->dx;
    out[1] = verge->begin.z + t * verge->dz;
}

static double distance(const double a[2], const double b[2])
{
    return hypot(b[0] - a[0], b[1] - a[1]);
}

// How fast the cost grows along the verge between two legs.
static double growth(const path_weigh *w, const path_leg *in, const path_leg *out, double t)
{
    const path_verge *verge = &w->verges[w->pieces[in->piece].verge];
    double at[2];
    point_of(w, in, t, at);
    double a = distance(in->from, at), b = distance(at, out->to), sum = 0;
    if (a > 0) sum += in->weight * ((at[0] - in->from[0]) * verge->dx + (at[1] - in->from[1]) * verge->dz) / a;
    if (b > 0) sum += out->weight * ((at[0] - out->to[0]) * verge->dx + (at[1] - out->to[1]) * verge->dz) / b;
    return sum;
}

static void settle(const path_weigh *w, path_draft *d)
{
    for (uint32_t i = 0; i + 1 < d->leg_count; i++)
        if (d->legs[i].piece != PATH_NONE) {
            point_of(w, &d->legs[i], d->legs[i].t, d->legs[i].to);
            memcpy(d->legs[i + 1].from, d->legs[i].to, sizeof d->legs[i].to);
        }
}

static void relax(const path_weigh *w, path_draft *d)
{
    double moved = 1;
    for (int sweep = 0; sweep < SWEEPS && moved > 1e-7; sweep++) {
        moved = 0;
        for (uint32_t i = 0; i + 1 < d->leg_count; i++) {
            path_leg *in = &d->legs[i], *out = &d->legs[i + 1];
            if (in->piece == PATH_NONE) continue;
            double low = 0, high = 1;
            for (int k = 0; k < HALVINGS; k++) {
                double t = (low + high) / 2;
                if (growth(w, in, out, t) > 0)
                    high = t;
                else
                    low = t;
            }
            moved = fmax(moved, fabs((low + high) / 2 - in->t));
            in->t = (low + high) / 2;
            point_of(w, in, in->t, in->to);
            memcpy(out->from, in->to, sizeof in->to);
        }
    }
}

static double side_of(const double p[2], const double q[2], path_spot s)
{
    return (q[0] - p[0]) * (s.z - p[1]) - (q[1] - p[1]) * (s.x - p[0]);
}

// Does each leg still cross its edges?
static bool holds(const path_search *s, const path_draft *d)
{
    for (uint32_t i = 0; i < d->leg_count; i++) {
        const path_leg *leg = &d->legs[i];
        double slack = distance(leg->from, leg->to); // a point of the grid
        for (uint32_t k = leg->edge; k < leg->edge + leg->edge_count; k++) {
            const path_tile *t = s->set->tiles[d->edges[k].tile];
            path_spot right = path_corner(t, d->edges[k].corner);
            path_spot left = path_corner(t, path_next(t, d->edges[k].corner));
            if (side_of(leg->from, leg->to, right) > slack || side_of(leg->from, leg->to, left) < -slack) return false;
        }
    }
    return true;
}

// From the middles of the pieces towards the least, as far as nothing comes in the way: costs fall all along.
static void move_crossings(const path_search *s, path_draft *d)
{
    const path_weigh *w = s->f->weigh;
    for (uint32_t i = 0; i < d->leg_count; i++) d->legs[i].middle = d->legs[i].t;
    settle(w, d);
    relax(w, d);
    for (uint32_t i = 0; i < d->leg_count; i++) d->legs[i].least = d->legs[i].t;
    for (int share = SHARES; share >= 0; share--) {
        for (uint32_t i = 0; i < d->leg_count; i++) {
            path_leg *leg = &d->legs[i];
            leg->t = leg->middle + (leg->least - leg->middle) * share / SHARES;
        }
        settle(w, d);
        if (holds(s, d)) break;
    }
}

// --- What it costs ---

static double weight_of(const path_rules *rules, const path_tile *t, uint32_t cell)
{
    uint8_t class = rules->class_of[t->area[cell]];
    return class == PATH_CLOSED ? (double)NAV_PATH_MOST_COST / rules->unit : rules->weight[class];
}

// The cell where it begins.
static void first_cell(const path_search *s, const path_draft *d, const path_leg *leg, uint32_t *tile, uint32_t *cell)
{
    *tile = leg->tile;
    *cell = leg->cell;
    if (!leg->edge_count) return;
    uint32_t corner = d->edges[leg->edge].corner;
    *tile = d->edges[leg->edge].tile;
    if (path_cross(s->set, tile, &corner)) *cell = s->set->tiles[*tile]->cell[corner];
}

static void measure_leg(const path_search *s, const path_rules *rules, const path_leg *leg, double begin_y,
                        path_draft *d)
{
    const nav_path_set *set = s->set;
    double flat = (double)set->grid.cell_size_m / NAV_PATH_FINE, tall = (double)set->grid.cell_height_m;
    double length = distance(leg->from, leg->to), t = 0, y = begin_y;
    uint32_t tile, cell;
    first_cell(s, d, leg, &tile, &cell);
    for (uint32_t k = 0; k <= leg->edge_count; k++) {
        double here = 1, here_y = leg->y;
        const path_edge_at *e = k < leg->edge_count ? &d->edges[leg->edge + k] : NULL;
        if (e) {
            const path_tile *n = set->tiles[e->tile];
            uint32_t a = n->vert[e->corner], b = n->vert[path_next(n, e->corner)];
            double u = side_of(leg->from, leg->to, n->at[a]), v = side_of(leg->from, leg->to, n->at[b]);
            double q = u != v ? fmin(fmax(u / (u - v), 0), 1) : 0;
            double at[2] = {n->at[a].x + q * ((double)n->at[b].x - n->at[a].x),
                            n->at[a].z + q * ((double)n->at[b].z - n->at[a].z)};
            here = length > 0 ? fmin(fmax(distance(leg->from, at) / length, t), 1) : 0;
            here_y = n->y[a] + q * ((double)n->y[b] - n->y[a]);
        }
        d->cost += weight_of(rules, set->tiles[tile], cell) * (here - t) * length;
        d->surface += hypot((here - t) * length * flat, (here_y - y) * tall);
        t = here;
        y = here_y;
        if (!e) break;
        tile = e->tile;
        cell = set->tiles[tile]->cell[e->corner];
    }
    d->length += length;
}

static void measure(const path_search *s, const path_rules *rules, path_draft *d)
{
    const path_weigh *w = s->f->weigh;
    double y = d->start_y, flat = (double)s->set->grid.cell_size_m / NAV_PATH_FINE;
    d->cost = d->length = d->surface = 0;
    for (uint32_t i = 0; i < d->leg_count; i++) {
        path_leg *leg = &d->legs[i];
        if (leg->piece != PATH_NONE) {
            const path_verge *verge = &w->verges[w->pieces[leg->piece].verge];
            const path_tile *t = s->set->tiles[verge->tile[0]];
            uint32_t a = t->vert[verge->corner[0]], b = t->vert[path_next(t, verge->corner[0])];
            bool turned = !path_same(t->at[a], verge->begin);
            leg->y = t->y[turned ? b : a] + leg->t * ((double)t->y[turned ? a : b] - t->y[turned ? b : a]);
        }
        measure_leg(s, rules, leg, y, d);
        y = leg->y;
        if (leg->jump == PATH_NONE) continue;
        const path_jump *j = &s->set->jumps[leg->jump];
        d->cost += rules->link_weight[j->area] * j->length;
        d->length += path_distance(j->from.at, j->to.at);
        d->surface += j->length * flat;
        y = j->to.y;
    }
}

nav_status nav_path_draft(path_search *s, uint32_t goal_turn, const path_rules *rules, path_draft *d)
{
    nav_path_finder *f = s->f;
    uint32_t bends = 0;
    nav_status st = NAV_OK;
    d->leg_count = d->edge_count = 0;
    for (uint32_t i = goal_turn; i != PATH_NONE; i = f->turns[i].parent) {
        if (!PATH_GROW(f->bends, f->bend_room, bends)) return NAV_ERR_MEMORY;
        f->bends[bends++] = i;
    }
    d->start_y = f->turns[f->bends[bends - 1]].y;
    for (uint32_t i = bends - 1; st == NAV_OK && i-- > 0;) st = add_leg(s, f->bends[i + 1], f->bends[i], d);
    if (st != NAV_OK) return st;
    move_crossings(s, d);
    measure(s, rules, d);
    return NAV_OK;
}

// --- The answer ---

static nav_status add_point(path_search *s, uint32_t *count, const double at[2], double y)
{
    nav_path_finder *f = s->f;
    while (3 * (uint64_t)*count + 3 > f->point_room)
        if (!PATH_GROW(f->points, f->point_room, f->point_room)) return NAV_ERR_MEMORY;
    nav_path_point_to_metres(s->set, at[0], at[1], y, &f->points[3 * (size_t)(*count)++]);
    return NAV_OK;
}

// Does the path bend where leg i ends, by more than a point of the grid? last: the point before that is told.
static bool bends(const path_draft *d, uint32_t i, const double last[2])
{
    const double *here = d->legs[i].to;
    while (i + 1 < d->leg_count && distance(here, d->legs[i].to) < 1) i++;
    const double *next = d->legs[i].to;
    double x = next[0] - last[0], z = next[1] - last[1], length = hypot(x, z);
    double along = (here[0] - last[0]) * x + (here[1] - last[1]) * z;
    if (distance(last, here) < 1) return false;
    return along < 0 || along > length * length || fabs(x * (here[1] - last[1]) - z * (here[0] - last[0])) > length;
}

nav_status nav_path_write_draft(path_search *s, const path_draft *d, nav_path *out)
{
    uint32_t points = 0, cells = 0, jumps = 0, tile, cell;
    double flat = (double)s->set->grid.cell_size_m / NAV_PATH_FINE;
    const double *last_point = d->legs[0].from;
    nav_status st = add_point(s, &points, last_point, d->start_y);
    for (uint32_t i = 0; i < d->leg_count && st == NAV_OK; i++) {
        const path_leg *leg = &d->legs[i];
        const path_jump *j = leg->jump == PATH_NONE ? NULL : &s->set->jumps[leg->jump];
        first_cell(s, d, leg, &tile, &cell);
        st = nav_path_add_cell(s, &cells, tile, cell);
        for (uint32_t k = leg->edge; k < leg->edge + leg->edge_count && st == NAV_OK; k++) {
            const path_edge_at *e = &d->edges[k];
            st = nav_path_add_cell(s, &cells, e->tile, s->set->tiles[e->tile]->cell[e->corner]);
        }
        if (st == NAV_OK) st = nav_path_add_cell(s, &cells, leg->tile, leg->cell);
        if (st == NAV_OK && (j || i + 1 == d->leg_count || bends(d, i, last_point))) {
            st = add_point(s, &points, leg->to, leg->y);
            last_point = j ? leg[1].from : leg->to;
        }
        if (st != NAV_OK || !j) continue;
        st = nav_path_add_jump(s, &jumps, points - 1, j);
        if (st == NAV_OK) st = add_point(s, &points, (double[]){j->to.at.x, j->to.at.z}, j->to.y);
    }
    out->length_m = d->length * flat;
    out->surface_m = d->surface;
    out->points = s->f->points;
    out->point_count = points;
    out->cells = s->f->cells;
    out->cell_count = cells;
    out->jumps = s->f->jumps;
    out->jump_count = jumps;
    return st;
}
