// A daemon's part played by a test: meshes and jobs put into the farm by hand, and what workers make of them.
#ifndef TESTS_FARM_FARM_HAND_H
#define TESTS_FARM_FARM_HAND_H

#include "daemon/farm/area_job.h"
#include "daemon/farm/beat.h"
#include "daemon/farm/pack.h"

#include <nats/nats.h>

#define HAND_FARM "test" // its name
#define HAND_SPACE "default"

typedef struct farm_hand {
    natsConnection *connection;
    jsCtx *streams;
    natsSubscription *notices;
    char id[ND_FARM_ID_BYTES];
} farm_hand;

// Makes the streams as well.
void hand_open(farm_hand *h, const char *url);
void hand_close(farm_hand *h);

// Any bytes on any subject; to a stream it waits until they are stored.
void hand_tell(farm_hand *h, const char *subject, const void *bytes, size_t count);
void hand_store(farm_hand *h, const char *subject, const void *bytes, size_t count);

// The string of a mesh of triangles, as mesh.put takes it, under the hash; parts of it.
void hand_put_mesh(farm_hand *h, nav_key hash, const float *verts, uint32_t vert_count, const uint32_t *tris,
                   uint32_t tri_count);
// Sends a job of `generator`'s workers.
void hand_send(farm_hand *h, uint32_t generator, const nav_buffer *job);
// The next notice. Strings and lists of it are not there, but for the meshes.
typedef struct hand_notice {
    nd_done done;
    char why[ND_DONE_WHY_BYTES];
    nav_key meshes[ND_DONE_MESHES];
} hand_notice;
void hand_await(farm_hand *h, hand_notice *out);
// The first part of an area's pack. The caller's. False: there is none.
bool hand_get_pack(farm_hand *h, nav_key area, nav_buffer *out);
// Its tile of a source, into the pack's bytes. False: it is not there.
bool hand_find(const nav_buffer *pack, nav_key source, uint8_t encoding, nd_pack_tile *out);
// Messages in the stream of jobs.
uint64_t hand_jobs_left(farm_hand *h);
// Until all are acknowledged: that comes a moment after the notice.
void hand_await_no_jobs(farm_hand *h);

#endif
