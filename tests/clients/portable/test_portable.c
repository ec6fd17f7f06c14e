// The client library against a real navd by TCP, as the same program on Linux and on Windows. run.sh starts the daemon,
// starts it again when a line says so, and compares the tiles in tiles.WORLD.ENCODING with those that navctl gets.
#include "navd.h"

#include <stdbool.h>

#include "tests/clients/portable/harness.h"

#include <sys/stat.h>
#ifdef _WIN32
#include <direct.h>
#define make_folder(path) _mkdir(path)
#else
#define make_folder(path) mkdir(path, 0777)
#endif

enum { PATIENCE_MS = 120000, GRID = 200 };

static const char *address(void)
{
    const char *given = getenv("NAVD_TCP");
    ck_assert_msg(given != NULL, "NAVD_TCP is not set: run this by run.sh");
    return given;
}

static navd_client *connect_kept(bool keep)
{
    navd_client *c;
    char why[300] = "";
    const navd_options options = {
        .address = address(), .name = "portable", .timeout_ms = PATIENCE_MS, .keep_connected = keep};
    ck_assert_msg(navd_connect_with(&options, &c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_set_timeout(c, PATIENCE_MS);
    return c;
}

static void expect_refused(const char *where, int timeout_ms, navd_status wanted, const char *words)
{
    navd_client *c;
    char why[300] = "";
    navd_status s = navd_connect(where, "portable", timeout_ms, &c, why, sizeof why);
    ck_assert_msg(s == wanted && strstr(why, words), "%s: %s (%s)", where, navd_status_name(s), why);
    ck_assert(c == NULL);
}

// ---- a world of hills, with a box on them ----

static float hill_verts[3 * (GRID + 1) * (GRID + 1)];
static uint32_t hill_triangles[6 * GRID * GRID];
static const float box_verts[] = {0, 0, 0, 4, 0, 0, 4, 0, 4, 0, 0, 4, 0, 3, 0, 4, 3, 0, 4, 3, 4, 0, 3, 4};
static const uint32_t box_triangles[] = {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7,
                                         2, 7, 3, 3, 7, 4, 3, 4, 0, 4, 7, 6, 4, 6, 5};
static const navd_mesh box = {
    .vertices = box_verts, .vertex_count = 8, .triangles = box_triangles, .triangle_count = 10};

// 80,000 triangles, so that it goes in parts and the socket is full now and then.
static navd_mesh hills(void)
{
    float *v = hill_verts;
    uint32_t *t = hill_triangles;
    for (uint32_t z = 0; z <= GRID; z++)
        for (uint32_t x = 0; x <= GRID; x++) {
            *v++ = (float)x * 0.25f;
            *v++ = (float)((x * x + 3 * z * z) % 17) * 0.01f;
            *v++ = (float)z * 0.25f;
        }
    for (uint32_t z = 0; z < GRID; z++)
        for (uint32_t x = 0; x < GRID; x++) {
            uint32_t a = z * (GRID + 1) + x, b = a + GRID + 1;
            const uint32_t two[] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(t, two, sizeof two);
            t += 6;
        }
    return (navd_mesh){.vertices = hill_verts,
                       .vertex_count = (GRID + 1) * (GRID + 1),
                       .triangles = hill_triangles,
                       .triangle_count = 2 * GRID * GRID};
}

static navd_operation put(uint64_t id, const navd_mesh *mesh, float x, float z, uint8_t area)
{
    navd_operation op = {.kind = NAVD_PUT_INSTANCE, .id = id};
    const float at[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z};
    op.u.instance.mesh = navd_mesh_hash(mesh);
    op.u.instance.area = area;
    memcpy(op.u.instance.transform, at, sizeof at);
    return op;
}

static uint64_t open_world(navd_client *c, const char *name)
{
    navd_world world;
    navd_profile profile = {.name = "walker"};
    navd_settings_default(&profile.settings);
    ck_assert_msg(navd_world_open(c, name, true, NULL, &profile, 1, &world) == NAVD_OK, "%s", navd_error_text(c));
    uint64_t id = world.id;
    ck_assert(world.created);
    navd_world_free(&world);
    return id;
}

// The world with both meshes in it. Its revision.
static uint64_t push(navd_client *c, uint64_t world)
{
    const navd_mesh ground = hills();
    navd_operation ops[2] = {put(1, &ground, 0, 0, NAVD_AREA_DEFAULT), put(2, &box, 20, 20, NAVD_AREA_NONE)};
    navd_edit_result result;
    ck_assert_msg(navd_mesh_put(c, &ground, NULL, NULL, NULL) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_msg(navd_mesh_put(c, &box, NULL, NULL, NULL) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_msg(navd_edit(c, world, NULL, ops, 2, &result) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_uint_gt(result.dirty_tiles, 0);
    return result.revision;
}

static uint64_t move_box(navd_client *c, uint64_t world, float x)
{
    navd_operation op = put(2, &box, x, 20, NAVD_AREA_NONE);
    navd_edit_result result;
    ck_assert_msg(navd_edit(c, world, NULL, &op, 1, &result) == NAVD_OK, "%s", navd_error_text(c));
    return result.revision;
}

// ---- who watches it ----

typedef struct watcher {
    uint64_t subscription, synced; // revision
    size_t tiles, bytes, lost, restored, resets;
    size_t polygons;
    const char *folder; // tiles are written to; NULL: none
    const char *ending;
} watcher;

// In an engine's centimetres with Z up: all lie where the hills do.
static size_t count_polygons(const navd_tile *t)
{
    static const double to_metres[12] = {0.01, 0, 0, 0, 0, 0, 0.01, 0, 0, -0.01, 0, 0};
    double from_metres[12];
    navd_polygons p;
    char why[300] = "";
    ck_assert_int_eq(navd_from_metres(to_metres, true, from_metres), NAVD_OK);
    ck_assert_msg(navd_polygons_read(t, 6, from_metres, &p, why, sizeof why) == NAVD_OK, "%s", why);
    for (size_t i = 0; i < p.point_count; i++)
        ck_assert(p.points[i][0] > 0 && p.points[i][0] < 5000 && p.points[i][1] > 0 && p.points[i][1] < 5000);
    size_t count = p.polygon_count;
    navd_polygons_free(&p);
    return count;
}

static void on_tile(void *user, const navd_tile *t)
{
    watcher *w = user;
    char path[200];
    w->tiles++;
    w->bytes += t->size;
    if (t->encoding == NAVD_ENCODING_NAVD) w->polygons += count_polygons(t);
    if (!w->folder) return;
    snprintf(path, sizeof path, "%s/tile_%d_%d.%s", w->folder, (int)t->x, (int)t->z, w->ending);
    remove(path);
    if (t->status != NAVD_TILE_OK) return;
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(t->data, 1, t->size, f), t->size);
    fclose(f);
}

static void on_event(void *user, const navd_event *e)
{
    watcher *w = user;
    w->lost += e->kind == NAVD_EVENT_LOST;
    w->restored += e->kind == NAVD_EVENT_RESTORED;
    w->resets += e->kind == NAVD_EVENT_RESET;
    if (e->kind == NAVD_EVENT_SYNCED) w->synced = e->revision;
}

static void subscribe(navd_client *c, uint64_t world, navd_encoding encoding, watcher *w)
{
    const navd_subscription_options options = {.profile = "walker", .encoding = encoding};
    if (w->folder) (void)make_folder(w->folder);
    navd_on_tile(c, on_tile, w);
    navd_on_event(c, on_event, w);
    ck_assert_msg(navd_subscribe(c, world, &options, &w->subscription) == NAVD_OK, "%s", navd_error_text(c));
}

static void process(navd_client *c)
{
    int due_ms = navd_wait_ms(c);
    wait_for(navd_fd(c), navd_want_write(c), due_ms < 0 || due_ms > PATIENCE_MS ? PATIENCE_MS : due_ms);
    ck_assert_msg(navd_process(c) == NAVD_OK, "%s", navd_error_text(c));
}

static void await_synced(navd_client *c, const watcher *w, uint64_t revision)
{
    while (w->synced < revision) process(c);
}

// ---- the tests ----

START_TEST(an_address_without_a_navd_is_refused_in_words)
{
    int port, fd = open_port(false, &port);
    char at[64];
    expect_refused("nonsense", PATIENCE_MS, NAVD_ERR_ARGUMENT, "host:port");
    snprintf(at, sizeof at, "127.0.0.1:%d", port);
    expect_refused(at, PATIENCE_MS, NAVD_ERR_IO, "refused");
    snprintf(at, sizeof at, "localhost:%d", port); // looked up on a thread
    expect_refused(at, PATIENCE_MS, NAVD_ERR_IO, "no navd at localhost");
    close_socket(fd);
#ifdef _WIN32
    expect_refused("tls://127.0.0.1:7000", PATIENCE_MS, NAVD_ERR_ARGUMENT, "without TLS");
    expect_refused("unix:/tmp/navd.sock", PATIENCE_MS, NAVD_ERR_ARGUMENT, "no Unix sockets on Windows");
#else
    expect_refused("unix:/nowhere/navd.sock", PATIENCE_MS, NAVD_ERR_IO, "No such file");
#endif
}
END_TEST

START_TEST(a_peer_that_says_nothing_is_given_up_in_time)
{
    int port, fd = open_port(true, &port); // the system accepts, nobody answers
    char at[64];
    snprintf(at, sizeof at, "127.0.0.1:%d", port);
    expect_refused(at, 300, NAVD_ERR_TIMEOUT, "no answer within");
    close_socket(fd);
}
END_TEST

START_TEST(a_name_is_looked_up_and_its_navd_found)
{
    navd_client *c;
    char at[64], why[300] = "";
    snprintf(at, sizeof at, "localhost%s", strrchr(address(), ':'));
    ck_assert_msg(navd_connect(at, "portable", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert(strncmp(navd_server_name(c), "navd", 4) == 0);
    ck_assert_uint_gt(navd_get_limits(c).mesh_part_bytes, 0);
    navd_close(c);
}
END_TEST

static void follow(const char *name, navd_encoding encoding, const char *folder)
{
    navd_client *c = connect_kept(false);
    watcher w = {.folder = folder, .ending = encoding == NAVD_ENCODING_NAVD ? "navd" : "bin"};
    uint64_t world = open_world(c, name);
    subscribe(c, world, encoding, &w);
    await_synced(c, &w, push(c, world));
    ck_assert_uint_gt(w.tiles, 8);
    size_t before = w.tiles;
    await_synced(c, &w, move_box(c, world, 30));
    ck_assert_uint_gt(w.tiles, before);
    if (encoding == NAVD_ENCODING_NAVD) ck_assert_uint_gt(w.polygons, 8);
    navd_close(c);
}

START_TEST(tiles_in_navds_encoding_come_as_navctl_gets_them)
{
    follow("cells", NAVD_ENCODING_NAVD, "tiles.cells.navd");
}
END_TEST

START_TEST(tiles_for_detour_come_as_navctl_gets_them)
{
    follow("detour", NAVD_ENCODING_DETOUR, "tiles.detour.detour");
}
END_TEST

typedef struct built {
    int32_t at[2];
    uint8_t *bytes;
    size_t size;
} built;

static void keep_tile(void *user, const navd_tile *t)
{
    built *b = user;
    ck_assert_int_eq(t->status, NAVD_TILE_OK);
    b->bytes = malloc(t->size);
    ck_assert_ptr_nonnull(b->bytes);
    memcpy(b->bytes, t->data, t->size);
    b->size = t->size;
}

START_TEST(a_tile_that_is_fetched_is_the_one_that_is_built_without_a_world)
{
    navd_client *c = connect_kept(false);
    uint64_t world = open_world(c, "stateless");
    const navd_mesh ground = hills();
    watcher w = {.tiles = 0};
    navd_edit_result result;
    navd_operation op = put(1, &ground, 0, 0, NAVD_AREA_DEFAULT);
    const int32_t xz[1][2] = {{1, 1}};
    built fetched = {.bytes = NULL}, made = {.bytes = NULL};
    ck_assert_int_eq(navd_mesh_put(c, &ground, NULL, NULL, NULL), NAVD_OK);
    subscribe(c, world, NAVD_ENCODING_DETOUR, &w);
    ck_assert_int_eq(navd_edit(c, world, NULL, &op, 1, &result), NAVD_OK);
    await_synced(c, &w, result.revision);
    ck_assert_int_eq(navd_tiles_get(c, world, "walker", NAVD_ENCODING_DETOUR, xz, 1, keep_tile, &fetched), NAVD_OK);
    navd_build_request request = {
        .encoding = NAVD_ENCODING_DETOUR, .first = {1, 1}, .last = {1, 1}, .mesh = ground, .area = NAVD_AREA_DEFAULT};
    navd_settings_default(&request.settings);
    ck_assert_msg(navd_tiles_build(c, &request, keep_tile, &made) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_uint_eq(made.size, fetched.size);
    ck_assert_mem_eq(made.bytes, fetched.bytes, made.size);
    free(made.bytes);
    free(fetched.bytes);
    navd_close(c);
}
END_TEST

START_TEST(a_refused_edit_names_its_operation_and_changes_nothing)
{
    navd_client *c = connect_kept(false);
    uint64_t world = open_world(c, "refused"), now;
    navd_operation ops[2] = {put(1, &box, 0, 0, NAVD_AREA_DEFAULT), {.kind = NAVD_REMOVE_INSTANCE, .id = 99}};
    ck_assert_int_eq(navd_mesh_put(c, &box, NULL, NULL, NULL), NAVD_OK);
    ck_assert_int_eq(navd_edit(c, world, NULL, ops, 2, NULL), NAVD_ERR_NOT_FOUND);
    ck_assert_int_eq(navd_error_operation(c), 1);
    ck_assert_msg(strstr(navd_error_text(c), "99"), "%s", navd_error_text(c));
    ck_assert_int_eq(navd_edit(c, world, NULL, ops, 1, NULL), NAVD_OK);
    ck_assert_int_eq(navd_wait(c, world, NULL, &now), NAVD_OK);
    ck_assert_uint_eq(now, 1);
    navd_close(c);
}
END_TEST

START_TEST(after_a_restart_of_the_daemon_only_what_changed_comes)
{
    navd_client *c = connect_kept(true);
    watcher w = {.folder = "tiles.restart.detour", .ending = "bin"};
    uint64_t world = open_world(c, "restart");
    subscribe(c, world, NAVD_ENCODING_DETOUR, &w);
    await_synced(c, &w, push(c, world));
    size_t all = w.tiles;
    printf("#restart\n");
    fflush(stdout);
    while (!w.restored) process(c);
    ck_assert_uint_gt(w.lost, 0);
    ck_assert_uint_eq(w.resets, 0);
    await_synced(c, &w, move_box(c, world, 30));
    ck_assert_msg(w.tiles > all && w.tiles < 2 * all, "%d tiles of %d came again", (int)(w.tiles - all), (int)all);
    navd_close(c);
}
END_TEST

int main(void)
{
    harness h = harness_begin("portable");
    harness_add(&h, an_address_without_a_navd_is_refused_in_words);
    harness_add(&h, a_peer_that_says_nothing_is_given_up_in_time);
    harness_add(&h, a_name_is_looked_up_and_its_navd_found);
    harness_add(&h, tiles_in_navds_encoding_come_as_navctl_gets_them);
    harness_add(&h, tiles_for_detour_come_as_navctl_gets_them);
    harness_add(&h, a_tile_that_is_fetched_is_the_one_that_is_built_without_a_world);
    harness_add(&h, a_refused_edit_names_its_operation_and_changes_nothing);
    harness_add(&h, after_a_restart_of_the_daemon_only_what_changed_comes);
    return harness_end(&h);
}
