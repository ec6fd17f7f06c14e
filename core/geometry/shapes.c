#include "navcore/shapes.h"

#include "core/geometry/mesh.h"
#include "navcore/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static nav_status refuse(char *why, size_t why_bytes, const char *text)
{
    if (why_bytes) snprintf(why, why_bytes, "%s", text);
    return NAV_ERR_ARGUMENT;
}

bool nav_instance_bounds(const nav_instance *in, float min[3], float max[3])
{
    const nav_box *b = &in->mesh->bounds;
    if (in->mesh->tri_count == 0) return false;
    for (int r = 0; r < 3; r++) {
        const float *row = in->transform + 4 * r;
        double centre = row[3], half = 0;
        for (int k = 0; k < 3; k++) {
            centre += (double)row[k] * (((double)b->min[k] + (double)b->max[k]) * 0.5);
            half += fabs((double)row[k]) * (((double)b->max[k] - (double)b->min[k]) * 0.5);
        }
        // One float step wider than exact, so that rounding of the transformed vertices stays inside.
        min[r] = nextafterf((float)(centre - half), -INFINITY);
        max[r] = nextafterf((float)(centre + half), INFINITY);
        if (!isfinite(min[r]) || !isfinite(max[r])) return false;
    }
    return true;
}

static nav_status check_reach(const char *what, float value, char *why, size_t why_bytes)
{
    if (isfinite(value) && fabsf(value) <= NAV_WORLD_REACH_M) return NAV_OK;
    if (why_bytes) snprintf(why, why_bytes, "%s is %g m: not finite, or beyond 1e7 m", what, (double)value);
    return NAV_ERR_ARGUMENT;
}

nav_status nav_volume_check(const nav_volume *v, char *why, size_t why_bytes)
{
    if (v->point_count < 3 || v->point_count > NAV_VOLUME_MAX_POINTS) {
        if (why_bytes)
            snprintf(why, why_bytes, "a volume has %u points, but must have 3 to %d", v->point_count,
                     NAV_VOLUME_MAX_POINTS);
        return NAV_ERR_ARGUMENT;
    }
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < 2 * v->point_count && s == NAV_OK; i++)
        s = check_reach(i % 2 ? "z of a volume's point" : "x of a volume's point", v->points[i], why, why_bytes);
    if (s != NAV_OK) return s;
    if (!isfinite(v->min_y) || !isfinite(v->max_y) || !(v->min_y < v->max_y)) {
        if (why_bytes)
            snprintf(why, why_bytes, "a volume reaches from y %g to %g, but must have a positive height",
                     (double)v->min_y, (double)v->max_y);
        return NAV_ERR_ARGUMENT;
    }
    if (v->area >= NAV_AREA_COUNT) {
        if (why_bytes) snprintf(why, why_bytes, "a volume's area type is %u, but must be 0 to 63", v->area);
        return NAV_ERR_ARGUMENT;
    }
    if (v->include > 1) {
        if (why_bytes) snprintf(why, why_bytes, "a volume's include is %u, but must be 0 or 1", v->include);
        return NAV_ERR_ARGUMENT;
    }
    // Convex: all turns to one side, and once around only (the direction's x changes its sign twice at the most).
    int side = 0, flips = 0, last_sign = 0, first_sign = 0;
    for (uint32_t i = 0; i < v->point_count; i++) {
        const float *a = v->points + 2 * i;
        const float *b = v->points + 2 * ((i + 1) % v->point_count);
        const float *c = v->points + 2 * ((i + 2) % v->point_count);
        double ux = (double)b[0] - (double)a[0], uz = (double)b[1] - (double)a[1];
        double vx = (double)c[0] - (double)b[0], vz = (double)c[1] - (double)b[1];
        double turn = ux * vz - uz * vx;
        int way = turn > 0 ? 1 : turn < 0 ? -1 : 0;
        if (way != 0 && side != 0 && way != side) return refuse(why, why_bytes, "a volume's points are not convex");
        if (way != 0) side = way;
        int sign = ux > 0 || (ux == 0 && uz > 0) ? 1 : -1;
        if (last_sign != 0 && sign != last_sign) flips++;
        if (first_sign == 0) first_sign = sign;
        last_sign = sign;
    }
    if (last_sign != first_sign) flips++;
    if (side == 0) return refuse(why, why_bytes, "a volume's points lie on one line");
    if (flips > 2) return refuse(why, why_bytes, "a volume's contour winds around more than once");
    return NAV_OK;
}

nav_status nav_link_check(const nav_link *l, char *why, size_t why_bytes)
{
    nav_status s = check_reach("a link's radius", l->radius_m, why, why_bytes);
    for (int i = 0; i < 3 && s == NAV_OK; i++)
        s = check_reach("a coordinate of a link's start", l->start[i], why, why_bytes);
    for (int i = 0; i < 3 && s == NAV_OK; i++)
        s = check_reach("a coordinate of a link's end", l->end[i], why, why_bytes);
    if (s != NAV_OK) return s;
    if (!(l->radius_m > 0)) {
        if (why_bytes) snprintf(why, why_bytes, "a link's radius is %g m, but must be positive", (double)l->radius_m);
        return NAV_ERR_ARGUMENT;
    }
    if (l->area == NAV_AREA_NONE || l->area >= NAV_AREA_COUNT) {
        if (why_bytes) snprintf(why, why_bytes, "a link's area type is %u, but must be 1 to 63", l->area);
        return NAV_ERR_ARGUMENT;
    }
    if (l->both_ways > 1) {
        if (why_bytes) snprintf(why, why_bytes, "a link's both_ways is %u, but must be 0 or 1", l->both_ways);
        return NAV_ERR_ARGUMENT;
    }
    return NAV_OK;
}
