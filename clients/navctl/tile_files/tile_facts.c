#include "clients/navctl/tile_files/tile_facts.h"
#include "clients/navctl/output/text.h"
#include "core/tile/tile_format.h"

#include <math.h>

void tile_facts_init(tile_facts *f)
{
    *f = (tile_facts){
        .min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}, .least_clearance_m = INFINITY};
}

static void widen(tile_facts *f, const float p[3])
{
    for (int k = 0; k < 3; k++) {
        if (p[k] < f->min[k]) f->min[k] = p[k];
        if (p[k] > f->max[k]) f->max[k] = p[k];
    }
}

static void frame_place(nav_sheet sheet, const float at[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = (double)at[k];
    nav_sheet_to_frame(sheet, out, out);
}

// Seen along the axis of its sheet.
static double area_of(nav_sheet sheet, const float *corners, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        double a[3], b[3];
        frame_place(sheet, corners + 3 * (size_t)k, a);
        frame_place(sheet, corners + 3 * (size_t)((k + 1) % count), b);
        sum += b[0] * a[2] - a[0] * b[2];
    }
    return sum / 2;
}

static void add_cells(tile_facts *f, const stored_tile *tile)
{
    nav_tile_view v;
    if (nav_tile_open(tile->bytes, tile->size, &v, NULL, 0) != NAV_OK) return; // cannot be: it was checked when read
    for (uint32_t i = 0; i < v.portal_count; i++) {
        nav_tile_portal p;
        nav_tile_get_portal(&v, i, &p);
        f->passages += p.behind >= 0;
        f->borders += p.behind < 0 && p.behind != NAV_EDGE_SEAM;
        if (p.clearance_m < f->least_clearance_m) f->least_clearance_m = p.clearance_m;
    }
    for (uint32_t c = 0; c < v.cell_count; c++) {
        f->relaxed += (v.cell_flags[c] & NAV_CELL_RELAXED) != 0;
        f->unreachable += (v.cell_flags[c] & NAV_CELL_UNREACHABLE) != 0;
    }
    f->has_cells = true;
}

bool tile_facts_add(tile_facts *f, generate_encoding encoding, const stored_tile *tile)
{
    draw_mesh m;
    draw_mesh_init(&m);
    bool ok = store_draw("tile", encoding, tile, 1, NULL, &m);
    for (uint32_t i = 0; ok && i < m.polygon_count; i++) {
        const draw_polygon *p = &m.polygons[i];
        const double area_m2 = area_of((nav_sheet)p->sheet, m.corners + 3 * (size_t)p->first, p->corner_count);
        f->areas[p->area]++;
        f->areas_m2[p->area] += area_m2;
        f->area_m2 += area_m2;
        f->sheets[tile->sheet].area_m2 += area_m2;
        f->sheets[tile->sheet].polygons++;
        for (uint32_t k = 0; k < p->corner_count; k++) {
            f->walls += m.edges[p->first + k] == DRAW_EDGE_WALL;
            f->portals += m.edges[p->first + k] == DRAW_EDGE_PORTAL;
            f->seams += m.edges[p->first + k] == DRAW_EDGE_SEAM;
            widen(f, m.corners + 3 * (size_t)(p->first + k));
        }
    }
    for (uint32_t i = 0; ok && i < 3 * m.tri_count; i++) widen(f, m.tris + 3 * (size_t)i);
    if (ok && encoding == GENERATE_NAVD) add_cells(f, tile);
    f->sheets[tile->sheet].tiles++;
    f->climbs |= tile->sheet != NAV_SHEET_UP;
    f->polygons += m.polygon_count;
    f->corners += m.corner_count;
    f->triangles += m.tri_count;
    f->links += m.link_count;
    draw_mesh_deinit(&m);
    return ok;
}

