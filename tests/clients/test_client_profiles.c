// Settings that change, as the user of the client library meets them: the event before the tiles, grids kept apart,
// calls that a newer one overtakes, and what comes back with a connection.
#include "navd.h"
#include "tests/daemon/fixture.h"

#include <string.h>

static daemon_fixture daemon_;
static client editor;

typedef struct watcher {
    navd_client *c;
    uint64_t world, subscription, grid, synced;
    unsigned tiles, old_tiles, settings, ended, cancelled, done; // old_tiles: of another grid than the newest
    navd_settings last;
    double origin_m[3];
    char text[128];
} watcher;

static watcher w;

static void on_tile(void *user, const navd_tile *t)
{
    watcher *me = user;
    me->tiles++;
    me->old_tiles += t->grid != me->grid;
}

static void on_event(void *user, const navd_event *e)
{
    watcher *me = user;
    if (e->kind == NAVD_EVENT_SYNCED) me->synced = e->revision;
    if (e->kind == NAVD_EVENT_ENDED) {
        me->ended++;
        snprintf(me->text, sizeof me->text, "%s", e->text);
    }
    if (e->kind != NAVD_EVENT_SETTINGS) return;
    ck_assert_uint_eq(e->subscription, me->subscription);
    me->settings++;
    me->grid = e->grid;
    me->last = *e->settings;
    memcpy(me->origin_m, e->origin_m, sizeof me->origin_m);
}

