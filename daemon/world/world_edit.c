// Edits. An edit is staged first: each object that it names has one entry with what the world has now (before) and what
// it will have (after); operations change `after` only. When every operation is good and all memory is there, the
// entries are swapped in and the tiles marked, which cannot fail.
//
// What a source puts is compared with what it owns first (world_sync.h), and the differences are staged.
//
//     stage ──► reserve ──► collect tiles ──► tell the listener ──► decide ──► swap in ──► mark
//     └────────── the world is as it was; may be refused ──────────────────┘   └─ no tile is begun ─┘
//
// Each part goes on where it was left, so that a large edit need not keep the loop from everybody else.
#include "daemon/base/thread.h"
#include "daemon/world/includes.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"
#include "daemon/world/world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct staged {
    nd_node node;
    nd_kind kind;
    uint64_t id;
    nd_object *before; // the world's
    nd_object *after;  // the batch's; NULL: removed
    bool renamed;      // the same comes under another id: no tile can change
} staged;

static const double INCLUDE_BUCKET_M = 64;

typedef enum phase { COMPARE, STAGE, COLLECT, COLLECT_ALL, COLLECT_AREAS, TELL, DECIDE, SWAP, MARK, APPLIED } phase;

struct nd_edit {
    nd_world *w;
    nd_mesh_store *meshes;
    nd_world_limits limits;
    nd_edit_listener *listener; // NULL: nobody
    nd_caller *caller;          // a reference, or NULL
    np_world_edit_request request;
    nd_sync *sync; // borrowed; its changes are staged, not operations. NULL: operations
    bool only_compare;
    size_t change_count; // operations, or changes
    uint64_t now_ns;
    phase phase;
    size_t at; // in the phase: an operation, an entry or a tile
    nd_table table;
    staged *entries;
    size_t count;
    uint64_t added[ND_KIND_COUNT], gone[ND_KIND_COUNT];
    uint64_t include_count;     // of volumes, afterwards
    nav_spatial_index includes; // boxes of the include volumes that it puts
    size_t slot;                // COLLECT_ALL: of the next objects
    const nd_node *next;        // the next one of this slot
    const np_reach *reach;      // the last one set
    const np_build *build;      // the same
    nd_goal goal;
    nd_dirty dirty;
    unsigned part; // of an entry or area: how many places and profiles of it have been collected
    nd_sweep sweep;
    bool sweeping;
    nd_class class;
    uint64_t revision;
    size_t dirty_tiles;
};

static uint64_t staged_hash(nd_kind kind, uint64_t id)
{
    return nd_hash_u64(id + (uint64_t)kind * UINT64_C(0x9e3779b97f4a7c15));
}

static staged *stage(nd_edit *b, nd_kind kind, uint64_t id)
{
    uint64_t hash = staged_hash(kind, id);
    for (nd_node *n = nd_table_first(&b->table, hash); n; n = nd_table_next(n)) {
        staged *s = ND_HOLDER(n, staged, node);
        if (s->kind == kind && s->id == id) return s;
    }
    staged *s = &b->entries[b->count++];
    *s = (staged){.kind = kind, .id = id, .before = nd_world_find(b->w, kind, id)};
    s->after = s->before;
    nd_table_insert(&b->table, &s->node, hash);
    return s;
}

static void replace_after(staged *s, nd_object *after)
{
    if (s->after != s->before) nd_object_destroy(s->after);
    s->after = after;
}

// Takes over a reference to the owner, also when it fails.
static nd_object *object_create(nd_kind kind, uint64_t id, nd_owner *owner)
{
    static const size_t sizes[ND_KIND_COUNT] = {sizeof(nd_placed), sizeof(nd_volume), sizeof(nd_offmesh)};
    nd_object *o = calloc(1, sizes[kind]);
    if (!o) {
        nd_owner_unref(owner);
        return NULL;
    }
    o->kind = kind;
    o->id = id;
    o->owner = owner;
    return o;
}

static const char *const kind_names[ND_KIND_COUNT] = {"instance", "volume", "link"};

