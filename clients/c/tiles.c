#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>
#include <string.h>

const char *navd_tile_status_name(navd_tile_status s)
{
    return np_tile_status_name((np_tile_status)s);
}

nav_status navd_tile_unpack(navd_client *c, const np_tile *in, navd_tile *out)
{
    *out = (navd_tile){.profile = "",
                       .reason = "",
                       .x = in->x,
                       .z = in->z,
                       .sheet = (navd_sheet)in->sheet,
                       .status = (navd_tile_status)in->status,
                       .revision = in->revision,
                       .encoding = in->encoding == NP_ENCODING_NAVD ? NAVD_ENCODING_NAVD : NAVD_ENCODING_DETOUR,
                       .queued_us = in->queued_us,
                       .made_us = in->made_us};
    nav_key_store(in->key, out->key.bytes);
    if (!in->data.size) return NAV_OK;
    nav_status s = navd_client_unpack(c, in);
    if (s != NAV_OK) return s;
    out->data = c->unpacked.data;
    out->size = c->unpacked.size;
    out->wire_size = in->data.size;
    return NAV_OK;
}

nav_status navd_tile_note_dispatch(navd_client *c, const np_tile_note *note)
{
    navd_tile tile;
    char profile[NAVD_NAME_BYTES], reason[NP_ERROR_BYTES];
    client_subscription *sub = navd_resume_find_wire(c, note->subscription);
    if (!sub) return NAV_OK; // nobody asked for it
    nav_status s = navd_tile_unpack(c, &note->tile, &tile);
    if (s != NAV_OK) return s;
    navd_text_copy(profile, sizeof profile, note->profile);
    navd_text_copy(reason, sizeof reason, note->tile.reason);
    if (c->resume.keep) navd_resume_note_tile(sub, &note->tile);
    tile.subscription = sub->id;
    tile.grid = sub->grid;
    tile.world = note->world;
    tile.profile = profile;
    tile.reason = reason;
    if (!c->on_tile) return navd_tile_queue_put(&c->queue, &tile);
    bool outer = c->dispatching;
    c->dispatching = true;
    c->on_tile(c->on_tile_user, &tile);
    c->dispatching = outer;
    return NAV_OK;
}

void navd_on_tile(navd_client *c, navd_tile_callback callback, void *user)
{
    c->on_tile = callback;
    c->on_tile_user = user;
}

void navd_on_progress(navd_client *c, navd_progress_callback callback, void *user)
{
    c->on_progress = callback;
    c->on_progress_user = user;
}

navd_status navd_next_tile(navd_client *c, int timeout_ms, const navd_tile **out)
{
    double deadline_ms = timeout_ms < 0 ? -1 : navd_clock_ms() + timeout_ms;
    *out = NULL;
    for (bool tried = false;; tried = true) {
        if (c->queue.first && (*out = navd_tile_queue_take(&c->queue)) != NULL) return NAVD_OK;
        nav_status s = c->resume.lost ? NAV_OK : navd_client_ready(c, true);
        if (s != NAV_OK) return (navd_status)s;
        if (tried || timeout_ms != 0) s = navd_connection_wait(c, deadline_ms);
        if (tried && timeout_ms == 0) s = NAV_ERR_TIMEOUT;
        if (s == NAV_ERR_TIMEOUT) return navd_client_fail(c, s, "no tile within %d ms", timeout_ms);
        if (s != NAV_OK) return navd_client_fail(c, s, "%s: %s", c->address, nav_status_text(s));
        s = (nav_status)navd_process(c);
        if (s != NAV_OK && !c->queue.first) return (navd_status)s;
    }
}

// What visits the tiles of an answer.
typedef struct visit {
    navd_tile_callback call;
    void *user;
    uint64_t grid;
} visit;

