#include "clients/navctl/commands/path_pairs.h"
#include "clients/navctl/arguments/exit_codes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void path_pairs_deinit(path_pairs *l)
{
    for (uint32_t i = 0; i < l->count; i++) free(l->items[i].owned);
    free(l->items);
    *l = (path_pairs){0};
}

bool path_pairs_add(path_pairs *l, const double v[7])
{
    if (l->count == l->room) {
        uint32_t room = l->room ? 2 * l->room : 256;
        path_pair *grown = realloc(l->items, room * sizeof *grown);
        if (!grown) return false;
        l->items = grown;
        l->room = room;
    }
    l->items[l->count++] = (path_pair){
        .query = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}}, .given_m = v[6], .straight_m = -1, .us = INFINITY};
    return true;
}

// Six numbers, and a seventh that may be missing. NULL, or what was expected.
static const char *parse_pair(const char *line, double v[7])
{
    int got = sscanf(line, "%lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]);
    return got >= 6 ? NULL : "expected six numbers, AX AY AZ BX BY BZ";
}

static const char *parse_scenario(const char *line, double v[7])
{
    int got = sscanf(line, "%*s %*s %*s %*s %lf %lf %lf %lf %lf", &v[0], &v[2], &v[3], &v[5], &v[6]);
    return got == 5 ? NULL : "expected BUCKET MAP WIDTH HEIGHT and five numbers, AX AZ BX BZ LENGTH";
}

// Empty lines and those that begin with # say nothing.
int path_pairs_read(path_pairs *l, const char *path)
{
    char line[1024];
    unsigned number = 0;
    int code = NAVCTL_OK;
    bool scenario = false;
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
        if (!l->count && !scenario && !strncmp(at, "version", 7)) {
            scenario = true;
            continue;
        }
        const char *wrong = scenario ? parse_scenario(at, v) : parse_pair(at, v);
        for (int k = 0; k < 7 && !wrong; k++)
            if (!isfinite(v[k])) wrong = "a number is not finite";
        if (wrong) {
            fprintf(stderr, "navctl: %s:%u: %s; it is '%.*s'\n", path, number, wrong, (int)strcspn(at, "\r\n"), at);
            code = NAVCTL_INPUT;
        } else if (!path_pairs_add(l, v)) {
            fprintf(stderr, "navctl: no memory left\n");
            code = NAVCTL_FAILED;
        }
    }
    fclose(f);
    return code;
}

bool path_pair_keep(path_pair *p, const navd_path *path)
{
    size_t links = path->link_count * sizeof *path->links, points = path->point_count * 3 * sizeof *path->points;
    char *copy = malloc(links + points + 1);
    if (!copy) return false;
    if (links) memcpy(copy, path->links, links);
    if (points) memcpy(copy + links, path->points, points);
    free(p->owned);
    p->owned = copy;
    p->path = *path;
    p->path.links = (const navd_path_link *)(void *)copy;
    p->path.points = (const float *)(void *)(copy + links);
    return true;
}

// --- Totals ---

static int compare_times(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

enum { TENTHS_OF_MM = 20 }; // by which a path may seem longer than another's: ends are on a grid, lengths are floats
static const double CROOKED = 1.001; // times as long as the straight line, of a path that bends
static const double POINT_M = 1e-3;  // shorter lines are no lines

bool path_pairs_sum(const path_pairs *l, path_totals *t)
{
    double *us = malloc(((size_t)l->count + 1) * sizeof *us);
    *t = (path_totals){.worst = 1};
    if (!us) return false;
    for (uint32_t i = 0; i < l->count; i++) {
        const path_pair *p = &l->items[i];
        us[i] = p->us;
        t->mean_us += p->us / l->count;
        t->partial += p->path.status == NAVD_PATH_PARTIAL;
        if (p->path.status != NAVD_PATH_FOUND) continue;
        t->found++;
        t->length_m += p->path.length_m;
        t->cost += p->path.cost;
        t->lower_bound += p->path.lower_bound;
        t->optimal += p->path.optimal;
        t->links += p->path.link_count;
        if (p->straight_m >= POINT_M) {
            t->open++;
            t->crooked += p->path.length_m / p->straight_m > CROOKED;
            t->worst = fmax(t->worst, p->path.length_m / p->straight_m);
        }
        if (p->given_m < 0) continue;
        t->given++;
        t->given_m += p->given_m;
        t->longer += p->path.length_m > p->given_m + TENTHS_OF_MM * 1e-4;
    }
    qsort(us, l->count, sizeof *us, compare_times);
    if (l->count) {
        t->p50_us = us[(l->count - 1) / 2];
        t->p99_us = us[(size_t)(0.99 * (l->count - 1))];
    }
    free(us);
    return true;
}

void path_pairs_print_json(const path_pairs *l, const path_totals *t, FILE *out)
{
    json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_int(&w, "pairs", l->count);
    json_int(&w, "found", t->found);
    json_int(&w, "partial", t->partial);
    json_number(&w, "length_m", t->length_m);
    json_number(&w, "cost", t->cost);
    json_number(&w, "lower_bound", t->lower_bound);
    json_int(&w, "optimal", t->optimal);
    json_int(&w, "links", t->links);
    if (l->has_straight) {
        json_int(&w, "open", t->open);
        json_int(&w, "crooked", t->crooked);
        json_number(&w, "worst", t->worst);
    }
    json_int(&w, "given", t->given);
    json_int(&w, "longer", t->longer);
    json_number(&w, "given_m", t->given_m);
    json_number(&w, "mean_us", t->mean_us);
    json_number(&w, "p50_us", t->p50_us);
    json_number(&w, "p99_us", t->p99_us);
    json_close(&w, '}');
    json_end_line(&w);
}
