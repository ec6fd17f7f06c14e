#include "core/voxel/raster/triangle_block.h"

#include <string.h>

typedef struct corner {
    lanes x, y, z;
} corner;

static inline lanes least_of(lanes a, lanes b, lanes c)
{
    return lanes_min(lanes_min(a, b), c);
}

static inline lanes most_of(lanes a, lanes b, lanes c)
{
    return lanes_max(lanes_max(a, b), c);
}

static inline lanes whole_of(lanes v)
{
    return lanes_floor(lanes_add(v, lanes_of(SLACK)));
}

// The last column up to v, less one column: columns are [n, n + 1).
static inline lanes last_whole_of(lanes v)
{
    return lanes_sub(lanes_ceil(lanes_sub(v, lanes_of(SLACK))), lanes_of(1));
}

// 0 where the divisor is 0.
static inline lanes ratio(lanes a, lanes b)
{
    lanes zero = lanes_of(0);
    return lanes_select(lanes_equal(b, zero), zero, lanes_div(a, lanes_select(lanes_equal(b, zero), lanes_of(1), b)));
}

static inline lanes cross(lanes ux, lanes uz, lanes wx, lanes wz)
{
    return lanes_sub(lanes_mul(ux, wz), lanes_mul(uz, wx));
}

// Where the triangles are thin and stand on a grid line, for coordinates from `least` to `most`.
static inline lane_mask stand_on_line(lanes least, lanes most)
{
    lanes slack = lanes_of(SLACK), line = lanes_floor(lanes_add(most, slack));
    return lanes_both(lanes_less(lanes_sub(most, least), lanes_of(2 * SLACK)),
                      lanes_both(lanes_less(lanes_sub(line, slack), least), lanes_less(most, lanes_add(line, slack))));
}

// The middle of the column behind that line.
static inline lanes behind_line(lanes most, lanes normal)
{
    lanes half = lanes_of(0.5), line = lanes_floor(lanes_add(most, lanes_of(SLACK)));
    lane_mask faces_up = lanes_less(lanes_of(0), normal);
    return lanes_add(line, lanes_select(faces_up, lanes_sub(lanes_of(0), half), half));
}

// See the plain twin.
static inline void settle(corner p[3])
{
    lanes least_x = least_of(p[0].x, p[1].x, p[2].x), most_x = most_of(p[0].x, p[1].x, p[2].x);
    lanes least_z = least_of(p[0].z, p[1].z, p[2].z), most_z = most_of(p[0].z, p[1].z, p[2].z);
    lane_mask on_x = stand_on_line(least_x, most_x), on_z = stand_on_line(least_z, most_z);
    if (!lanes_bits(lanes_either(on_x, on_z))) return;
    lanes uy = lanes_sub(p[1].y, p[0].y), wy = lanes_sub(p[2].y, p[0].y);
    lanes x = behind_line(most_x, cross(uy, lanes_sub(p[1].z, p[0].z), wy, lanes_sub(p[2].z, p[0].z)));
    for (int c = 0; c < 3; c++) p[c].x = lanes_select(on_x, x, p[c].x);
    lanes z = behind_line(most_z, cross(lanes_sub(p[1].x, p[0].x), uy, lanes_sub(p[2].x, p[0].x), wy));
    for (int c = 0; c < 3; c++) p[c].z = lanes_select(on_z, z, p[c].z);
}

static inline void swap_where(lane_mask m, lanes *a, lanes *b)
{
    lanes t = *a;
    *a = lanes_select(m, *b, *a);
    *b = lanes_select(m, t, *b);
}

static inline void sort_by_z(corner *a, corner *b)
{
    lane_mask m = lanes_less(b->z, a->z);
    swap_where(m, &a->x, &b->x);
    swap_where(m, &a->y, &b->y);
    swap_where(m, &a->z, &b->z);
}

static inline void sort_by_x(corner *a, corner *b)
{
    lane_mask m = lanes_less(b->x, a->x);
    swap_where(m, &a->x, &b->x);
    swap_where(m, &a->y, &b->y);
}

