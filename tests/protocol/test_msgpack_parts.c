// What stands in for msgpack-c's library where only its headers are, compared with the library on bytes of all kinds:
// the same objects, and the same opinion of bytes that are cut short or damaged.
#include "protocol/frame.h"
#include "tests/check.h"

#define msgpack_unpack_next parts_unpack_next
#define msgpack_zone_free parts_zone_free
#define msgpack_zone_malloc_expand parts_zone_malloc_expand
#include "protocol/msgpack_parts.c" // NOLINT(bugprone-suspicious-include): both in one program, under other names
#undef msgpack_unpack_next
#undef msgpack_zone_free
#undef msgpack_zone_malloc_expand

// The library's, which the names above have hidden.
extern msgpack_unpack_return msgpack_unpack_next(msgpack_unpacked *result, const char *data, size_t len, size_t *off);
extern void msgpack_zone_free(msgpack_zone *zone);

static uint64_t state;
static unsigned compared;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static int write_bytes(void *user, const char *bytes, size_t count)
{
    return msgpack_sbuffer_write(user, bytes, count);
}

static void pack_any(msgpack_packer *p, int depth)
{
    static const char text[70000];
    static const size_t sizes[] = {0, 1, 2, 4, 8, 15, 16, 31, 32, 255, 256, 65535, 65536};
    size_t size = sizes[draw(depth < 2 ? 13 : 9)];
    uint64_t number = (uint64_t)draw(1u << 31) << draw(34);
    switch (draw(depth < 6 ? 11 : 8)) {
    case 0:
        msgpack_pack_nil(p);
        break;
    case 1:
        draw(2) ? msgpack_pack_true(p) : msgpack_pack_false(p);
        break;
    case 2:
        msgpack_pack_uint64(p, number >> draw(64));
        break;
    case 3:
        msgpack_pack_int64(p, -(int64_t)(number >> draw(64)) - 1);
        break;
    case 4:
        msgpack_pack_double(p, (double)number / 3);
        break;
    case 5:
        msgpack_pack_float(p, (float)number / 7);
        break;
    case 6:
        msgpack_pack_str(p, size);
        msgpack_pack_str_body(p, text, size);
        break;
    case 7:
        if (draw(2)) {
            msgpack_pack_bin(p, size);
            msgpack_pack_bin_body(p, text, size);
        } else {
            msgpack_pack_ext(p, size, (int8_t)draw(256));
            msgpack_pack_ext_body(p, text, size);
        }
        break;
    case 8:
        size = draw(20);
        msgpack_pack_array(p, size);
        for (size_t i = 0; i < size; i++) pack_any(p, depth + 1);
        break;
    case 9:
        size = draw(20);
        msgpack_pack_map(p, size);
        for (size_t i = 0; i < 2 * size; i++) pack_any(p, depth + 1);
        break;
    default:
        msgpack_pack_array(p, 1);
        pack_any(p, depth + 1);
    }
}

// Not-a-number is equal to itself here.
static bool are_equal(msgpack_object a, msgpack_object b)
{
    msgpack_sbuffer packed[2];
    for (int i = 0; i < 2; i++) {
        msgpack_packer packer;
        msgpack_sbuffer_init(&packed[i]);
        msgpack_packer_init(&packer, &packed[i], write_bytes);
        msgpack_pack_object(&packer, i ? b : a);
    }
    bool equal = packed[0].size == packed[1].size && !memcmp(packed[0].data, packed[1].data, packed[0].size);
    for (int i = 0; i < 2; i++) msgpack_sbuffer_destroy(&packed[i]);
    return equal;
}

// Both read these bytes, from memory that ends where they do. Bytes that claim too much are left out: they come no
// further than the framing, and the library would ask for the memory.
static void compare(const char *bytes, size_t count)
{
    np_limits limits;
    np_scan scan = {0};
    char why[NP_WHY_BYTES];
    np_limits_default(&limits);
    limits.depth = NP_MAX_DEPTH;
    nav_status framed = np_scan_run(&scan, &limits, (const uint8_t *)bytes, count, why, sizeof why);
    if (framed == NAV_ERR_LIMIT) return;
    compared++;
    char *exact = malloc(count + !count);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, count);
    msgpack_unpacked library, parts;
    msgpack_unpacked_init(&library);
    msgpack_unpacked_init(&parts);
    size_t library_end = 0, parts_end = 0;
    msgpack_unpack_return l = msgpack_unpack_next(&library, exact, count, &library_end);
    msgpack_unpack_return p = parts_unpack_next(&parts, exact, count, &parts_end);
    ck_assert_msg((l > 0) == (p > 0), "the library says %d of %zu bytes, the parts say %d", l, count, p);
    if (l > 0) {
        ck_assert_uint_eq(library_end, parts_end);
        ck_assert(are_equal(library.data, parts.data));
    }
    if (library.zone) msgpack_zone_free(library.zone);
    if (parts.zone) parts_zone_free(parts.zone);
    free(exact);
}

START_TEST(objects_are_those_of_the_library_whole_cut_and_damaged)
{
    for (uint64_t seed = 1; seed < 250; seed++) {
        state = seed;
        msgpack_sbuffer out;
        msgpack_packer packer;
        msgpack_sbuffer_init(&out);
        msgpack_packer_init(&packer, &out, write_bytes);
        pack_any(&packer, 0);
        compare(out.data, out.size);
        for (int i = 0; i < 20; i++) compare(out.data, draw((uint32_t)out.size));
        for (int i = 0; i < 20; i++) {
            size_t at = draw((uint32_t)(out.size < 200 ? out.size : 200));
            char before = out.data[at];
            out.data[at] = (char)draw(256);
            compare(out.data, out.size);
            out.data[at] = before;
        }
        msgpack_sbuffer_destroy(&out);
    }
    ck_assert_uint_gt(compared, 5000);
}
END_TEST

START_TEST(all_short_inputs_are_judged_alike)
{
    char bytes[3];
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            bytes[0] = (char)a;
            bytes[1] = (char)b;
            bytes[2] = 0;
            for (size_t count = 1; count <= 3; count++) compare(bytes, count);
        }
    }
}
END_TEST

START_TEST(depth_is_bounded_as_in_the_library)
{
    char bytes[64];
    for (size_t depth = 1; depth <= 40; depth++) {
        memset(bytes, (char)0x91, depth);
        bytes[depth] = 1;
        if (depth <= NP_MAX_DEPTH) compare(bytes, depth + 1);
        msgpack_unpacked parts;
        msgpack_unpacked_init(&parts);
        size_t end = 0;
        ck_assert_int_eq(parts_unpack_next(&parts, bytes, depth + 1, &end),
                         depth <= 32 ? MSGPACK_UNPACK_SUCCESS : MSGPACK_UNPACK_NOMEM_ERROR);
        if (parts.zone) parts_zone_free(parts.zone);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("msgpack_parts");
    TCase *c = tcase_create("all");
    tcase_add_test(c, objects_are_those_of_the_library_whole_cut_and_damaged);
    tcase_add_test(c, all_short_inputs_are_judged_alike);
    tcase_add_test(c, depth_is_bounded_as_in_the_library);
    suite_add_tcase(s, c);
    return run_suite(s);
}
