#include "daemon/world/reach.h"
#include "daemon/world/areas.h"

#include "core/reach/packed.h"
#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/world/profiles.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct nd_reach {
    nd_world *world;
    uint32_t profile;
    nav_reach *graph;
    // The tile last looked into: seeds and links often ask for one again.
    nav_settings settings; // of the tile that is open
    nav_arena arena;
    nav_buffer raw;
    nd_blob *open;
    nav_tile tile;
    int32_t *part;
    uint8_t *off; // of the tile last judged
    size_t off_capacity;
};

typedef struct version {
    nav_key source;
    nd_cached base; // references of its blob and parts
} version;

// now is what the graph knows; next is staged where it has parts.
struct nd_base {
    version now, next;
    uint64_t settings; // nd_profile.version of those that it was made with
};

bool nd_goal_is_on(const nd_goal *g)
{
    return g->mode != NAV_UNREACHABLE_KEEP && nav_reach_goal_is_set(&g->goal);
}

void nd_goal_refuse_sheets(np_str profile, char *why, size_t why_bytes)
{
    snprintf(
        why, why_bytes,
        "profile \"%.*s\" has sheets other than up, and what can be reached is known along floors alone: leave out "
        "seeds and island_min_area_m2, or give the profile the sheets [\"up\"]",
        (int)profile.size, profile.data);
}

nd_goal nd_goal_of_wire(const np_reach *r)
{
    nd_goal g = {.mode = r->unreachable, .goal = {.seed_count = r->seed_count, .min_area_m2 = r->island_min_area_m2}};
    for (uint32_t i = 0; i < r->seed_count; i++) memcpy(g.goal.seeds[i], r->seeds[i].at, sizeof g.goal.seeds[i]);
    return g;
}

np_reach nd_goal_to_wire(const nd_goal *g, np_seed *seeds)
{
    for (uint32_t i = 0; i < g->goal.seed_count; i++) memcpy(seeds[i].at, g->goal.seeds[i], sizeof seeds[i].at);
    return (np_reach){g->mode, g->goal.seed_count, seeds, g->goal.min_area_m2};
}

static nd_reach *reach_of(const nd_world *w, uint32_t profile)
{
    return w->profiles[profile].reach;
}

// --- base tiles

static void set_version(version *v, nav_key source, const nd_cached *base)
{
    version old = *v;
    *v = (version){.source = source};
    if (base) v->base = *base;
    if (v->base.blob) nd_blob_ref(v->base.blob);
    if (v->base.parts) nav_parts_ref(v->base.parts);
    nd_blob_unref(old.base.blob);
    nav_parts_unref(old.base.parts);
}

static bool is_staged(const nd_tile *t)
{
    return t->base && t->base->next.base.parts;
}

static void unstage(nd_tile *t)
{
    set_version(&t->base->next, (nav_key){0, 0}, NULL);
}

static void forget_base(nd_tile *t)
{
    if (!t->base) return;
    unstage(t);
    set_version(&t->base->now, (nav_key){0, 0}, NULL);
    free(t->base);
    t->base = NULL;
    t->settled = false;
}

// Is there one, made with settings that the profile does not have any more? The graph knows nothing of it.
static bool is_stale(const nd_world *w, const nd_tile *t)
{
    return t->base && t->base->settings != w->profiles[t->profile].version;
}

static void forget_stale(const nd_world *w, nd_tile *t)
{
    if (is_stale(w, t)) forget_base(t);
}

void nd_reach_forget(nd_tile *t)
{
    forget_base(t);
}

static void close_tile(nd_reach *r)
{
    nd_blob_unref(r->open);
    r->open = NULL;
}

// Unpacks a base tile into the reach's arena.
static nav_status open_tile(nd_reach *r, const nd_cached *base)
{
    uint32_t parts;
    if (r->open == base->blob) return NAV_OK;
    close_tile(r);
    nav_arena_reset(&r->arena);
    r->raw.size = 0;
    nav_status s = nav_buffer_reserve(&r->raw, (size_t)base->size);
    if (s != NAV_OK) return s;
    size_t n = ZSTD_decompress(r->raw.data, (size_t)base->size, base->blob->data, base->blob->size);
    if (n != base->size) return NAV_ERR_MEMORY; // we made it: only memory can fail
    nd_world_settings(r->world, r->profile, &r->settings);
    s = nav_tile_unpack(r->raw.data, n, &r->settings, &r->arena, &r->tile);
    if (s == NAV_OK) s = nav_parts_of_polygons(&r->tile.polygons, &r->arena, &r->part, &parts);
    if (s == NAV_OK) r->open = nd_blob_ref(base->blob);
    return s;
}

