// Height grids without triangles. Over a column the surface is lowest and highest at one of a few points:
//
//     Z+1 +----h-------+      F  its corners
//         |    |    .d |      h  where its sides cross lines of the grid
//         |    | .'    |      d  where its sides cross diagonals of cells
//         |   .s------ h      s  samples in it
//     Z   F-d'-h-------F
//         X           X+1
//
// So all sides along x, then all along z, then the samples are gone through, each for a row of columns at a time, and a
// column's voxels are those from its lowest to its highest point: what its triangles fill together, as neighbours share
// their heights. Where that is not so, columns are left to triangles: at the edge of the grid and of holes, where
// ground that can be walked on meets other ground or another area, and where ground just reaches a voxel, which a level
// triangle fills and no slope.
//
// Triangles count what comes close to a grid line as on it. So their heights may be those of points that lie beside
// these by a little, and so are left columns whose lowest or highest point is as near to the next voxel as the slope
// around them makes of that: one in some hundreds.
#include "core/voxel/raster/heights_columns.h"
#include "core/voxel/raster/triangle_bits.h"

#include <math.h>
#include <string.h>

// How far a point may be beside another one that triangles take for it, along x and along z: SLACK, and the rounding.
static const double ASIDE = 1.2e-4;

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

// Lines first to last of the field, all within the grid's.
static void find_cells(const double *at, int32_t count, int32_t first, int32_t last, int32_t *in, double *part)
{
    int32_t i = 0;
    for (int32_t x = first; x <= last; x++) {
        while (i + 2 < count && at[i + 1] < (double)x) i++;
        in[x] = i;
        part[x] = ((double)x - at[i]) / (at[i + 1] - at[i]);
    }
}

// --- classes of columns ---

static int32_t clamp(double v, int32_t most)
{
    return v < 0 ? 0 : v > (double)most ? most : (int32_t)v;
}

static void classify_cell(sheet *s, int32_t i, int32_t j, int8_t kind)
{
    const int32_t end_x = clamp(ceil(s->xs[i + 1]), s->width), end_z = clamp(ceil(s->zs[j + 1]), s->width);
    for (int32_t z = clamp(floor(s->zs[j]), s->width); z < end_z; z++)
        for (int32_t x = clamp(floor(s->xs[i]), s->width); x < end_x; x++) {
            int8_t *c = &s->columns[z * s->width + x];
            if (*c == SHEET_UNSET) *c = kind;
            if (*c == kind && kind != SHEET_MIXED) continue;
            *c = SHEET_MIXED;
        }
}

// Only the columns that the piece covers, at least in part, have a kind.
static void classify(sheet *s)
{
    const int32_t across = s->nx - 1, count = across * (s->nz - 1);
    const int32_t from_x = s->x0 > 0 ? s->x0 - 1 : 0, end_x = s->x1 < s->width ? s->x1 + 1 : s->width;
    const int32_t from_z = s->z0 > 0 ? s->z0 - 1 : 0, end_z = s->z1 < s->width ? s->z1 + 1 : s->width;
    int32_t k = 1;
    while (k < count && s->cells[k] == s->cells[0]) k++;
    const bool uniform = k == count && s->cells[0] != SHEET_MIXED;
    s->uniform = uniform ? s->cells[0] : SHEET_UNSET;
    for (int32_t z = from_z; z < end_z; z++)
        memset(s->columns + z * s->width + from_x, uniform ? s->cells[0] : SHEET_UNSET, (size_t)(end_x - from_x));
    for (k = 0; k < count && !uniform; k++) classify_cell(s, k % across, k / across, s->cells[k]);
    for (int32_t z = from_z; z < end_z; z++) { // those that it covers in part
        int8_t *columns = s->columns + z * s->width;
        if (z < s->z0 || z >= s->z1) memset(columns + from_x, SHEET_MIXED, (size_t)(end_x - from_x));
        if (from_x < s->x0) columns[from_x] = SHEET_MIXED;
        if (end_x > s->x1) columns[end_x - 1] = SHEET_MIXED;
    }
}

// --- heights of columns ---

static inline void add_point(sheet *s, int32_t x, int32_t z, double y)
{
    const size_t at = (size_t)z * (size_t)s->width + (size_t)x;
    s->low[at] = smaller(s->low[at], y);
    s->high[at] = larger(s->high[at], y);
}

