// A world in one file: a header, and the requests that make the world again, as messages of the protocol, in one zstd
// frame. docs/formats.md says where each byte stands. What is read is checked before it is believed: the size and the
// checksum of the packed bytes when the file is opened, every limit while it is unpacked.
//
//     header | zstd( world.open | mesh.put ... | world.edit ... )
#ifndef NAVCTL_WORLD_FILE_H
#define NAVCTL_WORLD_FILE_H

#include "clients/navctl/output/output.h"
#include "protocol/messages.h"

#include <zstd.h>

enum { WORLD_FILE_VERSION = 1, WORLD_FILE_HEADER_BYTES = 64 };

typedef struct world_file_counts {
    uint64_t packed_bytes, unpacked_bytes, messages, meshes, objects;
} world_file_counts;

typedef struct world_writer {
    output file;
    ZSTD_CCtx *packer;
    void *hash;               // XXH3 state of the packed bytes
    world_file_counts counts; // meshes and objects are the caller's to count
} world_writer;

// Each false with one line on stderr; then world_writer_discard() is what is left to do.
bool world_writer_open(world_writer *w, const char *path);
// One or more whole messages.
bool world_writer_add(world_writer *w, const nav_buffer *bytes, uint32_t messages);
bool world_writer_commit(world_writer *w);
void world_writer_discard(world_writer *w); // accepts a zeroed, a failed or a committed one

typedef struct world_reader {
    FILE *file;
    world_file_counts counts;            // as the header says
    uint64_t packed, unpacked, messages; // read so far
    ZSTD_DCtx *unpacker;
    np_reader reader;
    uint8_t *in, *out;
    ZSTD_inBuffer input;
    bool frame_ended, more;
    char why[256]; // what is wrong with the file
} world_reader;

// Opens the file and checks header, size and checksum. max_bytes: that it may unpack to. NAV_ERR_IO (cannot be read),
// NAV_ERR_FORMAT, NAV_ERR_TRUNCATED, NAV_ERR_VERSION, NAV_ERR_LIMIT, NAV_ERR_MEMORY; words in r->why, also then
// world_reader_close() it.
NAV_MUST_USE nav_status world_reader_open(world_reader *r, const char *path, uint64_t max_bytes);
// The next message; release it with np_message_deinit() whatever is returned, before the next one is read.
// NAV_ERR_CLOSED: that was the last, and all is as the header says.
NAV_MUST_USE nav_status world_reader_next(world_reader *r, np_message *m);
// From the first message on again.
NAV_MUST_USE nav_status world_reader_rewind(world_reader *r);
void world_reader_close(world_reader *r); // accepts a zeroed one

#endif
