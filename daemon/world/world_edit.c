// Edits. An edit is staged first (edit_stage.h): what each object that it names will be. When every operation is good
// and all memory is there, the entries are swapped in and the tiles marked, which cannot fail.
//
// What a source puts is compared with what it owns first (world_sync.h), and the differences are staged.
//
//     stage ──► reserve ──► collect tiles ──► tell the listener ──► decide ──► swap in ──► mark
//     └────────── the world is as it was; may be refused ──────────────────┘   └─ no tile is begun ─┘
//
// Each part goes on where it was left, so that a large edit need not keep the loop from everybody else.
#include "daemon/base/thread.h"
#include "daemon/world/areas.h"
#include "daemon/world/edit_heights.h"
#include "daemon/world/edit_stage.h"
#include "daemon/world/includes.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"
#include "daemon/world/world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const double INCLUDE_BUCKET_M = 64;

typedef enum phase {
    COMPARE,
    STAGE,
    COLLECT,
    COLLECT_ALL,
    COLLECT_AREAS,
    COLLECT_PROFILES,
    TELL,
    DECIDE,
    SWAP,
    MARK,
    APPLIED
} phase;

struct nd_edit {
    nd_world *w;
    nd_world_limits limits;
    nd_staging staging;
    nd_edit_listener *listener; // NULL: nobody
    nd_caller *caller;          // a reference, or NULL
    np_world_edit_request request;
    nd_sync *sync; // borrowed; its changes are staged, not operations. NULL: operations
    bool only_compare;
    size_t change_count; // operations, or changes
    uint64_t now_ns;
    phase phase;
    size_t at; // in the phase: an operation, an entry or a tile
    uint64_t added[ND_KIND_COUNT], gone[ND_KIND_COUNT];
    uint64_t include_count;     // of volumes, afterwards
    nav_spatial_index includes; // boxes of the include volumes that it puts
    nd_goal goal;
    nd_dirty dirty;
    unsigned part; // of an entry or area: how many places and profiles of it have been collected
    nd_sweep sweep;
    nd_ground_sweep ground;
    bool sweeping, over_ground; // one of them is under way
    nd_class class;
    uint64_t revision, least_revision;
    size_t dirty_tiles;
};

// Which tiles a place of an object makes.
static nd_creates creates_of(const nd_edit *e, const nd_object *o, bool is_new)
{
    const nd_world *w = e->w;
    if (!is_new || w->loading) return ND_CREATES_NONE;
    if (o->kind == ND_INSTANCE) return e->include_count ? ND_CREATES_INCLUDED : ND_CREATES_ALL;
    return nd_object_includes(o) && w->include_count ? ND_CREATES_COVERED : ND_CREATES_NONE;
}

// The next place of an object: in each profile where it was, then where it will be. False: there are no more.
static bool next_place(nd_edit *e, const nd_staged *s, nav_status *status)
{
    nd_world *w = e->w;
    const nd_object *places[2] = {s->before, s->after};
    *status = NAV_OK;
    if (e->part >= 2 * w->profile_count) return false;
    bool is_new = e->part >= w->profile_count;
    uint32_t p = e->part++ % w->profile_count;
    const nd_object *o = places[is_new];
    if (!o || !o->has_box || !nd_profile_is_live(w, p)) return true;
    nd_box box = o->box;
    if (s->kind == ND_INSTANCE && s->before && s->after &&
        nd_patch_box((const nd_placed *)s->before, (const nd_placed *)s->after, &box) && is_new)
        return true; // as where it was
    e->dirty.by = (nd_cause_kind)o->kind;
    e->dirty.object = o->id;
    if (o->kind == ND_LINK) { // a link belongs to the tile of its start alone, among floors
        int32_t x, z;
        if (w->profiles[p].wire.settings.sheet != NAV_SHEET_UP) return true;
        nav_tile_at(&w->profiles[p].wire.settings, o->box.xz.min[0], o->box.xz.min[1], &x, &z);
        nd_tile *t = nd_scheduler_find(&w->scheduler, p, x, z);
        e->dirty.marks++;
        if (t) *status = nd_dirty_tile(&e->dirty, w, t, 0);
    } else {
        nd_creates creates = creates_of(e, o, is_new);
        bool by_instance = false;
        if (nd_object_includes(o))
            *status = nd_include_sweep_begin(&e->sweep, &e->ground, &by_instance, &e->dirty, w, p, &o->box, creates,
                                             &e->limits);
        else
            *status = nd_sweep_begin(&e->sweep, &e->dirty, w, p, &box, creates, false, &e->limits);
        e->sweep.coming = &e->includes;
        e->sweeping = *status == NAV_OK && !by_instance;
        e->over_ground = *status == NAV_OK && by_instance;
    }
    return true;
}

