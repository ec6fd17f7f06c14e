// A context of GEOS that keeps its last error. One thread each.
#ifndef NAVCTL_PLAN_GEOS_H
#define NAVCTL_PLAN_GEOS_H

#ifndef GEOS_USE_ONLY_R_API
#define GEOS_USE_ONLY_R_API
#endif
#include <geos_c.h>
#include <stdbool.h>

typedef struct plan_geos {
    GEOSContextHandle_t handle;
    char words[256]; // of its last error
} plan_geos;

// Stays where it is until it ends. False: no memory.
bool plan_geos_init(plan_geos *g);
void plan_geos_deinit(plan_geos *g); // accepts a zeroed one

#endif
