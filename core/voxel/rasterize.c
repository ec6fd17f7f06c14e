// From triangles to the solid field: each triangle is walked row by row and leaves a fragment over every cell that it
// covers; then the fragments of each column are joined.
#include "core/voxel/raster.h"
#include "core/voxel/triangle.h"

#include <math.h>

// A corner just below a grid line is moved onto it.
static inline point make_corner(double x, double y, double z)
{
    int32_t cell = cell_of(x);
    return (point){max2(x, (double)cell), y, z, cell};
}

static inline bool is_below(const point *a, const point *b)
{
    return a->z < b->z || (a->z == b->z && (a->x < b->x || (a->x == b->x && a->y < b->y)));
}

static inline void order(const point **a, const point **b)
{
    if (is_below(*a, *b)) return;
    const point *t = *a;
    *a = *b;
    *b = t;
}

// What the walks need to know of a triangle; false where nothing is left to walk.
static bool prepare(raster *r, const point corners[3], triangle *t)
{
    const point *a = &corners[0], *b = &corners[1], *c = &corners[2];
    double least_x = min2(min2(a->x, b->x), c->x), most_x = max2(max2(a->x, b->x), c->x);
    if (most_x < (double)r->first_x || least_x > (double)(r->first_x + r->width)) return false;
    double least_z = min2(min2(a->z, b->z), c->z), most_z = max2(max2(a->z, b->z), c->z);
    t->bottom_row = cell_of(least_z);
    t->top_row = ceil_to_int(most_z - SLACK) - 1;
    if (t->top_row < t->bottom_row) t->top_row = t->bottom_row;
    t->first = t->bottom_row > r->first_z ? t->bottom_row : r->first_z;
    t->last = t->top_row < r->first_z + r->width ? t->top_row : r->first_z + r->width - 1;
    if (t->first > t->last) return false;
    t->lowest = min2(min2(a->y, b->y), c->y);
    t->highest = max2(max2(a->y, b->y), c->y);
    int32_t left = cell_of(least_x) - r->first_x, right = ceil_to_int(most_x - SLACK) - 1 - r->first_x;
    if (t->bottom_row == t->top_row && right <= left) { // many are smaller than a cell
        int32_t z = t->bottom_row - r->first_z;
        if (left >= 0 && left < r->width) emit(r, z * r->width + left, 1, t->lowest, t->highest);
        return false;
    }
    right = right > left ? right : left;
    t->left = left > 0 ? left : 0;
    t->right = right < r->width ? right : r->width - 1;
    // Sorted, not in the order given: two triangles compute a shared edge alike.
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    t->a = a, t->b = b, t->c = c;
    return t->left <= t->right;
}

// A triangle that stands on a grid line belongs to the cell behind it, on the side of the matter: so a box from line to
// line fills the cells between them and no more. It is moved to the middle of that cell; its heights stay what they
// are.
static void settle(point p[3])
{
    double least_x = min2(min2(p[0].x, p[1].x), p[2].x), most_x = max2(max2(p[0].x, p[1].x), p[2].x);
    double least_z = min2(min2(p[0].z, p[1].z), p[2].z), most_z = max2(max2(p[0].z, p[1].z), p[2].z);
    bool thin_x = most_x - least_x < 2 * SLACK, thin_z = most_z - least_z < 2 * SLACK;
    if (!thin_x && !thin_z) return;
    double uy = p[1].y - p[0].y, wy = p[2].y - p[0].y;
    if (thin_x) {
        int32_t line = floor_to_int(most_x + SLACK);
        double normal_x = uy * (p[2].z - p[0].z) - (p[1].z - p[0].z) * wy;
        if (least_x > (double)line - SLACK && most_x < (double)line + SLACK)
            for (int c = 0; c < 3; c++) p[c] = make_corner((double)line + (normal_x > 0 ? -0.5 : 0.5), p[c].y, p[c].z);
    }
    if (thin_z) {
        int32_t line = floor_to_int(most_z + SLACK);
        double normal_z = (p[1].x - p[0].x) * wy - uy * (p[2].x - p[0].x);
        if (least_z > (double)line - SLACK && most_z < (double)line + SLACK)
            for (int c = 0; c < 3; c++) p[c].z = (double)line + (normal_z > 0 ? -0.5 : 0.5);
    }
}

// Bit columns where the heights and area types of the triangles fit them.
static nav_status choose_form(raster *r, const nav_triangles *tris, const nav_config *cfg, unsigned ways,
                              nav_arena *arena)
{
    float least = INFINITY, most = -INFINITY;
    uint64_t areas = 0;
    for (uint32_t t = 0; t < tris->count; t++) {
        const float *v = tris->verts + 9 * (size_t)t;
        for (int c = 0; c < 3; c++) {
            least = v[3 * c + 1] < least ? v[3 * c + 1] : least;
            most = v[3 * c + 1] > most ? v[3 * c + 1] : most;
        }
        areas |= UINT64_C(1) << tris->areas[t];
    }
    areas &= ~(UINT64_C(1) << NAV_AREA_NONE);
    double inv_level = 1.0 / cfg->level_m;
    int32_t bottom = tris->count ? floor_to_int(((double)least - cfg->origin_m[1]) * inv_level + SLACK) : 0;
    int32_t top = tris->count ? floor_to_int(((double)most - cfg->origin_m[1]) * inv_level + SLACK) + 1 : 0;
    r->in_bits = (ways & NAV_RASTER_BITS) && nav_bit_columns_fit(bottom, top, areas);
    return r->in_bits ? nav_bit_columns_init(&r->bits, cfg->width, bottom, top, areas, arena)
                      : nav_fragments_init(&r->fragments, cfg->width, arena);
}

