// The ground nearest to a place. Ground straight above or below by no more than the climb is at distance 0, so what
// stands on a floor stays on it; equal distances go to the nearer height, then to the tile and cell that come first.
#include "core/path/blocks.h"

#include <math.h>
#include <stdlib.h>

typedef struct locator {
    const nav_path_set *set;
    double x, z;      // fine
    path_spot spot;   // the same, rounded
    double y;         // voxels
    double reach;     // fine: as far as cells are looked at, seen from above
    double height;    // voxels: and up or down
    double flat_size; // of a point of the fine grid, metres
    bool any;         // of all parts; else of those with the label
    uint32_t label;
    uint64_t excluded; // areas
    path_may *may;     // NULL: all cells
    const void *user;
    bool found;
    double distance, gap; // of the best: metres
    path_place best;
} locator;

static double fine_size(const nav_path_set *set)
{
    return (double)set->grid.cell_size_m / NAV_PATH_FINE;
}

void nav_path_point_to_metres(const nav_path_set *set, double x, double z, double y, float out[3])
{
    const nav_tile_view *g = &set->grid;
    double columns = (double)g->tile_cells;
    out[0] = (float)(g->origin_m[0] + ((double)set->base_x * columns + x / NAV_PATH_FINE) * (double)g->cell_size_m);
    out[1] = (float)(g->origin_m[1] + y * (double)g->cell_height_m);
    out[2] = (float)(g->origin_m[2] + ((double)set->base_z * columns + z / NAV_PATH_FINE) * (double)g->cell_size_m);
}

void nav_path_to_metres(const nav_path_set *set, path_spot at, double y, float out[3])
{
    nav_path_point_to_metres(set, at.x, at.z, y, out);
}

double nav_path_height(const nav_path_set *set, uint32_t tile, uint32_t cell, double x, double z)
{
    const path_tile *t = set->tiles[tile];
    int64_t cells = set->grid.tile_cells;
    double x0 = (double)(((int64_t)t->x - set->base_x) * cells), z0 = (double)(((int64_t)t->z - set->base_z) * cells);
    return nav_path_tile_height(t, t->source[cell], x / NAV_PATH_FINE - x0, z / NAV_PATH_FINE - z0);
}

// The point of a cell nearest to a place outside of it.
static void nearest_on_cell(const path_tile *t, uint32_t cell, double x, double z, double out[2])
{
    double best = INFINITY;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_spot a = path_corner(t, k), b = path_corner(t, path_next(t, k));
        double dx = (double)b.x - a.x, dz = (double)b.z - a.z;
        double u = ((x - a.x) * dx + (z - a.z) * dz) / (dx * dx + dz * dz);
        u = fmin(fmax(u, 0), 1);
        double px = a.x + u * dx, pz = a.z + u * dz, d = (px - x) * (px - x) + (pz - z) * (pz - z);
        if (!(d < best)) continue;
        best = d;
        out[0] = px;
        out[1] = pz;
    }
}

path_spot nav_path_grid_point(const path_tile *t, uint32_t cell, double x, double z)
{
    double least = INFINITY;
    int32_t x0 = (int32_t)llround(x), z0 = (int32_t)llround(z);
    path_spot best = {x0, z0};
    if (path_cell_has(t, cell, best)) return best;
    best = path_corner(t, t->first[cell]);
    for (int32_t dz = -2; dz <= 2; dz++)
        for (int32_t dx = -2; dx <= 2; dx++) {
            path_spot s = {x0 + dx, z0 + dz};
            double d = (s.x - x) * (s.x - x) + (s.z - z) * (s.z - z);
            if (d >= least || !path_cell_has(t, cell, s)) continue;
            least = d;
            best = s;
        }
    for (uint32_t k = t->first[cell]; least == INFINITY && k < t->first[cell + 1]; k++) {
        path_spot s = path_corner(t, k), b = best;
        if (hypot(s.x - x, s.z - z) < hypot(b.x - x, b.z - z)) best = s;
    }
    return best;
}

// Is this one better than the best? Ties by height, then by place and number, whatever the order.
static bool is_better(const locator *l, double distance, double gap, const path_tile *t, uint32_t cell)
{
    if (!l->found || distance != l->distance) return !l->found || distance < l->distance;
    if (gap != l->gap) return gap < l->gap;
    int order = path_tile_order(t, l->set->tiles[l->best.tile]);
    return order < 0 || (order == 0 && cell < l->best.cell);
}

