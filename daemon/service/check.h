// --check-config beyond the table: the files that a configuration names, and whether its addresses may be listened on.
// Before a server runs; main thread.
#ifndef ND_CHECK_H
#define ND_CHECK_H

#include "daemon/config/config.h"

// Every fault is said. NAV_ERR_ARGUMENT: there was one.
NAV_MUST_USE nav_status nd_config_check(const nd_config *c, nd_config_say say, void *user);

#endif
