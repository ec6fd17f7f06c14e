#include "core/base/ring.h"

bool nav_ring_holds(const nav_point *ring, int32_t count, nav_point p)
{
    bool inside = false;
    for (int32_t i = 0; i < count; i++) {
        nav_point a = ring[i], b = ring[i + 1 < count ? i + 1 : 0];
        if ((a.z > p.z) == (b.z > p.z)) continue;
        int64_t right = nav_right(a, b, p);
        if ((right > 0) == (b.z > a.z)) inside = !inside;
    }
    return inside;
}

bool nav_ring_passes(const nav_point *ring, int32_t count, nav_point p)
{
    for (int32_t i = 0; i < count; i++) {
        nav_point a = ring[i], b = ring[i + 1 < count ? i + 1 : 0];
        if (nav_point_same(a, p) || (nav_right(a, b, p) == 0 && nav_between(a, b, p))) return true;
    }
    return false;
}

bool nav_ring_holds_ring(const nav_point *ring, int32_t count, const nav_point *other, int32_t other_count)
{
    int32_t k = 0;
    while (k + 1 < other_count && nav_ring_passes(ring, count, other[k])) k++;
    return nav_ring_holds(ring, count, other[k]);
}
