#include "daemon/world/edit_stage.h"

#include "daemon/world/areas.h"
#include "daemon/world/edit_heights.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"

#include <stdlib.h>
#include <string.h>

const char *const nd_kind_names[ND_KIND_COUNT] = {"instance", "volume", "link"};

nav_status nd_staging_reserve(nd_staging *g, size_t count)
{
    g->entries = malloc((count ? count : 1) * sizeof *g->entries);
    return g->entries ? nd_table_reserve(&g->table, count) : NAV_ERR_MEMORY;
}

void nd_staging_deinit(nd_staging *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->entries[i].after != g->entries[i].before) nd_object_destroy(g->entries[i].after);
    free(g->entries);
    free(g->areas);
    if (g->given_up) nd_patches_withdraw(g);
    for (size_t i = 0; i < g->made_count; i++) nd_mesh_unref(g->made[i]);
    free(g->made);
    nd_table_deinit(&g->table);
}

static uint64_t staged_hash(nd_kind kind, uint64_t id)
{
    return nd_hash_u64(id + (uint64_t)kind * UINT64_C(0x9e3779b97f4a7c15));
}

static nd_staged *stage(nd_staging *g, nd_kind kind, uint64_t id)
{
    uint64_t hash = staged_hash(kind, id);
    for (nd_node *n = nd_table_first(&g->table, hash); n; n = nd_table_next(n)) {
        nd_staged *s = ND_HOLDER(n, nd_staged, node);
        if (s->kind == kind && s->id == id) return s;
    }
    nd_staged *s = &g->entries[g->count++];
    *s = (nd_staged){.kind = kind, .id = id, .before = nd_world_find(g->w, kind, id)};
    s->after = s->before;
    nd_table_insert(&g->table, &s->node, hash);
    return s;
}

static void replace_after(nd_staged *s, nd_object *after)
{
    if (s->after != s->before) nd_object_destroy(s->after);
    s->after = after;
}

// Takes over references to the owner and the label, also when it fails.
static nd_object *object_create(nd_kind kind, uint64_t id, nd_owner *owner, nd_label *label)
{
    static const size_t sizes[ND_KIND_COUNT] = {sizeof(nd_placed), sizeof(nd_volume), sizeof(nd_offmesh)};
    nd_object *o = calloc(1, sizes[kind]);
    if (!o) {
        nd_owner_unref(owner);
        nd_label_unref(label);
        return NULL;
    }
    o->kind = kind;
    o->id = id;
    o->owner = owner;
    o->label = label;
    return o;
}

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
    snprintf(text, sizeof text, "there is no %s %llu", nd_kind_names[kind], (unsigned long long)id);
    return op_error(err, NAV_ERR_NOT_FOUND, op, text);
}

static bool is_within_reach(const float min[3], const float max[3])
{
    for (int k = 0; k < 3; k++)
        if (min[k] < -NAV_WORLD_REACH_M || max[k] > NAV_WORLD_REACH_M) return false;
    return true;
}

static nav_status place(nd_mesh *mesh, const float transform[12], uint8_t area, uint64_t id, nd_owner *owner,
                        nd_label *label, nd_object **out, const char **why)
{
    nd_placed *p = (nd_placed *)object_create(ND_INSTANCE, id, nd_owner_ref(owner), nd_label_ref(label));
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
        p->object.box = (nd_box){
            {{(double)min[0], (double)min[2]}, {(double)max[0], (double)max[2]}}, (double)min[1], (double)max[1]};
    *out = &p->object;
    return NAV_OK;
}

// A reference to who an operation says puts it; NULL: nobody.
static nav_status need_owner(nd_staging *g, np_str source, nd_owner **out, np_error *err)
{
    *out = NULL;
    if (!source.size) return NAV_OK;
    nav_status s = nd_owner_need(&g->w->owners, source, g->limits->max_sources, out);
    if (s == NAV_ERR_LIMIT)
        return np_error_set_key(err, s, "source",
                                "source: the world has objects of %llu sources already, as many as "
                                "are allowed (--max-sources)",
                                (unsigned long long)g->limits->max_sources);
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for the source");
}

