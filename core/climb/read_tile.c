// A tile's height triangles as a patch. What lies behind a side of a triangle is known from the edge of the cell that
// it lies on, seen from above in the sheet's frame; a side that lies on none is inside of the cell.
#include "core/climb/climb_work.h"

#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 24 }; // edges of a cell that are gone through one by one

static const double ON_LINE_M = 0.002;
// Heights along an edge may be off by the error of the detail, which the tile does not tell. It is small beside what
// the agent steps over.
static const double LOOSE_SHARE = 0.25;

typedef struct reader {
    const nav_tile_view *v;
    climb_mesh m;
    float *at;
    uint32_t *corner, *cell;
    uint8_t *area, *behind;
    double *seen; // of each point: x and z, in squares of the grid
    double close; // squares
    // The cell at hand.
    nav_tile_cell c;
    box_tree edges;
    box *boxes;
    uint32_t boxes_room;
    const double *p, *q; // the side that is looked for
    int found;           // what lies behind it, or -1
} reader;

static const double *corner_at(const reader *r, uint32_t k, int64_t *behind)
{
    nav_tile_corner corner;
    nav_tile_get_corner(r->v, r->c.first_corner + k % r->c.corner_count, &corner);
    if (behind) *behind = corner.behind;
    return &r->seen[2 * (size_t)corner.vert];
}

static bool is_on(const reader *r, const double a[2], const double b[2], const double p[2])
{
    double dx = b[0] - a[0], dz = b[1] - a[1], px = p[0] - a[0], pz = p[1] - a[1], l2 = dx * dx + dz * dz;
    if (!(l2 > 0)) return false;
    double across = px * dz - pz * dx, along = px * dx + pz * dz, slack = r->close * sqrt(l2);
    return fabs(across) <= slack && along >= -slack && along <= l2 + slack;
}

static climb_behind behind_of(int64_t behind)
{
    if (behind == NAV_EDGE_WALL) return CLIMB_WALL;
    if (behind == NAV_EDGE_SEAM) return CLIMB_SEAM;
    return behind >= 0 ? CLIMB_INSIDE : CLIMB_BORDER;
}

static void look_at_edge(void *user, uint32_t k)
{
    reader *r = user;
    int64_t behind;
    const double *a = corner_at(r, k, &behind), *b = corner_at(r, k + 1, NULL);
    if (!is_on(r, a, b, r->p) || !is_on(r, a, b, r->q)) return;
    // Cells run clockwise on these axes, and so do triangles.
    if ((b[0] - a[0]) * (r->q[0] - r->p[0]) + (b[1] - a[1]) * (r->q[1] - r->p[1]) <= 0) return;
    if (r->found < 0) r->found = (int)behind_of(behind);
}

static nav_status index_cell(reader *r)
{
    nav_box_tree_deinit(&r->edges);
    if (r->c.corner_count <= FEW) return NAV_OK;
    if (r->c.corner_count > r->boxes_room) {
        box *boxes = realloc(r->boxes, r->c.corner_count * sizeof *boxes);
        if (!boxes) return NAV_ERR_MEMORY;
        r->boxes = boxes;
        r->boxes_room = r->c.corner_count;
    }
    for (uint32_t k = 0; k < r->c.corner_count; k++) {
        r->boxes[k] = box_none();
        for (uint32_t i = k; i < k + 2; i++) {
            const double *at = corner_at(r, i, NULL);
            box_add(&r->boxes[k], (const float[3]){(float)at[0], 0, (float)at[1]});
        }
        box_widen(&r->boxes[k], (float)r->close + 0.01f);
    }
    return nav_box_tree_build(&r->edges, r->boxes, r->c.corner_count);
}

static uint8_t side_behind(reader *r, uint32_t from, uint32_t to)
{
    r->p = &r->seen[2 * (size_t)from];
    r->q = &r->seen[2 * (size_t)to];
    r->found = -1;
    if (r->c.corner_count <= FEW) {
        for (uint32_t k = 0; k < r->c.corner_count && r->found < 0; k++) look_at_edge(r, k);
    } else {
        box at = box_none();
        box_add(&at, (const float[3]){(float)r->p[0], 0, (float)r->p[1]});
        at.high[0] = at.low[0];
        nav_box_tree_meet(&r->edges, &at, look_at_edge, r);
    }
    return (uint8_t)(r->found < 0 ? CLIMB_INSIDE : r->found);
}

