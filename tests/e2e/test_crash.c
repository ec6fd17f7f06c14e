// The generator crashes: the process that runs it dies, at random moments under edits, and nobody notices. Each tile is
// the one that a daemon makes whose generator never crashed. A tile that crashes it again and again is set aside.
//
// NAVD_CRASHES says how often.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/edits.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of programs that have a library preloaded, and shall die of their signals.
#define ASAN_OPTIONS "verify_asan_link_order=0:handle_segv=0:handle_abort=0:handle_sigfpe=0:detect_leaks=0"

enum { SIDE = 6, EDITS_A_ROUND = 4, TILE_CONTENT_KEY = 32 }; // docs/formats.md
#define CRASHED "crashed: the tile crashed the generator in stage encode twice (segmentation fault)"

typedef struct faults { // as the library that is preloaded has it
    _Atomic uint64_t left, done, culprit, stuck, calls, refused;
} faults;

typedef struct site {
    char path[PATH_BYTES], variable[PATH_BYTES + 16];
    faults *faults;
    city city;
    peer editor, truth;
    objects there;
    uint64_t edits, acknowledged, deaths_seen;
} site;

static void on_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    site *s = p->user;
    (void)m;
    ck_assert_msg(!error, "%s was refused: %s", np_method_name(r->method), error ? error->message : "");
    if (r->method == NP_WORLD_EDIT && p == &s->editor) s->acknowledged++;
}

static void prepare_faults(site *s)
{
    const faults none = {0};
    snprintf(s->variable, sizeof s->variable, "NAVD_CRASHES=%s", path_into(s->path, "crashes"));
    int fd = open(s->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, &none, sizeof none), (int)sizeof none);
    s->faults = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ck_assert_ptr_ne(s->faults, MAP_FAILED);
    close(fd);
}

static void launch(site *s, daemon_process *d, const char *state, const char *const *arguments)
{
    const char *const environment[] = {s->variable, "LD_PRELOAD=" CRASH_SHIM_PATH, "ASAN_OPTIONS=" ASAN_OPTIONS, NULL};
    daemon_launch(
        d, &(daemon_options){.environment = environment, .no_tcp = true, .state = state, .arguments = arguments});
}

static void connect_to(site *s, peer *p, const char *socket)
{
    peer_init(p, "crash", SIDE);
    p->on_answer = on_answer;
    p->user = s;
    ck_assert(peer_connect(p, socket));
    peer_settle(p);
}

// arguments: NULL: none.
static void begin(site *s, daemon_process *navd, daemon_process *truth, const char *state, const char *const *arguments)
{
    memset(s, 0, sizeof *s);
    prepare_faults(s);
    launch(s, navd, state, arguments);
    daemon_launch(truth, &(daemon_options){.no_tcp = true, .socket = temp_path("truth.sock")});
    city_build(&s->city, "crash", SIDE, navd->socket);
    city_build(&s->city, "crash", SIDE, truth->socket);
    connect_to(s, &s->editor, navd->socket);
    connect_to(s, &s->truth, truth->socket);
    objects_of_city(&s->there, &s->city);
}

