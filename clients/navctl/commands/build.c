// navctl build: a scene file, or a world file, in, a navigation mesh out, all in this process.
#include "clients/navctl/commands/build_work.h"

#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/plan.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/tile_files/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const arg_option build_options[BUILD_OPTIONS] = {
    {"output", 'o', ARG_FILE, "FILE",
     "NAME.bin: Detour's multi-tile file; NAME.navd: navd's own; NAME.obj, NAME.glb: triangles in the world",
     offsetof(build_args, out), 0, 0, NULL},
    {"picture", 0, ARG_FILE, "FILE", "draw the mesh: NAME.png or NAME.svg", offsetof(build_args, picture), 0, 0, NULL},
    {"show", 0, ARG_TEXT, "PARTS",
     "what the picture shows: any of layers,cells,portals,notches,polygons,contours,sides, and one of "
     "spans,distance,regions; "
     "without it heights",
     offsetof(build_args, show), 0, 0, NULL},
    {"picture-size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(build_args, picture_size), 64, 16384,
     NULL},
    {"only-tile", 0, ARG_TEXT, "X,Z", "build only this tile, of each sheet; reachability is decided within it",
     offsetof(build_args, only_tile), 0, 0, NULL},
    {"bounds", 0, ARG_TEXT, "X,Z,X,Z", "ground inside this rectangle alone, as of an include volume of all heights",
     offsetof(build_args, bounds), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile of a world file; default: the first", offsetof(build_args, profile),
     0, 0, NULL},
    {"level", 0, ARG_CHOICE, "NAME", "processor level to use; default: the highest that this machine has",
     offsetof(build_args, level), 0, 0, "base v3 v4"},
    {"plain", 0, ARG_FLAG, NULL, "generate with the plain twins of the fast paths: slower, the same tiles",
     offsetof(build_args, plain), 0, 0, NULL},
    {"hashes", 0, ARG_FLAG, NULL, "print a hash of each stage's result for each tile, instead of the figures",
     offsetof(build_args, hashes), 0, 0, NULL},
    {"threads", 0, ARG_INT, "N", "number of threads", offsetof(build_args, threads), 1, 1024, NULL},
    {"reps", 0, ARG_INT, "N", "generate N times and report the fastest", offsetof(build_args, reps), 1, 1000, NULL},
    {"stages", 0, ARG_FLAG, NULL, "print the time of each stage", offsetof(build_args, stages), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "report as one line of JSON on standard output", offsetof(build_args, json), 0, 0,
     NULL},
};
static const arg_group groups[] = {BUILD_GROUPS, FARM_GROUP(build_args, farm)};
static const arg_positional positionals[] = {
    {"SCENE", "scene file: OBJ, glTF, GLB, FBX, PLY or STL; or a world file", true, true, offsetof(build_args, scene)}};

void build_args_init(build_args *a)
{
    *a = (build_args){.threads = generate_threads(), .reps = 1, .picture_size = 1600, .look = VIEW_DEFAULTS};
    settings_values_init(&a->grid);
    reach_values_init(&a->reach);
}

// The fastest of several runs; the bytes are those of any run.
static bool generate_best(generator *g, const scene *s, const generate_options *options, int reps, generated *best)
{
    bool ok = generator_run(g, s, options, best);
    for (int i = 1; i < reps && ok; i++) {
        generated again;
        ok = generator_run(g, s, options, &again);
        bool faster = ok && again.generate_s < best->generate_s;
        generated_deinit(faster ? best : &again);
        if (faster) *best = again;
    }
    return ok;
}

// Where the picture shows parts, tiles are looked at while they are made.
static bool prepare_plan(build *b)
{
    sheet_grids grids;
    if (!b->parts || !generate_tiles(&b->world.scene, &b->options, &grids)) return true; // generate() says why
    b->options.made = plan_tiles_take;
    if (b->parts & PLAN_STAGES) b->options.stage = plan_tiles_take_stage;
    b->options.made_user = &b->tiles;
    if (plan_tiles_init(&b->tiles, grids.total)) return true;
    fprintf(stderr, "navctl: no memory left\n");
    return false;
}

