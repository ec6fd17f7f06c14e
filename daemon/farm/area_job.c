// Writing (area_job.h). What a view has is looked up by a key of its content in one hash table, and written where it is
// new. A tile that makes the job too large is taken back: all lists are cut to where they ended before it.
#include "daemon/farm/area_job.h"

#include "daemon/farm/area_format.h"
#include "daemon/farm/note.h"

#include "core/base/endian.h"
#include "core/base/varint.h"
#include "core/geometry/tile_source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10, LIST_ROOM = 64 * 1024 };

typedef struct known {
    nav_key key;
    uint32_t index; // in the table of its kind
} known;

const float nd_area_identity[12] = NAV_TRANSFORM_IDENTITY;

uint32_t nd_area_transform_bits(const float transform[12])
{
    uint32_t bits = 0;
    for (int k = 0; k < 12; k++)
        if (memcmp(&transform[k], &nd_area_identity[k], sizeof transform[k]) != 0) bits |= 1u << k;
    return bits;
}

nav_key nd_area_sum(const uint8_t *bytes, size_t count)
{
    const nav_key head = nav_key_of(bytes, ND_AREA_SUM_AT);
    return nav_key_join(head, nav_key_of(bytes + ND_AREA_LEVEL_AT, count - ND_AREA_LEVEL_AT));
}

nav_key nd_area_key(const nav_settings *settings, int32_t block_x, int32_t block_z, uint8_t wanted, nav_key anchor)
{
    uint8_t r[NAV_KEY_BYTES + 2] = {0};
    nav_key_store(anchor, r);
    r[NAV_KEY_BYTES] = 'a';
    r[NAV_KEY_BYTES + 1] = wanted;
    return nav_key_join(nav_settings_key(settings, block_x, block_z), nav_key_of(r, sizeof r));
}

// --- what is in it ---

static size_t known_count(const nd_area_writer *w)
{
    return w->known.size / sizeof(known);
}

static const known *known_at(const nd_area_writer *w, size_t i)
{
    return (const known *)(const void *)w->known.data + i;
}

// Where the key is, or could be.
static uint32_t *slot_of(const nd_area_writer *w, nav_key key)
{
    const uint32_t mask = (1u << w->slot_bits) - 1;
    uint32_t at = (uint32_t)key.low & mask;
    while (w->slots[at] && !nav_key_equal(known_at(w, w->slots[at] - 1)->key, key)) at = (at + 1) & mask;
    return &w->slots[at];
}

static void fill_slots(nd_area_writer *w)
{
    memset(w->slots, 0, sizeof *w->slots << w->slot_bits);
    for (uint32_t i = 0; i < known_count(w); i++) *slot_of(w, known_at(w, i)->key) = i + 1;
}

static nav_status set_slots(nd_area_writer *w, uint32_t bits)
{
    uint32_t *slots = realloc(w->slots, sizeof *slots << bits);
    if (!slots) return NAV_ERR_MEMORY;
    w->slots = slots;
    w->slot_bits = bits;
    fill_slots(w);
    return NAV_OK;
}

// The number of what has the key. *is_new: it gets number `next` now, and is to be written.
static nav_status find_or_add(nd_area_writer *w, nav_key key, uint32_t next, uint32_t *index, bool *is_new)
{
    uint32_t *slot = slot_of(w, key);
    *is_new = !*slot;
    if (*slot) {
        *index = known_at(w, *slot - 1)->index;
        return NAV_OK;
    }
    nav_status s = NAV_OK;
    if (2 * (known_count(w) + 1) > (size_t)1 << w->slot_bits) {
        s = set_slots(w, w->slot_bits + 1);
        if (s != NAV_OK) return s;
        slot = slot_of(w, key);
    }
    const known k = {key, next};
    s = nav_buffer_append(&w->known, &k, sizeof k);
    if (s != NAV_OK) return s;
    *slot = (uint32_t)known_count(w);
    *index = next;
    return NAV_OK;
}

static nav_status append_varint(nav_buffer *to, uint64_t v)
{
    nav_status s = nav_buffer_reserve(to, NAV_VARINT_BYTES);
    if (s == NAV_OK) to->size += nav_varint_store(to->data + to->size, v);
    return s;
}

static nav_status add_mesh(nd_area_writer *w, nd_mesh *mesh, uint32_t *index)
{
    bool is_new;
    uint8_t hash[NAV_KEY_BYTES];
    nav_status s = find_or_add(w, mesh->mesh->hash, w->mesh_count, index, &is_new);
    if (s != NAV_OK || !is_new) return s;
    nav_key_store(mesh->mesh->hash, hash);
    s = nav_buffer_append(&w->meshes, hash, sizeof hash);
    if (s == NAV_OK) s = nav_buffer_append(&w->mesh_list, &mesh, sizeof(nd_mesh *));
    if (s == NAV_OK) w->mesh_count++;
    return s;
}

