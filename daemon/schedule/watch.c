#include "daemon/schedule/watch.h"

#include <assert.h>
#include <string.h>

// The newest group that is not newer than `since`, or -1.
static int find_group(const nd_watch *w, uint64_t since)
{
    int at = (int)w->group_count - 1;
    while (at >= 0 && w->open[at].since > since) at--;
    return at;
}

static void insert_group(nd_watch *w, int at, uint64_t since)
{
    memmove(&w->open[at + 1], &w->open[at], (w->group_count - (size_t)at) * sizeof *w->open);
    w->open[at].since = since;
    w->open[at].count = 0;
    w->group_count++;
}

void nd_watch_open(nd_watch *w, uint64_t since)
{
    int at = find_group(w, since);
    if (at < 0 && w->group_count == ND_WATCH_GROUPS) {
        at = 0;
        w->open[0].since = since;
    } else if ((at < 0 || w->open[at].since != since) && w->group_count < ND_WATCH_GROUPS) {
        insert_group(w, ++at, since);
    }
    w->open[at].count++;
}

static void watch_close(nd_watch *w, uint64_t since)
{
    int at = find_group(w, since);
    assert(at >= 0 && w->open[at].count > 0);
    if (--w->open[at].count) return;
    w->group_count--;
    memmove(&w->open[at], &w->open[at + 1], (w->group_count - (size_t)at) * sizeof *w->open);
}

void nd_watches_open(nd_watch *all, uint32_t profile, int32_t x, int32_t z, uint64_t since)
{
    for (nd_watch *w = all; w; w = w->next)
        if (nd_watch_covers(w, profile, x, z)) nd_watch_open(w, since);
}

void nd_watches_close(nd_watch *all, uint32_t profile, int32_t x, int32_t z, uint64_t since)
{
    for (nd_watch *w = all; w; w = w->next)
        if (nd_watch_covers(w, profile, x, z)) watch_close(w, since);
}
