// DESIGN. The leader's side of the log: what its commits have changed, in their order, goes to the farm, one message
// after the other. Each says which sequence the log must have ended with: as soon as anybody else has written, nothing
// of this leader is taken any more. That is what keeps an old leader out, however long it slept and whatever it
// believes (lease.h only keeps two from trying).
//
//     add ──► | waits: on disk? | meshes are shared? | ──► lane RECORDS: publish, expecting `last` ──► on_written
//                                                              ├─ not reached, or no answer: again; what was stored
//                                                              │  all the same is found where it must stand
//                                                              └─ another has written: on_fenced
//
// Small items of one world that wait go as one entry. Loop thread only.
#ifndef ND_LOG_QUEUE_H
#define ND_LOG_QUEUE_H

#include "daemon/bus/bus.h"
#include "daemon/farm/mesh_share.h"
#include "daemon/replica/entry.h"
#include "daemon/replica/plan.h"
#include "daemon/replica/track.h"

typedef struct nd_log_item nd_log_item;
struct nd_log_item {
    nd_log_item *next, *before;
    uint64_t number;
    uint64_t world; // 0: a note of who leads, in records
    char space[ND_SPACE_BYTES];
    nav_buffer records;
    nd_plan_summary sum;
    uint64_t made_ns; // time of day
    bool ready;       // it may go
    void *commit;     // the owner's
};

typedef struct nd_log_queue nd_log_queue;
typedef struct nd_log_options {
    uv_loop_t *loop;
    nd_bus *bus; // borrowed, as is all else
    const char *farm;
    nd_table *tracks;
    nd_mesh_share *share;
    nd_mesh_store *meshes;
    void (*on_written)(void *user, nd_log_item *item); // in order; it has left the queue, and goes after
    void (*on_fenced)(void *user);                     // the log is another's; items are still there
    void (*on_lost)(void *user);                       // the log has lost what was written; items are still there
    void (*on_full)(void *user);                       // the stream takes no more until states have taken their place
    void *user;
} nd_log_options;

NAV_MUST_USE nav_status nd_log_create(const nd_log_options *o, nd_log_queue **out);
void nd_log_close(nd_log_queue *q); // before the bus is; items go. Accepts NULL

// From now on items are written, behind `last`, this one before all others. Takes it over.
void nd_log_begin(nd_log_queue *q, nd_log_item *first, uint64_t epoch, uint64_t last);
// Nothing is written any more; of what is on its way nobody hears. Items stay, for nd_log_newest() and nd_log_drop().
void nd_log_end(nd_log_queue *q);
uint64_t nd_log_last(const nd_log_queue *q); // sequence of what was written last

// Takes it over.
void nd_log_add(nd_log_queue *q, nd_log_item *item);
nd_log_item *nd_log_newest(const nd_log_queue *q); // NULL: it is empty
void nd_log_drop(nd_log_queue *q, nd_log_item *item);
nd_log_item *nd_log_item_create(uint64_t world, const char *space); // NULL: no memory
void nd_log_item_destroy(nd_log_item *item);
// An item has become ready, a mesh was shared, or the server is there again.
void nd_log_go_on(nd_log_queue *q);

bool nd_log_holds(const nd_log_queue *q, uint64_t world); // an item of this world?
size_t nd_log_count(const nd_log_queue *q);
size_t nd_log_bytes(const nd_log_queue *q);
uint64_t nd_log_number(const nd_log_queue *q);  // of the newest item
uint64_t nd_log_written(const nd_log_queue *q); // entries

#endif
