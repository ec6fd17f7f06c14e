// world.*
#include "daemon/base/clock.h"
#include "daemon/delivery/progress.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/methods/axes.h"
#include "daemon/methods/durable.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/methods.h"
#include "daemon/methods/profile.h"
#include "daemon/store/world_store.h"
#include "daemon/world/areas.h"
#include "daemon/world/reach.h"
#include "daemon/world/usage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// One that no profile could have would make a world without any.
static nav_status check_origin(const double origin_m[3], np_error *err)
{
    char why[200];
    nav_settings settings;
    nav_settings_default(&settings);
    memcpy(settings.origin_m, origin_m, sizeof settings.origin_m);
    if (nav_settings_check(&settings, why, sizeof why) == NAV_OK) return NAV_OK;
    return np_error_set_key(err, NAV_ERR_ARGUMENT, "origin_m", "%s", why);
}

static nav_status create_world(nd_call *c, const np_world_open_request *r, nd_world **out)
{
    nd_methods *methods = c->methods;
    if (!r->create)
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "name",
                                "there is no world \"%.*s\"; create: true creates it", (int)r->name.size, r->name.data);
    nav_status s = nd_call_needs(c, NP_ROLE_EDITOR, "make a world");
    if (s == NAV_OK) s = nd_durable_check(methods, "the world", &c->err);
    if (s != NAV_OK) return s;
    s = nd_usage_check_world(methods->worlds, c->session->space, &c->err);
    if (s != NAV_OK) return s;
    if (methods->worlds->count >= methods->config->max_worlds)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "there are already %zu worlds (--max-worlds)",
                            methods->worlds->count);
    s = check_origin(r->origin_m, &c->err);
    if (s != NAV_OK) return s;
    s = nd_world_create(methods->worlds->next_id, c->session->space, r->name, r->origin_m, out);
    if (s == NAV_OK && r->has_reach) (*out)->goal = nd_goal_of_wire(&r->reach);
    if (s == NAV_OK) (*out)->build = r->build;
    if (s == NAV_OK) nd_world_judge_build(*out);
    if (s == NAV_OK) s = nd_world_begin_areas(*out, r->areas, r->area_count);
    if (s == NAV_OK && methods->store) {
        (*out)->durable = 0;
        (*out)->head_due = (*out)->unborn = true;
    }
    return s == NAV_OK ? s : np_error_set(&c->err, s, "no memory for the world");
}

// A reader opens with the profiles that are there.
static nav_status check_new_profiles(nd_call *c, const nd_world *w, const np_world_open_request *r, bool *adds)
{
    uint32_t known = 0;
    while (known < r->profile_count && nd_world_find_profile(w, r->profiles[known].name) != UINT32_MAX) known++;
    *adds = known < r->profile_count;
    if (!*adds) return NAV_OK;
    nav_status s = nd_call_needs(c, NP_ROLE_EDITOR, "add a profile");
    return s == NAV_OK ? nd_durable_check(c->methods, "the profile", &c->err) : s;
}

// What is due of the world's head goes to disk with the answer. Who opens a world that another is just making waits for
// that, too: where it cannot be stored it is gone again.
static nav_status store_head(nd_call *c, nd_world *w, bool created, nd_commit **out)
{
    nd_methods *methods = c->methods;
    *out = NULL;
    if (!methods->store || !(w->head_due || w->unborn)) return NAV_OK;
    const nd_store_info info = {.clean = false, .next_world = methods->worlds->next_id};
    nav_status s = nd_commit_begin(methods, c->session->id, c->message->id, out, &c->err);
    if (s != NAV_OK) return s;
    (*out)->world = w->id;
    (*out)->is_creation = created;
    s = nd_change_info(&(*out)->log.records, &info);
    if (s == NAV_OK) s = nd_edit_log_finish(&(*out)->log, w, w->revision);
    if (s != NAV_OK) {
        nd_commit_destroy(*out);
        *out = NULL;
        return np_error_set(&c->err, s, "no memory to store the world");
    }
    methods->store->next_world = methods->worlds->next_id;
    w->head_due = false;
    return NAV_OK;
}

void nd_reply_opened(nd_methods *m, nd_commit *commit, nd_world *w, uint64_t session, uint32_t request, bool created,
                     np_profile *profiles, const np_axes *axes)
{
    np_seed seeds[NAV_MAX_SEEDS];
    np_world_open_response out = {.world = w->id,
                                  .revision = w->revision,
                                  .created = created,
                                  .profile_count = nd_world_list_profiles(w, profiles),
                                  .profiles = profiles};
    memcpy(out.origin_m, w->origin_m, sizeof out.origin_m);
    out.has_reach = nd_goal_is_on(&w->goal);
    out.reach = nd_goal_to_wire(&w->goal, seeds);
    out.build = w->build;
    out.area_count = w->areas ? w->areas->count : 0;
    out.areas = w->areas ? w->areas->list : NULL;
    out.axes = np_axes_is_plain(axes) ? NULL : axes;
    out.has_to_metres = out.axes != NULL;
    np_axes_to_metres(axes, out.to_metres);
    nd_commit_reply(commit, m, session, request, NP_WORLD_OPEN, &out);
}

