#include "core/voxel/raster/triangle_block.h"

#include <string.h>

typedef struct corner {
    f64xn x, y, z;
} corner;

static inline f64xn least_of(f64xn a, f64xn b, f64xn c)
{
    return f64xn_min(f64xn_min(a, b), c);
}

static inline f64xn most_of(f64xn a, f64xn b, f64xn c)
{
    return f64xn_max(f64xn_max(a, b), c);
}

static inline f64xn whole_of(f64xn v)
{
    return f64xn_floor(f64xn_add(v, f64xn_of(SLACK)));
}

// The last column up to v, less one column: columns are [n, n + 1).
static inline f64xn last_whole_of(f64xn v)
{
    return f64xn_sub(f64xn_ceil(f64xn_sub(v, f64xn_of(SLACK))), f64xn_of(1));
}

// 0 where the divisor is 0.
static inline f64xn ratio(f64xn a, f64xn b)
{
    f64xn zero = f64xn_of(0);
    return f64xn_select(f64xn_equal(b, zero), zero, f64xn_div(a, f64xn_select(f64xn_equal(b, zero), f64xn_of(1), b)));
}

static inline f64xn cross(f64xn ux, f64xn uz, f64xn wx, f64xn wz)
{
    return f64xn_sub(f64xn_mul(ux, wz), f64xn_mul(uz, wx));
}

// Where the triangles are thin and stand on a grid line, for coordinates from `least` to `most`.
static inline f64xn_mask stand_on_line(f64xn least, f64xn most)
{
    f64xn slack = f64xn_of(SLACK), line = f64xn_floor(f64xn_add(most, slack));
    return f64xn_both(f64xn_less(f64xn_sub(most, least), f64xn_of(2 * SLACK)),
                      f64xn_both(f64xn_less(f64xn_sub(line, slack), least), f64xn_less(most, f64xn_add(line, slack))));
}

// The middle of the column behind that line.
static inline f64xn behind_line(f64xn most, f64xn normal)
{
    f64xn half = f64xn_of(0.5), line = f64xn_floor(f64xn_add(most, f64xn_of(SLACK)));
    f64xn_mask faces_up = f64xn_less(f64xn_of(0), normal);
    return f64xn_add(line, f64xn_select(faces_up, f64xn_sub(f64xn_of(0), half), half));
}

// See the plain twin.
static inline void settle(corner p[3])
{
    f64xn least_x = least_of(p[0].x, p[1].x, p[2].x), most_x = most_of(p[0].x, p[1].x, p[2].x);
    f64xn least_z = least_of(p[0].z, p[1].z, p[2].z), most_z = most_of(p[0].z, p[1].z, p[2].z);
    f64xn_mask on_x = stand_on_line(least_x, most_x), on_z = stand_on_line(least_z, most_z);
    if (!f64xn_bits(f64xn_either(on_x, on_z))) return;
    f64xn uy = f64xn_sub(p[1].y, p[0].y), wy = f64xn_sub(p[2].y, p[0].y);
    f64xn x = behind_line(most_x, cross(uy, f64xn_sub(p[1].z, p[0].z), wy, f64xn_sub(p[2].z, p[0].z)));
    for (int c = 0; c < 3; c++) p[c].x = f64xn_select(on_x, x, p[c].x);
    f64xn z = behind_line(most_z, cross(f64xn_sub(p[1].x, p[0].x), uy, f64xn_sub(p[2].x, p[0].x), wy));
    for (int c = 0; c < 3; c++) p[c].z = f64xn_select(on_z, z, p[c].z);
}

static inline void swap_where(f64xn_mask m, f64xn *a, f64xn *b)
{
    f64xn t = *a;
    *a = f64xn_select(m, *b, *a);
    *b = f64xn_select(m, t, *b);
}

static inline void sort_by_z(corner *a, corner *b)
{
    f64xn_mask m = f64xn_less(b->z, a->z);
    swap_where(m, &a->x, &b->x);
    swap_where(m, &a->y, &b->y);
    swap_where(m, &a->z, &b->z);
}

static inline void sort_by_x(corner *a, corner *b)
{
    f64xn_mask m = f64xn_less(b->x, a->x);
    swap_where(m, &a->x, &b->x);
    swap_where(m, &a->y, &b->y);
}

