// Simplification: which corners of an arc become vertices.
//
// Arcs between regions of the same area and arcs along an open border are straight: their nodes are enough. Walls, and
// arcs where the area changes, are fitted (fit.c). An area's border is walked in the same direction from both sides, so
// both choose the same corners. A loop without nodes is fitted as a whole, and starts again at one of its vertices.
//
//      .--.--o--.              o: kept. Where a contour must be refined later, the corner that is
//     .          .--.          farthest from the edge is kept, then the farthest from each half,
//     a - - - - - - -b         until the error bound holds again.
//
// Source of the latter: D. Douglas and T. Peucker, Algorithms for the reduction of the number of points required to
// represent a digitized line or its caricature (1973).
#include "core/base/sort.h"
#include "core/contour/contour_work.h"
#include "core/contour/fit.h"

#include <math.h>
#include <string.h>

// How far a contour had best run on the wall's side of the traced corners, and what a notch costs. Measured: less
// offset leaves contours farther from walls, more makes them touch drops; a notch is rarely to be had for a vertex.
static const double WALL_OFFSET = 0.65, WALL_NOTCH = 0.5;

// The corner strictly between raw positions a and b that is farthest from the straight edge; -1 without any.
// *far is its squared distance times `scale`, the edge's squared length (1 for an edge without length).
static int32_t farthest(const contour_work *w, int32_t a, int32_t b, double *far, double *scale)
{
    nav_point p = w->at[a], q = w->at[b];
    int64_t dx = q.x - p.x, dz = q.z - p.z, len2 = dx * dx + dz * dz;
    double len = len2 ? (double)len2 : 1.0, best = -1.0;
    int32_t at = -1;
    for (int32_t k = a + 1; k < b; k++) {
        int64_t x = w->at[k].x - p.x, z = w->at[k].z - p.z;
        int64_t along = x * dx + z * dz;
        double d;
        if (along <= 0) {
            d = (double)(x * x + z * z) * len;
        } else if (along >= len2) {
            d = (double)((x - dx) * (x - dx) + (z - dz) * (z - dz)) * len;
        } else {
            double side = (double)(x * dz - z * dx);
            d = side * side;
        }
        if (d > best || (d == best && nav_point_before(w->at[k], w->at[at]))) {
            best = d;
            at = k;
        }
    }
    *far = best;
    *scale = len;
    return at;
}

// The distance alone, as farthest() gives it: the corners are independent of each other then. All numbers are whole,
// and doubles hold them as long as farthest() has no other ones.
static double far_from_edge(const contour_work *w, int32_t a, int32_t b)
{
    nav_point p = w->at[a], q = w->at[b];
    double dx = q.x - p.x, dz = q.z - p.z, len2 = dx * dx + dz * dz, len = len2 > 0.0 ? len2 : 1.0;
    int64_t most = 0; // of distances that are not negative: they are ordered as their bits are
    for (int32_t k = a + 1; k < b; k++) {
        double x = w->at[k].x - p.x, z = w->at[k].z - p.z, along = x * dx + z * dz, side = x * dz - z * dx;
        double ex = along > 0.0 ? x - dx : x, ez = along > 0.0 ? z - dz : z;
        double d = along > 0.0 && along < len2 ? side * side : (ex * ex + ez * ez) * len;
        int64_t bits;
        memcpy(&bits, &d, sizeof bits);
        most = bits > most ? bits : most;
    }
    double far;
    memcpy(&far, &most, sizeof far);
    return far / len;
}

// Is every corner of the loop within the error of the straight edge between its lowest and its highest corner?
static bool is_speck(const contour_work *w, int32_t low, int32_t high, int32_t end)
{
    double error2 = w->cfg->edge_max_error * w->cfg->edge_max_error, far, scale;
    (void)farthest(w, low, high, &far, &scale);
    if (far > error2 * scale) return false;
    (void)farthest(w, high, end, &far, &scale);
    return far <= error2 * scale;
}

