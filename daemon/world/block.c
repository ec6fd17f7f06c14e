#include "daemon/world/block.h"

#include "core/geometry/tile_source.h"
#include "daemon/base/thread.h"
#include "daemon/world/areas.h"

#include <math.h>
#include <string.h>

enum { AHEAD = 8, FETCHED = 64 };

typedef struct block_object {
    const nd_object *object;
    nav_key key;
} block_object;

typedef struct pair {
    uint32_t tile, object;
} pair;

void nd_block_deinit(nd_block *b)
{
    nav_buffer_deinit(&b->found);
    nav_buffer_deinit(&b->objects);
    nav_buffer_deinit(&b->pairs);
    nav_buffer_deinit(&b->lists);
    nav_buffer_deinit(&b->keys);
    *b = (nd_block){.columns = 0};
}

static const block_object *object_at(const nd_block *b, uint32_t i)
{
    return (const block_object *)(const void *)b->objects.data + i;
}

static nav_key key_of(const nd_object *o)
{
    switch (o->kind) {
    case ND_INSTANCE:
        return nav_instance_key(&((const nd_placed *)o)->instance);
    case ND_VOLUME:
        return nav_volume_key(&((const nd_volume *)o)->volume);
    case ND_LINK:
        return nav_link_key(&((const nd_offmesh *)o)->link);
    case ND_KIND_COUNT:
        break;
    }
    return (nav_key){0, 0};
}

// Columns, or rows, that could touch [min, max]: half of one more on both sides, as rounding differs.
static void range_of(const nd_block *b, int axis, uint32_t count, double min, double max, uint32_t out[2])
{
    const double side = (double)b->settings.cell_size_m * b->settings.tile_cells;
    const double first = floor((min - b->to[0][axis]) / side + 0.5), last = ceil((max - b->from[0][axis]) / side - 0.5);
    out[0] = first > 0 ? (first < count ? (uint32_t)first : count) : 0;
    out[1] = last < 0 ? 0 : last + 1 < count ? (uint32_t)last + 1 : count;
}

static nav_status add_pairs(nd_block *b, const nd_object *o, uint32_t object)
{
    const nav_box_xz in_frame = nd_box_in_frame(&o->box, b->sheet);
    uint32_t x[2], z[2];
    range_of(b, 0, b->columns, in_frame.min[0], in_frame.max[0], x);
    range_of(b, 1, b->rows, in_frame.min[1], in_frame.max[1], z);
    for (uint32_t row = z[0]; row < z[1]; row++)
        for (uint32_t column = x[0]; column < x[1]; column++) {
            const pair p = {row * b->columns + column, object};
            if (!nd_box_touch(&o->box, &b->boxes[p.tile])) continue;
            nav_status s = nav_buffer_append(&b->pairs, &p, sizeof p);
            if (s != NAV_OK) return s;
        }
    return NAV_OK;
}

static bool note_object(void *user, uint64_t id, const nav_box_xz *box)
{
    nd_block *b = user;
    const nd_object *o = (const nd_object *)(uintptr_t)id; // the index holds addresses
    (void)box;
    b->status = nav_buffer_append(&b->found, &o, sizeof o);
    return b->status == NAV_OK;
}

static nav_status add_object(nd_block *b, const nd_object *o)
{
    if (!nd_box_touch(&o->box, &b->all)) return NAV_OK;
    const block_object entry = {o, key_of(o)};
    const uint32_t at = (uint32_t)(b->objects.size / sizeof entry);
    nav_status s = nav_buffer_append(&b->objects, &entry, sizeof entry);
    if (s == NAV_OK) s = add_pairs(b, o, at);
    if (o->kind == ND_INSTANCE && (!b->has_anchor || nav_key_less(entry.key, b->anchor))) {
        b->anchor = entry.key;
        b->has_anchor = true;
    }
    return s;
}

// They lie anywhere in memory: the processor fetches those that come next.
static nav_status add_objects(nd_block *b)
{
    const nd_object *const *found = (const nd_object *const *)(const void *)b->found.data;
    const size_t count = b->found.size / sizeof *found;
    nav_status s = NAV_OK;
    for (size_t i = 0; i < count && s == NAV_OK; i++) {
        const nd_object *next = found[i + AHEAD < count ? i + AHEAD : i];
        for (size_t at = 0; at < sizeof(nd_placed); at += FETCHED) __builtin_prefetch((const char *)next + at);
        s = add_object(b, found[i]);
    }
    return s;
}

// Instances first, then volumes, then links: as they were found.
static nav_status sort_pairs(nd_block *b)
{
    const pair *pairs = (const pair *)(const void *)b->pairs.data;
    const size_t count = b->pairs.size / sizeof *pairs;
    const uint32_t tiles = b->columns * b->rows;
    b->lists.size = 0;
    nav_status s = nav_buffer_reserve(&b->lists, count * sizeof(uint32_t));
    if (s != NAV_OK) return s;
    uint32_t *lists = (uint32_t *)(void *)b->lists.data, at[ND_BLOCK_SIDE * ND_BLOCK_SIDE];
    memset(b->begins, 0, sizeof b->begins);
    for (size_t i = 0; i < count; i++) b->begins[pairs[i].tile + 1]++;
    for (uint32_t t = 0; t < tiles; t++) {
        b->begins[t + 1] += b->begins[t];
        at[t] = b->begins[t];
    }
    for (size_t i = 0; i < count; i++) lists[at[pairs[i].tile]++] = pairs[i].object;
    return NAV_OK;
}

