#include "daemon/store/records.h"

#include "core/base/endian.h"
#include "daemon/world/areas.h"
#include "daemon/world/reach.h"
#include "protocol/frame.h"

#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1,
    MESH_AREAS = 2,  // of a mesh's head: its bytes have areas
    MESH_DIGEST = 3, // of a mesh's head: a byte with its form, then its SHA-256
    MESH_FORM = 4,   // of a mesh's head: a byte with its form, which is neither of those before
    PUT = 0,
    DELETE = 1,
    DELETE_ALL = 2, // whose keys begin with this one
    DELETE_OLD = 3, // of those, tiles that are gone since the revision that is the value, or before
    ENTRY_HEAD = 8,
    OBJECT_KEY = 17,
    TILE_KEY = 20,
    TILE_VALUE = 52,
    TILE_CHANGED = 44, // its place in there
    MESH_HEAD_VALUE = 49,
    MESH_DIGEST_VALUE = MESH_HEAD_VALUE + 1 + NP_DIGEST_BYTES,
};

const char *const nd_record_tables[ND_RECORD_TABLES] = {
    "heads", "heads.revision", "info", "mesh_heads", "mesh_spaces", "meshes", "objects", "tiles",
};

// --- changes: table, what, key bytes (16), value bytes (32), key, value ---

static nav_status append_entry(nav_buffer *change, unsigned table, uint8_t what, nd_bytes key, nd_bytes value)
{
    uint8_t head[ENTRY_HEAD] = {(uint8_t)table, what};
    if (value.size > UINT32_MAX) return NAV_ERR_LIMIT;
    nav_store_u16(head + 2, (uint16_t)key.size);
    nav_store_u32(head + 4, (uint32_t)value.size);
    nav_status s = nav_buffer_reserve(change, ENTRY_HEAD + key.size + value.size); // whole or not at all
    if (s == NAV_OK) s = nav_buffer_append(change, head, sizeof head);
    if (s == NAV_OK) s = nav_buffer_append(change, key.data, key.size);
    if (s == NAV_OK && value.size) s = nav_buffer_append(change, value.data, value.size);
    return s;
}

nav_status nd_change_put(nav_buffer *change, unsigned table, nd_bytes key, nd_bytes value)
{
    return append_entry(change, table, PUT, key, value);
}

static bool has_form(nd_bytes value, size_t bytes)
{
    return value.size == bytes && ((const uint8_t *)value.data)[0] == VERSION;
}

static bool is_removed_tile(nd_bytes value, uint64_t up_to)
{
    const uint8_t *v = value.data;
    return has_form(value, TILE_VALUE) && v[1] == NP_TILE_REMOVED && nav_load_u64(v + TILE_CHANGED) <= up_to;
}

// old: NULL for all; else see DELETE_OLD.
static nav_status delete_all(nd_txn *txn, unsigned table, nd_bytes prefix, const uint64_t *old)
{
    nd_cursor *c;
    nd_bytes key, value;
    nav_status s = nd_cursor_open(txn, table, &c);
    if (s != NAV_OK) return s;
    s = nd_cursor_seek(c, prefix, &key, &value);
    while (s == NAV_OK || s == NAV_ERR_FORMAT) { // damaged ones as well
        if (key.size < prefix.size || memcmp(key.data, prefix.data, prefix.size)) break;
        bool goes = !old || s == NAV_ERR_FORMAT || is_removed_tile(value, *old);
        s = goes ? nd_cursor_delete(c) : NAV_OK;
        if (s == NAV_OK) s = nd_cursor_next(c, &key, &value);
    }
    nd_cursor_close(c);
    return s == NAV_ERR_NOT_FOUND || s == NAV_ERR_FORMAT ? NAV_OK : s;
}

