// navd --worker, and a daemon that is played by hand: what workers build is byte for byte what anybody builds, and
// nothing that comes to them ends or stops them.
#include "tests/farm/farm_hand.h"

#include "core/build.h"
#include "core/geometry/tile_source.h"
#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "core/tile/tile_format.h"
#include "daemon/base/thread.h"
#include "navd.h"
#include "protocol/dictionary.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"
#include "tests/farm/area_fixture.h"
#include "tests/farm/nats_server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static nats_server server;
static farm_hand hand;
static area_meshes meshes;
static nd_area_head head;

static void launch(daemon_process *w, const char *more, const char *value)
{
    const char *const arguments[] = {"--farm", server.url, "--farm-name", HAND_FARM, "--farm-job-s",
                                     "1",      more,       value,         NULL};
    daemon_launch(w, &(daemon_options){.arguments = arguments, .worker = true});
}

static void put_meshes(void)
{
    static const uint32_t tris[] = {0, 1, 2, 0, 2, 3};
    for (int i = 0; i < AREA_MESHES; i++) {
        const float side = 2 + (float)i;
        const float verts[] = {0, 0, 0, 0, 0, side, side, 0, side, side, 0, 0};
        hand_put_mesh(&hand, meshes.owned[i]->hash, verts, 4, tris, 2);
    }
}

static void set_up(void)
{
    nd_thread_set_loop(true);
    nats_server_start(&server, "nats", NULL);
    hand_open(&hand, server.url);
    area_meshes_init(&meshes);
    area_head(&head, 0, 0);
    memcpy(head.daemon, hand.id, sizeof head.daemon);
    head.zstd_level = 1;
}

static void tear_down(void)
{
    area_meshes_deinit(&meshes);
    hand_close(&hand);
    nats_server_kill(&server);
}

// A job of that many tiles; number: of the job. Its area has the number in its key.
static void send_job(uint64_t number, unsigned tiles, unsigned objects)
{
    nav_buffer job = {0};
    head.job = number;
    head.area = nd_area_key(&head.settings, head.block_x, head.block_z, head.wanted, (nav_key){number, 1});
    area_job_bytes(&meshes, &head, tiles, objects, &job);
    hand_send(&hand, NAV_GENERATOR_VERSION, &job);
    nav_buffer_deinit(&job);
}

static void expect(nd_done_status status, uint64_t job, uint32_t built, uint32_t found)
{
    hand_notice n;
    hand_await(&hand, &n);
    ck_assert_msg(n.done.status == status, "%d: %s", (int)n.done.status, n.why);
    ck_assert_uint_eq(n.done.job, job);
    ck_assert_uint_eq(n.done.built, built);
    ck_assert_uint_eq(n.done.found, found);
}

// --- what the bytes must be ---

static void encode(const nav_tile *tile, uint8_t e, int level, nav_buffer *out)
{
    nav_buffer raw = {0}, packed = {0};
    nav_status s = (e == ND_ENCODING_NAVD ? nav_tile_encode : nav_detour_encode)(tile, &raw);
    if (s == NAV_OK && e == ND_ENCODING_PACKED) s = nav_detour_pack(raw.data, raw.size, tile->settings, &packed);
    ck_assert_int_eq(s, NAV_OK);
    const nav_buffer *in = e == ND_ENCODING_PACKED ? &packed : &raw;
    const size_t bound = ZSTD_compressBound(in->size);
    ck_assert_int_eq(nav_buffer_reserve(out, bound), NAV_OK);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CDict *d = ZSTD_createCDict(np_dictionary, np_dictionary_bytes, level);
    out->size = e == ND_ENCODING_PACKED ? ZSTD_compress_usingCDict(z, out->data, bound, in->data, in->size, d)
                                        : ZSTD_compressCCtx(z, out->data, bound, in->data, in->size, level);
    ck_assert(!ZSTD_isError(out->size));
    ZSTD_freeCDict(d);
    ZSTD_freeCCtx(z);
    nav_buffer_deinit(&raw);
    nav_buffer_deinit(&packed);
}

