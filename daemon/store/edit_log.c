#include "daemon/store/edit_log.h"

#include "daemon/base/thread.h"
#include "daemon/store/records.h"
#include "daemon/world/areas.h"
#include "daemon/world/reach.h"

#include <stdlib.h>
#include <string.h>

np_op nd_object_to_op(const nd_object *o)
{
    const nd_placed *p = (const nd_placed *)o;
    np_op op = {.id = o->id};
    if (o->owner) op.source = o->owner->name;
    op.name = nd_label_text(o->label);
    switch (o->kind) {
    case ND_INSTANCE:
        op.kind = NP_OP_PUT_INSTANCE;
        op.u.instance.mesh = p->mesh->mesh->hash;
        memcpy(op.u.instance.transform, p->instance.transform, sizeof op.u.instance.transform);
        op.u.instance.area = p->instance.area;
        break;
    case ND_VOLUME:
        op.kind = NP_OP_PUT_VOLUME;
        op.u.volume = ((const nd_volume *)o)->volume;
        break;
    default:
        op.kind = NP_OP_PUT_LINK;
        op.u.link = ((const nd_offmesh *)o)->link;
    }
    return op;
}

static nav_status add_op(nd_edit_log *l, const np_op *op)
{
    if (l->op_count == l->op_capacity) {
        size_t capacity = l->op_capacity ? 2 * l->op_capacity : 4;
        np_op *grown = realloc(l->ops, capacity * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        l->ops = grown;
        l->op_capacity = capacity;
    }
    l->ops[l->op_count++] = *op;
    return NAV_OK;
}

static nav_status add_mesh(nd_edit_log *l, nd_mesh *m)
{
    if (l->mesh_count && l->meshes[l->mesh_count - 1] == m) return NAV_OK;
    if (l->mesh_count == l->mesh_capacity) {
        size_t capacity = l->mesh_capacity ? 2 * l->mesh_capacity : 4;
        nd_mesh **grown = realloc(l->meshes, capacity * sizeof(nd_mesh *));
        if (!grown) return NAV_ERR_MEMORY;
        l->meshes = grown;
        l->mesh_capacity = capacity;
    }
    l->meshes[l->mesh_count++] = nd_mesh_ref(m);
    return NAV_OK;
}

static nav_status add_owner(nd_edit_log *l, nd_owner *o)
{
    if (!o || (l->owner_count && l->owners[l->owner_count - 1] == o)) return NAV_OK;
    if (l->owner_count == l->owner_capacity) {
        size_t capacity = l->owner_capacity ? 2 * l->owner_capacity : 4;
        nd_owner **grown = realloc(l->owners, capacity * sizeof(nd_owner *));
        if (!grown) return NAV_ERR_MEMORY;
        l->owners = grown;
        l->owner_capacity = capacity;
    }
    l->owners[l->owner_count++] = nd_owner_ref(o);
    return NAV_OK;
}

static nav_status add_label(nd_edit_log *l, nd_label *label)
{
    if (!label) return NAV_OK;
    if (l->label_count == l->label_capacity) {
        size_t capacity = l->label_capacity ? 2 * l->label_capacity : 4;
        nd_label **grown = realloc(l->labels, capacity * sizeof(nd_label *));
        if (!grown) return NAV_ERR_MEMORY;
        l->labels = grown;
        l->label_capacity = capacity;
    }
    l->labels[l->label_count++] = nd_label_ref(label);
    return NAV_OK;
}

// A mesh that the edit itself has made: nobody has stored it.
static nav_status keep_made(nd_edit_log *l, nd_mesh *m, const nd_namespace *space)
{
    uint8_t key[NAV_KEY_BYTES];
    nav_status s = nd_change_mesh_space(&l->records, m->mesh->hash, space->name);
    if (s != NAV_OK || m->durable || m->commits) return s;
    nd_mesh **grown = realloc(l->made, (l->made_count + 1) * sizeof(nd_mesh *));
    if (!grown) return NAV_ERR_MEMORY;
    l->made = grown;
    const nd_mesh_head head = nd_mesh_head_of(m);
    nav_key_store(m->mesh->hash, key);
    s = nd_change_mesh(&l->records, m->mesh->hash, &head);
    if (s == NAV_OK)
        s = nd_change_put(&l->records, ND_MESHES, (nd_bytes){key, sizeof key},
                          (nd_bytes){m->source.data, m->source.size});
    if (s != NAV_OK) return s;
    l->made[l->made_count++] = nd_mesh_ref(m);
    m->commits++;
    return NAV_OK;
}

static bool is_patched(const nd_object *before, const nd_object *after)
{
    if (!before || !after || after->kind != ND_INSTANCE) return false;
    const nd_mesh *m = ((const nd_placed *)after)->mesh;
    return m->mesh->heights && m != ((const nd_placed *)before)->mesh;
}

static nav_status on_object(nd_edit_listener *listener, const nd_world *w, const nd_object *before,
                            const nd_object *after)
{
    nd_edit_log *l = ND_HOLDER(listener, nd_edit_log, listener);
    np_op op;
    nav_status s;
    if (!before && !after) return NAV_OK; // made and removed by one edit
    const nd_object *any = before ? before : after;
    op = before ? nd_object_to_op(before) : nd_removal_of(any->kind, any->id);
    s = add_op(l, &op);
    if (s == NAV_OK && before && before->kind == ND_INSTANCE) s = add_mesh(l, ((const nd_placed *)before)->mesh);
    if (s == NAV_OK && before) s = add_owner(l, before->owner);
    if (s == NAV_OK && before) s = add_label(l, before->label);
    if (s != NAV_OK) return s;
    if (is_patched(before, after)) s = keep_made(l, ((const nd_placed *)after)->mesh, w->space);
    if (s != NAV_OK) return s;
    if (!after) return nd_change_remove_object(&l->records, w->id, any->kind, any->id);
    op = nd_object_to_op(after);
    return nd_change_object(&l->records, w->id, &op);
}

static nav_status keep_areas(nd_edit_log *l, const nd_area_table *before)
{
    nav_status s = nd_area_table_create(before ? before->list : NULL, before ? before->count : 0, &l->areas);
    if (s != NAV_OK) return s;
    const np_op op = {.kind = NP_OP_SET_AREAS, .u.areas = {l->areas->count, l->areas->list}};
    return add_op(l, &op);
}

static nav_status on_head(nd_edit_listener *listener, nd_world *w, const nd_goal *goal, const np_build *build,
                          nd_area_table *areas)
{
    nd_edit_log *l = ND_HOLDER(listener, nd_edit_log, listener);
    np_op reach_before = {.kind = NP_OP_SET_REACH}, build_before = {.kind = NP_OP_SET_BUILD, .u.build = w->build};
    reach_before.u.reach = nd_goal_to_wire(&w->goal, l->seeds);
    nav_status s = goal ? add_op(l, &reach_before) : NAV_OK;
    if (s == NAV_OK && build) s = add_op(l, &build_before);
    if (s == NAV_OK && areas) s = keep_areas(l, w->areas);
    if (s != NAV_OK) return s;
    nd_goal before = w->goal;
    nd_area_table *areas_before = w->areas;
    if (goal) w->goal = *goal; // the head as it will be
    if (build) w->build = *build;
    if (areas) w->areas = areas;
    s = nd_change_head(&l->records, w);
    w->goal = before;
    w->build = build_before.u.build;
    w->areas = areas_before;
    l->has_head = s == NAV_OK;
    return s;
}

nav_status nd_edit_log_finish(nd_edit_log *l, const nd_world *w, uint64_t revision)
{
    nav_status s = NAV_OK;
    if (w->head_due && !l->has_head) {
        s = nd_change_head(&l->records, w);
        l->has_head = s == NAV_OK;
    }
    l->revision = revision;
    return s == NAV_OK ? nd_change_revision(&l->records, w->id, revision, w->removed.horizon) : s;
}

static nav_status on_end(nd_edit_listener *listener, const nd_world *w, uint64_t revision)
{
    return nd_edit_log_finish(ND_HOLDER(listener, nd_edit_log, listener), w, revision);
}

void nd_edit_log_init(nd_edit_log *l)
{
    *l = (nd_edit_log){.listener = {on_object, on_head, on_end}};
}

void nd_edit_log_deinit(nd_edit_log *l)
{
    nav_buffer_deinit(&l->records);
    for (size_t i = 0; i < l->mesh_count; i++) nd_mesh_unref(l->meshes[i]);
    for (size_t i = 0; i < l->made_count; i++) {
        l->made[i]->commits--;
        nd_mesh_unref(l->made[i]);
    }
    free(l->made);
    l->made = NULL;
    l->made_count = 0;
    for (size_t i = 0; i < l->owner_count; i++) nd_owner_unref(l->owners[i]);
    for (size_t i = 0; i < l->label_count; i++) nd_label_unref(l->labels[i]);
    free(l->meshes);
    free(l->owners);
    free(l->labels);
    free(l->ops);
    free(l->areas);
    l->areas = NULL;
    l->ops = NULL;
    l->meshes = NULL;
    l->owners = NULL;
    l->labels = NULL;
    l->op_count = l->mesh_count = l->owner_count = l->label_count = 0;
}

size_t nd_edit_log_size(const nd_edit_log *l)
{
    return l->records.capacity + l->op_capacity * sizeof *l->ops + l->mesh_capacity * sizeof(nd_mesh *) +
           l->owner_capacity * sizeof(nd_owner *) + l->label_capacity * sizeof(nd_label *);
}

void nd_edit_log_settle(nd_edit_log *l, nd_mesh_store *meshes, bool is_durable)
{
    ND_ASSERT_LOOP_THREAD();
    for (size_t i = 0; i < l->made_count; i++) {
        if (is_durable)
            l->made[i]->durable = true;
        else
            nd_mesh_store_withdraw(meshes, l->made[i], NULL);
    }
}

nav_status nd_edit_log_undo(nd_edit_log *l, nd_world *w, nd_mesh_store *meshes, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    np_error err;
    uint32_t dirty;
    const np_world_edit_request back = {.world = w->id, .op_count = (uint32_t)l->op_count, .ops = l->ops};
    return nd_world_edit(w, meshes, &nd_world_no_limits, NULL, &back, now_ns, &dirty, &err);
}
