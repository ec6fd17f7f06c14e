// Single ground: is the ground near the tile covered everywhere, and once?
//
//      o-----o-----o      The triangles that may be walked on and those too steep (#) together. If each looks up, and
//      |\    |####/|      each of their edges near the tile is joined to another one, then all places are covered
//      | \   |###/ |      equally often, and one place tells how often that is.
//      |  \  |##/  |
//      o---\-|#/---o      Nothing stands on such ground, no corner lies on an edge, no edge lies over another one, and
//                         no region lies above itself: none of that has to be looked for.
#include "core/surface/surface_work.h"

enum { THIN = 2 }; // units: triangles that are no higher than that may have corners of others on their edges

static bool is_near(const surface_mesh *m, const int32_t *vert, int32_t count)
{
    nav_point p[3], low, high;
    for (int32_t i = 0; i < count; i++) p[i] = surface_at(m, vert[i]);
    nav_points_bound(p, count, &low, &high);
    return surface_is_near(m, low, high);
}

bool nav_surface_looks_up(nav_point a, nav_point b, nav_point c)
{
    int64_t area2 = nav_right(a, b, c), ab = nav_distance2(a, b), bc = nav_distance2(b, c), ca = nav_distance2(c, a);
    int64_t longest = ab > bc ? ab : bc;
    longest = ca > longest ? ca : longest;
    return area2 > 0 && (double)area2 * (double)area2 >= (double)(THIN * THIN) * (double)longest;
}

// Three times the middle of a triangle near the tile that has it there. False: there is none.
static bool find_place(const surface_mesh *m, int64_t place[2], int32_t *triangle)
{
    for (int32_t t = 0; t < m->tri_count; t++) {
        int64_t x = 0, z = 0, low = 3 * (int64_t)m->low, high = 3 * (int64_t)m->high;
        for (int k = 0; k < 3; k++) {
            x += m->x[m->vert[3 * t + k]];
            z += m->z[m->vert[3 * t + k]];
        }
        if (x < low || z < low || x > high || z > high) continue;
        place[0] = x;
        place[1] = z;
        *triangle = t;
        return true;
    }
    return false;
}

// Does a triangle that looks up have the place inside or on its edges? place: times 3.
static bool covers(const surface_mesh *m, const int32_t *vert, const int64_t place[2])
{
    for (int k = 0; k < 3; k++) {
        int32_t a = vert[k], b = vert[k < 2 ? k + 1 : 0];
        int64_t dx = (int64_t)m->x[b] - m->x[a], dz = (int64_t)m->z[b] - m->z[a];
        if ((place[0] - 3 * (int64_t)m->x[a]) * dz - dx * (place[1] - 3 * (int64_t)m->z[a]) < 0) return false;
    }
    return true;
}

bool nav_surface_is_single(const surface_mesh *m)
{
    int64_t place[2];
    int32_t own;
    if (!find_place(m, place, &own)) return false;
    for (int32_t t = 0; t < m->tri_count + m->steep_count; t++) {
        const int32_t *v = m->vert + 3 * (size_t)t;
        if (!is_near(m, v, 3)) continue;
        if (t < m->tri_count && !nav_surface_looks_up(surface_at(m, v[0]), surface_at(m, v[1]), surface_at(m, v[2])))
            return false;
        if (t != own && covers(m, v, place)) return false;
        for (int k = 0; k < 3; k++)
            if (m->twin[3 * t + k] == SURFACE_NONE && is_near(m, (int32_t[2]){v[k], v[k < 2 ? k + 1 : 0]}, 2))
                return false;
    }
    return true;
}