static void end(site *s, daemon_process *navd, daemon_process *truth)
{
    peer_deinit(&s->editor);
    peer_deinit(&s->truth);
    munmap(s->faults, sizeof *s->faults);
    ck_assert_int_eq(daemon_stop(navd), 0);
    ck_assert_int_eq(daemon_stop(truth), 0);
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

#ifdef __SANITIZE_THREAD__
enum { WITH_TSAN = 1 };
#else
enum { WITH_TSAN = 0 };
#endif

START_TEST(crashes_at_random_moments_cost_nobody_anything)
{
    enum { MOST_ROUNDS = 100000 };
    static double took_ms[MOST_ROUNDS];
    static site s;
    uint64_t wanted = wanted_count("NAVD_CRASHES", FULL_OR_SANITIZED(200, 20)), chance = wanted_count("NAVD_SEED", 7);
    uint32_t rounds = 0;
    daemon_process navd, truth;
    begin(&s, &navd, &truth, NULL, NULL);
    atomic_store(&s.faults->left, wanted);
    while (atomic_load(&s.faults->done) < wanted) {
        ck_assert_uint_lt(rounds, MOST_ROUNDS);
        double began = clock_ms();
        for (int i = 0; i < EDITS_A_ROUND; i++) {
            edit e = edit_draw(&s.city, &s.there, &chance);
            edit_send(&s.editor, &e);
            edit_send(&s.truth, &e);
            s.edits++;
        }
        peer_settle(&s.editor);
        took_ms[rounds++] = clock_ms() - began;
        peer_settle(&s.truth);
        ck_assert_msg(peer_differences(&s.editor, &s.truth) == 0, "round %u: %u tiles are wrong after %llu crashes",
                      rounds, peer_differences(&s.editor, &s.truth), (unsigned long long)atomic_load(&s.faults->done));
    }
    ck_assert_uint_eq(s.acknowledged, s.edits);
    ck_assert_uint_eq(peer_stat(&s.editor, "tiles_failed"), 0);
    ck_assert_uint_gt(peer_stat(&s.editor, "jobs_saved"), 0);
    ck_assert_int_eq(daemon_count(&navd, "event=session.closed"),
                     daemon_count(&navd, "reason=end")); // none was dropped
    qsort(took_ms, rounds, sizeof *took_ms, compare_doubles);
    printf("crash: %llu crashes, %llu edits, all acknowledged, 0 wrong tiles; %u rounds of %d edits, edits sent to all "
           "tiles there: p50 %.1f ms, p99 %.1f ms, at most %.1f ms\n",
           (unsigned long long)atomic_load(&s.faults->done), (unsigned long long)s.edits, rounds, EDITS_A_ROUND,
           took_ms[rounds / 2], took_ms[rounds * 99 / 100], took_ms[rounds - 1]);
    end(&s, &navd, &truth);
}
END_TEST

// What crashed it is said wherever the tile is.
static void ck_says_why(const daemon_process *d, const char *wanted)
{
    static const char *const ways[][5] = {{"failed", "crash"}, {"why", "crash", "2", "2"}};
    for (int i = 0; i < 2; i++) {
        outcome r = run_navctl(ways[i][0], ways[i][1], "-c", d->socket, ways[i][2], ways[i][3], NULL);
        ck_assert_msg(strstr(r.out, wanted) != NULL, "navctl %s: %s%s", ways[i][0], r.out, r.err);
    }
    outcome r = run_navctl("failed", "crash", "--json", "-c", d->socket, NULL);
    ck_assert_msg(strstr(r.out, "\"stage\": \"encode\"") && strstr(r.out, "\"signal\": \"segmentation fault\""), "%s",
                  r.out);
}

// Its input comes out of the daemon, and makes the tile elsewhere that the other daemon has.
static void ck_can_be_dumped(site *s, const daemon_process *d, int32_t at)
{
    const char *input = temp_path("culprit.navdworld"), *tiles = temp_path("culprit.navd"), *one = temp_path("one");
    outcome r = run_navctl("tile", "dump", "crash", "2", "2", "-o", input, "-c", d->socket, NULL);
    ck_assert_msg(r.code == 0 && strstr(r.out, CRASHED), "exit code %d: %s%s", r.code, r.out, r.err);
    // A generator that crashes does so in navctl, too, and the file is there all the same.
    const char *options = getenv("ASAN_OPTIONS");
    char kept[256];
    snprintf(kept, sizeof kept, "%s", options ? options : "");
    setenv("ASAN_OPTIONS", ASAN_OPTIONS, 1);
    setenv("LD_PRELOAD", CRASH_SHIM_PATH, 1);
    setenv("NAVD_CRASHES_FORKED", "1", 1);
    const char *crashing = temp_path("crashing.navdworld");
    r = run_navctl("tile", "dump", "crash", "2", "2", "-o", crashing, "-c", d->socket, NULL);
    unsetenv("LD_PRELOAD");
    unsetenv("NAVD_CRASHES_FORKED");
    unsetenv("ASAN_OPTIONS");
    if (options) setenv("ASAN_OPTIONS", kept, 1);
    ck_assert_msg(r.code == 0 && strstr(r.out, "crashes navctl, too (Segmentation fault)"), "exit code %d: %s%s",
                  r.code, r.out, r.err);
    ck_assert(file_exists(crashing));
    r = run_navctl("build", input, "--only-tile", "2,2", "-o", tiles, NULL);
    ck_assert_msg(r.code == 0, "exit code %d: %s%s", r.code, r.out, r.err);
    r = run_navctl("tile", tiles, "2", "2", "-o", one, NULL);
    ck_assert_msg(r.code == 0, "exit code %d: %s%s", r.code, r.out, r.err);
    size_t size;
    uint8_t *bytes = read_file(one, &size);
    ck_assert_uint_gt(size, TILE_CONTENT_KEY + NAV_KEY_BYTES);
    ck_assert(nav_key_equal(nav_key_load(bytes + TILE_CONTENT_KEY), s->truth.tiles[at].key));
    free(bytes);
}

// The tile (2, 2) crashes the generator from now on, and its box is moved.
static void put_culprit(site *s, uint32_t turn)
{
    np_op move = city_move(SIDE, 2, 2, turn);
    atomic_store(&s->faults->culprit, UINT64_C(2) << 32 | 3);
    city_apply(&s->editor, (const float[3]){0}, &move, 1);
    city_apply(&s->truth, (const float[3]){0}, &move, 1);
    peer_settle(&s->editor);
    peer_settle(&s->truth);
}

static void mend_generator(site *s)
{
    atomic_store(&s->faults->culprit, 0);
}

static void ck_all_is_well(site *s, int32_t at)
{
    peer_settle(&s->editor);
    peer_settle(&s->truth);
    ck_assert_int_eq(s->editor.tiles[at].status, NP_TILE_OK);
    ck_assert_uint_eq(peer_differences(&s->editor, &s->truth), 0);
    ck_assert_uint_eq(peer_stat(&s->editor, "tiles_failed"), 0);
}

START_TEST(a_tile_that_crashes_twice_is_set_aside_until_its_input_changes_or_somebody_asks)
{
    static site s;
    char folder[PATH_BYTES];
    const char *state = path_into(folder, "crash-state");
    const int32_t at = 2 * SIDE + 2;
    daemon_process navd, truth;
    begin(&s, &navd, &truth, state, NULL);
    put_culprit(&s, 5);
    ck_assert_int_eq(s.editor.tiles[at].status, NP_TILE_FAILED);
    (void)daemon_await(&navd, "event=helper.died", "name=\"crash\"", "x=2 z=2", "signal=11", "tile=failed",
                       "navctl tile dump crash 2 2", NULL);
    ck_assert_int_eq(daemon_count(&navd, "event=helper.died"), 2);
    ck_assert_uint_eq(peer_stat(&s.editor, "tiles_failed"), 1);
    ck_assert_uint_eq(peer_stat(&s.editor, "failed_crashed"), 1);
    ck_says_why(&navd, CRASHED);
    ck_can_be_dumped(&s, &navd, at);
    (void)daemon_await(&navd, "event=tile.failed", "code=crashed", "stage encode twice (segmentation fault)", NULL);

    // Other tiles go on.
    np_op move = city_move(SIDE, 4, 4, 7);
    city_apply(&s.editor, (const float[3]){0}, &move, 1);
    city_apply(&s.truth, (const float[3]){0}, &move, 1);
    peer_settle(&s.editor);
    peer_settle(&s.truth);
    ck_assert_uint_eq(peer_differences(&s.editor, &s.truth), 1);

    // It is known after a restart, and not tried, with a generator that would make it.
    peer_deinit(&s.editor);
    ck_assert_int_eq(daemon_stop(&navd), 0);
    mend_generator(&s);
    launch(&s, &navd, state, NULL);
    connect_to(&s, &s.editor, navd.socket);
    ck_assert_int_eq(s.editor.tiles[at].status, NP_TILE_FAILED);
    ck_assert_int_eq(daemon_count(&navd, "event=helper.died"), 0);
    ck_says_why(&navd, CRASHED);

    // Somebody asks.
    const float middle = 2.5f * CITY_TILE_M;
    const np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {.min = {middle, middle}, .max = {middle, middle}}};
    city_apply(&s.editor, (const float[3]){0}, &dirty, 1);
    ck_all_is_well(&s, at);

    // And what was set aside again is made when its input changes.
    put_culprit(&s, 6);
    ck_assert_int_eq(s.editor.tiles[at].status, NP_TILE_FAILED);
    mend_generator(&s);
    move = city_move(SIDE, 2, 2, 8);
    city_apply(&s.editor, (const float[3]){0}, &move, 1);
    city_apply(&s.truth, (const float[3]){0}, &move, 1);
    ck_all_is_well(&s, at);
    end(&s, &navd, &truth);
}
END_TEST

