#include "daemon/session/admission.h"

#include "daemon/access/sources.h"
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/session/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

// Descriptors that are not sessions': standard streams, the loop, listeners, databases, workers' wake-ups, HTTP.
enum { RESERVED_DESCRIPTORS = 64, REFUSAL_LOG_NS = 1000000000, STRANGERS_LOGGED_A_SECOND = 20 };

// Two ends of turns belong to each round of the loop; what came with the connection is read in the round after it.
enum { TURNS_TO_HELLO = 4 };

void nd_admission_raise_descriptors(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == l.rlim_max) return;
    l.rlim_cur = l.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &l)) nd_log(ND_LOG_WARN, "descriptors.not_raised", "%s", "");
}

void nd_admission_init(nd_admission *a, const nd_sessions *sessions)
{
    struct rlimit l;
    uint64_t wanted = sessions->config->max_sessions;
    a->room = UINT64_MAX;
    if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur == RLIM_INFINITY) return;
    a->room = l.rlim_cur > 2 * RESERVED_DESCRIPTORS ? l.rlim_cur - RESERVED_DESCRIPTORS : l.rlim_cur / 2;
    if (a->room < wanted)
        nd_log(ND_LOG_WARN, "sessions.limited",
               "max_sessions=%" PRIu64 " room=%" PRIu64 " descriptors=%" PRIu64 " advice=%s", wanted, a->room,
               (uint64_t)l.rlim_cur, "\"raise LimitNOFILE= or ulimit -n, or lower max_sessions\"");
}

void nd_admission_deinit(nd_admission *a)
{
    nd_table_deinit(&a->peers);
}

// --- peers ---

// By its source: a user, or an address.
static uint64_t peer_hash(const nd_session *s)
{
    return nav_key_of(s->source_name, strlen(s->source_name)).low;
}

static nd_peer *find_peer(nd_admission *a, uint64_t hash)
{
    nd_node *n = nd_table_first(&a->peers, hash);
    return n ? ND_HOLDER(n, nd_peer, node) : NULL;
}

static nd_peer *need_peer(nd_admission *a, uint64_t hash)
{
    nd_peer *p = find_peer(a, hash);
    if (p || nd_table_reserve(&a->peers, 1) != NAV_OK) return p;
    p = calloc(1, sizeof *p);
    if (p) nd_table_insert(&a->peers, &p->node, hash);
    return p;
}

static void release_peer(nd_admission *a, nd_peer *p)
{
    if (p->sessions) return;
    nd_table_remove(&a->peers, &p->node);
    free(p);
}

// --- those that have not said hello ---

static struct nd_new_sessions *new_sessions_of(const nd_session *s)
{
    nd_admission *a = &s->sessions->admission;
    return s->transport->door == ND_DOOR_UNIX ? &a->new_pipe : &a->new_tcp;
}

static void leave_new(nd_session *s)
{
    struct nd_new_sessions *n = new_sessions_of(s);
    if (!s->is_new) return;
    s->is_new = false;
    n->count--;
    *(s->older_new ? &s->older_new->newer_new : &n->first) = s->newer_new;
    *(s->newer_new ? &s->newer_new->older_new : &n->last) = s->older_new;
}

static void enter_new(nd_session *s)
{
    struct nd_new_sessions *n = new_sessions_of(s);
    s->is_new = true;
    s->opened_turn = s->sessions->turn;
    n->count++;
    s->older_new = n->last;
    s->newer_new = NULL;
    *(s->older_new ? &s->older_new->newer_new : &n->first) = s;
    n->last = s;
}

// How much would be lost with it?
static int worth(const nd_session *s)
{
    return s->held ? 0 : s->bytes_in ? 2 : 1; // held: its token was wrong
}

// One of them is closed, of one source if that is not NULL. One whose hello may stand in its socket, not read yet, does
// not give way. False: there is none.
static bool give_way(const nd_sessions *sessions, const struct nd_new_sessions *n, const nd_source *of,
                     const char *reason)
{
    nd_session *least = NULL;
    for (nd_session *s = n->first; s && s->opened_turn + TURNS_TO_HELLO <= sessions->turn; s = s->newer_new)
        if ((!of || (s->source == of && s->waiting)) && (!least || worth(s) < worth(least))) least = s;
    if (least) nd_session_close(least, reason);
    return least;
}

