#include "detour_mesh.h"

#include <navd_detour.hpp>

#include <DetourCommon.h>

#include <new>

struct detour_mesh {
    navd::DetourMesh mesh;
};

detour_mesh *detour_mesh_create(const float origin_m[3], float tile_side_m)
{
    auto *m = new (std::nothrow) detour_mesh;
    if (m && m->mesh.open(origin_m, tile_side_m)) return m;
    detour_mesh_destroy(m);
    return nullptr;
}

void detour_mesh_destroy(detour_mesh *m)
{
    delete m;
}

bool detour_mesh_put(detour_mesh *m, int x, int z, const void *bytes, size_t size, const char **why)
{
    if (size == 0) {
        m->mesh.remove(x, z);
        return true;
    }
    *why = m->mesh.put(x, z, bytes, size);
    return *why == nullptr;
}

float detour_mesh_path(const detour_mesh *m, const float from[3], const float to[3])
{
    enum { MAX = 4096 };
    static dtPolyRef polys[MAX];
    static float corners[3 * MAX];
    const float reach[3] = {2, 4, 2}; /* how far from ground a point may be */
    const int search_nodes = 65535;
    const dtQueryFilter filter; /* takes polygons with any flag; those with no flags are closed */
    dtPolyRef start = 0, end = 0;
    float at_start[3], at_end[3], length = -1;
    int poly_count = 0, corner_count = 0;
    dtNavMeshQuery *query = dtAllocNavMeshQuery();
    if (query && dtStatusSucceed(query->init(m->mesh.get(), search_nodes))) {
        query->findNearestPoly(from, reach, &filter, &start, at_start);
        query->findNearestPoly(to, reach, &filter, &end, at_end);
        if (start && end) query->findPath(start, end, at_start, at_end, &filter, polys, &poly_count, MAX);
        if (poly_count > 0 && polys[poly_count - 1] == end) { /* as near as it gets is not there */
            query->findStraightPath(at_start, at_end, polys, poly_count, corners, nullptr, nullptr, &corner_count, MAX);
            length = 0;
        }
    }
    for (int i = 1; i < corner_count; i++) length += dtVdist(&corners[3 * i - 3], &corners[3 * i]);
    dtFreeNavMeshQuery(query);
    return length;
}
