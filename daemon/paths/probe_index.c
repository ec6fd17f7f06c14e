#include "daemon/paths/probe_index.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS_ACROSS = 8 };
#define FAR 1e9 // tiles: no grid reaches farther

typedef struct cell {
    nd_node node;
    uint32_t grid;
    int32_t x, z;
    nd_probe_entry *first;
} cell;

struct nd_probe_entry {
    nd_probe_entry *next, **at; // of its cell
    cell *cell;
    nd_probe_place *place;
};

static double distance(const double p[2], const nav_path_box *b)
{
    double x = fmax(fmax(b->min[0] - p[0], p[0] - b->max[0]), 0);
    double z = fmax(fmax(b->min[1] - p[1], p[1] - b->max[1]), 0);
    return sqrt(x * x + z * z);
}

double nd_probe_ellipse_saves(const nd_probe_shape *s, const nav_path_box *b)
{
    if (s->sum < 0 || nav_path_box_is_empty(b)) return -1;
    double through = distance(s->focus[0], b) + distance(s->focus[1], b);
    return through == s->sum ? 0 : (s->sum - through) / s->sum;
}

bool nd_probe_ellipse_meets(const nd_probe_shape *s, const nav_path_box *b)
{
    return nd_probe_ellipse_saves(s, b) >= 0;
}

bool nd_probe_discs_meet(const nd_probe_shape *s, const nav_path_box *b)
{
    return !nav_path_box_is_empty(b) &&
           (distance(s->disc[0], b) <= s->radius[0] || distance(s->disc[1], b) <= s->radius[1]);
}

static bool meets(const nd_probe_shape *s, const nav_path_box *b)
{
    return nd_probe_ellipse_meets(s, b) || nd_probe_discs_meet(s, b);
}

static bool is_near(const double p[2])
{
    return fabs(p[0]) < FAR && fabs(p[1]) < FAR;
}

static void enclose(nav_path_box *b, const double p[2], double x, double z)
{
    const double half[2] = {x, z};
    for (int a = 0; a < 2; a++) {
        b->min[a] = fmin(b->min[a], p[a] - half[a]);
        b->max[a] = fmax(b->max[a], p[a] + half[a]);
    }
}

