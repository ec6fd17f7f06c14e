// navctl tile: one tile of stored tiles, of a scene that is built here or of a daemon's world.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/plan.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/area_list.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/tile_files/tile_facts.h"
#include "clients/navctl/tile_files/tile_json.h"
#include "clients/navctl/world_file/world_scene.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tile_args {
    const char *words[3]; // SOURCE X Z, or X Z of a world
    const char *world, *profile, *encoding, *sheet, *out, *picture;
    int32_t picture_size;
    bool json;
    scene_load_values reading;
    area_type_values area_types;
    settings_values grid;
    remote_values remote;
} tile_args;

static const arg_option tile_options[] = {
    {"output", 'o', ARG_FILE, "FILE", "write the tile's bytes to FILE", offsetof(tile_args, out), 0, 0, NULL},
    {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of SOURCE", offsetof(tile_args, world), 0, 0,
     NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile: its name in a world, its number in a file of tiles",
     offsetof(tile_args, profile), 0, 0, NULL},
    {"encoding", 0, ARG_CHOICE, "NAME",
     "of a scene's or a world's tile: navd's cells (the default) or Detour's polygons", offsetof(tile_args, encoding),
     0, 0, "navd detour"},
    {"sheet", 0, ARG_CHOICE, "NAME", "of which sheet; default: up, or the first of --sheets",
     offsetof(tile_args, sheet), 0, 0, SHEET_CHOICES},
    {"picture", 0, ARG_FILE, "FILE", "draw its sides, by what is behind them, with all numbers: NAME.png or NAME.svg",
     offsetof(tile_args, picture), 0, 0, NULL},
    {"picture-size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(tile_args, picture_size), 64, 16384,
     NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output, to the last corner", offsetof(tile_args, json), 0,
     0, NULL},
};
static const arg_group groups[] = {{"Options", tile_options, ARG_COUNT(tile_options), 0},
                                   SCENE_LOAD_GROUPS(tile_args, reading),
                                   AREA_TYPE_GROUP(tile_args, area_types),
                                   SETTINGS_GROUP(tile_args, grid),
                                   REMOTE_GROUP(tile_args, remote)};
static const arg_positional positionals[] = {
    {"SOURCE", "file of tiles (.bin, .navd), a single tile, a scene file or a world file", true, true,
     offsetof(tile_args, words[0])},
    {"X", "the tile's place along x", true, false, offsetof(tile_args, words[1])},
    {"Z", "the tile's place along z", false, false, offsetof(tile_args, words[2])}};

// The tile, wherever it came from.
typedef struct one_tile {
    const char *name; // of the source
    const arg_command *self;
    const tile_args *args;
    int32_t x, z;
    nav_sheet sheet;
    generate_encoding encoding;
    nav_buffer bytes;
    nav_area_table areas;
} one_tile;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int keep(one_tile *t, const uint8_t *bytes, size_t size)
{
    return nav_buffer_append(&t->bytes, bytes, size) == NAV_OK ? NAVCTL_OK : no_memory();
}

static int from_tiles(one_tile *t)
{
    const tile_args *a = t->args;
    long profile = 0;
    store s;
    if (a->profile) {
        char *end;
        profile = strtol(a->profile, &end, 10);
        if (end == a->profile || *end || profile < 0) {
            fprintf(stderr, "navctl tile: --profile %s: in a file of tiles profiles are numbers from 0\n", a->profile);
            return NAVCTL_USAGE;
        }
    }
    if (!store_read(t->name, &s)) return NAVCTL_INPUT;
    const stored_tile *found = NULL;
    for (uint32_t i = 0; i < s.tile_count && !found; i++) {
        const stored_tile *at = &s.tiles[i];
        if (at->sheet == t->sheet && at->x == t->x && at->z == t->z && at->profile == (uint32_t)profile) found = at;
    }
    int code = NAVCTL_FAILED;
    t->encoding = s.encoding;
    t->areas = s.areas;
    if (!found)
        fprintf(stderr, "navctl: %s: no tile at %d,%d of sheet %s\n", t->name, t->x, t->z, nav_sheet_name(t->sheet));
    else if (a->encoding && (s.encoding == GENERATE_DETOUR) != !strcmp(a->encoding, "detour"))
        fprintf(stderr, "navctl: %s: its tiles are not in this encoding, and cannot be turned into it\n", t->name);
    else
        code = keep(t, found->bytes, found->size);
    store_deinit(&s);
    return code;
}

