// The file that says what navctl bake builds, in JSON:
//
//     {
//       "output": "navmesh/{scene}.{profile}.bin",
//       "options": {"up": "z"},
//       "profiles": {"human": {}, "tank": {"agent-radius": 2, "cell-size": 0.5}},
//       "scenes": ["levels/harbour.glb", {"file": "levels/mine.glb", "options": {"seed": ["1,0,4"]}, "profiles":
//       ["human"]}]
//     }
//
// Options are those of navctl build, without their dashes: a flag is true, what may be repeated is a list. Those of a
// profile are settings of grid, agent and generation. Paths are relative to the file's folder.
#ifndef NAVCTL_BAKE_FILE_H
#define NAVCTL_BAKE_FILE_H

#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/reach_args.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/tile_files/mesh_file.h"

// A list of options as words of a command line.
typedef struct bake_words {
    char **words;
    int count;
} bake_words;

typedef struct bake_profile {
    char *name;
    bake_words options;
} bake_profile;

typedef struct bake_scene {
    char *name; // of {scene}: what the file says, or the scene's file without folder and ending
    char *path;
    bake_words options;
    uint32_t *profiles; // of the file's
    uint32_t profile_count;
} bake_scene;

typedef struct bake_file {
    const char *path; // borrowed
    char *folder;     // "" or with its slash
    char *output;
    mesh_file_kind kind;
    bake_words options; // of all
    bake_profile *profiles;
    uint32_t profile_count;
    bake_scene *scenes;
    uint32_t scene_count;
} bake_file;

// The whole file, checked: options and their values, names, and that no two outputs are one. Returns an exit code, with
// one line on stderr; NAVCTL_INPUT.
int bake_file_read(const char *path, bake_file *out);
void bake_file_deinit(bake_file *f); // accepts a zeroed one

// What the options of a scene with a profile come to: as navctl build would have them. They borrow of the file.
typedef struct bake_values {
    scene_load_values reading;
    area_type_values area_types;
    reach_values reach;
    settings_values grid;
} bake_values;

// False with one line on stderr.
bool bake_file_values(const bake_file *f, const bake_scene *of, const bake_profile *profile, bake_values *out);

// Where the tiles of a scene for a profile go; the caller frees it. NULL: no memory.
char *bake_file_output(const bake_file *f, const bake_scene *of, const bake_profile *profile);

#endif