// False: no tile is anywhere near it.
static bool bounds_of(const nd_probe_shape *s, nav_path_box *out)
{
    *out = (nav_path_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    for (int i = 0; i < 2; i++)
        if (is_near(s->disc[i])) enclose(out, s->disc[i], s->radius[i], s->radius[i]);
    if (s->sum >= 0 && is_near(s->focus[0]) && is_near(s->focus[1])) {
        double x = s->focus[1][0] - s->focus[0][0], z = s->focus[1][1] - s->focus[0][1];
        double middle[2] = {s->focus[0][0] + x / 2, s->focus[0][1] + z / 2};
        double sum = fmax(s->sum, hypot(x, z)), short_axis = sum * sum - x * x - z * z;
        // The half extents of an ellipse whose long half axis, sum / 2, points along x z.
        enclose(out, middle, sqrt(x * x + fmax(short_axis, 0)) / 2, sqrt(z * z + fmax(short_axis, 0)) / 2);
    }
    for (int a = 0; a < 2; a++) {
        out->min[a] = fmax(out->min[a], -FAR);
        out->max[a] = fmin(out->max[a], FAR);
    }
    return out->min[0] <= out->max[0] && out->min[1] <= out->max[1];
}

static uint64_t hash_of(uint32_t grid, int32_t x, int32_t z)
{
    return nd_hash_tile(grid, x, z);
}

static cell *find(const nd_probe_index *x, uint32_t grid, int32_t cx, int32_t cz)
{
    for (nd_node *n = nd_table_first(&x->cells, hash_of(grid, cx, cz)); n; n = nd_table_next(n)) {
        cell *c = ND_HOLDER(n, cell, node);
        if (c->grid == grid && c->x == cx && c->z == cz) return c;
    }
    return NULL;
}

static cell *make(nd_probe_index *x, uint32_t grid, int32_t cx, int32_t cz)
{
    cell *c = find(x, grid, cx, cz);
    if (c) return c;
    if (nd_table_reserve(&x->cells, 1) != NAV_OK || !(c = calloc(1, sizeof *c))) return NULL;
    c->grid = grid;
    c->x = cx;
    c->z = cz;
    nd_table_insert(&x->cells, &c->node, hash_of(grid, cx, cz));
    x->in_grid[grid]++;
    x->bytes += sizeof *c;
    return c;
}

static void drop_if_empty(nd_probe_index *x, cell *c)
{
    if (c->first) return;
    nd_table_remove(&x->cells, &c->node);
    x->in_grid[c->grid]--;
    x->bytes -= sizeof *c;
    free(c);
}

void nd_probe_index_deinit(nd_probe_index *x)
{
    nd_table_deinit(&x->cells);
}

void nd_probe_index_remove(nd_probe_index *x, nd_probe_place *place)
{
    for (uint32_t i = 0; i < place->entry_count; i++) {
        nd_probe_entry *e = &place->entries[i];
        *e->at = e->next;
        if (e->next) e->next->at = e->at;
        drop_if_empty(x, e->cell);
    }
    x->bytes -= place->entry_count * sizeof *place->entries;
    free(place->entries);
    place->entries = NULL;
    place->entry_count = 0;
}

static bool add(nd_probe_index *x, nd_probe_place *place, uint32_t grid, int32_t cx, int32_t cz)
{
    cell *c = make(x, grid, cx, cz);
    if (!c) return false;
    nd_probe_entry *e = &place->entries[place->entry_count++];
    *e = (nd_probe_entry){.next = c->first, .at = &c->first, .cell = c, .place = place};
    if (c->first) c->first->at = &e->next;
    c->first = e;
    x->bytes += sizeof *e;
    return true;
}

nav_status nd_probe_index_put(nd_probe_index *x, nd_probe_place *place)
{
    nav_path_box all;
    uint32_t grid = 0, count = 0;
    nd_probe_index_remove(x, place);
    if (!bounds_of(&place->shape, &all)) return NAV_OK;
    while (fmax(all.max[0] - all.min[0], all.max[1] - all.min[1]) > ldexp(CELLS_ACROSS - 1, (int)grid)) grid++;
    double size = ldexp(1, (int)grid);
    int32_t range[4] = {(int32_t)floor(all.min[0] / size), (int32_t)floor(all.max[0] / size),
                        (int32_t)floor(all.min[1] / size), (int32_t)floor(all.max[1] / size)};
    count = (uint32_t)(range[1] - range[0] + 1) * (uint32_t)(range[3] - range[2] + 1);
    place->entries = malloc(count * sizeof *place->entries);
    if (!place->entries) return NAV_ERR_MEMORY;
    for (int32_t cz = range[2]; cz <= range[3]; cz++)
        for (int32_t cx = range[0]; cx <= range[1]; cx++) {
            const nav_path_box b = {{cx * size, cz * size}, {(cx + 1) * size, (cz + 1) * size}};
            if (!meets(&place->shape, &b) || add(x, place, grid, cx, cz)) continue;
            nd_probe_index_remove(x, place);
            return NAV_ERR_MEMORY;
        }
    return NAV_OK;
}

void nd_probe_index_each(const nd_probe_index *x, int32_t tile_x, int32_t tile_z,
                         void (*visit)(void *user, nd_probe_place *place), void *user)
{
    const nav_path_box b = {{tile_x, tile_z}, {tile_x + 1.0, tile_z + 1.0}};
    for (uint32_t grid = 0; grid < ND_PROBE_GRIDS; grid++) {
        double size = ldexp(1, (int)grid);
        const cell *c = NULL;
        if (x->in_grid[grid]) c = find(x, grid, (int32_t)floor(tile_x / size), (int32_t)floor(tile_z / size));
        for (const nd_probe_entry *e = c ? c->first : NULL; e; e = e->next)
            if (meets(&e->place->shape, &b)) visit(user, e->place);
    }
}