// The same for an area that is to be made again.
static bool next_area(nd_edit *e, const np_op *op, nav_status *status)
{
    nd_box box = e->w->extent; // at all heights
    *status = NAV_OK;
    if (op->kind != NP_OP_DIRTY || e->part >= e->w->profile_count) return false;
    e->dirty.by = ND_BY_AREA;
    e->dirty.object = 0;
    memcpy(box.xz.min, op->u.dirty.min, sizeof box.xz.min);
    memcpy(box.xz.max, op->u.dirty.max, sizeof box.xz.max);
    uint32_t p = e->part++;
    if (!nd_profile_is_live(e->w, p)) return true;
    *status = nd_sweep_begin(&e->sweep, &e->dirty, e->w, p, &box, ND_CREATES_NONE, true, &e->limits);
    e->sweeping = *status == NAV_OK;
    return true;
}

// The same for profiles that the table of areas gives other settings: all of their tiles, however many.
static bool next_profile(nd_edit *e, nav_status *status)
{
    nd_world *w = e->w;
    const nd_area_table *areas = e->staging.areas;
    *status = NAV_OK;
    if (!areas || e->part >= w->profile_count) return false;
    uint32_t p = e->part++;
    if (!nd_profile_is_live(w, p)) return true;
    if (!nd_area_tables_differ(w->areas, areas, &w->profiles[p].wire.settings)) return true;
    e->dirty.by = ND_BY_AREA;
    e->dirty.object = 0;
    *status = nd_sweep_begin(&e->sweep, &e->dirty, w, p, &nd_everywhere, ND_CREATES_NONE, false, &nd_world_no_limits);
    e->sweeping = *status == NAV_OK;
    return true;
}

// What is next of what the phase collects from. False: no more of its entry `at`.
static bool next_of_phase(nd_edit *e, nav_status *status)
{
    const nd_staged *s = e->phase == COLLECT ? &e->staging.entries[e->at] : NULL;
    if (s) return !nd_staged_same_ground(s) && next_place(e, s, status);
    return e->phase == COLLECT_AREAS ? next_area(e, &e->request.ops[e->at], status) : next_profile(e, status);
}

// Goes on with the sweep that is under way, if one is.
static nav_status sweep_some(nd_edit *e, size_t *steps)
{
    nav_status s = NAV_OK;
    if (e->sweeping) s = nd_sweep_run(&e->sweep, &e->dirty, e->w, &e->limits, steps);
    if (e->over_ground) s = nd_ground_sweep_run(&e->ground, &e->dirty, e->w, &e->limits, steps);
    if (s == NAV_OK) e->sweeping = e->over_ground = false;
    return s;
}

static nav_status collect(nd_edit *e, size_t *steps)
{
    nav_status s = NAV_OK;
    size_t all = e->phase == COLLECT ? e->staging.count : e->phase == COLLECT_AREAS ? e->request.op_count : 1;
    while (e->at < all) {
        s = sweep_some(e, steps);
        if (s != NAV_OK) return s;
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        if (next_of_phase(e, &s)) {
            if (s != NAV_OK) return s;
            continue;
        }
        e->at++;
        e->part = 0;
    }
    return NAV_OK;
}

