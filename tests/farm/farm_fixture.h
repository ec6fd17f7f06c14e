// A daemon in the test's process, its client, a nats-server and a fake worker; and a scene of some hundred tiles, more
// than one block of them.
#ifndef TESTS_FARM_FIXTURE_H
#define TESTS_FARM_FIXTURE_H

#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/daemon/fixture.h"
#include "tests/farm/fake_worker.h"
#include "tests/farm/nats_server.h"

#define FARM "test"

typedef struct farm_fixture {
    nats_server server;
    daemon_fixture daemon;
    client a;
    fake_worker worker;
    nav_key floor, box;
    const np_reach *reach; // of the world; NULL: none
    uint32_t links;        // in the scene
    np_encoding encodings[2];
    unsigned encoding_count; // that are subscribed to
} farm_fixture;

extern farm_fixture farm;

// Of a daemon that is started next.
typedef struct farm_settings {
    bool no_cache;
    uint64_t job_s;  // 0: the default
    uint64_t tiles;  // 0: 1
    const char *url; // NULL: the server's
} farm_settings;

void farm_start(void); // nats-server
void farm_stop(void);
void farm_start_daemon(const farm_settings *s); // NULL: as they are; and opens the world
void farm_stop_daemon(void);
void farm_await(const char *stat, uint64_t at_least);
void farm_await_none(const char *stat);
uint64_t farm_stat(const char *stat);
void farm_put_meshes(void);
void farm_put_objects(void);

typedef struct farm_copy {
    seen_tile *tiles;
    size_t count;
} farm_copy;
farm_copy farm_keep_tiles(void); // as the client has them
// It has the same ones now. Frees the copy.
void farm_check_same(farm_copy *k);
// A daemon makes the scene, and puts it into the cache; then it ends. How many tiles.
uint64_t farm_fill_cache(farm_copy *made);
// Another one has the scene's tiles away, at the fake worker, while its own workers do nothing.
void farm_send_away(fake_mode mode, const farm_settings *s);
// Its own workers go on: all tiles come, as they were when the cache was filled.
void farm_finish(farm_copy *made);

#endif
