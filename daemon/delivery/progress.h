// Tells subscribers ten times a second how many tiles of their worlds are done, as long as some are not. Loop thread
// only.
#ifndef ND_PROGRESS_H
#define ND_PROGRESS_H

#include "daemon/delivery/delivery.h"

void nd_progress_init(nd_delivery *d);
void nd_progress_close(nd_delivery *d);
// Tiles were marked: it is told from now on, if it is not already.
void nd_progress_watch(nd_delivery *d);

#endif
