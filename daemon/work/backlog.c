#include "daemon/work/backlog.h"

enum { PART = ND_BACKLOG_SECONDS / ND_BACKLOG_PARTS };

static size_t least_of(const nd_backlog *b, unsigned part)
{
    size_t least = (size_t)-1;
    for (unsigned i = part * PART; i < (part + 1) * PART; i++) {
        size_t depth = b->depths[(b->next + i) % ND_BACKLOG_SECONDS]; // `next` holds the oldest
        if (depth < least) least = depth;
    }
    return least;
}

bool nd_backlog_sample(nd_backlog *b, size_t depth)
{
    bool was = b->growing;
    b->depths[b->next] = depth;
    b->next = (b->next + 1) % ND_BACKLOG_SECONDS;
    if (b->count < ND_BACKLOG_SECONDS) b->count++;
    bool grows = b->count == ND_BACKLOG_SECONDS && least_of(b, 0) > 0;
    for (unsigned p = 1; p < ND_BACKLOG_PARTS && grows; p++) grows = least_of(b, p) > least_of(b, p - 1);
    // Once said, it stays until the queue gets shorter.
    bool shrinks = b->growing && least_of(b, ND_BACKLOG_PARTS - 1) < least_of(b, ND_BACKLOG_PARTS - 2);
    b->growing = (was && !shrinks && depth) || grows;
    return b->growing != was;
}
