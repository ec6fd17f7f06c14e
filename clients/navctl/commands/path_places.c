// navctl path nearest, raycast, wall, random, reach: places of the ground of stored tiles or of a daemon's world.
#include "navcore/path_places.h"
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/tile_files/path_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place_args {
    const char *source, *world, *profile, *areas, *excluded;
    double at[3], from[3], to[3], near_m, limit_m, radius_m;
    int32_t seed, count;
    bool reachable, json;
    remote_values remote;
} place_args;

// What was asked and what came.
typedef struct question {
    const place_args *a;
    const arg_command *command;
    uint64_t areas, excluded;
    navd_place place;
    float *points; // of random places; owned
    uint32_t point_count;
} question;

// How one of the commands asks, over a file and in a world.
typedef struct asker {
    nav_status (*file)(question *q, nav_path_finder *finder, const nav_path_set *set);
    navd_status (*world)(question *q, navd_client *c, uint64_t world, const char *profile, navd_places **out);
} asker;

#define AT                                                                                                             \
    {                                                                                                                  \
        "at", 0, ARG_VEC3, "X,Y,Z", "the place, metres", offsetof(place_args, at), 0, 0, NULL                          \
    }
#define FROM                                                                                                           \
    {                                                                                                                  \
        "from", 0, ARG_VEC3, "X,Y,Z", "where it begins, metres", offsetof(place_args, from), 0, 0, NULL                \
    }
#define TO(help)                                                                                                       \
    {                                                                                                                  \
        "to", 0, ARG_VEC3, "X,Y,Z", help, offsetof(place_args, to), 0, 0, NULL                                         \
    }
#define COMMON                                                                                                         \
    {"near", 0, ARG_DOUBLE, "M", "how far a place may be from ground", offsetof(place_args, near_m), 0, 1000, NULL},   \
        {"exclude", 0, ARG_TEXT, "AREAS", "walls, like 5 or 5,7-9 or water", offsetof(place_args, excluded),           \
         0,         0, NULL},                                                                                          \
        {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of FILE", offsetof(place_args, world),    \
         0,       0,   NULL},                                                                                          \
        {"profile",                                                                                                    \
         0,                                                                                                            \
         ARG_TEXT,                                                                                                     \
         "NAME",                                                                                                       \
         "agent profile: its name in a world, its number in a file",                                                   \
         offsetof(place_args, profile),                                                                                \
         0,                                                                                                            \
         0,                                                                                                            \
         NULL},                                                                                                        \
    {                                                                                                                  \
        "json", 0, ARG_FLAG, NULL, "a line of JSON", offsetof(place_args, json), 0, 0, NULL                            \
    }
static const arg_option nearest_options[] = {AT, COMMON};
static const arg_option raycast_options[] = {FROM, TO("towards there, metres"), COMMON};
static const arg_option wall_options[] = {
    AT,
    {"limit", 0, ARG_DOUBLE, "M", "how far walls are looked for", offsetof(place_args, limit_m), 0, 1e5, NULL},
    COMMON};
static const arg_option random_options[] = {
    {"seed", 0, ARG_INT, "N", "the same one gives the same places", offsetof(place_args, seed), 0, INT32_MAX, NULL},
    {"count", 'n', ARG_INT, "N", "of places", offsetof(place_args, count), 1, NAVD_RANDOM_PLACES, NULL},
    {"areas", 0, ARG_TEXT, "LIST", "only ground of these areas, like 1-5,63 or grass", offsetof(place_args, areas), 0,
     0, NULL},
    {"at", 0, ARG_VEC3, "X,Y,Z", "what --radius and --reachable are about, metres", offsetof(place_args, at), 0, 0,
     NULL},
    {"radius", 0, ARG_DOUBLE, "M", "only within this distance of --at, seen from above", offsetof(place_args, radius_m),
     0, 1e5, NULL},
    {"reachable", 0, ARG_FLAG, NULL, "only what one can get to from --at", offsetof(place_args, reachable), 0, 0, NULL},
    COMMON};
static const arg_option reach_options[] = {FROM, TO("and where it should lead"), COMMON};
#define GROUPS(name)                                                                                                   \
    static const arg_group name##_groups[] = {{"Options", name##_options, ARG_COUNT(name##_options), 0},               \
                                              REMOTE_GROUP(place_args, remote)}
