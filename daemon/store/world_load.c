// Reads what the worlds' database holds, in one pass over the file, table by table: heads make worlds, mesh heads make
// meshes that are still to come, objects go into their worlds as edits, and tiles get the result they had. All tiles
// are marked all the same: the builder (work/builder.h) finds by their key that they are as they were, or makes them.
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/store/world_store.h"
#include "daemon/work/mesh_job.h"
#include "daemon/world/areas.h"
#include "daemon/world/changes.h"
#include "daemon/world/profile_change.h"
#include "daemon/world/reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPS_AT_ONCE = 4096,
};

typedef struct removed_tile {
    nd_world *world;
    uint64_t changed;
    nd_tile_place at;
} removed_tile;

typedef struct load {
    nd_world_store *store;
    bool only_meshes; // the second pass over a damaged file
    bool has_objects; // all worlds have
    nd_world *world;  // of ops
    np_op *ops;
    nd_owner **owners; // of ops: their sources' names are here, those of the records go with their page
    nd_label **labels; // the same for their own names
    uint32_t op_count;
    removed_tile *removed; // in the order of the file
    size_t removed_count, removed_capacity;
    nav_status status;
} load;

static void bad_record(load *l, nd_world *w, const char *what)
{
    if (w) w->damaged = true;
    if (!l->store->stats.damaged_records++ && !l->store->damage[0])
        snprintf(l->store->damage, sizeof l->store->damage, "%s cannot be read", what);
}

static void keep_failure(load *l, nav_status s)
{
    if (s == NAV_ERR_MEMORY) l->status = s;
}

// --- heads ---

static nav_status make_world(load *l, uint64_t id, const char *space_name, const np_world_open_request *r)
{
    nd_namespace *space;
    nd_world *w;
    np_error err;
    nav_status s = nd_namespaces_need(l->store->spaces, space_name, &space);
    if (s == NAV_OK) s = nd_world_create(id, space, r->name, r->origin_m, &w);
    if (s != NAV_OK) return s;
    if (r->has_reach) w->goal = nd_goal_of_wire(&r->reach);
    for (uint32_t i = 0; i < r->profile_count; i++) {
        np_profile *p = (np_profile *)&r->profiles[i]; // in the message's zone
        if (!p->has_slot) p->slot = i;                 // as it was before slots were stored
        p->has_slot = true;
    }
    w->build = r->build;
    w->loading = true;
    w->scheduler.told = UINT64_MAX; // whatever is marked until all is read may have been told before
    nd_world_judge_build(w);
    s = nd_world_begin_areas(w, r->areas, r->area_count);
    if (s == NAV_OK)
        s = nd_world_add_profiles(w, r->profiles, r->profile_count, &nd_world_no_limits, nd_now_ns(), &err);
    if (s == NAV_OK) s = nd_worlds_add(l->store->worlds, w);
    if (s != NAV_OK) {
        nd_world_destroy(w);
        return s;
    }
    l->store->stats.worlds_read++;
    if (id >= l->store->next_world) l->store->next_world = id + 1;
    return NAV_OK;
}

static void load_head(load *l, nd_bytes key, nd_bytes value)
{
    uint64_t id;
    char space[ND_NAMESPACE_BYTES];
    np_message m = {0};
    np_world_open_request r;
    nav_status s = nd_read_world_key(key, &id);
    if (s == NAV_OK) s = nd_read_head(value, space, &m, &r);
    if (s == NAV_OK) s = make_world(l, id, space, &r);
    keep_failure(l, s);
    if (s != NAV_OK) bad_record(l, NULL, "the head of a world");
    np_message_deinit(&m);
}

static void load_revision(load *l, nd_bytes key, nd_bytes value)
{
    uint64_t id, revision, horizon;
    nav_status s = nd_read_world_key(key, &id);
    if (s == NAV_OK) s = nd_read_revision(value, &revision, &horizon);
    nd_world *w = s == NAV_OK ? nd_worlds_find(l->store->worlds, id) : NULL;
    if (w) {
        w->revision = w->durable = revision;
        w->removed.horizon = horizon;
    }
    if (s != NAV_OK) bad_record(l, NULL, "the revision of a world");
}

