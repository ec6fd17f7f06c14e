// What can be said about one encoded tile, whichever encoding it is in.
#ifndef NAVCTL_TILE_FACTS_H
#define NAVCTL_TILE_FACTS_H

#include "clients/navctl/output/json.h"
#include "clients/navctl/tile_files/store.h"
#include "navcore/settings.h"

typedef struct tile_facts {
    uint32_t polygons; // Detour polygons or navd cells
    uint32_t corners, triangles, links, walls, portals, seams;
    uint64_t areas[NAV_AREA_COUNT];  // polygons by area
    double areas_m2[NAV_AREA_COUNT]; // their ground, seen from above
    bool has_cells;                  // navd tiles: what follows is known
    uint32_t passages;               // portals between cells
    uint32_t borders;                // portals over tile borders
    uint32_t relaxed, unreachable;   // cells
    float least_clearance_m;         // of all portals
    double area_m2;                  // seen from above; of each sheet, along its axis
    struct {
        uint32_t tiles, polygons;
        double area_m2;
    } sheets[NAV_SHEET_COUNT];
    bool climbs;          // there are other sheets than NAV_SHEET_UP
    float min[3], max[3]; // of all points; min > max when there are none
} tile_facts;

void tile_facts_init(tile_facts *f);
// Adds a tile that store_read() has checked. False: no memory.
bool tile_facts_add(tile_facts *f, generate_encoding encoding, const stored_tile *tile);

// Members of the object that is open.
void tile_facts_json(const tile_facts *f, json_writer *w);
// Lines for a person. areas: what the areas are called; may be empty.
void tile_facts_print(const tile_facts *f, const nav_area_table *areas, FILE *out);

#endif