static nav_status op_error(np_error *err, nav_status code, size_t op, const char *text)
{
    np_error_set(err, code, "ops[%zu]: %s", op, text);
    if (err) {
        err->has_op = true;
        err->op = (uint32_t)op;
    }
    return code;
}

static nav_status not_found(np_error *err, size_t op, nd_kind kind, uint64_t id)
{
    char text[96];
    snprintf(text, sizeof text, "there is no %s %llu", kind_names[kind], (unsigned long long)id);
    return op_error(err, NAV_ERR_NOT_FOUND, op, text);
}

static bool is_within_reach(const float min[3], const float max[3])
{
    for (int k = 0; k < 3; k++)
        if (min[k] < -NAV_WORLD_REACH_M || max[k] > NAV_WORLD_REACH_M) return false;
    return true;
}

static nav_status place(nd_mesh *mesh, const float transform[12], uint8_t area, uint64_t id, nd_owner *owner,
                        nd_object **out, const char **why)
{
    nd_placed *p = (nd_placed *)object_create(ND_INSTANCE, id, nd_owner_ref(owner));
    if (!p) return NAV_ERR_MEMORY;
    p->mesh = nd_mesh_ref(mesh);
    p->instance.mesh = mesh->mesh;
    p->instance.area = area;
    memcpy(p->instance.transform, transform, sizeof p->instance.transform);
    float min[3], max[3];
    p->object.has_box = nav_instance_bounds(&p->instance, min, max);
    if (!p->object.has_box && mesh->mesh->tri_count) {
        *why = "transform: it moves the mesh out of the range of numbers";
        nd_object_destroy(&p->object);
        return NAV_ERR_ARGUMENT;
    }
    if (p->object.has_box && !is_within_reach(min, max)) {
        *why = "transform: it takes the mesh beyond 1e7 m from the world's origin";
        nd_object_destroy(&p->object);
        return NAV_ERR_ARGUMENT;
    }
    if (p->object.has_box)
        p->object.box = (nav_box_xz){{(double)min[0], (double)min[2]}, {(double)max[0], (double)max[2]}};
    *out = &p->object;
    return NAV_OK;
}

// A reference to who an operation says puts it; NULL: nobody.
static nav_status need_owner(nd_edit *b, np_str source, nd_owner **out, np_error *err)
{
    *out = NULL;
    if (!source.size) return NAV_OK;
    nav_status s = nd_owner_need(&b->w->owners, source, b->limits.max_sources, out);
    if (s == NAV_ERR_LIMIT)
        return np_error_set_key(err, s, "source",
                                "source: the world has objects of %llu sources already, as many as "
                                "are allowed (--max-sources)",
                                (unsigned long long)b->limits.max_sources);
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for the source");
}

static nav_status stage_instance(nd_edit *b, const np_op *op, size_t at, np_error *err)
{
    staged *s = stage(b, ND_INSTANCE, op->id);
    nd_mesh *mesh;
    uint8_t area = op->u.instance.area;
    const char *why = "no memory";
    nd_object *after = NULL;
    nd_owner *owner = NULL;
    nav_status status = NAV_OK;
    if (op->kind == NP_OP_PUT_INSTANCE) {
        mesh = nd_mesh_store_find_in(b->meshes, b->w->space, &op->u.instance.mesh);
        if (!mesh) {
            char text[96] = "mesh: there is none with the hash ", hash[NAV_KEY_TEXT_BYTES];
            nav_key_text(op->u.instance.mesh, hash);
            strcat(strcat(text, hash), "; send it with mesh.put");
            return op_error(err, NAV_ERR_NOT_FOUND, at, text);
        }
        status = need_owner(b, op->source, &owner, err);
        if (status != NAV_OK) return status;
    } else {
        if (!s->after) return not_found(err, at, ND_INSTANCE, op->id);
        mesh = ((nd_placed *)s->after)->mesh;
        area = ((nd_placed *)s->after)->instance.area;
        owner = nd_owner_ref(s->after->owner);
    }
    status = place(mesh, op->u.instance.transform, area, op->id, owner, &after, &why);
    nd_owner_unref(owner);
    if (status != NAV_OK) return op_error(err, status, at, why);
    replace_after(s, after);
    return NAV_OK;
}

