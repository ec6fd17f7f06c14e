// world.reach
#include "daemon/world/reach.h"
#include "daemon/methods/methods.h"
#include "daemon/world/profiles.h"

#include <stdlib.h>

typedef struct profile_answer {
    uint32_t lost[NAV_MAX_SEEDS];
} profile_answer;

static void describe(const nd_world *w, uint32_t p, np_profile_reach *out, profile_answer *room)
{
    const nav_settings *s = &w->profiles[p].wire.settings;
    double cell2 = (double)s->cell_size_m * (double)s->cell_size_m;
    nav_reach_counts c = {0};
    (void)nd_reach_count(w, p, &c);
    *out = (np_profile_reach){.name = w->profiles[p].wire.name,
                              .parts = c.parts,
                              .unreachable_parts = c.parts_off,
                              .area_m2 = (double)c.doubled_area / 2 * cell2,
                              .unreachable_m2 = (double)c.doubled_area_off / 2 * cell2,
                              .seeds_without_ground = room->lost};
    for (uint32_t i = 0; i < w->goal.goal.seed_count; i++)
        if (!nd_reach_seed_found(w, p, i)) room->lost[out->lost_count++] = i;
}

nav_status nd_method_world_reach(nd_call *c)
{
    np_world_reach_request r;
    nd_world *w;
    nav_status s = np_decode_world_reach_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    bool on = nd_goal_is_on(&w->goal);
    uint32_t count = 0, slots = on ? w->profile_count : 0;
    np_profile_reach *profiles = calloc((size_t)slots + 1, sizeof *profiles);
    profile_answer *rooms = calloc((size_t)slots + 1, sizeof *rooms);
    np_seed seeds[NAV_MAX_SEEDS];
    if (profiles && rooms) {
        for (uint32_t p = 0; p < slots; p++) {
            if (!nd_profile_is_live(w, p)) continue;
            describe(w, p, &profiles[count], &rooms[count]);
            count++;
        }
        np_world_reach_response out = {
            .reach = nd_goal_to_wire(&w->goal, seeds), .revision = w->revision, .profile_count = count};
        out.profiles = profiles;
        out.axes = c->message->axes;
        nd_reply(c->session, c->message->id, NP_WORLD_REACH, &out);
    } else {
        s = np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the response");
    }
    free(profiles);
    free(rooms);
    return s;
}