static void load_info(load *l, nd_bytes key, nd_bytes value)
{
    nd_store_info info;
    bool is_probe = key.size == 5 && !memcmp(key.data, "probe", 5) && value.size; // the writer's
    if (is_probe) return;
    if (key.size == 3 && !memcmp(key.data, "log", 3) && nd_read_log_id(value, &l->store->log_id) == NAV_OK) return;
    if (key.size != 5 || memcmp(key.data, "state", 5) || nd_read_info(value, &info) != NAV_OK) {
        bad_record(l, NULL, "the state of the store");
        return;
    }
    l->store->was_clean = info.clean;
    if (info.next_world > l->store->next_world) l->store->next_world = info.next_world;
}

// --- meshes ---

static void load_mesh_head(load *l, nd_bytes key, nd_bytes value)
{
    nav_key hash;
    nd_mesh_head h;
    nd_mesh *m;
    nav_status s = nd_read_mesh_head(key, value, &hash, &h);
    if (s == NAV_OK) {
        const nav_mesh known = {.hash = hash,
                                .tri_count = h.kept,
                                .skipped_count = h.skipped,
                                .bounds = h.bounds,
                                .bytes = (size_t)h.bytes};
        s = nd_mesh_store_add_stored(l->store->meshes, &known, h.vertices, h.triangles, h.form, &m);
        if (s == NAV_OK && h.has_digest) s = nd_mesh_store_set_digest(l->store->meshes, m, &h.digest);
    }
    keep_failure(l, s);
    if (s == NAV_OK)
        l->store->stats.meshes_read++;
    else
        bad_record(l, NULL, "the description of a mesh");
}

static void load_mesh_space(load *l, nd_bytes key, bool is_sound)
{
    nav_key hash;
    char name[ND_NAMESPACE_BYTES];
    nd_namespace *space;
    nav_status s = is_sound ? nd_read_mesh_space(key, &hash, name) : NAV_ERR_FORMAT;
    if (s == NAV_OK) s = nd_namespaces_need(l->store->spaces, name, &space);
    nd_mesh *m = s == NAV_OK ? nd_mesh_store_find(l->store->meshes, &hash) : NULL;
    if (m) s = nd_mesh_show(m, space);
    keep_failure(l, s);
    if (s != NAV_OK) bad_record(l, NULL, "the namespace of a mesh");
}

// Only where the file can be read no other way.
static void load_mesh_now(load *l, nd_bytes key, nd_bytes value)
{
    if (key.size != NAV_KEY_BYTES || !nd_value_holds(key, value)) return;
    const nav_key hash = nav_key_load(key.data);
    nd_mesh *m = nd_mesh_store_find(l->store->meshes, &hash);
    if (!m || m->state != ND_MESH_STORED || value.size != np_mesh_bytes(m->vertices, m->triangles, m->form)) return;
    nd_mesh_job *j = calloc(1, sizeof *j);
    nav_status s = j ? nav_buffer_append(&j->bytes, value.data, value.size) : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        j->vertices = m->vertices;
        j->triangles = m->triangles;
        j->form = m->form;
        j->has_hash = true;
        j->memory = l->store->meshes->memory;
        j->hash = hash;
        nd_mesh_job_run(j);
        s = j->status;
    }
    if (s == NAV_OK) {
        nd_mesh_store_fill(l->store->meshes, m, j->mesh);
        j->mesh = NULL;
        // So that what is left can be exported; where there is no room for them the mesh is as good otherwise.
        (void)(nd_mesh_store_keep_source(l->store->meshes, m, &j->bytes, j->vertices, j->triangles, j->form) == NAV_OK);
    }
    keep_failure(l, s);
    nd_mesh_job_destroy(j);
}

// --- objects ---

static nav_status apply(load *l, const np_op *ops, uint32_t count)
{
    nd_world *w = l->world;
    np_error err;
    uint32_t dirty;
    const np_world_edit_request edit = {.world = w->id, .op_count = count, .ops = ops};
    uint64_t revision = w->revision;
    if (w->revision) w->revision--; // the edit raises it
    nav_status s = nd_world_edit(w, l->store->meshes, &nd_world_no_limits, NULL, &edit, nd_now_ns(), &dirty, &err);
    if (w->revision < revision) w->revision = revision;
    return s;
}

