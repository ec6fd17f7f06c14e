// navctl push --watch: the loop around a push that is made again whenever its files have changed.
#ifndef NAVCTL_PUSH_WATCH_H
#define NAVCTL_PUSH_WATCH_H

#include "navd.h"

typedef struct push_watch {
    const char *scene;
    bool json;
    navd_client *client; // keeps connected
    void *user;
    int (*load)(void *user); // reads the scene. Returns an exit code; a line on stderr where it failed
    int (*send)(void *user); // sends it and reports. The same
} push_watch;

// Before the first push: Ctrl-C and SIGTERM end the process with 0 from now on.
void push_watch_begin(void);
// Until then. Returns an exit code only where the first push failed, or files cannot be followed.
int push_watch_run(const push_watch *w);

#endif
