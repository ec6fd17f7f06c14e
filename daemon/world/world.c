#include "daemon/world/world.h"

#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/world/changes.h"
#include "daemon/world/includes.h"
#include "daemon/world/marking.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const nd_world_limits nd_world_no_limits = {.max_objects = UINT64_MAX,
                                            .max_all_objects = UINT64_MAX,
                                            .max_edit_tiles = UINT64_MAX,
                                            .max_tiles = UINT64_MAX,
                                            .max_new_tiles = UINT64_MAX,
                                            .max_profiles = UINT32_MAX,
                                            .max_sources = UINT64_MAX};

static const double BUCKET_M = 16; // about a padded tile of the default settings

nav_status nd_world_create(uint64_t id, nd_namespace *space, np_str name, const double origin_m[3], nd_world **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world *w = calloc(1, sizeof *w);
    char *copy = malloc((size_t)name.size + 1);
    if (!w || !copy) {
        free(w);
        free(copy);
        return NAV_ERR_MEMORY;
    }
    if (name.size) memcpy(copy, name.data, name.size);
    copy[name.size] = 0;
    w->id = id;
    w->space = space;
    w->durable = UINT64_MAX;
    w->name = copy;
    memcpy(w->origin_m, origin_m, sizeof w->origin_m);
    for (int k = 0; k < ND_KIND_COUNT; k++) nav_spatial_index_init(&w->index[k], BUCKET_M);
    nd_scheduler_init(&w->scheduler);
    w->include_box = w->extent = nd_no_box;
    *out = w;
    return NAV_OK;
}

void nd_object_destroy(nd_object *o)
{
    if (o && o->kind == ND_INSTANCE) nd_mesh_unref(((nd_placed *)o)->mesh);
    if (o) nd_owner_unref(o->owner);
    if (o) nd_label_unref(o->label);
    free(o);
}

static void destroy_node(void *user, nd_node *n)
{
    (void)user;
    nd_object_destroy(ND_HOLDER(n, nd_object, node));
}

bool nd_world_empty_some(nd_world *w, size_t enough)
{
    ND_ASSERT_LOOP_THREAD();
    if (nd_scheduler_empty_some(&w->scheduler, enough, nd_reach_forget)) return true;
    int k = 0;
    while (k < ND_KIND_COUNT && !w->objects[k].count) k++;
    if (k == ND_KIND_COUNT) return false;
    nd_table_empty_some(&w->objects[k], enough, destroy_node, NULL);
    return true;
}

void nd_world_destroy(nd_world *w)
{
    if (!w) return;
    nd_marking_destroy(w->marking);
    nd_mesh_unref(w->awaited);
    nd_reach_deinit(w);
    for (int k = 0; k < ND_KIND_COUNT; k++) {
        nd_table_each(&w->objects[k], destroy_node, NULL);
        nd_table_deinit(&w->objects[k]);
        nav_spatial_index_deinit(&w->index[k]);
    }
    nd_owners_deinit(&w->owners);
    for (uint32_t i = 0; i < w->profile_count; i++) free((char *)w->profiles[i].wire.name.data);
    free(w->profiles);
    nd_scheduler_deinit(&w->scheduler);
    nd_changes_deinit(&w->removed);
    free(w->areas);
    free(w->name);
    free(w);
}

nd_object *nd_world_find(const nd_world *w, nd_kind kind, uint64_t id)
{
    for (nd_node *n = nd_table_first(&w->objects[kind], nd_hash_u64(id)); n; n = nd_table_next(n))
        if (ND_HOLDER(n, nd_object, node)->id == id) return ND_HOLDER(n, nd_object, node);
    return NULL;
}

static void look_for_absent(void *user, nd_node *n)
{
    nd_world *w = user;
    nd_mesh *m = ((nd_placed *)ND_HOLDER(n, nd_object, node))->mesh;
    if (!w->awaited && m->state == ND_MESH_STORED) w->awaited = nd_mesh_ref(m);
}

bool nd_world_is_ready(nd_world *w)
{
    if (w->applying) return false;
    if (!w->awaited) return true;
    if (w->awaited->state == ND_MESH_STORED) return false;
    nd_mesh_unref(w->awaited);
    w->awaited = NULL;
    nd_table_each(&w->objects[ND_INSTANCE], look_for_absent, w);
    return !w->awaited;
}

