// The places where navd has its socket and its files: what stands there already, and what goes away meanwhile.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { SIDE = 3 };

static daemon_process navd;
static city town;

static void begin(const daemon_options *o, peer *p)
{
    daemon_launch(&navd, o);
    city_build(&town, "town", SIDE, navd.socket);
    peer_init(p, "town", SIDE);
    ck_assert(peer_connect(p, navd.socket));
    peer_settle(p);
}

static nav_status move_a_box(peer *p, uint32_t turn, np_error *err)
{
    np_op op = city_move(SIDE, 1, 1, turn);
    *err = (np_error){0};
    return peer_call(p, NP_WORLD_EDIT, &(np_world_edit_request){.world = p->world, .op_count = 1, .ops = &op}, NULL,
                     err);
}

START_TEST(a_socket_that_another_program_listens_on_is_left_to_it)
{
    char path[PATH_BYTES], text[2000];
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path_into(path, "taken.sock"));
    int theirs = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), ours = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(theirs, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(listen(theirs, 4), 0);
    const daemon_options o = {.socket = path, .no_tcp = true};
    ck_assert_int_eq(daemon_refused(&o, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "another program") && strstr(text, path), "%s", text);
    ck_assert_int_eq(connect(ours, (struct sockaddr *)&a, sizeof a), 0); // it is still theirs
    close(ours);
    close(theirs);
    daemon_launch(&navd, &o); // nobody listens any more
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_pipe_where_the_database_should_be_is_refused_with_words)
{
    char folder[PATH_BYTES], file[PATH_BYTES + 32], text[2000];
    path_into(folder, "piped");
    mkdir(folder, 0700);
    snprintf(file, sizeof file, "%s/worlds", folder);
    mkdir(file, 0700);
    strcat(file, "/data.mdb");
    ck_assert_int_eq(mkfifo(file, 0600), 0);
    ck_assert_int_eq(daemon_refused(&(daemon_options){.state = folder, .no_tcp = true}, text, sizeof text), 1);
    ck_assert_msg(strstr(text, folder) != NULL, "%s", text);
}
END_TEST

static void remove_in(const char *folder, const char *name)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_msg(remove(path) == 0 || errno == ENOENT, "%s: %s", path, strerror(errno));
}

// What was acknowledged would be kept by nobody.
START_TEST(edits_are_refused_once_the_state_folder_was_removed_and_no_second_daemon_takes_it)
{
    char folder[PATH_BYTES], socket[PATH_BYTES], text[2000];
    peer p;
    np_error err;
    const daemon_options o = {.state = path_into(folder, "removed"), .no_tcp = true};
    begin(&o, &p);
    ck_assert_int_eq(move_a_box(&p, 1, &err), NAV_OK);
    peer_settle(&p);
    outcome r = run_navctl("cache", "verify", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err); // the files of the cache are there, too
    nav_key before = p.tiles[SIDE + 1].key;
    static const char *const files[] = {"worlds/data.mdb", "worlds/lock.mdb", "worlds", "cache/data.mdb",
                                        "cache/lock.mdb",  "cache",           "lock"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove_in(folder, files[i]);

    daemon_options second = o;
    second.socket = path_into(socket, "second.sock");
    ck_assert_int_eq(daemon_refused(&second, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "another navd") && strstr(text, folder), "%s", text);

    ck_assert_int_ne(move_a_box(&p, 2, &err), NAV_OK);
    ck_assert_msg(strstr(err.message, "removed") && strstr(err.message, folder), "%s", err.message);
    daemon_await(&navd, "event=store.failed", "removed", NULL);
    ck_assert_int_ne(move_a_box(&p, 3, &err), NAV_OK);
    peer_settle(&p); // reading goes on, and shows what was acknowledged
    ck_assert(nav_key_equal(before, p.tiles[SIDE + 1].key));
    peer_deinit(&p);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

static void damage_first_page(const char *folder)
{
    char path[PATH_BYTES + 32];
    uint8_t zeros[512] = {0};
    snprintf(path, sizeof path, "%s/worlds/data.mdb", folder);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, zeros, sizeof zeros, 0), sizeof zeros);
    close(fd);
}

START_TEST(a_world_of_a_damaged_store_can_still_be_exported)
{
    char folder[PATH_BYTES], copy[PATH_BYTES];
    peer p;
    np_error err;
    const daemon_options o = {.state = path_into(folder, "damaged"), .no_tcp = true};
    begin(&o, &p);
    ck_assert_int_eq(daemon_stop(&navd), 0);
    peer_deinit(&p);
    damage_first_page(folder);
    daemon_launch(&navd, &o);
    outcome r =
        run_navctl("world", "export", "town", "-o", path_into(copy, "town.navdworld"), "--connect", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_int_eq(daemon_stop(&navd), 0);

    char fresh[PATH_BYTES];
    daemon_launch(&navd, &(daemon_options){.state = path_into(fresh, "fresh"), .no_tcp = true});
    r = run_navctl("world", "import", copy, "--world", "town", "--connect", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    peer_init(&p, "town", SIDE);
    ck_assert(peer_connect(&p, navd.socket));
    peer_settle(&p);
    ck_assert_int_eq(move_a_box(&p, 5, &err), NAV_OK);
    peer_deinit(&p);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("places");
    TCase *t = tcase_create("places");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_socket_that_another_program_listens_on_is_left_to_it);
    tcase_add_test(t, a_pipe_where_the_database_should_be_is_refused_with_words);
    tcase_add_test(t, edits_are_refused_once_the_state_folder_was_removed_and_no_second_daemon_takes_it);
    tcase_add_test(t, a_world_of_a_damaged_store_can_still_be_exported);
    return run_suite_in_folder(s);
}
