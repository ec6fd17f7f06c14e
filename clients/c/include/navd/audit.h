/* How good the ways of a world are: random pairs of places, and what stands out among the paths between them. Part of
 * navd.h. */
#ifndef NAVD_AUDIT_H
#define NAVD_AUDIT_H

#include "navd/paths.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NAVD_AUDIT_PAIRS = 16384, NAVD_AUDIT_WORST = 256 }; /* of one call, at most */

typedef struct navd_audit_options {
    const char *profile;
    double near_m; /* how far a place may be from ground; NAVD_PATH_NEAR_M is usual */
    uint64_t seed; /* the same seed gives the same pairs over the same tiles */
    uint32_t pairs;
    uint32_t worst; /* how many of the worst to tell */
} navd_audit_options;

typedef enum navd_audit_reason {
    NAVD_AUDIT_BENDS,     /* the path bends though nothing is in the way: a defect of navd's */
    NAVD_AUDIT_ROUND = 3, /* a long way round: length over straight line */
} navd_audit_reason;

typedef struct navd_audit_pair {
    navd_audit_reason why;
    double ratio;         /* length over straight line */
    float from[3], to[3]; /* x y z */
    double length_m, straight_m;
} navd_audit_pair;

typedef struct navd_audit {
    uint64_t revision;   /* of the world */
    uint32_t open_tiles; /* of the profile, that do not show it yet */
    uint32_t pairs;      /* 0: there is no ground */
    uint32_t found, unreachable;
    uint32_t limited; /* not answered: the call took too long */
    uint32_t open;    /* nothing is in the way of the straight line */
    uint32_t bent;    /* of those, that bend all the same */
    double length_m, surface_m, straight_m;
    double median_ratio, worst_ratio; /* length over straight line of those that were found */
    uint32_t worst_count;
    navd_audit_pair *worst; /* the worst first */
} navd_audit;

/* Free the result with navd_audit_free(). */
navd_status navd_audit_paths(navd_client *c, uint64_t world, const navd_audit_options *options, navd_audit **out);
void navd_audit_free(navd_audit *a); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
