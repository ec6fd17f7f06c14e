// world.sync: a source's whole list, in as many messages as it takes.
#include "clients/c/client.h"
#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_BYTES = 1024 }; // for what else is in a message

typedef struct columns {
    uint8_t *ids, *meshes, *transforms, *areas, *names; // one allocation, at ids
    bool named;                                         // some object has a name: all of the list's are sent
    size_t longest_name, name_bytes;                    // name_bytes: of those that are filled in
} columns;

static void store_transform(const float transform[12], uint8_t *out)
{
    uint8_t bytes[48];
    for (size_t k = 0; k < 12; k++) nav_store_f32(bytes + 4 * k, transform[k]);
    memcpy(out, bytes, sizeof bytes);
}

// Column by column: gcc 12 makes one loop of all four that reads transforms as if they were aligned.
static void fill(columns *to, const navd_sync_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) nav_store_u64(to->ids + 8 * i, objects[i].id);
    for (size_t i = 0; i < count; i++) memcpy(to->meshes + 16 * i, objects[i].mesh.bytes, 16);
    for (size_t i = 0; i < count; i++) store_transform(objects[i].transform, to->transforms + 48 * i);
    for (size_t i = 0; i < count; i++) to->areas[i] = objects[i].area;
    to->name_bytes = 0;
    for (size_t i = 0; to->named && i < count; i++) {
        size_t size = objects[i].name ? strlen(objects[i].name) : 0; // as measured: it fits into a byte
        to->names[to->name_bytes++] = (uint8_t)size;
        if (size) memcpy(to->names + to->name_bytes, objects[i].name, size);
        to->name_bytes += size;
    }
}

// Whether there are names, and how long the longest is. False: too long.
static bool measure_names(columns *at, const navd_sync_request *request, size_t *wrong)
{
    for (size_t i = 0; i < request->count; i++) {
        const char *name = request->objects[i].name;
        size_t size = name ? strlen(name) : 0;
        at->named |= name != NULL;
        if (size > at->longest_name) at->longest_name = size;
        *wrong = i;
        if (size > NP_NAME_BYTES) return false;
    }
    return true;
}

static uint64_t *copy_ids(np_bin ids)
{
    uint64_t *out = malloc(ids.size + sizeof *out);
    for (uint32_t i = 0; out && i < ids.size / 8; i++) out[i] = nav_load_u64(ids.data + 8 * (size_t)i);
    return out;
}

static nav_status take_ids(np_bin from, navd_ids *to)
{
    to->count = from.size / 8;
    to->ids = copy_ids(from);
    return to->ids ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status take_sync(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_sync_response a;
    navd_sync_result *r = out;
    nav_status s = np_decode_world_sync_response(in, &a, err);
    if (s != NAV_OK) return s;
    *r = (navd_sync_result){.complete = a.complete,
                            .applied = a.applied,
                            .revision = a.revision,
                            .dirty_tiles = a.dirty_tiles,
                            .durable = a.durable,
                            .added = a.added,
                            .changed = a.changed,
                            .moved = a.moved,
                            .renamed = a.renamed,
                            .removed = a.removed,
                            .unchanged = a.unchanged,
                            .missing_count = a.missing_count};
    c->sync.kept = a.kept;
    if (a.renamed_from.size != a.renamed_to.size)
        return np_error_set(err, NAV_ERR_FORMAT, "world.sync answered with renamed ids that are no pairs");
    r->missing = calloc(a.missing_count + (size_t)1, sizeof *r->missing);
    if (!r->missing) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < a.missing_count; i++) nav_key_store(a.missing[i], r->missing[i].bytes);
    if (s == NAV_OK) s = take_ids(a.added_ids, &r->added_ids);
    if (s == NAV_OK) s = take_ids(a.changed_ids, &r->changed_ids);
    if (s == NAV_OK) s = take_ids(a.moved_ids, &r->moved_ids);
    if (s == NAV_OK) s = take_ids(a.renamed_from, &r->renamed_from);
    if (s == NAV_OK) s = take_ids(a.renamed_to, &r->renamed_to);
    if (s == NAV_OK) s = take_ids(a.removed_ids, &r->removed_ids);
    return s;
}

void navd_sync_result_free(navd_sync_result *r)
{
    free(r->missing);
    free(r->added_ids.ids);
    free(r->changed_ids.ids);
    free(r->moved_ids.ids);
    free(r->renamed_from.ids);
    free(r->renamed_to.ids);
    free(r->removed_ids.ids);
    *r = (navd_sync_result){0};
}

