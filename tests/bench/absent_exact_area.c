// What the bench links where libgeos-dev is missing.
#include "tests/bench/exact_area.h"

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
