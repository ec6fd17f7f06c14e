#include "clients/navctl/tile_files/tile_json.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

static void json_indices(json_writer *w, const char *key, const uint32_t *values, int count)
{
    json_open(w, key, '[');
    for (int i = 0; i < count; i++) json_int(w, NULL, values[i]);
    json_close(w, ']');
}

static void json_area(json_writer *w, const nav_area_table *areas, uint8_t area)
{
    const nav_area_type *a = nav_area_table_find(areas, area);
    json_int(w, "area", area);
    if (a && a->name[0]) json_text(w, "area_name", a->name);
}

// What a link of either encoding has.
static void json_link(json_writer *w, const nav_area_table *areas, const nav_link *l)
{
    json_int(w, "id", l->id);
    json_vec(w, "start_m", l->start, 3);
    json_vec(w, "end_m", l->end, 3);
    json_number(w, "radius_m", (double)l->radius_m);
    json_bool(w, "both_ways", l->both_ways);
    json_area(w, areas, l->area);
    json_int(w, "flags", l->flags);
}

// --- navd's encoding ---

// behind: as of a corner or a portal; a cell has no name here but that it is one.
static const char *side_name(int64_t behind)
{
    static const char *const names[] = {"wall", "x+", "z+", "x-", "z-", "seam"};
    return behind >= 0 ? "cell" : names[-1 - behind];
}

static void json_neighbour(json_writer *w, const char *key, int64_t behind)
{
    if (behind >= 0)
        json_int(w, key, behind);
    else
        json_text(w, key, NULL);
}

static void navd_grid(const nav_tile_view *v, json_writer *w)
{
    json_open(w, "grid", '{');
    json_open(w, "origin_m", '[');
    for (int k = 0; k < 3; k++) json_number(w, NULL, v->origin_m[k]);
    json_close(w, ']');
    json_number(w, "column_m", (double)nav_tile_column_m(v));
    json_int(w, "columns", nav_tile_columns(v));
    json_int(w, "units_per_column", v->unit);
    json_number(w, "voxel_height_m", (double)v->cell_height_m);
    json_close(w, '}');
    json_open(w, "agent", '{');
    json_number(w, "height_m", (double)v->agent_height_m);
    json_number(w, "radius_m", (double)v->agent_radius_m);
    json_number(w, "climb_m", (double)v->agent_climb_m);
    json_close(w, '}');
    json_number(w, "relaxation_m", (double)v->relaxation_m);
}

static void navd_vertices(const nav_tile_view *v, json_writer *w)
{
    float at_m[3];
    json_open(w, "vertices_m", '[');
    for (uint32_t i = 0; i < v->vert_count; i++) {
        nav_tile_get_place(v, i, at_m);
        json_vec(w, NULL, at_m, 3);
    }
    json_close(w, ']');
    json_open(w, "vertices_units", '[');
    for (uint32_t i = 0; i < v->vert_count; i++) {
        int32_t at[3];
        nav_tile_get_vert(v, i, at);
        json_open(w, NULL, '[');
        for (int k = 0; k < 3; k++) json_int(w, NULL, at[k]);
        json_close(w, ']');
    }
    json_close(w, ']');
    json_open(w, "detail_vertices_m", '[');
    for (uint32_t i = 0; i < v->detail_vert_count; i++) {
        nav_tile_get_place(v, v->vert_count + i, at_m);
        json_vec(w, NULL, at_m, 3);
    }
    json_close(w, ']');
}

static void navd_cell(const nav_tile_view *v, const nav_area_table *areas, uint32_t i, json_writer *w)
{
    nav_tile_cell cell;
    nav_tile_corner corner;
    nav_tile_get_cell(v, i, &cell);
    json_open(w, NULL, '{');
    json_int(w, "id", i);
    json_area(w, areas, cell.area);
    json_bool(w, "relaxed", cell.flags & NAV_CELL_RELAXED);
    json_bool(w, "unreachable", cell.flags & NAV_CELL_UNREACHABLE);
    for (int list = 0; list < 3; list++) {
        static const char *const names[] = {"vertices", "sides", "neighbours"};
        json_open(w, names[list], '[');
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_get_corner(v, cell.first_corner + k, &corner);
            if (list == 0) json_int(w, NULL, corner.vert);
            if (list == 1) json_text(w, NULL, side_name(corner.behind));
            if (list == 2) json_neighbour(w, NULL, corner.behind);
        }
        json_close(w, ']');
    }
    json_open(w, "triangles", '[');
    for (uint32_t t = 0; t < cell.triangle_count; t++) {
        uint32_t verts[3];
        nav_tile_get_triangle(v, cell.first_triangle + t, verts);
        json_indices(w, NULL, verts, 3);
    }
    json_close(w, ']');
    json_close(w, '}');
}

static void navd_portal(const nav_tile_view *v, uint32_t i, json_writer *w)
{
    nav_tile_portal p;
    nav_tile_get_portal(v, i, &p);
    json_open(w, NULL, '{');
    json_int(w, "id", i);
    json_int(w, "cell", p.cell);
    json_text(w, "side", side_name(p.behind));
    json_neighbour(w, "neighbour", p.behind);
    json_indices(w, "vertices", (const uint32_t[]){p.from, p.to}, 2);
    json_number(w, "width_m", (double)p.width_m);
    json_number(w, "clearance_m", (double)p.clearance_m);
    json_close(w, '}');
}

