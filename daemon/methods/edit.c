// world.edit, and the part of world.sync that is an edit. What an edit does within EDIT_STEPS is done at once. A larger
// one goes on in the turns of the loop that follow, so many steps in each: meanwhile its session is held, as what it
// sends next may build on it, and others are served. A call of another session that names the same world has the edit
// finished first.
#include "daemon/methods/edit.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/progress.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/methods/areas.h"
#include "daemon/methods/durable.h"
#include "daemon/methods/profile.h"
#include "daemon/methods/sync.h"
#include "daemon/world/usage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct nd_edit_call {
    nd_edit_call *next;
    nd_methods *methods;
    nd_world *world;
    nd_edit *edit;      // NULL: it has ended, and its session is to be released
    nd_commit *commit;  // NULL where nothing is stored
    nd_sync_call *sync; // world.sync; NULL: world.edit
    msgpack_zone *zone; // holds the operations
    uint64_t session;
    uint32_t request, op_count;
    np_method method; // that is answered
    // Of nd_edits_follow(): hears of the end instead of a session, and how it ended.
    void (*done)(void *user, nav_status status, const np_error *err);
    void *user;
    np_error ended;
    // As it was when it began: what it may create if no other edit creates any, and how many were to be made.
    uint64_t max_new_tiles, unmade;
};

static uint64_t count_unmade(const nd_worlds *all)
{
    uint64_t unmade = 0;
    for (size_t i = 0; i < all->count; i++) unmade += all->list[i]->scheduler.unmade;
    return unmade;
}

nd_world_limits nd_edits_limits(nd_methods *methods, const nd_world *w, uint64_t least)
{
    nd_world_limits limits = nd_usage_world_limits(methods->worlds, w, &methods->world_limits);
    uint64_t unmade = count_unmade(methods->worlds), room = nd_memory_room(methods->memory) / ND_TILE_COST;
    limits.max_new_tiles = room > unmade + least ? room - unmade : least;
    return limits;
}

// OBJECT_COST: memory for an object, its places in the index and its share of tiles. MOVED_TILES: new ones that an edit
// may always move into, as it leaves others.
// STROKE_COST: for a stroke, whose grid is copied, with its string, and is a block of a terrain as a rule. Larger ones
// count against the memory for meshes, as all do.
enum { OBJECT_COST = 512, MOVED_TILES = 1024, STROKE_COST = 65536 };

// Moving, removing and the like take no more memory than there was.
static bool puts_something(const np_world_edit_request *r)
{
    for (uint32_t i = 0; i < r->op_count; i++)
        if (r->ops[i].kind == NP_OP_PUT_INSTANCE || r->ops[i].kind == NP_OP_PUT_VOLUME ||
            r->ops[i].kind == NP_OP_PUT_LINK || r->ops[i].kind == NP_OP_PATCH_HEIGHTS)
            return true;
    return false;
}

static uint64_t count_strokes(const np_world_edit_request *r)
{
    uint64_t strokes = 0;
    for (uint32_t i = 0; i < r->op_count; i++) strokes += r->ops[i].kind == NP_OP_PATCH_HEIGHTS;
    return strokes;
}

static void end(nd_edit_call *c)
{
    nd_commit_destroy(c->commit); // first: what it would have stored of an edit that was refused is the edit's again
    c->commit = NULL;
    nd_edit_destroy(c->edit);
    c->edit = NULL;
    nd_sync_call_destroy(c->sync);
    c->sync = NULL;
    if (c->zone) msgpack_zone_free(c->zone);
    c->zone = NULL;
}

static void reply_applied(nd_edit_call *c)
{
    nd_methods *methods = c->methods;
    nd_world *w = c->world;
    nd_commit *commit = c->commit;
    const np_world_edit_response out = {.revision = nd_edit_revision(c->edit),
                                        .dirty_tiles = nd_edit_dirty_tiles(c->edit),
                                        .durable = commit != NULL}; // then it is answered when it is
    if (nd_edit_only_compared(c->edit)) {                           // nothing to store, and nobody to tell
        nd_commit_destroy(commit);
        commit = NULL;
    }
    methods->edits += !nd_edit_only_compared(c->edit);
    methods->edit_ops += c->sync ? nd_sync_call_changes(c->sync, c->edit) : c->op_count;
    if (commit) {
        commit->world = w->id;
        commit->is_edit = true;
        if (commit->log.has_head) w->head_due = false;
    }
    c->commit = NULL;
    if (c->sync) {
        nd_session *session = nd_sessions_find(methods->sessions, c->session);
        const np_world_sync_response synced = nd_sync_call_response(c->sync, methods, session, c->edit, &out);
        nd_commit_reply(commit, methods, c->session, c->request, NP_WORLD_SYNC, &synced);
    } else if (c->method == NP_WORLD_AREAS) {
        nd_areas_reply(methods, commit, w, c->session, c->request, out.revision, out.dirty_tiles);
    } else {
        nd_commit_reply(commit, methods, c->session, c->request, NP_WORLD_EDIT, &out);
    }
    nd_sync_due(methods->delivery, w);
    nd_progress_watch(methods->delivery);
    nd_builder_kick(methods->builder);
}

