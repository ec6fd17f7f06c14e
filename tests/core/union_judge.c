#include "tests/core/union_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t union_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state ^ *state >> 29;
    return (uint32_t)((x * 0xbf58476d1ce4e5b9u) >> 32);
}

int32_t union_random_below(uint64_t *state, int32_t count)
{
    return (int32_t)((uint64_t)union_random(state) * (uint32_t)count >> 32);
}

static int by_place(const void *p, const void *q)
{
    const nav_point *a = p, *b = q;
    return nav_point_before(*a, *b) ? -1 : nav_point_before(*b, *a);
}

bool union_add_hull(nav_shapes *s, nav_arena *arena, const nav_point *points, int32_t count)
{
    nav_point sorted[256], hull[513];
    if (count > 256) return false;
    for (int32_t i = 0; i < count; i++) sorted[i] = points[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_place);
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++) {
        while (n >= 2 && nav_right(hull[n - 2], hull[n - 1], sorted[i]) >= 0) n--;
        if (n == 0 || !nav_point_same(hull[n - 1], sorted[i])) hull[n++] = sorted[i];
    }
    int32_t lower = n;
    for (int32_t i = count - 2; i >= 0; i--) {
        while (n > lower && nav_right(hull[n - 2], hull[n - 1], sorted[i]) >= 0) n--;
        if (!nav_point_same(hull[n - 1], sorted[i])) hull[n++] = sorted[i];
    }
    if (n > 1 && nav_point_same(hull[n - 1], hull[0])) n--;
    if (n < 3 || n > NAV_SHAPE_MAX_CORNERS || nav_shapes_grow(s, arena, n) != NAV_OK) return false;
    for (int32_t i = 0; i < n; i++) s->at[s->first[s->count] + i] = hull[i];
    s->first[s->count + 1] = s->first[s->count] + n;
    s->count++;
    return true;
}

static int32_t add_circle(nav_point *out, double x, double z, double radius, int32_t corners)
{
    for (int32_t i = 0; i < corners; i++) {
        double angle = 6.283185307179586 * i / corners;
        out[i] = (nav_point){(int32_t)lround(x + radius * cos(angle)), (int32_t)lround(z + radius * sin(angle))};
    }
    return corners;
}

bool union_add_capsule(nav_shapes *s, nav_arena *arena, nav_point a, nav_point b, double radius, int32_t corners)
{
    nav_point p[128];
    int32_t n = add_circle(p, a.x, a.z, radius, corners);
    n += add_circle(p + n, b.x, b.z, radius, corners);
    return union_add_hull(s, arena, p, n);
}

bool union_add_box(nav_shapes *s, nav_arena *arena, nav_point middle, double length, double width, double turn,
                   double radius, int32_t corners)
{
    nav_point p[256];
    int32_t n = 0;
    for (int i = 0; i < 4; i++) {
        double u = (i & 1 ? 0.5 : -0.5) * length, v = (i & 2 ? 0.5 : -0.5) * width;
        double x = middle.x + u * cos(turn) - v * sin(turn), z = middle.z + u * sin(turn) + v * cos(turn);
        n += add_circle(p + n, x, z, radius, corners > 0 ? corners : 1);
    }
    return union_add_hull(s, arena, p, n);
}

bool union_covers(const nav_shapes *s, double x, double z)
{
    for (int32_t i = 0; i < s->count; i++) {
        bool in = true;
        for (int32_t first = s->first[i], end = s->first[i + 1], k = first; k < end && in; k++) {
            nav_point a = s->at[k], b = s->at[k + 1 < end ? k + 1 : first];
            in = (x - a.x) * (b.z - a.z) - (double)(b.x - a.x) * (z - a.z) <= 0;
        }
        if (in) return true;
    }
    return false;
}

typedef struct edge {
    nav_point a, b;
} edge;

