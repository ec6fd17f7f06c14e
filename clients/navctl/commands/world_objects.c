// navctl world objects: what stands in a world, by the names that are stored with it. A scene file has the names of
// objects that were put without.
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/scene_frame.h"
#include "core/base/key.h"

#include <stdlib.h>
#include <string.h>

typedef struct objects_args {
    const char *world, *scene;
    bool json;
    remote_values remote;
} objects_args;

static const arg_positional positionals[] = {
    {"WORLD", "world to look into", true, false, offsetof(objects_args, world)},
};
static const arg_option objects_options[] = {
    {"scene", 0, ARG_FILE, "FILE", "scene file: its names are shown where none is stored",
     offsetof(objects_args, scene), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON for each object", offsetof(objects_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", objects_options, ARG_COUNT(objects_options), 0},
                                   REMOTE_GROUP(objects_args, remote)};

typedef struct named_id {
    uint64_t id;
    const char *name; // of the scene
} named_id;

typedef struct listing {
    navd_operation *objects; // sorted by kind and id, as the daemon sends them
    uint32_t count, capacity;
    named_id *names; // sorted by id
    size_t name_count;
} listing;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int begin_pages(void *user)
{
    ((listing *)user)->count = 0;
    return NAVCTL_OK;
}

static int keep_page(void *user, const navd_objects *page)
{
    listing *l = user;
    uint32_t count = l->count + (uint32_t)page->count;
    if (!heap_array_grow(&l->objects, &l->capacity, count, sizeof *l->objects)) return no_memory();
    memcpy(l->objects + l->count, page->objects, page->count * sizeof *page->objects);
    l->count = count;
    return NAVCTL_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const named_id *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int take_names(listing *l, const scene *s)
{
    l->names = calloc((size_t)s->instance_count + 1, sizeof *l->names);
    if (!l->names) return no_memory();
    for (uint32_t i = 0; i < s->instance_count; i++) {
        named_id *n = &l->names[l->name_count];
        n->name = s->instances[i].name;
        l->name_count += remote_instance_id(n->name, &n->id);
    }
    qsort(l->names, l->name_count, sizeof *l->names, compare_ids);
    return NAVCTL_OK;
}

static void print_object(const listing *l, const navd_operation *o, bool json)
{
    static const char *const kinds[] = {
        [NAVD_PUT_INSTANCE] = "instance", [NAVD_PUT_VOLUME] = "volume", [NAVD_PUT_LINK] = "link"};
    char id[24], mesh[NAV_KEY_TEXT_BYTES] = "";
    bool instance = o->kind == NAVD_PUT_INSTANCE;
    const named_id wanted = {.id = o->id};
    const named_id *known =
        instance && l->name_count ? bsearch(&wanted, l->names, l->name_count, sizeof wanted, compare_ids) : NULL;
    const float *t = o->u.instance.transform;
    float place[3] = {0};
    if (instance) {
        nav_key_text(nav_key_load(o->u.instance.mesh.bytes), mesh);
        for (int k = 0; k < 3; k++) place[k] = t[4 * k + 3];
    } else if (o->kind == NAVD_PUT_VOLUME) {
        place[0] = o->u.volume.points[0];
        place[1] = o->u.volume.min_y;
        place[2] = o->u.volume.points[1];
    } else {
        memcpy(place, o->u.link.start, sizeof place);
    }
    snprintf(id, sizeof id, "%s%llu", instance ? "@" : "", (unsigned long long)o->id);
    const char *name = o->name[0] ? o->name : known ? known->name : NULL;
    if (!json) {
        printf("%-8s %-21s at %g,%g,%g", kinds[o->kind], id, (double)place[0], (double)place[1], (double)place[2]);
        if (instance) printf("  mesh %.8s", mesh);
        if (name) printf("  %s", name);
        if (o->source[0]) printf("  (from %s)", o->source);
        printf("\n");
        return;
    }
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "kind", kinds[o->kind]);
    json_text(&w, "id", id); // 64 bits: more than a number in JSON may have
    if (instance || name) json_text(&w, "name", name);
    if (instance) json_text(&w, "mesh", mesh);
    json_vec(&w, "place", place, 3);
    if (o->source[0]) json_text(&w, "source", o->source);
    json_close(&w, '}');
    json_end_line(&w);
}

static int run(const arg_command *self, int argc, char **argv)
{
    objects_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c = NULL;
    navd_world world = {0};
    listing l = {0};
    scene s = {0};
    uint64_t revision;
    const world_taker taker = {.user = &l, .begin = begin_pages, .page = keep_page};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    const scene_frame_values as_it_says = {.up = NULL};
    int code = a.scene ? scene_frame_read(a.scene, &as_it_says, shared_threads(), &s) : NAVCTL_OK;
    if (code == NAVCTL_OK && a.scene) code = take_names(&l, &s);
    if (code == NAVCTL_OK) code = remote_open(&a.remote, &c);
    if (code == NAVCTL_OK) code = remote_find_world(c, a.world, &world);
    if (code == NAVCTL_OK) code = world_objects_read(c, a.world, world.id, &taker, &revision);
    for (size_t i = 0; i < l.count && code == NAVCTL_OK; i++) print_object(&l, &l.objects[i], a.json);
    if (code == NAVCTL_OK && !l.count) fprintf(stderr, "navctl: world %s is empty\n", a.world);
    navd_world_free(&world);
    navd_close(c);
    free(l.objects);
    free(l.names);
    scene_deinit(&s);
    return code;
}

const arg_command world_objects_command = {
    .name = "world objects",
    .summary = "List what stands in a world: instances, volumes and links",
    .details =
        "An instance is shown as @NUMBER and with its name; navctl edit --move and --remove take either. navctl push\n"
        "stores names. Objects that were put without have a number only, which --scene turns into the name in a\n"
        "scene file.\n"
        "The place is where an instance's own origin stands, a volume's first corner, or a link's start.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