GROUPS(nearest);
GROUPS(raycast);
GROUPS(wall);
GROUPS(random);
GROUPS(reach);
static const arg_positional positionals[] = {
    {"FILE", "tiles (.navd, .bin) or a polygon mesh (.mesh)", false, true, offsetof(place_args, source)}};

static void set_place(navd_place *to, const nav_path_place *place)
{
    to->has_place = true;
    memcpy(to->at, place->at, sizeof to->at);
    to->tile_x = place->cell.tile_x;
    to->tile_z = place->cell.tile_z;
    to->cell = place->cell.cell;
}

static void set_wall(navd_place *to, const nav_path_edge *edge)
{
    to->has_wall = true;
    memcpy(to->wall.from, edge->from, sizeof edge->from);
    memcpy(to->wall.to, edge->to, sizeof edge->to);
    to->wall.normal[0] = edge->normal[0];
    to->wall.normal[2] = edge->normal[1];
}

// What --areas and --exclude mean by a table of areas. False with one line on stderr.
static bool take_areas(question *q, const nav_area_table *t)
{
    char why[512];
    const char *name = "areas", *text = q->a->areas;
    bool ok = area_args_named(text, t, &q->areas, why, sizeof why);
    if (ok) {
        name = "exclude";
        text = q->a->excluded;
        ok = area_args_named(text, t, &q->excluded, why, sizeof why);
    }
    if (!ok) fprintf(stderr, "navctl %s: --%s %s: %s\n", q->command->name, name, text, why);
    return ok;
}

// --- Over a file ---

static nav_place_scope scope_of(const question *q)
{
    return (nav_place_scope){.near_m = q->a->near_m, .excluded = q->excluded};
}

static nav_status nearest_in_file(question *q, nav_path_finder *finder, const nav_path_set *set)
{
    const nav_place_scope scope = scope_of(q);
    nav_path_nearest n;
    (void)finder;
    nav_status s = nav_path_find_nearest(set, q->a->at, &scope, &n);
    if (s != NAV_OK) return s;
    q->place.status = (navd_place_status)n.status;
    q->place.distance_m = n.distance_m;
    if (n.status == NAV_PLACE_FOUND) set_place(&q->place, &n.place);
    return NAV_OK;
}

static nav_status raycast_in_file(question *q, nav_path_finder *finder, const nav_path_set *set)
{
    const nav_place_scope scope = scope_of(q);
    nav_path_ray r;
    nav_status s = nav_path_raycast(finder, set, q->a->from, q->a->to, &scope, &r);
    if (s != NAV_OK) return s;
    q->place.status = (navd_place_status)r.status;
    q->place.distance_m = r.length_m;
    if (r.status != NAV_PLACE_NO_START) set_place(&q->place, &r.end);
    if (r.status == NAV_PLACE_WALL) set_wall(&q->place, &r.wall);
    return NAV_OK;
}

static nav_status wall_in_file(question *q, nav_path_finder *finder, const nav_path_set *set)
{
    const nav_place_scope scope = scope_of(q);
    nav_path_wall w;
    nav_status s = nav_path_find_wall(finder, set, q->a->at, &scope, q->a->limit_m, &w);
    if (s != NAV_OK) return s;
    q->place.status = (navd_place_status)w.status;
    q->place.distance_m = w.distance_m;
    if (w.status != NAV_PLACE_FOUND) return NAV_OK;
    set_place(&q->place, &w.place);
    set_wall(&q->place, &w.edge);
    return NAV_OK;
}

