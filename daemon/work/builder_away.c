// Tiles of worlds that are given away, and come back.
#include "daemon/work/away.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/work/steps.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"

uint8_t nd_away_form(const nd_world *w, uint32_t profile)
{
    return w->profiles[profile].reach ? 0 : nd_wanted_encodings(&w->profiles[profile]);
}

// As far as the tile alone tells. Encodings that only one tile is asked for are made here.
static bool may_go(const nd_world *w, const nd_tile *t, uint8_t form, bool missed_too)
{
    if (t->state != ND_TILE_QUEUED || t->class != ND_BACKGROUND || t->resting || t->forced) return false;
    if (t->away == ND_AWAY_NEVER || (t->away == ND_AWAY_MISSED && !missed_too)) return false;
    return !(t->asked & ~form) && nd_scheduler_is_watched(&w->scheduler, t);
}

// Is what others would make here already, or perhaps on the disk? Then the tile goes on by itself.
static bool is_here(const nd_builder *b, const nd_tile *t, const nd_block_tile *is, uint8_t form)
{
    nd_cached found[ND_ENCODINGS];
    if (nd_jobs_ask_cache(b->cache, is->bare, form, found)) return true;
    if (t->missed) return false;
    if (is->linked && nd_jobs_ask_cache(b->cache, is->whole, form, found)) return true;
    return nd_step_is_as_it_was(t, is->whole) || nd_lookup_may_find(b->disk, is->bare, form);
}

static bool take(nd_builder *b, const nd_taking *what, nd_tile *t, uint32_t tile, uint8_t form, uint64_t now_ns)
{
    nd_block_tile is;
    if (!nd_block_look(&b->block, tile, &is) || is.lost || is_here(b, t, &is, form)) return false;
    nd_away_tile *a = what->place(what->user);
    if (!a) return false;
    t->begun_ns = now_ns;
    t->masking = false;
    const uint8_t wanted = (uint8_t)(nd_wanted_encodings(&what->world->profiles[t->profile]) | t->asked);
    const nd_made m = {what->world->revision, (t->begun_ns - t->marked_ns) / 1000, 0, wanted};
    if (!t->missed) b->cache->miss_count++;
    a->run = nd_step_run(what->world, t, &m, nd_scheduler_start_away(&what->world->scheduler, t));
    a->source = is.bare;
    a->bare = is.linked;
    return true;
}

uint32_t nd_builder_take(nd_builder *b, const nd_taking *what, nav_key *anchor)
{
    ND_ASSERT_LOOP_THREAD();
    enum { AHEAD = 8, SIDE = ND_BLOCK_SIDE, TILES = SIDE * SIDE };
    nd_tile *tiles[TILES];
    uint32_t count = 0, may = 0;
    const nd_scheduler *s = &what->world->scheduler;
    if (what->world->applying || !nd_profile_is_live(what->world, what->profile)) return 0;
    const uint8_t form = nd_away_form(what->world, what->profile);
    if (!form) return 0;
    for (int32_t i = 0; i < TILES + AHEAD; i++) {
        const int32_t k = i - AHEAD;
        if (i < TILES) nd_scheduler_expect(s, what->profile, what->x + i % SIDE, what->z + i / SIDE);
        if (k < 0) continue;
        tiles[k] = nd_scheduler_find(s, what->profile, what->x + k % SIDE, what->z + k / SIDE);
        if (tiles[k] && !may_go(what->world, tiles[k], form, what->missed_too)) tiles[k] = NULL;
        may += tiles[k] != NULL;
    }
    if (!may || nd_block_collect(&b->block, what->world, what->profile, what->x, what->z, SIDE, SIDE) != NAV_OK)
        return 0;
    const uint64_t now_ns = nd_now_ns();
    for (uint32_t k = 0; k < TILES; k++)
        if (tiles[k]) count += take(b, what, tiles[k], k, form, now_ns);
    b->away_steps += count;
    *anchor = b->block.anchor;
    return count;
}

bool nd_builder_needs(const nd_builder *b, const nd_away_tile *a)
{
    const nd_world *w = nd_worlds_find(b->worlds, a->run.world);
    const nd_tile *t = w ? nd_scheduler_find(&w->scheduler, a->run.profile, a->run.x, a->run.z) : NULL;
    return t && nd_scheduler_is_newest(t, a->run.ticket) && w->profiles[a->run.profile].version == a->run.version;
}

nav_status nd_builder_open_block(nd_builder *b, const nd_world *w, uint32_t profile, int32_t x, int32_t z)
{
    return nd_block_collect(&b->block, w, profile, x, z, ND_BLOCK_SIDE, ND_BLOCK_SIDE);
}

const nd_view *nd_builder_view(nd_builder *b, const nd_away_tile *a)
{
    nd_block_tile is;
    const uint32_t tile = (uint32_t)(a->run.z - b->block.z) * ND_BLOCK_SIDE + (uint32_t)(a->run.x - b->block.x);
    if (!nd_builder_needs(b, a) || !nd_block_look(&b->block, tile, &is) || !nav_key_equal(is.bare, a->source))
        return NULL;
    return nd_block_view(&b->block, tile, &b->away_view) == NAV_OK ? &b->away_view : NULL;
}

void nd_builder_expect(const nd_builder *b, const nd_away_tile *a)
{
    const nd_world *w = nd_worlds_find(b->worlds, a->run.world);
    if (w) nd_scheduler_expect(&w->scheduler, a->run.profile, a->run.x, a->run.z);
}

void nd_builder_arrive(nd_builder *b, const nd_away_tile *a, uint8_t form, const nd_cached out[ND_ENCODINGS])
{
    ND_ASSERT_LOOP_THREAD();
    nd_world *w;
    nd_lookup l = {.source = a->source, .wanted = form, .bare = a->bare, .found = true};
    if (b->closing) return;
    for (unsigned e = 0; e < ND_ENCODINGS; e++) {
        if (!(form >> e & 1)) continue;
        l.out[e] = out[e];
        nd_jobs_keep_one(b, a->source, (uint8_t)e, &out[e]);
    }
    nd_tile *t = nd_step_tile_of(b, &a->run, &w);
    nd_builder_kick(b);
    if (!t) {
        b->stats.outdated++;
        return;
    }
    const nd_made m = nd_made_by(&a->run, 0);
    const uint64_t since = t->since;
    nav_status s = nd_step_found(b, w, t, &l, &m);
    if (s != NAV_OK) nd_step_fail(b, w, t, nd_reason_of(s), &m);
    nd_reach_settle(w, since, nd_now_ns());
}

void nd_builder_return(nd_builder *b, const nd_away_tile *a, nd_tile_away as)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world *w;
    if (b->closing) return;
    nd_tile *t = nd_step_tile_of(b, &a->run, &w);
    nd_builder_kick(b);
    if (!t) return;
    nd_scheduler_give_back(&w->scheduler, t);
    if (t->missed) t->away = as;
}

size_t nd_builder_backlog(const nd_builder *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->worlds->count; i++) {
        const nd_flows *f = &b->worlds->list[i]->scheduler.flows;
        n += f->counts[nd_fresh_queue(ND_BACKGROUND)] + f->counts[nd_missed_queue(ND_BACKGROUND)];
    }
    return n;
}

bool nd_builder_is_idle(const nd_builder *b)
{
    return nd_worker_is_free(b, ND_BACKGROUND) && !nd_shares_first(&b->queues[nd_missed_queue(ND_BACKGROUND)]);
}
