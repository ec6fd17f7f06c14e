// world.areas
#include "daemon/methods/areas.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/methods.h"
#include "daemon/world/areas.h"

#include <stdlib.h>

void nd_areas_reply(nd_methods *methods, nd_commit *commit, const nd_world *w, uint64_t session, uint32_t request,
                    uint64_t revision, uint32_t dirty_tiles)
{
    const np_world_areas_response out = {.revision = revision,
                                         .dirty_tiles = dirty_tiles,
                                         .durable = commit != NULL,
                                         .area_count = w->areas ? w->areas->count : 0,
                                         .areas = w->areas ? w->areas->list : NULL};
    nd_commit_reply(commit, methods, session, request, NP_WORLD_AREAS, &out);
}

nav_status nd_method_world_areas(nd_call *c)
{
    np_world_areas_request r;
    nd_world *w;
    nav_status s = np_decode_world_areas_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    if (!r.has_areas) {
        nd_areas_reply(c->methods, NULL, w, c->session->id, c->message->id, w->revision, 0);
        return NAV_OK;
    }
    s = nd_call_needs(c, NP_ROLE_EDITOR, "change the table of areas");
    if (s != NAV_OK) return s;
    // They live as long as the message, which goes with an edit that takes several turns.
    np_area *merged = msgpack_zone_malloc(c->message->zone, (NP_MAX_AREAS + (size_t)r.area_count) * sizeof *merged);
    np_op *op = msgpack_zone_malloc(c->message->zone, sizeof *op);
    if (!merged || !op) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the table of areas");
    uint32_t count = nd_area_table_merge(r.replace ? NULL : w->areas, r.areas, r.area_count, merged);
    *op = (np_op){.kind = NP_OP_SET_AREAS, .u.areas = {count, merged}};
    const np_world_edit_request edit = {.world = r.world, .op_count = 1, .ops = op};
    return nd_edits_start_areas(c, w, &edit);
}
