// kill -9 between a change of settings and its tiles: after the restart the profiles are those that were acknowledged,
// and each tile is the one that a profile has that never had other settings. The changes, the grids and the sheets
// alternate, so that slots are left and taken again.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

static daemon_process d;

typedef struct tiles {
    struct {
        int32_t x, z;
        navd_sheet sheet;
        navd_key key;
    } at[MOST];
    size_t count;
} tiles;

static tiles first, second;

static void on_tile(void *user, const navd_tile *t)
{
    tiles *into = strcmp(t->profile, "twin") ? &first : &second;
    size_t i = 0;
    (void)user;
    while (i < into->count && (into->at[i].x != t->x || into->at[i].z != t->z || into->at[i].sheet != t->sheet)) i++;
    ck_assert_uint_lt(i, MOST);
    into->at[i].x = t->x;
    into->at[i].z = t->z;
    into->at[i].sheet = t->sheet;
    into->at[i].key = t->key;
    if (i == into->count) into->count++;
    if (t->status == NAVD_TILE_REMOVED) into->at[i] = into->at[--into->count];
}

static navd_client *come_in(navd_world *world)
{
    navd_client *c;
    char why[256];
    ck_assert_msg(navd_connect(d.socket, "settings", 60000, &c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_set_timeout(c, PATIENCE_MS);
    ck_assert_msg(navd_world_open(c, "yard", false, NULL, NULL, 0, world) == NAVD_OK, "%s", navd_error_text(c));
    return c;
}

static const navd_profile *profile_of(const navd_world *w, const char *name)
{
    for (size_t i = 0; i < w->profile_count; i++)
        if (!strcmp(w->profiles[i].name, name)) return &w->profiles[i];
    return NULL;
}

// All tiles of two profiles, when they are there.
static void compare(navd_client *c, uint64_t world, const char *a, const char *b)
{
    navd_subscription_options o = {.profile = a};
    navd_on_tile(c, on_tile, NULL);
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    ck_assert_int_eq(navd_wait(c, world, NULL, NULL), NAVD_OK);
    ck_assert_int_eq(navd_subscribe(c, world, &o, NULL), NAVD_OK);
    ck_assert_int_eq(navd_wait(c, world, NULL, NULL), NAVD_OK);
    o.profile = b;
    ck_assert_int_eq(navd_subscribe(c, world, &o, NULL), NAVD_OK);
    ck_assert_int_eq(navd_wait(c, world, NULL, NULL), NAVD_OK);
    ck_assert_uint_gt(second.count, 1);
    ck_assert_uint_eq(first.count, second.count);
    for (size_t i = 0; i < first.count; i++) {
        size_t k = 0;
        while (k < second.count && (second.at[k].x != first.at[i].x || second.at[k].z != first.at[i].z ||
                                    second.at[k].sheet != first.at[i].sheet))
            k++;
        ck_assert_msg(k < second.count && !memcmp(&second.at[k].key, &first.at[i].key, sizeof first.at[i].key),
                      "tile %d,%d of sheet %s", first.at[i].x, first.at[i].z, navd_sheet_name(first.at[i].sheet));
    }
}

START_TEST(acknowledged_settings_survive_kill_9_and_their_tiles_come)
{
    static const uint32_t sheets[] = {NAVD_SHEETS_UP, NAVD_SHEETS_ALL, 1 << NAVD_SHEET_DOWN | 1 << NAVD_SHEET_XPLUS};
    char state[PATH_BYTES];
    const daemon_options at = {.state = path_into(state, "state"), .no_tcp = true};
    daemon_launch(&d, &at);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r =
        run_navctl("push", temp_path("yard.obj"), "--world", "yard", "--profile", "agent", "-c", d.socket, NULL);
    ck_assert_msg(r.code == 0, "%s%s", r.out, r.err);
    for (int round = 0; round < 8; round++) {
        navd_world w;
        navd_settings s;
        navd_change_result change;
        navd_client *c = come_in(&w);
        navd_settings_default(&s);
        s.agent_radius_m = 0.3f + 0.1f * (float)round;
        s.tile_cells = round & 2 ? 24 : 16;
        s.sheets = sheets[round % 3];
        if (profile_of(&w, "twin")) ck_assert_int_eq(navd_profile_remove(c, w.id, "twin", NULL), NAVD_OK);
        ck_assert_int_eq(navd_profile_set(c, w.id, "agent", &s, &change), NAVD_OK);
        ck_assert(change.durable);
        navd_close(c);
        navd_world_free(&w);
        daemon_kill(&d);

        daemon_launch(&d, &at);
        c = come_in(&w);
        const navd_profile *p = profile_of(&w, "agent");
        ck_assert_ptr_nonnull(p);
        ck_assert_ptr_null(profile_of(&w, "twin"));
        ck_assert(p->settings.agent_radius_m == s.agent_radius_m && p->settings.tile_cells == s.tile_cells);
        ck_assert_uint_eq(p->settings.sheets, s.sheets);
        ck_assert_uint_eq(p->grid, change.grid);
        ck_assert_int_eq(navd_profile_set(c, w.id, "twin", &s, NULL), NAVD_OK);
        compare(c, w.id, "agent", "twin");
        navd_close(c);
        navd_world_free(&w);
    }
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

static void expect_output(const outcome *r, const char *part)
{
    ck_assert_msg(r->code == 0, "%s", r->err);
    ck_assert_msg(strstr(r->out, part), "%s is not in: %s", part, r->out);
}

// What the profile has in the daemon.
static navd_settings settings_in(const char *profile)
{
    navd_world w;
    navd_client *c = come_in(&w);
    const navd_profile *p = profile_of(&w, profile);
    ck_assert_msg(p, "there is no profile %s", profile);
    navd_settings s = p->settings;
    navd_close(c);
    navd_world_free(&w);
    return s;
}

START_TEST(navctl_changes_adds_and_removes_profiles)
{
    const daemon_options at = {.no_tcp = true};
    daemon_launch(&d, &at);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", d.socket, "--agent-height", "1.5", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    navd_world w;
    navd_client *c = come_in(&w);
    ck_assert_uint_eq(w.profile_count, 1);
    char name[256];
    snprintf(name, sizeof name, "%s", w.profiles[0].name);
    navd_close(c);
    navd_world_free(&w);

    // What is not named stays.
    r = run_navctl("world", "profile", "yard", name, "-c", d.socket, "--agent-radius", "0.9", "--json", NULL);
    expect_output(&r, "\"revision\": 2");
    navd_settings s = settings_in(name);
    ck_assert(s.agent_radius_m == 0.9f && s.agent_height_m == 1.5f);
    r = run_navctl("world", "profile", "yard", name, "-c", d.socket, "--agent-radius", "0.9", NULL);
    expect_output(&r, "revision 2, 0 tiles to build");

    r = run_navctl("world", "profile", "yard", "tall", "-c", d.socket, "--agent-height", "3", NULL);
    expect_output(&r, "profile tall of world yard: revision 3");
    ck_assert(settings_in("tall").agent_height_m == 3.0f);
    r = run_navctl("world", "profile", "yard", "tall", "-c", d.socket, "--remove", NULL);
    expect_output(&r, "removed profile tall of world yard: revision 4");
    r = run_navctl("world", "profile", "yard", "tall", "-c", d.socket, "--remove", NULL);
    expect_error(&r, 1, "the world has no profile \"tall\"");

    r = run_navctl("world", "profile", "yard", name, "-c", d.socket, "--origin", "1,2,3", NULL);
    expect_error(&r, 2, "navctl world origin yard");
    r = run_navctl("world", "profile", "yard", name, "-c", d.socket, "--cell-size", "-1", NULL);
    expect_error(&r, 2, "--cell-size");
    ck_assert(settings_in(name).agent_radius_m == 0.9f);
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

START_TEST(navctl_shows_and_moves_the_origin)
{
    const daemon_options at = {.no_tcp = true};
    daemon_launch(&d, &at);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", d.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("world", "origin", "yard", "-c", d.socket, "--to", "-7.5,0,2", NULL);
    expect_output(&r, "origin of world yard: revision 2");
    r = run_navctl("world", "origin", "yard", "-c", d.socket, NULL);
    expect_output(&r, "-7.5,0,2\n");
    r = run_navctl("world", "origin", "yard", "-c", d.socket, "--to", "-7.5,0,2", NULL);
    expect_output(&r, "revision 2, 0 tiles to build");
    r = run_navctl("world", "origin", "park", "-c", d.socket, NULL);
    expect_error(&r, 1, "park");
    r = run_navctl("world", "origin", "yard", "-c", d.socket, "--to", "1,2", NULL);
    expect_error(&r, 2, "--to");
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("settings");
    TCase *t = tcase_create("settings");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, acknowledged_settings_survive_kill_9_and_their_tiles_come);
    tcase_add_test(t, navctl_changes_adds_and_removes_profiles);
    tcase_add_test(t, navctl_shows_and_moves_the_origin);
    return run_suite_in_folder(s);
}
