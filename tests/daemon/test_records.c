#include "core/base/endian.h"
#include "daemon/base/thread.h"
#include "daemon/cache/tile_record.h"
#include "daemon/store/records.h"
#include "daemon/world/profile_change.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

// The first record of a change, in blocks of exactly its size, so that the sanitizer sees a read beyond.
typedef struct record {
    uint8_t *key, *value;
    size_t key_bytes, value_bytes;
} record;

static record first_record(const nav_buffer *change, unsigned table)
{
    ck_assert_uint_gt(change->size, 8);
    ck_assert_uint_eq(change->data[0], table);
    record r = {.key_bytes = nav_load_u16(change->data + 2), .value_bytes = nav_load_u32(change->data + 4)};
    r.key = malloc(r.key_bytes + !r.key_bytes);
    r.value = malloc(r.value_bytes + !r.value_bytes);
    memcpy(r.key, change->data + 8, r.key_bytes);
    memcpy(r.value, change->data + 8 + r.key_bytes, r.value_bytes);
    return r;
}

static void record_deinit(record *r)
{
    free(r->key);
    free(r->value);
}

// Reads a record as what its table says. What it gives is looked at elsewhere; here it must give something or refuse.
static nav_status read_any(unsigned table, nd_bytes key, nd_bytes value)
{
    uint64_t world, revision;
    char space[ND_NAMESPACE_BYTES];
    np_message m = {0};
    np_world_open_request request;
    np_op op;
    nd_tile_place at;
    nd_tile_result result;
    nav_key hash;
    nd_mesh_head head;
    nd_store_info info;
    nav_status s;
    switch (table) {
    case ND_HEADS:
        s = nd_read_head(value, space, &m, &request);
        np_message_deinit(&m);
        return s;
    case ND_REVISIONS:
        return nd_read_revision(value, &world, &revision);
    case ND_INFO:
        return nd_read_info(value, &info);
    case ND_MESH_HEADS:
        return nd_read_mesh_head(key, value, &hash, &head);
    case ND_MESH_SPACES:
        return nd_read_mesh_space(key, &hash, space);
    case ND_OBJECTS:
        return nd_read_object(key, value, &world, &op);
    default:
        return nd_read_tile(key, value, &at, &result);
    }
}

static nav_status read_sized(unsigned table, const record *r, size_t key_bytes, size_t value_bytes)
{
    uint8_t *key = malloc(key_bytes + !key_bytes), *value = malloc(value_bytes + !value_bytes);
    memcpy(key, r->key, key_bytes);
    memcpy(value, r->value, value_bytes);
    nav_status s = read_any(table, (nd_bytes){key, key_bytes}, (nd_bytes){value, value_bytes});
    free(key);
    free(value);
    return s;
}

// Every prefix is refused, and no changed byte makes a reader read or write where it must not.
static void torture(unsigned table, const nav_buffer *change)
{
    record r = first_record(change, table);
    ck_assert_int_eq(read_sized(table, &r, r.key_bytes, r.value_bytes), NAV_OK);
    for (size_t n = 0; n < r.value_bytes; n++) ck_assert_int_ne(read_sized(table, &r, r.key_bytes, n), NAV_OK);
    for (size_t n = 0; n < r.key_bytes && table != ND_HEADS && table != ND_REVISIONS && table != ND_INFO; n++)
        if (table != ND_MESH_SPACES || n <= NAV_KEY_BYTES)
            ck_assert_int_ne(read_sized(table, &r, n, r.value_bytes), NAV_OK);
    for (size_t i = 0; i < r.value_bytes; i++)
        for (int bit = 0; bit < 8; bit++) {
            r.value[i] ^= (uint8_t)(1 << bit);
            (void)(read_sized(table, &r, r.key_bytes, r.value_bytes) == NAV_OK);
            r.value[i] ^= (uint8_t)(1 << bit);
        }
    if (r.value_bytes) {
        r.value[0] = 99; // another version
        ck_assert_int_eq(read_sized(table, &r, r.key_bytes, r.value_bytes), NAV_ERR_VERSION);
    }
    record_deinit(&r);
}

