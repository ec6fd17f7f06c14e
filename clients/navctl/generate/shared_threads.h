// The threads that a command shares out its own work to, such as reading a scene or drawing a picture: one for each
// processor that the process may use. They start when they are first asked for and end with the process.
#ifndef NAVCTL_SHARED_THREADS_H
#define NAVCTL_SHARED_THREADS_H

#include "navcore/parallel.h"

// For one thread at a time. NULL: there is one processor, or no memory.
const nav_parallel *shared_threads(void);

#endif
