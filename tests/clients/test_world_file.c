// A world's file: whatever is cut off, changed or made up, the reader says so and neither crashes nor grows.
#include "clients/navctl/world_file/world_file.h"
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { NO_LIMIT = 1 << 30 };

static void add_open(nav_buffer *out)
{
    np_world_open_request r = {.name = np_str_of("w"), .create = true};
    ck_assert_int_eq(np_encode_world_open_request(out, 1, &r), NAV_OK);
}

static void add_edit(nav_buffer *out, uint64_t id)
{
    np_op op = {.kind = NP_OP_PUT_VOLUME,
                .id = id,
                .u.volume = {.point_count = 3, .points = {0, 0, 4, 0, 4, 4}, .min_y = -1, .max_y = 3, .area = 5}};
    np_world_edit_request r = {.op_count = 1, .ops = &op};
    ck_assert_int_eq(np_encode_world_edit_request(out, 2, &r), NAV_OK);
}

// A small good file; returns its bytes.
static uint8_t *small_file(const char *path, size_t *count)
{
    world_writer w;
    nav_buffer b = {0};
    add_open(&b);
    for (uint64_t i = 0; i < 20; i++) add_edit(&b, i * i * 7919);
    ck_assert(world_writer_open(&w, path));
    ck_assert(world_writer_add(&w, &b, 21));
    w.counts.objects = 20;
    ck_assert(world_writer_commit(&w));
    world_writer_discard(&w);
    nav_buffer_deinit(&b);
    return read_file(path, count);
}

// Reads to the end. Returns what ends it; *messages: how many came before.
static nav_status read_all(const char *path, uint64_t max_bytes, uint64_t *messages)
{
    world_reader r;
    np_message m;
    nav_status s = world_reader_open(&r, path, max_bytes);
    *messages = 0;
    while (s == NAV_OK) {
        s = world_reader_next(&r, &m);
        *messages += s == NAV_OK;
        np_message_deinit(&m);
    }
    if (s != NAV_ERR_CLOSED) ck_assert_msg(r.why[0] != 0, "%s: no words", nav_status_name(s));
    world_reader_close(&r);
    return s;
}

START_TEST(what_is_written_is_read_and_read_again)
{
    size_t count;
    const char *path = temp_path("w.navdworld");
    world_reader r;
    np_message m;
    free(small_file(path, &count));
    ck_assert_int_eq(world_reader_open(&r, path, NO_LIMIT), NAV_OK);
    ck_assert_uint_eq(r.counts.messages, 21);
    ck_assert_uint_eq(r.counts.objects, 20);
    for (int round = 0; round < 2; round++) {
        nav_status s;
        int messages = 0;
        for (;;) {
            s = world_reader_next(&r, &m);
            if (s == NAV_OK) ck_assert_int_eq(np_method_of(&m), messages++ ? NP_WORLD_EDIT : NP_WORLD_OPEN);
            np_message_deinit(&m);
            if (s != NAV_OK) break;
        }
        ck_assert_int_eq(s, NAV_ERR_CLOSED);
        ck_assert_int_eq(messages, 21);
        ck_assert_int_eq(world_reader_rewind(&r), NAV_OK);
    }
    world_reader_close(&r);
}
END_TEST

START_TEST(every_prefix_is_refused)
{
    size_t count;
    uint64_t messages;
    uint8_t *bytes = small_file(temp_path("whole"), &count);
    const char *path = temp_path("cut");
    for (size_t n = 0; n < count; n++) {
        write_file(path, bytes, n);
        nav_status s = read_all(path, NO_LIMIT, &messages);
        ck_assert_msg(s != NAV_ERR_CLOSED, "%zu of %zu bytes are taken for a whole file", n, count);
        ck_assert_uint_eq(messages, 0); // before anything of it is used
    }
    free(bytes);
}
END_TEST

START_TEST(every_changed_byte_is_noticed_before_anything_is_used)
{
    size_t count;
    uint64_t messages;
    uint8_t *bytes = small_file(temp_path("whole"), &count);
    const char *path = temp_path("changed");
    for (size_t n = 0; n < count; n++) {
        bytes[n] ^= (uint8_t)(1 << (n % 8));
        write_file(path, bytes, count);
        nav_status s = read_all(path, NO_LIMIT, &messages);
        ck_assert_msg(s != NAV_ERR_CLOSED, "a change of byte %zu is not noticed", n);
        ck_assert_uint_eq(messages, 0);
        bytes[n] ^= (uint8_t)(1 << (n % 8));
    }
    free(bytes);
}
END_TEST

START_TEST(bytes_behind_the_end_are_noticed)
{
    size_t count;
    uint64_t messages;
    uint8_t *bytes = small_file(temp_path("whole"), &count);
    uint8_t *longer = calloc(1, count + 1);
    memcpy(longer, bytes, count);
    write_file(temp_path("longer"), longer, count + 1);
    ck_assert_int_eq(read_all(temp_path("longer"), NO_LIMIT, &messages), NAV_ERR_FORMAT);
    free(longer);
    free(bytes);
}
END_TEST

