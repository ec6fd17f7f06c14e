#include "daemon/replica/apply.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/progress.h"
#include "daemon/delivery/sync.h"
#include "daemon/methods/durable.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/profile.h"
#include "daemon/replica/head.h"
#include "daemon/world/areas.h"
#include "daemon/world/changes.h"
#include "daemon/world/reach.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is stored of it goes to the disk, with no answer.
static void store(nd_methods *m, nd_commit *commit)
{
    const np_world_edit_response nothing = {0};
    if (commit) nd_commit_reply(commit, m, 0, 0, NP_WORLD_EDIT, &nothing);
}

// --- worlds ---

nav_status nd_apply_remove(nd_apply *a, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    nd_methods *m = a->methods;
    np_error err;
    nd_commit *commit;
    nav_status s = nd_commit_begin(m, 0, 0, &commit, &err);
    if (s == NAV_OK && commit) s = nd_change_remove_world(&commit->log.records, w->id);
    if (s != NAV_OK) {
        nd_commit_destroy(commit);
        return s;
    }
    if (commit) nd_world_store_flush(m->store); // nothing is written of it behind its end
    nd_methods_remove_world(m, w);
    store(m, commit);
    return NAV_OK;
}

static nav_status store_new(nd_methods *m, nd_world *w)
{
    np_error err;
    nd_commit *commit;
    const nd_store_info info = {.clean = false, .next_world = m->worlds->next_id};
    nav_status s = nd_commit_begin(m, 0, 0, &commit, &err);
    if (s != NAV_OK || !commit) return s;
    commit->world = w->id;
    w->head_due = true;
    s = nd_change_info(&commit->log.records, &info);
    if (s == NAV_OK) s = nd_edit_log_finish(&commit->log, w, w->revision);
    if (s != NAV_OK) {
        nd_commit_destroy(commit);
        return s;
    }
    w->head_due = false;
    m->store->next_world = m->worlds->next_id;
    store(m, commit);
    return NAV_OK;
}

static nav_status make_world(nd_apply *a, nd_world **out)
{
    nd_methods *m = a->methods;
    const np_world_open_request *r = &a->plan.head;
    nd_namespace *space;
    nd_world *w;
    np_error err;
    nav_status s = nd_namespaces_need(&m->sessions->access.spaces, a->plan.space, &space);
    if (s == NAV_OK) s = nd_world_create(a->plan.world, space, r->name, r->origin_m, &w);
    if (s != NAV_OK) return s;
    w->goal = nd_head_goal(r);
    w->build = r->build;
    if (m->store) w->durable = 0;
    nd_world_judge_build(w);
    s = nd_world_begin_areas(w, r->areas, r->area_count);
    if (s == NAV_OK)
        s = nd_world_add_profiles(w, r->profiles, r->profile_count, &nd_world_no_limits, nd_now_ns(), &err);
    if (s == NAV_OK) s = nd_worlds_add(m->worlds, w);
    if (s != NAV_OK) {
        nd_world_destroy(w);
        return s;
    }
    if (m->worlds->next_id <= w->id) m->worlds->next_id = w->id + 1;
    if (w->revision < a->plan.revision && !a->plan.op_count) w->revision = a->plan.revision;
    nd_builder_add_world(m->builder, w);
    nd_log(ND_LOG_INFO, "world.created", "world=%" PRIu64 " name=%s", w->id,
           nd_log_quote(w->name, strlen(w->name)).text);
    *out = w;
    return store_new(m, w);
}

static bool is_head_of(const nd_plan *p, const nd_world *w)
{
    return !w->leaving && !strcmp(w->space->name, p->space) && np_str_equal(p->head.name, w->name);
}

static nav_status follow_profiles(nd_apply *a, nd_world *w)
{
    nd_profile_list wanted;
    bool differs;
    nav_status s = nd_head_profiles(&a->plan.head, w, &wanted, &differs);
    if (s != NAV_OK || !differs) {
        nd_profile_list_deinit(&wanted);
        return s;
    }
    return nd_profiles_follow(a->methods, w, &wanted, a->plan.revision);
}

