#include "tests/core/detour_judge.h"

#include <DetourCommon.h>
#include <DetourNavMesh.h>
#include <DetourNavMeshBuilder.h>
#include <DetourNavMeshQuery.h>

#include <cstring>

struct judge {
    dtNavMesh *mesh;
    dtNavMeshQuery *query;
    dtQueryFilter filter;
};

static judge *judge_of(const dtNavMeshParams &params)
{
    judge *j = new judge;
    j->mesh = dtAllocNavMesh();
    j->query = dtAllocNavMeshQuery();
    j->filter.setIncludeFlags(0xffff);
    if (dtStatusSucceed(j->mesh->init(&params)) && dtStatusSucceed(j->query->init(j->mesh, 65535))) return j;
    judge_destroy(j);
    return nullptr;
}

judge *judge_create(const float origin[3], float tile_width, float tile_height, int max_tiles, int max_polys)
{
    dtNavMeshParams params = {};
    dtVcopy(params.orig, origin);
    params.tileWidth = tile_width;
    params.tileHeight = tile_height;
    params.maxTiles = max_tiles;
    params.maxPolys = max_polys;
    return judge_of(params);
}

void judge_destroy(judge *j)
{
    if (!j) return;
    dtFreeNavMeshQuery(j->query);
    dtFreeNavMesh(j->mesh);
    delete j;
}

static uint32_t add(judge *j, const uint8_t *bytes, size_t count, dtTileRef wanted)
{
    auto *copy = static_cast<unsigned char *>(dtAlloc(count, DT_ALLOC_PERM));
    memcpy(copy, bytes, count);
    dtTileRef ref = 0;
    if (dtStatusSucceed(j->mesh->addTile(copy, static_cast<int>(count), DT_TILE_FREE_DATA, wanted, &ref))) return ref;
    dtFree(copy);
    return 0;
}

uint32_t judge_add(judge *j, const uint8_t *bytes, size_t count)
{
    return add(j, bytes, count, 0);
}

judge *judge_load(const uint8_t *bytes, size_t count)
{
    struct {
        int magic, version, tiles;
        dtNavMeshParams params;
    } head;
    if (count < sizeof head) return nullptr;
    memcpy(&head, bytes, sizeof head);
    if (head.magic != ('M' << 24 | 'S' << 16 | 'E' << 8 | 'T') || head.version != 1) return nullptr;
    judge *j = judge_of(head.params);
    size_t at = sizeof head;
    for (int i = 0; j && i < head.tiles; i++) {
        struct {
            dtTileRef ref;
            int size;
        } record;
        memcpy(&record, bytes + at, sizeof record);
        at += sizeof record;
        if (record.ref == 0 || record.size == 0 ||
            add(j, bytes + at, static_cast<size_t>(record.size), record.ref) != record.ref) {
            judge_destroy(j);
            return nullptr;
        }
        at += static_cast<size_t>(record.size);
    }
    return j;
}

int judge_tile_count(const judge *j)
{
    const dtNavMesh *mesh = j->mesh;
    int count = 0;
    for (int i = 0; i < mesh->getMaxTiles(); i++) count += mesh->getTile(i)->header != nullptr;
    return count;
}

uint32_t judge_ref(const judge *j, int x, int z, int index)
{
    const dtMeshTile *tile = j->mesh->getTileAt(x, z, 0);
    return tile ? j->mesh->getPolyRefBase(tile) | static_cast<dtPolyRef>(index) : 0;
}

const uint8_t *judge_tile(const judge *j, int x, int z, size_t *count)
{
    const dtMeshTile *tile = j->mesh->getTileAt(x, z, 0);
    if (!tile) return nullptr;
    *count = static_cast<size_t>(tile->dataSize);
    return tile->data;
}

int judge_free_links(const judge *j, int x, int z)
{
    const dtMeshTile *tile = j->mesh->getTileAt(x, z, 0);
    int count = 0;
    for (unsigned int i = tile->linksFreeList; i != DT_NULL_LINK; i = tile->links[i].next) count++;
    return count;
}

