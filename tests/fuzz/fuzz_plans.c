// Fuzz target: floor plans. First byte: 0 to 2: the rest is a file in GeoJSON, WKT or SVG, which is read or refused
// with words; of what was read the four tiles around its middle are built, with each kind of corner, and neighbours
// agree. 128 and more: rings on a small grid as floors and obstacles of a WKT file, likewise. Else: such rings, which
// touch and cross in every way, as floors and areas of one height; each place is covered once, by whom it should.
#include "clients/navctl/scene/plan_scene.h"
#include "core/geometry/mesh.h"
#include "tests/clients/plan_judge.h"
#include "tests/fuzz/tile_claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail_on(const char *fault)
{
    if (!fault) return;
    fprintf(stderr, "%s\n", fault);
    abort();
}

static void check_scene(const scene *s)
{
    for (uint32_t m = 0; m < s->mesh_count; m++) {
        const scene_mesh *mesh = &s->meshes[m];
        if (mesh->tri_count == 0) fail_on("a mesh without triangles");
        for (uint32_t i = 0; i < 3 * mesh->tri_count; i++)
            if (mesh->tris[i] >= mesh->vert_count) fail_on("a triangle of no vertex");
        for (uint32_t i = 0; i < 3 * mesh->vert_count; i++)
            if (!isfinite(mesh->verts[i])) fail_on("a vertex that is nowhere");
    }
    for (uint32_t i = 0; i < s->instance_count; i++)
        if (s->instances[i].mesh >= s->mesh_count || !s->instances[i].name) fail_on("an instance of nothing");
}

// --- tiles

enum { MOST_TRIANGLES = 2000, TILES = 4 };

static bool make_instances(const scene *s, nav_mesh **meshes, nav_instance *instances)
{
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        const scene_mesh *m = &s->meshes[i];
        if (nav_mesh_create(m->verts, m->vert_count, m->tris, m->tri_count, &meshes[i]) != NAV_OK) return false;
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        instances[i] = (nav_instance){.mesh = meshes[s->instances[i].mesh], .area = s->instances[i].area};
        memcpy(instances[i].transform, s->instances[i].transform, sizeof instances[i].transform);
    }
    return true;
}

// Floors of several areas: where their seam ends on a border, and there is an obstacle, one tile may have a corner
// more.
static bool has_seams(const scene *s)
{
    int area = -1;
    bool seams = false;
    for (uint32_t i = 0; i < s->instance_count; i++) {
        if (s->instances[i].area == NAV_AREA_NONE) continue;
        seams |= area >= 0 && s->instances[i].area != area;
        area = s->instances[i].area;
    }
    return seams;
}

static void check_tiles(const scene *s, const nav_settings *settings, const nav_instance *instances)
{
    nav_arena arenas[TILES];
    nav_tile tiles[TILES];
    bool built[TILES];
    for (int i = 0; i < TILES; i++) {
        const nav_tile_source src = {.settings = settings,
                                     .tile_x = (i & 1) - 1,
                                     .tile_z = i / 2 - 1,
                                     .instances = instances,
                                     .instance_count = s->instance_count};
        nav_arena_init(&arenas[i], 64 << 20);
        built[i] = claim_tile(&src, &arenas[i], &tiles[i]);
    }
    for (int i = 0; i < 2 && !has_seams(s); i++) {
        if (built[2 * i] && built[2 * i + 1])
            claim_border(&tiles[2 * i], NAV_EDGE_PORTAL_XMAX, &tiles[2 * i + 1], NAV_EDGE_PORTAL_XMIN);
        if (built[i] && built[i + 2])
            claim_border(&tiles[i], NAV_EDGE_PORTAL_ZMAX, &tiles[i + 2], NAV_EDGE_PORTAL_ZMIN);
    }
    for (int i = 0; i < TILES; i++) nav_arena_deinit(&arenas[i]);
}

// how: radius, climb, tile, limit of mitres.
static void build_tiles(scene *s, uint8_t how)
{
    static const float radii[] = {0.6f, 0.3f, 0.1f, 2};
    nav_settings settings;
    nav_settings_default(&settings);
    settings.generator = NAV_GENERATOR_SURFACE;
    settings.edge_max_error_cells = how & 32 ? 1.3f : 0;
    settings.agent_radius_m = radii[how & 3];
    settings.agent_climb_m = how & 4 ? 0.4f : 0.9f;
    settings.tile_cells = how & 8 ? 16 : 48;
    settings.mitre_limit = how & 16 ? 5 : 2;
    settings.arc_error_m = how & 64 ? 0.001f : 0;
    scene_measure(s);
    for (int k = 0; k < 3; k += 2) settings.origin_m[k] = floor(((double)s->min[k] + (double)s->max[k]) / 2 * 64) / 64;
    nav_mesh **meshes = calloc((size_t)s->mesh_count + 1, sizeof(nav_mesh *));
    nav_instance *instances = calloc((size_t)s->instance_count + 1, sizeof *instances);
    if (!meshes || !instances) abort();
    bool ok = s->tri_count <= MOST_TRIANGLES && make_instances(s, meshes, instances);
    for (int k = 0; ok && k <= NAV_CORNERS_BEVEL; k++) {
        settings.corners = (nav_corners)k;
        if (nav_settings_check(&settings, NULL, 0) == NAV_OK) check_tiles(s, &settings, instances);
    }
    for (uint32_t i = 0; i < s->mesh_count; i++) nav_mesh_destroy(meshes[i]);
    free(meshes);
    free(instances);
}

