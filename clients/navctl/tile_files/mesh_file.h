// What commands leave of the tiles of a scene, by the ending of the file's name.
#ifndef NAVCTL_MESH_FILE_H
#define NAVCTL_MESH_FILE_H

#include "clients/navctl/tile_files/sheet_files.h"
#include "clients/navctl/tile_files/store.h"
#include "navcore/key.h"

typedef enum mesh_file_kind { MESH_FILE_DETOUR, MESH_FILE_NAVD, MESH_FILE_OBJ, MESH_FILE_GLB } mesh_file_kind;

#define MESH_FILE_ENDINGS ".bin (Detour), .navd, .obj or .glb"

// False where the ending is none of them; *out is as it was.
bool mesh_file_kind_of(const char *path, mesh_file_kind *out);
// What the tiles of such a file are encoded in.
generate_encoding mesh_file_encoding(mesh_file_kind kind);
// Are there a file for each sheet, and a table of seams?
bool mesh_file_has_sheets(mesh_file_kind kind, const nav_settings *settings);
// Could it be put there? Asked before long work begins. False with one line on stderr.
bool mesh_file_is_possible(const char *path, mesh_file_kind kind, const nav_settings *settings);

typedef struct mesh_file {
    const char *path;
    mesh_file_kind kind;
    const char *from; // the scene, for a comment
    const nav_settings *settings;
    const nav_area_table *areas;
    const stored_tile *tiles; // sheet by sheet
    uint32_t tile_count;
    const sheet_cells *cells;     // where mesh_file_has_sheets()
    const nav_parallel *parallel; // NULL: the calling thread alone
} mesh_file;

// The whole file or none. *seams: how many there are, of files that have some. False with one line on stderr.
bool mesh_file_write(const mesh_file *f, uint32_t *seams);

// A hash of what is there now, of all its files. False where there is nothing that can be read.
bool mesh_file_hash(const char *path, mesh_file_kind kind, const nav_settings *settings, nav_key *out);

#endif
