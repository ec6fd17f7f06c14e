// Small ones of the bench's scenes of walls and ceilings: what is generated covers what an agent can stand on, once,
// hangs together, and borders agree.
#include "tests/bench/border_check.h"
#include "tests/bench/sheet_cover.h"
#include "tests/bench/sheet_scenes.h"
#include "tests/check.h"

#include "core/tile/tile_format.h"

#include <math.h>

enum { SEEDS = 10 };

static void make(int which, scene *out)
{
    if (which == 0) sheet_scene_room(out, 14);
    if (which == 1) sheet_scene_pipe(out, 30, 4, 3);
    if (which == 2) sheet_scene_torus(out, 10, 4.5);
    if (which == 3) sheet_scene_asteroid(out, 60, 3, 1);
    if (which == 4) sheet_scene_corridor(out, 16, 3);
    if (which == 5) sheet_scene_boxes(out, 4, 7);
    if (which == 6) sheet_scene_escher(out, 18);
}

static nav_settings climber(void)
{
    nav_settings s;
    nav_settings_default(&s);
    s.generator = NAV_GENERATOR_SURFACE;
    s.sheets = NAV_SHEETS_ALL;
    return s;
}

static void check_cover(const scene *s, const char *name)
{
    const generate_options options = {.settings = climber(), .threads = 1, .encoding = GENERATE_NAVD};
    const stand_limits limits = sheet_limits(&options.settings, 4000);
    generated g;
    stand_report r;
    ck_assert(generate(s, &options, &g));
    ck_assert_uint_eq(g.failed, 0);
    ck_assert(sheet_cover(s, &g, &limits, name, NULL, &r));
    ck_assert_uint_gt(r.asked, 500);
    ck_assert_msg(r.recall >= 0.98, "%s: recall %.4f", name, r.recall);
    ck_assert_msg(r.precision >= 0.98, "%s: precision %.4f", name, r.precision);
    ck_assert_msg(r.twice_share <= 0.001, "%s: twice %.4f", name, r.twice_share);
    generated_deinit(&g);
}

START_TEST(what_can_be_stood_on_is_covered_once)
{
    scene s;
    make(_i, &s);
    check_cover(&s, sheet_scene_names[_i]);
    scene_deinit(&s);
}
END_TEST

// Boxes at any angle, in the floor and above it; asteroids and pipes of other shapes.
START_TEST(so_it_is_at_other_angles)
{
    const uint64_t seed = 100 + (uint64_t)_i / 3;
    char name[64];
    scene s;
    snprintf(name, sizeof name, "%s of seed %llu",
             _i % 3 == 0   ? "boxes"
             : _i % 3 == 1 ? "asteroid"
                           : "pipe",
             (unsigned long long)seed);
    if (_i % 3 == 0) sheet_scene_boxes(&s, 4, seed);
    if (_i % 3 == 1) sheet_scene_asteroid(&s, 40, 3, seed);
    if (_i % 3 == 2) sheet_scene_pipe(&s, 30, 4, seed);
    check_cover(&s, name);
    scene_deinit(&s);
}
END_TEST

START_TEST(tiles_of_a_sheet_agree_at_their_borders)
{
    nav_settings settings = climber();
    scene s;
    make(_i, &s);
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        border_report b;
        settings.sheet = (nav_sheet)sheet;
        ck_assert(border_check(&s, &settings, &b));
        ck_assert_uint_eq(b.failed_tiles, 0);
        ck_assert_msg(b.different == 0, "%s, sheet %s: %llu of %llu points differ", sheet_scene_names[_i],
                      nav_sheet_name(settings.sheet), (unsigned long long)b.different, (unsigned long long)b.points);
    }
    scene_deinit(&s);
}
END_TEST

START_TEST(surface_that_hangs_together_is_one_part)
{
    static const int whole[] = {1, 2, 3}; // pipe, torus, asteroid
    const generate_options options = {.settings = climber(), .threads = 1, .encoding = GENERATE_NAVD};
    scene s;
    generated g;
    uint32_t parts, seams;
    make(whole[_i], &s);
    ck_assert(generate(&s, &options, &g));
    ck_assert(sheet_join(&g, (double)options.settings.seam_inner_deg, &parts, &seams));
    ck_assert_msg(parts == 1, "%s: %u parts", sheet_scene_names[whole[_i]], parts);
    ck_assert_uint_gt(seams, 10);
    generated_deinit(&g);
    scene_deinit(&s);
}
END_TEST

// What is made does not depend on how many threads make it.
START_TEST(threads_change_nothing)
{
    generate_options options = {.settings = climber(), .encoding = GENERATE_NAVD};
    scene s;
    generated one, three;
    make(2, &s);
    options.threads = 1;
    ck_assert(generate(&s, &options, &one));
    options.threads = 3;
    ck_assert(generate(&s, &options, &three));
    ck_assert_uint_eq(one.grids.total, three.grids.total);
    for (uint64_t i = 0; i < one.grids.total; i++) {
        ck_assert_uint_eq(one.tiles[i].size, three.tiles[i].size);
        if (one.tiles[i].size) ck_assert_mem_eq(one.tiles[i].bytes, three.tiles[i].bytes, one.tiles[i].size);
    }
    generated_deinit(&one);
    generated_deinit(&three);
    scene_deinit(&s);
}
END_TEST

// --- a world that is turned

typedef struct turn {
    int axis[3]; // of each axis of the turned world: that of the world it comes from
    double sign[3];
} turn;

enum { TURNS = 24 };

