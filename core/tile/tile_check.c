// The shape of a navd tile's cells and portals, as its reader demands it:
//
//       a---b        every cell turns right-handed about +Y exactly once, without zero edges; what lies behind an edge
//       is
//      /  A  \       a wall, a portal on that border of the tile, or a cell that has the same edge the other way round
//     f       c      and names this cell behind it. A relaxed cell may turn both ways but does not cross itself.
//      \     / \     .
//       e---d - - B  Portals are listed in the order in which this walk meets their first edges.
#include "core/tile/tile_check.h"

#include "core/polygon/portals.h"
#include "core/tile/refuse.h"

#include <math.h>

// Comparing an edge with its neighbour's edges is quadratic in a cell's corners. Real tiles need thousands of steps.
static const uint64_t STEPS_MAX = 1u << 26;

typedef struct checker {
    const nav_tile_view *view;
    uint64_t steps; // of STEPS_MAX
    char *why;
    size_t why_bytes;
} checker;

#define REFUSE(r, ...) nav_refuse(NAV_ERR_FORMAT, (r)->why, (r)->why_bytes, __VA_ARGS__)

// Corner k of a cell, counted around it.
static void corner_of(const nav_tile_view *v, const nav_tile_cell *cell, uint32_t k, nav_tile_corner *corner,
                      int32_t at[3])
{
    nav_tile_get_corner(v, cell->first_corner + k % cell->corner_count, corner);
    nav_tile_get_vert(v, corner->vert, at);
}

// Does a loop turn right-handed about +Y at every corner, and only once around? Convex it is then.
typedef struct turning {
    int64_t last[2]; // the edge before: x, z
    int quadrants;   // changes of the sign of x: two in a loop that goes around once
    int sign;        // of the last x that was not zero
} turning;

static int sign_of(int64_t v)
{
    return (v > 0) - (v < 0);
}

static bool turns_right(turning *t, const int64_t edge[2])
{
    if (edge[0] == 0 && edge[1] == 0) return false;
    int64_t cross = t->last[0] * edge[1] - t->last[1] * edge[0];
    int64_t dot = t->last[0] * edge[0] + t->last[1] * edge[1];
    if (cross > 0 || (cross == 0 && dot < 0)) return false;
    int sign = sign_of(edge[0]);
    if (sign && t->sign && sign != t->sign) t->quadrants++;
    if (sign) t->sign = sign;
    t->last[0] = edge[0];
    t->last[1] = edge[1];
    return true;
}

static int side_of(const int32_t a[3], const int32_t b[3], const int32_t p[3])
{
    return sign_of((int64_t)(b[0] - a[0]) * (p[2] - a[2]) - (int64_t)(b[2] - a[2]) * (p[0] - a[0]));
}

static void edge_of(const nav_tile_view *v, const nav_tile_cell *cell, uint32_t k, int64_t edge[2])
{
    nav_tile_corner a, b;
    int32_t from[3], to[3];
    nav_tile_get_corner(v, cell->first_corner + k, &a);
    nav_tile_get_corner(v, cell->first_corner + (k + 1 == cell->corner_count ? 0 : k + 1), &b);
    nav_tile_get_vert(v, a.vert, from);
    nav_tile_get_vert(v, b.vert, to);
    edge[0] = to[0] - from[0];
    edge[1] = to[2] - from[2];
}

static bool is_convex(const nav_tile_view *v, const nav_tile_cell *cell)
{
    turning t = {0};
    edge_of(v, cell, cell->corner_count - 1, t.last);
    if (t.last[0] == 0 && t.last[1] == 0) return false;
    int64_t turned = 0;
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        int64_t edge[2], before[2] = {t.last[0], t.last[1]};
        edge_of(v, cell, k, edge);
        if (!turns_right(&t, edge)) return false;
        turned |= before[0] * edge[1] - before[1] * edge[0];
    }
    // The last change closes the loop: the first edge with an x is compared with the last one.
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        int64_t edge[2];
        edge_of(v, cell, k, edge);
        if (!edge[0]) continue;
        t.quadrants += sign_of(edge[0]) != t.sign;
        break;
    }
    return turned && t.quadrants == 2;
}