// Where the triangle lies, as far as its kind and its walk depend on it.
typedef struct bounds {
    lanes least_x, most_x, lowest, highest;
    lanes column, last_column, row, last_row; // that it covers
    lanes left, right, first, last;           // those of them inside of the field; the columns are the field's
    lanes low_vx, end_vx;
} bounds;

static inline bounds bounds_of(const raster *r, const corner p[3])
{
    bounds b;
    b.least_x = least_of(p[0].x, p[1].x, p[2].x), b.most_x = most_of(p[0].x, p[1].x, p[2].x);
    b.lowest = least_of(p[0].y, p[1].y, p[2].y), b.highest = most_of(p[0].y, p[1].y, p[2].y);
    b.column = whole_of(b.least_x), b.last_column = lanes_max(last_whole_of(b.most_x), b.column);
    b.row = whole_of(least_of(p[0].z, p[1].z, p[2].z));
    b.last_row = lanes_max(last_whole_of(most_of(p[0].z, p[1].z, p[2].z)), b.row);
    lanes first_x = lanes_of((double)r->first_x), first_z = lanes_of((double)r->first_z);
    lanes last = lanes_of((double)(r->width - 1));
    b.left = lanes_max(lanes_sub(b.column, first_x), lanes_of(0));
    b.right = lanes_min(lanes_sub(b.last_column, first_x), last);
    b.first = lanes_max(b.row, first_z);
    b.last = lanes_min(b.last_row, lanes_add(first_z, last));
    b.low_vx = whole_of(b.lowest);
    b.end_vx = whole_of(b.highest);
    return b;
}

static inline lanes high_vx_of(const bounds *b)
{
    return lanes_max(last_whole_of(b->highest), b->low_vx);
}

// Those of at most so many columns and rows, all of them inside of the field.
static inline lane_mask are_within(const raster *r, const bounds *b, int columns, int rows)
{
    lanes first_x = lanes_of((double)r->first_x);
    lane_mask inside = lanes_both(lanes_both(lanes_equal(lanes_sub(b->column, first_x), b->left),
                                             lanes_equal(lanes_sub(b->last_column, first_x), b->right)),
                                  lanes_both(lanes_equal(b->row, b->first), lanes_equal(b->last_row, b->last)));
    lanes tip = whole_of(b->most_x); // may be a column further (walk_blocks() in triangle_lanes.c)
    return lanes_both(inside, lanes_both(lanes_at_most(lanes_sub(tip, b->column), lanes_of(columns - 1)),
                                         lanes_at_most(lanes_sub(b->last, b->first), lanes_of(rows - 1))));
}

static inline lane_mask fill_one_word(const raster *r, const bounds *b)
{
    lanes base = lanes_of((double)r->bits.base), word = lanes_of(1.0 / 64);
    return lanes_equal(lanes_floor(lanes_mul(lanes_sub(b->low_vx, base), word)),
                       lanes_floor(lanes_mul(lanes_sub(b->end_vx, base), word)));
}

