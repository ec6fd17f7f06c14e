// The wall nearest to a place. Edges are looked at by their distance: what one crosses nearer than the nearest wall is
// a disc of plain ground, so the first wall that comes is the nearest, and none of another floor is mistaken for it.
#include "core/path/places_work.h"

// The nearest point of an edge, and how far it is: parts of the grid.
static double nearest_on_edge(const path_tile *t, uint32_t corner, path_spot s, double out[2])
{
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    double dx = (double)b.x - a.x, dz = (double)b.z - a.z;
    double along = ((double)s.x - a.x) * dx + ((double)s.z - a.z) * dz, length2 = dx * dx + dz * dz;
    if (along <= 0 || along >= length2) {
        path_spot end = along <= 0 ? a : b;
        out[0] = end.x;
        out[1] = end.z;
        return path_distance(s, end);
    }
    out[0] = a.x + along / length2 * dx;
    out[1] = a.z + along / length2 * dz;
    return fabs((double)path_side(a, b, s)) / sqrt(length2);
}

// Edges of a cell that are near enough, but for the one by which it was entered.
static bool push_edges(path_scratch *p, const nav_path_set *set, path_spot s, double limit, uint32_t tile,
                       uint32_t cell, uint32_t entry)
{
    const path_tile *t = set->tiles[tile];
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        double at[2], d = k == entry ? INFINITY : nearest_on_edge(t, k, s, at);
        if (d <= limit && !nav_path_scratch_push(p, d, (path_at){tile, k})) return false;
    }
    return true;
}

nav_status nav_path_find_wall(nav_path_finder *f, const nav_path_set *set, const double at[3],
                              const nav_place_scope *scope, double limit_m, nav_path_wall *out)
{
    path_place start;
    bool first;
    *out = (nav_path_wall){.status = NAV_PLACE_NO_START};
    if (!path_is_place(at, scope->near_m) || !isfinite(limit_m) || limit_m < 0) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate_open(set, at, scope->near_m, scope->excluded, &start)) return NAV_OK;
    double flat = (double)set->grid.cell_size_m / NAV_PATH_FINE, limit = limit_m / flat;
    path_scratch *p = nav_path_scratch_begin(f);
    if (!p || !nav_path_scratch_see(p, start.tile, start.cell, &first) ||
        !push_edges(p, set, start.at, limit, start.tile, start.cell, PATH_NONE))
        return NAV_ERR_MEMORY;
    out->status = NAV_PLACE_NONE;
    for (uint32_t turn = 1; p->queue.count; turn++) {
        path_at edge = p->items[path_queue_pop(&p->queue).what], behind = edge;
        if (turn % 256 == 0 && scope->stop && scope->stop(scope->user)) {
            out->status = NAV_PLACE_LIMIT;
            return NAV_OK;
        }
        if (!path_cross_open(set, scope->excluded, &behind.tile, &behind.corner)) {
            const path_tile *t = set->tiles[edge.tile];
            double point[2];
            out->status = NAV_PLACE_FOUND;
            out->distance_m = nearest_on_edge(t, edge.corner, start.at, point) * flat;
            nav_path_tell_place(set, edge.tile, t->cell[edge.corner], point[0], point[1], &out->place);
            nav_path_tell_edge(set, edge, &out->edge);
            return NAV_OK;
        }
        uint32_t cell = set->tiles[behind.tile]->cell[behind.corner];
        if (!nav_path_scratch_see(p, behind.tile, cell, &first)) return NAV_ERR_MEMORY;
        if (first && !push_edges(p, set, start.at, limit, behind.tile, cell, behind.corner)) return NAV_ERR_MEMORY;
    }
    return NAV_OK;
}
