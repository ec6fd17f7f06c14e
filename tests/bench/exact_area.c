#include "tests/bench/exact_area.h"

#include "tests/bench/geos_polygons.h"

#include <stdlib.h>

enum { QUADRANT_SEGMENTS = 64 }; // of a round corner: off by the radius times 1 - cos(90 degrees / 128)

bool exact_area_present(void)
{
    return true;
}

static GEOSGeometry *plan(GEOSContextHandle_t h, const bench_prism *p)
{
    return geos_polygon(h, p->xz, p->corners);
}

static GEOSGeometry *join_plans(GEOSContextHandle_t h, const bench_prism *prisms, uint32_t count, GEOSGeometry **parts)
{
    for (uint32_t i = 0; i < count; i++) parts[i] = plan(h, &prisms[i]);
    return geos_join(h, parts, count, 0);
}

static GEOSGeometry *join_mesh(GEOSContextHandle_t h, const flat_mesh *m, GEOSGeometry **parts)
{
    for (uint32_t i = 0; i < m->poly_count; i++) {
        parts[i] = geos_polygon(h, (const double(*)[2])m->xz + m->first[i], m->first[i + 1] - m->first[i]);
    }
    return geos_join(h, parts, m->poly_count, 0);
}

// The area of a without b.
static bool area_without(GEOSContextHandle_t h, const GEOSGeometry *a, const GEOSGeometry *b, double *out)
{
    GEOSGeometry *rest = GEOSDifference_r(h, a, b);
    bool ok = rest && GEOSArea_r(h, rest, out);
    GEOSGeom_destroy_r(h, rest);
    return ok;
}

static GEOSGeometry *free_floor(GEOSContextHandle_t h, const bench_prism *floor, const bench_prism *blocks,
                                uint32_t count, double radius_m, GEOSGeometry **parts)
{
    GEOSGeometry *whole = plan(h, floor), *inner = NULL, *blocked = NULL, *around = NULL, *rest = NULL;
    if (whole) inner = GEOSBuffer_r(h, whole, -radius_m, QUADRANT_SEGMENTS);
    blocked = join_plans(h, blocks, count, parts);
    if (blocked) around = GEOSBuffer_r(h, blocked, radius_m, QUADRANT_SEGMENTS);
    if (inner && around) rest = GEOSDifference_r(h, inner, around);
    GEOSGeom_destroy_r(h, whole);
    GEOSGeom_destroy_r(h, inner);
    GEOSGeom_destroy_r(h, blocked);
    GEOSGeom_destroy_r(h, around);
    return rest;
}

bool exact_area_compare(const bench_prism *floor, const bench_prism *blocks, uint32_t block_count, double radius_m,
                        const flat_mesh *mesh, area_report *out)
{
    GEOSContextHandle_t h = GEOS_init_r();
    GEOSContext_setErrorMessageHandler_r(h, geos_complain, NULL);
    size_t most = block_count > mesh->poly_count ? block_count : mesh->poly_count;
    GEOSGeometry **parts = calloc(most + 1, sizeof(GEOSGeometry *));
    if (!parts) abort();
    GEOSGeometry *exact = free_floor(h, floor, blocks, block_count, radius_m, parts), *made = join_mesh(h, mesh, parts);
    double exact_m2, mesh_m2, missing_m2, extra_m2;
    bool ok = exact && made && GEOSArea_r(h, exact, &exact_m2) && GEOSArea_r(h, made, &mesh_m2) &&
              area_without(h, exact, made, &missing_m2) && area_without(h, made, exact, &extra_m2);
    if (ok) {
        out->exact_m2 += exact_m2;
        out->mesh_m2 += mesh_m2;
        out->missing_m2 += missing_m2;
        out->extra_m2 += extra_m2;
    }
    GEOSGeom_destroy_r(h, exact);
    GEOSGeom_destroy_r(h, made);
    free(parts);
    GEOS_finish_r(h);
    return ok;
}

bool exact_area_of_surface(const float (*tris)[9], uint32_t count, const flat_mesh *mesh, surface_areas *out)
{
    GEOSContextHandle_t h = GEOS_init_r();
    GEOSContext_setErrorMessageHandler_r(h, geos_complain, NULL);
    size_t most = count > mesh->poly_count ? count : mesh->poly_count;
    GEOSGeometry **parts = calloc(most + 1, sizeof(GEOSGeometry *));
    if (!parts) abort();
    for (uint32_t i = 0; i < count; i++) {
        double xz[3][2];
        for (int k = 0; k < 6; k++) xz[k / 2][k % 2] = (double)tris[i][3 * (k / 2) + 2 * (k % 2)];
        parts[i] = geos_polygon(h, (const double(*)[2])xz, 3);
    }
    GEOSGeometry *exact = geos_join(h, parts, count, 0), *made = join_mesh(h, mesh, parts);
    *out = (surface_areas){0};
    bool ok = exact && made && GEOSArea_r(h, exact, &out->exact_m2) && GEOSArea_r(h, made, &out->mesh_m2);
    for (uint32_t i = 0; i < mesh->poly_count; i++) {
        double twice = 0;
        for (uint32_t a = mesh->first[i]; a < mesh->first[i + 1]; a++) {
            uint32_t b = a + 1 < mesh->first[i + 1] ? a + 1 : mesh->first[i];
            twice += mesh->xz[a][0] * mesh->xz[b][1] - mesh->xz[b][0] * mesh->xz[a][1];
        }
        out->sum_m2 += (twice < 0 ? -twice : twice) / 2;
    }
    GEOSGeom_destroy_r(h, exact);
    GEOSGeom_destroy_r(h, made);
    free(parts);
    GEOS_finish_r(h);
    return ok;
}