static nav_status need_world(nd_apply *a)
{
    nd_methods *m = a->methods;
    nd_plan *p = &a->plan;
    nd_world *w = nd_worlds_find(m->worlds, p->world);
    nav_status s = NAV_OK;
    if (w) {
        nd_edits_finish(m, w);
        nd_profiles_finish(m, w);
    }
    if (w && (p->is_gone || (p->has_head && (a->is_anew || !is_head_of(p, w))))) {
        s = nd_apply_remove(a, w);
        w = NULL;
    }
    if (s != NAV_OK || p->is_gone) return s;
    if (!w && !p->has_head) return NAV_ERR_NOT_FOUND;
    if (!w)
        s = make_world(a, &w);
    else if (p->has_head)
        s = follow_profiles(a, w);
    a->world = w;
    return s;
}

// --- its edit ---

// It is in the store, and may be seen in the world's namespace; here, and on disk.
static nav_status show_mesh(nd_apply *a, const nav_key *hash)
{
    nd_methods *m = a->methods;
    nd_namespace *space = a->world->space;
    np_error err;
    nd_commit *commit = NULL;
    nd_mesh *mesh = nd_mesh_store_find(m->meshes, hash);
    if (!mesh) return NAV_ERR_NOT_FOUND;
    const bool is_stored = mesh->durable || mesh->commits || mesh->state != ND_MESH_HERE;
    if (is_stored && nd_mesh_is_visible(mesh, space)) return NAV_OK;
    nav_status s = nd_mesh_show(mesh, space);
    if (s == NAV_OK) s = nd_commit_begin(m, 0, 0, &commit, &err);
    if (s == NAV_OK && commit && !is_stored) s = nd_commit_add_mesh(commit, mesh, NULL);
    if (s == NAV_OK && commit) s = nd_change_mesh_space(&commit->log.records, mesh->mesh->hash, space->name);
    if (s == NAV_OK)
        store(m, commit);
    else
        nd_commit_destroy(commit);
    return s;
}

static nav_status show_meshes(nd_apply *a)
{
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < a->plan.mesh_count && s == NAV_OK; i++) s = show_mesh(a, &a->plan.meshes[i]);
    return s;
}

typedef struct missing {
    const nd_plan *plan;
    np_op *ops;
    size_t count;
} missing;

static int compare_op(const void *object, const void *op)
{
    const nd_object *o = object;
    const np_op *b = op;
    const nd_kind kind = nd_kind_of_op(b);
    if (o->kind != kind) return o->kind < kind ? -1 : 1;
    return (o->id > b->id) - (o->id < b->id);
}

// One that a state does not have goes. What it says is removed is removed by that.
static void remove_missing(void *user, nd_node *n)
{
    missing *all = user;
    const nd_object *o = ND_HOLDER(n, nd_object, node);
    if (all->plan->op_count && bsearch(o, all->plan->ops, all->plan->op_count, sizeof(np_op), compare_op)) return;
    all->ops[all->count++] = nd_removal_of(o->kind, o->id);
}

static bool is_as_it_says(const nd_object *o, const np_op *op)
{
    const np_op is = nd_object_to_op(o);
    if (!np_str_same(is.source, op->source) || !np_str_same(is.name, op->name)) return false;
    switch (op->kind) {
    case NP_OP_PUT_INSTANCE:
        return nav_key_equal(is.u.instance.mesh, op->u.instance.mesh) && is.u.instance.area == op->u.instance.area &&
               !memcmp(is.u.instance.transform, op->u.instance.transform, sizeof op->u.instance.transform);
    case NP_OP_PUT_VOLUME:
        return nav_key_equal(nav_volume_key(&is.u.volume), nav_volume_key(&op->u.volume));
    default:
        return nav_key_equal(nav_link_key(&is.u.link), nav_link_key(&op->u.link));
    }
}