static void set_boxes(nd_block *b)
{
    b->all = nd_no_box;
    const uint32_t longest = b->columns > b->rows ? b->columns : b->rows;
    for (uint32_t i = 0; i < longest; i++)
        nav_tile_padded_bounds(&b->settings, b->x + (int32_t)i, b->z + (int32_t)i, b->from[i], b->to[i]);
    for (uint32_t t = 0; t < b->columns * b->rows; t++) {
        const uint32_t column = t % b->columns, row = t / b->columns;
        const double from[2] = {b->from[column][0], b->from[row][1]}, to[2] = {b->to[column][0], b->to[row][1]};
        nd_box_out_of_frame(b->sheet, from, to, &b->boxes[t]);
        nd_box_widen(&b->all, &b->boxes[t]);
    }
}

nav_status nd_block_collect(nd_block *b, const nd_world *w, uint32_t profile, int32_t x, int32_t z, uint32_t columns,
                            uint32_t rows)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world_settings(w, profile, &b->settings);
    b->sheet = b->settings.sheet;
    b->x = x;
    b->z = z;
    b->columns = columns;
    b->rows = rows;
    b->bounded = w->include_count > 0;
    b->found.size = b->objects.size = b->pairs.size = 0;
    b->has_anchor = false;
    b->anchor = (nav_key){0, 0};
    b->status = NAV_OK;
    set_boxes(b);
    for (int k = 0; k < ND_KIND_COUNT && b->status == NAV_OK; k++) {
        nd_box box = b->all;
        if (k == ND_LINK && b->sheet != NAV_SHEET_UP) break; // links are between floors
        if (k == ND_INSTANCE) nd_box_clip_xz(&box, &w->extent);
        nav_spatial_index_query(&w->index[k], &box.xz, note_object, b);
    }
    nav_status s = b->status == NAV_OK ? add_objects(b) : b->status;
    return s == NAV_OK ? sort_pairs(b) : s;
}

typedef struct looked {
    nav_key sum, links;
    bool has_ground, included, lost, linked;
    uint32_t instances;
} looked;

static void look_at(const nd_block *b, const block_object *at, int32_t x, int32_t z, const double from[2],
                    const double to[2], looked *l)
{
    const nd_object *o = at->object;
    if (o->kind == ND_INSTANCE) {
        l->sum = nav_key_add(l->sum, at->key);
        l->lost |= ((const nd_placed *)o)->mesh->state == ND_MESH_LOST;
        if (!l->has_ground) l->has_ground = nd_tile_may_have_ground(&b->settings, &o->box, x, z);
        l->instances++;
    } else if (o->kind == ND_VOLUME) {
        const nav_volume *v = &((const nd_volume *)o)->volume;
        if (!nav_volume_touches_tile(v, b->sheet, from, to)) return;
        l->sum = nav_key_add(l->sum, at->key);
        l->included |= v->include;
    } else if (nav_link_in_tile(&((const nd_offmesh *)o)->link, &b->settings, x, z)) {
        l->links = nav_key_add(l->links, at->key);
        l->linked = true;
    }
}

bool nd_block_look(const nd_block *b, uint32_t tile, nd_block_tile *out)
{
    const uint32_t column = tile % b->columns, row = tile / b->columns;
    const int32_t x = b->x + (int32_t)column, z = b->z + (int32_t)row;
    const double from[2] = {b->from[column][0], b->from[row][1]}, to[2] = {b->to[column][0], b->to[row][1]};
    const uint32_t *list = (const uint32_t *)(const void *)b->lists.data;
    looked l = {.has_ground = b->settings.sheets == NAV_SHEETS_UP};
    if (b->bounded) l.sum = nav_bounded_key();
    for (uint32_t i = b->begins[tile]; i < b->begins[tile + 1]; i++)
        look_at(b, object_at(b, list[i]), x, z, from, to, &l);
    if (!l.instances || !l.has_ground || (b->bounded && !l.included)) return false;
    const nav_key settings = nav_settings_key(&b->settings, x, z);
    out->bare = out->whole = nav_key_join(settings, l.sum);
    if (l.linked) out->whole = nav_key_join(settings, nav_key_add(l.sum, l.links));
    out->linked = l.linked;
    out->lost = l.lost;
    return true;
}

nav_status nd_block_view(nd_block *b, uint32_t tile, nd_view *v)
{
    const uint32_t *list = (const uint32_t *)(const void *)b->lists.data;
    nav_status s = NAV_OK;
    nd_view_begin(v, &b->settings, b->x + (int32_t)(tile % b->columns), b->z + (int32_t)(tile / b->columns));
    v->box = b->boxes[tile];
    v->source.bounded = b->bounded;
    b->keys.size = 0;
    for (uint32_t i = b->begins[tile]; i < b->begins[tile + 1] && s == NAV_OK; i++) {
        const block_object *at = object_at(b, list[i]);
        const nd_placed *p = (const nd_placed *)at->object;
        if (at->object->kind == ND_INSTANCE) {
            s = nd_view_add_instance(v, p->mesh, &p->instance);
            if (s == NAV_OK) s = nav_buffer_append(&b->keys, &at->key, sizeof at->key);
        } else if (at->object->kind == ND_VOLUME) {
            s = nd_view_add_volume(v, &((const nd_volume *)at->object)->volume);
        }
    }
    v->keys = (const nav_key *)(const void *)b->keys.data;
    return s;
}
