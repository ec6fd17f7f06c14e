#include "tests/bench/exact_offset.h"

#include "tests/bench/geos_polygons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARC_SEGMENTS = 1024, PIECES = 4 * PLAN_RING_CORNERS, ARC_MOST = 128 };

static const double GRID_M = 1e-9; // far below what is measured

typedef struct judge {
    GEOSContextHandle_t geos;
    double radius, mitre_limit, step;
    nav_corners corners;
} judge;

static GEOSGeometry *ring_polygon(const judge *j, const plan_loop *l)
{
    return geos_polygon(j->geos, (const double(*)[2])l->xy, l->count);
}

// Takes both; a or b may be NULL, which gives NULL.
static GEOSGeometry *without(const judge *j, GEOSGeometry *a, GEOSGeometry *b)
{
    GEOSGeometry *rest = a && b ? GEOSDifferencePrec_r(j->geos, a, b, GRID_M) : NULL;
    GEOSGeom_destroy_r(j->geos, a);
    GEOSGeom_destroy_r(j->geos, b);
    return rest;
}

static GEOSGeometry *buffer(const judge *j, const GEOSGeometry *g, double by, bool arcs)
{
    int join = arcs || j->corners == NAV_CORNERS_ROUND ? GEOSBUF_JOIN_ROUND
               : j->corners == NAV_CORNERS_MITRE       ? GEOSBUF_JOIN_MITRE
                                                       : GEOSBUF_JOIN_BEVEL;
    return GEOSBufferWithStyle_r(j->geos, g, by, ARC_SEGMENTS, GEOSBUF_CAP_ROUND, join, j->mitre_limit);
}

// --- round corners of straight pieces

static void put_meeting(const judge *j, const double p[2], double a, double b, double to[2])
{
    double out = j->radius / cos((b - a) / 2), angle = (a + b) / 2;
    to[0] = p[0] + out * cos(angle);
    to[1] = p[1] + out * sin(angle);
}

// Where the tangents of the arc from angle f to angle g meet: tangents by steps from both ends inwards.
static uint32_t put_arc(const judge *j, const double p[2], double f, double g, double (*to)[2])
{
    double front[ARC_MOST], back[ARC_MOST];
    int fronts = 0, backs = 0;
    front[fronts++] = f;
    back[backs++] = g;
    for (bool ahead = true; back[backs - 1] - front[fronts - 1] > j->step; ahead = !ahead) {
        if (ahead)
            front[fronts] = front[fronts - 1] + j->step, fronts++;
        else
            back[backs] = back[backs - 1] - j->step, backs++;
    }
    while (backs > 0) front[fronts++] = back[--backs];
    for (int i = 0; i + 1 < fronts; i++) put_meeting(j, p, front[i], front[i + 1], to[i]);
    return (uint32_t)fronts - 1;
}

// All within the radius to the right of the loop, whose inside is to the left, or to the right where it is turned.
static GEOSGeometry *band(const judge *j, const plan_loop *l, bool turned)
{
    GEOSGeometry *parts[PIECES];
    uint32_t count = 0, n = l->count;
    for (uint32_t i = 0; i < n; i++) {
        const double *p[3];
        for (uint32_t k = 0; k < 3; k++) p[k] = l->xy[turned ? (2 * n - i - k) % n : (i + k) % n];
        double angle[2], shape[ARC_MOST + 1][2];
        for (int k = 0; k < 2; k++) angle[k] = atan2(p[k][0] - p[k + 1][0], p[k + 1][1] - p[k][1]);
        for (int k = 0; k < 4; k++) {
            const double *at = p[k == 1 || k == 2];
            shape[k][0] = at[0] + (k > 1 ? j->radius * cos(angle[0]) : 0);
            shape[k][1] = at[1] + (k > 1 ? j->radius * sin(angle[0]) : 0);
        }
        parts[count++] = geos_polygon(j->geos, (const double(*)[2])shape, 4);
        double turn = remainder(angle[1] - angle[0], 2 * acos(-1));
        if (turn <= 0) continue;
        uint32_t corners = j->corners == NAV_CORNERS_BEVEL ? 0 : put_arc(j, p[1], angle[0], angle[0] + turn, shape + 2);
        shape[0][0] = p[1][0];
        shape[0][1] = p[1][1];
        shape[1][0] = p[1][0] + j->radius * cos(angle[0]);
        shape[1][1] = p[1][1] + j->radius * sin(angle[0]);
        shape[corners + 2][0] = p[1][0] + j->radius * cos(angle[0] + turn);
        shape[corners + 2][1] = p[1][1] + j->radius * sin(angle[0] + turn);
        parts[count++] = geos_polygon(j->geos, (const double(*)[2])shape, corners + 3);
    }
    return geos_join(j->geos, parts, count, GRID_M);
}