// Columns for `part` objects at once.
static bool columns_init(columns *at, size_t part)
{
    at->ids = malloc((part + 1) * (NP_SYNC_OBJECT_BYTES + 1 + at->longest_name));
    if (!at->ids) return false;
    at->meshes = at->ids + 8 * part;
    at->transforms = at->meshes + 16 * part;
    at->areas = at->transforms + 48 * part;
    at->names = at->areas + part;
    return true;
}

// Of the source's name, the world and all objects.
static nav_key key_of_list(columns *at, const navd_sync_request *request, size_t part)
{
    struct {
        nav_key source, objects;
        uint64_t world, count;
    } all = {.source = nav_key_of(request->source, strlen(request->source)),
             .world = request->world,
             .count = request->count};
    for (size_t from = 0; from < request->count; from += part) {
        size_t left = request->count - from, count = left < part ? left : part;
        fill(at, request->objects + from, count);
        const nav_key parts[] = {all.objects,
                                 nav_key_of(at->ids, 8 * count),
                                 nav_key_of(at->meshes, 16 * count),
                                 nav_key_of(at->transforms, 48 * count),
                                 nav_key_of(at->areas, count),
                                 nav_key_of(at->names, at->name_bytes)};
        all.objects = nav_key_of(parts, sizeof parts);
    }
    return nav_key_of(&all, sizeof all);
}

static navd_status send_part(navd_client *c, np_world_sync_request *r, const columns *at, size_t count,
                             navd_sync_result *out)
{
    r->ids = (np_bin){at->ids, (uint32_t)(8 * count)};
    r->meshes = (np_bin){at->meshes, (uint32_t)(16 * count)};
    r->transforms = (np_bin){at->transforms, (uint32_t)(48 * count)};
    r->areas = (np_bin){at->areas, (uint32_t)count};
    r->has_names = at->named && count;
    r->names = (np_bin){at->names, count ? (uint32_t)at->name_bytes : 0};
    nav_status s = np_encode_world_sync_request(&c->out, navd_client_next_id(c), r);
    navd_sync_result_free(out);
    c->sync.kept = false;
    navd_status status = navd_client_finish(c, s, take_sync, out);
    r->offset += count;
    return status;
}

static navd_status send_list(navd_client *c, np_world_sync_request *r, const navd_sync_request *request, columns *at,
                             size_t part, navd_sync_result *out)
{
    navd_status status;
    r->offset = 0;
    do {
        size_t left = request->count - (size_t)r->offset, count = left < part ? left : part;
        fill(at, request->objects + r->offset, count);
        r->more = count < left;
        status = send_part(c, r, at, count, out);
    } while (status == NAVD_OK && r->more);
    return status;
}

navd_status navd_sync(navd_client *c, const navd_sync_request *request, navd_sync_result *out)
{
    *out = (navd_sync_result){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    uint64_t room = c->limits.message_bytes > 2 * ROOM_BYTES ? c->limits.message_bytes - ROOM_BYTES : ROOM_BYTES;
    columns at = {.named = false};
    size_t wrong = 0;
    if (!measure_names(&at, request, &wrong))
        return navd_client_fail(c, NAV_ERR_ARGUMENT, "the name of object %zu has %zu bytes, at most %d are allowed",
                                wrong, strlen(request->objects[wrong].name), NP_NAME_BYTES);
    size_t most = (size_t)(room / (NP_SYNC_OBJECT_BYTES + 1 + at.longest_name));
    size_t part = request->count < most ? request->count : most;
    if (!columns_init(&at, part)) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    np_world_sync_request r = {.world = request->world,
                               .source = np_str_of(request->source),
                               .has_base_revision = request->base_revision != NULL,
                               .base_revision = request->base_revision ? *request->base_revision : 0,
                               .dry_run = request->dry_run,
                               .adopt = request->adopt,
                               .offset = request->count};
    navd_status status = NAVD_ERR_STATE;
    if (c->sync.kept && nav_key_equal(c->sync.list, key_of_list(&at, request, part)))
        status = send_part(c, &r, &at, 0, out);
    if (status == NAVD_ERR_STATE) status = send_list(c, &r, request, &at, part, out); // it has none, or not any more
    if (status == NAVD_OK && c->sync.kept) c->sync.list = key_of_list(&at, request, part);
    free(at.ids);
    if (status == NAVD_OK && !out->complete)
        status = navd_client_fail(c, NAV_ERR_FORMAT, "the daemon waits for more of a list that it has all of");
    if (status != NAVD_OK) navd_sync_result_free(out);
    return status;
}
