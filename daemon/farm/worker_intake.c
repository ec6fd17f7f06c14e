// Jobs come one for one request: a message with no words in it means that a request has ended, since there was none.
#include "daemon/farm/worker_work.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/farm/farm_options.h"
#include "daemon/farm/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WAITING = 8192, MAX_PENDING = 65536 };
#define EXPIRES_NS UINT64_C(20000000000)
#define PATIENCE_NS (EXPIRES_NS + UINT64_C(5000000000)) // then what was asked is lost
#define AT_ONCE_NS UINT64_C(500000000)                  // a request that ends so soon was none

typedef struct preparation {
    nd_bus_task task;
    nd_farm_worker *worker; // a reference
    nav_status status;
    char why[320];
} preparation;

typedef struct request {
    nd_bus_task task;
    char subject[ND_SUBJECT_BYTES], inbox[ND_SUBJECT_BYTES];
} request;

void nd_intake_acknowledge(nd_farm_worker *w, const char *reply, const char *word)
{
    const nav_status s = nd_bus_tell(w->o.bus, ND_BUS_RECORDS, reply, word, strlen(word));
    (void)s; // without it the job comes again
}

// $JS.ACK.STREAM.CONSUMER.DELIVERED..., or with domain and account before the stream.
unsigned nd_intake_delivered(const char *reply)
{
    enum { SHORT = 9, LONG = 11, AT_SHORT = 4, AT_LONG = 6 };
    const char *tokens[LONG + 1];
    unsigned count = 0;
    if (strncmp(reply, "$JS.ACK.", 8) != 0) return 0;
    for (const char *at = reply; at && count <= LONG; at = strchr(at, '.'), at = at ? at + 1 : NULL)
        tokens[count++] = at;
    if (count != SHORT && count < LONG) return 0;
    const unsigned long n = strtoul(tokens[count == SHORT ? AT_SHORT : AT_LONG], NULL, 10);
    return n > 1000000 ? 1000000 : (unsigned)n;
}

// --- jobs ---

static void send_request(nd_bus_task *task, const nd_bus_link *link)
{
    const request *r = (const request *)task;
    char words[64];
    const int count = snprintf(words, sizeof words, "{\"expires\":%" PRIu64 ",\"batch\":1}", EXPIRES_NS);
    (void)natsConnection_PublishRequest(link->connection, r->subject, r->inbox, words, count);
}

static void request_sent(nd_bus_task *task, bool ran)
{
    (void)ran;
    free(task);
}