static nav_status stage_volume(nd_edit *b, const np_op *op, size_t at, np_error *err)
{
    char why[160];
    const nav_volume *v = &op->u.volume;
    if (nav_volume_check(v, why, sizeof why) != NAV_OK) return op_error(err, NAV_ERR_ARGUMENT, at, why);
    nd_owner *owner;
    nav_status s = need_owner(b, op->source, &owner, err);
    if (s != NAV_OK) return s;
    nd_volume *o = (nd_volume *)object_create(ND_VOLUME, op->id, owner);
    if (!o) return op_error(err, NAV_ERR_MEMORY, at, "no memory");
    o->volume = *v;
    nav_box_xz box = {{(double)v->points[0], (double)v->points[1]}, {(double)v->points[0], (double)v->points[1]}};
    for (uint32_t i = 1; i < v->point_count; i++)
        for (uint32_t k = 0; k < 2; k++) {
            double p = (double)v->points[2 * i + k];
            if (p < box.min[k]) box.min[k] = p;
            if (p > box.max[k]) box.max[k] = p;
        }
    o->object.box = box;
    o->object.has_box = true;
    replace_after(stage(b, ND_VOLUME, op->id), &o->object);
    return NAV_OK;
}

static nav_status stage_link(nd_edit *b, const np_op *op, size_t at, np_error *err)
{
    char why[160];
    const nav_link *l = &op->u.link;
    if (nav_link_check(l, why, sizeof why) != NAV_OK) return op_error(err, NAV_ERR_ARGUMENT, at, why);
    nd_owner *owner;
    nav_status s = need_owner(b, op->source, &owner, err);
    if (s != NAV_OK) return s;
    nd_offmesh *o = (nd_offmesh *)object_create(ND_LINK, op->id, owner);
    if (!o) return op_error(err, NAV_ERR_MEMORY, at, "no memory");
    o->link = *l;
    o->object.has_box = true;
    o->object.box =
        (nav_box_xz){{(double)l->start[0], (double)l->start[2]}, {(double)l->start[0], (double)l->start[2]}};
    replace_after(stage(b, ND_LINK, op->id), &o->object);
    return NAV_OK;
}

static nav_status stage_op(nd_edit *b, const np_op *op, size_t at, np_error *err)
{
    static const nd_kind removed_kind[] = {
        [NP_OP_REMOVE_INSTANCE] = ND_INSTANCE, [NP_OP_REMOVE_VOLUME] = ND_VOLUME, [NP_OP_REMOVE_LINK] = ND_LINK};
    switch (op->kind) {
    case NP_OP_PUT_INSTANCE:
    case NP_OP_MOVE_INSTANCE:
        return stage_instance(b, op, at, err);
    case NP_OP_PUT_VOLUME:
        return stage_volume(b, op, at, err);
    case NP_OP_PUT_LINK:
        return stage_link(b, op, at, err);
    case NP_OP_REMOVE_INSTANCE:
    case NP_OP_REMOVE_VOLUME:
    case NP_OP_REMOVE_LINK: {
        staged *s = stage(b, removed_kind[op->kind], op->id);
        if (!s->after) return not_found(err, at, s->kind, op->id);
        replace_after(s, NULL);
        return NAV_OK;
    }
    case NP_OP_DIRTY:
        for (int k = 0; k < 2; k++)
            if (!(op->u.dirty.min[k] <= op->u.dirty.max[k]))
                return op_error(err, NAV_ERR_ARGUMENT, at, "min is greater than max");
        return NAV_OK;
    case NP_OP_SET_REACH:
        b->reach = &op->u.reach;
        return NAV_OK;
    case NP_OP_SET_BUILD:
        b->build = &op->u.build;
        return NAV_OK;
    }
    return op_error(err, NAV_ERR_ARGUMENT, at, "unknown operation");
}

