// world.sync: the list as it arrives in parts, and the answer. The comparison is in world/world_sync.h, what it finds
// is applied as an edit (edit.h). Loop thread only.
#ifndef ND_METHODS_SYNC_H
#define ND_METHODS_SYNC_H

#include "daemon/methods/methods.h"

typedef struct nd_sync_call {
    nd_listing list; // complete; its own
    bool dry_run;
    nd_sync *sync;                 // borrows from list
    nav_buffer ids[ND_SYNC_KINDS]; // of a dry run's response
} nd_sync_call;

void nd_sync_call_destroy(nd_sync_call *c); // accepts NULL
// Changes that it has found until now; 0 of one that only compares.
uint64_t nd_sync_call_changes(const nd_sync_call *c, const nd_edit *e);
// Of one that has ended; borrows from c. edit: what applying it gave. Where meshes are missing the list becomes that of
// the session, if it is still there (NULL: it is not), so that it need not come again.
np_world_sync_response nd_sync_call_response(nd_sync_call *c, nd_methods *methods, nd_session *session,
                                             const nd_edit *e, const np_world_edit_response *edit);

#endif
