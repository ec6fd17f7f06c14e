#include "clients/navctl/paths/audit_climb.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/progress.h"

#include <stdio.h>

static void print(const char *name, const nav_climb_set *set, const nav_climb_audit *a, double seconds)
{
    printf("%s: %u tiles, %llu triangles, %u seams, %u part%s\n", name, nav_climb_set_tiles(set),
           (unsigned long long)nav_climb_set_triangles(set), nav_climb_set_seams(set), nav_climb_set_parts(set),
           nav_climb_set_parts(set) == 1 ? "" : "s");
    printf("%u pairs in %.2f s: %u found, %u without a way\n", a->pairs, seconds, a->found, a->unreachable);
    if (a->found)
        printf("ways are %.3f times as long as the straight line, %.3f times at most\n", a->mean_ratio, a->worst_ratio);
    printf("points are off the surface by %.4f m at most, steps off their plane by %.4f m\n", a->off_surface_m,
           a->off_plane_m);
}

static void print_json(const nav_climb_set *set, uint64_t seed, const nav_climb_audit *a, double seconds)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_int(&w, "seed", (int64_t)seed);
    json_int(&w, "tiles", nav_climb_set_tiles(set));
    json_int(&w, "triangles", (int64_t)nav_climb_set_triangles(set));
    json_int(&w, "seams", nav_climb_set_seams(set));
    json_int(&w, "parts", nav_climb_set_parts(set));
    json_int(&w, "pairs", a->pairs);
    json_int(&w, "found", a->found);
    json_int(&w, "unreachable", a->unreachable);
    json_int(&w, "wrong_part", a->wrong_part);
    json_int(&w, "too_short", a->too_short);
    json_int(&w, "limited", a->limited);
    json_number(&w, "length_m", a->length_m);
    json_number(&w, "straight_m", a->straight_m);
    json_number(&w, "mean_ratio", a->mean_ratio);
    json_number(&w, "worst_ratio", a->worst_ratio);
    json_number(&w, "off_surface_m", a->off_surface_m);
    json_number(&w, "off_plane_m", a->off_plane_m);
    json_number(&w, "seconds", seconds);
    json_close(&w, '}');
    json_end_line(&w);
}

static int check(const nav_climb_audit *a, double max_unreachable)
{
    double unreachable = a->pairs ? 100.0 * a->unreachable / a->pairs : 0;
    uint32_t wrong = a->wrong_part + a->too_short + a->limited;
    int code = NAVCTL_OK;
    if (wrong) {
        fprintf(stderr, "navctl audit: %u answers are wrong: they contradict the parts, or the straight line\n", wrong);
        code = NAVCTL_EXCEEDED;
    }
    if (unreachable > max_unreachable) {
        fprintf(stderr, "navctl audit: no way between %.2f %% of the pairs, above --max-unreachable %g\n", unreachable,
                max_unreachable);
        code = NAVCTL_EXCEEDED;
    }
    return code;
}

int audit_climb(const char *name, const nav_climb_set *set, uint64_t seed, uint32_t pairs, double max_unreachable,
                bool as_json)
{
    nav_climb_finder *finder = NULL;
    nav_climb_audit a;
    double begin = now_s();
    nav_status s = nav_climb_finder_create(&finder);
    if (s == NAV_OK) s = nav_climb_audit_run(finder, set, seed, pairs, NULL, NULL, &a);
    nav_climb_finder_destroy(finder);
    if (s != NAV_OK) {
        fprintf(stderr, "navctl: %s: %s\n", name, nav_status_text(s));
        return NAVCTL_FAILED;
    }
    if (as_json)
        print_json(set, seed, &a, now_s() - begin);
    else
        print(name, set, &a, now_s() - begin);
    return check(&a, max_unreachable);
}