// Is there the same where it was? Then no tile can change.
static bool same_ground(const staged *s)
{
    if (s->before == s->after || s->renamed) return true;
    if (!s->before || !s->after) return false;
    switch (s->kind) {
    case ND_INSTANCE: {
        const nd_placed *a = (const nd_placed *)s->before, *b = (const nd_placed *)s->after;
        return a->mesh == b->mesh && a->instance.area == b->instance.area &&
               !memcmp(a->instance.transform, b->instance.transform, sizeof a->instance.transform);
    }
    case ND_VOLUME: {
        nav_key a = nav_volume_key(&((const nd_volume *)s->before)->volume);
        return nav_key_equal(a, nav_volume_key(&((const nd_volume *)s->after)->volume));
    }
    default: {
        nav_key a = nav_link_key(&((const nd_offmesh *)s->before)->link);
        return nav_key_equal(a, nav_link_key(&((const nd_offmesh *)s->after)->link));
    }
    }
}

// Did the batch leave the object as it was?
static bool unchanged(const staged *s)
{
    if (s->before == s->after) return true;
    return s->before && s->after && s->before->owner == s->after->owner && same_ground(s);
}

// Which tiles a place of an object makes.
static nd_creates creates_of(const nd_edit *e, const nd_object *o, bool is_new)
{
    const nd_world *w = e->w;
    if (!is_new || w->loading) return ND_CREATES_NONE;
    if (o->kind == ND_INSTANCE) return e->include_count ? ND_CREATES_INCLUDED : ND_CREATES_ALL;
    return nd_object_includes(o) && w->include_count ? ND_CREATES_COVERED : ND_CREATES_NONE;
}

// The next place of an object: in each profile where it was, then where it will be. False: there are no more.
static bool next_place(nd_edit *e, const staged *s, nav_status *status)
{
    nd_world *w = e->w;
    const nd_object *places[2] = {s->before, s->after};
    *status = NAV_OK;
    if (e->part >= 2 * w->profile_count) return false;
    bool is_new = e->part >= w->profile_count;
    uint32_t p = e->part++ % w->profile_count;
    const nd_object *o = places[is_new];
    if (!o || !o->has_box || !nd_profile_is_live(w, p)) return true;
    e->dirty.by = (nd_cause_kind)o->kind;
    e->dirty.object = o->id;
    if (o->kind == ND_LINK) { // a link belongs to the tile of its start alone
        int32_t x, z;
        nav_tile_at(&w->profiles[p].wire.settings, o->box.min[0], o->box.min[1], &x, &z);
        nd_tile *t = nd_scheduler_find(&w->scheduler, p, x, z);
        e->dirty.marks++;
        if (t) *status = nd_dirty_tile(&e->dirty, w, t, 0);
    } else {
        *status = nd_sweep_begin(&e->sweep, &e->dirty, w, p, &o->box, creates_of(e, o, is_new), false, &e->limits);
        e->sweep.coming = &e->includes;
        e->sweeping = *status == NAV_OK;
    }
    return true;
}

// The same for an area that is to be made again.
static bool next_area(nd_edit *e, const np_op *op, nav_status *status)
{
    nav_box_xz box;
    *status = NAV_OK;
    if (op->kind != NP_OP_DIRTY || e->part >= e->w->profile_count) return false;
    e->dirty.by = ND_BY_AREA;
    e->dirty.object = 0;
    memcpy(box.min, op->u.dirty.min, sizeof box.min);
    memcpy(box.max, op->u.dirty.max, sizeof box.max);
    uint32_t p = e->part++;
    if (!nd_profile_is_live(e->w, p)) return true;
    *status = nd_sweep_begin(&e->sweep, &e->dirty, e->w, p, &box, ND_CREATES_NONE, true, &e->limits);
    e->sweeping = *status == NAV_OK;
    return true;
}

