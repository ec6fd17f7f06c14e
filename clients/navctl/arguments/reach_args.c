#include "clients/navctl/arguments/reach_args.h"

#include <math.h>
#include <stdio.h>

#define AT(member) offsetof(reach_values, member)

const arg_option reach_options[REACH_OPTION_COUNT] = {
    {"seed", 0, ARG_STEP, "X,Y,Z", "point on ground that counts as reachable; may be repeated", AT(seeds), 0, 0, NULL},
    {"unreachable", 0, ARG_CHOICE, "MODE",
     "what to do with ground that no seed reaches, or with islands; default: drop", AT(unreachable), 0, 0,
     "keep flag drop"},
    {"island-min-area", 0, ARG_DOUBLE, "M2", "without seeds: treat connected ground smaller than this as an island",
     AT(island_min_area), 0, 1e12, NULL},
    {"allow-lost-seeds", 0, ARG_FLAG, NULL, "a seed without ground nearby is a warning, not an error",
     AT(allow_lost_seeds), 0, 0, NULL},
};

void reach_values_init(reach_values *v)
{
    *v = (reach_values){.island_min_area = NAN};
}

bool reach_values_apply(reach_values *v, const char *command)
{
    char why[200];
    v->given = v->seeds.count || v->unreachable || !isnan(v->island_min_area);
    v->goal = (nav_reach_goal){.min_area_m2 = isnan(v->island_min_area) ? 0 : v->island_min_area};
    v->mode = NAV_UNREACHABLE_DROP;
    if (v->seeds.count > NAV_MAX_SEEDS) {
        fprintf(stderr, "navctl %s: --seed was given %d times, at most %d seeds are allowed\n", command, v->seeds.count,
                NAV_MAX_SEEDS);
        return false;
    }
    for (int i = 0; i < v->seeds.count; i++) {
        double at[3];
        if (!args_parse_numbers(v->seeds.items[i].value, at, 3)) {
            fprintf(stderr, "navctl %s: --seed %s: expected X,Y,Z\n", command, v->seeds.items[i].value);
            return false;
        }
        for (int k = 0; k < 3; k++) v->goal.seeds[i][k] = (float)at[k];
        v->goal.seed_count++;
    }
    if (nav_reach_goal_check(&v->goal, why, sizeof why) != NAV_OK) {
        int seed, axis, length = 0;
        if (sscanf(why, "seeds[%d][%d]%n", &seed, &axis, &length) == 2 && length > 0)
            fprintf(stderr, "navctl %s: --seed %s: %c%s\n", command, v->seeds.items[seed].value, "XYZ"[axis],
                    why + length);
        else
            fprintf(stderr, "navctl %s: %s\n", command, why);
        return false;
    }
    return !v->unreachable || nav_unreachable_parse(v->unreachable, &v->mode) == NAV_OK; // one of the choices
}
