// What the disk may do to a daemon: be full, be read-only, fail, belong to another.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/edit_pair.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// Somebody who comes now gets all that the others have.
static void a_newcomer_is_served(void)
{
    peer late;
    peer_init(&late, PAIR_WORLD, PAIR_SIDE);
    ck_assert(peer_connect(&late, pair.navd.socket));
    peer_settle(&late);
    ck_assert_uint_eq(peer_differences(&late, &pair.watcher), 0);
    peer_deinit(&late);
}

// Edits until one is refused. Then the world is what it was before that one, for everybody.
static void edit_until_refused(const char *reason)
{
    np_error err;
    for (int i = 0; i < 20000; i++) {
        peer_settle(&pair.editor);
        peer_tile *before = pair_copy_tiles(&pair.editor);
        nav_status status = pair_edit(&err);
        pair_settle();
        if (status != NAV_OK) {
            ck_assert_msg(strstr(err.message, reason) != NULL, "%s", err.message);
            ck_assert_msg(pair_same_tiles(&pair.editor, before), "a refused edit is seen in a tile");
            free(before);
            return;
        }
        free(before);
    }
    ck_abort_msg("no edit was refused");
}

static void refused_then_healed(const daemon_options *o, const char *reason, void (*heal)(void))
{
    np_error err;
    edit_until_refused(reason);
    uint64_t chance = pair.chance;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_ne(pair_edit(&err), NAV_OK); // at once, with the same words
        ck_assert_msg(strstr(err.message, reason) != NULL, "%s", err.message);
    }
    pair_settle();
    a_newcomer_is_served();
    pair.chance = chance;
    heal();
    double until = clock_ms() + PATIENCE_MS;
    while (pair_edit(&err) != NAV_OK) ck_assert_msg(clock_ms() < until, "it does not heal: %s", err.message);
    pair_settle();
    a_newcomer_is_served();
    pair_restart_and_compare(o);
    ck_assert_int_eq(pair_edit(&err), NAV_OK);
    pair_end();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
}

// --- full, for real ---

static char disk[PATH_BYTES]; // a small one, mounted for this test alone

static bool mount_disk(const char *size)
{
    char options[64];
    path_into(disk, "disk");
    snprintf(options, sizeof options, "size=%s", size);
    if (mkdir(disk, 0700) && errno != EEXIST) return false;
    return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
           !mount("navd-test", disk, "tmpfs", 0, options);
}

