// One line on stderr that shows what goes on and for how long, for work that cannot say how far it is. Drawn by a
// thread of its own. Silent where stderr is no terminal. Meanwhile nobody else may write there.
#ifndef NAVCTL_ELAPSED_H
#define NAVCTL_ELAPSED_H

#include <pthread.h>
#include <stdbool.h>

typedef struct elapsed {
    const char *doing, *what;
    bool shown; // stderr is a terminal, and there is a thread
    bool ends;
    double started_s;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t end;
} elapsed;

// "Reading", "scenes/town.obj": of a path the name is shown. Both stay the caller's, until elapsed_end().
void elapsed_begin(elapsed *e, const char *doing, const char *path);
// Wipes the line.
void elapsed_end(elapsed *e);

#endif
