// Commands that stay and show what comes, until a signal ends them.
#ifndef NAVCTL_REMOTE_LOOP_H
#define NAVCTL_REMOTE_LOOP_H

#include "navd.h"

enum { REMOTE_GO_ON = -1 };

// Calls step whenever something may have come, until that says an exit code, or SIGINT or SIGTERM comes (NAVCTL_OK). A
// connection that cannot be made again is told on stderr. doing: as for remote_failed().
int remote_loop(navd_client *c, const char *doing, int (*step)(void *user), void *user);
// For navd_on_event(): tells on stderr that the connection was lost, and that it is there again.
void remote_tell_connection(const navd_event *e);

#endif
