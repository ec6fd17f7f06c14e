// DESIGN. When did the visible state of a tile last change? Each tile's result has that revision (`changed`), and a
// world remembers it for removed tiles. So a client that comes back and says up to which revision it has everything
// (tiles.subscribe, since) gets what changed after it, and nothing else.
//
// Two rules make that safe. A change of a tile always gets a higher number than any that a client was told to have
// completely while it had this tile. Of a tile that an edit has marked it has: nobody who has the tile is told the
// edit's revision before the tile is finished. Where a mark repeats a revision that somebody was told (a failed tile is
// tried again, with no edit between), the world's revision is raised above the highest that was told
// (nd_scheduler.told). And only so many removed tiles are remembered: `horizon` is the revision below which it is no
// longer known what was removed; a client with an older one gets everything. Loop thread only.
#ifndef ND_CHANGES_H
#define ND_CHANGES_H

#include "daemon/world/world.h"

enum { ND_MAX_REMOVED = 65536 }; // remembered in one world

// t has a new result; before: the one it had. Sets `changed`, raises the world's revision where it must.
void nd_changes_note(nd_world *w, nd_tile *t, const nd_tile_result *before);

// A tile that clients had is gone since this revision. Also used to bring back what was stored.
void nd_changes_add_removed(nd_world *w, uint32_t profile, int32_t x, int32_t z, uint64_t changed);
// It is not known any more what was removed.
void nd_changes_forget_removed(nd_world *w);
void nd_changes_deinit(nd_changes *c); // accepts a zeroed one

// Is all known that changed after this revision?
bool nd_changes_reach_back(const nd_world *w, uint64_t since);

// Every removed tile, the one that was removed last first, down to (and without) a revision.
typedef struct nd_removed {
    nd_node node;
    uint32_t profile;
    int32_t x, z;
    uint64_t changed;
    struct nd_removed *newer, *older;
} nd_removed;
const nd_removed *nd_changes_newest_removed(const nd_world *w);

// The revision up to which all tiles of a watch are as they will be, and which would survive a crash. Where something
// is to be reached, or watch is NULL, all tiles of the world: how one is delivered depends on the others.
uint64_t nd_changes_complete_in(const nd_world *w, const nd_watch *watch);

#endif
