// A face with holes is cut further, by bridges: from the top of each hole straight up to what is there, and from its
// bottom straight down. Then no face has holes, and ears can be cut off.
//
//     +-------|-----+       Each bridge lies on a cycle, for what it leads to has bridges of its own, further up or
//     |     .---.   |       further down, as far as the outer ring. So faces end at it on both sides.
//     |     |   |   |
//     |     '---'   |
//     +-------|-----+
#include "clients/navctl/scene/plan_faces.h"

#include "clients/navctl/output/text.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/plan_crossings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NONE = UINT32_MAX };

typedef struct feature_box {
    double x0, y0, x1, y1;
} feature_box;

typedef struct cutter {
    plan_features *plan;
    plan_geos *geos;
    const uint32_t *which;
    uint32_t count;
    feature_box *boxes;   // of which
    GEOSGeometry **lines; // rings and bridges
    uint32_t line_count, line_capacity;
    plan_triangles *out;
} cutter;

static bool no_memory(plan_features *p)
{
    return plan_fail(p, "no memory left");
}

// GEOS has failed at it.
static bool fail_geos(const cutter *c)
{
    char shown[160];
    text_printable(c->geos->words, shown, sizeof shown, 150);
    return plan_fail_at(c->plan, &c->plan->features[c->which[0]], "GEOS cannot cut its rings, or those beside: %s",
                        *shown ? shown : "no memory left");
}

// --- lines ---

static bool add_line(cutter *c, const plan_place *at, uint32_t count, bool closed)
{
    const GEOSContextHandle_t h = c->geos->handle;
    if (!heap_array_grow(&c->lines, &c->line_capacity, c->line_count + 1, sizeof *c->lines)) return no_memory(c->plan);
    GEOSCoordSequence *s = GEOSCoordSeq_create_r(h, count + closed, 2);
    for (uint32_t i = 0; s && i < count + closed; i++)
        GEOSCoordSeq_setXY_r(h, s, i, at[i < count ? i : 0].x, at[i < count ? i : 0].y);
    GEOSGeometry *line = s ? GEOSGeom_createLineString_r(h, s) : NULL;
    if (!line) return no_memory(c->plan);
    c->lines[c->line_count++] = line;
    return true;
}

static void widen_box(feature_box *b, plan_place at)
{
    b->x0 = fmin(b->x0, at.x);
    b->y0 = fmin(b->y0, at.y);
    b->x1 = fmax(b->x1, at.x);
    b->y1 = fmax(b->y1, at.y);
}

static bool add_rings(cutter *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const plan_feature *f = &c->plan->features[c->which[i]];
        c->boxes[i] = (feature_box){INFINITY, INFINITY, -INFINITY, -INFINITY};
        for (uint32_t k = f->first_ring; k < f->first_ring + f->ring_count; k++) {
            const plan_ring *r = &c->plan->rings[k];
            const plan_place *at = c->plan->places + r->first;
            for (uint32_t n = 0; n < r->count; n++) widen_box(&c->boxes[i], at[n]);
            if (!add_line(c, at, r->count, true)) return false;
        }
    }
    return true;
}

// What the lines enclose. NULL: said.
static GEOSGeometry *find_faces(cutter *c)
{
    const GEOSContextHandle_t h = c->geos->handle;
    GEOSGeometry **copies = malloc(((size_t)c->line_count + 1) * sizeof *copies), *all = NULL, *noded = NULL,
                 *faces = NULL;
    uint32_t count = 0;
    while (copies && count < c->line_count && (copies[count] = GEOSGeom_clone_r(h, c->lines[count]))) count++;
    if (copies && count == c->line_count)
        all = GEOSGeom_createCollection_r(h, GEOS_MULTILINESTRING, copies, count); // takes them
    for (uint32_t i = 0; !all && copies && i < count; i++) GEOSGeom_destroy_r(h, copies[i]);
    free(copies);
    if (all) noded = GEOSUnaryUnion_r(h, all);
    if (noded) faces = GEOSPolygonize_r(h, (const GEOSGeometry *const *)&noded, 1);
    GEOSGeom_destroy_r(h, all);
    GEOSGeom_destroy_r(h, noded);
    if (!faces) fail_geos(c);
    return faces;
}