// --- loading ---

void nd_world_judge_build(nd_world *w)
{
    bool only = (w->build.mode == NP_BUILD_WATCHED || w->watch_only) && !nd_goal_is_on(&w->goal);
    if (only != w->scheduler.only_watched) nd_scheduler_build_watched(&w->scheduler, only);
}

void nd_world_tiles_of(const nd_world *w, uint32_t profile, const double *min, const double *max, double margin_m,
                       int32_t first[2], int32_t last[2])
{
    const nav_settings *st = &w->profiles[profile].wire.settings;
    first[0] = first[1] = INT32_MIN;
    last[0] = last[1] = INT32_MAX;
    if (!min) return;
    const nd_box box = {
        {{min[0] - margin_m, min[1] - margin_m}, {max[0] + margin_m, max[1] + margin_m}}, -INFINITY, INFINITY};
    const nav_box_xz own = nd_box_in_frame(&box, st->sheet);
    nav_tile_at(st, own.min[0], own.min[1], &first[0], &first[1]);
    nav_tile_at(st, own.max[0], own.max[1], &last[0], &last[1]);
}

typedef struct loading {
    nd_world *w;
    nd_dirty *d;
    uint32_t profile;
    nav_status status;
} loading;

static void load_tiles_of(void *user, nd_node *n)
{
    loading *l = user;
    const nd_object *o = ND_HOLDER(n, nd_object, node);
    nd_sweep sweep;
    size_t steps = SIZE_MAX;
    if (l->status != NAV_OK || !o->has_box) return;
    nd_creates creates = l->w->include_count ? ND_CREATES_INCLUDED : ND_CREATES_ALL;
    l->status = nd_sweep_begin(&sweep, l->d, l->w, l->profile, &o->box, creates, false, &nd_world_no_limits);
    if (l->status == NAV_OK) l->status = nd_sweep_run(&sweep, l->d, l->w, &nd_world_no_limits, &steps);
}

nav_status nd_world_end_loading(nd_world *w, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    nd_dirty dirty = {.by = ND_BY_START};
    loading l = {w, &dirty, 0, NAV_OK};
    size_t steps = SIZE_MAX;
    w->loading = false;
    w->edit_serial++;
    for (; l.profile < w->profile_count; l.profile++)
        if (nd_profile_is_live(w, l.profile)) nd_table_each(&w->objects[ND_INSTANCE], load_tiles_of, &l);
    if (l.status == NAV_OK) (void)nd_dirty_mark(&dirty, w, NULL, ND_BACKGROUND, now_ns, 0, &steps);
    nd_dirty_deinit(&dirty, w);
    return l.status;
}

// --- dirty tiles ---

nav_status nd_dirty_refuse_new(const nd_dirty *d, const nd_world_limits *limits, const char *who, np_error *err)
{
    return np_error_set(err, NAV_ERR_LIMIT,
                        "%s at least %llu new tiles, and there is memory for %llu, as each takes about %d bytes "
                        "(--max-memory-bytes): send less at a time, or take larger tiles",
                        who, (unsigned long long)d->created, (unsigned long long)limits->max_new_tiles, ND_TILE_COST);
}

// Is it one that goes with an edit that was refused: made for it, or gone while the edit held it? Once for each tile.
static bool take_unused(const nd_dirty_entry *e)
{
    if (e->flags & ND_DIRTY_MARKED || e->tile->state != ND_TILE_CLEAN || !e->tile->collected) return false;
    if (!(e->flags & ND_DIRTY_CREATED) && e->tile->result.status != NP_TILE_REMOVED) return false;
    e->tile->collected = 0;
    return true;
}

void nd_dirty_deinit(nd_dirty *d, nd_world *w)
{
    size_t unused = 0;
    for (size_t i = 0; i < d->count; i++)
        if (take_unused(&d->entries[i])) d->entries[unused++] = d->entries[i];
    while (unused) nd_scheduler_forget(&w->scheduler, d->entries[--unused].tile);
    free(d->entries);
    *d = (nd_dirty){0};
}

