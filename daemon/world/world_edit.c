// Edits: a batch is staged first. Each object it names has one staged entry with what the world has now (before) and
// what it will have (after); operations change `after` only. When every operation is good and all memory is there, the
// entries are swapped in, which cannot fail.
//
//     ops ──check──► staged {before, after} ──reserve, collect tiles──► swap, mark
#include "daemon/base/thread.h"
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
} staged;

typedef struct batch {
    nd_world *w;
    nd_mesh_store *meshes;
    const nd_world_limits *limits;
    nd_table table;
    staged *entries;
    size_t count;
    size_t added[ND_KIND_COUNT];
    const np_reach *reach; // the last one set
} batch;

static uint64_t staged_hash(nd_kind kind, uint64_t id)
{
    return nd_hash_u64(id + (uint64_t)kind * UINT64_C(0x9e3779b97f4a7c15));
}

static staged *stage(batch *b, nd_kind kind, uint64_t id)
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

static nd_object *object_create(nd_kind kind, uint64_t id)
{
    static const size_t sizes[ND_KIND_COUNT] = {sizeof(nd_placed), sizeof(nd_volume), sizeof(nd_offmesh)};
    nd_object *o = calloc(1, sizes[kind]);
    if (!o) return NULL;
    o->kind = kind;
    o->id = id;
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

static nav_status place(nd_mesh *mesh, const float transform[12], uint8_t area, uint64_t id, nd_object **out,
                        const char **why)
{
    nd_placed *p = (nd_placed *)object_create(ND_INSTANCE, id);
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

static nav_status stage_instance(batch *b, const np_op *op, size_t at, np_error *err)
{
    staged *s = stage(b, ND_INSTANCE, op->id);
    nd_mesh *mesh;
    uint8_t area = op->u.instance.area;
    const char *why = "no memory";
    nd_object *after = NULL;
    if (op->kind == NP_OP_PUT_INSTANCE) {
        mesh = nd_mesh_store_find_in(b->meshes, b->w->space, &op->u.instance.mesh);
        if (!mesh) {
            char text[96] = "mesh: there is none with the hash ", hash[NAV_KEY_TEXT_BYTES];
            nav_key_text(op->u.instance.mesh, hash);
            strcat(strcat(text, hash), "; send it with mesh.put");
            return op_error(err, NAV_ERR_NOT_FOUND, at, text);
        }
    } else {
        if (!s->after) return not_found(err, at, ND_INSTANCE, op->id);
        mesh = ((nd_placed *)s->after)->mesh;
        area = ((nd_placed *)s->after)->instance.area;
    }
    nav_status status = place(mesh, op->u.instance.transform, area, op->id, &after, &why);
    if (status != NAV_OK) return op_error(err, status, at, why);
    replace_after(s, after);
    return NAV_OK;
}

static nav_status stage_volume(batch *b, const np_op *op, size_t at, np_error *err)
{
    char why[160];
    const nav_volume *v = &op->u.volume;
    if (nav_volume_check(v, why, sizeof why) != NAV_OK) return op_error(err, NAV_ERR_ARGUMENT, at, why);
    nd_volume *o = (nd_volume *)object_create(ND_VOLUME, op->id);
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

static nav_status stage_link(batch *b, const np_op *op, size_t at, np_error *err)
{
    char why[160];
    const nav_link *l = &op->u.link;
    if (nav_link_check(l, why, sizeof why) != NAV_OK) return op_error(err, NAV_ERR_ARGUMENT, at, why);
    nd_offmesh *o = (nd_offmesh *)object_create(ND_LINK, op->id);
    if (!o) return op_error(err, NAV_ERR_MEMORY, at, "no memory");
    o->link = *l;
    o->object.has_box = true;
    o->object.box =
        (nav_box_xz){{(double)l->start[0], (double)l->start[2]}, {(double)l->start[0], (double)l->start[2]}};
    replace_after(stage(b, ND_LINK, op->id), &o->object);
    return NAV_OK;
}

static nav_status stage_op(batch *b, const np_op *op, size_t at, np_error *err)
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
    }
    return op_error(err, NAV_ERR_ARGUMENT, at, "unknown operation");
}

// Did the batch leave the object as it was? Then no tile can change.
static bool unchanged(const staged *s)
{
    if (s->before == s->after) return true;
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

static nav_status collect_object(batch *b, nd_dirty *d, const nd_object *o, bool is_new_place)
{
    nd_world *w = b->w;
    if (!o || !o->has_box) return NAV_OK;
    d->by = (nd_cause_kind)o->kind;
    d->object = o->id;
    for (uint32_t p = 0; p < w->profile_count; p++) {
        nav_status s = NAV_OK;
        if (o->kind == ND_LINK) { // a link belongs to the tile of its start alone
            int32_t x, z;
            nav_tile_at(&w->profiles[p].wire.settings, o->box.min[0], o->box.min[1], &x, &z);
            nd_tile *t = nd_scheduler_find(&w->scheduler, p, x, z);
            d->marks++;
            if (t) s = nd_dirty_tile(d, w, t, 0);
        } else {
            s = nd_dirty_box(d, w, p, &o->box, is_new_place && o->kind == ND_INSTANCE, false, b->limits);
        }
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

static nav_status collect_tiles(batch *b, const np_world_edit_request *edit, nd_dirty *d)
{
    nav_status s = NAV_OK;
    for (size_t i = 0; i < b->count && s == NAV_OK; i++) {
        if (unchanged(&b->entries[i])) continue;
        s = collect_object(b, d, b->entries[i].before, false);
        if (s == NAV_OK) s = collect_object(b, d, b->entries[i].after, true);
    }
    for (uint32_t i = 0; i < edit->op_count && s == NAV_OK; i++) {
        const np_op *op = &edit->ops[i];
        if (op->kind != NP_OP_DIRTY) continue;
        nav_box_xz box;
        d->by = ND_BY_AREA;
        d->object = 0;
        memcpy(box.min, op->u.dirty.min, sizeof box.min);
        memcpy(box.max, op->u.dirty.max, sizeof box.max);
        for (uint32_t p = 0; p < b->w->profile_count && s == NAV_OK; p++)
            s = nd_dirty_box(d, b->w, p, &box, false, true, b->limits);
    }
    return s;
}

static nav_status reserve(batch *b, np_error *err)
{
    nd_world *w = b->w;
    uint64_t all = 0, added = 0, removed = 0, gone[ND_KIND_COUNT] = {0};
    for (size_t i = 0; i < b->count; i++) {
        if (!b->entries[i].before && b->entries[i].after) b->added[b->entries[i].kind]++;
        gone[b->entries[i].kind] += b->entries[i].before && !b->entries[i].after;
    }
    for (int k = 0; k < ND_KIND_COUNT; k++) {
        all += w->objects[k].count;
        added += b->added[k];
        removed += gone[k];
    }
    if (added > removed && all + added - removed > b->limits->max_all_objects)
        return np_error_set(err, NAV_ERR_LIMIT,
                            "the world would have %llu objects; the quota max_objects of its namespace %s allows it "
                            "%llu",
                            (unsigned long long)(all + added - removed), w->space->name,
                            (unsigned long long)b->limits->max_all_objects);
    for (int k = 0; k < ND_KIND_COUNT; k++) {
        if (b->added[k] > gone[k] && w->objects[k].count + b->added[k] - gone[k] > b->limits->max_objects)
            return np_error_set(err, NAV_ERR_LIMIT, "a world may have at most %llu %ss (--max-objects)",
                                (unsigned long long)b->limits->max_objects, kind_names[k]);
        nav_status s = nd_table_reserve(&w->objects[k], b->added[k]);
        if (s == NAV_OK) s = nav_spatial_index_reserve(&w->index[k], (uint32_t)b->count);
        if (s != NAV_OK) return np_error_set(err, s, "no memory for %zu operations", b->count);
    }
    return NAV_OK;
}

// An object that is replaced leaves the index under its old address and enters it under its new one.
static void swap_in(nd_world *w, staged *s)
{
    nd_object *before = s->before, *after = s->after;
    nav_spatial_index *index = &w->index[s->kind];
    nav_status status = NAV_OK;
    if (before == after) return;
    if (before) {
        nd_table_remove(&w->objects[s->kind], &before->node);
        if (before->has_box) status = nav_spatial_index_remove(index, (uint64_t)(uintptr_t)before);
        assert(status == NAV_OK);
    }
    if (after) {
        nd_table_insert(&w->objects[s->kind], &after->node, nd_hash_u64(after->id));
        if (after->has_box) status = nav_spatial_index_insert(index, (uint64_t)(uintptr_t)after, &after->box);
        assert(status == NAV_OK);
        if (after->kind == ND_INSTANCE && !w->awaited && ((nd_placed *)after)->mesh->state == ND_MESH_STORED)
            w->awaited = nd_mesh_ref(((nd_placed *)after)->mesh);
    }
    (void)status;
    nd_object_destroy(before);
    s->before = s->after;
}

static nav_status prepare(batch *b, const np_world_edit_request *edit, nd_dirty *dirty, np_error *err)
{
    if (edit->has_base_revision && edit->base_revision != b->w->revision)
        return np_error_set_key(err, NAV_ERR_STATE, "base_revision", "base_revision is %llu, but the world is at %llu",
                                (unsigned long long)edit->base_revision, (unsigned long long)b->w->revision);
    b->entries = malloc((edit->op_count ? edit->op_count : 1) * sizeof *b->entries);
    if (!b->entries || nd_table_reserve(&b->table, edit->op_count) != NAV_OK)
        return np_error_set(err, NAV_ERR_MEMORY, "no memory for %u operations", edit->op_count);
    for (uint32_t i = 0; i < edit->op_count; i++) {
        nav_status s = stage_op(b, &edit->ops[i], i, err);
        if (s != NAV_OK) return s;
    }
    nav_status s = reserve(b, err);
    if (s != NAV_OK) return s;
    b->w->edit_serial++;
    s = collect_tiles(b, edit, dirty);
    if (s == NAV_ERR_LIMIT && dirty->created > b->limits->max_new_tiles)
        return nd_dirty_refuse_new(dirty, b->limits, "the edit needs", err);
    if (s == NAV_ERR_LIMIT)
        return np_error_set(
            err, s,
            "the edit touches more than %llu tiles (--max-edit-tiles), or the world would have more than "
            "%llu (--max-tiles, or the quota max_tiles of its namespace): send it in parts, or use larger tiles",
            (unsigned long long)b->limits->max_edit_tiles, (unsigned long long)b->limits->max_tiles);
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for the tiles of the edit");
}

static nav_status tell_listener(batch *b, const nd_goal *goal, uint64_t revision, np_error *err)
{
    nd_edit_listener *l = b->w->listener;
    nav_status s = NAV_OK;
    if (!l) return s;
    for (size_t i = 0; i < b->count && s == NAV_OK; i++)
        if (!unchanged(&b->entries[i])) s = l->on_object(l, b->w, b->entries[i].before, b->entries[i].after);
    if (s == NAV_OK && b->reach) s = l->on_goal(l, b->w, goal);
    if (s == NAV_OK) s = l->on_end(l, b->w, revision);
    return s == NAV_OK ? s : np_error_set(err, s, "no memory to store the edit");
}

nav_status nd_world_edit(nd_world *w, nd_mesh_store *meshes, const nd_world_limits *limits, nd_caller *caller,
                         const np_world_edit_request *edit, uint64_t now_ns, uint32_t *dirty_tiles, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    batch b = {.w = w, .meshes = meshes, .limits = limits};
    nd_dirty dirty = {0};
    nd_goal goal = w->goal;
    nav_status s = prepare(&b, edit, &dirty, err);
    if (s != NAV_OK) goto done;
    s = nd_flows_admit(&w->scheduler.flows, caller);
    if (s != NAV_OK) {
        np_error_set(err, s, "no memory for the caller");
        goto done;
    }
    if (b.reach) goal = nd_goal_of_wire(b.reach);
    uint64_t revision = w->revision + (edit->op_count ? 1 : 0);
    s = tell_listener(&b, &goal, revision, err);
    if (s == NAV_OK && b.reach) { // the last that may fail, as nothing takes it back
        s = nd_reach_prepare(w, &goal);
        if (s != NAV_OK) np_error_set(err, s, "no memory to compute what can be reached");
    }
    if (s != NAV_OK) goto done;

    for (size_t i = 0; i < b.count; i++) swap_in(w, &b.entries[i]);
    w->revision = revision;
    nd_class class = dirty.count <= limits->interactive_tiles ? ND_INTERACTIVE : ND_BACKGROUND;
    nd_dirty_mark(&dirty, w, caller, class, now_ns);
    *dirty_tiles = (uint32_t)dirty.count;
    if (b.reach) *dirty_tiles += (uint32_t)nd_reach_change(w, &goal, caller, now_ns);
done:
    for (size_t i = 0; i < b.count; i++)
        if (b.entries[i].after != b.entries[i].before) nd_object_destroy(b.entries[i].after);
    free(b.entries);
    nd_table_deinit(&b.table);
    nd_dirty_deinit(&dirty, w);
    return s;
}
