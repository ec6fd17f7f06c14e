// Two walks over the file: the first only checks, the second does what it says. Both check the same, so that a file
// that changes in between cannot do more harm than the daemon's own checks allow.
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/world_file/world_copy.h"
#include "clients/navctl/world_file/world_walk.h"

#include <stdlib.h>
#include <string.h>

enum { EDIT_OPERATIONS = 32768 }; // in one edit: what fits into a message whatever the operations are

typedef struct import {
    navd_client *client;
    const char *path, *given_name;
    world_copy *out;
    // Of world.open:
    char name[NAVD_NAME_BYTES];
    double origin_m[3];
    navd_profile *profiles;
    size_t profile_count;
    np_build build;
    nav_area_table areas;
    bool has_reach;
    navd_operation reach;
    float seeds[NAVD_MAX_SEEDS][3];

    navd_world world;
    navd_operation *ops; // not sent yet
    size_t op_count, op_limit;
} import;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int take_open(void *user, const np_world_open_request *r)
{
    import *i = user;
    snprintf(i->name, sizeof i->name, "%.*s", (int)r->name.size, r->name.data);
    memcpy(i->origin_m, r->origin_m, sizeof i->origin_m);
    i->profile_count = r->profile_count;
    i->profiles = calloc(r->profile_count + (size_t)1, sizeof *i->profiles);
    if (!i->profiles) return no_memory();
    for (uint32_t p = 0; p < r->profile_count; p++) {
        const np_profile *from = &r->profiles[p];
        snprintf(i->profiles[p].name, NAVD_NAME_BYTES, "%.*s", (int)from->name.size, from->name.data);
        navd_settings_from_core(&from->settings, &i->profiles[p].settings);
    }
    i->build = r->build;
    np_areas_to_core(r->areas, r->area_count, &i->areas);
    i->has_reach = r->has_reach;
    i->reach = (navd_operation){.kind = NAVD_SET_REACH,
                                .u.reach = {.unreachable = (navd_unreachable)r->reach.unreachable,
                                            .seeds = (const float(*)[3])i->seeds,
                                            .seed_count = r->reach.seed_count,
                                            .island_min_area_m2 = r->reach.island_min_area_m2}};
    for (uint32_t k = 0; k < r->reach.seed_count; k++) memcpy(i->seeds[k], r->reach.seeds[k].at, sizeof i->seeds[k]);
    return NAVCTL_OK;
}

static int send_mesh(void *user, nav_key hash, const navd_mesh *mesh)
{
    import *i = user;
    navd_key key;
    bool missing;
    nav_key_store(hash, key.bytes);
    navd_status s = navd_mesh_missing(i->client, &key, 1, &missing);
    if (s == NAVD_OK && missing) {
        s = navd_mesh_put(i->client, mesh, NULL, NULL, NULL);
        i->out->sent_meshes++;
    }
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(i->client, s, i->path);
}

// When all meshes are there.
static int open_world(import *i)
{
    const char *name = i->given_name ? i->given_name : i->name;
    snprintf(i->out->name, sizeof i->out->name, "%s", name);
    navd_status s = navd_world_open(i->client, name, true, i->origin_m, i->profiles, i->profile_count, &i->world);
    if (s != NAVD_OK) return remote_failed(i->client, s, name);
    if (!i->world.created) {
        fprintf(stderr, "navctl: world %s exists already (import under another name with --world NAME)\n", name);
        return NAVCTL_FAILED;
    }
    if (i->areas.count) {
        int code = remote_areas_set(i->client, name, i->world.id, &i->areas, NULL);
        if (code != NAVCTL_OK) return code;
    }
    navd_operation ops[2] = {{.kind = NAVD_SET_BUILD, .u.build = {(navd_build)i->build.mode, i->build.margin_m}},
                             i->reach};
    navd_edit_result result;
    s = navd_edit(i->client, i->world.id, NULL, ops, i->has_reach ? 2 : 1, &result);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(i->client, s, name);
}

// In one edit; in halves where the daemon's limit of what one edit may touch is hit.
static int send_ops(import *i, const navd_operation *ops, size_t count)
{
    navd_edit_result result;
    if (!count) return NAVCTL_OK;
    navd_status s = navd_edit(i->client, i->world.id, NULL, ops, count, &result);
    if (s == NAVD_ERR_LIMIT && count > 1) {
        int code = send_ops(i, ops, count / 2);
        return code == NAVCTL_OK ? send_ops(i, ops + count / 2, count - count / 2) : code;
    }
    if (s != NAVD_OK) return remote_failed(i->client, s, i->out->name);
    i->out->revision = result.revision;
    return NAVCTL_OK;
}

static int flush_ops(import *i)
{
    size_t count = i->op_count;
    i->op_count = 0;
    return send_ops(i, i->ops, count);
}

static int take_object(void *user, const np_op *op)
{
    import *i = user;
    int code = NAVCTL_OK;
    if (!i->world.created) code = open_world(i);
    if (code == NAVCTL_OK && i->op_count == i->op_limit) code = flush_ops(i);
    if (code == NAVCTL_OK) navd_object_from_wire(op, &i->ops[i->op_count++]);
    return code;
}

// What a refusal leaves behind.
static void undo(import *i)
{
    if (!i->world.created) return;
    navd_status s = navd_world_delete(i->client, i->world.id);
    fprintf(
        stderr, "navctl: the world %s, of which a part was there, %s%s\n", i->out->name,
        s == NAVD_OK ? "is deleted again" : "could not be deleted: ", s == NAVD_OK ? "" : navd_error_text(i->client));
}

int world_import(navd_client *c, const char *path, const char *name, uint64_t max_bytes, world_copy *out)
{
    static const world_visitor nobody = {.user = NULL};
    const navd_limits limits = navd_get_limits(c);
import i = {.client = c, .path = path, .given_name = name, .out = out };
    const world_visitor daemon = {.user = &i, .open = take_open, .mesh = send_mesh, .object = take_object};
    world_walk walk;
    *out = (world_copy){.revision = 0};
    i.op_limit = limits.edit_operations < EDIT_OPERATIONS ? limits.edit_operations : EDIT_OPERATIONS;
    if (!i.op_limit) i.op_limit = 1;
    int code = world_walk_open(&walk, path, max_bytes, limits.mesh_bytes);
    i.ops = malloc(i.op_limit * sizeof *i.ops);
    if (code == NAVCTL_OK && !i.ops) code = no_memory();
    if (code == NAVCTL_OK) code = world_walk_run(&walk, &nobody, "Checking");
    if (code == NAVCTL_OK) {
        code = world_walk_run(&walk, &daemon, "Importing");
        if (code == NAVCTL_OK && !i.world.created) code = open_world(&i); // no objects
        if (code == NAVCTL_OK) code = flush_ops(&i);
        if (code != NAVCTL_OK) undo(&i);
    }
    out->objects = walk.object_count;
    out->meshes = walk.key_count;
    world_walk_close(&walk);
    navd_world_free(&i.world);
    free(i.profiles);
    free(i.ops);
    return code;
}