static void reply_refused(nd_edit_call *c, nav_status status, np_error *err)
{
    nd_session *s = nd_sessions_find(c->methods->sessions, c->session);
    err->code = status;
    c->ended = *err;
    if (s) nd_reply_error(s, c->request, err);
}

// There is memory for so many tiles once: what others have created since this one began is gone.
static uint64_t max_new_tiles(const nd_edit_call *c)
{
    uint64_t unmade = count_unmade(c->methods->worlds), before = c->unmade + nd_edit_created_tiles(c->edit);
    uint64_t others = unmade > before ? unmade - before : 0;
    return c->max_new_tiles > others ? c->max_new_tiles - others : 0;
}

static nav_status run(nd_edit_call *c, size_t steps, np_error *err)
{
    const nd_methods *m = c->methods;
    nd_world_limits limits = nd_usage_world_limits(m->worlds, c->world, &m->world_limits);
    limits.max_new_tiles = max_new_tiles(c);
    if (c->done) limits = nd_world_no_limits;
    // It stands for as many edits as its changes would need.
    if (c->sync) limits.max_edit_tiles *= 1 + nd_sync_call_changes(c->sync, c->edit) / m->config->max_edit_ops;
    return nd_edit_run(c->edit, &limits, steps, err);
}

// One that goes on in later turns. It is in the list until its session is released.
static void run_later(nd_edit_call *c, size_t steps)
{
    np_error err = {0};
    nav_status s = run(c, steps, &err);
    if (s == NAV_ERR_AGAIN) return;
    if (s == NAV_OK) {
        reply_applied(c);
        nd_waiters_check(c->world);
    } else {
        reply_refused(c, s, &err);
    }
    end(c);
}

static void append(nd_methods *m, nd_edit_call *c)
{
    nd_edit_call **at = &m->under_way;
    while (*at) at = &(*at)->next;
    *at = c;
    c->next = NULL;
}

// One edit a turn; they take turns.
static void on_turn(uv_idle_t *handle)
{
    nd_methods *methods = handle->data;
    nd_edit_call *c = methods->under_way;
    methods->under_way = c->next;
    if (c->edit) run_later(c, methods->edit_steps);
    if (c->edit) {
        append(methods, c);
        return;
    }
    nd_session *s = nd_sessions_find(methods->sessions, c->session);
    if (!methods->under_way) uv_idle_stop(handle);
    if (c->done) c->done(c->user, c->ended.code, &c->ended);
    free(c);
    if (s) nd_session_release(s);
}

void nd_edits_init(nd_methods *m)
{
    if (uv_idle_init(m->sessions->loop, &m->edit_turn)) abort(); // it cannot: memory only
    m->edit_turn.data = m;
    m->edit_steps = ND_EDIT_STEPS;
}

void nd_edits_close(nd_methods *m)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_edit_call *c; (c = m->under_way) != NULL;) {
        m->under_way = c->next;
        end(c);
        free(c);
    }
    uv_close((uv_handle_t *)&m->edit_turn, NULL);
}

void nd_edits_finish(nd_methods *m, const nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_edit_call *c = m->under_way; c; c = c->next)
        if (c->edit && c->world == w) run_later(c, SIZE_MAX);
}

void nd_edits_drop(nd_methods *m, const nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_edit_call *c = m->under_way; c; c = c->next) {
        np_error err;
        if (!c->edit || c->world != w) continue;
        np_error_set_key(&err, NAV_ERR_NOT_FOUND, "world", "the world was deleted");
        reply_refused(c, NAV_ERR_NOT_FOUND, &err);
        end(c);
    }
}