nav_status nd_change_apply(const nav_buffer *change, nd_txn *txn)
{
    nav_status s = NAV_OK;
    for (size_t at = 0; at < change->size && s == NAV_OK;) {
        const uint8_t *e = change->data + at;
        nd_bytes key = {e + ENTRY_HEAD, nav_load_u16(e + 2)};
        nd_bytes value = {e + ENTRY_HEAD + key.size, nav_load_u32(e + 4)};
        switch (e[1]) {
        case PUT:
            s = nd_txn_put(txn, e[0], key, value);
            break;
        case DELETE:
            s = nd_txn_delete(txn, e[0], key);
            break;
        case DELETE_ALL:
            s = delete_all(txn, e[0], key, NULL);
            break;
        default: {
            uint64_t old = nav_load_u64(value.data);
            s = delete_all(txn, e[0], key, &old);
        }
        }
        at += ENTRY_HEAD + key.size + value.size;
    }
    return s;
}

nav_status nd_change_next(nd_bytes change, size_t *at, nd_record *out)
{
    const size_t left = change.size - *at;
    if (!left) return NAV_ERR_NOT_FOUND;
    const uint8_t *e = (const uint8_t *)change.data + *at;
    if (left < ENTRY_HEAD) return NAV_ERR_FORMAT;
    const size_t key = nav_load_u16(e + 2), value = nav_load_u32(e + 4);
    if (e[0] >= ND_RECORD_TABLES || e[1] > DELETE_OLD || left - ENTRY_HEAD < key || left - ENTRY_HEAD - key < value)
        return NAV_ERR_FORMAT;
    *out = (nd_record){e[0], e[1] != PUT, {e + ENTRY_HEAD, key}, {e + ENTRY_HEAD + key, value}};
    *at += ENTRY_HEAD + key + value;
    return NAV_OK;
}

nav_status nd_change_copy(nav_buffer *change, const nd_record *r)
{
    return append_entry(change, r->table, r->removes ? DELETE_ALL : PUT, r->key, r->value);
}

// --- keys ---

static void store_be(uint8_t *out, uint64_t v, int bytes)
{
    for (int i = bytes; i-- > 0; v >>= 8) out[i] = (uint8_t)v;
}

static uint64_t load_be(const uint8_t *in, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | in[i];
    return v;
}

// Places below zero come first.
static uint32_t biased(int32_t v)
{
    return (uint32_t)v ^ 0x80000000u;
}

static nav_status wrong_form(nd_bytes value)
{
    return value.size && ((const uint8_t *)value.data)[0] != VERSION ? NAV_ERR_VERSION : NAV_ERR_FORMAT;
}

// --- worlds ---

static nav_status encode_head(nav_buffer *out, const nd_world *w, const double origin_m[3], const np_profile *profiles,
                              uint32_t count)
{
    np_seed seeds[NAV_MAX_SEEDS];
    size_t length = strlen(w->space->name);
    uint8_t head[2] = {VERSION, (uint8_t)length};
    np_world_open_request r = {
        .name = np_str_of(w->name), .create = true, .profile_count = count, .profiles = profiles};
    memcpy(r.origin_m, origin_m, sizeof r.origin_m);
    r.has_reach = nd_goal_is_on(&w->goal);
    r.reach = nd_goal_to_wire(&w->goal, seeds);
    r.build = w->build;
    r.area_count = w->areas ? w->areas->count : 0;
    r.areas = w->areas ? w->areas->list : NULL;
    nav_status s = nav_buffer_append(out, head, sizeof head);
    if (s == NAV_OK) s = nav_buffer_append(out, w->space->name, length);
    return s == NAV_OK ? np_encode_world_open_request(out, 0, &r) : s;
}

static nav_status put_head(nav_buffer *change, const nd_world *w, const double origin_m[3], const np_profile *profiles,
                           uint32_t count)
{
    nav_buffer value = {0};
    uint8_t key[8];
    np_profile *stored = malloc((count + (size_t)1) * sizeof *stored);
    if (!stored) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        stored[i] = profiles[i];
        np_profile_store(&stored[i]);
    }
    store_be(key, w->id, 8);
    nav_status s = encode_head(&value, w, origin_m, stored, count);
    free(stored);
    if (s == NAV_OK) s = nd_change_put(change, ND_HEADS, (nd_bytes){key, 8}, (nd_bytes){value.data, value.size});
    nav_buffer_deinit(&value);
    return s;
}

