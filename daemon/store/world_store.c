#include "daemon/store/world_store.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/world/changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// FORGOTTEN: so many removed tiles that the world does not remember are worth a walk over all of its tiles on disk.
enum { FORGOTTEN = ND_MAX_REMOVED / 4, TILES_MS = 250, TILES_AT_ONCE = 4096, COMMIT_BYTES = 16 << 20, PROBE_MS = 1000 };

// A change without an answer.
typedef struct behind {
    nd_write write;
    nd_world_store *store;
    nav_buffer change;
    bool is_tiles;
    uint64_t *revisions; // of worlds, as written: pairs of id and revision
    size_t revision_count;
} behind;

static nav_status run_behind(nd_write *w, nd_txn *txn)
{
    return nd_change_apply(&((behind *)w)->change, txn);
}

static void behind_done(nd_write *w, nav_status status, const char *why)
{
    behind *b = (behind *)w;
    (void)why; // the writer's state is told by on_state
    if (status != NAV_OK && b->is_tiles) b->store->tiles_gap = true;
    for (size_t i = 0; i < b->revision_count && status == NAV_OK; i++) {
        nd_world *world = nd_worlds_find(b->store->worlds, b->revisions[2 * i]);
        if (!world || world->durable >= b->revisions[2 * i + 1]) continue;
        world->durable = b->revisions[2 * i + 1];
        if (b->store->on_durable) b->store->on_durable(b->store->user, world);
    }
    nav_buffer_deinit(&b->change);
    free(b->revisions);
    free(b);
}

// Takes the change over. False: no memory.
static bool push_behind(nd_world_store *s, nav_buffer *change, uint64_t *revisions, size_t revision_count)
{
    behind *b = calloc(1, sizeof *b);
    if (!b) {
        nav_buffer_deinit(change);
        free(revisions);
        return false;
    }
    *b = (behind){.write = {.run = run_behind, .done = behind_done, .bytes = change->size},
                  .store = s,
                  .change = *change,
                  .is_tiles = revisions != NULL,
                  .revisions = revisions,
                  .revision_count = revision_count};
    *change = (nav_buffer){0};
    nd_writer_push(s->writer, &b->write);
    return true;
}

// --- tiles ---

// Revisions that no edit has written: the daemon raises them by itself, too. Not the one of an edit that is half
// applied or waits for the log, which is stored with the edit. And with the horizon behind which removed tiles are
// forgotten these go, too, where there are `forgotten` of them.
static nav_status add_revisions(nd_world_store *s, uint64_t forgotten, uint64_t **out, size_t *count)
{
    nav_status status = NAV_OK;
    uint64_t *pairs = malloc((2 * s->worlds->count + 1) * sizeof *pairs);
    *count = 0;
    *out = pairs;
    if (!pairs) return NAV_ERR_MEMORY;
    for (size_t i = 0; i < s->worlds->count && status == NAV_OK; i++) {
        nd_world *w = s->worlds->list[i];
        bool forget = w->removed.forgotten >= forgotten;
        if ((w->durable >= w->revision && !forget) || w->leaving || w->applying || w->unlogged) continue;
        status = nd_change_revision(&s->tiles, w->id, w->revision, w->removed.horizon);
        if (status == NAV_OK && forget) {
            status = nd_change_forget_removed(&s->tiles, w->id, w->removed.horizon);
            w->removed.forgotten = 0;
        }
        pairs[2 * *count] = w->id;
        pairs[2 * *count + 1] = w->revision;
        *count += 1;
    }
    return status;
}

static void write_behind(nd_world_store *s, uint64_t forgotten)
{
    uint64_t *revisions = NULL;
    size_t count = 0;
    s->stats.tiles_written += s->tiles_waiting;
    uv_timer_stop(&s->timer);
    s->tiles_waiting = 0;
    nav_status status = add_revisions(s, forgotten, &revisions, &count);
    if (status == NAV_OK && push_behind(s, &s->tiles, revisions, count)) return;
    if (status != NAV_OK) free(revisions);
    nav_buffer_deinit(&s->tiles);
    s->tiles_gap = true;
}