bool judge_linked(const judge *j, uint32_t a, uint32_t b)
{
    const dtMeshTile *tile;
    const dtPoly *poly;
    if (dtStatusFailed(j->mesh->getTileAndPolyByRef(a, &tile, &poly))) return false;
    for (unsigned int i = poly->firstLink; i != DT_NULL_LINK; i = tile->links[i].next)
        if (tile->links[i].ref == b) return true;
    return false;
}

int judge_edge_links(const judge *j, uint32_t ref, int edge)
{
    const dtMeshTile *tile;
    const dtPoly *poly;
    int count = 0;
    if (dtStatusFailed(j->mesh->getTileAndPolyByRef(ref, &tile, &poly))) return 0;
    for (unsigned int i = poly->firstLink; i != DT_NULL_LINK; i = tile->links[i].next)
        count += tile->links[i].edge == edge;
    return count;
}

int judge_query(judge *j, const float center[3], const float half[3], uint32_t *refs)
{
    int count = 0;
    j->query->queryPolygons(center, half, &j->filter, refs, &count, 512);
    return count;
}

uint32_t judge_nearest(judge *j, const float center[3], const float half[3], float out[3])
{
    dtPolyRef ref = 0;
    j->query->findNearestPoly(center, half, &j->filter, &ref, out);
    return ref;
}

bool judge_height(judge *j, uint32_t ref, const float at[3], float *height)
{
    return dtStatusSucceed(j->query->getPolyHeight(ref, at, height));
}

bool judge_closest(judge *j, uint32_t ref, const float at[3], float out[3], bool *over)
{
    return dtStatusSucceed(j->query->closestPointOnPoly(ref, at, out, over));
}

int judge_path(judge *j, const float a[3], const float b[3], uint32_t *refs)
{
    const float half[3] = {1, 1, 1};
    float from[3], to[3];
    uint32_t start = judge_nearest(j, a, half, from), end = judge_nearest(j, b, half, to);
    int count = 0;
    if (!start || !end) return 0;
    j->query->findPath(start, end, from, to, &j->filter, refs, &count, 256);
    return count && refs[count - 1] == end ? count : 0;
}

int judge_straight(judge *j, const float a[3], const float b[3], const uint32_t *refs, int count, float *places)
{
    int corners = 0;
    j->query->findStraightPath(a, b, refs, count, places, nullptr, nullptr, &corners, 256);
    return corners;
}

uint8_t *judge_make(const judge_input *in, size_t *count)
{
    dtNavMeshCreateParams p = {};
    p.verts = in->verts;
    p.vertCount = in->vert_count;
    p.polys = in->polys;
    p.polyFlags = in->poly_flags;
    p.polyAreas = in->poly_areas;
    p.polyCount = in->poly_count;
    p.nvp = in->nvp;
    p.detailMeshes = in->detail_meshes;
    p.detailVerts = in->detail_verts;
    p.detailVertsCount = in->detail_vert_count;
    p.detailTris = in->detail_tris;
    p.detailTriCount = in->detail_tri_count;
    p.offMeshConVerts = in->link_verts;
    p.offMeshConRad = in->link_radii;
    p.offMeshConFlags = in->link_flags;
    p.offMeshConAreas = in->link_areas;
    p.offMeshConDir = in->link_dirs;
    p.offMeshConUserID = in->link_ids;
    p.offMeshConCount = in->link_count;
    p.tileX = in->tile_x;
    p.tileY = in->tile_z;
    dtVcopy(p.bmin, in->bmin);
    dtVcopy(p.bmax, in->bmax);
    p.walkableHeight = in->height;
    p.walkableRadius = in->radius;
    p.walkableClimb = in->climb;
    p.cs = in->cs;
    p.ch = in->ch;
    p.buildBvTree = true;
    unsigned char *bytes = nullptr;
    int size = 0;
    if (!dtCreateNavMeshData(&p, &bytes, &size)) return nullptr;
    *count = static_cast<size_t>(size);
    return bytes;
}

void judge_free(uint8_t *bytes)
{
    dtFree(bytes);
}
