#include "tests/daemon/sync_fixture.h"

#include "core/base/endian.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 10 }; // tiles along an edge of the square that is looked at

daemon_fixture daemon_;
client a;
nav_key meshes[MESHES];
static nav_key floor_mesh;

void sync_begin(void)
{
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
    client_open(&a);
    for (int m = 0; m < MESHES; m++) meshes[m] = client_put_box(&a, 0.5f + 0.25f * (float)m, 1, 0.5f);
    floor_mesh = client_put_box(&a, 24, 0.5f, 24);
}

void list_put(list *l, uint32_t at, uint64_t id, nav_key mesh, float x, float z, uint8_t area)
{
    const float transform[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z};
    nav_store_u64(l->ids + 8 * at, id);
    nav_key_store(mesh, l->meshes + 16 * at);
    for (uint32_t k = 0; k < 12; k++) nav_store_f32(l->transforms + 48 * at + 4 * k, transform[k]);
    l->areas[at] = area;
    if (at >= l->count) l->count = at + 1;
}

void list_add(list *l, uint64_t id, int mesh, float x, float z)
{
    list_put(l, l->count, id, meshes[mesh], x, z, 63);
}

void list_drop(list *l, uint32_t at)
{
    uint32_t last = --l->count;
    memmove(l->ids + 8 * at, l->ids + 8 * last, 8);
    memmove(l->meshes + 16 * at, l->meshes + 16 * last, 16);
    memmove(l->transforms + 48 * at, l->transforms + 48 * last, 48);
    l->areas[at] = l->areas[last];
}

np_world_sync_request request_part(const list *l, const char *source, uint32_t from, uint32_t count)
{
    return (np_world_sync_request){.world = a.world,
                                   .source = np_str_of(source),
                                   .offset = from,
                                   .ids = {l->ids + 8 * from, 8 * count},
                                   .meshes = {l->meshes + 16 * from, 16 * count},
                                   .transforms = {l->transforms + 48 * from, 48 * count},
                                   .areas = {l->areas + from, count}};
}

np_world_sync_request request_of(const list *l, const char *source)
{
    return request_part(l, source, 0, l->count);
}

nav_status call_sync(const np_world_sync_request *r, np_world_sync_response *out, np_error *err)
{
    return client_call(&a, NP_WORLD_SYNC, r, out, err);
}

np_world_sync_response sync_list(const list *l, const char *source)
{
    np_world_sync_request r = request_of(l, source);
    np_world_sync_response out;
    np_error err;
    nav_status s = call_sync(&r, &out, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    return out;
}

static int compare_ids(const void *x, const void *y)
{
    const standing *p = x, *q = y;
    return (p->id > q->id) - (p->id < q->id);
}

uint32_t read_standing(standing *out, uint32_t room)
{
    np_world_objects_request r = {.world = a.world, .limit = NP_OBJECTS_PAGE_MAX};
    np_world_objects_response page;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &page, NULL), NAV_OK);
    ck_assert_uint_eq(page.next, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < page.object_count; i++) {
        const np_op *op = &page.objects[i];
        if (op->kind != NP_OP_PUT_INSTANCE) continue;
        ck_assert_uint_lt(count, room);
        standing *s = &out[count++];
        memset(s, 0, sizeof *s);
        s->id = op->id;
        s->mesh = op->u.instance.mesh;
        s->area = op->u.instance.area;
        memcpy(s->transform, op->u.instance.transform, sizeof s->transform);
        if (op->source.size) memcpy(s->source, op->source.data, op->source.size);
    }
    qsort(out, count, sizeof *out, compare_ids);
    return count;
}