// Builds the tile of a scene.
static int generate_one(one_tile *t, const scene *s, generate_options *options)
{
    generated g = {0};
    options->threads = 1;
    options->encoding = t->encoding;
    options->only_tile = true;
    options->tile[0] = t->x;
    options->tile[1] = t->z;
    nav_area_table_apply(&t->areas, &options->settings);
    int code = NAVCTL_FAILED;
    if (generate(s, options, &g)) {
        const generated_tile *tile = NULL;
        for (uint32_t i = 0; i < g.grids.count; i++)
            if (g.grids.grids[i].sheet == t->sheet) tile = &g.tiles[g.grids.grids[i].place];
        if (!tile)
            fprintf(stderr, "navctl: %s: the agent does not stand on sheet %s; --sheets says on which\n", t->name,
                    nav_sheet_name(t->sheet));
        else if (tile->size)
            code = keep(t, tile->bytes, tile->size);
        else if (g.failed)
            code = NAVCTL_TILES; // generate() has said why
        else
            fprintf(stderr, "navctl: %s: there is nothing to walk on in tile %d,%d\n", t->name, t->x, t->z);
    }
    generated_deinit(&g);
    return code;
}

static int from_scene(one_tile *t)
{
    const tile_args *a = t->args;
    scene s;
    if (a->profile) {
        fprintf(stderr, "navctl tile: --profile %s: a scene file has no profiles\n", a->profile);
        return NAVCTL_USAGE;
    }
    int code = scene_load(t->name, &a->reading, t->self->name, shared_threads(), &s);
    if (code != NAVCTL_OK) return code;
    generate_options options = {.settings = a->grid.settings};
    code = generate_one(t, &s, &options);
    scene_deinit(&s);
    return code;
}

// With the settings of its profile; those of the command line are for scenes.
static int from_world_file(one_tile *t)
{
    world_scene w;
    int code = world_scene_read(t->name, &w);
    if (code != NAVCTL_OK) return code;
    const world_scene_profile *p = world_scene_find(&w, t->name, t->args->profile);
    code = p ? NAVCTL_OK : NAVCTL_FAILED;
    t->areas = w.areas;
    if (p) {
        generate_options options = {.settings = p->settings, .goal = w.goal, .unreachable = w.unreachable};
        code = generate_one(t, &w.scene, &options);
    }
    world_scene_deinit(&w);
    return code;
}

typedef struct arrival {
    one_tile *tile;
    int code;
    bool pending;
} arrival;

static void take_tile(void *user, const navd_tile *came)
{
    arrival *a = user;
    one_tile *t = a->tile;
    a->pending = came->status == NAVD_TILE_PENDING;
    a->code = NAVCTL_FAILED;
    if (came->status == NAVD_TILE_FAILED) a->code = NAVCTL_TILES;
    if (came->size)
        a->code = keep(t, came->data, came->size);
    else if (came->status == NAVD_TILE_FAILED)
        fprintf(stderr, "navctl: %s: tile %d,%d has failed: %s\n", t->name, t->x, t->z, came->reason);
    else if (!a->pending)
        fprintf(stderr, "navctl: %s: there is nothing to walk on in tile %d,%d\n", t->name, t->x, t->z);
}

