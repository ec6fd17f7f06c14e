#include "daemon/work/stage_log.h"

#include "daemon/base/thread.h"

#include <stdlib.h>

void nd_stage_log_deinit(nd_stage_log *log)
{
    free(log->list);
    *log = (nd_stage_log){.list = NULL};
}

void nd_stage_log_add(nd_stage_log *log, const nd_run *run, uint64_t made_us, const uint64_t stage_us[NAV_STAGE_COUNT])
{
    ND_ASSERT_LOOP_THREAD();
    if (!log->list) log->list = malloc(ND_STAGE_LOG_RUNS * sizeof *log->list);
    if (!log->list || !made_us) return;
    nd_stage_times *t = &log->list[log->next];
    *t = (nd_stage_times){.world = run->world, .made_us = made_us, .profile = run->profile, .x = run->x, .z = run->z};
    for (int i = 0; i < NAV_STAGE_COUNT; i++) t->us[i] = stage_us[i] < UINT32_MAX ? (uint32_t)stage_us[i] : UINT32_MAX;
    log->next = (log->next + 1) % ND_STAGE_LOG_RUNS;
    if (log->count < ND_STAGE_LOG_RUNS) log->count++;
}

const nd_stage_times *nd_stage_log_find(const nd_stage_log *log, uint64_t world, uint32_t profile, int32_t x, int32_t z,
                                        uint64_t made_us)
{
    ND_ASSERT_LOOP_THREAD();
    for (size_t i = 1; i <= log->count; i++) {
        const nd_stage_times *t = &log->list[(log->next + ND_STAGE_LOG_RUNS - i) % ND_STAGE_LOG_RUNS];
        if (t->x == x && t->z == z && t->profile == profile && t->world == world)
            return t->made_us == made_us ? t : NULL;
    }
    return NULL;
}