// Is the edge from a to b on the border that the portal names?
static bool on_border(const nav_tile_view *v, int64_t portal, const int32_t a[3], const int32_t b[3])
{
    switch (portal) {
    case NAV_EDGE_PORTAL_XMAX:
        return a[0] == v->tile_cells && b[0] == v->tile_cells;
    case NAV_EDGE_PORTAL_ZMAX:
        return a[2] == v->tile_cells && b[2] == v->tile_cells;
    case NAV_EDGE_PORTAL_XMIN:
        return a[0] == 0 && b[0] == 0;
    case NAV_EDGE_SEAM: // anywhere
        return true;
    default:
        return a[2] == 0 && b[2] == 0;
    }
}

static nav_status check_neighbour(checker *r, uint32_t self, uint32_t other, uint32_t from, uint32_t to)
{
    nav_tile_cell cell;
    if (other == self) return REFUSE(r, "cell %u has itself behind an edge", self);
    nav_tile_get_cell(r->view, other, &cell);
    r->steps += cell.corner_count;
    if (r->steps > STEPS_MAX)
        return nav_refuse(NAV_ERR_LIMIT, r->why, r->why_bytes, "the cells have too many corners to compare them");
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner a, b;
        nav_tile_get_corner(r->view, cell.first_corner + k, &a);
        if (a.vert != to || a.behind != (int64_t)self) continue;
        nav_tile_get_corner(r->view, cell.first_corner + (k + 1 == cell.corner_count ? 0 : k + 1), &b);
        if (b.vert == from) return NAV_OK;
    }
    return REFUSE(r, "cell %u has cell %u behind an edge, but not the reverse", self, other);
}

// Do the edges from a to b and from c to d cross?
static bool edges_cross(const int32_t a[3], const int32_t b[3], const int32_t c[3], const int32_t d[3])
{
    for (int k = 0; k < 3; k += 2) { // apart in x or z: the usual case
        int32_t low = c[k] < d[k] ? c[k] : d[k], high = c[k] < d[k] ? d[k] : c[k];
        if ((a[k] < low && b[k] < low) || (a[k] > high && b[k] > high)) return false;
    }
    return side_of(a, b, c) * side_of(a, b, d) < 0 && side_of(c, d, a) * side_of(c, d, b) < 0;
}

// A relaxed cell does not cross itself or turn on the spot, and is wound as all cells are.
static nav_status check_relaxed(checker *r, const nav_tile_cell *cell, uint32_t c)
{
    const nav_tile_view *v = r->view;
    nav_tile_corner corner;
    int32_t a[3], b[3], p[3], q[3];
    int64_t doubled = 0;
    uint32_t n = cell->corner_count;
    r->steps += (uint64_t)n * n / 2;
    if (r->steps > STEPS_MAX)
        return nav_refuse(NAV_ERR_LIMIT, r->why, r->why_bytes, "the cells have too many corners to compare them");
    for (uint32_t i = 0; i < n; i++) {
        corner_of(v, cell, i, &corner, a);
        corner_of(v, cell, i + 1, &corner, b);
        if (a[0] == b[0] && a[2] == b[2]) return REFUSE(r, "relaxed cell %u has an edge without length", c);
        doubled += (int64_t)a[0] * b[2] - (int64_t)b[0] * a[2];
        corner_of(v, cell, i + 2, &corner, q);
        bool turns_back = side_of(a, b, q) == 0 &&
                          (int64_t)(b[0] - a[0]) * (q[0] - b[0]) + (int64_t)(b[2] - a[2]) * (q[2] - b[2]) < 0;
        if (turns_back) return REFUSE(r, "relaxed cell %u turns back on itself", c);
        for (uint32_t j = i + 2; j < n && (i > 0 || j + 1 < n); j++) {
            corner_of(v, cell, j, &corner, p);
            corner_of(v, cell, j + 1, &corner, q);
            if (edges_cross(a, b, p, q)) return REFUSE(r, "relaxed cell %u crosses itself", c);
        }
    }
    return doubled < 0 ? NAV_OK : REFUSE(r, "relaxed cell %u is wound the wrong way", c);
}

