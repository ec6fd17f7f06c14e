// path.audit
#include "clients/c/client.h"

#include <stdlib.h>
#include <string.h>

static nav_status take_audit(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_audit_response r;
    (void)c;
    nav_status s = np_decode_path_audit_response(in, &r, err);
    if (s != NAV_OK) return s;
    navd_audit *a = calloc(1, sizeof *a + r.worst_count * sizeof *a->worst);
    if (!a) return NAV_ERR_MEMORY;
    *a = (navd_audit){.revision = r.revision,
                      .open_tiles = r.open_tiles,
                      .pairs = r.pairs,
                      .found = r.found,
                      .unreachable = r.unreachable,
                      .limited = r.limited,
                      .open = r.open,
                      .bent = r.bent,
                      .length_m = r.length_m,
                      .surface_m = r.surface_m,
                      .straight_m = r.straight_m,
                      .median_ratio = r.median_ratio,
                      .worst_ratio = r.worst_ratio,
                      .worst_count = r.worst_count,
                      .worst = (navd_audit_pair *)(a + 1)};
    for (uint32_t i = 0; i < r.worst_count; i++) {
        navd_audit_pair *to = &a->worst[i];
        *to = (navd_audit_pair){.why = (navd_audit_reason)r.worst[i].why,
                                .ratio = r.worst[i].ratio,
                                .length_m = r.worst[i].length_m,
                                .straight_m = r.worst[i].straight_m};
        memcpy(to->from, r.worst[i].from, sizeof to->from);
        memcpy(to->to, r.worst[i].to, sizeof to->to);
    }
    *(navd_audit **)out = a;
    return NAV_OK;
}

navd_status navd_audit_paths(navd_client *c, uint64_t world, const navd_audit_options *options, navd_audit **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    const np_path_audit_request request = {.world = world,
                                           .profile = np_str_of(options->profile),
                                           .near_m = options->near_m,
                                           .seed = options->seed,
                                           .pairs = options->pairs,
                                           .worst = options->worst};
    s = np_encode_path_audit_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish_over_ground(c, s, take_audit, out);
}

void navd_audit_free(navd_audit *a)
{
    free(a);
}
