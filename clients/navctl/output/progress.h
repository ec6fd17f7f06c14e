// One line on stderr that shows how far a long job is. Silent where stderr is no terminal. One thread draws.
#ifndef NAVCTL_PROGRESS_H
#define NAVCTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *what;
    bool shown; // stderr is a terminal
    double started_s, drawn_s;
} progress;

// Seconds on a clock that only goes forward.
double now_s(void);

void progress_begin(progress *p, const char *what);
// Redraws at most ten times a second.
void progress_update(progress *p, uint64_t done, uint64_t total);
// Wipes the line.
void progress_end(progress *p);

#endif
