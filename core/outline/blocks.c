// Volumes that block: the floor is gone where it lies within the heights of the volume. Where only some of the floors
// beneath do, the polygon is cut in halves as a wall is (walls.c).
#include "core/outline/sources_work.h"

static nav_status add_part(nav_sources *s, const piece *p, double low, double high)
{
    place least, most;
    if (p->count < 3) return NAV_OK;
    if (++s->work > NAV_SOURCES_MOST_WORK) return NAV_ERR_LIMIT;
    nav_piece_bounds(p, &least, &most);
    const columns around = nav_piece_columns(s, least, most, s->unit / 8);
    if (!nav_floors_near(&s->floors, around)) return NAV_OK;
    const floor_range f = nav_floors_range(&s->floors, around);
    if (!f.any || f.high < low || f.low > high) return NAV_OK;
    piece half;
    double middle;
    int axis;
    if ((f.low >= low && f.high <= high) || !nav_piece_middle(s, least, most, &axis, &middle))
        return nav_sources_add_piece(s, p);
    nav_piece_cut(p, axis, middle, false, &half);
    nav_status status = add_part(s, &half, low, high);
    if (status != NAV_OK) return status;
    nav_piece_cut(p, axis, middle, true, &half);
    return add_part(s, &half, low, high);
}

nav_status nav_sources_blocks(nav_sources *s)
{
    const nav_config *c = s->cfg;
    for (uint32_t i = 0; i < s->volume_count; i++) {
        const nav_volume *v = &s->volumes[i];
        if (v->include || (v->area != NAV_AREA_NONE && (c->walkable_areas >> v->area & 1))) continue;
        piece p = {.count = (int32_t)v->point_count};
        for (int32_t k = 0; k < p.count; k++)
            p.at[k] = nav_place(s, (const float[]){v->points[2 * k], 0, v->points[2 * k + 1]});
        nav_piece_keep_in_box(s, &p);
        nav_status status = add_part(s, &p, ((double)v->min_y - c->origin_m[1]) / c->cell_height_m,
                                     ((double)v->max_y - c->origin_m[1]) / c->cell_height_m);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}
