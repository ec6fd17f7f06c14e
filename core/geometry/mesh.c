#include "core/geometry/mesh.h"

#include "core/base/endian.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

nav_key nav_mesh_hash(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count)
{
    uint8_t parts[8 + 2 * NAV_KEY_BYTES];
    nav_store_u32(parts, vert_count);
    nav_store_u32(parts + 4, tri_count);
    nav_key_store(nav_key_of(verts, (size_t)vert_count * 12), parts + 8);
    nav_key_store(nav_key_of(tris, (size_t)tri_count * 12), parts + 8 + NAV_KEY_BYTES);
    return nav_key_of(parts, sizeof parts);
}

// Ten bits spread to every third place.
static uint32_t spread_bits(uint32_t v)
{
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    v = (v | v << 2) & 0x09249249u;
    return v;
}

static uint32_t morton_code(const float *verts, const uint32_t *tri, const nav_box *bounds, double scale)
{
    uint32_t code = 0;
    for (int k = 0; k < 3; k++) {
        double sum = (double)verts[3 * (size_t)tri[0] + k] + (double)verts[3 * (size_t)tri[1] + k] +
                     (double)verts[3 * (size_t)tri[2] + k];
        double at = (sum / 3.0 - (double)bounds->min[k]) * scale;
        uint32_t cell = at <= 0 ? 0 : at >= 1023 ? 1023 : (uint32_t)at;
        code |= spread_bits(cell) << k;
    }
    return code;
}

typedef struct sort_item {
    uint32_t code, tri;
} sort_item;

// Stable: equal codes keep the order they were given in.
static void radix_sort(sort_item *items, sort_item *spare, uint32_t count)
{
    enum { BITS = 10, BUCKETS = 1 << BITS };
    for (int shift = 0; shift < 30; shift += BITS) {
        uint32_t start[BUCKETS] = {0}, total = 0;
        for (uint32_t i = 0; i < count; i++) start[items[i].code >> shift & (BUCKETS - 1)]++;
        for (int b = 0; b < BUCKETS; b++) {
            uint32_t n = start[b];
            start[b] = total;
            total += n;
        }
        for (uint32_t i = 0; i < count; i++) spare[start[items[i].code >> shift & (BUCKETS - 1)]++] = items[i];
        sort_item *t = items;
        items = spare;
        spare = t;
    }
    // Three passes: the result lies in what was the spare array; the caller swaps.
}

static void box_clear(nav_box *b)
{
    for (int k = 0; k < 3; k++) {
        b->min[k] = INFINITY;
        b->max[k] = -INFINITY;
    }
}

static void box_add_point(nav_box *b, const float *p)
{
    for (int k = 0; k < 3; k++) {
        b->min[k] = p[k] < b->min[k] ? p[k] : b->min[k];
        b->max[k] = p[k] > b->max[k] ? p[k] : b->max[k];
    }
}

static bool triangle_is_usable(const float *verts, uint32_t vert_count, const uint32_t *tri)
{
    for (int c = 0; c < 3; c++) {
        if (tri[c] >= vert_count) return false;
        const float *p = verts + 3 * (size_t)tri[c];
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return false;
    }
    return true;
}

