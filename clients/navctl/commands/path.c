// navctl path: the shortest paths, over stored tiles or in a daemon's world.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/commands/path_climb.h"
#include "clients/navctl/commands/path_watch.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/paths/landmarks.h"
#include "clients/navctl/paths/path_drawing.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/tile_files/path_file.h"
#include "navcore/path_places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct path_args {
    const char *source, *world, *profile, *pairs, *out, *picture, *excluded, *prices;
    double from[3], to[3], near_m, radius_m;
    int32_t reps, count, size, landmarks;
    double gap;
    bool json, watch, detour, links, area_costs;
    bool told;            // the answers, already
    nav_path_costs costs; // of --exclude and --cost
    uint64_t priced;      // areas of --cost
    picture_values view;
    remote_values remote;
} path_args;

static const arg_option path_options[] = {
    {"from", 0, ARG_VEC3, "X,Y,Z", "where a path begins, metres", offsetof(path_args, from), 0, 0, NULL},
    {"to", 0, ARG_VEC3, "X,Y,Z", "and where it ends", offsetof(path_args, to), 0, 0, NULL},
    {"pairs", 0, ARG_FILE, "FILE", "many at once: a line each, AX AY AZ BX BY BZ, or a scenario",
     offsetof(path_args, pairs), 0, 0, NULL},
    {"near", 0, ARG_DOUBLE, "M", "how far an end may be from ground", offsetof(path_args, near_m), 0, 1000, NULL},
    {"radius", 0, ARG_DOUBLE, "M", "of an agent that is wider than the tiles were built for",
     offsetof(path_args, radius_m), 0, 100, NULL},
    {"output", 'o', ARG_FILE, "FILE", "write the answers: STATUS LENGTH SURFACE_LENGTH POINTS..., a line each",
     offsetof(path_args, out), 0, 0, NULL},
    {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of FILE", offsetof(path_args, world), 0, 0,
     NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile: its name in a world, its number in a file",
     offsetof(path_args, profile), 0, 0, NULL},
    {"reps", 0, ARG_INT, "N", "ask so often, and take the least time of each", offsetof(path_args, reps), 1, 1000,
     NULL},
    {"picture", 0, ARG_FILE, "PICTURE", "draw the paths on the mesh: NAME.png or NAME.svg",
     offsetof(path_args, picture), 0, 0, NULL},
    {"detour", 0, ARG_FLAG, NULL, "draw Detour's paths beside them", offsetof(path_args, detour), 0, 0, NULL},
    {"size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(path_args, size), 64, 16384, NULL},
    {"exclude", 0, ARG_TEXT, "AREAS", "walls to the paths, like 5 or 5,7-9 or water", offsetof(path_args, excluded), 0,
     0, NULL},
    {"cost", 0, ARG_TEXT, "AREA=COST", "what a metre costs, like 7=2 or 7=2,8=0.5", offsetof(path_args, prices), 0, 0,
     NULL},
    {"area-costs", 0, ARG_FLAG, NULL, "other areas cost what the table of areas says, of the world or the file",
     offsetof(path_args, area_costs), 0, 0, NULL},
    {"gap", 0, ARG_DOUBLE, "SHARE", "where costs differ: how far above its bound a path may be, as a share of its cost",
     offsetof(path_args, gap), 0, 1, NULL},
    {"links", 0, ARG_FLAG, NULL, "take off-mesh links where that is shorter", offsetof(path_args, links), 0, 0, NULL},
    {"landmarks", 0, ARG_INT, "N",
     "of a file: distances from so many places, found before the first pair; 0: none; default: once they pay",
     offsetof(path_args, landmarks), 0, NAV_PATH_MAX_LANDMARKS, NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON with totals and times", offsetof(path_args, json), 0, 0, NULL},
    {"watch", 0, ARG_FLAG, NULL, "of a world: stay, and print a path again when it changes", offsetof(path_args, watch),
     0, 0, NULL},
    {"count", 'n', ARG_INT, "N", "with --watch: end after so many lines of paths; 0: no limit",
     offsetof(path_args, count), 0, INT32_MAX, NULL},
};
static const arg_group groups[] = {{"Options", path_options, ARG_COUNT(path_options), 0},
                                   PICTURE_GROUP(path_args, view),
                                   REMOTE_GROUP(path_args, remote)};
static const arg_positional positionals[] = {
    {"FILE", "tiles (.navd, .bin) or a polygon mesh (.mesh)", false, true, offsetof(path_args, source)}};

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static const double POINT_M = 1e-3;
static const double FLOOR_M = 0.1; // of two heights that are the same place

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

// --- Over a file ---

// Numbers of areas with a cost behind each, and commas between them.
static bool read_prices(const char *text, float cost[NAV_AREA_COUNT], uint64_t *areas)
{
    for (char *end; text && *text; text = *end ? end + 1 : end) {
        unsigned long area = strtoul(text, &end, 10);
        if (end == text || area >= NAV_AREA_COUNT || *end != '=') return false;
        text = end + 1;
        cost[area] = strtof(text, &end);
        if (end == text) return false;
        *areas |= UINT64_C(1) << area;
        if (*end && *end != ',') return false;
    }
    return true;
}

static bool read_costs(path_args *a)
{
    char why[128] = "expected areas from 0 to 63 and what they cost, as in --cost 7=2,8=0.5";
    nav_path_costs_default(&a->costs);
    if (read_prices(a->prices, a->costs.cost, &a->priced) && nav_path_costs_check(&a->costs, why, sizeof why) == NAV_OK)
        return true;
    fprintf(stderr, "navctl path: --cost %s: %s (see navctl path --help)\n", a->prices, why);
    return false;
}

// What --exclude means by a table of areas. False with one line on stderr.
static bool read_excluded(path_args *a, const nav_area_table *areas)
{
    char why[512];
    if (area_args_named(a->excluded, areas, &a->costs.excluded, why, sizeof why)) return true;
    fprintf(stderr, "navctl path: --exclude %s: %s\n", a->excluded, why);
    return false;
}

// What a file's table of areas says, but for --exclude and --cost.
static nav_path_costs costs_of_file(const path_args *a, const nav_area_table *areas)
{
    nav_path_costs costs;
    nav_path_costs_of_table(a->area_costs ? areas : NULL, &costs);
    costs.excluded = a->costs.excluded;
    for (int i = 0; i < NAV_AREA_COUNT; i++)
        if (a->priced >> i & 1) costs.cost[i] = a->costs.cost[i];
    return costs;
}

// Is there a wall on the straight line between the ends of a path?
static nav_status look_straight(nav_path_finder *finder, const path_args *a, const nav_path_set *set, path_pair *p)
{
    double to[3];
    nav_path_ray ray;
    if (p->path.status != NAVD_PATH_FOUND) return NAV_OK;
    const float *end = &p->path.points[3 * (p->path.point_count - 1)];
    for (int k = 0; k < 3; k++) to[k] = (double)end[k];
    bool on_ground = hypot(to[0] - p->query.to[0], to[2] - p->query.to[2]) < POINT_M; // but for rounding
    for (int k = 0; k < 3 && on_ground; k += 2) to[k] = p->query.to[k];
    nav_status s = nav_path_raycast(finder, set, p->query.from, to,
                                    &(nav_place_scope){.near_m = a->near_m, .excluded = a->costs.excluded}, &ray);
    if (s == NAV_OK && ray.status == NAV_PLACE_FOUND && fabs((double)ray.end.at[1] - to[1]) < FLOOR_M)
        p->straight_m = ray.length_m;
    return s;
}

// As an answer of the daemon would have it. False: no memory.
static bool keep(path_pair *to, const nav_path *p)
{
    static const navd_path_limit limits[] = {[NAV_PATH_NO_LIMIT] = NAVD_PATH_NO_LIMIT,
                                             [NAV_PATH_OUT_OF_NODES] = NAVD_PATH_LIMIT_NODES,
                                             [NAV_PATH_STOPPED] = NAVD_PATH_LIMIT_TIME};
    navd_path_link *links = malloc(((size_t)p->jump_count + 1) * sizeof *links);
    for (uint32_t i = 0; links && i < p->jump_count; i++) {
        const nav_path_jump *j = &p->jumps[i];
        links[i] = (navd_path_link){j->point, j->link, j->area, j->back};
    }
    const navd_path path = {.status = (navd_path_status)p->status,
                            .length_m = p->length_m,
                            .surface_m = p->surface_m,
                            .points = p->points,
                            .point_count = p->point_count,
                            .cost = p->cost,
                            .lower_bound = p->lower_bound,
                            .optimal = p->optimal,
                            .limit = limits[p->limit],
                            .link_count = p->jump_count,
                            .links = links};
    bool ok = links && path_pair_keep(to, &path);
    free(links);
    return ok;
}

static int not_asked(const path_args *a, uint32_t pair, nav_status s)
{
    if (s != NAV_ERR_LIMIT || !(a->radius_m > 0)) {
        fprintf(stderr, "navctl: %s: pair %u: %s\n", a->source, pair + 1, nav_status_text(s));
        return NAVCTL_FAILED;
    }
    fprintf(stderr,
            "navctl path: --radius %g: more than %d columns above the radius that the tiles were built for; give a "
            "smaller one, or build tiles for it\n",
            a->radius_m, NAV_PATH_MAX_WIDER);
    return NAVCTL_USAGE;
}

static int find_all(const path_args *a, const nav_path_costs *costs, nav_path_set *set, nav_path_finder *finder,
                    path_pairs *l)
{
    uint64_t spent = 0, price = landmarks_price(set);
    bool may_help = a->landmarks < 0 && !a->links && !(a->radius_m > 0) && !a->priced && !a->area_costs;
    nav_status s = a->landmarks > 0 ? landmarks_make(set, (uint32_t)a->landmarks) : NAV_OK;
    if (s != NAV_OK) return no_memory();
    int32_t rounds = a->reps;
    for (int32_t r = 0; r < rounds; r++)
        for (uint32_t i = 0; i < l->count; i++) {
            path_pair *p = &l->items[i];
            nav_path_query q = {
                .near_m = a->near_m, .radius_m = a->radius_m, .costs = costs, .gap = a->gap, .links = a->links};
            nav_path path;
            memcpy(q.from, p->query.from, sizeof q.from);
            memcpy(q.to, p->query.to, sizeof q.to);
            double begin = now_us();
            s = nav_path_find(finder, set, &q, &path);
            p->us = fmin(p->us, now_us() - begin);
            spent += nav_path_landmarks_may_save(path.nodes);
            if (s == NAV_OK && may_help && spent > price) {
                may_help = false;
                if (landmarks_make(set, nav_path_landmarks_worth(set)) != NAV_OK) return no_memory();
                if (a->json && r + 1 == rounds) rounds++; // those before are timed with them, too
            }
            if (s == NAV_OK && r == 0) {
                if (!keep(p, &path)) return no_memory();
                s = look_straight(finder, a, set, p);
            }
            if (s != NAV_OK) return not_asked(a, i, s);
        }
    l->has_straight = true;
    return NAVCTL_OK;
}

// Over walls and ceilings.
static int climb(path_args *a, const nav_path_costs *costs, const nav_climb_set *set, const path_pairs *l)
{
    const path_climb wanted = {a->source, a->out, a->near_m, a->reps, a->json, costs};
    const char *option = a->picture         ? "--picture"
                         : a->links         ? "--links"
                         : a->radius_m > 0  ? "--radius"
                         : a->landmarks > 0 ? "--landmarks"
                                            : NULL;
    if (option) {
        fprintf(stderr, "navctl path: %s has walls or ceilings, over which there is no %s\n", a->source, option);
        return NAVCTL_USAGE;
    }
    a->told = true;
    return path_climb_run(&wanted, set, l);
}

static int from_file(path_args *a, path_pairs *l)
{
    nav_path_set *set = NULL;
    nav_climb_set *climb_set = NULL;
    nav_path_finder *finder = NULL;
    store file;
    char *end = NULL;
    long profile = a->profile ? strtol(a->profile, &end, 10) : 0;
    if (a->profile && (end == a->profile || *end || profile < 0)) {
        fprintf(stderr, "navctl path: --profile %s: in a file profiles are numbers from 0\n", a->profile);
        return NAVCTL_USAGE;
    }
    if (!path_file_read(a->source, (uint32_t)profile, &set, &climb_set, &file)) return NAVCTL_INPUT;
    int code = read_excluded(a, &file.areas) ? NAVCTL_OK : NAVCTL_USAGE;
    const nav_path_costs costs = costs_of_file(a, &file.areas);
    store_deinit(&file);
    if (code == NAVCTL_OK && climb_set)
        code = climb(a, &costs, climb_set, l);
    else if (code == NAVCTL_OK)
        code = nav_path_finder_create(&finder) == NAV_OK ? find_all(a, &costs, set, finder, l) : no_memory();
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    nav_climb_set_destroy(climb_set);
    return code;
}

// --- In a world ---

// As a call takes them: the costs go into `costs`.
static int ask_options(path_args *a, navd_client *c, uint64_t world, navd_area_cost costs[NAV_AREA_COUNT],
                       navd_path_options *out)
{
    nav_area_table areas = {.count = 0};
    int code = area_args_has_name(a->excluded) ? remote_areas(c, a->world, world, &areas, NULL) : NAVCTL_OK;
    if (code == NAVCTL_OK && !read_excluded(a, &areas)) code = NAVCTL_USAGE;
    *out = (navd_path_options){.near_m = a->near_m,
                               .radius_m = a->radius_m,
                               .exclude = a->costs.excluded,
                               .links = a->links,
                               .world_costs = a->area_costs,
                               .costs = costs,
                               .gap = a->gap};
    for (int i = 0; i < NAV_AREA_COUNT; i++)
        if (a->priced >> i & 1) costs[out->cost_count++] = (navd_area_cost){(uint8_t)i, a->costs.cost[i]};
    return code;
}

static int from_world(path_args *a, path_pairs *l)
{
    navd_client *c = NULL;
    navd_world world = {0};
    const char *profile = a->profile;
    navd_area_cost costs[NAV_AREA_COUNT];
    navd_path_options options;
    int code = remote_open(&a->remote, &c);
    if (code == NAVCTL_OK) code = remote_world(c, a->world, &world, &profile);
    if (code == NAVCTL_OK) code = ask_options(a, c, world.id, costs, &options);
    if (code == NAVCTL_OK && a->watch) code = path_watch(c, a->world, world.id, profile, &options, l, a->count);
    if (a->watch) goto done;
    for (int32_t r = 0; r < a->reps; r++)
        for (uint32_t first = 0; first < l->count && code == NAVCTL_OK; first += NAVD_PATH_QUERIES) {
            uint32_t count = l->count - first < NAVD_PATH_QUERIES ? l->count - first : NAVD_PATH_QUERIES;
            navd_path_query queries[NAVD_PATH_QUERIES];
            navd_paths *found;
            for (uint32_t i = 0; i < count; i++) queries[i] = l->items[first + i].query;
            double begin = now_us();
            navd_status s = navd_find_paths_with(c, world.id, profile, &options, queries, count, &found);
            double us = (now_us() - begin) / count;
            if (s != NAVD_OK) code = remote_failed(c, s, a->world);
            if (s == NAVD_OK && found->open_tiles && !first && !r)
                fprintf(stderr, "navctl: %u tiles are still being built; paths are over what was there before\n",
                        found->open_tiles);
            for (uint32_t i = 0; s == NAVD_OK && code == NAVCTL_OK && i < found->count && i < count; i++) {
                path_pair *to = &l->items[first + i];
                to->us = fmin(to->us, us);
                if (!path_pair_keep(to, &found->paths[i])) code = no_memory();
            }
            navd_paths_free(found);
        }
done:
    navd_close(c);
    navd_world_free(&world);
    return code;
}

// --- What is told ---

// Where what is least is the cost, and where a search was given up, a second line says so.
static void write_answer(FILE *out, const path_args *a, const path_pair *pair)
{
    const navd_path *p = &pair->path;
    fprintf(out, "%s %.9g %.9g", navd_path_status_name(p->status), p->length_m, p->surface_m);
    for (uint32_t k = 0; k < 3 * p->point_count; k++) fprintf(out, " %.9g", (double)p->points[k]);
    fputc('\n', out);
    bool costs = a->priced || a->area_costs || a->links;
    if (!costs && p->limit == NAVD_PATH_NO_LIMIT) return;
    fprintf(out, "# cost %.9g bound %.9g", p->cost, p->lower_bound);
    if (p->optimal) fputs(" optimal", out);
    if (p->limit != NAVD_PATH_NO_LIMIT) fprintf(out, " limit %s", navd_path_limit_name(p->limit));
    for (uint32_t i = 0; i < p->link_count; i++)
        fprintf(out, " link %u%s at %u", p->links[i].link, p->links[i].back ? " back" : "", p->links[i].point);
    fputc('\n', out);
}

static int tell(const path_args *a, const path_pairs *l)
{
    output o = {0};
    path_totals t;
    if (!path_pairs_sum(l, &t)) return no_memory();
    if (a->out && !output_open(&o, a->out)) return NAVCTL_FAILED;
    for (uint32_t i = 0; (a->out || !a->json) && i < l->count; i++)
        write_answer(a->out ? o.file : stdout, a, &l->items[i]);
    if (a->out && !output_commit(&o)) return NAVCTL_FAILED;
    if (a->json) path_pairs_print_json(l, &t, stdout);
    if (a->out && !a->json)
        printf("%s: %u of %u paths found, %u more lead part of the way\n", a->out, t.found, l->count, t.partial);
    return NAVCTL_OK;
}

static int draw(const path_args *a, const path_pairs *l)
{
    path_ground ground = {.name = NULL};
    path_drawing drawing = {.count = 0};
    detour_paths *detour = NULL;
    char title[512];
    const path_ground_wanted wanted = {a->profile, .tiles = true, .detour = a->detour};
    int code = a->world ? path_ground_read_world(&ground, a->world, &wanted, &a->remote)
                        : path_ground_read_file(&ground, a->source, &wanted);
    if (code == NAVCTL_OK && a->detour && !(detour = detour_paths_create(ground.name, ground.detour)))
        code = NAVCTL_INPUT;
    for (uint32_t i = 0; i < l->count && code == NAVCTL_OK; i++) {
        const path_pair *p = &l->items[i];
        if (!path_drawing_add(&drawing, p->path.points, p->path.point_count, l->count > 1 ? (int)i + 1 : 0) ||
            (detour && !path_drawing_add_detour(&drawing, detour, p->query.from, p->query.to, a->near_m)))
            code = no_memory();
    }
    if (code == NAVCTL_OK) {
        const char *slash = strrchr(ground.name, '/');
        snprintf(title, sizeof title, "%s: %u path%s", slash ? slash + 1 : ground.name, l->count,
                 l->count == 1 ? "" : "s");
        if (!path_drawing_write(&drawing, &ground, a->picture, title, a->size, &a->view)) code = NAVCTL_FAILED;
    }
    detour_paths_destroy(detour);
    path_drawing_deinit(&drawing);
    path_ground_deinit(&ground);
    return code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    path_args a = {.from = {NAN},
                   .to = {NAN},
                   .near_m = NAVD_PATH_NEAR_M,
                   .reps = 1,
                   .size = 1600,
                   .landmarks = -1,
                   .gap = 0.01,
                   .remote = REMOTE_DEFAULTS};
    path_pairs l = {0};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    bool one = !isnan(a.from[0]) && !isnan(a.to[0]);
    if (!a.source == !a.world) {
        fprintf(stderr, "navctl path: needs either FILE or --world NAME (see navctl path --help)\n");
        return NAVCTL_USAGE;
    }
    if (!a.pairs == !one || isnan(a.from[0]) != isnan(a.to[0])) {
        fprintf(stderr, "navctl path: needs either --from and --to, or --pairs (see navctl path --help)\n");
        return NAVCTL_USAGE;
    }
    bool costs = a.prices || a.area_costs || a.links;
    if (a.watch && (!a.world || a.out || a.json || a.picture)) {
        fprintf(stderr, "navctl path: --watch is of a --world, and prints to the terminal\n");
        return NAVCTL_USAGE;
    }
    if (a.picture && !page_name_ok(a.picture)) {
        fprintf(stderr, "navctl path: --picture %s: expected a name that ends in .png or .svg\n", a.picture);
        return NAVCTL_USAGE;
    }
    if (a.detour && !a.picture) {
        fprintf(stderr, "navctl path: --detour needs --picture PICTURE to draw on\n");
        return NAVCTL_USAGE;
    }
    if (!picture_values_check(&a.view, self->name)) return NAVCTL_USAGE;
    if (a.world && a.landmarks >= 0) {
        fprintf(stderr, "navctl path: --landmarks needs a FILE\n");
        return NAVCTL_USAGE;
    }
    if (a.radius_m > 0 && costs) {
        fprintf(stderr, "navctl path: --radius goes with --exclude, not with --cost, --area-costs or --links\n");
        return NAVCTL_USAGE;
    }
    if (!read_costs(&a)) return NAVCTL_USAGE;
    if ((a.out && !output_is_possible(a.out)) || (a.picture && !output_is_possible(a.picture))) return NAVCTL_FAILED;
    const double v[7] = {a.from[0], a.from[1], a.from[2], a.to[0], a.to[1], a.to[2], -1};
    int code = a.pairs ? path_pairs_read(&l, a.pairs) : path_pairs_add(&l, v) ? NAVCTL_OK : no_memory();
    a.remote.keep_connected = a.watch;
    if (code == NAVCTL_OK) code = a.world ? from_world(&a, &l) : from_file(&a, &l);
    if (code == NAVCTL_OK && !a.watch && !a.told) code = tell(&a, &l);
    if (code == NAVCTL_OK && a.picture) code = draw(&a, &l);
    path_pairs_deinit(&l);
    return code;
}

const arg_command path_command = {
    .name = "path",
    .summary = "Find the shortest paths over stored tiles or in a world",
    .details =
        "Shortest is the length seen from above. Each answer is a line: found, partial (as near to the goal as one\n"
        "can get), no_start, no_goal or limit; the length; the length along the ground; x y z of each point.\n"
        "FILE holds navd's tiles, Detour's, or a polygon mesh as the literature on any-angle paths has them (text:\n"
        "mesh, 2, ...; its y is z). --pairs also reads the scenarios of the grid benchmarks.\n"
        "--watch prints each path behind its number, from 1, and again when an edit changes it, until Ctrl-C; \"true "
        "up\n"
        "to revision N\" says that none is missing. A lost connection is made again.\n"
        "With --cost, --area-costs or --links what is least is the cost. Then, and where a search was given up, a "
        "line\n"
        "follows each answer: # cost C bound B, where no path costs less than B; optimal, where that is proved to be "
        "C;\n"
        "limit NAME, what ended the search; link ID at POINT (counted from 0) for each link that is taken.\n"
        "--json tells, of a FILE, how many pairs have no wall on the straight line between them (open), how many of\n"
        "those have a path more than 0.1 % longer (crooked), and the worst.\n"
        "Over a .navd file of several sheets (navctl build --sheets) paths lead over walls and ceilings, and shortest "
        "is\n"
        "the length over the surface. A line is then: found, ...; the length; the cost; x y z of each point, the "
        "normal\n"
        "of the surface there (three numbers), and its sheet. --json also tells how many times as long as the given\n"
        "lengths paths are, and how many parts of the surface are joined to no other.\n"
        "A number behind a pair is taken as the length of another's path: --json counts those that navd's is\n"
        "longer than.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
