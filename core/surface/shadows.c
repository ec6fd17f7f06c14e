// What is in the way of an agent that climbs.
//
//        ___                  The agent stands along the normal of a triangle of the floor, whichever way that looks.
//       |   |  .' height      The part of any other triangle between half the radius and the height above it, counted
//       |___|.'               along the normal, throws a shadow onto it. The agent stays its radius away from the
//         .' \                shadow, counted along the triangle: seen from above that is an ellipse.
//     --.'----floor
//
// All is counted from the lowest corner of the floor's triangle: two tiles find the same shadows.
#include "core/surface/blockers_work.h"

#include <math.h>

enum {
    AROUND = BLOCKER_AROUND,
    SHADOWS = 1 << 16, // or NAV_ERR_LIMIT
    BESIDE = 8,        // units beyond a triangle, so that shadows of two that share an edge leave nothing between them
};

// Cosines and sines of the corners around a circle, at 11.25 degrees and so on, so far out that their sides touch it.
static const double OUTSIDE = 1.01959116; // 1 / cos(11.25 degrees)
static const double C1 = 0.98078528040323043, C3 = 0.83146961230254524, C5 = 0.55557023301960218,
                    C7 = 0.19509032201612825;

typedef surface_place vector;

static double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// All within so many metres of a place on the plane, as a hull around 0, with sides along and across a direction as
// seen from above.
static surface_around find_ellipse(const surface_mesh *m, const surface_plane *f, double metres, double dx, double dz)
{
    static const double at[AROUND][2] = {{C1, C7},  {C3, C5},  {C5, C3},   {C7, C1},   {-C7, C1},  {-C5, C3},
                                         {-C3, C5}, {-C1, C7}, {-C1, -C7}, {-C3, -C5}, {-C5, -C3}, {-C7, -C1},
                                         {C7, -C1}, {C5, -C3}, {C3, -C5},  {C1, -C7}};
    const double scale = m->cfg->cell_height_m / m->cfg->unit_size_m, far = metres / m->cfg->unit_size_m * OUTSIDE;
    const double gx = f->slope_x * scale, gz = f->slope_z * scale, upright = 1 / sqrt(1 + gx * gx + gz * gz);
    const double dy = gx * dx + gz * dz, length = sqrt(dx * dx + dy * dy + dz * dz);
    // Across: the normal times the direction.
    const double x = dx / length, y = dy / length, z = dz / length;
    const double across_x = (z + gz * y) * upright, across_z = (-gx * y - x) * upright;
    surface_around out;
    nav_point all[AROUND];
    for (int k = 0; k < AROUND; k++)
        all[k] = (nav_point){(int32_t)floor(far * (at[k][0] * x + at[k][1] * across_x) + 0.5),
                             (int32_t)floor(far * (at[k][0] * z + at[k][1] * across_z) + 0.5)};
    out.count = nav_convex_hull(all, AROUND, out.at);
    return out;
}

static nav_point step_of(const nav_point *hull, int32_t count, int32_t i)
{
    const nav_point p = hull[i], q = hull[i + 1 < count ? i + 1 : 0];
    return (nav_point){q.x - p.x, q.z - p.z};
}

// All sums of a place of the one hull and a place of the other: their edges in the order of their directions. Hulls
// begin with their first corner in the order of nav_point_before(). Returns how many corners that has.
static int32_t add_hulls(const nav_point *a, int32_t a_count, const nav_point *b, int32_t b_count, nav_point *out)
{
    const int32_t a_steps = a_count > 1 ? a_count : 0, b_steps = b_count > 1 ? b_count : 0;
    int32_t i = 0, k = 0, n = 0;
    nav_point at = {a[0].x + b[0].x, a[0].z + b[0].z};
    while (i < a_steps || k < b_steps) {
        const nav_point p = i < a_steps ? step_of(a, a_count, i) : (nav_point){0, 0};
        const nav_point q = k < b_steps ? step_of(b, b_count, k) : (nav_point){0, 0};
        const int64_t left = i == a_steps ? -1 : k == b_steps ? 1 : (int64_t)p.x * q.z - (int64_t)p.z * q.x;
        out[n++] = at;
        if (left >= 0) {
            at = (nav_point){at.x + p.x, at.z + p.z};
            i++;
        }
        if (left <= 0) {
            at = (nav_point){at.x + q.x, at.z + q.z};
            k++;
        }
    }
    return n;
}