static int32_t find_part(void *user, int32_t x, int32_t z, const nav_place_query *q, double *distance2)
{
    nd_reach *r = user;
    const nd_tile *t = nd_scheduler_find(&r->world->scheduler, r->profile, x, z);
    if (!t || !t->base || is_stale(r->world, t) || !t->base->now.base.blob ||
        open_tile(r, &t->base->now.base) != NAV_OK)
        return -1;
    return nav_parts_find(&r->tile, r->part, q, distance2);
}

// --- goals

static nav_status create(nd_world *w, uint32_t profile, const nav_settings *settings, const nd_goal *goal,
                         nd_reach **out)
{
    nd_reach *r = *out = calloc(1, sizeof *r);
    if (!r) return NAV_ERR_MEMORY;
    nav_arena_init(&r->arena, 0);
    r->world = w;
    r->profile = profile;
    return nav_reach_create(settings, &goal->goal, find_part, r, &r->graph);
}

void nd_reach_free(nd_world *w, nd_reach *r)
{
    if (!r) return;
    close_tile(r);
    if (r->graph) w->reach_steps += nav_reach_count(r->graph).steps;
    nav_reach_destroy(r->graph);
    nav_arena_deinit(&r->arena);
    nav_buffer_deinit(&r->raw);
    free(r->off);
    free(r);
}

void nd_reach_drop_profile(nd_world *w, uint32_t profile)
{
    nd_reach_free(w, reach_of(w, profile));
    w->profiles[profile].reach = NULL;
}

static void forget_node(void *user, nd_node *n)
{
    (void)user;
    forget_base(ND_HOLDER(n, nd_tile, node));
}

void nd_reach_deinit(nd_world *w)
{
    nd_table_each(&w->scheduler.tiles, forget_node, NULL);
    for (uint32_t p = 0; p < w->profile_count; p++) nd_reach_drop_profile(w, p);
}

nav_status nd_reach_make(nd_world *w, uint32_t profile, const nav_settings *settings, nd_reach **out)
{
    *out = NULL;
    if (!nd_goal_is_on(&w->goal)) return NAV_OK;
    nav_status s = create(w, profile, settings, &w->goal, out);
    if (s == NAV_OK) return s;
    nd_reach_free(w, *out);
    *out = NULL;
    return s;
}

void nd_reach_renew(nd_world *w, uint32_t profile, nd_reach *made)
{
    ND_ASSERT_LOOP_THREAD();
    nd_reach_drop_profile(w, profile);
    w->profiles[profile].reach = made;
}

nav_status nd_reach_prepare(nd_world *w, const nd_goal *goal)
{
    nav_status s = NAV_OK;
    bool was_on = nd_goal_is_on(&w->goal);
    if (!nd_goal_is_on(goal) || was_on) return NAV_OK;
    for (uint32_t p = 0; p < w->profile_count && s == NAV_OK; p++)
        if (nd_profile_is_live(w, p) && !reach_of(w, p))
            s = create(w, p, &w->profiles[p].wire.settings, goal, &w->profiles[p].reach);
    for (uint32_t p = 0; p < w->profile_count && s != NAV_OK; p++) nd_reach_drop_profile(w, p);
    return s;
}

typedef struct marker {
    nd_world *w;
    nd_mark mark;
    bool masked_only;
    size_t count;
} marker;

// Does the tile differ from its base tile?
static bool is_masked(const nd_tile *t)
{
    return t->base && !nav_key_equal(t->result.source, t->base->now.source);
}

// What follows from a tile that is not clean: for the same caller, as urgent.
static nd_mark consequence(const nd_tile *t, uint64_t since, uint64_t now_ns)
{
    return (nd_mark){.revision = since,
                     .now_ns = now_ns,
                     .class = t->class,
                     .by = ND_BY_REACH,
                     .caller = t->flow ? t->flow->caller : NULL};
}

static void mark_node(void *user, nd_node *n)
{
    marker *m = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    forget_stale(m->w, t);
    bool waits = t->state == ND_TILE_HELD || (t->state == ND_TILE_RUNNING && t->masking);
    if (m->masked_only && !waits && (t->state != ND_TILE_CLEAN || !is_masked(t))) return;
    nd_world_mark(m->w, t, &m->mark);
    m->count++;
}

