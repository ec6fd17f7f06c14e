// The triangulation of one group of rings: holes are joined to the outer ring, which then is cut by the method chosen.
#include "core/polygon/triangulate.h"

#include "core/outline/sort.h"

#include <assert.h>

void half_discard(half_edges *m, int32_t h)
{
    int32_t e = h;
    do {
        int32_t next = m->next[e];
        if (m->twin[e] >= 0) m->twin[m->twin[e]] = NAV_EDGE_WALL;
        half_release(m, e);
        e = next;
    } while (e != h);
}

static bool cut_ring(half_edges *m, const half_group *g, int32_t corners)
{
    m->cut_count = 0;
    switch (m->method) {
    case NAV_TRIANGULATION_MIN_AREA:
        return half_cut_min_area(m, g->outer, corners, g->region, g->area);
    case NAV_TRIANGULATION_DELAUNAY:
        return half_cut_delaunay(m, g->outer, corners, g->region, g->area);
    case NAV_TRIANGULATION_EARS:
        break;
    }
    return half_cut_ears(m, g->outer, corners, g->region, g->area);
}

bool half_triangulate(half_edges *m, const half_group *g)
{
    bool whole = true;
    int32_t corners = g->corners;
    for (int32_t i = 0; i < g->hole_count; i++) {
        nav_point p = half_at(m, g->hole[i].low);
        assert(p.x >= 0 && p.x <= UINT16_MAX && p.z >= 0 && p.z <= UINT16_MAX);
        m->key[i] = (uint64_t)p.x << 48 | (uint64_t)p.z << 32 | (uint32_t)i;
    }
    nav_sort_u64(m->key, g->hole_count);
    for (int32_t i = 0; i < g->hole_count; i++) {
        const half_hole *hole = &g->hole[(uint32_t)m->key[i]];
        int32_t added = half_bridge(m, g->outer, hole->low);
        if (added < 0) {
            half_discard(m, hole->low);
            whole = false;
        } else {
            corners += hole->corners + added;
        }
    }
    return cut_ring(m, g, corners) && whole;
}
