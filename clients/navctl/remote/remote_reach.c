#include "clients/navctl/remote/remote_reach.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int remote_reach_operation(navd_client *c, uint64_t world, const reach_values *v, float (*seeds)[3],
                           navd_operation *out)
{
    navd_reach_report *now;
    navd_status s = navd_world_reach(c, world, &now);
    if (s != NAVD_OK) return remote_failed(c, s, "what can be reached");
    navd_reach *r = &out->u.reach;
    *out = (navd_operation){.kind = NAVD_SET_REACH, .u.reach = now->reach};
    memcpy(seeds, now->seeds, sizeof now->seeds);
    if (v->goal.seed_count) {
        r->seed_count = v->goal.seed_count;
        memcpy(seeds, v->goal.seeds, sizeof v->goal.seeds);
    }
    r->seeds = (const float(*)[3])seeds;
    if (!isnan(v->island_min_area)) r->island_min_area_m2 = v->island_min_area;
    if (v->unreachable || r->unreachable == NAVD_UNREACHABLE_KEEP) r->unreachable = (navd_unreachable)v->mode;
    navd_reach_report_free(now);
    return NAVCTL_OK;
}

int remote_reach_report(navd_client *c, uint64_t world, const char *profile, const reach_values *v, json_writer *json)
{
    navd_reach_report *r;
    int code = NAVCTL_OK;
    navd_status s = navd_world_reach(c, world, &r);
    if (s != NAVD_OK) return remote_failed(c, s, "what can be reached");
    for (size_t i = 0; i < r->profile_count; i++) {
        const navd_profile_reach *p = &r->profiles[i];
        if (strcmp(p->name, profile)) continue;
        if (json) {
            json_open(json, "reach", '{');
            json_text(json, "unreachable", nav_unreachable_name((nav_unreachable)r->reach.unreachable));
            json_int(json, "parts", p->parts);
            json_int(json, "unreachable_parts", p->unreachable_parts);
            json_number(json, "unreachable_m2", p->unreachable_m2);
            json_int(json, "seeds", (int64_t)r->reach.seed_count);
            json_int(json, "seeds_without_ground", (int64_t)p->lost_count);
            json_close(json, '}');
        } else {
            if (p->unreachable_parts)
                printf("unreachable: %.1f of %.1f m2 of ground, in %u part%s of tiles (of %u)\n", p->unreachable_m2,
                       p->area_m2, p->unreachable_parts, text_s(p->unreachable_parts), p->parts);
            else
                printf("all ground is reachable\n");
        }
        for (size_t k = 0; k < p->lost_count; k++) {
            const float *at = r->seeds[p->seeds_without_ground[k]];
            fprintf(stderr, "navctl: seed %g,%g,%g found no ground nearby: move it onto walkable ground\n",
                    (double)at[0], (double)at[1], (double)at[2]);
        }
        if (p->lost_count && v->seeds.count && !v->allow_lost_seeds) code = NAVCTL_FAILED;
    }
    navd_reach_report_free(r);
    return code;
}