// The first include volume, or the last one's removal, is part of every tile's input: the tiles of all instances.
static nav_status collect_all(nd_edit *e, size_t *steps)
{
    nd_world *w = e->w;
    nav_status s = NAV_OK;
    if (!w->include_count == !e->include_count || w->loading) return NAV_OK;
    e->dirty.by = ND_BY_VOLUME;
    while (s == NAV_OK && (e->over_ground || e->part < w->profile_count)) {
        if (!e->over_ground) {
            uint32_t p = e->part++;
            e->over_ground = nd_profile_is_live(w, p);
            e->ground = (nd_ground_sweep){.profile = p, .creates = e->include_count ? ND_CREATES_NONE : ND_CREATES_ALL};
        }
        s = sweep_some(e, steps);
    }
    if (s == NAV_OK) e->part = 0;
    return s;
}

// The boxes of the include volumes that come. NAV_ERR_MEMORY.
static nav_status count_includes(nd_edit *e)
{
    nav_status status = NAV_OK;
    e->include_count = e->w->include_count;
    for (size_t i = 0; i < e->staging.count && status == NAV_OK; i++) {
        const nd_staged *s = &e->staging.entries[i];
        if (nd_object_includes(s->before)) e->include_count--;
        if (!nd_object_includes(s->after)) continue;
        e->include_count++;
        nd_box_widen(&e->w->include_box, &s->after->box);
        status = nav_spatial_index_insert(&e->includes, (uint64_t)(uintptr_t)s->after, &s->after->box.xz);
    }
    return status;
}

static void count_changes(nd_edit *e)
{
    for (size_t i = 0; i < e->staging.count; i++) {
        const nd_staged *s = &e->staging.entries[i];
        e->added[s->kind] += !s->before && s->after;
        e->gone[s->kind] += s->before && !s->after;
    }
}

static nav_status check_objects(const nd_edit *e, np_error *err)
{
    const nd_world *w = e->w;
    uint64_t all = 0, added = 0, removed = 0;
    for (int k = 0; k < ND_KIND_COUNT; k++) {
        all += w->objects[k].count;
        added += e->added[k];
        removed += e->gone[k];
    }
    if (added > removed && all + added - removed > e->limits.max_all_objects)
        return np_error_set(err, NAV_ERR_LIMIT,
                            "the world would have %llu objects; the quota max_objects of its namespace %s allows it "
                            "%llu",
                            (unsigned long long)(all + added - removed), w->space->name,
                            (unsigned long long)e->limits.max_all_objects);
    for (int k = 0; k < ND_KIND_COUNT; k++)
        if (e->added[k] > e->gone[k] && w->objects[k].count + e->added[k] - e->gone[k] > e->limits.max_objects)
            return np_error_set(err, NAV_ERR_LIMIT, "a world may have at most %llu %ss (--max-objects)",
                                (unsigned long long)e->limits.max_objects, nd_kind_names[k]);
    return NAV_OK;
}

static nav_status reserve(nd_edit *e, np_error *err)
{
    nd_world *w = e->w;
    count_changes(e);
    nav_status s = check_objects(e, err);
    if (s != NAV_OK) return s;
    s = count_includes(e);
    for (int k = 0; k < ND_KIND_COUNT && s == NAV_OK; k++) {
        s = nd_table_reserve(&w->objects[k], e->added[k]);
        if (s == NAV_OK) s = nav_spatial_index_reserve(&w->index[k], (uint32_t)e->staging.count);
    }
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for %zu operations", e->staging.count);
}

static nav_status too_many_tiles(const nd_edit *e, np_error *err)
{
    return np_error_set(
        err, NAV_ERR_LIMIT,
        "the edit touches more than %llu tiles (--max-edit-tiles), or the world would have more than "
        "%llu (--max-tiles, or the quota max_tiles of its namespace): send it in parts, or use larger tiles",
        (unsigned long long)e->limits.max_edit_tiles, (unsigned long long)e->limits.max_tiles);
}

