#include "tests/e2e/edit_pair.h"

#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

edit_pair pair;

void pair_connect(void)
{
    peer_init(&pair.editor, PAIR_WORLD, PAIR_SIDE);
    peer_init(&pair.watcher, PAIR_WORLD, PAIR_SIDE);
    ck_assert(peer_connect(&pair.editor, pair.navd.socket) && peer_connect(&pair.watcher, pair.navd.socket));
    peer_settle(&pair.editor);
    peer_settle(&pair.watcher);
}

void pair_begin(const daemon_options *o)
{
    memset(&pair, 0, sizeof pair);
    daemon_launch(&pair.navd, o);
    city_build(&pair.city, PAIR_WORLD, PAIR_SIDE, pair.navd.socket);
    objects_of_city(&pair.objects, &pair.city);
    pair_connect();
}

void pair_end(void)
{
    peer_deinit(&pair.editor);
    peer_deinit(&pair.watcher);
}

nav_status pair_edit(np_error *err)
{
    enum { HEAP = 100 };
    static int32_t heaps;
    np_op ops[1 + HEAP];
    uint32_t tile = random_below(&pair.chance, PAIR_SIDE * PAIR_SIDE);
    ops[0] = city_move(PAIR_SIDE, (int32_t)tile % PAIR_SIDE, (int32_t)tile / PAIR_SIDE,
                       random_below(&pair.chance, CITY_TURNS));
    heaps++;
    for (int i = 1; i <= HEAP; i++) {
        ops[i] = city_put(&pair.city, 100 + heaps, 0, 0);
        ops[i].id = (uint64_t)CITY_FIRST_BOX * 2 + (uint64_t)(heaps * HEAP + i);
    }
    memset(err, 0, sizeof *err);
    return peer_call(&pair.editor, NP_WORLD_EDIT,
                     &(np_world_edit_request){.world = pair.editor.world, .op_count = 1 + HEAP, .ops = ops}, NULL, err);
}

void pair_settle(void)
{
    peer_settle(&pair.editor);
    peer_settle(&pair.watcher);
    ck_assert_uint_eq(peer_differences(&pair.editor, &pair.watcher), 0);
}

peer_tile *pair_copy_tiles(const peer *p)
{
    size_t bytes = PAIR_SIDE * PAIR_SIDE * sizeof *p->tiles;
    peer_tile *copy = malloc(bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, p->tiles, bytes);
    return copy;
}

bool pair_same_tiles(const peer *p, const peer_tile *tiles)
{
    for (int i = 0; i < PAIR_SIDE * PAIR_SIDE; i++)
        if (p->tiles[i].status != tiles[i].status || !nav_key_equal(p->tiles[i].key, tiles[i].key)) return false;
    return true;
}

void pair_restart_and_compare(const daemon_options *o)
{
    peer_tile *before = pair_copy_tiles(&pair.watcher);
    pair_end();
    ck_assert_int_eq(daemon_stop(&pair.navd), 0);
    daemon_launch(&pair.navd, o);
    pair_connect();
    ck_assert(pair_same_tiles(&pair.watcher, before));
    free(before);
}
