// An area job: tiles of one aligned block of ND_AREA_SIDE x ND_AREA_SIDE of one profile, and all that they are made
// from but the meshes, which are named by their hashes. Instances and volumes stand in tables; a tile has a list of
// indices into them, which is exactly its view's: so a worker has the same source as the daemon, and can tell by its
// key. Tiles have no links here: those are added at home (work/link_job.h).
//
//     daemon: view of a tile ──add──► writer ──finish──► bytes ──stream──► worker: read ──► views, as they were
//
// Format, little-endian; "count" is a varint (LEB128), as are counts and indices:
//
//     0   'N' 'A' format(1) wanted     4   generator version     8   job (u64)     16  revision (u64)
//     24  daemon (16 bytes)            40  key of the area       56  checksum: key of all but itself
//     72  zstd level, sheet, block x, z (i32)
//     82  settings (count, a note), meshes (count, keys), instances (count, each: mesh, area, a bit for each number of
//         the transform that is not the identity's, these), volumes (count, each: area, include, points, heights, x z
//         of each), tiles (count, each: place in the block, flags, source key, instances, volumes). Indices of a tile
//         are differences to the one before (zigzag)
//
// Reading takes any bytes. Any thread, but nothing here locks.
#ifndef ND_AREA_JOB_H
#define ND_AREA_JOB_H

#include "core/base/buffer.h"
#include "core/base/key.h"
#include "daemon/cache/cache.h"
#include "daemon/farm/names.h"
#include "daemon/world/block.h"

enum {
    ND_AREA_SIDE = ND_BLOCK_SIDE,
    ND_AREA_TILES = ND_AREA_SIDE * ND_AREA_SIDE,
    ND_AREA_JOB_BYTES = 768 * 1024, // a server takes messages of 1 MiB
    ND_AREA_OBJECTS = 1 << 16,      // instances, and as many volumes
};

// What all tiles of a job have in common.
typedef struct nd_area_head {
    uint32_t generator;            // NAV_GENERATOR_VERSION of the daemon
    char daemon[ND_FARM_ID_BYTES]; // who is to hear of it: an id of nd_farm_make_id()
    uint64_t job;                  // the daemon's number
    uint64_t revision;             // of the world, for people
    nav_key area;                  // nd_area_key(): where the pack goes
    int32_t block_x, block_z;      // tile (block_x * ND_AREA_SIDE, ...) is its first
    uint8_t wanted;                // bit e: np_encoding e is made. Base tiles are not: their bytes are this machine's
    int8_t zstd_level;             // of the daemon, so that its tiles are as if made at home
    nav_settings settings;         // with the sheet
} nd_area_head;

// The block of a tile, also of those below 0.
static inline int32_t nd_area_block(int32_t tile)
{
    return tile >= 0 ? tile / ND_AREA_SIDE : -((ND_AREA_SIDE - 1 - tile) / ND_AREA_SIDE);
}

// --- names of areas ---

// The smallest key (nav_instance_key()) of the instances around the block is an area's `anchor`: it survives most
// edits. Where packs of the area lie, for daemons and workers of this generator version.
nav_key nd_area_key(const nav_settings *settings, int32_t block_x, int32_t block_z, uint8_t wanted, nav_key anchor);

// --- writing: about a microsecond for a tile ---

typedef struct nd_area_writer {
    nd_area_head head;
    nav_buffer meshes, instances, volumes, tiles; // encoded
    nav_buffer mesh_list;                         // nd_mesh *, borrowed, each once
    uint32_t mesh_count, instance_count, volume_count, tile_count;
    nav_buffer known; // what is in them, each once
    uint32_t *slots;  // hash table of it
    uint32_t slot_bits;
} nd_area_writer;

// Begins anew; a zeroed writer is ready, and one that was used before keeps its memory. The head is copied.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_area_writer_begin(nd_area_writer *w, const nd_area_head *head);
// Adds a tile of the block by its view, whose links are left out; source: its key without them. The meshes are borrowed
// until the next begin. NAV_ERR_LIMIT: the job would become too large; it is as it was, and so it is after
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_area_writer_add(nd_area_writer *w, const nd_view *view, nav_key source);
// The meshes that it names.
static inline nd_mesh *const *nd_area_writer_meshes(const nd_area_writer *w, uint32_t *count)
{
    *count = w->mesh_count;
    return (nd_mesh *const *)(const void *)w->mesh_list.data;
}
// Appends the job's bytes. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_area_writer_finish(const nd_area_writer *w, nav_buffer *out);
void nd_area_writer_deinit(nd_area_writer *w); // accepts a zeroed one

// --- reading ---

typedef struct nd_area_instance {
    uint32_t mesh; // into meshes
    float transform[12];
    uint8_t area;
} nd_area_instance;

typedef struct nd_area_tile {
    int32_t x, z;
    nav_key source;
    bool bounded; // nav_tile_source
    const uint32_t *instances, *volumes;
    uint32_t instance_count, volume_count;
} nd_area_tile;

typedef struct nd_area_job {
    nd_area_head head;
    nav_key *meshes;
    nd_area_instance *instances;
    nav_volume *volumes;
    nd_area_tile *tiles; // at least one, each place at most once
    uint32_t *lists;     // of the tiles
    uint32_t mesh_count, instance_count, volume_count, tile_count, list_count;
} nd_area_job;

// Who has sent it, where this much can be read, as in a job of another version: else false.
bool nd_area_job_peek(const void *bytes, size_t count, uint32_t *generator, char daemon[ND_FARM_ID_BYTES],
                      uint64_t *job);
// NAV_ERR_FORMAT, NAV_ERR_VERSION (of another format or generator), NAV_ERR_MEMORY with one sentence. Always deinit.
NAV_MUST_USE nav_status nd_area_job_read(const void *bytes, size_t count, nd_area_job *out, char *why,
                                         size_t why_bytes);
void nd_area_job_deinit(nd_area_job *j); // accepts a zeroed one
// The view of one of its tiles. meshes: of the job's list, in order. NAV_ERR_MEMORY; NAV_ERR_ARGUMENT: the view does
// not have the key that the job says.
NAV_MUST_USE nav_status nd_area_job_view(const nd_area_job *j, uint32_t tile, nd_mesh *const *meshes, nd_view *v);

#endif