// An object that is replaced leaves the index under its old address and enters it under its new one.
static void swap_in(nd_world *w, nd_staged *s)
{
    nd_object *before = s->before, *after = s->after;
    nav_spatial_index *index = &w->index[s->kind];
    nav_status status = NAV_OK;
    if (before == after) return;
    if (nd_object_includes(before) && !--w->include_count) w->include_box = nd_no_box;
    if (nd_object_includes(after)) {
        w->include_count++;
        nd_box_widen(&w->include_box, &after->box);
    }
    if (before) {
        nd_table_remove(&w->objects[s->kind], &before->node);
        if (before->has_box) status = nav_spatial_index_remove(index, (uint64_t)(uintptr_t)before);
        assert(status == NAV_OK);
        if (before->owner && before->kind == ND_INSTANCE) nd_owner_unlink(before);
    }
    if (after) {
        nd_table_insert(&w->objects[s->kind], &after->node, nd_hash_u64(after->id));
        if (after->has_box) status = nav_spatial_index_insert(index, (uint64_t)(uintptr_t)after, &after->box.xz);
        assert(status == NAV_OK);
        if (after->has_box && after->kind == ND_INSTANCE) nd_box_widen(&w->extent, &after->box);
        if (after->owner && after->kind == ND_INSTANCE) nd_owner_link(after);
        if (after->kind == ND_INSTANCE && !w->awaited && ((nd_placed *)after)->mesh->state == ND_MESH_STORED)
            w->awaited = nd_mesh_ref(((nd_placed *)after)->mesh);
    }
    (void)status;
    nd_object_destroy(before);
    s->before = s->after;
}

// Nothing of it has taken effect, and nothing fails behind it.
static nav_status decide(nd_edit *e, np_error *err)
{
    nd_world *w = e->w;
    nd_edit_listener *l = e->listener;
    uint64_t revision = w->revision + (e->change_count ? 1 : 0);
    if (revision < e->least_revision) revision = e->least_revision;
    nav_status s = check_objects(e, err); // others of the namespace may have got more meanwhile
    if (s != NAV_OK) return s;
    if (e->dirty.created && w->scheduler.tiles.count > e->limits.max_tiles) return too_many_tiles(e, err);
    if (e->caller && !e->caller->gone) s = nd_flows_admit(&w->scheduler.flows, e->caller);
    if (s != NAV_OK) return np_error_set(err, s, "no memory for the caller");
    e->goal = e->staging.reach ? nd_goal_of_wire(e->staging.reach) : w->goal;
    const nd_staging *g = &e->staging;
    if (l && (g->reach || g->build || g->areas)) s = l->on_head(l, w, g->reach ? &e->goal : NULL, g->build, g->areas);
    if (l && s == NAV_OK) s = l->on_end(l, w, revision);
    if (s != NAV_OK) return np_error_set(err, s, "no memory to store the edit");
    if (e->staging.reach) s = nd_reach_prepare(w, &e->goal); // the last that may fail, as nothing takes it back
    if (s != NAV_OK) return np_error_set(err, s, "no memory to compute what can be reached");
    w->revision = e->revision = revision;
    w->applying = true;
    w->scheduler.marking = revision;
    e->dirty_tiles = e->dirty.count;
    e->class = e->dirty.count <= e->limits.interactive_tiles ? ND_INTERACTIVE : ND_BACKGROUND;
    return NAV_OK;
}

static void apply_end(nd_edit *e)
{
    nd_world *w = e->w;
    w->applying = false;
    w->scheduler.marking = 0;
    if (e->staging.build) w->build = *e->staging.build;
    if (e->staging.areas) nd_world_take_areas(w, e->staging.areas);
    e->staging.areas = NULL;
    if (e->staging.reach) e->dirty_tiles += nd_reach_change(w, &e->goal, e->caller, e->now_ns);
    nd_world_judge_build(w);
}

