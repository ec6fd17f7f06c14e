// Examples with some bytes changed, cut, doubled or moved, always the same ones: each is a message, a wait for more, or
// an error, and none leaves memory behind or takes more than its size allows.
#include "tests/check.h"
#include "tests/protocol/examples.h"
#include "tests/protocol/heap_watch.h"

#include <stdlib.h>
#include <string.h>

enum { MUTATIONS = 100000, PARTS = 10, ROOM = 4096 };

// xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)((next_random(state) >> 32) * n >> 32);
}

static size_t mutate(uint8_t *bytes, size_t count, uint64_t *state)
{
    static const uint8_t telling[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc4, 0xc6, 0xc9,
                                      0xca, 0xcb, 0xcf, 0xd0, 0xd3, 0xd9, 0xdb, 0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xff};
    uint32_t changes = 1 + below(state, 4);
    for (uint32_t i = 0; i < changes && count > 1; i++) {
        size_t at = below(state, (uint32_t)count);
        switch (below(state, 6)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << below(state, 8));
            break;
        case 1:
            bytes[at] = (uint8_t)below(state, 256);
            break;
        case 2:
            bytes[at] = telling[below(state, sizeof telling)];
            break;
        case 3: // cut
            count = at + 1;
            break;
        case 4: // take one out
            memmove(bytes + at, bytes + at + 1, count - at - 1);
            count--;
            break;
        default: // double a piece
            if (2 * count - at > ROOM) break;
            memmove(bytes + count, bytes + at, count - at);
            count += count - at;
            break;
        }
    }
    return count;
}

typedef struct tally {
    uint32_t valid, refused, waiting, broken;
} tally;

static void try_one(const example *e, const uint8_t *bytes, size_t count, tally *t)
{
    np_reader r;
    const uint8_t *message;
    size_t size;
    nav_status st;
    ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
    ck_assert_int_eq(np_reader_feed(&r, bytes, count), NAV_OK);
    while ((st = np_reader_next(&r, &message, &size)) == NAV_OK) {
        uint8_t *exact = malloc(size);
        memcpy(exact, message, size);
        nav_buffer again = {0};
        np_error err = {0};
        nav_status read = example_decode(e, exact, size, &again, &err);
        ck_assert(read != NAV_ERR_INTERNAL || e->kind == NP_RESPONSE); // the code for a peer's error that says nothing
        ck_assert_int_ne(read, NAV_ERR_MEMORY);
        if (read == NAV_OK)
            t->valid++;
        else
            t->refused++;
        nav_buffer_deinit(&again);
        free(exact);
    }
    if (st == NAV_ERR_AGAIN)
        t->waiting++;
    else
        t->broken++;
    np_reader_deinit(&r);
}

START_TEST(mutated_examples_give_a_message_or_an_error_and_leave_no_memory)
{
    tally t = {0};
    uint64_t state = 0x9e3779b97f4a7c15ull + (uint64_t)_i;
    uint8_t bytes[ROOM];
    nav_buffer whole[256] = {0};
    ck_assert_uint_le(example_count(), 256);
    for (uint32_t i = 0; i < example_count(); i++) ck_assert_int_eq(example_encode(example_at(i), &whole[i]), NAV_OK);
    size_t before = heap_watch_start();
    for (int i = 0; i < MUTATIONS / PARTS; i++) {
        uint32_t which = below(&state, example_count());
        ck_assert_uint_le(whole[which].size, ROOM);
        memcpy(bytes, whole[which].data, whole[which].size);
        size_t count = mutate(bytes, whole[which].size, &state);
        try_one(example_at(which), bytes, count, &t);
    }
    ck_assert_uint_eq(heap_watch_now(), before);
    ck_assert_uint_le(heap_watch_peak() - before, 64 * ROOM); // a struct for each of its elements, at the most
    // the mutations reach all ends, or they would prove nothing
    ck_assert_uint_gt(t.valid, 100);
    ck_assert_uint_gt(t.refused, 100);
    ck_assert_uint_gt(t.waiting, 100);
    ck_assert_uint_gt(t.broken, 100);
    for (uint32_t i = 0; i < example_count(); i++) nav_buffer_deinit(&whole[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mutations");
    TCase *t = tcase_create("mutations");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, mutated_examples_give_a_message_or_an_error_and_leave_no_memory, 0, PARTS);
    return run_suite(s);
}