static nav_status visit_tiles(navd_client *c, const np_tile *tiles, uint32_t count, const visit *v)
{
    for (uint32_t i = 0; i < count; i++) {
        navd_tile tile;
        char reason[NP_ERROR_BYTES];
        nav_status s = navd_tile_unpack(c, &tiles[i], &tile);
        if (s != NAV_OK) return s;
        navd_text_copy(reason, sizeof reason, tiles[i].reason);
        tile.reason = reason;
        tile.grid = v->grid;
        c->dispatching = true;
        v->call(v->user, &tile);
        c->dispatching = false;
    }
    return NAV_OK;
}

static nav_status take_tiles(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_tiles_get_response answer;
    nav_status s = np_decode_tiles_get_response(in, &answer, err);
    if (s == NAV_OK) ((visit *)out)->grid = answer.grid;
    return s == NAV_OK ? visit_tiles(c, answer.tiles, answer.tile_count, out) : s;
}

navd_status navd_tiles_get(navd_client *c, uint64_t world, const char *profile, navd_encoding encoding,
                           const int32_t (*xz)[2], size_t count, navd_tile_callback visitor, void *user)
{
    return navd_tiles_get_of(c, world, profile, NAVD_SHEET_UP, encoding, xz, count, visitor, user);
}

navd_status navd_tiles_get_of(navd_client *c, uint64_t world, const char *profile, navd_sheet sheet,
                              navd_encoding encoding, const int32_t (*xz)[2], size_t count, navd_tile_callback visitor,
                              void *user)
{
    np_encoding wire;
    nav_status s = navd_client_ready(c, true);
    if (s == NAV_OK) s = (nav_status)navd_client_encoding(c, encoding, &wire);
    if (s != NAV_OK) return (navd_status)s;
    if (count > c->limits.request_tiles) {
        return navd_client_fail(c, NAV_ERR_LIMIT, "%zu tiles in one request, but the daemon accepts at most %u", count,
                                c->limits.request_tiles);
    }
    np_tile_xz *places = calloc(count + 1, sizeof *places);
    if (!places) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    for (size_t i = 0; i < count; i++) places[i] = (np_tile_xz){xz[i][0], xz[i][1], (nav_sheet)sheet};
    np_tiles_get_request request = {.world = world,
                                    .profile = np_str_of(profile),
                                    .encoding = wire,
                                    .compression = navd_decompressor_takes(),
                                    .tile_count = (uint32_t)count,
                                    .tiles = places};
    visit v = {.call = visitor, .user = user};
    s = np_encode_tiles_get_request(&c->out, navd_client_next_id(c), &request);
    free(places);
    return navd_client_finish(c, s, take_tiles, &v);
}

static nav_status take_built_tiles(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_tiles_build_response answer;
    nav_status s = np_decode_tiles_build_response(in, &answer, err);
    return s == NAV_OK ? visit_tiles(c, answer.tiles, answer.tile_count, out) : s;
}

navd_status navd_tiles_build(navd_client *c, const navd_build_request *r, navd_tile_callback visitor, void *user)
{
    np_encoding wire;
    nav_status s = navd_client_ready(c, true);
    if (s == NAV_OK) s = (nav_status)navd_client_encoding(c, r->encoding, &wire);
    if (s != NAV_OK) return (navd_status)s;
    uint64_t vertex_bytes = 12 * (uint64_t)r->mesh.vertex_count, index_bytes = 12 * (uint64_t)r->mesh.triangle_count;
    uint64_t bytes_of_all = navd_mesh_bytes(&r->mesh);
    if (bytes_of_all > c->limits.message_bytes) {
        return navd_client_fail(c, NAV_ERR_LIMIT,
                                "%llu bytes of geometry in one request, but the daemon accepts at most %u",
                                (unsigned long long)bytes_of_all, c->limits.message_bytes);
    }
    uint8_t *bytes = malloc(bytes_of_all + 1);
    if (!bytes) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    navd_mesh_bytes_store(&r->mesh, 0, bytes, bytes_of_all);
    np_tiles_build_request request = {
        .encoding = wire,
        .compression = navd_decompressor_takes(),
        .sheet = (nav_sheet)r->sheet,
        .first = {r->first[0], r->first[1]},
        .last = {r->last[0], r->last[1]},
        .area = r->area,
        .vertices = {bytes, (uint32_t)vertex_bytes},
        .indices = {bytes + vertex_bytes, (uint32_t)index_bytes},
        .areas = {bytes + vertex_bytes + index_bytes, (uint32_t)(bytes_of_all - vertex_bytes - index_bytes)},
        .axes = c->axes};
    navd_settings_to_core(&r->settings, r->origin_m, &request.settings);
    visit v = {.call = visitor, .user = user};
    s = np_encode_tiles_build_request(&c->out, navd_client_next_id(c), &request);
    free(bytes);
    return navd_client_finish(c, s, take_built_tiles, &v);
}

