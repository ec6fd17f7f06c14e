#include "tests/farm/farm_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 40 };

farm_fixture farm;
static farm_settings now;

void farm_start(void)
{
    memset(&farm, 0, sizeof farm);
    farm.encodings[0] = NP_ENCODING_NAVD;
    farm.encoding_count = 1;
    nats_server_start(&farm.server, "nats", NULL);
}

void farm_stop(void)
{
    if (farm.server.pid > 0) nats_server_kill(&farm.server);
}

static void configure(nd_config *c)
{
    snprintf(c->farm, sizeof c->farm, "%s", now.url ? now.url : farm.server.url);
    snprintf(c->farm_name, sizeof c->farm_name, FARM);
    c->farm_tiles = now.tiles ? now.tiles : 1;
    c->farm_cache = !now.no_cache;
    if (now.job_s) c->farm_job_s = now.job_s;
}

static void open_world(client *c)
{
    client_greet(c);
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    np_world_open_request open = {
        .name = np_str_of("w"), .create = true, .profile_count = 1, .profiles = &walker, .has_reach = farm.reach};
    if (farm.reach) open.reach = *farm.reach;
    np_world_open_response opened;
    ck_assert_int_eq(client_call(c, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    c->world = opened.world;
    for (unsigned i = 0; i < farm.encoding_count; i++) client_subscribe(c, farm.encodings[i]);
}

void farm_start_daemon(const farm_settings *s)
{
    now = s ? *s : (farm_settings){.tiles = 0};
    fixture_start(&farm.daemon, configure);
    ck_assert_msg(farm.daemon.status == NAV_OK, "%s", farm.daemon.why);
    client_connect(&farm.a, &farm.daemon);
    open_world(&farm.a);
    if (!now.url) farm_await("farm_up", 1);
}

void farm_stop_daemon(void)
{
    client_close(&farm.a);
    fixture_stop(&farm.daemon);
}

uint64_t farm_stat(const char *stat)
{
    return client_stat(&farm.a, stat);
}

void farm_await(const char *stat, uint64_t at_least)
{
    while (farm_stat(stat) < at_least) {
    }
}

void farm_await_none(const char *stat)
{
    while (farm_stat(stat)) {
    }
}

void farm_put_meshes(void)
{
    farm.floor = client_put_box(&farm.a, 60, 0.5f, 60);
    farm.box = client_put_box(&farm.a, 0.5f, 1, 0.5f);
}

void farm_put_objects(void)
{
    np_op ops[2 * OBJECTS];
    uint32_t count = 0;
    ops[count++] = op_put(1, farm.floor, 0, 0, 0);
    for (unsigned i = 1; i < OBJECTS; i++)
        ops[count++] = op_put(i + 1, farm.box, (float)(i * 37 % 100) - 50, 1, (float)(i * 61 % 100) - 50);
    for (unsigned i = 0; i < farm.links; i++)
        ops[count++] = (np_op){.kind = NP_OP_PUT_LINK,
                               .id = 1000 + i,
                               .u.link = {.id = i,
                                          .start = {(float)i * 3 - 40, 0.5f, 2},
                                          .end = {(float)i * 3 - 40, 0.5f, 5},
                                          .radius_m = 0.5f,
                                          .area = 5,
                                          .flags = 1}};
    np_error err = {.message = ""};
    ck_assert_msg(client_edit(&farm.a, ops, count, NULL, &err) == NAV_OK, "%s", err.message);
}

farm_copy farm_keep_tiles(void)
{
    farm_copy k = {malloc((farm.a.tile_count + 1) * sizeof *k.tiles), farm.a.tile_count};
    if (k.count) memcpy(k.tiles, farm.a.tiles, k.count * sizeof *k.tiles);
    return k;
}

static const seen_tile *newest_of(const seen_tile *tiles, size_t count, const seen_tile *like)
{
    for (size_t i = count; i-- > 0;)
        if (tiles[i].x == like->x && tiles[i].z == like->z && tiles[i].subscription == like->subscription)
            return &tiles[i];
    return NULL;
}

void farm_check_same(farm_copy *k)
{
    for (size_t i = 0; i < k->count; i++) {
        const seen_tile *was = newest_of(k->tiles, k->count, &k->tiles[i]);
        const seen_tile *is = newest_of(farm.a.tiles, farm.a.tile_count, was);
        ck_assert_ptr_nonnull(is);
        ck_assert_int_eq(is->status, was->status);
        ck_assert(nav_key_equal(is->key, was->key));
        ck_assert(nav_key_equal(is->data_key, was->data_key));
    }
    free(k->tiles);
    *k = (farm_copy){.count = 0};
}

uint64_t farm_fill_cache(farm_copy *made)
{
    farm_start_daemon(NULL);
    farm_put_meshes();
    farm_put_objects();
    client_settle(&farm.a);
    const uint64_t built = farm_stat("jobs_built");
    ck_assert_uint_gt(built, 2 * 256);
    farm_await("farm_shared", built);
    *made = farm_keep_tiles();
    farm_stop_daemon();
    return built;
}

void farm_send_away(fake_mode mode, const farm_settings *s)
{
    farm_start_daemon(s);
    fake_worker_start(&farm.worker, farm.server.url, FARM, 1, mode);
    farm_await("farm_workers", 1);
    farm_put_meshes();
    fixture_hold_workers(&farm.daemon);
    farm_put_objects();
    while (!atomic_load(&farm.worker.seen)) {
    }
}

void farm_finish(farm_copy *made)
{
    fixture_release_workers(&farm.daemon);
    client_settle(&farm.a);
    if (made) farm_check_same(made);
    farm_await_none("farm_tiles_out");
    farm_await_none("farm_jobs_out");
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
