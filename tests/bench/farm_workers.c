#include "tests/bench/farm_workers.h"

#include "clients/navctl/output/progress.h"
#include "core/build.h"
#include "daemon/farm/area_job.h"
#include "daemon/farm/beat.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 10000, FETCH_MS = 2, MAX_CORES = 64, MAX_HELD = 256, BEAT_MS = 500, SPACE_BYTES = 200 };

static const char *const farm_name = "navd";

typedef struct pack {
    char *subject;
    natsMsg *message;
} pack;

struct farm_packs {
    pack *list;
    size_t count;
};

typedef struct held {
    natsMsg *message;
    nd_area_head head;
    char space[SPACE_BYTES];
    uint32_t tiles;
    double due_s;
} held;

struct farm_timers {
    pthread_t thread;
    bool runs; // there is a thread
    atomic_bool stop;
    const farm_packs *packs;
    unsigned cores;
    double us_a_tile, free_s[MAX_CORES], busy_s, first_s, last_s, beat_s;
    held jobs[MAX_HELD];
    unsigned job_count;
    char id[ND_FARM_ID_BYTES];
    natsConnection *connection;
    jsCtx *streams;
    natsSubscription *queue;
    farm_timer_counts counts;
};

static bool did(natsStatus s, const char *doing)
{
    if (s == NATS_OK) return true;
    fprintf(stderr, "bench: %s: %s\n", doing, natsStatus_GetText(s));
    return false;
}

static bool connect_to(const farm_rig *r, natsConnection **connection, jsCtx **streams)
{
    return did(natsConnection_ConnectTo(connection, r->url), "connect") &&
           did(natsConnection_JetStream(streams, *connection, NULL), "streams");
}

// --- packs ---

static int by_subject(const void *a, const void *b)
{
    return strcmp(((const pack *)a)->subject, ((const pack *)b)->subject);
}

static bool take(farm_packs *p, jsCtx *streams, const char *stream)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    if (!did(js_GetStreamInfo(&info, streams, stream, NULL, &code), "the cache's stream")) return false;
    const uint64_t first = info->State.FirstSeq, last = info->State.LastSeq;
    p->list = calloc((size_t)info->State.Msgs + 1, sizeof *p->list);
    for (uint64_t at = first; p->list && at <= last && p->count < info->State.Msgs; at++) {
        natsMsg *m = NULL;
        if (js_GetMsg(&m, streams, stream, at, NULL, &code) != NATS_OK) continue; // a newer one is in its place
        p->list[p->count++] = (pack){strdup(natsMsg_GetSubject(m)), m};
    }
    jsStreamInfo_Destroy(info);
    if (!p->list) return false;
    qsort(p->list, p->count, sizeof *p->list, by_subject);
    return did(js_PurgeStream(streams, stream, NULL, &code), "emptying the cache");
}

farm_packs *farm_packs_take(const farm_rig *r)
{
    natsConnection *connection = NULL;
    jsCtx *streams = NULL;
    char stream[64];
    snprintf(stream, sizeof stream, "%s_tiles", farm_name);
    farm_packs *p = calloc(1, sizeof *p);
    bool ok = p && connect_to(r, &connection, &streams) && take(p, streams, stream);
    jsCtx_Destroy(streams);
    natsConnection_Destroy(connection);
    if (ok) return p;
    farm_packs_destroy(p);
    return NULL;
}

void farm_packs_destroy(farm_packs *p)
{
    for (size_t i = 0; p && i < p->count; i++) {
        free(p->list[i].subject);
        natsMsg_Destroy(p->list[i].message);
    }
    free(p ? p->list : NULL);
    free(p);
}

// --- workers ---

static void answer(farm_timers *t, const held *h)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer note = {0};
    uint32_t packs = 0;
    for (;; packs++) {
        nd_farm_pack_subject(farm_name, h->space, h->head.area, packs, subject);
        const pack *found =
            bsearch(&(pack){.subject = subject}, t->packs->list, t->packs->count, sizeof(pack), by_subject);
        if (!found) break;
        const int bytes = natsMsg_GetDataLength(found->message);
        (void)natsConnection_Publish(t->connection, subject, natsMsg_GetData(found->message), bytes);
        t->counts.pack_bytes += (uint64_t)bytes;
    }
    nd_done done = {.job = h->head.job, .status = packs ? ND_DONE_BUILT : ND_DONE_FAILED, .built = h->tiles};
    memcpy(done.worker, t->id, sizeof done.worker);
    if (nd_done_write(&note, &done) == NAV_OK) {
        snprintf(subject, sizeof subject, "%s.%s.done.%s", farm_name, h->space, h->head.daemon);
        (void)natsConnection_Publish(t->connection, subject, note.data, (int)note.size);
    }
    nav_buffer_deinit(&note);
    (void)natsMsg_Ack(h->message, NULL);
}

