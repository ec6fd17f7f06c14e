#include "tests/core/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void scene_free(scene *s)
{
    free(s->verts);
    free(s->tris);
    memset(s, 0, sizeof *s);
}

static uint32_t add_vertex(scene *s, const float p[3])
{
    if (s->vert_count == s->vert_capacity) {
        s->vert_capacity = s->vert_capacity ? 2 * s->vert_capacity : 64;
        s->verts = realloc(s->verts, s->vert_capacity * 12);
    }
    memcpy(s->verts + 3 * s->vert_count, p, 12);
    return s->vert_count++;
}

static void add_face(scene *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (s->tri_count == s->tri_capacity) {
        s->tri_capacity = s->tri_capacity ? 2 * s->tri_capacity : 64;
        s->tris = realloc(s->tris, s->tri_capacity * 12);
    }
    uint32_t t[3] = {a, b, c};
    memcpy(s->tris + 3 * s->tri_count++, t, 12);
}

void scene_triangle(scene *s, const float a[3], const float b[3], const float c[3])
{
    uint32_t i = add_vertex(s, a), j = add_vertex(s, b), k = add_vertex(s, c);
    add_face(s, i, j, k);
}

void scene_floor(scene *s, float x0, float z0, float x1, float z1, float y)
{
    float p[4][3] = {{x0, y, z0}, {x0, y, z1}, {x1, y, z1}, {x1, y, z0}};
    uint32_t v[4];
    for (int i = 0; i < 4; i++) v[i] = add_vertex(s, p[i]);
    add_face(s, v[0], v[1], v[2]);
    add_face(s, v[0], v[2], v[3]);
}

void scene_box(scene *s, float x0, float y0, float z0, float x1, float y1, float z1, float cosine, float sine)
{
    static const int faces[6][4] = {{4, 7, 6, 5}, {0, 1, 2, 3}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
    float cx = (x0 + x1) / 2, cz = (z0 + z1) / 2, hx = (x1 - x0) / 2, hz = (z1 - z0) / 2;
    float sx[4] = {-hx, hx, hx, -hx}, sz[4] = {-hz, -hz, hz, hz};
    uint32_t v[8];
    for (int i = 0; i < 8; i++) {
        float dx = sx[i & 3], dz = sz[i & 3];
        float p[3] = {cx + dx * cosine - dz * sine, i < 4 ? y0 : y1, cz + dx * sine + dz * cosine};
        v[i] = add_vertex(s, p);
    }
    for (int f = 0; f < 6; f++) {
        add_face(s, v[faces[f][0]], v[faces[f][1]], v[faces[f][2]]);
        add_face(s, v[faces[f][0]], v[faces[f][2]], v[faces[f][3]]);
    }
}

void scene_hills(scene *s, int n, float size, float height)
{
    uint32_t base = s->vert_count;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            float x = (float)i * size, z = (float)j * size;
            // Waves made of triangles and parabolas: the same on every C library.
            float u = fmodf(x, 16) / 8 - 1, w = fmodf(z, 12) / 6 - 1;
            float p[3] = {x, height * (1 - u * u) * (1 - w * w), z};
            add_vertex(s, p);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            uint32_t b = base + (uint32_t)(j * (n + 1) + i), w = (uint32_t)n + 1;
            add_face(s, b, b + w, b + 1);
            add_face(s, b + 1, b + w, b + w + 1);
        }
}

nav_mesh *scene_mesh_with_areas(const scene *s, const uint8_t *areas)
{
    nav_mesh *m;
    nav_status status = nav_mesh_create_with_areas(NULL, s->verts, s->vert_count, s->tris, s->tri_count, areas, &m);
    if (status != NAV_OK) abort();
    return m;
}

nav_mesh *scene_mesh(const scene *s)
{
    return scene_mesh_with_areas(s, NULL);
}

uint32_t scene_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

float scene_random_between(uint32_t *state, float low, float high)
{
    return low + (high - low) * ((float)(scene_random(state) >> 8) * (1.0f / 16777216.0f));
}
