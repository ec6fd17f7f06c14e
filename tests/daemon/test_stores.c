// The cache, the mesh store and the table under both.
#include "daemon/base/thread.h"
#include "daemon/cache/cache.h"
#include "daemon/world/mesh_store.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static void start(void)
{
    nd_thread_set_loop(true);
}

static nav_key key(uint64_t n)
{
    return (nav_key){n, ~n};
}

static nd_cached value(size_t bytes, uint64_t content)
{
    nd_cached v = {.status = NP_TILE_OK, .content_key = key(content), .blob = nd_blob_create(bytes), .size = 2 * bytes};
    ck_assert_ptr_nonnull(v.blob);
    memset(v.blob->data, (int)content, bytes);
    return v;
}

static void put(nd_cache *c, uint64_t source, np_encoding e, size_t bytes)
{
    nd_cached v = value(bytes, source);
    nd_cache_put(c, key(source), e, &v);
    nd_blob_unref(v.blob);
}

START_TEST(the_cache_keeps_encodings_of_one_source_apart)
{
    nd_cache c;
    nd_cache_init(&c, 1 << 20);
    put(&c, 1, NP_ENCODING_NAVD, 10);
    ck_assert_ptr_nonnull(nd_cache_get(&c, key(1), NP_ENCODING_NAVD));
    ck_assert_ptr_null(nd_cache_get(&c, key(1), NP_ENCODING_DETOUR));
    ck_assert_ptr_null(nd_cache_get(&c, key(2), NP_ENCODING_NAVD));
    nd_cache_deinit(&c);
}
END_TEST

START_TEST(the_cache_never_exceeds_its_budget_and_drops_the_least_recently_used)
{
    nd_cache c;
    nd_cache_init(&c, 10000);
    for (uint64_t i = 0; i < 5; i++) put(&c, i, NP_ENCODING_NAVD, 1500);
    ck_assert_uint_eq(c.evicted_count, 0);
    ck_assert_ptr_nonnull(nd_cache_get(&c, key(0), NP_ENCODING_NAVD)); // 1 is the oldest now
    for (uint64_t i = 5; i < 8; i++) {
        put(&c, i, NP_ENCODING_NAVD, 1500);
        ck_assert_uint_le(c.bytes, 10000);
    }
    ck_assert_ptr_nonnull(nd_cache_get(&c, key(0), NP_ENCODING_NAVD));
    ck_assert_ptr_null(nd_cache_get(&c, key(1), NP_ENCODING_NAVD));
    ck_assert_ptr_nonnull(nd_cache_get(&c, key(7), NP_ENCODING_NAVD));
    nd_cache_deinit(&c);
}
END_TEST

START_TEST(a_value_larger_than_the_cache_is_not_kept_and_pushes_nothing_out)
{
    nd_cache c;
    nd_cache_init(&c, 5000);
    put(&c, 1, NP_ENCODING_NAVD, 1000);
    put(&c, 2, NP_ENCODING_NAVD, 6000);
    ck_assert_ptr_nonnull(nd_cache_get(&c, key(1), NP_ENCODING_NAVD));
    ck_assert_ptr_null(nd_cache_get(&c, key(2), NP_ENCODING_NAVD));
    nd_cache_deinit(&c);
    nd_cache_init(&c, 0);
    put(&c, 1, NP_ENCODING_NAVD, 0);
    ck_assert_uint_eq(c.bytes, 0);
    nd_cache_deinit(&c);
}
END_TEST

START_TEST(bytes_live_on_while_someone_holds_them)
{
    nd_cache c;
    nd_cache_init(&c, 4000);
    put(&c, 1, NP_ENCODING_NAVD, 2000);
    nd_blob *held = nd_blob_ref(nd_cache_get(&c, key(1), NP_ENCODING_NAVD)->blob);
    put(&c, 2, NP_ENCODING_NAVD, 3000); // pushes 1 out
    ck_assert_ptr_null(nd_cache_get(&c, key(1), NP_ENCODING_NAVD));
    ck_assert_uint_eq(held->data[1999], 1);
    nd_blob_unref(held);
    nd_cache_deinit(&c);
}
END_TEST

START_TEST(an_entry_may_be_replaced_by_the_bytes_it_holds)
{
    nd_cache c;
    nd_cache_init(&c, 4000);
    put(&c, 1, NP_ENCODING_NAVD, 2000);
    nd_cached same = *nd_cache_get(&c, key(1), NP_ENCODING_NAVD);
    nd_cache_put(&c, key(1), NP_ENCODING_NAVD, &same);
    nd_cache_put(&c, key(2), NP_ENCODING_NAVD, &same); // too much together: 1 goes, the bytes stay
    ck_assert_uint_eq(nd_cache_get(&c, key(2), NP_ENCODING_NAVD)->blob->data[0], 1);
    ck_assert_uint_le(c.bytes, 4000);
    nd_cache_deinit(&c);
}
END_TEST

static nav_mesh *triangle(float size)
{
    const float verts[9] = {0, 0, 0, size, 0, 0, 0, 0, size};
    const uint32_t tris[3] = {0, 2, 1};
    nav_mesh *m;
    ck_assert_int_eq(nav_mesh_create(verts, 3, tris, 1, &m), NAV_OK);
    return m;
}