// Does it change anything?
static bool is_news(const nd_world *w, const np_op *op)
{
    const nd_object *o;
    switch (op->kind) {
    case NP_OP_REMOVE_INSTANCE:
        return nd_world_find(w, ND_INSTANCE, op->id);
    case NP_OP_REMOVE_VOLUME:
        return nd_world_find(w, ND_VOLUME, op->id);
    case NP_OP_REMOVE_LINK:
        return nd_world_find(w, ND_LINK, op->id);
    case NP_OP_PUT_INSTANCE:
        o = nd_world_find(w, ND_INSTANCE, op->id);
        break;
    case NP_OP_PUT_VOLUME:
        o = nd_world_find(w, ND_VOLUME, op->id);
        break;
    default:
        o = nd_world_find(w, ND_LINK, op->id);
    }
    return !o || !is_as_it_says(o, op);
}

// All operations of the edit, in a->extra. The plan's own are borrowed from it.
static nav_status gather_ops(nd_apply *a, uint32_t *count)
{
    nd_world *w = a->world;
    const nd_plan *p = &a->plan;
    size_t room = p->op_count + (size_t)ND_HEAD_OPS;
    for (int k = 0; k < ND_KIND_COUNT && a->is_state; k++) room += w->objects[k].count;
    a->extra = malloc(room * sizeof *a->extra);
    if (!a->extra) return NAV_ERR_MEMORY;
    missing all = {p, a->extra, 0};
    if (p->has_head) all.count = nd_head_ops(&p->head, w, a->seeds, a->extra);
    for (uint32_t i = 0; i < p->op_count; i++)
        if (is_news(w, &p->ops[i])) all.ops[all.count++] = p->ops[i];
    for (int k = 0; k < ND_KIND_COUNT && a->is_state; k++) nd_table_each(&w->objects[k], remove_missing, &all);
    if (all.count > UINT32_MAX) return NAV_ERR_LIMIT;
    *count = (uint32_t)all.count;
    return NAV_OK;
}

static void end(nd_apply *a, nav_status status, const char *why);

static void edited(void *user, nav_status status, const np_error *err)
{
    nd_apply *a = user;
    end(a, status, err->message);
}

static nav_status edit(nd_apply *a)
{
    uint32_t count;
    nav_status s = show_meshes(a);
    if (s == NAV_OK) s = gather_ops(a, &count);
    if (s != NAV_OK) return s;
    if (!count && a->world->revision >= a->plan.revision) {
        end(a, NAV_OK, "");
        return NAV_OK;
    }
    const np_world_edit_request r = {.world = a->world->id, .op_count = count, .ops = a->extra};
    return nd_edits_follow(a->methods, a->world, &r, a->plan.revision, edited, a);
}

// --- all ---

static void run(nd_apply *a)
{
    a->world = NULL;
    nav_status s = need_world(a);
    if (s == NAV_OK && a->plan.is_gone)
        end(a, NAV_OK, "");
    else if (s == NAV_OK)
        s = edit(a);
    if (s != NAV_OK) end(a, s, nav_status_text(s));
}

static void end(nd_apply *a, nav_status status, const char *why)
{
    char text[ND_APPLY_WHY_BYTES];
    nd_methods *m = a->methods;
    free(a->extra);
    a->extra = NULL;
    if (status != NAV_OK && status != NAV_ERR_MEMORY && a->is_state && !a->is_anew) {
        nd_log(ND_LOG_WARN, "replica.world_made_anew", "world=%" PRIu64 " why=%s", a->plan.world,
               nd_log_quote_sentence(why).text);
        a->is_anew = true;
        a->worlds_made++;
        run(a);
        return;
    }
    if (status == NAV_OK && a->is_state && a->world) { // a client that comes back gets all of it
        nd_changes_forget_removed(a->world);
        if (a->world->removed.horizon < a->world->revision) a->world->removed.horizon = a->world->revision;
    }
    snprintf(text, sizeof text, "%s", why);
    nd_plan_deinit(&a->plan);
    a->world = NULL;
    nd_progress_watch(m->delivery);
    nd_builder_kick(m->builder);
    a->done(a->user, status, text);
}

void nd_apply_start(nd_apply *a, nd_plan *plan, bool is_state)
{
    ND_ASSERT_LOOP_THREAD();
    a->plan = *plan;
    *plan = (nd_plan){0};
    a->is_state = is_state;
    a->is_anew = false;
    run(a);
}

void nd_apply_deinit(nd_apply *a)
{
    free(a->extra);
    a->extra = NULL;
    nd_plan_deinit(&a->plan);
}
