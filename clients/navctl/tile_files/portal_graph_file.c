#include "clients/navctl/tile_files/portal_graph_file.h"

static const char *node_kind(const nav_portal_node *n)
{
    if (!n->portal) return "link_end";
    if (n->portal->kind == NAV_GRAPH_SEAM) return "seam";
    return n->portal->kind == NAV_GRAPH_BORDER ? "border" : "portal";
}

static int cell_count(const nav_portal_node *n)
{
    return n->portal ? 2 : 1;
}

static uint8_t area_of(const graph_file *g, const nav_portal_way *way)
{
    return way->link ? way->link->area : g->graph->nodes[way->cell].area;
}

static void json_tile(json_writer *w, const graph_file *g, uint32_t cell)
{
    const nav_tile_view *v = &g->tiles[g->graph->nodes[cell].tile];
    json_open(w, "tile", '[');
    json_int(w, NULL, v->tile_x);
    json_int(w, NULL, v->tile_z);
    json_close(w, ']');
    if (g->climbs) json_text(w, "sheet", nav_sheet_name(v->sheet));
}

static void json_node(json_writer *w, const graph_file *g, const nav_portal_graph *p, uint32_t i)
{
    const nav_portal_node *n = &p->nodes[i];
    fputc('\n', w->out);
    json_open(w, NULL, '{');
    json_int(w, "id", i);
    json_text(w, "kind", node_kind(n));
    graph_file_json_doubles(w, "at", n->at_m, 3);
    json_open(w, "cells", '[');
    for (int k = 0; k < cell_count(n); k++) {
        json_open(w, NULL, '{');
        json_int(w, "id", n->cells[k]);
        json_tile(w, g, n->cells[k]);
        json_int(w, "cell", g->graph->nodes[n->cells[k]].cell);
        json_close(w, '}');
    }
    json_close(w, ']');
    if (n->portal) {
        json_vec(w, "from", n->portal->ends_m[0], 3);
        json_vec(w, "to", n->portal->ends_m[1], 3);
        json_number(w, "width", n->portal->width_m);
        json_number(w, "clearance", n->portal->clearance_m);
    }
    json_close(w, '}');
}

static void json_way(json_writer *w, const graph_file *g, const nav_portal_graph *p, uint32_t i)
{
    const nav_portal_way *way = &p->ways[i];
    const nav_graph_node *cell = &g->graph->nodes[way->cell];
    const uint8_t area = area_of(g, way);
    fputc('\n', w->out);
    json_open(w, NULL, '{');
    json_int(w, "source", way->nodes[0]);
    json_int(w, "target", way->nodes[1]);
    json_int(w, "key", i);
    json_text(w, "kind", way->link ? "link" : "cell");
    json_number(w, "length", way->length_m);
    json_int(w, "area", area);
    if (*graph_file_area_name(g, area)) json_text(w, "area_name", graph_file_area_name(g, area));
    json_number(w, "cost", nav_portal_way_cost(g->graph, way, g->areas));
    json_bool(w, "both_ways", way->both_ways);
    if (way->link) {
        json_int(w, "link", way->link->id);
        json_int(w, "flags", way->link->flags);
    } else {
        json_int(w, "cell_id", way->cell);
        json_tile(w, g, way->cell);
        json_int(w, "cell", cell->cell);
        json_bool(w, "relaxed", cell->flags & NAV_CELL_RELAXED);
        json_bool(w, "unreachable", cell->flags & NAV_CELL_UNREACHABLE);
    }
    json_close(w, '}');
}

void portal_graph_file_json(const graph_file *g, const nav_portal_graph *p, FILE *out)
{
    json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_bool(&w, "directed", false);
    json_bool(&w, "multigraph", true);
    json_open(&w, "graph", '{');
    graph_file_json_grid(g, &w);
    json_text(&w, "nodes", "edges");
    json_int(&w, "cells", g->graph->node_count);
    json_int(&w, "lone_cells", p->lone_cells);
    json_close(&w, '}');
    json_open(&w, "nodes", '[');
    for (uint32_t i = 0; i < p->node_count; i++) json_node(&w, g, p, i);
    json_close(&w, ']');
    json_open(&w, "edges", '[');
    for (uint32_t i = 0; i < p->way_count; i++) json_way(&w, g, p, i);
    json_close(&w, ']');
    json_close(&w, '}');
    json_end_line(&w);
}

