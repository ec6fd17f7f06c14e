// navctl edit: a batch of changes to a world, applied whole or not at all, and what it does to the tiles.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/edit_names.h"
#include "clients/navctl/remote/edit_steps.h"
#include "clients/navctl/remote/edit_terrain.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_reach.h"
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/world_file/near_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct edit_args {
    const char *world, *profile;
    bool json, no_wait;
    remote_values remote;
    edit_steps_values steps;
    scene_load_values reading;
    reach_values reach;
} edit_args;

static const arg_option edit_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "world to change", offsetof(edit_args, world), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile whose tiles are shown; default: the world's first",
     offsetof(edit_args, profile), 0, 0, NULL},
    {"no-wait", 0, ARG_FLAG, NULL, "return once the edit is accepted, without waiting for tiles",
     offsetof(edit_args, no_wait), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "lines of JSON: one per tile, then the edit", offsetof(edit_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {
    {"Options", edit_options, ARG_COUNT(edit_options), 0},
    {"Changes, in the order given", edit_step_options, EDIT_STEP_OPTIONS, offsetof(edit_args, steps)},
    SCENE_LOAD_GROUPS(edit_args, reading),
    REACH_GROUP(edit_args, reach),
    REMOTE_GROUP(edit_args, remote)};

typedef struct edit {
    const edit_args *args;
    navd_client *client;
    double sent_s; // on now_s(): when the edit went out; 0 before
    uint32_t tiles, failed;
    double last_s; // edit to last tile
    float seeds[NAVD_MAX_SEEDS][3];
} edit;

// Sends the first mesh of a scene file unless the daemon has it. area: of the object that shows it.
static int send_mesh(edit *e, const char *path, navd_key *key, uint8_t *area)
{
    scene s;
    int code = scene_load(path, &e->args->reading, "edit", shared_threads(), &s);
    if (code != NAVCTL_OK) return code;
    bool missing = false;
    const scene_mesh *m = &s.meshes[s.instances[0].mesh];
    navd_mesh mesh = {.vertices = m->verts,
                      .vertex_count = m->vert_count,
                      .triangles = m->tris,
                      .triangle_count = m->tri_count,
                      .areas = m->areas};
    if (m->heights) {
        fprintf(stderr, "navctl edit: --put takes scene files; %s is a height map: send it with navctl push\n", path);
        scene_deinit(&s);
        return NAVCTL_USAGE;
    }
    *key = navd_mesh_hash(&mesh);
    *area = s.instances[0].area;
    navd_status status = navd_mesh_missing(e->client, key, 1, &missing);
    if (status == NAVD_OK && missing) status = navd_mesh_put(e->client, &mesh, NULL, NULL, NULL);
    if (status != NAVD_OK) code = remote_failed(e->client, status, path);
    scene_deinit(&s);
    return code;
}

// The tiles that exist come first; what counts is what comes after the edit was sent.
static void on_tile(void *user, const navd_tile *t)
{
    edit *e = user;
    if (e->sent_s == 0) return;
    e->last_s = now_s() - e->sent_s;
    e->tiles++;
    e->failed += t->status == NAVD_TILE_FAILED;
    remote_print_tile(t, e->args->json, e->last_s);
}

static int operations(const edit *e)
{
    return e->args->steps.steps.count + e->args->reach.given;
}

// Returns an exit code.
static int report(const edit *e, const navd_edit_result *result, uint64_t world, const char *profile)
{
    bool reach = e->args->reach.given && !e->args->no_wait;
    int code = NAVCTL_OK;
    if (e->args->json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "world", e->args->world);
        json_int(&w, "revision", (int64_t)result->revision);
        json_int(&w, "operations", operations(e));
        json_int(&w, "dirty_tiles", result->dirty_tiles);
        json_int(&w, "tiles", e->tiles);
        json_int(&w, "failed_tiles", e->failed);
        json_number(&w, "last_tile_s", e->last_s);
        if (reach) code = remote_reach_report(e->client, world, profile, &e->args->reach, &w);
        json_close(&w, '}');
        json_end_line(&w);
        return code;
    }
    printf("revision %llu: %d change%s, %u tile%s affected", (unsigned long long)result->revision, operations(e),
           text_s((uint64_t)operations(e)), result->dirty_tiles, text_s(result->dirty_tiles));
    if (e->tiles) {
        printf(", %u changed, the last after %.1f ms", e->tiles, e->last_s * 1e3);
    } else if (!e->args->no_wait) {
        printf(", none changed");
    }
    printf("\n");
    return reach ? remote_reach_report(e->client, world, profile, &e->args->reach, NULL) : code;
}

typedef struct instance_ids {
    uint64_t *ids;
    uint32_t count, capacity;
} instance_ids;

static int begin_ids(void *user)
{
    ((instance_ids *)user)->count = 0;
    return NAVCTL_OK;
}

static int keep_ids(void *user, const navd_objects *page)
{
    instance_ids *k = user;
    if (!heap_array_grow(&k->ids, &k->capacity, k->count + (uint32_t)page->count, sizeof *k->ids))
        return NAVCTL_FAILED; // then nothing is suggested
    for (size_t i = 0; i < page->count; i++) {
        const navd_operation *o = &page->objects[i];
        if (o->kind != NAVD_PUT_INSTANCE) continue;
        uint64_t *id = &k->ids[k->count++];
        if (!remote_instance_id(o->name, id)) *id = o->id; // as if its id were made of the name that it has
    }
    return NAVCTL_OK;
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Ends a line on stderr: which instance is not there, and which ones may have been meant.
static void say_unknown(const edit *e, uint64_t world, const char *value)
{
    instance_ids have = {.ids = NULL};
    const world_taker taker = {.user = &have, .begin = begin_ids, .page = keep_ids};
    char *name = strndup(value, strcspn(value, "=")), found[NEAR_NAMES][NEAR_NAME_BYTES];
    size_t count = 0;
    uint64_t revision;
    fprintf(stderr, "there is no instance %s in world %s", name ? name : value, e->args->world);
    if (name && name[0] != '@' &&
        world_objects_read(e->client, e->args->world, world, &taker, &revision) == NAVCTL_OK) {
        if (have.count) qsort(have.ids, have.count, sizeof *have.ids, compare_ids);
        count = near_names_find(name, have.ids, have.count, found);
    }
    for (size_t i = 0; i < count; i++) fprintf(stderr, "%s%s", i ? ", " : "; near it: ", found[i]);
    fprintf(stderr, " (navctl world objects %s lists all, with --scene FILE by their names)\n", e->args->world);
    free(have.ids);
    free(name);
}

// What goes out. Most steps are one operation, strokes are one for each block of the terrain.
typedef struct op_list {
    navd_operation *all;
    int *steps; // of each operation; -1: of none
    uint32_t count, capacity, step_capacity;
    navd_operation *strokes[ARG_STEPS_MAX]; // what operations borrow from
    int stroke_count;
} op_list;

static int append(op_list *l, const navd_operation *op, int step)
{
    if (!heap_array_grow(&l->all, &l->capacity, l->count + 1, sizeof *l->all) ||
        !heap_array_grow(&l->steps, &l->step_capacity, l->count + 1, sizeof *l->steps)) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    l->all[l->count] = *op;
    l->steps[l->count++] = step;
    return NAVCTL_OK;
}

static int append_stroke(edit *e, uint64_t world, const edit_step *step, int at, op_list *l)
{
    char what[300];
    size_t count;
    navd_operation *ops;
    snprintf(what, sizeof what, "navctl edit: --patch-heights %.200s", e->args->steps.steps.items[at].value);
    int code = edit_terrain_stroke(e->client, world, e->args->world, step->operation.id, step->scene,
                                   e->args->reading.heights.size, step->column, step->row, what, &ops, &count);
    if (code != NAVCTL_OK) return code;
    l->strokes[l->stroke_count++] = ops;
    for (size_t i = 0; i < count && code == NAVCTL_OK; i++) code = append(l, &ops[i], at);
    return code;
}

static void op_list_deinit(op_list *l)
{
    for (int i = 0; i < l->stroke_count; i++) free(l->strokes[i]);
    free(l->all);
    free(l->steps);
}

static int run_edit(edit *e, edit_step *steps, op_list *ops)
{
    int count = e->args->steps.steps.count;
    navd_world world = {0};
    const char *profile = e->args->profile;
    int code = remote_world(e->client, e->args->world, &world, &profile);
    if (code == NAVCTL_OK) code = edit_names_resolve(e->client, &world, e->args->world, &e->args->steps.steps, steps);
    for (int i = 0; i < count && code == NAVCTL_OK; i++) {
        navd_operation *op = &steps[i].operation;
        if (op->kind == NAVD_PATCH_HEIGHTS) {
            code = append_stroke(e, world.id, &steps[i], i, ops);
            continue;
        }
        if (steps[i].scene[0]) code = send_mesh(e, steps[i].scene, &op->u.instance.mesh, &op->u.instance.area);
        if (code == NAVCTL_OK) code = append(ops, op, i);
    }
    navd_operation reach;
    if (code == NAVCTL_OK && e->args->reach.given) {
        code = remote_reach_operation(e->client, world.id, &e->args->reach, e->seeds, &reach);
        if (code == NAVCTL_OK) code = append(ops, &reach, -1);
    }
    navd_status s = NAVD_OK;
    if (code == NAVCTL_OK && !e->args->no_wait) { // all that exists is here before the edit goes out
        navd_subscription_options wanted = {.profile = profile};
        navd_on_tile(e->client, on_tile, e);
        s = navd_subscribe(e->client, world.id, &wanted, NULL);
        if (s == NAVD_OK) s = navd_wait(e->client, world.id, NULL, NULL);
    }
    navd_edit_result result = {0};
    e->sent_s = now_s();
    if (code == NAVCTL_OK && s == NAVD_OK) s = navd_edit(e->client, world.id, NULL, ops->all, ops->count, &result);
    if (code == NAVCTL_OK && s != NAVD_OK && navd_error_operation(e->client) >= 0) {
        int64_t failed = navd_error_operation(e->client);
        int at = failed < ops->count ? ops->steps[failed] : -1;
        if (at >= 0) {
            const char *value = e->args->steps.steps.items[at].value;
            bool unknown = s == NAVD_ERR_NOT_FOUND && (ops->all[failed].kind == NAVD_MOVE_INSTANCE ||
                                                       ops->all[failed].kind == NAVD_REMOVE_INSTANCE);
            fprintf(stderr, "navctl edit: --%s %s: ", e->args->steps.steps.items[at].option->name, value);
            if (unknown)
                say_unknown(e, world.id, value);
            else
                fprintf(stderr, "%s\n", navd_error_text(e->client));
            code = NAVCTL_FAILED;
        }
    }
    if (code == NAVCTL_OK && s == NAVD_OK && !e->args->no_wait) {
        s = navd_wait(e->client, world.id, &result.revision, NULL);
    }
    if (code == NAVCTL_OK && s != NAVD_OK) code = remote_failed(e->client, s, e->args->world);
    if (code == NAVCTL_OK) code = report(e, &result, world.id, profile);
    navd_world_free(&world);
    return code == NAVCTL_OK && e->failed ? NAVCTL_TILES : code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    edit_args *a = calloc(1, sizeof *a);
    edit_step *steps = NULL;
    op_list ops = {.count = 0};
    edit e = {.args = a};
    int code = NAVCTL_FAILED;
    if (!a) goto done;
    a->remote = REMOTE_DEFAULTS;
    reach_values_init(&a->reach);
    arg_result parsed = args_parse(self, argc, argv, a);
    code = parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (parsed != ARGS_GO) goto done;
    int count = a->steps.steps.count;
    if (!reach_values_apply(&a->reach, self->name) || !scene_load_check(&a->reading, self->name)) goto done;
    if (!a->world || operations(&e) == 0) {
        fprintf(stderr, "navctl edit: %s (see navctl edit --help)\n",
                a->world ? "no change is given" : "--world NAME is missing");
        goto done;
    }
    steps = calloc((size_t)count + 1, sizeof *steps);
    if (!steps) {
        fprintf(stderr, "navctl: no memory left\n");
        code = NAVCTL_FAILED;
        goto done;
    }
    for (int i = 0; i < count; i++) {
        if (!edit_step_parse(a->steps.steps.items[i].option, a->steps.steps.items[i].value, &steps[i])) goto done;
    }
    code = remote_open(&a->remote, &e.client);
    if (code == NAVCTL_OK) code = run_edit(&e, steps, &ops);
done:
    navd_close(e.client);
    free(steps);
    op_list_deinit(&ops);
    free(a);
    return code;
}

const arg_command edit_command = {
    .name = "edit",
    .summary = "Edit a world: instances, volumes, links and reachability",
    .details =
        "The changes are applied together or not at all. An instance is named as in the scene that was pushed, or by\n"
        "number: @12. A name that several scenes use needs the number (navctl world objects shows both).\n"
        "Each tile that changes is shown with the time since the edit was sent.\n"
        "\n"
        "--volume 7=0,-1,3,12,20,12,26,20,26 puts volume 7: area 0 (blocked), from Y -1 to Y 3, over the triangle\n"
        "with the corners X,Z 12,20, 12,26 and 20,26. 3 to 32 corners, convex, in either direction. Areas 1 to 63\n"
        "mark ground that can be walked on. --link 9=1,0,1,30,0,25 puts link 9 from 1,0,1 to 30,0,25.\n",
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