// A row of sides along x, at the field's line Z: into the rows of columns below and above it.
static void add_sides_along_x(sheet *s, int32_t line_z, double *low, double *high)
{
    const int32_t j = s->iz[line_z], nx = s->nx;
    const double t = s->v[line_z], *a = s->y + (size_t)j * (size_t)nx, *b = a + nx;
    const double *slant = s->slant + (size_t)j * (size_t)(nx - 1);
    double *line = s->line, *first = s->rise, *second = s->rise2; // slopes before the diagonal and behind it
    for (int32_t i = 0; i < nx; i++) line[i] = a[i] + t * (b[i] - a[i]);
    for (int32_t i = 0; i + 1 < nx; i++) {
        const double lower = a[i + 1] - a[i], upper = b[i + 1] - b[i];
        first[i] = slant[i] > 0 ? upper : lower;
        second[i] = slant[i] > 0 ? lower : upper;
    }
    double before = 0;
    for (int32_t x = s->x0; x <= s->x1; x++) {
        const int32_t i = s->ix[x];
        const double u = s->u[x], diagonal = slant[i] > 0 ? t : 1 - t;
        const double y = u <= diagonal ? line[i] + u * first[i] : line[i + 1] - (1 - u) * second[i];
        if (x > s->x0) low[x - 1] = smaller(before, y), high[x - 1] = larger(before, y);
        before = y;
    }
    for (int32_t i = 0; i < nx; i++) {
        const double at = s->xs[i];
        if (!(at > (double)s->x0 && at < (double)s->x1)) continue;
        const int32_t x = (int32_t)at;
        low[x] = smaller(low[x], line[i]);
        high[x] = larger(high[x], line[i]);
    }
    for (int32_t i = 0; i + 1 < nx; i++) {
        const double u = slant[i] > 0 ? t : 1 - t, at = s->xs[i] + u * (s->xs[i + 1] - s->xs[i]);
        if (!(at > (double)s->x0 && at < (double)s->x1)) continue;
        const int32_t x = (int32_t)at;
        const double y = line[i] + u * first[i];
        low[x] = smaller(low[x], y);
        high[x] = larger(high[x], y);
    }
}

static void add_all_along_x(sheet *s, double *low, double *high)
{
    for (int32_t z = s->z0; z <= s->z1; z++) {
        add_sides_along_x(s, z, low, high);
        for (int32_t k = -1; k <= 0; k++) {
            if (z + k < s->z0 || z + k >= s->z1) continue;
            double *l = s->low + (size_t)(z + k) * (size_t)s->width, *h = s->high + (size_t)(z + k) * (size_t)s->width;
            for (int32_t x = s->x0; x < s->x1; x++) {
                l[x] = smaller(l[x], low[x]);
                h[x] = larger(h[x], high[x]);
            }
        }
    }
}

// What is at lines X of the field between its corners: into the columns on both sides.
static void add_all_along_z(sheet *s, double *at_line)
{
    const int32_t nx = s->nx;
    for (int32_t j = 0; j < s->nz; j++) {
        const double *a = s->y + (size_t)j * (size_t)nx;
        if (!(s->zs[j] > (double)s->z0 && s->zs[j] < (double)s->z1)) continue;
        const int32_t z = (int32_t)s->zs[j];
        double *l = s->low + (size_t)z * (size_t)s->width, *h = s->high + (size_t)z * (size_t)s->width;
        for (int32_t x = s->x0; x <= s->x1; x++) {
            const int32_t i = s->ix[x];
            at_line[x] = a[i] + s->u[x] * (a[i + 1] - a[i]);
        }
        for (int32_t x = s->x0; x < s->x1; x++) {
            l[x] = smaller(l[x], smaller(at_line[x], at_line[x + 1]));
            h[x] = larger(h[x], larger(at_line[x], at_line[x + 1]));
        }
    }
    for (int32_t j = 0; j + 1 < s->nz; j++) {
        const double *a = s->y + (size_t)j * (size_t)nx, *b = a + nx, dz = s->zs[j + 1] - s->zs[j];
        const double *slant = s->slant + (size_t)j * (size_t)(nx - 1);
        for (int32_t x = s->x0; x <= s->x1; x++) {
            const int32_t i = s->ix[x];
            const bool forward = slant[i] > 0;
            const double u = s->u[x], t = forward ? u : 1 - u, at = s->zs[j] + t * dz;
            if (!(at > (double)s->z0 && at < (double)s->z1)) continue;
            const double from = forward ? a[i] : a[i + 1], to = forward ? b[i + 1] : b[i], y = from + t * (to - from);
            const int32_t z = (int32_t)at;
            if (x > s->x0) add_point(s, x - 1, z, y);
            if (x < s->x1) add_point(s, x, z, y);
        }
    }
}