static void flush(load *l)
{
    if (!l->op_count) return;
    if (apply(l, l->ops, l->op_count) == NAV_OK) {
        l->store->stats.objects_read += l->op_count;
    } else { // some are not as they must be: the others one by one
        for (uint32_t i = 0; i < l->op_count; i++) {
            nav_status s = apply(l, &l->ops[i], 1);
            keep_failure(l, s);
            if (s == NAV_OK)
                l->store->stats.objects_read++;
            else
                bad_record(l, l->world, "an object");
        }
    }
    for (uint32_t i = 0; i < l->op_count; i++) {
        nd_owner_unref(l->owners[i]);
        nd_label_unref(l->labels[i]);
    }
    l->op_count = 0;
}

static void load_object(load *l, nd_bytes key, nd_bytes value)
{
    uint64_t id = 0;
    np_op op;
    nav_status s = nd_read_object(key, value, &id, &op);
    nd_world *w = nd_worlds_find(l->store->worlds, id);
    keep_failure(l, s);
    if (s != NAV_OK) bad_record(l, w, "an object");
    if (s != NAV_OK || !w) return; // of no world: its head was damaged
    if (w != l->world || l->op_count == OPS_AT_ONCE) flush(l);
    l->world = w;
    nd_mesh *m = op.kind == NP_OP_PUT_INSTANCE ? nd_mesh_store_find(l->store->meshes, &op.u.instance.mesh) : NULL;
    if (m) keep_failure(l, nd_mesh_show(m, w->space));
    nd_owner *owner = NULL;
    nd_label *label;
    s = nd_label_create(op.name, &label);
    keep_failure(l, s);
    if (s != NAV_OK) return;
    op.name = nd_label_text(label);
    if (op.source.size) {
        s = nd_owner_need(&w->owners, op.source, UINT64_MAX, &owner);
        keep_failure(l, s);
        if (s != NAV_OK) {
            nd_label_unref(label);
            return;
        }
        op.source = owner->name;
    }
    l->labels[l->op_count] = label;
    l->owners[l->op_count] = owner;
    l->ops[l->op_count++] = op;
}

// No table behind that of the objects has any.
static void end_objects(load *l)
{
    flush(l);
    if (l->has_objects) return;
    l->has_objects = true;
    for (size_t i = 0; i < l->store->worlds->count; i++)
        keep_failure(l, nd_world_end_loading(l->store->worlds->list[i], nd_now_ns()));
}

// --- tiles ---

static void add_removed(load *l, nd_world *w, const nd_tile_place *at, uint64_t changed)
{
    if (l->removed_count == l->removed_capacity) {
        size_t capacity = l->removed_capacity ? 2 * l->removed_capacity : 64;
        removed_tile *grown = realloc(l->removed, capacity * sizeof *grown);
        if (!grown) {
            l->status = NAV_ERR_MEMORY;
            return;
        }
        l->removed = grown;
        l->removed_capacity = capacity;
    }
    l->removed[l->removed_count++] = (removed_tile){w, changed, *at};
}

static int compare_changed(const void *a, const void *b)
{
    const removed_tile *p = a, *q = b;
    return (p->changed > q->changed) - (p->changed < q->changed);
}

// In the order in which they went: the newest are those that are remembered, and each has its place at once.
static void flush_removed(load *l)
{
    if (l->removed_count) qsort(l->removed, l->removed_count, sizeof *l->removed, compare_changed);
    for (size_t i = 0; i < l->removed_count; i++) {
        const removed_tile *r = &l->removed[i];
        nd_changes_add_removed(r->world, r->at.profile, r->at.x, r->at.z, r->changed);
    }
    free(l->removed);
    l->removed = NULL;
    l->removed_count = l->removed_capacity = 0;
}

