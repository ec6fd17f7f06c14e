// Reads all measures of a daemon (metrics.h) where they are counted. Loop thread only.
#ifndef ND_MEASURE_H
#define ND_MEASURE_H

#include "daemon/base/metrics.h"
#include "daemon/server.h"

void nd_measure(nd_server *s, nd_measures *out);

#endif
