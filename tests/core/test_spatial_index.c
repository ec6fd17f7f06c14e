#include "core/geometry/spatial_index.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double random_in(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next_random(state) >> 11) / 9007199254740992.0);
}

// Mostly small boxes, some of every size up to the whole world and beyond.
static nav_box_xz random_box(uint64_t *state)
{
    double side = ldexp(random_in(state, 0.5, 1), (int)(next_random(state) % 12) - 2);
    if (next_random(state) % 64 == 0) side = 1e15 * random_in(state, 0, 1);
    double x = random_in(state, -500, 500), z = random_in(state, -500, 500);
    return (nav_box_xz){{x, z}, {x + side * random_in(state, 0, 1), z + side}};
}

enum { IDS = 400 };

typedef struct truth {
    bool present[IDS];
    nav_box_xz box[IDS];
    int seen[IDS];
} truth;

static bool mark(void *user, uint64_t id, const nav_box_xz *box)
{
    truth *t = user;
    if (id >= IDS || memcmp(box, &t->box[id], sizeof *box)) ck_abort_msg("visited with a wrong id or box");
    t->seen[id]++;
    return true;
}

static void compare(const nav_spatial_index *s, truth *t, const nav_box_xz *query)
{
    memset(t->seen, 0, sizeof t->seen);
    nav_spatial_index_query(s, query, mark, t);
    for (int i = 0; i < IDS; i++) {
        int want = t->present[i] && nav_box_xz_touch(&t->box[i], query);
        if (t->seen[i] != want) ck_abort_msg("item %d seen %d times, expected %d", i, t->seen[i], want);
    }
}

START_TEST(queries_find_what_a_linear_search_finds_through_random_changes)
{
    nav_spatial_index s;
    nav_spatial_index_init(&s, 4);
    truth t = {0};
    uint64_t state = 88172645463325252u;
    for (int step = 0; step < 20000; step++) {
        uint64_t id = next_random(&state) % IDS;
        nav_box_xz box = random_box(&state);
        nav_status status;
        switch (next_random(&state) % 4) {
        case 0:
            status = nav_spatial_index_insert(&s, id, &box);
            ck_assert_int_eq(status, t.present[id] ? NAV_ERR_EXISTS : NAV_OK);
            if (status == NAV_OK) {
                t.present[id] = true;
                t.box[id] = box;
            }
            break;
        case 1:
            status = nav_spatial_index_remove(&s, id);
            ck_assert_int_eq(status, t.present[id] ? NAV_OK : NAV_ERR_NOT_FOUND);
            t.present[id] = false;
            break;
        default:
            status = nav_spatial_index_move(&s, id, &box);
            ck_assert_int_eq(status, t.present[id] ? NAV_OK : NAV_ERR_NOT_FOUND);
            if (status == NAV_OK) t.box[id] = box;
        }
        if (step % 4 == 0) {
            nav_box_xz query = random_box(&state);
            compare(&s, &t, &query);
        }
    }
    for (uint64_t id = 0; id < IDS; id++) {
        const nav_box_xz *b = nav_spatial_index_find(&s, id);
        ck_assert_int_eq(b != NULL, t.present[id]);
        if (b) ck_assert_mem_eq(b, &t.box[id], sizeof *b);
    }
    nav_spatial_index_deinit(&s);
}
END_TEST

START_TEST(boxes_on_bucket_borders_and_points_are_found)
{
    nav_spatial_index s;
    nav_spatial_index_init(&s, 1);
    truth t = {0};
    for (int i = 0; i < 100; i++) {
        double x = i % 10 - 5, z = i / 10 - 5;
        t.box[i] = (nav_box_xz){{x, z}, {x + (i % 3), z + (i % 2)}};
        t.present[i] = true;
        ck_assert_int_eq(nav_spatial_index_insert(&s, (uint64_t)i, &t.box[i]), NAV_OK);
    }
    for (int x = -7; x < 8; x++)
        for (int z = -7; z < 8; z++) {
            nav_box_xz point = {{x, z}, {x, z}}, square = {{x, z}, {x + 1, z + 1}};
            compare(&s, &t, &point);
            compare(&s, &t, &square);
        }
    nav_spatial_index_deinit(&s);
}
END_TEST

