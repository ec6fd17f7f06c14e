#include "tests/e2e/edits.h"
#include "tests/check.h"

#include <string.h>

void objects_apply(objects *o, const edit *e)
{
    for (uint32_t i = 0; i < e->op_count; i++) {
        const np_op *op = &e->ops[i];
        switch (op->kind) {
        case NP_OP_PUT_INSTANCE:
        case NP_OP_REMOVE_INSTANCE:
            o->box[op->id - CITY_FIRST_BOX] = op->kind == NP_OP_PUT_INSTANCE;
            break;
        case NP_OP_PUT_VOLUME:
        case NP_OP_REMOVE_VOLUME:
            o->volume[op->id] = op->kind == NP_OP_PUT_VOLUME;
            break;
        case NP_OP_PUT_LINK:
        case NP_OP_REMOVE_LINK:
            o->link[op->id] = op->kind == NP_OP_PUT_LINK;
            break;
        default:
            break;
        }
    }
}

static np_op volume_of(int32_t side, uint32_t tile, uint32_t turn)
{
    np_op op = {.kind = NP_OP_PUT_VOLUME, .id = tile};
    float x = ((float)(tile % (uint32_t)side) + 0.2f) * CITY_TILE_M,
          z = ((float)(tile / (uint32_t)side) + 0.2f) * CITY_TILE_M;
    float size = 0.5f + (float)(turn % 100) * 0.02f;
    const float points[8] = {x, z, x + size, z, x + size, z + size, x, z + size};
    op.u.volume = (nav_volume){.point_count = 4, .min_y = -1, .max_y = 2, .area = (uint8_t)(turn % 5)};
    memcpy(op.u.volume.points, points, sizeof points);
    return op;
}

static np_op link_of(int32_t side, uint32_t tile, uint32_t turn)
{
    np_op op = {.kind = NP_OP_PUT_LINK, .id = tile};
    float x = ((float)(tile % (uint32_t)side) + 0.5f) * CITY_TILE_M,
          z = ((float)(tile / (uint32_t)side) + 0.5f) * CITY_TILE_M;
    op.u.link = (nav_link){.id = tile,
                           .start = {x - 3, 0, z - 3},
                           .end = {x + 3, 0, z - 3 + (float)(turn % 50) * 0.1f},
                           .radius_m = 0.5f,
                           .area = 1,
                           .flags = 1};
    return op;
}

// One to four operations, each valid after the ones sent before.
edit edit_draw(const city *c, objects *o, uint64_t *chance)
{
    int32_t side = c->side;
    edit e = {.op_count = 1 + random_below(chance, EDIT_MAX_OPS)};
    for (uint32_t i = 0; i < e.op_count; i++) {
        uint32_t tile = random_below(chance, (uint32_t)(side * side)), turn = random_below(chance, CITY_TURNS);
        np_op *op = &e.ops[i];
        switch (random_below(chance, 8)) {
        case 0:
            *op = o->volume[tile] ? (np_op){.kind = NP_OP_REMOVE_VOLUME, .id = tile} : volume_of(side, tile, turn);
            break;
        case 1:
            *op = volume_of(side, tile, turn);
            break;
        case 2:
            *op = o->link[tile] ? (np_op){.kind = NP_OP_REMOVE_LINK, .id = tile} : link_of(side, tile, turn);
            break;
        case 3:
            *op = city_put(c, (int32_t)tile % (uint32_t)side, (int32_t)tile / (uint32_t)side, turn);
            if (o->box[tile]) op->kind = NP_OP_REMOVE_INSTANCE;
            break;
        case 4: // a mesh that nobody has yet
            *op = city_put(c, (int32_t)tile % (uint32_t)side, (int32_t)tile / (uint32_t)side, turn);
            if (e.mesh[0] == 0)
                for (int k = 0; k < 3; k++) e.mesh[k] = 0.5f + (float)random_below(chance, 1000) * 0.0007f;
            op->u.instance.mesh = city_box_hash(e.mesh[0], e.mesh[1], e.mesh[2]);
            break;
        default:
            *op = o->box[tile] ? city_move(side, (int32_t)tile % (uint32_t)side, (int32_t)tile / (uint32_t)side, turn)
                               : city_put(c, (int32_t)tile % (uint32_t)side, (int32_t)tile / (uint32_t)side, turn);
        }
        objects_apply(o, &(edit){.ops = {*op}, .op_count = 1});
    }
    return e;
}

void objects_of_city(objects *o, const city *c)
{
    ck_assert_int_le(c->side * c->side, EDIT_MAX_TILES);
    memset(o, 0, sizeof *o);
    for (int32_t i = 0; i < c->side * c->side; i++) o->box[i] = true;
}

void edit_send(peer *p, const edit *e)
{
    city_apply(p, e->mesh, e->ops, e->op_count);
}
