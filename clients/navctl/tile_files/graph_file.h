// The cell-and-portal graph as a file: JSON as NetworkX's node-link form has it, or GraphML. docs/formats.md has both.
#ifndef NAVCTL_GRAPH_FILE_H
#define NAVCTL_GRAPH_FILE_H

#include "clients/navctl/output/graphml.h"
#include "clients/navctl/output/json.h"
#include "core/graph/graph.h"

#include <stdio.h>

typedef struct graph_file {
    const char *name; // of the scene, file or world
    const nav_tile_view *tiles;
    uint32_t tile_count;
    const nav_graph *graph;
    const nav_area_table *areas; // names and costs; NULL: none
    bool climbs;                 // the tiles are of other sheets than NAV_SHEET_UP, too
} graph_file;

void graph_file_json(const graph_file *g, FILE *out);
void graph_file_graphml(const graph_file *g, FILE *out);

// What the graph from portal to portal (portal_graph_file.h) has as well: members of the graph object that is open, and
// their keys.
void graph_file_json_grid(const graph_file *g, json_writer *w);
void graph_file_graphml_grid(const graph_file *g, FILE *out);
#define GRAPH_FILE_GRID_KEYS                                                                                           \
    {"graph", "name", "string"}, {"graph", "tiles", "int"}, {"graph", "cell_size", "double"},                          \
        {"graph", "cell_height", "double"}, {"graph", "tile_cells", "int"}, {"graph", "agent_radius", "double"},       \
        {"graph", "agent_height", "double"}, {"graph", "agent_climb", "double"}, {"graph", "relaxation", "double"},    \
        {"graph", "open_portals", "long"},                                                                             \
    {                                                                                                                  \
        "graph", "loose_links", "long"                                                                                 \
    }

void graph_file_json_doubles(json_writer *w, const char *key, const double *values, int count);
// "": none.
const char *graph_file_area_name(const graph_file *g, uint8_t area);

#endif
