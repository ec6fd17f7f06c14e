// What nobody reports: threads that hardly run, a queue that only grows.
#include "daemon/work/steps.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

#define SECOND_NS UINT64_C(1000000000)

#define LOOK_NS UINT64_C(500000000)

void nd_watch_workers(nd_builder *b)
{
    uint64_t now_ns = nd_now_ns();
    if (now_ns < b->look_ns) return;
    b->look_ns = now_ns + LOOK_NS;
    nd_workers_look(b->workers, now_ns);
}

// Sampled while something is made: else the queue is empty, and the minute starts again.
void nd_watch_backlog(nd_builder *b)
{
    uint64_t now_ns = nd_now_ns();
    size_t depth = 0;
    bool was = b->backlog.growing;
    if (!b->running) {
        b->backlog = (nd_backlog){.count = 0};
        b->sample_ns = 0;
    } else if (now_ns >= b->sample_ns) {
        b->sample_ns = now_ns + SECOND_NS;
        for (size_t i = 0; i < b->worlds->count; i++) depth += nd_scheduler_queued(&b->worlds->list[i]->scheduler);
        (void)nd_backlog_sample(&b->backlog, depth);
    }
    if (b->backlog.growing == was) return;
    nd_log(was ? ND_LOG_INFO : ND_LOG_WARN, was ? "backlog.over" : "backlog.growing", "tiles=%zu", depth);
}
