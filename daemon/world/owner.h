// Who put an object: a source, by its name (np_op.source). A world keeps one copy of each name, for as long as one of
// its objects has it, and knows a source's instances without looking at the others. Objects that nobody named a source
// for have no owner. Loop thread only.
#ifndef ND_OWNER_H
#define ND_OWNER_H

#include "daemon/base/table.h"
#include "protocol/messages.h"

struct nd_object;

typedef struct nd_owner {
    nd_node node;
    nd_table *all; // the world's, that it is in; NULL: the world is gone
    size_t refs;
    struct nd_object *first; // of its instances in the world
    uint64_t count;          // of them
    np_str name;             // its own
} nd_owner;

// Borrowed; NULL where nothing has that source.
nd_owner *nd_owner_find(const nd_table *all, np_str name);
// A reference to it; made where there is none yet. NAV_ERR_LIMIT: there are `max` already. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_owner_need(nd_table *all, np_str name, uint64_t max, nd_owner **out);
nd_owner *nd_owner_ref(nd_owner *o); // accepts NULL
void nd_owner_unref(nd_owner *o);    // accepts NULL

// The world goes; who still holds one keeps it.
void nd_owners_deinit(nd_table *all);

// An instance that has an owner enters the world, or leaves it.
void nd_owner_link(struct nd_object *o);
void nd_owner_unlink(struct nd_object *o);

#endif