nav_status nd_method_world_open(nd_call *c)
{
    np_world_open_request r;
    nd_methods *methods = c->methods;
    np_profile *profiles = NULL, *all = NULL;
    nd_commit *commit = NULL;
    nav_status s = np_decode_world_open_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_reserve_axes(c);
    if (s != NAV_OK) return s;

    nd_world *w = nd_worlds_find_named(methods->worlds, c->session->space, r.name);
    if (w && w->edit) nd_edits_finish(methods, w);
    if (w) nd_profiles_finish(methods, w);
    bool created = !w;
    if (created) s = create_world(c, &r, &w);
    bool adds = false;
    if (!created) s = check_new_profiles(c, w, &r, &adds);
    if (s != NAV_OK) return s;

    profiles = malloc((r.profile_count + (size_t)1) * sizeof *profiles);
    s = profiles ? NAV_OK : np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the profiles");
    if (s != NAV_OK) goto done;
    for (uint32_t i = 0; i < r.profile_count; i++) {
        profiles[i] = r.profiles[i];
        memcpy(profiles[i].settings.origin_m, w->origin_m, sizeof w->origin_m); // also where the world existed
        profiles[i].has_slot = false;                                           // the daemon's own affair
        profiles[i].grid = 0;
    }
    if (adds) {
        s = nd_profiles_add(c, w, profiles, r.profile_count);
        if (s == NAV_OK) nd_axes_set(&c->session->axes, w->id, &c->axes);
        goto done;
    }
    nd_world_limits limits = nd_edits_limits(methods, w, 0);
    s = nd_world_add_profiles(w, profiles, r.profile_count, &limits, nd_now_ns(), &c->err);
    if (s != NAV_OK) goto done;
    all = malloc((w->profile_count + (size_t)1) * sizeof *all);
    s = all ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK && created) s = nd_worlds_add(methods->worlds, w);
    if (s != NAV_OK) {
        np_error_set(&c->err, s, "no memory for the world");
        goto done;
    }
    if (created) {
        methods->worlds->next_id++;
        nd_builder_add_world(methods->builder, w);
        nd_log(ND_LOG_INFO, "world.created", "world=%" PRIu64 " name=%s", w->id,
               nd_log_quote(w->name, strlen(w->name)).text);
    }

    s = store_head(c, w, created, &commit);
    if (s != NAV_OK && created) nd_methods_remove_world(methods, w);
    bool was_created = created;
    created = false; // one of `worlds` now
    if (s != NAV_OK) goto done;
    nd_axes_set(&c->session->axes, w->id, &c->axes);
    nd_reply_opened(methods, commit, w, c->session->id, c->message->id, was_created, all, &c->axes);
    nd_sync_due(methods->delivery, w);
    nd_progress_watch(methods->delivery);
    nd_builder_kick(methods->builder);
done:
    if (s != NAV_OK && created) nd_world_destroy(w);
    free(profiles);
    free(all);
    return s;
}

static int compare_entries(const void *a, const void *b)
{
    const np_str *x = &((const np_world_entry *)a)->name, *y = &((const np_world_entry *)b)->name;
    int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
    return order ? order : (x->size > y->size) - (x->size < y->size); // names are unique
}

nav_status nd_method_world_list(nd_call *c)
{
    np_world_list_request r;
    nav_status s = np_decode_world_list_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    const nd_worlds *worlds = c->methods->worlds;
    np_world_entry *entries = malloc((worlds->count + 1) * sizeof *entries);
    if (!entries) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the list");
    uint32_t count = 0;
    for (size_t i = 0; i < worlds->count; i++) {
        const nd_world *w = worlds->list[i];
        if (w->space != c->session->space) continue;
        entries[count++] = (np_world_entry){
            .name = np_str_of(w->name), .revision = w->revision, .instances = w->objects[ND_INSTANCE].count};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    np_world_list_response out = {.world_count = count, .worlds = entries};
    nd_reply(c->session, c->message->id, NP_WORLD_LIST, &out);
    free(entries);
    return NAV_OK;
}

nav_status nd_method_world_close(nd_call *c)
{
    np_world_close_request r;
    nd_world *w;
    nav_status s = np_decode_world_close_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    for (nd_subscription *sub = nd_subscription_next_of_session(c->session, NULL), *next; sub; sub = next) {
        next = nd_subscription_next_of_session(c->session, sub);
        if (sub->world == w) nd_subscription_destroy(sub);
    }
    nd_axes_forget(&c->session->axes, w->id);
    np_none out = {0};
    nd_reply(c->session, c->message->id, NP_WORLD_CLOSE, &out);
    return NAV_OK;
}
