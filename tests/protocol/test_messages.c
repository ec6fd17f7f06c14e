#include "tests/check.h"
#include "tests/protocol/examples.h"
#include "tests/protocol/script.h"

#include "core/base/endian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(every_example_is_read_back_to_the_same_bytes)
{
    const example *e = example_at((uint32_t)_i);
    nav_buffer first = {0}, second = {0};
    np_error err = {0};
    ck_assert_int_eq(example_encode(e, &first), NAV_OK);
    nav_status st = example_decode(e, first.data, first.size, &second, &err);
    ck_assert_msg(st == NAV_OK, "%s: %s", e->name, err.message);
    ck_assert_msg(first.size == second.size, "%s: %zu bytes became %zu", e->name, first.size, second.size);
    ck_assert_mem_eq(first.data, second.data, first.size);
    nav_buffer_deinit(&first);
    nav_buffer_deinit(&second);
}
END_TEST

START_TEST(every_message_has_an_example)
{
    for (int m = NP_UNKNOWN + 1; m < NP_METHOD_COUNT; m++) {
        bool note = m >= NP_TILE, request = note, response = note, notified = !note;
        for (uint32_t i = 0; i < example_count(); i++) {
            if ((int)example_at(i)->method != m) continue;
            request |= example_at(i)->kind == NP_REQUEST;
            response |= example_at(i)->kind == NP_RESPONSE;
            notified |= example_at(i)->kind == NP_NOTIFICATION;
        }
        ck_assert_msg(request && response && notified, "%s lacks an example", np_method_name((np_method)m));
    }
}
END_TEST

START_TEST(the_square_of_the_examples_has_the_hash_they_say)
{
    int found = 0;
    for (uint32_t i = 0; i < example_count(); i++) {
        const bool areas = strcmp(example_at(i)->name, "mesh.put.request.areas") == 0;
        if (strcmp(example_at(i)->name, "mesh.put.request") != 0 && !areas) continue;
        const np_mesh_put_request *r = example_at(i)->message;
        float verts[12];
        uint32_t tris[6];
        ck_assert_uint_eq(r->data.size, np_mesh_bytes(4, 2, areas));
        for (int k = 0; k < 12; k++) verts[k] = nav_load_f32(r->data.data + 4 * k);
        for (int k = 0; k < 6; k++) tris[k] = nav_load_u32(r->data.data + 48 + 4 * k);
        const nav_key hash = nav_mesh_hash_with_areas(verts, 4, tris, 2, areas ? r->data.data + 72 : NULL);
        ck_assert_msg(nav_key_equal(hash, r->hash), "%016llx %016llx", (unsigned long long)hash.low,
                      (unsigned long long)hash.high);
        found++;
    }
    ck_assert_int_eq(found, 2);
}
END_TEST