// Where the triangle lies, as far as its kind and its walk depend on it.
typedef struct bounds {
    f64xn least_x, most_x, lowest, highest;
    f64xn column, last_column, row, last_row; // that it covers
    f64xn left, right, first, last;           // those of them inside of the field; the columns are the field's
    f64xn low_vx, end_vx;
} bounds;

static inline bounds bounds_of(const raster *r, const corner p[3])
{
    bounds b;
    b.least_x = least_of(p[0].x, p[1].x, p[2].x), b.most_x = most_of(p[0].x, p[1].x, p[2].x);
    b.lowest = least_of(p[0].y, p[1].y, p[2].y), b.highest = most_of(p[0].y, p[1].y, p[2].y);
    b.column = whole_of(b.least_x), b.last_column = f64xn_max(last_whole_of(b.most_x), b.column);
    b.row = whole_of(least_of(p[0].z, p[1].z, p[2].z));
    b.last_row = f64xn_max(last_whole_of(most_of(p[0].z, p[1].z, p[2].z)), b.row);
    f64xn first_x = f64xn_of((double)r->first_x), first_z = f64xn_of((double)r->first_z);
    f64xn last = f64xn_of((double)(r->width - 1));
    b.left = f64xn_max(f64xn_sub(b.column, first_x), f64xn_of(0));
    b.right = f64xn_min(f64xn_sub(b.last_column, first_x), last);
    b.first = f64xn_max(b.row, first_z);
    b.last = f64xn_min(b.last_row, f64xn_add(first_z, last));
    b.low_vx = whole_of(b.lowest);
    b.end_vx = whole_of(b.highest);
    return b;
}

static inline f64xn high_vx_of(const bounds *b)
{
    return f64xn_max(last_whole_of(b->highest), b->low_vx);
}

// Those of at most so many columns and rows, all of them inside of the field.
static inline f64xn_mask are_within(const raster *r, const bounds *b, int columns, int rows)
{
    f64xn first_x = f64xn_of((double)r->first_x);
    f64xn_mask inside = f64xn_both(f64xn_both(f64xn_equal(f64xn_sub(b->column, first_x), b->left),
                                              f64xn_equal(f64xn_sub(b->last_column, first_x), b->right)),
                                   f64xn_both(f64xn_equal(b->row, b->first), f64xn_equal(b->last_row, b->last)));
    f64xn tip = whole_of(b->most_x); // may be a column further (walk_blocks() in triangle_lanes.c)
    return f64xn_both(inside, f64xn_both(f64xn_at_most(f64xn_sub(tip, b->column), f64xn_of(columns - 1)),
                                         f64xn_at_most(f64xn_sub(b->last, b->first), f64xn_of(rows - 1))));
}

static inline f64xn_mask fill_one_word(const raster *r, const bounds *b)
{
    f64xn base = f64xn_of((double)r->bits.base), word = f64xn_of(1.0 / 64);
    return f64xn_equal(f64xn_floor(f64xn_mul(f64xn_sub(b->low_vx, base), word)),
                       f64xn_floor(f64xn_mul(f64xn_sub(b->end_vx, base), word)));
}

