// The shared cache is asked for an area's tiles.
#include "daemon/farm/area.h"

#include "daemon/base/clock.h"

#include <stdlib.h>
#include <string.h>

// --- a lane's thread ---

typedef struct ask {
    nd_bus_task task;
    nd_coordinator *c;
    uint64_t area;
    nd_pack_place place;
    nd_wanted *wanted;
    nav_status status;
    uint64_t began_ns;
} ask;

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    ask *a = (ask *)task;
    a->status = nd_pack_look_up(link, &a->place, a->wanted);
}

// --- loop thread ---

static void done(nd_bus_task *task, bool ran)
{
    ask *a = (ask *)task;
    nd_coordinator *c = a->c;
    nd_area *area = nd_area_find(c, a->area); // it stays for its tasks
    if (ran) nd_histogram_add(&c->stats.ask, (nd_now_ns() - a->began_ns) / 1000);
    if (ran && a->status != NAV_OK && a->status != NAV_ERR_NOT_FOUND) {
        c->stats.asks_failed++;
        nd_coordinator_trouble(c, "ask", a->status);
    }
    nd_area_arrive(c, area, a->wanted, false);
    free(a);
}

bool nd_area_ask(nd_coordinator *c, nd_area *area)
{
    ask *a = calloc(1, sizeof *a);
    if (a) a->wanted = nd_area_wanted(area);
    if (!a || !a->wanted) {
        free(a);
        return false;
    }
    a->task.run = run;
    a->task.done = done;
    a->c = c;
    a->area = area->number;
    a->place = (nd_pack_place){.farm = c->with.farm, .area = area->key};
    memcpy(a->place.space, area->space, sizeof a->place.space);
    a->began_ns = nd_now_ns();
    area->tasks++;
    area->answered = false;
    nd_bus_push(c->with.bus, ND_BUS_LOOKUPS, &a->task);
    return true;
}
