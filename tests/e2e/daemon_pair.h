// Two daemons, for what goes out of one and into another.
#ifndef NAVD_TEST_DAEMON_PAIR_H
#define NAVD_TEST_DAEMON_PAIR_H

#include "tests/e2e/daemon.h"

extern daemon_process first, second;

void pair_start(void); // fixtures
void pair_stop(void);

// The world `yard` in the first daemon: six objects, one of them a volume and one a link.
void push_yard(void);

#endif
