#include "tests/bench/sheet_scenes.h"
#include "tests/bench/scenes.h"
#include "tests/bench/sheet_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979;

const char *const sheet_scene_names[SHEET_SCENES] = {"room",     "pipe",  "torus", "asteroid",
                                                     "corridor", "boxes", "escher"};

static void finish(sheet_mesh *m, scene *out)
{
    bench_scene_mesh(out, m->verts, m->vert_count, m->tris, m->tri_count);
    sheet_mesh_deinit(m);
}

static void turn_about(int axis, double angle, double p[3])
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const double c = cos(angle), s = sin(angle), x = p[a], y = p[b];
    p[a] = c * x - s * y;
    p[b] = s * x + c * y;
}

// --- boxes

typedef struct turned_box {
    double middle[3], half[3], angle[3]; // radians, about x, then y, then z
} turned_box;

// Which of its faces a box has: bit 2 * axis the one below, the next the one above.
enum { ALL_FACES = 63, NO_BOTTOM = 63 & ~4, NO_BOTTOM_NOR_TOP = 63 & ~(4 | 8) };

static void add_box(sheet_mesh *m, const turned_box *b, int faces, bool inwards)
{
    uint32_t corner[8];
    for (int i = 0; i < 8; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = (i >> k & 1 ? 1 : -1) * b->half[k];
        for (int k = 0; k < 3; k++) turn_about(k, b->angle[k], p);
        for (int k = 0; k < 3; k++) p[k] += b->middle[k];
        corner[i] = sheet_mesh_vert(m, p);
    }
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++) {
            if (!(faces >> (2 * axis + side) & 1)) continue;
            const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, at = side << axis;
            const bool flip = (side == 0) != inwards;
            const uint32_t a = corner[at], c = corner[at | u | v];
            sheet_mesh_quad(m, a, corner[flip ? at | v : at | u], c, corner[flip ? at | u : at | v]);
        }
}

void sheet_scene_room(scene *out, double side)
{
    sheet_mesh m = {0};
    const double half[3] = {side / 2, side * 0.2, side * 0.35};
    add_box(&m, &(turned_box){.middle = {0, half[1], 0}, .half = {half[0], half[1], half[2]}}, ALL_FACES, true);
    add_box(&m, &(turned_box){.middle = {side * 0.2, half[1], side * 0.05}, .half = {0.5, half[1], 0.55}},
            NO_BOTTOM_NOR_TOP, false);
    add_box(&m, &(turned_box){.middle = {side * -0.22, 0.9, side * 0.06}, .half = {1.6, 0.9, 2}, .angle = {0, 0.5, 0}},
            NO_BOTTOM, false);
    finish(&m, out);
}

void sheet_scene_boxes(scene *out, uint32_t boxes, uint64_t seed)
{
    enum { APART = 14 };
    sheet_mesh m = {0};
    bench_random r = {seed};
    const uint32_t row = (uint32_t)ceil(sqrt(boxes));
    const double ground[4][3] = {
        {-APART, 0, -APART}, {-APART, 0, row * APART}, {row * APART, 0, row * APART}, {row * APART, 0, -APART}};
    uint32_t corner[4];
    for (int i = 0; i < 4; i++) corner[i] = sheet_mesh_vert(&m, ground[i]);
    sheet_mesh_quad(&m, corner[0], corner[1], corner[2], corner[3]);
    for (uint32_t i = 0; i < boxes; i++) {
        turned_box b = {{i % row * (double)APART, 0, i / row * (double)APART}, {0}, {0}};
        for (int k = 0; k < 3; k++) b.half[k] = bench_random_in(&r, 1.5, 3.5);
        for (int k = 0; k < 3; k++) b.angle[k] = bench_random_in(&r, 5, 85) * PI / 180;
        // Every other one stands in the floor, with at most half of it below; the others float clear of it.
        b.middle[1] = i % 2 ? bench_random_in(&r, 9, 12) : bench_random_in(&r, 0.5, 2.5);
        add_box(&m, &b, ALL_FACES, false);
    }
    finish(&m, out);
}

void sheet_scene_escher(scene *out, double side)
{
    // Around the z axis: along the floor to x+, up the wall, back along the ceiling, down the other wall. Each flight
    // begins level with the face that it lies on and rises by half of what would block the agent on the next.
    enum { STEPS = 12 };
    sheet_mesh m = {0};
    const double half = side / 2, run = side / 2 / STEPS, rise = 0.25;
    add_box(&m, &(turned_box){.half = {half, half, half}}, ALL_FACES, true);
    for (int flight = 0; flight < 4; flight++)
        for (int i = 0; i < STEPS; i++) {
            turned_box b = {.half = {run / 2, (i + 1) * rise / 2, 2}, .angle = {0, 0, flight * PI / 2}};
            double p[3] = {-half / 2 + (i + 0.5) * run, -half + b.half[1], 0};
            turn_about(2, b.angle[2], p);
            memcpy(b.middle, p, sizeof p);
            add_box(&m, &b, NO_BOTTOM, false);
        }
    finish(&m, out);
}

// --- rings