static void reverse_raw(contour_work *w, int32_t i, int32_t j)
{
    for (; i < j; i++, j--) {
        nav_point at = w->at[i];
        int32_t behind = w->behind[i];
        uint32_t code = w->code[i];
        uint8_t flags = w->flags[i];
        w->at[i] = w->at[j];
        w->behind[i] = w->behind[j];
        w->code[i] = w->code[j];
        w->flags[i] = w->flags[j];
        w->at[j] = at;
        w->behind[j] = behind;
        w->code[j] = code;
        w->flags[j] = flags;
    }
}

// Lets the loop begin at its first vertex, and makes that a node.
static void begin_at_vertex(contour_work *w, const contour_loop *loop)
{
    int32_t first = loop->first, end = first + loop->count, vertex = contour_next_flag(w, first, CORNER_KEPT);
    if (vertex > first) {
        reverse_raw(w, first, vertex - 1);
        reverse_raw(w, vertex, end - 1);
        reverse_raw(w, first, end - 1);
    }
    w->flags[first] |= CORNER_NODE;
    w->at[end] = w->at[first];
    w->flags[end] = w->flags[first];
}

static void simplify_loop(contour_work *w, contour_fit *fit, const contour_loop *loop)
{
    int32_t a = loop->first, b = a + loop->count, high = a;
    for (int32_t k = a; k < b; k++)
        if (nav_point_before(w->at[high], w->at[k])) high = k;
    bool reversed = !loop->all_wall && loop->hole;
    if (is_speck(w, a, high, b)) {
        w->flags[a] |= CORNER_KEPT;
        w->flags[high] |= CORNER_KEPT;
    } else if (!nav_contour_fit_loop(fit, w->at, a, b, loop->hole, reversed, w->flags, CORNER_KEPT)) {
        for (int32_t k = a; k < b; k++) w->flags[k] |= CORNER_KEPT;
    }
    begin_at_vertex(w, loop);
}

// Does the error bound hold for the arc of raw edge k? Arcs between regions of one area are straight.
static bool is_bound(const contour_work *w, int32_t k)
{
    if (w->behind[k] <= 0) return w->behind[k] == NAV_EDGE_WALL;
    int32_t s = (int32_t)(w->code[k] >> 2);
    return w->f->area[w->f->connection[w->code[k] & 3][s]] != w->f->area[s];
}

static bool runs_backwards(const contour_work *w, int32_t a, int32_t b)
{
    for (; a < b; a++, b--)
        if (!nav_point_same(w->at[a], w->at[b])) return nav_point_before(w->at[b], w->at[a]);
    return false;
}

// Long edges are split for triangles' sake; a convex partition has no use for that.
static void set_costs(contour_fit *fit, const nav_config *cfg, bool wall)
{
    bool split = wall && cfg->partition != NAV_PARTITION_CONVEX;
    fit->notch = wall ? WALL_NOTCH : 0.0;
    fit->offset = wall ? WALL_OFFSET : 0.0;
    fit->longest = split ? cfg->edge_max_columns : 0;
}

nav_status nav_contour_simplify(contour_work *w, nav_arena *arena)
{
    int32_t longest = 0;
    for (int32_t l = 0; l < w->loop_count; l++)
        if (w->loops[l].count > longest) longest = w->loops[l].count;
    contour_fit fit;
    nav_status status = nav_contour_fit_init(&fit, w->cfg->edge_max_error, longest, arena);
    fit.plainly |= w->cfg->plain;
    if (status != NAV_OK) return status;
    for (int32_t l = 0; l < w->loop_count; l++) {
        const contour_loop *loop = &w->loops[l];
        int32_t end = loop->first + loop->count;
        if (loop->closed) {
            set_costs(&fit, w->cfg, loop->all_wall);
            simplify_loop(w, &fit, loop);
            continue;
        }
        for (int32_t a = loop->first, b; a < end; a = b) {
            b = contour_next_flag(w, a + 1, CORNER_NODE);
            if (!is_bound(w, a)) continue;
            bool wall = w->behind[a] == NAV_EDGE_WALL;
            set_costs(&fit, w->cfg, wall);
            nav_contour_fit_arc(&fit, w->at, a, b, !wall && runs_backwards(w, a, b), w->flags, CORNER_KEPT);
        }
    }
    return NAV_OK;
}

