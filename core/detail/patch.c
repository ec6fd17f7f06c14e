// Incremental Delaunay triangulation with samples in buckets.
//
//          c                    c                  A point p in triangle abc makes three of it, a point on an edge
//         / \                  /|\                 makes four of two; then every edge opposite of p whose other
//        /   \      ->        / p \                triangle's far corner lies in the circle is flipped (Lawson).
//       /  .p \              / / \ \               All triangles around p keep p as their first vertex, so the edge
//      a-------b            a-------b              to look at is always the one between the second and the third.
//
// The samples of a triangle move with each split and flip by one or two orientation tests; errors are worked out again
// only for triangles that changed. Every predicate is exact, so the flips end (each lowers the lifted surface) and the
// walk to a sample's triangle does too.
//
// Source: C. Lawson, Software for C1 surface interpolation (1977); M. Garland and P. Heckbert, Fast polygonal
// approximation of terrains and height fields (greedy insertion with per-triangle candidates, 1995).
#include "core/detail/patch.h"

#include "core/base/grow.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { DIFFERENCE_BITS = 25 };

static int after(int i)
{
    return i == 2 ? 0 : i + 1;
}

static int before(int i)
{
    return i == 0 ? 2 : i - 1;
}

int64_t nav_area2(int64_t ax, int64_t az, int64_t bx, int64_t bz, int64_t cx, int64_t cz)
{
    return (bz - az) * (cx - ax) - (bx - ax) * (cz - az);
}

static int64_t side_of(const nav_patch *p, int a, int b, int32_t x, int32_t z)
{
    return nav_area2(p->x[a], p->z[a], p->x[b], p->z[b], x, z);
}

static int64_t area2_of(const nav_patch *p, int a, int b, int c)
{
    return side_of(p, a, b, p->x[c], p->z[c]);
}

// Is d strictly inside the circle through a, b and c, wound the right way? Differences have 25 bits, so lifted heights
// and cross products have 52, and their products do not fit 64. But the corners of columns and their centres, which
// most vertices are, have no more than 14 bits once the low zeros that all have are left out: then 61 bits hold it all.
static bool in_circle(const nav_patch *p, int a, int b, int c, int d)
{
    int64_t ax = p->x[a] - p->x[d], az = p->z[a] - p->z[d], bx = p->x[b] - p->x[d], bz = p->z[b] - p->z[d],
            cx = p->x[c] - p->x[d], cz = p->z[c] - p->z[d];
    bool few_bits = p->low_zeros >= DIFFERENCE_BITS - 14;
    if (few_bits) {
        ax >>= p->low_zeros, az >>= p->low_zeros, bx >>= p->low_zeros;
        bz >>= p->low_zeros, cx >>= p->low_zeros, cz >>= p->low_zeros;
    }
    int64_t al = ax * ax + az * az, bl = bx * bx + bz * bz, cl = cx * cx + cz * cz;
    int64_t bc = bz * cx - bx * cz, ca = cz * ax - cx * az, ab = az * bx - ax * bz;
    if (few_bits) return al * bc + bl * ca + cl * ab > 0;
    return (__int128)al * bc + (__int128)bl * ca + (__int128)cl * ab > 0;
}

static void mark_changed(nav_patch *p, int t)
{
    if (p->stale[t]) return;
    p->stale[t] = true;
    p->changed[p->changed_count++] = (int16_t)t;
}

static int new_triangle(nav_patch *p)
{
    int t = p->tri_count++;
    p->first[t] = NAV_PATCH_NO_SAMPLE;
    p->stale[t] = false;
    p->error[t] = 0;
    p->worst[t] = NAV_PATCH_NO_SAMPLE;
    return t;
}

static void set_triangle(nav_patch *p, int t, int a, int b, int c, int ab, int bc, int ca)
{
    p->vert[t][0] = (int16_t)a;
    p->vert[t][1] = (int16_t)b;
    p->vert[t][2] = (int16_t)c;
    p->near[t][0] = (int16_t)ab;
    p->near[t][1] = (int16_t)bc;
    p->near[t][2] = (int16_t)ca;
    mark_changed(p, t);
}

// The edge of t behind which `other` lies.
static int edge_to(const nav_patch *p, int t, int other)
{
    return p->near[t][0] == other ? 0 : p->near[t][1] == other ? 1 : 2;
}

static void replace_near(nav_patch *p, int t, int old, int now)
{
    if (t != NAV_PATCH_OUTSIDE) p->near[t][edge_to(p, t, old)] = (int16_t)now;
}

