// Detour's own answers, for comparison. Only where navctl was built beside librecast-dev.
#ifndef NAVCTL_DETOUR_PATHS_H
#define NAVCTL_DETOUR_PATHS_H

#include "clients/navctl/tile_files/store.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct detour_paths detour_paths;

typedef struct detour_answer {
    bool found;
    double length_m; // seen from above
    const float *points;
    uint32_t point_count; // borrowed until the next answer
} detour_answer;

// Detour tiles with the parameters of their dtNavMesh. They are copied. NULL, with one line on stderr: Detour takes
// them not, or navctl was built without it.
detour_paths *detour_paths_create(const char *name, const store *tiles);
void detour_paths_destroy(detour_paths *d); // accepts NULL
void detour_paths_find(detour_paths *d, const double from[3], const double to[3], double near_m, detour_answer *out);

#ifdef __cplusplus
}
#endif

#endif
