// One walk over a world's file (world_file.h): what is in it, in its order, checked before it is handed on.
//
//     world.open | meshes, whole, hash checked | objects, each of a mesh that is in the file
#ifndef NAVCTL_WORLD_WALK_H
#define NAVCTL_WORLD_WALK_H

#include "clients/navctl/world_file/world_file.h"
#include "navd.h"

// Who is told. Each call returns an exit code; any but NAVCTL_OK ends the walk with it. What is passed is valid during
// the call only. A member that is NULL is not called.
typedef struct world_visitor {
    void *user;
    int (*open)(void *user, const np_world_open_request *r);
    int (*mesh)(void *user, nav_key hash, const navd_mesh *mesh);
    int (*object)(void *user, const np_op *op); // put_instance, put_volume or put_link
} world_visitor;

typedef struct world_walk {
    const char *path;
    uint64_t mesh_bytes; // the largest mesh allowed
    world_reader reader;
    const world_visitor *visitor;
    np_method last;
    np_mesh_put_request mesh; // under way; its data is in `part`
    nav_buffer part;
    bool in_mesh;
    nav_key *keys; // of the meshes so far; sorted when the first edit comes
    size_t key_count, key_capacity;
    uint64_t object_count;
} world_walk;

// Opens a file that unpacks to at most max_bytes; its header and checksum are right then. mesh_bytes: the largest mesh
// allowed. Returns an exit code, with one line on stderr.
int world_walk_open(world_walk *w, const char *path, uint64_t max_bytes, uint64_t mesh_bytes);
// From the first message to the last; may be called again. doing: what the progress line says. Returns an exit code,
// with one line on stderr: NAVCTL_INPUT where the content is not what an export writes.
int world_walk_run(world_walk *w, const world_visitor *visitor, const char *doing);
void world_walk_close(world_walk *w); // accepts a zeroed one

// One line on stderr that names the file. Returns NAVCTL_INPUT.
NAV_PRINTF(2, 3) int world_walk_bad(const world_walk *w, const char *format, ...);

#endif
