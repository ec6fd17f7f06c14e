// What the bench links where libgeos-dev is missing.
#include "tests/bench/exact_area.h"
#include "tests/bench/exact_offset.h"

bool exact_area_present(void)
{
    return false;
}

bool exact_area_compare(const bench_prism *floor, const bench_prism *blocks, uint32_t block_count, double radius_m,
                        const flat_mesh *mesh, area_report *out)
{
    (void)floor, (void)blocks, (void)block_count, (void)radius_m, (void)mesh, (void)out;
    return false;
}

bool exact_area_of_surface(const float (*tris)[9], uint32_t count, const flat_mesh *mesh, surface_areas *out)
{
    (void)tris, (void)count, (void)mesh, (void)out;
    return false;
}

bool exact_offset_floor(const random_plan *p, double radius_m, nav_corners corners, double mitre_limit, double step_cos,
                        offset_floor *out)
{
    (void)p, (void)radius_m, (void)corners, (void)mitre_limit, (void)step_cos, (void)out;
    return false;
}

bool exact_offset_mesh(const flat_mesh *mesh, offset_mesh *out)
{
    (void)mesh, (void)out;
    return false;
}
