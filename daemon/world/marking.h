// DESIGN. The tiles of profiles that have got other settings are marked some at a time, in the turns of the loop that
// follow: those near a focus first, then all that there are, and last those that wider settings need, which are made
// meanwhile. So the first tile with new settings takes no longer in a large world than in a small one.
//
//     change applied ──► near foci ──► the table of tiles ──► tiles that are lacking ──► all marked
//            ▲                                    │
//            └────── another change joins ────────┘ from the beginning, for all profiles that are not through
//
// What is begun after a change is made with the new settings, whether its tile is marked or not; such a tile is not
// marked again. Until all are marked the revision is not complete (nd_scheduler.remarking). Nothing here points at a
// tile or an object from one turn to the next, so edits and other changes may come in between. Loop thread only.
#ifndef ND_MARKING_H
#define ND_MARKING_H

#include "daemon/world/world.h"

typedef struct nd_marking nd_marking;

// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_marking_create(nd_marking **out);
void nd_marking_destroy(nd_marking *m); // accepts NULL

// The profiles with `marking` set, and those that were being marked before, are to be marked. Takes m over; the caller
// was admitted to the world's flows, or is NULL. revision: that nothing is complete from, until all are marked.
// interactive: as nd_world_limits.interactive_tiles; tiles: about how many are to be marked.
void nd_marking_begin(nd_world *w, nd_marking *m, nd_caller *caller, uint64_t revision, uint64_t now_ns,
                      uint64_t interactive, uint64_t tiles);
// Takes from *steps. True: there is more to do.
bool nd_marking_run(nd_world *w, size_t *steps);

#endif