static void unit(double v[3])
{
    const double l = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] /= l;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    const double r[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, r, sizeof r);
}

// Triangles between two rings of as many vertices. outwards: as seen from a middle around which `a` to `b` goes along
// a right-handed thumb.
static void join_rings(sheet_mesh *m, const uint32_t *a, const uint32_t *b, uint32_t count, bool outwards)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = (i + 1) % count;
        if (outwards)
            sheet_mesh_quad(m, a[i], a[k], b[k], b[i]);
        else
            sheet_mesh_quad(m, a[i], b[i], b[k], a[k]);
    }
}

// A ring's inside as a fan around its middle. along: it is seen from where the thumb points.
static void add_cap(sheet_mesh *m, const uint32_t *ring, uint32_t count, const double middle[3], bool along)
{
    const uint32_t centre = sheet_mesh_vert(m, middle);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = (i + 1) % count;
        sheet_mesh_tri(m, centre, along ? ring[i] : ring[k], along ? ring[k] : ring[i]);
    }
}

typedef struct bends {
    double size[3][3], phase[3][3]; // of each axis, three waves
} bends;

static void bend_at(const bends *b, double length, double s, double out[3])
{
    out[0] = s * length;
    out[1] = out[2] = 0;
    for (int k = 1; k < 3; k++)
        for (int w = 0; w < 3; w++) out[k] += b->size[k][w] * sin((w + 1) * PI * s + b->phase[k][w]);
}

void sheet_scene_pipe(scene *out, double length, double radius, uint64_t seed)
{
    enum { SIDES = 24 };
    sheet_mesh m = {0};
    bench_random r = {seed};
    const double most = fmin(1, length / (30 * radius)); // of the bends: none is so tight that the pipe folds
    bends b = {{{0}}, {{0}}};
    for (int k = 1; k < 3; k++)
        for (int w = 0; w < 3; w++) {
            b.size[k][w] = bench_random_in(&r, 0.1, 0.28) * most * length / (w + 1);
            b.phase[k][w] = bench_random_in(&r, 0, 2 * PI);
        }
    const uint32_t rings = (uint32_t)(length / radius * 3) + 2;
    uint32_t ring[2][SIDES];
    double across[3] = {0, 1, 0}, first[3] = {0}, middle[3] = {0};
    for (uint32_t i = 0; i < rings; i++) {
        double before[3], after[3], along[3], up[3];
        const double s = (double)i / (rings - 1), step = 1e-4;
        bend_at(&b, length, s, middle);
        bend_at(&b, length, s - step, before);
        bend_at(&b, length, s + step, after);
        for (int k = 0; k < 3; k++) along[k] = after[k] - before[k];
        unit(along);
        cross(along, across, up); // the ring before it is carried on, so that the pipe does not twist
        unit(up);
        cross(up, along, across);
        memcpy(ring[0], ring[1], sizeof ring[0]);
        for (int k = 0; k < SIDES; k++) {
            double p[3];
            const double c = cos(2 * PI * k / SIDES) * radius, n = sin(2 * PI * k / SIDES) * radius;
            for (int q = 0; q < 3; q++) p[q] = middle[q] + c * across[q] + n * up[q];
            ring[1][k] = sheet_mesh_vert(&m, p);
        }
        if (i == 0) {
            memcpy(first, middle, sizeof first);
            add_cap(&m, ring[1], SIDES, first, true);
        } else {
            join_rings(&m, ring[0], ring[1], SIDES, false);
        }
    }
    add_cap(&m, ring[1], SIDES, middle, false);
    finish(&m, out);
}

void sheet_scene_torus(scene *out, double ring_m, double tube_m)
{
    enum { AROUND = 96, SIDES = 36 };
    sheet_mesh m = {0};
    uint32_t ring[AROUND + 1][SIDES];
    for (int i = 0; i < AROUND; i++)
        for (int k = 0; k < SIDES; k++) {
            const double round = 2 * PI * i / AROUND, side = 2 * PI * k / SIDES;
            const double out_m = ring_m + tube_m * cos(side);
            double p[3] = {out_m * cos(round), tube_m * sin(side), out_m * sin(round)};
            turn_about(0, 0.35, p); // no axis of the world is its own
            turn_about(2, 0.2, p);
            ring[i][k] = sheet_mesh_vert(&m, p);
        }
    memcpy(ring[AROUND], ring[0], sizeof ring[0]);
    for (int i = 0; i < AROUND; i++) join_rings(&m, ring[i], ring[i + 1], SIDES, true);
    finish(&m, out);
}