// Turns the triangle's vertices so that edge i becomes edge 0.
static void rotate(nav_patch *p, int t, int i)
{
    int16_t *v = p->vert[t], *n = p->near[t];
    int j = after(i), k = after(j);
    int16_t v0 = v[i], v1 = v[j], v2 = v[k], n0 = n[i], n1 = n[j], n2 = n[k];
    v[0] = v0, v[1] = v1, v[2] = v2;
    n[0] = n0, n[1] = n1, n[2] = n2;
}

static void push_sample(nav_patch *p, int t, int32_t s)
{
    p->samples[s].next = p->first[t];
    p->first[t] = s;
}

// Deals a list of samples to triangles that share their first vertex and cover them together.
static void deal(nav_patch *p, int32_t list, const int *tris, int count)
{
    for (int32_t s = list, next; s != NAV_PATCH_NO_SAMPLE; s = next) {
        const nav_patch_sample *q = &p->samples[s];
        next = q->next;
        int k = 0;
        for (; k < count - 1; k++) {
            const int16_t *v = p->vert[tris[k]];
            if (side_of(p, v[0], v[1], q->x, q->z) >= 0 && side_of(p, v[2], v[0], q->x, q->z) >= 0) break;
        }
        push_sample(p, tris[k], s);
    }
}

static int32_t take_samples(nav_patch *p, int t)
{
    int32_t list = p->first[t];
    p->first[t] = NAV_PATCH_NO_SAMPLE;
    return list;
}

// t = (a, b, c) and its neighbour behind bc become (a, b, d) and (a, d, c).
static void flip(nav_patch *p, int t)
{
    int u = p->near[t][1];
    rotate(p, u, edge_to(p, u, t)); // u = (c, b, d)
    int a = p->vert[t][0], b = p->vert[t][1], c = p->vert[t][2], d = p->vert[u][2];
    int ca = p->near[t][2], bd = p->near[u][1], dc = p->near[u][2];
    int32_t lists[2] = {take_samples(p, t), take_samples(p, u)};
    set_triangle(p, t, a, b, d, p->near[t][0], bd, u);
    set_triangle(p, u, a, d, c, t, dc, ca);
    replace_near(p, bd, u, t);
    replace_near(p, ca, t, u);
    int32_t dealt[2] = {NAV_PATCH_NO_SAMPLE, NAV_PATCH_NO_SAMPLE}; // to t, to u: without a branch that nobody foresees
    for (int k = 0; k < 2; k++)
        for (int32_t s = lists[k], next; s != NAV_PATCH_NO_SAMPLE; s = next) {
            nav_patch_sample *q = &p->samples[s];
            int side = side_of(p, a, d, q->x, q->z) > 0;
            next = q->next;
            q->next = dealt[side];
            dealt[side] = s;
        }
    p->first[t] = dealt[0];
    p->first[u] = dealt[1];
}

static bool wants_flip(const nav_patch *p, int t)
{
    int u = p->near[t][1];
    if (u == NAV_PATCH_OUTSIDE) return false;
    int far = p->vert[u][before(edge_to(p, u, t))];
    return in_circle(p, p->vert[t][0], p->vert[t][1], p->vert[t][2], far);
}

// Makes the triangles around a new point, which is their first vertex, Delaunay again. A flip takes one edge off the
// stack and adds two; every triangle is on it at most once, because a triangle around the point has one outer edge.
static void legalise(nav_patch *p, const int *tris, int count)
{
    int16_t stack[NAV_PATCH_TRIS + 1];
    int top = 0;
    for (int k = 0; k < count; k++) stack[top++] = (int16_t)tris[k];
    while (top > 0) {
        int t = stack[--top];
        if (!wants_flip(p, t)) continue;
        int u = p->near[t][1];
        flip(p, t);
        assert(top + 2 <= NAV_PATCH_TRIS);
        stack[top++] = (int16_t)u;
        stack[top++] = (int16_t)t;
    }
}

static int new_vertex(nav_patch *p, int32_t x, int32_t z, int32_t y)
{
    int v = p->vert_count++;
    p->x[v] = x;
    p->z[v] = z;
    p->y[v] = y;
    int zeros = __builtin_ctz((uint32_t)(x | z) | 1u << DIFFERENCE_BITS);
    if (zeros < p->low_zeros) p->low_zeros = zeros;
    return v;
}

static bool has_room(const nav_patch *p, int tris)
{
    return p->vert_count < NAV_PATCH_VERTS && p->tri_count + tris <= NAV_PATCH_TRIS;
}