START_TEST(a_head_holds_name_namespace_origin_profiles_and_goal)
{
    nd_namespace space = {.name = "film"};
    const double origin[3] = {1000, 2, -3000};
    nd_world *w;
    np_error err;
    nav_buffer change = {0};
    nd_thread_set_loop(true);
    ck_assert_int_eq(nd_world_create(7, &space, np_str_of("der Wald"), origin, &w), NAV_OK);
    np_profile profiles[2] = {{.name = np_str_of("walker")}, {.name = np_str_of("tank")}};
    for (int i = 0; i < 2; i++) {
        nav_settings_default(&profiles[i].settings);
        memcpy(profiles[i].settings.origin_m, origin, sizeof origin);
    }
    profiles[1].settings.agent_radius_m = 2;
    ck_assert_int_eq(nd_world_add_profiles(w, profiles, 2, &nd_world_no_limits, 0, &err), NAV_OK);
    w->goal.mode = NAV_UNREACHABLE_DROP;
    w->goal.goal.seed_count = 1;
    ck_assert_int_eq(nd_change_head(&change, w), NAV_OK);

    record r = first_record(&change, ND_HEADS);
    char name[ND_NAMESPACE_BYTES];
    np_message m;
    np_world_open_request q;
    uint64_t id;
    ck_assert_int_eq(nd_read_world_key((nd_bytes){r.key, r.key_bytes}, &id), NAV_OK);
    ck_assert_uint_eq(id, 7);
    ck_assert_int_eq(nd_read_head((nd_bytes){r.value, r.value_bytes}, name, &m, &q), NAV_OK);
    ck_assert_str_eq(name, "film");
    ck_assert(np_str_equal(q.name, "der Wald"));
    ck_assert_mem_eq(q.origin_m, origin, sizeof origin);
    ck_assert_uint_eq(q.profile_count, 2);
    ck_assert(q.profiles[1].settings.agent_radius_m == 2);
    ck_assert(q.has_reach && q.reach.seed_count == 1 && q.reach.unreachable == NAV_UNREACHABLE_DROP);
    np_message_deinit(&m);
    record_deinit(&r);
    torture(ND_HEADS, &change);
    nav_buffer_deinit(&change);
    nd_world_destroy(w);
}
END_TEST

// Written, read and restored; a setting that equals its default is not in the bytes.
static nav_outlines stored_and_restored(np_profile p)
{
    nav_buffer bytes = {0};
    np_message in;
    np_error err;
    np_world_open_request back;
    const np_world_open_request r = {.name = np_str_of("mill"), .profile_count = 1, .profiles = &p};
    ck_assert_int_eq(np_encode_world_open_request(&bytes, 1, &r), NAV_OK);
    ck_assert_int_eq(np_message_read(bytes.data, bytes.size, &in, &err), NAV_OK);
    ck_assert_int_eq(np_decode_world_open_request(&in, &back, &err), NAV_OK);
    np_profile found = back.profiles[0];
    np_profile_restore(&found);
    np_message_deinit(&in);
    nav_buffer_deinit(&bytes);
    return found.settings.outlines;
}

START_TEST(stored_profiles_keep_their_outlines_whatever_the_default)
{
    np_profile p = {.name = np_str_of("human")};
    nav_settings_default(&p.settings);
    ck_assert_int_eq(stored_and_restored(p), NAV_OUTLINES_VOXEL); // from before there were others
    for (int i = NAV_OUTLINES_VOXEL; i <= NAV_OUTLINES_TRUE; i++) {
        p.settings.outlines = (nav_outlines)i;
        np_profile_store(&p);
        nav_settings_default(&p.settings); // as a reader has it whose default is another one
        ck_assert_int_eq(stored_and_restored(p), i);
    }
}
END_TEST

static nav_outlines outlines_in_head(nd_bytes value)
{
    char name[ND_NAMESPACE_BYTES];
    np_message m;
    np_world_open_request q;
    ck_assert_int_eq(nd_read_head(value, name, &m, &q), NAV_OK);
    ck_assert_uint_eq(q.profile_count, 1);
    nav_outlines found = q.profiles[0].settings.outlines;
    np_message_deinit(&m);
    return found;
}

START_TEST(a_head_from_before_true_outlines_has_voxel_outlines_and_keeps_them)
{
    nav_buffer value = {0}, change = {0};
    nd_namespace space = {.name = "film"};
    const double origin[3] = {0, 0, 0};
    nd_world *w;
    np_error err;
    np_profile p = {.name = np_str_of("walker"), .has_slot = true};
    nav_settings_default(&p.settings);
    const np_world_open_request r = {
        .name = np_str_of("mill"), .create = true, .profile_count = 1, .profiles = &p}; // as it was written then
    ck_assert_int_eq(nav_buffer_append(&value, "\1\4film", 6), NAV_OK);
    ck_assert_int_eq(np_encode_world_open_request(&value, 0, &r), NAV_OK);
    ck_assert_int_eq(outlines_in_head((nd_bytes){value.data, value.size}), NAV_OUTLINES_VOXEL);

    nd_thread_set_loop(true);
    p.settings.outlines = NAV_OUTLINES_VOXEL;
    p.has_slot = false;
    ck_assert_int_eq(nd_world_create(7, &space, np_str_of("mill"), origin, &w), NAV_OK);
    ck_assert_int_eq(nd_world_add_profiles(w, &p, 1, &nd_world_no_limits, 0, &err), NAV_OK);
    ck_assert_int_eq(nd_change_head(&change, w), NAV_OK);
    record now = first_record(&change, ND_HEADS);
    ck_assert_int_eq(outlines_in_head((nd_bytes){now.value, now.value_bytes}), NAV_OUTLINES_VOXEL);
    record_deinit(&now);
    nd_world_destroy(w);
    nav_buffer_deinit(&change);
    nav_buffer_deinit(&value);
}
END_TEST

