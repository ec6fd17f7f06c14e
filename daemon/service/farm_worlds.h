// What farm.status says of worlds as streams. Loop thread only.
#ifndef ND_SERVICE_FARM_WORLDS_H
#define ND_SERVICE_FARM_WORLDS_H

#include "daemon/service/service.h"

// For nd_methods.farm_worlds; service is the nd_service. What it points to stays until the next call.
void nd_tell_farm_worlds(void *service, np_farm_status_response *out);

#endif