static edge edge_at(const nav_loops *l, int32_t loop, int32_t k)
{
    return (edge){l->at[k], l->at[k + 1 < l->first[loop + 1] ? k + 1 : l->first[loop]]};
}

static int by_low_x(const void *p, const void *q)
{
    const edge *e = p, *f = q;
    int32_t x = e->a.x < e->b.x ? e->a.x : e->b.x, y = f->a.x < f->b.x ? f->a.x : f->b.x;
    return x < y ? -1 : x > y;
}

static bool touches_inside(nav_point a, nav_point b, nav_point p)
{
    return nav_right(a, b, p) == 0 && nav_between(a, b, p);
}

static const char *pair_fault(const edge *e, const edge *f)
{
    bool same = nav_point_same(e->a, f->a) && nav_point_same(e->b, f->b);
    bool back = nav_point_same(e->a, f->b) && nav_point_same(e->b, f->a);
    if (same) return "an edge comes twice";
    if (back) return "an edge comes in both directions";
    if (touches_inside(e->a, e->b, f->a) || touches_inside(e->a, e->b, f->b) || touches_inside(f->a, f->b, e->a) ||
        touches_inside(f->a, f->b, e->b))
        return "a corner lies on an edge";
    int64_t p = nav_right(e->a, e->b, f->a), q = nav_right(e->a, e->b, f->b);
    int64_t r = nav_right(f->a, f->b, e->a), t = nav_right(f->a, f->b, e->b);
    return ((p < 0 && q > 0) || (p > 0 && q < 0)) && ((r < 0 && t > 0) || (r > 0 && t < 0)) ? "edges cross" : NULL;
}

static int64_t loop_area2(const nav_loops *l, int32_t i)
{
    int64_t sum = 0;
    for (int32_t k = l->first[i]; k < l->first[i + 1]; k++) {
        edge e = edge_at(l, i, k);
        sum += (int64_t)e.a.x * e.b.z - (int64_t)e.a.z * e.b.x;
    }
    return sum;
}

int64_t union_area2(const nav_loops *loops)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < loops->count; i++) sum += loop_area2(loops, i);
    return sum;
}

static int cmp_place_index(const void *p, const void *q)
{
    return by_place(p, q);
}

static const char *loop_fault(const nav_loops *l, int32_t i, nav_point *scratch)
{
    int32_t first = l->first[i], count = l->first[i + 1] - first;
    if (count < 3) return "a loop has fewer than three corners";
    for (int32_t k = 0; k < count; k++) {
        scratch[k] = l->at[first + k];
        if (k > 0 && !nav_point_before(l->at[first], l->at[first + k])) return "a loop does not begin at its lowest";
    }
    qsort(scratch, (size_t)count, sizeof *scratch, cmp_place_index);
    for (int32_t k = 1; k < count; k++)
        if (nav_point_same(scratch[k - 1], scratch[k])) return "a loop comes to a corner twice";
    if (loop_area2(l, i) == 0) return "a loop has no area";
    if (i == 0) return NULL;
    nav_point p = l->at[l->first[i - 1]], q = l->at[first];
    if (nav_point_before(q, p)) return "loops are not sorted";
    if (nav_point_same(p, q) && !nav_point_before(l->at[l->first[i - 1] + 1], l->at[first + 1]))
        return "loops are not sorted by their second corners";
    return NULL;
}

const char *union_loops_fault(const nav_loops *l)
{
    const char *fault = NULL;
    int32_t count = l->count > 0 ? l->first[l->count] : 0, n = 0;
    edge *edges = malloc(sizeof *edges * (size_t)(count + 1));
    nav_point *scratch = malloc(sizeof *scratch * (size_t)(count + 1));
    if (!edges || !scratch) abort();
    for (int32_t i = 0; i < l->count && !fault; i++) {
        fault = loop_fault(l, i, scratch);
        for (int32_t k = l->first[i]; k < l->first[i + 1]; k++) edges[n++] = edge_at(l, i, k);
    }
    if (fault) goto done;
    qsort(edges, (size_t)n, sizeof *edges, by_low_x);
    for (int32_t i = 0; i < n && !fault; i++) {
        int32_t high = edges[i].a.x > edges[i].b.x ? edges[i].a.x : edges[i].b.x;
        for (int32_t j = i + 1; j < n && !fault; j++) {
            if (edges[j].a.x > high && edges[j].b.x > high) break;
            fault = pair_fault(&edges[i], &edges[j]);
        }
    }
done:
    free(edges);
    free(scratch);
    return fault;
}