static void sheets_json(const tile_facts *f, json_writer *w)
{
    json_int(w, "seam_edges", f->seams);
    json_open(w, "sheets", '{');
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        if (!f->sheets[s].tiles) continue;
        json_open(w, nav_sheet_name((nav_sheet)s), '{');
        json_int(w, "tiles", f->sheets[s].tiles);
        json_int(w, f->has_cells ? "cells" : "polygons", f->sheets[s].polygons);
        json_number(w, "area_m2", f->sheets[s].area_m2);
        json_close(w, '}');
    }
    json_close(w, '}');
}

void tile_facts_json(const tile_facts *f, json_writer *w)
{
    json_int(w, "polygons", f->polygons);
    json_int(w, "corners", f->corners);
    json_int(w, "triangles", f->triangles);
    json_int(w, "walls", f->walls);
    json_int(w, "portals", f->portals);
    if (f->has_cells) {
        json_int(w, "cell_portals", f->passages);
        json_int(w, "border_portals", f->borders);
        json_number(w, "least_clearance", (double)f->least_clearance_m);
        json_int(w, "relaxed_cells", f->relaxed);
        json_int(w, "unreachable_cells", f->unreachable);
    }
    json_int(w, "links", f->links);
    json_number(w, "area_m2", f->area_m2);
    if (f->climbs) sheets_json(f, w);
    if (f->polygons) {
        json_vec(w, "min", f->min, 3);
        json_vec(w, "max", f->max, 3);
    }
    for (int ground = 0; ground < 2; ground++) {
        json_open(w, ground ? "areas_m2" : "areas", '{');
        for (int i = 0; i < NAV_AREA_COUNT; i++) {
            char name[16];
            snprintf(name, sizeof name, "%d", i);
            if (f->areas[i] && ground) json_number(w, name, f->areas_m2[i]);
            if (f->areas[i] && !ground) json_int(w, name, (int64_t)f->areas[i]);
        }
        json_close(w, '}');
    }
}

void tile_facts_print(const tile_facts *f, const nav_area_table *areas, FILE *out)
{
    fprintf(out, "  %-10s %u with %u corners, %u height triangles\n", f->has_cells ? "cells" : "polygons", f->polygons,
            f->corners, f->triangles);
    fprintf(out, "  edges      %u walls, %u to other tiles", f->walls, f->portals);
    if (f->climbs) fprintf(out, ", %u to other sheets", f->seams);
    fprintf(out, "\n");
    if (f->has_cells) {
        fprintf(out, "  portals    %u between cells, %u over tile borders", f->passages, f->borders);
        if (f->passages + f->borders) fprintf(out, ", least clearance %.3f m", (double)f->least_clearance_m);
        fprintf(out, "\n  flags      %u cells relaxed, %u unreachable\n", f->relaxed, f->unreachable);
    }
    fprintf(out, "  links      %u off-mesh\n", f->links);
    fprintf(out, "  ground     %.2f m2 seen %s\n", f->area_m2, f->climbs ? "along the sheets' axes" : "from above");
    for (int s = 0; f->climbs && s < NAV_SHEET_COUNT; s++)
        if (f->sheets[s].tiles)
            fprintf(out, "  sheet %-4s %u tiles, %u %s, %.2f m2\n", nav_sheet_name((nav_sheet)s), f->sheets[s].tiles,
                    f->sheets[s].polygons, f->has_cells ? "cells" : "polygons", f->sheets[s].area_m2);
    if (f->polygons) {
        fprintf(out, "  bounds     %.3f %.3f %.3f to %.3f %.3f %.3f\n", (double)f->min[0], (double)f->min[1],
                (double)f->min[2], (double)f->max[0], (double)f->max[1], (double)f->max[2]);
    }
    for (int i = 0; i < NAV_AREA_COUNT; i++) {
        const nav_area_type *a = nav_area_table_find(areas, (uint8_t)i);
        char name[NAV_AREA_NAME_BYTES] = "";
        if (a) text_printable(a->name, name, sizeof name, sizeof name);
        if (f->areas[i])
            fprintf(out, "  area %-5d %llu polygons, %.2f m2%s%s\n", i, (unsigned long long)f->areas[i], f->areas_m2[i],
                    *name ? ", " : "", name);
    }
}
