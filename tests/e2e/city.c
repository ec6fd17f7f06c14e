#include "tests/e2e/city.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

uint32_t random_below(uint64_t *state, uint32_t bound)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); // splitmix64
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * bound >> 32);
}

enum { CORNERS = 8, SIDES = 12 };
typedef struct box_mesh {
    float verts[3 * CORNERS];
    uint32_t tris[3 * SIDES];
} box_mesh;

static box_mesh box_of(float x, float y, float z)
{
    return (box_mesh){.verts = {-x, -y, -z, x, -y, -z, x, -y, z, -x, -y, z, -x, y, -z, x, y, -z, x, y, z, -x, y, z},
                      .tris = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 5, 0, 5, 1,
                               1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0}};
}

static nav_key hash_of(const box_mesh *m)
{
    return nav_mesh_hash(m->verts, CORNERS, m->tris, SIDES);
}

nav_key city_box_hash(float x, float y, float z)
{
    box_mesh m = box_of(x, y, z);
    return hash_of(&m);
}

static np_mesh_put_request put_of(const box_mesh *m)
{
    return (np_mesh_put_request){
        .hash = hash_of(m), .vertices = CORNERS, .triangles = SIDES, .data = {(const uint8_t *)m, sizeof *m}};
}

static nav_key put_box_mesh(peer *p, float x, float y, float z)
{
    box_mesh m = box_of(x, y, z);
    np_mesh_put_request put = put_of(&m);
    np_error err = {0};
    nav_status s = peer_call(p, NP_MESH_PUT, &put, NULL, &err);
    ck_assert_msg(s == NAV_OK, "mesh.put: %s", err.message);
    return put.hash;
}

void city_apply(peer *p, const float mesh[3], const np_op *ops, uint32_t count)
{
    if (mesh[0] > 0) {
        box_mesh m = box_of(mesh[0], mesh[1], mesh[2]);
        np_mesh_put_request put = put_of(&m);
        peer_ask(p, NP_MESH_PUT, &put, 0);
    }
    peer_ask(p, NP_WORLD_EDIT, &(np_world_edit_request){.world = p->world, .op_count = count, .ops = ops}, 0);
}

static uint64_t floor_id(int32_t side, int32_t x, int32_t z)
{
    return 1 + (uint64_t)(z * side + x);
}

static uint64_t box_id(int32_t side, int32_t x, int32_t z)
{
    return (uint64_t)CITY_FIRST_BOX + (uint64_t)(z * side + x);
}

static void place(np_op *op, float x, float y, float z)
{
    const float at[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    memcpy(op->u.instance.transform, at, sizeof at);
}

np_op city_move(int32_t side, int32_t x, int32_t z, uint32_t turn)
{
    np_op op = {.kind = NP_OP_MOVE_INSTANCE, .id = box_id(side, x, z)};
    float dx = (float)(turn % 100) * 0.02f - 1.0f, dz = (float)(turn / 100 % 100) * 0.02f - 1.0f;
    place(&op, ((float)x + 0.5f) * CITY_TILE_M + dx, 0.9f, ((float)z + 0.5f) * CITY_TILE_M + dz);
    return op;
}

np_op city_put(const city *c, int32_t x, int32_t z, uint32_t turn)
{
    np_op op = city_move(c->side, x, z, turn);
    op.kind = NP_OP_PUT_INSTANCE;
    op.u.instance.mesh = c->box;
    op.u.instance.area = NAV_AREA_DEFAULT;
    return op;
}

np_op city_put_floor(const city *c, int32_t x, int32_t z)
{
    np_op op = {.kind = NP_OP_PUT_INSTANCE, .id = floor_id(c->side, x, z)};
    op.u.instance.mesh = c->floor;
    op.u.instance.area = NAV_AREA_DEFAULT;
    place(&op, ((float)x + 0.5f) * CITY_TILE_M, -0.1f, ((float)z + 0.5f) * CITY_TILE_M);
    return op;
}

void city_open(city *c, const char *world, int32_t side, peer *p)
{
    *c = (city){.world = world, .side = side};
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.cell_size_m = 0.3f;
    walker.settings.tile_cells = 32;
    np_world_open_request open = {.name = np_str_of(world), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response opened;
    np_error err = {0};
    nav_status s = peer_call(p, NP_HELLO, &(np_hello_request){.version = NP_PROTOCOL_VERSION}, NULL, &err);
    ck_assert_msg(s == NAV_OK, "hello: %s", err.message);
    s = peer_call(p, NP_WORLD_OPEN, &open, &opened, &err);
    ck_assert_msg(s == NAV_OK, "world.open: %s", err.message);
    p->world = opened.world;
    c->floor = put_box_mesh(p, CITY_TILE_M / 2, 0.1f, CITY_TILE_M / 2);
    c->box = put_box_mesh(p, 1.0f, 1.0f, 1.0f);
}

void city_build(city *c, const char *world, int32_t side, const char *socket)
{
    peer p;
    peer_init(&p, world, 0);
    ck_assert(peer_dial(&p, socket));
    city_open(c, world, side, &p);
    uint32_t count = 0;
    np_op *ops = calloc((size_t)side * (size_t)side * 2, sizeof *ops);
    ck_assert_ptr_nonnull(ops);
    for (int32_t z = 0; z < side; z++)
        for (int32_t x = 0; x < side; x++) {
            ops[count++] = city_put_floor(c, x, z);
            ops[count++] = city_put(c, x, z, (uint32_t)(z * side + x));
        }
    np_error err = {0};
    nav_status s = peer_call(&p, NP_WORLD_EDIT,
                             &(np_world_edit_request){.world = p.world, .op_count = count, .ops = ops}, NULL, &err);
    ck_assert_msg(s == NAV_OK, "world.edit: %s", err.message);
    free(ops);
    peer_deinit(&p);
}
