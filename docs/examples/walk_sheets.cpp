// Walls and ceilings for an engine that uses Detour: a dtNavMesh for each sheet, and a walk from one to another over
// the table of seams.
//
//   navctl build LEVEL.obj --sheets all -o LEVEL.bin
//   walk_sheets LEVEL.seams.json AX,AY,AZ BX,BY,BZ
//
// The search goes over the polygons of all meshes: to the neighbours that Detour has linked, and over seams. Between
// two seams Detour pulls the path straight. Prints it, each point with its sheet and the way up.
#include <DetourCommon.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshQuery.h>
#include <jansson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

using Place = std::array<float, 3>;
using Node = std::pair<int, dtPolyRef>; // sheet, polygon

struct Sheet {
    std::string name;
    float to_world[3][3]; // rows: the frame's axes in the world are its columns
    std::unique_ptr<dtNavMesh, void (*)(dtNavMesh *)> mesh{nullptr, dtFreeNavMesh}; // none: no ground
    std::unique_ptr<dtNavMeshQuery, void (*)(dtNavMeshQuery *)> query{nullptr, dtFreeNavMeshQuery};
};

struct Seam {
    Node sides[2];
    Place middle[2]; // world
    float crossing;  // metres from one to the other
};

struct World {
    std::vector<Sheet> sheets;
    std::vector<Seam> seams;
    std::multimap<Node, std::pair<size_t, int>> by_polygon; // seam, and which side of it the polygon is
};

static float distance(const Place &a, const Place &b)
{
    return dtVdist(a.data(), b.data());
}

static Place to_world(const Sheet &s, const float *p)
{
    Place out;
    for (int r = 0; r < 3; r++) out[r] = s.to_world[r][0] * p[0] + s.to_world[r][1] * p[1] + s.to_world[r][2] * p[2];
    return out;
}

static Place to_frame(const Sheet &s, const Place &p) // the frames are turned, so the transpose leads back
{
    Place out;
    for (int c = 0; c < 3; c++) out[c] = s.to_world[0][c] * p[0] + s.to_world[1][c] * p[1] + s.to_world[2][c] * p[2];
    return out;
}

// --- loading

static bool load_mesh(const std::string &path, Sheet &s)
{
    std::ifstream file(path, std::ios::binary);
    struct {
        int magic, version, tiles;
        dtNavMeshParams params;
    } head;
    s.mesh.reset(dtAllocNavMesh());
    if (!file.read((char *)&head, sizeof head) || dtStatusFailed(s.mesh->init(&head.params))) return false;
    for (int i = 0; i < head.tiles; i++) {
        int32_t record[2]; // reference, bytes
        if (!file.read((char *)record, sizeof record) || record[1] <= 0) return false;
        unsigned char *data = (unsigned char *)dtAlloc((size_t)record[1], DT_ALLOC_PERM);
        if (!file.read((char *)data, record[1]) ||
            dtStatusFailed(s.mesh->addTile(data, record[1], DT_TILE_FREE_DATA, (dtTileRef)record[0], nullptr)))
            return dtFree(data), false;
    }
    s.query.reset(dtAllocNavMeshQuery());
    return dtStatusSucceed(s.query->init(s.mesh.get(), 2048));
}

static Place place_of(const json_t *list)
{
    Place p;
    for (size_t k = 0; k < 3; k++) p[k] = (float)json_number_value(json_array_get(list, k));
    return p;
}

static bool load_side(const World &w, const json_t *side, Node &node, Place &middle)
{
    const char *name = json_string_value(json_object_get(side, "sheet"));
    const json_t *tile = json_object_get(side, "tile"), *polygon = json_object_get(side, "polygon");
    if (!name || !json_is_integer(polygon)) return false;
    for (size_t i = 0; i < w.sheets.size(); i++) {
        const dtNavMesh *mesh = w.sheets[i].mesh.get();
        if (w.sheets[i].name != name || !mesh) continue;
        const dtMeshTile *t = mesh->getTileAt((int)json_integer_value(json_array_get(tile, 0)),
                                              (int)json_integer_value(json_array_get(tile, 1)), 0);
        if (!t) return false;
        node = {(int)i, mesh->getPolyRefBase(t) | (dtPolyRef)json_integer_value(polygon)};
        const Place a = place_of(json_object_get(side, "from_m")), b = place_of(json_object_get(side, "to_m"));
        for (int k = 0; k < 3; k++) middle[k] = (a[k] + b[k]) / 2;
        return true;
    }
    return false;
}

