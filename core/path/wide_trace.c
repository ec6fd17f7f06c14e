// From the last node back to the start: the points of a path, and its lengths. An arc becomes points on it, whose
// chords cut it by at most NAV_PATH_ARC_M.
#include "core/path/wide.h"

static nav_status add_point(wide_search *s, uint32_t *count, wide_vec at)
{
    if (!PATH_GROW(s->w->points, s->w->point_room, *count)) return NAV_ERR_MEMORY;
    s->w->points[(*count)++] = at;
    return NAV_OK;
}

// The arc around a circle, from the line in direction `from` to that in direction `to`. It is told backwards.
static nav_status add_arc(wide_search *s, uint32_t *count, const wide_node *n, wide_vec to)
{
    const wide_piece *p = &s->kept->tiles[n->tile]->pieces[n->corner];
    wide_circle c = {p->at, n->sign * s->radius};
    double turn = n->sign * wide_angle(n->right, to), fine = (double)s->set->grid.cell_size_m / NAV_PATH_FINE;
    if (turn < -1) turn += 2 * M_PI;
    if (turn < WIDE_NARROW) return NAV_OK; // the line only touches it
    double step = 2 * acos(fmax(1 - NAV_PATH_ARC_M / fine / s->radius, 0));
    uint32_t pieces = (uint32_t)ceil(turn / step);
    nav_status st = NAV_OK;
    for (uint32_t i = 0; i <= pieces && st == NAV_OK; i++)
        st = add_point(s, count, wide_touch(&c, wide_turned(n->right, n->sign * turn * (pieces - i) / pieces)));
    return st;
}

// --- Over the ground ---

typedef struct walk {
    const wide_search *s;
    uint32_t tile, cell, entry, cell_count;
    wide_vec at;
    double y, length; // voxels; metres along the ground
} walk;

static nav_status add_cell(walk *w)
{
    nav_path_finder *f = w->s->f;
    nav_path_cell c = path_cell_name(w->s->set->tiles[w->tile], w->cell);
    const nav_path_cell *last = w->cell_count ? &f->cells[w->cell_count - 1] : NULL;
    if (last && path_same_cell(last, &c)) return NAV_OK;
    if (!PATH_GROW(f->cells, f->cell_room, w->cell_count)) return NAV_ERR_MEMORY;
    f->cells[w->cell_count++] = c;
    return NAV_OK;
}

static void go(walk *w, wide_vec at, double y)
{
    double flat = wide_length(wide_from(w->at, at)) * (double)w->s->set->grid.cell_size_m / NAV_PATH_FINE,
           up = (y - w->y) * (double)w->s->set->grid.cell_height_m;
    w->length += sqrt(flat * flat + up * up);
    w->at = at;
    w->y = y;
}

// Straight on to a place: over each edge that is crossed.
static nav_status walk_to(walk *w, wide_vec to)
{
    for (uint32_t cells = 0; cells < 1 << 20; cells++) {
        const path_tile *t = w->s->set->tiles[w->tile];
        wide_vec d = wide_from(w->at, to);
        double least = 1;
        uint32_t by = PATH_NONE;
        for (uint32_t k = t->first[w->cell]; k < t->first[w->cell + 1]; k++) {
            wide_vec a = wide_of(path_corner(t, k)), e = wide_from(a, wide_of(path_corner(t, path_next(t, k))));
            double off = wide_cross(e, wide_from(a, w->at)), end = wide_cross(e, wide_from(a, to));
            if (k == w->entry || end <= WIDE_CLOSE * wide_length(e) || end <= off) continue;
            double u = fmax(-off / (end - off), 0);
            if (u >= least) continue;
            least = u;
            by = k;
        }
        uint32_t edge = by;
        if (by == PATH_NONE || !wide_pass(w->s, &w->tile, &edge)) break;
        wide_vec a = wide_of(path_corner(t, by)), b = wide_of(path_corner(t, path_next(t, by))),
                 at = wide_along(w->at, d, least);
        double whole = wide_dot(wide_from(a, b), wide_from(a, b)),
               u = fmin(fmax(wide_dot(wide_from(a, at), wide_from(a, b)) / whole, 0), 1);
        double low = t->y[t->vert[by]], high = t->y[t->vert[path_next(t, by)]];
        go(w, at, low + u * (high - low));
        w->cell = w->s->set->tiles[w->tile]->cell[edge];
        w->entry = edge;
        nav_status st = add_cell(w);
        if (st != NAV_OK) return st;
    }
    w->entry = PATH_NONE;
    go(w, to, nav_path_height(w->s->set, w->tile, w->cell, to.x, to.z));
    return NAV_OK;
}

