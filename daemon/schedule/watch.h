// DESIGN. An area of a profile that somebody looks at: a subscription, or a call that waits for it. It knows how many
// of its tiles are open, and since which revision the oldest of them is, without ever looking for them: each tile that
// opens or closes tells all watches of its world, of which there are few.
//
//     tile opens (since 7) ──► [5: 3 tiles][7: 1]        oldest: 5
//     three tiles close    ──► [7: 1]                    oldest: 7
//
// Only so many revisions are told apart. A tile that opens when there are more counts to the newest of those, which is
// older than it: so the oldest is never said to be newer than it is.
//
// In a world that builds only what is watched, the tiles of all watches and a margin around each are built
// (scheduler.h). Loop thread only.
#ifndef ND_WATCH_H
#define ND_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_WATCH_GROUPS = 8 };

typedef struct nd_watch {
    struct nd_watch *next; // of the same scheduler
    uint32_t profile;
    int32_t first[2], last[2];               // tiles, inclusive
    int32_t margin_first[2], margin_last[2]; // those and the margin
    size_t group_count;
    struct {
        uint64_t since;
        size_t count;
    } open[ND_WATCH_GROUPS]; // by since
} nd_watch;

// Is the tile one of its own? And one of those or of the margin?
static inline bool nd_watch_covers(const nd_watch *w, uint32_t profile, int32_t x, int32_t z)
{
    return profile == w->profile && x >= w->first[0] && x <= w->last[0] && z >= w->first[1] && z <= w->last[1];
}
static inline bool nd_watch_needs(const nd_watch *w, uint32_t profile, int32_t x, int32_t z)
{
    return profile == w->profile && x >= w->margin_first[0] && x <= w->margin_last[0] && z >= w->margin_first[1] &&
           z <= w->margin_last[1];
}

// How many tiles there are between two corners, as a double since it may be 2^64.
static inline double nd_area_of(const int32_t first[2], const int32_t last[2])
{
    return ((double)last[0] - first[0] + 1) * ((double)last[1] - first[1] + 1);
}

// A tile is open from now on, or no longer: since which revision it is, or was.
void nd_watches_open(nd_watch *all, uint32_t profile, int32_t x, int32_t z, uint64_t since);
void nd_watches_close(nd_watch *all, uint32_t profile, int32_t x, int32_t z, uint64_t since);
void nd_watch_open(nd_watch *w, uint64_t since);

// The revision since which its oldest open tile is open, or an older one; UINT64_MAX: none is.
static inline uint64_t nd_watch_oldest(const nd_watch *w)
{
    return w->group_count ? w->open[0].since : UINT64_MAX;
}

#endif