START_TEST(a_hand_written_edit_arrives_with_its_values_and_defaults)
{
    script s;
    static const uint8_t key[16] = {1, 2, 3};
    const double points[] = {0, 0, 4, 0, 4, 4};
    begin(&s, "world.edit", 3);
    number(&s, "world", 7);
    number(&s, "some_key_of_the_future", 1);
    text(&s, "ops");
    msgpack_pack_array(&s.p, 3);
    msgpack_pack_map(&s.p, 3);
    bin(&s, "mesh", key, sizeof key); // "op" need not come first
    word(&s, "op", "put_instance");
    number(&s, "id", 40);
    msgpack_pack_map(&s.p, 6);
    word(&s, "op", "put_volume");
    number(&s, "id", 41);
    doubles(&s, "points", 6, points);
    number(&s, "min_y", -1);
    number(&s, "max_y", 3);
    number(&s, "area", 9);
    msgpack_pack_map(&s.p, 5);
    word(&s, "op", "put_link");
    number(&s, "id", 42);
    doubles(&s, "start", 3, points);
    doubles(&s, "end", 3, points + 2);
    number(&s, "radius_m", 1);
    np_world_edit_request m;
    np_message in;
    np_error err;
    ck_assert_msg(run(&s, NP_WORLD_EDIT, &m, &in, &err) == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(m.world, 7);
    ck_assert(!m.has_base_revision);
    ck_assert_uint_eq(m.op_count, 3);
    ck_assert_int_eq(m.ops[0].kind, NP_OP_PUT_INSTANCE);
    ck_assert_uint_eq(m.ops[0].id, 40);
    ck_assert_uint_eq(m.ops[0].u.instance.mesh.low, 0x030201);
    ck_assert_uint_eq(m.ops[0].u.instance.area, NAV_AREA_DEFAULT);
    ck_assert_float_eq(m.ops[0].u.instance.transform[5], 1);
    ck_assert_int_eq(m.ops[1].kind, NP_OP_PUT_VOLUME);
    ck_assert_uint_eq(m.ops[1].u.volume.point_count, 3);
    ck_assert_float_eq(m.ops[1].u.volume.points[5], 4);
    ck_assert_float_eq(m.ops[1].u.volume.min_y, -1);
    ck_assert_int_eq(m.ops[2].kind, NP_OP_PUT_LINK);
    ck_assert_uint_eq(m.ops[2].u.link.id, 42);
    ck_assert_uint_eq(m.ops[2].u.link.area, NAV_AREA_DEFAULT);
    ck_assert_uint_eq(m.ops[2].u.link.flags, 1);
    ck_assert_uint_eq(m.ops[2].u.link.both_ways, 0);
    end(&s, &in);
}
END_TEST

START_TEST(params_may_be_a_map_or_an_array_of_one_map_or_nothing)
{
    // [0, 1, "stats", X] for X = {}, [], [{}], nil, and the refused [{}, {}] and 5
    static const struct {
        uint8_t bytes[4];
        size_t count;
        nav_status want;
    } params[] = {{{0x80}, 1, NAV_OK},
                  {{0x90}, 1, NAV_OK},
                  {{0x91, 0x80}, 2, NAV_OK},
                  {{0xc0}, 1, NAV_OK},
                  {{0x92, 0x80, 0x80}, 3, NAV_ERR_ARGUMENT},
                  {{0x91, 0x01}, 2, NAV_ERR_ARGUMENT},
                  {{0x05}, 1, NAV_ERR_ARGUMENT}};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        uint8_t bytes[16] = {0x94, 0, 1, 0xa5, 's', 't', 'a', 't', 's'};
        memcpy(bytes + 9, params[i].bytes, params[i].count);
        np_message in;
        np_error err;
        ck_assert_int_eq(np_message_read(bytes, 9 + params[i].count, &in, &err), params[i].want);
        ck_assert_int_eq(in.kind, NP_REQUEST);
        ck_assert_uint_eq(in.id, 1); // so that the daemon can answer it
        ck_assert_int_eq(np_method_of(&in), NP_STATS);
        np_stats_request m;
        if (params[i].want == NAV_OK) ck_assert_int_eq(np_decode_stats_request(&in, &m, &err), NAV_OK);
        np_message_deinit(&in);
    }
}
END_TEST

// The same message with every str as a bin, or every bin as a str: what libraries with one kind of bytes write.
static void pack_as(msgpack_packer *p, const msgpack_object *o, bool bins)
{
    np_str s;
    if (np_text_of(o, &s)) {
        if (bins) {
            msgpack_pack_bin(p, s.size);
            msgpack_pack_bin_body(p, s.data, s.size);
        } else {
            msgpack_pack_str(p, s.size);
            msgpack_pack_str_body(p, s.data, s.size);
        }
    } else if (o->type == MSGPACK_OBJECT_ARRAY) {
        msgpack_pack_array(p, o->via.array.size);
        for (uint32_t i = 0; i < o->via.array.size; i++) pack_as(p, &o->via.array.ptr[i], bins);
    } else if (o->type == MSGPACK_OBJECT_MAP) {
        msgpack_pack_map(p, o->via.map.size);
        for (uint32_t i = 0; i < o->via.map.size; i++) {
            pack_as(p, &o->via.map.ptr[i].key, bins);
            pack_as(p, &o->via.map.ptr[i].val, bins);
        }
    } else {
        msgpack_pack_object(p, *o);
    }
}