// One block of memory holds the mesh, its vertices, triangles and boxes.
static nav_mesh *allocate(uint32_t vert_count, uint32_t tri_count)
{
    nav_mesh layout = {.vert_count = vert_count, .tri_count = tri_count};
    size_t boxes = 0;
    for (uint32_t n = tri_count; n > 0;) {
        n = (n + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
        layout.level_size[layout.level_count++] = n;
        boxes += n;
        if (n == 1) break;
    }
    size_t vert_bytes = (size_t)vert_count * 12, tri_bytes = (size_t)tri_count * 12;
    layout.bytes = sizeof layout + vert_bytes + tri_bytes + boxes * sizeof(nav_box);
    nav_mesh *m = malloc(layout.bytes);
    if (!m) return NULL;
    *m = layout;
    unsigned char *p = (unsigned char *)(m + 1);
    m->verts = (const float *)p;
    m->tris = (const uint32_t *)(p + vert_bytes);
    nav_box *box = (nav_box *)(p + vert_bytes + tri_bytes);
    for (int l = 0; l < m->level_count; l++) {
        m->level[l] = box;
        box += m->level_size[l];
    }
    return m;
}

static void build_boxes(nav_mesh *m)
{
    if (m->tri_count == 0) return;
    nav_box *leaves = (nav_box *)m->level[0];
    for (uint32_t j = 0; j < m->level_size[0]; j++) {
        box_clear(&leaves[j]);
        uint32_t end = (j + 1) * NAV_MESH_FANOUT < m->tri_count ? (j + 1) * NAV_MESH_FANOUT : m->tri_count;
        for (uint32_t c = 3 * j * NAV_MESH_FANOUT; c < 3 * end; c++)
            box_add_point(&leaves[j], m->verts + 3 * (size_t)m->tris[c]);
    }
    for (int l = 1; l < m->level_count; l++) {
        nav_box *boxes = (nav_box *)m->level[l];
        for (uint32_t j = 0; j < m->level_size[l]; j++) {
            box_clear(&boxes[j]);
            for (uint32_t c = j * NAV_MESH_FANOUT; c < (j + 1) * NAV_MESH_FANOUT && c < m->level_size[l - 1]; c++) {
                box_add_point(&boxes[j], m->level[l - 1][c].min);
                box_add_point(&boxes[j], m->level[l - 1][c].max);
            }
        }
    }
}

// Numbers the vertices as the sorted triangles meet them: what lies near in space lies near in memory. Returns how
// many.
static uint32_t number_vertices(const uint32_t *tris, const sort_item *order, uint32_t count, uint32_t *new_number,
                                uint32_t vert_count)
{
    uint32_t used = 0;
    memset(new_number, 0xff, (size_t)vert_count * sizeof *new_number);
    for (uint32_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) {
            uint32_t *n = &new_number[tris[3 * (size_t)order[i].tri + (size_t)c]];
            if (*n == UINT32_MAX) *n = used++;
        }
    return used;
}

static void copy_in_order(nav_mesh *m, const float *verts, const uint32_t *tris, const sort_item *order,
                          const uint32_t *new_number)
{
    float *to_verts = (float *)m->verts;
    uint32_t *to_tris = (uint32_t *)m->tris;
    for (uint32_t i = 0; i < m->tri_count; i++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t old = tris[3 * (size_t)order[i].tri + c], n = new_number[old];
            to_tris[3 * (size_t)i + c] = n;
            memcpy(to_verts + 3 * (size_t)n, verts + 3 * (size_t)old, 12);
        }
}

nav_status nav_mesh_create(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                           nav_mesh **out)
{
    *out = NULL;
    if (tri_count > NAV_MESH_MAX_TRIANGLES) return NAV_ERR_LIMIT;
    nav_status status = NAV_ERR_MEMORY;
    sort_item *items = malloc((tri_count ? tri_count : 1) * sizeof *items);
    sort_item *spare = malloc((tri_count ? tri_count : 1) * sizeof *spare);
    uint32_t *new_number = malloc((vert_count ? vert_count : 1) * sizeof *new_number), used;
    nav_mesh *m = NULL;
    if (!items || !spare || !new_number) goto done;

    nav_box bounds;
    box_clear(&bounds);
    uint32_t count = 0;
    for (uint32_t t = 0; t < tri_count; t++) {
        const uint32_t *tri = tris + 3 * (size_t)t;
        if (!triangle_is_usable(verts, vert_count, tri)) continue;
        for (int c = 0; c < 3; c++) box_add_point(&bounds, verts + 3 * (size_t)tri[c]);
        items[count++].tri = t;
    }
    double extent = 0;
    for (int k = 0; k < 3 && count; k++) {
        double e = (double)bounds.max[k] - (double)bounds.min[k];
        extent = e > extent ? e : extent;
    }
    double scale = extent > 0 ? 1024.0 / extent : 0;
    for (uint32_t i = 0; i < count; i++)
        items[i].code = morton_code(verts, tris + 3 * (size_t)items[i].tri, &bounds, scale);
    radix_sort(items, spare, count);

    used = number_vertices(tris, spare, count, new_number, vert_count);
    m = allocate(used, count);
    if (!m) goto done;
    copy_in_order(m, verts, tris, spare, new_number);
    m->skipped_count = tri_count - count;
    m->hash = nav_mesh_hash(verts, vert_count, tris, tri_count);
    m->bounds = bounds;
    build_boxes(m);
    *out = m;
    status = NAV_OK;
done:
    free(items);
    free(spare);
    free(new_number);
    return status;
}

void nav_mesh_destroy(nav_mesh *m)
{
    free(m);
}

typedef struct query {
    const nav_mesh *mesh;
    const float *transform;
    bool identity;
    double min[2], max[2];
    void (*visit)(void *user, uint32_t first, uint32_t count);
    void *user;
} query;

static bool box_touches(const query *q, const nav_box *b)
{
    if (q->identity)
        return (double)b->max[0] >= q->min[0] && (double)b->min[0] <= q->max[0] && (double)b->max[2] >= q->min[1] &&
               (double)b->min[2] <= q->max[1];
    for (int axis = 0; axis < 2; axis++) {
        const float *row = q->transform + 8 * axis; // rows x and z
        double centre = row[3], half = 0, size = fabs((double)row[3]);
        for (int k = 0; k < 3; k++) {
            double c = (double)row[k] * (((double)b->min[k] + (double)b->max[k]) * 0.5);
            centre += c;
            size += fabs(c);
            half += fabs((double)row[k]) * (((double)b->max[k] - (double)b->min[k]) * 0.5);
        }
        half += (size + half) * 1e-6; // the rounding of vertices to float
        if (!(centre + half >= q->min[axis] && centre - half <= q->max[axis])) return false;
    }
    return true;
}

static void descend(const query *q, int level, uint32_t node)
{
    if (!box_touches(q, &q->mesh->level[level][node])) return;
    uint32_t below = level == 0 ? q->mesh->tri_count : q->mesh->level_size[level - 1];
    uint32_t first = node * NAV_MESH_FANOUT;
    uint32_t end = below - first > NAV_MESH_FANOUT ? first + NAV_MESH_FANOUT : below;
    if (level == 0) {
        q->visit(q->user, first, end - first);
        return;
    }
    for (uint32_t c = first; c < end; c++) descend(q, level - 1, c);
}

void nav_mesh_query(const nav_mesh *m, const float transform[12], const double min_xz[2], const double max_xz[2],
                    void (*visit)(void *user, uint32_t first, uint32_t count), void *user)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    if (m->level_count == 0) return;
    query q = {m,
               transform,
               memcmp(transform, identity, sizeof identity) == 0,
               {min_xz[0], min_xz[1]},
               {max_xz[0], max_xz[1]},
               visit,
               user};
    descend(&q, m->level_count - 1, 0);
}
