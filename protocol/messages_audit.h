// path.audit: random pairs of places, and what stands out among the paths between them. Part of messages.h, which says
// how it is read and written.
#ifndef NP_MESSAGES_AUDIT_H
#define NP_MESSAGES_AUDIT_H

#include "navcore/path_audit.h"
#include "protocol/messages_session.h"

enum {
    NP_AUDIT_PAIRS = 16384, // of one call, at most
    NP_AUDIT_WORST = 256,   // of one answer
    NP_AUDIT_USUAL_PAIRS = 1000,
    NP_AUDIT_USUAL_WORST = 10,
};

typedef struct np_path_audit_request {
    uint64_t world;
    np_str profile;
    double near_m;
    uint64_t seed;
    uint32_t pairs; // default NP_AUDIT_USUAL_PAIRS
    uint32_t worst; // how many to tell; default NP_AUDIT_USUAL_WORST
} np_path_audit_request;

typedef struct np_audit_worst {
    nav_audit_reason why;
    double ratio;
    float from[3], to[3];
    double length_m, straight_m;
} np_audit_worst;

// Members as those of nav_audit_totals.
typedef struct np_path_audit_response {
    uint64_t revision;
    uint32_t open_tiles;
    uint32_t pairs, found, unreachable, limited, open, bent;
    double length_m, surface_m, straight_m;
    double median_ratio, worst_ratio;
    uint32_t worst_count;
    const np_audit_worst *worst;
    const np_axes *axes; // in which it is written; NULL: navd's
} np_path_audit_response;

#endif