static void read_file(plan_format format, const uint8_t *data, size_t size)
{
    char why[512] = "";
    scene s = {0};
    const scene_file file = {.path = "plan", .bytes = data, .count = size};
    if (plan_scene_read(format, &file, 1, &s, why, sizeof why)) {
        check_scene(&s);
        build_tiles(&s, data[size - 1]);
    } else if (!why[0]) {
        fail_on("refused without a word");
    }
    scene_deinit(&s);
}

// Of a feature: kind and rule, then rings of 3 to 10 corners, each a byte of 16 by 16 places.
static void cut_rings(const uint8_t *data, size_t size)
{
    enum { MOST_FEATURES = 4, MOST_RINGS = 3 };
    char why[512] = "";
    uint32_t which[MOST_FEATURES];
    const uint8_t *at = data, *end = data + size;
    plan_features p = {.why = why, .why_bytes = sizeof why};
    plan_triangles t = {0};
    plan_geos geos;
    if (!plan_geos_init(&geos)) abort();
    bool ok = true;
    while (ok && p.count < MOST_FEATURES && end - at > 6) {
        const uint8_t head = *at++;
        which[p.count] = p.count;
        plan_feature *f = plan_add_feature(&p, head & 1 ? PLAN_AREA : PLAN_FLOOR);
        if (!f) abort();
        f->rule = (plan_rule)(head / 2 % 3);
        f->area = 5;
        for (int r = 0; ok && r <= head / 8 % MOST_RINGS && end - at > 5; r++) {
            int corners = 3 + *at++ % 8;
            ok = plan_begin_ring(&p, r > 0 && f->rule == PLAN_POLYGONS && head & 64, false);
            for (; ok && corners > 0 && at < end; corners--, at++)
                ok = plan_add_place(&p, *at % 16, (double)(*at / 16));
            ok = ok && plan_end_ring(&p);
        }
    }
    if (ok && p.count > 0) {
        if (!plan_faces_cut(&p, &geos, which, p.count, &t)) fail_on(why);
        fail_on(plan_judge_triangles(&p, &t, 60, size));
    }
    plan_triangles_deinit(&t);
    plan_features_deinit(&p);
    plan_geos_deinit(&geos);
}

// Of a feature: kind and numbers, how far from the grid, then rings as above, the first of which is no hole. Comments
// at the end are what read_file() builds by.
static void read_rings(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {
        "floor",          "obstacle to_height=2", "obstacle height=0.5 to_height=3", "obstacle to_height=1.2",
        "floor height=3", "area area=7"};
    enum { KINDS = sizeof kinds / sizeof *kinds, MOST_FEATURES = 12 };
    char *text = NULL;
    size_t count = 0;
    const uint8_t *at = data, *end = data + size;
    FILE *f = open_memstream(&text, &count);
    if (!f) abort();
    for (int features = 0; features < MOST_FEATURES && end - at > 6; features++) {
        const uint8_t head = *at++;
        const double off = *at++ / 64.0, step = head & 64 ? 0.73 : 1.5;
        fprintf(f, "%s POLYGON (", kinds[features == 0 ? 0 : head % KINDS]);
        for (int r = 0; r <= head / 32 % 2 && end - at > 5; r++) {
            int corners = 3 + *at++ % 8;
            for (int k = 0; k < corners && at < end; k++, at++)
                fprintf(f, "%s%g %g", k ? ", " : r ? "), (" : "(", *at % 16 * step + off, *at / 16 * step - off / 3);
        }
        fprintf(f, "))\n");
    }
    fprintf(f, "#%c", size ? data[size - 1] | 128 : ' ');
    if (fclose(f) || !text) abort();
    read_file(PLAN_WKT, (const uint8_t *)text, count);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    if (data[0] < 3)
        read_file((plan_format)data[0], data + 1, size - 1);
    else if (data[0] >= 128)
        read_rings(data + 1, size - 1);
    else
        cut_rings(data + 1, size - 1);
    return 0;
}