START_TEST(every_example_is_read_with_bins_for_strs_and_strs_for_bins)
{
    const example *e = example_at((uint32_t)_i / 2);
    nav_buffer bytes = {0}, again = {0};
    msgpack_sbuffer other;
    msgpack_packer packer;
    msgpack_unpacked whole;
    np_error err = {0};
    msgpack_sbuffer_init(&other);
    msgpack_packer_init(&packer, &other, msgpack_sbuffer_write);
    msgpack_unpacked_init(&whole);
    ck_assert_int_eq(example_encode(e, &bytes), NAV_OK);
    ck_assert_int_eq(msgpack_unpack_next(&whole, (const char *)bytes.data, bytes.size, NULL), MSGPACK_UNPACK_SUCCESS);
    pack_as(&packer, &whole.data, _i % 2);
    nav_status st = example_decode(e, (const uint8_t *)other.data, other.size, &again, &err);
    ck_assert_msg(st == NAV_OK || e->method == NP_UNKNOWN, "%s: %s", e->name, err.message);
    ck_assert_msg(again.size == bytes.size, "%s: %zu bytes became %zu", e->name, bytes.size, again.size);
    ck_assert_mem_eq(again.data, bytes.data, bytes.size);
    msgpack_unpacked_destroy(&whole);
    msgpack_sbuffer_destroy(&other);
    nav_buffer_deinit(&bytes);
    nav_buffer_deinit(&again);
}
END_TEST

START_TEST(what_is_no_msgpack_rpc_is_a_format_error)
{
    static const struct {
        uint8_t bytes[12];
        size_t count;
    } bad[] = {
        {{0x05}, 1},                                   // a number
        {{0x80}, 1},                                   // a map
        {{0x90}, 1},                                   // an empty array
        {{0x92, 0, 1}, 3},                             // too short
        {{0x94, 3, 1, 0xa1, 'x', 0x80}, 6},            // type 3
        {{0x94, 0xff, 1, 0xa1, 'x', 0x80}, 6},         // type -1
        {{0x93, 0, 1, 0xa1, 'x'}, 5},                  // a request of three
        {{0x94, 2, 0xa1, 'x', 0x80, 0xc0}, 6},         // a notification of four
        {{0x94, 0, 0xff, 0xa1, 'x', 0x80}, 6},         // id -1
        {{0x94, 0, 0xcf, 0, 0, 0, 1, 0, 0, 0, 0}, 11}, // cut
        {{0x94, 0, 1, 0x07, 0x80}, 5},                 // the method is a number
        {{0x94, 0, 1, 0xa0, 0x80, 0x80}, 6},           // bytes behind it
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        np_message in;
        np_error err = {0};
        nav_status st = np_message_read(bad[i].bytes, bad[i].count, &in, &err);
        ck_assert_msg(st == NAV_ERR_FORMAT, "case %zu: %s", i, nav_status_name(st));
        ck_assert_int_gt((int)strlen(err.message), 10);
        np_message_deinit(&in);
    }
}
END_TEST

START_TEST(a_missing_key_is_named_with_what_was_expected)
{
    script s;
    begin(&s, "tiles.subscribe", 1);
    number(&s, "world", 7);
    refuse(&s, NP_TILES_SUBSCRIBE, "profile", "profile: missing, expected a string");
    begin(&s, "world.edit", 2);
    number(&s, "world", 7);
    text(&s, "ops");
    msgpack_pack_array(&s.p, 1);
    msgpack_pack_map(&s.p, 1);
    number(&s, "id", 1);
    refuse(
        &s, NP_WORLD_EDIT, "ops[0].op",
        "ops[0].op: missing, expected \"put_instance\" or \"move_instance\" or \"remove_instance\" or \"put_volume\" "
        "or \"remove_volume\" or \"put_link\" or \"remove_link\" or \"dirty\" or \"set_reach\" or \"set_build\" "
        "or \"set_areas\" or \"patch_heights\"");
}
END_TEST