static nav_status reach_in_file(question *q, nav_path_finder *finder, const nav_path_set *set)
{
    nav_place_status got = NAV_PLACE_NONE;
    const nav_place_scope scope = scope_of(q);
    nav_status s = nav_path_reach(finder, set, q->a->from, &scope, &q->a->to, 1, &got);
    q->place.status = (navd_place_status)got;
    return s;
}

static bool has_at(const place_args *a)
{
    return !isnan(a->at[0]);
}

static nav_status random_in_file(question *q, nav_path_finder *finder, const nav_path_set *set)
{
    const place_args *a = q->a;
    nav_path_random_query asked = {.seed = (uint64_t)a->seed,
                                   .count = (uint32_t)a->count,
                                   .areas = q->areas,
                                   .excluded = q->excluded,
                                   .near_m = a->near_m,
                                   .radius_m = a->radius_m,
                                   .reachable = a->reachable};
    nav_path_randoms r;
    if (has_at(a)) memcpy(asked.at, a->at, sizeof asked.at);
    nav_status s = nav_path_random(finder, set, &asked, &r);
    if (s != NAV_OK) return s;
    q->place.status = (navd_place_status)r.status;
    q->point_count = r.count;
    q->points = malloc(((size_t)r.count + 1) * 3 * sizeof *q->points);
    if (!q->points) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < r.count; i++) memcpy(&q->points[3 * (size_t)i], r.points[i].at, sizeof r.points[i].at);
    return NAV_OK;
}

static int ask_file(question *q, const asker *by)
{
    const place_args *a = q->a;
    nav_path_set *set = NULL;
    nav_path_finder *finder = NULL;
    char *end = NULL;
    long profile = a->profile ? strtol(a->profile, &end, 10) : 0;
    if (a->profile && (end == a->profile || *end || profile < 0)) {
        fprintf(stderr, "navctl %s: --profile %s: in a file profiles are numbers from 0\n", q->command->name,
                a->profile);
        return NAVCTL_USAGE;
    }
    store file;
    if (!path_file_read(a->source, (uint32_t)profile, &set, NULL, &file)) return NAVCTL_INPUT;
    bool known = take_areas(q, &file.areas);
    store_deinit(&file);
    if (!known) {
        nav_path_set_destroy(set);
        return NAVCTL_USAGE;
    }
    nav_status s = nav_path_finder_create(&finder);
    if (s == NAV_OK) s = by->file(q, finder, set);
    if (s != NAV_OK) fprintf(stderr, "navctl: %s: %s\n", a->source, nav_status_text(s));
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    return s == NAV_OK ? NAVCTL_OK : NAVCTL_FAILED;
}

// --- In a world ---

static navd_place_options options_of(const question *q)
{
    return (navd_place_options){.near_m = q->a->near_m, .exclude = q->excluded};
}

static navd_status nearest_in_world(question *q, navd_client *c, uint64_t world, const char *profile, navd_places **out)
{
    const navd_place_options options = options_of(q);
    return navd_find_nearest(c, world, profile, &options, &q->a->at, 1, out);
}

static navd_status raycast_in_world(question *q, navd_client *c, uint64_t world, const char *profile, navd_places **out)
{
    const navd_place_options options = options_of(q);
    navd_path_query line;
    memcpy(line.from, q->a->from, sizeof line.from);
    memcpy(line.to, q->a->to, sizeof line.to);
    return navd_cast_rays(c, world, profile, &options, &line, 1, out);
}

static navd_status wall_in_world(question *q, navd_client *c, uint64_t world, const char *profile, navd_places **out)
{
    const navd_place_options options = options_of(q);
    return navd_find_walls(c, world, profile, &options, q->a->limit_m, &q->a->at, 1, out);
}