static bool ask(nd_farm_worker *w)
{
    char stream[ND_STREAM_BYTES];
    request *r = malloc(sizeof *r);
    if (!r) return false;
    nd_farm_stream(w->o.config->farm_name, "jobs", stream);
    r->task = (nd_bus_task){.run = send_request, .done = request_sent};
    snprintf(r->subject, sizeof r->subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", stream, w->consumer);
    snprintf(r->inbox, sizeof r->inbox, "%s", w->inbox);
    nd_bus_push(w->o.bus, ND_BUS_RECORDS, &r->task);
    w->asked_ns[w->asked++] = nd_now_ns();
    return true;
}

// The oldest request has ended. When it was sent.
static uint64_t end_request(nd_farm_worker *w)
{
    if (!w->asked) return 0;
    const uint64_t sent_ns = w->asked_ns[0];
    memmove(w->asked_ns, w->asked_ns + 1, --w->asked * sizeof *w->asked_ns);
    return sent_ns;
}

static void on_message(void *worker, const nd_bus_message *m)
{
    nd_farm_worker *w = worker;
    const uint64_t sent_ns = end_request(w);
    if (m->count) {
        if (w->job_count >= 4 * w->max_jobs)
            nd_intake_acknowledge(w, m->reply, "-NAK");
        else
            nd_job_begin(w, m);
    } else if (nd_now_ns() - sent_ns < AT_ONCE_NS) {
        w->ready = false; // there is no such consumer: the clock looks after it
        return;
    }
    nd_intake_go_on(w);
}

static nd_farm_job *find(const nd_farm_worker *w, const char *daemon, uint64_t job)
{
    nd_farm_job *j = w->jobs;
    while (j && (j->area.head.job != job || strcmp(j->area.head.daemon, daemon) != 0)) j = j->next;
    return j;
}

static void on_void(void *worker, const nd_bus_message *m)
{
    nd_farm_worker *w = worker;
    uint64_t jobs[ND_VOID_JOBS];
    uint32_t count = 0;
    const char *daemon = strrchr(m->subject, '.');
    if (!daemon || nd_void_read(m->bytes, m->count, jobs, &count) != NAV_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        nd_farm_job *j = find(w, daemon + 1, jobs[i]);
        if (!j || j->voided || j->ending) continue;
        w->stats.voided++;
        nd_intake_acknowledge(w, j->reply, "+ACK");
        nd_job_cancel(j);
    }
    nd_intake_go_on(w);
}

// --- what must be there first ---

static void prepare(nd_bus_task *task, const nd_bus_link *link)
{
    preparation *p = (preparation *)task;
    const nd_config *c = p->worker->o.config;
    char stream[ND_STREAM_BYTES], filter[ND_SUBJECT_BYTES];
    jsConsumerConfig cfg;
    jsErrCode code = 0;
    const nd_stream_limits limits = nd_farm_stream_limits(c);
    p->status = nd_streams_ensure(link, c->farm_name, ND_STREAM_JOBS | ND_STREAM_TILES | ND_STREAM_MESHES, &limits,
                                  p->why, sizeof p->why);
    if (p->status != NAV_OK) return;
    nd_farm_stream(c->farm_name, "jobs", stream);
    snprintf(filter, sizeof filter, "%s.*.jobs.%s.>", c->farm_name, p->worker->consumer);
    jsConsumerConfig_Init(&cfg);
    cfg.Durable = p->worker->consumer;
    cfg.FilterSubject = filter;
    cfg.AckPolicy = js_AckExplicit;
    cfg.AckWait = (int64_t)c->farm_job_s * 1000000000;
    cfg.MaxAckPending = MAX_PENDING;
    cfg.MaxWaiting = MAX_WAITING;
    natsStatus s = js_AddConsumer(NULL, link->streams, stream, &cfg, NULL, &code);
    // One that others have made with other settings serves as well.
    if (s != NATS_OK && code) s = js_GetConsumerInfo(NULL, link->streams, stream, p->worker->consumer, NULL, &code);
    p->status = nd_bus_status(s, code);
    if (p->status != NAV_OK)
        snprintf(p->why, sizeof p->why, "the farm's server makes no consumer %s of the stream %s: %s",
                 p->worker->consumer, stream, natsStatus_GetText(s));
}

static void prepared(nd_bus_task *task, bool ran)
{
    preparation *p = (preparation *)task;
    nd_farm_worker *w = p->worker;
    w->preparing = false;
    if (ran && !w->closed) {
        if (p->status == NAV_OK && !w->ready) nd_log(ND_LOG_INFO, "farm.ready", "jobs=%u", w->max_jobs);
        if (p->status != NAV_OK) nd_log(ND_LOG_WARN, "farm.not_ready", "why=%s", nd_log_quote_sentence(p->why).text);
        w->ready = p->status == NAV_OK;
        w->asked = 0;
        if (w->ready) nd_intake_go_on(w);
    }
    nd_farm_worker_unref(w);
    free(p);
}

static void begin_preparation(nd_farm_worker *w)
{
    if (w->preparing) return;
    if (!w->jobs_ear && nd_bus_listen(w->o.bus, ND_BUS_RECORDS, w->inbox, on_message, w, &w->jobs_ear) != NAV_OK)
        return; // the clock tries again
    char subject[ND_SUBJECT_BYTES];
    snprintf(subject, sizeof subject, "%s.void.*", w->o.config->farm_name);
    if (!w->void_ear && nd_bus_listen(w->o.bus, ND_BUS_RECORDS, subject, on_void, w, &w->void_ear) != NAV_OK) return;
    preparation *p = calloc(1, sizeof *p);
    if (!p) return;
    p->task = (nd_bus_task){.run = prepare, .done = prepared};
    p->worker = nd_farm_worker_ref(w);
    w->preparing = true;
    nd_bus_push(w->o.bus, ND_BUS_ORDERS, &p->task);
}

void nd_intake_go_on(nd_farm_worker *w)
{
    if (!w->up || w->draining || w->closed) return;
    while (w->asked && nd_now_ns() - w->asked_ns[0] > PATIENCE_NS) (void)end_request(w); // lost
    if (!w->ready) {
        begin_preparation(w);
        return;
    }
    while (w->job_count + w->asked < w->max_jobs && ask(w)) {
    }
}

void nd_intake_stop(nd_farm_worker *w)
{
    nd_bus_hush(w->o.bus, w->jobs_ear);
    w->jobs_ear = NULL;
}
