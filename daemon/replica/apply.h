// DESIGN. A plan (plan.h) done to this daemon's worlds: a world is made, or goes; its profiles become those of the
// head, in the same slots; its objects, goal, build and areas change by one edit, which goes on over some turns where
// it is large. All of it is stored here as any change is, and answered to nobody.
//
//     entry: what the plan names changes        state: what it does not name goes as well
//
// A plan may come twice: what is there already stays as it is, and no tile is made again. Where an entry does not fit
// what is here, it fails, and a state has to come. A state always fits: at worst the world is made anew.
// Loop thread only.
#ifndef ND_APPLY_H
#define ND_APPLY_H

#include "daemon/methods/methods.h"
#include "daemon/replica/plan.h"

enum { ND_APPLY_WHY_BYTES = 300 };

typedef struct nd_apply {
    nd_methods *methods; // borrowed
    // Called once for each start, perhaps from inside of it. NAV_ERR_NOT_FOUND: there is no such world here, or a mesh
    // is missing.
    void (*done)(void *user, nav_status status, const char *why);
    void *user;
    // Private:
    nd_plan plan;
    bool is_state, is_anew;
    nd_world *world;
    np_op *extra; // with the plan's operations, where there are more
    np_seed seeds[NAV_MAX_SEEDS];
    uint64_t worlds_made; // anew, since a state did not fit
} nd_apply;

// Takes the plan over. Its meshes are in the store. One at a time.
void nd_apply_start(nd_apply *a, nd_plan *plan, bool is_state);
// A world that the log does not have goes.
nav_status nd_apply_remove(nd_apply *a, nd_world *w);
// With the daemon; there is no `done` any more.
void nd_apply_deinit(nd_apply *a);

#endif