static bool split_triangle(nav_patch *p, int t, int32_t x, int32_t z, int32_t y)
{
    if (!has_room(p, 2)) return false;
    int v = new_vertex(p, x, z, y), a = p->vert[t][0], b = p->vert[t][1], c = p->vert[t][2];
    int ab = p->near[t][0], bc = p->near[t][1], ca = p->near[t][2];
    int32_t list = take_samples(p, t);
    int tris[3] = {t, new_triangle(p), new_triangle(p)};
    set_triangle(p, tris[0], v, a, b, tris[2], ab, tris[1]);
    set_triangle(p, tris[1], v, b, c, tris[0], bc, tris[2]);
    set_triangle(p, tris[2], v, c, a, tris[1], ca, tris[0]);
    replace_near(p, bc, t, tris[1]);
    replace_near(p, ca, t, tris[2]);
    deal(p, list, tris, 3);
    legalise(p, tris, 3);
    return true;
}

// Splits edge i of t at a point on it. Afterwards t is (point, b, ..): its edge 0 is the second half of the edge.
static bool split_edge(nav_patch *p, int t, int i, int32_t x, int32_t z, int32_t y)
{
    int u = p->near[t][i];
    if (!has_room(p, u == NAV_PATCH_OUTSIDE ? 1 : 2)) return false;
    int v = new_vertex(p, x, z, y);
    rotate(p, t, i);
    int a = p->vert[t][0], b = p->vert[t][1], c = p->vert[t][2], bc = p->near[t][1], ca = p->near[t][2];
    int32_t list = take_samples(p, t);
    int tris[4] = {t, new_triangle(p), u, NAV_PATCH_OUTSIDE};
    if (u != NAV_PATCH_OUTSIDE) {
        rotate(p, u, edge_to(p, u, t));
        int d = p->vert[u][2], ad = p->near[u][1], db = p->near[u][2];
        int32_t far_list = take_samples(p, u);
        tris[3] = new_triangle(p);
        set_triangle(p, tris[2], v, a, d, tris[1], ad, tris[3]);
        set_triangle(p, tris[3], v, d, b, tris[2], db, t);
        replace_near(p, db, u, tris[3]);
        deal(p, far_list, tris + 2, 2);
    }
    set_triangle(p, t, v, b, c, tris[3], bc, tris[1]);
    set_triangle(p, tris[1], v, c, a, t, ca, tris[2]);
    replace_near(p, ca, t, tris[1]);
    deal(p, list, tris, 2);
    legalise(p, tris, u == NAV_PATCH_OUTSIDE ? 2 : 4);
    return true;
}

// Has the ring of corners an area when corner `without` is left out?
static bool has_area(const nav_patch *p, const int *ring, int count, int without)
{
    int rest[NAV_PATCH_CORNERS], n = 0;
    for (int i = 0; i < count; i++)
        if (i != without) rest[n++] = ring[i];
    int64_t sum = 0;
    for (int i = 1; i + 1 < n; i++) sum += area2_of(p, rest[0], rest[i], rest[i + 1]);
    return sum > 0;
}

static void add_corner_triangle(nav_patch *p, int a, int b, int c)
{
    set_triangle(p, new_triangle(p), a, b, c, NAV_PATCH_OUTSIDE, NAV_PATCH_OUTSIDE, NAV_PATCH_OUTSIDE);
}

// Cuts ears off the corners; an ear has area, and so has what remains. A convex polygon always has one.
static bool cut_ears(nav_patch *p, int n)
{
    int ring[NAV_PATCH_CORNERS];
    for (int i = 0; i < n; i++) {
        ring[i] = i;
        if (area2_of(p, i, (i + 1) % n, (i + 2) % n) < 0) return false;
    }
    while (n > 3) {
        int i = 0;
        for (; i < n; i++)
            if (area2_of(p, ring[i == 0 ? n - 1 : i - 1], ring[i], ring[i + 1 == n ? 0 : i + 1]) > 0 &&
                has_area(p, ring, n, i))
                break;
        if (i == n) return false;
        add_corner_triangle(p, ring[i == 0 ? n - 1 : i - 1], ring[i], ring[i + 1 == n ? 0 : i + 1]);
        n--;
        memmove(ring + i, ring + i + 1, (size_t)(n - i) * sizeof *ring);
    }
    if (area2_of(p, ring[0], ring[1], ring[2]) <= 0) return false;
    add_corner_triangle(p, ring[0], ring[1], ring[2]);
    return true;
}

