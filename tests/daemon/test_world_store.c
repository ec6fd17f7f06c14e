// Worlds that outlive the daemon.
#include "daemon/store/world_store.h"
#include "tests/daemon/stored.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(a_world_comes_back_as_it_was)
{
    daemon_fixture f;
    client c;
    np_op before[16], after[16];
    stored_start(&f, &c);
    stored_make_scene(&c);
    uint64_t id = c.world;
    client_settle(&c);
    uint32_t count = stored_objects(&c, before, 16);
    ck_assert_uint_eq(count, 4);
    np_world_open_response opened = stored_open(&c, "w");
    uint64_t revision = opened.revision;
    stored_stop(&f, &c);

    stored_start(&f, &c);
    client_greet(&c);
    opened = stored_open(&c, "w");
    ck_assert_uint_eq(opened.world, id);
    ck_assert_uint_eq(opened.revision, revision);
    ck_assert_uint_eq(opened.profile_count, 1);
    ck_assert(np_str_equal(opened.profiles[0].name, "walker"));
    ck_assert_uint_eq(opened.profiles[0].settings.tile_cells, 16);
    ck_assert_uint_eq(stored_objects(&c, after, 16), count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_int_eq(before[i].kind, after[i].kind);
        ck_assert_uint_eq(before[i].id, after[i].id);
        if (before[i].kind == NP_OP_PUT_INSTANCE)
            ck_assert_mem_eq(&before[i].u.instance, &after[i].u.instance, sizeof before[i].u.instance);
        if (before[i].kind == NP_OP_PUT_VOLUME)
            ck_assert_mem_eq(before[i].u.volume.points, after[i].u.volume.points, sizeof before[i].u.volume.points);
        if (before[i].kind == NP_OP_PUT_LINK)
            ck_assert_mem_eq(before[i].u.link.end, after[i].u.link.end, sizeof before[i].u.link.end);
    }
    const np_op next = op_move(2, 5, 1, 5); // its mesh is known without being sent
    np_world_edit_response edited;
    ck_assert_int_eq(client_edit(&c, &next, 1, &edited, NULL), NAV_OK);
    ck_assert_uint_eq(edited.revision, revision + 1);
    client_settle(&c);
    stored_stop(&f, &c);
}
END_TEST

START_TEST(its_tiles_are_the_same_and_known_at_once)
{
    daemon_fixture f;
    client c;
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    client_subscribe(&c, NP_ENCODING_NAVD);
    client_settle(&c);
    size_t count = c.tile_count;
    nav_key keys[64];
    int32_t at[64][2];
    ck_assert(count > 4 && count <= 64);
    for (size_t i = 0; i < count; i++) {
        keys[i] = c.tiles[i].key;
        at[i][0] = c.tiles[i].x;
        at[i][1] = c.tiles[i].z;
    }
    stored_stop(&f, &c);

    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    client_settle(&c);
    ck_assert_uint_eq(client_stat(&c, "jobs_built"), 0); // all were found to be as they were
    client_subscribe(&c, NP_ENCODING_NAVD);
    client_settle(&c);
    for (size_t i = 0; i < count; i++) {
        const seen_tile *t = client_last_tile(&c, at[i][0], at[i][1], 0);
        ck_assert_ptr_nonnull(t);
        ck_assert(nav_key_equal(t->key, keys[i]));
        ck_assert(t->data_good);
    }
    stored_stop(&f, &c);
}
END_TEST

enum { MOST_BYTES = 4 << 20 };

static size_t read_file(const char *path, uint8_t *bytes)
{
    int fd = open(path, O_RDONLY);
    size_t size = 0;
    ck_assert_int_ge(fd, 0);
    for (ssize_t n; (n = read(fd, bytes + size, MOST_BYTES - size)) > 0;) size += (size_t)n;
    ck_assert_uint_lt(size, MOST_BYTES);
    close(fd);
    return size;
}