// How often do the loops enclose (x, z)? No corner is at the height z.
static int winding(const nav_loops *l, double x, double z)
{
    int sum = 0;
    for (int32_t i = 0; i < l->count; i++) {
        for (int32_t k = l->first[i]; k < l->first[i + 1]; k++) {
            edge e = edge_at(l, i, k);
            bool below_a = e.a.z <= z, below_b = e.b.z <= z;
            if (below_a == below_b) continue;
            double right = (x - e.a.x) * (e.b.z - e.a.z) - (double)(e.b.x - e.a.x) * (z - e.a.z);
            if (below_a && right < 0) sum++;
            if (!below_a && right > 0) sum--;
        }
    }
    return sum;
}

// Is the boundary of the exact union within a unit of (x, z)?
static bool near_boundary(const nav_shapes *s, double x, double z, bool covered)
{
    for (int i = 0; i < 256; i++) {
        double angle = 6.283185307179586 * (i % 64) / 64, r = 1 - 0.25 * (i / 64);
        if (union_covers(s, x + r * cos(angle), z + r * sin(angle)) != covered) return true;
    }
    return false;
}

const char *union_state_fault(const nav_shapes *s, const nav_loops *l, int32_t samples, uint64_t seed)
{
    if (s->count == 0) return l->count == 0 ? NULL : "loops without shapes";
    int32_t corners = s->first[s->count];
    nav_point min = s->at[0], max = s->at[0];
    for (int32_t i = 0; i < corners; i++) {
        if (s->at[i].x < min.x) min.x = s->at[i].x;
        if (s->at[i].z < min.z) min.z = s->at[i].z;
        if (s->at[i].x > max.x) max.x = s->at[i].x;
        if (s->at[i].z > max.z) max.z = s->at[i].z;
    }
    for (int32_t i = 0; i < samples; i++) {
        double x, z;
        if (i % 2) { // beside a corner of a shape
            nav_point p = s->at[union_random_below(&seed, corners)];
            x = p.x + (2 * union_random_below(&seed, 4096) - 4095) / 1024.0;
            z = p.z + (2 * union_random_below(&seed, 4096) - 4095) / 1024.0;
        } else {
            x = min.x - 3 + (max.x - min.x + 6.0) * (union_random_below(&seed, 1 << 20) + 0.125) / (1 << 20);
            z = min.z - 3 + (max.z - min.z + 6.0) * (union_random_below(&seed, 1 << 20) + 0.125) / (1 << 20);
        }
        int sum = winding(l, x, z);
        if (sum != 0 && sum != 1) return "a place is enclosed twice";
        bool covered = union_covers(s, x, z);
        if ((sum == 1) != covered && !near_boundary(s, x, z, covered))
            return covered ? "a blocked place is free" : "a free place is blocked";
    }
    return NULL;
}

bool union_same_moved(const nav_loops *a, const nav_loops *b, nav_point by, bool shapes_too)
{
    if (a->count != b->count) return false;
    for (int32_t i = 0; i < a->count; i++) {
        if (a->first[i + 1] != b->first[i + 1]) return false;
        for (int32_t k = a->first[i]; k < a->first[i + 1]; k++) {
            if (a->at[k].x + by.x != b->at[k].x || a->at[k].z + by.z != b->at[k].z) return false;
            if (shapes_too && a->shape[k] != b->shape[k]) return false;
        }
    }
    return true;
}
