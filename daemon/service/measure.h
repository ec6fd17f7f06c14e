// Reads all measures of a daemon (metrics.h) where they are counted. Loop thread only.
#ifndef ND_MEASURE_H
#define ND_MEASURE_H

#include "daemon/service/service.h"

// service: an nd_service. space: what nd_flat_is_of_namespace() is of this namespace; NULL: of all.
void nd_measure(void *service, const nd_namespace *space, nd_measures *out);

#endif
