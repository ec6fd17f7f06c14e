// Recast as a user drives it for a tiled mesh: every step of RecastDemo's tile build, timed by the stage of navd's that
// does the same work.
#include "tests/bench/peer.h"

#include <DetourAlloc.h>
#include <DetourNavMeshBuilder.h>
#include <Recast.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace
{

double seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <auto Free> struct release {
    template <typename T> void operator()(T *p) const
    {
        Free(p);
    }
};
template <typename T, auto Free> using owned = std::unique_ptr<T, release<Free>>;

// One thread's sums.
struct tally {
    uint64_t filled = 0, polys = 0, bytes = 0, contour_verts = 0;
    double stage_s[NAV_STAGE_COUNT] = {};
};

// Adds the time since it was made or last told to a stage.
struct stopwatch {
    tally &sums;
    double since = seconds();
    void stage(nav_stage s)
    {
        double now = seconds();
        sums.stage_s[s] += now - since;
        since = now;
    }
};

} // namespace

struct peer {
    peer_input in;
    std::vector<std::vector<int>> bins; // a tile's triangles
    double bin_s = 0;

    rcConfig config(int x, int z) const;
    peer_tile tile(rcContext &context, int x, int z, tally &sums) const;
};

rcConfig peer::config(int x, int z) const
{
    const nav_settings &s = *in.settings;
    rcConfig c = {};
    c.cs = s.cell_size_m;
    c.ch = s.cell_height_m;
    c.walkableSlopeAngle = s.agent_slope_deg;
    c.walkableHeight = int(std::ceil(s.agent_height_m / c.ch));
    c.walkableClimb = int(std::floor(s.agent_climb_m / c.ch));
    c.walkableRadius = int(std::ceil(s.agent_radius_m / c.cs));
    c.maxEdgeLen = int(s.edge_max_length_m / c.cs);
    c.maxSimplificationError = s.edge_max_error_cells;
    c.minRegionArea = int(s.region_min_cells * s.region_min_cells);
    c.mergeRegionArea = int(s.region_merge_cells * s.region_merge_cells);
    c.maxVertsPerPoly = s.polygon_max_vertices;
    c.detailSampleDist = s.detail_sample_cells < 0.9f ? 0 : c.cs * s.detail_sample_cells;
    c.detailSampleMaxError = c.ch * s.detail_max_error_voxels;
    if (in.solo) {
        rcCalcBounds(in.verts, int(in.vert_count), c.bmin, c.bmax);
        rcCalcGridSize(c.bmin, c.bmax, c.cs, &c.width, &c.height);
        return c;
    }
    c.tileSize = s.tile_cells;
    c.borderSize = c.walkableRadius + 3;
    c.width = c.height = c.tileSize + 2 * c.borderSize;
    double side = double(c.cs) * c.tileSize, pad = double(c.cs) * c.borderSize;
    const int at[2] = {x, z};
    for (int k = 0; k < 2; k++) {
        double low = s.origin_m[2 * k] + (in.first_tile[k] + at[k]) * side;
        c.bmin[2 * k] = float(low - pad);
        c.bmax[2 * k] = float(low + side + pad);
    }
    c.bmin[1] = in.min_y;
    c.bmax[1] = in.max_y;
    return c;
}

