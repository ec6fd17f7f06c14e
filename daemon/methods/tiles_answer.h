// The answer of tiles.get and tiles.build. Data that the client wants uncompressed is unpacked on a worker first: an
// answer may have as much of it as a message may have bytes. Loop thread only.
#ifndef ND_TILES_ANSWER_H
#define ND_TILES_ANSWER_H

#include "daemon/methods/methods.h"

typedef struct nd_tiles_answer {
    nd_task task;
    nd_methods *methods;
    uint64_t session;
    uint32_t request;
    np_method method; // tiles.get or tiles.build, whose results are the same
    np_encoding encoding;
    np_compression compression;
    uint64_t grid; // tiles.get: of the profile
    bool holds;    // the session, until it is answered
    nav_status status;
    uint32_t count;
    np_tile *tiles;  // all but data
    nd_blob **blobs; // their data, compressed: references; NULL: none
} nd_tiles_answer;

// With room for so many tiles, zeroed. NULL: no memory.
nd_tiles_answer *nd_tiles_answer_create(nd_methods *methods, uint64_t session, uint32_t request, uint32_t count);
void nd_tiles_answer_destroy(nd_tiles_answer *a); // accepts NULL
// Takes it over: now or later the session has its result, or the error that it is too large.
void nd_tiles_answer_send(nd_tiles_answer *a);
// Takes it over: the session has this error.
void nd_tiles_answer_refuse(nd_tiles_answer *a, const np_error *err);

#endif
