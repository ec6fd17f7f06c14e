// A block of tiles that is looked at as a whole has, tile for tile, the key and the objects that a view of each has: of
// floors, walls and ceilings, with volumes, include volumes and links, after edits, and of blocks below zero.
#include "core/geometry/tile_source.h"
#include "daemon/base/thread.h"
#include "daemon/work/link_job.h"
#include "daemon/world/block.h"
#include "daemon/world/profile_change.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static nd_world *w;
static nd_mesh_store meshes;
static nd_namespace space;
static nav_key crate;
static nd_world_limits limits;
static uint32_t random_state;

static float random_in(float low, float high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) / (float)(1u << 24);
}

static void add_profile(const char *name, uint32_t sheets)
{
    np_profile p = {.name = np_str_of(name)};
    np_error err;
    nav_settings_default(&p.settings);
    p.settings.cell_size_m = 0.5f;
    p.settings.tile_cells = 20; // 10 m
    p.settings.generator = sheets == NAV_SHEETS_UP ? NAV_GENERATOR_VOXEL : NAV_GENERATOR_SURFACE;
    p.settings.sheets = sheets;
    p.settings.sheet = nav_sheets_first(sheets);
    const nav_status s = nd_world_add_profiles(w, &p, 1, &limits, 0, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
}

static void start(void)
{
    static const float verts[24] = {-1, -1, -1, 1, -1, -1, 1, -1, 1, -1, -1, 1, -1, 1, -1, 1, 1, -1, 1, 1, 1, -1, 1, 1};
    static const uint32_t tris[36] = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 5, 0, 5, 1,
                                      1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    static const double origin[3] = {1, 2.5, -4};
    nav_mesh *m;
    nd_mesh *kept;
    nd_thread_set_loop(true);
    random_state = 1;
    limits = nd_world_no_limits;
    nd_mesh_store_init(&meshes, 1 << 20);
    ck_assert_int_eq(nav_mesh_create(verts, 8, tris, 12, &m), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&meshes, m, &kept), NAV_OK);
    ck_assert_int_eq(nd_mesh_show(kept, &space), NAV_OK);
    crate = kept->mesh->hash;
    ck_assert_int_eq(nd_world_create(1, &space, np_str_of("w"), origin, &w), NAV_OK);
    add_profile("walker", NAV_SHEETS_UP);
    add_profile("climber", NAV_SHEETS_ALL);
}

static void stop(void)
{
    nd_world_destroy(w);
    nd_mesh_store_deinit(&meshes);
}

static void edit(const np_op *op)
{
    uint32_t dirty;
    np_error err = {.message = ""};
    const np_world_edit_request r = {.world = 1, .op_count = 1, .ops = op};
    ck_assert_msg(nd_world_edit(w, &meshes, &limits, NULL, &r, 0, &dirty, &err) == NAV_OK, "%s", err.message);
}

static void put_crate(uint64_t id)
{
    np_op op = {.kind = NP_OP_PUT_INSTANCE, .id = id, .u.instance = {.mesh = crate, .area = 63}};
    const float size = random_in(0.2f, 9);
    for (int k = 0; k < 3; k++) {
        op.u.instance.transform[5 * k] = size;
        op.u.instance.transform[4 * k + 3] = random_in(-90, 90);
    }
    edit(&op);
}

static void put_volume(uint64_t id, bool include)
{
    np_op op = {.kind = NP_OP_PUT_VOLUME, .id = id};
    const float x = random_in(-90, 90), z = random_in(-90, 90), side = random_in(1, include ? 90 : 20);
    const float points[6] = {x, z, x + side, z, x, z + side};
    op.u.volume =
        (nav_volume){.min_y = -50, .max_y = 50, .point_count = 3, .area = include ? 0 : 7, .include = include};
    memcpy(op.u.volume.points, points, sizeof points);
    edit(&op);
}

static void put_link(uint64_t id)
{
    np_op op = {.kind = NP_OP_PUT_LINK, .id = id};
    op.u.link = (nav_link){.id = (uint32_t)id, .radius_m = 0.5f, .area = 5, .flags = 1};
    for (int k = 0; k < 3; k++) op.u.link.end[k] = 1 + (op.u.link.start[k] = random_in(-90, 90));
    edit(&op);
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(nav_key));
}