static inline void find_kinds(triangle_batch *t, const raster *r, const corner p[3], unsigned there)
{
    bounds b = bounds_of(r, p);
    unsigned left = there & f64xn_bits(f64xn_both(f64xn_at_most(b.first, b.last), f64xn_at_most(b.left, b.right)));
    unsigned one_column = f64xn_bits(f64xn_equal(b.column, b.last_column)), one_word = 0;
    unsigned one_row = f64xn_bits(f64xn_equal(b.row, b.last_row));
    memset(t->of_kind, 0, sizeof t->of_kind);
    t->of_kind[TRIANGLE_TINY] = left & one_column & one_row;
    if (t->of_kind[TRIANGLE_TINY]) {
        f64xn_store_ints(t->column, b.left);
        f64xn_store_ints(t->row, f64xn_sub(b.first, f64xn_of((double)r->first_z)));
        f64xn_store_ints(t->low_vx, b.low_vx);
        f64xn_store_ints(t->high_vx, high_vx_of(&b));
        left &= ~t->of_kind[TRIANGLE_TINY];
    }
    if (!left) return;
    t->of_kind[TRIANGLE_FLAT] = left & f64xn_bits(f64xn_equal(b.lowest, b.highest));
    left &= ~t->of_kind[TRIANGLE_FLAT];
    // Heights worked out from the plane are right within 1e-9 voxels where the triangle is not too thin for its height.
    // (A rounding error of 2^-53 grows by the factor below.)
    f64xn n = cross(f64xn_sub(p[1].x, p[0].x), f64xn_sub(p[1].z, p[0].z), f64xn_sub(p[2].x, p[0].x),
                    f64xn_sub(p[2].z, p[0].z));
    f64xn depth = f64xn_sub(most_of(p[0].z, p[1].z, p[2].z), least_of(p[0].z, p[1].z, p[2].z));
    f64xn bulk = f64xn_mul(f64xn_mul(f64xn_sub(b.most_x, b.least_x), depth), f64xn_sub(b.highest, b.lowest));
    f64xn size = f64xn_max(n, f64xn_sub(f64xn_of(0), n));
    unsigned upright = f64xn_bits(f64xn_equal(n, f64xn_of(0)));
    unsigned steep = ~upright & f64xn_bits(f64xn_less(f64xn_mul(f64xn_of(1 << 20), size), bulk));
    if (NAV_SIMD_BYTES >= 32 && r->in_bits) one_word = left & ~steep & f64xn_bits(fill_one_word(r, &b));
    t->of_kind[TRIANGLE_SMALL] = one_word & f64xn_bits(are_within(r, &b, SMALL_COLUMNS, SMALL_COLUMNS));
    left &= ~t->of_kind[TRIANGLE_SMALL];
    t->of_kind[TRIANGLE_COLUMN] = left & one_column;
    left &= ~t->of_kind[TRIANGLE_COLUMN];
    t->of_kind[TRIANGLE_ROW] = left & one_row;
    left &= ~t->of_kind[TRIANGLE_ROW];
    t->of_kind[TRIANGLE_MIDDLE] = left & one_word & f64xn_bits(are_within(r, &b, MIDDLE_COLUMNS, MIDDLE_COLUMNS));
    left &= ~t->of_kind[TRIANGLE_MIDDLE];
    t->of_kind[TRIANGLE_STEEP] = left & steep;
    left &= ~steep;
    t->of_kind[TRIANGLE_UPRIGHT] = left & upright;
    t->of_kind[TRIANGLE_PLAIN] = left & ~upright;
}

static inline void read_corners(const raster *r, const nav_triangles *tris, const uint32_t which[F64_LANES],
                                corner p[3])
{
    const float *place[F64_LANES];
    for (int i = 0; i < F64_LANES; i++) place[i] = tris->verts + 9 * (size_t)which[i];
    f64xn v[9], inv_cell_size = f64xn_of(r->inv_cell_size), inv_cell_height = f64xn_of(r->inv_cell_height);
    f64xn_read_nines(place, v);
    for (int c = 0; c < 3; c++) {
        f64xn x = f64xn_mul(f64xn_sub(v[3 * c], f64xn_of(r->origin[0])), inv_cell_size);
        p[c].x = f64xn_max(x, whole_of(x)); // just below a grid line: onto it
        p[c].y = f64xn_mul(f64xn_sub(v[3 * c + 1], f64xn_of(r->origin[1])), inv_cell_height);
        p[c].z = f64xn_mul(f64xn_sub(v[3 * c + 2], f64xn_of(r->origin[2])), inv_cell_size);
    }
    settle(p);
}

void nav_triangle_batch_read(triangle_batch *t, const raster *r, const nav_triangles *tris, uint32_t first)
{
    uint32_t which[F64_LANES], count = tris->count - first;
    for (uint32_t i = 0; i < F64_LANES; i++) which[i] = first + (i < count ? i : 0);
    corner p[3];
    read_corners(r, tris, which, p);
    find_kinds(t, r, p, count < F64_LANES ? (1u << count) - 1 : (1u << F64_LANES) - 1);
}