static np_op link_in_culprit(void)
{
    const float middle = 2.5f * CITY_TILE_M;
    return (np_op){.kind = NP_OP_PUT_LINK,
                   .id = 1,
                   .u.link = {.id = 1,
                              .start = {middle, 0, middle},
                              .end = {middle + 2 * CITY_TILE_M, 0, middle},
                              .radius_m = 1,
                              .area = 5,
                              .flags = 1}};
}

START_TEST(a_link_that_crashes_what_adds_it_costs_its_tile_alone_and_its_removal_nothing)
{
    static site s;
    const int32_t at = 2 * SIDE + 2;
    const np_op put = link_in_culprit(), take = {.kind = NP_OP_REMOVE_LINK, .id = 1};
    daemon_process navd, truth;
    begin(&s, &navd, &truth, NULL, NULL);
    const uint64_t built = peer_stat(&s.editor, "jobs_built");
    atomic_store(&s.faults->culprit, UINT64_C(2) << 32 | 3);
    city_apply(&s.editor, (const float[3]){0}, &put, 1);
    peer_settle(&s.editor);
    ck_assert_int_eq(s.editor.tiles[at].status, NP_TILE_FAILED);
    ck_assert_int_eq(daemon_count(&navd, "event=helper.died"), 2);
    ck_assert_uint_eq(peer_stat(&s.editor, "failed_crashed"), 1);
    ck_assert_uint_eq(peer_stat(&s.editor, "tiles_failed"), 1);
    ck_says_why(&navd, CRASHED);
    city_apply(&s.editor, (const float[3]){0}, &take, 1);
    ck_all_is_well(&s, at); // the tile without it was not at fault
    mend_generator(&s);
    city_apply(&s.editor, (const float[3]){0}, &put, 1);
    peer_settle(&s.editor);
    ck_assert_int_eq(s.editor.tiles[at].status, NP_TILE_FAILED); // known, and not tried again
    ck_assert_int_eq(daemon_count(&navd, "event=helper.died"), 2);
    ck_assert_uint_eq(peer_stat(&s.editor, "jobs_built"), built);
    end(&s, &navd, &truth);
}
END_TEST