// at: they may change.
static nav_status add_around(surface_finder *w, const surface_plane *f, int32_t triangle, nav_point *at, int32_t count,
                             double metres)
{
    const double dx = (double)at[count - 1].x - at[0].x, dz = (double)at[count - 1].z - at[0].z;
    const bool turned = dx != 0 || dz != 0;
    const surface_around around = find_ellipse(w->m, f, metres, turned ? dx : 1, turned ? dz : 0);
    nav_point hull[2 * BLOCKER_POINTS], sum[2 * BLOCKER_POINTS + 2 * AROUND];
    const int32_t places = nav_convex_hull(at, count, hull);
    const int32_t n = places > 0 ? add_hulls(hull, places, around.at, around.count, sum) : 0;
    if (n < 3) return NAV_OK;
    surface_blocker of = {.start = w->out->start_count, .start_count = 1};
    nav_points_bound(sum, n, &of.low, &of.high);
    nav_status s = nav_surface_add_start(w, triangle);
    return s == NAV_OK ? nav_surface_add_shape(w, sum, n, &of) : s;
}

nav_status nav_surface_add_away(surface_finder *w, int32_t triangle, nav_point *at, int32_t count, double metres)
{
    surface_plane f;
    if (!nav_surface_plane_of(w->m, triangle, &f)) return NAV_OK;
    return add_around(w, &f, triangle, at, count, metres);
}

static vector normal_of(const nav_config *cfg, const surface_plane *f)
{
    const double scale = cfg->cell_height_m / cfg->unit_size_m;
    const double gx = f->slope_x * scale, gz = f->slope_z * scale, length = sqrt(1 + gx * gx + gz * gz);
    return (vector){-gx / length, 1 / length, -gz / length};
}

// How high what stands on the floor must be to be in the way at all, metres.
static double lowest(const nav_config *cfg)
{
    const double climb = cfg->climb_vx * cfg->cell_height_m;
    return climb < cfg->radius_m / 2 ? climb : cfg->radius_m / 2;
}

// Is another triangle of the floor joined there, which turns down by more than 15 degrees?
static bool turns_away(const surface_mesh *m, int32_t half)
{
    const double little = 0.9659258; // the cosine
    const int32_t twin = half < 3 * m->uncut_count ? m->twin[half] : SURFACE_NONE;
    if (twin < 0) return false;
    const nav_surface_turn t =
        nav_surface_turn_between(m, (uint32_t)m->source[half / 3], (uint32_t)m->source[twin / 3], (uint32_t)half % 3);
    return !t.inner && t.cos < little;
}

// What is needed of a triangle only where something stands on it.
static void look_around(const surface_mesh *m, int32_t triangle, surface_stand *on)
{
    const bool flat = on->plane.slope_x == 0 && on->plane.slope_z == 0;
    on->around = find_ellipse(m, &on->plane, m->cfg->radius_m, flat ? 1 : on->plane.slope_x, on->plane.slope_z);
    for (int k = 0; k < 3; k++) on->turns[k] = turns_away(m, 3 * triangle + k);
}

void nav_surface_stand_on(surface_finder *w, int32_t triangle, surface_box *box)
{
    const nav_config *cfg = w->m->cfg;
    surface_stand *to = &w->stand[triangle];
    to->is_flat = !nav_surface_plane_of(w->m, triangle, &to->plane);
    if (to->is_flat) return;
    const vector n = normal_of(cfg, &to->plane);
    to->normal = n;
    to->around.count = 0;
    const double low = lowest(cfg), high = cfg->height_vx * cfg->cell_height_m;
    const double by[3] = {n.x, n.y, n.z}, step[3] = {cfg->unit_size_m, cfg->cell_height_m, cfg->unit_size_m};
    int32_t *const from[3] = {&box->low[0], &box->low_y, &box->low[1]};
    int32_t *const end[3] = {&box->high[0], &box->high_y, &box->high[1]};
    for (int a = 0; a < 3; a++) {
        const double d = by[a];
        *from[a] += (int32_t)floor((d > 0 ? low : high) * d / step[a]) - 1;
        *end[a] += (int32_t)ceil((d > 0 ? high : low) * d / step[a]) + 1;
    }
}

