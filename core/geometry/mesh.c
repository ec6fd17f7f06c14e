// Creation of a mesh: Morton codes of the triangles' centres, a radix sort of the codes, leaves filled in that order,
// boxes over them. Every step but the last runs over slices of the triangles, so that threads can share it; the order
// is that of a stable sort, whatever the number of slices.
#include "core/geometry/mesh.h"

#include "core/base/endian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 10, BUCKETS = 1 << DIGIT_BITS, DIGITS = 3, MOST_SLICES = 64, SLICE_TRIANGLES = 1 << 12 };

nav_key nav_mesh_hash(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count)
{
    uint8_t parts[8 + 2 * NAV_KEY_BYTES];
    nav_store_u32(parts, vert_count);
    nav_store_u32(parts + 4, tri_count);
    nav_key_store(nav_key_of(verts, (size_t)vert_count * 12), parts + 8);
    nav_key_store(nav_key_of(tris, (size_t)tri_count * 12), parts + 8 + NAV_KEY_BYTES);
    return nav_key_of(parts, sizeof parts);
}

typedef struct sort_item {
    uint32_t code, tri;
} sort_item;

typedef struct slice {
    nav_box bounds;
    uint32_t first, count;  // items
    uint32_t next[BUCKETS]; // of a radix pass: items in a bucket, then where the next one goes
} slice;

typedef struct creation {
    const nav_parallel *parallel;
    const float *verts;
    const uint32_t *tris;
    uint32_t vert_count, tri_count;
    slice *slices;
    int slice_count;
    sort_item *items, *spare;
    uint32_t count; // items
    int shift;      // of the radix pass at hand
    nav_box bounds;
    double scale;
    nav_key hash;
    nav_mesh *mesh;
} creation;

static void box_clear(nav_box *b)
{
    for (int k = 0; k < 3; k++) {
        b->min[k] = INFINITY;
        b->max[k] = -INFINITY;
    }
}

static void box_add(nav_box *b, const float *low, const float *high)
{
    for (int k = 0; k < 3; k++) {
        b->min[k] = low[k] < b->min[k] ? low[k] : b->min[k];
        b->max[k] = high[k] > b->max[k] ? high[k] : b->max[k];
    }
}

// Where slice s of `of` things begins.
static uint32_t slice_begin(const creation *c, int s, uint32_t of)
{
    return (uint32_t)((uint64_t)of * (uint64_t)s / (uint64_t)c->slice_count);
}

static bool triangle_is_usable(const creation *c, const uint32_t *tri)
{
    for (int k = 0; k < 3; k++) {
        if (tri[k] >= c->vert_count) return false;
        const float *p = c->verts + 3 * (size_t)tri[k];
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return false;
    }
    return true;
}

