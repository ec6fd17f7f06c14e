#include "daemon/world/world_sync.h"

#include "core/base/endian.h"
#include "daemon/base/thread.h"
#include "daemon/world/world.h"
#include "protocol/name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// How far ahead of the comparison the processor is told to fetch: an object, its mesh, and what that points to. They
// stand anywhere in memory, and waiting for each is most of what comparing a list would take.
enum { OBJECT_AHEAD = 24, MESH_AHEAD = 16, HASH_AHEAD = 8 };

typedef struct listed { // an id that no instance of the world has
    nd_node node;
    uint64_t id;
} listed;

typedef struct lacking {
    nd_node node; // by hash
    nav_key hash;
} lacking;

typedef struct leaver {
    nd_node node; // by what it shows and where
    uint32_t change;
} leaver;

typedef enum stage { LIST, OWNED, LEAVERS, PAIRS, ENDED } stage;

struct nd_sync {
    nd_world *w;
    nd_mesh_store *meshes;
    nd_sync_list list;
    stage stage;
    size_t at;
    size_t name_at;  // LIST: where in the column of names the next one begins
    nd_owner *owner; // a reference; NULL: the source has nothing yet
    nd_object *next_owned;
    uint64_t serial;       // that objects of the list have (nd_object.listed)
    uint64_t owned_listed; // of the source's
    nd_table unknown;      // of listed
    listed *entries;       // as many as the list has
    size_t entry_count;
    nd_sync_change *changes;
    size_t change_count, change_capacity;
    uint64_t counts[ND_SYNC_KINDS], unchanged;
    nd_table lacked; // of lacking
    nav_key *missing;
    size_t missing_count, missing_capacity;
    nd_table leaving;
    leaver *leavers; // as many as are removed
    size_t leaver_count;
};

void nd_sync_transform(const nd_sync_list *list, size_t at, float out[12])
{
    for (size_t k = 0; k < 12; k++) out[k] = nav_load_f32(list->transforms + 48 * at + 4 * k);
    if (np_axes_is_plain(&list->axes)) return;
    (void)np_axes_floats_to_metres(&list->axes, NP_PLACE_TRANSFORM, out, 1);
}

uint8_t nd_sync_area(const nd_sync_list *list, size_t at)
{
    return list->areas ? list->areas[at] : NAV_AREA_DEFAULT;
}

static nav_status no_memory(const nd_sync *s, np_error *err)
{
    return np_error_set(err, NAV_ERR_MEMORY, "no memory to compare %zu objects", s->list.count);
}

static nav_status check_values(const nd_sync_list *l, size_t at, const float transform[12], np_error *err)
{
    for (int k = 0; k < 12; k++)
        if (!isfinite(transform[k]))
            return np_error_set_key(err, NAV_ERR_ARGUMENT, "transforms",
                                    "transforms: number %d of object %zu is %s, expected a finite number", k, at,
                                    isnan(transform[k]) ? "nan" : "inf");
    if (nd_sync_area(l, at) >= NAV_AREA_COUNT)
        return np_error_set_key(err, NAV_ERR_ARGUMENT, "areas", "areas: object %zu has the area %u, expected 0 to %d",
                                at, nd_sync_area(l, at), NAV_AREA_COUNT - 1);
    return NAV_OK;
}

static nav_status listed_twice(const nd_sync *s, uint64_t id, np_error *err)
{
    size_t first = 0;
    while (nav_load_u64(s->list.ids + 8 * first) != id) first++;
    return np_error_set_key(err, NAV_ERR_ARGUMENT, "ids", "ids: objects %zu and %zu both have the id %" PRIu64, first,
                            s->at, id);
}

static nav_status note_unknown(nd_sync *s, uint64_t id, np_error *err)
{
    uint64_t hash = nd_hash_u64(id);
    for (nd_node *n = nd_table_first(&s->unknown, hash); n; n = nd_table_next(n))
        if (ND_HOLDER(n, listed, node)->id == id) return listed_twice(s, id, err);
    listed *l = &s->entries[s->entry_count++];
    l->id = id;
    nd_table_insert(&s->unknown, &l->node, hash);
    return NAV_OK;
}

