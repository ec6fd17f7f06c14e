#include "clients/navctl/tile_files/mesh_triangles.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double most_of(const double v[3])
{
    return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

// The least height of a triangle is to be more than a few steps of its coordinates.
static bool has_area(const float a[3], const float b[3], const float c[3])
{
    double ab[3], ac[3], bc[3], normal[3], at[3];
    for (int k = 0; k < 3; k++) {
        ab[k] = (double)b[k] - (double)a[k];
        ac[k] = (double)c[k] - (double)a[k];
        bc[k] = (double)c[k] - (double)b[k];
        at[k] = fmax(fabs((double)a[k]), fmax(fabs((double)b[k]), fabs((double)c[k])));
    }
    for (int k = 0; k < 3; k++) normal[k] = ab[(k + 1) % 3] * ac[(k + 2) % 3] - ab[(k + 2) % 3] * ac[(k + 1) % 3];
    const double longest = fmax(most_of(ab), fmax(most_of(ac), most_of(bc)));
    const double step = (double)FLT_EPSILON * most_of(at);
    return sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) > 8 * step * longest;
}

static bool make_room(mesh_triangles *m, uint32_t places, uint32_t tris)
{
    if (places > m->place_capacity) {
        float(*grown)[3] = realloc(m->places, places * sizeof *grown);
        if (!grown) return false;
        m->places = grown;
        m->place_capacity = places;
    }
    if (tris > m->tri_capacity) {
        uint32_t(*grown)[3] = realloc(m->tris, tris * sizeof *grown);
        if (!grown) return false;
        m->tris = grown;
        m->tri_capacity = tris;
    }
    return true;
}

bool mesh_triangles_take(mesh_triangles *m, const nav_tile_view *v)
{
    m->place_count = v->vert_count + v->detail_vert_count;
    m->tri_count = 0;
    if (!make_room(m, m->place_count, v->triangle_count)) return false;
    for (uint32_t i = 0; i < m->place_count; i++) nav_tile_get_place(v, i, m->places[i]);
    for (uint32_t i = 0; i < v->triangle_count; i++) {
        uint32_t *t = m->tris[m->tri_count];
        nav_tile_get_triangle(v, i, t);
        m->tri_count += has_area(m->places[t[0]], m->places[t[1]], m->places[t[2]]);
    }
    return true;
}

void mesh_triangles_deinit(mesh_triangles *m)
{
    free(m->places);
    free(m->tris);
    *m = (mesh_triangles){0};
}