// Where seams are written, tiles are kept as cells, too.
static bool prepare_cells(build *b)
{
    sheet_grids grids;
    if (!build_writes_sheets(b) || !generate_tiles(&b->world.scene, &b->options, &grids))
        return true; // generate() says why
    b->options.made = sheet_cells_take;
    b->options.made_user = &b->cells;
    if (sheet_cells_init(&b->cells, grids.total)) return true;
    fprintf(stderr, "navctl: no memory left\n");
    return false;
}

static int read_scene(build *b)
{
    nav_parallel parallel = generator_parallel(b->generator);
    const build_args *a = b->args;
    int code = a->read ? a->read(a->read_user, b->name, &parallel, &b->world.scene)
                       : scene_load(a->scene, &a->reading, b->name, &parallel, &b->world.scene);
    b->report.is_scene = true;
    if (code == NAVCTL_OK) scene_look_warn(&b->world.scene, &b->options.settings, &b->report.doubts);
    return code;
}

// The settings of a world's profile are the defaults of the command line, which is therefore read once more.
static int read_world(build *b, build_args *a, const arg_command *self, int argc, char **argv)
{
    double started_s = now_s();
    int code = world_scene_read(a->scene, &b->world);
    if (code != NAVCTL_OK) return code;
    b->report.read_s = now_s() - started_s;
    const world_scene_profile *p = world_scene_find(&b->world, a->scene, a->profile);
    if (!p) return NAVCTL_FAILED;
    build_args_init(a);
    settings_values_init_from(&a->grid, &p->settings);
    return args_parse(self, argc, argv, a) == ARGS_GO ? NAVCTL_OK : NAVCTL_USAGE;
}

static bool add_bounds(build *b)
{
    scene *s = &b->world.scene;
    nav_volume *grown = realloc(s->volumes, (s->volume_count + (size_t)1) * sizeof *grown);
    if (!grown) {
        fprintf(stderr, "navctl: no memory left\n");
        return false;
    }
    s->volumes = grown;
    s->volumes[s->volume_count++] = b->bounds;
    return true;
}

static int build_scene(build *b)
{
    const build_args *a = b->args;
    int code = NAVCTL_FAILED;
    b->generator = generator_create(b->options.threads);
    if (!b->generator) return code;
    double started_s = now_s();
    if (!b->is_world) {
        code = read_scene(b);
        if (code != NAVCTL_OK) goto done;
        b->report.read_s = now_s() - started_s;
        code = NAVCTL_FAILED;
    }
    if (!b->world.scene.tri_count && !b->options.only_tile) {
        fprintf(stderr, "navctl: %s: it holds no triangles\n", a->scene);
        code = NAVCTL_INPUT;
        goto done;
    }
    if ((a->bounds && !add_bounds(b)) || !prepare_plan(b) || !prepare_cells(b)) goto done;
    if (a->farm.url) {
        code = build_farm(b);
        if (code != NAVCTL_OK) goto done;
        code = NAVCTL_FAILED;
    } else if (!generate_best(b->generator, &b->world.scene, &b->options, a->reps, &b->made)) {
        goto done;
    }
    if (b->made.reach.seeds_lost && a->reach.given && !a->reach.allow_lost_seeds && !a->only_tile) {
        fprintf(stderr, "navctl: %u of %u seeds found no ground, so nothing is written (--allow-lost-seeds goes on)\n",
                b->made.reach.seeds_lost, a->reach.goal.seed_count);
        goto done;
    }
    if (!build_write(b)) goto done;
    if (!b->is_world && b->made.filled + b->made.failed == 0 && !b->options.only_tile)
        scene_look_say_nothing(&b->world.scene, &b->options.settings);
    if (a->farm.url) {
        build_report_farm(&b->world.scene, a, &b->made, &b->report, &b->farm);
    } else if (a->hashes) {
        build_report_hashes(&b->made);
    } else if (a->json) {
        build_report_json(&b->world.scene, a, &b->made, &b->report);
    } else {
        build_report_words(&b->world.scene, a, &b->made, &b->report);
    }
    code = b->made.failed ? NAVCTL_TILES : NAVCTL_OK;
done:
    generator_destroy(b->generator);
    plan_tiles_deinit(&b->tiles);
    sheet_cells_deinit(&b->cells);
    generated_deinit(&b->made);
    return code;
}