START_TEST(a_wrong_value_is_shown_with_what_was_expected)
{
    script s;
    begin(&s, "hello", 1);
    word(&s, "version", "one");
    refuse(&s, NP_HELLO, "version", "version: \"one\", expected an integer from 0 to 4294967295");
    begin(&s, "hello", 1);
    number(&s, "version", -3);
    refuse(&s, NP_HELLO, "version", "version: -3, expected an integer from 0 to 4294967295");
    begin(&s, "hello", 1);
    number(&s, "version", 1ll << 32);
    refuse(&s, NP_HELLO, "version", "version: 4294967296, expected an integer from 0 to 4294967295");
    begin(&s, "hello", 1);
    text(&s, "version");
    msgpack_pack_nil(&s.p);
    refuse(&s, NP_HELLO, "version", "version: nil, expected an integer from 0 to 4294967295");
    begin(&s, "hello", 2);
    number(&s, "version", 1);
    number(&s, "version", 1);
    refuse(&s, NP_HELLO, "version", "version: given twice");
    begin(&s, "tiles.get", 4);
    number(&s, "world", 1);
    word(&s, "profile", "human");
    word(&s, "encoding", "json");
    text(&s, "tiles");
    msgpack_pack_array(&s.p, 0);
    refuse(&s, NP_TILES_GET, "encoding", "encoding: \"json\", expected \"navd\" or \"detour\" or \"packed\"");
    begin(&s, "tiles.get", 3);
    number(&s, "world", 1);
    word(&s, "profile", "human");
    text(&s, "tiles");
    msgpack_pack_array(&s.p, 1);
    msgpack_pack_array(&s.p, 4);
    for (int i = 0; i < 4; i++) msgpack_pack_int(&s.p, i);
    refuse(&s, NP_TILES_GET, "tiles[0]", "tiles[0]: an array of 4, expected [x, z, sheet (optional)]");
}
END_TEST

START_TEST(numbers_that_are_not_finite_are_refused)
{
    script s;
    begin(&s, "tiles.focus", 2);
    number(&s, "subscription", 1);
    doubles(&s, "focus", 2, (const double[]){1, NAN});
    refuse(&s, NP_TILES_FOCUS, "focus[1]", "focus[1]: nan, expected a finite number");
    float transform[12] = NAV_TRANSFORM_IDENTITY;
    transform[7] = -INFINITY;
    begin(&s, "world.edit", 2);
    number(&s, "world", 7);
    text(&s, "ops");
    msgpack_pack_array(&s.p, 2);
    msgpack_pack_map(&s.p, 2);
    word(&s, "op", "remove_link");
    number(&s, "id", 1);
    msgpack_pack_map(&s.p, 3);
    word(&s, "op", "move_instance");
    number(&s, "id", 1);
    bin(&s, "transform", transform, sizeof transform);
    refuse(&s, NP_WORLD_EDIT, "ops[1].transform[7]", "ops[1].transform[7]: inf, expected a finite number");
    begin(&s, "world.edit", 2);
    number(&s, "world", 7);
    text(&s, "ops");
    msgpack_pack_array(&s.p, 1);
    msgpack_pack_map(&s.p, 3);
    word(&s, "op", "move_instance");
    number(&s, "id", 1);
    bin(&s, "transform", transform, 44);
    refuse(&s, NP_WORLD_EDIT, "ops[0].transform",
           "ops[0].transform: a bin of 44 bytes, expected 12 finite numbers, as an array or as a bin of float32");
}
END_TEST

