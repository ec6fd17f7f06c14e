// How alike are two meshes of one scene? Detour loads both, links their tiles and answers the questions.
//
//   points of A   ──► nearest polygon of B ──► near enough? ──► recall (and the reverse: precision)
//   pairs of them ──► connected in A, in B? ──► agreement   ──► both: path lengths
#include "tests/bench/peer.h"

#include <DetourCommon.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

namespace
{

const float NEAR_M = 0.45f; // in x and z: one and a half cells of RecastDemo's grid
const int MAX_PATH = 16384, MAX_NODES = 65535;

struct random_stream {
    uint64_t state;
    double next()
    {
        uint64_t x = state += UINT64_C(0x9E3779B97F4A7C15);
        x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
        return double((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
    }
};

struct place {
    dtPolyRef ref = 0;
    float at[3] = {};
};

class subject
{
  public:
    bool load(const audit_input &in, const nav_settings &settings);
    place sample(random_stream &random) const;
    bool nearest(const place &to, float climb, place &out) const;
    bool connected(const place &a, const place &b) const;
    double path_length(const place &a, const place &b);
    double way(const float from[3], const float to[3]);
    double way_cost(const float from[3], const float to[3]);
    void set_cost(int kind, float cost)
    {
        filter_.setAreaCost(kind, cost);
    }

    uint32_t tiles = 0, rejected = 0, components = 0;
    double area = 0;

  private:
    struct triangle {
        const float *corner[3];
        dtPolyRef ref;
    };
    void read_tile(const dtMeshTile &tile);
    void join();
    bool locate(const float from[3], const float to[3], place &a, place &b);
    int find_path(const place &a, const place &b, int options = 0);
    size_t index_of(dtPolyRef ref) const;
    size_t root(size_t i) const;

    std::unique_ptr<dtNavMesh, void (*)(dtNavMesh *)> mesh_{dtAllocNavMesh(), dtFreeNavMesh};
    std::unique_ptr<dtNavMeshQuery, void (*)(dtNavMeshQuery *)> query_{dtAllocNavMeshQuery(), dtFreeNavMeshQuery};
    dtQueryFilter filter_;
    std::vector<triangle> triangles_;
    std::vector<double> area_up_to_; // of triangles_
    std::vector<size_t> tile_first_; // by tile index: its first polygon's index
    mutable std::vector<size_t> parent_;
    std::vector<double> poly_area_;
    std::vector<dtPolyRef> path_ = std::vector<dtPolyRef>(MAX_PATH);
    std::vector<dtPolyRef> entered_ = std::vector<dtPolyRef>(MAX_PATH); // at each corner
    std::vector<float> corners_ = std::vector<float>(3 * MAX_PATH);
};

int bits_for(unsigned count)
{
    int bits = 0;
    while ((1u << bits) < count) bits++;
    return bits;
}

bool subject::load(const audit_input &in, const nav_settings &settings)
{
    unsigned filled = 0, most_polys = 1;
    for (uint32_t i = 0; i < in.count; i++) {
        if (!in.tiles[i].bytes || in.tiles[i].size < sizeof(dtMeshHeader)) continue;
        dtMeshHeader header;
        std::memcpy(&header, in.tiles[i].bytes, sizeof header);
        most_polys = std::max(most_polys, unsigned(header.polyCount));
        filled++;
    }
    dtNavMeshParams params = {};
    for (int k = 0; k < 3; k++) params.orig[k] = float(settings.origin_m[k]);
    params.tileWidth = params.tileHeight = settings.cell_size_m * float(settings.tile_cells);
    params.maxTiles = 1 << bits_for(filled + 1);
    params.maxPolys = 1 << bits_for(most_polys);
    if (dtStatusFailed(mesh_->init(&params)) || dtStatusFailed(query_->init(mesh_.get(), MAX_NODES))) {
        std::fprintf(stderr, "bench: Detour has no room for %u tiles of %u polygons\n", filled, most_polys);
        return false;
    }
    filter_.setIncludeFlags(0xffff);
    for (uint32_t i = 0; i < in.count; i++) {
        const peer_tile &t = in.tiles[i];
        if (!t.bytes) continue;
        // Detour writes its links into the bytes: it gets a copy.
        auto *copy = static_cast<unsigned char *>(dtAlloc(t.size, DT_ALLOC_PERM));
        std::memcpy(copy, t.bytes, t.size);
        if (dtStatusFailed(mesh_->addTile(copy, int(t.size), DT_TILE_FREE_DATA, 0, nullptr))) {
            dtFree(copy);
            rejected++;
        } else {
            tiles++;
        }
    }
    const dtNavMesh &mesh = *mesh_;
    tile_first_.assign(size_t(mesh.getMaxTiles()), 0);
    for (int i = 0; i < mesh.getMaxTiles(); i++) {
        tile_first_[size_t(i)] = poly_area_.size();
        if (const dtMeshTile *t = mesh.getTile(i); t && t->header) read_tile(*t);
    }
    join();
    return true;
}

void subject::read_tile(const dtMeshTile &tile)
{
    const dtPolyRef base = mesh_->getPolyRefBase(&tile);
    for (int i = 0; i < tile.header->polyCount; i++) {
        const dtPoly &poly = tile.polys[i];
        double of_poly = 0;
        const int count = poly.getType() == DT_POLYTYPE_GROUND ? tile.detailMeshes[i].triCount : 0;
        for (int k = 0; k < count; k++) {
            const dtPolyDetail &d = tile.detailMeshes[i];
            const unsigned char *index = tile.detailTris + 4 * (d.triBase + unsigned(k));
            triangle t = {{}, base | dtPolyRef(i)};
            for (int c = 0; c < 3; c++) {
                t.corner[c] = index[c] < poly.vertCount
                                  ? tile.verts + 3 * poly.verts[index[c]]
                                  : tile.detailVerts + 3 * (d.vertBase + index[c] - poly.vertCount);
            }
            double size = std::fabs(double(dtTriArea2D(t.corner[0], t.corner[1], t.corner[2]))) / 2;
            of_poly += size;
            if (size <= 0) continue;
            area += size;
            triangles_.push_back(t);
            area_up_to_.push_back(area);
        }
        poly_area_.push_back(of_poly);
    }
}

size_t subject::index_of(dtPolyRef ref) const
{
    unsigned salt, tile, poly;
    mesh_->decodePolyId(ref, salt, tile, poly);
    return tile_first_[tile] + poly;
}

size_t subject::root(size_t i) const
{
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
}

void subject::join()
{
    const dtNavMesh &mesh = *mesh_;
    parent_.resize(poly_area_.size());
    std::iota(parent_.begin(), parent_.end(), size_t(0));
    for (int i = 0; i < mesh.getMaxTiles(); i++) {
        const dtMeshTile *t = mesh.getTile(i);
        if (!t || !t->header) continue;
        for (int k = 0; k < t->header->polyCount; k++) {
            for (unsigned l = t->polys[k].firstLink; l != DT_NULL_LINK; l = t->links[l].next) {
                if (!t->links[l].ref) continue;
                parent_[root(tile_first_[size_t(i)] + size_t(k))] = root(index_of(t->links[l].ref));
            }
        }
    }
    std::vector<double> sums(parent_.size(), 0);
    for (size_t i = 0; i < parent_.size(); i++) sums[root(i)] += poly_area_[i];
    for (double s : sums) components += s >= 1;
}

place subject::sample(random_stream &random) const
{
    auto found = std::upper_bound(area_up_to_.begin(), area_up_to_.end(), random.next() * area);
    size_t i = std::min(size_t(found - area_up_to_.begin()), triangles_.size() - 1);
    double u = std::sqrt(random.next()), v = random.next();
    place p;
    p.ref = triangles_[i].ref;
    for (int k = 0; k < 3; k++) {
        const triangle &t = triangles_[i];
        p.at[k] = float((1 - u) * t.corner[0][k] + u * (1 - v) * t.corner[1][k] + u * v * t.corner[2][k]);
    }
    return p;
}

bool subject::nearest(const place &to, float climb, place &out) const
{
    const float half[3] = {NEAR_M, climb, NEAR_M};
    if (dtStatusFailed(query_->findNearestPoly(to.at, half, &filter_, &out.ref, out.at)) || !out.ref) return false;
    float dx = out.at[0] - to.at[0], dz = out.at[2] - to.at[2];
    return dx * dx + dz * dz <= NEAR_M * NEAR_M && std::fabs(out.at[1] - to.at[1]) <= climb;
}

bool subject::connected(const place &a, const place &b) const
{
    return root(index_of(a.ref)) == root(index_of(b.ref));
}

// Points of the path, in corners_; 0: there is none.
int subject::find_path(const place &a, const place &b, int options)
{
    int polys = 0, points = 0;
    query_->findPath(a.ref, b.ref, a.at, b.at, &filter_, path_.data(), &polys, MAX_PATH);
    if (!polys || path_[size_t(polys) - 1] != b.ref) return 0;
    query_->findStraightPath(a.at, b.at, path_.data(), polys, corners_.data(), nullptr, entered_.data(), &points,
                             MAX_PATH, options);
    return points;
}

double subject::path_length(const place &a, const place &b)
{
    int points = find_path(a, b);
    double length = points ? 0 : -1;
    for (int i = 1; i < points; i++) length += double(dtVdist(&corners_[3 * size_t(i) - 3], &corners_[3 * size_t(i)]));
    return length;
}

void compare_ways(subject &a, subject &b, float climb, uint32_t pairs, audit_report *out)
{
    random_stream random = {11};
    std::vector<double> ratios;
    uint32_t same = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        place from = a.sample(random), to = a.sample(random), other_from, other_to;
        if (!b.nearest(from, climb, other_from) || !b.nearest(to, climb, other_to)) continue;
        bool in_a = a.connected(from, to), in_b = b.connected(other_from, other_to);
        out->pairs++;
        same += in_a == in_b;
        if (!in_a || !in_b) continue;
        double length_a = a.path_length(from, to), length_b = b.path_length(other_from, other_to);
        if (length_a > 1 && length_b > 0) ratios.push_back(length_b / length_a);
    }
    std::sort(ratios.begin(), ratios.end());
    out->agree = out->pairs ? double(same) / out->pairs : 0;
    out->length_ratio = ratios.empty() ? 0 : std::accumulate(ratios.begin(), ratios.end(), 0.0) / double(ratios.size());
    out->length_ratio_p99 = ratios.empty() ? 0 : ratios[size_t(double(ratios.size() - 1) * 0.99)];
}

// All that a game does for a path: its length seen from above. Negative: there is none.
bool subject::locate(const float from[3], const float to[3], place &a, place &b)
{
    const float extents[3] = {2, 4, 2};
    return dtStatusSucceed(query_->findNearestPoly(from, extents, &filter_, &a.ref, a.at)) && a.ref &&
           dtStatusSucceed(query_->findNearestPoly(to, extents, &filter_, &b.ref, b.at)) && b.ref;
}

double subject::way_cost(const float from[3], const float to[3])
{
    place a, b;
    int points = locate(from, to, a, b) ? find_path(a, b, DT_STRAIGHTPATH_AREA_CROSSINGS) : 0;
    double cost = points ? 0 : -1;
    for (int i = 1; i < points; i++) {
        unsigned char kind = 0;
        if (dtStatusFailed(mesh_->getPolyArea(entered_[size_t(i) - 1], &kind))) return -1;
        cost += double(filter_.getAreaCost(kind)) *
                double(dtVdist2D(&corners_[3 * size_t(i) - 3], &corners_[3 * size_t(i)]));
    }
    return cost;
}

double subject::way(const float from[3], const float to[3])
{
    place a, b;
    if (!locate(from, to, a, b)) return -1;
    int points = find_path(a, b);
    double length = points ? 0 : -1;
    for (int i = 1; i < points; i++)
        length += double(dtVdist2D(&corners_[3 * size_t(i) - 3], &corners_[3 * size_t(i)]));
    return length;
}

} // namespace

bool audit_run(const audit_input *reference, const audit_input *candidate, const nav_settings *settings,
               uint32_t samples, uint32_t pairs, audit_report *out)
{
    subject both[2];
    *out = {};
    if (!both[0].load(*reference, *settings) || !both[1].load(*candidate, *settings)) return false;
    for (int i = 0; i < 2; i++) {
        out->tiles[i] = both[i].tiles;
        out->rejected[i] = both[i].rejected;
        out->components[i] = both[i].components;
        out->area_m2[i] = both[i].area;
    }
    if (both[0].area <= 0 || both[1].area <= 0) return true;
    const float climb = settings->agent_climb_m;
    random_stream random = {7};
    uint32_t covered[2] = {0, 0};
    double height = 0;
    for (uint32_t i = 0; i < samples; i++) {
        for (int side = 0; side < 2; side++) {
            place p = both[side].sample(random), q;
            if (!both[1 - side].nearest(p, climb, q)) continue;
            covered[side]++;
            if (side == 0) height += std::fabs(double(q.at[1]) - double(p.at[1]));
        }
    }
    out->recall = double(covered[0]) / samples;
    out->precision = double(covered[1]) / samples;
    out->height_mean_m = covered[0] ? height / covered[0] : 0;
    compare_ways(both[0], both[1], climb, pairs, out);
    return true;
}

struct peer_ways {
    subject mesh;
};

peer_ways *peer_ways_create(const audit_input *input, const nav_settings *settings)
{
    auto ways = std::make_unique<peer_ways>();
    return ways->mesh.load(*input, *settings) ? ways.release() : nullptr;
}

void peer_ways_destroy(peer_ways *ways)
{
    delete ways;
}

void peer_ways_set_cost(peer_ways *ways, int area, float cost)
{
    ways->mesh.set_cost(area, cost);
}

double peer_ways_cost(peer_ways *ways, const float from[3], const float to[3])
{
    return ways->mesh.way_cost(from, to);
}

double peer_ways_length(peer_ways *ways, const float from[3], const float to[3])
{
    return ways->mesh.way(from, to);
}