static void add_samples(sheet *s)
{
    for (int32_t j = 0; j < s->nz; j++) {
        if (!(s->zs[j] > (double)s->z0 && s->zs[j] < (double)s->z1)) continue;
        for (int32_t i = 0; i < s->nx; i++)
            if (s->xs[i] > (double)s->x0 && s->xs[i] < (double)s->x1)
                add_point(s, (int32_t)s->xs[i], (int32_t)s->zs[j], s->y[(size_t)j * (size_t)s->nx + (size_t)i]);
    }
}

// --- voxels ---

// Columns whose voxels depend on more than the heights tell; see above.
static void leave_doubtful(sheet *s)
{
    int32_t j = 0;
    for (int32_t z = s->z0; z < s->z1; z++) {
        const double *low = s->low + (size_t)z * (size_t)s->width, *high = s->high + (size_t)z * (size_t)s->width;
        double steep = 0;
        while (j > 0 && s->zs[j] > (double)z - 1) j--; // and the rows beside it
        for (; j + 1 < s->nz && s->zs[j] < (double)z + 2; j++) steep = larger(steep, s->steep[j]);
        const double doubt = ASIDE * steep;
        const f64xn half = f64xn_of(0.5), slack = f64xn_of(SLACK), doubts = f64xn_of(doubt), zero = f64xn_of(0);
        for (int32_t x = s->x0; x < s->x1; x += F64_LANES) {
            const f64xn h = f64xn_load(high + x), l = f64xn_load(low + x), next = f64xn_floor(f64xn_add(h, half));
            const f64xn above = f64xn_sub(h, next), below = f64xn_add(l, slack);
            const f64xn off = f64xn_sub(below, f64xn_floor(f64xn_add(below, half)));
            const f64xn_mask reaches =
                f64xn_at_most(f64xn_max(above, f64xn_sub(zero, above)), f64xn_add(slack, doubts));
            const f64xn_mask lower = f64xn_less(l, f64xn_add(f64xn_sub(next, slack), doubts));
            const f64xn_mask at_bottom = f64xn_less(f64xn_max(off, f64xn_sub(zero, off)), doubts);
            unsigned todo = f64xn_bits(f64xn_either(f64xn_both(reaches, lower), at_bottom));
            for (; todo; todo &= todo - 1) {
                const int32_t at = x + __builtin_ctz(todo);
                if (at < s->x1) s->columns[z * s->width + at] = SHEET_MIXED;
            }
        }
    }
}

static void fill_class(raster *r, const sheet *s, int8_t kind, double *mark)
{
    set_area(r, (uint8_t)kind);
    const bit_target to = bits_between(r, r->tops, floor_to_int(s->least + SLACK), floor_to_int(s->most + SLACK));
    const bool one_word = NAV_SIMD_BYTES >= 32 && to.word_vx == 64;
    for (int32_t z = s->z0; z < s->z1; z++) {
        const size_t first = (size_t)z * (size_t)s->width;
        for (int32_t x = s->x0; x < s->x1; x++) mark[x] = s->columns[first + (size_t)x] == kind ? 1 : 0;
        for (int32_t x = s->x0; x < s->x1; x += F64_LANES) {
            const f64xn_mask there = f64xn_less(f64xn_count(), f64xn_of((double)(s->x1 - x)));
            const f64xn_mask active = f64xn_both(there, f64xn_less(f64xn_of(0), f64xn_load(mark + x)));
            if (!f64xn_bits(active)) continue;
            range h = {f64xn_load(s->low + first + x), f64xn_load(s->high + first + x)};
            h.low = f64xn_select(active, h.low, f64xn_of(s->least)); // what is not active must be a number of the range
            h.high = f64xn_select(active, h.high, f64xn_of(s->least));
            r->bits.fragment_count += F64_LANES;
            if (one_word)
                emit_heights(r, &to, (int32_t)first + x, h, active, true);
            else
                emit_heights(r, &to, (int32_t)first + x, h, active, false);
        }
    }
}

