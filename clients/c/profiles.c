// Settings of profiles and the origin of a world, changed.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>
#include <string.h>

static nav_status take_change(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_profile_response answer;
    (void)c;
    nav_status s = np_decode_world_profile_response(in, &answer, err);
    if (s == NAV_OK && out)
        *(navd_change_result *)out =
            (navd_change_result){answer.revision, answer.dirty_tiles, answer.durable, answer.grid};
    return s;
}

static nav_status encode_change(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings)
{
    static const double nowhere[3]; // the origin is the world's
    np_world_profile_request request = {
        .world = world, .name = np_str_of(profile), .has_settings = settings != NULL, .remove = !settings};
    if (settings) navd_settings_to_core(settings, nowhere, &request.settings);
    return np_encode_world_profile_request(&c->out, navd_client_next_id(c), &request);
}

navd_status navd_profile_set(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings,
                             navd_change_result *out)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    return navd_client_finish(c, encode_change(c, world, profile, settings), take_change, out);
}

static void finish_change(navd_client *c, call *k)
{
    k->done.change(k->user, (navd_status)k->status, k->status == NAV_OK ? "" : c->error, &k->result.change);
    free(k);
}

navd_status navd_profile_set_start(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings,
                                   navd_change_done done, void *user)
{
    nav_status s = navd_client_ready(c, false);
    if (s != NAV_OK) return (navd_status)s;
    call *k = calloc(1, sizeof *k);
    if (k) {
        *k = (call){
            .take = take_change, .out = &k->result.change, .finish = finish_change, .done.change = done, .user = user};
        s = encode_change(c, world, profile, settings);
    }
    return navd_client_start(c, s, k);
}

navd_status navd_profile_remove(navd_client *c, uint64_t world, const char *profile, navd_change_result *out)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    return navd_client_finish(c, encode_change(c, world, profile, NULL), take_change, out);
}

static nav_status take_origin(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_origin_response answer;
    (void)c;
    nav_status s = np_decode_world_origin_response(in, &answer, err);
    if (s == NAV_OK && out)
        *(navd_change_result *)out = (navd_change_result){answer.revision, answer.dirty_tiles, answer.durable, 0};
    return s;
}

navd_status navd_world_set_origin(navd_client *c, uint64_t world, const double origin_m[3], navd_change_result *out)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_world_origin_request request = {.world = world};
    memcpy(request.origin_m, origin_m, sizeof request.origin_m);
    s = np_encode_world_origin_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_origin, out);
}