static inline void find_kinds(triangle_batch *t, const raster *r, const corner p[3], unsigned there)
{
    bounds b = bounds_of(r, p);
    unsigned left = there & lanes_bits(lanes_both(lanes_at_most(b.first, b.last), lanes_at_most(b.left, b.right)));
    unsigned one_column = lanes_bits(lanes_equal(b.column, b.last_column)), one_word = 0;
    unsigned one_row = lanes_bits(lanes_equal(b.row, b.last_row));
    memset(t->of_kind, 0, sizeof t->of_kind);
    t->of_kind[TRIANGLE_TINY] = left & one_column & one_row;
    if (t->of_kind[TRIANGLE_TINY]) {
        lanes_store_ints(t->column, b.left);
        lanes_store_ints(t->row, lanes_sub(b.first, lanes_of((double)r->first_z)));
        lanes_store_ints(t->low_vx, b.low_vx);
        lanes_store_ints(t->high_vx, high_vx_of(&b));
        left &= ~t->of_kind[TRIANGLE_TINY];
    }
    if (!left) return;
    t->of_kind[TRIANGLE_FLAT] = left & lanes_bits(lanes_equal(b.lowest, b.highest));
    left &= ~t->of_kind[TRIANGLE_FLAT];
    // Heights worked out from the plane are right within 1e-9 voxels where the triangle is not too thin for its height.
    // (A rounding error of 2^-53 grows by the factor below.)
    lanes n = cross(lanes_sub(p[1].x, p[0].x), lanes_sub(p[1].z, p[0].z), lanes_sub(p[2].x, p[0].x),
                    lanes_sub(p[2].z, p[0].z));
    lanes depth = lanes_sub(most_of(p[0].z, p[1].z, p[2].z), least_of(p[0].z, p[1].z, p[2].z));
    lanes bulk = lanes_mul(lanes_mul(lanes_sub(b.most_x, b.least_x), depth), lanes_sub(b.highest, b.lowest));
    lanes size = lanes_max(n, lanes_sub(lanes_of(0), n));
    unsigned upright = lanes_bits(lanes_equal(n, lanes_of(0)));
    unsigned steep = ~upright & lanes_bits(lanes_less(lanes_mul(lanes_of(1 << 20), size), bulk));
    if (NAV_SIMD_BYTES >= 32 && r->in_bits) one_word = left & ~steep & lanes_bits(fill_one_word(r, &b));
    t->of_kind[TRIANGLE_SMALL] = one_word & lanes_bits(are_within(r, &b, SMALL_COLUMNS, SMALL_COLUMNS));
    left &= ~t->of_kind[TRIANGLE_SMALL];
    t->of_kind[TRIANGLE_COLUMN] = left & one_column;
    left &= ~t->of_kind[TRIANGLE_COLUMN];
    t->of_kind[TRIANGLE_ROW] = left & one_row;
    left &= ~t->of_kind[TRIANGLE_ROW];
    t->of_kind[TRIANGLE_MIDDLE] = left & one_word & lanes_bits(are_within(r, &b, MIDDLE_COLUMNS, MIDDLE_COLUMNS));
    left &= ~t->of_kind[TRIANGLE_MIDDLE];
    t->of_kind[TRIANGLE_STEEP] = left & steep;
    left &= ~steep;
    t->of_kind[TRIANGLE_UPRIGHT] = left & upright;
    t->of_kind[TRIANGLE_PLAIN] = left & ~upright;
}

static inline void read_corners(const raster *r, const nav_triangles *tris, const uint32_t which[LANES], corner p[3])
{
    const float *place[LANES];
    for (int i = 0; i < LANES; i++) place[i] = tris->verts + 9 * (size_t)which[i];
    lanes v[9], inv_cell_size = lanes_of(r->inv_cell_size), inv_cell_height = lanes_of(r->inv_cell_height);
    lanes_read_nines(place, v);
    for (int c = 0; c < 3; c++) {
        lanes x = lanes_mul(lanes_sub(v[3 * c], lanes_of(r->origin[0])), inv_cell_size);
        p[c].x = lanes_max(x, whole_of(x)); // just below a grid line: onto it
        p[c].y = lanes_mul(lanes_sub(v[3 * c + 1], lanes_of(r->origin[1])), inv_cell_height);
        p[c].z = lanes_mul(lanes_sub(v[3 * c + 2], lanes_of(r->origin[2])), inv_cell_size);
    }
    settle(p);
}

void nav_triangle_batch_read(triangle_batch *t, const raster *r, const nav_triangles *tris, uint32_t first)
{
    uint32_t which[LANES], count = tris->count - first;
    for (uint32_t i = 0; i < LANES; i++) which[i] = first + (i < count ? i : 0);
    corner p[3];
    read_corners(r, tris, which, p);
    find_kinds(t, r, p, count < LANES ? (1u << count) - 1 : (1u << LANES) - 1);
}

