#include "tests/bench/sheet_cover.h"

#include "clients/navctl/tile_files/mesh_triangles.h"
#include "core/tile/tile_format.h"
#include "navcore/climb.h"
#include "tests/bench/scenes.h"

#include <math.h>
#include <stdlib.h>

static void add_corner_triangle(tri_space *out, const float *const at[3])
{
    double p[3][3];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) p[c][k] = (double)at[c][k];
    tri_space_add(out, p[0], p[1], p[2]);
}

// About one triangle to a cube, and no smaller than questions are wide.
static void finish(tri_space *s, double radius_m)
{
    double area = 0;
    for (uint32_t i = 0; i < s->count; i++) area += s->tris[i].area;
    tri_space_finish(s, fmin(8, fmax(radius_m, sqrt(area / (s->count + 1.0)))));
}

static void take_scene(const scene *from, tri_space *out)
{
    float *verts;
    uint32_t *tris, vert_count, tri_count;
    bench_scene_flatten(from, &verts, &vert_count, &tris, &tri_count);
    for (uint32_t i = 0; i < tri_count; i++) {
        const float *at[3];
        for (int c = 0; c < 3; c++) at[c] = verts + 3 * (size_t)tris[3 * (size_t)i + (size_t)c];
        add_corner_triangle(out, at);
    }
    free(verts);
    free(tris);
}

static bool take_mesh(const generated *g, tri_space *out)
{
    mesh_triangles m = {0};
    bool ok = true;
    for (uint64_t i = 0; i < g->grids.total && ok; i++) {
        nav_tile_view v;
        if (!g->tiles[i].bytes) continue;
        ok = nav_tile_open(g->tiles[i].bytes, g->tiles[i].size, &v, NULL, 0) == NAV_OK && mesh_triangles_take(&m, &v);
        for (uint32_t t = 0; t < m.tri_count && ok; t++) {
            const uint32_t *corner = m.tris[t];
            const float *at[3] = {m.places[corner[0]], m.places[corner[1]], m.places[corner[2]]};
            add_corner_triangle(out, at);
        }
    }
    mesh_triangles_deinit(&m);
    return ok;
}

stand_limits sheet_limits(const nav_settings *settings, uint32_t samples)
{
    return (stand_limits){.radius_m = (double)settings->agent_radius_m,
                          .height_m = (double)settings->agent_height_m,
                          .tolerance_m = 0.45,
                          .rim_deg = 60,
                          .samples = samples,
                          .seed = 1};
}

bool sheet_cover(const scene *s, const generated *tiles, const stand_limits *limits, const char *name, FILE *missed,
                 stand_report *out)
{
    tri_space of_scene = {0}, of_mesh = {0};
    take_scene(s, &of_scene);
    bool ok = take_mesh(tiles, &of_mesh);
    finish(&of_scene, limits->radius_m);
    finish(&of_mesh, limits->radius_m);
    if (ok) stand_check(&of_scene, &of_mesh, limits, name, missed, out);
    tri_space_deinit(&of_scene);
    tri_space_deinit(&of_mesh);
    return ok;
}

bool sheet_join(const generated *tiles, double inner_deg, uint32_t *parts, uint32_t *seams)
{
    char why[256] = "";
    nav_climb_set *set = NULL;
    bool ok = nav_climb_set_create(inner_deg, &set) == NAV_OK;
    for (uint64_t i = 0; i < tiles->grids.total && ok; i++)
        if (tiles->tiles[i].bytes)
            ok = nav_climb_set_put(set, tiles->tiles[i].bytes, tiles->tiles[i].size, why, sizeof why) == NAV_OK;
    ok = ok && nav_climb_set_join(set) == NAV_OK;
    if (ok) {
        *parts = nav_climb_set_parts(set);
        *seams = nav_climb_set_seams(set);
    } else {
        fprintf(stderr, "bench: sheets cannot be joined: %s\n", why);
    }
    nav_climb_set_destroy(set);
    return ok;
}
