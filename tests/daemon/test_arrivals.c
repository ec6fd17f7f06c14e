// Messages of the log become entries: whole ones, some whose beginning came before, and some that never end.
#include "daemon/replica/arrivals.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { WORLD = 7 };

static nd_arrivals arrivals;
static uint64_t sequence;

static void begin(void)
{
    nd_arrivals_init(&arrivals);
    sequence = 0;
}

static void end(void)
{
    nd_arrivals_clear(&arrivals);
}

// Is anything whole with it?
static bool add_part(uint64_t number, uint32_t part, uint32_t parts, const char *text)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer bytes = {0};
    bool whole;
    const nd_entry e = {.epoch = 1,
                        .number = number,
                        .world = WORLD,
                        .part = part,
                        .parts = parts,
                        .bytes = (const uint8_t *)text,
                        .count = strlen(text)};
    ck_assert_int_eq(nd_entry_write(&bytes, &e), NAV_OK);
    nd_log_subject("farm", "space", WORLD, subject);
    const nd_feed_message m = {subject, ++sequence, bytes.data, bytes.size};
    ck_assert_int_eq(nd_arrivals_add(&arrivals, "farm", &m, &whole), NAV_OK);
    nav_buffer_deinit(&bytes);
    return whole;
}

static void must_be(const char *text)
{
    const nd_arrival *a = arrivals.queue.first;
    ck_assert_ptr_nonnull(a);
    ck_assert_uint_eq(a->sequence, sequence);
    ck_assert_int_eq(a->is_torn, !text);
    if (text) ck_assert_uint_eq(a->records.size, strlen(text));
    if (text) ck_assert_mem_eq(a->records.data, text, strlen(text));
    nd_arrivals_drop(&arrivals);
    ck_assert_ptr_null(arrivals.queue.first);
}

START_TEST(parts_become_one_entry)
{
    ck_assert(add_part(1, 0, 1, "whole"));
    must_be("whole");
    ck_assert(!add_part(2, 0, 3, "in "));
    ck_assert(!add_part(2, 1, 3, "three "));
    ck_assert(add_part(2, 2, 3, "parts"));
    must_be("in three parts");
}
END_TEST

// A feed that begins between two parts: the entry must not be missed, as the world's state may be older.
START_TEST(an_entry_that_had_begun_before_is_torn)
{
    ck_assert(!add_part(1, 1, 3, "two "));
    ck_assert(add_part(1, 2, 3, "three"));
    must_be(NULL);
    ck_assert(add_part(2, 0, 1, "whole"));
    must_be("whole");
}
END_TEST

START_TEST(an_entry_that_does_not_end_is_dropped)
{
    ck_assert(!add_part(1, 0, 2, "half"));
    ck_assert(add_part(2, 0, 1, "whole"));
    must_be("whole");
    ck_assert(!add_part(3, 0, 2, "half"));
    ck_assert(add_part(4, 1, 2, "of another"));
    must_be(NULL);
}
END_TEST

START_TEST(what_is_no_entry_is_refused)
{
    bool whole;
    const nd_feed_message m = {"farm.space.log.7", 1, (const uint8_t *)"x", 1};
    ck_assert_int_eq(nd_arrivals_add(&arrivals, "farm", &m, &whole), NAV_ERR_FORMAT);
    ck_assert(!whole);
    ck_assert_ptr_null(arrivals.queue.first);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("arrivals");
    TCase *t = tcase_create("arrivals");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, begin, end);
    tcase_add_test(t, parts_become_one_entry);
    tcase_add_test(t, an_entry_that_had_begun_before_is_torn);
    tcase_add_test(t, an_entry_that_does_not_end_is_dropped);
    tcase_add_test(t, what_is_no_entry_is_refused);
    return run_suite(s);
}