// --- pairs

static nav_status put_shape(surface_finder *w, int32_t triangle, nav_point *at, int32_t count)
{
    if (w->sources.count++ >= SHADOWS) return NAV_ERR_LIMIT;
    surface_blocker of = {.start = w->out->start_count, .start_count = 1};
    nav_points_bound(at, count, &of.low, &of.high);
    nav_status s = nav_surface_add_start(w, triangle);
    return s == NAV_OK ? nav_surface_add_shape(w, at, count, &of) : s;
}

// Adds a shadow with what is around it, in units from the plane's corner. Where the floor turns away the agent stands
// along another normal, so it ends there.
static nav_status add_on(surface_finder *w, int32_t triangle, const nav_point *hull, int32_t count)
{
    const surface_stand *on = &w->stand[triangle];
    const surface_plane *f = &on->plane;
    vector ring[2][BLOCKER_POINTS];
    int turn = 0;
    for (int32_t i = 0; i < count; i++) ring[0][i] = (vector){hull[i].x, 0, hull[i].z};
    for (int k = 0; k < 3 && count > 0; k++) {
        if (!on->turns[k]) continue;
        const surface_place *a = &f->corner[k], *b = &f->corner[(k + 1) % 3];
        const double dx = b->x - a->x, dz = b->z - a->z; // to the right of a -> b
        const double at = dz * a->x - dx * a->z - BESIDE * sqrt(dx * dx + dz * dz);
        count = nav_surface_keep(ring[turn], count, dz, 0, -dx, at, ring[!turn]);
        turn = !turn;
    }
    nav_point at[BLOCKER_POINTS];
    for (int32_t i = 0; i < count; i++)
        at[i] = (nav_point){f->from.x + (int32_t)floor(ring[turn][i].x + 0.5),
                            f->from.z + (int32_t)floor(ring[turn][i].z + 0.5)};
    return count < 3 ? NAV_OK : put_shape(w, triangle, at, count);
}

nav_status nav_surface_add_shadow(surface_finder *w, const surface_place place[3], int32_t t)
{
    const nav_config *cfg = w->m->cfg;
    surface_stand *on = &w->stand[t];
    const surface_plane *f = &on->plane;
    const double low = lowest(cfg) + BLOCKER_SLACK * cfg->cell_height_m, high = cfg->height_vx * cfg->cell_height_m;
    const vector n = on->normal;
    vector ring[2][BLOCKER_POINTS];
    int below = 0, over = 0, turn = 0;
    if (on->is_flat) return NAV_OK;
    for (int k = 0; k < 3; k++) {
        ring[0][k] = (vector){(place[k].x - (w->corner[0] + f->from.x)) * cfg->unit_size_m,
                              (place[k].y - f->y) * cfg->cell_height_m,
                              (place[k].z - (w->corner[1] + f->from.z)) * cfg->unit_size_m};
        const double above = dot(n, ring[0][k]);
        below += above < low;
        over += above > high;
    }
    if (below == 3 || over == 3) return NAV_OK;
    int32_t count = nav_surface_keep(ring[0], 3, n.x, n.y, n.z, low, ring[1]);
    if (count > 0) count = nav_surface_keep(ring[1], count, -n.x, -n.y, -n.z, -high, ring[0]);
    for (int32_t i = 0; i < count; i++) { // onto the plane, in units
        const double above = dot(n, ring[0][i]);
        ring[0][i] = (vector){(ring[0][i].x - above * n.x) / cfg->unit_size_m, 0,
                              (ring[0][i].z - above * n.z) / cfg->unit_size_m};
    }
    count = nav_surface_keep_over(ring, count, f, &turn);
    if (count <= 0) return NAV_OK;
    if (on->around.count == 0) look_around(w->m, t, on);
    nav_point at[BLOCKER_POINTS], hull[2 * BLOCKER_POINTS], sum[2 * BLOCKER_POINTS + 2 * AROUND];
    for (int32_t i = 0; i < count; i++)
        at[i] = (nav_point){(int32_t)floor(ring[turn][i].x + 0.5), (int32_t)floor(ring[turn][i].z + 0.5)};
    count = nav_convex_hull(at, count, hull);
    return add_on(w, t, sum, add_hulls(hull, count, on->around.at, on->around.count, sum));
}