nav_status nd_change_head(nav_buffer *change, const nd_world *w)
{
    uint32_t count = 0;
    np_profile *profiles = malloc((w->profile_count + (size_t)1) * sizeof *profiles);
    if (!profiles) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < w->profile_count; i++) {
        if (!nd_profile_is_live(w, i)) continue;
        profiles[count] = w->profiles[i].wire;
        profiles[count].has_slot = true;
        profiles[count++].slot = i;
    }
    nav_status s = put_head(change, w, w->origin_m, profiles, count);
    free(profiles);
    return s;
}

nav_status nd_change_head_to(nav_buffer *change, const nd_world *w, const nd_profile_list *profiles)
{
    return put_head(change, w, profiles->origin_m, profiles->profiles, profiles->count);
}

nav_status nd_read_head(nd_bytes value, char *space, np_message *m, np_world_open_request *request)
{
    const uint8_t *p = value.data;
    memset(m, 0, sizeof *m);
    if (value.size < 2 || p[0] != VERSION) return wrong_form(value);
    size_t length = p[1];
    if (length >= ND_NAMESPACE_BYTES || length > value.size - 2) return NAV_ERR_FORMAT;
    memcpy(space, p + 2, length);
    space[length] = 0;
    if (!nd_namespace_name_is_valid(space, length)) return NAV_ERR_FORMAT;
    const uint8_t *message = p + 2 + length;
    size_t count = value.size - 2 - length;
    np_limits limits;
    np_scan scan = {0};
    char why[NP_WHY_BYTES];
    np_limits_default(&limits);
    nav_status s = np_scan_run(&scan, &limits, message, count, why, sizeof why);
    if (s != NAV_OK || scan.at != count) return NAV_ERR_FORMAT;
    np_error err;
    s = np_message_read(message, count, m, &err);
    if (s == NAV_OK && (m->kind != NP_REQUEST || np_method_of(m) != NP_WORLD_OPEN)) s = NAV_ERR_FORMAT;
    if (s == NAV_OK) s = np_decode_world_open_request(m, request, &err);
    for (uint32_t i = 0; i < request->profile_count && s == NAV_OK; i++)
        np_profile_restore((np_profile *)&request->profiles[i]); // in the message's zone
    return s;
}