static void start(void)
{
    char why[300];
    navd_world world;
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&editor, &daemon_);
    client_open(&editor);
    const np_op op = op_put(1, client_put_box(&editor, 8, 0.5f, 8), 0, 0, 0);
    ck_assert_int_eq(client_edit(&editor, &op, 1, NULL, NULL), NAV_OK);
    memset(&w, 0, sizeof w);
    navd_options o = {
        .address = daemon_.config.socket, .name = "profiles", .timeout_ms = 240000, .keep_connected = true};
    ck_assert_msg(navd_connect_with(&o, &w.c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_on_tile(w.c, on_tile, &w);
    navd_on_event(w.c, on_event, &w);
    ck_assert_int_eq(navd_world_open(w.c, "w", false, NULL, NULL, 0, &world), NAVD_OK);
    w.world = world.id;
    w.last = world.profiles[0].settings;
    w.grid = world.profiles[0].grid;
    navd_world_free(&world);
    const navd_subscription_options all = {.profile = "walker"};
    ck_assert_int_eq(navd_subscribe(w.c, w.world, &all, &w.subscription), NAVD_OK);
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
}

static void stop(void)
{
    navd_close(w.c);
    client_close(&editor);
    fixture_stop(&daemon_);
}

START_TEST(the_event_comes_before_the_tiles_and_each_tile_names_its_grid)
{
    navd_settings s = w.last;
    navd_change_result r;
    const double origin[3] = {3, 0, -7};
    ck_assert_uint_gt(w.tiles, 1);
    s.agent_radius_m = 1;
    ck_assert_int_eq(navd_profile_set(w.c, w.world, "walker", &s, &r), NAVD_OK);
    ck_assert_uint_gt(r.dirty_tiles, 1);
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
    ck_assert_uint_eq(w.settings, 1);
    ck_assert(w.last.agent_radius_m == 1);
    ck_assert_uint_eq(w.grid, 0);
    s.tile_cells = 24;
    ck_assert_int_eq(navd_profile_set(w.c, w.world, "walker", &s, &r), NAVD_OK);
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
    ck_assert_uint_eq(w.grid, r.grid);
    ck_assert_uint_eq(r.grid, r.revision);
    ck_assert_int_eq(navd_world_set_origin(w.c, w.world, origin, &r), NAVD_OK);
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
    ck_assert_uint_eq(w.grid, r.revision);
    ck_assert_mem_eq(w.origin_m, origin, sizeof origin);
    ck_assert_uint_eq(w.old_tiles, 0);
    ck_assert_uint_eq(w.settings, 3);
}
END_TEST

typedef struct sheet_tiles {
    unsigned tiles[NAVD_SHEET_COUNT];
    navd_key key; // of the newest of sheet x-, with something on it
    int32_t at[2];
} sheet_tiles;

static void take_sheet(void *user, const navd_tile *t)
{
    sheet_tiles *all = user;
    if (strcmp(t->profile, "walker") == 0) return; // of the subscription that every test has
    ck_assert_uint_lt(t->sheet, NAVD_SHEET_COUNT);
    all->tiles[t->sheet]++;
    if (t->sheet != NAVD_SHEET_XMINUS || t->status != NAVD_TILE_OK) return;
    all->key = t->key;
    all->at[0] = t->x;
    all->at[1] = t->z;
}

START_TEST(tiles_say_their_sheet_and_may_be_asked_for_by_it)
{
    navd_settings s = w.last;
    sheet_tiles came = {0}, of_walls = {0}, got = {0}, built = {0};
    uint64_t sub;
    s.sheets = NAVD_SHEETS_ALL; // and no word of the generator
    s.agent_radius_m = 0.1f;
    s.agent_height_m = 1;
    navd_on_tile(w.c, take_sheet, &came);
    ck_assert_int_eq(navd_profile_set(w.c, w.world, "spider", &s, NULL), NAVD_OK);
    const navd_subscription_options all = {.profile = "spider"};
    ck_assert_int_eq(navd_subscribe(w.c, w.world, &all, &sub), NAVD_OK);
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
    for (int sheet = 0; sheet < NAVD_SHEET_COUNT; sheet++) ck_assert_uint_gt(came.tiles[sheet], 0);
    const int32_t(*at)[2] = (const int32_t(*)[2]) & came.at;
    ck_assert_int_eq(
        navd_tiles_get_of(w.c, w.world, "spider", NAVD_SHEET_XMINUS, NAVD_ENCODING_NAVD, at, 1, take_sheet, &got),
        NAVD_OK);
    ck_assert_uint_eq(got.tiles[NAVD_SHEET_XMINUS], 1);
    ck_assert_mem_eq(&got.key, &came.key, sizeof got.key);
    ck_assert_int_eq(navd_unsubscribe(w.c, sub), NAVD_OK);

    navd_on_tile(w.c, take_sheet, &of_walls);
    const navd_subscription_options walls = {.profile = "spider",
                                             .sheets = 1u << NAVD_SHEET_ZPLUS | 1u << NAVD_SHEET_XMINUS};
    ck_assert_int_eq(navd_subscribe(w.c, w.world, &walls, NULL), NAVD_OK);
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
    for (int sheet = 0; sheet < NAVD_SHEET_COUNT; sheet++)
        ck_assert_uint_eq(of_walls.tiles[sheet], walls.sheets >> sheet & 1 ? came.tiles[sheet] : 0);

    static const float corners[] = {-8, -0.5f, -8, -8, 0.5f, -8, -8, 0.5f, 8, -8, -0.5f, 8};
    static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    navd_build_request build = {
        .settings = s,
        .sheet = NAVD_SHEET_XMINUS,
        .first = {came.at[0], came.at[1]},
        .last = {came.at[0], came.at[1]},
        .mesh = {.vertices = corners, .vertex_count = 4, .triangles = triangles, .triangle_count = 2},
        .area = NAVD_AREA_DEFAULT};
    ck_assert_int_eq(navd_tiles_build(w.c, &build, take_sheet, &built), NAVD_OK);
    ck_assert_uint_eq(built.tiles[NAVD_SHEET_XMINUS], 1);
    ck_assert_str_eq(navd_sheet_name(NAVD_SHEET_XMINUS), "x-");
    double place[3] = {1, 2, 3};
    navd_sheet_to_frame(NAVD_SHEET_XMINUS, place, place);
    ck_assert(place[0] == 2 && place[1] == -1 && place[2] == 3);
    navd_sheet_to_world(NAVD_SHEET_XMINUS, place, place);
    ck_assert(place[0] == 1 && place[1] == 2 && place[2] == 3);

    // From the top of the box to its underside.
    const navd_path_query query = {{7, 0.5, 0}, {7, -0.5, 0}};
    navd_paths *paths;
    ck_assert_int_eq(navd_find_paths(w.c, w.world, "spider", 0.2, &query, 1, &paths), NAVD_OK);
    ck_assert_int_eq(paths->paths[0].status, NAVD_PATH_FOUND);
    ck_assert_double_eq_tol(paths->paths[0].length_m, 3, 1e-3);
    const uint32_t last = paths->paths[0].point_count - 1;
    ck_assert_uint_eq(paths->paths[0].sheets[0], NAVD_SHEET_UP);
    ck_assert_uint_eq(paths->paths[0].sheets[last], NAVD_SHEET_DOWN);
    ck_assert(paths->paths[0].normals[1] == 1 && paths->paths[0].normals[3 * last + 1] == -1);
    navd_paths_free(paths);

    s.generator = NAVD_GENERATOR_SURFACE;
    s.sheets = NAVD_SHEETS_UP;
    ck_assert_int_eq(navd_profile_set(w.c, w.world, "spider", &s, NULL), NAVD_OK);
    ck_assert_uint_eq(w.ended, 1); // that to the walls
    ck_assert_str_eq(w.text, "sheets removed");
}
END_TEST

START_TEST(a_subscription_ends_with_its_profile)
{
    ck_assert_int_eq(navd_profile_remove(w.c, w.world, "walker", NULL), NAVD_OK);
    ck_assert_uint_eq(w.ended, 1);
    ck_assert_str_eq(w.text, "profile removed");
    ck_assert_int_eq(navd_profile_remove(w.c, w.world, "walker", NULL), NAVD_ERR_NOT_FOUND);
    ck_assert_msg(strstr(navd_error_text(w.c), "walker"), "%s", navd_error_text(w.c));
    ck_assert_int_eq(navd_unsubscribe(w.c, w.subscription), NAVD_ERR_NOT_FOUND);
}
END_TEST

static void on_change(void *user, navd_status s, const char *text, const navd_change_result *r)
{
    watcher *me = user;
    (void)text;
    (void)r;
    ck_assert(s == NAVD_OK || s == NAVD_ERR_CANCELLED);
    me->cancelled += s == NAVD_ERR_CANCELLED;
    me->done++;
}

START_TEST(changes_need_not_wait_for_each_other)
{
    enum { CHANGES = 10 };
    navd_settings s = w.last;
    for (int i = 1; i <= CHANGES; i++) {
        s.agent_radius_m = 0.6f + 0.05f * (float)i;
        ck_assert_int_eq(navd_profile_set_start(w.c, w.world, "walker", &s, on_change, &w), NAVD_OK);
    }
    ck_assert_int_eq(navd_wait(w.c, w.world, NULL, NULL), NAVD_OK);
    ck_assert_uint_eq(w.done, CHANGES);
    ck_assert(w.last.agent_radius_m == s.agent_radius_m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client_profiles");
    TCase *t = tcase_create("client_profiles");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, the_event_comes_before_the_tiles_and_each_tile_names_its_grid);
    tcase_add_test(t, tiles_say_their_sheet_and_may_be_asked_for_by_it);
    tcase_add_test(t, a_subscription_ends_with_its_profile);
    tcase_add_test(t, changes_need_not_wait_for_each_other);
    suite_add_tcase(s, t);
    return run_suite(s);
}
