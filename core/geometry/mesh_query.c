// Which leaves of a mesh lie in a box: from the root down, eight boxes at a time.
#include "core/geometry/mesh.h"
#include "core/lanes/x8.h"
#include "navcore/shapes.h"

#include <string.h>

typedef struct query {
    const nav_mesh *mesh;
    bool identity;
    float low[2], high[2];        // the box, for floats
    double min[2], max[2];        // the same
    double row[2][4], size[2][4]; // of x and of z: the transform's row, and its absolute values
    void (*visit)(void *user, uint32_t first, unsigned which);
    void *user;
} query;

static inline unsigned touching_as_they_are(const query *q, const nav_mesh_boxes *b)
{
    const f32x8 *min_x = (const f32x8 *)b->min[0], *max_x = (const f32x8 *)b->max[0];
    const f32x8 *min_z = (const f32x8 *)b->min[2], *max_z = (const f32x8 *)b->max[2];
    i32x8 touch = (*max_x >= q->low[0]) & (*min_x <= q->high[0]) & (*max_z >= q->low[1]) & (*min_z <= q->high[1]);
    return i32x8_bits(&touch);
}

// Transformed boxes: centre and half size of the box around each. One that is not there has no number for a centre.
static unsigned touching_transformed(const query *q, const nav_mesh_boxes *b)
{
    i32x8 touch = ~(i32x8){0};
    for (int axis = 0; axis < 2; axis++) {
        f64x8 centre = (f64x8){0} + q->row[axis][3], half = {0}, size = (f64x8){0} + q->size[axis][3];
        for (int k = 0; k < 3; k++) {
            f64x8 low = __builtin_convertvector(*(const f32x8 *)b->min[k], f64x8);
            f64x8 high = __builtin_convertvector(*(const f32x8 *)b->max[k], f64x8);
            f64x8 part = q->row[axis][k] * ((low + high) * 0.5);
            f64x8 extent = q->size[axis][k] * ((high - low) * 0.5);
            centre += part;
            half += extent;
            size += (f64x8)((i64x8)part & INT64_MAX);
        }
        half += (size + half) * 1e-6; // the rounding of vertices to float
        i64x8 in = (centre + half >= q->min[axis]) & (centre - half <= q->max[axis]);
        touch &= __builtin_convertvector(in, i32x8);
    }
    return i32x8_bits(&touch);
}

static void descend(const query *q, int tier, uint32_t group)
{
    const nav_mesh_boxes *boxes = &q->mesh->tier[tier][group];
    unsigned which = q->identity ? touching_as_they_are(q, boxes) : touching_transformed(q, boxes);
    uint32_t first = group * NAV_MESH_FANOUT;
    if (tier == 0) {
        if (which) q->visit(q->user, first, which);
        return;
    }
    for (; which; which &= which - 1) descend(q, tier - 1, first + (uint32_t)__builtin_ctz(which));
}

void nav_mesh_query(const nav_mesh *m, const float transform[12], const double min_xz[2], const double max_xz[2],
                    void (*visit)(void *user, uint32_t first, unsigned which), void *user)
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    if (m->tier_count == 0) return;
    query q = {.mesh = m, .identity = memcmp(transform, identity, sizeof identity) == 0, .visit = visit, .user = user};
    for (int axis = 0; axis < 2; axis++) {
        q.min[axis] = min_xz[axis];
        q.max[axis] = max_xz[axis];
        q.low[axis] = float_above(min_xz[axis]);
        q.high[axis] = float_below(max_xz[axis]);
        for (int k = 0; k < 4; k++) {
            q.row[axis][k] = (double)transform[8 * axis + k];
            q.size[axis][k] = fabs(q.row[axis][k]);
        }
    }
    descend(&q, m->tier_count - 1, 0);
}
