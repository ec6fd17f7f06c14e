#include "daemon/session/timeouts.h"

#include "daemon/base/thread.h"
#include "daemon/session/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

enum { PERIOD_MS = 500, UNSENT_BYTES = 128 * 1024, KEEPALIVE_TRIES = 3 };

static void set_option(int fd, int name, uint64_t value)
{
    int v = value > INT32_MAX ? INT32_MAX : (int)value;
    (void)setsockopt(fd, IPPROTO_TCP, name, &v, sizeof v); // a kernel without one serves all the same
}

// A peer that vanished is found out by the kernel; and the kernel keeps little of what is not on its way yet, so that
// what waits is the newest state, in our own memory, counted.
static void set_tcp_options(nd_session *s)
{
    const nd_config *c = s->sessions->config;
    int fd = s->transport->calls->descriptor(s->transport);
    if (s->transport->door == ND_DOOR_UNIX || fd < 0) return;
    set_option(fd, TCP_NOTSENT_LOWAT, UNSENT_BYTES);
    if (c->stall_s) set_option(fd, TCP_USER_TIMEOUT, c->stall_s * 1000);
    if (!c->keepalive_s) return;
    int on = 1;
    set_option(fd, TCP_KEEPIDLE, c->keepalive_s);
    set_option(fd, TCP_KEEPINTVL, c->keepalive_s / KEEPALIVE_TRIES ? c->keepalive_s / KEEPALIVE_TRIES : 1);
    set_option(fd, TCP_KEEPCNT, KEEPALIVE_TRIES);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static bool over(uint64_t now_ms, uint64_t began_ms, uint64_t seconds)
{
    return seconds && now_ms - began_ms >= seconds * 1000;
}

// Has the peer taken something since the last look?
static bool output_moved(nd_session *s)
{
    size_t unsent = s->transport->calls->unsent(s->transport);
    bool moved = s->output.takes != s->seen_takes || unsent != s->seen_unsent || !s->output.bytes;
    s->seen_takes = s->output.takes;
    s->seen_unsent = unsent;
    return moved;
}

static void send_alive(nd_session *s)
{
    np_none note = {0};
    s->sessions->scratch.size = 0;
    if (np_encode_alive_note(&s->sessions->scratch, &note) == NAV_OK)
        nd_session_send(s, s->sessions->scratch.data, s->sessions->scratch.size, NULL);
}

static void look(void *user, nd_node *n)
{
    nd_session *s = ND_HOLDER(n, nd_session, node);
    nd_sessions *sessions = user;
    const nd_config *c = sessions->config;
    uint64_t now = uv_now(sessions->loop);
    bool busy = s->waits || s->builds || s->subscriptions || s->held;
    if (output_moved(s)) s->output_moved_ms = now;
    if (busy) s->heard_ms = now;
    if (!s->greeted && over(now, s->opened_ms, c->hello_s))
        nd_session_refuse(s, NAV_ERR_TIMEOUT, "no hello within --hello-s", "hello_timeout");
    else if (s->message_begun && s->reading && over(now, s->message_began_ms, c->message_s))
        nd_session_refuse(s, NAV_ERR_TIMEOUT, "a message was not completed within --message-s", "message_timeout");
    else if (over(now, s->output_moved_ms, c->stall_s))
        nd_session_close(s, "slow_reader");
    else if (s->greeted && over(now, s->heard_ms, c->idle_s))
        nd_session_refuse(s, NAV_ERR_TIMEOUT, "no call and no subscription for --idle-s", "idle");
    else if (s->keepalive && !s->output.bytes && over(now, s->sent_ms, c->keepalive_s))
        send_alive(s);
    if (s->closing) return;
    uint64_t refill = c->max_call_rate * PERIOD_MS / 1000 + 1;
    s->calls_left = s->calls_left + refill < c->max_call_rate ? s->calls_left + refill : c->max_call_rate;
    nd_session_go_on(s);
}

static void on_period(uv_timer_t *timer)
{
    nd_sessions *all = timer->data;
    bool owes = false;
    nd_table_each(&all->table, look, all);
    nd_memory_watch(all->memory);
    for (int i = 0; i < ND_LISTENERS; i++) {
        nd_listener *l = &all->listeners[i];
        if (l->owes && l->open) nd_socket_accept(l);
        owes |= l->owes && l->open;
    }
    if (!all->table.count && !owes) uv_timer_stop(timer);
}

void nd_timeouts_init(nd_sessions *all)
{
    (void)uv_timer_init(all->loop, &all->timeouts);
    all->timeouts.data = all;
}

void nd_timeouts_close(nd_sessions *all)
{
    uv_close((uv_handle_t *)&all->timeouts, NULL);
}

void nd_timeouts_watch(nd_sessions *all)
{
    if (!uv_is_active((uv_handle_t *)&all->timeouts)) uv_timer_start(&all->timeouts, on_period, PERIOD_MS, PERIOD_MS);
}

void nd_timeouts_begin(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions *sessions = s->sessions;
    s->opened_ms = s->heard_ms = s->output_moved_ms = s->sent_ms = uv_now(sessions->loop);
    s->calls_left = sessions->config->max_call_rate;
    set_tcp_options(s);
    nd_timeouts_watch(sessions);
}

void nd_timeouts_received(nd_session *s, bool completed)
{
    uint64_t now = uv_now(s->sessions->loop);
    bool partial = np_reader_pending(&s->reader) > 0;
    if (completed) s->heard_ms = now;
    if (partial && (completed || !s->message_begun)) s->message_began_ms = now;
    s->message_begun = partial;
}

bool nd_timeouts_may_call(const nd_session *s)
{
    return s->calls_left > 0;
}
