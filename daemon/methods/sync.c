#include "daemon/methods/sync.h"

#include "core/base/endian.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// --- the list ---

static void listing_deinit(nd_listing *l)
{
    nav_buffer_deinit(&l->ids);
    nav_buffer_deinit(&l->meshes);
    nav_buffer_deinit(&l->transforms);
    nav_buffer_deinit(&l->areas);
    nav_buffer_deinit(&l->names);
    *l = (nd_listing){.active = false};
}

// What counts against the memory for uploads.
static uint64_t held_by(const nd_listing *l)
{
    return l->count * NP_SYNC_OBJECT_BYTES + l->names.size;
}

void nd_methods_end_listing(nd_methods *methods, nd_session *s)
{
    methods->sessions->upload_bytes -= held_by(&s->listing);
    listing_deinit(&s->listing);
}

static bool is_of(const nd_listing *l, const np_world_sync_request *r)
{
    return l->active && l->world == r->world && l->source_size == r->source.size &&
           !memcmp(l->source, r->source.data, r->source.size);
}

static nav_status check_part(nd_call *c, const np_world_sync_request *r, uint64_t count)
{
    const nd_config *cfg = c->methods->config;
    const nd_listing *l = &c->session->listing;
    if (r->offset && !is_of(l, r))
        return np_error_set_key(&c->err, NAV_ERR_STATE, "offset",
                                "offset is %" PRIu64 ", but no list of this source was started", r->offset);
    if (r->offset && r->offset != l->count)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "offset",
                                "offset is %" PRIu64 ", the next object is %" PRIu64, r->offset, l->count);
    if (r->offset && count && r->has_names != l->has_names)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "names",
                                "names: some parts of the list have them and others do not: send them with all");
    if (!count && r->more) return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "ids", "ids is empty, and more follows");
    if (r->offset + count > cfg->max_objects)
        return np_error_set_key(&c->err, NAV_ERR_LIMIT, "ids",
                                "the list has %" PRIu64 " objects or more; a world may have at most %" PRIu64
                                " (--max-objects)",
                                r->offset + count, cfg->max_objects);
    uint64_t bytes = count * NP_SYNC_OBJECT_BYTES + r->names.size, held = c->methods->sessions->upload_bytes;
    if (!r->offset) held -= held_by(l); // of a list that is given up
    if (held + bytes > cfg->mesh_store_bytes)
        return np_error_set(&c->err, NAV_ERR_LIMIT,
                            "uploads in progress fill the memory for meshes (--mesh-store-bytes)");
    return nd_memory_check(c->methods->memory, bytes, &c->err);
}

static nav_status append_areas(nd_listing *l, np_bin areas, uint64_t count)
{
    if (areas.size) return nav_buffer_append(&l->areas, areas.data, areas.size);
    nav_status s = nav_buffer_reserve(&l->areas, count);
    if (s != NAV_OK) return s;
    if (count) memset(l->areas.data + l->areas.size, NAV_AREA_DEFAULT, count);
    l->areas.size += count;
    return NAV_OK;
}

static nav_status append(nd_methods *methods, nd_listing *l, const np_world_sync_request *r, uint64_t count)
{
    l->active = true;
    l->world = r->world;
    l->source_size = r->source.size; // checked: a name
    memcpy(l->source, r->source.data, r->source.size);
    nav_status s = nav_buffer_append(&l->ids, r->ids.data, r->ids.size);
    if (s == NAV_OK) s = nav_buffer_append(&l->meshes, r->meshes.data, r->meshes.size);
    if (s == NAV_OK) s = nav_buffer_append(&l->transforms, r->transforms.data, r->transforms.size);
    if (s == NAV_OK) s = append_areas(l, r->areas, count);
    if (s == NAV_OK) s = nav_buffer_reserve(&l->names, l->names.size + r->names.size + 1); // never NULL
    if (s != NAV_OK) return s;
    uint64_t held = held_by(l);
    if (!r->offset) l->has_names = r->has_names;
    if (r->names.size) memcpy(l->names.data + l->names.size, r->names.data, r->names.size);
    l->names.size += r->names.size;
    l->count += count;
    methods->sessions->upload_bytes += held_by(l) - held;
    return NAV_OK;
}

// --- the call ---

void nd_sync_call_destroy(nd_sync_call *c)
{
    if (!c) return;
    nd_sync_destroy(c->sync);
    listing_deinit(&c->list);
    for (int k = 0; k < ND_SYNC_KINDS; k++) nav_buffer_deinit(&c->ids[k]);
    free(c);
}

uint64_t nd_sync_call_changes(const nd_sync_call *c, const nd_edit *e)
{
    size_t count;
    if (nd_edit_only_compared(e)) return 0;
    (void)nd_sync_changes(c->sync, &count);
    return count;
}

static void add_id(nav_buffer *to, uint64_t id)
{
    uint8_t bytes[8];
    nav_store_u64(bytes, id);
    if (to->size < (size_t)NP_SYNC_MAX_IDS * sizeof bytes)
        (void)(nav_buffer_append(to, bytes, sizeof bytes) == NAV_OK); // one fewer that is named
}

static void name_changes(nd_sync_call *c)
{
    size_t count;
    const nd_sync_change *changes = nd_sync_changes(c->sync, &count);
    for (size_t i = 0; i < count; i++) {
        const nd_sync_change *change = &changes[i];
        if (change->kind == ND_SYNC_RENAMED_AWAY) continue; // with its twin
        bool named = change->kind == ND_SYNC_NAMED;
        if (named) add_id(&c->ids[ND_SYNC_RENAMED_AWAY], change->id);
        if (change->kind == ND_SYNC_RENAMED) add_id(&c->ids[ND_SYNC_RENAMED_AWAY], changes[change->twin].id);
        add_id(&c->ids[named ? ND_SYNC_RENAMED : change->kind], change->id);
    }
}

