// Lists for world.sync, and what stands in a world once they are there: the list of a source is compared with its
// objects, and the tiles with those of a world that has never known anything else.
#ifndef TESTS_DAEMON_SYNC_FIXTURE_H
#define TESTS_DAEMON_SYNC_FIXTURE_H

#include "tests/daemon/fixture.h"

enum { MOST = 400, MESHES = 4 };

extern daemon_fixture daemon_;
extern client a; // in a world with the profile "walker"
extern nav_key meshes[MESHES];

// Once the daemon runs: connects the client, opens its world, sends the meshes.
void sync_begin(void);
void put_floor(void); // of nobody
uint64_t revision(void);

typedef struct list {
    uint32_t count;
    uint8_t ids[8 * MOST], meshes[16 * MOST], transforms[48 * MOST], areas[MOST];
} list;

void list_put(list *l, uint32_t at, uint64_t id, nav_key mesh, float x, float z, uint8_t area);
void list_add(list *l, uint64_t id, int mesh, float x, float z);
void list_drop(list *l, uint32_t at); // the last one takes its place

// Requests point into the list.
np_world_sync_request request_part(const list *l, const char *source, uint32_t from, uint32_t count);
np_world_sync_request request_of(const list *l, const char *source);
nav_status call_sync(const np_world_sync_request *r, np_world_sync_response *out, np_error *err);
np_world_sync_response sync_list(const list *l, const char *source); // must succeed

typedef struct standing {
    uint64_t id;
    nav_key mesh;
    float transform[12];
    uint8_t area;
    char source[NP_NAME_BYTES + 1];
} standing;

// The instances of the world by id; more than there is room for fail the test. Returns how many.
uint32_t read_standing(standing *out, uint32_t room);
// All that the source has is what the list says, and nothing else is the source's.
void check_standing(const list *l, const char *source);
// The tiles are those of a fresh world.
void check_fresh(void);

#endif
