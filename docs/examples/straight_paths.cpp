// Straight paths for an engine that uses Detour: the tiles of its dtNavMesh, as they are loaded, are ground for
// navcore.
//
//   straight_paths LEVEL.bin AX,AY,AZ BX,BY,BZ       LEVEL.bin: a multi-tile file, of navctl build or of RecastDemo
//
// Prints how long Detour's path is, and the shortest. When a tile of the dtNavMesh changes, put it again (or drop it)
// and join; the other tiles stay.
#include <DetourCommon.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>
#include <navcore.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

// All tiles of a mesh, into an empty set. Detour's own data will do: what it links does not matter.
static bool take_mesh(const dtNavMesh &mesh, nav_path_set *set)
{
    const dtNavMeshParams *p = mesh.getParams();
    const nav_detour_params grid = {
        {p->orig[0], p->orig[1], p->orig[2]}, p->tileWidth, p->tileHeight, p->maxTiles, p->maxPolys};
    for (int i = 0; i < mesh.getMaxTiles(); i++) {
        const dtMeshTile *tile = mesh.getTile(i);
        if (!tile->header) continue;
        char why[200];
        if (nav_path_set_put_detour(set, &grid, tile->data, (size_t)tile->dataSize, why, sizeof why) == NAV_OK)
            continue;
        fprintf(stderr, "tile %d, %d: %s\n", tile->header->x, tile->header->y, why);
        return false;
    }
    return nav_path_set_join(set) == NAV_OK;
}

static double detour_length(const dtNavMesh &mesh, const float a[3], const float b[3])
{
    const float near[3] = {2, 4, 2};
    std::unique_ptr<dtNavMeshQuery, void (*)(dtNavMeshQuery *)> query(dtAllocNavMeshQuery(), dtFreeNavMeshQuery);
    dtQueryFilter filter;
    dtPolyRef from = 0, to = 0, polys[2048];
    float start[3], end[3], points[3 * 2048];
    int poly_count = 0, count = 0;
    query->init(&mesh, 65535);
    query->findNearestPoly(a, near, &filter, &from, start);
    query->findNearestPoly(b, near, &filter, &to, end);
    if (from && to) query->findPath(from, to, start, end, &filter, polys, &poly_count, 2048);
    if (!poly_count || polys[poly_count - 1] != to) return -1;
    query->findStraightPath(start, end, polys, poly_count, points, nullptr, nullptr, &count, 2048);
    double length = 0;
    for (int i = 1; i < count; i++) length += (double)dtVdist2D(&points[3 * i - 3], &points[3 * i]);
    return length;
}

static bool load(const char *path, dtNavMesh &mesh)
{
    std::ifstream file(path, std::ios::binary);
    struct {
        int magic, version, tiles;
        dtNavMeshParams params;
    } head;
    if (!file.read((char *)&head, sizeof head) || dtStatusFailed(mesh.init(&head.params))) return false;
    for (int i = 0; i < head.tiles; i++) {
        int32_t record[2]; // reference, bytes
        if (!file.read((char *)record, sizeof record) || record[1] <= 0) return false;
        unsigned char *data = (unsigned char *)dtAlloc((size_t)record[1], DT_ALLOC_PERM);
        if (!file.read((char *)data, record[1]) ||
            dtStatusFailed(mesh.addTile(data, record[1], DT_TILE_FREE_DATA, (dtTileRef)record[0], nullptr)))
            return dtFree(data), false;
    }
    return true;
}

int main(int argc, char **argv)
{
    float a[3], b[3];
    if (argc != 4 || sscanf(argv[2], "%f,%f,%f", &a[0], &a[1], &a[2]) != 3 ||
        sscanf(argv[3], "%f,%f,%f", &b[0], &b[1], &b[2]) != 3)
        return fprintf(stderr, "usage: straight_paths LEVEL.bin AX,AY,AZ BX,BY,BZ\n"), 2;
    std::unique_ptr<dtNavMesh, void (*)(dtNavMesh *)> mesh(dtAllocNavMesh(), dtFreeNavMesh);
    if (!load(argv[1], *mesh)) return fprintf(stderr, "%s: cannot be loaded\n", argv[1]), 1;

    nav_path_set *set = nullptr;
    nav_path_finder *finder = nullptr; // one for each thread
    nav_path_query query = {};
    nav_path path = {};
    bool ok = nav_path_set_create(&set) == NAV_OK && nav_path_finder_create(&finder) == NAV_OK && take_mesh(*mesh, set);
    for (int k = 0; k < 3; k++) {
        query.from[k] = (double)a[k];
        query.to[k] = (double)b[k];
    }
    query.near_m = 2;
    ok = ok && nav_path_find(finder, set, &query, &path) == NAV_OK && path.status == NAV_PATH_FOUND;
    if (ok) {
        printf("Detour's path: %.3f m\n", detour_length(*mesh, a, b));
        printf("the shortest: %.3f m, by\n", path.length_m);
        for (uint32_t i = 0; i < path.point_count; i++)
            printf("  %.2f %.2f %.2f\n", (double)path.points[3 * i], (double)path.points[3 * i + 1],
                   (double)path.points[3 * i + 2]);
    } else {
        fprintf(stderr, "no path\n");
    }
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    return ok ? 0 : 1;
}