static bool load(const std::string &path, World &w)
{
    const std::string folder = path.find('/') == std::string::npos ? "" : path.substr(0, path.rfind('/') + 1);
    std::unique_ptr<json_t, void (*)(json_t *)> table(json_load_file(path.c_str(), 0, nullptr), json_decref);
    json_t *item;
    size_t i;
    json_array_foreach(json_object_get(table.get(), "sheets"), i, item)
    {
        Sheet s;
        s.name = json_string_value(json_object_get(item, "sheet"));
        for (size_t r = 0; r < 3; r++) {
            const Place row = place_of(json_array_get(json_object_get(item, "to_world"), r));
            memcpy(s.to_world[r], row.data(), sizeof s.to_world[r]);
        }
        const char *file = json_string_value(json_object_get(item, "file"));
        if (file && !load_mesh(folder + file, s)) return false;
        w.sheets.push_back(std::move(s));
    }
    json_array_foreach(json_object_get(table.get(), "seams"), i, item)
    {
        const json_t *sides = json_object_get(item, "sides");
        Seam s;
        s.crossing = (float)json_number_value(json_object_get(item, "crossing_m"));
        bool ok = true;
        for (size_t k = 0; k < 2; k++) ok = ok && load_side(w, json_array_get(sides, k), s.sides[k], s.middle[k]);
        if (!ok) continue; // a seam without a polygon
        for (int k = 0; k < 2; k++) w.by_polygon.insert({s.sides[k], {w.seams.size(), k}});
        w.seams.push_back(s);
    }
    return !w.sheets.empty();
}

// --- the search

struct Step {
    Node before;
    int seam; // that it came over, or -1
    float cost;
    Place at; // where it came into the polygon
    bool done;
};

// The middle of the edge that a link of a polygon leads over.
static Place edge_middle(const Sheet &s, const dtMeshTile *tile, const dtPoly *poly, const dtLink &link)
{
    const float *a = &tile->verts[3 * poly->verts[link.edge]],
                *b = &tile->verts[3 * poly->verts[(link.edge + 1) % poly->vertCount]];
    float middle[3];
    dtVlerp(middle, a, b, link.side == 0xff ? 0.5f : ((float)link.bmin + (float)link.bmax) / 510.f);
    return to_world(s, middle);
}

static bool nearest(const World &w, const Place &at, Node &node, Place &on)
{
    const float reach[3] = {1, 1, 1};
    const dtQueryFilter filter;
    float best = 1e30f;
    for (size_t i = 0; i < w.sheets.size(); i++) {
        dtPolyRef ref = 0;
        float found[3];
        if (!w.sheets[i].mesh) continue;
        w.sheets[i].query->findNearestPoly(to_frame(w.sheets[i], at).data(), reach, &filter, &ref, found);
        const Place there = ref ? to_world(w.sheets[i], found) : at;
        if (!ref || distance(at, there) >= best) continue;
        best = distance(at, there);
        node = {(int)i, ref};
        on = there;
    }
    return best < 1e30f;
}

