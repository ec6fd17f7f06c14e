// Simplification: which corners of an arc become vertices.
//
// Arcs between regions of the same area and arcs along an open border are straight: their nodes are enough. Walls, and
// arcs where the area changes, keep the farthest corner as long as one is farther than the error from the straight
// edge. Ties go to the lower corner, so both sides of an arc, walked in opposite directions, choose the same.
//
//      .--.--o--.              o: kept; the corner farthest from the edge a-b, then the farthest from each half
//     .          .--.
//     a - - - - - - -b
//
// Source: D. Douglas and T. Peucker, Algorithms for the reduction of the number of points required to represent a
// digitized line or its caricature (1973); the splitting of long walls follows Recast's contours.
#include "core/outline/outline_work.h"
#include "core/outline/sort.h"

// The corner strictly between raw positions a and b that is farthest from the straight edge; -1 without any.
// *far is its squared distance times `scale`, the edge's squared length (1 for an edge without length).
static int32_t farthest(const outline_work *w, int32_t a, int32_t b, double *far, double *scale)
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

static void reduce_arc(outline_work *w, int32_t a, int32_t b)
{
    double error2 = w->cfg->edge_max_error * w->cfg->edge_max_error;
    int32_t to = b;
    while (a < b) {
        double far, scale;
        int32_t k = to - a > 1 ? farthest(w, a, to, &far, &scale) : -1;
        if (k >= 0 && far > error2 * scale) {
            w->flags[k] |= CORNER_KEPT;
            to = k;
            continue;
        }
        a = to++;
        while (to < b && !(w->flags[to] & CORNER_KEPT)) to++;
    }
}

static void split_long_edges(outline_work *w, int32_t a, int32_t b)
{
    int64_t longest2 = (int64_t)w->cfg->edge_max_cells * w->cfg->edge_max_cells;
    while (a < b) {
        int32_t to = a + 1;
        while (to < b && !(w->flags[to] & CORNER_KEPT)) to++;
        while (to - a > 1 && nav_distance2(w->at[a], w->at[to]) > longest2) {
            bool forward = nav_point_before(w->at[a], w->at[to]);
            to = a + (to - a + !forward) / 2;
            w->flags[to] |= CORNER_KEPT;
        }
        a = to;
    }
}

void outline_simplify(outline_work *w)
{
    const nav_open_field *f = w->f;
    for (int32_t l = 0; l < w->loop_count; l++) {
        const outline_loop *loop = &w->loops[l];
        int32_t end = loop->first + loop->count;
        for (int32_t a = loop->first; a < end;) {
            int32_t b = a + 1;
            while (!(w->flags[b] & CORNER_NODE)) b++;
            bool wall = w->behind[a] == NAV_EDGE_WALL, reduce = wall || loop->closed;
            if (w->behind[a] > 0 && !reduce) {
                int32_t s = (int32_t)(w->code[a] >> 2);
                reduce = f->area[f->link[w->code[a] & 3][s]] != f->area[s];
            }
            if (reduce) reduce_arc(w, a, b);
            if (wall && w->cfg->edge_max_cells > 0) split_long_edges(w, a, b);
            a = b;
        }
    }
}

double outline_deviation(const outline_work *w, int32_t a, int32_t b)
{
    double far = 0.0, scale;
    if (b - a < 2) return 0.0;
    (void)farthest(w, a, b, &far, &scale);
    return far / scale;
}

// Lists the arcs between regions by their last edge, so that a twin is found by its first.
static void list_arcs(outline_work *w)
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

// The raw corner of the other region's outline that is the same corner as `k` of the arc that holds raw edge `k`.
// `k` itself is neither of the arc's ends. -1 where the other side has none.
static int32_t twin_corner(outline_work *w, int32_t k)
{
    if (!w->twins_ready) list_arcs(w);
    int32_t first = k;
    while (!(w->flags[first] & CORNER_NODE)) first--;
    const nav_open_field *f = w->f;
    uint32_t d = w->code[first] & 3;
    uint64_t want = (uint64_t)((uint32_t)f->link[d][w->code[first] >> 2] * 4 + (d ^ 2)) << 32;
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

static void mark_dirty(outline_work *w, int32_t raw)
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

bool outline_refine(outline_work *w, int32_t a, int32_t b, const nav_point *touch)
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
    w->flags[k] |= CORNER_KEPT;
    if (w->behind[k] > 0) {
        int32_t twin = twin_corner(w, k);
        if (twin >= 0) {
            w->flags[twin] |= CORNER_KEPT;
            mark_dirty(w, twin);
        }
    }
    return true;
}