static nav_status note_listed(nd_sync *s, uint64_t id, nd_object *o, np_error *err)
{
    if (!o) return note_unknown(s, id, err);
    if (o->listed == s->serial) return listed_twice(s, id, err);
    o->listed = s->serial;
    s->owned_listed += o->owner && o->owner == s->owner;
    return NAV_OK;
}

// The instance that an entry of the list names, if it is the first of its slot; else perhaps another one, or NULL.
static const nd_placed *likely_object(const nd_sync *s, size_t at)
{
    if (at >= s->list.count) return NULL;
    uint64_t id = nav_load_u64(s->list.ids + 8 * at);
    const nd_node *n = nd_table_slot(&s->w->objects[ND_INSTANCE], nd_hash_u64(id));
    return n ? ND_HOLDER(n, const nd_placed, object.node) : NULL;
}

static void fetch_ahead(const nd_sync *s)
{
    const nd_placed *object = likely_object(s, s->at + OBJECT_AHEAD), *mesh = likely_object(s, s->at + MESH_AHEAD),
                    *hash = likely_object(s, s->at + HASH_AHEAD);
    if (object) {
        __builtin_prefetch(object);
        __builtin_prefetch(&object->object.listed);
        __builtin_prefetch(&object->instance.area);
    }
    if (mesh) {
        __builtin_prefetch(mesh->mesh);
        __builtin_prefetch(&mesh->mesh->state);
    }
    if (hash) __builtin_prefetch(&hash->mesh->mesh->hash);
}

