// Creation of a mesh: Morton codes of the triangles' centres, a radix sort of the codes, leaves filled in that order,
// boxes over them. Every step but the last runs over slices, so that threads can share it; the order is that of a
// stable sort, whatever the number of slices.
//
// A code has as many bits as the number of triangles is worth, and each bit halves the longest side of what is left of
// the bounds: flat ground spends none on heights, and two passes sort any mesh.
#include "core/geometry/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGIT_BITS = 11, BUCKETS = 1 << MOST_DIGIT_BITS, MOST_SLICES = 64, SLICE_TRIANGLES = 1 << 12 };

uint32_t nav_mesh_find_bad_area(const uint8_t *areas, uint32_t tri_count)
{
    uint32_t i = 0;
    while (i < tri_count && (areas[i] < NAV_AREA_COUNT || areas[i] == NAV_AREA_INHERIT)) i++;
    return i;
}

typedef struct sort_item {
    uint32_t code, tri;
} sort_item;

typedef struct slice {
    nav_box bounds;        // of its vertices
    uint32_t first, count; // items
    bool all_finite;
    uint32_t next[BUCKETS]; // of a radix pass: items in a bucket, then where the next one goes
} slice;

typedef struct creation {
    const nav_parallel *parallel;
    const float *verts;
    const uint32_t *tris;
    const uint8_t *areas; // NULL: none
    uint32_t vert_count, tri_count;
    slice *slices;
    int slice_count;
    bool all_finite;
    float low[3], scale[3];      // a centre's place along an axis: times three, less low, times scale
    float places[3];             // how many there are along an axis
    uint32_t spread[3][BUCKETS]; // bits of the code for a place
    sort_item *items, *spare;
    uint32_t count;                // items
    int digit_bits, digits, shift; // of a radix pass; shift: of the one at hand
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

// Bounds of the vertices that are finite.
static void bound_vertices(void *state, int s)
{
    creation *c = state;
    if (s == c->slice_count) { // beside the slices: it needs nothing of them
        c->hash = nav_mesh_hash_with_areas(c->verts, c->vert_count, c->tris, c->tri_count, c->areas);
        return;
    }
    slice *own = &c->slices[s];
    nav_box box;
    box_clear(&box);
    own->all_finite = true;
    for (uint32_t v = slice_begin(c, s, c->vert_count), end = slice_begin(c, s + 1, c->vert_count); v < end; v++) {
        const float *p = c->verts + 3 * (size_t)v;
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))
            box_add(&box, p, p);
        else
            own->all_finite = false;
    }
    own->bounds = box;
}

static void choose_codes(creation *c)
{
    nav_box bounds;
    double side[3];
    int bits[3] = {0}, axis_of[2 * MOST_DIGIT_BITS], total = 4;
    while (total < 2 * MOST_DIGIT_BITS && c->tri_count >> (total - 4)) total++;
    box_clear(&bounds);
    c->all_finite = true;
    for (int s = 0; s < c->slice_count; s++) {
        box_add(&bounds, c->slices[s].bounds.min, c->slices[s].bounds.max);
        c->all_finite = c->all_finite && c->slices[s].all_finite;
    }
    for (int k = 0; k < 3; k++) side[k] = fmax(0, (double)bounds.max[k] - (double)bounds.min[k]);
    for (int i = 0; i < total; i++) { // from the highest bit down
        int axis = -1;
        for (int k = 0; k < 3; k++)
            if (bits[k] < MOST_DIGIT_BITS && (axis < 0 || side[k] > side[axis])) axis = k;
        axis_of[i] = axis;
        bits[axis]++;
        side[axis] /= 2;
    }
    for (int k = 0; k < 3; k++) {
        double extent = (double)bounds.max[k] - (double)bounds.min[k];
        c->places[k] = (float)(1 << bits[k]);
        c->low[k] = (float)(3 * (double)bounds.min[k]);
        c->scale[k] = extent > 0 ? (float)((double)c->places[k] / (3 * extent)) : 0;
        for (uint32_t place = 0; place < 1u << bits[k]; place++) {
            uint32_t code = 0, left = place << (32 - bits[k]) % 32;
            for (int i = 0; i < total && bits[k]; i++) {
                if (axis_of[i] != k) continue;
                code |= left >> 31 << (total - 1 - i);
                left <<= 1;
            }
            c->spread[k][place] = code;
        }
    }
    c->digits = total > MOST_DIGIT_BITS ? 2 : 1;
    c->digit_bits = (total + c->digits - 1) / c->digits;
}

