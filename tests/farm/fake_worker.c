#include "tests/farm/fake_worker.h"

#include "daemon/farm/area_job.h"
#include "daemon/farm/pack_place.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURN_MS = 20, BEAT_TURNS = 10 };

static void say(fake_worker *w, const char *subject, const nav_buffer *b)
{
    ck_assert_int_eq(natsConnection_Publish(w->connection, subject, b->data, (int)b->size), NATS_OK);
}

static void send_beat(fake_worker *w)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer out = {.size = 0};
    nd_beat b = {.kind = ND_BEAT_WORKER,
                 .name = np_str_of("fake"),
                 .version = np_str_of("0"),
                 .generator = atomic_load(&w->generator),
                 .threads = w->threads};
    snprintf(b.id, sizeof b.id, "0123456789abcdef0123456789abcdef");
    snprintf(subject, sizeof subject, "%s.beat.%s", w->farm, b.id);
    ck_assert_int_eq(nd_beat_write(&out, &b), NAV_OK);
    say(w, subject, &out);
    nav_buffer_deinit(&out);
}

static void send_done(fake_worker *w, const char *space, const nd_area_job *j, nd_done_status status)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer out = {.size = 0};
    nd_done d = {.job = j->head.job, .status = status, .why = np_str_of("it is a fake")};
    snprintf(d.worker, sizeof d.worker, "0123456789abcdef0123456789abcdef");
    if (status == ND_DONE_NO_MESH) {
        d.meshes = j->meshes;
        d.mesh_count = 1;
    }
    snprintf(subject, sizeof subject, "%s.%s.done.%s", w->farm, space, j->head.daemon);
    ck_assert_int_eq(nd_done_write(&out, &d), NAV_OK);
    say(w, subject, &out);
    nav_buffer_deinit(&out);
}

typedef struct repeat {
    fake_worker *w;
    const char *subject;
} repeat;

static nav_status publish_again(void *user, const void *bytes, size_t count, uint32_t *parts)
{
    const repeat *r = user;
    *parts = 1;
    ck_assert_int_eq(natsConnection_Publish(r->w->connection, r->subject, bytes, (int)count), NATS_OK);
    return NAV_OK;
}

static void answer(fake_worker *w, const char *space, const nd_area_job *j)
{
    const nd_bus_link link = {w->connection, w->streams};
    nd_pack_place place = {.farm = w->farm, .area = j->head.area};
    char subject[ND_SUBJECT_BYTES];
    repeat r = {w, subject};
    snprintf(place.space, sizeof place.space, "%s", space);
    nd_farm_pack_subject(w->farm, space, j->head.area, 0, subject);
    (void)!nd_pack_fetch(&link, &place, publish_again, &r);
}

static void lie(fake_worker *w, const char *space, const nd_area_job *j)
{
    char subject[ND_SUBJECT_BYTES];
    nd_pack_writer p;
    const nd_cached empty = {.status = NP_TILE_EMPTY};
    nd_farm_pack_subject(w->farm, space, j->head.area, 0, subject);
    ck_assert_int_eq(natsConnection_Publish(w->connection, subject, "no pack at all", 14), NATS_OK);
    ck_assert_int_eq(natsConnection_Publish(w->connection, subject, "", 0), NATS_OK);
    nd_pack_writer_init(&p); // of tiles that nobody asked for
    ck_assert_int_eq(nd_pack_writer_add_cached(&p, (nav_key){1, 2}, ND_ENCODING_NAVD, &empty, 0), NAV_OK);
    nd_pack_writer_finish(&p);
    say(w, subject, &p.parts[0]);
    p.parts[0].data[p.parts[0].size - 1] ^= 1;
    say(w, subject, &p.parts[0]);
    nd_pack_writer_deinit(&p);
}

static void take(fake_worker *w, natsMsg *m)
{
    nd_area_job j;
    char why[256], space[ND_SPACE_BYTES];
    const char *subject = natsMsg_GetSubject(m) + strlen(w->farm) + 1;
    snprintf(space, sizeof space, "%.*s", (int)strcspn(subject, "."), subject);
    ck_assert_msg(nd_area_job_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &j, why, sizeof why) == NAV_OK,
                  "%s", why);
    const fake_mode mode = (fake_mode)atomic_load(&w->mode);
    if (mode == FAKE_ANSWERS) answer(w, space, &j);
    if (mode == FAKE_LIES) lie(w, space, &j);
    if (mode == FAKE_SETS_ASIDE)
        send_done(w, space, &j, ND_DONE_SET_ASIDE);
    else if (mode == FAKE_LACKS_A_MESH)
        send_done(w, space, &j, ND_DONE_NO_MESH);
    else if (mode == FAKE_REFUSES)
        send_done(w, space, &j, ND_DONE_REFUSED);
    else if (mode != FAKE_IS_SILENT)
        send_done(w, space, &j, ND_DONE_BUILT);
    atomic_fetch_add(&w->tiles, j.tile_count);
    atomic_fetch_add(&w->seen, 1);
    nd_area_job_deinit(&j);
}

static void note_voids(fake_worker *w)
{
    natsMsg *m = NULL;
    uint64_t jobs[ND_VOID_JOBS];
    uint32_t count = 0;
    while (natsSubscription_NextMsg(&m, w->voids, 0) == NATS_OK) {
        ck_assert_int_eq(nd_void_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), jobs, &count), NAV_OK);
        atomic_fetch_add(&w->voided, count);
        natsMsg_Destroy(m);
    }
}

static void *work(void *arg)
{
    fake_worker *w = arg;
    for (unsigned turn = 0; !atomic_load(&w->ends); turn++) {
        natsMsg *m = NULL;
        if (turn % BEAT_TURNS == 0) send_beat(w);
        if (natsSubscription_NextMsg(&m, w->jobs, TURN_MS) == NATS_OK) take(w, m);
        natsMsg_Destroy(m);
        note_voids(w);
    }
    return NULL;
}

void fake_worker_start(fake_worker *w, const char *url, const char *farm, uint32_t threads, fake_mode mode)
{
    char subject[ND_SUBJECT_BYTES];
    memset(w, 0, sizeof *w);
    w->farm = farm;
    w->threads = threads;
    atomic_init(&w->mode, (int)mode);
    atomic_init(&w->generator, NAV_GENERATOR_VERSION);
    ck_assert_int_eq(natsConnection_ConnectTo(&w->connection, url), NATS_OK);
    ck_assert_int_eq(natsConnection_JetStream(&w->streams, w->connection, NULL), NATS_OK);
    snprintf(subject, sizeof subject, "%s.*.jobs.>", farm);
    ck_assert_int_eq(natsConnection_SubscribeSync(&w->jobs, w->connection, subject), NATS_OK);
    snprintf(subject, sizeof subject, "%s.void.*", farm);
    ck_assert_int_eq(natsConnection_SubscribeSync(&w->voids, w->connection, subject), NATS_OK);
    ck_assert_int_eq(natsConnection_Flush(w->connection), NATS_OK);
    ck_assert_int_eq(pthread_create(&w->thread, NULL, work, w), 0);
}

void fake_worker_stop(fake_worker *w)
{
    atomic_store(&w->ends, true);
    pthread_join(w->thread, NULL);
    natsSubscription_Destroy(w->jobs);
    natsSubscription_Destroy(w->voids);
    jsCtx_Destroy(w->streams);
    natsConnection_Destroy(w->connection);
}
