// What subscriptions are told of their world's table of areas. Loop thread only.
#ifndef ND_DELIVERY_AREAS_H
#define ND_DELIVERY_AREAS_H

#include "daemon/delivery/subscription.h"

// Sends the table where it is not the one that the client has. False: there is no room; it is still due.
bool nd_areas_tell(nd_subscription *sub);

#endif