static inline void store_bounds(triangle_block *t, const bounds *b)
{
    lanes_store(t->least_x, b->least_x);
    lanes_store(t->most_x, b->most_x);
    lanes_store(t->lowest, b->lowest);
    lanes_store(t->highest, b->highest);
    lanes_store(t->column, b->column);
    lanes_store(t->bottom_line, b->row);
    lanes_store(t->top_line, lanes_add(b->last_row, lanes_of(1)));
    lanes_store_ints(t->first, b->first);
    lanes_store_ints(t->last, b->last);
    lanes_store_ints(t->left, b->left);
    lanes_store_ints(t->right, b->right);
    lanes_store_ints(t->low_vx, b->low_vx);
    lanes_store_ints(t->end_vx, b->end_vx);
}

void nav_triangle_block_fill(triangle_block *t, const raster *r, triangle_kind kind, const nav_triangles *tris,
                             const uint32_t which[LANES])
{
    corner p[3];
    read_corners(r, tris, which, p);
    bounds bound = bounds_of(r, p);
    store_bounds(t, &bound);
    corner a = p[0], b = p[1], c = p[2];
    sort_by_z(&a, &b);
    sort_by_z(&b, &c);
    sort_by_z(&a, &b);
    lanes_store(t->ax, a.x), lanes_store(t->ay, a.y), lanes_store(t->az, a.z);
    lanes_store(t->bx, b.x), lanes_store(t->by, b.y), lanes_store(t->bz, b.z);
    lanes_store(t->cx, c.x), lanes_store(t->cy, c.y), lanes_store(t->cz, c.z);
    lanes_store(t->a_column, whole_of(a.x)), lanes_store(t->b_column, whole_of(b.x)),
        lanes_store(t->c_column, whole_of(c.x));
    lanes_store(t->b_last, last_whole_of(b.x));
    lanes_store(t->b_row, lanes_min(lanes_max(lanes_floor(b.z), bound.row), bound.last_row));

    lanes ux = lanes_sub(b.x, a.x), uy = lanes_sub(b.y, a.y), uz = lanes_sub(b.z, a.z);
    lanes wx = lanes_sub(c.x, a.x), wy = lanes_sub(c.y, a.y), wz = lanes_sub(c.z, a.z);
    lanes vx = lanes_sub(c.x, b.x), vy = lanes_sub(c.y, b.y), vz = lanes_sub(c.z, b.z);
    lanes one = lanes_of(1), by_uz = ratio(one, uz), by_vz = ratio(one, vz), by_wz = ratio(one, wz);
    lanes_store(t->ab_x, lanes_mul(ux, by_uz)), lanes_store(t->ab_y, lanes_mul(uy, by_uz));
    lanes_store(t->bc_x, lanes_mul(vx, by_vz)), lanes_store(t->bc_y, lanes_mul(vy, by_vz));
    lanes_store(t->ac_x, lanes_mul(wx, by_wz)), lanes_store(t->ac_y, lanes_mul(wy, by_wz));

    if (kind == TRIANGLE_FLAT || kind == TRIANGLE_COLUMN) return;
    lanes zero = lanes_of(0), n = cross(ux, uz, wx, wz), by_n = ratio(one, n);
    lanes_store(t->plane_x, lanes_mul(cross(uy, uz, wy, wz), by_n));
    lanes_store(t->plane_z, lanes_mul(cross(ux, uy, wx, wy), by_n));
    lanes_store(t->loose, lanes_select(lanes_equal(n, zero), lanes_of(BEYOND), zero));

    sort_by_x(&a, &b);
    sort_by_x(&b, &c);
    sort_by_x(&a, &b);
    lanes_store(t->ux, a.x), lanes_store(t->uy, a.y), lanes_store(t->vx, b.x), lanes_store(t->vy, b.y);
    lanes_store(t->uv, ratio(lanes_sub(b.y, a.y), lanes_sub(b.x, a.x)));
    lanes_store(t->vw, ratio(lanes_sub(c.y, b.y), lanes_sub(c.x, b.x)));
    lanes_store(t->uw, ratio(lanes_sub(c.y, a.y), lanes_sub(c.x, a.x)));
}
