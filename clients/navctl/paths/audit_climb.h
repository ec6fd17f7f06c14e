// navctl audit over walls and ceilings.
#ifndef NAVCTL_AUDIT_CLIMB_H
#define NAVCTL_AUDIT_CLIMB_H

#include "navcore/climb.h"

#include <stdbool.h>

// Asks `pairs` random pairs and tells what they show. max_unreachable: percent; NAN: any. An exit code; an error is
// told on stderr.
int audit_climb(const char *name, const nav_climb_set *set, uint64_t seed, uint32_t pairs, double max_unreachable,
                bool as_json);

#endif