static const graphml_key keys[] = {
    GRAPH_FILE_GRID_KEYS,
    {"graph", "nodes", "string"},
    {"graph", "cells", "long"},
    {"graph", "lone_cells", "long"},
    {"node", "kind", "string"},
    {"node", "x", "double"},
    {"node", "y", "double"},
    {"node", "z", "double"},
    {"node", "cell_id", "long"},
    {"node", "tile_x", "int"},
    {"node", "tile_z", "int"},
    {"node", "sheet", "string"},
    {"node", "cell", "long"},
    {"node", "other_cell_id", "long"},
    {"node", "other_tile_x", "int"},
    {"node", "other_tile_z", "int"},
    {"node", "other_sheet", "string"},
    {"node", "other_cell", "long"},
    {"node", "from_x", "double"},
    {"node", "from_y", "double"},
    {"node", "from_z", "double"},
    {"node", "to_x", "double"},
    {"node", "to_y", "double"},
    {"node", "to_z", "double"},
    {"node", "width", "double"},
    {"node", "clearance", "double"},
    {"edge", "kind", "string"},
    {"edge", "length", "double"},
    {"edge", "area", "int"},
    {"edge", "area_name", "string"},
    {"edge", "cost", "double"},
    {"edge", "both_ways", "boolean"},
    {"edge", "link", "long"},
    {"edge", "link_flags", "int"},
    {"edge", "cell_id", "long"},
    {"edge", "tile_x", "int"},
    {"edge", "tile_z", "int"},
    {"edge", "sheet", "string"},
    {"edge", "cell", "long"},
    {"edge", "relaxed", "boolean"},
    {"edge", "unreachable", "boolean"},
};

static void graphml_node(const graph_file *g, const nav_portal_graph *p, uint32_t i, FILE *out)
{
    static const char *const names[2][5] = {
        {"cell_id", "tile_x", "tile_z", "cell", "sheet"},
        {"other_cell_id", "other_tile_x", "other_tile_z", "other_cell", "other_sheet"}};
    const nav_portal_node *n = &p->nodes[i];
    fprintf(out, "<node id=\"%u\">", i);
    graphml_text(out, "node", "kind", node_kind(n));
    graphml_place(out, "node", "", n->at_m[0], n->at_m[1], n->at_m[2]);
    for (int k = 0; k < cell_count(n); k++) {
        const nav_graph_node *cell = &g->graph->nodes[n->cells[k]];
        graphml_int(out, "node", names[k][0], n->cells[k]);
        graphml_int(out, "node", names[k][1], g->tiles[cell->tile].tile_x);
        graphml_int(out, "node", names[k][2], g->tiles[cell->tile].tile_z);
        graphml_int(out, "node", names[k][3], cell->cell);
        if (g->climbs) graphml_text(out, "node", names[k][4], nav_sheet_name(g->tiles[cell->tile].sheet));
    }
    if (n->portal) {
        const float(*ends)[3] = n->portal->ends_m;
        graphml_place(out, "node", "from_", (double)ends[0][0], (double)ends[0][1], (double)ends[0][2]);
        graphml_place(out, "node", "to_", (double)ends[1][0], (double)ends[1][1], (double)ends[1][2]);
        graphml_number(out, "node", "width", n->portal->width_m);
        if (n->portal->kind != NAV_GRAPH_SEAM) graphml_number(out, "node", "clearance", n->portal->clearance_m);
    }
    fputs("</node>\n", out);
}

static void graphml_way(const graph_file *g, const nav_portal_graph *p, uint32_t i, FILE *out)
{
    const nav_portal_way *way = &p->ways[i];
    const nav_graph_node *cell = &g->graph->nodes[way->cell];
    const uint8_t area = area_of(g, way);
    fprintf(out, "<edge id=\"e%u\" source=\"%u\" target=\"%u\">", i, way->nodes[0], way->nodes[1]);
    graphml_text(out, "edge", "kind", way->link ? "link" : "cell");
    graphml_number(out, "edge", "length", way->length_m);
    graphml_int(out, "edge", "area", area);
    if (*graph_file_area_name(g, area)) graphml_text(out, "edge", "area_name", graph_file_area_name(g, area));
    graphml_number(out, "edge", "cost", nav_portal_way_cost(g->graph, way, g->areas));
    graphml_bool(out, "edge", "both_ways", way->both_ways);
    if (way->link) {
        graphml_int(out, "edge", "link", way->link->id);
        graphml_int(out, "edge", "link_flags", way->link->flags);
    } else {
        graphml_int(out, "edge", "cell_id", way->cell);
        graphml_int(out, "edge", "tile_x", g->tiles[cell->tile].tile_x);
        graphml_int(out, "edge", "tile_z", g->tiles[cell->tile].tile_z);
        if (g->climbs) graphml_text(out, "edge", "sheet", nav_sheet_name(g->tiles[cell->tile].sheet));
        graphml_int(out, "edge", "cell", cell->cell);
        graphml_bool(out, "edge", "relaxed", cell->flags & NAV_CELL_RELAXED);
        graphml_bool(out, "edge", "unreachable", cell->flags & NAV_CELL_UNREACHABLE);
    }
    fputs("</edge>\n", out);
}

void portal_graph_file_graphml(const graph_file *g, const nav_portal_graph *p, FILE *out)
{
    graphml_begin(out, keys, sizeof keys / sizeof *keys, "edges");
    graph_file_graphml_grid(g, out);
    graphml_text(out, "graph", "nodes", "edges");
    graphml_int(out, "graph", "cells", g->graph->node_count);
    graphml_int(out, "graph", "lone_cells", p->lone_cells);
    fputc('\n', out);
    for (uint32_t i = 0; i < p->node_count; i++) graphml_node(g, p, i, out);
    for (uint32_t i = 0; i < p->way_count; i++) graphml_way(g, p, i, out);
    graphml_end(out);
}
