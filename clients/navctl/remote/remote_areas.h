// The table of areas of a daemon's world, as files and pictures take it.
#ifndef NAVCTL_REMOTE_AREAS_H
#define NAVCTL_REMOTE_AREAS_H

#include "navcore/areas.h"
#include "navd.h"

// Each returns an exit code, with one line on stderr that names the world. *revision: of the world then; may be NULL.
int remote_areas(navd_client *c, const char *name, uint64_t world, nav_area_table *out, uint64_t *revision);
// The whole table. out: as the daemon has it then; may be NULL.
int remote_areas_set(navd_client *c, const char *name, uint64_t world, const nav_area_table *table, navd_areas *out);

#endif