static inline void store_bounds(triangle_block *t, const bounds *b)
{
    f64xn_store(t->least_x, b->least_x);
    f64xn_store(t->most_x, b->most_x);
    f64xn_store(t->lowest, b->lowest);
    f64xn_store(t->highest, b->highest);
    f64xn_store(t->column, b->column);
    f64xn_store(t->bottom_line, b->row);
    f64xn_store(t->top_line, f64xn_add(b->last_row, f64xn_of(1)));
    f64xn_store_ints(t->first, b->first);
    f64xn_store_ints(t->last, b->last);
    f64xn_store_ints(t->left, b->left);
    f64xn_store_ints(t->right, b->right);
    f64xn_store_ints(t->low_vx, b->low_vx);
    f64xn_store_ints(t->end_vx, b->end_vx);
}

void nav_triangle_block_fill(triangle_block *t, const raster *r, triangle_kind kind, const nav_triangles *tris,
                             const uint32_t which[F64_LANES])
{
    corner p[3];
    read_corners(r, tris, which, p);
    bounds bound = bounds_of(r, p);
    store_bounds(t, &bound);
    corner a = p[0], b = p[1], c = p[2];
    sort_by_z(&a, &b);
    sort_by_z(&b, &c);
    sort_by_z(&a, &b);
    f64xn_store(t->ax, a.x), f64xn_store(t->ay, a.y), f64xn_store(t->az, a.z);
    f64xn_store(t->bx, b.x), f64xn_store(t->by, b.y), f64xn_store(t->bz, b.z);
    f64xn_store(t->cx, c.x), f64xn_store(t->cy, c.y), f64xn_store(t->cz, c.z);
    f64xn_store(t->a_column, whole_of(a.x)), f64xn_store(t->b_column, whole_of(b.x)),
        f64xn_store(t->c_column, whole_of(c.x));
    f64xn_store(t->b_last, last_whole_of(b.x));
    f64xn_store(t->b_row, f64xn_min(f64xn_max(f64xn_floor(b.z), bound.row), bound.last_row));

    f64xn ux = f64xn_sub(b.x, a.x), uy = f64xn_sub(b.y, a.y), uz = f64xn_sub(b.z, a.z);
    f64xn wx = f64xn_sub(c.x, a.x), wy = f64xn_sub(c.y, a.y), wz = f64xn_sub(c.z, a.z);
    f64xn vx = f64xn_sub(c.x, b.x), vy = f64xn_sub(c.y, b.y), vz = f64xn_sub(c.z, b.z);
    f64xn one = f64xn_of(1), by_uz = ratio(one, uz), by_vz = ratio(one, vz), by_wz = ratio(one, wz);
    f64xn_store(t->ab_x, f64xn_mul(ux, by_uz)), f64xn_store(t->ab_y, f64xn_mul(uy, by_uz));
    f64xn_store(t->bc_x, f64xn_mul(vx, by_vz)), f64xn_store(t->bc_y, f64xn_mul(vy, by_vz));
    f64xn_store(t->ac_x, f64xn_mul(wx, by_wz)), f64xn_store(t->ac_y, f64xn_mul(wy, by_wz));

    if (kind == TRIANGLE_FLAT || kind == TRIANGLE_COLUMN) return;
    f64xn zero = f64xn_of(0), n = cross(ux, uz, wx, wz), by_n = ratio(one, n);
    f64xn_store(t->plane_x, f64xn_mul(cross(uy, uz, wy, wz), by_n));
    f64xn_store(t->plane_z, f64xn_mul(cross(ux, uy, wx, wy), by_n));
    f64xn_store(t->loose, f64xn_select(f64xn_equal(n, zero), f64xn_of(BEYOND), zero));

    sort_by_x(&a, &b);
    sort_by_x(&b, &c);
    sort_by_x(&a, &b);
    f64xn_store(t->ux, a.x), f64xn_store(t->uy, a.y), f64xn_store(t->vx, b.x), f64xn_store(t->vy, b.y);
    f64xn_store(t->uv, ratio(f64xn_sub(b.y, a.y), f64xn_sub(b.x, a.x)));
    f64xn_store(t->vw, ratio(f64xn_sub(c.y, b.y), f64xn_sub(c.x, b.x)));
    f64xn_store(t->uw, ratio(f64xn_sub(c.y, a.y), f64xn_sub(c.x, a.x)));
}