void nd_edits_take_back(nd_methods *m, nav_status status, const char *why)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_edit_call *c = m->under_way; c; c = c->next) {
        np_error err = {0};
        if (!c->edit) continue;
        // What is decided is all or nothing: all, and then nothing.
        bool applied = nd_edit_is_decided(c->edit) && run(c, SIZE_MAX, &err) == NAV_OK;
        m->unstored++;
        np_error_set(&err, status, "it could not be stored and was undone: %s", why);
        if (!applied) {
            nd_commit_destroy(c->commit);
            c->commit = NULL;
        }
        nd_edit_destroy(c->edit);
        c->edit = NULL;
        if (applied) nd_commit_take_back_edit(c->commit, c->world);
        reply_refused(c, status, &err);
        end(c);
    }
}

// put: new objects.
static nav_status check(nd_call *c, uint64_t put, const nd_world *w)
{
    nd_methods *methods = c->methods;
    if (w->damaged)
        return np_error_set(&c->err, NAV_ERR_FORMAT,
                            "the world accepts no edits: its stored data is damaged; export what is left, "
                            "delete it, and import it again");
    nav_status s = nd_durable_check(methods, "the edit", &c->err);
    if (s == NAV_OK && put) s = nd_memory_check(methods->memory, OBJECT_COST * put, &c->err);
    return s;
}

static nav_status keep_text(msgpack_zone *zone, np_str *text)
{
    char *copy = msgpack_zone_malloc(zone, text->size + (size_t)1);
    if (!copy) return NAV_ERR_MEMORY;
    if (text->size) memcpy(copy, text->data, text->size);
    text->data = copy;
    return NAV_OK;
}

static nav_status keep_bin(msgpack_zone *zone, np_bin *bin)
{
    void *copy = msgpack_zone_malloc(zone, bin->size + (size_t)1);
    if (!copy) return NAV_ERR_MEMORY;
    if (bin->size) memcpy(copy, bin->data, bin->size);
    bin->data = copy;
    return NAV_OK;
}

static nav_status keep_names(msgpack_zone *zone, const np_op *op)
{
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < op->u.areas.count && s == NAV_OK; i++)
        s = keep_text(zone, &((np_area *)&op->u.areas.list[i])->name); // in the zone
    return s;
}

// The operations outlive the message, but the names in it are where its bytes were.
static nav_status keep_texts(msgpack_zone *zone, const np_world_edit_request *r)
{
    np_str kept = {0};
    for (uint32_t i = 0; i < r->op_count; i++) {
        np_op *op = (np_op *)&r->ops[i]; // in the zone
        if (op->kind == NP_OP_SET_AREAS && keep_names(zone, op) != NAV_OK) return NAV_ERR_MEMORY;
        if (op->kind == NP_OP_PATCH_HEIGHTS &&
            (keep_bin(zone, &op->u.patch.samples) != NAV_OK || keep_bin(zone, &op->u.patch.areas) != NAV_OK))
            return NAV_ERR_MEMORY;
        if (op->name.size && keep_text(zone, &op->name) != NAV_OK) return NAV_ERR_MEMORY;
        if (!op->source.size) continue;
        if (op->source.size != kept.size || memcmp(op->source.data, kept.data, kept.size)) {
            char *copy = msgpack_zone_malloc(zone, op->source.size);
            if (!copy) return NAV_ERR_MEMORY;
            memcpy(copy, op->source.data, op->source.size);
            kept = (np_str){copy, op->source.size};
        }
        op->source = kept;
    }
    return NAV_OK;
}

// What both methods share: runs what it can at once. request: of nd_edit_begin(); of a sync without operations.
static nav_status start(nd_call *c, nd_world *w, const np_world_edit_request *request, nd_sync_call *sync, bool puts,
                        uint64_t received_ns, np_method method)
{
    nd_methods *methods = c->methods;
    nd_edit_call *call = calloc(1, sizeof *call);
    if (!call) {
        nd_sync_call_destroy(sync);
        return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the edit");
    }
    *call = (nd_edit_call){.methods = methods,
                           .world = w,
                           .sync = sync,
                           .session = c->session->id,
                           .request = c->message->id,
                           .op_count = request->op_count,
                           .method = method,
                           .unmade = count_unmade(methods->worlds),
                           .max_new_tiles = nd_edits_limits(methods, w, puts ? 0 : MOVED_TILES).max_new_tiles};
    nav_status s = nd_commit_begin(methods, call->session, call->request, &call->commit, &c->err);
    nd_edit_listener *listener = call->commit ? &call->commit->log.listener : NULL;
    if (s == NAV_OK)
        s = nd_edit_begin_sync(w, methods->meshes, listener, c->session->caller, request, sync ? sync->sync : NULL,
                               sync && sync->dry_run, received_ns, &call->edit, &c->err);
    if (s == NAV_OK) s = run(call, methods->edit_steps, &c->err);
    if (s == NAV_ERR_AGAIN) {
        call->zone = np_message_take_zone(c->message);
        s = keep_texts(call->zone, request);
        if (s != NAV_OK) np_error_set(&c->err, s, "no memory for the edit");
    }
    if (s == NAV_OK && call->zone) {
        nd_session_hold(c->session);
        append(methods, call);
        uv_idle_start(&methods->edit_turn, on_turn);
        return NAV_OK;
    }
    if (s == NAV_OK) reply_applied(call);
    end(call);
    free(call);
    return s;
}