static void load_tile(load *l, nd_bytes key, nd_bytes value)
{
    nd_tile_place at;
    nd_tile_result r;
    end_objects(l);
    if (nd_read_tile(key, value, &at, &r) != NAV_OK) {
        bad_record(l, NULL, "the result of a tile");
        return;
    }
    nd_world *w = nd_worlds_find(l->store->worlds, at.world);
    if (!w || at.profile >= w->profile_count || !nd_profile_is_live(w, at.profile)) return;
    if (r.changed < w->profiles[at.profile].wire.grid) return; // of a profile that had the slot before
    nd_tile *t = nd_scheduler_find(&w->scheduler, at.profile, at.x, at.z);
    if (r.status == NP_TILE_REMOVED) {
        add_removed(l, w, &at, r.changed);
    } else if (t) {
        const np_tile_status before = t->result.status;
        t->result = r;
        nd_scheduler_note_result(&w->scheduler, t, before);
        t->stored = nd_stored_mark(&r);
    } else { // it went with an edit that the daemon did not come to
        const nd_tile_result gone = {.status = NP_TILE_REMOVED, .revision = w->revision, .changed = w->revision};
        add_removed(l, w, &at, w->revision);
        keep_failure(l, nd_change_tile(&l->store->tiles, &at, &gone));
    }
    l->store->stats.tiles_read++;
}

// --- all ---

static void load_record(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    load *l = user;
    int t = 0;
    while (t < ND_RECORD_TABLES &&
           (strlen(nd_record_tables[t]) != table.size || memcmp(nd_record_tables[t], table.data, table.size)))
        t++;
    if (l->status != NAV_OK || (l->only_meshes && t != ND_MESHES)) return;
    bool is_sound = value.data != NULL;
    if (!is_sound) value = (nd_bytes){"", 0}; // no reader of a value takes it
    switch (t) {
    case ND_HEADS:
        load_head(l, key, value);
        break;
    case ND_REVISIONS:
        load_revision(l, key, value);
        break;
    case ND_INFO:
        load_info(l, key, value);
        break;
    case ND_MESH_HEADS:
        load_mesh_head(l, key, value);
        break;
    case ND_MESH_SPACES:
        load_mesh_space(l, key, is_sound);
        break;
    case ND_MESHES:
        if (l->only_meshes) load_mesh_now(l, key, value);
        break;
    case ND_OBJECTS:
        load_object(l, key, value);
        break;
    case ND_TILES:
        load_tile(l, key, value);
        break;
    }
}

static void finish_worlds(nd_world_store *s)
{
    if (!s->worlds->count) s->was_clean = true;
    for (size_t i = 0; i < s->worlds->count; i++) {
        nd_world *w = s->worlds->list[i];
        if (w->durable == UINT64_MAX) w->durable = 0; // it never had an edit
        if (!s->was_clean) {
            // Revisions beyond the durable one may have been seen, and what is stored of tiles may be old. One that
            // follows a log has its revisions from there.
            if (!s->follows) w->revision += ND_REVISION_GAP;
            w->removed.horizon = w->revision;
            nd_changes_forget_removed(w);
        }
        w->scheduler.told = w->revision;
    }
}

static void lose_absent(void *user, nd_node *n)
{
    nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
    if (m->state == ND_MESH_STORED) nd_mesh_store_lose(user, m);
}

nav_status nd_world_load(nd_world_store *s)
{
    const nd_pages_known known = {nd_record_tables, ND_RECORD_TABLES};
    nd_pages_report report;
    uint64_t bad;
    load l = {.store = s,
              .ops = malloc(OPS_AT_ONCE * sizeof(np_op)),
              .owners = malloc(OPS_AT_ONCE * sizeof(nd_owner *)),
              .labels = malloc(OPS_AT_ONCE * sizeof(nd_label *))};
    if (!l.ops || !l.owners || !l.labels) {
        free(l.ops);
        free(l.owners);
        free(l.labels);
        return NAV_ERR_MEMORY;
    }
    nav_status status =
        nd_database_scan(s->folder, &known, nd_record_tables[ND_MESHES], load_record, &l, &report, &bad);
    end_objects(&l);
    if (report.damaged) snprintf(s->damage, sizeof s->damage, "%s", report.first);
    s->stats.damaged_pages = report.damaged;
    if (status == NAV_ERR_FORMAT) {
        s->was_clean = false;
        l.only_meshes = true;
        nav_status again =
            nd_database_scan(s->folder, &known, nd_record_tables[ND_MESHES], load_record, &l, &report, &bad);
        if (again == NAV_ERR_MEMORY) l.status = NAV_ERR_MEMORY;
        nd_table_each(&s->meshes->table, lose_absent, s->meshes);
    }
    flush_removed(&l);
    finish_worlds(s);
    free(l.ops);
    free(l.owners);
    free(l.labels);
    return l.status == NAV_OK ? status : l.status;
}