static bool triangle_is_usable(const creation *c, const uint32_t *tri)
{
    if (tri[0] >= c->vert_count || tri[1] >= c->vert_count || tri[2] >= c->vert_count) return false;
    for (int k = 0; k < 3 && !c->all_finite; k++) {
        const float *p = c->verts + 3 * (size_t)tri[k];
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return false;
    }
    return true;
}

// Lists the usable triangles of a slice where the slice begins: the lists are joined by the first pass of the sort.
static void list_triangles(void *state, int s)
{
    creation *c = state;
    slice *own = &c->slices[s];
    uint32_t end = slice_begin(c, s + 1, c->tri_count), count = 0;
    own->first = slice_begin(c, s, c->tri_count);
    sort_item *items = c->items + own->first;
    const uint32_t mask = (1u << c->digit_bits) - 1;
    memset(own->next, 0, sizeof own->next);
    for (uint32_t t = own->first; t < end; t++) {
        const uint32_t *tri = c->tris + 3 * (size_t)t;
        if (!triangle_is_usable(c, tri)) continue;
        const float *p = c->verts + 3 * (size_t)tri[0], *q = c->verts + 3 * (size_t)tri[1],
                    *r = c->verts + 3 * (size_t)tri[2];
        uint32_t code = 0;
        for (int k = 0; k < 3; k++) {
            float at = (p[k] + q[k] + r[k] - c->low[k]) * c->scale[k];
            float last = c->places[k] - 1;
            at = at > 0 ? at : 0; // what is no number, too
            code |= c->spread[k][(uint32_t)(at < last ? at : last)];
        }
        items[count++] = (sort_item){code, t};
        own->next[code & mask]++;
    }
    own->count = count;
}

static void count_slice(void *state, int s)
{
    creation *c = state;
    slice *own = &c->slices[s];
    own->first = slice_begin(c, s, c->count);
    own->count = slice_begin(c, s + 1, c->count) - own->first;
    memset(own->next, 0, sizeof own->next);
    for (uint32_t i = 0; i < own->count; i++) own->next[c->items[own->first + i].code >> c->shift]++;
}

static void scatter(void *state, int s)
{
    creation *c = state;
    slice *own = &c->slices[s];
    const uint32_t mask = (1u << c->digit_bits) - 1;
    for (uint32_t i = 0; i < own->count; i++) {
        const sort_item item = c->items[own->first + i];
        c->spare[own->next[item.code >> c->shift & mask]++] = item;
    }
}

