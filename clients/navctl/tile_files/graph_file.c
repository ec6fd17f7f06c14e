#include "clients/navctl/tile_files/graph_file.h"
#include "clients/navctl/output/graphml.h"
#include "clients/navctl/output/json.h"

static const char *kind_name(nav_graph_kind k)
{
    static const char *const names[] = {[NAV_GRAPH_PORTAL] = "portal",
                                        [NAV_GRAPH_BORDER] = "border",
                                        [NAV_GRAPH_SEAM] = "seam",
                                        [NAV_GRAPH_LINK] = "link"};
    return names[k];
}

const char *graph_file_area_name(const graph_file *g, uint8_t area)
{
    const nav_area_type *a = nav_area_table_find(g->areas, area);
    return a ? a->name : "";
}

void graph_file_json_doubles(json_writer *w, const char *key, const double *values, int count)
{
    json_open(w, key, '[');
    for (int i = 0; i < count; i++) json_number(w, NULL, values[i]);
    json_close(w, ']');
}

void graph_file_json_grid(const graph_file *g, json_writer *w)
{
    json_text(w, "name", g->name);
    json_int(w, "tiles", g->tile_count);
    if (g->tile_count) {
        const nav_tile_view *v = &g->tiles[0];
        graph_file_json_doubles(w, "origin", v->origin_m, 3);
        json_number(w, "cell_size", (double)nav_tile_column_m(v));
        json_number(w, "cell_height", (double)v->cell_height_m);
        json_int(w, "tile_cells", nav_tile_columns(v));
        json_number(w, "agent_radius", (double)v->agent_radius_m);
        json_number(w, "agent_height", (double)v->agent_height_m);
        json_number(w, "agent_climb", (double)v->agent_climb_m);
        json_number(w, "relaxation", (double)v->relaxation_m);
    }
    json_int(w, "open_portals", g->graph->open_portals);
    json_int(w, "loose_links", g->graph->loose_links);
}

static void json_node(json_writer *w, const graph_file *g, uint32_t i)
{
    const nav_graph_node *n = &g->graph->nodes[i];
    const nav_tile_view *v = &g->tiles[n->tile];
    fputc('\n', w->out);
    json_open(w, NULL, '{');
    json_int(w, "id", i);
    json_open(w, "tile", '[');
    json_int(w, NULL, v->tile_x);
    json_int(w, NULL, v->tile_z);
    json_close(w, ']');
    if (g->climbs) json_text(w, "sheet", nav_sheet_name(v->sheet));
    json_int(w, "cell", n->cell);
    json_int(w, "area", n->area);
    if (*graph_file_area_name(g, n->area)) json_text(w, "area_name", graph_file_area_name(g, n->area));
    json_number(w, "area_m2", n->area_m2);
    json_number(w, "cost", (double)nav_area_table_cost(g->areas, n->area));
    graph_file_json_doubles(w, "centroid", n->centroid_m, 3);
    json_bool(w, "relaxed", n->flags & NAV_CELL_RELAXED);
    json_bool(w, "unreachable", n->flags & NAV_CELL_UNREACHABLE);
    json_close(w, '}');
}

static void json_edge(json_writer *w, const graph_file *g, uint32_t i)
{
    const nav_graph_edge *e = &g->graph->edges[i];
    fputc('\n', w->out);
    json_open(w, NULL, '{');
    json_int(w, "source", e->nodes[0]);
    json_int(w, "target", e->nodes[1]);
    json_int(w, "key", i);
    json_text(w, "kind", kind_name(e->kind));
    json_vec(w, "from", e->ends_m[0], 3);
    json_vec(w, "to", e->ends_m[1], 3);
    json_number(w, "width", e->width_m);
    json_number(w, "clearance", e->clearance_m);
    json_number(w, "cost", nav_graph_edge_cost(g->graph, e, g->areas));
    json_bool(w, "both_ways", e->both_ways);
    if (e->link) {
        json_int(w, "link", e->link->id);
        json_int(w, "area", e->link->area);
        json_int(w, "flags", e->link->flags);
    }
    json_close(w, '}');
}

void graph_file_json(const graph_file *g, FILE *out)
{
    json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_bool(&w, "directed", false);
    json_bool(&w, "multigraph", true);
    json_open(&w, "graph", '{');
    graph_file_json_grid(g, &w);
    json_close(&w, '}');
    json_open(&w, "nodes", '[');
    for (uint32_t i = 0; i < g->graph->node_count; i++) json_node(&w, g, i);
    json_close(&w, ']');
    json_open(&w, "edges", '[');
    for (uint32_t i = 0; i < g->graph->edge_count; i++) json_edge(&w, g, i);
    json_close(&w, ']');
    json_close(&w, '}');
    json_end_line(&w);
}

