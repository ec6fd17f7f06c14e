#include "clients/navctl/remote/remote_areas.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/remote.h"

int remote_areas(navd_client *c, const char *name, uint64_t world, nav_area_table *out, uint64_t *revision)
{
    navd_areas has;
    navd_status s = navd_world_areas(c, world, NULL, 0, false, &has);
    if (s != NAVD_OK) return remote_failed(c, s, name);
    navd_areas_to_core(has.areas, has.count, out);
    if (revision) *revision = has.revision;
    return NAVCTL_OK;
}

int remote_areas_set(navd_client *c, const char *name, uint64_t world, const nav_area_table *table, navd_areas *out)
{
    navd_area_type types[NAVD_MAX_AREAS];
    navd_areas after;
    navd_areas_from_core(table, types);
    navd_status s = navd_world_areas(c, world, types, table->count, true, &after);
    if (s != NAVD_OK) return remote_failed(c, s, name);
    if (out) *out = after;
    return NAVCTL_OK;
}
