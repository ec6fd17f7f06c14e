// navctl path within: all ground within a distance of a place, of stored tiles or of a daemon's world.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/paths/path_ground.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/tile_files/path_file.h"
#include "navcore/path_places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANDS = 5 }; // of a picture

typedef struct within_args {
    const char *source, *world, *profile, *excluded, *picture;
    double at[3], distance_m, near_m;
    int32_t size;
    bool outlines, json;
    uint64_t areas; // of --exclude
    picture_values view;
    remote_values remote;
} within_args;

static const arg_option within_options[] = {
    {"at", 0, ARG_VEC3, "X,Y,Z", "where the paths begin, metres", offsetof(within_args, at), 0, 0, NULL},
    {"distance", 'd', ARG_DOUBLE, "M", "how long they may be, seen from above", offsetof(within_args, distance_m), 0,
     1e5, NULL},
    {"near", 0, ARG_DOUBLE, "M", "how far a place may be from ground", offsetof(within_args, near_m), 0, 1000, NULL},
    {"exclude", 0, ARG_TEXT, "AREAS", "walls, like 5 or 5,7-9 or water", offsetof(within_args, excluded), 0, 0, NULL},
    {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of FILE", offsetof(within_args, world), 0, 0,
     NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile: its name in a world, its number in a file",
     offsetof(within_args, profile), 0, 0, NULL},
    {"picture", 0, ARG_FILE, "PICTURE", "draw it on the mesh, in five steps: NAME.png or NAME.svg",
     offsetof(within_args, picture), 0, 0, NULL},
    {"size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(within_args, size), 64, 16384, NULL},
    {"json", 0, ARG_FLAG, NULL, "a line of JSON", offsetof(within_args, json), 0, 0, NULL},
    {"outlines", 0, ARG_FLAG, NULL, "with --json: the shape, too, as convex polygons", offsetof(within_args, outlines),
     0, 0, NULL},
};
static const arg_group groups[] = {{"Options", within_options, ARG_COUNT(within_options), 0},
                                   PICTURE_GROUP(within_args, view),
                                   REMOTE_GROUP(within_args, remote)};
static const arg_positional positionals[] = {
    {"FILE", "tiles (.navd, .bin) or a polygon mesh (.mesh)", false, true, offsetof(within_args, source)}};

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static bool read_excluded(within_args *a, const nav_area_table *areas)
{
    char why[512];
    if (area_args_named(a->excluded, areas, &a->areas, why, sizeof why)) return true;
    fprintf(stderr, "navctl path within: --exclude %s: %s\n", a->excluded, why);
    return false;
}

static nav_path_within_query query_of(const within_args *a, double distance_m, bool outlines)
{
    return (nav_path_within_query){.at = {a->at[0], a->at[1], a->at[2]},
                                   .near_m = a->near_m,
                                   .distance_m = distance_m,
                                   .excluded = a->areas,
                                   .outlines = outlines};
}

// --- What is told ---

static void print_text(const navd_within *w)
{
    if (w->status != NAVD_PLACE_FOUND) printf("%s\n", navd_place_status_name(w->status));
    for (const navd_within_cell *c = w->cells; c < w->cells + w->cell_count; c++)
        printf("%.9g  %d %d %u  %s\n", (double)c->distance_m, c->tile_x, c->tile_z, c->cell,
               c->whole ? "whole" : "part");
}

static void print_json(const navd_within *w, bool outlines)
{
    json_writer out = {.out = stdout};
    json_open(&out, NULL, '{');
    json_text(&out, "status", navd_place_status_name(w->status));
    json_open(&out, "cells", '[');
    for (const navd_within_cell *c = w->cells; c < w->cells + w->cell_count; c++) {
        json_open(&out, NULL, '{');
        json_number(&out, "distance_m", (double)c->distance_m);
        json_int(&out, "tile_x", c->tile_x);
        json_int(&out, "tile_z", c->tile_z);
        json_int(&out, "cell", c->cell);
        json_bool(&out, "whole", c->whole);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    if (outlines) {
        json_open(&out, "outlines", '[');
        for (uint32_t i = 0; i < w->outline_count; i++) {
            json_open(&out, NULL, '[');
            for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) json_vec(&out, NULL, &w->points[3 * (size_t)k], 3);
            json_close(&out, ']');
        }
        json_close(&out, ']');
    }
    json_close(&out, '}');
    json_end_line(&out);
}

static void tell(const within_args *a, const navd_within *w)
{
    if (a->json)
        print_json(w, a->outlines);
    else
        print_text(w);
}

// --- Over a file and in a world ---

// As a daemon would have answered.
static int tell_found(const within_args *a, const nav_path_withins *found)
{
    navd_within_cell *cells = malloc(((size_t)found->cell_count + 1) * sizeof *cells);
    if (!cells) return no_memory();
    for (uint32_t i = 0; i < found->cell_count; i++) {
        const nav_path_within_cell *c = &found->cells[i];
        cells[i] = (navd_within_cell){c->cell.tile_x, c->cell.tile_z, c->cell.cell, (float)c->distance_m, c->whole};
    }
    tell(a, &(navd_within){.status = (navd_place_status)found->status,
                           .cells = cells,
                           .cell_count = found->cell_count,
                           .points = found->points,
                           .first = found->first,
                           .outline_count = found->outline_count});
    free(cells);
    return NAVCTL_OK;
}

static int from_file(within_args *a)
{
    nav_path_set *set = NULL;
    nav_path_finder *finder = NULL;
    nav_path_withins found;
    store file;
    char *end = NULL;
    long profile = a->profile ? strtol(a->profile, &end, 10) : 0;
    if (a->profile && (end == a->profile || *end || profile < 0)) {
        fprintf(stderr, "navctl path within: --profile %s: in a file profiles are numbers from 0\n", a->profile);
        return NAVCTL_USAGE;
    }
    if (!path_file_read(a->source, (uint32_t)profile, &set, NULL, &file)) return NAVCTL_INPUT;
    int code = read_excluded(a, &file.areas) ? NAVCTL_OK : NAVCTL_USAGE;
    store_deinit(&file);
    const nav_path_within_query q = query_of(a, a->distance_m, a->outlines);
    if (code == NAVCTL_OK) {
        nav_status s = nav_path_finder_create(&finder);
        if (s == NAV_OK) s = nav_path_within(finder, set, &q, &found);
        if (s != NAV_OK) {
            fprintf(stderr, "navctl: %s: %s\n", a->source, nav_status_text(s));
            code = NAVCTL_FAILED;
        }
    }
    if (code == NAVCTL_OK) code = tell_found(a, &found);
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    return code;
}

static int from_world(within_args *a)
{
    navd_client *c = NULL;
    navd_world world = {0};
    navd_within *found = NULL;
    nav_area_table areas = {.count = 0};
    const char *profile = a->profile;
    int code = remote_open(&a->remote, &c);
    if (code == NAVCTL_OK) code = remote_world(c, a->world, &world, &profile);
    if (code == NAVCTL_OK && area_args_has_name(a->excluded)) code = remote_areas(c, a->world, world.id, &areas, NULL);
    if (code == NAVCTL_OK && !read_excluded(a, &areas)) code = NAVCTL_USAGE;
    if (code == NAVCTL_OK) {
        const navd_place_options options = {.near_m = a->near_m, .exclude = a->areas};
        navd_status s = navd_find_within(c, world.id, profile, &options, a->at, a->distance_m, a->outlines, &found);
        if (s != NAVD_OK) code = remote_failed(c, s, a->world);
    }
    if (found && found->open_tiles)
        fprintf(stderr, "navctl: %u tiles are still being built; the answer is over what was there before\n",
                found->open_tiles);
    if (found) tell(a, found);
    navd_within_free(found);
    navd_close(c);
    navd_world_free(&world);
    return code;
}

// --- The picture ---

typedef struct field {
    nav_path_finder *finders[BANDS]; // each holds the answer of its distance
    picture_bands bands;
} field;

static nav_status find_bands(field *f, const within_args *a, const nav_path_set *set)
{
    nav_path_nearest near;
    const nav_place_scope scope = {.near_m = a->near_m, .excluded = a->areas};
    nav_status s = nav_path_find_nearest(set, a->at, &scope, &near);
    if (s != NAV_OK || near.status != NAV_PLACE_FOUND) return s;
    memcpy(f->bands.at, near.place.at, sizeof f->bands.at);
    for (uint32_t i = 0; i < BANDS && s == NAV_OK; i++) {
        const nav_path_within_query q = query_of(a, a->distance_m * (i + 1) / BANDS, true);
        nav_path_withins w;
        s = nav_path_finder_create(&f->finders[i]);
        if (s == NAV_OK) s = nav_path_within(f->finders[i], set, &q, &w);
        if (s != NAV_OK) break;
        f->bands.items[f->bands.count++] = (picture_band){w.points, w.first, w.outline_count, q.distance_m};
    }
    return s;
}

static int draw(const within_args *a)
{
    path_ground ground = {.name = NULL};
    field f = {.bands = {.count = 0}};
    draw_mesh mesh;
    char title[512];
    const path_ground_wanted wanted = {a->profile, .tiles = true};
    int code = a->world ? path_ground_read_world(&ground, a->world, &wanted, &a->remote)
                        : path_ground_read_file(&ground, a->source, &wanted);
    draw_mesh_init(&mesh);
    if (code == NAVCTL_OK) {
        nav_status s = find_bands(&f, a, ground.set);
        if (s != NAV_OK) {
            fprintf(stderr, "navctl: %s: %s\n", ground.name, nav_status_text(s));
            code = NAVCTL_FAILED;
        }
    }
    if (code == NAVCTL_OK) {
        const char *slash = strrchr(ground.name, '/');
        snprintf(title, sizeof title, "%s: within %.4g m of %.4g, %.4g, %.4g", slash ? slash + 1 : ground.name,
                 a->distance_m, a->at[0], a->at[1], a->at[2]);
        const picture_look look = {
            .title = title, .size = a->size, .values = &a->view, .parallel = shared_threads(), .bands = &f.bands};
        if (!store_draw(ground.name, ground.encoding, ground.list, ground.list_count, shared_threads(), &mesh) ||
            !picture_write(a->picture, &mesh, &look))
            code = NAVCTL_FAILED;
    }
    draw_mesh_deinit(&mesh);
    for (int i = 0; i < BANDS; i++) nav_path_finder_destroy(f.finders[i]);
    path_ground_deinit(&ground);
    return code;
}

static int refuse(const char *words)
{
    fprintf(stderr, "navctl path within: %s (see navctl path within --help)\n", words);
    return NAVCTL_USAGE;
}

static int run(const arg_command *self, int argc, char **argv)
{
    within_args a = {
        .at = {NAN}, .distance_m = NAN, .near_m = NAVD_PATH_NEAR_M, .size = 1600, .remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.source == !a.world) return refuse("needs either FILE or --world NAME");
    if (isnan(a.at[0]) || isnan(a.distance_m)) return refuse("needs --at and --distance");
    if (a.outlines && !a.json) return refuse("--outlines needs --json");
    if (a.picture && !page_name_ok(a.picture)) return refuse("--picture: expected a name that ends in .png or .svg");
    if (!picture_values_check(&a.view, self->name)) return NAVCTL_USAGE;
    if (a.picture && !output_is_possible(a.picture)) return NAVCTL_FAILED;
    int code = a.world ? from_world(&a) : from_file(&a);
    if (code == NAVCTL_OK && a.picture) code = draw(&a);
    return code;
}

const arg_command path_within_command = {
    .name = "path within",
    .summary = "Find all ground within a distance of a place",
    .details =
        "Within: the shortest path there is no longer than the distance, seen from above. Each cell that one can get "
        "to\n"
        "is a line, the nearest first: the length of the path to its nearest point; the tile's x and z, and the cell;\n"
        "whole, or part where only a part of it is within the distance. Without any: no_start, or limit where it is "
        "too\n"
        "much for the daemon. --picture shows how far everything is.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
