// How good the ways of a ground are: random pairs of places, the path between each, and what stands out. For a level's
// author after an edit, and for a build server that is to refuse a level whose rooms are cut off.
//
//   nav_audit_draw()      pairs at random
//   nav_audit_answer()    the path of one pair, and whether the straight line would do
//   nav_audit_sum()       figures of all pairs
//   nav_audit_find_worst()  those that stand out
//   nav_audit_compare()   the same pairs on another ground, or as another pathfinder answered them
//
// Pairs stand by themselves, so threads may share them out: a finder each. Starts no threads, reads no clock.
#ifndef NAVCORE_PATH_AUDIT_H
#define NAVCORE_PATH_AUDIT_H

#include "navcore/path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nav_audit_pair {
    double from[3], to[3];  // metres
    nav_path_status status; // PARTIAL: no way leads there
    double length_m;        // seen from above, of FOUND; else 0, as are the others
    double surface_m;       // along the ground
    double straight_m;      // from the path's start to its end
    bool open;              // FOUND, and nothing is in the way of the straight line
    bool bends;             // and yet the path is no straight line. A pathfinder of navd's kind never does that
    uint64_t nodes;         // that the search made
} nav_audit_pair;

// Pairs of places, uniform by area. Pair i is the same for a seed however many are drawn. near_m of each question is to
// be above 0. *drawn: count, or 0 where there is no ground. Errors of nav_path_random().
NAV_MUST_USE nav_status nav_audit_draw(nav_path_finder *finder, const nav_path_set *set, uint64_t seed, uint32_t count,
                                       nav_audit_pair *pairs, uint32_t *drawn);

// Answers the pair between `from` and `to`; near_m as for a path. stop may be NULL; once it says so the status is
// LIMIT. Errors of nav_path_find().
NAV_MUST_USE nav_status nav_audit_answer(nav_path_finder *finder, const nav_path_set *set, double near_m,
                                         bool (*stop)(void *user), void *user, nav_audit_pair *pair);

typedef struct nav_audit_totals {
    uint32_t pairs, found, unreachable, off_ground, limited; // off_ground: no ground near an end
    uint32_t open, bent;
    double length_m, surface_m, straight_m; // of the found ones
    double worst_bend;                      // length over straight line of the worst bent pair; 1: none
    double median_ratio, worst_ratio;       // length over straight line of the found ones; 1: none
} nav_audit_totals;

// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_audit_sum(const nav_audit_pair *pairs, uint32_t count, nav_audit_totals *out);

typedef struct nav_audit_changes {
    uint32_t both;            // found before and now
    uint32_t longer, shorter; // by more than the tolerance
    uint32_t lost, gained;    // found before and no more, or the reverse
    double before_m, now_m;   // of both
    double worst_longer;      // now over before; 1: none is longer
    double best_shorter;      // 1: none is shorter
} nav_audit_changes;

// Pair i of both lists is between the same places. tolerance_m: differences below it do not count.
void nav_audit_compare(const nav_audit_pair *before, const nav_audit_pair *now, uint32_t count, double tolerance_m,
                       nav_audit_changes *out);

// Why a pair stands out, the worst reason first.
typedef enum nav_audit_reason {
    NAV_AUDIT_BENDS,  // nothing is in the way of the straight line
    NAV_AUDIT_LOST,   // it was found before
    NAV_AUDIT_LONGER, // than before
    NAV_AUDIT_ROUND,  // a long way round: length over straight line
} nav_audit_reason;

const char *nav_audit_reason_name(nav_audit_reason r); // never NULL

typedef struct nav_audit_worst {
    uint32_t pair;
    nav_audit_reason reason;
    double ratio; // of lengths; 0 where there is none
} nav_audit_worst;

// The pairs that stand out the most, by reason and then by ratio. before: the same pairs, or NULL. *out has room for
// `most`. Returns how many there are.
uint32_t nav_audit_find_worst(const nav_audit_pair *now, const nav_audit_pair *before, uint32_t count,
                              double tolerance_m, nav_audit_worst *out, uint32_t most);

#ifdef __cplusplus
}
#endif

#endif
