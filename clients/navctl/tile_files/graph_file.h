// The cell-and-portal graph as a file: JSON as NetworkX's node-link form has it, or GraphML. docs/formats.md has both.
#ifndef NAVCTL_GRAPH_FILE_H
#define NAVCTL_GRAPH_FILE_H

#include "core/graph/graph.h"

#include <stdio.h>

typedef struct graph_file {
    const char *name; // of the scene, file or world
    const nav_tile_view *tiles;
    uint32_t tile_count;
    const nav_graph *graph;
    const nav_area_table *areas; // names and costs; NULL: none
} graph_file;

void graph_file_json(const graph_file *g, FILE *out);
void graph_file_graphml(const graph_file *g, FILE *out);

#endif
