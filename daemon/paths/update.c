#include "daemon/paths/update.h"

#include "core/geometry/config.h"
#include "navcore/tile.h"

#include <stdlib.h>
#include <string.h>

void nd_path_update_destroy(nd_path_update *u)
{
    if (!u) return;
    for (uint32_t i = 0; i < u->count; i++) nd_blob_unref(u->changes[i].blob);
    free(u->changes);
    nav_path_landmarks_destroy(u->landmarks);
    free(u);
}

static bool is_made_for(const nd_blob *tile, const nav_settings *s)
{
    nav_tile_view v;
    if (nav_tile_open(tile->data, tile->size, &v, NULL, 0) != NAV_OK) return true; // damaged: the set says so
    double origin_m[3];
    nav_sheet_to_frame(v.sheet, s->origin_m, origin_m);
    return nav_tile_columns(&v) == s->tile_cells && nav_tile_column_m(&v) == s->cell_size_m &&
           v.cell_height_m == nav_height_step_m(s) && v.origin_m[0] == origin_m[0] && v.origin_m[1] == origin_m[1] &&
           v.origin_m[2] == origin_m[2] && v.agent_height_m == s->agent_height_m &&
           v.agent_radius_m == s->agent_radius_m && v.agent_climb_m == s->agent_climb_m;
}

// The first tile decides which others the set takes.
static nav_status put(nd_path_update *u, const nd_blob *tile)
{
    uint32_t tiles = u->climb ? nav_climb_set_tiles(u->climb) : nav_path_set_tiles(u->set);
    if (!tiles && !is_made_for(tile, u->settings)) return NAV_ERR_ARGUMENT;
    return u->climb ? nav_climb_set_put(u->climb, tile->data, tile->size, NULL, 0)
                    : nav_path_set_put(u->set, tile->data, tile->size, NULL, 0);
}

static void drop(nd_path_update *u, const nd_path_change *c)
{
    if (u->climb)
        nav_climb_set_drop(u->climb, c->sheet, c->x, c->z);
    else
        nav_path_set_drop(u->set, c->x, c->z);
}

// Landmarks are what goes first.
static nav_status check_room(nd_path_update *u)
{
    if (u->climb) return nav_climb_set_bytes(u->climb) > u->max_bytes ? NAV_ERR_LIMIT : NAV_OK;
    if (nav_path_set_bytes(u->set) > u->max_bytes && nav_path_set_landmarks(u->set))
        nav_path_set_use_landmarks(u->set, NULL);
    return nav_path_set_bytes(u->set) > u->max_bytes ? NAV_ERR_LIMIT : NAV_OK;
}

static nav_status apply(nd_path_update *u, nd_path_change *c, nd_worker *worker)
{
    nav_status s = NAV_OK;
    nd_blob *plain = NULL;
    if (c->blob) s = nd_unpack_blob(&worker->unpacker, NP_ENCODING_NAVD, c->blob, &plain);
    if (plain) s = put(u, plain);
    nd_blob_unref(plain);
    if (s == NAV_ERR_MEMORY) return s;
    if (!c->blob || s != NAV_OK) drop(u, c);
    u->damaged += s != NAV_OK && s != NAV_ERR_ARGUMENT; // for other settings
    return check_room(u);
}

static nav_status apply_and_compare(nd_path_update *u, nd_path_change *c, nd_worker *worker, nav_path_print prints[2])
{
    uint64_t outline = nav_path_set_outline(u->set, c->x, c->z);
    nav_status s = nav_path_print_take(&prints[0], u->set, c->x, c->z);
    if (s == NAV_OK) s = apply(u, c, worker);
    if (s == NAV_OK) s = nav_path_print_take(&prints[1], u->set, c->x, c->z);
    if (s == NAV_OK) s = nav_path_difference_find(&prints[0], &prints[1], &c->difference);
    u->opened |= nav_path_set_outline(u->set, c->x, c->z) != outline;
    return s;
}

static nav_status use_landmarks(nd_path_update *u)
{
    if (!u->landmarks) return NAV_OK;
    nav_path_set_use_landmarks(u->set, u->landmarks);
    u->landmarks = NULL;
    return check_room(u);
}

void nd_path_update_run(nd_task *task, nd_worker *worker)
{
    nd_path_update *u = (nd_path_update *)task;
    nav_path_print prints[2] = {{0}};
    u->status = use_landmarks(u);
    for (uint32_t i = 0; i < u->count && u->status == NAV_OK; i++) {
        nd_path_change *c = &u->changes[i];
        u->status = u->compare ? apply_and_compare(u, c, worker, prints) : apply(u, c, worker);
    }
    for (int i = 0; i < 2; i++) nav_path_print_deinit(&prints[i]);
    if (u->status == NAV_OK && u->join && u->climb) u->status = nav_climb_set_join(u->climb);
    if (u->status != NAV_OK || !u->join || u->climb) return;
    uint64_t link_ways = u->link_ways;
    u->status = nav_path_set_join(u->set);
    if (u->status == NAV_OK) u->link_ways = nav_path_set_link_ways(u->set);
    u->linked = u->link_ways != link_ways;
    u->landmarks_cost = nav_path_landmarks_cost(u->set, nav_path_landmarks_worth(u->set));
}
