#include "clients/navctl/bake/farm_work.h"
#include "clients/navctl/output/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double PATIENCE_S = 3;

static uint64_t counter_of(const navd_counter *all, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].name, name)) return all[i].value;
    return 0;
}

bool farm_work_read(navd_client *c, farm_work *out)
{
    navd_counter *all = NULL;
    size_t count = 0;
    *out = (farm_work){.up = false};
    if (navd_stats(c, &all, &count) != NAVD_OK) return false;
    out->up = counter_of(all, count, "farm_up");
    out->found = counter_of(all, count, "farm_found");
    out->made = counter_of(all, count, "farm_made");
    out->built = counter_of(all, count, "jobs_built");
    free(all);
    return true;
}

void farm_work_json(const farm_work *work, json_writer *w)
{
    json_int(w, "farm_found", (int64_t)work->found);
    json_int(w, "farm_made", (int64_t)work->made);
    json_int(w, "built_here", (int64_t)work->built);
}

void farm_work_await(navd_client *c)
{
    const double until_s = now_s() + PATIENCE_S;
    farm_work w;
    while (farm_work_read(c, &w) && !w.up && now_s() < until_s)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (!w.up)
        fprintf(stderr, "navctl: the farm cannot be reached (is there a nats-server with JetStream at --farm?): this "
                        "machine builds everything itself until it can\n");
}
