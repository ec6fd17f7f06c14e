#include "tests/bench/tri_space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
    if (p) return p;
    fprintf(stderr, "bench: no memory for triangles in space\n");
    exit(1);
}

double tri_space_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

void tri_space_add(tri_space *s, const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3];
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 1024;
        s->tris = checked(realloc(s->tris, s->capacity * sizeof *s->tris));
    }
    tri_space_triangle *t = &s->tris[s->count++];
    memcpy(t->at[0], a, sizeof t->at[0]);
    memcpy(t->at[1], b, sizeof t->at[1]);
    memcpy(t->at[2], c, sizeof t->at[2]);
    minus(b, a, ab);
    minus(c, a, ac);
    cross(ab, ac, t->normal);
    const double length = sqrt(tri_space_dot(t->normal, t->normal));
    t->area = length / 2;
    for (int k = 0; k < 3 && length > 0; k++) t->normal[k] /= length;
}

// --- distances

static double nearest_on_segment(const double a[3], const double b[3], const double p[3], double out[3])
{
    double ab[3], ap[3], off[3];
    minus(b, a, ab);
    minus(p, a, ap);
    const double length2 = tri_space_dot(ab, ab);
    const double t = length2 > 0 ? fmin(1, fmax(0, tri_space_dot(ap, ab) / length2)) : 0;
    for (int k = 0; k < 3; k++) out[k] = a[k] + t * ab[k];
    minus(p, out, off);
    return sqrt(tri_space_dot(off, off));
}

// Is a point, seen along the normal, within the triangle?
static bool is_over(const tri_space_triangle *t, const double p[3])
{
    for (int i = 0; i < 3; i++) {
        double edge[3], off[3], inwards[3];
        minus(t->at[(i + 1) % 3], t->at[i], edge);
        minus(p, t->at[i], off);
        cross(t->normal, edge, inwards);
        if (tri_space_dot(inwards, off) < 0) return false;
    }
    return t->area > 0;
}

double tri_space_nearest(const tri_space_triangle *t, const double p[3], double out[3])
{
    double off[3], best = INFINITY;
    if (is_over(t, p)) {
        minus(p, t->at[0], off);
        const double height = tri_space_dot(off, t->normal);
        for (int k = 0; k < 3; k++) out[k] = p[k] - height * t->normal[k];
        return fabs(height);
    }
    for (int i = 0; i < 3; i++) {
        double at[3];
        const double d = nearest_on_segment(t->at[i], t->at[(i + 1) % 3], p, at);
        if (d >= best) continue;
        best = d;
        memcpy(out, at, sizeof at);
    }
    return best;
}

// Either an end of one is nearest to the other, or two points within that lie across both.
double tri_space_segment_distance(const double p[3], const double q[3], const double a[3], const double b[3])
{
    double u[3], v[3], w[3], at[3];
    double best = fmin(fmin(nearest_on_segment(a, b, p, at), nearest_on_segment(a, b, q, at)),
                       fmin(nearest_on_segment(p, q, a, at), nearest_on_segment(p, q, b, at)));
    minus(q, p, u);
    minus(b, a, v);
    minus(p, a, w);
    const double uu = tri_space_dot(u, u), uv = tri_space_dot(u, v), vv = tri_space_dot(v, v);
    const double det = uu * vv - uv * uv;
    if (det <= 1e-12 * uu * vv) return best;
    const double s = (uv * tri_space_dot(v, w) - vv * tri_space_dot(u, w)) / det;
    const double t = (uu * tri_space_dot(v, w) - uv * tri_space_dot(u, w)) / det;
    if (s < 0 || s > 1 || t < 0 || t > 1) return best;
    for (int k = 0; k < 3; k++) at[k] = w[k] + s * u[k] - t * v[k];
    return fmin(best, sqrt(tri_space_dot(at, at)));
}

double tri_space_axis_distance(const tri_space_triangle *t, const double p[3], const double q[3])
{
    double off[3], at[3];
    minus(p, t->at[0], off);
    const double low = tri_space_dot(off, t->normal);
    minus(q, t->at[0], off);
    const double high = tri_space_dot(off, t->normal);
    if ((low < 0) != (high < 0)) {
        for (int k = 0; k < 3; k++) at[k] = p[k] + low / (low - high) * (q[k] - p[k]);
        if (is_over(t, at)) return 0;
    }
    double best = fmin(tri_space_nearest(t, p, at), tri_space_nearest(t, q, at));
    for (int i = 0; i < 3; i++) best = fmin(best, tri_space_segment_distance(p, q, t->at[i], t->at[(i + 1) % 3]));
    return best;
}

// --- the grid

