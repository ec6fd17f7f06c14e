// The triangulation of one group of rings: holes are joined to the outer ring, which then is cut by the method chosen.
#include "core/polygon/triangulation/triangulate.h"

void nav_half_discard(half_edges *m, int32_t h)
{
    int32_t e = h;
    do {
        int32_t next = m->next[e];
        if (m->twin[e] >= 0) m->twin[m->twin[e]] = NAV_EDGE_WALL;
        nav_half_release(m, e);
        e = next;
    } while (e != h);
}

static bool cut_ring(half_edges *m, const half_group *g, int32_t corners)
{
    m->cut_count = 0;
    switch (m->method) {
    case NAV_TRIANGULATION_MIN_AREA:
        return nav_half_cut_min_area(m, g->outer, corners, g->region, g->area);
    case NAV_TRIANGULATION_DELAUNAY:
        return nav_half_cut_delaunay(m, g->outer, corners, g->region, g->area);
    case NAV_TRIANGULATION_EARS:
        break;
    }
    return nav_half_cut_ears(m, g->outer, corners, g->region, g->area);
}

bool nav_half_triangulate(half_edges *m, const half_group *g)
{
    int32_t corners;
    bool whole = nav_half_join_holes(m, g, &corners);
    return cut_ring(m, g, corners) && whole;
}