static void fill_columns(raster *r, const sheet *s, double *mark)
{
    uint64_t classes = 0;
    if (s->uniform >= 0) {
        fill_class(r, s, s->uniform, mark);
        return;
    }
    for (int32_t z = s->z0; z < s->z1; z++)
        for (int32_t x = s->x0; x < s->x1; x++) {
            const int8_t kind = s->columns[z * s->width + x];
            if (kind >= 0) classes |= UINT64_C(1) << kind;
        }
    for (; classes; classes &= classes - 1) fill_class(r, s, (int8_t)__builtin_ctzll(classes), mark);
}

// By column x of the field: the first and the last cell that is over it, or so near that a triangle of it counts there.
static void find_touching(const double *at, int32_t count, int32_t from, int32_t end, int32_t *first, int32_t *last)
{
    int32_t a = 0, b = 0;
    for (int32_t x = from; x < end; x++) {
        while (a + 2 < count && at[a + 1] < (double)x - SLACK) a++;
        while (b + 2 < count && at[b + 1] <= (double)(x + 1) + SLACK) b++;
        first[x] = a;
        last[x] = b;
    }
}

// The cells over columns that are left. spare: room for 4 numbers for each column of a row.
static void mark_cells(const sheet *s, int32_t *spare, uint8_t *left)
{
    const int32_t from_x = s->x0 > 0 ? s->x0 - 1 : 0, end_x = s->x1 < s->width ? s->x1 + 1 : s->width;
    const int32_t from_z = s->z0 > 0 ? s->z0 - 1 : 0, end_z = s->z1 < s->width ? s->z1 + 1 : s->width;
    int32_t *first_x = spare, *last_x = first_x + s->width, *first_z = last_x + s->width, *last_z = first_z + s->width;
    find_touching(s->xs, s->nx, from_x, end_x, first_x, last_x);
    find_touching(s->zs, s->nz, from_z, end_z, first_z, last_z);
    for (int32_t z = from_z; z < end_z; z++)
        for (int32_t x = from_x; x < end_x; x++) {
            if (s->columns[z * s->width + x] >= 0) continue;
            for (int32_t j = first_z[z]; j <= last_z[z]; j++)
                memset(left + j * (s->nx - 1) + first_x[x], 1, (size_t)(last_x[x] - first_x[x] + 1));
        }
}

nav_status nav_heights_fill_columns(raster *r, const nav_height_piece *pieces, uint32_t count, const sheet_cells *cells,
                                    const nav_config *cfg, nav_arena *arena, const uint8_t **left)
{
    const size_t all = (size_t)cells->columns * (size_t)cells->rows, lines = (size_t)r->width + 1 + SHEET_BEYOND;
    sheet s;
    *left = NULL;
    nav_status status = nav_sheet_init(&s, cells, r->width, arena);
    uint8_t *marks = NAV_TAKE(arena, uint8_t, all), *known = NAV_TAKE(arena, uint8_t, (size_t)s.nx * (size_t)s.nz);
    float *x = NAV_TAKE(arena, float, s.nx), *z = NAV_TAKE(arena, float, s.nz);
    double *spare = NAV_TAKE(arena, double, 3 * lines);
    int32_t *touching = NAV_TAKE(arena, int32_t, 4 * lines);
    if (status != NAV_OK || !marks || !known || !x || !z || !spare || !touching) return nav_arena_failure(arena);

    if (!nav_sheet_read(&s, pieces, count, cells, r, cfg->slope_cos * cfg->slope_cos, x, z, known)) return NAV_OK;
    s.x0 = clamp(ceil(s.xs[0]), s.width), s.x1 = clamp(floor(s.xs[s.nx - 1]), s.width);
    s.z0 = clamp(ceil(s.zs[0]), s.width), s.z1 = clamp(floor(s.zs[s.nz - 1]), s.width);
    if (s.x0 >= s.x1 || s.z0 >= s.z1) return NAV_OK;
    find_cells(s.xs, s.nx, s.x0, s.x1, s.ix, s.u);
    find_cells(s.zs, s.nz, s.z0, s.z1, s.iz, s.v);
    classify(&s);
    for (int32_t row_z = s.z0; row_z < s.z1; row_z++)
        for (int32_t k = row_z * s.width + s.x0; k < row_z * s.width + s.x1; k++)
            s.low[k] = BEYOND, s.high[k] = -BEYOND;
    add_all_along_x(&s, spare, spare + lines);
    add_all_along_z(&s, spare + 2 * lines);
    add_samples(&s);
    leave_doubtful(&s);
    fill_columns(r, &s, spare);
    memset(marks, 0, all);
    mark_cells(&s, touching, marks);
    *left = marks;
    return NAV_OK;
}
