// Boundary edges marked by rows of bits are those marked span by span. Built once more for each level of machine
// (core/levels.h), with the source of marking compiled for it.
#include "core/contour/contour_work.h"
#include "core/levels.h"
#include "core/voxel/spans/heightfield.h"
#include "tests/check.h"
#include "tests/core/fixture.h"

#ifndef LEVEL
#define LEVEL NAV_LEVEL_BASE
#endif

static fixture_world world;
static fixture fx;

static contour_work mark(bool plain)
{
    fx.cfg.plain = plain;
    contour_work w = {.f = &fx.field, .region = fx.regions.id, .cfg = &fx.cfg};
    w.sides = nav_arena_take(&fx.arena, (size_t)fx.field.span_count + CONTOUR_PADDING, 1);
    ck_assert_ptr_nonnull(w.sides);
    ck_assert_int_eq(nav_contour_mark_edges(&w, &fx.arena), NAV_OK);
    return w;
}

START_TEST(edges_by_rows_are_the_plain_edges)
{
    static const int32_t sides[] = {20, 48, 54, 60, 64, 118, 130, 200};
    uint32_t seed = 11;
    int64_t edges = 0;
    for (int trial = 0; trial < 80; trial++) {
        int32_t side = sides[trial % 8];
        fixture_world_random(&world, seed + (uint32_t)trial, side + 10, side + 10);
        fixture_init(&fx, &world, 0, 0, side, trial % 3 ? 5 : 2);
        if (trial % 5) fixture_regions_grow(&fx, fixture_random(&seed), 1 + trial % 30);
        for (int32_t s = 0; s < fx.field.span_count; s++)
            if (trial % 2 && fixture_random(&seed) % 50 == 0 && fx.ids[s] > 0) fx.ids[s] = NAV_REGION_NONE;
        ck_assert_int_eq(nav_compact_rows_build(&fx.field, &fx.arena), NAV_OK);
        ck_assert_int_gt(fx.field.rows.ranks, 0);
        contour_work fast = mark(false), plain = mark(true);
        ck_assert_int_eq(fast.edge_count, plain.edge_count);
        for (int32_t s = 0; s < fx.field.span_count + CONTOUR_PADDING; s++)
            ck_assert_msg(fast.sides[s] == plain.sides[s], "trial %d, span %d", trial, s);
        edges += fast.edge_count;
        fixture_deinit(&fx);
    }
    ck_assert_int_gt(edges, 10000);
}
END_TEST

int main(void)
{
    if (!nav_build_at(LEVEL)) return 77; // this machine is not of that level
    Suite *s = suite_create("mark");
    TCase *t = tcase_create("mark");
    tcase_add_test(t, edges_by_rows_are_the_plain_edges);
    suite_add_tcase(s, t);
    return run_suite(s);
}
