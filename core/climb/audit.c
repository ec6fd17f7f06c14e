// Random pairs of places, and whether their paths are what they should be.
#include "core/base/random.h"
#include "core/climb/climb_work.h"

#include <stdlib.h>

static const double SHORT_M = 1e-6; // by which a length may be below the straight line, for rounding
static const double LOOK_M = 2;     // for the surface around a point of a path

typedef struct auditor {
    const nav_climb_set *set;
    nav_climb_finder *finder;
    double *area; // of all triangles up to each; owned
    uint64_t random;
    nav_climb_audit *out;
} auditor;

static bool measure(auditor *a)
{
    const nav_climb_set *set = a->set;
    uint64_t n = 0;
    double sum = 0;
    a->area = malloc((set->triangle_count + 1) * sizeof *a->area);
    if (!a->area) return false;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t t = 0; t < set->patch[i]->triangle_count; t++) {
            const climb_patch *p = set->patch[i];
            vec o = climb_corner(p, t, 0), u = vec_sub(climb_corner(p, t, 1), o), w = vec_sub(climb_corner(p, t, 2), o);
            sum += vec_length(vec_cross(u, w)) / 2;
            a->area[n++] = sum;
        }
    return true;
}

static climb_spot draw_place(auditor *a)
{
    const nav_climb_set *set = a->set;
    uint64_t low = 0, high = set->triangle_count - 1;
    double at = nav_random_next(&a->random) * a->area[high], u = nav_random_next(&a->random),
           w = nav_random_next(&a->random);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (a->area[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t i = 0;
    while (low >= set->patch[i]->triangle_count) low -= set->patch[i++]->triangle_count;
    const climb_patch *p = set->patch[i];
    uint32_t t = (uint32_t)low;
    vec o = climb_corner(p, t, 0), x = vec_sub(climb_corner(p, t, 1), o), y = vec_sub(climb_corner(p, t, 2), o);
    if (u + w > 1) {
        u = 1 - u;
        w = 1 - w;
    }
    return (climb_spot){p, t, vec_add(o, vec_add(vec_scale(x, u), vec_scale(y, w)))};
}

static void check_place(auditor *a, vec at)
{
    nav_climb_near near = {.near_m = LOOK_M};
    vec_to(at, near.at);
    climb_spot s = nav_climb_spot(a->set, &near, UINT32_MAX);
    a->out->off_surface_m = fmax(a->out->off_surface_m, s.patch ? vec_apart(s.at, at) : LOOK_M);
}

static void check_points(auditor *a, const nav_climb_path *path)
{
    for (uint32_t i = 0; i < path->point_count; i++) {
        const nav_climb_point *p = &path->points[i];
        check_place(a, vec_of(p->at));
        if (i + 1 == path->point_count || p->strip) continue;
        vec way = vec_sub(vec_of(p[1].at), vec_of(p->at));
        check_place(a, vec_between(vec_of(p->at), vec_of(p[1].at), 0.5));
        a->out->off_plane_m = fmax(a->out->off_plane_m, fabs(vec_dot(way, vec_of_float(p->normal))));
    }
}

static nav_status ask(auditor *a)
{
    nav_climb_audit *out = a->out;
    climb_spot from = draw_place(a), to = draw_place(a);
    nav_climb_query q = {.max_nodes = 0};
    nav_climb_path path;
    vec_to(from.at, q.from.at);
    vec_to(to.at, q.to.at);
    vec_to(nav_climb_normal(from.patch, from.triangle), q.from.normal);
    vec_to(nav_climb_normal(to.patch, to.triangle), q.to.normal);
    q.from.near_m = q.to.near_m = LOOK_M;
    nav_status s = nav_climb_find(a->finder, a->set, &q, &path);
    if (s != NAV_OK) return s;
    out->pairs++;
    bool same = path.from.part == path.to.part;
    out->wrong_part += path.status == NAV_CLIMB_FOUND ? !same : path.status == NAV_CLIMB_PARTIAL && same;
    out->unreachable += path.status == NAV_CLIMB_PARTIAL;
    out->limited += path.status != NAV_CLIMB_FOUND && path.status != NAV_CLIMB_PARTIAL;
    check_points(a, &path);
    if (path.status != NAV_CLIMB_FOUND) return NAV_OK;
    double straight = vec_apart(vec_of(path.from.at), vec_of(path.to.at));
    double ratio = straight > 0 ? path.length_m / straight : 1;
    out->found++;
    out->too_short += path.length_m < straight - SHORT_M;
    out->length_m += path.length_m;
    out->straight_m += straight;
    out->mean_ratio += ratio;
    out->worst_ratio = fmax(out->worst_ratio, ratio);
    return NAV_OK;
}

nav_status nav_climb_audit_run(nav_climb_finder *finder, const nav_climb_set *set, uint64_t seed, uint32_t pairs,
                               bool (*stop)(void *user), void *user, nav_climb_audit *out)
{
    auditor a = {.set = set, .finder = finder, .random = seed, .out = out};
    nav_status s = NAV_OK;
    *out = (nav_climb_audit){.pairs = 0};
    if (!set->triangle_count) return NAV_OK;
    if (!measure(&a)) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < pairs && s == NAV_OK && !(stop && stop(user)); i++) s = ask(&a);
    if (out->found) out->mean_ratio /= out->found;
    free(a.area);
    return s;
}
