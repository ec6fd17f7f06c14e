// navctl audit: random pairs of places, the paths between them, and what stands out.
#include "clients/navctl/paths/audit.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/paths/audit_climb.h"
#include "clients/navctl/paths/audit_file.h"
#include "clients/navctl/paths/audit_report.h"
#include "clients/navctl/paths/path_drawing.h"
#include "clients/navctl/tile_files/path_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 10000000, MOST_WORST = 1000 };
static const double TOLERANCE_M = 0.001;

typedef struct audit_args {
    const char *source, *world, *profile, *against, *out, *picture;
    int32_t pairs, worst, size;
    int32_t seed;
    double near_m;
    int32_t max_lost, max_longer; // below 0: any
    double max_unreachable;       // percent; NAN: any
    bool detour, json;
    picture_values view;
    remote_values remote;
} audit_args;

static const arg_option audit_options[] = {
    {"pairs", 0, ARG_INT, "N", "random pairs of places", offsetof(audit_args, pairs), 1, MOST_PAIRS, NULL},
    {"seed", 0, ARG_INT, "N", "of the pairs: the same seed gives the same pairs", offsetof(audit_args, seed), 0,
     INT32_MAX, NULL},
    {"against", 0, ARG_FILE, "BEFORE",
     "compare with how it was: an audit that -o kept, or a file of the ground as it was; the pairs are those of BEFORE",
     offsetof(audit_args, against), 0, 0, NULL},
    {"detour", 0, ARG_FLAG, NULL, "compare with the paths that Detour finds over the same tiles",
     offsetof(audit_args, detour), 0, 0, NULL},
    {"worst", 0, ARG_INT, "K", "how many of the worst pairs to list and draw", offsetof(audit_args, worst), 0,
     MOST_WORST, NULL},
    {"near", 0, ARG_DOUBLE, "M", "how far an end may be from ground", offsetof(audit_args, near_m), 0, 1000, NULL},
    {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of FILE; waits until it is built",
     offsetof(audit_args, world), 0, 0, NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile: its name in a world, its number in a file",
     offsetof(audit_args, profile), 0, 0, NULL},
    {"output", 'o', ARG_FILE, "FILE", "keep the audit, all pairs, as JSON", offsetof(audit_args, out), 0, 0, NULL},
    {"picture", 0, ARG_FILE, "PICTURE", "draw the worst pairs: NAME.png or NAME.svg", offsetof(audit_args, picture), 0,
     0, NULL},
    {"size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(audit_args, size), 64, 16384, NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(audit_args, json), 0, 0, NULL},
};
static const arg_option limit_options[] = {
    {"max-unreachable", 0, ARG_DOUBLE, "PERCENT", "of the pairs without a way between them; default: any",
     offsetof(audit_args, max_unreachable), 0, 100, NULL},
    {"max-lost", 0, ARG_INT, "N", "pairs that had a way before and have none now; default: any",
     offsetof(audit_args, max_lost), 0, MOST_PAIRS, NULL},
    {"max-longer", 0, ARG_INT, "N", "pairs whose way is longer than before; default: any",
     offsetof(audit_args, max_longer), 0, MOST_PAIRS, NULL},
};
static const arg_group groups[] = {
    {"Options", audit_options, ARG_COUNT(audit_options), 0},
    {"What to allow (exit code 10 above it)", limit_options, ARG_COUNT(limit_options), 0},
    PICTURE_GROUP(audit_args, view),
    REMOTE_GROUP(audit_args, remote)};
static const arg_positional positionals[] = {{"FILE",
                                              "navd tiles (.navd), Detour tiles (.bin) or a polygon mesh (.mesh)",
                                              false, true, offsetof(audit_args, source)}};

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// --- The audit ---

typedef struct work {
    const audit_args *args;
    path_ground ground;
    audit now, before;
    detour_paths *detour;
    nav_audit_worst worst[MOST_WORST];
    audit_report report;
} work;

// The pairs of `before` as they were answered, or are on its ground.
static int read_before(work *w)
{
    const audit_args *a = w->args;
    nav_path_set *set = NULL;
    if (audit_file_is(a->against)) return audit_file_read(&w->before, a->against);
    uint32_t profile =
        a->source && a->profile ? (uint32_t)strtoul(a->profile, NULL, 10) : 0; // a number, as was checked
    if (!path_file_read(a->against, profile, &set, NULL, NULL)) return NAVCTL_INPUT;
    w->before.near_m = a->near_m;
    int code = audit_draw(&w->before, a->against, set, (uint64_t)a->seed, (uint32_t)a->pairs);
    if (code == NAVCTL_OK) code = audit_answer(&w->before, a->against, set);
    nav_path_set_destroy(set);
    return code;
}

static void compare_with_detour(const audit *now, detour_paths *detour, audit_beside *out)
{
    for (uint32_t i = 0; i < now->count; i++) {
        const nav_audit_pair *p = &now->pairs[i];
        bool found = p->status == NAV_PATH_FOUND;
        detour_answer d;
        detour_paths_find(detour, p->from, p->to, now->near_m, &d);
        out->found += d.found;
        out->only += d.found && !found;
        out->missed += found && !d.found;
        if (!found || !d.found) continue;
        out->length_m += d.length_m;
        out->navd_m += p->length_m;
        out->longer += p->length_m > d.length_m + TOLERANCE_M;
        if (!p->open || p->straight_m < TOLERANCE_M) continue;
        out->open++;
        out->crooked += d.length_m > 1.001 * p->straight_m;
    }
}

static int examine(work *w)
{
    const audit_args *a = w->args;
    const char *name = w->ground.name;
    audit_report *r = &w->report;
    double begin = now_s();
    w->now.near_m = a->near_m;
    int code = a->against ? read_before(w) : NAVCTL_OK;
    if (code == NAVCTL_OK)
        code = a->against ? audit_ask_again(&w->now, &w->before)
                          : audit_draw(&w->now, name, w->ground.set, (uint64_t)a->seed, (uint32_t)a->pairs);
    if (code == NAVCTL_OK) code = audit_answer(&w->now, name, w->ground.set);
    if (code != NAVCTL_OK) return code;
    *r = (audit_report){.name = name,
                        .now = &w->now,
                        .before = a->against ? &w->before : NULL,
                        .worst = w->worst,
                        .has_detour = a->detour,
                        .seconds = now_s() - begin};
    if (nav_audit_sum(w->now.pairs, w->now.count, &r->totals) != NAV_OK) return no_memory();
    if (r->before) nav_audit_compare(r->before->pairs, w->now.pairs, w->now.count, TOLERANCE_M, &r->changes);
    r->worst_count = nav_audit_find_worst(w->now.pairs, r->before ? r->before->pairs : NULL, w->now.count, TOLERANCE_M,
                                          w->worst, (uint32_t)a->worst);
    if (!a->detour) return NAVCTL_OK;
    w->detour = detour_paths_create(name, w->ground.detour);
    if (!w->detour) return NAVCTL_INPUT;
    compare_with_detour(&w->now, w->detour, &r->beside);
    return NAVCTL_OK;
}

// --- The picture ---

// The paths of the worst pairs once more, with their points.
static bool collect_paths(work *w, path_drawing *drawing)
{
    nav_path_finder *finder = NULL;
    bool ok = nav_path_finder_create(&finder) == NAV_OK;
    for (uint32_t i = 0; i < w->report.worst_count && ok; i++) {
        const nav_audit_pair *p = &w->now.pairs[w->worst[i].pair];
        nav_path_query q = {.near_m = w->now.near_m};
        nav_path path;
        memcpy(q.from, p->from, sizeof q.from);
        memcpy(q.to, p->to, sizeof q.to);
        ok = nav_path_find(finder, w->ground.set, &q, &path) == NAV_OK &&
             path_drawing_add(drawing, path.points, path.point_count, (int)i + 1) &&
             (!w->detour || path_drawing_add_detour(drawing, w->detour, p->from, p->to, w->now.near_m));
    }
    nav_path_finder_destroy(finder);
    return ok;
}

static int draw(work *w)
{
    const audit_args *a = w->args;
    char title[512];
    path_drawing drawing = {.count = 0};
    const char *slash = strrchr(w->ground.name, '/');
    snprintf(title, sizeof title, "%s: the worst %u of %u pairs", slash ? slash + 1 : w->ground.name,
             w->report.worst_count, w->now.count);
    int code = NAVCTL_FAILED;
    if (!collect_paths(w, &drawing))
        no_memory();
    else if (path_drawing_write(&drawing, &w->ground, a->picture, title, a->size, &a->view))
        code = NAVCTL_OK;
    path_drawing_deinit(&drawing);
    return code;
}

// --- What is told ---

static int keep(const work *w)
{
    output o = {0};
    if (!output_open(&o, w->args->out)) return NAVCTL_FAILED;
    json_writer j = {.out = o.file};
    json_open(&j, NULL, '{');
    audit_report_put(&w->report, &j);
    audit_file_put(&j, &w->now);
    json_close(&j, '}');
    json_end_line(&j);
    return output_commit(&o) ? NAVCTL_OK : NAVCTL_FAILED;
}

// One line on stderr for each limit that is exceeded.
static int check_limits(const work *w)
{
    const audit_args *a = w->args;
    const nav_audit_totals *t = &w->report.totals;
    double unreachable = t->pairs ? 100.0 * (t->unreachable + t->off_ground) / t->pairs : 0;
    int code = NAVCTL_OK;
    if (t->bent) {
        fprintf(stderr, "navctl audit: %u paths bend where nothing is in the way\n", t->bent);
        code = NAVCTL_EXCEEDED;
    }
    if (unreachable > a->max_unreachable) {
        fprintf(stderr, "navctl audit: no way between %.2f %% of the pairs, above --max-unreachable %g\n", unreachable,
                a->max_unreachable);
        code = NAVCTL_EXCEEDED;
    }
    if (a->max_lost >= 0 && w->report.changes.lost > (uint32_t)a->max_lost) {
        fprintf(stderr, "navctl audit: %u ways are lost, above --max-lost %d\n", w->report.changes.lost, a->max_lost);
        code = NAVCTL_EXCEEDED;
    }
    if (a->max_longer >= 0 && w->report.changes.longer > (uint32_t)a->max_longer) {
        fprintf(stderr, "navctl audit: %u ways are longer, above --max-longer %d\n", w->report.changes.longer,
                a->max_longer);
        code = NAVCTL_EXCEEDED;
    }
    return code;
}

static int tell(work *w)
{
    const audit_args *a = w->args;
    int code = a->out ? keep(w) : NAVCTL_OK;
    if (code == NAVCTL_OK && a->picture) code = draw(w);
    if (code != NAVCTL_OK) return code;
    if (a->json) {
        json_writer j = {.out = stdout};
        json_open(&j, NULL, '{');
        json_int(&j, "seed", (int64_t)w->now.seed);
        audit_report_put(&w->report, &j);
        json_close(&j, '}');
        json_end_line(&j);
    } else {
        audit_report_print(&w->report);
    }
    return check_limits(w);
}

// False, with one line on stderr.
static bool is_usable(audit_args *a, const char *name)
{
    bool limits = a->max_lost >= 0 || a->max_longer >= 0;
    if (!a->source == !a->world) {
        fprintf(stderr, "navctl audit: needs either FILE or --world NAME (see navctl audit --help)\n");
        return false;
    }
    if (limits && !a->against) {
        fprintf(stderr, "navctl audit: --max-lost and --max-longer need --against BEFORE\n");
        return false;
    }
    if (a->picture && !page_name_ok(a->picture)) {
        fprintf(stderr, "navctl audit: --picture %s: expected a name that ends in .png or .svg\n", a->picture);
        return false;
    }
    return picture_values_check(&a->view, name);
}

static int run(const arg_command *self, int argc, char **argv)
{
    audit_args a = {.pairs = 10000,
                    .seed = 1,
                    .worst = 10,
                    .size = 1600,
                    .near_m = NAVD_PATH_NEAR_M,
                    .max_lost = -1,
                    .max_longer = -1,
                    .max_unreachable = NAN,
                    .remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!is_usable(&a, self->name)) return NAVCTL_USAGE;
    if ((a.out && !output_is_possible(a.out)) || (a.picture && !output_is_possible(a.picture))) return NAVCTL_FAILED;
    work *w = calloc(1, sizeof *w);
    if (!w) return no_memory();
    w->args = &a;
    const path_ground_wanted wanted = {a.profile, .tiles = a.picture != NULL, .detour = a.detour,
                                       .climb = !a.out && !a.against};
    int code = a.world ? path_ground_read_world(&w->ground, a.world, &wanted, &a.remote)
                       : path_ground_read_file(&w->ground, a.source, &wanted);
    if (code == NAVCTL_OK && w->ground.climb) {
        code = audit_climb(a.source, w->ground.climb, (uint64_t)a.seed, (uint32_t)a.pairs, a.max_unreachable, a.json);
    } else {
        if (code == NAVCTL_OK) code = examine(w);
        if (code == NAVCTL_OK) code = tell(w);
    }
    detour_paths_destroy(w->detour);
    audit_deinit(&w->now);
    audit_deinit(&w->before);
    path_ground_deinit(&w->ground);
    free(w);
    return code;
}

const arg_command audit_command = {
    .name = "audit",
    .summary = "Check the paths between random pairs of places, over stored tiles or in a world",
    .details =
        "Tells how many pairs have a way between them, whether paths bend where nothing is in the way, how much\n"
        "longer than the straight line they are, and what an edit has changed (--against). For tests of levels:\n"
        "the exit code is 10 when more is wrong than allowed. The worst pairs are listed: those that bend, those\n"
        "that lost their way, those that got longer, then the longest ways round.\n"
        "Over a .navd file of several sheets (navctl build --sheets) ways lead over walls and ceilings. Then it tells\n"
        "whether they agree with the parts of the surface and lie on it; --max-unreachable, --json, --seed and "
        "--pairs\n"
        "are for these as well.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
