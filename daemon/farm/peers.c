#include "daemon/farm/peers.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include "navcore/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool takes_jobs(const nd_beat *b)
{
    return b->kind == ND_BEAT_WORKER && b->generator == NAV_GENERATOR_VERSION && !b->leaves;
}

// Would they be counted otherwise?
static bool differ(const nd_beat *a, const nd_beat *b)
{
    return takes_jobs(a) != takes_jobs(b) || a->threads != b->threads;
}

// A job for each thread, and one that waits behind each: so none stands still while the next one is on its way.
static void count(nd_peers *p)
{
    const uint32_t before = p->ready;
    p->ready = p->threads = 0;
    p->workers = 0;
    for (const nd_farm_peer *at = p->list; at; at = at->next) {
        if (!takes_jobs(&at->beat)) continue;
        p->ready += 2 * (at->beat.threads ? at->beat.threads : 1);
        p->threads += at->beat.threads;
        p->workers++;
    }
    if (p->ready != before && p->on_change) p->on_change(p->user);
}

static nd_farm_peer *find(const nd_peers *p, const char *id)
{
    nd_farm_peer *at = p->list;
    while (at && strcmp(at->beat.id, id) != 0) at = at->next;
    return at;
}

static np_str copy_text(char to[ND_PEER_TEXT], np_str from)
{
    const size_t n = from.size < ND_PEER_TEXT ? from.size : ND_PEER_TEXT - 1;
    if (n) memcpy(to, from.data, n);
    to[n] = 0;
    return (np_str){to, n};
}

static void log_peer(const char *event, const nd_farm_peer *p)
{
    nd_log(ND_LOG_INFO, event, "kind=%s id=%s name=%s generator=%u threads=%u", nd_beat_kinds[p->beat.kind], p->beat.id,
           nd_log_quote(p->name, strlen(p->name)).text, p->beat.generator, p->beat.threads);
}

static nd_farm_peer *add(nd_peers *p)
{
    nd_farm_peer *made = p->count < ND_PEERS ? calloc(1, sizeof *made) : NULL;
    if (!made) return NULL;
    made->next = p->list;
    p->list = made;
    p->count++;
    return made;
}

void nd_peers_hear(nd_peers *p, const void *bytes, size_t size, uint64_t now_ns)
{
    np_message m;
    nd_beat b;
    np_error err;
    if (nd_beat_read(bytes, size, &m, &b, &err) == NAV_OK) {
        nd_farm_peer *at = find(p, b.id);
        const bool is_new = !at;
        if (is_new) at = add(p);
        if (at) {
            const bool counts = is_new || differ(&at->beat, &b);
            at->beat = b;
            at->beat.name = copy_text(at->name, b.name);
            at->beat.version = copy_text(at->version, b.version);
            at->seen_ns = now_ns;
            if (is_new) log_peer("farm.peer", at);
            if (counts) count(p);
        }
    }
    np_message_deinit(&m);
}

static void on_beat(void *user, const nd_bus_message *m)
{
    nd_peers_hear(user, m->bytes, m->count, nd_now_ns());
}

nav_status nd_peers_open(nd_peers *p, nd_bus *bus, const char *farm)
{
    char subject[ND_SUBJECT_BYTES];
    ND_ASSERT_LOOP_THREAD();
    p->bus = bus;
    snprintf(subject, sizeof subject, "%s.beat.*", farm);
    return nd_bus_listen(bus, ND_BUS_ORDERS, subject, on_beat, p, &p->ear);
}

void nd_peers_look(nd_peers *p, uint64_t now_ns)
{
    const size_t before = p->count;
    for (nd_farm_peer **at = &p->list; *at;) {
        nd_farm_peer *one = *at;
        if (!one->beat.leaves && now_ns < one->seen_ns + ND_PEER_GONE_NS) {
            at = &one->next;
            continue;
        }
        log_peer("farm.peer_gone", one);
        *at = one->next;
        p->count--;
        free(one);
    }
    if (p->count != before) count(p);
}

void nd_peers_close(nd_peers *p)
{
    if (p->ear) nd_bus_hush(p->bus, p->ear);
    p->ear = NULL;
    p->on_change = NULL;
    while (p->list) {
        nd_farm_peer *next = p->list->next;
        free(p->list);
        p->list = next;
    }
    p->count = 0;
    p->ready = p->threads = 0;
}
