// The pairs of places that navctl path asks about, and their answers.
#ifndef NAVCTL_PATH_PAIRS_H
#define NAVCTL_PATH_PAIRS_H

#include "clients/navctl/output/json.h"
#include "navd.h"

typedef struct path_pair {
    navd_path_query query;
    double given_m;    // what the file says behind it: how long somebody else's path is; below 0: nothing
    navd_path path;    // points and links are in `owned`
    double straight_m; // below 0: a wall is between them, or that is not known
    double us;         // the least that it took
    void *owned;
} path_pair;

typedef struct path_pairs {
    path_pair *items;
    uint32_t count, room;
    bool has_straight; // straight_m is known where it is open
} path_pairs;

void path_pairs_deinit(path_pairs *l); // accepts a zeroed one
// v: six numbers, and what is given or a negative number. False: no memory.
bool path_pairs_add(path_pairs *l, const double v[7]);
// Reads a file of pairs, "AX AY AZ BX BY BZ [LENGTH]" a line, or a scenario of the grid benchmarks ("version 1", then
// "BUCKET MAP WIDTH HEIGHT AX AZ BX BZ LENGTH"). An exit code; an error is told on stderr.
int path_pairs_read(path_pairs *l, const char *path);
// Keeps an answer. False: no memory.
bool path_pair_keep(path_pair *p, const navd_path *path);

typedef struct path_totals {
    uint32_t found, partial, given, longer, open, crooked, optimal, links;
    double length_m, cost, lower_bound, given_m, worst, mean_us, p50_us, p99_us;
} path_totals;

bool path_pairs_sum(const path_pairs *l, path_totals *out); // false: no memory
void path_pairs_print_json(const path_pairs *l, const path_totals *t, FILE *out);

#endif