// --- bridges ---

// Where a ray from a place, up or down, meets an edge first, and a little beyond. False: nowhere.
static bool first_hit(const cutter *c, const GEOSCoordSequence *const *rings, uint32_t ring_count, plan_place from,
                      bool up, plan_place *out)
{
    double nearest = INFINITY;
    for (uint32_t r = 0; r < ring_count; r++) {
        unsigned count = 0;
        plan_place a, b;
        GEOSCoordSeq_getSize_r(c->geos->handle, rings[r], &count);
        GEOSCoordSeq_getXY_r(c->geos->handle, rings[r], 0, &a.x, &a.y);
        for (unsigned i = 1; i < count; i++, a = b) {
            GEOSCoordSeq_getXY_r(c->geos->handle, rings[r], i, &b.x, &b.y);
            if (fmin(a.x, b.x) > from.x || fmax(a.x, b.x) < from.x) continue;
            double y = a.x == b.x ? (up ? fmin(a.y, b.y) : fmax(a.y, b.y))
                                  : a.y + (b.y - a.y) * ((from.x - a.x) / (b.x - a.x));
            const double away = up ? y - from.y : from.y - y;
            if (away > 0 && away < nearest) nearest = away;
        }
    }
    const double beyond = nearest + nearest * 1e-6;
    *out = (plan_place){from.x, up ? from.y + beyond : from.y - beyond};
    return nearest < INFINITY;
}

static bool add_bridges(cutter *c, const GEOSGeometry *face)
{
    const GEOSContextHandle_t h = c->geos->handle;
    const int holes = GEOSGetNumInteriorRings_r(h, face);
    const GEOSCoordSequence **rings = malloc(((size_t)holes + 1) * sizeof *rings);
    if (!rings) return no_memory(c->plan);
    rings[0] = GEOSGeom_getCoordSeq_r(h, GEOSGetExteriorRing_r(h, face));
    for (int i = 0; i < holes; i++) rings[i + 1] = GEOSGeom_getCoordSeq_r(h, GEOSGetInteriorRingN_r(h, face, i));
    bool ok = true;
    for (int i = 1; i <= holes && ok; i++) {
        unsigned count = 0;
        plan_place top = {0, -INFINITY}, bottom = {0, INFINITY}, at;
        GEOSCoordSeq_getSize_r(h, rings[i], &count);
        for (unsigned k = 0; k < count; k++) {
            GEOSCoordSeq_getXY_r(h, rings[i], k, &at.x, &at.y);
            if (at.y > top.y) top = at;
            if (at.y < bottom.y) bottom = at;
        }
        plan_place up[2] = {top}, down[2] = {bottom};
        if (first_hit(c, rings, (uint32_t)holes + 1, top, true, &up[1])) ok = add_line(c, up, 2, false);
        if (ok && first_hit(c, rings, (uint32_t)holes + 1, bottom, false, &down[1])) ok = add_line(c, down, 2, false);
    }
    free(rings);
    return ok;
}

// --- whose a face is ---

// How often the ring goes round the place.
static int32_t turns_around(const plan_features *p, const plan_ring *r, plan_place at)
{
    const plan_place *v = p->places + r->first;
    int32_t turns = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const plan_place a = v[i], b = v[i + 1 < r->count ? i + 1 : 0];
        if ((a.y <= at.y) == (b.y <= at.y)) continue;
        const double side = (b.x - a.x) * (at.y - a.y) - (at.x - a.x) * (b.y - a.y);
        if (b.y > a.y && side > 0) turns++;
        if (b.y < a.y && side < 0) turns--;
    }
    return turns;
}

static bool is_inside(const plan_features *p, const plan_feature *f, plan_place at)
{
    int32_t turns = 0;
    bool in = false; // the polygon at hand
    for (uint32_t i = f->first_ring; i < f->first_ring + f->ring_count; i++) {
        const plan_ring *r = &p->rings[i];
        const int32_t own = turns_around(p, r, at);
        turns += own;
        if (f->rule != PLAN_POLYGONS) continue;
        if (!r->hole && in) return true;
        if (r->hole)
            in = in && own == 0;
        else
            in = own != 0;
    }
    if (f->rule == PLAN_POLYGONS) return in;
    return f->rule == PLAN_NONZERO ? turns != 0 : turns % 2 != 0;
}

