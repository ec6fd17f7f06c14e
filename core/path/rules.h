// What the costs and links of a query make of a set. Areas of one cost are one class; a cone stays in the class of its
// root, and all else is a wall to it: so the corners of excluded ground are corners. Internal.
#ifndef NAV_PATH_RULES_H
#define NAV_PATH_RULES_H

#include "core/path/path_work.h"

enum { PATH_CLOSED = 255 }; // class of the areas that are excluded

typedef struct path_rules {
    uint8_t class_of[NAV_AREA_COUNT];
    double weight[NAV_AREA_COUNT];      // of a class: what a metre costs, in that of class 0 where there is only one
    double link_weight[NAV_AREA_COUNT]; // by area; 0: it is not taken
    double unit;                        // what 1 of the search costs
    double least;                       // what a metre costs at least, in the same
    bool links;                         // there are some, and they may be taken
    bool closes;                        // there is ground of areas that are excluded
    bool weighs;                        // there are several classes
} path_rules;

// NAV_ERR_ARGUMENT: a cost is out of range.
NAV_MUST_USE nav_status nav_path_rules_make(const nav_path_set *set, const nav_path_query *q, path_rules *out);
// Is its area allowed, and is the ground at both of its ends?
static inline bool path_may_jump(const nav_path_set *set, const path_rules *r, const path_jump *j)
{
    const path_tile *from = set->tiles[j->from.tile], *to = set->tiles[j->to.tile];
    return r->link_weight[j->area] > 0 && r->class_of[from->area[j->from.cell]] != PATH_CLOSED &&
           r->class_of[to->area[j->to.cell]] != PATH_CLOSED;
}

// Do they say anything?
static inline bool path_rules_count(const path_rules *r)
{
    return r->links || r->closes || r->weighs || r->unit != 1;
}

#endif
