#include "clients/navctl/paths/detour_paths.h"

#include <DetourAlloc.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

namespace
{

constexpr int most_polys = 1 << 14; // of a path
constexpr int most_nodes = 65535;   // Detour's own bound

template <auto Free> struct release {
    template <typename T> void operator()(T *p) const
    {
        Free(p);
    }
};

} // namespace

struct detour_paths {
    std::unique_ptr<dtNavMesh, release<dtFreeNavMesh>> mesh;
    std::unique_ptr<dtNavMeshQuery, release<dtFreeNavMeshQuery>> query;
    dtQueryFilter filter;
    std::vector<dtPolyRef> polys;
    std::vector<float> points;
};

namespace
{

// NULL: fine. Else what Detour did not take.
const char *load(detour_paths &d, const store *tiles)
{
    dtNavMeshParams params = {};
    memcpy(params.orig, tiles->origin, sizeof params.orig);
    params.tileWidth = tiles->tile_width;
    params.tileHeight = tiles->tile_height;
    params.maxTiles = tiles->max_tiles;
    params.maxPolys = tiles->max_polys;
    d.mesh.reset(dtAllocNavMesh());
    d.query.reset(dtAllocNavMeshQuery());
    if (!d.mesh || !d.query) return "no memory left";
    if (dtStatusFailed(d.mesh->init(&params))) return "Detour refuses the parameters of the file";
    for (uint32_t i = 0; i < tiles->tile_count; i++) {
        const stored_tile &t = tiles->tiles[i];
        auto *copy = static_cast<unsigned char *>(dtAlloc(t.size, DT_ALLOC_PERM)); /* addTile() keeps and changes it */
        if (!copy) return "no memory left";
        memcpy(copy, t.bytes, t.size);
        if (dtStatusFailed(d.mesh->addTile(copy, static_cast<int>(t.size), DT_TILE_FREE_DATA, 0, nullptr))) {
            dtFree(copy);
            return "Detour refuses a tile";
        }
    }
    if (dtStatusFailed(d.query->init(d.mesh.get(), most_nodes))) return "no memory left";
    d.filter.setIncludeFlags(0xffff);
    d.polys.resize(most_polys);
    d.points.resize(3 * most_polys);
    return nullptr;
}

} // namespace

detour_paths *detour_paths_create(const char *name, const store *tiles)
try {
    auto d = std::make_unique<detour_paths>();
    const char *why =
        tiles->kind == STORE_MSET ? load(*d, tiles) : "--detour compares with a .bin file of Detour tiles";
    if (!why) return d.release();
    fprintf(stderr, "navctl: %s: %s\n", name, why);
    return nullptr;
} catch (const std::bad_alloc &) {
    fprintf(stderr, "navctl: no memory left\n");
    return nullptr;
}

void detour_paths_destroy(detour_paths *d)
{
    delete d;
}

void detour_paths_find(detour_paths *d, const double from[3], const double to[3], double near_m, detour_answer *out)
{
    float ends[2][3], on[2][3];
    const float near = static_cast<float>(near_m), reach[3] = {near, near + 2, near};
    dtPolyRef refs[2] = {0, 0};
    int poly_count = 0, count = 0;
    *out = {};
    for (int k = 0; k < 3; k++) {
        ends[0][k] = static_cast<float>(from[k]);
        ends[1][k] = static_cast<float>(to[k]);
    }
    for (int e = 0; e < 2; e++) d->query->findNearestPoly(ends[e], reach, &d->filter, &refs[e], on[e]);
    if (!refs[0] || !refs[1]) return;
    d->query->findPath(refs[0], refs[1], on[0], on[1], &d->filter, d->polys.data(), &poly_count, most_polys);
    if (!poly_count || d->polys[static_cast<size_t>(poly_count) - 1] != refs[1]) return; /* part of the way */
    d->query->findStraightPath(on[0], on[1], d->polys.data(), poly_count, d->points.data(), nullptr, nullptr, &count,
                               most_polys);
    if (count < 1) return;
    out->found = true;
    out->points = d->points.data();
    out->point_count = static_cast<uint32_t>(count);
    for (int i = 1; i < count; i++) {
        const float *a = &d->points[3 * static_cast<size_t>(i) - 3], *b = a + 3;
        out->length_m += std::hypot(static_cast<double>(b[0]) - static_cast<double>(a[0]),
                                    static_cast<double>(b[2]) - static_cast<double>(a[2]));
    }
}