bool nd_edit_holds(const nd_world *w, const nd_tile *t)
{
    return (w->edit || w->change) && t->collected == w->edit_serial;
}

nav_status nd_dirty_tile(nd_dirty *d, const nd_world *w, nd_tile *t, uint8_t flags)
{
    if (t->collected == w->edit_serial && !flags) return NAV_OK;
    if (d->count == d->capacity) {
        size_t capacity = d->capacity ? 2 * d->capacity : 64;
        nd_dirty_entry *grown = realloc(d->entries, capacity * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        d->entries = grown;
        d->capacity = capacity;
    }
    t->collected = w->edit_serial;
    d->entries[d->count++] = (nd_dirty_entry){t, d->object, (uint8_t)d->by, flags};
    return NAV_OK;
}

typedef struct table_sweep {
    const nd_sweep *s;
    nd_dirty *d;
    nd_world *w;
    nav_status status;
    size_t seen;
} table_sweep;

static void sweep_tile(void *user, nd_node *n)
{
    table_sweep *all = user;
    const nd_sweep *s = all->s;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    all->seen++;
    if (all->status != NAV_OK || t->profile != s->profile || t->x < s->first[0] || t->x > s->last[0] ||
        t->z < s->first[1] || t->z > s->last[1])
        return;
    all->status = nd_dirty_tile(all->d, all->w, t, s->flags);
}

// Leaves the tiles that touch the box. False: none.
static bool clip(nd_sweep *s, const nd_box *box)
{
    int32_t first[2], last[2];
    nd_tiles_of_box(s->settings, box, first, last);
    for (int k = 0; k < 2; k++) {
        if (first[k] > s->first[k]) s->first[k] = first[k];
        if (last[k] < s->last[k]) s->last[k] = last[k];
    }
    if (s->first[0] <= s->last[0] && s->first[1] <= s->last[1]) return true;
    s->z = s->last[1] + 1;
    return false;
}

// How many tiles there may be of those that it may make.
static uint64_t count_made(nd_sweep *s)
{
    uint64_t count = 1;
    for (int k = 0; k < 2; k++) {
        if (s->made_first[k] < s->first[k]) s->made_first[k] = s->first[k];
        if (s->made_last[k] > s->last[k]) s->made_last[k] = s->last[k];
        count *= s->made_first[k] > s->made_last[k] ? 0 : (uint64_t)((int64_t)s->made_last[k] - s->made_first[k] + 1);
    }
    return count;
}

nav_status nd_sweep_begin(nd_sweep *s, nd_dirty *d, nd_world *w, uint32_t profile, const nd_box *box,
                          nd_creates creates, bool forced, const nd_world_limits *limits)
{
    return nd_sweep_begin_with(s, d, w, profile, &w->profiles[profile].wire.settings, box, NULL, creates, forced,
                               limits);
}

nav_status nd_sweep_begin_with(nd_sweep *s, nd_dirty *d, nd_world *w, uint32_t profile, const nav_settings *settings,
                               const nd_box *box, const nd_box *within, nd_creates creates, bool forced,
                               const nd_world_limits *limits)
{
    const nd_scheduler *all = &w->scheduler;
    *s =
        (nd_sweep){.profile = profile, .settings = settings, .creates = creates, .flags = forced ? ND_DIRTY_FORCED : 0};
    nd_tiles_of_box(settings, box, s->first, s->last);
    memcpy(s->made_first, s->first, sizeof s->first);
    memcpy(s->made_last, s->last, sizeof s->last);
    nd_tiles_with_ground(settings, box, s->made_first, s->made_last);
    // Where no include volume can be there is no tile, and none is made.
    if (creates == ND_CREATES_INCLUDED && !clip(s, &w->include_box)) return NAV_OK;
    if (within && !clip(s, within)) return NAV_OK;
    s->x = s->first[0];
    s->z = s->first[1];
    uint64_t range =
        ((uint64_t)((int64_t)s->last[0] - s->first[0]) + 1) * ((uint64_t)((int64_t)s->last[1] - s->first[1]) + 1);
    s->whole = creates == ND_CREATES_NONE && range > all->tiles.count;
    d->marks += s->whole ? all->tiles.count : range;
    if (d->marks > limits->max_edit_tiles) return NAV_ERR_LIMIT;
    const uint64_t made = count_made(s);
    if (creates != ND_CREATES_ALL || made <= all->tiles.count || made > limits->max_tiles) return NAV_OK;
    uint64_t more = made - all->tiles.count;
    if (more > limits->max_new_tiles) {
        d->created += more;
        return NAV_ERR_LIMIT;
    }
    return nd_table_reserve(&w->scheduler.tiles, more);
}

static bool creates_here(const nd_sweep *s, const nd_world *w)
{
    const bool by_ground = s->creates == ND_CREATES_ALL || s->creates == ND_CREATES_INCLUDED; // else by a volume
    if (by_ground &&
        (s->x < s->made_first[0] || s->x > s->made_last[0] || s->z < s->made_first[1] || s->z > s->made_last[1]))
        return false;
    switch (s->creates) {
    case ND_CREATES_NONE:
        return false;
    case ND_CREATES_ALL:
        return true;
    case ND_CREATES_INCLUDED:
        return nd_includes_touch(w, s->coming, s->settings, s->x, s->z);
    case ND_CREATES_COVERED:
        break;
    }
    return nd_instances_touch(w, s->settings, s->x, s->z);
}

static nav_status sweep_one(nd_sweep *s, nd_dirty *d, nd_world *w, const nd_world_limits *limits)
{
    nd_tile *t = nd_scheduler_find(&w->scheduler, s->profile, s->x, s->z);
    if (t) return nd_dirty_tile(d, w, t, s->flags);
    if (!creates_here(s, w)) return NAV_OK;
    if (w->scheduler.tiles.count >= limits->max_tiles) return NAV_ERR_LIMIT;
    if (++d->created > limits->max_new_tiles) return NAV_ERR_LIMIT;
    nav_status status = nd_scheduler_touch(&w->scheduler, s->profile, s->x, s->z, &t);
    if (status != NAV_OK) return status;
    status = nd_dirty_tile(d, w, t, ND_DIRTY_CREATED);
    if (status != NAV_OK) nd_scheduler_forget(&w->scheduler, t);
    return status;
}

static nav_status sweep_table(nd_sweep *s, nd_dirty *d, nd_world *w, size_t *steps)
{
    table_sweep all = {.s = s, .d = d, .w = w, .status = NAV_OK};
    if (!*steps) return NAV_ERR_AGAIN;
    s->slot = nd_table_each_from(&w->scheduler.tiles, s->slot, *steps, sweep_tile, &all);
    *steps -= all.seen < *steps ? all.seen : *steps;
    return all.status == NAV_OK && s->slot ? NAV_ERR_AGAIN : all.status;
}

nav_status nd_sweep_run(nd_sweep *s, nd_dirty *d, nd_world *w, const nd_world_limits *limits, size_t *steps)
{
    if (s->whole) return sweep_table(s, d, w, steps);
    while (s->z <= s->last[1]) {
        if (!*steps) return NAV_ERR_AGAIN;
        --*steps;
        nav_status status = sweep_one(s, d, w, limits);
        if (status != NAV_OK) return status;
        if (s->x++ < s->last[0]) continue;
        s->x = s->first[0];
        s->z++;
    }
    return NAV_OK;
}

size_t nd_dirty_mark(nd_dirty *d, nd_world *w, nd_caller *caller, nd_class class, uint64_t now_ns, size_t at,
                     size_t *steps)
{
    uint64_t revision = w->scheduler.marking ? w->scheduler.marking : w->revision;
    for (; at < d->count && *steps; at++, --*steps) {
        nd_dirty_entry *e = &d->entries[at];
        nd_mark mark = {.revision = revision,
                        .now_ns = now_ns,
                        .class = class,
                        .forced = e->flags & ND_DIRTY_FORCED,
                        .by = (nd_cause_kind)e->by,
                        .caller = caller,
                        .object = e->object};
        nd_world_mark(w, e->tile, &mark);
        e->flags = ND_DIRTY_MARKED;
    }
    return at;
}

void nd_world_mark(nd_world *w, nd_tile *t, const nd_mark *m)
{
    void *outdated = nd_scheduler_mark(&w->scheduler, t, m);
    if (outdated) w->cancel_run(outdated);
}