static void try_cell(locator *l, uint32_t tile, uint32_t cell)
{
    const path_tile *t = l->set->tiles[tile];
    if (!l->any && path_label(l->set, tile, cell) != l->label) return;
    if (l->excluded >> t->area[cell] & 1 || (l->may && !l->may(l->user, tile, cell))) return;
    double at[2] = {l->x, l->z}, flat = 0;
    bool over = path_cell_has(t, cell, l->spot);
    if (!over) {
        if (l->reach == 0) return;
        nearest_on_cell(t, cell, l->x, l->z, at);
        flat = hypot(at[0] - l->x, at[1] - l->z);
        if (flat > l->reach || (l->found && flat * l->flat_size > l->distance)) return;
    }
    double y = nav_path_height(l->set, tile, cell, at[0], at[1]);
    double gap = fabs(y - l->y);
    if (gap > l->height) return;
    gap *= (double)l->set->grid.cell_height_m;
    double distance = over ? fmax(0, gap - (double)l->set->grid.agent_climb_m) : hypot(flat * l->flat_size, gap);
    if (!is_better(l, distance, gap, t, cell)) return;
    l->found = true;
    l->distance = distance;
    l->gap = gap;
    l->best = (path_place){tile, cell, over ? l->spot : nav_path_grid_point(t, cell, at[0], at[1]), 0};
}

static void try_tile(locator *l, uint32_t tile)
{
    const path_tile *t = l->set->tiles[tile];
    if (l->y - l->height > t->high_y + 1 || l->y + l->height < t->low_y - 1) return;
    int64_t cells = l->set->grid.tile_cells;
    double side = (double)(cells * NAV_PATH_FINE), count = t->bucket_count;
    double x0 = l->x - (double)((int64_t)t->x - l->set->base_x) * side,
           z0 = l->z - (double)((int64_t)t->z - l->set->base_z) * side;
    // A point more on each side: what is on a border is in both.
    double range[4] = {x0 - l->reach - 1, x0 + l->reach + 1, z0 - l->reach - 1, z0 + l->reach + 1};
    if (range[1] < 0 || range[0] > side || range[3] < 0 || range[2] > side) return;
    uint32_t r[4];
    for (int i = 0; i < 4; i++) r[i] = (uint32_t)fmin(fmax(floor(range[i] * count / side), 0), count - 1);
    for (uint32_t z = r[2]; z <= r[3]; z++)
        for (uint32_t x = r[0]; x <= r[1]; x++) {
            uint32_t b = z * t->bucket_count + x;
            for (uint32_t i = t->bucket_first[b]; i < t->bucket_first[b + 1]; i++) try_cell(l, tile, t->bucket_cell[i]);
        }
}

// All tiles within reach: those of a rectangle, or all that there are where that are fewer.
static void try_all(locator *l)
{
    const nav_path_set *set = l->set;
    double side = (double)set->grid.tile_cells * NAV_PATH_FINE;
    double far = 4 * (double)NAV_PATH_MAX_COLUMNS;
    double low[2] = {floor((l->x - l->reach - 1) / side), floor((l->z - l->reach - 1) / side)};
    double high[2] = {floor((l->x + l->reach + 1) / side), floor((l->z + l->reach + 1) / side)};
    for (int a = 0; a < 2; a++) {
        low[a] = fmax(low[a], -far);
        high[a] = fmin(high[a], far);
        if (low[a] > high[a]) return;
    }
    if ((high[0] - low[0] + 1) * (high[1] - low[1] + 1) >= set->count) {
        for (uint32_t i = 0; i < set->tile_count; i++)
            if (set->tiles[i]) try_tile(l, i);
        return;
    }
    for (int64_t z = (int64_t)low[1]; z <= (int64_t)high[1]; z++)
        for (int64_t x = (int64_t)low[0]; x <= (int64_t)high[0]; x++) {
            int64_t tx = x + set->base_x, tz = z + set->base_z;
            if (tx < INT32_MIN || tx > INT32_MAX || tz < INT32_MIN || tz > INT32_MAX) continue;
            uint32_t tile = nav_path_set_find(set, (int32_t)tx, (int32_t)tz);
            for (; tile != PATH_NONE; tile = set->tiles[tile]->above) try_tile(l, tile);
        }
}