// Lists the usable triangles of a slice where the slice begins: the lists are joined by the first pass of the sort.
static void list_triangles(void *state, int s)
{
    creation *c = state;
    if (s == c->slice_count) { // beside the slices: it needs nothing of them
        c->hash = nav_mesh_hash(c->verts, c->vert_count, c->tris, c->tri_count);
        return;
    }
    slice *own = &c->slices[s];
    uint32_t first = slice_begin(c, s, c->tri_count), end = slice_begin(c, s + 1, c->tri_count);
    box_clear(&own->bounds);
    own->first = first;
    own->count = 0;
    for (uint32_t t = first; t < end; t++) {
        const uint32_t *tri = c->tris + 3 * (size_t)t;
        if (!triangle_is_usable(c, tri)) continue;
        for (int k = 0; k < 3; k++) {
            const float *p = c->verts + 3 * (size_t)tri[k];
            box_add(&own->bounds, p, p);
        }
        c->items[first + own->count++].tri = t;
    }
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

static void count_digits(creation *c, slice *own)
{
    memset(own->next, 0, sizeof own->next);
    for (uint32_t i = 0; i < own->count; i++) own->next[c->items[own->first + i].code >> c->shift & (BUCKETS - 1)]++;
}

static void find_codes(void *state, int s)
{
    creation *c = state;
    slice *own = &c->slices[s];
    for (uint32_t i = 0; i < own->count; i++) {
        sort_item *item = &c->items[own->first + i];
        const uint32_t *tri = c->tris + 3 * (size_t)item->tri;
        item->code = 0;
        for (int k = 0; k < 3; k++) {
            double sum = (double)c->verts[3 * (size_t)tri[0] + (size_t)k] +
                         (double)c->verts[3 * (size_t)tri[1] + (size_t)k] +
                         (double)c->verts[3 * (size_t)tri[2] + (size_t)k];
            double at = (sum * (1.0 / 3.0) - (double)c->bounds.min[k]) * c->scale;
            uint32_t cell = at <= 0 ? 0 : at >= 1023 ? 1023 : (uint32_t)at;
            item->code |= spread_bits(cell) << k;
        }
    }
    count_digits(c, own);
}

static void count_slice(void *state, int s)
{
    creation *c = state;
    slice *own = &c->slices[s];
    own->first = slice_begin(c, s, c->count);
    own->count = slice_begin(c, s + 1, c->count) - own->first;
    count_digits(c, own);
}

static void scatter(void *state, int s)
{
    creation *c = state;
    slice *own = &c->slices[s];
    for (uint32_t i = 0; i < own->count; i++) {
        const sort_item item = c->items[own->first + i];
        c->spare[own->next[item.code >> c->shift & (BUCKETS - 1)]++] = item;
    }
}

// One pass of the sort, whose digits have been counted.
static void sort_by_digit(creation *c)
{
    uint32_t total = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (int s = 0; s < c->slice_count; s++) {
            uint32_t n = c->slices[s].next[b];
            c->slices[s].next[b] = total;
            total += n;
        }
    nav_parallel_run(c->parallel, scatter, c, c->slice_count);
    sort_item *t = c->items;
    c->items = c->spare;
    c->spare = t;
}

// Boxes of the groups [first, end) of the lowest level, with their leaves.
static void fill_leaves(void *state, int s)
{
    creation *c = state;
    nav_mesh *m = c->mesh;
    nav_mesh_leaf *leaves = (nav_mesh_leaf *)m->leaves;
    nav_mesh_boxes *boxes = (nav_mesh_boxes *)m->level[0];
    const uint32_t leaf_count = (c->count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
    const uint32_t group_count = (leaf_count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
    for (uint32_t j = slice_begin(c, s, group_count) * NAV_MESH_FANOUT,
                  end = slice_begin(c, s + 1, group_count) * NAV_MESH_FANOUT;
         j < end; j++) {
        nav_box box;
        box_clear(&box);
        if (j < leaf_count) {
            nav_mesh_leaf *leaf = &leaves[j];
            uint32_t first = j * NAV_MESH_FANOUT, n = c->count - first;
            if (n > NAV_MESH_FANOUT) n = NAV_MESH_FANOUT;
            if (n < NAV_MESH_FANOUT) *leaf = (nav_mesh_leaf){0};
            for (uint32_t i = 0; i < n; i++) {
                const uint32_t *tri = c->tris + 3 * (size_t)c->items[first + i].tri;
                for (int k = 0; k < 3; k++) {
                    const float *p = c->verts + 3 * (size_t)tri[k];
                    for (int axis = 0; axis < 3; axis++) leaf->at[3 * k + axis][i] = p[axis];
                    box_add(&box, p, p);
                }
            }
        }
        nav_mesh_boxes *group = &boxes[j / NAV_MESH_FANOUT];
        for (int k = 0; k < 3; k++) {
            group->min[k][j % NAV_MESH_FANOUT] = box.min[k];
            group->max[k][j % NAV_MESH_FANOUT] = box.max[k];
        }
    }
}

// The levels above the lowest; the bounds of all.
static void fill_levels(nav_mesh *m, uint32_t group_count)
{
    box_clear(&m->bounds);
    for (int l = 0; l < m->level_count; l++) {
        const nav_mesh_boxes *groups = m->level[l];
        nav_mesh_boxes *above = l + 1 < m->level_count ? (nav_mesh_boxes *)m->level[l + 1] : NULL;
        uint32_t places = (group_count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT * NAV_MESH_FANOUT;
        for (uint32_t g = 0; g < places; g++) {
            nav_box box;
            box_clear(&box);
            for (int i = 0; g < group_count && i < NAV_MESH_FANOUT; i++) {
                const float low[3] = {groups[g].min[0][i], groups[g].min[1][i], groups[g].min[2][i]};
                const float high[3] = {groups[g].max[0][i], groups[g].max[1][i], groups[g].max[2][i]};
                box_add(&box, low, high);
            }
            for (int k = 0; k < 3 && above; k++) {
                above[g / NAV_MESH_FANOUT].min[k][g % NAV_MESH_FANOUT] = box.min[k];
                above[g / NAV_MESH_FANOUT].max[k][g % NAV_MESH_FANOUT] = box.max[k];
            }
            if (!above) box_add(&m->bounds, box.min, box.max);
        }
        group_count = places / NAV_MESH_FANOUT;
    }
}

// One block of memory holds the mesh, its leaves and boxes. Sets the number of groups of the lowest level.
static nav_mesh *allocate(uint32_t tri_count, uint32_t *group_count)
{
    enum { ALIGN = 64 };
    nav_mesh layout = {.tri_count = tri_count};
    uint32_t leaf_count = (tri_count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT, groups[NAV_MESH_MAX_LEVELS];
    size_t group_sum = 0;
    for (uint32_t n = leaf_count; n > 0;) {
        n = (n + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
        groups[layout.level_count++] = n;
        group_sum += n;
        if (n == 1) break;
    }
    const size_t head = (sizeof layout + ALIGN - 1) / ALIGN * ALIGN, box_bytes = group_sum * sizeof(nav_mesh_boxes);
    layout.bytes = (head + box_bytes + leaf_count * sizeof(nav_mesh_leaf) + ALIGN - 1) / ALIGN * ALIGN;
    nav_mesh *m = aligned_alloc(ALIGN, layout.bytes);
    if (!m) return NULL;
    *m = layout;
    nav_mesh_boxes *boxes = (nav_mesh_boxes *)((unsigned char *)m + head);
    for (int l = 0; l < m->level_count; l++) {
        m->level[l] = boxes;
        boxes += groups[l];
    }
    m->leaves = (const nav_mesh_leaf *)boxes;
    *group_count = m->level_count ? groups[0] : 0;
    return m;
}

// Joins what the slices found.
static void sum_up(creation *c)
{
    double extent = 0;
    box_clear(&c->bounds);
    for (int s = 0; s < c->slice_count; s++) {
        box_add(&c->bounds, c->slices[s].bounds.min, c->slices[s].bounds.max);
        c->count += c->slices[s].count;
    }
    for (int k = 0; k < 3 && c->count; k++) {
        double e = (double)c->bounds.max[k] - (double)c->bounds.min[k];
        extent = e > extent ? e : extent;
    }
    c->scale = extent > 0 ? 1024.0 / extent : 0;
}

nav_status nav_mesh_create_in_parallel(const nav_parallel *parallel, const float *verts, uint32_t vert_count,
                                       const uint32_t *tris, uint32_t tri_count, nav_mesh **out)
{
    *out = NULL;
    if (tri_count > NAV_MESH_MAX_TRIANGLES) return NAV_ERR_LIMIT;
    nav_status status = NAV_ERR_MEMORY;
    creation c = {.parallel = parallel,
                  .verts = verts,
                  .tris = tris,
                  .vert_count = vert_count,
                  .tri_count = tri_count,
                  .slice_count = 1};
    if (parallel && parallel->threads > 1) {
        uint32_t slices = tri_count / SLICE_TRIANGLES, most = 4u * (uint32_t)parallel->threads;
        most = most > MOST_SLICES ? MOST_SLICES : most;
        c.slice_count = slices > most ? (int)most : slices ? (int)slices : 1;
    }
    const size_t places = tri_count ? tri_count : 1;
    c.slices = malloc((size_t)c.slice_count * sizeof *c.slices);
    c.items = malloc(places * sizeof *c.items);
    c.spare = malloc(places * sizeof *c.spare);
    uint32_t group_count;
    if (!c.slices || !c.items || !c.spare) goto done;

    nav_parallel_run(parallel, list_triangles, &c, c.slice_count + 1);
    sum_up(&c);
    c.mesh = allocate(c.count, &group_count);
    if (!c.mesh) goto done;
    nav_parallel_run(parallel, find_codes, &c, c.slice_count);
    sort_by_digit(&c);
    for (int digit = 1; digit < DIGITS; digit++) {
        c.shift = digit * DIGIT_BITS;
        nav_parallel_run(parallel, count_slice, &c, c.slice_count);
        sort_by_digit(&c);
    }
    nav_parallel_run(parallel, fill_leaves, &c, c.slice_count);
    fill_levels(c.mesh, group_count);
    c.mesh->skipped_count = tri_count - c.count;
    c.mesh->hash = c.hash;
    *out = c.mesh;
    status = NAV_OK;
done:
    free(c.slices);
    free(c.items);
    free(c.spare);
    return status;
}

nav_status nav_mesh_create(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                           nav_mesh **out)
{
    return nav_mesh_create_in_parallel(NULL, verts, vert_count, tris, tri_count, out);
}

void nav_mesh_destroy(nav_mesh *m)
{
    free(m);
}
