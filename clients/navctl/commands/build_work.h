// What the parts of navctl build share. Internal.
#ifndef NAVCTL_BUILD_WORK_H
#define NAVCTL_BUILD_WORK_H

#include "clients/navctl/bake/farm_work.h"
#include "clients/navctl/commands/build.h"
#include "clients/navctl/drawing/plan_tiles.h"
#include "clients/navctl/tile_files/mesh_file.h"
#include "clients/navctl/world_file/world_scene.h"

typedef struct build {
    const char *name; // of the command
    const build_args *args;
    generate_options options;
    generator *generator;
    mesh_file_kind kind; // of the file
    bool perspective;    // the picture
    unsigned parts;      // of the picture; 0: heights
    picture_values view;
    plan_tiles tiles;  // where there are parts
    sheet_cells cells; // for Detour's files of walls and ceilings
    bool is_world;
    world_scene world; // of a scene file the scene alone
    generated made;
    build_report report;
    nav_volume bounds; // of --bounds
    farm_work farm;    // of --farm
} build;

// Are there a file for each sheet, and a table?
bool build_writes_sheets(const build *b);
// The tiles of a navd of navctl's own, in a farm: what generate() gives, as far as tiles tell it. What cannot be asked
// of it is refused by build_farm_check(), with one line on stderr. Returns an exit code.
bool build_farm_check(const build *b);
int build_farm(build *b);
// File and picture, once the tiles are made; adds to the report. False with one line on stderr.
bool build_write(build *b);

#endif