static void write_tiles(nd_world_store *s)
{
    if (s->tiles_waiting) write_behind(s, FORGOTTEN);
}

static void on_timer(uv_timer_t *timer)
{
    write_tiles(timer->data);
}

uint64_t nd_stored_mark(const nd_tile_result *r)
{
    return nd_hash_u64(r->source.low ^ nd_hash_u64(r->content.low ^ nd_hash_u64(r->changed + (uint64_t)r->status)));
}

void nd_world_store_flush(nd_world_store *s)
{
    ND_ASSERT_LOOP_THREAD();
    write_tiles(s);
}

void nd_world_store_catch_up(nd_world_store *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (!s->closing) write_behind(s, FORGOTTEN);
}

void nd_world_store_note_tile(nd_world_store *s, nd_world *w, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    const nd_tile_place at = {w->id, t->profile, t->x, t->z};
    const nd_tile_result *r = &t->result;
    if (r->status == NP_TILE_PENDING || w->leaving) return;
    uint64_t mark = nd_stored_mark(r);
    if (t->stored == mark) return;
    if (nd_change_tile(&s->tiles, &at, r) != NAV_OK) {
        s->tiles_gap = true;
        return;
    }
    t->stored = mark;
    if (++s->tiles_waiting >= TILES_AT_ONCE)
        write_tiles(s);
    else if (!uv_is_active((uv_handle_t *)&s->timer))
        uv_timer_start(&s->timer, on_timer, TILES_MS, 0);
}

// --- meshes ---

void nd_world_store_forget_mesh(nd_world_store *s, const nd_mesh *m)
{
    ND_ASSERT_LOOP_THREAD();
    nav_buffer change = {0};
    if (nd_change_remove_mesh(&change, m->mesh->hash) == NAV_OK)
        (void)push_behind(s, &change, NULL, 0); // what is left behind is found at the next start, and unused
    nav_buffer_deinit(&change);
}

void nd_world_store_note_meshes(nd_world_store *s, nd_mesh *const *meshes, size_t count)
{
    ND_ASSERT_LOOP_THREAD();
    nav_buffer change = {0};
    nav_status status = NAV_OK;
    for (size_t i = 0; i < count && status == NAV_OK; i++) {
        const nd_mesh *m = meshes[i];
        const nd_mesh_head head = nd_mesh_head_of(m);
        // Not one that has left the store meanwhile: its records are gone.
        if (m->durable && nd_mesh_store_find(s->meshes, &m->mesh->hash) == m)
            status = nd_change_mesh(&change, m->mesh->hash, &head);
    }
    if (status == NAV_OK && change.size) (void)push_behind(s, &change, NULL, 0); // else it is found out again
    nav_buffer_deinit(&change);
}

// --- life ---

nav_status nd_world_store_failure(const nd_world_store *s, const char **why)
{
    return nd_writer_failure(s->writer, why);
}

static void push_info(nd_world_store *s, bool clean)
{
    nav_buffer change = {0};
    const nd_store_info info = {.clean = clean, .next_world = s->next_world};
    if (nd_change_info(&change, &info) == NAV_OK) (void)push_behind(s, &change, NULL, 0);
    nav_buffer_deinit(&change);
}

void nd_world_store_set_log(nd_world_store *s, nav_key id)
{
    ND_ASSERT_LOOP_THREAD();
    nav_buffer change = {0};
    s->log_id = id;
    if (nd_change_log_id(&change, id) == NAV_OK) (void)push_behind(s, &change, NULL, 0);
    nav_buffer_deinit(&change);
}

