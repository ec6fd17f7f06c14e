// A world out of a daemon into a file, and back. Each prints what went wrong on stderr and returns an exit code.
#ifndef NAVCTL_WORLD_COPY_H
#define NAVCTL_WORLD_COPY_H

#include "navd.h"

typedef struct world_copy {
    char name[NAVD_NAME_BYTES];
    uint64_t revision;                // of the world: that was written, or is now
    uint64_t objects, meshes;         // in the file
    uint64_t file_bytes, sent_meshes; // exports: size of the file; imports: meshes that the daemon did not have
} world_copy;

// Writes a world, all of one revision, to a file that appears whole or not at all.
int world_export(navd_client *c, const char *name, const char *path, world_copy *out);

// Makes a world of a file, under the name in the file or under `name`. The whole file is checked before the daemon is
// told anything; where the daemon refuses a part, what was made is deleted again. max_bytes: that the file may unpack
// to.
int world_import(navd_client *c, const char *path, const char *name, uint64_t max_bytes, world_copy *out);

#endif