// References to what an operation says of an object: who puts it, and what it is called.
static nav_status need_texts(nd_staging *g, const np_op *op, nd_owner **owner, nd_label **label, np_error *err)
{
    *label = NULL;
    nav_status s = need_owner(g, op->source, owner, err);
    if (s != NAV_OK || nd_label_create(op->name, label) == NAV_OK) return s;
    nd_owner_unref(*owner);
    *owner = NULL;
    return np_error_set(err, NAV_ERR_MEMORY, "no memory for the name");
}

static nav_status stage_instance(nd_staging *g, const np_op *op, size_t at, np_error *err)
{
    nd_staged *s = stage(g, ND_INSTANCE, op->id);
    nd_mesh *mesh;
    uint8_t area = op->u.instance.area;
    const char *why = "no memory";
    nd_object *after = NULL;
    nd_owner *owner = NULL;
    nd_label *label = NULL;
    nav_status status = NAV_OK;
    if (op->kind == NP_OP_PUT_INSTANCE) {
        mesh = nd_mesh_store_find_in(g->meshes, g->w->space, &op->u.instance.mesh);
        if (!mesh) {
            char text[96] = "mesh: there is none with the hash ", hash[NAV_KEY_TEXT_BYTES];
            nav_key_text(op->u.instance.mesh, hash);
            strcat(strcat(text, hash), "; send it with mesh.put");
            return op_error(err, NAV_ERR_NOT_FOUND, at, text);
        }
        status = need_texts(g, op, &owner, &label, err);
        if (status != NAV_OK) return status;
    } else {
        if (!s->after) return not_found(err, at, ND_INSTANCE, op->id);
        mesh = ((nd_placed *)s->after)->mesh;
        area = ((nd_placed *)s->after)->instance.area;
        owner = nd_owner_ref(s->after->owner);
        label = nd_label_ref(s->after->label);
    }
    status = place(mesh, op->u.instance.transform, area, op->id, owner, label, &after, &why);
    nd_owner_unref(owner);
    nd_label_unref(label);
    if (status != NAV_OK) return op_error(err, status, at, why);
    replace_after(s, after);
    return NAV_OK;
}

static nav_status stage_patch(nd_staging *g, const np_op *op, size_t at, np_error *err)
{
    nd_staged *s = stage(g, ND_INSTANCE, op->id);
    char text[200];
    const char *why = "no memory";
    nd_mesh *mesh;
    nd_object *after = NULL;
    if (!s->after) return not_found(err, at, ND_INSTANCE, op->id);
    const nd_placed *p = (const nd_placed *)s->after;
    nav_status status = nd_patch_heights(g, op, p, &mesh, text, sizeof text);
    if (status != NAV_OK) return op_error(err, status, at, text);
    g->weight += mesh->mesh->bytes >> 10;
    status =
        place(mesh, p->instance.transform, p->instance.area, op->id, p->object.owner, p->object.label, &after, &why);
    if (status != NAV_OK) return op_error(err, status, at, why);
    replace_after(s, after);
    return NAV_OK;
}

static nav_status stage_volume(nd_staging *g, const np_op *op, size_t at, np_error *err)
{
    char why[160];
    const nav_volume *v = &op->u.volume;
    if (nav_volume_check(v, why, sizeof why) != NAV_OK) return op_error(err, NAV_ERR_ARGUMENT, at, why);
    nd_owner *owner;
    nd_label *label;
    nav_status s = need_texts(g, op, &owner, &label, err);
    if (s != NAV_OK) return s;
    nd_volume *o = (nd_volume *)object_create(ND_VOLUME, op->id, owner, label);
    if (!o) return op_error(err, NAV_ERR_MEMORY, at, "no memory");
    o->volume = *v;
    o->object.box = nd_box_of_volume(v);
    o->object.has_box = true;
    replace_after(stage(g, ND_VOLUME, op->id), &o->object);
    return NAV_OK;
}

static nav_status stage_link(nd_staging *g, const np_op *op, size_t at, np_error *err)
{
    char why[160];
    const nav_link *l = &op->u.link;
    if (nav_link_check(l, why, sizeof why) != NAV_OK) return op_error(err, NAV_ERR_ARGUMENT, at, why);
    nd_owner *owner;
    nd_label *label;
    nav_status s = need_texts(g, op, &owner, &label, err);
    if (s != NAV_OK) return s;
    nd_offmesh *o = (nd_offmesh *)object_create(ND_LINK, op->id, owner, label);
    if (!o) return op_error(err, NAV_ERR_MEMORY, at, "no memory");
    o->link = *l;
    o->object.has_box = true;
    const double start[3] = {(double)l->start[0], (double)l->start[1], (double)l->start[2]};
    o->object.box = (nd_box){{{start[0], start[2]}, {start[0], start[2]}}, start[1], start[1]};
    replace_after(stage(g, ND_LINK, op->id), &o->object);
    return NAV_OK;
}