// The same instances, in whatever order.
static void check_instances(const nd_view *a, const nd_view *b)
{
    ck_assert_uint_eq(a->source.instance_count, b->source.instance_count);
    const uint32_t n = a->source.instance_count;
    nav_key *keys = calloc(2 * (size_t)n + 1, sizeof *keys);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = nav_instance_key(&a->source.instances[i]);
        keys[n + i] = nav_instance_key(&b->source.instances[i]);
        ck_assert(nav_key_equal(keys[n + i], b->keys[i]));
        ck_assert_ptr_eq(b->meshes[i]->mesh, b->source.instances[i].mesh);
    }
    qsort(keys, n, sizeof *keys, compare_keys);
    qsort(keys + n, n, sizeof *keys, compare_keys);
    ck_assert_mem_eq(keys, keys + n, n * sizeof *keys);
    free(keys);
}

static void check_tile(nd_block *b, uint32_t tile, uint32_t profile, unsigned *full)
{
    nd_view v = {.status = NAV_OK}, of_block = {.status = NAV_OK};
    nd_block_tile is;
    const int32_t x = b->x + (int32_t)(tile % b->columns), z = b->z + (int32_t)(tile / b->columns);
    ck_assert_int_eq(nd_view_collect(&v, w, profile, x, z), NAV_OK);
    const bool has = nd_block_look(b, tile, &is);
    ck_assert_int_eq(has, v.source.instance_count > 0);
    if (has) {
        nav_key whole = nav_tile_source_key(&v.source), bare = whole;
        ck_assert_int_eq(is.linked, nd_links_bare_key(&v, &bare));
        ck_assert(nav_key_equal(is.whole, whole));
        ck_assert(nav_key_equal(is.bare, bare));
        ck_assert(!is.lost);
        ck_assert_int_eq(nd_block_view(b, tile, &of_block), NAV_OK);
        check_instances(&v, &of_block);
        ck_assert_uint_eq(of_block.source.volume_count, v.source.volume_count);
        ck_assert_uint_eq(of_block.source.link_count, 0);
        ck_assert_int_eq(of_block.source.bounded, v.source.bounded);
        ck_assert(nav_key_equal(nav_tile_source_key(&of_block.source), bare));
        *full += 1;
    }
    nd_view_deinit(&v);
    nd_view_deinit(&of_block);
}

static void check_blocks(nd_block *b)
{
    unsigned full = 0;
    for (uint32_t profile = 0; profile < w->profile_count; profile++)
        for (int k = 0; k < 4; k++) {
            const int32_t x = k % 2 ? 0 : -ND_BLOCK_SIDE, z = k / 2 ? 0 : -ND_BLOCK_SIDE;
            ck_assert_int_eq(nd_block_collect(b, w, profile, x, z, ND_BLOCK_SIDE, ND_BLOCK_SIDE), NAV_OK);
            for (uint32_t i = 0; i < ND_BLOCK_SIDE * ND_BLOCK_SIDE; i++) check_tile(b, i, profile, &full);
        }
    ck_assert_uint_gt(full, 100);
}

START_TEST(a_block_is_what_its_tiles_are)
{
    nd_block b = {.columns = 0};
    for (uint64_t id = 1; id <= 40; id++) put_crate(id);
    check_blocks(&b);
    for (uint64_t id = 1; id <= 10; id++) put_volume(id, false);
    for (uint64_t id = 1; id <= 20; id++) put_link(id);
    check_blocks(&b);
    for (uint64_t id = 1; id <= 20; id++) put_crate(id); // elsewhere
    put_volume(11, true);
    put_volume(12, true);
    check_blocks(&b);
    nd_block_deinit(&b);
}
END_TEST

START_TEST(a_block_of_an_empty_world_is_empty)
{
    nd_block b = {.columns = 0};
    nd_block_tile is;
    ck_assert_int_eq(nd_block_collect(&b, w, 0, 0, 0, 3, 2), NAV_OK);
    for (uint32_t i = 0; i < 6; i++) ck_assert(!nd_block_look(&b, i, &is));
    ck_assert(nav_key_is_zero(b.anchor));
    nd_block_deinit(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("blocks");
    TCase *t = tcase_create("blocks");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_block_is_what_its_tiles_are);
    tcase_add_test(t, a_block_of_an_empty_world_is_empty);
    suite_add_tcase(s, t);
    return run_suite(s);
}
