#include "tests/bench/bench.h"
#include "tests/bench/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: bench --navd PATH --navctl PATH --out FOLDER [--quick] [--only PART] [--no-own]\n"
    "             [--partition NAME] [--outlines voxel|true] [--edge-error CELLS] [SCENE...]\n"
    "Measures navd beside Recast. Prints tables, writes them as CSV into FOLDER.\n"
    "  --quick    small scenes and worlds: a look, not a measurement\n"
    "  --only     one part of it: memory, build, generate, speed, walls, outlines, surface, sheets, plans,\n"
    "             cells, partitions, paths, compress, edit, sheet-edits, beside, link, heights, settings, "
    "acknowledge,\n"
    "             encrypted, reopen, sync, probes, farm, replicas; and large, rooms, true-outlines, which are\n"
    "             measured only so\n"
    "  --partition  how navd cuts the floor, where it is not the default\n"
    "  --outlines   where it ends, likewise\n"
    "  --edge-error edge_max_error_cells, likewise\n"
    "  --no-own   only the scenes given, not the bench's own\n";

// What else ran meanwhile decides how much the clock's figures are worth.
static void print_load(const char *when)
{
    double load = 0;
    if (getloadavg(&load, 1) == 1) printf("Load average at %s: %.1f.\n", when, load);
    fflush(stdout);
}

static void print_heading(void)
{
    char model[128] = "unknown processor", line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "model name : %127[^\n]", model) == 1) break;
    }
    if (f) fclose(f);
    printf("%s, %ld cores. ", model, sysconf(_SC_NPROCESSORS_ONLN));
    print_load("the start");
    if (!peer_present()) printf("Recast's columns say \"-\": librecast-dev or a C++ compiler is missing.\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bench_options o = {.own = true, .scenes = calloc((size_t)argc, sizeof(char *))};
    const char *only = NULL, *edge_error = NULL;
    if (!o.scenes) return 1;
    for (int i = 1; i < argc; i++) {
        const char **text = !strcmp(argv[i], "--navd")         ? &o.navd
                            : !strcmp(argv[i], "--navctl")     ? &o.navctl
                            : !strcmp(argv[i], "--out")        ? &o.out
                            : !strcmp(argv[i], "--only")       ? &only
                            : !strcmp(argv[i], "--partition")  ? &o.partition
                            : !strcmp(argv[i], "--outlines")   ? &o.outlines
                            : !strcmp(argv[i], "--edge-error") ? &edge_error
                                                               : NULL;
        if (text && i + 1 < argc) {
            *text = argv[++i];
        } else if (!strcmp(argv[i], "--quick")) {
            o.quick = true;
        } else if (!strcmp(argv[i], "--no-own")) {
            o.own = false;
        } else if (!strcmp(argv[i], "--help")) {
            fputs(usage, stdout);
            return 0;
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "bench: %s is not an option, or lacks its value\n%s", argv[i], usage);
            return 2;
        } else {
            o.scenes[o.scene_count++] = argv[i];
        }
    }
    if (!o.navd || !o.navctl || !o.out) {
        fputs(usage, stderr);
        return 2;
    }
    if (edge_error && !((o.edge_error = strtof(edge_error, NULL)) > 0 && o.edge_error <= 1000)) {
        fprintf(stderr, "bench: --edge-error %s is not a number of cells above 0 and up to 1,000\n", edge_error);
        return 2;
    }
    mkdir(o.out, 0777);
    print_heading();
    table bars;
    table_init(&bars, "bars", "Bars", "what,scene,figure,bar,verdict");
    // Memory comes first: a process that was started by a large one inherits its peak.
    bool ok = true;
    if (!only || !strcmp(only, "memory")) ok = bench_memory(&o, &bars) && ok;
    if (!only || !strcmp(only, "build")) ok = bench_build(&o, &bars) && ok;
    if (!only || !strcmp(only, "generate")) ok = bench_generate(&o, &bars) && ok;
    if (!only || !strcmp(only, "speed")) ok = bench_speed(&o, &bars) && ok;
    if (!only || !strcmp(only, "walls")) ok = bench_walls(&o, &bars) && ok;
    if (!only || !strcmp(only, "outlines")) ok = bench_outlines(&o, &bars) && ok;
    if (only && !strcmp(only, "rooms")) ok = bench_rooms(&o, &bars) && ok;
    if (only && !strcmp(only, "true-outlines")) ok = bench_true_outlines(&o, &bars) && ok;
    if (!only || !strcmp(only, "surface")) ok = bench_surface(&o, &bars) && ok;
    if (!only || !strcmp(only, "sheets")) ok = bench_sheets(&o, &bars) && ok;
    if (!only || !strcmp(only, "plans")) ok = bench_plans(&o, &bars) && ok;
    if (!only || !strcmp(only, "cells")) ok = bench_cells(&o, &bars) && ok;
    if (!only || !strcmp(only, "partitions")) ok = bench_partitions(&o, &bars) && ok;
    if (!only || !strcmp(only, "paths")) ok = bench_paths(&o, &bars) && bench_path_costs(&o, &bars) && ok;
    if (only && !strcmp(only, "large")) ok = bench_large(&o, &bars) && ok;
    if (!only || !strcmp(only, "compress")) ok = bench_compress(&o, &bars) && ok;
    if (!only || !strcmp(only, "edit")) ok = bench_edit(&o, &bars) && ok;
    if (!only || !strcmp(only, "sheet-edits")) ok = bench_sheet_edits(&o, &bars) && ok;
    if (!only || !strcmp(only, "beside")) ok = bench_beside(&o, &bars) && ok;
    if (!only || !strcmp(only, "link")) ok = bench_link(&o, &bars) && ok;
    if (!only || !strcmp(only, "heights")) ok = bench_heights(&o, &bars) && ok;
    if (!only || !strcmp(only, "settings")) ok = bench_settings(&o, &bars) && ok;
    if (!only || !strcmp(only, "acknowledge")) ok = bench_acknowledge(&o, &bars) && ok;
    if (!only || !strcmp(only, "encrypted")) ok = bench_encrypted(&o, &bars) && ok;
    if (!only || !strcmp(only, "reopen")) ok = bench_reopen(&o, &bars) && ok;
    if (!only || !strcmp(only, "sync")) ok = bench_sync(&o, &bars) && ok;
    if (!only || !strcmp(only, "probes")) ok = bench_probes(&o, &bars) && ok;
    if (!only || !strcmp(only, "farm")) ok = bench_farm(&o, &bars) && ok;
    if (!only || !strcmp(only, "replicas")) ok = bench_replicas(&o, &bars) && ok;
    table_group(&bars);
    table_print(&bars);
    size_t rows = bars.cell_count / (size_t)bars.columns - 1, missed = 0;
    for (size_t i = 1; i <= rows; i++) missed += !strcmp(bars.cells[(i + 1) * (size_t)bars.columns - 1], "MISS");
    printf("\n%zu of %zu bars are met. ", rows - missed, rows);
    print_load("the end");
    ok = table_write(&bars, o.out) && ok;
    table_deinit(&bars);
    free(o.scenes);
    return ok ? 0 : 1;
}
