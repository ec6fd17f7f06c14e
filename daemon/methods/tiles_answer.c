#include "daemon/methods/tiles_answer.h"

#include "daemon/base/thread.h"
#include "daemon/cache/unpacker.h"

#include <inttypes.h>
#include <stdlib.h>

// An answer is written, and stays until its client has read it.
enum { LARGE_ANSWER = 1 << 20, ANSWER_COST = 2, HEAD_BYTES = 128 };

nd_tiles_answer *nd_tiles_answer_create(nd_methods *methods, uint64_t session, uint32_t request, uint32_t count)
{
    nd_tiles_answer *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (nd_tiles_answer){.methods = methods,
                           .session = session,
                           .request = request,
                           .count = count,
                           .tiles = calloc(count + (size_t)1, sizeof *a->tiles),
                           .blobs = calloc(count + (size_t)1, sizeof(nd_blob *))};
    if (a->tiles && a->blobs) return a;
    nd_tiles_answer_destroy(a);
    return NULL;
}

void nd_tiles_answer_destroy(nd_tiles_answer *a)
{
    if (!a) return;
    for (uint32_t i = 0; a->blobs && i < a->count; i++) nd_blob_unref(a->blobs[i]);
    free(a->blobs);
    free(a->tiles);
    free(a);
}

// May it have so many bytes of data?
static nav_status check(const nd_tiles_answer *a, uint64_t bytes, np_error *err)
{
    uint64_t most = a->methods->config->max_message_bytes, size = bytes + (uint64_t)HEAD_BYTES * a->count;
    if (bytes > most)
        return np_error_set(err, NAV_ERR_LIMIT,
                            "the tiles have more than %" PRIu64 " bytes together (--max-message-bytes): "
                            "ask for fewer at a time",
                            most);
    return size > LARGE_ANSWER ? nd_memory_check(a->methods->memory, ANSWER_COST * size, err) : NAV_OK;
}

static nav_status check_size(const nd_tiles_answer *a, np_error *err)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const nd_blob *blob = a->blobs[i];
        size_t size = blob ? blob->size : 0;
        if (blob && a->compression == NP_COMPRESSION_NONE) {
            nav_status s = nd_unpacked_size(blob->data, blob->size, &size);
            if (s != NAV_OK) return np_error_set(err, s, "a tile's data in the cache: %s", nav_status_text(s));
        }
        bytes += size;
    }
    return check(a, bytes, err);
}

// The end of all ways. err: NULL where it succeeded, or was not tried.
static void end(nd_tiles_answer *a, nd_session *s, const np_error *err)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->blobs[i]) a->tiles[i].data = (np_bin){a->blobs[i]->data, (uint32_t)a->blobs[i]->size};
    bool holds = a->holds;
    if (s && err) {
        nd_reply_error(s, a->request, err);
    } else if (s && a->method == NP_TILES_GET) {
        np_tiles_get_response out = {.tile_count = a->count, .tiles = a->tiles, .grid = a->grid};
        nd_reply(s, a->request, NP_TILES_GET, &out);
    } else if (s) {
        np_tiles_build_response out = {.tile_count = a->count, .tiles = a->tiles};
        nd_reply(s, a->request, NP_TILES_BUILD, &out);
    }
    nd_tiles_answer_destroy(a);
    if (s && holds) nd_session_release(s);
}

static void unpack(nd_task *task, nd_worker *worker)
{
    nd_tiles_answer *a = (nd_tiles_answer *)task;
    nd_unpacker unpacker = {0};
    (void)worker;
    for (uint32_t i = 0; i < a->count && a->status == NAV_OK; i++) {
        nd_blob *plain;
        if (!a->blobs[i]) continue;
        a->status = nd_unpack_blob(&unpacker, a->encoding, a->blobs[i], &plain);
        if (a->status != NAV_OK) break;
        nd_blob_unref(a->blobs[i]);
        a->blobs[i] = plain;
    }
    nd_unpacker_deinit(&unpacker);
}

static void unpacked(nd_task *task, bool ran)
{
    nd_tiles_answer *a = (nd_tiles_answer *)task;
    nd_session *s = ran && !a->methods->stopping ? nd_sessions_find(a->methods->sessions, a->session) : NULL;
    np_error err = {0};
    if (a->status != NAV_OK)
        np_error_set(&err, a->status, "the tiles could not be decompressed: %s", nav_status_text(a->status));
    end(a, s, a->status == NAV_OK ? NULL : &err);
}

void nd_tiles_answer_refuse(nd_tiles_answer *a, const np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    end(a, nd_sessions_find(a->methods->sessions, a->session), err);
}

void nd_tiles_answer_send(nd_tiles_answer *a)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *s = nd_sessions_find(a->methods->sessions, a->session);
    np_error err = {0};
    nav_status status = s ? check_size(a, &err) : NAV_OK;
    if (!s || status != NAV_OK || a->compression == NP_COMPRESSION_ZSTD) {
        end(a, s, status == NAV_OK ? NULL : &err);
        return;
    }
    a->task.run = unpack;
    a->task.done = unpacked;
    nd_workers_push(a->methods->workers, &a->task);
}
