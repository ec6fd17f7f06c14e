#include "core/base/endian.h"
#include "daemon/disk/database.h"
#include "tests/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static const char *const tables[] = {"small", "large"};

static void make_folder(void)
{
    strcpy(folder, "/tmp/navd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char path[128];
    const char *const files[] = {"data.mdb", "lock.mdb", "data.damaged"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

static nd_database *open_database(void)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    nd_database_opening opening;
    nd_database *d = NULL;
    nd_database_options o = {.folder = folder, .tables = tables, .table_count = 2, .map_bytes = 64 << 20, .lazy = true};
    nav_status s = nd_database_open(&o, &d, &opening, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    return d;
}

static nd_txn *begin(nd_database *d)
{
    char why[ND_DATABASE_WHY_BYTES];
    nd_txn *t = NULL;
    ck_assert_int_eq(nd_database_begin_write(d, &t, why, sizeof why), NAV_OK);
    return t;
}

static void commit(nd_txn *t)
{
    char why[ND_DATABASE_WHY_BYTES];
    nav_status s = nd_txn_commit(t, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
}

static void put_number(nd_txn *t, unsigned table, uint32_t key, size_t bytes)
{
    uint8_t k[4], *v = malloc(bytes + 1);
    nav_store_u32(k, key * 2654435761u);
    memset(v, (int)key, bytes);
    ck_assert_int_eq(nd_txn_put(t, table, (nd_bytes){k, 4}, (nd_bytes){v, bytes}), NAV_OK);
    free(v);
}

// A file with branches, tables, large values and free pages.
static void fill(uint32_t records)
{
    nd_database *d = open_database();
    for (uint32_t round = 0; round < 4; round++) {
        nd_txn *t = begin(d);
        for (uint32_t i = 0; i < records; i++) put_number(t, 0, i * (round + 1), 8 + (i + round) % 90);
        for (uint32_t i = 0; i < records / 16; i++) put_number(t, 1, i, 3000 + 1700 * ((i + round) % 5));
        for (uint32_t i = 0; i < records / 8; i++) {
            uint8_t k[4];
            nav_store_u32(k, i * 3 * 2654435761u);
            ck_assert_int_eq(nd_txn_delete(t, round % 2, (nd_bytes){k, 4}), NAV_OK);
        }
        commit(t);
    }
    nd_database_close(d);
}

typedef struct file {
    uint8_t *bytes;
    size_t size;
} file;

static file read_file(void)
{
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fstat(fd, &st), 0);
    file f = {malloc((size_t)st.st_size), (size_t)st.st_size};
    ck_assert_int_eq(read(fd, f.bytes, f.size), (ssize_t)f.size);
    close(fd);
    return f;
}

static void write_file(const file *f)
{
    char path[128];
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, f->bytes, f->size), (ssize_t)f->size);
    close(fd);
}

static void count_record(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    (void)table, (void)key;
    *(uint64_t *)user += value.data != NULL;
}

// Reads and writes everything, as navd would.
static void use_database(void)
{
    nd_database *d = open_database();
    for (unsigned table = 0; table < 2; table++) {
        nd_txn *t = begin(d);
        nd_cursor *c;
        nd_bytes key, value;
        uint64_t records = 0;
        ck_assert_int_eq(nd_cursor_open(t, table, &c), NAV_OK);
        nav_status s = nd_cursor_seek(c, (nd_bytes){0}, &key, &value);
        for (; s == NAV_OK || s == NAV_ERR_FORMAT; s = nd_cursor_next(c, &key, &value))
            if (records++ % 3 == 0) ck_assert_int_eq(nd_cursor_delete(c), NAV_OK);
        ck_assert_int_eq(s, NAV_ERR_NOT_FOUND);
        nd_cursor_close(c);
        for (uint32_t i = 0; i < 100; i++) put_number(t, table, i * 7, 500);
        commit(t);
    }
    nd_database_close(d);
}

START_TEST(a_new_and_a_worked_on_database_are_sound)
{
    make_folder();
    for (uint32_t records = 0; records <= 3000; records += 500) {
        fill(records);
        file f = read_file();
        nd_pages_report r;
        uint64_t visited = 0;
        nav_status s = nd_pages_walk(f.bytes, f.size, NULL, count_record, &visited, &r);
        ck_assert_msg(s == NAV_OK, "%u records: %s", records, r.first);
        ck_assert_uint_le(visited, r.records);
        ck_assert(records == 0 || visited > records / 2);
        free(f.bytes);
    }
    remove_folder();
}
END_TEST

START_TEST(a_database_that_shrinks_to_nothing_is_sound)
{
    make_folder();
    fill(2000);
    for (int round = 0; round < 12; round++) {
        use_database();
        file f = read_file();
        nd_pages_report r;
        nav_status s = nd_pages_walk(f.bytes, f.size, NULL, NULL, NULL, &r);
        ck_assert_msg(s == NAV_OK, "round %d: %s", round, r.first);
        free(f.bytes);
    }
    nd_database *d = open_database();
    for (unsigned table = 0; table < 2; table++) {
        nd_txn *t = begin(d);
        nd_cursor *c;
        nd_bytes key, value;
        ck_assert_int_eq(nd_cursor_open(t, table, &c), NAV_OK);
        while (nd_cursor_seek(c, (nd_bytes){0}, &key, &value) == NAV_OK) ck_assert_int_eq(nd_cursor_delete(c), NAV_OK);
        nd_cursor_close(c);
        commit(t);
    }
    nd_database_close(d);
    file f = read_file();
    nd_pages_report r;
    uint64_t visited = 0;
    ck_assert_int_eq(nd_pages_walk(f.bytes, f.size, NULL, count_record, &visited, &r), NAV_OK);
    ck_assert_uint_eq(visited, 0);
    free(f.bytes);
    remove_folder();
}
END_TEST

START_TEST(every_cut_of_a_file_is_refused_or_harmless)
{
    make_folder();
    fill(200);
    file f = read_file();
    nd_pages_report r;
    for (size_t size = 0; size < f.size; size += size < 8192 ? 61 : 1021) {
        uint8_t *exact = malloc(size ? size : 1); // so that the sanitizer sees a read behind it
        memcpy(exact, f.bytes, size);
        uint64_t visited = 0;
        (void)(nd_pages_walk(exact, size, NULL, count_record, &visited, &r) == NAV_OK);
        ck_assert(size >= 8192 || r.damaged > 0);
        free(exact);
    }
    free(f.bytes);
    remove_folder();
}
END_TEST

// The claim that the check is for: what it lets pass, LMDB reads and writes without harm.
START_TEST(damage_anywhere_is_refused_or_opens_and_works)
{
    make_folder();
    fill(150);
    file f = read_file(), bad = {malloc(f.size), f.size};
    uint32_t random = 12345;
    uint64_t refused = 0, passed = 0;
    nd_pages_report r;
    for (size_t at = 0; at < f.size; at += 1 + (random >> 8) % (at % 4096 < 64 ? 3 : 97)) {
        random = random * 1664525u + 1013904223u;
        memcpy(bad.bytes, f.bytes, f.size);
        size_t run = 1 + (random >> 28);
        for (size_t i = at; i < at + run && i < f.size; i++)
            bad.bytes[i] ^= (uint8_t)(1u << (random >> 24) % 8 | i % 5);
        if (nd_pages_walk(bad.bytes, bad.size, NULL, NULL, NULL, &r) != NAV_OK) {
            ck_assert(r.first[0]);
            refused++;
            continue;
        }
        passed++;
        if (passed % 8) continue; // each takes a few milliseconds
        write_file(&bad);
        use_database();
    }
    ck_assert_uint_gt(refused, 100);
    ck_assert_uint_gt(passed, 100); // in values, of which the checksums tell
    free(bad.bytes);
    free(f.bytes);
    remove_folder();
}
END_TEST

// --- single records ---

enum { MAX_KNOWN = 4096 };

typedef struct known_record {
    nd_bytes key, value; // stored: with the checksum in front
} known_record;

typedef struct known_records {
    const char *table;
    known_record records[MAX_KNOWN];
    size_t count;
} known_records;

static void know(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    known_records *k = user;
    if (strlen(k->table) != table.size || memcmp(k->table, table.data, table.size) != 0) return;
    ck_assert_uint_lt(k->count, MAX_KNOWN);
    k->records[k->count++] = (known_record){key, value};
}

static known_records *know_table(const file *f, const char *table)
{
    nd_pages_report r;
    known_records *k = calloc(1, sizeof *k);
    ck_assert_ptr_nonnull(k);
    k->table = table;
    ck_assert_int_eq(nd_pages_walk(f->bytes, f->size, NULL, know, k, &r), NAV_OK);
    ck_assert_uint_gt(k->count, 5);
    return k;
}

static void expect_some(nd_pages_table *t, const known_records *k, size_t first)
{
    nd_bytes keys[ND_PAGES_EXPECTED];
    size_t count = 0;
    for (size_t n = first; n < k->count && count < ND_PAGES_EXPECTED; n++) {
        keys[count] = k->records[n].key;
        if (n % 5 == 0) keys[count].size = 3; // not there
        count++;
    }
    nd_pages_expect(t, keys, count);
}

START_TEST(a_single_record_is_the_one_that_the_walk_finds)
{
    make_folder();
    fill(1000);
    file f = read_file();
    nd_pages_table *t;
    nd_bytes value;
    for (int i = 0; i < 2; i++) {
        known_records *k = know_table(&f, tables[i]);
        ck_assert_int_eq(nd_pages_open(f.bytes, f.size, (nd_bytes){tables[i], strlen(tables[i])}, &t), NAV_OK);
        for (size_t n = 0; n < k->count; n++) {
            ck_assert_int_eq(nd_pages_get(t, k->records[n].key, &value), NAV_OK);
            ck_assert_ptr_eq(value.data, k->records[n].value.data);
            ck_assert_uint_eq(value.size, k->records[n].value.size);
            nd_bytes less = {k->records[n].key.data, 3};
            ck_assert_int_eq(nd_pages_get(t, less, &value), NAV_ERR_NOT_FOUND);
        }
        ck_assert_int_eq(nd_pages_get(t, (nd_bytes){"\xff\xff\xff\xff\xff", 5}, &value), NAV_ERR_NOT_FOUND);
        for (size_t n = 0; n < 2 * k->count; n++) { // backwards, then here and there
            const known_record *r = &k->records[n < k->count ? k->count - 1 - n : n * 7919 % k->count];
            ck_assert_int_eq(nd_pages_get(t, r->key, &value), NAV_OK);
            ck_assert_ptr_eq(value.data, r->value.data);
        }
        for (size_t n = 0; n < k->count; n++) { // announced, in that order and in another one
            const known_record *r = &k->records[n % 3 ? n : k->count - 1 - n];
            if (n % ND_PAGES_EXPECTED == 0) expect_some(t, k, n);
            ck_assert_int_eq(nd_pages_get(t, r->key, &value), NAV_OK);
            ck_assert_ptr_eq(value.data, r->value.data);
            ck_assert_uint_eq(value.size, r->value.size);
        }
        nd_pages_close(t);
        free(k);
    }
    ck_assert_int_eq(nd_pages_open(f.bytes, f.size, (nd_bytes){"other", 5}, &t), NAV_ERR_NOT_FOUND);
    free(f.bytes);
    remove_folder();
}
END_TEST

// The walk would have refused most of these files.
START_TEST(a_single_record_of_a_damaged_file_is_right_or_refused)
{
    make_folder();
    fill(150);
    file f = read_file();
    uint32_t random = 54321;
    uint64_t right = 0, refused = 0;
    known_records *k = know_table(&f, "large");
    for (size_t at = 0; at < f.size; at += 1 + (random >> 8) % 97) {
        random = random * 1664525u + 1013904223u;
        nd_pages_table *t;
        file bad = {malloc(f.size), f.size}; // each again: a read beyond it is seen by the sanitizer
        memcpy(bad.bytes, f.bytes, f.size);
        for (size_t i = at; i < at + 1 + (random >> 28) && i < f.size; i++) bad.bytes[i] ^= (uint8_t)(random >> 16 | 1);
        if (random % 5 == 0) bad.size = at;
        bool open = nd_pages_open(bad.bytes, bad.size, (nd_bytes){"large", 5}, &t) == NAV_OK;
        for (size_t n = 0; open && n < k->count; n++) {
            const known_record *r = &k->records[n];
            nd_bytes got;
            if (n % (2 * ND_PAGES_EXPECTED) == 0) expect_some(t, k, n);
            bool good = nd_pages_get(t, r->key, &got) == NAV_OK && got.size > 8 &&
                        nd_value_holds(r->key, (nd_bytes){(const uint8_t *)got.data + 8, got.size - 8});
            *(good ? &right : &refused) += 1;
            if (good) ck_assert_mem_eq(got.data, r->value.data, r->value.size);
        }
        if (open) nd_pages_close(t);
        free(bad.bytes);
    }
    ck_assert_uint_gt(right, 1000);
    ck_assert_uint_gt(refused, 100);
    free(k);
    free(f.bytes);
    remove_folder();
}
END_TEST

// The newer of two meta pages counts: a bit less, and it would be the older one, and the last change gone without a
// word.
START_TEST(a_transaction_that_changed_its_number_brings_nothing_older_back)
{
    enum { PAGE = 4096, NUMBER_AT = 144 };
    make_folder();
    for (uint32_t commits = 1; commits < 6; commits++) {
        nd_database *d = open_database();
        nd_txn *t = begin(d);
        put_number(t, 0, commits, 100);
        commit(t);
        nd_database_close(d);
        file f = read_file();
        nd_pages_report r;
        for (int bit = 0; bit < 2 * 64; bit++) {
            uint8_t *at = f.bytes + bit / 64 * PAGE + NUMBER_AT + bit % 64 / 8;
            *at ^= (uint8_t)(1 << bit % 8);
            nav_status s = nd_pages_walk(f.bytes, f.size, NULL, NULL, NULL, &r);
            ck_assert_msg(s == NAV_ERR_FORMAT, "%u commits, bit %d", commits, bit);
            *at ^= (uint8_t)(1 << bit % 8);
        }
        ck_assert_int_eq(nd_pages_walk(f.bytes, f.size, NULL, NULL, NULL, &r), NAV_OK);
        free(f.bytes);
    }
    remove_folder();
}
END_TEST

START_TEST(records_of_the_sound_rest_of_a_damaged_file_are_read)
{
    make_folder();
    fill(2000);
    file f = read_file();
    nd_pages_report r;
    uint64_t all = 0, rest = 0;
    ck_assert_int_eq(nd_pages_walk(f.bytes, f.size, NULL, count_record, &all, &r), NAV_OK);
    size_t leaf = 0; // one that is in use: some are free
    for (size_t page = 2; page < f.size / 4096 && !leaf; page++) {
        if (nav_load_u16(f.bytes + page * 4096 + 10) != 2) continue;
        uint8_t kept = f.bytes[page * 4096 + 13];
        f.bytes[page * 4096 + 13] = 0xff;
        rest = 0;
        if (nd_pages_walk(f.bytes, f.size, NULL, count_record, &rest, &r) == NAV_ERR_FORMAT && rest && rest < all)
            leaf = page;
        f.bytes[page * 4096 + 13] = kept;
    }
    ck_assert_uint_gt(leaf, 0);
    ck_assert_uint_gt(rest, all - 200); // a page's worth is missing
    free(f.bytes);
    remove_folder();
}
END_TEST

START_TEST(a_value_that_changed_on_disk_is_not_returned)
{
    make_folder();
    nd_database *d = open_database();
    nd_txn *t = begin(d);
    static const char text[] = "a value that is easily found in the file";
    ck_assert_int_eq(nd_txn_put(t, 0, (nd_bytes){"key", 3}, (nd_bytes){text, sizeof text}), NAV_OK);
    ck_assert_int_eq(nd_txn_put(t, 0, (nd_bytes){"whole", 5}, (nd_bytes){"yes", 3}), NAV_OK);
    commit(t);
    nd_database_close(d);
    file f = read_file();
    uint8_t *at = memmem(f.bytes, f.size, text, sizeof text);
    ck_assert_ptr_nonnull(at);
    at[3] ^= 4;
    write_file(&f);

    nd_pages_report r;
    uint64_t visited = 0;
    uint64_t bad;
    ck_assert_int_eq(nd_database_scan(folder, NULL, NULL, count_record, &visited, &r, &bad), NAV_OK);
    ck_assert_uint_eq(visited, 1); // the one beside it is whole
    ck_assert_uint_eq(bad, 1);
    ck_assert_int_eq(nd_database_scan(folder, NULL, "small", count_record, &visited, &r, &bad), NAV_OK);
    ck_assert_uint_eq(bad, 0);
    d = open_database();
    nd_bytes value;
    ck_assert_int_eq(nd_database_begin_read(d, &t), NAV_OK);
    ck_assert_int_eq(nd_txn_get(t, 0, (nd_bytes){"key", 3}, &value), NAV_ERR_FORMAT);
    ck_assert_int_eq(nd_txn_get(t, 0, (nd_bytes){"kez", 3}, &value), NAV_ERR_NOT_FOUND);
    nd_txn_end(t);
    nd_database_close(d);
    free(f.bytes);
    remove_folder();
}
END_TEST

START_TEST(a_damaged_file_is_set_aside_where_asked)
{
    make_folder();
    fill(300);
    file f = read_file();
    memset(f.bytes + 4096 * 2, 0xee, f.size - 4096 * 2);
    write_file(&f);
    char why[ND_DATABASE_WHY_BYTES] = "", path[128];
    nd_database *d = NULL;
    nd_database_opening opening;
    nd_database_options o = {.folder = folder, .tables = tables, .table_count = 2, .map_bytes = 1 << 20};
    ck_assert_int_eq(nd_database_open(&o, &d, &opening, why, sizeof why), NAV_ERR_FORMAT);
    ck_assert_msg(strstr(why, "damaged") != NULL, "%s", why);
    o.set_aside_damaged = true;
    ck_assert_int_eq(nd_database_open(&o, &d, &opening, why, sizeof why), NAV_OK);
    ck_assert(opening.was_set_aside);
    snprintf(path, sizeof path, "%s/data.damaged", folder);
    ck_assert_int_eq(access(path, R_OK), 0);
    nd_database_close(d);
    free(f.bytes);
    remove_folder();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("page_check");
    TCase *t = tcase_create("page_check");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_new_and_a_worked_on_database_are_sound);
    tcase_add_test(t, a_database_that_shrinks_to_nothing_is_sound);
    tcase_add_test(t, every_cut_of_a_file_is_refused_or_harmless);
    tcase_add_test(t, damage_anywhere_is_refused_or_opens_and_works);
    tcase_add_test(t, a_transaction_that_changed_its_number_brings_nothing_older_back);
    tcase_add_test(t, a_single_record_is_the_one_that_the_walk_finds);
    tcase_add_test(t, a_single_record_of_a_damaged_file_is_right_or_refused);
    tcase_add_test(t, records_of_the_sound_rest_of_a_damaged_file_are_read);
    tcase_add_test(t, a_value_that_changed_on_disk_is_not_returned);
    tcase_add_test(t, a_damaged_file_is_set_aside_where_asked);
    return run_suite(s);
}
