#include "clients/navctl/commands/path_climb.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LONGER_M = 0.002; // than what is given behind a pair

typedef struct totals {
    uint32_t found, partial, given, longer;
    double length_m, cost, given_m;
    double *us, *ratio; // of all pairs, and of those that were given; owned
} totals;

static const char *status_name(nav_climb_status s)
{
    static const char *const names[] = {"found", "partial", "no_start", "no_goal", "limit"};
    return names[s];
}

static void write_answer(FILE *out, const nav_climb_path *p)
{
    fprintf(out, "%s %.9g %.9g", status_name(p->status), p->length_m, p->cost);
    for (uint32_t i = 0; i < p->point_count; i++) {
        const nav_climb_point *at = &p->points[i];
        for (int k = 0; k < 3; k++) fprintf(out, " %.9g", at->at[k]);
        for (int k = 0; k < 3; k++) fprintf(out, " %.4g", (double)at->normal[k] + 0.0);
        fprintf(out, " %s", nav_sheet_name((nav_sheet)at->sheet));
    }
    fputc('\n', out);
}

static void add(totals *t, const nav_climb_path *p, double given_m)
{
    t->partial += p->status == NAV_CLIMB_PARTIAL;
    if (p->status != NAV_CLIMB_FOUND) return;
    t->found++;
    t->length_m += p->length_m;
    t->cost += p->cost;
    if (!(given_m > 0)) return;
    t->ratio[t->given++] = p->length_m / given_m;
    t->given_m += given_m;
    t->longer += p->length_m > given_m + LONGER_M;
}

static int compare(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double at_share(double *sorted, uint32_t count, double share)
{
    return count ? sorted[(uint32_t)(share * (count - 1))] : NAN;
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / count : NAN;
}

static void print_json(const nav_climb_set *set, uint32_t pairs, totals *t)
{
    json_writer w = {.out = stdout};
    qsort(t->us, pairs, sizeof *t->us, compare);
    qsort(t->ratio, t->given, sizeof *t->ratio, compare);
    json_open(&w, NULL, '{');
    json_int(&w, "pairs", pairs);
    json_int(&w, "found", t->found);
    json_int(&w, "partial", t->partial);
    json_number(&w, "length_m", t->length_m);
    json_number(&w, "cost", t->cost);
    json_int(&w, "given", t->given);
    json_int(&w, "longer", t->longer);
    json_number(&w, "given_m", t->given_m);
    json_number(&w, "mean_ratio", mean(t->ratio, t->given));
    json_number(&w, "p99_ratio", at_share(t->ratio, t->given, 0.99));
    json_number(&w, "worst_ratio", at_share(t->ratio, t->given, 1));
    json_int(&w, "tiles", nav_climb_set_tiles(set));
    json_int(&w, "triangles", (int64_t)nav_climb_set_triangles(set));
    json_int(&w, "seams", nav_climb_set_seams(set));
    json_int(&w, "parts", nav_climb_set_parts(set));
    json_number(&w, "mean_us", mean(t->us, pairs));
    json_number(&w, "p50_us", at_share(t->us, pairs, 0.5));
    json_number(&w, "p99_us", at_share(t->us, pairs, 0.99));
    json_close(&w, '}');
    json_end_line(&w);
}

// *us: the least time of all tries.
static nav_status ask(const path_climb *a, const nav_climb_set *set, nav_climb_finder *finder, const path_pair *pair,
                      nav_climb_path *path, double *us)
{
    nav_climb_query q = {.from = {.near_m = a->near_m}, .to = {.near_m = a->near_m}, .costs = a->costs};
    nav_status s = NAV_OK;
    memcpy(q.from.at, pair->query.from, sizeof q.from.at);
    memcpy(q.to.at, pair->query.to, sizeof q.to.at);
    *us = INFINITY;
    for (int32_t r = 0; r < a->reps && s == NAV_OK; r++) {
        double begin = now_s();
        s = nav_climb_find(finder, set, &q, path);
        *us = fmin(*us, (now_s() - begin) * 1e6);
    }
    return s;
}

static int answer(const path_climb *a, const nav_climb_set *set, const path_pairs *l, FILE *out, totals *t)
{
    nav_climb_finder *finder = NULL;
    nav_status s = nav_climb_finder_create(&finder);
    for (uint32_t i = 0; i < l->count && s == NAV_OK; i++) {
        nav_climb_path path;
        s = ask(a, set, finder, &l->items[i], &path, &t->us[i]);
        if (s != NAV_OK) continue;
        add(t, &path, l->items[i].given_m);
        if (out) write_answer(out, &path);
    }
    nav_climb_finder_destroy(finder);
    if (s != NAV_OK) fprintf(stderr, "navctl: %s: %s\n", a->source, nav_status_text(s));
    return s == NAV_OK ? NAVCTL_OK : NAVCTL_FAILED;
}

int path_climb_run(const path_climb *a, const nav_climb_set *set, const path_pairs *pairs)
{
    output o = {0};
    totals t = {.us = malloc(((size_t)pairs->count + 1) * sizeof *t.us),
                .ratio = malloc(((size_t)pairs->count + 1) * sizeof *t.ratio)};
    int code = NAVCTL_FAILED;
    if (!t.us || !t.ratio)
        fprintf(stderr, "navctl: no memory left\n");
    else if (!a->out || output_open(&o, a->out))
        code = answer(a, set, pairs, a->out ? o.file : a->json ? NULL : stdout, &t);
    if (code == NAVCTL_OK && a->out && !output_commit(&o)) code = NAVCTL_FAILED;
    if (code == NAVCTL_OK && a->json) print_json(set, pairs->count, &t);
    if (code == NAVCTL_OK && a->out && !a->json)
        printf("%s: %u of %u paths found, %u more lead part of the way\n", a->out, t.found, pairs->count, t.partial);
    output_discard(&o);
    free(t.us);
    free(t.ratio);
    return code;
}
