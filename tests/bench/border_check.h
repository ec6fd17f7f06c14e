// Builds every tile of a scene on its own and compares each pair of neighbours along their common border.
#ifndef BENCH_BORDER_CHECK_H
#define BENCH_BORDER_CHECK_H

#include "clients/navctl/scene/scene.h"
#include "navcore/settings.h"

typedef struct border_report {
    uint64_t pairs;        // of neighbour tiles
    uint64_t points;       // on their borders, both sides, detail points included
    uint64_t different;    // points that stand on one side only or differ in height
    uint64_t failed_tiles; // that could not be built
    uint64_t arena_peak_bytes;
} border_report;

// False with one line on stderr when the scene cannot be built at all.
bool border_check(const scene *s, const nav_settings *settings, border_report *out);

#endif