static void navd_mesh(const nav_tile_view *v, const nav_area_table *areas, json_writer *w)
{
    navd_grid(v, w);
    navd_vertices(v, w);
    json_open(w, "cells", '[');
    for (uint32_t i = 0; i < v->cell_count; i++) navd_cell(v, areas, i, w);
    json_close(w, ']');
    json_open(w, "portals", '[');
    for (uint32_t i = 0; i < v->portal_count; i++) navd_portal(v, i, w);
    json_close(w, ']');
    json_open(w, "links", '[');
    for (uint32_t i = 0; i < v->link_count; i++) {
        nav_link link;
        nav_tile_get_link(v, i, &link);
        json_open(w, NULL, '{');
        json_link(w, areas, &link);
        json_close(w, '}');
    }
    json_close(w, ']');
}

// --- Detour's ---

static void detour_header(const nav_detour_header *h, json_writer *w)
{
    json_open(w, "bounds", '{');
    json_vec(w, "min_m", h->min, 3);
    json_vec(w, "max_m", h->max, 3);
    json_close(w, '}');
    json_open(w, "agent", '{');
    json_number(w, "height_m", (double)h->walkable_height);
    json_number(w, "radius_m", (double)h->walkable_radius);
    json_number(w, "climb_m", (double)h->walkable_climb);
    json_close(w, '}');
}

static void detour_vertices(const nav_detour_view *v, json_writer *w)
{
    float at_m[3];
    json_open(w, "vertices_m", '[');
    for (uint32_t i = 0; i < (uint32_t)v->header.vert_count; i++) {
        nav_detour_get_vert(v, i, at_m);
        json_vec(w, NULL, at_m, 3);
    }
    json_close(w, ']');
    json_open(w, "detail_vertices_m", '[');
    for (uint32_t i = 0; i < (uint32_t)v->header.detail_vert_count; i++) {
        nav_detour_get_detail_vert(v, i, at_m);
        json_vec(w, NULL, at_m, 3);
    }
    json_close(w, ']');
}

static const char *detour_side(uint16_t neighbour)
{
    static const char *const borders[] = {"x+", "z+", "x-", "z-"};
    if (!neighbour) return "wall";
    return neighbour & NAV_DETOUR_PORTAL ? borders[(neighbour & 6) / 2] : "polygon";
}

static void detour_poly(const nav_detour_view *v, const nav_area_table *areas, uint32_t i, json_writer *w)
{
    nav_detour_poly p;
    uint32_t verts[NAV_DETOUR_POLY_VERTS];
    nav_detour_get_poly(v, i, &p);
    for (int k = 0; k < p.vert_count; k++) verts[k] = p.vert[k];
    json_open(w, NULL, '{');
    json_int(w, "id", i);
    json_area(w, areas, p.area);
    json_int(w, "flags", p.flags);
    json_indices(w, "vertices", verts, p.vert_count);
    json_open(w, "sides", '[');
    for (int k = 0; k < p.vert_count; k++) json_text(w, NULL, detour_side(p.neighbour[k]));
    json_close(w, ']');
    json_open(w, "neighbours", '[');
    for (int k = 0; k < p.vert_count; k++) {
        const bool inside = p.neighbour[k] && !(p.neighbour[k] & NAV_DETOUR_PORTAL);
        json_neighbour(w, NULL, inside ? p.neighbour[k] - 1 : -1);
    }
    json_close(w, ']');
    json_open(w, "triangles", '[');
    for (uint32_t t = 0; t < p.detail_tri_count; t++) {
        uint32_t points[3];
        nav_detour_get_triangle_points(v, &p, t, points);
        json_indices(w, NULL, points, 3);
    }
    json_close(w, ']');
    json_close(w, '}');
}

static void detour_link(const nav_detour_view *v, const nav_area_table *areas, uint32_t i, json_writer *w)
{
    nav_detour_link l;
    nav_detour_poly p;
    nav_detour_get_link(v, i, &l);
    nav_detour_get_poly(v, l.poly, &p);
    nav_link link = {.id = l.user_id, .radius_m = l.radius, .flags = p.flags, .area = p.area, .both_ways = l.flags & 1};
    for (int k = 0; k < 3; k++) {
        link.start[k] = l.start[k];
        link.end[k] = l.end[k];
    }
    json_open(w, NULL, '{');
    json_link(w, areas, &link);
    json_int(w, "polygon", l.poly);
    json_bool(w, "ends_in_tile", l.side == 0xFF);
    json_close(w, '}');
}

static void detour_mesh(const nav_detour_view *v, const nav_area_table *areas, json_writer *w)
{
    detour_header(&v->header, w);
    detour_vertices(v, w);
    json_open(w, "polygons", '[');
    for (uint32_t i = 0; i < (uint32_t)v->header.off_mesh_base; i++) detour_poly(v, areas, i, w);
    json_close(w, ']');
    json_open(w, "links", '[');
    for (uint32_t i = 0; i < (uint32_t)v->header.off_mesh_count; i++) detour_link(v, areas, i, w);
    json_close(w, ']');
}

void tile_json_mesh(generate_encoding encoding, const stored_tile *tile, const nav_area_table *areas, json_writer *w)
{
    nav_tile_view v;
    nav_detour_view d;
    json_open(w, "mesh", '{');
    if (encoding == GENERATE_NAVD && nav_tile_open(tile->bytes, tile->size, &v, NULL, 0) == NAV_OK)
        navd_mesh(&v, areas, w);
    if (encoding == GENERATE_DETOUR && nav_detour_open(tile->bytes, tile->size, &d, NULL, 0) == NAV_OK)
        detour_mesh(&d, areas, w);
    json_close(w, '}');
}