// The scratch of both walks.
static nav_status take_rows(raster *r, nav_arena *arena)
{
    // The lanes of the last cells reach beyond the row.
    size_t cells = (size_t)r->width + 1, lines = (size_t)r->width + 2 + 8;
    grid_lines *g = &r->lines;
    double **of_cells[] = {&r->here.low, &r->here.high, &r->above.low, &r->above.high};
    double **of_lines[] = {&g->from_x, &g->to_x,     &g->from_cell, &g->to_cell, &g->from_y, &g->to_y,
                           &g->rise,   &g->side_low, &g->side_high, &g->least,   &g->most,   &g->plane};
    for (size_t k = 0; k < sizeof of_cells / sizeof *of_cells; k++) {
        double *cell = *of_cells[k] = NAV_TAKE(arena, double, cells);
        if (!cell) return nav_arena_failure(arena);
        for (size_t c = 0; c < cells; c++) cell[c] = k % 2 == 0 ? NOTHING_LOW : NOTHING_HIGH;
    }
    for (size_t k = 0; k < sizeof of_lines / sizeof *of_lines; k++) {
        *of_lines[k] = NAV_TAKE_ZERO(arena, double, lines);
        if (!*of_lines[k]) return nav_arena_failure(arena);
    }
    g->first = NAV_TAKE(arena, int32_t, lines);
    g->last = NAV_TAKE(arena, int32_t, lines);
    return g->first && g->last ? NAV_OK : nav_arena_failure(arena);
}

// Heights worked out from the triangle's plane are right within 1e-9 levels where the triangle is not too thin for its
// height, and where it is upright. (A rounding error of 2^-53 grows by the factor below.)
static bool is_tame(const triangle *t)
{
    const point *a = t->a, *b = t->b, *c = t->c;
    double n = (b->x - a->x) * (c->z - a->z) - (b->z - a->z) * (c->x - a->x);
    double width = max2(max2(a->x, b->x), c->x) - min2(min2(a->x, b->x), c->x);
    double bulk = width * (c->z - a->z) * (t->highest - t->lowest);
    return bulk <= (double)(1 << 20) * (n < 0 ? -n : n) || (!(n < 0) && !(n > 0));
}

typedef void walk(raster *, const triangle *);

static walk *choose_walk(unsigned ways)
{
#ifdef __x86_64__
    if ((ways & NAV_RASTER_LANES_4) && __builtin_cpu_supports("avx2")) return nav_triangle_by_lanes_4;
    if (ways & (NAV_RASTER_LANES_2 | NAV_RASTER_LANES_4)) return nav_triangle_by_lanes_2;
#endif
    return ways & (NAV_RASTER_LANES_1 | NAV_RASTER_LANES_2 | NAV_RASTER_LANES_4) ? nav_triangle_by_lanes_1 : NULL;
}

nav_status nav_solid_field_build_by(unsigned ways, const nav_triangles *tris, const nav_config *cfg, nav_arena *arena,
                                    nav_solid_field *out)
{
    *out = (nav_solid_field){.width = cfg->width};
    raster r = {
        .width = cfg->width,
        .first_x = (int32_t)cfg->first_cell_x,
        .first_z = (int32_t)cfg->first_cell_z,
    };
    nav_status status = choose_form(&r, tris, cfg, ways, arena);
    if (status != NAV_OK) return status;
    status = take_rows(&r, arena);
    if (status != NAV_OK) return status;

    walk *by_lanes = choose_walk(ways);
    double inv_cell = 1.0 / cfg->cell_m, inv_level = 1.0 / cfg->level_m;
    for (uint32_t i = 0; i < tris->count && r.fragments.status == NAV_OK; i++) {
        const float *v = tris->verts + 9 * (size_t)i;
        point p[3];
        for (int c = 0; c < 3; c++)
            p[c] = make_corner(((double)v[3 * c] - cfg->origin_m[0]) * inv_cell,
                               ((double)v[3 * c + 1] - cfg->origin_m[1]) * inv_level,
                               ((double)v[3 * c + 2] - cfg->origin_m[2]) * inv_cell);
        settle(p);
        r.area = tris->areas[i];
        r.tops = r.in_bits ? r.bits.area_tops[r.area] : NULL;
        triangle t;
        if (!prepare(&r, p, &t)) continue;
        if (by_lanes && is_tame(&t))
            by_lanes(&r, &t);
        else
            nav_triangle_by_edges(&r, &t);
    }
    return r.in_bits ? nav_bit_columns_read(&r.bits, cfg->climb_vx, cfg->height_vx, arena, out)
                     : nav_fragments_join(&r.fragments, cfg->climb_vx, out);
}

nav_status nav_solid_field_build(const nav_triangles *tris, const nav_config *cfg, nav_arena *arena,
                                 nav_solid_field *out)
{
    return nav_solid_field_build_by(NAV_RASTER_BITS | NAV_RASTER_LANES_4, tris, cfg, arena, out);
}
