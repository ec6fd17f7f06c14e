#include "tests/e2e/bystander.h"

#include "tests/check.h"

#include <stdlib.h>

void bystander_start(bystander *b, const daemon_process *d, int32_t side)
{
    b->turn = 0;
    city_build(&b->city, "well", side, d->socket);
    peer_init(&b->peer, "well", side);
    ck_assert(peer_connect(&b->peer, d->socket));
    peer_settle(&b->peer);
}

void bystander_stop(bystander *b)
{
    peer_deinit(&b->peer);
}

static void edit(bystander *b, const np_op *ops, uint32_t count)
{
    np_error err = {0};
    np_world_edit_request edit = {.world = b->peer.world, .op_count = count, .ops = ops};
    ck_assert_msg(peer_call(&b->peer, NP_WORLD_EDIT, &edit, NULL, &err) == NAV_OK, "%s", err.message);
    peer_settle(&b->peer);
}

void bystander_edits(bystander *b)
{
    nav_key before = b->peer.tiles[0].key;
    np_op op = city_move(b->city.side, 0, 0, b->turn += 13);
    edit(b, &op, 1);
    ck_assert(!nav_key_equal(before, b->peer.tiles[0].key));
}

void bystander_moves_all(bystander *b, uint32_t turn)
{
    int32_t side = b->city.side;
    np_op *ops = calloc((size_t)side * (size_t)side, sizeof *ops);
    ck_assert_ptr_nonnull(ops);
    for (int32_t i = 0; i < side * side; i++) ops[i] = city_move(side, i % side, i / side, turn);
    edit(b, ops, (uint32_t)(side * side));
    free(ops);
}
