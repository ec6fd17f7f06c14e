#include "tests/e2e/edited_world.h"

#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop(edited_world *w, uint32_t at)
{
    ck_assert_uint_lt(at, w->pending_count);
    const size_t behind = --w->pending_count - at;
    memmove(&w->pending[at], &w->pending[at + 1], behind * sizeof *w->pending);
    memmove(&w->requests[at], &w->requests[at + 1], behind * sizeof *w->requests);
}

static void note_refusal(edited_world *w, const peer_request *r)
{
    w->refused = true;
    if (r->method != NP_WORLD_EDIT) return;
    w->refused_edits++;
    uint32_t at = 0; // the newest is refused first
    while (at < w->pending_count && w->requests[at] != r->id) at++;
    drop(w, at);
}

static void on_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    edited_world *w = p->user;
    if (r->method != NP_WORLD_EDIT && r->method != NP_MESH_PUT) return;
    const bool may_be = error && w->may_refuse && (error->code == NAV_ERR_STATE || w->refused); // builds on one before
    ck_assert_msg(!error || may_be, "%s was refused: %s", np_method_name(r->method), error ? error->message : "");
    if (error) note_refusal(w, r);
    if (error || r->method != NP_WORLD_EDIT) return;
    np_world_edit_response answer;
    np_error err;
    ck_assert_int_eq(np_decode_world_edit_response(m, &answer, &err), NAV_OK);
    ck_assert_uint_gt(answer.revision, w->revision);
    w->revision = answer.revision;
    ck_assert_uint_gt(w->pending_count, 0);
    ck_assert_uint_eq(w->requests[0], r->id); // answers come in order
    objects_apply(&w->acknowledged, &w->pending[0]);
    edit_send(&w->truth, &w->pending[0]);
    drop(w, 0);
    w->acknowledged_edits++;
    w->acknowledged_ms = clock_ms();
}

void edited_send(edited_world *w, uint64_t *chance)
{
    edit *e = &w->pending[w->pending_count++];
    *e = edit_draw(&w->city, &w->sent, chance);
    edit_send(&w->editor, e);
    w->requests[w->pending_count - 1] = w->editor.next_id - 1;
    w->edits++;
}

// The truth may be the slower one: what is under way there has room for all that may still be acknowledged.
static bool may_send(const edited_world *w)
{
    return w->editor.state == PEER_LIVE && !w->refused && w->pending_count < EDITED_IN_FLIGHT &&
           w->truth.open_count < PEER_REQUESTS / 2;
}

void edited_run(edited_world worlds[EDITED_WORLDS], double until_ms, uint64_t *chance)
{
    peer *peers[2 * EDITED_WORLDS];
    for (int i = 0; i < EDITED_WORLDS; i++) {
        peers[2 * i] = &worlds[i].editor;
        peers[2 * i + 1] = &worlds[i].truth;
    }
    for (double now; (now = clock_ms()) < until_ms;) {
        for (int i = 0; i < EDITED_WORLDS; i++)
            while (may_send(&worlds[i])) edited_send(&worlds[i], chance);
        peers_run(peers, 2 * EDITED_WORLDS, (int)(until_ms - now) + 1);
    }
}

void edited_settle(edited_world *w)
{
    peer *peers[] = {&w->editor, &w->truth};
    while (w->pending_count) {
        ck_assert_msg(w->editor.fd >= 0, "%s: the daemon closed the editor's connection", w->name);
        peers_run(peers, 2, PATIENCE_MS);
    }
}

void edited_read_to_the_end(edited_world *w)
{
    peer *p = &w->editor;
    while (p->fd >= 0) peers_run(&p, 1, -1);
}

// For whoever looks for the cause: how a few tiles are, and how they should be.
static void describe(const edited_world *w, uint32_t edits, char *out, size_t bytes)
{
    static const char *const states[] = {"ok", "empty", "failed", "removed", "pending"};
    size_t at = 0;
    for (int32_t i = 0; i < w->side * w->side && at < bytes; i++) {
        const peer_tile *is = &w->checker.tiles[i], *should = &w->truth.tiles[i];
        if (is->status == should->status && nav_key_equal(is->key, should->key)) continue;
        at += (size_t)snprintf(out + at, bytes - at, "%u edits more: tile %d,%d is %s of revision %llu, should be %s\n",
                               edits, i % w->side, i / w->side, states[is->status], (unsigned long long)is->revision,
                               states[should->status]);
    }
}

// Finds how many of the unacknowledged edits are there, and takes them over. False: no such number; the nearest.
static bool world_is_whole(edited_world *w, char *nearest, size_t bytes)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t k = 0;; k++) {
        peer_settle(&w->truth);
        uint32_t differ = peer_differences(&w->checker, &w->truth);
        if (differ == 0) {
            w->pending_count = 0;
            w->sent = w->acknowledged;
            w->refused = false;
            return true;
        }
        if (differ < least) describe(w, k, nearest, bytes);
        least = differ < least ? differ : least;
        if (k == w->pending_count) return false;
        const edit *e = &w->pending[k];
        objects_apply(&w->acknowledged, e);
        edit_send(&w->truth, e);
    }
}

void edited_check(edited_world *w, const daemon_process *navd, uint64_t round)
{
    peer *p = &w->checker;
    peer_init(p, w->name, w->side);
    ck_assert(peer_connect(p, navd->socket));
    peer_settle(p);
    ck_assert_msg(p->opened_revision >= w->revision, "kill %llu: %s is at revision %llu, and %llu was acknowledged",
                  (unsigned long long)round, w->name, (unsigned long long)p->opened_revision,
                  (unsigned long long)w->revision);
    uint32_t pending = w->pending_count;
    char nearest[2000] = "";
    ck_assert_msg(world_is_whole(w, nearest, sizeof nearest),
                  "kill %llu: %s has lost an acknowledged edit, or a tile is wrong: revision %llu, %u edits were under "
                  "way; nearest:\n%s",
                  (unsigned long long)round, w->name, (unsigned long long)p->opened_revision, pending, nearest);
    peer_deinit(p);
}

static void on_truth_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    (void)p;
    (void)m;
    ck_assert_msg(!error, "the truth refused %s: %s", np_method_name(r->method), error ? error->message : "");
}

void edited_begin(edited_world *w, int number, int32_t side, const daemon_process *navd, const daemon_process *truth)
{
    memset(w, 0, sizeof *w);
    w->side = side;
    snprintf(w->name, sizeof w->name, "kill%d", number);
    city_build(&w->city, w->name, side, navd->socket);
    city_build(&w->city, w->name, side, truth->socket);
    peer_init(&w->truth, w->name, side);
    w->truth.on_answer = on_truth_answer;
    ck_assert(peer_connect(&w->truth, truth->socket));
    peer_settle(&w->truth);
    peer_init(&w->editor, w->name, 0);
    w->editor.no_tiles = true;
    w->editor.on_answer = on_answer;
    w->editor.user = w;
    objects_of_city(&w->acknowledged, &w->city);
    w->sent = w->acknowledged;
}

void edited_end(edited_world *w)
{
    peer_deinit(&w->editor);
    peer_deinit(&w->truth);
}
