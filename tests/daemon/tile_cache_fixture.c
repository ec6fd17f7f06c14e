#include "tests/daemon/tile_cache_fixture.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/work/lookup.h"
#include "tests/folder.h"

#include <stdlib.h>
#include <string.h>

uv_loop_t loop;
nd_tile_cache *cache;
char folder[64];
uint64_t cap, memory_limit;

void open_cache(void)
{
    ck_assert_int_eq(nd_tile_cache_create(&loop, folder, cap, memory_limit, &cache), NAV_OK);
}

void close_cache(void)
{
    nd_tile_cache_close(cache);
    cache = NULL;
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
}

void restart(void)
{
    close_cache();
    open_cache();
}

void start(void)
{
    nd_thread_set_loop(true);
    nd_log_set_level(ND_LOG_ERROR);
    strcpy(folder, "/tmp/navd-tiles-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    cap = 1 << 30;
    memory_limit = 1 << 20;
    open_cache();
}

void stop(void)
{
    close_cache();
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    remove_folder(folder);
}

bool done;

void note_done(nd_disk_task *task, bool ran)
{
    (void)task, (void)ran;
    done = true;
}

void wait_done(void)
{
    while (!done) uv_run(&loop, UV_RUN_ONCE);
}

void flush(void)
{
    nd_disk_task t = {.done = note_done};
    done = false;
    nd_tile_cache_flush(cache, &t);
    wait_done();
}

void shrink(uint64_t bytes)
{
    nd_disk_task t = {.done = note_done};
    done = false;
    nd_tile_cache_shrink(cache, bytes, &t);
    wait_done();
}

nav_key key_of(uint32_t n)
{
    return nav_key_of(&n, sizeof n);
}

nd_blob *blob_of(uint32_t n, size_t bytes)
{
    nd_blob *b = nd_blob_create(bytes);
    ck_assert_ptr_nonnull(b);
    for (size_t i = 0; i < bytes; i++) b->data[i] = (uint8_t)(n * 31 + i);
    return b;
}

void put(uint32_t n, size_t bytes)
{
    nd_cached v = {.status = NP_TILE_OK, .content_key = key_of(n + 1), .size = bytes * 3, .blob = blob_of(n, bytes)};
    nd_tile_cache_put(cache, key_of(n), NP_ENCODING_DETOUR, &v);
    nd_blob_unref(v.blob);
}

nd_cached got;
static bool found, good;

static void looked_up(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    found = ran && l->found;
    got = l->out[NP_ENCODING_DETOUR];
    good = true;
    if (got.blob) {
        nd_blob *b = blob_of(l->at, got.blob->size);
        good = !memcmp(b->data, got.blob->data, b->size);
        nd_blob_unref(b);
    }
    got.blob = NULL;
    nd_lookup_destroy(l);
    done = true;
}

bool has(uint32_t n)
{
    nd_lookup *l = nd_lookup_create(key_of(n), 1u << NP_ENCODING_DETOUR, NULL, looked_up);
    ck_assert_ptr_nonnull(l);
    l->at = n;
    done = false;
    nd_tile_cache_push(cache, &l->task);
    wait_done();
    ck_assert(good);
    return found;
}