// A run that does not return is ended, and its tile is set aside; the others of the edit are there long before.
START_TEST(a_run_that_does_not_return_costs_its_tile)
{
    static site s;
    const int32_t at = 2 * SIDE + 2;
    daemon_process navd, truth;
    static const char *const arguments[] = {"--tile-ms", "5000", "--stuck-ms", "1", NULL};
    begin(&s, &navd, &truth, NULL, arguments);
    atomic_store(&s.faults->stuck, 1);
    put_culprit(&s, 5);
    ck_assert_int_eq(s.editor.tiles[at].status, NP_TILE_FAILED);
    (void)daemon_await(&navd, "event=helper.died", "x=2 z=2", "stage=encode", "signal=14", "did not return", NULL);
    ck_assert_uint_ge(peer_stat(&s.editor, "failed_timeout"), 1);
    ck_assert_uint_eq(peer_differences(&s.editor, &s.truth), 1);
    outcome r = run_navctl("failed", "crash", "-c", navd.socket, NULL);
    ck_assert_msg(strstr(r.out, "timeout: the tile took longer than --tile-ms allows; it failed in the stage encode"),
                  "%s", r.out);
    atomic_store(&s.faults->culprit, 0);
    atomic_store(&s.faults->stuck, 0);
    const float middle = 2.5f * CITY_TILE_M;
    const np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {.min = {middle, middle}, .max = {middle, middle}}};
    city_apply(&s.editor, (const float[3]){0}, &dirty, 1);
    ck_all_is_well(&s, at);
    end(&s, &navd, &truth);
}
END_TEST

// --- meshes ---

enum { GRID = 260 }; // its mesh is more than a megabyte, and lies in shared memory as it was made

static navd_mesh make_grid(void)
{
    static float verts[3 * (GRID + 1) * (GRID + 1)];
    static uint32_t tris[6 * GRID * GRID];
    uint32_t *t = tris;
    for (uint32_t i = 0; i < (GRID + 1) * (GRID + 1); i++) {
        verts[3 * i] = (float)(i % (GRID + 1));
        verts[3 * i + 2] = (float)(i / (GRID + 1));
    }
    for (uint32_t z = 0; z < GRID; z++)
        for (uint32_t x = 0; x < GRID; x++) {
            uint32_t a = z * (GRID + 1) + x, c = a + GRID + 1;
            const uint32_t square[6] = {a, c, c + 1, a, c + 1, a + 1};
            memcpy(t, square, sizeof square);
            t += 6;
        }
    return (navd_mesh){verts, (GRID + 1) * (GRID + 1), tris, 2 * GRID * GRID, NULL, NULL};
}