START_TEST(places_far_beyond_the_grid_are_still_told_apart)
{
    nav_spatial_index s;
    nav_spatial_index_init(&s, 1);
    truth t = {0};
    for (int i = 0; i < 40; i++) {
        double x = ldexp(i % 2 ? 1 : -1, i * 6);
        t.box[i] = (nav_box_xz){{x, -x}, {x, -x}};
        t.present[i] = true;
        ck_assert_int_eq(nav_spatial_index_insert(&s, (uint64_t)i, &t.box[i]), NAV_OK);
    }
    for (int i = 0; i < 40; i++) compare(&s, &t, &t.box[i]);
    nav_box_xz all = {{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    compare(&s, &t, &all);
    nav_spatial_index_deinit(&s);
}
END_TEST

START_TEST(boxes_that_are_not_finite_or_inside_out_are_refused)
{
    nav_spatial_index s;
    nav_spatial_index_init(&s, 1);
    nav_box_xz nan_box = {{NAN, 0}, {1, 1}}, inf_box = {{0, 0}, {INFINITY, 1}}, inverted = {{1, 0}, {0, 1}};
    nav_box_xz good = {{0, 0}, {1, 1}};
    ck_assert_int_eq(nav_spatial_index_insert(&s, 1, &nan_box), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_spatial_index_insert(&s, 1, &inf_box), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_spatial_index_insert(&s, 1, &inverted), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_spatial_index_insert(&s, 1, &good), NAV_OK);
    ck_assert_int_eq(nav_spatial_index_move(&s, 1, &nan_box), NAV_ERR_ARGUMENT);
    ck_assert_mem_eq(nav_spatial_index_find(&s, 1), &good, sizeof good);
    nav_spatial_index_deinit(&s);
}
END_TEST

START_TEST(a_reservation_makes_inserts_need_no_memory)
{
    nav_spatial_index s;
    nav_spatial_index_init(&s, 1);
    ck_assert_int_eq(nav_spatial_index_reserve(&s, 1000), NAV_OK);
    nav_spatial_item *items = s.items;
    uint32_t capacity = s.capacity;
    for (uint64_t i = 0; i < 1000; i++) {
        nav_box_xz b = {{(double)i, 0}, {(double)i, 0}};
        ck_assert_int_eq(nav_spatial_index_insert(&s, i, &b), NAV_OK);
    }
    ck_assert_ptr_eq(s.items, items);
    ck_assert_uint_eq(s.capacity, capacity);
    ck_assert_int_eq(nav_spatial_index_reserve(&s, UINT32_MAX), NAV_ERR_LIMIT);
    uint64_t ids[8];
    nav_box_xz q = {{10, 0}, {29, 0}};
    ck_assert_uint_eq(nav_spatial_index_collect(&s, &q, ids, 8), 20);
    nav_spatial_index_deinit(&s);
}
END_TEST

static bool count_until_three(void *user, uint64_t id, const nav_box_xz *box)
{
    (void)id, (void)box;
    return ++*(int *)user < 3;
}

START_TEST(a_visitor_ends_its_query)
{
    nav_spatial_index s;
    nav_spatial_index_init(&s, 1);
    nav_box_xz b = {{0, 0}, {1, 1}};
    for (uint64_t i = 0; i < 10; i++) ck_assert_int_eq(nav_spatial_index_insert(&s, i, &b), NAV_OK);
    int visited = 0;
    nav_spatial_index_query(&s, &b, count_until_three, &visited);
    ck_assert_int_eq(visited, 3);
    nav_spatial_index_deinit(&s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("spatial_index");
    TCase *t = tcase_create("spatial_index");
    suite_add_tcase(s, t);
    tcase_add_test(t, queries_find_what_a_linear_search_finds_through_random_changes);
    tcase_add_test(t, boxes_on_bucket_borders_and_points_are_found);
    tcase_add_test(t, places_far_beyond_the_grid_are_still_told_apart);
    tcase_add_test(t, boxes_that_are_not_finite_or_inside_out_are_refused);
    tcase_add_test(t, a_reservation_makes_inserts_need_no_memory);
    tcase_add_test(t, a_visitor_ends_its_query);
    return run_suite(s);
}
