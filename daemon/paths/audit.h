// path.audit: random pairs of places, and what stands out among the paths between them.
#ifndef ND_PATHS_AUDIT_H
#define ND_PATHS_AUDIT_H

#include "daemon/paths/path_call.h"

// NULL: no memory.
nd_path_call *nd_audit_call_create(const np_path_audit_request *r);

#endif
