#include "tests/core/heights_world.h"

#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <stdlib.h>

static float wave(uint32_t seed, float x, float z)
{
    float a = (float)(seed % 7 + 1) * 0.07f, b = (float)(seed / 7 % 5 + 1) * 0.11f;
    return sinf(a * x) * cosf(b * z) + 0.3f * sinf(1.7f * b * x + 0.9f * a * z);
}

void heights_world_init(heights_world *w, uint32_t *random, uint32_t most)
{
    static const double spacings[] = {0.13, 0.25, 0.3, 0.5, 0.6, 1, 2.7};
    const uint32_t seed = scene_random(random);
    const float high = scene_random_between(random, 0, 6), rough = seed % 3 ? 0 : 0.4f;
    *w = (heights_world){0};
    nav_heights_spec *s = &w->spec;
    s->columns = 2 + scene_random(random) % (most - 1);
    s->rows = 2 + scene_random(random) % (most - 1);
    s->spacing_m = spacings[scene_random(random) % 7];
    s->first_column = scene_random(random) % 2 ? (int32_t)(scene_random(random) % 100) - 50 : 0;
    s->first_row = scene_random(random) % 2 ? (int32_t)(scene_random(random) % 100) - 50 : 0;
    s->format = scene_random(random) % 2 ? NAV_HEIGHTS_16 : NAV_HEIGHTS_FLOAT;
    s->diagonal = (nav_diagonal)(scene_random(random) % NAV_DIAGONAL_COUNT);
    s->scale_m = s->format == NAV_HEIGHTS_16 ? 0.001 : 1;
    s->offset_m = s->format == NAV_HEIGHTS_16 ? -20 : 0.125;
    const size_t count = (size_t)s->columns * s->rows, cells = (size_t)(s->columns - 1) * (s->rows - 1);
    w->whole = malloc(count * sizeof *w->whole);
    w->floats = malloc(count * sizeof *w->floats);
    for (size_t i = 0; i < count; i++) {
        const float step = (float)s->spacing_m;
        float y = high * wave(seed, step * (float)(i % s->columns), step * (float)(i / s->columns));
        if (seed % 5 == 0) y = floorf(y); // steps
        y += rough * scene_random_between(random, -1, 1);
        w->floats[i] = y;
        w->whole[i] = (uint16_t)lroundf((y + 20) * 1000);
    }
    s->samples = s->format == NAV_HEIGHTS_16 ? (const void *)w->whole : w->floats;
    if (scene_random(random) % 3 == 0) return;
    w->areas = malloc(cells);
    for (size_t i = 0; i < cells; i++) {
        static const uint8_t some[] = {NAV_AREA_HOLE, 0, 1, 5, 63, NAV_AREA_INHERIT};
        const uint8_t kind =
            (uint8_t)(wave(seed + 3, (float)(i % (s->columns - 1)), (float)(i / (s->columns - 1))) * 8);
        w->areas[i] = kind < 6 && seed % 2 ? some[kind] : scene_random(random) % 50 ? NAV_AREA_INHERIT : NAV_AREA_HOLE;
    }
    s->areas = w->areas;
}

void heights_world_deinit(heights_world *w)
{
    free(w->whole);
    free(w->floats);
    free(w->areas);
    *w = (heights_world){0};
}

nav_mesh *heights_world_triangles(const heights_world *w)
{
    const nav_heights_spec *s = &w->spec;
    const uint32_t n = s->columns;
    scene out = {0};
    uint8_t *areas = malloc(2 * (size_t)(s->columns - 1) * (s->rows - 1));
    float(*verts)[3] = malloc((size_t)s->columns * s->rows * sizeof *verts);
    for (uint32_t i = 0; i < s->columns * s->rows; i++) {
        double raw = s->format == NAV_HEIGHTS_16 ? w->whole[i] : (double)w->floats[i];
        verts[i][0] = (float)((s->first_column + (double)(i % n)) * s->spacing_m);
        verts[i][1] = (float)(s->offset_m + s->scale_m * raw);
        verts[i][2] = (float)((s->first_row + (double)(i / n)) * s->spacing_m);
    }
    for (uint32_t r = 0; r + 1 < s->rows; r++)
        for (uint32_t c = 0; c + 1 < n; c++) {
            const uint8_t area = w->areas ? w->areas[r * (n - 1) + c] : NAV_AREA_INHERIT;
            const float *a = verts[r * n + c], *b = verts[r * n + c + 1], *d = verts[(r + 1) * n + c],
                        *e = verts[(r + 1) * n + c + 1];
            bool even = (s->first_column + (int32_t)c + s->first_row + (int32_t)r) % 2 == 0, forward = true;
            if (area == NAV_AREA_HOLE) continue;
            if (s->diagonal == NAV_DIAGONAL_BACKWARD) forward = false;
            if (s->diagonal == NAV_DIAGONAL_ALTERNATING) forward = even;
            if (s->diagonal == NAV_DIAGONAL_SHORTER) forward = fabsf(e[1] - a[1]) <= fabsf(d[1] - b[1]);
            scene_triangle(&out, a, d, forward ? e : b);
            scene_triangle(&out, forward ? a : b, forward ? e : d, forward ? b : e);
            areas[out.tri_count - 1] = areas[out.tri_count - 2] = area;
        }
    nav_mesh *m = scene_mesh_with_areas(&out, w->areas ? areas : NULL);
    scene_free(&out);
    free(verts);
    free(areas);
    return m;
}
