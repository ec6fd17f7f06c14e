// The requests of a world's file (world_file.h): the world, its meshes, its objects.
#ifndef NAVCTL_WORLD_PUT_H
#define NAVCTL_WORLD_PUT_H

#include "clients/navctl/world_file/world_file.h"
#include "navcore/areas.h"
#include "navd.h"

typedef struct world_put {
    world_writer writer;
    nav_buffer edits; // the objects so far: they come last
    uint32_t edit_count, next_id;
    uint64_t objects, meshes, file_bytes; // file_bytes: once it is committed
} world_put;

// Starts from a zeroed one. Each returns an exit code, with one line on stderr.
// Objects may come at any time before the commit, and be forgotten again.
int world_put_objects(world_put *p, const navd_operation *objects, size_t count);
void world_put_forget_objects(world_put *p);
// Once, and before the meshes.
int world_put_begin(world_put *p, const char *path, const char *name, const navd_world *world, const navd_reach *reach,
                    const nav_area_table *areas);
int world_put_mesh(world_put *p, nav_key key, const navd_mesh *mesh);
// The file appears.
int world_put_commit(world_put *p);
void world_put_deinit(world_put *p); // without a commit there is no file

#endif