bool nav_path_from_metres(const nav_path_set *set, const double at_m[3], double *x, double *z, double *y)
{
    const nav_tile_view *g = &set->grid;
    double side = (double)g->tile_cells * NAV_PATH_FINE;
    *x = (at_m[0] - g->origin_m[0]) / fine_size(set) - (double)set->base_x * side;
    *z = (at_m[2] - g->origin_m[2]) / fine_size(set) - (double)set->base_z * side;
    *y = (at_m[1] - g->origin_m[1]) / (double)g->cell_height_m;
    return fabs(*x) <= (1 << 30) - 1 && fabs(*z) <= (1 << 30) - 1 && fabs(*y) < 1e15;
}

// False: no grid reaches the place.
static bool begin(locator *l, const nav_path_set *set, const double at_m[3])
{
    *l = (locator){.set = set, .flat_size = fine_size(set), .any = true};
    if (!set->count || !nav_path_from_metres(set, at_m, &l->x, &l->z, &l->y)) return false;
    l->spot = (path_spot){(int32_t)llround(l->x), (int32_t)llround(l->z)};
    return true;
}

static bool finish(locator *l, path_place *out)
{
    if (!l->found) return false;
    *out = l->best;
    out->y = nav_path_height(l->set, out->tile, out->cell, out->at.x, out->at.z);
    return true;
}

// Looks straight up and down, then farther and farther, up to `most` parts of the grid: what is found within reach is
// the nearest only if it is no farther than that.
static void widen(locator *l, double first, double most)
{
    l->reach = 0;
    try_all(l);
    if (l->found && l->distance == 0) return;
    l->reach = fmin(first, most);
    try_all(l);
    while (!(l->found && l->distance <= l->reach * l->flat_size) && l->reach < most) {
        l->reach = fmin(4 * l->reach, most);
        try_all(l);
    }
}

bool nav_path_locate(const nav_path_set *set, const double at_m[3], double near_m, path_place *out)
{
    return nav_path_locate_open(set, at_m, near_m, 0, out);
}

bool nav_path_locate_open(const nav_path_set *set, const double at_m[3], double near_m, uint64_t excluded,
                          path_place *out)
{
    locator l;
    if (!begin(&l, set, at_m)) return false;
    l.excluded = excluded;
    l.height = (near_m + (double)set->grid.agent_height_m) / (double)set->grid.cell_height_m;
    widen(&l, (double)set->grid.tile_cells * NAV_PATH_FINE / 8, near_m / l.flat_size);
    return finish(&l, out);
}

bool nav_path_locate_within(const nav_path_set *set, const double at_m[3], double flat_m, double height_m,
                            path_place *out)
{
    locator l;
    if (!begin(&l, set, at_m)) return false;
    l.height = height_m / (double)set->grid.cell_height_m;
    widen(&l, flat_m / l.flat_size, flat_m / l.flat_size);
    return finish(&l, out);
}

bool nav_path_locate_if(const nav_path_set *set, const double at_m[3], path_may *may, const void *user, path_place *out)
{
    locator l;
    if (!begin(&l, set, at_m)) return false;
    l.may = may;
    l.user = user;
    l.height = INFINITY;
    widen(&l, (double)set->grid.tile_cells * NAV_PATH_FINE, 1.6e10);
    return finish(&l, out);
}

static bool try_part(void *user, uint32_t tile, double distance)
{
    locator *l = user;
    if (l->found && distance * l->flat_size > l->distance) return false;
    for (uint32_t c = 0; tile != PATH_NONE && c < l->set->tiles[tile]->cell_count; c++) try_cell(l, tile, c);
    return true;
}

bool nav_path_locate_part(const nav_path_set *set, const double at_m[3], uint32_t label, path_place *out)
{
    locator l;
    if (!begin(&l, set, at_m)) return false;
    l.any = false;
    l.label = label;
    l.height = l.reach = INFINITY;
    nav_path_blocks_visit(set, label, l.x, l.z, try_part, &l);
    return finish(&l, out);
}
