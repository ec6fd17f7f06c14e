// navctl path: the shortest paths, over stored tiles or in a daemon's world.
#include "navcore/path.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/tile_files/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct path_args {
    const char *source, *world, *profile, *pairs, *out;
    double from[3], to[3], near_m;
    int32_t reps;
    bool json;
    remote_values remote;
} path_args;

static const arg_option path_options[] = {
    {"from", 0, ARG_VEC3, "X,Y,Z", "where a path begins, metres", offsetof(path_args, from), 0, 0, NULL},
    {"to", 0, ARG_VEC3, "X,Y,Z", "and where it ends", offsetof(path_args, to), 0, 0, NULL},
    {"pairs", 0, ARG_FILE, "FILE", "many at once: a line each, AX AY AZ BX BY BZ", offsetof(path_args, pairs), 0, 0,
     NULL},
    {"near", 0, ARG_DOUBLE, "M", "how far an end may be from ground", offsetof(path_args, near_m), 0, 1000, NULL},
    {"output", 'o', ARG_FILE, "FILE", "write the answers: STATUS LENGTH SURFACE_LENGTH POINTS..., a line each",
     offsetof(path_args, out), 0, 0, NULL},
    {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of FILE", offsetof(path_args, world), 0, 0,
     NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile: its name in a world, its number in a file",
     offsetof(path_args, profile), 0, 0, NULL},
    {"reps", 0, ARG_INT, "N", "ask so often, and take the least time of each", offsetof(path_args, reps), 1, 1000,
     NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON with totals and times", offsetof(path_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", path_options, ARG_COUNT(path_options), 0},
                                   REMOTE_GROUP(path_args, remote)};
static const arg_positional positionals[] = {{"FILE", "navd tiles (.navd)", false, true, offsetof(path_args, source)}};

// A pair, and its answer.
typedef struct pair {
    navd_path_query query;
    double given_m; // what the file says behind it: how long somebody else's path is; below 0: nothing
    navd_path_status status;
    double length_m, surface_m, us;
    float *points; // owned
    uint32_t point_count;
} pair;

typedef struct pair_list {
    pair *items;
    uint32_t count, room;
} pair_list;

static void free_pairs(pair_list *l)
{
    for (uint32_t i = 0; i < l->count; i++) free(l->items[i].points);
    free(l->items);
}

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static bool add_pair(pair_list *l, const double v[7])
{
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 256;
        pair *grown = realloc(l->items, room * sizeof *grown);
        if (!grown) return false;
        l->items = grown;
        l->room = room;
    }
    l->items[l->count++] = (pair){.query = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}, .given_m = v[6], .us = INFINITY};
    return true;
}

