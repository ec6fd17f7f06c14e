#include "core/voxel/triangle_block.h"

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

static inline lanes cells_of(lanes v)
{
    return lanes_floor(lanes_add(v, lanes_of(SLACK)));
}

// The last cell up to v, less one cell: cells are [n, n + 1).
static inline lanes last_cells_of(lanes v)
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

// Where the triangles are thin and stand on a grid line: the middle of the cell behind it, for coordinates from `least`
// to `most`; see settle_triangle(). on: where that is.
static inline lanes behind_line(lanes least, lanes most, lanes normal, lane_mask *on)
{
    lanes slack = lanes_of(SLACK), half = lanes_of(0.5), line = lanes_floor(lanes_add(most, slack));
    *on = lanes_both(lanes_less(lanes_sub(most, least), lanes_of(2 * SLACK)),
                     lanes_both(lanes_less(lanes_sub(line, slack), least), lanes_less(most, lanes_add(line, slack))));
    lane_mask faces_up = lanes_less(lanes_of(0), normal);
    return lanes_add(line, lanes_select(faces_up, lanes_sub(lanes_of(0), half), half));
}

static inline void settle(corner p[3])
{
    lanes uy = lanes_sub(p[1].y, p[0].y), wy = lanes_sub(p[2].y, p[0].y);
    lane_mask on;
    lanes normal_x = cross(uy, lanes_sub(p[1].z, p[0].z), wy, lanes_sub(p[2].z, p[0].z));
    lanes x = behind_line(least_of(p[0].x, p[1].x, p[2].x), most_of(p[0].x, p[1].x, p[2].x), normal_x, &on);
    for (int c = 0; c < 3; c++) p[c].x = lanes_select(on, x, p[c].x);
    lanes normal_z = cross(lanes_sub(p[1].x, p[0].x), uy, lanes_sub(p[2].x, p[0].x), wy);
    lanes z = behind_line(least_of(p[0].z, p[1].z, p[2].z), most_of(p[0].z, p[1].z, p[2].z), normal_z, &on);
    for (int c = 0; c < 3; c++) p[c].z = lanes_select(on, z, p[c].z);
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

// What the walks of several rows and columns need.
static inline void find_slopes(triangle_block *t, corner a, corner b, corner c, lanes height)
{
    sort_by_z(&a, &b);
    sort_by_z(&b, &c);
    sort_by_z(&a, &b);
    lanes_store(t->ax, a.x), lanes_store(t->ay, a.y), lanes_store(t->az, a.z);
    lanes_store(t->bx, b.x), lanes_store(t->by, b.y), lanes_store(t->bz, b.z);
    lanes_store(t->cx, c.x), lanes_store(t->cy, c.y), lanes_store(t->cz, c.z);
    lanes_store(t->b_cell, cells_of(b.x));
    lanes_store(t->b_last, last_cells_of(b.x));
    lanes top_row = lanes_sub(lanes_load(t->top_line), lanes_of(1));
    lanes_store(t->b_row, lanes_min(lanes_max(lanes_floor(b.z), lanes_load(t->bottom_line)), top_row));

    lanes ux = lanes_sub(b.x, a.x), uy = lanes_sub(b.y, a.y), uz = lanes_sub(b.z, a.z);
    lanes wx = lanes_sub(c.x, a.x), wy = lanes_sub(c.y, a.y), wz = lanes_sub(c.z, a.z);
    lanes vx = lanes_sub(c.x, b.x), vy = lanes_sub(c.y, b.y), vz = lanes_sub(c.z, b.z);
    lanes one = lanes_of(1), by_uz = ratio(one, uz), by_vz = ratio(one, vz), by_wz = ratio(one, wz);
    lanes_store(t->ab_x, lanes_mul(ux, by_uz)), lanes_store(t->ab_y, lanes_mul(uy, by_uz));
    lanes_store(t->bc_x, lanes_mul(vx, by_vz)), lanes_store(t->bc_y, lanes_mul(vy, by_vz));
    lanes_store(t->ac_x, lanes_mul(wx, by_wz)), lanes_store(t->ac_y, lanes_mul(wy, by_wz));

    lanes zero = lanes_of(0), n = cross(ux, uz, wx, wz), by_n = ratio(one, n);
    lanes_store(t->plane_x, lanes_mul(cross(uy, uz, wy, wz), by_n));
    lanes_store(t->plane_z, lanes_mul(cross(ux, uy, wx, wy), by_n));
    t->upright = lanes_bits(lanes_equal(n, zero));
    // Heights worked out from the plane are right within 1e-9 levels where the triangle is not too thin for its height.
    // (A rounding error of 2^-53 grows by the factor below.)
    lanes width = lanes_sub(most_of(a.x, b.x, c.x), least_of(a.x, b.x, c.x));
    lanes bulk = lanes_mul(lanes_mul(width, wz), height), size = lanes_max(n, lanes_sub(zero, n));
    t->steep = ~t->upright & lanes_bits(lanes_less(lanes_mul(lanes_of(1 << 20), size), bulk));

    sort_by_x(&a, &b);
    sort_by_x(&b, &c);
    sort_by_x(&a, &b);
    lanes_store(t->ux, a.x), lanes_store(t->uy, a.y), lanes_store(t->vx, b.x), lanes_store(t->vy, b.y);
    lanes_store(t->uv, ratio(lanes_sub(b.y, a.y), lanes_sub(b.x, a.x)));
    lanes_store(t->vw, ratio(lanes_sub(c.y, b.y), lanes_sub(c.x, b.x)));
    lanes_store(t->uw, ratio(lanes_sub(c.y, a.y), lanes_sub(c.x, a.x)));
}

void nav_triangle_block_fill(triangle_block *t, const raster *r, const float *verts, uint32_t count)
{
    unsigned there = (1u << LANES) - 1;
    float few[9 * LANES];
    if (count < LANES) {
        there = (1u << count) - 1;
        memset(few, 0, sizeof few);
        memcpy(few, verts, 9 * (size_t)count * sizeof *verts);
        verts = few;
    }
    corner p[3];
    lanes inv_cell = lanes_of(r->inv_cell), inv_level = lanes_of(r->inv_level);
    for (int c = 0; c < 3; c++) {
        lanes x = lanes_mul(lanes_sub(lanes_gather(verts + 3 * c), lanes_of(r->origin[0])), inv_cell);
        p[c].x = lanes_max(x, cells_of(x)); // just below a grid line: onto it
        p[c].y = lanes_mul(lanes_sub(lanes_gather(verts + 3 * c + 1), lanes_of(r->origin[1])), inv_level);
        p[c].z = lanes_mul(lanes_sub(lanes_gather(verts + 3 * c + 2), lanes_of(r->origin[2])), inv_cell);
    }
    settle(p);

    lanes one = lanes_of(1), least_x = least_of(p[0].x, p[1].x, p[2].x), most_x = most_of(p[0].x, p[1].x, p[2].x);
    lanes lowest = least_of(p[0].y, p[1].y, p[2].y), highest = most_of(p[0].y, p[1].y, p[2].y);
    lanes bottom_row = cells_of(least_of(p[0].z, p[1].z, p[2].z));
    lanes top_row = lanes_max(last_cells_of(most_of(p[0].z, p[1].z, p[2].z)), bottom_row);
    lanes column = cells_of(least_x), last_column = lanes_max(last_cells_of(most_x), column);
    lanes first_x = lanes_of((double)r->first_x), first_z = lanes_of((double)r->first_z);
    lanes width = lanes_of((double)r->width), zero = lanes_of(0);
    lanes first = lanes_max(bottom_row, first_z);
    lanes last = lanes_min(top_row, lanes_sub(lanes_add(first_z, width), one));
    lanes left = lanes_max(lanes_sub(column, first_x), zero);
    lanes right = lanes_min(lanes_sub(last_column, first_x), lanes_sub(width, one));
    unsigned walked = there & lanes_bits(lanes_both(lanes_at_most(first, last), lanes_at_most(left, right)));
    unsigned one_column = lanes_bits(lanes_equal(column, last_column));
    t->tiny = walked & one_column & lanes_bits(lanes_equal(bottom_row, top_row));
    t->level = walked & ~t->tiny & lanes_bits(lanes_equal(lowest, highest));
    walked &= ~t->tiny;
    lanes_store(t->lowest, lowest);
    lanes_store(t->highest, highest);
    lanes_store_ints(t->first, first);
    lanes_store_ints(t->last, last);
    lanes_store_ints(t->left, left);
    lanes_store_ints(t->right, right);
    lanes low_level = cells_of(lowest);
    lanes_store_ints(t->low_level, low_level);
    lanes_store_ints(t->high_level, lanes_max(last_cells_of(highest), low_level));
    lanes_store_ints(t->end_level, cells_of(highest));
    if (!walked) {
        t->narrow = t->upright = t->steep = t->plain = 0;
        return;
    }
    lanes_store(t->least_x, least_x);
    lanes_store(t->most_x, most_x);
    lanes_store(t->bottom_line, bottom_row);
    lanes_store(t->top_line, lanes_add(top_row, one));
    find_slopes(t, p[0], p[1], p[2], lanes_sub(highest, lowest));
    walked &= ~t->level;
    t->narrow = walked & one_column;
    walked &= ~t->narrow;
    t->upright &= walked;
    t->steep &= walked;
    t->plain = walked & ~(t->upright | t->steep);
}