static nav_status make_room(nd_edit *e, size_t count, np_error *err)
{
    e->change_count = count;
    if (nd_staging_reserve(&e->staging, count) == NAV_OK) return NAV_OK;
    return np_error_set(err, NAV_ERR_MEMORY, "no memory for %zu operations", count);
}

// The comparison, and then room for what it has found.
static nav_status compare_some(nd_edit *e, size_t *steps, np_error *err)
{
    size_t count, missing;
    nav_status s = nd_sync_run(e->sync, steps, err);
    if (s != NAV_OK) return s;
    (void)nd_sync_changes(e->sync, &count);
    (void)nd_sync_missing(e->sync, &missing);
    e->only_compare |= missing > 0;
    if (!e->only_compare) return make_room(e, count, err);
    e->revision = e->w->revision;
    return NAV_OK;
}

static nav_status stage_some(nd_edit *e, size_t *steps, np_error *err)
{
    size_t count;
    const nd_sync_change *changes = e->sync ? nd_sync_changes(e->sync, &count) : NULL;
    for (; e->at < e->change_count; e->at++) {
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        nav_status s = changes ? nd_stage_change(&e->staging, nd_sync_get_list(e->sync), &changes[e->at], err)
                               : nd_stage_op(&e->staging, &e->request.ops[e->at], e->at, err);
        if (s != NAV_OK) return s;
        *steps -= e->staging.weight < *steps ? e->staging.weight : *steps;
        e->staging.weight = 0;
    }
    return reserve(e, err);
}

static nav_status collect_some(nd_edit *e, size_t *steps, np_error *err)
{
    nav_status s = e->phase == COLLECT_ALL ? collect_all(e, steps) : collect(e, steps);
    if (s == NAV_ERR_LIMIT && e->dirty.created > e->limits.max_new_tiles)
        return nd_dirty_refuse_new(&e->dirty, &e->limits, "the edit needs", err);
    if (s == NAV_ERR_LIMIT) return too_many_tiles(e, err);
    return s == NAV_OK || s == NAV_ERR_AGAIN ? s : np_error_set(err, s, "no memory for the tiles of the edit");
}

static nav_status tell_some(nd_edit *e, size_t *steps, np_error *err)
{
    nd_edit_listener *l = e->listener;
    for (; l && e->at < e->staging.count; e->at++) {
        const nd_staged *s = &e->staging.entries[e->at];
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        nav_status status = nd_staged_is_unchanged(s) ? NAV_OK : l->on_object(l, e->w, s->before, s->after);
        if (status != NAV_OK) return np_error_set(err, status, "no memory to store the edit");
    }
    return NAV_OK;
}

static nav_status swap_some(nd_edit *e, size_t *steps)
{
    for (; e->at < e->staging.count; e->at++) {
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        swap_in(e->w, &e->staging.entries[e->at]);
    }
    return NAV_OK;
}

static nav_status run_phase(nd_edit *e, size_t *steps, np_error *err)
{
    switch (e->phase) {
    case COMPARE:
        return compare_some(e, steps, err);
    case STAGE:
        return stage_some(e, steps, err);
    case COLLECT:
    case COLLECT_ALL:
    case COLLECT_AREAS:
    case COLLECT_PROFILES:
        return collect_some(e, steps, err);
    case TELL:
        return tell_some(e, steps, err);
    case DECIDE:
        return decide(e, err);
    case SWAP:
        return swap_some(e, steps);
    case MARK:
        e->at = nd_dirty_mark(&e->dirty, e->w, e->caller, e->class, e->now_ns, e->at, steps);
        return e->at < e->dirty.count ? NAV_ERR_AGAIN : NAV_OK;
    case APPLIED:
        break;
    }
    return NAV_OK;
}

