// How far the log has come with each world: of a leader what it has written, of a follower what it has done. Loop
// thread only.
#ifndef ND_TRACK_H
#define ND_TRACK_H

#include "daemon/base/table.h"
#include "daemon/replica/subjects.h"

typedef struct nd_track {
    nd_node node;
    uint64_t world;
    char space[ND_SPACE_BYTES];
    uint64_t last;           // sequence of the log up to which it has come; 0: nothing of the world
    uint64_t entries, bytes; // since the newest state
    uint64_t state_bytes;    // of that; 0: there is none
    uint64_t began_ns;       // when the first entry since then came
    uint64_t covered;        // entries of this leader up to this number are in a state, and not written
    bool is_ghost;           // of a follower: the world was deleted, what comes of it is from before
} nd_track;

nd_track *nd_track_find(const nd_table *all, uint64_t world); // NULL: there is none
// Finds it, or makes it; NULL: no memory.
nd_track *nd_track_need(nd_table *all, const char *space, uint64_t world);
void nd_track_remove(nd_table *all, nd_track *t);
void nd_tracks_deinit(nd_table *all);

#endif