void sheet_scene_corridor(scene *out, double length, uint32_t ribs)
{
    // Along z: rings of eight corners, wide ones for the hull, narrower ones for the ribs.
    enum { SIDES = 8 };
    static const double section[SIDES][2] = {{2.5, -1}, {2.5, 1},   {1.5, 2},   {-1.5, 2},
                                             {-2.5, 1}, {-2.5, -1}, {-1.5, -2}, {1.5, -2}};
    const double deep = 0.3, thick = 0.4, apart = length / (ribs + 1);
    sheet_mesh m = {0};
    uint32_t ring[2][SIDES];
    for (uint32_t i = 0; i < 4 * ribs + 2; i++) {
        const uint32_t rib = (i + 3) / 4, edge = (i + 3) % 4; // of rib: begin, begin within, end within, end
        const bool is_end = i == 0 || i == 4 * ribs + 1, is_within = !is_end && (edge == 1 || edge == 2);
        const double z = is_end ? (i ? length : 0) : rib * apart + (edge < 2 ? -thick / 2 : thick / 2);
        memcpy(ring[0], ring[1], sizeof ring[0]);
        for (int k = 0; k < SIDES; k++) {
            const double scale = is_within ? 1 - deep / 2 : 1;
            ring[1][k] = sheet_mesh_vert(&m, (double[3]){section[k][0] * scale, section[k][1] * scale, z});
        }
        if (i)
            join_rings(&m, ring[0], ring[1], SIDES, false);
        else
            add_cap(&m, ring[1], SIDES, (double[3]){0, 0, 0}, true);
    }
    add_cap(&m, ring[1], SIDES, (double[3]){0, 0, length}, false);
    finish(&m, out);
}

// --- a ball with noise

enum { LUMPS = 40 };

typedef struct lumps {
    double way[LUMPS][3], height[LUMPS], width[LUMPS];
} lumps;

// Hills and craters around random directions, and waves over all.
static double lump_height(const lumps *l, const double p[3])
{
    double h = 0.012 * (sin(7 * p[0] + 2) + sin(8 * p[1] + 3 * p[2]) + sin(9 * p[2] - 2 * p[0])) +
               0.003 * (sin(31 * p[0] + 5 * p[1]) + sin(37 * p[1] - 4) + sin(29 * p[2] + 9 * p[0]));
    for (int i = 0; i < LUMPS; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) d2 += (p[k] - l->way[i][k]) * (p[k] - l->way[i][k]);
        h += l->height[i] * exp(-d2 / (l->width[i] * l->width[i]));
    }
    return h;
}

// The vertex between two of the ball's, made once.
static uint32_t middle_of(sheet_mesh *m, uint32_t a, uint32_t b)
{
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = m->verts[a][k] + m->verts[b][k];
    unit(p);
    return sheet_mesh_vert_between(m, a, b, p);
}

static void subdivide(sheet_mesh *m)
{
    const uint32_t count = m->tri_count;
    sheet_mesh_forget_betweens(m);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t a = m->tris[i][0], b = m->tris[i][1], c = m->tris[i][2];
        const uint32_t ab = middle_of(m, a, b), bc = middle_of(m, b, c), ca = middle_of(m, c, a);
        const uint32_t inner[3] = {ab, bc, ca};
        memcpy(m->tris[i], inner, sizeof inner);
        sheet_mesh_tri(m, a, ab, ca);
        sheet_mesh_tri(m, ab, b, bc);
        sheet_mesh_tri(m, ca, bc, c);
    }
}

void sheet_scene_asteroid(scene *out, double radius, uint32_t level, uint64_t seed)
{
    static const uint8_t faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = (1 + sqrt(5)) / 2;
    const double corners[12][3] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    sheet_mesh m = {0};
    lumps l;
    bench_random r = {seed};
    for (int i = 0; i < LUMPS; i++) {
        for (int k = 0; k < 3; k++) l.way[i][k] = bench_random_in(&r, -1, 1);
        unit(l.way[i]);
        l.height[i] = bench_random_in(&r, -0.09, 0.09);
        l.width[i] = bench_random_in(&r, 0.18, 0.6);
    }
    for (int i = 0; i < 12; i++) {
        double p[3];
        memcpy(p, corners[i], sizeof p);
        unit(p);
        sheet_mesh_vert(&m, p);
    }
    for (int i = 0; i < 20; i++) sheet_mesh_tri(&m, faces[i][0], faces[i][1], faces[i][2]);
    for (uint32_t i = 0; i < level; i++) subdivide(&m);
    for (uint32_t i = 0; i < m.vert_count; i++) {
        const double size = radius * (1 + lump_height(&l, m.verts[i]));
        for (int k = 0; k < 3; k++) m.verts[i][k] = round(m.verts[i][k] * size * 1000) / 1000;
    }
    finish(&m, out);
}

bool sheet_scene_named(const char *name, scene *out)
{
    if (!strcmp(name, "room"))
        sheet_scene_room(out, 24);
    else if (!strcmp(name, "pipe"))
        sheet_scene_pipe(out, 90, 4, 3);
    else if (!strcmp(name, "torus"))
        sheet_scene_torus(out, 22, 7);
    else if (!strcmp(name, "asteroid"))
        sheet_scene_asteroid(out, 500, 6, 1);
    else if (!strcmp(name, "corridor"))
        sheet_scene_corridor(out, 40, 9);
    else if (!strcmp(name, "boxes"))
        sheet_scene_boxes(out, 16, 7);
    else if (!strcmp(name, "escher"))
        sheet_scene_escher(out, 24);
    else
        return false;
    return true;
}