// The tile of a view, made here, is the one of the pack.
static void check_tile(const nav_buffer *pack, const nd_view *v, uint8_t e, int level)
{
    nav_arena arena;
    nav_tile tile;
    nd_pack_tile got;
    nav_buffer want = {0};
    nav_arena_init(&arena, 0);
    ck_assert_int_eq(nav_build_tile(&v->source, NULL, NULL, &arena, &tile), NAV_OK);
    const bool empty = !tile.polygons.count;
    ck_assert(hand_find(pack, nav_tile_source_key(&v->source), e, &got));
    ck_assert(nav_key_equal(got.record.value.content_key, tile.content_key));
    ck_assert_int_eq(got.record.value.status, empty ? NP_TILE_EMPTY : NP_TILE_OK);
    if (!empty) {
        encode(&tile, e, level, &want);
        ck_assert_msg(got.record.data_bytes == want.size, "encoding %d of tile %d,%d: %zu bytes, expected %zu", e,
                      v->source.tile_x, v->source.tile_z, got.record.data_bytes, want.size);
        ck_assert_mem_eq(got.record.data, want.data, want.size);
    }
    nav_buffer_deinit(&want);
    nav_arena_deinit(&arena);
}

static void check_pack(unsigned tiles, unsigned objects, int level)
{
    nav_buffer pack = {0};
    nd_view v = {0};
    ck_assert(hand_get_pack(&hand, head.area, &pack));
    for (unsigned i = 0; i < tiles; i++)
        for (unsigned e = 0; e < ND_ENCODINGS; e++) {
            if (!(head.wanted >> e & 1)) continue;
            (void)area_view(&meshes, &head, (int32_t)(i % ND_AREA_SIDE), (int32_t)(i / ND_AREA_SIDE), objects, &v);
            check_tile(&pack, &v, (uint8_t)e, level);
        }
    nd_view_deinit(&v);
    nav_buffer_deinit(&pack);
}