// As it is at one moment: read again until nothing was written meanwhile.
static void copy_file(const char *from, const char *to)
{
    static uint8_t bytes[MOST_BYTES], again[MOST_BYTES];
    size_t size = read_file(from, bytes);
    while (read_file(from, again) != size || memcmp(bytes, again, size) != 0) size = read_file(from, bytes);
    int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(out, 0);
    ck_assert_int_eq(write(out, bytes, size), (ssize_t)size);
    close(out);
}

// As after kill -9: the file as it is while the daemon runs, which has not said that it has ended.
START_TEST(after_a_crash_revisions_go_on_above_what_clients_may_have_seen)
{
    daemon_fixture f;
    client c;
    char file[128], crashed[128];
    snprintf(file, sizeof file, "%s/worlds/data.mdb", stored_state);
    snprintf(crashed, sizeof crashed, "%s/worlds/crashed", stored_state);
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    uint64_t revision = stored_open(&c, "w").revision;
    copy_file(file, crashed);
    const np_op lost = op_move(2, 8, 1, 8); // acknowledged later than what is left
    ck_assert_int_eq(client_edit(&c, &lost, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    stored_stop(&f, &c);
    ck_assert_int_eq(rename(crashed, file), 0);

    stored_start(&f, &c);
    client_greet(&c);
    np_world_open_response r = stored_open(&c, "w");
    ck_assert_uint_gt(r.revision, revision + 1);
    np_tiles_subscribe_request sub = {
        .world = c.world, .profile = np_str_of("walker"), .has_since = true, .since = revision + 1};
    np_tiles_subscribe_response subscribed;
    ck_assert_int_eq(client_call(&c, NP_TILES_SUBSCRIBE, &sub, &subscribed, NULL), NAV_OK);
    client_settle(&c);
    ck_assert_uint_gt(c.tile_count, 4); // whoever comes back gets everything
    revision = stored_open(&c, "w").revision;
    stored_stop(&f, &c);

    stored_start(&f, &c); // that was a clean end again
    client_greet(&c);
    ck_assert_uint_eq(stored_open(&c, "w").revision, revision);
    sub.world = c.world; // what happened before the crash and was lost is not known now, either
    ck_assert_int_eq(client_call(&c, NP_TILES_SUBSCRIBE, &sub, &subscribed, NULL), NAV_OK);
    ck_assert(!subscribed.resumed);
    sub.since = revision;
    ck_assert_int_eq(client_call(&c, NP_TILES_SUBSCRIBE, &sub, &subscribed, NULL), NAV_OK);
    ck_assert(subscribed.resumed);
    stored_stop(&f, &c);
}
END_TEST

static void use_slow_commits(nd_config *c)
{
    stored_use(c);
    c->commit_ms = 1000;
}

// Two crashes, and between them a daemon that committed nothing but what it does by itself.
START_TEST(revisions_go_on_above_what_was_seen_of_a_daemon_that_wrote_nothing)
{
    daemon_fixture f;
    client c;
    char file[128], crashed[128];
    uint64_t seen = 0;
    snprintf(file, sizeof file, "%s/worlds/data.mdb", stored_state);
    snprintf(crashed, sizeof crashed, "%s/worlds/crashed", stored_state);
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    for (int crash = 0; crash < 3; crash++) {
        uint64_t revision = stored_open(&c, "w").revision;
        ck_assert_uint_gt(revision, seen);
        seen = revision;
        copy_file(file, crashed);
        stored_stop(&f, &c);
        ck_assert_int_eq(rename(crashed, file), 0);
        fixture_start(&f, use_slow_commits);
        ck_assert_msg(f.status == NAV_OK, "%s", f.why);
        client_connect(&c, &f);
        client_greet(&c);
    }
    stored_stop(&f, &c);
}
END_TEST

static void count_removed(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    nd_tile_place at;
    nd_tile_result r;
    if (table.size != 5 || memcmp(table.data, "tiles", 5) != 0) return;
    ck_assert_int_eq(nd_read_tile(key, value, &at, &r), NAV_OK);
    *(uint64_t *)user += r.status == NP_TILE_REMOVED;
}

static uint64_t removed_on_disk(void)
{
    char folder[80];
    nd_pages_report report;
    uint64_t removed = 0, bad;
    snprintf(folder, sizeof folder, "%s/worlds", stored_state);
    ck_assert_int_eq(nd_database_scan(folder, NULL, NULL, count_removed, &removed, &report, &bad), NAV_OK);
    return removed;
}

START_TEST(removed_tiles_leave_the_disk_when_nobody_can_resume_from_before_them)
{
    daemon_fixture f;
    client c;
    char file[128], crashed[128];
    snprintf(file, sizeof file, "%s/worlds/data.mdb", stored_state);
    snprintf(crashed, sizeof crashed, "%s/worlds/crashed", stored_state);
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    stored_stop(&f, &c);
    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    const np_op gone = op_remove(1); // the floor
    ck_assert_int_eq(client_edit(&c, &gone, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    stored_stop(&f, &c);
    uint64_t removed = removed_on_disk();
    ck_assert_uint_gt(removed, 4);

    stored_start(&f, &c); // after a clean end they are needed
    copy_file(file, crashed);
    stored_stop(&f, &c);
    ck_assert_uint_eq(removed_on_disk(), removed);
    ck_assert_int_eq(rename(crashed, file), 0);

    stored_start(&f, &c); // after a crash everybody gets everything
    client_greet(&c);
    uint64_t revision = stored_open(&c, "w").revision;
    stored_stop(&f, &c);
    ck_assert_uint_eq(removed_on_disk(), 0);
    stored_start(&f, &c);
    client_greet(&c);
    ck_assert_uint_eq(stored_open(&c, "w").revision, revision);
    stored_stop(&f, &c);
}
END_TEST

START_TEST(worlds_keep_their_ids_and_ids_are_not_given_twice)
{
    daemon_fixture f;
    client c;
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    uint64_t ids[3];
    stored_start(&f, &c);
    client_greet(&c);
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), 0};
        np_world_open_request open = {.name = np_str_of(name), .create = true, .profile_count = 1, .profiles = &walker};
        np_world_open_response r;
        ck_assert_int_eq(client_call(&c, NP_WORLD_OPEN, &open, &r, NULL), NAV_OK);
        ids[i] = r.world;
    }
    np_world_delete_request delete = {.world = ids[2]};
    np_none none;
    ck_assert_int_eq(client_call(&c, NP_WORLD_DELETE, &delete, &none, NULL), NAV_OK);
    stored_stop(&f, &c);

    stored_start(&f, &c);
    client_greet(&c);
    ck_assert_uint_eq(stored_open(&c, "a").world, ids[0]);
    ck_assert_uint_eq(stored_open(&c, "b").world, ids[1]);
    np_world_open_request gone = {.name = np_str_of("c")};
    np_world_open_response r;
    ck_assert_int_eq(client_call(&c, NP_WORLD_OPEN, &gone, &r, NULL), NAV_ERR_NOT_FOUND);
    gone.create = true;
    ck_assert_int_eq(client_call(&c, NP_WORLD_OPEN, &gone, &r, NULL), NAV_OK);
    ck_assert_uint_gt(r.world, ids[2]);
    stored_stop(&f, &c);
}
END_TEST

static void await_note(client *c, np_method method, np_message *m)
{
    do {
        np_message_deinit(m);
        ck_assert(client_read(c, m));
    } while (m->kind != NP_NOTIFICATION || np_method_of(m) != method);
}

static void count_of_worlds(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    (void)key, (void)value;
    static const unsigned all[] = {ND_HEADS, ND_REVISIONS, ND_OBJECTS, ND_TILES};
    for (int i = 0; i < 4; i++) {
        const char *name = nd_record_tables[all[i]];
        *(uint64_t *)user += strlen(name) == table.size && !memcmp(name, table.data, table.size);
    }
}

START_TEST(a_deleted_world_is_gone_and_its_subscribers_hear_of_it)
{
    daemon_fixture f;
    client c, other;
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    client_connect(&other, &f);
    client_greet(&other);
    stored_open(&other, "w");
    uint64_t subscription = client_subscribe(&other, NP_ENCODING_NAVD);
    np_world_delete_request delete = {.world = c.world};
    np_none none;
    ck_assert_int_eq(client_call(&c, NP_WORLD_DELETE, &delete, &none, NULL), NAV_OK);
    np_message m = {0};
    np_error err;
    np_ended_note note;
    await_note(&other, NP_ENDED, &m);
    ck_assert_int_eq(np_decode_ended_note(&m, &note, &err), NAV_OK);
    ck_assert_uint_eq(note.subscription, subscription);
    ck_assert(np_str_equal(note.reason, "deleted"));
    np_message_deinit(&m);
    const np_op op = op_remove(1);
    ck_assert_int_eq(client_edit(&c, &op, 1, NULL, NULL), NAV_ERR_NOT_FOUND);
    ck_assert_uint_eq(client_stat(&c, "worlds"), 0);
    client_close(&other);
    stored_stop(&f, &c);
    char folder[80];
    nd_pages_report report;
    uint64_t left = 0, bad;
    snprintf(folder, sizeof folder, "%s/worlds", stored_state);
    ck_assert_int_eq(nd_database_scan(folder, NULL, NULL, count_of_worlds, &left, &report, &bad), NAV_OK);
    ck_assert_uint_eq(left, 0);

    stored_start(&f, &c);
    client_greet(&c);
    ck_assert_uint_eq(client_stat(&c, "worlds"), 0);
    stored_stop(&f, &c);
}
END_TEST

START_TEST(profiles_and_the_goal_are_stored)
{
    daemon_fixture f;
    client c;
    stored_start(&f, &c);
    stored_make_scene(&c);
    np_profile tall = {.name = np_str_of("tall")};
    nav_settings_default(&tall.settings);
    tall.settings.agent_height_m = 3;
    tall.settings.outlines = NAV_OUTLINES_VOXEL; // whatever the default is
    np_world_open_request more = {.name = np_str_of("w"), .profile_count = 1, .profiles = &tall};
    np_world_open_response r;
    ck_assert_int_eq(client_call(&c, NP_WORLD_OPEN, &more, &r, NULL), NAV_OK);
    const np_seed seed = {{0, 0, 0}};
    np_op goal = {.kind = NP_OP_SET_REACH,
                  .u.reach = {.unreachable = NAV_UNREACHABLE_FLAG, .seed_count = 1, .seeds = &seed}};
    ck_assert_int_eq(client_edit(&c, &goal, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    stored_stop(&f, &c);

    stored_start(&f, &c);
    client_greet(&c);
    r = stored_open(&c, "w");
    ck_assert_uint_eq(r.profile_count, 2);
    ck_assert(np_str_equal(r.profiles[1].name, "tall"));
    ck_assert(r.profiles[1].settings.agent_height_m == 3);
    ck_assert_int_eq(r.profiles[1].settings.outlines, NAV_OUTLINES_VOXEL);
    ck_assert(r.has_reach);
    ck_assert_int_eq(r.reach.unreachable, NAV_UNREACHABLE_FLAG);
    ck_assert_uint_eq(r.reach.seed_count, 1);
    client_settle(&c);
    stored_stop(&f, &c);
}
END_TEST

START_TEST(a_second_daemon_on_the_folder_is_refused)
{
    daemon_fixture f, second;
    client c;
    stored_start(&f, &c);
    fixture_start(&second, stored_use);
    ck_assert_int_eq(second.status, NAV_ERR_EXISTS);
    ck_assert_msg(strstr(second.why, stored_state) != NULL, "%s", second.why);
    fixture_stop(&second);
    client_greet(&c);
    stored_stop(&f, &c);
}
END_TEST

// Damages the file while no daemon runs: `what` is looked for, and changed.
static bool damage_file(const void *what, size_t bytes)
{
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/worlds/data.mdb", stored_state);
    int fd = open(path, O_RDWR);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fstat(fd, &st), 0);
    uint8_t *all = malloc((size_t)st.st_size);
    ck_assert_int_eq(pread(fd, all, (size_t)st.st_size, 0), st.st_size);
    bool found = false; // older copies of a page are changed, too
    for (uint8_t *at = all; (at = memmem(at, (size_t)(all + st.st_size - at), what, bytes)); at++, found = true)
        at[bytes - 1] ^= 0x10;
    ck_assert_int_eq(pwrite(fd, all, (size_t)st.st_size, 0), st.st_size);
    free(all);
    close(fd);
    return found;
}

START_TEST(a_damaged_object_costs_itself_and_the_edits_of_its_world)
{
    daemon_fixture f;
    client c;
    np_error err;
    np_op left[16];
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    stored_stop(&f, &c);
    const float end[3] = {3, 1, 3}; // of the link; floats on the wire are big-endian
    uint8_t bytes[15];
    for (int i = 0; i < 3; i++) {
        uint32_t word;
        memcpy(&word, &end[i], 4);
        bytes[5 * i] = 0xca;
        for (int k = 0; k < 4; k++) bytes[5 * i + 1 + k] = (uint8_t)(word >> (24 - 8 * k));
    }
    ck_assert(damage_file(bytes, sizeof bytes));

    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    ck_assert_uint_eq(stored_objects(&c, left, 16), 3);
    const np_op op = op_remove(1);
    ck_assert_int_eq(client_edit(&c, &op, 1, NULL, &err), NAV_ERR_FORMAT);
    ck_assert_msg(strstr(err.message, "damaged") != NULL, "%s", err.message);
    client_subscribe(&c, NP_ENCODING_NAVD);
    client_settle(&c);
    ck_assert_uint_gt(c.tile_count, 4);
    stored_stop(&f, &c);
}
END_TEST

START_TEST(a_damaged_mesh_fails_its_tiles_until_it_is_sent_again)
{
    daemon_fixture f;
    client c;
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    stored_stop(&f, &c);
    const float corner[3] = {12, -0.5f, -12}; // of the floor
    ck_assert(damage_file(corner, sizeof corner));

    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    client_settle(&c);
    np_op all[16];
    ck_assert_uint_eq(stored_objects(&c, all, 16), 4);
    np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {.min = {-1, -1}, .max = {1, 1}}};
    client_subscribe(&c, NP_ENCODING_NAVD);
    ck_assert_int_eq(client_edit(&c, &dirty, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    const seen_tile *t = client_last_tile(&c, 0, 0, 0);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->status, NP_TILE_FAILED);
    ck_assert_msg(strstr(t->reason, "mesh.put") != NULL, "%s", t->reason);
    size_t seen = c.tile_count;
    client_put_box(&c, 12, 0.5f, 12);
    client_settle(&c);
    t = client_last_tile(&c, 0, 0, seen);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->status, NP_TILE_OK);
    stored_stop(&f, &c);

    stored_start(&f, &c); // it is stored again
    client_greet(&c);
    stored_open(&c, "w");
    client_subscribe(&c, NP_ENCODING_NAVD);
    ck_assert_int_eq(client_edit(&c, &dirty, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    t = client_last_tile(&c, 0, 0, 0);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->status, NP_TILE_OK);
    stored_stop(&f, &c);
}
END_TEST

// Of all tables but that of the tiles.
static void count_others(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    (void)key, (void)value;
    *(uint64_t *)user += table.size != 5 || memcmp(table.data, "tiles", 5) != 0;
}

START_TEST(a_damaged_page_leaves_what_can_be_read_and_takes_no_edits)
{
    daemon_fixture f;
    client c;
    np_error err;
    stored_start(&f, &c);
    stored_make_scene(&c);
    client_settle(&c);
    stored_stop(&f, &c);
    char path[128];
    snprintf(path, sizeof path, "%s/worlds/data.mdb", stored_state);
    int fd = open(path, O_RDWR);
    uint8_t pages[64 * 4096];
    ssize_t size = pread(fd, pages, sizeof pages, 0);
    ck_assert_int_gt(size, 4 * 4096);
    nd_pages_report report;
    uint64_t all = 0;
    ck_assert_int_eq(nd_pages_walk(pages, (size_t)size, NULL, count_others, &all, &report), NAV_OK);
    size_t at = 0;
    for (size_t page = 2; page < (size_t)size / 4096 && !at; page++) { // one in use, where nothing but tiles is lost
        uint8_t *flag = pages + page * 4096 + 11;
        uint64_t left = 0;
        *flag ^= 0x40;
        if (nd_pages_walk(pages, (size_t)size, NULL, count_others, &left, &report) == NAV_ERR_FORMAT && left == all)
            at = page;
        else
            *flag ^= 0x40;
    }
    ck_assert_uint_gt(at, 0);
    ck_assert_int_eq(pwrite(fd, pages, (size_t)size, 0), size);
    close(fd);

    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    client_subscribe(&c, NP_ENCODING_NAVD);
    client_settle(&c);
    ck_assert_uint_gt(c.tile_count, 4);
    const np_op op = op_remove(1);
    nav_status s = client_edit(&c, &op, 1, NULL, &err);
    ck_assert_int_eq(s, NAV_ERR_FORMAT);
    ck_assert_msg(strstr(err.message, "damaged") != NULL, "%s", err.message);
    stored_stop(&f, &c);
}
END_TEST

START_TEST(worlds_whose_file_was_emptied_are_not_forgotten_in_silence)
{
    daemon_fixture f;
    client c;
    np_error err;
    char path[128];
    snprintf(path, sizeof path, "%s/worlds/data.mdb", stored_state);
    stored_start(&f, &c);
    stored_make_scene(&c);
    stored_stop(&f, &c);
    ck_assert_int_eq(truncate(path, 0), 0);

    stored_start(&f, &c);
    client_greet(&c);
    np_world_open_request open = {.name = np_str_of("w"), .create = true};
    ck_assert_int_eq(client_call(&c, NP_WORLD_OPEN, &open, NULL, &err), NAV_ERR_FORMAT);
    ck_assert_msg(strstr(err.message, "damaged") && strstr(err.message, "empty"), "%s", err.message);
    ck_assert_uint_gt(client_stat(&c, "store_damaged"), 0);
    stored_stop(&f, &c);
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_size, 0); // it stays as it is
}
END_TEST

int main(void)
{
    Suite *s = suite_create("world_store");
    TCase *t = tcase_create("world_store");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, stored_setup, stored_teardown);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_world_comes_back_as_it_was);
    tcase_add_test(t, its_tiles_are_the_same_and_known_at_once);
    tcase_add_test(t, after_a_crash_revisions_go_on_above_what_clients_may_have_seen);
    tcase_add_test(t, revisions_go_on_above_what_was_seen_of_a_daemon_that_wrote_nothing);
    tcase_add_test(t, removed_tiles_leave_the_disk_when_nobody_can_resume_from_before_them);
    tcase_add_test(t, worlds_keep_their_ids_and_ids_are_not_given_twice);
    tcase_add_test(t, a_deleted_world_is_gone_and_its_subscribers_hear_of_it);
    tcase_add_test(t, profiles_and_the_goal_are_stored);
    tcase_add_test(t, a_second_daemon_on_the_folder_is_refused);
    tcase_add_test(t, a_damaged_object_costs_itself_and_the_edits_of_its_world);
    tcase_add_test(t, a_damaged_mesh_fails_its_tiles_until_it_is_sent_again);
    tcase_add_test(t, a_damaged_page_leaves_what_can_be_read_and_takes_no_edits);
    tcase_add_test(t, worlds_whose_file_was_emptied_are_not_forgotten_in_silence);
    return run_suite(s);
}
