#include "clients/navctl/tile_files/graph_file.h"
#include "clients/navctl/output/json.h"

static const char *kind_name(nav_graph_kind k)
{
    static const char *const names[] = {
        [NAV_GRAPH_PORTAL] = "portal", [NAV_GRAPH_BORDER] = "border", [NAV_GRAPH_LINK] = "link"};
    return names[k];
}

// "": none.
static const char *area_name(const graph_file *g, const nav_graph_node *n)
{
    const nav_area_type *a = nav_area_table_find(g->areas, n->area);
    return a ? a->name : "";
}

static void json_doubles(json_writer *w, const char *key, const double *values, int count)
{
    json_open(w, key, '[');
    for (int i = 0; i < count; i++) json_number(w, NULL, values[i]);
    json_close(w, ']');
}

static void json_grid(json_writer *w, const graph_file *g)
{
    json_open(w, "graph", '{');
    json_text(w, "name", g->name);
    json_int(w, "tiles", g->tile_count);
    if (g->tile_count) {
        const nav_tile_view *v = &g->tiles[0];
        json_doubles(w, "origin", v->origin_m, 3);
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
    json_close(w, '}');
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
    json_int(w, "cell", n->cell);
    json_int(w, "area", n->area);
    if (*area_name(g, n)) json_text(w, "area_name", area_name(g, n));
    json_number(w, "area_m2", n->area_m2);
    json_number(w, "cost", (double)nav_area_table_cost(g->areas, n->area));
    json_doubles(w, "centroid", n->centroid_m, 3);
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
    json_grid(&w, g);
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
static const struct {
    const char *of, *name, *type;
} keys[] = {
    {"graph", "name", "string"},
    {"graph", "tiles", "int"},
    {"graph", "cell_size", "double"},
    {"graph", "cell_height", "double"},
    {"graph", "tile_cells", "int"},
    {"graph", "agent_radius", "double"},
    {"graph", "agent_height", "double"},
    {"graph", "agent_climb", "double"},
    {"graph", "relaxation", "double"},
    {"graph", "open_portals", "long"},
    {"graph", "loose_links", "long"},
    {"node", "tile_x", "int"},
    {"node", "tile_z", "int"},
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

static void write_escaped(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        switch (*p) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(*p < 0x20 ? ' ' : *p, out); // XML has no way to write a control character
        }
    }
}

static void data_text(FILE *out, const char *of, const char *key, const char *text)
{
    fprintf(out, "<data key=\"%s_%s\">", of, key);
    write_escaped(out, text);
    fputs("</data>", out);
}

static void data_int(FILE *out, const char *of, const char *key, int64_t value)
{
    fprintf(out, "<data key=\"%s_%s\">%lld</data>", of, key, (long long)value);
}

static void data_number(FILE *out, const char *of, const char *key, double value)
{
    fprintf(out, "<data key=\"%s_%s\">%.9g</data>", of, key, value);
}

static void data_bool(FILE *out, const char *of, const char *key, bool value)
{
    fprintf(out, "<data key=\"%s_%s\">%s</data>", of, key, value ? "true" : "false");
}

static void data_place(FILE *out, const char *of, const char *prefix, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    for (int a = 0; a < 3; a++) fprintf(out, "<data key=\"%s_%s%c\">%.9g</data>", of, prefix, "xyz"[a], at[a]);
}

static void graphml_grid(const graph_file *g, FILE *out)
{
    data_text(out, "graph", "name", g->name);
    data_int(out, "graph", "tiles", g->tile_count);
    if (g->tile_count) {
        const nav_tile_view *v = &g->tiles[0];
        data_number(out, "graph", "cell_size", (double)nav_tile_column_m(v));
        data_number(out, "graph", "cell_height", (double)v->cell_height_m);
        data_int(out, "graph", "tile_cells", nav_tile_columns(v));
        data_number(out, "graph", "agent_radius", (double)v->agent_radius_m);
        data_number(out, "graph", "agent_height", (double)v->agent_height_m);
        data_number(out, "graph", "agent_climb", (double)v->agent_climb_m);
        data_number(out, "graph", "relaxation", (double)v->relaxation_m);
    }
    data_int(out, "graph", "open_portals", g->graph->open_portals);
    data_int(out, "graph", "loose_links", g->graph->loose_links);
    fputc('\n', out);
}

static void graphml_node(const graph_file *g, uint32_t i, FILE *out)
{
    const nav_graph_node *n = &g->graph->nodes[i];
    fprintf(out, "<node id=\"%u\">", i);
    data_int(out, "node", "tile_x", g->tiles[n->tile].tile_x);
    data_int(out, "node", "tile_z", g->tiles[n->tile].tile_z);
    data_int(out, "node", "cell", n->cell);
    data_int(out, "node", "area", n->area);
    if (*area_name(g, n)) data_text(out, "node", "area_name", area_name(g, n));
    data_number(out, "node", "area_m2", n->area_m2);
    data_number(out, "node", "cost", (double)nav_area_table_cost(g->areas, n->area));
    data_place(out, "node", "", n->centroid_m[0], n->centroid_m[1], n->centroid_m[2]);
    data_bool(out, "node", "relaxed", n->flags & NAV_CELL_RELAXED);
    data_bool(out, "node", "unreachable", n->flags & NAV_CELL_UNREACHABLE);
    fputs("</node>\n", out);
}

static void graphml_edge(const graph_file *g, uint32_t i, FILE *out)
{
    const nav_graph_edge *e = &g->graph->edges[i];
    const float(*ends)[3] = e->ends_m;
    fprintf(out, "<edge id=\"e%u\" source=\"%u\" target=\"%u\">", i, e->nodes[0], e->nodes[1]);
    fprintf(out, "<data key=\"edge_kind\">%s</data>", kind_name(e->kind));
    data_place(out, "edge", "from_", (double)ends[0][0], (double)ends[0][1], (double)ends[0][2]);
    data_place(out, "edge", "to_", (double)ends[1][0], (double)ends[1][1], (double)ends[1][2]);
    data_number(out, "edge", "width", e->width_m);
    data_number(out, "edge", "clearance", e->clearance_m);
    data_number(out, "edge", "cost", nav_graph_edge_cost(g->graph, e, g->areas));
    data_bool(out, "edge", "both_ways", e->both_ways);
    if (e->link) {
        data_int(out, "edge", "link", e->link->id);
        data_int(out, "edge", "link_area", e->link->area);
        data_int(out, "edge", "link_flags", e->link->flags);
    }
    fputs("</edge>\n", out);
}

void graph_file_graphml(const graph_file *g, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\""
          " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
          " xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns"
          " http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
          out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        fprintf(out, "<key id=\"%s_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i].of, keys[i].name,
                keys[i].of, keys[i].name, keys[i].type);
    fputs("<graph id=\"cells\" edgedefault=\"undirected\">\n", out);
    graphml_grid(g, out);
    for (uint32_t i = 0; i < g->graph->node_count; i++) graphml_node(g, i, out);
    for (uint32_t i = 0; i < g->graph->edge_count; i++) graphml_edge(g, i, out);
    fputs("</graph>\n</graphml>\n", out);
}