static uint32_t owner_of(const cutter *c, plan_place at)
{
    uint32_t ground = NONE, area = NONE;
    for (uint32_t i = 0; i < c->count; i++) {
        const feature_box *b = &c->boxes[i];
        if (at.x < b->x0 || at.x > b->x1 || at.y < b->y0 || at.y > b->y1) continue;
        const plan_feature *f = &c->plan->features[c->which[i]];
        if (!is_inside(c->plan, f, at)) continue;
        if (f->kind == PLAN_AREA)
            area = c->which[i];
        else
            ground = c->which[i];
    }
    return ground == NONE || area == NONE ? ground : area;
}

// --- triangles ---

static bool add_triangle(cutter *c, const GEOSGeometry *triangle, uint32_t owner)
{
    const GEOSContextHandle_t h = c->geos->handle;
    plan_triangles *out = c->out;
    plan_place v[3];
    const GEOSCoordSequence *at = GEOSGeom_getCoordSeq_r(h, GEOSGetExteriorRing_r(h, triangle));
    unsigned count = 0;
    if (!at || !GEOSCoordSeq_getSize_r(h, at, &count) || count < 4) return true; // empty
    for (unsigned k = 0; k < 3; k++) GEOSCoordSeq_getXY_r(h, at, k, &v[k].x, &v[k].y);
    const double area = (v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[2].x - v[0].x) * (v[1].y - v[0].y);
    if (area == 0) return true;
    if (!heap_array_grow(&out->corners, &out->corner_capacity, 3 * (out->count + 1), sizeof *out->corners) ||
        !heap_array_grow(&out->owners, &out->owner_capacity, out->count + 1, sizeof *out->owners))
        return no_memory(c->plan);
    plan_place *to = out->corners + 3 * (size_t)out->count;
    to[0] = v[0];
    to[1] = v[area > 0 ? 1 : 2];
    to[2] = v[area > 0 ? 2 : 1];
    out->owners[out->count++] = owner;
    return true;
}

static bool add_face(cutter *c, const GEOSGeometry *face)
{
    const GEOSContextHandle_t h = c->geos->handle;
    plan_place inside = {NAN, NAN};
    GEOSGeometry *middle = GEOSPointOnSurface_r(h, face);
    if (!middle) return fail_geos(c);
    if (GEOSisEmpty_r(h, middle) == 0) {
        GEOSGeomGetX_r(h, middle, &inside.x);
        GEOSGeomGetY_r(h, middle, &inside.y);
    }
    GEOSGeom_destroy_r(h, middle);
    const uint32_t owner = owner_of(c, inside);
    if (owner == NONE) return true;
    GEOSGeometry *cut = GEOSConstrainedDelaunayTriangulation_r(h, face);
    if (!cut) return fail_geos(c);
    bool ok = true;
    for (int i = 0; ok && i < GEOSGetNumGeometries_r(h, cut); i++)
        ok = add_triangle(c, GEOSGetGeometryN_r(h, cut, i), owner);
    GEOSGeom_destroy_r(h, cut);
    return ok;
}

static bool cut(cutter *c)
{
    const GEOSContextHandle_t h = c->geos->handle;
    GEOSGeometry *faces = add_rings(c) ? find_faces(c) : NULL;
    const uint32_t rings = c->line_count;
    bool ok = faces != NULL;
    for (int i = 0; ok && i < GEOSGetNumGeometries_r(h, faces); i++) {
        const GEOSGeometry *face = GEOSGetGeometryN_r(h, faces, i);
        if (GEOSGetNumInteriorRings_r(h, face) > 0) ok = add_bridges(c, face);
    }
    if (ok && c->line_count > rings) {
        GEOSGeom_destroy_r(h, faces);
        faces = find_faces(c);
        ok = faces != NULL;
    }
    for (int i = 0; ok && i < GEOSGetNumGeometries_r(h, faces); i++) ok = add_face(c, GEOSGetGeometryN_r(h, faces, i));
    GEOSGeom_destroy_r(h, faces);
    return ok;
}