START_TEST(objects_are_read_as_they_were_written)
{
    np_op ops[3] = {
        {.kind = NP_OP_PUT_INSTANCE, .id = 1}, {.kind = NP_OP_PUT_VOLUME, .id = 2}, {.kind = NP_OP_PUT_LINK, .id = 3}};
    const float transform[12] = {1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7}, square[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    ops[0].u.instance.mesh = (nav_key){1, 2};
    memcpy(ops[0].u.instance.transform, transform, sizeof transform);
    memcpy(ops[1].u.volume.points, square, sizeof square);
    ops[1].u.volume.point_count = 4;
    ops[1].u.volume.max_y = 1;
    ops[2].u.link = (nav_link){.id = 3, .end = {1, 2, 3}, .radius_m = 1, .area = 63, .flags = 1};
    for (int i = 0; i < 3; i++) {
        nav_buffer change = {0};
        ck_assert_int_eq(nd_change_object(&change, 9, &ops[i]), NAV_OK);
        record r = first_record(&change, ND_OBJECTS);
        uint64_t world;
        np_op back;
        ck_assert_int_eq(
            nd_read_object((nd_bytes){r.key, r.key_bytes}, (nd_bytes){r.value, r.value_bytes}, &world, &back), NAV_OK);
        ck_assert_uint_eq(world, 9);
        ck_assert_int_eq(back.kind, ops[i].kind);
        ck_assert_uint_eq(back.id, ops[i].id);
        r.key[16]++; // the key says another object
        ck_assert_int_eq(
            nd_read_object((nd_bytes){r.key, r.key_bytes}, (nd_bytes){r.value, r.value_bytes}, &world, &back),
            NAV_ERR_FORMAT);
        record_deinit(&r);
        torture(ND_OBJECTS, &change);
        nav_buffer_deinit(&change);
    }
}
END_TEST

START_TEST(tiles_meshes_and_numbers_are_read_as_they_were_written)
{
    const nd_tile_place at = {5, 2, -7, INT32_MAX};
    const nd_tile_result result = {.status = NP_TILE_FAILED,
                                   .failure = nd_reason_of(NAV_ERR_LIMIT),
                                   .source = {1, 2},
                                   .content = {3, 4},
                                   .revision = 5,
                                   .changed = 6};
    nav_buffer change = {0};
    nd_tile_place place;
    nd_tile_result back;
    ck_assert_int_eq(nd_change_tile(&change, &at, &result), NAV_OK);
    record r = first_record(&change, ND_TILES);
    ck_assert_int_eq(nd_read_tile((nd_bytes){r.key, r.key_bytes}, (nd_bytes){r.value, r.value_bytes}, &place, &back),
                     NAV_OK);
    ck_assert(place.world == 5 && place.profile == 2 && place.x == -7 && place.z == INT32_MAX);
    ck_assert(back.status == result.status && back.failure.status == result.failure.status && back.revision == 5 &&
              back.changed == 6);
    ck_assert(nav_key_equal(back.source, result.source) && nav_key_equal(back.content, result.content));
    record_deinit(&r);
    torture(ND_TILES, &change);
    change.size = 0;

    nav_key hash;
    nd_mesh_head h, head = {1, 2, 0, 3, 4, {{-1, -2, -3}, {1, 2, 3}}, 5, false, {{0}}};
    for (int k = 0; k < 2 * NP_MESH_FORMS; k++) {
        const int form = k % NP_MESH_FORMS, digest = k / NP_MESH_FORMS; // triangles, and both kinds of height grids
        head.form = (np_mesh_form)form;
        head.has_digest = digest;
        memset(head.digest.bytes, digest ? 0x5a : 0, sizeof head.digest.bytes);
        ck_assert_int_eq(nd_change_mesh(&change, (nav_key){8, 9}, &head), NAV_OK);
        r = first_record(&change, ND_MESH_HEADS);
        ck_assert_int_eq(
            nd_read_mesh_head((nd_bytes){r.key, r.key_bytes}, (nd_bytes){r.value, r.value_bytes}, &hash, &h), NAV_OK);
        ck_assert(nav_key_equal(hash, (nav_key){8, 9}) && h.vertices == 1 && h.skipped == 4 && h.bytes == 5);
        ck_assert_mem_eq(&h.bounds, &head.bounds, sizeof h.bounds);
        ck_assert_int_eq(h.form, form);
        ck_assert_int_eq(h.has_digest, digest);
        ck_assert_mem_eq(&h.digest, &head.digest, sizeof h.digest);
        ck_assert_int_eq(((const uint8_t *)r.value)[0], digest     ? 3
                                                        : form > 1 ? 4
                                                                   : 1 + form); // without one as it was before
        record_deinit(&r);
        torture(ND_MESH_HEADS, &change);
        change.size = 0;
    }

    ck_assert_int_eq(nd_change_mesh_space(&change, (nav_key){8, 9}, "film"), NAV_OK);
    torture(ND_MESH_SPACES, &change);
    change.size = 0;
    ck_assert_int_eq(nd_change_revision(&change, 3, 77, 5), NAV_OK);
    torture(ND_REVISIONS, &change);
    change.size = 0;
    ck_assert_int_eq(nd_change_info(&change, &(nd_store_info){true, 12}), NAV_OK);
    torture(ND_INFO, &change);
    nav_buffer_deinit(&change);
}
END_TEST

// A record is read by later versions, which may have more stages.
START_TEST(records_of_tiles_number_the_stages_for_good)
{
    static const struct {
        unsigned stage;
        uint8_t number;
    } numbers[] = {{NAV_STAGE_GATHER, 0},  {NAV_STAGE_CONTOURS, 7},  {NAV_STAGE_POLYGONS, 8}, {NAV_STAGE_DETAIL, 9},
                   {NAV_STAGE_ENCODE, 10}, {NAV_STAGE_OUTLINES, 12}, {NAV_STAGE_SURFACE, 13}, {NAV_STAGE_COUNT, 255}};
    uint8_t bytes[ND_TILE_HEAD_BYTES];
    nd_tile_record r;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const nd_cached v = {.status = NP_TILE_FAILED,
                             .failure = {.status = NAV_ERR_CRASHED, .stage = (uint8_t)numbers[i].stage}};
        nd_tile_head_store(&v, 0, bytes);
        ck_assert_uint_eq(bytes[3], numbers[i].number);
        ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_OK);
        ck_assert_uint_eq(r.value.failure.stage, numbers[i].stage);
    }
    for (unsigned s = 0; s < NAV_STAGE_COUNT; s++) { // none has been forgotten
        const nd_cached v = {.status = NP_TILE_FAILED, .failure = {.status = NAV_ERR_CRASHED, .stage = (uint8_t)s}};
        nd_tile_head_store(&v, 0, bytes);
        ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_OK);
        ck_assert_uint_eq(r.value.failure.stage, s);
    }
    bytes[3] = 11; // "none", as it was written first
    ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_OK);
    ck_assert_uint_eq(r.value.failure.stage, NAV_STAGE_COUNT);
}
END_TEST

