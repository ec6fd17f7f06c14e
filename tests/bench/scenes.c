#include "tests/bench/scenes.h"

#include "navcore/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096 }; // operations of an edit

static const double PI = 3.14159265358979;

static const float IDENTITY[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static void *grow(void *p, size_t count, size_t size)
{
    void *r = realloc(p, count ? count * size : size);
    if (!r) {
        fprintf(stderr, "bench: no memory for a scene\n");
        exit(1);
    }
    return r;
}

// --- building ---

static uint32_t add_mesh(scene *s, uint32_t verts, uint32_t tris)
{
    s->meshes = grow(s->meshes, s->mesh_count + 1, sizeof *s->meshes);
    s->meshes[s->mesh_count] =
        (scene_mesh){.verts = grow(NULL, verts, 3 * sizeof(float)), .tris = grow(NULL, tris, 3 * sizeof(uint32_t))};
    return s->mesh_count++;
}

static void add_vert(scene_mesh *m, double x, double y, double z)
{
    float *v = m->verts + 3 * (size_t)m->vert_count++;
    v[0] = (float)x;
    v[1] = (float)y;
    v[2] = (float)z;
}

static void add_tri(scene_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = m->tris + 3 * (size_t)m->tri_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void add_instance(scene *s, uint32_t mesh, const float transform[12])
{
    if ((s->instance_count & (s->instance_count - 1)) == 0) {
        s->instances = grow(s->instances, s->instance_count ? 2 * (size_t)s->instance_count : 1, sizeof *s->instances);
    }
    scene_instance *i = &s->instances[s->instance_count];
    *i = (scene_instance){.name = grow(NULL, 16, 1), .mesh = mesh, .area = NAV_AREA_DEFAULT};
    snprintf(i->name, 16, "%u", s->instance_count++);
    memcpy(i->transform, transform, sizeof i->transform);
}

static void apply(const float t[12], const float *v, float out[3])
{
    for (int k = 0; k < 3; k++) out[k] = t[4 * k] * v[0] + t[4 * k + 1] * v[1] + t[4 * k + 2] * v[2] + t[4 * k + 3];
}

static void finish(scene *s)
{
    s->tri_count = 0;
    for (int k = 0; k < 3; k++) {
        s->min[k] = INFINITY;
        s->max[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        const scene_mesh *m = &s->meshes[s->instances[i].mesh];
        s->tri_count += m->tri_count;
        for (uint32_t v = 0; v < m->vert_count; v++) {
            float p[3];
            apply(s->instances[i].transform, m->verts + 3 * (size_t)v, p);
            for (int k = 0; k < 3; k++) {
                s->min[k] = fminf(s->min[k], p[k]);
                s->max[k] = fmaxf(s->max[k], p[k]);
            }
        }
    }
}

// A grid of quads in x and z; y by a function of x and z.
static uint32_t add_grid(scene *s, uint32_t quads, double step, double (*height)(void *user, double x, double z),
                         void *user)
{
    uint32_t row = quads + 1, index = add_mesh(s, row * row, 2 * quads * quads);
    scene_mesh *m = &s->meshes[index];
    for (uint32_t z = 0; z < row; z++) {
        for (uint32_t x = 0; x < row; x++) add_vert(m, x * step, height(user, x * step, z * step), z * step);
    }
    for (uint32_t z = 0; z < quads; z++) {
        for (uint32_t x = 0; x < quads; x++) {
            uint32_t a = z * row + x;
            add_tri(m, a, a + row, a + row + 1);
            add_tri(m, a, a + row + 1, a + 1);
        }
    }
    return index;
}

static double flat(void *user, double x, double z)
{
    (void)user;
    (void)x;
    (void)z;
    return 0;
}

// -1..1 in x and z, 0..1 in y.
static uint32_t add_unit_box(scene *s)
{
    static const uint8_t tris[12][3] = {{4, 7, 6}, {4, 6, 5}, {0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1},
                                        {1, 5, 6}, {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};
    uint32_t index = add_mesh(s, 8, 12);
    scene_mesh *m = &s->meshes[index];
    for (int y = 0; y < 2; y++) {
        add_vert(m, -1, y, -1);
        add_vert(m, 1, y, -1);
        add_vert(m, 1, y, 1);
        add_vert(m, -1, y, 1);
    }
    for (int i = 0; i < 12; i++) add_tri(m, tris[i][0], tris[i][1], tris[i][2]);
    return index;
}

static void place(float t[12], double x, double y, double z, double sx, double sy, double sz, double angle)
{
    double c = cos(angle), n = sin(angle);
    const double r[12] = {c * sx, 0, n * sz, x, 0, sy, 0, y, -n * sx, 0, c * sz, z};
    for (int k = 0; k < 12; k++) t[k] = (float)r[k];
}

// --- the scenes ---

void bench_city_place(bench_random *r, double side_m, float t[12])
{
    static const double heights[] = {0.3, 0.6, 1.5, 3, 12};
    double x = bench_random_in(r, 0, side_m), z = bench_random_in(r, 0, side_m);
    double sx = bench_random_in(r, 0.3, 6), sz = bench_random_in(r, 0.3, 6);
    double sy = heights[(int)bench_random_in(r, 0, 5)];
    place(t, x, 0, z, sx, sy, sz, bench_random_in(r, 0, PI));
}

void bench_scene_city(scene *out, uint32_t boxes, double side_m)
{
    bench_random r = {1};
    uint32_t quads = (uint32_t)(side_m / 8) + 1;
    *out = (scene){0};
    add_instance(out, add_grid(out, quads, side_m / quads, flat, NULL), IDENTITY);
    uint32_t box = add_unit_box(out);
    for (uint32_t i = 0; i < boxes; i++) {
        float t[12];
        bench_city_place(&r, side_m, t);
        add_instance(out, box, t);
    }
    finish(out);
}

void bench_scene_boxes(scene *out, const bench_box *boxes, uint32_t count)
{
    *out = (scene){0};
    uint32_t mesh = add_unit_box(out);
    for (uint32_t i = 0; i < count; i++) {
        const bench_box *b = &boxes[i];
        float t[12];
        place(t, b->x, b->low, b->z, b->half_x, b->high - b->low, b->half_z, b->angle);
        add_instance(out, mesh, t);
    }
    finish(out);
}

void bench_scene_triangles(scene *out, const tri_list *tris)
{
    *out = (scene){0};
    uint32_t index = add_mesh(out, 3 * tris->count, tris->count);
    scene_mesh *m = &out->meshes[index];
    for (uint32_t i = 0; i < tris->count; i++) {
        const float *t = tris->tri[i];
        for (int c = 0; c < 3; c++) add_vert(m, (double)t[3 * c], (double)t[3 * c + 1], (double)t[3 * c + 2]);
        add_tri(m, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    add_instance(out, index, IDENTITY);
    finish(out);
}

void bench_scene_mesh(scene *out, const double (*verts)[3], uint32_t vert_count, const uint32_t (*tris)[3],
                      uint32_t tri_count)
{
    *out = (scene){0};
    uint32_t index = add_mesh(out, vert_count, tri_count);
    scene_mesh *m = &out->meshes[index];
    for (uint32_t i = 0; i < vert_count; i++) add_vert(m, verts[i][0], verts[i][1], verts[i][2]);
    for (uint32_t i = 0; i < tri_count; i++) add_tri(m, tris[i][0], tris[i][1], tris[i][2]);
    add_instance(out, index, IDENTITY);
    finish(out);
}

void bench_scene_add_boxes(scene *s, uint32_t boxes, double side_m)
{
    bench_random r = {1};
    uint32_t box = add_unit_box(s);
    for (uint32_t i = 0; i < boxes; i++) {
        float t[12];
        bench_city_place(&r, side_m, t);
        t[3] += s->min[0];
        t[11] += s->min[2];
        add_instance(s, box, t);
    }
    finish(s);
}

enum { WAVES = 9 };

typedef struct hills {
    double x[WAVES], z[WAVES], phase[WAVES], size[WAVES];
} hills;

static double hill_height(void *user, double x, double z)
{
    const hills *h = user;
    double y = 0;
    for (int i = 0; i < WAVES; i++) y += h->size[i] * sin(h->x[i] * x + h->z[i] * z + h->phase[i]);
    return y;
}

static void make_hills(hills *h, uint64_t seed, double longest_m, double amplitude_m)
{
    bench_random r = {seed};
    for (int i = 0; i < WAVES; i++) {
        double turn = bench_random_in(&r, 0, 2 * PI), k = 2 * PI / longest_m * pow(1.9, i);
        h->x[i] = k * cos(turn);
        h->z[i] = k * sin(turn);
        h->phase[i] = bench_random_in(&r, 0, 2 * PI);
        h->size[i] = amplitude_m * pow(0.55, i);
    }
}

void bench_scene_terrain(scene *out, uint32_t quads, double step_m, double amplitude_m)
{
    hills h;
    make_hills(&h, 2, 1200, amplitude_m);
    *out = (scene){0};
    add_instance(out, add_grid(out, quads, step_m, hill_height, &h), IDENTITY);
    finish(out);
}

static void add_slab(scene *s, uint32_t box, double x0, double x1, double y0, double y1, double z0, double z1)
{
    float t[12];
    place(t, (x0 + x1) / 2, y0, (z0 + z1) / 2, (x1 - x0) / 2, y1 - y0, (z1 - z0) / 2, 0);
    add_instance(s, box, t);
}

void bench_scene_hall(scene *out, uint32_t storeys, double side_m)
{
    // Every storey is a slab with a slot along one side, in which a ramp leads up from the storey below; the slot's
    // side alternates. Walls cross the floor every 12 m, with a door each 12 m; pillars stand between them.
    const double rise = 4, slot = 4, thick = 0.3;
    bench_random r = {3};
    *out = (scene){0};
    uint32_t box = add_unit_box(out);
    for (uint32_t f = 0; f < storeys; f++) {
        double y = f * rise;
        bool left = f % 2 == 0;
        add_slab(out, box, f && left ? slot : 0, f && !left ? side_m - slot : side_m, y - thick, y, 0, side_m);
        if (f && left) add_slab(out, box, 0, slot, y - thick, y, side_m * 0.7, side_m);
        if (f && !left) add_slab(out, box, side_m - slot, side_m, y - thick, y, side_m * 0.7, side_m);
        if (f + 1 == storeys) break;
        float ramp[12]; // sheared, so that its ends are level with both floors
        double run = side_m * 0.7 - 4;
        place(ramp, left ? side_m - slot / 2 : slot / 2, y - thick + rise / 2, 4 + run / 2, slot / 2, thick, run / 2,
              0);
        ramp[6] = (float)(rise / 2);
        add_instance(out, box, ramp);
        for (double at = 12; at < side_m; at += 12) {
            for (double door = 6; door < side_m - slot; door += 12) {
                add_slab(out, box, door + 1, door + 11, y, y + rise - thick, at - 0.15, at + 0.15);
            }
        }
        for (int i = 0; i < (int)(side_m * side_m / 60); i++) {
            double x = bench_random_in(&r, slot, side_m - slot), z = bench_random_in(&r, 0, side_m);
            double half = bench_random_in(&r, 0.2, 0.6), tall = bench_random_in(&r, 0.4, rise - thick);
            float t[12];
            place(t, x, y, z, half, tall, half, bench_random_in(&r, 0, PI));
            add_instance(out, box, t);
        }
    }
    finish(out);
}

// A ball of radius 1 in rings and slices.
static uint32_t add_ball(scene *s, uint32_t rings, uint32_t slices)
{
    uint32_t index = add_mesh(s, (rings + 1) * slices, 2 * rings * slices);
    scene_mesh *m = &s->meshes[index];
    for (uint32_t r = 0; r <= rings; r++) {
        for (uint32_t k = 0; k < slices; k++) {
            double up = PI * r / rings, round = 2 * PI * k / slices;
            add_vert(m, sin(up) * cos(round), cos(up), sin(up) * sin(round));
        }
    }
    for (uint32_t r = 0; r < rings; r++) {
        for (uint32_t k = 0; k < slices; k++) {
            uint32_t a = r * slices + k, b = r * slices + (k + 1) % slices;
            add_tri(m, a, b, b + slices);
            add_tri(m, a, b + slices, a + slices);
        }
    }
    return index;
}

void bench_scene_clutter(scene *out, uint32_t stones, double side_m)
{
    bench_random r = {4};
    hills h;
    make_hills(&h, 5, 60, 1.2);
    *out = (scene){0};
    uint32_t quads = (uint32_t)(side_m / 0.25);
    add_instance(out, add_grid(out, quads, side_m / quads, hill_height, &h), IDENTITY);
    uint32_t ball = add_ball(out, 16, 24);
    for (uint32_t i = 0; i < stones; i++) {
        double x = bench_random_in(&r, 0, side_m), z = bench_random_in(&r, 0, side_m);
        double sx = bench_random_in(&r, 0.2, 1.5), sy = bench_random_in(&r, 0.1, 1.2),
               sz = bench_random_in(&r, 0.2, 1.5);
        float t[12];
        place(t, x, hill_height(&h, x, z), z, sx, sy, sz, bench_random_in(&r, 0, PI));
        add_instance(out, ball, t);
    }
    finish(out);
}

bool bench_scene_named(const char *name, scene *out)
{
    if (!strcmp(name, "city1km"))
        bench_scene_city(out, 20000, 1000);
    else if (!strcmp(name, "city300m"))
        bench_scene_city(out, 1800, 300);
    else if (!strcmp(name, "terrain2km"))
        bench_scene_terrain(out, 1000, 2, 50);
    else if (!strcmp(name, "terrain500m"))
        bench_scene_terrain(out, 250, 2, 50);
    else if (!strcmp(name, "hall"))
        bench_scene_hall(out, 6, 72);
    else if (!strcmp(name, "clutter"))
        bench_scene_clutter(out, 900, 96);
    else
        return false;
    return true;
}

bool bench_scene_write(const scene *s, const char *path)
{
    FILE *f = fopen(path, "w");
    uint32_t base = 1;
    for (uint32_t i = 0; f && i < s->instance_count; i++) {
        const scene_mesh *m = &s->meshes[s->instances[i].mesh];
        for (uint32_t v = 0; v < m->vert_count; v++) {
            float p[3];
            apply(s->instances[i].transform, m->verts + 3 * (size_t)v, p);
            fprintf(f, "v %.3f %.3f %.3f\n", (double)p[0], (double)p[1], (double)p[2]);
        }
        for (uint32_t t = 0; t < m->tri_count; t++) {
            const uint32_t *v = m->tris + 3 * (size_t)t;
            fprintf(f, "f %u %u %u\n", base + v[0], base + v[1], base + v[2]);
        }
        base += m->vert_count;
    }
    if (f && fclose(f) == 0) return true;
    fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

navd_status bench_scene_send(const scene *from, navd_client *c, uint64_t world)
{
    navd_key *keys = calloc(from->mesh_count, sizeof *keys);
    navd_operation *ops = calloc(BATCH, sizeof *ops);
    navd_status s = keys && ops ? NAVD_OK : NAVD_ERR_MEMORY;
    for (uint32_t i = 0; s == NAVD_OK && i < from->mesh_count; i++) {
        const scene_mesh *m = &from->meshes[i];
        const navd_mesh mesh = {m->verts, m->vert_count, m->tris, m->tri_count, NULL, NULL};
        keys[i] = navd_mesh_hash(&mesh);
        s = navd_mesh_put(c, &mesh, NULL, NULL, NULL);
    }
    size_t n = 0;
    for (uint32_t i = 0; s == NAVD_OK && i < from->instance_count; i++) {
        navd_operation *op = &ops[n++];
        *op = (navd_operation){.kind = NAVD_PUT_INSTANCE, .id = i};
        op->u.instance.mesh = keys[from->instances[i].mesh];
        op->u.instance.area = from->instances[i].area;
        memcpy(op->u.instance.transform, from->instances[i].transform, sizeof op->u.instance.transform);
        if (n < BATCH && i + 1 < from->instance_count) continue;
        navd_edit_result r;
        s = navd_edit(c, world, NULL, ops, n, &r);
        n = 0;
    }
    free(keys);
    free(ops);
    return s;
}

void bench_scene_flatten(const scene *s, float **verts, uint32_t *vert_count, uint32_t **tris, uint32_t *tri_count)
{
    size_t all_verts = 0;
    for (uint32_t i = 0; i < s->instance_count; i++) all_verts += s->meshes[s->instances[i].mesh].vert_count;
    *verts = grow(NULL, all_verts, 3 * sizeof(float));
    *tris = grow(NULL, s->tri_count, 3 * sizeof(uint32_t));
    *vert_count = *tri_count = 0;
    for (uint32_t i = 0; i < s->instance_count; i++) {
        const scene_mesh *m = &s->meshes[s->instances[i].mesh];
        uint32_t base = *vert_count;
        for (uint32_t v = 0; v < m->vert_count; v++) {
            apply(s->instances[i].transform, m->verts + 3 * (size_t)v, *verts + 3 * (size_t)(*vert_count)++);
        }
        for (uint32_t t = 0; t < 3 * m->tri_count; t++) (*tris)[3 * (size_t)*tri_count + t] = base + m->tris[t];
        *tri_count += m->tri_count;
    }
}
