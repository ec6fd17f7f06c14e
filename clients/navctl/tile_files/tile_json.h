// One tile as JSON, to the last corner: vertices, cells or polygons with what lies behind each side, portals, heights
// and links. docs/formats.md has every member.
#ifndef NAVCTL_TILE_JSON_H
#define NAVCTL_TILE_JSON_H

#include "clients/navctl/output/json.h"
#include "clients/navctl/tile_files/store.h"

// The member "mesh" of the object that is open. tile: as store_read() has checked it. areas: their names; may be empty.
void tile_json_mesh(generate_encoding encoding, const stored_tile *tile, const nav_area_table *areas, json_writer *w);

#endif