static std::map<Node, Step> search(const World &w, const Node &from, const Place &start, const Node &to,
                                   const Place &goal)
{
    std::map<Node, Step> steps;
    using Open = std::pair<float, Node>;
    std::priority_queue<Open, std::vector<Open>, std::greater<Open>> open;
    auto reach = [&](const Node &node, const Node &before, int seam, float cost, const Place &at) {
        auto known = steps.find(node);
        if (known != steps.end() && known->second.cost <= cost) return;
        steps[node] = {before, seam, cost, at, false};
        open.push({cost + distance(at, goal), node});
    };
    reach(from, from, -1, 0, start);
    while (!open.empty()) {
        const Node node = open.top().second;
        open.pop();
        Step &step = steps[node];
        if (step.done) continue;
        step.done = true;
        if (node == to) break;
        const Step here = step;
        const Sheet &sheet = w.sheets[(size_t)node.first];
        const dtMeshTile *tile = nullptr;
        const dtPoly *poly = nullptr;
        sheet.mesh->getTileAndPolyByRefUnsafe(node.second, &tile, &poly);
        for (unsigned i = poly->firstLink; i != DT_NULL_LINK; i = tile->links[i].next) {
            const Place at = edge_middle(sheet, tile, poly, tile->links[i]);
            reach({node.first, tile->links[i].ref}, node, -1, here.cost + distance(here.at, at), at);
        }
        const auto seams = w.by_polygon.equal_range(node);
        for (auto s = seams.first; s != seams.second; ++s) {
            const Seam &seam = w.seams[s->second.first];
            const int side = s->second.second;
            reach(seam.sides[1 - side], node, (int)s->second.first,
                  here.cost + distance(here.at, seam.middle[side]) + seam.crossing, seam.middle[1 - side]);
        }
    }
    return steps;
}

// The polygons from one seam to the next, all of one sheet, from `start` to `end`; adds up how long it is.
static void walk_sheet(const World &w, int sheet, const std::vector<dtPolyRef> &polys, const Place &start,
                       const Place &end, float &length)
{
    const Sheet &s = w.sheets[(size_t)sheet];
    std::vector<float> points(3 * (polys.size() + 2));
    int count = 0;
    s.query->findStraightPath(to_frame(s, start).data(), to_frame(s, end).data(), polys.data(), (int)polys.size(),
                              points.data(), nullptr, nullptr, &count, (int)polys.size() + 2);
    for (int i = 0; i < count; i++) {
        const Place at = to_world(s, &points[3 * (size_t)i]);
        if (i) length += distance(to_world(s, &points[3 * (size_t)i - 3]), at);
        printf("%.2f %.2f %.2f  on %s, up is %.0f %.0f %.0f\n", at[0], at[1], at[2], s.name.c_str(),
               s.to_world[0][1] + 0.f, s.to_world[1][1] + 0.f, s.to_world[2][1] + 0.f);
    }
}

int main(int argc, char **argv)
{
    World w;
    Place a, b, start, goal;
    Node from, to;
    if (argc != 4 || sscanf(argv[2], "%f,%f,%f", &a[0], &a[1], &a[2]) != 3 ||
        sscanf(argv[3], "%f,%f,%f", &b[0], &b[1], &b[2]) != 3)
        return fprintf(stderr, "usage: walk_sheets LEVEL.seams.json AX,AY,AZ BX,BY,BZ\n"), 2;
    if (!load(argv[1], w)) return fprintf(stderr, "%s: cannot be loaded\n", argv[1]), 1;
    if (!nearest(w, a, from, start) || !nearest(w, b, to, goal))
        return fprintf(stderr, "one of the places is farther than 1 m from any sheet\n"), 1;

    const std::map<Node, Step> steps = search(w, from, start, to, goal);
    if (!steps.count(to)) return fprintf(stderr, "no way leads there\n"), 1;
    std::vector<Node> nodes{to};
    while (nodes.back() != from) nodes.push_back(steps.at(nodes.back()).before);
    std::reverse(nodes.begin(), nodes.end());

    std::vector<dtPolyRef> polys;
    float length = 0;
    int crossed = 0;
    for (size_t i = 0; i < nodes.size(); i++) {
        const int over = i + 1 < nodes.size() ? steps.at(nodes[i + 1]).seam : -1;
        polys.push_back(nodes[i].second);
        if (over < 0 && i + 1 < nodes.size()) continue;
        const int side = over >= 0 && w.seams[(size_t)over].sides[1] == nodes[i];
        const Place end = over >= 0 ? w.seams[(size_t)over].middle[side] : goal;
        walk_sheet(w, nodes[i].first, polys, start, end, length);
        polys.clear();
        if (over < 0) continue;
        start = w.seams[(size_t)over].middle[1 - side];
        length += w.seams[(size_t)over].crossing;
        crossed++;
    }
    printf("%.2f m, over %d seam%s\n", length, crossed, crossed == 1 ? "" : "s");
    return 0;
}
