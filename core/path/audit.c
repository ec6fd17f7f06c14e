// Random pairs, their paths, and what stands out among them.
#include "navcore/path_audit.h"

#include "navcore/path_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nav_status nav_audit_draw(nav_path_finder *finder, const nav_path_set *set, uint64_t seed, uint32_t count,
                          nav_audit_pair *pairs, uint32_t *drawn)
{
    nav_path_random_query q = {.seed = seed, .count = 2 * count};
    nav_path_randoms places = {.count = 0};
    *drawn = 0;
    if (count > UINT32_MAX / 2) return NAV_ERR_ARGUMENT;
    nav_status s = count ? nav_path_random(finder, set, &q, &places) : NAV_OK;
    if (s != NAV_OK || places.status != NAV_PLACE_FOUND) return s;
    for (uint32_t i = 0; i < places.count / 2; i++) {
        pairs[i] = (nav_audit_pair){.status = NAV_PATH_LIMIT};
        for (int k = 0; k < 3; k++) {
            pairs[i].from[k] = (double)places.points[2 * i].at[k];
            pairs[i].to[k] = (double)places.points[2 * i + 1].at[k];
        }
    }
    *drawn = places.count / 2;
    return NAV_OK;
}

nav_status nav_audit_answer(nav_path_finder *finder, const nav_path_set *set, double near_m, bool (*stop)(void *user),
                            void *user, nav_audit_pair *pair)
{
    nav_path_query q = {.near_m = near_m, .stop = stop, .user = user};
    nav_path path;
    nav_place_status reach;
    pair->length_m = pair->surface_m = pair->straight_m = 0;
    pair->open = pair->bends = false;
    pair->nodes = 0;
    nav_status s = nav_path_reach(NULL, set, pair->from, &(nav_place_scope){.near_m = near_m}, &pair->to, 1, &reach);
    if (s != NAV_OK) return s;
    if (reach == NAV_PLACE_NONE) { // known at once; how near one gets to it is nobody's question
        pair->status = NAV_PATH_PARTIAL;
        return NAV_OK;
    }
    memcpy(q.from, pair->from, sizeof q.from);
    memcpy(q.to, pair->to, sizeof q.to);
    s = nav_path_find(finder, set, &q, &path);
    if (s != NAV_OK) return s;
    pair->status = path.status;
    pair->nodes = path.nodes;
    pair->length_m = path.length_m;
    pair->surface_m = path.surface_m;
    if (!path.point_count) return NAV_OK;
    bool straight = path.point_count == 2;
    const float *a = path.points, *b = path.points + 3 * ((size_t)path.point_count - 1);
    float end_y = b[1];
    pair->straight_m = hypot((double)b[0] - (double)a[0], (double)b[2] - (double)a[2]);
    if (path.status != NAV_PATH_FOUND) return NAV_OK;
    nav_path_ray ray;
    s = nav_path_raycast(finder, set, pair->from, pair->to,
                         &(nav_place_scope){.near_m = near_m, .stop = stop, .user = user},
                         &ray); // the path's points are gone
    if (s != NAV_OK) return s;
    double apart = fabs((double)ray.end.at[1] - (double)end_y);
    pair->open = ray.status == NAV_PLACE_FOUND && apart < 0.01; // else it has come to another floor
    pair->bends = pair->open && !straight;
    return NAV_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static double detour_of(const nav_audit_pair *p)
{
    return p->straight_m > 0 ? fmax(p->length_m / p->straight_m, 1) : 1;
}

nav_status nav_audit_sum(const nav_audit_pair *pairs, uint32_t count, nav_audit_totals *out)
{
    double *detours = malloc(((size_t)count + 1) * sizeof *detours);
    *out = (nav_audit_totals){.pairs = count, .worst_bend = 1, .median_ratio = 1, .worst_ratio = 1};
    if (!detours) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const nav_audit_pair *p = &pairs[i];
        out->unreachable += p->status == NAV_PATH_PARTIAL;
        out->off_ground += p->status == NAV_PATH_NO_START || p->status == NAV_PATH_NO_GOAL;
        out->limited += p->status == NAV_PATH_LIMIT;
        if (p->status != NAV_PATH_FOUND) continue;
        detours[out->found++] = detour_of(p);
        out->length_m += p->length_m;
        out->surface_m += p->surface_m;
        out->straight_m += p->straight_m;
        out->open += p->open;
        out->bent += p->bends;
        if (p->bends) out->worst_bend = fmax(out->worst_bend, detour_of(p));
    }
    qsort(detours, out->found, sizeof *detours, compare_doubles);
    if (out->found) {
        out->median_ratio = detours[(out->found - 1) / 2];
        out->worst_ratio = detours[out->found - 1];
    }
    free(detours);
    return NAV_OK;
}

