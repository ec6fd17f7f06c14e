// Straight lines that are open, and paths between their ends that are not those.
#ifndef BENCH_PAIRS_AUDIT_H
#define BENCH_PAIRS_AUDIT_H

#include "clients/navctl/generate/generate.h"

// Of so many random pairs on navd's tiles. False with one line on stderr.
bool pairs_audit(const generated *g, uint32_t pairs, uint32_t *open, uint32_t *bent);

#endif
