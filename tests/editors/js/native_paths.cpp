// Debian's Detour as the judge: reads pairs "ax ay az bx by bz" from standard input and prints for each the corners of
// the path between them in a file of Detour tiles, as bits of floats. native_paths FILE.bin
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

static const int MOST = 2048;

static dtNavMesh *load(const char *name)
{
    FILE *file = fopen(name, "rb");
    int32_t head[3], tile[2];
    dtNavMeshParams params;
    dtNavMesh *mesh = dtAllocNavMesh();
    bool good = file && fread(head, sizeof head, 1, file) == 1 && fread(&params, sizeof params, 1, file) == 1 &&
                dtStatusSucceed(mesh->init(&params));
    for (int i = 0; good && i < head[2]; i++) {
        good = fread(tile, sizeof tile, 1, file) == 1;
        unsigned char *data = good ? static_cast<unsigned char *>(dtAlloc(tile[1], DT_ALLOC_PERM)) : nullptr;
        good = good && fread(data, tile[1], 1, file) == 1 &&
               dtStatusSucceed(mesh->addTile(data, tile[1], DT_TILE_FREE_DATA, 0, nullptr));
    }
    if (file) fclose(file);
    return good ? mesh : nullptr;
}

int main(int argc, char **argv)
{
    dtNavMesh *mesh = argc == 2 ? load(argv[1]) : nullptr;
    if (!mesh) return fprintf(stderr, "usage: native_paths FILE.bin < PAIRS\n"), 2;
    dtNavMeshQuery query;
    if (dtStatusFailed(query.init(mesh, MOST))) return 1;
    dtQueryFilter filter;
    const float reach[3] = {1, 2, 1};
    float a[3], b[3];
    while (scanf("%f %f %f %f %f %f", a, a + 1, a + 2, b, b + 1, b + 2) == 6) {
        static dtPolyRef polygons[MOST];
        static float corners[3 * MOST];
        dtPolyRef from = 0, to = 0;
        float at[3], goal[3];
        int polygon_count = 0, corner_count = 0;
        query.findNearestPoly(a, reach, &filter, &from, at);
        query.findNearestPoly(b, reach, &filter, &to, goal);
        if (from && to) query.findPath(from, to, at, goal, &filter, polygons, &polygon_count, MOST);
        if (polygon_count > 0 && polygons[polygon_count - 1] == to)
            query.findStraightPath(at, goal, polygons, polygon_count, corners, nullptr, nullptr, &corner_count, MOST);
        for (int i = 0; i < 3 * corner_count; i++) {
            uint32_t bits;
            memcpy(&bits, corners + i, sizeof bits);
            printf("%s%08x", i ? " " : "", bits);
        }
        printf("\n");
    }
    dtFreeNavMesh(mesh);
    return 0;
}