peer_tile peer::tile(rcContext &context, int x, int z, tally &sums) const
{
    const std::vector<int> &tris = bins[size_t(z) * in.tile_count[0] + x];
    if (tris.empty()) return {};
    const rcConfig c = config(x, z);
    const int vert_count = int(in.vert_count), tri_count = int(tris.size() / 3);
    stopwatch watch{sums};

    owned<rcHeightfield, rcFreeHeightField> solid(rcAllocHeightfield());
    rcCreateHeightfield(&context, *solid, c.width, c.height, c.bmin, c.bmax, c.cs, c.ch);
    std::vector<unsigned char> areas(tri_count, 0);
    rcMarkWalkableTriangles(&context, c.walkableSlopeAngle, in.verts, vert_count, tris.data(), tri_count, areas.data());
    rcRasterizeTriangles(&context, in.verts, vert_count, tris.data(), areas.data(), tri_count, *solid, c.walkableClimb);
    watch.stage(NAV_STAGE_RASTERIZE);

    rcFilterLowHangingWalkableObstacles(&context, c.walkableClimb, *solid);
    rcFilterLedgeSpans(&context, c.walkableHeight, c.walkableClimb, *solid);
    rcFilterWalkableLowHeightSpans(&context, c.walkableHeight, *solid);
    watch.stage(NAV_STAGE_FILTER);

    owned<rcCompactHeightfield, rcFreeCompactHeightfield> open(rcAllocCompactHeightfield());
    rcBuildCompactHeightfield(&context, c.walkableHeight, c.walkableClimb, *solid, *open);
    solid.reset();
    watch.stage(NAV_STAGE_COMPACT);
    rcErodeWalkableArea(&context, c.walkableRadius, *open);
    watch.stage(NAV_STAGE_ERODE);

    if (in.settings->partition == NAV_PARTITION_MONOTONE) {
        rcBuildRegionsMonotone(&context, *open, c.borderSize, c.minRegionArea, c.mergeRegionArea);
    } else {
        rcBuildDistanceField(&context, *open);
        watch.stage(NAV_STAGE_DISTANCE);
        rcBuildRegions(&context, *open, c.borderSize, c.minRegionArea, c.mergeRegionArea);
    }
    watch.stage(NAV_STAGE_REGIONS);

    owned<rcContourSet, rcFreeContourSet> contours(rcAllocContourSet());
    rcBuildContours(&context, *open, c.maxSimplificationError, c.maxEdgeLen, *contours);
    watch.stage(NAV_STAGE_CONTOURS);
    if (contours->nconts == 0) return {};
    for (int i = 0; i < contours->nconts; i++) {
        // A hole has been joined to its outer contour by two more vertices, and left empty.
        sums.contour_verts += uint64_t(contours->conts[i].nverts) - (contours->conts[i].nverts == 0 ? 2 : 0);
    }

    owned<rcPolyMesh, rcFreePolyMesh> mesh(rcAllocPolyMesh());
    rcBuildPolyMesh(&context, *contours, c.maxVertsPerPoly, *mesh);
    watch.stage(NAV_STAGE_POLYGONS);
    owned<rcPolyMeshDetail, rcFreePolyMeshDetail> detail(rcAllocPolyMeshDetail());
    rcBuildPolyMeshDetail(&context, *mesh, *open, c.detailSampleDist, c.detailSampleMaxError, *detail);
    watch.stage(NAV_STAGE_DETAIL);
    if (mesh->npolys == 0) return {};

    std::fill_n(mesh->flags, mesh->npolys, static_cast<unsigned short>(1));
    dtNavMeshCreateParams p = {};
    p.verts = mesh->verts;
    p.vertCount = mesh->nverts;
    p.polys = mesh->polys;
    p.polyFlags = mesh->flags;
    p.polyAreas = mesh->areas;
    p.polyCount = mesh->npolys;
    p.nvp = mesh->nvp;
    p.detailMeshes = detail->meshes;
    p.detailVerts = detail->verts;
    p.detailVertsCount = detail->nverts;
    p.detailTris = detail->tris;
    p.detailTriCount = detail->ntris;
    p.tileX = in.first_tile[0] + x;
    p.tileY = in.first_tile[1] + z;
    std::copy_n(mesh->bmin, 3, p.bmin);
    std::copy_n(mesh->bmax, 3, p.bmax);
    p.walkableHeight = in.settings->agent_height_m;
    p.walkableRadius = in.settings->agent_radius_m;
    p.walkableClimb = in.settings->agent_climb_m;
    p.cs = c.cs;
    p.ch = c.ch;
    p.buildBvTree = true;
    unsigned char *bytes = nullptr;
    int size = 0;
    if (!dtCreateNavMeshData(&p, &bytes, &size)) return {};
    watch.stage(NAV_STAGE_ENCODE);
    sums.filled++;
    sums.polys += uint64_t(mesh->npolys);
    sums.bytes += uint64_t(size);
    return {bytes, uint32_t(size)};
}

bool peer_present(void)
{
    return true;
}

peer *peer_create(const peer_input *input)
{
    peer *p = new peer{*input, {}, 0};
    const nav_settings &s = *input->settings;
    double began = seconds();
    if (input->solo) {
        p->bins.emplace_back(input->tris, input->tris + 3 * size_t(input->tri_count));
        return p;
    }
    double side = double(s.cell_size_m) * s.tile_cells;
    double pad = (std::ceil(s.agent_radius_m / s.cell_size_m) + 3) * double(s.cell_size_m);
    p->bins.resize(size_t(input->tile_count[0]) * input->tile_count[1]);
    for (uint32_t i = 0; i < input->tri_count; i++) {
        const uint32_t *t = input->tris + 3 * size_t(i);
        int first[2], last[2];
        for (int k = 0; k < 2; k++) {
            float v[3];
            for (int c = 0; c < 3; c++) v[c] = input->verts[3 * size_t(t[c]) + 2 * k];
            double low = *std::min_element(v, v + 3) - s.origin_m[2 * k],
                   high = *std::max_element(v, v + 3) - s.origin_m[2 * k];
            int count = input->tile_count[k];
            first[k] = std::clamp(int(std::floor((low - pad) / side)) - input->first_tile[k], 0, count);
            last[k] = std::clamp(int(std::floor((high + pad) / side)) - input->first_tile[k], -1, count - 1);
        }
        for (int z = first[1]; z <= last[1]; z++) {
            for (int x = first[0]; x <= last[0]; x++) {
                auto &bin = p->bins[size_t(z) * input->tile_count[0] + x];
                for (int c = 0; c < 3; c++) bin.push_back(int(t[c]));
            }
        }
    }
    p->bin_s = seconds() - began;
    return p;
}

void peer_destroy(peer *p)
{
    delete p;
}

void peer_generate(peer *p, int threads, peer_result *out)
{
    const int total = p->in.tile_count[0] * p->in.tile_count[1];
    *out = {};
    out->tiles = new peer_tile[size_t(total)]();
    std::vector<tally> tallies(static_cast<size_t>(threads));
    std::atomic<int> next{0};
    auto work = [&](tally *sums) {
        rcContext context(false);
        for (int i; (i = next++) < total;) {
            out->tiles[i] = p->tile(context, i % p->in.tile_count[0], i / p->in.tile_count[0], *sums);
        }
    };
    double began = seconds();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++) others.emplace_back(work, &tallies[size_t(i)]);
    work(&tallies[0]);
    for (std::thread &t : others) t.join();
    out->generate_s = seconds() - began;
    out->bin_s = p->bin_s;
    for (const tally &t : tallies) {
        out->filled += t.filled;
        out->polys += t.polys;
        out->bytes += t.bytes;
        out->contour_verts += t.contour_verts;
        for (int s = 0; s < NAV_STAGE_COUNT; s++) out->stage_s[s] += t.stage_s[s];
    }
}

void peer_result_free(peer_result *r, uint32_t tile_count)
{
    for (uint32_t i = 0; r->tiles && i < tile_count; i++) dtFree(r->tiles[i].bytes);
    delete[] r->tiles;
    *r = {};
}