static navd_status reach_in_world(question *q, navd_client *c, uint64_t world, const char *profile, navd_places **out)
{
    const navd_place_options options = options_of(q);
    return navd_reach_goals(c, world, profile, &options, q->a->from, &q->a->to, 1, out);
}

static void warn_open(uint32_t open_tiles)
{
    if (open_tiles)
        fprintf(stderr, "navctl: %u tiles are still being built; the answer is over what was there before\n",
                open_tiles);
}

static navd_status random_in_world(question *q, navd_client *c, uint64_t world, const char *profile, navd_places **out)
{
    const place_args *a = q->a;
    navd_random_query asked = {.seed = (uint64_t)a->seed,
                               .count = (uint32_t)a->count,
                               .areas = q->areas,
                               .exclude = q->excluded,
                               .has_at = has_at(a),
                               .radius_m = a->radius_m,
                               .reachable = a->reachable,
                               .near_m = a->near_m};
    navd_random_places *drawn;
    *out = NULL;
    if (asked.has_at) memcpy(asked.at, a->at, sizeof asked.at);
    navd_status s = navd_draw_places(c, world, profile, &asked, &drawn);
    if (s != NAVD_OK) return s;
    warn_open(drawn->open_tiles);
    q->place.status = drawn->status;
    q->point_count = drawn->count;
    q->points = malloc(((size_t)drawn->count + 1) * 3 * sizeof *q->points);
    if (q->points) memcpy(q->points, drawn->points, 3 * sizeof *q->points * drawn->count);
    navd_random_places_free(drawn);
    return q->points ? NAVD_OK : NAVD_ERR_MEMORY;
}

static int ask_world(question *q, const asker *by)
{
    navd_client *c = NULL;
    navd_world world = {0};
    navd_places *got = NULL;
    const char *profile = q->a->profile;
    int code = remote_open(&q->a->remote, &c);
    if (code == NAVCTL_OK) code = remote_world(c, q->a->world, &world, &profile);
    nav_area_table areas = {.count = 0};
    if (code == NAVCTL_OK && (area_args_has_name(q->a->areas) || area_args_has_name(q->a->excluded)))
        code = remote_areas(c, q->a->world, world.id, &areas, NULL);
    if (code == NAVCTL_OK && !take_areas(q, &areas)) code = NAVCTL_USAGE;
    if (code == NAVCTL_OK) {
        navd_status s = by->world(q, c, world.id, profile, &got);
        if (s != NAVD_OK) code = remote_failed(c, s, q->a->world);
    }
    if (got) warn_open(got->open_tiles);
    if (got && got->count) q->place = got->places[0];
    navd_places_free(got);
    navd_close(c);
    navd_world_free(&world);
    return code;
}

// --- What is told ---

static void print_json(const question *q, bool random)
{
    const navd_place *p = &q->place;
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "status", navd_place_status_name(p->status));
    if (p->has_place) {
        json_number(&w, "distance_m", p->distance_m);
        json_vec(&w, "at", p->at, 3);
        json_int(&w, "tile_x", p->tile_x);
        json_int(&w, "tile_z", p->tile_z);
        json_int(&w, "cell", p->cell);
    }
    if (p->has_wall) {
        json_open(&w, "wall", '{');
        json_vec(&w, "from", p->wall.from, 3);
        json_vec(&w, "to", p->wall.to, 3);
        json_vec(&w, "normal", p->wall.normal, 3);
        json_close(&w, '}');
    }
    if (random) {
        json_open(&w, "points", '[');
        for (uint32_t i = 0; i < q->point_count; i++) json_vec(&w, NULL, &q->points[3 * (size_t)i], 3);
        json_close(&w, ']');
    }
    json_close(&w, '}');
    json_end_line(&w);
}