// To the other end of a link; point: where it leaves the ground.
static nav_status leap(walk *w, uint32_t jump, uint32_t point, uint32_t *count)
{
    const path_jump *j = &w->s->set->jumps[jump];
    path_search search = {.f = w->s->f};
    nav_status st = nav_path_add_jump(&search, count, point, j);
    w->length += j->length * (double)w->s->set->grid.cell_size_m / NAV_PATH_FINE;
    w->tile = j->to.tile;
    w->cell = j->to.cell;
    w->entry = PATH_NONE;
    w->at = wide_of(j->to.at);
    w->y = j->to.y;
    return st == NAV_OK ? add_cell(w) : st;
}

nav_status nav_path_wide_write(wide_search *s, uint32_t goal_node, path_place start, nav_path *out)
{
    nav_path_finder *f = s->f;
    const wide_node *last = &s->w->nodes[goal_node];
    wide_vec to = last->right; // the direction in which the circle before is left
    uint32_t count = 0, leaps = 0, jumps = 0;
    double by_links = 0, flat = 0; // what links cost, and their lengths seen from above
    nav_status st = add_point(s, &count, s->goal);
    for (uint32_t i = last->parent; st == NAV_OK && i != PATH_NONE; i = s->w->nodes[i].parent) {
        const wide_node *n = &s->w->nodes[i];
        if (n->kind == WIDE_EDGE) continue;
        if (n->kind == WIDE_TURN) {
            st = add_arc(s, &count, n, to);
        } else {
            const path_jump *j = &s->set->jumps[n->corner];
            if (!PATH_GROW(s->w->leaps, s->w->leap_room, leaps)) return NAV_ERR_MEMORY;
            s->w->leaps[leaps++] = (wide_leap){count, n->corner};
            st = add_point(s, &count, wide_of(j->to.at));
            if (st == NAV_OK) st = add_point(s, &count, wide_of(j->from.at));
            by_links += s->rules->link_weight[j->area] * j->length;
            flat += path_distance(j->from.at, j->to.at);
        }
        to = n->right;
    }
    if (st == NAV_OK) st = add_point(s, &count, s->start);
    if (st != NAV_OK) return st;
    while (3 * (uint64_t)count > f->point_room)
        if (!PATH_GROW(f->points, f->point_room, f->point_room)) return NAV_ERR_MEMORY;
    walk w = {.s = s, .tile = start.tile, .cell = start.cell, .entry = PATH_NONE, .at = s->start};
    w.y = nav_path_height(s->set, start.tile, start.cell, s->start.x, s->start.z);
    st = add_cell(&w);
    for (uint32_t i = count; i-- > 0 && st == NAV_OK;) {
        if (leaps && s->w->leaps[leaps - 1].point == i)
            st = leap(&w, s->w->leaps[--leaps].jump, count - 2 - i, &jumps);
        else if (i + 1 < count)
            st = walk_to(&w, s->w->points[i]);
        nav_path_point_to_metres(s->set, s->w->points[i].x, s->w->points[i].z, w.y,
                                 &f->points[3 * (count - 1 - (size_t)i)]);
    }
    double metres = (double)s->set->grid.cell_size_m / NAV_PATH_FINE;
    out->length_m = (last->g - by_links + flat) * metres;
    out->surface_m = w.length;
    out->cost = out->lower_bound = last->g * metres * (s->rules ? s->rules->unit : 1);
    out->jumps = f->jumps;
    out->jump_count = jumps;
    out->optimal = true;
    out->points = f->points;
    out->point_count = count;
    out->cells = f->cells;
    out->cell_count = w.cell_count;
    return st;
}
