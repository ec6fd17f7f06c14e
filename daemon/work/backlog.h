// Is the queue growing? One sample per second, for a minute. It is growing if it was never empty and its smallest
// depth was greater in each quarter of the minute than in the one before. A large first build, which jumps up and
// then shrinks, does not count, nor does a queue that goes up and down. Owner: one thread.
#ifndef ND_BACKLOG_H
#define ND_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>

enum { ND_BACKLOG_SECONDS = 60, ND_BACKLOG_PARTS = 4 };

typedef struct nd_backlog {
    size_t depths[ND_BACKLOG_SECONDS];
    unsigned next, count;
    bool growing;
} nd_backlog;

// True: `growing` has changed.
bool nd_backlog_sample(nd_backlog *b, size_t depth);

#endif