static nav_status read_cell(reader *r, uint32_t index)
{
    nav_tile_get_cell(r->v, index, &r->c);
    if (r->c.flags & NAV_CELL_UNREACHABLE) return NAV_OK;
    nav_status s = index_cell(r);
    for (uint32_t i = 0; s == NAV_OK && i < r->c.triangle_count; i++) {
        uint32_t t = r->m.triangle_count++, *to = &r->corner[3 * (size_t)t];
        nav_tile_get_triangle(r->v, r->c.first_triangle + i, to);
        r->cell[t] = index;
        r->area[t] = r->c.area;
        for (size_t k = 0; k < 3; k++) r->behind[3 * (size_t)t + k] = side_behind(r, to[k], to[(k + 1) % 3]);
    }
    return s;
}

static void read_points(reader *r)
{
    const nav_tile_view *v = r->v;
    for (uint32_t i = 0; i < r->m.point_count; i++) {
        nav_tile_get_place(v, i, &r->at[3 * (size_t)i]);
        double *to = &r->seen[2 * (size_t)i];
        if (i < v->vert_count) {
            int32_t at[3];
            nav_tile_get_vert(v, i, at);
            to[0] = at[0];
            to[1] = at[2];
        } else {
            to[0] = (double)nav_load_f32(v->detail_x + 4 * (size_t)(i - v->vert_count));
            to[1] = (double)nav_load_f32(v->detail_z + 4 * (size_t)(i - v->vert_count));
        }
    }
}

nav_status nav_climb_read_tile(const nav_tile_view *v, climb_patch **out)
{
    const double square = (double)v->cell_size_m, voxel = (double)v->cell_height_m;
    const size_t points = (size_t)v->vert_count + v->detail_vert_count, t = (size_t)v->triangle_count + 1;
    reader r = {.v = v, .close = fmax(v->unit > 1 ? ON_LINE_M / square : 0.001, v->unit > 1 ? 1.5 : 0)};
    nav_status s = NAV_ERR_MEMORY;
    *out = NULL;
    r.at = malloc(3 * (points + 1) * sizeof *r.at);
    r.seen = malloc(2 * (points + 1) * sizeof *r.seen);
    r.corner = malloc(3 * t * sizeof *r.corner);
    r.cell = malloc(t * sizeof *r.cell);
    r.area = malloc(t);
    r.behind = malloc(3 * t);
    if (!r.at || !r.seen || !r.corner || !r.cell || !r.area || !r.behind) goto done;
    r.m = (climb_mesh){.sheet = v->sheet,
                       .x = v->tile_x,
                       .z = v->tile_z,
                       .radius_m = (double)v->agent_radius_m,
                       .height_m = (double)v->agent_height_m,
                       .step_m = fmin((double)v->agent_climb_m, (double)v->agent_radius_m),
                       .close_m = 0.004 + 2 * square / (v->unit > 1 ? 1 : 100) + (v->unit > 1 ? voxel / v->unit : 0),
                       .loose_m = LOOSE_SHARE * fmin((double)v->agent_climb_m, (double)v->agent_height_m),
                       .point_count = (uint32_t)points,
                       .at = r.at,
                       .corner = r.corner,
                       .cell = r.cell,
                       .area = r.area,
                       .behind = r.behind};
    read_points(&r);
    s = NAV_OK;
    for (uint32_t c = 0; s == NAV_OK && c < v->cell_count; c++) s = read_cell(&r, c);
    if (s == NAV_OK) s = nav_climb_patch_create(&r.m, out);
done:
    nav_box_tree_deinit(&r.edges);
    free(r.boxes);
    free(r.at);
    free(r.seen);
    free(r.corner);
    free(r.cell);
    free(r.area);
    free(r.behind);
    return s;
}