nav_status nd_read_world_key(nd_bytes key, uint64_t *world)
{
    if (key.size != 8) return NAV_ERR_FORMAT;
    *world = load_be(key.data, 8);
    return *world ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_change_revision(nav_buffer *change, uint64_t world, uint64_t revision, uint64_t horizon)
{
    uint8_t key[8], value[17] = {VERSION};
    store_be(key, world, 8);
    nav_store_u64(value + 1, revision);
    nav_store_u64(value + 9, horizon);
    return nd_change_put(change, ND_REVISIONS, (nd_bytes){key, 8}, (nd_bytes){value, sizeof value});
}

nav_status nd_read_revision(nd_bytes value, uint64_t *revision, uint64_t *horizon)
{
    if (!has_form(value, 17)) return wrong_form(value);
    *revision = nav_load_u64((const uint8_t *)value.data + 1);
    *horizon = nav_load_u64((const uint8_t *)value.data + 9);
    return NAV_OK;
}

nav_status nd_change_remove_world(nav_buffer *change, uint64_t world)
{
    static const unsigned tables[] = {ND_HEADS, ND_REVISIONS, ND_OBJECTS, ND_TILES};
    uint8_t key[8];
    nav_status s = NAV_OK;
    store_be(key, world, 8);
    for (size_t i = 0; i < 4 && s == NAV_OK; i++)
        s = append_entry(change, tables[i], DELETE_ALL, (nd_bytes){key, 8}, (nd_bytes){0});
    return s;
}

nav_status nd_change_info(nav_buffer *change, const nd_store_info *info)
{
    uint8_t value[10] = {VERSION, info->clean};
    nav_store_u64(value + 2, info->next_world);
    return nd_change_put(change, ND_INFO, (nd_bytes){"state", 5}, (nd_bytes){value, sizeof value});
}

nav_status nd_read_info(nd_bytes value, nd_store_info *info)
{
    const uint8_t *p = value.data;
    if (!has_form(value, 10)) return wrong_form(value);
    *info = (nd_store_info){.clean = p[1] == 1, .next_world = nav_load_u64(p + 2)};
    return NAV_OK;
}

nav_status nd_change_log_id(nav_buffer *change, nav_key id)
{
    uint8_t value[1 + NAV_KEY_BYTES] = {VERSION};
    nav_key_store(id, value + 1);
    return nd_change_put(change, ND_INFO, (nd_bytes){"log", 3}, (nd_bytes){value, sizeof value});
}

nav_status nd_read_log_id(nd_bytes value, nav_key *id)
{
    if (!has_form(value, 1 + NAV_KEY_BYTES)) return wrong_form(value);
    *id = nav_key_load((const uint8_t *)value.data + 1);
    return NAV_OK;
}

// --- objects ---

static void object_key(uint8_t key[OBJECT_KEY], uint64_t world, nd_kind kind, uint64_t id)
{
    store_be(key, world, 8);
    key[8] = (uint8_t)kind;
    store_be(key + 9, id, 8);
}

nd_kind nd_kind_of_op(const np_op *op)
{
    switch (op->kind) {
    case NP_OP_PUT_INSTANCE:
    case NP_OP_REMOVE_INSTANCE:
        return ND_INSTANCE;
    case NP_OP_PUT_VOLUME:
    case NP_OP_REMOVE_VOLUME:
        return ND_VOLUME;
    default:
        return ND_LINK;
    }
}

np_op nd_removal_of(nd_kind kind, uint64_t id)
{
    static const np_op_kind removals[] = {
        [ND_INSTANCE] = NP_OP_REMOVE_INSTANCE, [ND_VOLUME] = NP_OP_REMOVE_VOLUME, [ND_LINK] = NP_OP_REMOVE_LINK};
    return (np_op){.kind = removals[kind], .id = id};
}

nav_status nd_change_object(nav_buffer *change, uint64_t world, const np_op *object)
{
    // The value is written straight behind its head, whose size is filled in afterwards.
    uint8_t key[OBJECT_KEY], version = VERSION;
    size_t began = change->size;
    object_key(key, world, nd_kind_of_op(object), object->id);
    nav_status s = append_entry(change, ND_OBJECTS, PUT, (nd_bytes){key, sizeof key}, (nd_bytes){&version, 1});
    if (s == NAV_OK) s = np_object_encode(change, object);
    if (s == NAV_OK)
        nav_store_u32(change->data + began + 4, (uint32_t)(change->size - began - ENTRY_HEAD - sizeof key));
    else
        change->size = began;
    return s;
}

nav_status nd_change_remove_object(nav_buffer *change, uint64_t world, nd_kind kind, uint64_t id)
{
    uint8_t key[OBJECT_KEY];
    object_key(key, world, kind, id);
    return append_entry(change, ND_OBJECTS, DELETE, (nd_bytes){key, sizeof key}, (nd_bytes){0});
}

nav_status nd_read_object_key(nd_bytes key, uint64_t *world, nd_kind *kind, uint64_t *id)
{
    const uint8_t *k = key.data;
    if (key.size != OBJECT_KEY || k[8] >= ND_KIND_COUNT) return NAV_ERR_FORMAT;
    *world = load_be(k, 8);
    *kind = (nd_kind)k[8];
    *id = load_be(k + 9, 8);
    return NAV_OK;
}

nav_status nd_read_object(nd_bytes key, nd_bytes value, uint64_t *world, np_op *object)
{
    const uint8_t *k = key.data, *v = value.data;
    np_error err;
    if (key.size != OBJECT_KEY) return NAV_ERR_FORMAT;
    *world = load_be(k, 8);
    if (!value.size || v[0] != VERSION) return wrong_form(value);
    nav_status s = np_object_decode(v + 1, value.size - 1, object, &err);
    if (s != NAV_OK) return s;
    return k[8] == nd_kind_of_op(object) && load_be(k + 9, 8) == object->id ? NAV_OK : NAV_ERR_FORMAT;
}

// --- tiles ---

nav_status nd_change_tile(nav_buffer *change, const nd_tile_place *at, const nd_tile_result *r)
{
    uint8_t key[TILE_KEY], value[TILE_VALUE] = {VERSION, (uint8_t)r->status};
    store_be(key, at->world, 8);
    store_be(key + 8, at->profile, 4);
    store_be(key + 12, biased(at->x), 4);
    store_be(key + 16, biased(at->z), 4);
    nav_store_u16(value + 2, (uint16_t)r->failure.status);
    nav_key_store(r->source, value + 4);
    nav_key_store(r->content, value + 20);
    nav_store_u64(value + 36, r->revision);
    nav_store_u64(value + TILE_CHANGED, r->changed);
    return nd_change_put(change, ND_TILES, (nd_bytes){key, sizeof key}, (nd_bytes){value, sizeof value});
}

nav_status nd_change_remove_tiles(nav_buffer *change, uint64_t world, uint32_t slot)
{
    uint8_t key[12];
    store_be(key, world, 8);
    store_be(key + 8, slot, 4);
    return append_entry(change, ND_TILES, DELETE_ALL, (nd_bytes){key, sizeof key}, (nd_bytes){0});
}

nav_status nd_change_forget_removed(nav_buffer *change, uint64_t world, uint64_t horizon)
{
    uint8_t key[8], value[8];
    store_be(key, world, 8);
    nav_store_u64(value, horizon);
    return append_entry(change, ND_TILES, DELETE_OLD, (nd_bytes){key, 8}, (nd_bytes){value, 8});
}

nav_status nd_read_tile(nd_bytes key, nd_bytes value, nd_tile_place *at, nd_tile_result *r)
{
    const uint8_t *k = key.data, *v = value.data;
    if (key.size != TILE_KEY || !has_form(value, TILE_VALUE)) return wrong_form(value);
    *at = (nd_tile_place){.world = load_be(k, 8),
                          .profile = (uint32_t)load_be(k + 8, 4),
                          .x = (int32_t)biased((int32_t)(uint32_t)load_be(k + 12, 4)),
                          .z = (int32_t)biased((int32_t)(uint32_t)load_be(k + 16, 4))};
    *r = (nd_tile_result){.status = (np_tile_status)v[1],
                          .failure = nd_reason_of((nav_status)nav_load_u16(v + 2)), // the cache knows the rest
                          .source = nav_key_load(v + 4),
                          .content = nav_key_load(v + 20),
                          .revision = nav_load_u64(v + 36),
                          .changed = nav_load_u64(v + TILE_CHANGED)};
    return v[1] <= NP_TILE_REMOVED && r->failure.status < NAV_STATUS_COUNT ? NAV_OK : NAV_ERR_FORMAT;
}

// --- meshes ---

nd_mesh_head nd_mesh_head_of(const nd_mesh *m)
{
    return (nd_mesh_head){.vertices = m->vertices,
                          .triangles = m->triangles,
                          .form = m->form,
                          .kept = m->mesh->tri_count,
                          .skipped = m->mesh->skipped_count,
                          .bounds = m->mesh->bounds,
                          .bytes = m->mesh->bytes,
                          .has_digest = m->has_digest,
                          .digest = m->digest};
}

nav_status nd_change_mesh(nav_buffer *change, nav_key hash, const nd_mesh_head *h)
{
    uint8_t key[NAV_KEY_BYTES], value[MESH_DIGEST_VALUE];
    const bool has_form_byte = h->has_digest || h->form > NP_MESH_AREAS;
    value[0] = h->has_digest ? MESH_DIGEST : has_form_byte ? MESH_FORM : h->form ? MESH_AREAS : VERSION;
    nav_key_store(hash, key);
    nav_store_u32(value + 1, h->vertices);
    nav_store_u32(value + 5, h->triangles);
    nav_store_u32(value + 9, h->kept);
    nav_store_u32(value + 13, h->skipped);
    for (int k = 0; k < 3; k++) {
        nav_store_f32(value + 17 + 4 * k, h->bounds.min[k]);
        nav_store_f32(value + 29 + 4 * k, h->bounds.max[k]);
    }
    nav_store_u64(value + 41, h->bytes);
    value[MESH_HEAD_VALUE] = h->form;
    memcpy(value + MESH_HEAD_VALUE + 1, h->digest.bytes, NP_DIGEST_BYTES);
    size_t size = h->has_digest ? MESH_DIGEST_VALUE : MESH_HEAD_VALUE + has_form_byte;
    return nd_change_put(change, ND_MESH_HEADS, (nd_bytes){key, sizeof key}, (nd_bytes){value, size});
}

nav_status nd_write_mesh(nd_txn *txn, nav_key hash, nd_bytes bytes)
{
    uint8_t key[NAV_KEY_BYTES];
    nav_key_store(hash, key);
    return nd_txn_put(txn, ND_MESHES, (nd_bytes){key, sizeof key}, bytes);
}

nav_status nd_read_mesh_head(nd_bytes key, nd_bytes value, nav_key *hash, nd_mesh_head *h)
{
    const uint8_t *v = value.data;
    const bool has_digest = value.size == MESH_DIGEST_VALUE && v[0] == MESH_DIGEST;
    const bool has_form_byte = has_digest || (value.size == MESH_HEAD_VALUE + 1 && v[0] == MESH_FORM);
    const bool has_areas = value.size == MESH_HEAD_VALUE && v[0] == MESH_AREAS;
    if (key.size != NAV_KEY_BYTES || !(has_form_byte || has_areas || has_form(value, MESH_HEAD_VALUE)) ||
        (has_form_byte && !np_mesh_form_is_known(v[MESH_HEAD_VALUE])))
        return wrong_form(value);
    *hash = nav_key_load(key.data);
    *h = (nd_mesh_head){.vertices = nav_load_u32(v + 1),
                        .triangles = nav_load_u32(v + 5),
                        .form = has_form_byte ? v[MESH_HEAD_VALUE]
                                : has_areas   ? NP_MESH_AREAS
                                              : 0,
                        .kept = nav_load_u32(v + 9),
                        .skipped = nav_load_u32(v + 13),
                        .bytes = nav_load_u64(v + 41),
                        .has_digest = has_digest};
    if (has_digest) memcpy(h->digest.bytes, v + MESH_HEAD_VALUE + 1, NP_DIGEST_BYTES);
    for (int k = 0; k < 3; k++) {
        h->bounds.min[k] = nav_load_f32(v + 17 + 4 * k);
        h->bounds.max[k] = nav_load_f32(v + 29 + 4 * k);
    }
    return NAV_OK;
}

nav_status nd_change_mesh_space(nav_buffer *change, nav_key hash, const char *space)
{
    uint8_t key[NAV_KEY_BYTES + ND_NAMESPACE_BYTES];
    size_t length = strlen(space);
    nav_key_store(hash, key);
    memcpy(key + NAV_KEY_BYTES, space, length);
    return nd_change_put(change, ND_MESH_SPACES, (nd_bytes){key, NAV_KEY_BYTES + length}, (nd_bytes){0});
}

nav_status nd_read_mesh_space(nd_bytes key, nav_key *hash, char *space)
{
    if (key.size <= NAV_KEY_BYTES || key.size >= NAV_KEY_BYTES + ND_NAMESPACE_BYTES) return NAV_ERR_FORMAT;
    size_t length = key.size - NAV_KEY_BYTES;
    *hash = nav_key_load(key.data);
    memcpy(space, (const uint8_t *)key.data + NAV_KEY_BYTES, length);
    space[length] = 0;
    return nd_namespace_name_is_valid(space, length) ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_change_remove_mesh(nav_buffer *change, nav_key hash)
{
    static const unsigned tables[] = {ND_MESH_HEADS, ND_MESH_SPACES, ND_MESHES};
    uint8_t key[NAV_KEY_BYTES];
    nav_status s = NAV_OK;
    nav_key_store(hash, key);
    for (size_t i = 0; i < 3 && s == NAV_OK; i++)
        s = append_entry(change, tables[i], DELETE_ALL, (nd_bytes){key, sizeof key}, (nd_bytes){0});
    return s;
}
