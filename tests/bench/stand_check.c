#include "tests/bench/stand_check.h"
#include "tests/bench/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979;

// --- rims

typedef struct rim_edge {
    int64_t ends[6]; // in tenths of a millimetre, the lower end first
    uint32_t tri;
} rim_edge;

static int compare_edges(const void *a, const void *b)
{
    const rim_edge *p = a, *q = b;
    for (int k = 0; k < 6; k++)
        if (p->ends[k] != q->ends[k]) return p->ends[k] < q->ends[k] ? -1 : 1;
    return (p->tri > q->tri) - (p->tri < q->tri);
}

static rim_edge edge_of(const tri_space *s, uint32_t tri, int corner)
{
    rim_edge e = {.tri = tri};
    int64_t ends[2][3];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) ends[i][k] = llround(s->tris[tri].at[(corner + i) % 3][k] * 1e4);
    int swap = 0;
    for (int k = 0; k < 3 && !swap; k++) swap = (ends[1][k] < ends[0][k]) - (ends[1][k] > ends[0][k]);
    memcpy(e.ends, ends[swap > 0], sizeof ends[0]);
    memcpy(e.ends + 3, ends[swap <= 0], sizeof ends[0]);
    return e;
}

// Does surface turn outwards by more than so much from one triangle to another?
static bool is_sharp(const tri_space *s, uint32_t a, uint32_t b, double least_cos)
{
    const tri_space_triangle *f = &s->tris[a], *g = &s->tris[b];
    double away[3] = {0};
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++) away[k] += g->at[c][k] / 3;
        away[k] -= f->at[0][k];
    }
    return tri_space_dot(f->normal, g->normal) < least_cos && tri_space_dot(f->normal, away) < 0;
}

static void find_rims(const tri_space *s, double rim_deg, tri_space *out)
{
    const double least_cos = cos(rim_deg * PI / 180);
    rim_edge *edges = malloc(((size_t)s->count * 3 + 1) * sizeof *edges);
    if (!edges) {
        fprintf(stderr, "bench: no memory for rims\n");
        exit(1);
    }
    uint32_t count = 0, end;
    for (uint32_t i = 0; i < s->count; i++)
        for (int c = 0; c < 3; c++) edges[count++] = edge_of(s, i, c);
    if (count) qsort(edges, count, sizeof *edges, compare_edges);
    for (uint32_t i = 0; i < count; i = end) {
        bool sharp = false;
        for (end = i + 1; end < count && !memcmp(edges[end].ends, edges[i].ends, sizeof edges[i].ends); end++)
            sharp |= is_sharp(s, edges[i].tri, edges[end].tri, least_cos);
        if (end > i + 1 && !sharp) continue;
        double ends[2][3];
        for (int k = 0; k < 6; k++) ends[k / 3][k % 3] = (double)edges[i].ends[k] * 1e-4;
        tri_space_add(out, ends[0], ends[1], ends[1]);
    }
    free(edges);
}

// --- standing

typedef struct checking {
    tri_space *scene, *mesh, rims;
    const stand_limits *limits;
    bench_random random;
    const double *at, *normal; // of the point at hand
    double reach;
    bool found;
    uint32_t hits[64], hit_count; // triangles of the mesh that a point is well within
    double best, ground[3], up[3];
} checking;

typedef struct capsule {
    const tri_space *scene;
    double low[3], high[3], radius;
    bool is_free;
} capsule;

static bool meet(void *user, uint32_t tri)
{
    capsule *c = user;
    c->is_free = tri_space_axis_distance(&c->scene->tris[tri], c->low, c->high) >= c->radius - 1e-6;
    return c->is_free;
}

// lift: how far the capsule's foot is raised.
static bool stands(tri_space *scene, const double p[3], const double n[3], double radius, double height, double lift)
{
    const double foot = radius + lift + 1e-3, head = fmax(height - radius, foot + 1e-3);
    capsule c = {.scene = scene, .radius = radius, .is_free = true};
    double min[3], max[3];
    for (int k = 0; k < 3; k++) {
        c.low[k] = p[k] + foot * n[k];
        c.high[k] = p[k] + head * n[k];
        min[k] = fmin(c.low[k], c.high[k]) - radius;
        max[k] = fmax(c.low[k], c.high[k]) + radius;
    }
    tri_space_near_box(scene, min, max, meet, &c);
    return c.is_free;
}

static void ask_around(checking *c, tri_space *s, double reach, bool (*visit)(void *user, uint32_t tri))
{
    double min[3], max[3];
    c->reach = reach;
    for (int k = 0; k < 3; k++) {
        min[k] = c->at[k] - reach;
        max[k] = c->at[k] + reach;
    }
    tri_space_near_box(s, min, max, visit, c);
}

static uint32_t sample(checking *c, const tri_space *s, double out[3])
{
    const uint32_t tri = tri_space_at_share(s, bench_random_in(&c->random, 0, 1));
    const double u = sqrt(bench_random_in(&c->random, 0, 1)), w = bench_random_in(&c->random, 0, 1);
    const double weight[3] = {1 - u, u * (1 - w), u * w};
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int corner = 0; corner < 3; corner++) out[k] += weight[corner] * s->tris[tri].at[corner][k];
    }
    return tri;
}