void nav_audit_compare(const nav_audit_pair *before, const nav_audit_pair *now, uint32_t count, double tolerance_m,
                       nav_audit_changes *out)
{
    *out = (nav_audit_changes){.worst_longer = 1, .best_shorter = 1};
    for (uint32_t i = 0; i < count; i++) {
        const nav_audit_pair *a = &before[i], *b = &now[i];
        bool was = a->status == NAV_PATH_FOUND, is = b->status == NAV_PATH_FOUND;
        out->lost += was && !is;
        out->gained += is && !was;
        if (!was || !is) continue;
        out->both++;
        out->before_m += a->length_m;
        out->now_m += b->length_m;
        double more = b->length_m - a->length_m;
        if (fabs(more) <= tolerance_m) continue;
        double ratio = a->length_m > 0 ? b->length_m / a->length_m : INFINITY;
        out->longer += more > 0;
        out->shorter += more < 0;
        out->worst_longer = fmax(out->worst_longer, ratio);
        out->best_shorter = fmin(out->best_shorter, ratio);
    }
}

// --- What stands out ---

static const char *const reasons[] = {"bends", "lost", "longer", "round"};

const char *nav_audit_reason_name(nav_audit_reason r)
{
    return (unsigned)r <= NAV_AUDIT_ROUND ? reasons[r] : "";
}

static bool comes_before(const nav_audit_worst *a, const nav_audit_worst *b)
{
    if (a->reason != b->reason) return a->reason < b->reason;
    if (a->ratio != b->ratio) return a->ratio > b->ratio;
    return a->pair < b->pair;
}

// False: nothing stands out.
static bool judge(const nav_audit_pair *now, const nav_audit_pair *before, double tolerance_m, nav_audit_worst *out)
{
    bool found = now->status == NAV_PATH_FOUND, was = before && before->status == NAV_PATH_FOUND;
    double straight = now->straight_m > 0 ? now->length_m / now->straight_m : 1;
    out->ratio = 0;
    if (found && now->bends) {
        out->reason = NAV_AUDIT_BENDS;
        out->ratio = straight;
    } else if (was && !found) {
        out->reason = NAV_AUDIT_LOST;
    } else if (was && now->length_m > before->length_m + tolerance_m && before->length_m > 0) {
        out->reason = NAV_AUDIT_LONGER;
        out->ratio = now->length_m / before->length_m;
    } else {
        out->reason = NAV_AUDIT_ROUND;
        out->ratio = straight;
        return found && straight > 1 + 1e-9;
    }
    return true;
}

uint32_t nav_audit_find_worst(const nav_audit_pair *now, const nav_audit_pair *before, uint32_t count,
                              double tolerance_m, nav_audit_worst *out, uint32_t most)
{
    uint32_t found = 0;
    for (uint32_t i = 0; most && i < count; i++) {
        nav_audit_worst w = {.pair = i};
        if (!judge(&now[i], before ? &before[i] : NULL, tolerance_m, &w)) continue;
        if (found == most && !comes_before(&w, &out[found - 1])) continue;
        uint32_t at = found < most ? found++ : found - 1;
        for (; at > 0 && comes_before(&w, &out[at - 1]); at--) out[at] = out[at - 1];
        out[at] = w;
    }
    return found;
}
