// path.within
#include "daemon/paths/places.h"

#include "core/base/endian.h"
#include "navcore/path_places.h"

#include <stdlib.h>
#include <string.h>

typedef struct within_call {
    nd_path_call call;
    nav_path_within_query query;
    np_path_within_response out;
} within_call;

static void write_cell(uint8_t *to, const nav_path_within_cell *c)
{
    nav_store_u32(to, (uint32_t)c->cell.tile_x);
    nav_store_u32(to + 4, (uint32_t)c->cell.tile_z);
    nav_store_u32(to + 8, c->cell.cell);
    nav_store_f32(to + 12, (float)c->distance_m);
    nav_store_u32(to + 16, c->whole);
}

static nav_status describe(within_call *c, nd_path_hand *hand, const nav_path_withins *w)
{
    uint32_t points = w->outline_count ? w->first[w->outline_count] : 0;
    uint8_t *cells = NAV_TAKE(&hand->arena, uint8_t, (size_t)w->cell_count * NP_WITHIN_CELL_BYTES + 1);
    uint8_t *outlines = NAV_TAKE(&hand->arena, uint8_t, (size_t)w->outline_count * 4 + 1);
    uint8_t *corners = NAV_TAKE(&hand->arena, uint8_t, (size_t)points * NP_PATH_POINT_BYTES + 1);
    if (!cells || !outlines || !corners) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < w->cell_count; i++) write_cell(cells + (size_t)i * NP_WITHIN_CELL_BYTES, &w->cells[i]);
    for (uint32_t i = 0; i < w->outline_count; i++)
        nav_store_u32(outlines + 4 * (size_t)i, w->first[i + 1] - w->first[i]);
    for (uint32_t i = 0; i < points; i++) {
        float at[3];
        memcpy(at, &w->points[3 * (size_t)i], sizeof at);
        np_axes_floats_from_metres(&c->call.axes, NP_PLACE_POINT, at, 1);
        for (size_t k = 0; k < 3; k++) nav_store_f32(corners + (size_t)i * NP_PATH_POINT_BYTES + 4 * k, at[k]);
    }
    c->out.cells = (np_bin){cells, w->cell_count * NP_WITHIN_CELL_BYTES};
    c->out.outlines = (np_bin){outlines, w->outline_count * 4};
    c->out.points = (np_bin){corners, points * NP_PATH_POINT_BYTES};
    return NAV_OK;
}

static nav_status answer(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    within_call *c = (within_call *)call;
    nav_path_withins w;
    (void)item;
    c->out.status = NAV_PLACE_LIMIT;
    if (nd_path_call_is_over(call)) return NAV_OK;
    c->query.max_nodes = call->max_nodes;
    c->query.max_points = NP_PATH_POINTS;
    c->query.stop = nd_path_call_stop;
    c->query.user = call;
    nav_status s = nav_path_within(hand->finder, hand->set, &c->query, &w);
    if (s != NAV_OK || w.cell_count > NP_WITHIN_CELLS) return s == NAV_ERR_FORMAT ? NAV_OK : s;
    c->out.status = w.status;
    return describe(c, hand, &w);
}

static void reply(nd_path_call *call, nd_session *s)
{
    within_call *c = (within_call *)call;
    c->out.revision = call->revision;
    c->out.open_tiles = call->open_tiles;
    nd_reply(s, call->request, NP_PATH_WITHIN, &c->out);
}

static void destroy(nd_path_call *call)
{
    free(call);
}

static const nd_path_kind kind = {.method = NP_PATH_WITHIN, .answer = answer, .reply = reply, .destroy = destroy};

nd_path_call *nd_within_call_create(const np_path_within_request *r)
{
    within_call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->query = (nav_path_within_query){.at = {r->at[0], r->at[1], r->at[2]},
                                       .near_m = r->near_m,
                                       .distance_m = r->distance_m,
                                       .excluded = r->exclude,
                                       .outlines = r->outlines};
    nd_path_call_init(&c->call, &kind, 1, sizeof *c);
    return &c->call;
}