// Empty lines and those that begin with # say nothing.
static int read_pairs(const char *path, pair_list *out)
{
    char line[1024];
    unsigned number = 0;
    int code = NAVCTL_OK;
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "navctl: %s: cannot be read\n", path);
        return NAVCTL_INPUT;
    }
    while (code == NAVCTL_OK && fgets(line, sizeof line, f)) {
        double v[7] = {0, 0, 0, 0, 0, 0, -1};
        const char *at = line + strspn(line, " \t\r\n");
        number++;
        if (!*at || *at == '#') continue;
        int got = sscanf(at, "%lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]);
        bool good = got >= 6;
        for (int k = 0; k < 7; k++) good &= isfinite(v[k]) != 0;
        if (!good) {
            fprintf(stderr, "navctl: %s:%u: expected six numbers, AX AY AZ BX BY BZ\n", path, number);
            code = NAVCTL_INPUT;
        } else if (!add_pair(out, v)) {
            code = no_memory();
        }
    }
    fclose(f);
    return code;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool keep(pair *p, navd_path_status status, const double lengths[2], const float *points, uint32_t count)
{
    float *copy = count ? malloc(count * 3 * sizeof *copy) : NULL;
    if (count && !copy) return false;
    if (count) memcpy(copy, points, count * 3 * sizeof *copy);
    free(p->points);
    p->points = copy;
    p->point_count = count;
    p->status = status;
    p->length_m = lengths[0];
    p->surface_m = lengths[1];
    return true;
}

// --- Over a file ---

static int find_all(const path_args *a, const nav_path_set *set, nav_path_finder *finder, pair_list *l)
{
    for (int32_t r = 0; r < a->reps; r++)
        for (uint32_t i = 0; i < l->count; i++) {
            pair *p = &l->items[i];
            nav_path_query q = {.near_m = a->near_m};
            nav_path path;
            memcpy(q.from, p->query.from, sizeof q.from);
            memcpy(q.to, p->query.to, sizeof q.to);
            double begin = now_us();
            nav_status s = nav_path_find(finder, set, &q, &path);
            p->us = fmin(p->us, now_us() - begin);
            if (s != NAV_OK) {
                fprintf(stderr, "navctl: %s: pair %u: %s\n", a->source, i + 1, nav_status_text(s));
                return NAVCTL_FAILED;
            }
            if (!keep(p, (navd_path_status)path.status, (double[]){path.length_m, path.surface_m}, path.points,
                      path.point_count))
                return no_memory();
        }
    return NAVCTL_OK;
}

static int from_file(const path_args *a, pair_list *l)
{
    store s;
    nav_path_set *set = NULL;
    nav_path_finder *finder = NULL;
    char why[256] = "", *end = NULL;
    long profile = a->profile ? strtol(a->profile, &end, 10) : 0;
    if (a->profile && (end == a->profile || *end || profile < 0)) {
        fprintf(stderr, "navctl path: --profile %s: in a file profiles are numbers from 0\n", a->profile);
        return NAVCTL_USAGE;
    }
    if (!store_read(a->source, &s)) return NAVCTL_INPUT;
    int code = NAVCTL_INPUT;
    if (s.encoding == GENERATE_DETOUR) {
        fprintf(stderr, "navctl: %s: holds Detour tiles; paths are found over navd tiles (.navd)\n", a->source);
        goto done;
    }
    nav_status st = nav_path_set_create(&set);
    for (uint32_t i = 0; i < s.tile_count && st == NAV_OK; i++)
        if (s.tiles[i].profile == (uint32_t)profile)
            st = nav_path_set_put(set, s.tiles[i].bytes, s.tiles[i].size, why, sizeof why);
    if (st == NAV_OK) st = nav_path_set_join(set);
    if (st == NAV_OK) st = nav_path_finder_create(&finder);
    if (st == NAV_OK)
        code = find_all(a, set, finder, l);
    else
        fprintf(stderr, "navctl: %s: %s\n", a->source, why[0] ? why : nav_status_text(st));
done:
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    store_deinit(&s);
    return code;
}

// --- In a world ---

static int from_world(const path_args *a, pair_list *l)
{
    navd_client *c = NULL;
    navd_world world = {0};
    const char *profile = a->profile;
    int code = remote_open(&a->remote, &c);
    if (code == NAVCTL_OK) code = remote_world(c, a->world, &world, &profile);
    for (int32_t r = 0; r < a->reps; r++)
        for (uint32_t first = 0; first < l->count && code == NAVCTL_OK; first += NAVD_PATH_QUERIES) {
            uint32_t count = l->count - first < NAVD_PATH_QUERIES ? l->count - first : NAVD_PATH_QUERIES;
            navd_path_query queries[NAVD_PATH_QUERIES];
            navd_paths *found;
            for (uint32_t i = 0; i < count; i++) queries[i] = l->items[first + i].query;
            double begin = now_us();
            navd_status s = navd_find_paths(c, world.id, profile, a->near_m, queries, count, &found);
            double us = (now_us() - begin) / count;
            if (s != NAVD_OK) code = remote_failed(c, s, a->world);
            if (s == NAVD_OK && found->open_tiles && !first && !r)
                fprintf(stderr, "navctl: %u tiles are still being built; paths are over what was there before\n",
                        found->open_tiles);
            for (uint32_t i = 0; s == NAVD_OK && code == NAVCTL_OK && i < found->count && i < count; i++) {
                const navd_path *p = &found->paths[i];
                pair *to = &l->items[first + i];
                to->us = fmin(to->us, us);
                if (!keep(to, p->status, (double[]){p->length_m, p->surface_m}, p->points, p->point_count))
                    code = no_memory();
            }
            navd_paths_free(found);
        }
    navd_close(c);
    navd_world_free(&world);
    return code;
}

// --- What is told ---

static void write_answer(FILE *out, const pair *p)
{
    fprintf(out, "%s %.9g %.9g", navd_path_status_name(p->status), p->length_m, p->surface_m);
    for (uint32_t k = 0; k < 3 * p->point_count; k++) fprintf(out, " %.9g", (double)p->points[k]);
    fputc('\n', out);
}

static int compare_times(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

typedef struct totals {
    uint32_t found, partial, given, longer;
    double length_m, given_m, mean_us, p50_us, p99_us;
} totals;

enum { TENTHS_OF_MM = 20 }; // by which a path may seem longer than another's: ends are on a grid, lengths are floats

static bool sum_up(const pair_list *l, totals *t)
{
    double *us = malloc(((size_t)l->count + 1) * sizeof *us);
    *t = (totals){0};
    if (!us) return false;
    for (uint32_t i = 0; i < l->count; i++) {
        const pair *p = &l->items[i];
        us[i] = p->us;
        t->mean_us += p->us / l->count;
        t->partial += p->status == NAVD_PATH_PARTIAL;
        if (p->status != NAVD_PATH_FOUND) continue;
        t->found++;
        t->length_m += p->length_m;
        if (p->given_m < 0) continue;
        t->given++;
        t->given_m += p->given_m;
        t->longer += p->length_m > p->given_m + TENTHS_OF_MM * 1e-4;
    }
    qsort(us, l->count, sizeof *us, compare_times);
    if (l->count) {
        t->p50_us = us[(l->count - 1) / 2];
        t->p99_us = us[(size_t)(0.99 * (l->count - 1))];
    }
    free(us);
    return true;
}

static void print_json(const pair_list *l, const totals *t)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_int(&w, "pairs", l->count);
    json_int(&w, "found", t->found);
    json_int(&w, "partial", t->partial);
    json_number(&w, "length_m", t->length_m);
    json_int(&w, "given", t->given);
    json_int(&w, "longer", t->longer);
    json_number(&w, "given_m", t->given_m);
    json_number(&w, "mean_us", t->mean_us);
    json_number(&w, "p50_us", t->p50_us);
    json_number(&w, "p99_us", t->p99_us);
    json_close(&w, '}');
    json_end_line(&w);
}

static int tell(const path_args *a, const pair_list *l)
{
    output o = {0};
    totals t;
    if (!sum_up(l, &t)) return no_memory();
    if (a->out && !output_open(&o, a->out)) return NAVCTL_FAILED;
    for (uint32_t i = 0; (a->out || !a->json) && i < l->count; i++)
        write_answer(a->out ? o.file : stdout, &l->items[i]);
    if (a->out && !output_commit(&o)) return NAVCTL_FAILED;
    if (a->json) print_json(l, &t);
    if (a->out && !a->json)
        printf("%s: %u of %u paths found, %u more lead part of the way\n", a->out, t.found, l->count, t.partial);
    return NAVCTL_OK;
}

static int run(const arg_command *self, int argc, char **argv)
{
    path_args a = {.from = {NAN}, .to = {NAN}, .near_m = NAVD_PATH_NEAR_M, .reps = 1, .remote = REMOTE_DEFAULTS};
    pair_list l = {0};
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
    if (a.out && !output_is_possible(a.out)) return NAVCTL_FAILED;
    const double v[7] = {a.from[0], a.from[1], a.from[2], a.to[0], a.to[1], a.to[2], -1};
    int code = a.pairs ? read_pairs(a.pairs, &l) : add_pair(&l, v) ? NAVCTL_OK : no_memory();
    if (code == NAVCTL_OK) code = a.world ? from_world(&a, &l) : from_file(&a, &l);
    if (code == NAVCTL_OK) code = tell(&a, &l);
    free_pairs(&l);
    return code;
}

const arg_command path_command = {
    .name = "path",
    .summary = "Find the shortest paths over stored tiles or in a world",
    .details =
        "Shortest is the length seen from above. Each answer is a line: found, partial (as near to the goal as one\n"
        "can get), no_start, no_goal or limit; the length; the length along the ground; x y z of each point.\n"
        "A number behind a pair is taken as the length of another's path: --json counts those that navd's is\n"
        "longer than.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