static void ck_mesh_alone_is_refused(site *s, daemon_process *navd, navd_client *c, const navd_mesh *mesh)
{
    char hash[NAV_KEY_TEXT_BYTES];
    navd_key key = navd_mesh_hash(mesh);
    nav_key_text(nav_key_load((const uint8_t *)&key), hash);
    atomic_store(&s->faults->calls, 2);
    ck_assert_int_eq(navd_mesh_put(c, mesh, NULL, NULL, NULL), NAVD_ERR_CRASHED);
    ck_assert_msg(strstr(navd_error_text(c), hash) && strstr(navd_error_text(c), "(segmentation fault)"), "%s",
                  navd_error_text(c));
    (void)daemon_await(navd, "event=mesh.crashed", hash, "signal=11", NULL);
    // The session goes on. What was one accident is tried again, and nobody hears of it.
    atomic_store(&s->faults->calls, 1);
    ck_assert_msg(navd_mesh_put(c, mesh, NULL, NULL, NULL) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_uint_eq(atomic_load(&s->faults->calls), 0);
}

START_TEST(a_mesh_that_crashes_while_it_is_indexed_is_refused_and_nobody_else_notices)
{
    static site s;
    static const float corners[9] = {0, 0, 0, 0, 0, 4, 4, 0, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    const navd_mesh small = {corners, 3, triangle, 1, NULL, NULL}, large = make_grid();
    daemon_process navd, truth;
    navd_client *c;
    char why[256];
    begin(&s, &navd, &truth, NULL, NULL);
    ck_assert_msg(navd_connect(navd.socket, "test", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    int closed = daemon_count(&navd, "event=session.closed");
    ck_mesh_alone_is_refused(&s, &navd, c, &small);
    ck_mesh_alone_is_refused(&s, &navd, c, &large);
    navd_mesh_data back;
    ck_assert_int_eq(navd_mesh_get(c, navd_mesh_hash(&large), &back), NAVD_OK);
    navd_mesh_data_free(&back);
    ck_assert_int_eq(daemon_count(&navd, "event=session.closed"), closed);
    navd_close(c);
    np_op move = city_move(SIDE, 2, 2, 3);
    city_apply(&s.editor, (const float[3]){0}, &move, 1);
    city_apply(&s.truth, (const float[3]){0}, &move, 1);
    ck_all_is_well(&s, 2 * SIDE + 2);
    end(&s, &navd, &truth);
}
END_TEST

// The processes of that name that the parent has begun. How many they are.
static int find_processes(pid_t parent, const char *name, pid_t *out, int most)
{
    char command[160], line[32];
    int count = 0;
    snprintf(command, sizeof command, "pgrep -P %d -x %s", (int)parent, name);
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    while (count < most && fgets(line, sizeof line, f)) out[count++] = (pid_t)strtol(line, NULL, 10);
    pclose(f);
    return count;
}

static pid_t find_nursery(const daemon_process *d)
{
    pid_t found = 0;
    ck_assert_int_eq(find_processes(d->pid, "navd-nursery", &found, 1), 1);
    return found;
}

// And waits until its helpers have ended, too.
static void kill_nursery(const daemon_process *d)
{
    enum { MOST = 256 };
    pid_t helpers[MOST], nursery = find_nursery(d);
    struct pollfd ends[MOST];
    int count = find_processes(nursery, "navd-helper", helpers, MOST);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++) {
        ends[i] = (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, helpers[i], 0), .events = POLLIN};
        ck_assert_int_ge(ends[i].fd, 0);
    }
    ck_assert_int_eq(kill(nursery, SIGKILL), 0);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(poll(&ends[i], 1, PATIENCE_MS), 1);
        close(ends[i].fd);
    }
}

START_TEST(whoever_kills_the_nursery_gets_another_one)
{
    static site s;
    daemon_process navd, truth;
    begin(&s, &navd, &truth, NULL, NULL);
    pid_t first = find_nursery(&navd);
    ck_assert_int_eq(kill(first, SIGKILL), 0);
    uint64_t chance = 3;
    // It is noticed while something is made; the helpers may go on for a moment.
    while (!daemon_count(&navd, "event=nursery.died")) {
        edit e = edit_draw(&s.city, &s.there, &chance);
        edit_send(&s.editor, &e);
        edit_send(&s.truth, &e);
        peer_settle(&s.editor);
        peer_settle(&s.truth);
    }
    ck_assert_uint_eq(peer_differences(&s.editor, &s.truth), 0);
    ck_assert_int_ne(find_nursery(&navd), first);
    end(&s, &navd, &truth);
}
END_TEST

START_TEST(a_mesh_does_not_wait_for_a_tile_where_somebody_has_killed_the_nursery)
{
    static site s;
    static const float corners[9] = {0, 0, 0, 0, 0, 4, 4, 0, 0};
    static const uint32_t triangle[3] = {0, 1, 2};
    const navd_mesh small = {corners, 3, triangle, 1, NULL, NULL}, large = make_grid();
    const navd_mesh *const meshes[] = {&small, &large};
    daemon_process navd, truth;
    navd_client *c;
    char why[256];
    begin(&s, &navd, &truth, NULL, NULL);
    ck_assert_msg(navd_connect(navd.socket, "test", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    for (int i = 0; i < 2; i++) {
        kill_nursery(&navd);
        ck_assert_msg(navd_mesh_put(c, meshes[i], NULL, NULL, NULL) == NAVD_OK, "%s", navd_error_text(c));
        (void)daemon_await(&navd, "event=nursery.died", NULL);
    }
    navd_close(c);
    end(&s, &navd, &truth);
}
END_TEST

static void ck_ready(int port, const char *status, const char *text)
{
    char page[2048];
    daemon_ask_page(port, "/readyz", page, sizeof page);
    ck_assert_msg(!strncmp(page, "HTTP/1.1 ", 9) && !strncmp(page + 9, status, 3) && strstr(page, text), "%s", page);
}

START_TEST(where_the_system_refuses_helpers_it_is_said_and_the_tile_comes_when_it_has_one)
{
    static site s;
    static const char *const arguments[] = {"--http-listen", "0", NULL};
    daemon_process navd, truth;
    begin(&s, &navd, &truth, NULL, arguments);
    int port = atoi(strstr(daemon_await(&navd, "event=http.opened", "port=", NULL), "port=") + 5);
    ck_ready(port, "200", "ok");
    atomic_store(&s.faults->refused, 1);
    atomic_store(&s.faults->calls, 1);
    np_op move = city_move(SIDE, 2, 2, 5);
    city_apply(&s.editor, (const float[3]){0}, &move, 1);
    peer_flush(&s.editor);
    city_apply(&s.truth, (const float[3]){0}, &move, 1);
    (void)daemon_await(&navd, "event=helpers.missing", "refuses helper processes", "limit of processes", NULL);
    ck_ready(port, "503", "the system refuses helper processes of the generator: raise the limit of processes");
    atomic_store(&s.faults->refused, 0);
    ck_all_is_well(&s, 2 * SIDE + 2);
    (void)daemon_await(&navd, "event=helpers.back", NULL); // also where nothing is left to do
    ck_ready(port, "200", "ok");
    end(&s, &navd, &truth);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("crash");
    TCase *t = tcase_create("crash");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, crashes_at_random_moments_cost_nobody_anything);
    if (!WITH_TSAN) { // which takes the culprit's signal for its own
        tcase_add_test(t, a_tile_that_crashes_twice_is_set_aside_until_its_input_changes_or_somebody_asks);
        tcase_add_test(t, a_link_that_crashes_what_adds_it_costs_its_tile_alone_and_its_removal_nothing);
        tcase_add_test(t, a_run_that_does_not_return_costs_its_tile);
        tcase_add_test(t, a_mesh_that_crashes_while_it_is_indexed_is_refused_and_nobody_else_notices);
        tcase_add_test(t, where_the_system_refuses_helpers_it_is_said_and_the_tile_comes_when_it_has_one);
    }
    tcase_add_test(t, whoever_kills_the_nursery_gets_another_one);
    tcase_add_test(t, a_mesh_does_not_wait_for_a_tile_where_somebody_has_killed_the_nursery);
    return run_suite(s);
}