static turn turn_of(int which)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int order = which / 4, odd = order == 1 || order == 2 || order == 5;
    turn t;
    for (int k = 0; k < 3; k++) t.axis[k] = orders[order][k];
    t.sign[0] = which & 1 ? -1 : 1;
    t.sign[1] = which & 2 ? -1 : 1;
    t.sign[2] = t.sign[0] * t.sign[1] * (odd ? -1 : 1); // turned, not mirrored
    return t;
}

static void turn_scene(const turn *t, scene *s)
{
    scene_mesh *m = &s->meshes[0];
    float min[3], max[3];
    for (uint32_t i = 0; i < m->vert_count; i++) {
        float *p = m->verts + 3 * (size_t)i;
        const float was[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++) p[k] = (float)t->sign[k] * was[t->axis[k]];
    }
    for (int k = 0; k < 3; k++) {
        const float low = s->min[t->axis[k]], high = s->max[t->axis[k]];
        min[k] = t->sign[k] > 0 ? low : -high;
        max[k] = t->sign[k] > 0 ? high : -low;
    }
    for (int k = 0; k < 3; k++) {
        s->min[k] = min[k];
        s->max[k] = max[k];
    }
}

// The sheet that what was of `s` is of.
static nav_sheet turn_sheet(const turn *t, nav_sheet s)
{
    double up[3] = {0, 1, 0}, turned[3];
    nav_sheet_to_world(s, up, up);
    for (int k = 0; k < 3; k++) turned[k] = t->sign[k] * up[t->axis[k]];
    return nav_sheet_of_normal(turned);
}

static int64_t places_in_any_order(const generated *g, const turn *back)
{
    int64_t sum = 0; // of numbers of places that turning brings into one another, in any order
    for (uint64_t i = 0; i < g->grids.total; i++) {
        nav_tile_view v;
        if (!g->tiles[i].bytes) continue;
        ck_assert_int_eq(nav_tile_open(g->tiles[i].bytes, g->tiles[i].size, &v, NULL, 0), NAV_OK);
        for (uint32_t k = 0; k < v.vert_count; k++) {
            float at[3];
            int64_t q[3];
            nav_tile_get_place(&v, k, at);
            for (int a = 0; a < 3; a++) q[back->axis[a]] = llround(back->sign[a] * (double)at[a] * 100);
            sum += q[0] * q[0] * 7 + q[1] * q[1] * 11 + q[2] * q[2] * 13 + q[0] * q[1] * 17 + q[1] * q[2] * 19 +
                   q[0] * 23 + q[1] * 29 + q[2] * 31;
        }
    }
    return sum;
}

typedef struct turned_pair {
    generated one, turned;
    turn t;
} turned_pair;

static void make_pair(int which, int turned, turned_pair *p)
{
    const generate_options options = {.settings = climber(), .threads = 1, .encoding = GENERATE_NAVD};
    scene s;
    p->t = turn_of(turned);
    make(which, &s);
    ck_assert(generate(&s, &options, &p->one));
    turn_scene(&p->t, &s);
    ck_assert(generate(&s, &options, &p->turned));
    scene_deinit(&s);
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        const generated_sheet *a = &p->one.sheets[sheet];
        const generated_sheet *b = &p->turned.sheets[turn_sheet(&p->t, (nav_sheet)sheet)];
        ck_assert_uint_eq(a->filled, b->filled);
        // Of axes equally near to a thousandth the first in order counts, so a triangle may look a little smaller.
        ck_assert_double_eq_tol(a->area_m2, b->area_m2, 0.001 * a->area_m2 + 0.01);
    }
}

static void free_pair(turned_pair *p)
{
    generated_deinit(&p->one);
    generated_deinit(&p->turned);
}

// Of scenes without surface at 45 degrees, where the sheet is decided by the order of the axes.
START_TEST(a_turned_world_has_the_same_cells_turned)
{
    static const int which[] = {0, 5, 6}; // room, boxes, escher
    const turn none = turn_of(0);
    turned_pair p;
    make_pair(which[_i / TURNS], _i % TURNS, &p);
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        const generated_sheet *a = &p.one.sheets[sheet];
        const generated_sheet *b = &p.turned.sheets[turn_sheet(&p.t, (nav_sheet)sheet)];
        ck_assert_uint_eq(a->cells, b->cells);
        ck_assert_uint_eq(a->polys, b->polys);
    }
    ck_assert_int_eq(places_in_any_order(&p.one, &none), places_in_any_order(&p.turned, &p.t));
    free_pair(&p);
}
END_TEST

// Of curved surface the same is covered by each sheet. Where several cuts into as few cells are equally good, a turn
// within the sheet may choose another.
START_TEST(a_turned_torus_is_covered_as_before)
{
    turned_pair p;
    make_pair(2, _i, &p);
    ck_assert_double_eq_tol((double)p.one.cells, (double)p.turned.cells, 0.02 * (double)p.one.cells);
    free_pair(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sheet scenes");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, what_can_be_stood_on_is_covered_once, 0, SHEET_SCENES);
    tcase_add_loop_test(t, so_it_is_at_other_angles, 0, 3 * SEEDS);
    tcase_add_loop_test(t, tiles_of_a_sheet_agree_at_their_borders, 0, SHEET_SCENES);
    tcase_add_loop_test(t, surface_that_hangs_together_is_one_part, 0, 3);
    tcase_add_test(t, threads_change_nothing);
    tcase_add_loop_test(t, a_turned_world_has_the_same_cells_turned, 0, 3 * TURNS);
    tcase_add_loop_test(t, a_turned_torus_is_covered_as_before, 0, TURNS);
    suite_add_tcase(s, t);
    return run_suite(s);
}
