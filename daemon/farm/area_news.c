// What workers say of jobs that are over.
#include "daemon/farm/area.h"

#include "daemon/base/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_TILES = 16 };

static const char *world_name(const nd_coordinator *c, const nd_area *a)
{
    const nd_world *w = nd_worlds_find(c->with.builder->worlds, a->block.world);
    return w ? w->name : "";
}

// A few tiles by name, and how many there are.
static void log_set_aside(const nd_coordinator *c, const nd_area *a, const nd_done *d)
{
    char tiles[NAMED_TILES * 26 + 1] = "";
    size_t n = 0;
    for (uint32_t i = 0, named = 0; i < a->count && named < NAMED_TILES; i++) {
        if (a->ended[i]) continue;
        n += (size_t)snprintf(tiles + n, sizeof tiles - n, "%s%d:%d", named ? "," : "", a->tiles[i].run.x,
                              a->tiles[i].run.z);
        named++;
    }
    const char *name = world_name(c, a);
    nd_log(ND_LOG_ERROR, "farm.set_aside",
           "job=%" PRIu64 " worker=%s world=%" PRIu64 " name=%s profile=%u tiles=%u x_z=%s made=at_home", a->number,
           d->worker, a->block.world, nd_log_quote(name, strlen(name)).text, a->block.profile, a->left, tiles);
}

static void log_refused(const nd_area *a, const nd_done *d)
{
    nd_log(ND_LOG_WARN, "farm.refused", "job=%" PRIu64 " worker=%s tiles=%u why=%s made=at_home", a->number, d->worker,
           a->left, nd_log_quote_sentence(nd_log_quote(d->why.data ? d->why.data : "", d->why.size).text).text);
}

// Those that the worker could not make are made here, whatever it was there.
static void return_failed(nd_coordinator *c, nd_area *a, const nd_done *d)
{
    for (uint32_t k = 0; k < d->tile_count; k++)
        for (uint32_t i = 0; i < a->count; i++) {
            const nd_run *run = &a->tiles[i].run;
            if (a->ended[i] || run->x != d->tiles[k].x || run->z != d->tiles[k].z) continue;
            nd_area_return_tile(c, a, i);
        }
}

static void take(nd_coordinator *c, nd_area *a, const nd_done *d)
{
    switch (d->status) {
    case ND_DONE_BUILT:
        return_failed(c, a, d);
        if (d->found) c->unfound = 0;
        a->over = true;
        if (!a->tasks) nd_coordinator_route(c, a); // else when its pack is read
        return;
    case ND_DONE_NO_MESH:
        for (uint32_t i = 0; i < d->mesh_count; i++) nd_mesh_share_forget(c->with.meshes, a->space, d->meshes[i]);
        if (!a->sent_again) {
            a->sent_again = true;
            nd_area_send(c, a, false);
            return;
        }
        break;
    case ND_DONE_SET_ASIDE:
        c->stats.set_aside++;
        log_set_aside(c, a, d);
        break;
    case ND_DONE_REFUSED:
    case ND_DONE_FAILED:
    case ND_DONE_STATUSES:
        c->stats.refused++;
        log_refused(a, d);
        break;
    }
    nd_area_return(c, a, ND_AWAY_NEVER);
}

void nd_area_on_news(void *coordinator, const nd_bus_message *m)
{
    nd_coordinator *c = coordinator;
    np_message note;
    np_error err;
    nd_done d;
    if (nd_done_read(m->bytes, m->count, &note, &d, &err) == NAV_OK) {
        nd_area *a = nd_area_find(c, d.job);
        if (a && !a->dropped && (a->state == ND_AREA_OUT || a->state == ND_AREA_SENT)) take(c, a, &d);
    }
    np_message_deinit(&note);
}
