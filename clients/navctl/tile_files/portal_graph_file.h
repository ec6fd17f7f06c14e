// The graph from portal to portal as a file, in the formats of graph_file.h. docs/formats.md has both.
#ifndef NAVCTL_PORTAL_GRAPH_FILE_H
#define NAVCTL_PORTAL_GRAPH_FILE_H

#include "clients/navctl/tile_files/graph_file.h"
#include "core/graph/portal_graph.h"

// portals: of g's graph.
void portal_graph_file_json(const graph_file *g, const nav_portal_graph *portals, FILE *out);
void portal_graph_file_graphml(const graph_file *g, const nav_portal_graph *portals, FILE *out);

#endif
