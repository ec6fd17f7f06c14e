// navctl surface: ground over points, or over a grid with a height function, as an OBJ file or a navigation mesh.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/build.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/scene/obj_write.h"
#include "clients/navctl/scene/scene_check.h"
#include "clients/navctl/scene/surface_values.h"
#include "clients/navctl/tile_files/store.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct surface_args {
    build_args build; // first: its groups are those of build
    surface_values grid;
} surface_args;

static const arg_group groups[] = {SURFACE_GROUP(surface_args, grid), BUILD_GROUPS_EXACT};
static const arg_positional positionals[] = {
    {"POINTS", "points as text: x, y and z on each line of NAME.xyz or NAME.csv; or give --height", false, true,
     offsetof(surface_args, build.scene)}};

static bool check_source(const surface_args *a)
{
    const char *given = surface_values_given(&a->grid);
    if (a->build.scene && given) {
        fprintf(stderr, "navctl surface: --%s: the ground is that of the points of %s; give one or the other\n", given,
                a->build.scene);
        return false;
    }
    if (!a->build.scene && !a->grid.height) {
        fprintf(stderr, "navctl surface: needs POINTS or --height EXPR (see navctl surface --help)\n");
        return false;
    }
    given = scene_load_given(&a->build.reading);
    if (!a->build.scene && given) {
        fprintf(stderr, "navctl surface: --%s is for files, and --height is Y up, in metres, of one area\n", given);
        return false;
    }
    if (!a->build.scene || scene_format_of(a->build.scene) == SCENE_POINTS) return true;
    fprintf(stderr, "navctl surface: %s: the name of points must end in .xyz or .csv; navctl build takes scenes\n",
            a->build.scene);
    return false;
}

static int read_grid(void *user, const char *command, const nav_parallel *parallel, scene *out)
{
    (void)parallel;
    return surface_values_make(user, command, out);
}

static bool is_obj(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && !strcasecmp(dot, ".obj");
}

static bool check_output_name(const char *path)
{
    generate_encoding ignored;
    if (!path || is_obj(path) || store_encoding_of(path, &ignored)) return true;
    fprintf(stderr, "navctl surface: -o %s: the name must end in .obj (the ground), .navd or .bin (its tiles)\n", path);
    return false;
}

static void report_obj(const surface_args *a, const char *source, const scene *s)
{
    const scene_mesh *m = &s->meshes[0];
    if (a->build.json) {
        json_writer w = {.out = stdout};
        json_open(&w, NULL, '{');
        json_text(&w, "scene", source);
        json_int(&w, "vertices", m->vert_count);
        json_int(&w, "triangles", m->tri_count);
        json_text(&w, "output", a->build.out);
        json_close(&w, '}');
        json_end_line(&w);
        return;
    }
    printf("%s: %u point%s, %u triangle%s\n", source, m->vert_count, text_s(m->vert_count), m->tri_count,
           text_s(m->tri_count));
    printf("size: %.6g m x %.6g m, from %.6g to %.6g m high\n", (double)(s->max[0] - s->min[0]),
           (double)(s->max[2] - s->min[2]), (double)s->min[1], (double)s->max[1]);
    printf("wrote %s\n", a->build.out);
}

// The ground alone.
static int write_obj(surface_args *a, const char *source)
{
    const build_args *b = &a->build;
    scene s;
    const char *other = b->picture     ? "picture"
                        : b->show      ? "show"
                        : b->only_tile ? "only-tile"
                        : b->bounds    ? "bounds"
                        : b->stages    ? "stages"
                        : b->hashes    ? "hashes"
                                       : NULL;
    if (other) {
        fprintf(stderr, "navctl surface: --%s is of tiles, and -o %s has none: name it .navd or .bin\n", other, b->out);
        return NAVCTL_USAGE;
    }
    if (!scene_load_check(&b->reading, "surface")) return NAVCTL_USAGE;
    if (!output_is_possible(b->out)) return NAVCTL_FAILED;
    int code = b->scene ? scene_load(b->scene, &b->reading, "surface", shared_threads(), &s)
                        : surface_values_make(&a->grid, "surface", &s);
    if (code != NAVCTL_OK) return code;
    if (obj_write(b->out, source, &s))
        report_obj(a, source, &s);
    else
        code = NAVCTL_FAILED;
    scene_deinit(&s);
    return code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    surface_args a = {0};
    build_args_init(&a.build);
    build_args_exact(&a.build);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!check_source(&a) || !check_output_name(a.build.out)) return NAVCTL_USAGE;
    const char *source = a.build.scene ? a.build.scene : a.grid.height;
    if (is_obj(a.build.out)) return write_obj(&a, source);
    if (!a.build.scene) {
        a.build.read = read_grid;
        a.build.read_user = &a.grid;
        a.build.scene = a.build.title = source;
    }
    return build_run(self, &a.build, argc, argv);
}

const arg_command surface_command = {
    .name = "surface",
    .summary = "Make ground from points or from a height function, and its navigation mesh",
    .details = "Points become their Delaunay triangulation, a height function becomes a grid. -o NAME.obj writes the\n"
               "ground as a scene; otherwise the surface generator makes tiles of it, exactly, as navctl plan does.\n"
               "Expressions have + - * / ^, comparisons with ?:, sin cos tan exp ln sqrt abs rint min max, pi, and\n"
               "noise(x,z), which is smooth, between -1 and 1, with about one hill for each unit.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