// The graph's tiles whose verdict has changed go to their subscribers. settled: it is a verdict on a whole revision.
static void pass_on(nd_reach *r, const nd_mark *m, bool settled)
{
    nd_world *w = r->world;
    int32_t x, z;
    while (nav_reach_next_changed(r->graph, &x, &z)) {
        nd_tile *t = nd_scheduler_find(&w->scheduler, r->profile, x, z);
        if (!t || !t->base || is_stale(w, t)) continue;
        if (t->state == ND_TILE_CLEAN) {
            nd_verdict v = nd_reach_judge(w, t, t->base->now.source);
            if (nav_key_equal(v.delivered, t->result.source)) continue;
            nd_world_mark(w, t, m);
            t->settled = settled;
        } else if (t->state == ND_TILE_HELD && !is_staged(t)) {
            if (!nd_reach_judge(w, t, t->base->now.source).hold) nd_scheduler_release(&w->scheduler, t);
        } else if (t->state == ND_TILE_RUNNING && t->masking) {
            nd_world_mark(w, t, m); // masks what is not so any more
        }
    }
}

size_t nd_reach_change(nd_world *w, const nd_goal *goal, nd_caller *caller, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    bool was_on = nd_goal_is_on(&w->goal), on = nd_goal_is_on(goal), other_mode = w->goal.mode != goal->mode;
    const nd_mark mark = {
        .revision = w->revision, .now_ns = now_ns, .class = ND_BACKGROUND, .by = ND_BY_AREA, .caller = caller};
    marker m = {.w = w, .mark = mark};
    w->goal = *goal;
    if (!was_on && !on) return 0;
    if (was_on && on) {
        for (uint32_t p = 0; p < w->profile_count; p++) {
            if (!reach_of(w, p)) continue; // no profile
            nav_reach_set_goal(reach_of(w, p)->graph, &goal->goal);
            if (nav_reach_update(reach_of(w, p)->graph) != NAV_OK) continue; // with the next change
            pass_on(reach_of(w, p), &mark, true);
        }
        m.masked_only = true;
        if (other_mode) nd_table_each(&w->scheduler.tiles, mark_node, &m);
        return m.count;
    }
    if (!on) nd_reach_deinit(w);
    m.mark.voids = true; // a base tile has no place any more, or is one from now on
    nd_table_each(&w->scheduler.tiles, mark_node, &m);
    return m.count;
}

// --- tiles

bool nd_reach_has(const nd_world *w, const nd_tile *t, nav_key source)
{
    const struct nd_base *b = t->base;
    return b && !is_stale(w, t) &&
           ((b->now.base.blob && nav_key_equal(b->now.source, source)) ||
            (is_staged(t) && nav_key_equal(b->next.source, source)));
}

const nd_cached *nd_reach_base(const nd_world *w, const nd_tile *t)
{
    return t->base && !is_stale(w, t) && t->base->now.base.blob ? &t->base->now.base : NULL;
}

static bool reserve_off(nd_reach *r, uint32_t parts)
{
    if (parts <= r->off_capacity) return true;
    uint8_t *grown = realloc(r->off, 2 * (size_t)parts);
    if (!grown) return false;
    r->off = grown;
    r->off_capacity = 2 * (size_t)parts;
    return true;
}

nav_status nd_reach_guess_of(nd_world *w, const nd_tile *t, nd_reach_guess *out)
{
    nd_reach *r = reach_of(w, t->profile);
    const nd_cached *base = nd_reach_base(w, t);
    double cell = (double)w->profiles[t->profile].wire.settings.cell_size_m;
    double cells = 2 * w->goal.goal.min_area_m2 / (cell * cell);
    int64_t min = w->goal.goal.seed_count || cells > 1e18 ? INT64_MAX : (int64_t)cells; // a guess only
    if (base) {
        if (!reserve_off(r, base->parts->count + 1)) return NAV_ERR_MEMORY;
        (void)nav_reach_mask(r->graph, t->x, t->z, r->off);
    }
    *out = (nd_reach_guess){
        .mode = w->goal.mode, .before = base ? base->parts : NULL, .off = r->off, .min_doubled_area = min};
    return NAV_OK;
}

// The graph gets the parts and finds the tile's ground in `base` from now on.
static nav_status install(nd_reach *r, nd_tile *t, nav_key source, const nd_cached *base)
{
    nav_status s = nav_reach_put(r->graph, t->x, t->z, nav_parts_ref(base->parts));
    if (s == NAV_OK) set_version(&t->base->now, source, base);
    return s;
}

nav_status nd_reach_arrive(nd_world *w, nd_tile *t, nav_key source, const nd_cached *base)
{
    ND_ASSERT_LOOP_THREAD();
    nd_reach *r = reach_of(w, t->profile);
    const nav_parts *now = nav_reach_get(r->graph, t->x, t->z);
    forget_stale(w, t);
    if (!t->base) t->base = calloc(1, sizeof *t->base);
    if (!t->base) return NAV_ERR_MEMORY;
    t->base->settings = w->profiles[t->profile].version;
    unstage(t);
    if (now && nav_key_equal(t->base->now.base.content_key, base->content_key)) {
        t->base->now.source = source; // another input, the same tile
        return NAV_OK;
    }
    t->settled = false;
    if (now && !nav_parts_same(now, base->parts)) {
        set_version(&t->base->next, source, base);
        return NAV_OK;
    }
    nav_status s = install(r, t, source, base);
    if (s == NAV_OK) s = nav_reach_update(r->graph);
    nd_mark m = consequence(t, t->since, nd_now_ns());
    if (s == NAV_OK) pass_on(r, &m, false);
    return s;
}

