// world.*
#include "daemon/methods.h"
#include "daemon/reach.h"
#include "daemon/subscription.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static nav_status create_world(nd_call *c, const np_world_open_request *r, nd_world **out)
{
    nd_server *server = c->server;
    if (!r->create)
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "name", "there is no world \"%.*s\"; create: true makes it",
                                (int)r->name.size, r->name.data);
    if (server->builder.world_count >= server->config.max_worlds)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "there are %zu worlds already (--max-worlds)",
                            server->builder.world_count);
    for (int k = 0; k < 3; k++)
        if (!(fabs(r->origin_m[k]) <= 1e9))
            return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "origin", "the origin is beyond 1e9 metres");
    nav_status s = nd_world_create(server->next_world, r->name, r->origin_m, out);
    if (s == NAV_OK && r->has_reach) (*out)->goal = nd_goal_of_wire(&r->reach);
    return s == NAV_OK ? s : np_error_set(&c->err, s, "no memory for the world");
}

nav_status nd_method_world_open(nd_call *c)
{
    np_world_open_request r;
    nd_server *server = c->server;
    np_profile *profiles = NULL, *all = NULL;
    np_seed seeds[NAV_MAX_SEEDS];
    nav_status s = np_decode_world_open_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;

    nd_world *w = nd_server_find_world_named(server, r.name);
    bool created = !w;
    if (created) s = create_world(c, &r, &w);
    if (s != NAV_OK) return s;

    profiles = malloc((r.profile_count + (size_t)1) * sizeof *profiles);
    s = profiles ? NAV_OK : np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the profiles");
    if (s != NAV_OK) goto done;
    for (uint32_t i = 0; i < r.profile_count; i++) {
        profiles[i] = r.profiles[i];
        memcpy(profiles[i].settings.origin_m, w->origin_m, sizeof w->origin_m); // also where the world existed
    }
    s = nd_world_add_profiles(w, profiles, r.profile_count, &server->world_limits, nd_now_ns(), &c->err);
    if (s != NAV_OK) goto done;
    all = malloc((w->profile_count + (size_t)1) * sizeof *all);
    s = all ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK && created) s = nd_builder_add_world(&server->builder, w);
    if (s != NAV_OK) {
        np_error_set(&c->err, s, "no memory for the world");
        goto done;
    }
    if (created) {
        server->next_world++;
        nd_log(ND_LOG_INFO, "world.created", "world=%" PRIu64 " name=%s", w->id,
               nd_log_quote(w->name, strlen(w->name)).text);
    }

    for (uint32_t i = 0; i < w->profile_count; i++) all[i] = w->profiles[i].wire;
    np_world_open_response out = {.world = w->id,
                                  .revision = w->revision,
                                  .created = created,
                                  .profile_count = w->profile_count,
                                  .profiles = all};
    memcpy(out.origin_m, w->origin_m, sizeof out.origin_m);
    out.has_reach = nd_goal_is_on(&w->goal);
    out.reach = nd_goal_to_wire(&w->goal, seeds);
    nd_reply(c->session, c->message->id, NP_WORLD_OPEN, &out);
    nd_server_watch_progress(server);
    nd_builder_pump(&server->builder);
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
    const nd_builder *b = &c->server->builder;
    np_world_entry *entries = malloc((b->world_count + 1) * sizeof *entries);
    if (!entries) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the list");
    for (size_t i = 0; i < b->world_count; i++)
        entries[i] = (np_world_entry){.name = np_str_of(b->worlds[i]->name),
                                      .revision = b->worlds[i]->revision,
                                      .instances = b->worlds[i]->objects[ND_INSTANCE].count};
    qsort(entries, b->world_count, sizeof *entries, compare_entries);
    np_world_list_response out = {.world_count = (uint32_t)b->world_count, .worlds = entries};
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
    for (nd_subscription *sub = c->session->subscriptions, *next; sub; sub = next) {
        next = sub->next_of_session;
        if (sub->world == w) nd_subscription_destroy(sub);
    }
    np_none out = {0};
    nd_reply(c->session, c->message->id, NP_WORLD_CLOSE, &out);
    return NAV_OK;
}

nav_status nd_method_world_edit(nd_call *c)
{
    uint64_t received_ns = nd_now_ns();
    np_world_edit_request r;
    nd_world *w;
    nd_server *server = c->server;
    nav_status s = np_decode_world_edit_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    if (r.op_count > server->config.max_edit_ops)
        return np_error_set_key(&c->err, NAV_ERR_LIMIT, "ops",
                                "%u operations, at most %" PRIu64 " are allowed (--max-edit-ops)", r.op_count,
                                server->config.max_edit_ops);
    np_world_edit_response out = {0};
    s = nd_world_edit(w, &server->meshes, &server->world_limits, &r, received_ns, &out.dirty_tiles, &c->err);
    if (s != NAV_OK) return s;
    server->stats.edits++;
    server->stats.edit_ops += r.op_count;
    out.revision = w->revision;
    nd_reply(c->session, c->message->id, NP_WORLD_EDIT, &out);
    nd_server_watch_progress(server);
    nd_builder_pump(&server->builder);
    return NAV_OK;
}