START_TEST(an_error_in_an_edit_carries_the_number_of_its_operation)
{
    script s;
    begin(&s, "world.edit", 2);
    number(&s, "world", 7);
    text(&s, "ops");
    msgpack_pack_array(&s.p, 2);
    msgpack_pack_map(&s.p, 2);
    word(&s, "op", "remove_instance");
    number(&s, "id", 1);
    msgpack_pack_map(&s.p, 2);
    word(&s, "op", "remove_instance");
    number(&s, "id", -1);
    np_world_edit_request m;
    np_message in;
    np_error err, back;
    ck_assert_int_eq(run(&s, NP_WORLD_EDIT, &m, &in, &err), NAV_ERR_ARGUMENT);
    ck_assert(err.has_op);
    ck_assert_uint_eq(err.op, 1);
    nav_buffer out = {0};
    ck_assert_int_eq(np_error_encode(&out, in.id, &err), NAV_OK);
    end(&s, &in);

    ck_assert_int_eq(np_message_read(out.data, out.size, &in, &back), NAV_OK);
    np_world_edit_response answer;
    ck_assert_int_eq(np_decode_world_edit_response(&in, &answer, &back), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(back.message, err.message);
    ck_assert_str_eq(back.key, "ops[1].id");
    ck_assert(back.has_op);
    ck_assert_uint_eq(back.op, 1);
    np_message_deinit(&in);
    nav_buffer_deinit(&out);
}
END_TEST

START_TEST(errors_of_a_foreign_shape_are_still_errors)
{
    static const struct {
        uint8_t bytes[12];
        size_t count;
        const char *message;
    } foreign[] = {
        {{0x94, 1, 1, 0xa4, 'o', 'o', 'p', 's', 0xc0}, 9, "oops"},
        {{0x94, 1, 1, 0xc3, 0xc0}, 5, "the peer reports an error without a message"},
        {{0x94, 1, 1, 0x81, 0xa4, 'c', 'o', 'd', 'e', 0xa1, 'x', 0xc0}, 12, ""},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        np_message in;
        np_error err;
        np_stats_response m;
        ck_assert_int_eq(np_message_read(foreign[i].bytes, foreign[i].count, &in, &err), NAV_OK);
        ck_assert_int_eq(np_decode_stats_response(&in, &m, &err), NAV_ERR_INTERNAL);
        ck_assert_str_eq(err.message, foreign[i].message);
        np_message_deinit(&in);
    }
}
END_TEST

START_TEST(a_tile_note_without_its_bytes_is_all_that_comes_before_them)
{
    static const uint8_t data[300] = {1, 2, 3};
    np_tile_note note = {.subscription = 1,
                         .world = 2,
                         .profile = np_str_of("human"),
                         .tile = {.size = 900, .data = {data, sizeof data}}};
    nav_buffer whole = {0}, head = {0};
    ck_assert_int_eq(np_encode_tile_note(&whole, &note), NAV_OK);
    note.tile.data.data = NULL;
    ck_assert_int_eq(np_encode_tile_note(&head, &note), NAV_OK);
    ck_assert_uint_eq(head.size + sizeof data, whole.size);
    ck_assert_mem_eq(head.data, whole.data, head.size);
    ck_assert_mem_eq(whole.data + head.size, data, sizeof data);
    nav_buffer_deinit(&whole);
    nav_buffer_deinit(&head);
}
END_TEST

START_TEST(a_notification_and_a_method_of_one_name_are_kept_apart)
{
    static const uint8_t request[] = {0x94, 0, 1, 0xa4, 't', 'i', 'l', 'e', 0x80};
    static const uint8_t note[] = {0x93, 2, 0xa5, 's', 't', 'a', 't', 's', 0x80};
    np_message in;
    np_error err;
    ck_assert_int_eq(np_message_read(request, sizeof request, &in, &err), NAV_OK);
    ck_assert_int_eq(np_method_of(&in), NP_UNKNOWN);
    np_message_deinit(&in);
    ck_assert_int_eq(np_message_read(note, sizeof note, &in, &err), NAV_OK);
    ck_assert_int_eq(np_method_of(&in), NP_UNKNOWN);
    np_message_deinit(&in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("messages");
    TCase *t = tcase_create("messages");
    suite_add_tcase(s, t);
    tcase_add_loop_test(t, every_example_is_read_back_to_the_same_bytes, 0, (int)example_count());
    tcase_add_test(t, every_message_has_an_example);
    tcase_add_test(t, the_square_of_the_examples_has_the_hash_they_say);
    tcase_add_test(t, a_hand_written_edit_arrives_with_its_values_and_defaults);
    tcase_add_test(t, params_may_be_a_map_or_an_array_of_one_map_or_nothing);
    tcase_add_loop_test(t, every_example_is_read_with_bins_for_strs_and_strs_for_bins, 0, 2 * (int)example_count());
    tcase_add_test(t, what_is_no_msgpack_rpc_is_a_format_error);
    tcase_add_test(t, a_missing_key_is_named_with_what_was_expected);
    tcase_add_test(t, a_wrong_value_is_shown_with_what_was_expected);
    tcase_add_test(t, numbers_that_are_not_finite_are_refused);
    tcase_add_test(t, an_error_in_an_edit_carries_the_number_of_its_operation);
    tcase_add_test(t, errors_of_a_foreign_shape_are_still_errors);
    tcase_add_test(t, a_tile_note_without_its_bytes_is_all_that_comes_before_them);
    tcase_add_test(t, a_notification_and_a_method_of_one_name_are_kept_apart);
    return run_suite(s);
}