nav_status nd_edit_begin_sync(nd_world *w, nd_mesh_store *meshes, nd_edit_listener *listener, nd_caller *caller,
                              const np_world_edit_request *request, nd_sync *sync, bool only_compare, uint64_t now_ns,
                              nd_edit **out, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    assert(!w->edit && !w->change);
    *out = NULL;
    if (request->has_base_revision && request->base_revision != w->revision)
        return np_error_set_key(err, NAV_ERR_STATE, "base_revision", "base_revision is %llu, but the world is at %llu",
                                (unsigned long long)request->base_revision, (unsigned long long)w->revision);
    nd_edit *e = calloc(1, sizeof *e);
    nav_status s = e ? NAV_OK : np_error_set(err, NAV_ERR_MEMORY, "no memory for the edit");
    if (s == NAV_OK && !sync) s = make_room(e, request->op_count, err);
    if (s != NAV_OK) {
        if (e) nd_staging_deinit(&e->staging);
        free(e);
        return s;
    }
    nav_spatial_index_init(&e->includes, INCLUDE_BUCKET_M);
    e->w = w;
    e->sync = sync;
    e->only_compare = only_compare;
    e->phase = sync ? COMPARE : STAGE;
    e->staging.w = w;
    e->staging.meshes = meshes;
    e->staging.limits = &e->limits;
    e->listener = listener;
    e->caller = nd_caller_ref(caller);
    e->request = *request;
    e->now_ns = now_ns;
    w->edit = *out = e;
    w->edit_serial++;
    return NAV_OK;
}

nav_status nd_edit_begin(nd_world *w, nd_mesh_store *meshes, nd_edit_listener *listener, nd_caller *caller,
                         const np_world_edit_request *request, uint64_t now_ns, nd_edit **out, np_error *err)
{
    return nd_edit_begin_sync(w, meshes, listener, caller, request, NULL, false, now_ns, out, err);
}

nav_status nd_edit_run(nd_edit *e, const nd_world_limits *limits, size_t steps, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    e->limits = *limits;
    while (e->phase != APPLIED) {
        nav_status s = run_phase(e, &steps, err);
        if (s != NAV_OK) return s;
        if (e->phase == MARK) apply_end(e);
        e->phase = e->phase == COMPARE && e->only_compare ? APPLIED : e->phase + 1;
        e->at = 0;
    }
    return NAV_OK;
}

void nd_edit_follow(nd_edit *e, uint64_t revision)
{
    e->least_revision = revision;
}

bool nd_edit_is_decided(const nd_edit *e)
{
    return e->phase > DECIDE;
}

uint64_t nd_edit_revision(const nd_edit *e)
{
    return e->revision;
}

uint64_t nd_edit_created_tiles(const nd_edit *e)
{
    return e->dirty.created;
}

uint32_t nd_edit_dirty_tiles(const nd_edit *e)
{
    return (uint32_t)e->dirty_tiles;
}

bool nd_edit_only_compared(const nd_edit *e)
{
    return e->only_compare;
}

void nd_edit_destroy(nd_edit *e)
{
    if (!e) return;
    e->staging.given_up = !nd_edit_is_decided(e);
    if (nd_edit_is_decided(e) && e->phase != APPLIED) { // with its world
        e->w->applying = false;
        e->w->scheduler.marking = 0;
    }
    nd_staging_deinit(&e->staging);
    nav_spatial_index_deinit(&e->includes);
    e->w->edit = NULL;
    nd_dirty_deinit(&e->dirty, e->w);
    nd_caller_unref(e->caller);
    free(e);
}

nav_status nd_world_edit(nd_world *w, nd_mesh_store *meshes, const nd_world_limits *limits, nd_caller *caller,
                         const np_world_edit_request *request, uint64_t now_ns, uint32_t *dirty_tiles, np_error *err)
{
    nd_edit *e;
    nav_status s = nd_edit_begin(w, meshes, NULL, caller, request, now_ns, &e, err);
    if (s == NAV_OK) s = nd_edit_run(e, limits, SIZE_MAX, err);
    if (s == NAV_OK) *dirty_tiles = nd_edit_dirty_tiles(e);
    nd_edit_destroy(e);
    return s;
}
