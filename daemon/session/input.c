#include "daemon/session/input.h"

#include "daemon/base/thread.h"
#include "daemon/session/session.h"

#include <inttypes.h>

// SMALL_BYTES: less does not count, and is bounded by the number of sessions. MOVE_BYTES: no edit that only moves or
// removes is larger. STEP_BYTES: a message that gets so many is not the slowest.
enum { SMALL_BYTES = 16 << 10, MOVE_BYTES = 8 << 20, STEP_BYTES = 64 << 10 };

typedef struct bounds {
    uint64_t of_peer, in_all;
} bounds;

static uint64_t at_least(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// *is_short: there is no memory for more. While little is held nobody asks.
static bounds find_bounds(nd_sessions *sessions, bool *is_short)
{
    np_error ignored;
    uint64_t limit = sessions->memory->limit, message = sessions->frame_limits.message_bytes;
    *is_short = sessions->inputs.bytes > MOVE_BYTES && nd_memory_check(sessions->memory, 0, &ignored) != NAV_OK;
    if (*is_short) return (bounds){MOVE_BYTES, 2 * MOVE_BYTES};
    return (bounds){at_least(limit / 8, message), at_least(limit / 4, message)};
}

static const nd_peer *largest_peer(const nd_inputs *all)
{
    const nd_peer *most = NULL;
    for (const nd_session *s = all->first; s; s = s->input.after)
        if (!most || s->peer->input_bytes > most->input_bytes) most = s->peer;
    return most;
}

// NULL: the calls of all of them are being handled.
static nd_session *slowest(const nd_sessions *sessions, const nd_peer *of)
{
    nd_session *s = sessions->inputs.first;
    while (s && (s->peer != of || s->in_messages)) s = s->input.after;
    return s;
}

static void unlink_input(nd_session *s)
{
    nd_inputs *all = &s->sessions->inputs;
    nd_input *in = &s->input;
    *(in->before ? &in->before->input.after : &all->first) = in->after;
    *(in->after ? &in->after->input.before : &all->last) = in->before;
}

static void append(nd_session *s)
{
    nd_inputs *all = &s->sessions->inputs;
    s->input.moved = s->input.bytes;
    s->input.before = all->last;
    s->input.after = NULL;
    *(all->last ? &all->last->input.after : &all->first) = s;
    all->last = s;
}

static void count(nd_session *s, uint64_t bytes)
{
    nd_input *in = &s->input;
    uint64_t had = in->bytes;
    in->bytes = bytes;
    s->sessions->inputs.bytes += bytes - had;
    if (s->peer) s->peer->input_bytes += bytes - had;
    bool moves = bytes >= in->moved + STEP_BYTES || bytes < had; // the latter: another message
    if (had && (moves || !bytes)) unlink_input(s);
    if (bytes && (moves || !had)) append(s);
}

static void give_way(nd_session *s, uint64_t held, uint64_t bound, bool in_all, bool is_short)
{
    char words[300];
    snprintf(words, sizeof words,
             "the unfinished messages of %s hold %" PRIu64 " KiB, at most %" PRIu64
             " KiB are allowed%s (--max-memory-bytes); this one is the slowest: send it again later",
             in_all ? "all clients" : s->source_name, held >> 10, bound >> 10,
             is_short ? " while memory is short" : "");
    if (!is_short) s->sessions->memory->refusals++; // else the check has counted it
    nd_session_refuse(s, NAV_ERR_LIMIT, words, "memory");
    np_reader_deinit(&s->reader); // at once, so that the next look at the memory sees it
    nd_memory_gave_back(s->sessions->memory);
}

void nd_input_received(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions *sessions = s->sessions;
    nd_session *slow;
    bool is_short;
    size_t pending = np_reader_pending(&s->reader);
    if (s->closing) return;
    count(s, pending > SMALL_BYTES ? pending : 0);
    if (sessions->inputs.bytes <= MOVE_BYTES) return;
    const nd_peer *own = s->peer;
    const bounds b = find_bounds(sessions, &is_short);
    while (own && own->input_bytes > b.of_peer && (slow = slowest(sessions, own)) != NULL) {
        uint64_t held = own->input_bytes;
        give_way(slow, held, b.of_peer, false, is_short);
        own = s->peer; // NULL: it was this one
    }
    while (sessions->inputs.bytes > b.in_all && (slow = slowest(sessions, largest_peer(&sessions->inputs))) != NULL)
        give_way(slow, sessions->inputs.bytes, b.in_all, true, is_short);
}

void nd_input_leave(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    count(s, 0);
}