// A tile that is asked for and not there is made: it is asked for once more when all are.
static int ask(navd_client *c, const navd_world *world, const char *profile, one_tile *t)
{
    const int32_t at[1][2] = {{t->x, t->z}};
    const navd_encoding encoding = t->encoding == GENERATE_DETOUR ? NAVD_ENCODING_DETOUR : NAVD_ENCODING_NAVD;
    arrival came = {.tile = t, .code = NAVCTL_FAILED};
    const navd_sheet sheet = (navd_sheet)t->sheet;
    navd_status s = navd_tiles_get_of(c, world->id, profile, sheet, encoding, at, 1, take_tile, &came);
    if (s == NAVD_OK && came.pending) s = navd_wait(c, world->id, NULL, NULL);
    if (s == NAVD_OK && came.pending)
        s = navd_tiles_get_of(c, world->id, profile, sheet, encoding, at, 1, take_tile, &came);
    if (s != NAVD_OK) return remote_failed(c, s, t->name);
    if (came.pending)
        fprintf(stderr, "navctl: %s: tile %d,%d is not made yet: navctl why %s %d %d says what it waits for\n", t->name,
                t->x, t->z, t->name, t->x, t->z);
    return came.code;
}

static int from_world(one_tile *t)
{
    const tile_args *a = t->args;
    const char *profile = a->profile;
    navd_client *c = NULL;
    navd_world world = {0};
    int code = remote_open(&a->remote, &c);
    if (code != NAVCTL_OK) return code;
    code = remote_world(c, a->world, &world, &profile);
    if (code == NAVCTL_OK) code = remote_areas(c, a->world, world.id, &t->areas, NULL);
    if (code == NAVCTL_OK) code = ask(c, &world, profile, t);
    navd_close(c);
    navd_world_free(&world);
    return code;
}

static void print_json(const one_tile *t, const stored_tile *tile, const tile_facts *facts)
{
    json_writer w = {.out = stdout};
    nav_tile_view v;
    json_open(&w, NULL, '{');
    json_int(&w, "x", t->x);
    json_int(&w, "z", t->z);
    if (t->sheet != NAV_SHEET_UP) json_text(&w, "sheet", nav_sheet_name(t->sheet));
    json_text(&w, "encoding", t->encoding == GENERATE_DETOUR ? "detour" : "navd");
    json_int(&w, "bytes", tile->size);
    if (t->encoding == GENERATE_NAVD && nav_tile_open(tile->bytes, tile->size, &v, NULL, 0) == NAV_OK) {
        char key[NAV_KEY_TEXT_BYTES];
        nav_key_text(v.content_key, key);
        json_text(&w, "key", key);
        json_int(&w, "revision", (int64_t)v.revision);
    }
    tile_facts_json(facts, &w);
    if (t->areas.count) area_list_json(&t->areas, "area_table", &w);
    tile_json_mesh(t->encoding, tile, &t->areas, &w);
    json_close(&w, '}');
    json_end_line(&w);
}

static bool draw(const one_tile *t, const stored_tile *tile)
{
    const tile_args *a = t->args;
    const char *slash = strrchr(t->name, '/');
    draw_mesh mesh;
    draw_mesh_init(&mesh);
    bool ok = store_draw(t->name, t->encoding, tile, 1, NULL, &mesh);
    if (ok && t->encoding == GENERATE_NAVD && t->sheet != NAV_SHEET_UP) draw_mesh_to_frame(&mesh, t->sheet);
    ok = ok && plan_write(a->picture, &(plan_look){.mesh = &mesh,
                                                   .title = slash && !a->world ? slash + 1 : t->name,
                                                   .note = "",
                                                   .parts = PLAN_SIDES,
                                                   .size = a->picture_size,
                                                   .parallel = shared_threads()});
    draw_mesh_deinit(&mesh);
    return ok;
}

static int show(const one_tile *t)
{
    const stored_tile tile = {
        .x = t->x, .z = t->z, .sheet = t->sheet, .bytes = t->bytes.data, .size = (uint32_t)t->bytes.size};
    tile_facts facts;
    tile_facts_init(&facts);
    if (!tile_facts_add(&facts, t->encoding, &tile)) return NAVCTL_FAILED;
    if (t->args->out && !output_write_file(t->args->out, tile.bytes, tile.size)) return NAVCTL_FAILED;
    if (t->args->picture && !draw(t, &tile)) return NAVCTL_FAILED;
    if (t->args->json) {
        print_json(t, &tile, &facts);
    } else {
        printf("tile %d,%d", t->x, t->z);
        if (t->sheet != NAV_SHEET_UP) printf(" of sheet %s", nav_sheet_name(t->sheet));
        printf(": %u bytes\n", tile.size);
        tile_facts_print(&facts, &t->areas, stdout);
    }
    return NAVCTL_OK;
}

