#include "detour_mesh.h"

#include <DetourAlloc.h>
#include <DetourCommon.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>

#include <cstring>

struct detour_mesh {
    dtNavMesh *mesh;
    dtNavMeshQuery *query;
    int max_polys;
    dtQueryFilter filter; /* takes polygons with any flag; those with no flags are closed */
};

detour_mesh *detour_mesh_create(const float origin_m[3], float tile_side_m, int max_tiles, int max_polys)
{
    dtNavMeshParams params = {};
    dtVcopy(params.orig, origin_m);
    params.tileWidth = params.tileHeight = tile_side_m;
    params.maxTiles = max_tiles;
    params.maxPolys = max_polys;
    auto *m = new detour_mesh{dtAllocNavMesh(), dtAllocNavMeshQuery(), max_polys, {}};
    const int search_nodes = 65535;
    if (m->mesh && m->query && dtStatusSucceed(m->mesh->init(&params)) &&
        dtStatusSucceed(m->query->init(m->mesh, search_nodes)))
        return m;
    detour_mesh_destroy(m);
    return nullptr;
}

void detour_mesh_destroy(detour_mesh *m)
{
    if (!m) return;
    dtFreeNavMeshQuery(m->query);
    dtFreeNavMesh(m->mesh);
    delete m;
}

bool detour_mesh_put(detour_mesh *m, int x, int z, const void *bytes, size_t size, const char **why)
{
    /* Remove before add: Detour refuses a second tile at a place. It frees the old bytes, see below. */
    m->mesh->removeTile(m->mesh->getTileRefAt(x, z, 0), nullptr, nullptr);
    if (size == 0) return true;

    /* Detour does not check this itself: polygons beyond maxPolys would be taken for those of another tile. */
    dtMeshHeader header;
    *why = "the bytes are not a tile";
    if (size < sizeof header) return false;
    memcpy(&header, bytes, sizeof header);
    *why = "the tile has more polygons than dtNavMeshParams::maxPolys";
    if (header.polyCount > m->max_polys) return false;

    /* Detour keeps the bytes and writes into them, so it gets a copy, from its own allocator: DT_TILE_FREE_DATA makes
     * it free them when the tile goes. Where addTile() fails they are still ours. */
    auto *copy = static_cast<unsigned char *>(dtAlloc(size, DT_ALLOC_PERM));
    *why = "no memory";
    if (!copy) return false;
    memcpy(copy, bytes, size);
    if (dtStatusSucceed(m->mesh->addTile(copy, static_cast<int>(size), DT_TILE_FREE_DATA, 0, nullptr))) return true;
    dtFree(copy);
    *why = "Detour refused the tile: it has dtNavMeshParams::maxTiles already, or the bytes are of another version";
    return false;
}

void detour_mesh_set_cost(detour_mesh *m, int area, float cost)
{
    if (area >= 0 && area < DT_MAX_AREAS) m->filter.setAreaCost(area, cost);
}

float detour_mesh_path(const detour_mesh *m, const float from[3], const float to[3])
{
    enum { MAX = 4096 };
    static dtPolyRef polys[MAX];
    static float corners[3 * MAX];
    const float reach[3] = {2, 4, 2}; /* how far from ground a point may be */
    dtPolyRef start = 0, end = 0;
    float at_start[3], at_end[3];
    int poly_count = 0, corner_count = 0;
    m->query->findNearestPoly(from, reach, &m->filter, &start, at_start);
    m->query->findNearestPoly(to, reach, &m->filter, &end, at_end);
    if (!start || !end) return -1;
    m->query->findPath(start, end, at_start, at_end, &m->filter, polys, &poly_count, MAX);
    if (poly_count == 0 || polys[poly_count - 1] != end) return -1; /* as near as it gets is not there */
    m->query->findStraightPath(at_start, at_end, polys, poly_count, corners, nullptr, nullptr, &corner_count, MAX);
    float length = 0;
    for (int i = 1; i < corner_count; i++) length += dtVdist(&corners[3 * i - 3], &corners[3 * i]);
    return length;
}