static nav_status collect(nd_edit *e, size_t *steps)
{
    nav_status s;
    size_t all = e->phase == COLLECT ? e->count : e->request.op_count;
    while (e->at < all) {
        if (e->sweeping) {
            s = nd_sweep_run(&e->sweep, &e->dirty, e->w, &e->limits, steps);
            if (s != NAV_OK) return s;
            e->sweeping = false;
        }
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        bool more = e->phase == COLLECT ? !same_ground(&e->entries[e->at]) && next_place(e, &e->entries[e->at], &s)
                                        : next_area(e, &e->request.ops[e->at], &s);
        if (more) {
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
    const nd_table *t = &w->objects[ND_INSTANCE];
    nd_world_limits limits = e->limits;
    limits.max_edit_tiles = UINT64_MAX; // they are the world's, within its own limit
    if (!w->include_count == !e->include_count || w->loading) return NAV_OK;
    e->dirty.by = ND_BY_VOLUME;
    for (;;) {
        if (e->sweeping) {
            nav_status s = nd_sweep_run(&e->sweep, &e->dirty, w, &limits, steps);
            if (s != NAV_OK) return s;
            e->sweeping = false;
        }
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        const nd_object *o = e->next ? ND_HOLDER(e->next, nd_object, node) : NULL;
        if (o && o->has_box && e->part < w->profile_count && !nd_profile_is_live(w, e->part)) {
            e->part++;
        } else if (o && o->has_box && e->part < w->profile_count) {
            nd_creates creates = e->include_count ? ND_CREATES_NONE : ND_CREATES_ALL;
            nav_status s = nd_sweep_begin(&e->sweep, &e->dirty, w, e->part++, &o->box, creates, false, &limits);
            if (s != NAV_OK) return s;
            e->sweeping = true;
        } else {
            e->part = 0;
            if (e->next) e->next = e->next->next;
            if (!e->next && e->slot == t->slot_count) return NAV_OK;
            if (!e->next) e->next = t->slots[e->slot++];
        }
    }
}

// The boxes of the include volumes that come. NAV_ERR_MEMORY.
static nav_status count_includes(nd_edit *e)
{
    nav_status status = NAV_OK;
    e->include_count = e->w->include_count;
    for (size_t i = 0; i < e->count && status == NAV_OK; i++) {
        const staged *s = &e->entries[i];
        if (nd_object_includes(s->before)) e->include_count--;
        if (!nd_object_includes(s->after)) continue;
        e->include_count++;
        nd_includes_widen(e->w, &s->after->box);
        status = nav_spatial_index_insert(&e->includes, i, &s->after->box);
    }
    return status;
}

static void count_changes(nd_edit *e)
{
    for (size_t i = 0; i < e->count; i++) {
        const staged *s = &e->entries[i];
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
                                (unsigned long long)e->limits.max_objects, kind_names[k]);
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
        if (s == NAV_OK) s = nav_spatial_index_reserve(&w->index[k], (uint32_t)e->count);
    }
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for %zu operations", e->count);
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
static void swap_in(nd_world *w, staged *s)
{
    nd_object *before = s->before, *after = s->after;
    nav_spatial_index *index = &w->index[s->kind];
    nav_status status = NAV_OK;
    if (before == after) return;
    if (nd_object_includes(before) && !--w->include_count) nd_includes_reset(w);
    if (nd_object_includes(after)) {
        w->include_count++;
        nd_includes_widen(w, &after->box);
    }
    if (before) {
        nd_table_remove(&w->objects[s->kind], &before->node);
        if (before->has_box) status = nav_spatial_index_remove(index, (uint64_t)(uintptr_t)before);
        assert(status == NAV_OK);
        if (before->owner && before->kind == ND_INSTANCE) nd_owner_unlink(before);
    }
    if (after) {
        nd_table_insert(&w->objects[s->kind], &after->node, nd_hash_u64(after->id));
        if (after->has_box) status = nav_spatial_index_insert(index, (uint64_t)(uintptr_t)after, &after->box);
        assert(status == NAV_OK);
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
    nav_status s = check_objects(e, err); // others of the namespace may have got more meanwhile
    if (s != NAV_OK) return s;
    if (e->dirty.created && w->scheduler.tiles.count > e->limits.max_tiles) return too_many_tiles(e, err);
    if (e->caller && !e->caller->gone) s = nd_flows_admit(&w->scheduler.flows, e->caller);
    if (s != NAV_OK) return np_error_set(err, s, "no memory for the caller");
    e->goal = e->reach ? nd_goal_of_wire(e->reach) : w->goal;
    if (l && (e->reach || e->build)) s = l->on_head(l, w, e->reach ? &e->goal : NULL, e->build);
    if (l && s == NAV_OK) s = l->on_end(l, w, revision);
    if (s != NAV_OK) return np_error_set(err, s, "no memory to store the edit");
    if (e->reach) s = nd_reach_prepare(w, &e->goal); // the last that may fail, as nothing takes it back
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
    if (e->build) w->build = *e->build;
    if (e->reach) e->dirty_tiles += nd_reach_change(w, &e->goal, e->caller, e->now_ns);
    nd_world_judge_build(w);
}

static nav_status make_room(nd_edit *e, size_t count, np_error *err)
{
    e->change_count = count;
    e->entries = malloc((count ? count : 1) * sizeof *e->entries);
    if (e->entries && nd_table_reserve(&e->table, count) == NAV_OK) return NAV_OK;
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

static nav_status stage_change(nd_edit *e, const nd_sync_change *c, np_error *err)
{
    const nd_sync_list *list = nd_sync_get_list(e->sync);
    staged *s = stage(e, ND_INSTANCE, c->id);
    const char *why = "no memory";
    float transform[12];
    nd_object *after = NULL;
    nd_owner *owner;
    s->renamed = c->kind == ND_SYNC_RENAMED || c->kind == ND_SYNC_RENAMED_AWAY;
    if (c->kind == ND_SYNC_REMOVED || c->kind == ND_SYNC_RENAMED_AWAY) {
        replace_after(s, NULL);
        return NAV_OK;
    }
    nav_status status = need_owner(e, list->source, &owner, err);
    if (status != NAV_OK) return status;
    nd_sync_transform(list, c->at, transform);
    status = place(c->mesh, transform, nd_sync_area(list, c->at), c->id, owner, &after, &why);
    nd_owner_unref(owner);
    if (status != NAV_OK)
        return np_error_set(err, status, "object %zu of the list (instance %llu): %s", c->at, (unsigned long long)c->id,
                            why);
    replace_after(s, after);
    return NAV_OK;
}

static nav_status stage_some(nd_edit *e, size_t *steps, np_error *err)
{
    size_t count;
    const nd_sync_change *changes = e->sync ? nd_sync_changes(e->sync, &count) : NULL;
    for (; e->at < e->change_count; e->at++) {
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        nav_status s =
            changes ? stage_change(e, &changes[e->at], err) : stage_op(e, &e->request.ops[e->at], e->at, err);
        if (s != NAV_OK) return s;
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
    for (; l && e->at < e->count; e->at++) {
        const staged *s = &e->entries[e->at];
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        nav_status status = unchanged(s) ? NAV_OK : l->on_object(l, e->w, s->before, s->after);
        if (status != NAV_OK) return np_error_set(err, status, "no memory to store the edit");
    }
    return NAV_OK;
}

static nav_status swap_some(nd_edit *e, size_t *steps)
{
    for (; e->at < e->count; e->at++) {
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        swap_in(e->w, &e->entries[e->at]);
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
        if (e) free(e->entries);
        free(e);
        return s;
    }
    nav_spatial_index_init(&e->includes, INCLUDE_BUCKET_M);
    e->w = w;
    e->sync = sync;
    e->only_compare = only_compare;
    e->phase = sync ? COMPARE : STAGE;
    e->meshes = meshes;
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
    if (nd_edit_is_decided(e) && e->phase != APPLIED) { // with its world
        e->w->applying = false;
        e->w->scheduler.marking = 0;
    }
    for (size_t i = 0; i < e->count; i++)
        if (e->entries[i].after != e->entries[i].before) nd_object_destroy(e->entries[i].after);
    free(e->entries);
    nd_table_deinit(&e->table);
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