static nav_status check_cell(checker *r, uint32_t c)
{
    const nav_tile_view *v = r->view;
    nav_tile_cell cell;
    nav_tile_get_cell(v, c, &cell);
    if (!(cell.flags & NAV_CELL_RELAXED)) {
        if (!is_convex(v, &cell)) return REFUSE(r, "cell %u is not convex", c);
    } else {
        nav_status s = check_relaxed(r, &cell, c);
        if (s != NAV_OK) return s;
    }
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner a, b;
        nav_tile_get_corner(v, cell.first_corner + k, &a);
        nav_tile_get_corner(v, cell.first_corner + (k + 1 == cell.corner_count ? 0 : k + 1), &b);
        if (a.behind == NAV_EDGE_WALL) continue;
        if (a.behind < 0) {
            int32_t from[3], to[3];
            nav_tile_get_vert(v, a.vert, from);
            nav_tile_get_vert(v, b.vert, to);
            if (!on_border(v, a.behind, from, to)) return REFUSE(r, "cell %u has a portal off its border", c);
            continue;
        }
        nav_status s = check_neighbour(r, c, (uint32_t)a.behind, a.vert, b.vert);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

// Does the edge from corner k + 1 go on from the edge from corner k: straight, with the same behind it?
static bool goes_on(const nav_tile_view *v, const nav_tile_cell *cell, uint32_t k)
{
    nav_tile_corner a, b, c;
    int32_t from[3], over[3], to[3];
    corner_of(v, cell, k, &a, from);
    corner_of(v, cell, k + 1, &b, over);
    corner_of(v, cell, k + 2, &c, to);
    int64_t x = over[0] - from[0], z = over[2] - from[2], next_x = to[0] - over[0], next_z = to[2] - over[2];
    return a.behind == b.behind && x * next_z == z * next_x && x * next_x + z * next_z > 0;
}

// Is portal `index` the one that begins in corner k of the cell?
static nav_status check_portal(const checker *r, uint32_t index, uint32_t c, const nav_tile_cell *cell, uint32_t k)
{
    const nav_tile_view *v = r->view;
    nav_tile_corner first, last;
    nav_tile_portal p;
    int32_t from[3], to[3];
    uint32_t end = k;
    if (index == v->portal_count) return REFUSE(r, "cell %u has more portals than there are", c);
    while (goes_on(v, cell, end)) end++;
    corner_of(v, cell, k, &first, from);
    corner_of(v, cell, end + 1, &last, to);
    nav_tile_get_portal(v, index, &p);
    if (p.cell != c || p.behind != first.behind || p.from != first.vert || p.to != last.vert)
        return REFUSE(r, "portal %u is not the one from vertex %u to %u of cell %u", index, first.vert, last.vert, c);
    double x = to[0] - from[0], z = to[2] - from[2], cell_size_m = (double)v->cell_size_m;
    if (p.width_m != (float)(sqrt(x * x + z * z) * cell_size_m))
        return REFUSE(r, "portal %u has width %g", index, (double)p.width_m);
    if (!(p.clearance_m >= 0 && p.clearance_m <= (float)(nav_clearance_most(v->tile_cells, v->unit) * cell_size_m)))
        return REFUSE(r, "portal %u has clearance %g", index, (double)p.clearance_m);
    return NAV_OK;
}

// The portals are those of the cells, all of them, in the order that core/polygon/portals.h tells.
static nav_status check_portals(const checker *r)
{
    const nav_tile_view *v = r->view;
    uint32_t index = 0;
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner;
            nav_tile_get_corner(v, cell.first_corner + k, &corner);
            if (corner.behind == NAV_EDGE_WALL || (corner.behind >= 0 && corner.behind < (int64_t)c)) continue;
            if (goes_on(v, &cell, k + cell.corner_count - 1)) continue;
            nav_status s = check_portal(r, index, c, &cell, k);
            if (s != NAV_OK) return s;
            index++;
        }
    }
    return index == v->portal_count ? NAV_OK : REFUSE(r, "the cells have %u portals, not %u", index, v->portal_count);
}

nav_status nav_tile_check_shape(const nav_tile_view *v, char *why, size_t why_bytes)
{
    checker r = {.view = v, .why = why, .why_bytes = why_bytes};
    nav_status s = NAV_OK;
    for (uint32_t c = 0; s == NAV_OK && c < v->cell_count; c++) s = check_cell(&r, c);
    return s == NAV_OK ? check_portals(&r) : s;
}
