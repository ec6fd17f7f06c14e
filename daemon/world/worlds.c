#include "daemon/world/worlds.h"

#include "daemon/base/thread.h"
#include "daemon/world/reach.h"

#include <stdlib.h>

enum { FREED_A_TURN = 2048 }; // tiles and objects, which takes a millisecond

// Worlds are counted from a number by chance: a client that comes back with the number of a world of another daemon, or
// of a state folder that is gone, must not find one of the same number here and believe that it knows its tiles.
static uint64_t first_id(void)
{
    uint32_t chance = 0;
    (void)uv_random(NULL, NULL, &chance, sizeof chance, 0, NULL);
    return 1 + (chance & 0x7fffffff);
}

void nd_worlds_init(nd_worlds *all, uv_loop_t *loop)
{
    *all = (nd_worlds){.next_id = first_id()};
    if (uv_idle_init(loop, &all->free_some)) abort(); // it cannot fail: memory only
    all->free_some.data = all;
}

void nd_worlds_close(nd_worlds *all)
{
    uv_close((uv_handle_t *)&all->free_some, NULL);
}

void nd_worlds_deinit(nd_worlds *all)
{
    for (size_t i = 0; i < all->count; i++) nd_world_destroy(all->list[i]);
    for (nd_world *w; (w = all->deleted) != NULL;) {
        all->deleted = w->next_deleted;
        nd_world_destroy(w);
    }
    free(all->list);
    nd_table_deinit(&all->by_id);
}

nav_status nd_worlds_add(nd_worlds *all, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 8;
        nd_world **grown = realloc(all->list, capacity * sizeof(nd_world *));
        if (!grown) return NAV_ERR_MEMORY;
        all->list = grown;
        all->capacity = capacity;
    }
    nav_status s = nd_table_reserve(&all->by_id, 1);
    if (s != NAV_OK) return s;
    all->list[all->count++] = w;
    nd_table_insert(&all->by_id, &w->node, nd_hash_u64(w->id));
    return NAV_OK;
}

static void on_free_some(uv_idle_t *handle)
{
    nd_worlds *all = handle->data;
    nd_world *w = all->deleted;
    if (nd_world_empty_some(w, FREED_A_TURN)) return;
    all->deleted = w->next_deleted;
    nd_world_destroy(w);
    if (!all->deleted) uv_idle_stop(handle);
}

void nd_worlds_delete(nd_worlds *all, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    nd_table_remove(&all->by_id, &w->node);
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i] == w) all->list[i] = all->list[--all->count];
    all->gone_steps += nd_reach_steps(w);
    w->next_deleted = all->deleted;
    all->deleted = w;
    if (!uv_is_closing((uv_handle_t *)&all->free_some)) uv_idle_start(&all->free_some, on_free_some);
}

bool nd_worlds_free_deleted(nd_worlds *all)
{
    ND_ASSERT_LOOP_THREAD();
    if (!all->deleted) return false;
    for (nd_world *w; (w = all->deleted) != NULL;) {
        all->deleted = w->next_deleted;
        nd_world_destroy(w);
    }
    if (!uv_is_closing((uv_handle_t *)&all->free_some)) uv_idle_stop(&all->free_some);
    return true;
}

nd_world *nd_worlds_find(const nd_worlds *all, uint64_t id)
{
    for (nd_node *n = nd_table_first(&all->by_id, nd_hash_u64(id)); n; n = nd_table_next(n))
        if (ND_HOLDER(n, nd_world, node)->id == id) return ND_HOLDER(n, nd_world, node);
    return NULL;
}

nd_world *nd_worlds_find_in(const nd_worlds *all, const nd_namespace *space, uint64_t id)
{
    nd_world *w = nd_worlds_find(all, id);
    return w && !w->leaving && w->space == space ? w : NULL;
}

nd_world *nd_worlds_find_named(const nd_worlds *all, const nd_namespace *space, np_str name)
{
    for (size_t i = 0; i < all->count; i++) {
        nd_world *w = all->list[i];
        if (w->space == space && !w->leaving && np_str_equal(name, w->name)) return w;
    }
    return NULL;
}
