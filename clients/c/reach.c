// What of a world can be reached.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>
#include <string.h>

static nav_status take_reach(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_reach_response answer;
    (void)c;
    nav_status s = np_decode_world_reach_response(in, &answer, err);
    if (s != NAV_OK) return s;
    navd_reach_report *r = calloc(1, sizeof *r);
    navd_profile_reach *profiles = calloc((size_t)answer.profile_count + 1, sizeof *profiles);
    if (!r || !profiles) {
        free(r);
        free(profiles);
        return NAV_ERR_MEMORY;
    }
    r->reach = (navd_reach){.unreachable = (navd_unreachable)answer.reach.unreachable,
                            .seeds = (const float(*)[3])r->seeds,
                            .seed_count = answer.reach.seed_count,
                            .island_min_area_m2 = answer.reach.island_min_area_m2};
    for (uint32_t i = 0; i < answer.reach.seed_count; i++)
        memcpy(r->seeds[i], answer.reach.seeds[i].at, sizeof r->seeds[i]);
    r->revision = answer.revision;
    r->profile_count = answer.profile_count;
    r->profiles = profiles;
    for (uint32_t i = 0; i < answer.profile_count; i++) {
        const np_profile_reach *p = &answer.profiles[i];
        navd_text_copy(profiles[i].name, NAVD_NAME_BYTES, p->name);
        profiles[i].parts = p->parts;
        profiles[i].unreachable_parts = p->unreachable_parts;
        profiles[i].area_m2 = p->area_m2;
        profiles[i].unreachable_m2 = p->unreachable_m2;
        profiles[i].lost_count = p->lost_count;
        if (p->lost_count)
            memcpy(profiles[i].seeds_without_ground, p->seeds_without_ground, p->lost_count * sizeof(uint32_t));
    }
    *(navd_reach_report **)out = r;
    return NAV_OK;
}

navd_status navd_world_reach(navd_client *c, uint64_t world, navd_reach_report **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_world_reach_request request = {.world = world};
    s = np_encode_world_reach_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_reach, out);
}

void navd_reach_report_free(navd_reach_report *r)
{
    if (!r) return;
    free(r->profiles);
    free(r);
}
