// A straight line over the ground, from cell to cell. Which edge it leaves a cell by is told by the sides on which the
// cell's corners are, in whole numbers.
//
//        v                 The line crosses an edge, or it comes to a vertex. There it goes on in every cell around the
//    ---*----- wall        vertex that it can be led into: of the ground that hangs together there (its sector), those
//      / \    ->  ->       that hold a piece of the line ahead of it, be it only an edge. Where no such cell is left,
//      it
//    s/...\.......         has met a wall with its point, or two that touch.
//
// Where ground parts along the line, as at the edge of a storey that lies over another one, there are several such
// cells, and all are followed: vertices wait in a queue, the one that comes first on the line goes first, so that what
// meets again is followed once.
#include "core/path/places_work.h"

typedef struct ray {
    path_scratch *p;
    const nav_path_set *set;
    const nav_place_scope *scope;
    path_spot from, to;
    double to_y; // voxels: which floor is meant
    // The best end up to now.
    bool found, reached;
    double far, gap; // how far it is, and how far from to_y
    double x, z;
    path_at wall;
    uint32_t tile, cell;
    bool out_of_memory;
} ray;

// How far along the line a point of it is, in whole numbers: by the axis that it is longer along.
static int32_t progress(const ray *r, path_spot s)
{
    int32_t dx = r->to.x - r->from.x, dz = r->to.z - r->from.z;
    bool by_x = (dx < 0 ? -dx : dx) >= (dz < 0 ? -dz : dz);
    int32_t at = by_x ? s.x - r->from.x : s.z - r->from.z;
    return (by_x ? dx : dz) < 0 ? -at : at;
}

// The better of two ends: one that gets there, else the farther; then the nearer height, then the first by place.
static bool is_better(const ray *r, bool reached, double far, double gap, uint32_t tile, uint32_t cell)
{
    if (!r->found) return true;
    if (reached != r->reached) return reached;
    if (!reached && far != r->far) return far > r->far;
    if (gap != r->gap) return gap < r->gap;
    int order = path_tile_order(r->set->tiles[tile], r->set->tiles[r->tile]);
    return order < 0 || (order == 0 && cell < r->cell);
}

static void offer_end(ray *r, bool reached, uint32_t tile, uint32_t cell, double x, double z, path_at wall)
{
    double dx = x - r->from.x, dz = z - r->from.z, far = sqrt(dx * dx + dz * dz);
    double gap = fabs(nav_path_height(r->set, tile, cell, x, z) - r->to_y);
    if (!is_better(r, reached, far, gap, tile, cell)) return;
    r->found = true;
    r->reached = reached;
    r->far = far;
    r->gap = gap;
    r->x = x;
    r->z = z;
    r->wall = wall;
    r->tile = tile;
    r->cell = cell;
}

// Does a cell hold a piece of the line ahead of the point s, which is in it or on its outline?
static bool leads_into(const ray *r, const path_tile *t, uint32_t cell, path_spot s)
{
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_spot a = path_corner(t, k), b = path_corner(t, path_next(t, k));
        if (path_side(a, b, s) == 0 && path_side(a, b, r->to) > 0) return false;
    }
    return true;
}

