// Polygons as convex cells: as they are, or cut into triangles where they have dents.
#include "core/path/ground.h"

#include <string.h>

bool nav_path_is_convex(const path_spot *at, const path_ring *ring, uint32_t n)
{
    bool has_area = false;
    int turns = 0, before = 0, first = 0; // of the way along x: two in a polygon that goes around once
    for (uint32_t k = 0; k < n; k++) {
        path_spot a = at[ring[k].vert], b = at[ring[(k + 1) % n].vert], c = at[ring[(k + 2) % n].vert];
        int64_t side = path_side(a, b, c);
        if (side > 0 || (side == 0 && !path_goes_on(a, b, c))) return false;
        has_area |= side < 0;
        int way = (b.x > a.x) - (b.x < a.x);
        if (!way) continue;
        turns += before && way != before;
        before = way;
        if (!first) first = way;
    }
    turns += before != first;
    return has_area && turns <= 2;
}

static void begin_cell(path_tile *t, uint32_t poly, uint8_t area)
{
    t->source[t->cell_count] = poly;
    t->area[t->cell_count] = area % NAV_AREA_COUNT; // others are in damaged tiles only
    t->first[++t->cell_count] = t->corner_count;
}

static uint32_t add_corner(path_tile *t, uint32_t vert)
{
    uint32_t k = t->corner_count++;
    t->vert[k] = vert;
    t->spot[k] = t->at[vert];
    t->cell[k] = t->cell_count - 1;
    t->twin[k] = PATH_WALL;
    t->first[t->cell_count] = t->corner_count;
    return k;
}

// Corner i of a ring: can it be cut off as a triangle that holds no other corner?
static bool is_ear(const path_spot *at, const path_ring *ring, uint32_t n, uint32_t i)
{
    uint32_t before = (i + n - 1) % n, next = (i + 1) % n;
    path_spot a = at[ring[before].vert], b = at[ring[i].vert], c = at[ring[next].vert];
    if (path_side(a, b, c) >= 0) return false;
    for (uint32_t k = 0; k < n; k++) {
        if (k == before || k == i || k == next) continue;
        path_spot s = at[ring[k].vert];
        if (path_side(a, b, s) <= 0 && path_side(b, c, s) <= 0 && path_side(c, a, s) <= 0) return false;
    }
    return true;
}

// As triangles. A cut is seen from both sides: the key of what is left of the polygon there is CUT and the corner of
// the triangle beyond.
static bool cut(path_tile *t, uint32_t poly, uint8_t area, path_ring *ring, uint32_t n, uint32_t *made)
{
    const uint32_t CUT = (uint32_t)1 << 31;
    while (n >= 3) {
        uint32_t i = 0;
        while (i < n && !is_ear(t->at, ring, n, i)) i++;
        if (i == n) return false;
        const uint32_t order[3] = {(i + n - 1) % n, i, (i + 1) % n};
        uint32_t corner[3];
        begin_cell(t, poly, area);
        for (int k = 0; k < 3; k++) corner[k] = add_corner(t, ring[order[k]].vert);
        for (int k = 0; k < (n == 3 ? 3 : 2); k++) {
            uint32_t key = ring[order[k]].key;
            if (key == PATH_NONE) continue;
            if (key & CUT) {
                t->twin[corner[k]] = (int32_t)(key & ~CUT);
                t->twin[key & ~CUT] = (int32_t)corner[k];
            } else {
                made[key] = corner[k];
            }
        }
        if (n == 3) break;
        ring[order[0]].key = CUT | corner[2]; // from before to next
        memmove(&ring[i], &ring[i + 1], (n - i - 1) * sizeof *ring);
        n--;
    }
    return true;
}

bool nav_path_add_polygon(path_tile *t, uint32_t poly, uint8_t area, path_ring *ring, uint32_t n, uint32_t *made)
{
    if (n < 3) return false;
    if (nav_path_is_convex(t->at, ring, n)) {
        begin_cell(t, poly, area);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t corner = add_corner(t, ring[k].vert);
            if (ring[k].key != PATH_NONE) made[ring[k].key] = corner;
        }
        return true;
    }
    uint32_t cells = t->cell_count, corners = t->corner_count;
    if (cut(t, poly, area, ring, n, made)) return true;
    t->cell_count = cells;
    t->corner_count = corners;
    t->first[cells] = corners;
    return false;
}