static bool any_gives_way(const nd_sessions *sessions, const char *reason)
{
    const nd_admission *a = &sessions->admission;
    return give_way(sessions, &a->new_tcp, NULL, reason) || give_way(sessions, &a->new_pipe, NULL, reason);
}

static void make_way(nd_session *entered)
{
    nd_sessions *sessions = entered->sessions;
    const struct nd_new_sessions *n = new_sessions_of(entered);
    const nd_source *of = entered->source;
    while (n->count > sessions->config->max_new_sessions && give_way(sessions, n, NULL, "no_hello")) continue;
    while (of && of->waiting > sessions->config->max_unauthenticated &&
           give_way(sessions, n, of, "max_unauthenticated"))
        nd_admission_log_refusal(sessions, "max_unauthenticated", entered->source_name);
}

// --- in and out ---

// Before there is a session.
static void tell(nd_session *s, const char *format, uint64_t count, const char *option)
{
    np_error e;
    nav_buffer *out = &s->sessions->scratch;
    np_error_set(&e, NAV_ERR_LIMIT, format, count, option);
    out->size = 0;
    if (np_error_encode(out, 0, &e) != NAV_OK) return;
    s->transport->calls->tell(s->transport, out->data, out->size);
}

const char *nd_admission_enter(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions *sessions = s->sessions;
    nd_admission *a = &sessions->admission;
    uint64_t most = sessions->config->max_sessions;
    if (sessions->table.count >= most) (void)any_gives_way(sessions, "max_sessions");
    uint64_t open = sessions->table.count;
    if (open >= most || open >= a->room) {
        tell(s, "navd has %" PRIu64 " sessions, the limit (%s); close some, or try again later", open,
             open >= most ? "--max-sessions" : "the process may not open more files");
        return open >= most ? "max_sessions" : "descriptors";
    }
    nd_peer *p = need_peer(a, peer_hash(s));
    if (!p) return "memory";
    if (p->sessions >= sessions->config->max_peer_sessions) {
        tell(s, "you have %" PRIu64 " sessions, the limit (%s); close some", p->sessions, "--max-peer-sessions");
        return "max_peer_sessions";
    }
    p->sessions++;
    s->peer = p;
    enter_new(s);
    make_way(s);
    return NULL;
}

void nd_admission_greeted(nd_session *s)
{
    leave_new(s);
}

void nd_admission_leave(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    leave_new(s);
    if (!s->peer) return;
    s->peer->sessions--;
    release_peer(&s->sessions->admission, s->peer);
    s->peer = NULL;
}

void nd_admission_log_refusal(nd_sessions *sessions, const char *reason, const char *source)
{
    nd_admission *a = &sessions->admission;
    uint64_t now = nd_now_ns();
    sessions->stats.refused++;
    if (a->refusal_logged_ns && now - a->refusal_logged_ns < REFUSAL_LOG_NS) {
        a->refusals_unlogged++;
        return;
    }
    nd_log(ND_LOG_WARN, "session.refused", "reason=%s source=%s unlogged_before=%" PRIu64, reason, source,
           a->refusals_unlogged);
    a->refusal_logged_ns = now;
    a->refusals_unlogged = 0;
}

bool nd_admission_may_log(nd_sessions *sessions)
{
    nd_admission *a = &sessions->admission;
    uint64_t now = nd_now_ns();
    if (now - a->strangers_ns >= REFUSAL_LOG_NS) {
        a->strangers_ns = now;
        a->strangers_logged = 0;
    }
    return a->strangers_logged++ < STRANGERS_LOGGED_A_SECOND;
}

void nd_admission_out_of_descriptors(nd_sessions *sessions)
{
    ND_ASSERT_LOOP_THREAD();
    nd_admission_log_refusal(sessions, "descriptors", "");
    if (any_gives_way(sessions, "descriptors")) return;
    // libuv tries again at once. Others hold the descriptors; a pause keeps this from taking a whole processor.
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