// --- recall

static bool meet_rim(void *user, uint32_t tri)
{
    checking *c = user;
    double at[3];
    c->found = tri_space_nearest(&c->rims.tris[tri], c->at, at) < c->reach;
    return !c->found;
}

static bool meet_cover(void *user, uint32_t tri)
{
    checking *c = user;
    const tri_space_triangle *t = &c->mesh->tris[tri];
    const double steep = tri_space_dot(t->normal, c->normal);
    double on[3], nearest[3], height = 0, edge = INFINITY;
    if (steep < 0.5) return true;
    for (int k = 0; k < 3; k++) height += (t->at[0][k] - c->at[k]) * t->normal[k];
    height /= steep; // along the point's normal to the triangle's plane
    for (int k = 0; k < 3; k++) on[k] = c->at[k] + height * c->normal[k];
    const double beside = tri_space_nearest(t, on, nearest);
    if (fabs(height) > c->reach || beside > 0.02) return true;
    c->found = true;
    if (beside > 1e-9) return true;
    for (int i = 0; i < 3; i++) edge = fmin(edge, tri_space_segment_distance(on, on, t->at[i], t->at[(i + 1) % 3]));
    if (edge > 0.03 && c->hit_count < sizeof c->hits / sizeof *c->hits) c->hits[c->hit_count++] = tri;
    return true;
}

static bool is_twice(const checking *c)
{
    for (uint32_t i = 1; i < c->hit_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (tri_space_dot(c->mesh->tris[c->hits[i]].normal, c->mesh->tris[c->hits[k]].normal) < 0.9962) return true;
    return false;
}

static void miss(FILE *out, const char *name, const char *what, const double at[3])
{
    if (out) fprintf(out, "%s,%s,%.3f,%.3f,%.3f\n", name, what, at[0], at[1], at[2]);
}

static void check_scene(checking *c, const char *name, FILE *missed, stand_report *out)
{
    const stand_limits *l = c->limits;
    const double wide = l->radius_m + l->tolerance_m;
    for (uint32_t i = 0; i < l->samples && c->scene->count; i++) {
        double p[3];
        const tri_space_triangle *t = &c->scene->tris[sample(c, c->scene, p)];
        if (!stands(c->scene, p, t->normal, wide, l->height_m + l->tolerance_m, 0)) continue;
        c->at = p;
        c->normal = t->normal;
        c->found = false;
        ask_around(c, &c->rims, wide, meet_rim);
        if (c->found) continue;
        c->hit_count = 0;
        ask_around(c, c->mesh, l->tolerance_m + 0.1, meet_cover);
        const bool twice = is_twice(c);
        out->asked++;
        out->covered += c->found;
        out->twice += twice;
        if (!c->found) miss(missed, name, "uncovered", p);
        if (twice) miss(missed, name, "twice", p);
    }
}

// --- precision

static bool meet_ground(void *user, uint32_t tri)
{
    checking *c = user;
    const tri_space_triangle *t = &c->scene->tris[tri];
    double foot[3];
    if (tri_space_dot(t->normal, c->normal) < 0.3) return true;
    const double d = tri_space_nearest(t, c->at, foot);
    if (d >= c->best) return true;
    c->best = d;
    memcpy(c->ground, foot, sizeof foot);
    memcpy(c->up, t->normal, sizeof c->up);
    return true;
}

static void check_mesh(checking *c, const char *name, FILE *missed, stand_report *out)
{
    const stand_limits *l = c->limits;
    const double narrow = l->radius_m - l->tolerance_m;
    for (uint32_t i = 0; i < l->samples && c->mesh->count; i++) {
        double p[3];
        c->normal = c->mesh->tris[sample(c, c->mesh, p)].normal;
        c->at = p;
        c->best = INFINITY;
        ask_around(c, c->scene, 2 * l->tolerance_m, meet_ground);
        const bool baseless = c->best > 2 * l->tolerance_m;
        const bool stuck =
            !baseless && narrow > 0 &&
            !stands(c->scene, c->ground, c->up, narrow, l->height_m - l->tolerance_m, fmin(0.3, l->tolerance_m));
        out->sampled++;
        out->baseless += baseless;
        out->stuck += stuck;
        out->right += !baseless && !stuck;
        if (baseless || stuck) miss(missed, name, baseless ? "baseless" : "stuck", p);
    }
}

void stand_check(tri_space *scene, tri_space *mesh, const stand_limits *limits, const char *name, FILE *missed,
                 stand_report *out)
{
    checking c = {.scene = scene, .mesh = mesh, .limits = limits, .random = {limits->seed}};
    *out = (stand_report){0};
    find_rims(scene, limits->rim_deg, &c.rims);
    tri_space_finish(&c.rims, scene->cube_m);
    check_scene(&c, name, missed, out);
    check_mesh(&c, name, missed, out);
    tri_space_deinit(&c.rims);
    out->recall = out->asked ? (double)out->covered / (double)out->asked : 0;
    out->twice_share = out->asked ? (double)out->twice / (double)out->asked : 0;
    out->precision = out->sampled ? (double)out->right / (double)out->sampled : 0;
}
