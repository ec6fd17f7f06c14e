// DESIGN. A ground: one profile's tiles as a set that can be searched (navcore/path.h), kept from call to call. Where
// the agent stands on walls and ceilings, too, it has the tiles of all sheets (navcore/climb.h), and answers path.find
// alone.
//
//     a tile is finished ──► noted ──┐
//     call ──► waits ──► what was noted: bytes from memory, disk, or made again ──► updates ──► the set is joined
//                └───────────────────────────────────────────── parts of calls, several at once ◄──┘
//
// The loop thread notes which tiles change, and looks for their bytes only when somebody asks. A set is changed by one
// update at a time, or else read by any number of parts: an update waits until the calls under way have their answers,
// and no further call begins before it. So all items of a call see the same tiles, and no call waits for more than the
// one before it. Loading many tiles takes many small updates, so that it ends when nobody waits for it any more.
//
// A ground is wanted in navd's encoding as long as it lives, like a subscription.
//
//   ground.c        its life
//   ground_tiles.c  which tiles have changed, and their bytes
//   ground_calls.c  updates and calls
//   landmarks.h     what makes its searches shorter
//   watch.h         paths that are kept, and told again when they change
//
// Loop thread only.
#ifndef ND_PATHS_GROUND_H
#define ND_PATHS_GROUND_H

#include "daemon/base/table.h"
#include "daemon/paths/landmarks.h"
#include "daemon/paths/paths.h"
#include "daemon/paths/probe_index.h"
#include "daemon/paths/update.h"

typedef struct nd_ground_tile nd_ground_tile;

// Probes in the order in which they became due.
typedef struct nd_probe_line {
    struct nd_probe *first, **end;
} nd_probe_line;

// The surest to be others come first: paths that pass through what has changed; those that may be shorter by an eighth
// or whose ends may lie elsewhere, by a sixteenth, and by less, or were not told; and those without a way to their
// goal, where a connection elsewhere has changed.
enum { ND_PROBES_BROKEN, ND_PROBES_EIGHTH, ND_PROBES_SIXTEENTH, ND_PROBES_OTHER, ND_PROBES_LOOSE, ND_PROBE_LINES };

// The watched paths of a ground (watch.h).
typedef struct nd_probes {
    nd_probe_index index;
    nd_probe_line due[ND_PROBE_LINES];
    uint32_t count, working; // working: searches under way
    uint32_t calls;          // since lines behind others had a turn
    bool patient;            // what was told holds until all tiles are made
    bool had_turn;           // the next turn is another call's
    uint64_t since_ns;       // tiles that have changed wait; 0: none do
    uint64_t rest_until_ns;
    uint64_t search_ns[ND_PROBE_LINES]; // that one takes, about; 0: not known yet
} nd_probes;

static inline bool nd_probes_are_due(const nd_probes *p)
{
    for (int i = 0; i < ND_PROBE_LINES; i++)
        if (p->due[i].first) return true;
    return false;
}

struct nd_ground {
    nd_paths *paths;
    nd_ground *next;
    uint64_t world, grid;
    uint32_t profile; // its first slot
    uint64_t version; // of the profile's settings
    nav_settings settings;
    bool gone; // it lives only until what is out has come back
    nav_path_set *set;
    nav_climb_set *climb; // instead of it; NULL: floors
    size_t bytes;         // of the set, at its last update
    uint64_t used_ns;
    // ground_tiles.c
    nd_table tiles;
    nd_ground_tile *dirty;
    bool listing;     // what there was when it was made is still being noted,
    size_t list_slot; // from here on
    uint32_t fetching, awaited;
    nd_path_change *changes; // for the next update
    uint32_t change_count, change_room;
    // ground_calls.c
    nd_path_call *first, *last; // calls that wait
    nd_path_call *begun;        // calls whose items are being answered, the oldest first
    nd_path_update *update;     // at a worker
    bool joined;                // the set can be searched
    uint64_t link_ways;         // when it was joined last
    uint64_t revision;          // of the world, that calls are told which begin now,
    uint32_t open_tiles;        // and tiles that did not show it
    nd_probes probes;
    nd_landmarks landmarks;
};

// --- ground.c ---
NAV_MUST_USE nav_status nd_ground_create(nd_paths *p, nd_world *w, uint32_t profile, nd_ground **out);
// Its calls are answered so, and it goes: now, or when the last has come back that is out.
void nd_ground_end(nd_ground *g, nav_status status, const char *words);
void nd_ground_destroy_if_idle(nd_ground *g); // one that is gone
nd_ground *nd_ground_find(const nd_paths *p, uint64_t world, uint32_t profile);
// Is the slot one of the ground's profile? The world is the ground's.
bool nd_ground_has_slot(const nd_ground *g, const nd_world *w, uint32_t slot);
// As far as its tiles are for the settings that the profile has. NULL: it has got others, or is gone.
nd_world *nd_ground_world(const nd_ground *g);

// --- ground_tiles.c ---
// A tile has changed, or may have. blob: its bytes, or NULL. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_ground_note(nd_ground *g, uint32_t slot, int32_t x, int32_t z, nd_blob *blob);
// What the set lacks becomes changes, or is on its way; as much as a turn may take. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_ground_gather(nd_ground *g, nd_world *w);
// The set and the changes have all tiles as they are.
static inline bool nd_ground_has_all(const nd_ground *g)
{
    return !g->listing && !g->dirty && !g->fetching && !g->awaited;
}
void nd_ground_drop_tiles(nd_ground *g); // any thread

// --- ground_calls.c ---
// All that can be done for the calls at the moment. It may end the ground.
void nd_ground_go_on(nd_ground *g);
// The last of the line. It is the ground's.
void nd_ground_add_call(nd_ground *g, nd_path_call *c);
// Those calls that `which` names are not answered any more but with status; NAV_OK: not at all.
typedef bool nd_path_call_test(const nd_path_call *c, uint64_t value);
void nd_ground_drop_waiting(nd_ground *g, nd_path_call_test *which, uint64_t value, nav_status status,
                            const char *words);
void nd_ground_drop_begun(nd_ground *g, nd_path_call_test *which, uint64_t value, nav_status status, const char *words);

#endif
