// Fuzz target: floor plans. First byte: 0 to 2: the rest is a file in GeoJSON, WKT or SVG, which is read or refused
// with words. Else: rings on a small grid, which touch and cross in every way, as floors and areas of one height; each
// place is covered once, by whom it should.
#include "clients/navctl/scene/plan_scene.h"
#include "tests/clients/plan_judge.h"

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

static void read_file(plan_format format, const uint8_t *data, size_t size)
{
    char why[512] = "";
    scene s = {0};
    const scene_file file = {.path = "plan", .bytes = data, .count = size};
    if (plan_scene_read(format, &file, 1, &s, why, sizeof why))
        check_scene(&s);
    else if (!why[0])
        fail_on("refused without a word");
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    if (data[0] < 3)
        read_file((plan_format)data[0], data + 1, size - 1);
    else
        cut_rings(data + 1, size - 1);
    return 0;
}
