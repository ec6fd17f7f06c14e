#include "daemon/world/box.h"

#include "core/geometry/tile_source.h"

#include <math.h>

const nd_box nd_no_box = {{{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}, INFINITY, -INFINITY};
const nd_box nd_everywhere = {{{-INFINITY, -INFINITY}, {INFINITY, INFINITY}}, -INFINITY, INFINITY};

void nd_box_widen(nd_box *all, const nd_box *box)
{
    for (int k = 0; k < 2; k++) {
        all->xz.min[k] = fmin(all->xz.min[k], box->xz.min[k]);
        all->xz.max[k] = fmax(all->xz.max[k], box->xz.max[k]);
    }
    all->low = fmin(all->low, box->low);
    all->high = fmax(all->high, box->high);
}

void nd_box_clip_xz(nd_box *b, const nd_box *to)
{
    for (int k = 0; k < 2; k++) {
        if (b->xz.min[k] == -INFINITY) b->xz.min[k] = to->xz.min[k];
        if (b->xz.max[k] == INFINITY) b->xz.max[k] = to->xz.max[k];
    }
}

nd_box nd_box_of_volume(const nav_volume *v)
{
    nd_box box = nd_no_box;
    for (uint32_t i = 0; i < v->point_count; i++) {
        const double x = (double)v->points[2 * i], z = (double)v->points[2 * i + 1];
        const nd_box corner = {{{x, z}, {x, z}}, (double)v->min_y, (double)v->max_y};
        nd_box_widen(&box, &corner);
    }
    return box;
}

nav_box_xz nd_box_in_frame(const nd_box *b, nav_sheet sheet)
{
    if (sheet == NAV_SHEET_UP) return b->xz;
    if (b->low > b->high) return nd_no_box.xz;
    const double min[3] = {b->xz.min[0], b->low, b->xz.min[1]}, max[3] = {b->xz.max[0], b->high, b->xz.max[1]};
    double from[3], to[3];
    nav_sheet_box_to_frame(sheet, min, max, from, to);
    return (nav_box_xz){{from[0], from[2]}, {to[0], to[2]}};
}

void nd_tiles_of_box(const nav_settings *s, const nd_box *b, int32_t first[2], int32_t last[2])
{
    const nav_box_xz in_frame = nd_box_in_frame(b, s->sheet);
    nav_tile_range(s, in_frame.min, in_frame.max, first, last);
}

void nd_tiles_with_ground(const nav_settings *s, const nd_box *b, int32_t first[2], int32_t last[2])
{
    if (s->sheets == NAV_SHEETS_UP) return;
    const nav_box_xz own = nd_box_in_frame(b, s->sheet);
    const double side_m = (double)s->cell_size_m * s->tile_cells, lost_m = (double)s->cell_size_m / 4096;
    double origin[3];
    nav_sheet_to_frame(s->sheet, s->origin_m, origin);
    for (int k = 0; k < 2; k++) {
        const double low = floor((own.min[k] + lost_m - origin[2 * k]) / side_m);
        const double high = ceil((own.max[k] - lost_m - origin[2 * k]) / side_m) - 1;
        if (low > first[k]) first[k] = (int32_t)fmin(low, INT32_MAX);
        if (high < last[k]) last[k] = (int32_t)fmax(high, INT32_MIN);
    }
}

bool nd_tile_may_have_ground(const nav_settings *s, const nd_box *b, int32_t x, int32_t z)
{
    int32_t first[2], last[2];
    nd_tiles_of_box(s, b, first, last);
    nd_tiles_with_ground(s, b, first, last);
    return x >= first[0] && x <= last[0] && z >= first[1] && z <= last[1];
}

void nd_tile_box(const nav_settings *s, int32_t x, int32_t z, nd_box *out)
{
    double from[2], to[2];
    nav_tile_padded_bounds(s, x, z, from, to);
    nd_box_out_of_frame(s->sheet, from, to, out);
}

void nd_box_out_of_frame(nav_sheet sheet, const double from[2], const double to[2], nd_box *out)
{
    double a[3], b[3];
    const double min[3] = {from[0], -INFINITY, from[1]}, max[3] = {to[0], INFINITY, to[1]};
    nav_sheet_to_world(sheet, min, a);
    nav_sheet_to_world(sheet, max, b);
    *out = (nd_box){{{fmin(a[0], b[0]), fmin(a[2], b[2])}, {fmax(a[0], b[0]), fmax(a[2], b[2])}},
                    fmin(a[1], b[1]),
                    fmax(a[1], b[1])};
}