// One pass of the sort, whose digits have been counted.
static void sort_by_digit(creation *c)
{
    uint32_t total = 0;
    for (int b = 0; b < 1 << c->digit_bits; b++)
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

// Four numbers side by side; may_alias: they are those of an array.
typedef float f32x4 __attribute__((vector_size(16), may_alias));
typedef int32_t i32x4 __attribute__((vector_size(16), may_alias));
#define WHERE(yes, a, b) ((f32x4)(((i32x4)(a) & (yes)) | ((i32x4)(b) & ~(yes))))
#define LOWER(a, b) WHERE((a) < (b), a, b)
#define HIGHER(a, b) WHERE((a) > (b), a, b)

// The box of a leaf that is full.
static void bound_leaf(const nav_mesh_leaf *leaf, nav_box *out)
{
    for (int k = 0; k < 3; k++) {
        const f32x4 *first = (const f32x4 *)leaf->at[k];
        f32x4 low = LOWER(first[0], first[1]), high = HIGHER(first[0], first[1]);
        for (int c = 1; c < 3; c++) {
            const f32x4 *at = (const f32x4 *)leaf->at[3 * c + k];
            low = LOWER(low, at[0]);
            low = LOWER(low, at[1]);
            high = HIGHER(high, at[0]);
            high = HIGHER(high, at[1]);
        }
        low = LOWER(low, __builtin_shufflevector(low, low, 2, 3, 0, 1));
        low = LOWER(low, __builtin_shufflevector(low, low, 1, 0, 3, 2));
        high = HIGHER(high, __builtin_shufflevector(high, high, 2, 3, 0, 1));
        high = HIGHER(high, __builtin_shufflevector(high, high, 1, 0, 3, 2));
        out->min[k] = low[0];
        out->max[k] = high[0];
    }
}

static void fill_leaf(const creation *c, const sort_item *items, int count, nav_mesh_leaf *leaf, nav_box *box)
{
    if (count < NAV_MESH_FANOUT) *leaf = (nav_mesh_leaf){0};
    for (int i = 0; i < count; i++) {
        const uint32_t *tri = c->tris + 3 * (size_t)items[i].tri;
        for (int k = 0; k < 3; k++) {
            const float *p = c->verts + 3 * (size_t)tri[k];
            for (int axis = 0; axis < 3; axis++) leaf->at[3 * k + axis][i] = p[axis];
            if (count < NAV_MESH_FANOUT) box_add(box, p, p);
        }
    }
    if (count == NAV_MESH_FANOUT) bound_leaf(leaf, box);
}

static void fill_areas(const creation *c, const sort_item *items, int count, uint8_t *areas)
{
    for (int i = 0; i < NAV_MESH_FANOUT; i++) areas[i] = i < count ? c->areas[items[i].tri] : NAV_AREA_NONE;
}

// A slice of the groups of the lowest tier, with their leaves.
static void fill_groups(void *state, int s)
{
    enum { AHEAD = 16 }; // triangles: their corners lie anywhere
    creation *c = state;
    nav_mesh_leaf *leaves = (nav_mesh_leaf *)c->mesh->leaves;
    uint8_t *areas = (uint8_t *)c->mesh->areas;
    nav_mesh_boxes *groups = (nav_mesh_boxes *)c->mesh->tier[0];
    const uint32_t leaf_count = (c->count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
    const uint32_t group_count = (leaf_count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
    uint32_t j = slice_begin(c, s, group_count) * NAV_MESH_FANOUT;
    for (uint32_t end = slice_begin(c, s + 1, group_count) * NAV_MESH_FANOUT; j < end; j++) {
        nav_box box;
        box_clear(&box);
        if (j < leaf_count) {
            const uint32_t first = j * NAV_MESH_FANOUT, left = c->count - first;
            for (uint32_t i = AHEAD; i < AHEAD + NAV_MESH_FANOUT && i < left; i++)
                __builtin_prefetch(c->tris + 3 * (size_t)c->items[first + i].tri);
            const int count = left < NAV_MESH_FANOUT ? (int)left : NAV_MESH_FANOUT;
            fill_leaf(c, c->items + first, count, &leaves[j], &box);
            if (c->areas) fill_areas(c, c->items + first, count, areas + (size_t)j * NAV_MESH_FANOUT);
        }
        nav_mesh_boxes *group = &groups[j / NAV_MESH_FANOUT];
        for (int k = 0; k < 3; k++) {
            group->min[k][j % NAV_MESH_FANOUT] = box.min[k];
            group->max[k][j % NAV_MESH_FANOUT] = box.max[k];
        }
    }
}

// The tiers above the lowest; the bounds of all.
static void fill_tiers(nav_mesh *m, uint32_t group_count)
{
    box_clear(&m->bounds);
    for (int l = 0; l < m->tier_count; l++) {
        const nav_mesh_boxes *groups = m->tier[l];
        nav_mesh_boxes *above = l + 1 < m->tier_count ? (nav_mesh_boxes *)m->tier[l + 1] : NULL;
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

// One block of memory holds the mesh, its boxes, leaves and areas.
typedef struct layout {
    uint32_t groups[NAV_MESH_MAX_TIERS], leaf_count;
    int tier_count;
    size_t boxes_at, leaves_at, areas_at, bytes;
} layout;

static layout lay_out(uint32_t tri_count, bool has_areas)
{
    enum { ALIGN = 64 };
    layout l = {.leaf_count = (tri_count + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT};
    size_t group_sum = 0;
    for (uint32_t n = l.leaf_count; n > 0;) {
        n = (n + NAV_MESH_FANOUT - 1) / NAV_MESH_FANOUT;
        l.groups[l.tier_count++] = n;
        group_sum += n;
        if (n == 1) break;
    }
    l.boxes_at = (sizeof(nav_mesh) + ALIGN - 1) / ALIGN * ALIGN;
    l.leaves_at = l.boxes_at + group_sum * sizeof(nav_mesh_boxes);
    l.areas_at = l.leaves_at + l.leaf_count * sizeof(nav_mesh_leaf);
    l.bytes = l.areas_at + (has_areas ? (size_t)l.leaf_count * NAV_MESH_FANOUT : 0);
    l.bytes = (l.bytes + ALIGN - 1) / ALIGN * ALIGN;
    return l;
}

// The members that say where in its block everything is.
static void point_into(nav_mesh *m, const layout *l, const nav_mesh_memory *memory, bool has_areas)
{
    unsigned char *block = (unsigned char *)m;
    nav_mesh_boxes *boxes = (nav_mesh_boxes *)(block + l->boxes_at);
    memset(m->tier, 0, sizeof m->tier);
    for (int t = 0; t < l->tier_count; t++) {
        m->tier[t] = boxes;
        boxes += l->groups[t];
    }
    m->tier_count = l->tier_count;
    m->leaves = (const nav_mesh_leaf *)(block + l->leaves_at);
    m->areas = has_areas ? block + l->areas_at : NULL;
    m->bytes = l->bytes;
    m->memory = memory;
    m->heights = NULL;
}

static void *take_block(const nav_mesh_memory *memory, size_t bytes)
{
    return memory ? memory->take(memory->user, bytes) : aligned_alloc(64, bytes);
}

// Sets the number of groups of the lowest tier.
static nav_mesh *allocate(const nav_mesh_memory *memory, uint32_t tri_count, bool has_areas, uint32_t *group_count)
{
    const layout l = lay_out(tri_count, has_areas);
    nav_mesh *m = take_block(memory, l.bytes);
    if (!m) return NULL;
    *m = (nav_mesh){.tri_count = tri_count};
    point_into(m, &l, memory, has_areas);
    *group_count = l.tier_count ? l.groups[0] : 0;
    return m;
}

size_t nav_mesh_bytes(uint32_t tri_count, bool has_areas)
{
    return lay_out(tri_count, has_areas).bytes;
}

static bool is_box(const nav_box *b)
{
    for (int k = 0; k < 3; k++)
        if (!(b->min[k] <= b->max[k]) || !isfinite(b->min[k]) || !isfinite(b->max[k])) return false;
    return true;
}

nav_mesh *nav_mesh_adopt(const nav_mesh_memory *memory, void *block, uint32_t given, bool has_areas)
{
    nav_mesh *m = block;
    if (m->tri_count > given || (m->tri_count && !is_box(&m->bounds))) return NULL;
    if (!m->tri_count) box_clear(&m->bounds);
    const layout l = lay_out(m->tri_count, has_areas);
    m->skipped_count = given - m->tri_count;
    point_into(m, &l, memory, has_areas);
    return m;
}

nav_mesh *nav_mesh_copy_in(const nav_mesh_memory *memory, const void *block, uint32_t given, bool has_areas)
{
    const nav_mesh *from = block;
    if (from->tri_count > given) return NULL;
    size_t bytes = nav_mesh_bytes(from->tri_count, has_areas);
    void *own = take_block(memory, bytes);
    if (!own) return NULL;
    memcpy(own, block, bytes);
    nav_mesh *m = nav_mesh_adopt(memory, own, given, has_areas);
    if (m) return m;
    if (memory)
        memory->give(memory->user, own, bytes);
    else
        free(own);
    return NULL;
}

static nav_status create(const nav_parallel *parallel, const nav_mesh_memory *memory, const float *verts,
                         uint32_t vert_count, const uint32_t *tris, uint32_t tri_count, const uint8_t *areas,
                         nav_mesh **out)
{
    *out = NULL;
    if (tri_count > NAV_MESH_MAX_TRIANGLES) return NAV_ERR_LIMIT;
    if (areas && nav_mesh_find_bad_area(areas, tri_count) < tri_count) return NAV_ERR_ARGUMENT;
    nav_status status = NAV_ERR_MEMORY;
    creation c;
    c.parallel = parallel;
    c.verts = verts;
    c.tris = tris;
    c.areas = areas;
    c.vert_count = vert_count;
    c.tri_count = tri_count;
    c.slice_count = 1;
    c.count = 0;
    c.shift = 0;
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

    nav_parallel_run(parallel, bound_vertices, &c, c.slice_count + 1);
    choose_codes(&c);
    nav_parallel_run(parallel, list_triangles, &c, c.slice_count);
    for (int i = 0; i < c.slice_count; i++) c.count += c.slices[i].count;
    c.mesh = allocate(memory, c.count, areas != NULL, &group_count);
    if (!c.mesh) goto done;
    sort_by_digit(&c);
    if (c.digits > 1) {
        c.shift = c.digit_bits;
        nav_parallel_run(parallel, count_slice, &c, c.slice_count);
        sort_by_digit(&c);
    }
    nav_parallel_run(parallel, fill_groups, &c, c.slice_count);
    fill_tiers(c.mesh, group_count);
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

nav_status nav_mesh_create_with_areas(const nav_parallel *parallel, const float *verts, uint32_t vert_count,
                                      const uint32_t *tris, uint32_t tri_count, const uint8_t *areas, nav_mesh **out)
{
    return create(parallel, NULL, verts, vert_count, tris, tri_count, areas, out);
}

nav_status nav_mesh_create_in_parallel(const nav_parallel *parallel, const float *verts, uint32_t vert_count,
                                       const uint32_t *tris, uint32_t tri_count, nav_mesh **out)
{
    return create(parallel, NULL, verts, vert_count, tris, tri_count, NULL, out);
}

nav_status nav_mesh_create(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                           nav_mesh **out)
{
    return create(NULL, NULL, verts, vert_count, tris, tri_count, NULL, out);
}

nav_status nav_mesh_create_in(const nav_mesh_memory *memory, const float *verts, uint32_t vert_count,
                              const uint32_t *tris, uint32_t tri_count, const uint8_t *areas, nav_mesh **out)
{
    return create(NULL, memory, verts, vert_count, tris, tri_count, areas, out);
}

void nav_mesh_destroy(nav_mesh *m)
{
    if (m && m->memory)
        m->memory->give(m->memory->user, m, m->bytes);
    else
        free(m);
}

void nav_mesh_get_info(const nav_mesh *m, nav_mesh_info *out)
{
    *out = (nav_mesh_info){.key = m->hash, .triangles = m->tri_count, .skipped = m->skipped_count, .bytes = m->bytes};
    for (int k = 0; k < 3; k++) {
        out->min[k] = m->bounds.min[k];
        out->max[k] = m->bounds.max[k];
    }
}
