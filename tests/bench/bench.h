// The bench: everything that navd promises in figures, measured in one run, beside Recast where it can do the same.
// Nothing is asserted: a figure that misses its bar is printed as such, and the exit code tells failures only.
#ifndef BENCH_H
#define BENCH_H

#include "tests/bench/table.h"

#include <stdbool.h>

typedef struct bench_options {
    bool quick;                // small scenes and worlds, one round
    const char *navd, *navctl; // the programs
    const char *out;           // folder of the CSV files
    char **scenes;             // files; beside them the bench's own
    int scene_count;
    bool own;              // the bench's own scenes too
    const char *partition; // how navd cuts the floor; NULL: as by default
    const char *outlines;  // where it ends, voxel or true; NULL: as by default
    float edge_error;      // edge_max_error_cells; 0: as by default
    bool once;             // one round where time is measured too: what the mesh is like alone
} bench_options;

// Each prints its tables, writes their CSV, and adds rows to `bars`. False with one line on stderr when something
// could not be done at all.
bool bench_build(const bench_options *o, table *bars); // the whole command, with and without a picture
bool bench_generate(const bench_options *o, table *bars);
bool bench_speed(const bench_options *o, table *bars);
bool bench_walls(const bench_options *o, table *bars);
bool bench_outlines(const bench_options *o, table *bars);      // how true they are to the triangles
bool bench_rooms(const bench_options *o, table *bars);         // the doors of all these alone
bool bench_outline_times(const bench_options *o, table *bars); // what true ones cost, against voxel ones
bool bench_true_outlines(const bench_options *o, table *bars); // all that is promised of them
bool bench_surface(const bench_options *o, table *bars);       // surfaces without voxels
bool bench_sheets(const bench_options *o, table *bars);        // walls and ceilings
bool bench_plans(const bench_options *o, table *bars);         // floor plans and their corners
bool bench_cells(const bench_options *o, table *bars);
bool bench_partitions(const bench_options *o, table *bars);
bool bench_paths(const bench_options *o, table *bars);
bool bench_path_costs(const bench_options *o, table *bars); // the same where areas cost differently
bool bench_large(const bench_options *o, table *bars);      // paths across a city of 16 km2
bool bench_compress(const bench_options *o, table *bars);
bool bench_edit(const bench_options *o, table *bars);
bool bench_sheet_edits(const bench_options *o, table *bars); // edits with walls and ceilings
bool bench_beside(const bench_options *o, table *bars);      // the same beside a full rebuild
bool bench_acknowledge(const bench_options *o, table *bars);
bool bench_probes(const bench_options *o, table *bars);
bool bench_encrypted(const bench_options *o, table *bars);
bool bench_reopen(const bench_options *o, table *bars);
bool bench_sync(const bench_options *o, table *bars); // a scene pushed again
bool bench_link(const bench_options *o, table *bars); // off-mesh links
bool bench_settings(const bench_options *o, table *bars);
bool bench_heights(const bench_options *o, table *bars); // terrain as a height grid
bool bench_memory(const bench_options *o, table *bars);
bool bench_farm(const bench_options *o, table *bars);     // several navd beside a NATS server
bool bench_replicas(const bench_options *o, table *bars); // that have the same worlds

#endif