typedef enum source_kind { SOURCE_TILES, SOURCE_SCENE, SOURCE_WORLD_FILE, SOURCE_WORLD } source_kind;

static source_kind kind_of(const tile_args *a)
{
    if (a->world) return SOURCE_WORLD;
    if (store_is_tiles(a->words[0])) return SOURCE_TILES;
    return world_scene_is_world(a->words[0]) ? SOURCE_WORLD_FILE : SOURCE_SCENE;
}

// Which words are the place, and whether the other options fit the source.
static bool check(tile_args *a, one_tile *t, source_kind kind)
{
    const char *given = scene_load_given(&a->reading), *const *place = a->world ? a->words : a->words + 1;
    if (!place[1]) {
        fprintf(stderr, "navctl tile: Z is missing (see navctl tile --help)\n");
        return false;
    }
    if (a->world && a->words[2]) {
        fprintf(stderr, "navctl tile: takes either SOURCE or --world NAME, and X Z (see navctl tile --help)\n");
        return false;
    }
    if (!args_parse_whole(t->self, "X", place[0], &t->x) || !args_parse_whole(t->self, "Z", place[1], &t->z) ||
        !scene_load_check(&a->reading, t->self->name) || !area_type_values_check(&a->area_types, t->self->name) ||
        !settings_values_apply(&a->grid, t->self->name))
        return false;
    t->sheet = a->sheet || kind != SOURCE_SCENE ? settings_sheet(a->sheet) : a->grid.settings.sheet;
    if (a->picture && !page_name_ok(a->picture)) {
        fprintf(stderr, "navctl tile: %s: a picture's name must end in .png or .svg\n", a->picture);
        return false;
    }
    if (kind != SOURCE_SCENE && given) {
        fprintf(stderr, "navctl tile: --%s: %s is no scene file; it has its axes, unit and areas\n", given, t->name);
        return false;
    }
    return true;
}

static int run(const arg_command *self, int argc, char **argv)
{
    static int (*const from[])(one_tile *) = {[SOURCE_TILES] = from_tiles,
                                              [SOURCE_SCENE] = from_scene,
                                              [SOURCE_WORLD_FILE] = from_world_file,
                                              [SOURCE_WORLD] = from_world};
    tile_args a = {.picture_size = 1600, .remote = REMOTE_DEFAULTS};
    settings_values_init(&a.grid);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    const source_kind kind = kind_of(&a);
    one_tile t = {.name = a.world ? a.world : a.words[0], .self = self, .args = &a};
    t.encoding = a.encoding && !strcmp(a.encoding, "detour") ? GENERATE_DETOUR : GENERATE_NAVD;
    if (!check(&a, &t, kind)) return NAVCTL_USAGE;
    if ((a.out && !output_is_possible(a.out)) || (a.picture && !output_is_possible(a.picture))) return NAVCTL_FAILED;
    int code = NAVCTL_OK;
    if (kind == SOURCE_SCENE && !area_type_values_apply(&a.area_types, self->name, &t.areas)) code = NAVCTL_USAGE;
    if (code == NAVCTL_OK) code = from[kind](&t);
    if (code == NAVCTL_OK && kind != SOURCE_SCENE && !area_type_values_apply(&a.area_types, self->name, &t.areas))
        code = NAVCTL_USAGE;
    if (code == NAVCTL_OK) code = show(&t);
    nav_buffer_deinit(&t.bytes);
    return code;
}

const arg_command tile_command = {
    .name = "tile",
    .usage = "{SOURCE | --world NAME} X Z",
    .summary = "Show or extract one tile of stored tiles, a scene or a world",
    .details =
        "A scene's tile is built here, alone. The JSON has vertices, cells or polygons with what lies behind each\n"
        "side, portals, heights and links; docs/formats.md describes it.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