// Finds the neighbours of a corner triangulation, of at most four triangles, by comparison.
static void join_corner_triangles(nav_patch *p)
{
    for (int t = 1; t < p->tri_count; t++)
        for (int u = 0; u < t; u++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    if (p->vert[t][i] == p->vert[u][after(j)] && p->vert[t][after(i)] == p->vert[u][j]) {
                        p->near[t][i] = (int16_t)u;
                        p->near[u][j] = (int16_t)t;
                    }
}

static void legalise_corner_triangles(nav_patch *p)
{
    bool flipped = p->tri_count > 1;
    while (flipped) {
        flipped = false;
        for (int t = 0; t < p->tri_count; t++)
            for (int i = 0; i < 3; i++) {
                rotate(p, t, 1);
                if (!wants_flip(p, t)) continue;
                flip(p, t);
                flipped = true;
            }
    }
}

// What cut_ears() and join_corner_triangles() make of a polygon whose corners all turn: there every first ear can be
// cut, so that the triangles are a fan around the last corner. False, and nothing is done, for others.
static bool cut_fan(nav_patch *p, int n)
{
    for (int i = 0, before = n - 1; i < n; before = i++)
        if (area2_of(p, before, i, i + 1 < n ? i + 1 : 0) <= 0) return false;
    int last = n - 3;
    for (int t = 0; t < last; t++)
        set_triangle(p, new_triangle(p), n - 1, t, t + 1, t > 0 ? t - 1 : NAV_PATCH_OUTSIDE, NAV_PATCH_OUTSIDE, t + 1);
    set_triangle(p, new_triangle(p), n - 3, n - 2, n - 1, NAV_PATCH_OUTSIDE, NAV_PATCH_OUTSIDE,
                 last > 0 ? last - 1 : NAV_PATCH_OUTSIDE);
    return true;
}

// Makes the fan Delaunay: as legalise_corner_triangles() leaves it, which is seldom needed for more than four corners.
static void legalise_fan(nav_patch *p, int n)
{
    if (n == 4) {
        if (!in_circle(p, 3, 0, 1, 2)) return;
        set_triangle(p, 0, 2, 0, 1, 1, NAV_PATCH_OUTSIDE, NAV_PATCH_OUTSIDE);
        set_triangle(p, 1, 0, 2, 3, 0, NAV_PATCH_OUTSIDE, NAV_PATCH_OUTSIDE);
        return;
    }
    for (int t = 1; t < n - 2; t++)
        if (in_circle(p, n - 1, t - 1, t, t + 1)) {
            legalise_corner_triangles(p);
            return;
        }
}

bool nav_patch_begin(nav_patch *p, int32_t corner_count, const int32_t *x, const int32_t *z, const int32_t *y)
{
    return nav_patch_begin_by(false, p, corner_count, x, z, y);
}

bool nav_patch_begin_by(bool plainly, nav_patch *p, int32_t corner_count, const int32_t *x, const int32_t *z,
                        const int32_t *y)
{
    assert(corner_count >= 3 && corner_count <= NAV_PATCH_CORNERS);
    p->vert_count = p->tri_count = p->changed_count = p->sample_count = 0;
    p->hint = 0;
    p->low_zeros = DIFFERENCE_BITS;
    for (int32_t i = 0; i < corner_count; i++) new_vertex(p, x[i], z[i], y[i]);
    if (!plainly && cut_fan(p, corner_count)) {
        legalise_fan(p, corner_count);
        return true;
    }
    if (!cut_ears(p, corner_count)) {
        p->tri_count = p->changed_count = 0;
        for (int i = 1; i + 1 < corner_count; i++) add_corner_triangle(p, 0, i, i + 1);
        join_corner_triangles(p);
        return false;
    }
    join_corner_triangles(p);
    legalise_corner_triangles(p);
    return true;
}

bool nav_patch_insert_edge(nav_patch *p, int32_t from, int32_t to, const nav_patch_point *points, int32_t count,
                           int32_t stride)
{
    for (int t = 0; count > 0 && t < p->tri_count; t++)
        for (int i = 0; i < 3; i++) {
            if (p->vert[t][i] != from || p->vert[t][after(i)] != to) continue;
            for (; count > 0; count--, points += stride, i = 0)
                if (!split_edge(p, t, i, points->x, points->z, points->y)) return false;
            return true;
        }
    assert(count == 0);
    return true;
}

// Walks towards a point. Ends in the triangle that holds it: in a Delaunay triangulation a walk never comes back.
static int locate(nav_patch *p, int32_t x, int32_t z)
{
    int t = p->hint;
    for (int i = 0; i < 3;) {
        int u = p->near[t][i];
        if (u != NAV_PATCH_OUTSIDE && side_of(p, p->vert[t][i], p->vert[t][after(i)], x, z) < 0) {
            t = u;
            i = 0;
        } else {
            i++;
        }
    }
    p->hint = t;
    return t;
}

nav_status nav_patch_add_sample(nav_patch *p, nav_arena *arena, int32_t x, int32_t z, int32_t y)
{
    if (p->sample_count == p->sample_capacity) {
        nav_status s =
            nav_grow(arena, (void **)&p->samples, &p->sample_capacity, p->sample_count + 1, sizeof *p->samples);
        if (s != NAV_OK) return s;
    }
    int32_t i = p->sample_count++;
    p->samples[i] = (nav_patch_sample){x, z, y, NAV_PATCH_NO_SAMPLE};
    int t = locate(p, x, z);
    push_sample(p, t, i);
    mark_changed(p, t);
    return NAV_OK;
}

static void plane_of(const nav_patch *p, int t, double plane[3])
{
    int a = p->vert[t][0], b = p->vert[t][1], c = p->vert[t][2];
    double bx = p->x[b] - p->x[a], bz = p->z[b] - p->z[a], by = (double)p->y[b] - p->y[a];
    double cx = p->x[c] - p->x[a], cz = p->z[c] - p->z[a], cy = (double)p->y[c] - p->y[a];
    double area = bz * cx - bx * cz;
    plane[1] = (bz * cy - by * cz) / area;
    plane[2] = (by * cx - bx * cy) / area;
    plane[0] = p->y[a] - plane[1] * p->x[a] - plane[2] * p->z[a];
}

bool nav_patch_is_plane(const nav_patch *p, double plane[3])
{
    plane_of(p, 0, plane);
    for (int t = 1; t < p->tri_count; t++) {
        double other[3];
        plane_of(p, t, other);
        if (other[1] != plane[1] || other[2] != plane[2]) return false;
    }
    return true;
}

static void find_worst(nav_patch *p, int t)
{
    p->stale[t] = false;
    p->worst[t] = NAV_PATCH_NO_SAMPLE;
    p->error[t] = 0;
    if (p->first[t] == NAV_PATCH_NO_SAMPLE) return;
    double plane[3];
    plane_of(p, t, plane);
    double most = 0;
    int32_t worst = NAV_PATCH_NO_SAMPLE;
    for (int32_t s = p->first[t]; s != NAV_PATCH_NO_SAMPLE; s = p->samples[s].next) {
        const nav_patch_sample *q = &p->samples[s];
        double e = fabs(plane[0] + plane[1] * q->x + plane[2] * q->z - q->y);
        bool worse = e > most;
        most = worse ? e : most;
        worst = worse ? s : worst;
    }
    p->error[t] = most;
    p->worst[t] = worst;
}

static void remove_sample(nav_patch *p, int t, int32_t s)
{
    int32_t *at = &p->first[t];
    while (*at != s) at = &p->samples[*at].next;
    *at = p->samples[s].next;
}

// Inserts a sample that lies in t. A sample on one of t's vertices cannot be inserted: it is dropped, the vertex stays.
static bool insert_sample(nav_patch *p, int t, int32_t s)
{
    int32_t x = p->samples[s].x, z = p->samples[s].z, y = p->samples[s].y;
    const int16_t *v = p->vert[t];
    int zeros = 0, on = 0;
    for (int i = 0; i < 3; i++)
        if (side_of(p, v[i], v[after(i)], x, z) == 0) {
            zeros++;
            on = i;
        }
    if (zeros < 2 && !has_room(p, 2)) return false;
    remove_sample(p, t, s);
    mark_changed(p, t);
    if (zeros == 0) return split_triangle(p, t, x, z, y);
    if (zeros == 1) return split_edge(p, t, on, x, z, y);
    return true;
}

bool nav_patch_refine(nav_patch *p, double max_error)
{
    for (;;) {
        while (p->changed_count > 0) find_worst(p, p->changed[--p->changed_count]);
        int worst = 0;
        for (int t = 1; t < p->tri_count; t++)
            if (p->error[t] > p->error[worst]) worst = t;
        if (p->error[worst] <= max_error) return true;
        if (!insert_sample(p, worst, p->worst[worst])) return false;
    }
}
