// DESIGN. Landmarks of a ground (navcore/path_landmarks.h), which make searches over large worlds several times as
// fast. They are made when searches have made as many nodes as landmarks take, so they never cost more than what was
// spent without:
//
//     searches ── nodes ──► enough, and no tile of the profile is open ──► a landmark, and another, each a task
//     all of them are made, or else the tiles change ──► those that there are go to the set with the next update
//
// The task reads the set like a search, with a finder of those that searches share, and takes turns with calls. An
// update never waits for a whole landmark. Made again when tiles that came have made them worse, and the searches since
// have paid for it.
//
// Loop thread only.
#ifndef ND_PATHS_LANDMARKS_H
#define ND_PATHS_LANDMARKS_H

#include "daemon/work/workers.h"
#include "navcore/path_landmarks.h"

#include <stdatomic.h>

struct nd_ground;
struct nd_world;
struct nd_path_update;

typedef struct nd_landmarks {
    uint64_t spent;   // nodes that better landmarks might have saved
    uint64_t cost;    // of making them, in the same
    uint32_t used;    // that the set has
    bool whole;       // these are all that there may be,
    bool worn;        // but tiles have come that make them worse
    bool had_turn;    // the next turn is a call's
    size_t bytes;     // of those that are being made
    atomic_bool stop; // the task
    bool given_up;    // nobody wants what it makes
    bool leaving;     // those of the set go when nothing reads it any more
    bool busy;        // the task is with the workers; what follows is its own then
    nd_task task;
    const nav_path_set *set;
    nav_path_finder *finder;
    size_t room;              // bytes that they may take
    nav_path_landmarks *made; // owned; NULL: none are being made
    uint32_t next;            // that is to be made
    nav_status status;
} nd_landmarks;

// Searches have made nodes that landmarks may save.
void nd_landmarks_count(struct nd_ground *g, uint64_t nodes);
// The next one is made, where it is time for it and a worker is free.
void nd_landmarks_go_on(struct nd_ground *g, const struct nd_world *w);
// The set is to change: the task ends soon.
void nd_landmarks_stop(struct nd_ground *g);
// The same, and what was made goes.
void nd_landmarks_give_up(struct nd_ground *g);
// Those that searches use go, at once or when nothing reads the set any more: others need the memory.
void nd_landmarks_leave(struct nd_ground *g);
// The same, where they are to.
void nd_landmarks_leave_if_due(struct nd_ground *g);
// They wait for an update.
bool nd_landmarks_are_made(const struct nd_ground *g);
// To an update that is about to begin. No task is under way.
void nd_landmarks_hand_over(struct nd_ground *g, struct nd_path_update *u);
// It has come back.
void nd_landmarks_note_update(struct nd_ground *g, const struct nd_path_update *u);

#endif
