// Height grids without triangles. Over a column the surface is lowest and highest at one of a few points:
//
//     Z+1 +----h-------+      F  its corners
//         |    |    .d |      h  where its sides cross lines of the grid
//         |    | .'    |      d  where its sides cross diagonals of cells
//         |   .s------ h      s  samples in it
//     Z   F-d'-h-------F
//         X           X+1
//
// So all sides along x, then all along z (heights_sides.c), then the samples are gone through, and a column's voxels
// are those from its lowest to its highest point: what its triangles fill together, as neighbours share their heights.
// Where that is not so, columns are left to triangles: at the edge of the grid and of holes, where ground that can be
// walked on meets other ground or another area, and where ground just reaches a voxel, which a level triangle fills and
// no slope.
//
// Triangles count what comes close to a grid line as on it. So their heights may be those of points that lie beside
// these by a little, and so are left columns whose lowest or highest point is as near to the next voxel as the slope
// around them makes of that: one in some hundreds.
#include "core/voxel/raster/heights_columns.h"
#include "core/voxel/raster/heights_sides.h"
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

// Each column is as low and as high as its sides.
static void take_sides(sheet *s, const sides *along_x, const sides *along_z)
{
    for (int32_t z = s->z0; z < s->z1; z++) {
        const size_t to = (size_t)z * (size_t)s->width, near = (size_t)z * along_x->stride,
                     far = near + along_x->stride;
        const double *low = along_z->low + (size_t)z * along_z->stride, *high = along_z->high + (low - along_z->low);
        for (int32_t x = s->x0; x < s->x1; x += F64_LANES) {
            const f64xn l = f64xn_min(f64xn_load(along_x->low + near + x), f64xn_load(along_x->low + far + x));
            const f64xn h = f64xn_max(f64xn_load(along_x->high + near + x), f64xn_load(along_x->high + far + x));
            f64xn_store(s->low + to + x, f64xn_min(l, f64xn_min(f64xn_load(low + x), f64xn_load(low + x + 1))));
            f64xn_store(s->high + to + x, f64xn_max(h, f64xn_max(f64xn_load(high + x), f64xn_load(high + x + 1))));
        }
    }
}

// in: room for a number for each line of the grid along x.
static void add_samples(sheet *s, int32_t *in)
{
    int32_t first = 0, end = s->nx;
    while (first < end && !(s->xs[first] > (double)s->x0)) first++;
    while (end > first && !(s->xs[end - 1] < (double)s->x1)) end--;
    for (int32_t i = first; i < end; i++) in[i] = (int32_t)s->xs[i];
    for (int32_t j = 0; j < s->nz; j++) {
        if (!(s->zs[j] > (double)s->z0 && s->zs[j] < (double)s->z1)) continue;
        const size_t row_z = (size_t)s->zs[j] * (size_t)s->width;
        double *low = s->low + row_z, *high = s->high + row_z;
        const double *y = s->y + (size_t)j * (size_t)s->nx;
        for (int32_t i = first; i < end; i++) {
            low[in[i]] = smaller(low[in[i]], y[i]);
            high[in[i]] = larger(high[in[i]], y[i]);
        }
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
        const bool whole =
            !memchr(s->columns + first + s->x0, SHEET_MIXED & 0xff, (size_t)(s->x1 - s->x0)) && s->uniform >= 0;
        for (int32_t x = s->x0; x < s->x1 && !whole; x++) mark[x] = s->columns[first + (size_t)x] == kind ? 1 : 0;
        for (int32_t x = s->x0; x < s->x1; x += F64_LANES) {
            const f64xn_mask there = f64xn_less(f64xn_count(), f64xn_of((double)(s->x1 - x)));
            f64xn_mask active = there;
            if (!whole) active = f64xn_both(there, f64xn_less(f64xn_of(0), f64xn_load(mark + x)));
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

// Of eight columns: have all a kind?
static inline bool none_is_left(const int8_t *columns)
{
    uint64_t kinds;
    memcpy(&kinds, columns, sizeof kinds);
    return !(kinds & UINT64_C(0x8080808080808080));
}

// The cells over columns that are left. spare: room for 4 numbers for each column of a row.
static void mark_cells(const sheet *s, int32_t *spare, uint8_t *left)
{
    const int32_t from_x = s->x0 > 0 ? s->x0 - 1 : 0, end_x = s->x1 < s->width ? s->x1 + 1 : s->width;
    const int32_t from_z = s->z0 > 0 ? s->z0 - 1 : 0, end_z = s->z1 < s->width ? s->z1 + 1 : s->width;
    int32_t *first_x = spare, *last_x = first_x + s->width, *first_z = last_x + s->width, *last_z = first_z + s->width;
    find_touching(s->xs, s->nx, from_x, end_x, first_x, last_x);
    find_touching(s->zs, s->nz, from_z, end_z, first_z, last_z);
    for (int32_t z = from_z; z < end_z; z++) {
        const int8_t *columns = s->columns + (size_t)z * (size_t)s->width;
        for (int32_t x = from_x; x < end_x; x++) {
            while (x + 8 <= end_x && none_is_left(columns + x)) x += 8;
            if (x == end_x) break;
            if (columns[x] >= 0) continue;
            for (int32_t j = first_z[z]; j <= last_z[z]; j++)
                memset(left + j * (s->nx - 1) + first_x[x], 1, (size_t)(last_x[x] - first_x[x] + 1));
        }
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
    double *spare = NAV_TAKE(arena, double, lines);
    int32_t *touching = NAV_TAKE(arena, int32_t, 4 * lines + (size_t)s.nx);
    if (status != NAV_OK || !marks || !known || !x || !z || !spare || !touching) return nav_arena_failure(arena);

    if (!nav_sheet_read(&s, pieces, count, cells, r, cfg->slope_cos * cfg->slope_cos, x, z, known)) return NAV_OK;
    s.x0 = clamp(ceil(s.xs[0]), s.width), s.x1 = clamp(floor(s.xs[s.nx - 1]), s.width);
    s.z0 = clamp(ceil(s.zs[0]), s.width), s.z1 = clamp(floor(s.zs[s.nz - 1]), s.width);
    if (s.x0 >= s.x1 || s.z0 >= s.z1) return NAV_OK;
    find_cells(s.xs, s.nx, s.x0, s.x1, s.ix, s.u);
    find_cells(s.zs, s.nz, s.z0, s.z1, s.iz, s.v);
    classify(&s);
    sides along_x, along_z;
    status = nav_sides_along_x(&s, arena, &along_x);
    if (status == NAV_OK) status = nav_sides_along_z(&s, arena, &along_z);
    if (status != NAV_OK) return status;
    take_sides(&s, &along_x, &along_z);
    add_samples(&s, touching);
    leave_doubtful(&s);
    fill_columns(r, &s, spare);
    memset(marks, 0, all);
    mark_cells(&s, touching, marks);
    *left = marks;
    return NAV_OK;
}
