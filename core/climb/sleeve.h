// A sleeve: triangles one behind the other, from one place to another, and the shortest way through them. Internal to
// climb.
//
//         left             Gates are where one triangle is left for the next. Laid into a plane one after the other,
//         the
//      o----o----o         triangles are a corridor, and the shortest way through it is a string that is pulled tight
//     / \  / \  / \        (funnel). It bends at ends of gates only.
//    s   o----o----o  g
//         right
#ifndef NAV_CLIMB_SLEEVE_H
#define NAV_CLIMB_SLEEVE_H

#include "core/climb/climb_work.h"

typedef struct climb_gate {
    vec right, left;          // seen by who passes
    const climb_patch *patch; // of the triangle behind it
    uint32_t triangle;
    uint32_t node;     // the portal's, whichever way it is passed
    bool strip;        // behind it lies the strip of an inner seam, and `triangle` behind the next gate
    double t;          // where it is passed: 0 on the right, 1 on the left
    double x[2], y[2]; // of right and left in the plane
    int8_t bend;       // the string bends here: 1 at its right end, 2 at its left
} climb_gate;

typedef struct climb_sleeve {
    climb_gate *gate; // owned
    uint32_t count, room;
    climb_spot from, to;
    double length_m;
} climb_sleeve;

// A portal of a triangle as a gate.
typedef struct climb_portal {
    climb_gate gate;
    vec in_right, in_left; // of a strip: the gate at its other end
} climb_portal;

enum { CLIMB_SIDES = 3 }; // portals below are sides, those above halves of the patch

climb_portal nav_climb_portal(const climb_patch *p, uint32_t triangle, uint32_t portal);
// Its number, the same from both sides.
static inline uint32_t climb_portal_node(const climb_patch *p, uint32_t triangle, uint32_t portal)
{
    uint32_t here, there;
    if (portal < CLIMB_SIDES) {
        here = p->first_node + CLIMB_SIDES * triangle + portal;
        there = p->first_node + (uint32_t)p->beside[CLIMB_SIDES * triangle + portal];
    } else {
        const climb_half *h = &p->half[portal - CLIMB_SIDES];
        here = p->first_node + CLIMB_SIDES * p->triangle_count + portal - CLIMB_SIDES;
        there = h->other->first_node + CLIMB_SIDES * h->other->triangle_count + h->twin;
    }
    return here < there ? here : there;
}
static inline uint32_t climb_half_portal(uint32_t half)
{
    return CLIMB_SIDES + half;
}

static inline bool climb_is_open(const climb_patch *p, uint32_t portal)
{
    return portal < CLIMB_SIDES || p->half[portal - CLIMB_SIDES].is_open;
}

// Appends a gate; of a strip, both. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_climb_add_portal(climb_sleeve *s, const climb_portal *p);
// Pulls the string: fills in t and bend of all gates, and the length.
void nav_climb_pull(climb_sleeve *s);
static inline vec climb_gate_at(const climb_gate *g)
{
    return vec_between(g->right, g->left, g->t);
}

// A place in the plane of a gate: x from its right end to its left one, y onwards.
typedef struct flat {
    double x, y;
} flat;
// Of a place beyond the gate.
static inline flat climb_beyond(vec right, vec left, vec at)
{
    vec along = vec_unit(vec_sub(left, right)), to = vec_sub(at, right);
    double x = vec_dot(along, to);
    return (flat){x, vec_length(vec_sub(to, vec_scale(along, x)))};
}

static inline double flat_cross(flat o, flat a, flat b)
{
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

static inline double flat_apart(flat a, flat b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

// --- improve.c ---
typedef struct climb_rates {
    float cost[NAV_AREA_COUNT];
    uint64_t excluded;
} climb_rates;
// Leads the string around corners on their other side wherever that is shorter, over ground that costs the same, until
// nothing gets shorter. It has been pulled.
NAV_MUST_USE nav_status nav_climb_improve(climb_sleeve *s, climb_sleeve *scratch, const climb_rates *rates);

#endif