nav_status nd_edits_follow(nd_methods *m, nd_world *w, const np_world_edit_request *r, uint64_t revision,
                           void (*done)(void *user, nav_status status, const np_error *err), void *user)
{
    ND_ASSERT_LOOP_THREAD();
    np_error err = {0};
    nd_edit_call *call = calloc(1, sizeof *call);
    if (!call) return NAV_ERR_MEMORY;
    *call = (nd_edit_call){
        .methods = m, .world = w, .op_count = r->op_count, .method = NP_WORLD_EDIT, .done = done, .user = user};
    nav_status s = nd_commit_begin(m, 0, 0, &call->commit, &err);
    nd_edit_listener *listener = call->commit ? &call->commit->log.listener : NULL;
    if (s == NAV_OK) s = nd_edit_begin(w, m->meshes, listener, NULL, r, nd_now_ns(), &call->edit, &err);
    if (s == NAV_OK) nd_edit_follow(call->edit, revision);
    if (s == NAV_OK) s = run(call, m->edit_steps, &err);
    if (s == NAV_ERR_AGAIN) {
        append(m, call);
        uv_idle_start(&m->edit_turn, on_turn);
        return NAV_OK;
    }
    if (s == NAV_OK) {
        reply_applied(call);
        nd_waiters_check(w);
    }
    end(call);
    free(call);
    done(user, s, &err);
    return NAV_OK;
}

nav_status nd_edits_start_areas(nd_call *c, nd_world *w, const np_world_edit_request *r)
{
    uint64_t received_ns = nd_now_ns();
    nd_profiles_finish(c->methods, w);
    nav_status s = check(c, 0, w);
    if (s == NAV_OK) s = nd_usage_take_edit(w->space, received_ns, &c->err);
    return s == NAV_OK ? start(c, w, r, NULL, false, received_ns, NP_WORLD_AREAS) : s;
}

nav_status nd_method_world_edit(nd_call *c)
{
    uint64_t received_ns = nd_now_ns();
    np_world_edit_request r;
    nd_world *w;
    const nd_config *cfg = c->methods->config;
    nav_status s = np_decode_world_edit_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) nd_profiles_finish(c->methods, w);
    if (s == NAV_OK && r.op_count > cfg->max_edit_ops)
        s = np_error_set_key(&c->err, NAV_ERR_LIMIT, "ops",
                             "%u operations, at most %" PRIu64 " are allowed (--max-edit-ops)", r.op_count,
                             cfg->max_edit_ops);
    bool puts = s == NAV_OK && puts_something(&r);
    if (s == NAV_OK) s = check(c, puts ? r.op_count : 0, w);
    const uint64_t strokes = puts ? count_strokes(&r) : 0;
    if (s == NAV_OK && strokes) s = nd_memory_check(c->methods->memory, STROKE_COST * strokes, &c->err);
    if (s == NAV_OK) s = nd_usage_take_edit(w->space, received_ns, &c->err);
    return s == NAV_OK ? start(c, w, &r, NULL, puts, received_ns, NP_WORLD_EDIT) : s;
}

nav_status nd_edits_start_sync(nd_call *c, nd_world *w, const np_world_edit_request *head, nd_sync_call *sync,
                               uint64_t put)
{
    uint64_t received_ns = nd_now_ns();
    nav_status s = sync->dry_run ? NAV_OK : check(c, put, w);
    if (s == NAV_OK && !sync->dry_run) s = nd_usage_take_edit(w->space, received_ns, &c->err);
    if (s == NAV_OK) return start(c, w, head, sync, put > 0, received_ns, NP_WORLD_SYNC);
    nd_sync_call_destroy(sync);
    return s;
}