static nav_status add_missing(nd_sync *s, nav_key hash)
{
    for (nd_node *n = nd_table_first(&s->lacked, hash.low); n; n = nd_table_next(n))
        if (nav_key_equal(ND_HOLDER(n, lacking, node)->hash, hash)) return NAV_OK;
    if (s->missing_count == NP_SYNC_MAX_MISSING) return NAV_OK; // the next call names the others
    if (s->missing_count == s->missing_capacity) {
        size_t capacity = s->missing_capacity ? 2 * s->missing_capacity : 64;
        nav_key *grown = realloc(s->missing, capacity * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        s->missing = grown;
        s->missing_capacity = capacity;
    }
    lacking *l = malloc(sizeof *l);
    if (!l || nd_table_reserve(&s->lacked, 1) != NAV_OK) {
        free(l);
        return NAV_ERR_MEMORY;
    }
    l->hash = hash;
    nd_table_insert(&s->lacked, &l->node, hash.low);
    s->missing[s->missing_count++] = hash;
    return NAV_OK;
}

static nav_status add_change(nd_sync *s, const nd_sync_change *c)
{
    if (s->change_count == s->change_capacity) {
        size_t capacity = s->change_capacity ? 2 * s->change_capacity : 64;
        nd_sync_change *grown = capacity <= UINT32_MAX ? realloc(s->changes, capacity * sizeof *grown) : NULL;
        if (!grown) return NAV_ERR_MEMORY;
        s->changes = grown;
        s->change_capacity = capacity;
    }
    s->counts[c->kind]++;
    s->changes[s->change_count++] = *c;
    if (c->mesh) nd_mesh_ref(c->mesh);
    return NAV_OK;
}

static nav_status not_ours(const nd_sync *s, const nd_object *o, np_error *err)
{
    if (!o->owner)
        return np_error_set_key(err, NAV_ERR_EXISTS, "ids",
                                "ids: instance %" PRIu64 " is there already and has no source: list it with adopt to "
                                "take it over, remove it, or give yours another id",
                                o->id);
    return np_error_set_key(err, NAV_ERR_EXISTS, "ids",
                            "ids: instance %" PRIu64 " belongs to the source \"%.*s\", not to \"%.*s\": use that "
                            "source, or another id",
                            o->id, (int)o->owner->name.size, o->owner->name.data, (int)s->list.source.size,
                            s->list.source.data);
}

// Takes the name of the object at s->at.
static nav_status next_name(nd_sync *s, np_str *out, np_error *err)
{
    char why[160];
    *out = np_str_of("");
    if (!s->list.names) return NAV_OK;
    const uint8_t *at = s->list.names + s->name_at;
    s->name_at += 1 + (size_t)*at;
    *out = (np_str){(const char *)at + 1, *at};
    if (!out->size || np_name_check("names", *out, why, sizeof why) == NAV_OK) return NAV_OK;
    return np_error_set_key(err, NAV_ERR_ARGUMENT, "names", "%s (object %zu)", why, s->at);
}

// The object of the list at s->at.
static nav_status compare_one(nd_sync *s, np_error *err)
{
    const nd_sync_list *l = &s->list;
    float transform[12];
    nav_key hash = nav_key_load(l->meshes + NAV_KEY_BYTES * s->at);
    nd_sync_change c = {.kind = ND_SYNC_ADDED, .at = s->at, .id = nav_load_u64(l->ids + 8 * s->at)};
    nd_sync_transform(l, s->at, transform);
    nd_object *before = nd_world_find(s->w, ND_INSTANCE, c.id);
    nav_status status = check_values(l, s->at, transform, err);
    if (status == NAV_OK) status = next_name(s, &c.name, err);
    if (status == NAV_OK) status = note_listed(s, c.id, before, err);
    if (status != NAV_OK) return status;
    c.before = before;
    bool same_mesh = false;
    if (c.before) {
        const nd_placed *p = (const nd_placed *)c.before;
        bool ours = c.before->owner && c.before->owner == s->owner;
        if (!ours && (c.before->owner || !l->adopt)) return not_ours(s, c.before, err);
        same_mesh = nav_key_equal(p->mesh->mesh->hash, hash) && p->mesh->state != ND_MESH_LOST;
        bool same_place = !memcmp(p->instance.transform, transform, sizeof transform);
        bool same_kind = same_mesh && ours && p->instance.area == nd_sync_area(l, s->at);
        bool same_name = !l->names || nd_label_is(c.before->label, c.name);
        if (same_kind && same_place && same_name) {
            s->unchanged++;
            return NAV_OK;
        }
        c.kind = !same_kind ? ND_SYNC_CHANGED : same_place ? ND_SYNC_NAMED : ND_SYNC_MOVED;
        if (same_mesh) c.mesh = p->mesh;
    }
    if (!same_mesh) c.mesh = nd_mesh_store_find_in(s->meshes, s->w->space, &hash);
    if (!c.mesh) status = add_missing(s, hash);
    if (status == NAV_OK) status = add_change(s, &c);
    return status == NAV_OK ? status : no_memory(s, err);
}

static nav_status compare_owned(nd_sync *s, size_t *steps, np_error *err)
{
    if (s->owner && s->owner->count == s->owned_listed) return NAV_OK; // none is gone
    for (; s->next_owned; s->next_owned = s->next_owned->owned_after, --*steps) {
        nd_object *o = s->next_owned;
        const nd_sync_change gone = {.kind = ND_SYNC_REMOVED, .id = o->id, .before = o};
        if (!*steps) return NAV_ERR_AGAIN;
        if (o->listed != s->serial && add_change(s, &gone) != NAV_OK) return no_memory(s, err);
    }
    return NAV_OK;
}

// --- renames ---

typedef struct content { // without gaps
    nav_key mesh;
    float transform[12];
    uint64_t area;
} content;

static content content_of(const nd_object *o)
{
    const nd_placed *p = (const nd_placed *)o;
    content c = {.mesh = p->mesh->mesh->hash, .area = p->instance.area};
    memcpy(c.transform, p->instance.transform, sizeof c.transform);
    return c;
}

static nav_status note_leavers(nd_sync *s, size_t *steps, np_error *err)
{
    size_t removed = (size_t)s->counts[ND_SYNC_REMOVED];
    if (!removed || !s->counts[ND_SYNC_ADDED]) return NAV_OK;
    if (!s->leavers) {
        s->leavers = malloc(removed * sizeof *s->leavers);
        if (!s->leavers || nd_table_reserve(&s->leaving, removed) != NAV_OK) return no_memory(s, err);
    }
    for (; s->at < s->change_count; s->at++, --*steps) {
        if (!*steps) return NAV_ERR_AGAIN;
        if (s->changes[s->at].kind != ND_SYNC_REMOVED) continue;
        content c = content_of(s->changes[s->at].before);
        leaver *l = &s->leavers[s->leaver_count++];
        l->change = (uint32_t)s->at;
        nd_table_insert(&s->leaving, &l->node, nav_key_of(&c, sizeof c).low);
    }
    return NAV_OK;
}

static void pair(nd_sync *s, nd_sync_change *added)
{
    content wanted = {.mesh = added->mesh->mesh->hash, .area = nd_sync_area(&s->list, added->at)};
    nd_sync_transform(&s->list, added->at, wanted.transform);
    for (nd_node *n = nd_table_first(&s->leaving, nav_key_of(&wanted, sizeof wanted).low); n; n = nd_table_next(n)) {
        uint32_t twin = ND_HOLDER(n, leaver, node)->change;
        content c = content_of(s->changes[twin].before);
        if (memcmp(&c, &wanted, sizeof c)) continue;
        nd_table_remove(&s->leaving, n);
        added->kind = ND_SYNC_RENAMED;
        added->twin = twin;
        s->changes[twin].kind = ND_SYNC_RENAMED_AWAY;
        s->changes[twin].twin = (uint32_t)(added - s->changes);
        s->counts[ND_SYNC_ADDED]--;
        s->counts[ND_SYNC_REMOVED]--;
        s->counts[ND_SYNC_RENAMED]++;
        return;
    }
}

static nav_status pair_all(nd_sync *s, size_t *steps)
{
    for (; s->leaver_count && s->at < s->change_count; s->at++, --*steps) {
        if (!*steps) return NAV_ERR_AGAIN;
        if (s->changes[s->at].kind == ND_SYNC_ADDED && s->changes[s->at].mesh) pair(s, &s->changes[s->at]);
    }
    return NAV_OK;
}

// --- all ---

static nav_status run_stage(nd_sync *s, size_t *steps, np_error *err)
{
    switch (s->stage) {
    case LIST:
        for (; s->at < s->list.count; s->at++, --*steps) {
            if (!*steps) return NAV_ERR_AGAIN;
            fetch_ahead(s);
            nav_status status = compare_one(s, err);
            if (status != NAV_OK) return status;
        }
        return NAV_OK;
    case OWNED:
        return compare_owned(s, steps, err);
    case LEAVERS:
        return note_leavers(s, steps, err);
    case PAIRS:
        return pair_all(s, steps);
    case ENDED:
        break;
    }
    return NAV_OK;
}

nav_status nd_sync_run(nd_sync *s, size_t *steps, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    if (!s->serial) s->serial = s->w->edit_serial;
    for (; s->stage != ENDED; s->stage++, s->at = 0) {
        nav_status status = run_stage(s, steps, err);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

nav_status nd_sync_create(nd_world *w, nd_mesh_store *meshes, const nd_sync_list *list, nd_sync **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sync *s = calloc(1, sizeof *s);
    *out = s;
    if (!s) return NAV_ERR_MEMORY;
    s->w = w;
    s->meshes = meshes;
    s->list = *list;
    s->owner = nd_owner_ref(nd_owner_find(&w->owners, list->source));
    s->next_owned = s->owner ? s->owner->first : NULL;
    s->entries = malloc((list->count + 1) * sizeof *s->entries);
    nav_status status = s->entries ? nd_table_reserve(&s->unknown, list->count) : NAV_ERR_MEMORY;
    if (status == NAV_OK) return status;
    nd_sync_destroy(s);
    *out = NULL;
    return NAV_ERR_MEMORY;
}

static void free_lacking(void *user, nd_node *n)
{
    (void)user;
    free(ND_HOLDER(n, lacking, node));
}

void nd_sync_destroy(nd_sync *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->change_count; i++) nd_mesh_unref(s->changes[i].mesh);
    nd_table_each(&s->lacked, free_lacking, NULL);
    nd_table_deinit(&s->lacked);
    nd_table_deinit(&s->unknown);
    nd_table_deinit(&s->leaving);
    nd_owner_unref(s->owner);
    free(s->leavers);
    free(s->entries);
    free(s->changes);
    free(s->missing);
    free(s);
}

const nd_sync_change *nd_sync_changes(const nd_sync *s, size_t *count)
{
    *count = s->change_count;
    return s->changes;
}

const nd_sync_list *nd_sync_get_list(const nd_sync *s)
{
    return &s->list;
}

uint64_t nd_sync_count(const nd_sync *s, nd_sync_kind kind)
{
    return s->counts[kind];
}

uint64_t nd_sync_unchanged(const nd_sync *s)
{
    return s->unchanged;
}

const nav_key *nd_sync_missing(const nd_sync *s, size_t *count)
{
    *count = s->missing_count;
    return s->missing;
}