static const char *on_disk(const char *name)
{
    static char path[PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/%s", disk, name);
    return path;
}

static void fill_disk(void)
{
    static char block[1 << 16];
    int fd = open(on_disk("filler"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    for (size_t size = sizeof block; size; size /= 4)
        while (write(fd, block, size) > 0) continue;
    ck_assert_int_eq(errno, ENOSPC);
    close(fd);
}

static void empty_disk(void)
{
    ck_assert_int_eq(unlink(on_disk("filler")), 0);
}

START_TEST(a_full_disk_refuses_edits_with_that_reason_and_heals)
{
    if (!mount_disk("24M")) {
        printf("disk: not allowed to mount a small disk: not tested\n");
        return;
    }
    char state[PATH_BYTES + 16];
    snprintf(state, sizeof state, "%s", on_disk("state"));
    const daemon_options o = {.state = state, .no_tcp = true};
    pair_begin(&o);
    fill_disk();
    refused_then_healed(&o, "space", empty_disk);
}
END_TEST

START_TEST(a_daemon_that_begins_on_a_full_disk_says_so)
{
    if (!mount_disk("4M")) {
        printf("disk: not allowed to mount a small disk: not tested\n");
        return;
    }
    fill_disk();
    char text[2000];
    ck_assert_int_eq(daemon_refused(&(daemon_options){.state = on_disk("state"), .no_tcp = true}, text, sizeof text),
                     1);
    ck_assert_msg(strstr(text, "space") && strstr(text, disk), "%s", text);
}
END_TEST

static uint64_t free_bytes(void)
{
    struct statvfs st;
    ck_assert_int_eq(statvfs(disk, &st), 0);
    return (uint64_t)st.f_bavail * st.f_frsize;
}

// A mesh whose last part comes when there is no room for it.
static nav_status put_large_mesh(uint32_t vertices, np_error *err)
{
    enum { PART = 1 << 20 };
    const uint32_t triangle[3] = {0, 1, 2};
    size_t bytes = (size_t)vertices * 12 + sizeof triangle;
    uint8_t *mesh = malloc(bytes);
    ck_assert_ptr_nonnull(mesh);
    for (uint32_t i = 0; i < vertices * 3; i++) ((float *)mesh)[i] = (float)random_below(&pair.chance, 1000);
    memcpy(mesh + (size_t)vertices * 12, triangle, sizeof triangle);
    np_mesh_put_request put = {
        .hash = nav_mesh_hash((const float *)mesh, vertices, triangle, 1), .vertices = vertices, .triangles = 1};
    nav_status status = NAV_OK;
    for (size_t at = 0; at < bytes && status == NAV_OK; at += PART) {
        put.offset = at;
        put.data = (np_bin){mesh + at, (uint32_t)(bytes - at < PART ? bytes - at : PART)};
        status = peer_call(&pair.editor, NP_MESH_PUT, &put, NULL, err);
    }
    free(mesh);
    return status;
}

START_TEST(a_mesh_that_is_larger_than_the_disk_is_refused_with_that_reason_and_leaves_no_trace)
{
    enum { DISK_MIB = 16, VERTICES = DISK_MIB << 17 };
    if (!mount_disk("16M")) {
        printf("disk: not allowed to mount a small disk: not tested\n");
        return;
    }
    char state[PATH_BYTES + 16];
    snprintf(state, sizeof state, "%s", on_disk("state"));
    const daemon_options o = {.state = state, .no_tcp = true};
    pair_begin(&o);
    uint64_t before = free_bytes();
    np_error err = {0};
    nav_status status = put_large_mesh(VERTICES, &err);
    ck_assert_msg(status == NAV_ERR_LIMIT && strstr(err.message, "space"), "%s", err.message);
    ck_assert_uint_gt(free_bytes() + (UINT64_C(1) << 20), before);
    double until = clock_ms() + PATIENCE_MS;
    while (pair_edit(&err) != NAV_OK) ck_assert_msg(clock_ms() < until, "it does not heal: %s", err.message);
    pair_settle();
    pair_restart_and_compare(&o);
    pair_end();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
}
END_TEST

// --- read-only, broken ---

static char switch_path[PATH_BYTES];

static void turn(const char *word)
{
    write_text(switch_path, word);
}

static void turn_off(void)
{
    turn("");
}

// Options for a daemon whose disk the switch commands.
static daemon_options with_switch(const char *name)
{
    static char environment[PATH_BYTES + 32], state[PATH_BYTES];
    static const char *const variables[] = {environment, "LD_PRELOAD=" DISK_SHIM_PATH,
                                            "ASAN_OPTIONS=verify_asan_link_order=0", NULL};
    path_into(switch_path, "switch");
    turn_off();
    snprintf(environment, sizeof environment, "NAVD_DISK_SWITCH=%s", switch_path);
    return (daemon_options){.state = path_into(state, name), .no_tcp = true, .environment = variables};
}

static void with_failing_disk(const char *word, const char *reason)
{
    const daemon_options o = with_switch(word);
    pair_begin(&o);
    turn(word);
    refused_then_healed(&o, reason, turn_off);
}

START_TEST(a_disk_that_becomes_read_only_refuses_edits_and_heals)
{
    with_failing_disk("EROFS", "ead-only");
}
END_TEST

START_TEST(a_disk_that_fails_refuses_edits_and_heals)
{
    with_failing_disk("EIO", "nput/output error");
}
END_TEST

// A stroke makes a mesh, which is stored with it: neither stays where it cannot be written.
START_TEST(a_stroke_that_cannot_be_written_is_undone_with_its_mesh)
{
    enum { SAMPLES = 65 * 65, BRUSH = 4 * 4 };
    static const uint8_t flat[2 * SAMPLES], high[2 * BRUSH] = {0, 1, 0, 1, 0, 1, 0, 1};
    const daemon_options o = with_switch("terrain");
    char step[PATH_BYTES + 32];
    daemon_process d;
    write_file(temp_path("flat.r16"), flat, sizeof flat);
    write_file(temp_path("brush.r16"), high, sizeof high);
    snprintf(step, sizeof step, "flat=%s@10,10", temp_path("brush.r16"));
    daemon_launch(&d, &o);
    outcome r = run_navctl("push", temp_path("flat.r16"), "--world", "land", "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    const uint64_t meshes = daemon_stat(&d, "meshes");
    turn("EIO");
    for (int i = 0; i < 3; i++) { // undone, and then refused at once
        r = run_navctl("edit", "--world", "land", "--patch-heights", step, "-c", d.socket, NULL);
        ck_assert_msg(r.code != 0 && strstr(r.err, "nput/output error") != NULL, "%s", r.err);
        ck_assert_uint_eq(daemon_stat(&d, "meshes"), meshes);
    }
    turn_off();
    double until = clock_ms() + PATIENCE_MS;
    do {
        ck_assert_msg(clock_ms() < until, "it does not heal: %s", r.err);
        r = run_navctl("edit", "--world", "land", "--json", "--patch-heights", step, "-c", d.socket, NULL);
    } while (r.code != 0);
    ck_assert_uint_eq(daemon_stat(&d, "meshes"), meshes + 1);
    daemon_kill(&d);
    daemon_launch(&d, &o);
    r = run_navctl("edit", "--world", "land", "--json", "--patch-heights", step, "-c", d.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"dirty_tiles\": 0,") != NULL, "%s", r.out); // it is all there
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

// --- slow ---

static struct slow_edit {
    uint64_t before, tile; // revisions: of the world, and of the first tile that shows a later one
    bool answered;
    np_world_edit_response answer;
} slow;

static void note_tile(peer *p, const np_tile *t, const peer_tile *before)
{
    (void)p;
    (void)before;
    if (t->revision > slow.before && !slow.tile) slow.tile = t->revision;
}

static void note_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    np_error err;
    (void)p;
    (void)r;
    ck_assert_msg(!error, "%s", error ? error->message : "");
    ck_assert_int_eq(np_decode_world_edit_response(m, &slow.answer, &err), NAV_OK);
    slow.answered = true;
}

START_TEST(tiles_do_not_wait_for_the_disk_and_name_the_revision_whose_answer_does)
{
    const daemon_options o = with_switch("slow");
    char gate[PATH_BYTES + 8];
    snprintf(gate, sizeof gate, "%s.gate", switch_path);
    ck_assert_int_eq(mkfifo(gate, 0600), 0);
    pair_begin(&o);
    pair_settle();
    np_op op = city_move(PAIR_SIDE, 2, 2, 1);
    np_world_edit_request move = {.world = pair.editor.world, .op_count = 1, .ops = &op};
    ck_assert_int_eq(peer_call(&pair.editor, NP_WORLD_EDIT, &move, &slow.answer, NULL), NAV_OK);
    ck_assert(slow.answer.durable);
    slow.before = slow.answer.revision;
    pair_settle();

    turn("HOLD");
    pair.editor.on_tile = note_tile;
    pair.editor.on_answer = note_answer;
    op = city_move(PAIR_SIDE, 2, 2, 2);
    peer *const both[] = {&pair.editor, &pair.watcher};
    peer_ask(&pair.editor, NP_WORLD_EDIT, &move, 0);
    while (!slow.tile) peers_run(both, 2, PATIENCE_MS);
    ck_assert(!slow.answered); // the disk has not taken it
    ck_assert_uint_le(pair.editor.synced, slow.before);

    turn_off();
    int opened = open(gate, O_RDWR | O_NONBLOCK | O_CLOEXEC); // those who wait at it go on
    ck_assert_int_ge(opened, 0);
    while (!slow.answered || pair.editor.synced < slow.tile) peers_run(both, 2, PATIENCE_MS);
    ck_assert_uint_eq(slow.answer.revision, slow.tile);
    ck_assert(slow.answer.durable);
    pair.editor.on_tile = NULL;
    pair.editor.on_answer = NULL;
    pair_restart_and_compare(&o);
    pair_end();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
    close(opened);
}
END_TEST

START_TEST(a_read_only_state_folder_is_named_at_the_start)
{
    if (!mount_disk("4M")) {
        printf("disk: not allowed to mount a small disk: not tested\n");
        return;
    }
    ck_assert_int_eq(mount(NULL, disk, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    char text[2000];
    ck_assert_int_eq(daemon_refused(&(daemon_options){.state = on_disk("state"), .no_tcp = true}, text, sizeof text),
                     1);
    ck_assert_msg(strstr(text, "Read-only") && strstr(text, disk), "%s", text);
}
END_TEST

START_TEST(a_second_daemon_on_a_state_folder_is_refused_with_words)
{
    char state[PATH_BYTES], socket[PATH_BYTES];
    const daemon_options o = {.state = path_into(state, "shared"), .no_tcp = true};
    pair_begin(&o);
    daemon_options second = o;
    second.socket = path_into(socket, "second.sock");
    char text[2000];
    ck_assert_int_eq(daemon_refused(&second, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "another navd") && strstr(text, o.state), "%s", text);
    np_error err;
    ck_assert_int_eq(pair_edit(&err), NAV_OK); // and the first one goes on
    pair_settle();
    pair_restart_and_compare(&o);
    pair_end();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("disk");
    TCase *t = tcase_create("disk");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(suite, t);
    tcase_add_test(t, a_full_disk_refuses_edits_with_that_reason_and_heals);
    tcase_add_test(t, a_daemon_that_begins_on_a_full_disk_says_so);
    tcase_add_test(t, a_mesh_that_is_larger_than_the_disk_is_refused_with_that_reason_and_leaves_no_trace);
    tcase_add_test(t, a_disk_that_becomes_read_only_refuses_edits_and_heals);
    tcase_add_test(t, a_disk_that_fails_refuses_edits_and_heals);
    tcase_add_test(t, a_stroke_that_cannot_be_written_is_undone_with_its_mesh);
    tcase_add_test(t, tiles_do_not_wait_for_the_disk_and_name_the_revision_whose_answer_does);
    tcase_add_test(t, a_read_only_state_folder_is_named_at_the_start);
    tcase_add_test(t, a_second_daemon_on_a_state_folder_is_refused_with_words);
    return run_suite_in_folder(suite);
}
