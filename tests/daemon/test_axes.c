// Axes and units of a session: one client counts in metres with Y up, the other in centimetres with Z up, and they work
// on the same worlds. What the conversion itself does is in tests/protocol/test_axes_conversion.c.
#include "core/base/endian.h"
#include "daemon/delivery/subscription.h"
#include "daemon/service/service.h"
#include "tests/check.h"
#include "tests/daemon/sync_fixture.h"

#include <math.h>
#include <string.h>

static const np_axes centimetres = {.up = NP_UP_Z, .has_unit = true, .unit_m = 0.01};
static client b; // centimetres, Z up
static nav_key floor_m, floor_cm, box_m, box_cm;

static np_world_open_response open_world(client *c, const char *name, np_axes axes)
{
    static np_world_open_response opened;
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    const np_world_open_request open = {
        .name = np_str_of(name), .create = true, .profile_count = 1, .profiles = &walker, .axes = axes};
    np_error err;
    nav_status s = client_call(c, NP_WORLD_OPEN, &open, &opened, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    c->world = opened.world;
    return opened;
}

static void setup(void)
{
    fixture_start(&daemon_, NULL);
    sync_begin();
    client_connect(&b, &daemon_);
    client_greet(&b);
    open_world(&b, "w", centimetres);
    floor_m = client_put_box(&a, 12, 0.5f, 12);
    floor_cm = client_put_box(&a, 1200, 1200, 50);
    box_m = client_put_box(&a, 1, 1, 2);
    box_cm = client_put_box(&a, 100, 200, 100);
}

static void teardown(void)
{
    client_close(&b);
    client_close(&a);
    fixture_stop(&daemon_);
}

// The same level for both kinds of client: a floor, a turned box, a volume, a link, seeds.
static const np_seed seed_m = {{-8, 0, 6}}, seed_cm = {{-800, -600, 0}};
#define S 0.70710678f
static uint32_t level_in_metres(np_op ops[8])
{
    ops[0] = op_put(1, floor_m, 0, -0.5f, 0);
    ops[1] = op_put(2, box_m, 4, 1, -6);
    const float turned[12] = {S, 0, S, 4, 0, 1, 0, 1, -S, 0, S, -6}; // about Y
    memcpy(ops[1].u.instance.transform, turned, sizeof turned);
    ops[2] =
        (np_op){.kind = NP_OP_PUT_VOLUME,
                .id = 1,
                .u.volume = {.point_count = 3, .points = {-8, -8, -4, -8, -4, -2}, .min_y = -1, .max_y = 2, .area = 7}};
    ops[3] =
        (np_op){.kind = NP_OP_PUT_LINK,
                .id = 1,
                .u.link = {.id = 1, .start = {2, 0, 2}, .end = {6, 0, 8}, .radius_m = 0.5f, .area = 5, .flags = 1}};
    ops[4] = (np_op){.kind = NP_OP_SET_REACH,
                     .u.reach = {.unreachable = NAV_UNREACHABLE_FLAG, .seed_count = 1, .seeds = &seed_m}};
    return 5;
}

static uint32_t level_in_centimetres(np_op ops[8])
{
    ops[0] = op_put(1, floor_cm, 0, 0, -50);
    ops[1] = op_put(2, box_cm, 0, 0, 0);
    const float turned[12] = {S, -S, 0, 400, S, S, 0, 600, 0, 0, 1, 100}; // about Z
    memcpy(ops[1].u.instance.transform, turned, sizeof turned);
    ops[2] = (np_op){
        .kind = NP_OP_PUT_VOLUME,
        .id = 1,
        .u.volume = {
            .point_count = 3, .points = {-800, 800, -400, 800, -400, 200}, .min_y = -100, .max_y = 200, .area = 7}};
    ops[3] = (np_op){
        .kind = NP_OP_PUT_LINK,
        .id = 1,
        .u.link = {.id = 1, .start = {200, -200, 0}, .end = {600, -800, 0}, .radius_m = 0.5f, .area = 5, .flags = 1}};
    ops[4] = (np_op){.kind = NP_OP_SET_REACH,
                     .u.reach = {.unreachable = NAV_UNREACHABLE_FLAG, .seed_count = 1, .seeds = &seed_cm}};
    return 5;
}

static void edit(client *c, const np_op *ops, uint32_t count)
{
    np_error err;
    nav_status s = client_edit(c, ops, count, NULL, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
}

// Tiles of both clients' worlds, byte by byte.
static void check_same_tiles(size_t least)
{
    size_t ok = 0, from_a = a.tile_count, from_b = b.tile_count;
    client_settle(&a);
    client_settle(&b);
    client_subscribe(&a, NP_ENCODING_DETOUR);
    client_subscribe(&b, NP_ENCODING_DETOUR);
    client_settle(&a);
    client_settle(&b);
    ck_assert_uint_eq(a.tile_count - from_a, b.tile_count - from_b);
    for (size_t i = from_a; i < a.tile_count; i++) {
        const seen_tile *t = &a.tiles[i], *other = client_last_tile(&b, t->x, t->z, from_b);
        ck_assert_ptr_nonnull(other);
        ck_assert_int_eq(t->status, other->status);
        ck_assert(nav_key_equal(t->data_key, other->data_key));
        ok += t->status == NP_TILE_OK;
    }
    ck_assert_uint_ge(ok, least);
}

START_TEST(a_level_in_centimetres_with_z_up_has_the_tiles_of_one_in_metres)
{
    np_op ops[8];
    open_world(&a, "metres", (np_axes){.up = NP_UP_Y});
    open_world(&b, "centimetres", centimetres);
    edit(&a, ops, level_in_metres(ops));
    edit(&b, ops, level_in_centimetres(ops));
    check_same_tiles(20);
    np_op move = op_move(2, -4, 1, 3);
    edit(&a, &move, 1);
    move = (np_op){.kind = NP_OP_MOVE_INSTANCE, .id = 2};
    const float to[12] = {1, 0, 0, -400, 0, 1, 0, -300, 0, 0, 1, 100};
    memcpy(move.u.instance.transform, to, sizeof to);
    edit(&b, &move, 1);
    check_same_tiles(20);
}
END_TEST

// The operations of the page that the world's objects are, by kind and id.
static np_world_objects_response read_objects(client *c)
{
    const np_world_objects_request r = {.world = c->world, .limit = NP_OBJECTS_PAGE_MAX};
    np_world_objects_response page;
    ck_assert_int_eq(client_call(c, NP_WORLD_OBJECTS, &r, &page, NULL), NAV_OK);
    return page;
}

static void check_objects(client *c, const np_op *ops)
{
    const np_world_objects_response page = read_objects(c);
    ck_assert_uint_eq(page.object_count, 4);
    for (uint32_t i = 0; i < page.object_count; i++) {
        const np_op *o = &page.objects[i];
        const np_op *wanted = o->kind == NP_OP_PUT_VOLUME ? &ops[2]
                              : o->kind == NP_OP_PUT_LINK ? &ops[3]
                                                          : &ops[o->id - 1];
        if (o->kind == NP_OP_PUT_INSTANCE)
            for (int k = 0; k < 12; k++)
                ck_assert_float_eq_tol(o->u.instance.transform[k], wanted->u.instance.transform[k], 2e-5f);
        if (o->kind == NP_OP_PUT_VOLUME) {
            ck_assert_mem_eq(o->u.volume.points, wanted->u.volume.points, 6 * sizeof(float));
            ck_assert(o->u.volume.min_y == wanted->u.volume.min_y && o->u.volume.max_y == wanted->u.volume.max_y);
        }
        if (o->kind == NP_OP_PUT_LINK) {
            ck_assert_mem_eq(o->u.link.start, wanted->u.link.start, sizeof o->u.link.start);
            ck_assert_mem_eq(o->u.link.end, wanted->u.link.end, sizeof o->u.link.end);
            ck_assert(o->u.link.radius_m == wanted->u.link.radius_m);
        }
    }
}

static np_seed read_seed(client *c)
{
    const np_world_reach_request r = {c->world};
    np_world_reach_response got;
    ck_assert_int_eq(client_call(c, NP_WORLD_REACH, &r, &got, NULL), NAV_OK);
    ck_assert_uint_eq(got.reach.seed_count, 1);
    return got.reach.seeds[0];
}

START_TEST(each_client_sees_the_objects_of_the_other_in_its_own_numbers)
{
    np_op cm[8], m[8];
    level_in_metres(m);
    m[0].u.instance.mesh = floor_cm;
    edit(&b, cm, level_in_centimetres(cm));
    check_objects(&b, cm);
    // A mesh keeps its own numbers: to the other client its instance is one that scales and turns.
    const float floor[12] = {0.01f, 0, 0, 0, 0, 0, 0.01f, -0.5f, 0, -0.01f, 0, 0};
    const float box[12] = {0.01f * S, -0.01f * S, 0, 4, 0, 0, 0.01f, 1, -0.01f * S, -0.01f * S, 0, -6};
    memcpy(m[0].u.instance.transform, floor, sizeof floor);
    memcpy(m[1].u.instance.transform, box, sizeof box);
    check_objects(&a, m);
    ck_assert_mem_eq(read_seed(&b).at, seed_cm.at, sizeof seed_cm.at);
    ck_assert_mem_eq(read_seed(&a).at, seed_m.at, sizeof seed_m.at);
    ck_assert_mem_eq(open_world(&b, "w", centimetres).reach.seeds[0].at, seed_cm.at, sizeof seed_cm.at);

    // The other way: what is sent back as it was answered is what it was.
    const np_world_objects_response page = read_objects(&b);
    np_op again[8];
    memcpy(again, page.objects, page.object_count * sizeof *again);
    uint32_t count = page.object_count;
    np_world_edit_response r;
    client_settle(&a);
    ck_assert_int_eq(client_edit(&b, again, count, &r, NULL), NAV_OK);
    client_settle(&b);
    check_objects(&a, m);
}
END_TEST

START_TEST(a_source_that_sends_its_list_again_changes_nothing)
{
    list l = {.count = 0};
    float t[12] = {0.3f, 0.1f, 0, 0, -0.1f, 0.3f, 0, 0, 0, 0, 0.7f, 33.3f};
    for (uint32_t i = 0; i < 100; i++) {
        list_add(&l, i, (int)(i % MESHES), 0, 0);
        t[3] = 17.7f * (float)i;
        t[7] = -3.3f * (float)i;
        for (uint32_t k = 0; k < 12; k++) nav_store_f32(l.transforms + 48 * i + 4 * k, t[k]);
    }
    np_world_sync_request r = request_of(&l, "level");
    np_world_sync_response out;
    np_error err;
    r.world = b.world;
    ck_assert_int_eq(client_call(&b, NP_WORLD_SYNC, &r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.added, 100);
    ck_assert_int_eq(client_call(&b, NP_WORLD_SYNC, &r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.unchanged, 100);

    // What the daemon lists is the same list.
    const np_world_objects_response page = read_objects(&b);
    ck_assert_uint_eq(page.object_count, 100);
    for (uint32_t i = 0; i < 100; i++) {
        const np_op *o = &page.objects[i];
        for (uint32_t k = 0; k < 12; k++) nav_store_f32(l.transforms + 48 * o->id + 4 * k, o->u.instance.transform[k]);
    }
    ck_assert_int_eq(client_call(&b, NP_WORLD_SYNC, &r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.unchanged, 100);

    // In metres the same numbers are other places.
    ck_assert_int_eq(client_call(&a, NP_WORLD_SYNC, &r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.moved, 100);

    nav_store_f32(l.transforms + 12, 3e38f);
    open_world(&b, "w", (np_axes){.has_unit = true, .unit_m = 1000});
    ck_assert_int_eq(client_call(&b, NP_WORLD_SYNC, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "number 3 of object 0 is inf"), "%s", err.message);
}
END_TEST

static size_t tiles_within(client *c, const double bounds[4], bool by_focus)
{
    np_tiles_subscribe_request sub = {.world = c->world,
                                      .profile = np_str_of("walker"),
                                      .has_bounds = true,
                                      .min = {bounds[0], bounds[1]},
                                      .max = {bounds[2], bounds[3]}};
    np_tiles_subscribe_response r;
    size_t from = c->tile_count;
    if (by_focus) { // nothing at first
        sub.min[0] = sub.max[0] = 50 * (c == &b ? 100 : 1);
        sub.min[1] = sub.max[1] = sub.min[0];
    }
    ck_assert_int_eq(client_call(c, NP_TILES_SUBSCRIBE, &sub, &r, NULL), NAV_OK);
    const np_tiles_focus_request focus = {.subscription = r.subscription,
                                          .has_bounds = true,
                                          .min = {bounds[0], bounds[1]},
                                          .max = {bounds[2], bounds[3]}};
    np_none none;
    if (by_focus) {
        ck_assert_uint_eq(c->tile_count, from);
        ck_assert_int_eq(client_call(c, NP_TILES_FOCUS, &focus, &none, NULL), NAV_OK);
    }
    np_jobs_wait_request wait = {
        .world = c->world, .has_bounds = true, .min = {bounds[0], bounds[1]}, .max = {bounds[2], bounds[3]}};
    np_jobs_wait_response waited;
    ck_assert_int_eq(client_call(c, NP_JOBS_WAIT, &wait, &waited, NULL), NAV_OK);
    // One after the other, in a sum that does not depend on the order.
    size_t sum = 0;
    for (size_t i = from; i < c->tile_count; i++)
        sum += (size_t)(1000 + 100 * (c->tiles[i].x + 20) + c->tiles[i].z + 20);
    return sum;
}

START_TEST(bounds_mean_the_same_rectangle)
{
    np_op ops[8];
    edit(&a, ops, level_in_metres(ops));
    client_settle(&a);
    const double metres[4] = {1, -9, 9, -2}, cm[4] = {100, 200, 900, 900}; // y is -z
    size_t seen = tiles_within(&a, metres, false);
    ck_assert_uint_gt(seen, 0);
    ck_assert_uint_eq(tiles_within(&b, cm, false), seen);
    ck_assert_uint_eq(tiles_within(&b, cm, true), seen);

    np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {{1, -9}, {9, -2}}};
    np_world_edit_response m, c;
    ck_assert_int_eq(client_edit(&a, &dirty, 1, &m, NULL), NAV_OK);
    dirty = (np_op){.kind = NP_OP_DIRTY, .u.dirty = {{100, 200}, {900, 900}}};
    ck_assert_int_eq(client_edit(&b, &dirty, 1, &c, NULL), NAV_OK);
    ck_assert_uint_gt(m.dirty_tiles, 0);
    ck_assert_uint_eq(m.dirty_tiles, c.dirty_tiles);
}
END_TEST

static void read_focus(nd_server *s, void *user)
{
    const nd_subscription *sub = nd_server_service(s)->methods->worlds->list[0]->subscriptions;
    memcpy(user, sub->focus, sizeof sub->focus);
}

START_TEST(a_focus_means_the_same_place)
{
    double focus[2];
    np_tiles_subscribe_request sub = {
        .world = b.world, .profile = np_str_of("walker"), .has_focus = true, .focus = {300, 700}};
    np_tiles_subscribe_response r;
    ck_assert_int_eq(client_call(&b, NP_TILES_SUBSCRIBE, &sub, &r, NULL), NAV_OK);
    fixture_call(&daemon_, read_focus, focus);
    ck_assert(focus[0] == 3 && focus[1] == -7);
    const np_tiles_focus_request move = {.subscription = r.subscription, .has_focus = true, .focus = {-100, -200}};
    np_none none;
    ck_assert_int_eq(client_call(&b, NP_TILES_FOCUS, &move, &none, NULL), NAV_OK);
    fixture_call(&daemon_, read_focus, focus);
    ck_assert(focus[0] == -1 && focus[1] == 2);
}
END_TEST

START_TEST(what_a_session_says_counts_for_it_alone_and_until_it_says_otherwise)
{
    np_op ops[8];
    float at[12];
    edit(&a, ops, level_in_metres(ops));
    memcpy(at, ops[1].u.instance.transform, sizeof at);
    ck_assert(!open_world(&a, "w", (np_axes){.up = NP_UP_Y}).has_to_metres);
    const np_world_open_response opened = open_world(&b, "w", centimetres);
    const double to_metres[12] = {0.01, 0, 0, 0, 0, 0, 0.01, 0, 0, -0.01, 0, 0};
    ck_assert(opened.has_to_metres);
    ck_assert_mem_eq(opened.to_metres, to_metres, sizeof to_metres);
    ck_assert(opened.origin_m[0] == 0);

    ck_assert_mem_eq(read_seed(&b).at, seed_cm.at, sizeof seed_cm.at);
    open_world(&b, "w", (np_axes){.up = NP_UP_Z}); // metres
    const float turned[3] = {-8, -6, 0};
    ck_assert_mem_eq(read_seed(&b).at, turned, sizeof turned);
    open_world(&b, "other", centimetres); // another world says nothing about this one
    b.world = opened.world;
    ck_assert_mem_eq(read_seed(&b).at, turned, sizeof turned);
    open_world(&b, "w", (np_axes){.up = NP_UP_Y});
    ck_assert_mem_eq(read_seed(&b).at, seed_m.at, sizeof seed_m.at);

    open_world(&b, "w", centimetres);
    const np_world_close_request close = {opened.world};
    np_none none;
    ck_assert_int_eq(client_call(&b, NP_WORLD_CLOSE, &close, &none, NULL), NAV_OK);
    ck_assert_mem_eq(read_seed(&b).at, seed_m.at, sizeof seed_m.at);
    ck_assert_mem_eq(read_seed(&a).at, seed_m.at, sizeof seed_m.at);
}
END_TEST

START_TEST(nonsense_is_refused_and_says_what_to_do)
{
    const double bad[] = {0, -0.01, 1e-9, 1e9};
    np_world_open_response opened;
    np_error err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const np_world_open_request open = {
            .name = np_str_of("new"), .create = true, .axes = {.has_unit = true, .unit_m = bad[i]}};
        ck_assert_int_eq(client_call(&b, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_ARGUMENT);
        ck_assert_msg(strstr(err.message, "unit_m") && strstr(err.message, "0.01 for centimetres"), "%s", err.message);
    }
    const np_world_list_request all = {0};
    np_world_list_response found;
    ck_assert_int_eq(client_call(&b, NP_WORLD_LIST, &all, &found, NULL), NAV_OK);
    ck_assert_uint_eq(found.world_count, 1);

    // What lies too far away does so in metres: 2e7 cm are near enough.
    np_op far = {.kind = NP_OP_PUT_LINK,
                 .id = 1,
                 .u.link = {.id = 1, .start = {2e7f, 0, 0}, .end = {2e7f, 9, 0}, .radius_m = 1, .area = 5}};
    ck_assert_int_eq(client_edit(&b, &far, 1, NULL, &err), NAV_OK);
    far.u.link.start[0] = 2e9f;
    ck_assert_int_eq(client_edit(&b, &far, 1, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "beyond 1e7 m (converted to metres, Y up)"), "%s", err.message);
    open_world(&b, "w", (np_axes){.has_unit = true, .unit_m = 1000});
    far.u.link.start[0] = 3e38f;
    ck_assert_int_eq(client_edit(&b, &far, 1, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "start") && strstr(err.message, "unit_m 1000"), "%s", err.message);
}
END_TEST

typedef struct axes_count {
    uint64_t session;
    size_t count, capacity;
} axes_count;

static void count_axes(nd_server *s, void *user)
{
    axes_count *c = user;
    const nd_session *session = nd_sessions_find(nd_server_service(s)->methods->sessions, c->session);
    c->count = session->axes.count;
    c->capacity = session->axes.capacity;
}

START_TEST(a_session_keeps_no_axes_of_worlds_that_are_gone)
{
    axes_count c = {.session = 2}; // b came second
    for (int i = 0; i < 100; i++) {
        open_world(&b, "short", centimetres);
        const np_world_delete_request r = {b.world};
        np_none none;
        ck_assert_int_eq(client_call(&b, NP_WORLD_DELETE, &r, &none, NULL), NAV_OK);
    }
    fixture_call(&daemon_, count_axes, &c);
    ck_assert_uint_ge(c.count, 1); // of "w"
    ck_assert_uint_le(c.capacity, 8);
}
END_TEST

static nav_key build_tiles(const float v[4][3], np_axes axes, const nav_volume *volume)
{
    const uint32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    np_tiles_build_request build = {.compression = NP_COMPRESSION_NONE,
                                    .last = {1, 1},
                                    .area = NAV_AREA_DEFAULT,
                                    .vertices = {(const uint8_t *)v, 48},
                                    .indices = {(const uint8_t *)t, sizeof t},
                                    .volume_count = 1,
                                    .volumes = volume,
                                    .axes = axes};
    np_tiles_build_response built;
    np_error err;
    nav_settings_default(&build.settings);
    build.settings.tile_cells = 16;
    nav_status s = client_call(&b, NP_TILES_BUILD, &build, &built, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(built.tile_count, 4);
    ck_assert_int_eq(built.tiles[0].status, NP_TILE_OK);
    return nav_key_of(built.tiles[0].data.data, built.tiles[0].data.size);
}

START_TEST(tiles_are_built_from_geometry_in_other_axes)
{
    const float metres[4][3] = {{0, 0, 0}, {0, 0, 9}, {9, 0, 9}, {9, 0, 0}};
    const float cm[4][3] = {{0, 0, 0}, {0, -900, 0}, {900, -900, 0}, {900, 0, 0}};
    const nav_volume volume = {.point_count = 3, .points = {1, 1, 3, 1, 1, 3}, .min_y = -1, .max_y = 1, .area = 9};
    const nav_volume turned = {
        .point_count = 3, .points = {100, -100, 300, -100, 100, -300}, .min_y = -100, .max_y = 100, .area = 9};
    nav_key plain = build_tiles(metres, (np_axes){.up = NP_UP_Y}, &volume);
    ck_assert(nav_key_equal(build_tiles(cm, centimetres, &turned), plain));
    ck_assert(!nav_key_equal(build_tiles(metres, (np_axes){.up = NP_UP_Y}, &turned), plain));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("axes");
    TCase *c = tcase_create("axes");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_level_in_centimetres_with_z_up_has_the_tiles_of_one_in_metres);
    tcase_add_test(c, each_client_sees_the_objects_of_the_other_in_its_own_numbers);
    tcase_add_test(c, a_source_that_sends_its_list_again_changes_nothing);
    tcase_add_test(c, bounds_mean_the_same_rectangle);
    tcase_add_test(c, a_focus_means_the_same_place);
    tcase_add_test(c, what_a_session_says_counts_for_it_alone_and_until_it_says_otherwise);
    tcase_add_test(c, nonsense_is_refused_and_says_what_to_do);
    tcase_add_test(c, a_session_keeps_no_axes_of_worlds_that_are_gone);
    tcase_add_test(c, tiles_are_built_from_geometry_in_other_axes);
    suite_add_tcase(s, c);
    return run_suite(s);
}