static int compare_near(const void *a, const void *b)
{
    const struct tri_space_item *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->cube[k] != q->cube[k]) return p->cube[k] < q->cube[k] ? -1 : 1;
    return (p->tri > q->tri) - (p->tri < q->tri);
}

static bool same_cube(const struct tri_space_item *n, const int32_t cube[3])
{
    return n->cube[0] == cube[0] && n->cube[1] == cube[1] && n->cube[2] == cube[2];
}

static uint64_t *slot_of(const tri_space *s, const int32_t cube[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) h = (h ^ (uint32_t)cube[k]) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint64_t at = h >> 20;; at++) {
        uint64_t *slot = &s->slots[at & (s->slot_count - 1)];
        if (!*slot || same_cube(&s->near[*slot - 1], cube)) return slot;
    }
}

static void cubes_of(const tri_space *s, const double min[3], const double max[3], int32_t first[3], int32_t last[3])
{
    for (int k = 0; k < 3; k++) {
        first[k] = (int32_t)floor(min[k] / s->cube_m);
        last[k] = (int32_t)floor(max[k] / s->cube_m);
    }
}

static void add_near(tri_space *s, const int32_t cube[3], uint32_t tri)
{
    double middle[3], at[3];
    for (int k = 0; k < 3; k++) middle[k] = (cube[k] + 0.5) * s->cube_m;
    if (tri_space_nearest(&s->tris[tri], middle, at) > 0.8661 * s->cube_m)
        return; // farther than any corner of the cube
    if (s->near_count == s->near_capacity) {
        s->near_capacity = s->near_capacity ? 2 * s->near_capacity : 4096;
        s->near = checked(realloc(s->near, s->near_capacity * sizeof *s->near));
    }
    s->near[s->near_count++] = (struct tri_space_item){{cube[0], cube[1], cube[2]}, tri};
}

static void find_cubes(tri_space *s, uint32_t tri)
{
    const tri_space_triangle *t = &s->tris[tri];
    double min[3], max[3];
    int32_t first[3], last[3], c[3];
    for (int k = 0; k < 3; k++) {
        min[k] = fmin(t->at[0][k], fmin(t->at[1][k], t->at[2][k]));
        max[k] = fmax(t->at[0][k], fmax(t->at[1][k], t->at[2][k]));
    }
    cubes_of(s, min, max, first, last);
    for (c[0] = first[0]; c[0] <= last[0]; c[0]++)
        for (c[1] = first[1]; c[1] <= last[1]; c[1]++)
            for (c[2] = first[2]; c[2] <= last[2]; c[2]++) add_near(s, c, tri);
}

void tri_space_finish(tri_space *s, double cube_m)
{
    s->cube_m = cube_m;
    s->area_up_to = checked(calloc(s->count + (size_t)1, sizeof *s->area_up_to));
    s->asked = checked(calloc(s->count + (size_t)1, sizeof *s->asked));
    for (uint32_t i = 0; i < s->count; i++) {
        find_cubes(s, i);
        s->area_up_to[i] = s->area += s->tris[i].area;
    }
    if (s->near_count) qsort(s->near, s->near_count, sizeof *s->near, compare_near);
    for (s->slot_count = 64; s->slot_count < 2 * s->near_count;) s->slot_count *= 2;
    s->slots = checked(calloc(s->slot_count, sizeof *s->slots));
    for (uint64_t i = 0; i < s->near_count; i++)
        if (!i || !same_cube(&s->near[i - 1], s->near[i].cube)) *slot_of(s, s->near[i].cube) = i + 1;
}

void tri_space_deinit(tri_space *s)
{
    free(s->tris);
    free(s->area_up_to);
    free(s->near);
    free(s->slots);
    free(s->asked);
    *s = (tri_space){0};
}

void tri_space_near_box(tri_space *s, const double min[3], const double max[3], bool (*visit)(void *user, uint32_t tri),
                        void *user)
{
    int32_t first[3], last[3], c[3];
    s->question++;
    cubes_of(s, min, max, first, last);
    for (c[0] = first[0]; c[0] <= last[0]; c[0]++)
        for (c[1] = first[1]; c[1] <= last[1]; c[1]++)
            for (c[2] = first[2]; c[2] <= last[2]; c[2]++) {
                const uint64_t *slot = slot_of(s, c);
                for (uint64_t i = *slot; i && i <= s->near_count && same_cube(&s->near[i - 1], c); i++) {
                    const uint32_t tri = s->near[i - 1].tri;
                    if (s->asked[tri] == s->question) continue;
                    s->asked[tri] = s->question;
                    if (!visit(user, tri)) return;
                }
            }
}

uint32_t tri_space_at_share(const tri_space *s, double share)
{
    uint32_t low = 0, high = s->count - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->area_up_to[middle] < share * s->area)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