void nd_reach_remove(nd_world *w, nd_tile *t)
{
    nd_reach *r = reach_of(w, t->profile);
    if (!r) return;
    forget_base(t);
    (void)(nav_reach_put(r->graph, t->x, t->z, NULL) == NAV_OK); // taking away takes no memory
    nd_mark m = consequence(t, t->since, nd_now_ns());
    if (nav_reach_update(r->graph) == NAV_OK) pass_on(r, &m, false);
}

nd_verdict nd_reach_judge(nd_world *w, nd_tile *t, nav_key source)
{
    nd_reach *r = reach_of(w, t->profile);
    struct nd_base *b = t->base;
    nd_verdict v = {.delivered = source};
    bool staged = is_staged(t) && nav_key_equal(b->next.source, source);
    if (is_staged(t) && !staged) unstage(t); // the input is as it was before
    const nav_parts *parts = nav_reach_get(r->graph, t->x, t->z);
    v.base = &b->now.base;
    v.content = b->now.base.content_key;
    v.parts = parts ? parts->count : 0;
    v.hold = staged || !reserve_off(r, v.parts + 1);
    if (v.hold) return v;
    v.off = r->off;
    uint32_t off = nav_reach_mask(r->graph, t->x, t->z, r->off);
    v.delivered = nav_masked_key(source, nav_mask_key(r->off, v.parts, w->goal.mode));
    v.hold = off && !t->settled;
    return v;
}

void nd_reach_commit(nd_world *w, nd_tile *t, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    nd_reach *r = reach_of(w, t->profile);
    const nd_mark m = consequence(t, t->since, now_ns);
    forget_stale(w, t);
    t->settled = true;
    if (is_staged(t) && install(r, t, t->base->next.source, &t->base->next.base) == NAV_OK) unstage(t);
    if (nav_reach_update(r->graph) == NAV_OK) pass_on(r, &m, true);
}

// The tiles held because of this revision: the first of them in the list, or NULL.
static nd_tile *held_group(const nd_world *w, uint64_t since)
{
    const nd_tile_list *held = &w->scheduler.held;
    if (held->oldest->since == since) return held->oldest;
    nd_tile *t = held->newest, *first = NULL;
    while (t && t->since > since) t = t->before;
    for (; t && t->since == since; t = t->before) first = t;
    return first;
}

void nd_reach_settle(nd_world *w, uint64_t since, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    if (!w->scheduler.held.oldest || !nd_scheduler_was_last(&w->scheduler, since)) return;
    nd_tile *first = held_group(w, since);
    if (!first) return;
    const nd_mark m = consequence(first, since, now_ns);
    for (nd_tile *t = first; t && t->since == since; t = t->after) {
        forget_stale(w, t);
        if (!is_staged(t) || !reach_of(w, t->profile)) continue;
        // Where no memory is left the graph keeps the old parts, and the tile is generated again when it is looked at.
        nd_reach *r = reach_of(w, t->profile);
        if (install(r, t, t->base->next.source, &t->base->next.base) == NAV_OK) unstage(t);
    }
    for (nd_tile *t = first, *next; t && t->since == since; t = next) {
        next = t->after;
        t->settled = true;
        nd_scheduler_release(&w->scheduler, t);
    }
    for (uint32_t p = 0; p < w->profile_count; p++) {
        nd_reach *r = reach_of(w, p);
        if (r && nav_reach_update(r->graph) == NAV_OK) pass_on(r, &m, true);
    }
}

bool nd_reach_count(const nd_world *w, uint32_t profile, nav_reach_counts *out)
{
    const nd_reach *r = reach_of(w, profile);
    if (r) *out = nav_reach_count(r->graph);
    return r != NULL;
}

uint64_t nd_reach_steps(const nd_world *w)
{
    nav_reach_counts counts;
    uint64_t steps = w->reach_steps;
    for (uint32_t p = 0; p < w->profile_count; p++)
        if (nd_reach_count(w, p, &counts)) steps += counts.steps;
    return steps;
}

bool nd_reach_seed_found(const nd_world *w, uint32_t profile, uint32_t seed)
{
    const nd_reach *r = reach_of(w, profile);
    return r && nav_reach_seed_found(r->graph, seed);
}
