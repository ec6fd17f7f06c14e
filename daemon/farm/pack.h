// A pack: finished tiles of one area, each under the key of its source and its encoding, the newest first. It is a
// worker's answer, and what the shared cache keeps. A pack that is larger than one message may be is cut into parts;
// each can be read by itself, as a tile's key alone says whether it is the one that is wanted.
//
//     subject of the area        part 0, which says how many there are
//     subject of the area .1     part 1 ...       parts of older packs may still lie behind the last one
//
// Format, little-endian:
//
//     0   'N' 'P' format(1) 0       4   generator version      8   part, parts (u16)     12  tiles (u32)
//     16  key of all but this (16)  32  tiles, each: encoding | status << 4, source key, then of a failed one status,
//         stage and signal (3 bytes), else content key; memory limit, bytes unpacked and bytes (varints), the bytes
//
// Reading takes any bytes. The checksum says that they are as they were sent; whether they are tiles is for whoever
// unpacks them to find (cache/tile_check.h). Any thread, but nothing here locks.
#ifndef ND_PACK_H
#define ND_PACK_H

#include "core/base/buffer.h"
#include "daemon/cache/tile_record.h"

enum {
    ND_PACK_BYTES = 512 * 1024, // of a part, about
    ND_PACK_PARTS = 64,         // at most: a tile behind them is left out
    ND_PACK_HEAD_BYTES = 32,
};

typedef struct nd_pack_tile {
    nav_key source;
    uint8_t encoding;      // nd_encoding
    nd_tile_record record; // record.value has no blob and no parts; record.data points into the pack
} nd_pack_tile;

// --- writing ---

typedef struct nd_pack_writer {
    nav_buffer parts[ND_PACK_PARTS]; // ready to be sent once finished
    uint32_t tiles[ND_PACK_PARTS], count;
    uint32_t left_out;
} nd_pack_writer;

void nd_pack_writer_init(nd_pack_writer *w);
void nd_pack_writer_deinit(nd_pack_writer *w);
// Adds a tile behind the others; data: its bytes as on the wire, copied (value->blob is not looked at). One that is
// larger than a part is left out and counted, and so is all for which there is no room. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_pack_writer_add(nd_pack_writer *w, const nd_pack_tile *tile);
// The same from what a cache holds. memory_limit: as nd_tile_head_store() takes it.
NAV_MUST_USE nav_status nd_pack_writer_add_cached(nd_pack_writer *w, nav_key source, uint8_t encoding,
                                                  const nd_cached *value, uint64_t memory_limit);
// Completes the heads. Without tiles there are no parts.
void nd_pack_writer_finish(nd_pack_writer *w);

// --- reading ---

typedef struct nd_pack {
    uint32_t part, parts, tiles;
    const uint8_t *next, *end;
} nd_pack;

// The bytes are borrowed. All of them are looked at: nd_pack_next() finds no fault afterwards. NAV_ERR_FORMAT,
// NAV_ERR_VERSION (of another format or generator). Costs some 50 ns a tile, and the checksum.
NAV_MUST_USE nav_status nd_pack_open(const void *bytes, size_t count, nd_pack *out);
// False: there are no more.
bool nd_pack_next(nd_pack *p, nd_pack_tile *out);

#endif