static nav_status check_reach(const nd_world *w, const np_reach *reach, size_t at, np_error *err)
{
    const nd_goal goal = nd_goal_of_wire(reach);
    char why[NP_ERROR_BYTES / 2];
    for (uint32_t i = 0; i < w->profile_count && nd_goal_is_on(&goal); i++) {
        const np_profile *p = &w->profiles[i].wire;
        if (!nd_profile_is_live(w, i) || p->settings.sheets == NAV_SHEETS_UP) continue;
        nd_goal_refuse_sheets(p->name, why, sizeof why);
        return op_error(err, NAV_ERR_STATE, at, why);
    }
    return NAV_OK;
}

nav_status nd_stage_op(nd_staging *g, const np_op *op, size_t at, np_error *err)
{
    static const nd_kind removed_kind[] = {
        [NP_OP_REMOVE_INSTANCE] = ND_INSTANCE, [NP_OP_REMOVE_VOLUME] = ND_VOLUME, [NP_OP_REMOVE_LINK] = ND_LINK};
    switch (op->kind) {
    case NP_OP_PUT_INSTANCE:
    case NP_OP_MOVE_INSTANCE:
        return stage_instance(g, op, at, err);
    case NP_OP_PATCH_HEIGHTS:
        return stage_patch(g, op, at, err);
    case NP_OP_PUT_VOLUME:
        return stage_volume(g, op, at, err);
    case NP_OP_PUT_LINK:
        return stage_link(g, op, at, err);
    case NP_OP_REMOVE_INSTANCE:
    case NP_OP_REMOVE_VOLUME:
    case NP_OP_REMOVE_LINK: {
        nd_staged *s = stage(g, removed_kind[op->kind], op->id);
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
        g->reach = &op->u.reach;
        return check_reach(g->w, &op->u.reach, at, err);
    case NP_OP_SET_BUILD:
        g->build = &op->u.build;
        return NAV_OK;
    case NP_OP_SET_AREAS:
        free(g->areas); // the last one counts
        g->areas = NULL;
        if (nd_area_table_create(op->u.areas.list, op->u.areas.count, &g->areas) == NAV_OK) return NAV_OK;
        return op_error(err, NAV_ERR_MEMORY, at, "no memory");
    }
    return op_error(err, NAV_ERR_ARGUMENT, at, "unknown operation");
}

nav_status nd_stage_change(nd_staging *g, const nd_sync_list *list, const nd_sync_change *c, np_error *err)
{
    nd_staged *s = stage(g, ND_INSTANCE, c->id);
    const char *why = "no memory";
    float transform[12];
    nd_object *after = NULL;
    nd_owner *owner;
    nd_label *label = NULL;
    s->renamed = c->kind == ND_SYNC_RENAMED || c->kind == ND_SYNC_RENAMED_AWAY;
    if (c->kind == ND_SYNC_REMOVED || c->kind == ND_SYNC_RENAMED_AWAY) {
        replace_after(s, NULL);
        return NAV_OK;
    }
    nav_status status = need_owner(g, list->source, &owner, err);
    if (status != NAV_OK) return status;
    nd_sync_transform(list, c->at, transform);
    if (list->names)
        status = nd_label_create(c->name, &label);
    else
        label = nd_label_ref(c->before ? c->before->label : NULL);
    if (status == NAV_OK)
        status = place(c->mesh, transform, nd_sync_area(list, c->at), c->id, owner, label, &after, &why);
    nd_label_unref(label);
    nd_owner_unref(owner);
    if (status != NAV_OK)
        return np_error_set(err, status, "object %zu of the list (instance %llu): %s", c->at, (unsigned long long)c->id,
                            why);
    replace_after(s, after);
    return NAV_OK;
}

bool nd_staged_same_ground(const nd_staged *s)
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

bool nd_staged_is_unchanged(const nd_staged *s)
{
    if (s->before == s->after) return true;
    return s->before && s->after && s->before->owner == s->after->owner &&
           nd_label_is(s->before->label, nd_label_text(s->after->label)) && nd_staged_same_ground(s);
}