bool plan_faces_cut(plan_features *p, plan_geos *g, const uint32_t *which, uint32_t count, plan_triangles *out)
{
    cutter c = {.plan = p, .geos = g, .which = which, .count = count, .out = out};
    if (count == 0) return true;
    if (!plan_crossings_check(p, which, count)) return false;
    c.boxes = malloc(count * sizeof *c.boxes);
    const bool ok = c.boxes ? cut(&c) : no_memory(p);
    for (uint32_t i = 0; i < c.line_count; i++) GEOSGeom_destroy_r(g->handle, c.lines[i]);
    free(c.lines);
    free(c.boxes);
    return ok;
}

// --- lines with a width ---

static bool add_outline(plan_features *p, GEOSContextHandle_t h, const GEOSGeometry *ring)
{
    unsigned count = 0;
    const GEOSCoordSequence *at = ring ? GEOSGeom_getCoordSeq_r(h, ring) : NULL;
    if (!at || !GEOSCoordSeq_getSize_r(h, at, &count)) return no_memory(p);
    if (!heap_array_grow(&p->rings, &p->ring_capacity, p->ring_count + 1, sizeof *p->rings) ||
        !heap_array_grow(&p->places, &p->place_capacity, p->place_count + count, sizeof *p->places))
        return no_memory(p);
    p->rings[p->ring_count++] = (plan_ring){.first = p->place_count, .count = count - 1};
    for (unsigned i = 0; i + 1 < count; i++) {
        plan_place *to = &p->places[p->place_count++];
        GEOSCoordSeq_getXY_r(h, at, i, &to->x, &to->y);
    }
    return true;
}

// One line as a polygon, whose rings are appended.
static bool widen_line(plan_features *p, plan_geos *g, plan_feature *f, uint32_t ring)
{
    static const double MITRE_LIMIT = 4;
    const GEOSContextHandle_t h = g->handle;
    const plan_ring r = p->rings[ring];
    GEOSCoordSequence *s = GEOSCoordSeq_create_r(h, r.count, 2);
    for (uint32_t i = 0; s && i < r.count; i++)
        GEOSCoordSeq_setXY_r(h, s, i, p->places[r.first + i].x, p->places[r.first + i].y);
    GEOSGeometry *line = s ? GEOSGeom_createLineString_r(h, s) : NULL, *wide = NULL;
    if (line) wide = GEOSBufferWithStyle_r(h, line, f->width / 2, 8, GEOSBUF_CAP_FLAT, GEOSBUF_JOIN_MITRE, MITRE_LIMIT);
    GEOSGeom_destroy_r(h, line);
    bool ok = wide != NULL && GEOSisEmpty_r(h, wide) == 0;
    if (!ok) plan_fail_at(p, f, "line %u: GEOS gives it no width of %g", ring - f->first_ring + 1, f->width);
    for (int i = 0; ok && i < GEOSGetNumGeometries_r(h, wide); i++) {
        const GEOSGeometry *polygon = GEOSGetGeometryN_r(h, wide, i);
        ok = add_outline(p, h, GEOSGetExteriorRing_r(h, polygon));
        for (int k = 0; ok && k < GEOSGetNumInteriorRings_r(h, polygon); k++)
            ok = add_outline(p, h, GEOSGetInteriorRingN_r(h, polygon, k));
    }
    GEOSGeom_destroy_r(h, wide);
    return ok;
}

bool plan_faces_widen_lines(plan_features *p, plan_geos *g, plan_feature *f)
{
    const uint32_t first = p->ring_count, lines = f->ring_count;
    if (lines == 0 || !p->rings[f->first_ring].line) return true;
    for (uint32_t i = 0; i < lines; i++)
        if (!widen_line(p, g, f, f->first_ring + i)) return false;
    f->first_ring = first;
    f->ring_count = p->ring_count - first;
    f->rule = PLAN_NONZERO; // shells and holes run against each other
    return true;
}

void plan_triangles_deinit(plan_triangles *t)
{
    free(t->corners);
    free(t->owners);
    *t = (plan_triangles){0};
}
