// A worker that has seen the largest of its tiles takes nothing from the heap for the next ones, but for the finished
// tile itself, which goes where the last one was.
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/bench/heap_count.h"
#include "tests/check.h"
#include "tests/golden/worlds.h"

static void build_all(const golden_world *w, nav_arena *arena, nav_buffer *bytes)
{
    for (int32_t i = 0; i < w->tiles_x * w->tiles_z; i++) {
        nav_tile_source source = golden_world_source(w, i % w->tiles_x, i / w->tiles_x);
        nav_tile tile;
        nav_arena_reset(arena);
        ck_assert_int_eq(nav_build_tile(&source, NULL, NULL, arena, &tile), NAV_OK);
        bytes->size = 0;
        ck_assert_int_eq(nav_tile_encode(&tile, bytes), NAV_OK);
        bytes->size = 0;
        ck_assert_int_eq(nav_detour_encode(&tile, bytes), NAV_OK);
    }
}

START_TEST(a_warm_worker_takes_nothing_from_the_heap)
{
    golden_world w;
    nav_arena arena;
    nav_buffer bytes = {0};
    golden_world_init(&w, _i);
    nav_arena_init(&arena, 0);
    heap_count cold = heap_count_now();
    build_all(&w, &arena, &bytes);
    nav_arena_reset(&arena); // joins its blocks
    heap_count warm = heap_count_now();
    build_all(&w, &arena, &bytes);
    heap_count after = heap_count_now();
    if (heap_count_works()) {
        ck_assert_uint_gt(warm.calls, cold.calls);
        ck_assert_uint_eq(after.bytes, warm.bytes);
        ck_assert_uint_eq(after.calls, warm.calls);
    }
    ck_assert_uint_lt(arena.peak_bytes, 8 << 20);
    nav_buffer_deinit(&bytes);
    nav_arena_deinit(&arena);
    golden_world_deinit(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("heap");
    TCase *t = tcase_create("heap");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, a_warm_worker_takes_nothing_from_the_heap, 0, GOLDEN_WORLD_COUNT);
    return run_suite(s);
}