void check_standing(const list *l, const char *source)
{
    static standing all[2 * MOST];
    uint32_t count = read_standing(all, 2 * MOST), own = 0;
    for (uint32_t i = 0; i < count; i++) own += !strcmp(all[i].source, source);
    ck_assert_uint_eq(own, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        const standing wanted = {.id = nav_load_u64(l->ids + 8 * i)};
        const standing *s = bsearch(&wanted, all, count, sizeof *all, compare_ids);
        ck_assert_ptr_nonnull(s);
        ck_assert_str_eq(s->source, source);
        ck_assert(nav_key_equal(s->mesh, nav_key_load(l->meshes + 16 * i)));
        ck_assert_uint_eq(s->area, l->areas[i]);
        for (uint32_t k = 0; k < 12; k++) ck_assert(s->transform[k] == nav_load_f32(l->transforms + 48 * i + 4 * k));
    }
}

typedef struct tile_bytes {
    np_tile_status status;
    nav_key key, data; // data: hash of its bytes
} tile_bytes;

static void read_tiles(tile_bytes out[SIDE * SIDE])
{
    np_tile_xz places[SIDE * SIDE];
    np_tiles_get_response got;
    client_settle(&a);
    for (int i = 0; i < SIDE * SIDE; i++) places[i] = (np_tile_xz){i % SIDE - 5, i / SIDE - 5, NAV_SHEET_UP};
    np_tiles_get_request get = {
        .world = a.world, .profile = np_str_of("walker"), .tile_count = SIDE * SIDE, .tiles = places};
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK);
    ck_assert_uint_eq(got.tile_count, SIDE * SIDE);
    for (uint32_t i = 0; i < got.tile_count; i++)
        out[i] = (tile_bytes){got.tiles[i].status, got.tiles[i].key,
                              nav_key_of(got.tiles[i].data.data, got.tiles[i].data.size)};
}

static uint64_t open_world(const char *name)
{
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    np_world_open_request open = {.name = np_str_of(name), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    return opened.world;
}

// The tiles of a world that has never known anything but what stands in this one.
static void read_fresh_tiles(tile_bytes out[SIDE * SIDE])
{
    static standing all[2 * MOST];
    static np_op ops[2 * MOST];
    uint32_t count = read_standing(all, 2 * MOST);
    uint64_t synced = a.world;
    for (uint32_t i = 0; i < count; i++) {
        ops[i] = (np_op){.kind = NP_OP_PUT_INSTANCE, .id = all[i].id};
        ops[i].u.instance.mesh = all[i].mesh;
        ops[i].u.instance.area = all[i].area;
        memcpy(ops[i].u.instance.transform, all[i].transform, sizeof all[i].transform);
    }
    a.world = open_world("fresh");
    ck_assert_int_eq(client_edit(&a, ops, count, NULL, NULL), NAV_OK);
    read_tiles(out);
    np_world_delete_request gone = {a.world};
    np_none none;
    ck_assert_int_eq(client_call(&a, NP_WORLD_DELETE, &gone, &none, NULL), NAV_OK);
    a.world = synced;
}

void check_fresh(void)
{
    static tile_bytes synced[SIDE * SIDE], fresh[SIDE * SIDE];
    uint32_t with_ground = 0;
    read_tiles(synced);
    read_fresh_tiles(fresh);
    for (int i = 0; i < SIDE * SIDE; i++) {
        bool had = synced[i].status == NP_TILE_PENDING || synced[i].status == NP_TILE_REMOVED;
        bool has = fresh[i].status == NP_TILE_PENDING || fresh[i].status == NP_TILE_REMOVED;
        ck_assert_int_eq(had, has);
        if (has) continue;
        ck_assert_int_eq(synced[i].status, fresh[i].status);
        ck_assert(nav_key_equal(synced[i].key, fresh[i].key));
        ck_assert(nav_key_equal(synced[i].data, fresh[i].data));
        with_ground += fresh[i].status == NP_TILE_OK;
    }
    ck_assert_uint_gt(with_ground, 20);
}

uint64_t revision(void)
{
    np_world_objects_request r = {.world = a.world, .limit = 1};
    np_world_objects_response page;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &page, NULL), NAV_OK);
    return page.revision;
}

void put_floor(void)
{
    np_op op = op_put(1000000, floor_mesh, 0, -0.5f, 0);
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, NULL), NAV_OK);
}
