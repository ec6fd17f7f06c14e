// Reads all measures of a daemon (metrics.h) where they are counted. Loop thread only.
#ifndef ND_MEASURE_H
#define ND_MEASURE_H

#include "daemon/service/service.h"

// service: an nd_service.
void nd_measure(void *service, nd_measures *out);

#endif