// A file with good checksums and any content: what somebody who means harm would make. claimed: in the header, 0: true.
static void write_made_up(const char *path, const uint8_t *part, size_t part_bytes, uint64_t repeat, uint64_t claimed)
{
    world_writer w;
    nav_buffer b = {.data = (uint8_t *)(uintptr_t)part, .size = part_bytes};
    ck_assert(world_writer_open(&w, path));
    for (uint64_t i = 0; i < repeat; i++) ck_assert(world_writer_add(&w, &b, 1));
    if (claimed) w.counts.unpacked_bytes = claimed;
    ck_assert(world_writer_commit(&w));
    world_writer_discard(&w);
}

START_TEST(a_frame_that_unpacks_to_far_more_than_allowed_is_refused_by_its_header)
{
    nav_buffer b = {0};
    uint64_t messages;
    add_open(&b);
    write_made_up(temp_path("bomb"), b.data, b.size, 100, UINT64_C(100) << 30);
    ck_assert_int_eq(read_all(temp_path("bomb"), UINT64_C(32) << 30, &messages), NAV_ERR_LIMIT);
    ck_assert_uint_eq(messages, 0);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_frame_that_unpacks_to_more_than_its_header_says_is_stopped_there)
{
    enum { CLAIMED = 3000 };
    nav_buffer b = {0};
    uint64_t messages;
    add_open(&b);
    write_made_up(temp_path("bomb"), b.data, b.size, 2000000 / b.size, CLAIMED);
    ck_assert_int_eq(read_all(temp_path("bomb"), NO_LIMIT, &messages), NAV_ERR_FORMAT);
    ck_assert_uint_le(messages, CLAIMED / b.size);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(one_message_cannot_be_larger_than_messages_are)
{
    // An array of 4 whose third member is a string of 1 GiB, and zeros: refused at the header of the string.
    static const uint8_t head[] = {0x94, 0, 1, 0xdb, 0x40, 0, 0, 0};
    uint64_t messages;
    uint8_t *part = calloc(1, 1 << 20);
    memcpy(part, head, sizeof head);
    write_made_up(temp_path("large"), part, 1 << 20, 64, 0);
    ck_assert_int_eq(read_all(temp_path("large"), NO_LIMIT, &messages), NAV_ERR_LIMIT);
    memset(part, 0, 1 << 20); // integers: no messages at all
    write_made_up(temp_path("zeros"), part, 1 << 20, 64, 0);
    ck_assert_int_eq(read_all(temp_path("zeros"), NO_LIMIT, &messages), NAV_ERR_FORMAT);
    free(part);
}
END_TEST

// A file of these packed bytes, with header and checksums as docs/formats.md has them.
static void write_packed(const char *path, const uint8_t *packed, size_t count, uint64_t unpacked, uint64_t messages)
{
    uint8_t *file = calloc(1, WORLD_FILE_HEADER_BYTES + count);
    memcpy(file, "navdwrld", 8);
    nav_store_u32(file + 8, 1);
    nav_store_u64(file + 16, count);
    nav_store_u64(file + 24, unpacked);
    nav_store_u64(file + 32, messages);
    nav_store_u64(file + 56, XXH3_64bits(packed, count));
    nav_store_u32(file + 12, (uint32_t)XXH3_64bits(file, WORLD_FILE_HEADER_BYTES));
    memcpy(file + WORLD_FILE_HEADER_BYTES, packed, count);
    write_file(path, file, WORLD_FILE_HEADER_BYTES + count);
    free(file);
}

// As zstd packs it, with a window of 2^log bytes.
static nav_status read_with_window(int log)
{
    uint64_t messages;
    ZSTD_CCtx *packer = ZSTD_createCCtx();
    nav_buffer b = {0};
    uint8_t packed[4096];
    add_open(&b);
    ZSTD_CCtx_setParameter(packer, ZSTD_c_windowLog, log);
    ZSTD_inBuffer in = {b.data, b.size, 0};
    ZSTD_outBuffer out = {packed, sizeof packed, 0};
    ZSTD_compressStream2(packer, &out, &in, ZSTD_e_flush); // its size is not known at the beginning
    ck_assert_uint_eq(ZSTD_compressStream2(packer, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(packer);
    write_packed(temp_path("window"), packed, out.pos, b.size, 1);
    nav_buffer_deinit(&b);
    return read_all(temp_path("window"), NO_LIMIT, &messages);
}

START_TEST(a_window_that_would_take_much_memory_is_refused)
{
    ck_assert_int_eq(read_with_window(20), NAV_ERR_CLOSED);
    ck_assert_int_eq(read_with_window(27), NAV_ERR_FORMAT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world_file");
    TCase *t = tcase_create("world_file");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    tcase_add_test(t, what_is_written_is_read_and_read_again);
    tcase_add_test(t, every_prefix_is_refused);
    tcase_add_test(t, every_changed_byte_is_noticed_before_anything_is_used);
    tcase_add_test(t, bytes_behind_the_end_are_noticed);
    tcase_add_test(t, a_frame_that_unpacks_to_far_more_than_allowed_is_refused_by_its_header);
    tcase_add_test(t, a_frame_that_unpacks_to_more_than_its_header_says_is_stopped_there);
    tcase_add_test(t, one_message_cannot_be_larger_than_messages_are);
    tcase_add_test(t, a_window_that_would_take_much_memory_is_refused);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
