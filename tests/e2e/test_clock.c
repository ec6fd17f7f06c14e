// The time of day jumps back and forth under a running daemon: nothing it decides may hang on it.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"

#include <stdlib.h>
#include <string.h>

// Lines of the log whose time is before that of the line above: the jumps are really there.
static int steps_back(daemon_process *d)
{
    char last[24] = "";
    int count = 0;
    pthread_mutex_lock(&d->mutex);
    for (const char *line = d->log; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "t=", 2) != 0) continue;
        count += strncmp(line + 2, last, 19) < 0;
        memcpy(last, line + 2, 19);
    }
    pthread_mutex_unlock(&d->mutex);
    return count;
}

START_TEST(clocks_that_jump_change_nothing)
{
    enum { SIDE = 6, ROUNDS = 40 };
    const char *const environment[] = {"LD_PRELOAD=" CLOCK_SHIM_PATH, "ASAN_OPTIONS=verify_asan_link_order=0", NULL};
    daemon_process navd;
    daemon_launch(&navd, &(daemon_options){.environment = environment});
    city c;
    peer p, watcher;
    city_build(&c, "clock", SIDE, navd.socket);
    peer_init(&p, "clock", SIDE);
    peer_init(&watcher, "clock", SIDE);
    ck_assert(peer_connect(&p, navd.socket) && peer_connect(&watcher, navd.socket));
    peer_settle(&p);
    peer_settle(&watcher);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        int32_t x = (int32_t)i % SIDE, z = (int32_t)i / SIDE % SIDE;
        nav_key before = p.tiles[z * SIDE + x].key;
        np_op op = city_move(SIDE, x, z, 17 * i + 50);
        np_world_edit_request edit = {.world = p.world, .op_count = 1, .ops = &op};
        np_error err = {0};
        ck_assert_msg(peer_call(&p, NP_WORLD_EDIT, &edit, NULL, &err) == NAV_OK, "%s", err.message);
        peer_settle(&p);
        ck_assert(!nav_key_equal(before, p.tiles[z * SIDE + x].key));
    }
    peer_settle(&watcher); // neither closed as idle nor late
    ck_assert_uint_eq(peer_differences(&p, &watcher), 0);
    ck_assert_uint_eq(daemon_stat(&navd, "jobs_failed"), 0);
    daemon_await(&navd, "event=session.closed", NULL); // and with it many lines before
    ck_assert_int_gt(steps_back(&navd), 0);
    peer_deinit(&p);
    peer_deinit(&watcher);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("clock");
    TCase *t = tcase_create("clock");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, clocks_that_jump_change_nothing);
    return run_suite_in_folder(s);
}