START_TEST(a_job_comes_back_byte_for_byte_in_all_encodings)
{
    daemon_process w;
    launch(&w, NULL, NULL);
    put_meshes();
    head.wanted = (1u << ND_WIRE_ENCODINGS) - 1;
    send_job(1, 100, 8);
    expect(ND_DONE_BUILT, 1, 100, 0);
    check_pack(100, 8, 1);
    // As the job's daemon would compress them, not this one.
    head.wanted = 1u << ND_ENCODING_PACKED | 1u << ND_ENCODING_NAVD;
    head.zstd_level = 7;
    send_job(3, 40, 7);
    expect(ND_DONE_BUILT, 3, 40, 0);
    check_pack(40, 7, 7);
    hand_await_no_jobs(&hand);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

typedef struct built {
    const nav_buffer *pack;
    const nd_area_head *head;
    nd_mesh *mesh;
    int tiles;
} built;

// Of tiles.build, unpacked.
static void compare(void *user, const navd_tile *t)
{
    built *b = user;
    nd_view v = {0};
    nd_pack_tile got;
    nav_instance in = {.mesh = b->mesh->mesh, .transform = NAV_TRANSFORM_IDENTITY, .area = NAV_AREA_DEFAULT};
    nd_view_begin(&v, &b->head->settings, t->x, t->z);
    ck_assert_int_eq(nd_view_add_instance(&v, b->mesh, &in), NAV_OK);
    ck_assert(hand_find(b->pack, nav_tile_source_key(&v.source), ND_ENCODING_NAVD, &got));
    ck_assert_int_eq(t->status, NAVD_TILE_OK);
    ck_assert_uint_eq(got.record.data_bytes, t->wire_size);
    uint8_t *bytes = malloc(t->size + 1);
    ck_assert_uint_eq(ZSTD_decompress(bytes, t->size, got.record.data, got.record.data_bytes), t->size);
    ck_assert_mem_eq(bytes, t->data, t->size);
    free(bytes);
    nd_view_deinit(&v);
    b->tiles++;
}

START_TEST(a_job_gives_what_tiles_build_gives)
{
    static const float verts[] = {0, 0, 0, 30, 0, 0, 30, 1, 30, 0, 0, 30};
    static const uint32_t tris[] = {0, 3, 2, 0, 2, 1};
    daemon_process w, home;
    nav_mesh *own;
    nd_mesh mesh = {0};
    nd_view v = {0};
    nd_area_writer writer = {0};
    nav_buffer job = {0}, pack = {0};
    launch(&w, NULL, NULL);
    daemon_launch(&home, &(daemon_options){.no_tcp = true});
    ck_assert_int_eq(nav_mesh_create_in(NULL, verts, 4, tris, 2, NULL, &own), NAV_OK);
    mesh.mesh = own;
    hand_put_mesh(&hand, own->hash, verts, 4, tris, 2);
    nav_settings_default(&head.settings);
    head.job = 1;
    ck_assert_int_eq(nd_area_writer_begin(&writer, &head), NAV_OK);
    for (int32_t i = 0; i < 4; i++) {
        nav_instance in = {.mesh = own, .transform = NAV_TRANSFORM_IDENTITY, .area = NAV_AREA_DEFAULT};
        nd_view_begin(&v, &head.settings, i % 2, i / 2);
        ck_assert_int_eq(nd_view_add_instance(&v, &mesh, &in), NAV_OK);
        ck_assert_int_eq(nd_area_writer_add(&writer, &v, nav_tile_source_key(&v.source)), NAV_OK);
    }
    ck_assert_int_eq(nd_area_writer_finish(&writer, &job), NAV_OK);
    hand_send(&hand, NAV_GENERATOR_VERSION, &job);
    expect(ND_DONE_BUILT, 1, 4, 0);
    ck_assert(hand_get_pack(&hand, head.area, &pack));
    navd_client *c;
    char why[256];
    ck_assert_int_eq(navd_connect(home.socket, "test", PATIENCE_MS, &c, why, sizeof why), NAVD_OK);
    navd_build_request request = {.encoding = NAVD_ENCODING_NAVD,
                                  .last = {1, 1},
                                  .mesh = {verts, 4, tris, 2, NULL, NULL},
                                  .area = NAVD_AREA_DEFAULT};
    navd_settings_default(&request.settings);
    built b = {&pack, &head, &mesh, 0};
    ck_assert_int_eq(navd_tiles_build(c, &request, compare, &b), NAVD_OK);
    ck_assert_int_eq(b.tiles, 4);
    navd_close(c);
    nav_buffer_deinit(&job);
    nav_buffer_deinit(&pack);
    nd_area_writer_deinit(&writer);
    nd_view_deinit(&v);
    nav_mesh_destroy(own);
    ck_assert_int_eq(daemon_stop(&home), 0);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

START_TEST(what_the_pack_has_is_not_built_again)
{
    daemon_process w;
    nav_buffer job = {0};
    launch(&w, NULL, NULL);
    put_meshes();
    send_job(1, 20, 5);
    expect(ND_DONE_BUILT, 1, 20, 0);
    const nav_key area = head.area;
    // Another worker, which has nothing in memory.
    ck_assert_int_eq(daemon_stop(&w), 0);
    launch(&w, NULL, NULL);
    head.job = 2;
    area_job_bytes(&meshes, &head, 30, 5, &job);
    hand_send(&hand, NAV_GENERATOR_VERSION, &job);
    expect(ND_DONE_BUILT, 2, 10, 20);
    ck_assert(nav_key_equal(area, head.area));
    check_pack(30, 5, 1);
    nav_buffer_deinit(&job);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

START_TEST(a_mesh_that_is_not_there_is_named)
{
    daemon_process w;
    hand_notice n;
    launch(&w, NULL, NULL);
    send_job(1, 3, 1);
    hand_await(&hand, &n);
    ck_assert_int_eq(n.done.status, ND_DONE_NO_MESH);
    ck_assert_uint_eq(n.done.mesh_count, 1);
    ck_assert(nav_key_equal(n.meshes[0], meshes.owned[0]->hash));
    // Another one under its name is as bad.
    static const float verts[] = {0, 0, 0, 0, 0, 1, 1, 0, 1};
    static const uint32_t tris[] = {0, 1, 2};
    hand_put_mesh(&hand, meshes.owned[0]->hash, verts, 3, tris, 1);
    send_job(2, 3, 1);
    hand_await(&hand, &n);
    ck_assert_int_eq(n.done.status, ND_DONE_NO_MESH);
    put_meshes();
    send_job(3, 3, 1);
    expect(ND_DONE_BUILT, 3, 3, 0);
    hand_await_no_jobs(&hand);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

START_TEST(a_large_mesh_comes_in_parts)
{
    enum { SIDE = 300 };
    daemon_process w;
    nav_mesh *own;
    nd_mesh mesh = {0};
    nd_view v = {0};
    nd_area_writer writer = {0};
    nav_buffer job = {0}, pack = {0};
    float *verts = malloc(3 * sizeof *verts * (SIDE + 1) * (SIDE + 1));
    uint32_t *tris = malloc(6 * sizeof *tris * SIDE * SIDE), count = 0;
    for (uint32_t i = 0; i < (SIDE + 1) * (SIDE + 1); i++) {
        verts[3 * i] = (float)(i % (SIDE + 1)) * 0.1f;
        verts[3 * i + 1] = (float)(i * 7 % 13) * 0.01f;
        verts[3 * i + 2] = (float)(i / (SIDE + 1)) * 0.1f;
    }
    for (uint32_t z = 0; z < SIDE; z++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const uint32_t a = z * (SIDE + 1) + x, b = a + 1, c = a + SIDE + 1, d = c + 1;
            const uint32_t two[6] = {a, c, b, b, c, d};
            memcpy(tris + count, two, sizeof two);
            count += 6;
        }
    ck_assert_int_eq(nav_mesh_create_in(NULL, verts, (SIDE + 1) * (SIDE + 1), tris, count / 3, NULL, &own), NAV_OK);
    mesh.mesh = own;
    hand_put_mesh(&hand, own->hash, verts, (SIDE + 1) * (SIDE + 1), tris, count / 3);
    launch(&w, NULL, NULL);
    nav_instance in = {.mesh = own, .transform = NAV_TRANSFORM_IDENTITY, .area = NAV_AREA_DEFAULT};
    ck_assert_int_eq(nd_area_writer_begin(&writer, &head), NAV_OK);
    nd_view_begin(&v, &head.settings, 1, 1);
    ck_assert_int_eq(nd_view_add_instance(&v, &mesh, &in), NAV_OK);
    ck_assert_int_eq(nd_area_writer_add(&writer, &v, nav_tile_source_key(&v.source)), NAV_OK);
    ck_assert_int_eq(nd_area_writer_finish(&writer, &job), NAV_OK);
    hand_send(&hand, NAV_GENERATOR_VERSION, &job);
    expect(ND_DONE_BUILT, head.job, 1, 0);
    ck_assert(hand_get_pack(&hand, head.area, &pack));
    check_tile(&pack, &v, ND_ENCODING_NAVD, 1);
    nav_buffer_deinit(&job);
    nav_buffer_deinit(&pack);
    nd_area_writer_deinit(&writer);
    nd_view_deinit(&v);
    nav_mesh_destroy(own);
    free(verts);
    free(tris);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

START_TEST(jobs_of_other_generators_wait_for_their_own_workers)
{
    daemon_process w;
    nav_buffer job = {0};
    hand_notice n;
    launch(&w, NULL, NULL);
    put_meshes();
    head.job = 1;
    head.generator = NAV_GENERATOR_VERSION + 1;
    area_job_bytes(&meshes, &head, 3, 2, &job);
    hand_send(&hand, NAV_GENERATOR_VERSION + 1, &job);
    head.generator = NAV_GENERATOR_VERSION;
    send_job(2, 3, 2);
    expect(ND_DONE_BUILT, 2, 3, 0);
    ck_assert_uint_eq(hand_jobs_left(&hand), 1);
    // One that only says that it is ours is refused, and its daemon hears why.
    hand_send(&hand, NAV_GENERATOR_VERSION, &job);
    hand_await(&hand, &n);
    ck_assert_int_eq(n.done.status, ND_DONE_REFUSED);
    ck_assert_uint_eq(n.done.job, 1);
    ck_assert_ptr_nonnull(strstr(n.why, "generator version"));
    nav_buffer_deinit(&job);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

START_TEST(a_job_that_was_begun_twice_is_set_aside)
{
    enum { BEGUN = 2 };
    daemon_process w;
    hand_notice n;
    char why[256], consumer[32];
    launch(&w, NULL, NULL); // makes the consumer
    ck_assert_int_eq(daemon_stop(&w), 0);
    put_meshes();
    send_job(7, 4, 3);
    snprintf(consumer, sizeof consumer, "v%d", NAV_GENERATOR_VERSION);
    for (int i = 0; i < BEGUN; i++) { // workers that begin it and are gone
        natsSubscription *pull = NULL;
        natsMsgList list = {0};
        jsErrCode code = 0;
        jsSubOptions o;
        jsSubOptions_Init(&o);
        o.Stream = HAND_FARM "_jobs";
        o.Consumer = consumer;
        natsStatus s = js_PullSubscribe(&pull, hand.streams, NULL, NULL, NULL, &o, &code);
        if (s == NATS_OK) s = natsSubscription_Fetch(&list, pull, 1, PATIENCE_MS, &code);
        snprintf(why, sizeof why, "%s", natsStatus_GetText(s));
        ck_assert_msg(s == NATS_OK && list.Count == 1, "%s", why);
        ck_assert_int_eq(natsMsg_Nak(list.Msgs[0], NULL), NATS_OK);
        ck_assert_int_eq(natsConnection_Flush(hand.connection), NATS_OK);
        natsMsgList_Destroy(&list);
        natsSubscription_Destroy(pull);
    }
    launch(&w, NULL, NULL);
    hand_await(&hand, &n);
    ck_assert_int_eq(n.done.status, ND_DONE_SET_ASIDE);
    ck_assert_uint_eq(n.done.job, 7);
    daemon_await(&w, "event=farm.job_set_aside", "tiles=4", NULL);
    send_job(8, 4, 3);
    expect(ND_DONE_BUILT, 8, 4, 0);
    hand_await_no_jobs(&hand);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

// All of them are built in the end, each as it should be. heard: of that one the notice has come; 0: of none.
static void check_rest(uint64_t jobs, uint64_t heard, unsigned tiles, unsigned objects)
{
    bool *seen = calloc(jobs + 1, sizeof *seen);
    uint64_t done = heard > 0;
    seen[heard] = true;
    while (done < jobs) {
        hand_notice n;
        hand_await(&hand, &n);
        ck_assert_msg(n.done.status == ND_DONE_BUILT, "%d: %s", (int)n.done.status, n.why);
        ck_assert_uint_le(n.done.job, jobs);
        done += !seen[n.done.job];
        seen[n.done.job] = true;
    }
    for (uint64_t i = 1; i <= jobs; i++) {
        head.area = nd_area_key(&head.settings, head.block_x, head.block_z, head.wanted, (nav_key){i, 1});
        check_pack(tiles, objects, 1);
    }
    free(seen);
}

// Jobs that workers have.
static uint64_t jobs_out(void)
{
    jsConsumerInfo *info = NULL;
    char consumer[32];
    snprintf(consumer, sizeof consumer, "v%d", NAV_GENERATOR_VERSION);
    ck_assert_int_eq(js_GetConsumerInfo(&info, hand.streams, HAND_FARM "_jobs", consumer, NULL, NULL), NATS_OK);
    const uint64_t out = (uint64_t)info->NumAckPending;
    jsConsumerInfo_Destroy(info);
    return out;
}

START_TEST(a_worker_that_is_told_to_end_finishes_what_it_has)
{
    enum { JOBS = 12, TILES = 64 };
    daemon_process first, second;
    hand_notice n;
    put_meshes();
    launch(&first, NULL, NULL);
    for (uint64_t i = 1; i <= JOBS; i++) send_job(i, TILES, 5);
    hand_await(&hand, &n);
    ck_assert_int_eq(n.done.status, ND_DONE_BUILT);
    ck_assert_int_eq(daemon_stop(&first), 0);
    // What it has begun is done: nothing is out that comes again.
    ck_assert_uint_eq(jobs_out(), 0);
    launch(&second, NULL, NULL);
    check_rest(JOBS, n.done.job, TILES, 5);
    ck_assert_int_eq(daemon_stop(&second), 0);
}
END_TEST

START_TEST(a_worker_without_a_server_ends_when_it_is_told_to)
{
    const char *const arguments[] = {"--farm", "nats://127.0.0.1:1", "--http-listen", "0", NULL};
    daemon_process w;
    daemon_launch(&w, &(daemon_options){.arguments = arguments, .worker = true, .ready = "event=http.opened"});
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

// The server goes while it has jobs: it waits for it for --drain-s, not for ever.
START_TEST(a_worker_whose_server_is_gone_ends_when_it_is_told_to)
{
    daemon_process w;
    put_meshes();
    launch(&w, "--drain-s", "1");
    nats_server_pause(&server);
    ck_assert_int_eq(daemon_stop(&w), 0);
    nats_server_go_on(&server);
}
END_TEST

START_TEST(what_a_killed_worker_had_another_one_builds)
{
    enum { JOBS = 10, TILES = 64 };
    daemon_process w[2];
    put_meshes();
    launch(&w[0], NULL, NULL);
    launch(&w[1], NULL, NULL);
    for (uint64_t i = 1; i <= JOBS; i++) send_job(i, TILES, 5);
    daemon_kill(&w[0]);
    check_rest(JOBS, 0, TILES, 5);
    ck_assert_int_eq(daemon_stop(&w[1]), 0);
}
END_TEST

// Random bytes and damaged messages wherever a worker listens.
START_TEST(bad_messages_do_no_harm)
{
    const uint64_t rounds = wanted_count("NAVD_MESSAGES", FULL_OR_SANITIZED(300, 100));
    daemon_process w;
    nav_buffer job = {0};
    uint64_t chance = wanted_count("NAVD_SEED", 5);
    put_meshes();
    launch(&w, NULL, NULL);
    area_job_bytes(&meshes, &head, 5, 4, &job);
    for (uint64_t i = 0; i < rounds; i++) {
        char subjects[6][ND_SUBJECT_BYTES], key[NAV_KEY_TEXT_BYTES];
        uint8_t bytes[2048];
        size_t count = 1 + random_below(&chance, sizeof bytes - 1);
        for (size_t k = 0; k < count; k++) bytes[k] = (uint8_t)random_below(&chance, 256);
        if (i % 2) { // a job with a change in it, whose sum fits
            nav_buffer changed = {0};
            ck_assert_int_eq(nav_buffer_append(&changed, job.data, job.size), NAV_OK);
            changed.data[random_below(&chance, (uint32_t)job.size)] = bytes[0];
            area_job_seal(&changed);
            count = changed.size < sizeof bytes ? changed.size : sizeof bytes;
            memcpy(bytes, changed.data, count);
            nav_buffer_deinit(&changed);
        }
        nav_key_text(meshes.owned[i % AREA_MESHES]->hash, key);
        nd_farm_job_subject(HAND_FARM, i % 3 ? HAND_SPACE : "%ZZ%", NAV_GENERATOR_VERSION, hand.id, subjects[0]);
        snprintf(subjects[1], sizeof subjects[1], "%s.void.%s", HAND_FARM, hand.id);
        snprintf(subjects[2], sizeof subjects[2], "%s.beat.%s", HAND_FARM, hand.id);
        snprintf(subjects[3], sizeof subjects[3], "%s.other.meshes.%s.0", HAND_FARM, key);
        nd_farm_pack_subject(HAND_FARM, HAND_SPACE, head.area, 0, subjects[4]);
        snprintf(subjects[5], sizeof subjects[5], "%s.%s.done.%s", HAND_FARM, HAND_SPACE, "0");
        for (int k = 0; k < 6; k++) hand_tell(&hand, subjects[k], bytes, count);
    }
    nav_buffer_deinit(&job);
    hand_await_no_jobs(&hand);
    natsSubscription_Destroy(hand.notices);
    hand_notice n;
    char subject[ND_SUBJECT_BYTES];
    snprintf(subject, sizeof subject, "%s.*.done.%s", HAND_FARM, hand.id);
    ck_assert_int_eq(natsConnection_SubscribeSync(&hand.notices, hand.connection, subject), NATS_OK);
    send_job(UINT64_MAX, 5, 4);
    do hand_await(&hand, &n);
    while (n.done.job != UINT64_MAX);
    ck_assert_msg(n.done.status == ND_DONE_BUILT, "%s", n.why);
    check_pack(5, 4, 1);
    ck_assert_int_eq(daemon_stop(&w), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("worker");
    TCase *t = tcase_create("worker");
    if (!nats_server_is_there()) return 0;
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, a_job_comes_back_byte_for_byte_in_all_encodings);
    tcase_add_test(t, a_job_gives_what_tiles_build_gives);
    tcase_add_test(t, what_the_pack_has_is_not_built_again);
    tcase_add_test(t, a_mesh_that_is_not_there_is_named);
    tcase_add_test(t, a_large_mesh_comes_in_parts);
    tcase_add_test(t, jobs_of_other_generators_wait_for_their_own_workers);
    tcase_add_test(t, a_job_that_was_begun_twice_is_set_aside);
    tcase_add_test(t, a_worker_that_is_told_to_end_finishes_what_it_has);
    tcase_add_test(t, a_worker_without_a_server_ends_when_it_is_told_to);
    tcase_add_test(t, a_worker_whose_server_is_gone_ends_when_it_is_told_to);
    tcase_add_test(t, what_a_killed_worker_had_another_one_builds);
    tcase_add_test(t, bad_messages_do_no_harm);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
