// Seams between the sheets of a graph.
#ifndef NAVCTL_GRAPH_SEAMS_H
#define NAVCTL_GRAPH_SEAMS_H

#include "clients/navctl/tile_files/store.h"
#include "core/graph/graph.h"

// Adds an edge for each seam between the tiles' sheets; does nothing where they are of one. tiles and views: those that
// the graph was built of, in that order. *added: how many. NAV_ERR_MEMORY and the like, with a sentence in why.
NAV_MUST_USE nav_status graph_seams_add(const stored_tile *tiles, const nav_tile_view *views, uint32_t count,
                                        nav_arena *arena, nav_graph *g, uint32_t *added, char *why, size_t why_bytes);

#endif
