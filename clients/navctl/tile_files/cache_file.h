// Tiles of a daemon's cache in one file. Little-endian: "NAVDTILE", u32 version, u32 0; for each tile u32 bytes of its
// record, its key (17 bytes), u64 sum over both, the record; at the end u32 0 and u64 the number of tiles, so that a
// file that was cut off is seen. The sums are the daemon's, which checks them where the file comes in.
#ifndef NAVCTL_CACHE_FILE_H
#define NAVCTL_CACHE_FILE_H

#include "clients/navctl/output/output.h"
#include "navd.h"

typedef struct cache_file {
    FILE *file;
    const char *path;
    output output; // where it is written
    uint64_t entries, bytes;
    char why[200];
} cache_file;

// All return false with a sentence in `why`; none where output.h has said it already.

bool cache_file_create(cache_file *f, const char *path);
bool cache_file_add(cache_file *f, const navd_cache_entry *e);
// The file appears under its name now. After a failure nothing of it is left.
bool cache_file_finish(cache_file *f);
void cache_file_abandon(cache_file *f);

bool cache_file_open(cache_file *f, const char *path);
// *room holds the record and grows as it must. *end: that was all.
bool cache_file_next(cache_file *f, navd_cache_entry *e, uint8_t **room, size_t *capacity, bool *end);
void cache_file_close(cache_file *f);

#endif