// What GraphML declares before it is used. Ids are the names.
static const graphml_key keys[] = {
    GRAPH_FILE_GRID_KEYS,
    {"node", "tile_x", "int"},
    {"node", "tile_z", "int"},
    {"node", "sheet", "string"},
    {"node", "cell", "long"},
    {"node", "area", "int"},
    {"node", "area_name", "string"},
    {"node", "area_m2", "double"},
    {"node", "cost", "double"},
    {"node", "x", "double"},
    {"node", "y", "double"},
    {"node", "z", "double"},
    {"node", "relaxed", "boolean"},
    {"node", "unreachable", "boolean"},
    {"edge", "kind", "string"},
    {"edge", "from_x", "double"},
    {"edge", "from_y", "double"},
    {"edge", "from_z", "double"},
    {"edge", "to_x", "double"},
    {"edge", "to_y", "double"},
    {"edge", "to_z", "double"},
    {"edge", "width", "double"},
    {"edge", "clearance", "double"},
    {"edge", "cost", "double"},
    {"edge", "both_ways", "boolean"},
    {"edge", "link", "long"},
    {"edge", "link_area", "int"},
    {"edge", "link_flags", "int"},
};

void graph_file_graphml_grid(const graph_file *g, FILE *out)
{
    graphml_text(out, "graph", "name", g->name);
    graphml_int(out, "graph", "tiles", g->tile_count);
    if (g->tile_count) {
        const nav_tile_view *v = &g->tiles[0];
        graphml_number(out, "graph", "cell_size", (double)nav_tile_column_m(v));
        graphml_number(out, "graph", "cell_height", (double)v->cell_height_m);
        graphml_int(out, "graph", "tile_cells", nav_tile_columns(v));
        graphml_number(out, "graph", "agent_radius", (double)v->agent_radius_m);
        graphml_number(out, "graph", "agent_height", (double)v->agent_height_m);
        graphml_number(out, "graph", "agent_climb", (double)v->agent_climb_m);
        graphml_number(out, "graph", "relaxation", (double)v->relaxation_m);
    }
    graphml_int(out, "graph", "open_portals", g->graph->open_portals);
    graphml_int(out, "graph", "loose_links", g->graph->loose_links);
}

static void graphml_node(const graph_file *g, uint32_t i, FILE *out)
{
    const nav_graph_node *n = &g->graph->nodes[i];
    fprintf(out, "<node id=\"%u\">", i);
    graphml_int(out, "node", "tile_x", g->tiles[n->tile].tile_x);
    graphml_int(out, "node", "tile_z", g->tiles[n->tile].tile_z);
    if (g->climbs) graphml_text(out, "node", "sheet", nav_sheet_name(g->tiles[n->tile].sheet));
    graphml_int(out, "node", "cell", n->cell);
    graphml_int(out, "node", "area", n->area);
    if (*graph_file_area_name(g, n->area)) graphml_text(out, "node", "area_name", graph_file_area_name(g, n->area));
    graphml_number(out, "node", "area_m2", n->area_m2);
    graphml_number(out, "node", "cost", (double)nav_area_table_cost(g->areas, n->area));
    graphml_place(out, "node", "", n->centroid_m[0], n->centroid_m[1], n->centroid_m[2]);
    graphml_bool(out, "node", "relaxed", n->flags & NAV_CELL_RELAXED);
    graphml_bool(out, "node", "unreachable", n->flags & NAV_CELL_UNREACHABLE);
    fputs("</node>\n", out);
}

static void graphml_edge(const graph_file *g, uint32_t i, FILE *out)
{
    const nav_graph_edge *e = &g->graph->edges[i];
    const float(*ends)[3] = e->ends_m;
    fprintf(out, "<edge id=\"e%u\" source=\"%u\" target=\"%u\">", i, e->nodes[0], e->nodes[1]);
    fprintf(out, "<data key=\"edge_kind\">%s</data>", kind_name(e->kind));
    graphml_place(out, "edge", "from_", (double)ends[0][0], (double)ends[0][1], (double)ends[0][2]);
    graphml_place(out, "edge", "to_", (double)ends[1][0], (double)ends[1][1], (double)ends[1][2]);
    graphml_number(out, "edge", "width", e->width_m);
    if (e->kind != NAV_GRAPH_SEAM) graphml_number(out, "edge", "clearance", e->clearance_m);
    graphml_number(out, "edge", "cost", nav_graph_edge_cost(g->graph, e, g->areas));
    graphml_bool(out, "edge", "both_ways", e->both_ways);
    if (e->link) {
        graphml_int(out, "edge", "link", e->link->id);
        graphml_int(out, "edge", "link_area", e->link->area);
        graphml_int(out, "edge", "link_flags", e->link->flags);
    }
    fputs("</edge>\n", out);
}

void graph_file_graphml(const graph_file *g, FILE *out)
{
    graphml_begin(out, keys, sizeof keys / sizeof *keys, "cells");
    graph_file_graphml_grid(g, out);
    fputc('\n', out);
    for (uint32_t i = 0; i < g->graph->node_count; i++) graphml_node(g, i, out);
    for (uint32_t i = 0; i < g->graph->edge_count; i++) graphml_edge(g, i, out);
    graphml_end(out);
}