// Follows the line in a cell that holds a piece of it ahead of `at`, up to a wall, its end, or a vertex, which is
// queued.
static void follow(ray *r, uint32_t tile, uint32_t cell, int32_t at)
{
    for (;;) {
        const path_tile *t = r->set->tiles[tile];
        if (path_cell_has(t, cell, r->to)) {
            offer_end(r, true, tile, cell, r->to.x, r->to.z, (path_at){0, 0});
            return;
        }
        uint32_t vertex = PATH_NONE, edge = PATH_NONE;
        for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
            path_spot a = path_corner(t, k), b = path_corner(t, path_next(t, k));
            int64_t u = path_side(r->from, r->to, a), v = path_side(r->from, r->to, b);
            if (u > 0 && v < 0) edge = k;
            if (u == 0 && progress(r, a) > at &&
                (vertex == PATH_NONE || progress(r, a) < progress(r, path_corner(t, vertex))))
                vertex = k;
        }
        if (vertex != PATH_NONE) {
            double f = progress(r, path_corner(t, vertex));
            r->out_of_memory |= !nav_path_scratch_push(r->p, f, (path_at){tile, vertex});
            return;
        }
        if (edge == PATH_NONE) return; // the tiles contradict themselves
        path_at wall = {tile, edge};
        uint32_t corner = edge;
        if (path_cross_open(r->set, r->scope->excluded, &tile, &corner)) {
            cell = r->set->tiles[tile]->cell[corner];
            continue;
        }
        path_spot a = path_corner(t, edge), b = path_corner(t, path_next(t, edge));
        double u = (double)path_side(r->from, r->to, a), v = (double)path_side(r->from, r->to, b), k = u / (u - v);
        offer_end(r, false, tile, cell, a.x + k * ((double)b.x - a.x), a.z + k * ((double)b.z - a.z), wall);
        return;
    }
}

// The corners around a vertex that hang together, into `around` from `first` on, and the walls at both ends of them.
// False: all of them have been there already, or no memory.
static bool list_around(ray *r, uint32_t first, path_at from, path_at walls[2])
{
    path_scratch *p = r->p;
    for (int side = 0; side < 2; side++) {
        path_at at = from;
        for (;;) {
            const path_tile *t = r->set->tiles[at.tile];
            if (side == 0 || at.tile != from.tile || at.corner != from.corner) {
                for (uint32_t i = 0; i < first; i++)
                    if (p->around[i].tile == at.tile && p->around[i].corner == at.corner) return false;
                if (!PATH_GROW(p->around, p->around_room, p->around_count)) {
                    r->out_of_memory = true;
                    return false;
                }
                p->around[p->around_count++] = at;
            }
            uint32_t edge = side == 0 ? at.corner : path_before(t, at.corner), tile = at.tile, next = edge;
            if (!path_cross_open(r->set, r->scope->excluded, &tile, &next)) {
                walls[side] = (path_at){at.tile, edge};
                break;
            }
            at = (path_at){tile, side == 0 ? path_next(r->set->tiles[tile], next) : next};
            if (at.tile == from.tile && at.corner == from.corner) return true; // all the way round
        }
    }
    return true;
}

// How squarely a wall stands in the way of the line: at most the line's length.
static double across(const ray *r, path_at wall)
{
    const path_tile *t = r->set->tiles[wall.tile];
    path_spot a = path_corner(t, wall.corner), b = path_corner(t, path_next(t, wall.corner));
    double dx = (double)b.x - a.x, dz = (double)b.z - a.z;
    double lx = (double)r->to.x - r->from.x, lz = (double)r->to.z - r->from.z;
    return (dx * lz - dz * lx) / sqrt(dx * dx + dz * dz);
}

static void pass_vertex(ray *r, path_at vertex, uint32_t first)
{
    path_at walls[2] = {vertex, vertex};
    path_spot s = path_corner(r->set->tiles[vertex.tile], vertex.corner);
    bool leads_on = false;
    if (!list_around(r, first, vertex, walls)) return;
    for (uint32_t i = first; i < r->p->around_count; i++) {
        path_at at = r->p->around[i];
        const path_tile *t = r->set->tiles[at.tile];
        if (!leads_into(r, t, t->cell[at.corner], s)) continue;
        leads_on = true;
        follow(r, at.tile, t->cell[at.corner], progress(r, s));
    }
    if (leads_on) return;
    path_at wall = walls[across(r, walls[1]) > across(r, walls[0])];
    offer_end(r, false, wall.tile, r->set->tiles[wall.tile]->cell[wall.corner], s.x, s.z, wall);
}