// The include volume of --bounds.
static bool parse_bounds(build *b)
{
    double n[4];
    char why[160] = "expected X,Z,X,Z, the lower corner first";
    nav_volume *v = &b->bounds;
    *v = (nav_volume){.point_count = 4, .min_y = -NAV_WORLD_REACH_M, .max_y = NAV_WORLD_REACH_M, .include = 1};
    bool ok = args_parse_numbers(b->args->bounds, n, 4) && n[0] < n[2] && n[1] < n[3];
    if (ok) {
        const double corners[8] = {n[0], n[1], n[0], n[3], n[2], n[3], n[2], n[1]};
        for (int i = 0; i < 8; i++) v->points[i] = (float)corners[i];
        ok = nav_volume_check(v, why, sizeof why) == NAV_OK;
    }
    if (!ok) fprintf(stderr, "navctl %s: --bounds %s: %s\n", b->name, b->args->bounds, why);
    return ok;
}

// Names of files, and the parts of the picture.
static bool check_output(build *b)
{
    const build_args *a = b->args;
    char why[160];
    b->view = a->view;
    if (a->out && !mesh_file_kind_of(a->out, &b->kind)) {
        fprintf(stderr, "navctl %s: %s: the name must end in " MESH_FILE_ENDINGS "\n", b->name, a->out);
        return false;
    }
    b->options.encoding = mesh_file_encoding(b->kind);
    if (a->picture && !page_name_ok(a->picture)) {
        fprintf(stderr, "navctl %s: %s: a picture's name must end in .png or .svg\n", b->name, a->picture);
        return false;
    }
    if (!a->read && (output_is_input(a->out, a->scene) || output_is_input(a->picture, a->scene))) return false;
    if (!picture_values_check(&b->view, b->name) || !view_values_check(&a->look, b->name)) return false;
    if ((a->view.slice || a->view.storeys) && (!a->picture || a->show)) {
        fprintf(stderr, "navctl %s: --%s is for a --picture without --show\n", b->name,
                a->view.slice ? "slice" : "storeys");
        return false;
    }
    if (a->show && !a->picture) {
        fprintf(stderr, "navctl %s: --show %s: there is no --picture to show it in\n", b->name, a->show);
        return false;
    }
    if (a->show && !plan_parse(a->show, &b->parts, why, sizeof why)) {
        fprintf(stderr, "navctl %s: --show %s: %s\n", b->name, a->show, why);
        return false;
    }
    return true;
}

static bool check_input(build *b, const arg_command *self)
{
    const build_args *a = b->args;
    b->options.only_tile = a->only_tile != NULL;
    if (a->only_tile && !args_parse_tile(self, "only-tile", a->only_tile, b->options.tile)) return false;
    if (a->level) {
        nav_level level;
        char why[96];
        if (nav_level_parse(a->level, &level, why, sizeof why) != NAV_OK) {
            fprintf(stderr, "navctl %s: --%s\n", b->name, why);
            return false;
        }
        b->options.build = nav_build_at(level);
    }
    b->options.plain = a->plain;
    b->options.hashes = a->hashes;
    if (a->hashes && (a->json || a->stages)) {
        fprintf(stderr, "navctl %s: --hashes takes the place of %s\n", b->name, a->json ? "--json" : "--stages");
        return false;
    }
    if (!build_farm_check(b)) return false;
    if (a->bounds && !parse_bounds(b)) return false;
    if (!scene_load_check(&a->reading, self->name) || !area_type_values_check(&a->area_types, self->name)) return false;
    const char *given = scene_load_given(&a->reading);
    if (b->is_world && given) {
        fprintf(stderr, "navctl %s: --%s: %s is a world file, which is Y up, in metres, and has its areas\n", b->name,
                given, a->scene);
        return false;
    }
    if (!a->profile || b->is_world) return true;
    fprintf(stderr, "navctl %s: --profile %s: %s is not a world file, and only those have profiles\n", b->name,
            a->profile, a->scene);
    return false;
}