static nav_status write_instance(nd_area_writer *w, uint32_t mesh, const nav_instance *in)
{
    nav_status s = nav_buffer_reserve(&w->instances, NAV_VARINT_BYTES + 3 + sizeof in->transform);
    if (s != NAV_OK) return s;
    const uint32_t bits = nd_area_transform_bits(in->transform);
    uint8_t *at = w->instances.data + w->instances.size;
    at += nav_varint_store(at, mesh);
    *at++ = in->area;
    nav_store_u16(at, (uint16_t)bits);
    at += 2;
    for (int k = 0; k < 12; k++) {
        if (!(bits >> k & 1)) continue;
        nav_store_f32(at, in->transform[k]);
        at += 4;
    }
    w->instances.size = (size_t)(at - w->instances.data);
    w->instance_count++;
    return NAV_OK;
}

static nav_status add_instance(nd_area_writer *w, nd_mesh *mesh, const nav_instance *in, nav_key key, uint32_t *index)
{
    bool is_new;
    uint32_t mesh_index;
    nav_status s = find_or_add(w, key, w->instance_count, index, &is_new);
    if (s != NAV_OK || !is_new) return s;
    s = add_mesh(w, mesh, &mesh_index);
    return s == NAV_OK ? write_instance(w, mesh_index, in) : s;
}

static nav_status add_volume(nd_area_writer *w, const nav_volume *v, uint32_t *index)
{
    bool is_new;
    assert(v->point_count <= NAV_VOLUME_MAX_POINTS);
    uint8_t r[12 + 8 * NAV_VOLUME_MAX_POINTS] = {v->area, v->include, (uint8_t)v->point_count, 'v'};
    nav_store_f32(r + 4, v->min_y);
    nav_store_f32(r + 8, v->max_y);
    for (uint32_t i = 0; i < 2 * v->point_count; i++) nav_store_f32(r + 12 + 4 * i, v->points[i]);
    const size_t bytes = 12 + 8 * (size_t)v->point_count;
    nav_status s = find_or_add(w, nav_key_of(r, bytes), w->volume_count, index, &is_new);
    if (s != NAV_OK || !is_new) return s;
    r[3] = 0;
    s = nav_buffer_append(&w->volumes, r, bytes);
    if (s == NAV_OK) w->volume_count++;
    return s;
}

static nav_status append_index(nav_buffer *to, uint32_t index, uint32_t *before)
{
    nav_status s = append_varint(to, nav_zigzag((int32_t)(index - *before)));
    *before = index;
    return s;
}

static nav_status add_tile(nd_area_writer *w, const nd_view *view, nav_key source)
{
    const nav_tile_source *in = &view->source;
    uint8_t head[ND_AREA_TILE_BYTES - 2];
    const int32_t column = in->tile_x - ND_AREA_SIDE * w->head.block_x;
    const int32_t row = in->tile_z - ND_AREA_SIDE * w->head.block_z;
    assert(column >= 0 && column < ND_AREA_SIDE && row >= 0 && row < ND_AREA_SIDE);
    head[0] = (uint8_t)(row * ND_AREA_SIDE + column);
    head[1] = in->bounded ? ND_AREA_BOUNDED : 0;
    nav_key_store(source, head + 2);
    nav_status s = nav_buffer_append(&w->tiles, head, sizeof head);
    if (s == NAV_OK) s = append_varint(&w->tiles, in->instance_count);
    for (uint32_t i = 0, before = 0, index = 0; i < in->instance_count && s == NAV_OK; i++) {
        const nav_key key = view->keys ? view->keys[i] : nav_instance_key(&in->instances[i]);
        s = add_instance(w, view->meshes[i], &in->instances[i], key, &index);
        if (s == NAV_OK) s = append_index(&w->tiles, index, &before);
    }
    if (s == NAV_OK) s = append_varint(&w->tiles, in->volume_count);
    for (uint32_t i = 0, before = 0, index = 0; i < in->volume_count && s == NAV_OK; i++) {
        s = add_volume(w, &in->volumes[i], &index);
        if (s == NAV_OK) s = append_index(&w->tiles, index, &before);
    }
    if (s == NAV_OK) w->tile_count++;
    return s;
}