double nav_contour_deviation(const contour_work *w, int32_t a, int32_t b)
{
    return b - a < 2 ? 0.0 : far_from_edge(w, a, b);
}

double nav_contour_largest_deviation(const contour_work *w)
{
    double most = 0.0;
    for (int32_t l = 0; l < w->loop_count; l++) {
        const contour_loop *loop = &w->loops[l];
        int32_t end = loop->first + loop->count;
        for (int32_t a = loop->first, b; a < end; a = b) {
            b = contour_next_flag(w, a + 1, CORNER_KEPT);
            double far = is_bound(w, a) ? nav_contour_deviation(w, a, b) : 0.0;
            if (far > most) most = far;
        }
    }
    return sqrt(most);
}

// Lists the arcs between regions by their last edge, so that a twin is found by its first.
static void list_arcs(contour_work *w)
{
    int32_t n = 0;
    for (int32_t l = 0; l < w->loop_count; l++) {
        int32_t end = w->loops[l].first + w->loops[l].count;
        for (int32_t k = w->loops[l].first; k < end; k++)
            if (w->behind[k] > 0 && (w->flags[k + 1] & CORNER_NODE))
                w->arc_end[n++] = (uint64_t)w->code[k] << 32 | (uint32_t)(k + 1);
    }
    nav_sort_u64(w->arc_end, n);
    w->arc_count = n;
    w->twins_ready = true;
}

// The raw corner of the other region's contour that is the same corner as `k` of the arc that holds raw edge `k`.
// `k` itself is neither of the arc's ends. -1 where the other side has none.
static int32_t twin_corner(contour_work *w, int32_t k)
{
    if (!w->twins_ready) list_arcs(w);
    int32_t first = k;
    while (!(w->flags[first] & CORNER_NODE)) first--;
    const nav_compact_heightfield *f = w->f;
    uint32_t d = w->code[first] & 3;
    uint64_t want = (uint64_t)((uint32_t)f->connection[d][w->code[first] >> 2] * 4 + (d ^ 2)) << 32;
    int32_t low = 0, high = w->arc_count;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (w->arc_end[mid] < want) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low == w->arc_count || (w->arc_end[low] ^ want) >> 32) return -1;
    return (int32_t)(uint32_t)w->arc_end[low] - (k - first);
}

static void mark_dirty(contour_work *w, int32_t raw)
{
    int32_t low = 0, high = w->loop_count - 1;
    while (low < high) {
        int32_t mid = high - (high - low) / 2;
        if (w->loops[mid].first <= raw) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    w->dirty[w->loops[low].group] = 1;
}

// Makes the corner a vertex, on both sides of the arc.
static void keep_corner(contour_work *w, int32_t k)
{
    w->flags[k] |= CORNER_KEPT;
    if (w->behind[k] <= 0) return;
    int32_t twin = twin_corner(w, k);
    if (twin < 0) return;
    w->flags[twin] |= CORNER_KEPT;
    mark_dirty(w, twin);
}

// A vertex that is added may leave corners farther from the new edges than they were from the old one: keeps more,
// farthest first, until all are within the error.
static void hold_bound(contour_work *w, int32_t a, int32_t b)
{
    double error2 = w->cfg->edge_max_error * w->cfg->edge_max_error;
    while (a < b) {
        double far, scale;
        int32_t to = a + 1;
        while (to < b && !(w->flags[to] & CORNER_KEPT)) to++;
        int32_t k = to - a > 1 ? farthest(w, a, to, &far, &scale) : -1;
        if (k >= 0 && far > error2 * scale) {
            keep_corner(w, k);
        } else {
            a = to;
        }
    }
}

bool nav_contour_refine(contour_work *w, int32_t a, int32_t b, const nav_point *touch)
{
    double far, scale;
    int32_t k = b - a > 1 ? farthest(w, a, b, &far, &scale) : -1;
    if (k < 0) return false;
    if (far <= 0.0) {
        k = -1;
        for (int32_t i = a + 1; touch && i < b && k < 0; i++)
            if (nav_point_same(w->at[i], *touch)) k = i;
        if (k < 0) return false;
    }
    keep_corner(w, k);
    if (is_bound(w, a)) hold_bound(w, a, b);
    return true;
}