START_TEST(records_of_tiles_are_checked)
{
    nd_cached v = {.status = NP_TILE_OK, .content_key = {1, 2}, .size = 12};
    uint8_t bytes[ND_TILE_HEAD_BYTES + 4];
    nd_tile_record r;
    nd_tile_head_store(&v, 77, bytes);
    memset(bytes + ND_TILE_HEAD_BYTES, 9, 4);
    ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_OK);
    ck_assert_uint_eq(r.memory_limit, 77);
    ck_assert_uint_eq(r.data_bytes, 4);
    for (size_t n = 0; n <= ND_TILE_HEAD_BYTES; n++) {
        uint8_t *exact = malloc(n + 1);
        memcpy(exact, bytes, n);
        ck_assert_int_eq(nd_tile_record_load(exact, n, &r), NAV_ERR_FORMAT);
        free(exact);
    }
    bytes[0]++;
    ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_ERR_VERSION);
    bytes[0]--;
    nav_store_u32(bytes + 4, NAV_GENERATOR_VERSION + 1);
    ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_ERR_VERSION);
    nav_store_u32(bytes + 4, NAV_GENERATOR_VERSION);
    for (int status = NP_TILE_EMPTY; status < 256; status++) { // with data none of them makes sense
        bytes[1] = (uint8_t)status;
        ck_assert_int_eq(nd_tile_record_load(bytes, sizeof bytes, &r), NAV_ERR_FORMAT);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("records");
    TCase *t = tcase_create("records");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_head_holds_name_namespace_origin_profiles_and_goal);
    tcase_add_test(t, stored_profiles_keep_their_outlines_whatever_the_default);
    tcase_add_test(t, a_head_from_before_true_outlines_has_voxel_outlines_and_keeps_them);
    tcase_add_test(t, objects_are_read_as_they_were_written);
    tcase_add_test(t, tiles_meshes_and_numbers_are_read_as_they_were_written);
    tcase_add_test(t, records_of_tiles_number_the_stages_for_good);
    tcase_add_test(t, records_of_tiles_are_checked);
    return run_suite(s);
}