START_TEST(meshes_of_equal_content_are_one)
{
    nd_mesh_store s;
    nd_mesh *a, *b, *c;
    nd_mesh_store_init(&s, 1 << 20);
    ck_assert_int_eq(nd_mesh_store_add(&s, triangle(1), &a), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&s, triangle(1), &b), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&s, triangle(2), &c), NAV_OK);
    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_ne(a, c);
    ck_assert_uint_eq(s.bytes, a->mesh->bytes + c->mesh->bytes);
    ck_assert_ptr_eq(nd_mesh_store_find(&s, &c->mesh->hash), c);
    nd_mesh_store_deinit(&s);
}
END_TEST

START_TEST(the_mesh_store_makes_room_by_unused_meshes_only)
{
    nd_mesh_store s;
    nd_mesh *used, *m;
    nav_mesh *first = triangle(1);
    nd_mesh_store_init(&s, 3 * first->bytes);
    nav_key first_hash = first->hash;
    ck_assert_int_eq(nd_mesh_store_add(&s, first, &used), NAV_OK);
    nd_mesh_ref(used);
    for (int i = 2; i < 10; i++) {
        ck_assert_int_eq(nd_mesh_store_add(&s, triangle((float)i), &m), NAV_OK);
        ck_assert_uint_le(s.bytes, s.max_bytes);
    }
    ck_assert_ptr_eq(nd_mesh_store_find(&s, &first_hash), used);
    ck_assert_uint_eq(s.table.count, 3);
    ck_assert_uint_eq(s.evicted_count, 6);
    nd_mesh_unref(used);
    nd_mesh_store_deinit(&s);
}
END_TEST

START_TEST(a_mesh_store_full_of_used_meshes_says_so_and_keeps_them)
{
    nd_mesh_store s;
    nd_mesh *used[2], *m;
    nav_mesh *first = triangle(1);
    nd_mesh_store_init(&s, 2 * first->bytes);
    ck_assert_int_eq(nd_mesh_store_add(&s, first, &used[0]), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&s, triangle(2), &used[1]), NAV_OK);
    for (int i = 0; i < 2; i++) nd_mesh_ref(used[i]);
    ck_assert_int_eq(nd_mesh_store_add(&s, triangle(3), &m), NAV_ERR_LIMIT);
    ck_assert_uint_eq(s.table.count, 2);
    nd_mesh_store_deinit(&s); // the holders' references outlive the store
    ck_assert_uint_eq(used[0]->mesh->tri_count, 1);
    float corners[3][3];
    for (int c = 0; c < 3; c++) nav_mesh_corner(used[0]->mesh, 0, c, corners[c]);
    ck_assert_float_eq(corners[0][0] + corners[1][0] + corners[2][0], 1);
    for (int i = 0; i < 2; i++) nd_mesh_unref(used[i]);
}
END_TEST

typedef struct item {
    nd_node node;
    uint64_t id;
} item;

static void count_item(void *user, nd_node *n)
{
    (void)n;
    ++*(size_t *)user;
}

START_TEST(the_table_finds_what_it_holds_through_growth_and_removal)
{
    enum { N = 3000 };
    static item items[N];
    nd_table t = {0};
    ck_assert_ptr_null(nd_table_first(&t, 5));
    for (uint64_t i = 0; i < N; i++) {
        items[i].id = i;
        ck_assert_int_eq(nd_table_reserve(&t, 1), NAV_OK);
        nd_table_insert(&t, &items[i].node, i / 3); // three to a hash
    }
    for (uint64_t i = 0; i < N; i += 2) nd_table_remove(&t, &items[i].node);
    size_t found = 0, counted = 0;
    for (uint64_t h = 0; h < N / 3; h++)
        for (nd_node *n = nd_table_first(&t, h); n; n = nd_table_next(n), found++)
            if (ND_HOLDER(n, item, node)->id / 3 != h || ND_HOLDER(n, item, node)->id % 2 == 0) ck_abort();
    nd_table_each(&t, count_item, &counted);
    ck_assert_uint_eq(found, N / 2);
    ck_assert_uint_eq(counted, N / 2);
    nd_table_deinit(&t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stores");
    TCase *t = tcase_create("stores");
    tcase_add_checked_fixture(t, start, NULL);
    suite_add_tcase(s, t);
    tcase_add_test(t, the_cache_keeps_encodings_of_one_source_apart);
    tcase_add_test(t, the_cache_never_exceeds_its_budget_and_drops_the_least_recently_used);
    tcase_add_test(t, a_value_larger_than_the_cache_is_not_kept_and_pushes_nothing_out);
    tcase_add_test(t, bytes_live_on_while_someone_holds_them);
    tcase_add_test(t, an_entry_may_be_replaced_by_the_bytes_it_holds);
    tcase_add_test(t, meshes_of_equal_content_are_one);
    tcase_add_test(t, the_mesh_store_makes_room_by_unused_meshes_only);
    tcase_add_test(t, a_mesh_store_full_of_used_meshes_says_so_and_keeps_them);
    tcase_add_test(t, the_table_finds_what_it_holds_through_growth_and_removal);
    return run_suite(s);
}
