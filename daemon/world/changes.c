#include "daemon/world/changes.h"

#include "daemon/base/age_list.h"
#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/world/reach.h"

#include <stdlib.h>

static nd_removed *find_removed(const nd_changes *c, uint32_t profile, int32_t x, int32_t z)
{
    for (nd_node *n = nd_table_first(&c->table, nd_hash_tile(profile, x, z)); n; n = nd_table_next(n)) {
        nd_removed *r = ND_HOLDER(n, nd_removed, node);
        if (r->profile == profile && r->x == x && r->z == z) return r;
    }
    return NULL;
}

static void unlink_removed(nd_changes *c, nd_removed *r)
{
    ND_AGE_UNLINK(c, r);
    nd_table_remove(&c->table, &r->node);
}

static void forget(nd_changes *c, nd_removed *r)
{
    if (r->changed > c->horizon) c->horizon = r->changed;
    c->forgotten++;
    unlink_removed(c, r);
    free(r);
}

void nd_changes_add_removed(nd_world *w, uint32_t profile, int32_t x, int32_t z, uint64_t changed)
{
    ND_ASSERT_LOOP_THREAD();
    nd_changes *c = &w->removed;
    nd_removed *r = find_removed(c, profile, x, z);
    if (r) {
        unlink_removed(c, r);
    } else {
        if (c->table.count == ND_MAX_REMOVED) forget(c, c->oldest);
        r = nd_table_reserve(&c->table, 1) == NAV_OK ? calloc(1, sizeof *r) : NULL;
        if (!r) {
            nd_changes_forget_removed(w);
            if (changed > c->horizon) c->horizon = changed;
            return;
        }
        r->profile = profile;
        r->x = x;
        r->z = z;
    }
    r->changed = changed;
    // Nearly always the newest of all.
    nd_removed *newer = NULL, *older = c->newest;
    while (older && older->changed > changed) {
        newer = older;
        older = older->older;
    }
    r->newer = newer;
    r->older = older;
    *(newer ? &newer->older : &c->newest) = r;
    *(older ? &older->newer : &c->oldest) = r;
    nd_table_insert(&c->table, &r->node, nd_hash_tile(profile, x, z));
}

void nd_changes_forget_removed(nd_world *w)
{
    while (w->removed.oldest) forget(&w->removed, w->removed.oldest);
}

void nd_changes_deinit(nd_changes *c)
{
    while (c->oldest) forget(c, c->oldest);
    nd_table_deinit(&c->table);
}

static bool is_seen(const nd_tile_result *r)
{
    return r->status != NP_TILE_PENDING && r->status != NP_TILE_REMOVED;
}

// A tile of which nothing is known may be with a client from before a restart, so that it goes is a change.
static bool is_same(const nd_tile_result *a, const nd_tile_result *b)
{
    if (!is_seen(a) || !is_seen(b)) return a->status == b->status;
    return a->status == b->status && nav_key_equal(a->content, b->content);
}

void nd_changes_note(nd_world *w, nd_tile *t, const nd_tile_result *before)
{
    ND_ASSERT_LOOP_THREAD();
    nd_tile_result *r = &t->result;
    r->changed = before->changed;
    nd_scheduler_note_result(&w->scheduler, t, before->status);
    if (is_same(r, before)) return;
    uint64_t told = w->scheduler.told;
    if (t->told && r->revision <= told) {
        if (w->revision <= told) w->revision = told + 1;
        r->revision = w->revision;
    }
    r->changed = r->revision;
    if (r->status == NP_TILE_REMOVED) nd_changes_add_removed(w, t->profile, t->x, t->z, r->changed);
}

bool nd_changes_reach_back(const nd_world *w, uint64_t since)
{
    return since >= w->removed.horizon && since <= w->revision;
}

const nd_removed *nd_changes_newest_removed(const nd_world *w)
{
    return w->removed.newest;
}

uint64_t nd_changes_complete_in(const nd_world *w, const nd_watch *watch)
{
    const nd_scheduler *s = &w->scheduler;
    uint64_t done = !watch || nd_goal_is_on(&w->goal) ? nd_scheduler_complete_to(s, w->revision)
                                                      : nd_scheduler_complete_in(s, watch, w->revision);
    return done < w->durable ? done : w->durable;
}