// The line begins at a wall, and leads nowhere but into it.
static void end_at_once(ray *r, path_spot s)
{
    path_at wall = {PATH_NONE, PATH_NONE};
    for (uint32_t i = 0; i < r->p->near_count; i++) {
        path_place here = r->p->near[i];
        const path_tile *t = r->set->tiles[here.tile];
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            path_at edge = {here.tile, k}, behind = edge;
            if (!nav_path_on_edge(t, k, s) || path_cross_open(r->set, r->scope->excluded, &behind.tile, &behind.corner))
                continue;
            if (wall.tile == PATH_NONE || across(r, edge) > across(r, wall)) wall = edge;
        }
    }
    if (wall.tile != PATH_NONE)
        offer_end(r, false, wall.tile, r->set->tiles[wall.tile]->cell[wall.corner], s.x, s.z, wall);
}

// False: stop() said so.
static bool run(ray *r, const path_place *start)
{
    path_scratch *p = r->p;
    for (uint32_t i = 0; i < p->near_count; i++) {
        path_place here = p->near[i];
        if (leads_into(r, r->set->tiles[here.tile], here.cell, start->at)) follow(r, here.tile, here.cell, 0);
    }
    int32_t last = 0;
    for (uint32_t turn = 1; p->queue.count && !r->out_of_memory; turn++) {
        path_at vertex = p->items[path_queue_pop(&p->queue).what];
        int32_t at = progress(r, path_corner(r->set->tiles[vertex.tile], vertex.corner));
        if (at != last) p->around_count = 0;
        last = at;
        if (turn % 256 == 0 && r->scope->stop && r->scope->stop(r->scope->user)) return false;
        pass_vertex(r, vertex, p->around_count);
    }
    return true;
}

// The goal on the grid; one that no grid reaches is moved nearer on the same line.
static path_spot aim(const nav_path_set *set, path_spot from, const double to_m[3], double *y)
{
    double most = (1 << 30) - 1, largest = fmax(fabs(to_m[0]), fabs(to_m[2])), part = 1, x, z;
    double shrink = largest > 1e12 ? 1e12 / largest : 1;
    (void)nav_path_from_metres(set, (double[]){to_m[0] * shrink, to_m[1], to_m[2] * shrink}, &x, &z, y);
    double by[2] = {x - from.x, z - from.z}, begin[2] = {from.x, from.z};
    for (int k = 0; k < 2; k++) {
        if (begin[k] + by[k] > most) part = fmin(part, (most - begin[k]) / by[k]);
        if (begin[k] + by[k] < -most) part = fmin(part, (-most - begin[k]) / by[k]);
    }
    return (path_spot){(int32_t)llround(from.x + part * by[0]), (int32_t)llround(from.z + part * by[1])};
}

nav_status nav_path_raycast(nav_path_finder *f, const nav_path_set *set, const double from[3], const double to[3],
                            const nav_place_scope *scope, nav_path_ray *out)
{
    path_place start;
    *out = (nav_path_ray){.status = NAV_PLACE_NO_START};
    if (!path_is_place(from, scope->near_m) || !path_is_place(to, scope->near_m)) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate_open(set, from, scope->near_m, scope->excluded, &start)) return NAV_OK;
    path_scratch *p = nav_path_scratch_begin(f);
    ray r = {.p = p, .set = set, .scope = scope, .from = start.at};
    r.to = aim(set, start.at, to, &r.to_y);
    if (!p || !nav_path_list_near(set, start, &p->near, &p->near_room, 0, scope->excluded, &p->near_count))
        return NAV_ERR_MEMORY;
    if (path_same(r.from, r.to)) {
        offer_end(&r, true, start.tile, start.cell, r.to.x, r.to.z, (path_at){0, 0});
    } else if (!run(&r, &start)) {
        out->status = NAV_PLACE_LIMIT;
        return NAV_OK;
    }
    if (r.out_of_memory) return NAV_ERR_MEMORY;
    if (!r.found) end_at_once(&r, start.at);
    if (!r.found) return NAV_ERR_FORMAT;
    out->status = r.reached ? NAV_PLACE_FOUND : NAV_PLACE_WALL;
    out->length_m = r.far * (double)set->grid.cell_size_m / NAV_PATH_FINE;
    nav_path_tell_place(set, r.tile, r.cell, r.x, r.z, &out->end);
    if (!r.reached) nav_path_tell_edge(set, r.wall, &out->wall);
    return NAV_OK;
}
