// Namespaces: worlds and meshes of one team, isolated from those of others. A world belongs to one namespace, and
// its name is unique in there. A mesh is visible in the namespaces that have sent it or have a world with it. A
// namespace comes into being when a credential or a stored world first names it, and stays. Only the loop thread
// looks at it, including the mesh store's list.
#ifndef ND_NAMESPACE_H
#define ND_NAMESPACE_H

#include "daemon/access/quota.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_NAMESPACE_BYTES = 64, ND_MAX_NAMESPACES = 4096 }; // of a name, with its end; of them all

#define ND_NAMESPACE_DEFAULT "default"

typedef struct nd_namespace {
    char name[ND_NAMESPACE_BYTES];
    nd_quota quota;
    uint64_t mesh_bytes; // of the meshes that are visible in it
    uint64_t sessions;
    uint64_t edit_second, edits; // edits in that second
} nd_namespace;

typedef struct nd_namespaces {
    nd_namespace **list; // each by itself on the heap: pointers stay valid
    size_t count;
    nd_quotas quotas;
} nd_namespaces;

// Letters, digits, '-', '_' and '.', the first one a letter or digit; 1 to 63 of them.
bool nd_namespace_name_is_valid(const char *name, size_t length);

// Finds it, or makes it. NAV_ERR_ARGUMENT (no valid name), NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_namespaces_need(nd_namespaces *n, const char *name, nd_namespace **out);
// Takes the quotas over; they count for all from now on.
void nd_namespaces_set_quotas(nd_namespaces *n, nd_quotas *q);
// NULL where there is none.
nd_namespace *nd_namespaces_find(const nd_namespaces *n, const char *name);
void nd_namespaces_deinit(nd_namespaces *n); // accepts a zeroed one

#endif