static void log_read(const nd_world_store *s)
{
    const nd_world_store_stats *st = &s->stats;
    nd_log(ND_LOG_INFO, "worlds.read",
           "worlds=%" PRIu64 " objects=%" PRIu64 " meshes=%" PRIu64 " tiles=%" PRIu64 " clean=%d us=%" PRIu64,
           st->worlds_read, st->objects_read, st->meshes_read, st->tiles_read, s->was_clean, st->read_us);
    if (st->damaged_pages || st->damaged_records)
        nd_log(ND_LOG_ERROR, "worlds.damaged", "pages=%" PRIu64 " records=%" PRIu64 " why=%s", st->damaged_pages,
               st->damaged_records, nd_log_quote(s->damage, strlen(s->damage)).text);
}

static void destroy(nd_world_store *s)
{
    nav_buffer_deinit(&s->tiles);
    free(s->folder);
    free(s);
}

static void on_closed(uv_handle_t *handle)
{
    destroy(handle->data);
}

nav_status nd_world_store_open(uv_loop_t *loop, const nd_world_store_options *o, nd_worlds *worlds,
                               nd_mesh_store *meshes, nd_namespaces *spaces, char *why, size_t why_bytes,
                               nd_world_store **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world_store *s = calloc(1, sizeof *s);
    nav_status status = NAV_ERR_MEMORY;
    nd_database_opening opening;
    snprintf(why, why_bytes, "no memory for the worlds in %s", o->state);
    if (!s) return status;
    *s = (nd_world_store){.worlds = worlds,
                          .meshes = meshes,
                          .spaces = spaces,
                          .next_world = 1,
                          .follows = o->follows,
                          .on_durable = o->on_durable,
                          .user = o->user};
    s->folder = malloc(strlen(o->state) + sizeof "/worlds");
    if (!s->folder) goto failed;
    sprintf(s->folder, "%s/worlds", o->state);

    uint64_t began = nd_now_ns();
    status = nd_world_load(s);
    s->stats.read_us = (nd_now_ns() - began) / 1000;
    if (status != NAV_OK && status != NAV_ERR_FORMAT) {
        snprintf(why, why_bytes, "cannot read the worlds in %s: %s", s->folder, nav_status_text(status));
        goto failed;
    }
    log_read(s);

    const nd_writer_options writer = {.database = {.folder = s->folder,
                                                   .tables = nd_record_tables,
                                                   .table_count = ND_RECORD_TABLES,
                                                   .map_bytes = o->map_bytes,
                                                   .checked = status == NAV_OK},
                                      .probe_table = ND_INFO,
                                      .commit_ms = o->commit_ms,
                                      .commit_bytes = COMMIT_BYTES,
                                      .probe_ms = PROBE_MS,
                                      .on_state = o->on_state,
                                      .user = o->user};
    status = nd_writer_create(loop, &writer, &s->writer);
    if (status != NAV_OK) {
        snprintf(why, why_bytes, "cannot start the thread that writes %s: %s", s->folder, nav_status_text(status));
        goto failed;
    }
    status = nd_writer_wait_open(s->writer, &opening, why, why_bytes);
    if (status != NAV_OK && status != NAV_ERR_FORMAT) {
        nd_writer_close(s->writer);
        goto failed;
    }
    if (uv_timer_init(loop, &s->timer)) abort(); // it cannot: a timer is memory only
    s->timer.data = s;
    push_info(s, false);
    write_behind(s, 1); // revisions that the start has raised, and what it has forgotten
    // Before a client sees them: the next start must not raise the same ones to the same numbers.
    nd_writer_wait_written(s->writer);
    *out = s;
    return NAV_OK;
failed:
    destroy(s);
    return status;
}

void nd_world_store_close(nd_world_store *s)
{
    if (!s || s->closing) return;
    ND_ASSERT_LOOP_THREAD();
    s->closing = true;
    uv_timer_stop(&s->timer);
    write_tiles(s);
    if (!s->tiles_gap) push_info(s, true);
    nd_writer_close(s->writer);
    s->writer = NULL;
    uv_close((uv_handle_t *)&s->timer, on_closed);
}