// What does not go with walls and ceilings, once the settings are known.
static bool check_sheets(build *b)
{
    const build_args *a = b->args;
    const bool climbs = a->grid.settings.sheets != NAV_SHEETS_UP;
    b->perspective = !a->show && view_is_perspective(&a->look, climbs);
    const char *why = NULL, *option = NULL;
    if (climbs && b->options.unreachable != NAV_UNREACHABLE_KEEP && nav_reach_goal_is_set(&b->options.goal)) {
        option = "sheets";
        why = "seeds and the least area of islands decide what can be reached on floors, not on walls: leave them "
              "out, or say --unreachable keep";
    } else if (climbs && a->show) {
        option = "show";
        why = "parts are drawn from above, where walls and ceilings are not seen: leave it out";
    } else if (climbs && a->look.view && !b->perspective) {
        option = "view";
        why = "walls and ceilings are not seen from the top: use perspective";
    } else if (b->perspective && (a->view.slice || a->view.storeys)) {
        option = a->view.slice ? "slice" : "storeys";
        why = "is for pictures from the top";
    }
    if (option) fprintf(stderr, "navctl %s: --%s: %s\n", b->name, option, why);
    return !option;
}

void build_args_exact(build_args *a)
{
    nav_settings s = a->grid.settings;
    s.generator = NAV_GENERATOR_SURFACE;
    s.edge_max_error_cells = 0;
    settings_values_init_from(&a->grid, &s);
}

int build_run(const arg_command *self, build_args *a, int argc, char **argv)
{
    build b = {.name = self->name,
               .args = a,
               .options = {.progress = true},
               .is_world = !a->read && world_scene_is_world(a->scene)};
    int code = check_output(&b) && check_input(&b, self) ? NAVCTL_OK : NAVCTL_USAGE;
    if (code == NAVCTL_OK && b.is_world) code = read_world(&b, a, self, argc, argv);
    if (code == NAVCTL_OK &&
        (!settings_values_apply(&a->grid, self->name) || !reach_values_apply(&a->reach, self->name) ||
         !area_type_values_apply(&a->area_types, self->name, &b.world.areas)))
        code = NAVCTL_USAGE;
    b.options.threads = a->threads;
    b.options.settings = a->grid.settings;
    if (!a->out && b.options.settings.sheets != NAV_SHEETS_UP) b.options.encoding = GENERATE_NAVD; // in the world
    nav_area_table_apply(&b.world.areas, &b.options.settings);
    b.options.goal = b.is_world && !a->reach.given ? b.world.goal : a->reach.goal;
    b.options.unreachable = b.is_world && !a->reach.given ? b.world.unreachable : a->reach.mode;
    if (code == NAVCTL_OK && !check_sheets(&b)) code = NAVCTL_USAGE;
    if (code == NAVCTL_OK && ((a->out && !mesh_file_is_possible(a->out, b.kind, &b.options.settings)) ||
                              (a->picture && !output_is_possible(a->picture))))
        code = NAVCTL_FAILED;
    if (code == NAVCTL_OK) code = build_scene(&b);
    world_scene_deinit(&b.world);
    return code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    build_args a;
    build_args_init(&a);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    return build_run(self, &a, argc, argv);
}

const arg_command build_command = {
    .name = "build",
    .summary = "Generate the navigation mesh of a scene file; needs no running daemon",
    .details =
        "Without -o nothing is written; only the figures are printed. With --farm this command starts a navd of its "
        "own,\n"
        "which builds with the farm's workers and cache; --level, --plain, --hashes, --stages, --only-tile, --reps\n"
        "and --show do not go with that.\n"
        "A world file (navctl world export, navctl tile dump) brings its own grid, agent and seeds.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