// --- the whole

static GEOSGeometry *moved_inwards(const judge *j, const random_plan *p, bool arcs)
{
    GEOSGeometry *whole = without(j, ring_polygon(j, &p->floor), ring_polygon(j, &p->hole));
    if (!whole) return NULL;
    if (!arcs && j->corners != NAV_CORNERS_MITRE)
        return without(j, without(j, whole, band(j, &p->floor, true)), band(j, &p->hole, false));
    GEOSGeometry *inner = buffer(j, whole, -j->radius, arcs);
    GEOSGeom_destroy_r(j->geos, whole);
    return inner;
}

static GEOSGeometry *moved_outwards(const judge *j, const plan_loop *l, bool arcs)
{
    GEOSGeometry *own = ring_polygon(j, l), *wide = NULL;
    if (!own) return NULL;
    if (!arcs && j->corners != NAV_CORNERS_MITRE) {
        GEOSGeometry *parts[2] = {own, band(j, l, false)};
        return geos_join(j->geos, parts, 2, GRID_M);
    }
    wide = buffer(j, own, j->radius, arcs);
    GEOSGeom_destroy_r(j->geos, own);
    return wide;
}

static GEOSGeometry *free_floor(const judge *j, const random_plan *p, bool arcs)
{
    GEOSGeometry *rest = moved_inwards(j, p, arcs), *parts[PLAN_OBSTACLES];
    for (uint32_t i = 0; i < p->obstacle_count; i++) parts[i] = moved_outwards(j, &p->obstacles[i], arcs);
    return without(j, rest, geos_join(j->geos, parts, p->obstacle_count, GRID_M));
}

static bool area_of(const judge *j, GEOSGeometry *g, double *out)
{
    bool ok = g && GEOSArea_r(j->geos, g, out);
    GEOSGeom_destroy_r(j->geos, g);
    return ok;
}

bool exact_offset_floor(const random_plan *p, double radius_m, nav_corners corners, double mitre_limit, double step_cos,
                        offset_floor *out)
{
    judge j = {GEOS_init_r(), radius_m, mitre_limit, acos(step_cos), corners};
    GEOSContext_setErrorMessageHandler_r(j.geos, geos_complain, NULL);
    bool ok = area_of(&j, free_floor(&j, p, false), &out->exact_m2);
    out->true_m2 = out->exact_m2;
    if (ok && corners == NAV_CORNERS_ROUND) ok = area_of(&j, free_floor(&j, p, true), &out->true_m2);
    GEOS_finish_r(j.geos);
    return ok;
}

bool exact_offset_mesh(const flat_mesh *mesh, offset_mesh *out)
{
    judge j = {.geos = GEOS_init_r()};
    GEOSContext_setErrorMessageHandler_r(j.geos, geos_complain, NULL);
    *out = (offset_mesh){0};
    GEOSGeometry **parts = calloc((size_t)mesh->poly_count + 1, sizeof(GEOSGeometry *));
    if (!parts) abort();
    for (uint32_t i = 0; i < mesh->poly_count; i++) {
        uint32_t first = mesh->first[i], n = mesh->first[i + 1] - first;
        double twice = 0;
        parts[i] = geos_polygon(j.geos, (const double(*)[2])mesh->xz + first, n);
        for (uint32_t k = 0; k < n; k++) {
            const double *a = mesh->xz[first + k], *b = mesh->xz[first + (k + 1) % n], *o = mesh->xz[first];
            twice += (a[0] - o[0]) * (b[1] - o[1]) - (b[0] - o[0]) * (a[1] - o[1]);
        }
        out->sum_m2 += fabs(twice) / 2;
    }
    bool ok = area_of(&j, geos_join(j.geos, parts, mesh->poly_count, GRID_M), &out->mesh_m2);
    free(parts);
    GEOS_finish_r(j.geos);
    return ok;
}