static void answer_due(farm_timers *t)
{
    const double now = now_s();
    for (unsigned i = 0; i < t->job_count;) {
        held *h = &t->jobs[i];
        if (h->due_s > now) {
            i++;
            continue;
        }
        answer(t, h);
        natsMsg_Destroy(h->message);
        *h = t->jobs[--t->job_count];
    }
}

// Of NAME.SPACE.jobs...
static void find_space(const char *subject, char out[SPACE_BYTES])
{
    const char *from = strchr(subject, '.') + 1, *to = strchr(from, '.');
    snprintf(out, SPACE_BYTES, "%.*s", (int)(to - from), from);
}

static void hold(farm_timers *t, natsMsg *m)
{
    nd_area_job job = {0};
    char why[200];
    held *h = &t->jobs[t->job_count];
    *h = (held){.message = m};
    if (nd_area_job_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &job, why, sizeof why) != NAV_OK) {
        fprintf(stderr, "bench: a job: %s\n", why);
        nd_area_job_deinit(&job);
        natsMsg_Destroy(m);
        return;
    }
    h->head = job.head;
    h->tiles = job.tile_count;
    nd_area_job_deinit(&job);
    find_space(natsMsg_GetSubject(m), h->space);
    unsigned core = 0;
    for (unsigned i = 1; i < t->cores; i++)
        if (t->free_s[i] < t->free_s[core]) core = i;
    const double now = now_s(), took = h->tiles * t->us_a_tile * 1e-6;
    if (!t->counts.tiles) t->first_s = now;
    const double begins = t->free_s[core] > now ? t->free_s[core] : now;
    h->due_s = t->free_s[core] = begins + took;
    t->busy_s += took;
    t->last_s = h->due_s;
    t->counts.tiles += h->tiles;
    t->counts.job_bytes += (uint64_t)natsMsg_GetDataLength(m);
    t->job_count++;
}

static void beat(farm_timers *t)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer note = {0};
    nd_beat b = {.kind = ND_BEAT_WORKER,
                 .name = {"bench", 5},
                 .version = {"bench", 5},
                 .generator = NAV_GENERATOR_VERSION,
                 .threads = t->cores,
                 .jobs = t->job_count};
    memcpy(b.id, t->id, sizeof b.id);
    snprintf(subject, sizeof subject, "%s.beat.%s", farm_name, t->id);
    if (nd_beat_write(&note, &b) == NAV_OK)
        (void)natsConnection_Publish(t->connection, subject, note.data, (int)note.size);
    nav_buffer_deinit(&note);
    t->beat_s = now_s();
}

// Each core has one job at work and one that waits, so that it does not idle while the next is on its way.
static void *work(void *timers)
{
    farm_timers *t = timers;
    while (!atomic_load(&t->stop)) {
        natsMsgList list = {0};
        jsErrCode code = 0;
        if (now_s() - t->beat_s > BEAT_MS * 1e-3) beat(t);
        answer_due(t);
        if (t->job_count >= 2 * t->cores) continue;
        if (natsSubscription_Fetch(&list, t->queue, 1, FETCH_MS, &code) == NATS_OK && list.Count == 1) {
            hold(t, list.Msgs[0]);
            list.Msgs[0] = NULL;
        }
        natsMsgList_Destroy(&list);
    }
    while (t->job_count) answer_due(t);
    (void)natsConnection_FlushTimeout(t->connection, PATIENCE_MS);
    return NULL;
}

farm_timers *farm_timers_start(const farm_rig *r, const farm_packs *packs, unsigned cores, double us_a_tile)
{
    farm_timers *t = cores <= MAX_CORES ? calloc(1, sizeof *t) : NULL;
    char subject[ND_SUBJECT_BYTES], durable[16];
    jsErrCode code = 0;
    if (!t) return NULL;
    t->packs = packs;
    t->cores = cores;
    t->us_a_tile = us_a_tile;
    nd_farm_make_id(t->id);
    snprintf(subject, sizeof subject, "%s.*.jobs.v%u.>", farm_name, (unsigned)NAV_GENERATOR_VERSION);
    snprintf(durable, sizeof durable, "v%u", (unsigned)NAV_GENERATOR_VERSION);
    if (connect_to(r, &t->connection, &t->streams) &&
        did(js_PullSubscribe(&t->queue, t->streams, subject, durable, NULL, NULL, &code), "the queue of jobs"))
        t->runs = !pthread_create(&t->thread, NULL, work, t);
    if (t->runs) return t;
    (void)farm_timers_stop(t);
    return NULL;
}

farm_timer_counts farm_timers_stop(farm_timers *t)
{
    if (!t) return (farm_timer_counts){0};
    if (t->runs) {
        atomic_store(&t->stop, true);
        pthread_join(t->thread, NULL);
    }
    farm_timer_counts out = t->counts;
    if (t->last_s > t->first_s) out.busy_share = t->busy_s / (t->cores * (t->last_s - t->first_s));
    natsSubscription_Destroy(t->queue);
    jsCtx_Destroy(t->streams);
    natsConnection_Destroy(t->connection);
    free(t);
    return out;
}