static np_bin ids_of(const nd_sync_call *c, nd_sync_kind kind)
{
    return (np_bin){c->ids[kind].data, (uint32_t)c->ids[kind].size};
}

// Lists that wait for meshes leave most of the memory for uploads to these meshes.
static bool keep_list(nd_sync_call *c, nd_methods *methods, nd_session *session)
{
    uint64_t bytes = held_by(&c->list);
    nd_sessions *all = methods->sessions;
    if (!session || c->dry_run || all->upload_bytes + bytes > methods->config->mesh_store_bytes / 4) return false;
    nd_methods_end_listing(methods, session);
    all->upload_bytes += bytes;
    session->listing = c->list;
    c->list = (nd_listing){.count = c->list.count};
    return true;
}

np_world_sync_response nd_sync_call_response(nd_sync_call *c, nd_methods *methods, nd_session *session,
                                             const nd_edit *e, const np_world_edit_response *edit)
{
    size_t missing;
    const nav_key *hashes = nd_sync_missing(c->sync, &missing);
    bool kept = missing && keep_list(c, methods, session);
    if (c->dry_run) name_changes(c);
    return (np_world_sync_response){.received = c->list.count,
                                    .kept = kept,
                                    .complete = true,
                                    .applied = !nd_edit_only_compared(e),
                                    .revision = edit->revision,
                                    .dirty_tiles = edit->dirty_tiles,
                                    .durable = edit->durable && !nd_edit_only_compared(e),
                                    .added = nd_sync_count(c->sync, ND_SYNC_ADDED),
                                    .changed = nd_sync_count(c->sync, ND_SYNC_CHANGED),
                                    .moved = nd_sync_count(c->sync, ND_SYNC_MOVED),
                                    .renamed =
                                        nd_sync_count(c->sync, ND_SYNC_RENAMED) + nd_sync_count(c->sync, ND_SYNC_NAMED),
                                    .removed = nd_sync_count(c->sync, ND_SYNC_REMOVED),
                                    .unchanged = nd_sync_unchanged(c->sync),
                                    .missing_count = (uint32_t)missing,
                                    .missing = hashes,
                                    .added_ids = ids_of(c, ND_SYNC_ADDED),
                                    .changed_ids = ids_of(c, ND_SYNC_CHANGED),
                                    .moved_ids = ids_of(c, ND_SYNC_MOVED),
                                    .renamed_from = ids_of(c, ND_SYNC_RENAMED_AWAY),
                                    .renamed_to = ids_of(c, ND_SYNC_RENAMED),
                                    .removed_ids = ids_of(c, ND_SYNC_REMOVED)};
}

// All of the list is there: it moves into the call.
static nav_status start(nd_call *c, nd_world *w, const np_world_sync_request *r)
{
    nd_methods *methods = c->methods;
    nd_listing *l = &c->session->listing;
    nd_sync_call *call = calloc(1, sizeof *call);
    nav_status s = call ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        methods->sessions->upload_bytes -= held_by(l);
        call->list = *l;
        *l = (nd_listing){.active = false};
        call->dry_run = r->dry_run;
        const nd_sync_list list = {.source = {call->list.source, call->list.source_size},
                                   .adopt = r->adopt,
                                   .count = (size_t)call->list.count,
                                   .ids = call->list.ids.data,
                                   .meshes = call->list.meshes.data,
                                   .transforms = call->list.transforms.data,
                                   .areas = call->list.areas.data,
                                   .names = call->list.has_names ? call->list.names.data : NULL,
                                   .axes = c->message->axes ? *c->message->axes : (np_axes){.up = NP_UP_Y}};
        s = nd_sync_create(w, methods->meshes, &list, &call->sync);
    }
    if (s != NAV_OK) {
        nd_sync_call_destroy(call);
        return np_error_set(&c->err, s, "no memory to compare the list");
    }
    const nd_owner *owner = nd_owner_find(&w->owners, r->source);
    uint64_t have = owner ? owner->count : 0, put = call->list.count > have ? call->list.count - have : 0;
    const np_world_edit_request head = {
        .world = r->world, .has_base_revision = r->has_base_revision, .base_revision = r->base_revision};
    return nd_edits_start_sync(c, w, &head, call, put);
}

nav_status nd_method_world_sync(nd_call *c)
{
    np_world_sync_request r;
    nd_world *w;
    nav_status s = np_decode_world_sync_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    uint64_t count = s == NAV_OK ? r.ids.size / 8 : 0;
    if (s == NAV_OK) s = check_part(c, &r, count);
    if (s != NAV_OK) return s;
    if (!r.offset) nd_methods_end_listing(c->methods, c->session);
    s = append(c->methods, &c->session->listing, &r, count);
    if (s == NAV_OK && !r.more) nd_profiles_finish(c->methods, w);
    if (s == NAV_OK && !r.more)
        s = start(c, w, &r);
    else if (s != NAV_OK)
        np_error_set(&c->err, s, "no memory for the list");
    if (s != NAV_OK) {
        nd_methods_end_listing(c->methods, c->session);
        return s;
    }
    if (!r.more) return NAV_OK;
    const np_world_sync_response out = {.received = c->session->listing.count};
    nd_reply(c->session, c->message->id, NP_WORLD_SYNC, &out);
    return NAV_OK;
}
