#include "clients/navctl/drawing/area_colours.h"

#include <stdio.h>

// How much of a colour there is in the ground: heights show through.
static const double TINT = 0.65, TABLE = 0.8;

// False: ground by height, as ordinary ground is.
static bool find_colour(const nav_area_table *table, uint8_t area, colour *out, double *strength)
{
    static const colour tints[] = {{0.55, 0.42, 0.75}, {0.25, 0.55, 0.85}, {0.85, 0.45, 0.60},
                                   {0.45, 0.65, 0.25}, {0.80, 0.60, 0.20}, {0.30, 0.70, 0.70}};
    const nav_area_type *a = nav_area_table_find(table, area);
    if (a && a->has_color) {
        *out = (colour){(a->color >> 16) / 255.0, (a->color >> 8 & 255) / 255.0, (a->color & 255) / 255.0};
        *strength = TABLE;
        return true;
    }
    *out = tints[area % (sizeof tints / sizeof tints[0])];
    *strength = TINT;
    return area != NAV_AREA_DEFAULT;
}

colour area_colours_ground(const nav_area_table *table, uint8_t area, colour by_height)
{
    colour c;
    double strength;
    return find_colour(table, area, &c, &strength) ? page_mix(by_height, c, strength) : by_height;
}

// Areas of the mesh whose colour says something, as bits.
static uint64_t find_keys(const nav_area_table *table, const draw_mesh *mesh)
{
    uint64_t found = 0, keys = 0;
    colour c;
    double strength;
    for (uint32_t i = 0; i < mesh->polygon_count; i++) found |= UINT64_C(1) << (mesh->polygons[i].area & 63);
    for (unsigned area = 0; area < NAV_AREA_COUNT; area++)
        if (found >> area & 1 && find_colour(table, (uint8_t)area, &c, &strength)) keys |= UINT64_C(1) << area;
    return keys;
}

bool area_colours_have_keys(const nav_area_table *table, const draw_mesh *mesh)
{
    return find_keys(table, mesh) != 0;
}

void area_colours_draw_keys(const page *p, const nav_area_table *table, const draw_mesh *mesh, double y)
{
    const uint64_t keys = find_keys(table, mesh);
    double x = p->margin, end = p->width - p->margin;
    for (unsigned area = 0; area < NAV_AREA_COUNT; area++) {
        if (!(keys >> area & 1)) continue;
        const nav_area_type *a = nav_area_table_find(table, (uint8_t)area);
        char text[NAV_AREA_NAME_BYTES];
        colour c;
        double strength, wide;
        (void)find_colour(table, (uint8_t)area, &c, &strength);
        snprintf(text, sizeof text, "area %u", area);
        if (a && *a->name) snprintf(text, sizeof text, "%s", a->name);
        wide = 34 * p->unit + page_text_width(p, 15, text);
        if (x + wide > end) { // the rest has no room
            page_text(p, x, y + 5 * p->unit, 15, PAGE_FAINT, false, 0, "...");
            return;
        }
        cairo_rectangle(p->cr, x, y - 6 * p->unit, 26 * p->unit, 12 * p->unit);
        page_colour(p, c, 1);
        cairo_fill(p->cr);
        page_text(p, x + 34 * p->unit, y + 5 * p->unit, 15, PAGE_FAINT, false, 0, text);
        x += wide + 20 * p->unit;
    }
}