static bool is_too_large(const nd_area_writer *w)
{
    size_t bytes = w->meshes.size + w->instances.size + w->volumes.size + w->tiles.size;
    return bytes + LIST_ROOM > ND_AREA_JOB_BYTES || w->instance_count > ND_AREA_OBJECTS ||
           w->volume_count > ND_AREA_OBJECTS || w->tile_count > ND_AREA_TILES;
}

nav_status nd_area_writer_begin(nd_area_writer *w, const nd_area_head *head)
{
    w->head = *head;
    w->meshes.size = w->instances.size = w->volumes.size = w->tiles.size = w->mesh_list.size = w->known.size = 0;
    w->mesh_count = w->instance_count = w->volume_count = w->tile_count = 0;
    if (!w->slots) return set_slots(w, FIRST_BITS);
    fill_slots(w);
    return NAV_OK;
}

nav_status nd_area_writer_add(nd_area_writer *w, const nd_view *view, nav_key source)
{
    const nd_area_writer before = *w;
    nav_status s = add_tile(w, view, source);
    if (s == NAV_OK && is_too_large(w)) s = NAV_ERR_LIMIT;
    if (s == NAV_OK) return NAV_OK;
    w->meshes.size = before.meshes.size;
    w->instances.size = before.instances.size;
    w->volumes.size = before.volumes.size;
    w->tiles.size = before.tiles.size;
    w->mesh_list.size = before.mesh_list.size;
    w->known.size = before.known.size;
    w->mesh_count = before.mesh_count;
    w->instance_count = before.instance_count;
    w->volume_count = before.volume_count;
    w->tile_count = before.tile_count;
    fill_slots(w);
    return s;
}

static nav_status append_list(nav_buffer *out, uint32_t count, const nav_buffer *list)
{
    nav_status s = append_varint(out, count);
    return s == NAV_OK && list->size ? nav_buffer_append(out, list->data, list->size) : s;
}

static void store_head(const nd_area_head *h, uint8_t out[ND_AREA_HEAD_BYTES])
{
    memset(out, 0, ND_AREA_HEAD_BYTES);
    out[0] = 'N';
    out[1] = 'A';
    out[2] = ND_AREA_FORMAT;
    out[ND_AREA_WANTED_AT] = h->wanted;
    nav_store_u32(out + ND_AREA_GENERATOR_AT, h->generator);
    nav_store_u64(out + ND_AREA_JOB_AT, h->job);
    nav_store_u64(out + ND_AREA_REVISION_AT, h->revision);
    for (int i = 0; i < ND_FARM_ID_BYTES - 1; i++) {
        const char c = h->daemon[i];
        const unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        out[ND_AREA_DAEMON_AT + i / 2] |= (uint8_t)((digit & 15) << (i % 2 ? 0 : 4));
    }
    nav_key_store(h->area, out + ND_AREA_KEY_AT);
    out[ND_AREA_LEVEL_AT] = (uint8_t)h->zstd_level;
    out[ND_AREA_SHEET_AT] = (uint8_t)h->settings.sheet;
    nav_store_i32(out + ND_AREA_BLOCK_AT, h->block_x);
    nav_store_i32(out + ND_AREA_BLOCK_AT + 4, h->block_z);
}

nav_status nd_area_writer_finish(const nd_area_writer *w, nav_buffer *out)
{
    uint8_t head[ND_AREA_HEAD_BYTES];
    nav_buffer settings = {0};
    const size_t start = out->size;
    store_head(&w->head, head);
    nav_status s = nav_buffer_append(out, head, sizeof head);
    if (s == NAV_OK) s = nd_note_write(&settings, "settings", &np_schema_settings, &w->head.settings);
    if (s == NAV_OK) s = append_list(out, (uint32_t)settings.size, &settings);
    if (s == NAV_OK) s = append_list(out, w->mesh_count, &w->meshes);
    if (s == NAV_OK) s = append_list(out, w->instance_count, &w->instances);
    if (s == NAV_OK) s = append_list(out, w->volume_count, &w->volumes);
    if (s == NAV_OK) s = append_list(out, w->tile_count, &w->tiles);
    nav_buffer_deinit(&settings);
    if (s == NAV_OK)
        nav_key_store(nd_area_sum(out->data + start, out->size - start), out->data + start + ND_AREA_SUM_AT);
    else
        out->size = start;
    return s;
}

void nd_area_writer_deinit(nd_area_writer *w)
{
    nav_buffer_deinit(&w->meshes);
    nav_buffer_deinit(&w->instances);
    nav_buffer_deinit(&w->volumes);
    nav_buffer_deinit(&w->tiles);
    nav_buffer_deinit(&w->mesh_list);
    nav_buffer_deinit(&w->known);
    free(w->slots);
    *w = (nd_area_writer){0};
}