navd_status navd_subscribe(navd_client *c, uint64_t world, const navd_subscription_options *o, uint64_t *subscription)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    client_subscription *sub = navd_resume_add(c, world, o);
    if (!sub) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    if (subscription) *subscription = sub->id;
    navd_status done = navd_resume_subscribe(c, sub);
    if (done == NAVD_OK) return done;
    if (subscription) *subscription = 0;
    navd_resume_drop(c, sub);
    return done;
}

static nav_status take_nothing(navd_client *c, const np_message *in, np_error *err, void *out)
{
    (void)c, (void)in, (void)err, (void)out;
    return NAV_OK;
}

// The subscription of that id, after the connection has come back.
static nav_status find_subscription(navd_client *c, uint64_t id, client_subscription **out)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return s;
    *out = navd_resume_find(c, id);
    if (*out) return NAV_OK;
    navd_client_fail(c, NAV_ERR_NOT_FOUND, "no subscription %llu", (unsigned long long)id);
    return NAV_ERR_NOT_FOUND;
}

navd_status navd_unsubscribe(navd_client *c, uint64_t subscription)
{
    client_subscription *sub;
    nav_status s = find_subscription(c, subscription, &sub);
    if (s != NAV_OK) return (navd_status)s;
    np_tiles_unsubscribe_request request = {.subscription = sub->wire_id};
    s = np_encode_tiles_unsubscribe_request(&c->out, navd_client_next_id(c), &request);
    navd_status done = navd_client_finish(c, s, take_nothing, NULL);
    sub = navd_resume_find(c, subscription); // an event may have ended it
    if (sub && (done == NAVD_OK || c->resume.lost)) navd_resume_drop(c, sub);
    return done;
}

navd_status navd_set_focus(navd_client *c, uint64_t subscription, const double focus[2])
{
    client_subscription *sub;
    nav_status s = find_subscription(c, subscription, &sub);
    if (s != NAV_OK) return (navd_status)s;
    sub->options.has_focus = true;
    memcpy(sub->options.focus, focus, sizeof sub->options.focus);
    np_tiles_focus_request request = {.subscription = sub->wire_id, .has_focus = true, .focus = {focus[0], focus[1]}};
    s = np_encode_tiles_focus_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_nothing, NULL);
}

navd_status navd_set_bounds(navd_client *c, uint64_t subscription, const double min[2], const double max[2])
{
    client_subscription *sub;
    nav_status s = find_subscription(c, subscription, &sub);
    if (s != NAV_OK) return (navd_status)s;
    np_tiles_focus_request request = {
        .subscription = sub->wire_id, .has_bounds = true, .min = {min[0], min[1]}, .max = {max[0], max[1]}};
    s = np_encode_tiles_focus_request(&c->out, navd_client_next_id(c), &request);
    navd_status done = navd_client_finish(c, s, take_nothing, NULL);
    sub = navd_resume_find(c, subscription); // an event may have ended it
    if (!sub || (done != NAVD_OK && !c->resume.lost)) return done;
    sub->options.has_bounds = true;
    memcpy(sub->options.min, min, sizeof sub->options.min);
    memcpy(sub->options.max, max, sizeof sub->options.max);
    sub->seen_lost = true; // what was synced before was so for the old bounds
    return done;
}