static void print_text(const question *q, bool random)
{
    const navd_place *p = &q->place;
    if (random && p->status == NAVD_PLACE_FOUND) {
        for (const float *at = q->points; at < q->points + 3 * (size_t)q->point_count; at += 3)
            printf("%.9g %.9g %.9g\n", (double)at[0], (double)at[1], (double)at[2]);
        return;
    }
    printf("%s", navd_place_status_name(p->status));
    if (p->has_place)
        printf(" %.9g  %.9g %.9g %.9g  %d %d %u", p->distance_m, (double)p->at[0], (double)p->at[1], (double)p->at[2],
               p->tile_x, p->tile_z, p->cell);
    if (p->has_wall)
        printf("  %.9g %.9g %.9g", (double)p->wall.normal[0], (double)p->wall.normal[1], (double)p->wall.normal[2]);
    putchar('\n');
}

static bool has_option(const arg_command *self, const char *name)
{
    for (int i = 0; i < self->groups[0].count; i++)
        if (!strcmp(self->groups[0].options[i].name, name)) return true;
    return false;
}

static int refuse(const arg_command *self, const char *words)
{
    fprintf(stderr, "navctl %s: %s (see navctl %s --help)\n", self->name, words, self->name);
    return NAVCTL_USAGE;
}

static int ask(const arg_command *self, int argc, char **argv, const asker *by, bool random)
{
    place_args a = {.at = {NAN},
                    .from = {NAN},
                    .to = {NAN},
                    .near_m = NAVD_PATH_NEAR_M,
                    .limit_m = NAVD_WALL_LIMIT_M,
                    .count = 1,
                    .remote = REMOTE_DEFAULTS};
    question q = {.a = &a, .command = self};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.source == !a.world) return refuse(self, "needs either FILE or --world NAME");
    if (has_option(self, "from") && (isnan(a.from[0]) || isnan(a.to[0]))) return refuse(self, "needs --from and --to");
    bool needs_at = random ? a.radius_m > 0 || a.reachable : has_option(self, "at");
    if (needs_at && !has_at(&a)) return refuse(self, random ? "--radius and --reachable need --at" : "needs --at");
    int code = a.world ? ask_world(&q, by) : ask_file(&q, by);
    if (code == NAVCTL_OK && a.json) print_json(&q, random);
    if (code == NAVCTL_OK && !a.json) print_text(&q, random);
    free(q.points);
    return code;
}

#define COMMAND(name_, summary_, details_)                                                                             \
    static int run_##name_(const arg_command *self, int argc, char **argv)                                             \
    {                                                                                                                  \
        static const asker asks = {name_##_in_file, name_##_in_world};                                                 \
        return ask(self, argc, argv, &asks, name_##_in_file == random_in_file);                                        \
    }                                                                                                                  \
    const arg_command path_##name_##_command = {.name = "path " #name_,                                                \
                                                .summary = summary_,                                                   \
                                                .details = details_,                                                   \
                                                .positionals = positionals,                                            \
                                                .positional_count = ARG_COUNT(positionals),                            \
                                                .groups = name_##_groups,                                              \
                                                .group_count = ARG_COUNT(name_##_groups),                              \
                                                .run = run_##name_}

COMMAND(nearest, "Find the nearest ground",
        "The answer: found or none; the distance in space; x y z; the tile's x and z, and the cell.\n");
COMMAND(raycast, "Walk straight until there is a wall",
        "The answer: found (it gets there), wall or no_start; the length seen from above; x y z of its end; the\n"
        "tile's x and z, and the cell; at a wall x y z of its normal.\n");
COMMAND(wall, "Find the nearest wall",
        "The answer: found, none or no_start; the distance seen from above; x y z of the point on the wall; the\n"
        "tile's x and z, and the cell; x y z of the wall's normal.\n");
COMMAND(random, "Draw places at random, uniform by area",
        "Each place is a line: x y z. Without any: none, or no_start where there is no ground near --at.\n");
COMMAND(reach, "Tell whether a place can be reached",
        "The answer: found (it can), none (no way leads there), no_start or no_goal. It takes no search, but\n"
        "with --exclude.\n");
