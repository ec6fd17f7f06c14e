#include "daemon/world/profile_change.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/world/reach.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_SLOT = UINT32_MAX;
static const double NEAR_TILES = 4; // so near to a focus tiles are marked before the others

enum { BATCH = 256 }; // tiles or objects that are taken from a table at a time

typedef enum phase { TILES, OBJECTS, COLLECTED, PREPARED, APPLIED } phase;

typedef struct focus {
    uint32_t slot; // where its profile goes
    double x, z;   // in tiles there
} focus;

struct nd_profile_change {
    nd_world *w;
    nd_caller *caller; // a reference, or NULL
    uint64_t now_ns, revision;
    nd_profile_list wanted;
    nd_profile_step *steps;  // with room for as many as may differ
    struct nd_reach **reach; // of steps: made, and not in use yet
    uint32_t count;
    phase phase;
    uint32_t at;         // OBJECTS: the step
    size_t place;        // in the table that is walked
    bool walked;         // to its end
    nd_object **objects; // that were taken last; those from `next` on are still to be looked at
    size_t object_count, object_capacity, next;
    bool no_memory;
    nd_sweep sweep;
    bool sweeping;
    focus *foci;
    size_t focus_count;
    nd_dirty dirty;
    size_t looked, near, marked; // of dirty: seen for whether they are near; near ones in front; marked ones
    uint64_t going;              // tiles that it frees
    nd_class class, near_class;
};

// --- what differs ---

static const nav_settings *settings_before(const nd_profile_change *c, const nd_profile_step *s)
{
    return s->from == NO_SLOT ? NULL : &c->w->profiles[s->from].wire.settings;
}

static np_profile *wanted_in(const nd_profile_change *c, uint32_t slot)
{
    uint32_t i = 0;
    while (i < c->wanted.count && c->wanted.profiles[i].slot != slot) i++;
    return &c->wanted.profiles[i];
}

static np_str name_of(const nd_world *w, uint32_t slot)
{
    return w->profiles[slot].wire.name;
}

static bool lists(const nd_profile_list *l, np_str name)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->profiles[i].name.size == name.size && !memcmp(l->profiles[i].name.data, name.data, name.size))
            return true;
    return false;
}

static void add_step(nd_profile_change *c, uint32_t from, uint32_t to)
{
    c->steps[c->count++] = (nd_profile_step){from, to};
    if (from != NO_SLOT && from != to) c->going += c->w->scheduler.progress[from].tiles;
}

static nav_status find_step(nd_profile_change *c, np_profile *p)
{
    nd_world *w = c->w;
    nav_status s = NAV_OK;
    uint32_t from = nd_world_find_profile(w, p->name), to = from;
    bool is_new = from == NO_SLOT;
    if (is_new || !nd_profile_same_grid(&w->profiles[from].wire.settings, &p->settings))
        s = nd_world_take_slot(w, is_new && p->has_slot ? p->slot : NO_SLOT, p, &to);
    else if (nav_key_equal(w->profiles[from].key, nav_settings_key(&p->settings, 0, 0)))
        from = to = NO_SLOT; // as it was
    if (s != NAV_OK) return s;
    if (to != NO_SLOT) add_step(c, from, to);
    p->has_slot = true;
    p->slot = to != NO_SLOT ? to : nd_world_find_profile(w, p->name);
    return NAV_OK;
}

static nav_status find_steps(nd_profile_change *c)
{
    nd_world *w = c->w;
    nav_status s = NAV_OK;
    uint32_t before = w->profile_count;
    for (uint32_t i = 0; i < before; i++)
        if (nd_profile_is_live(w, i) && !lists(&c->wanted, name_of(w, i))) add_step(c, i, NO_SLOT);
    for (uint32_t i = 0; i < c->wanted.count && s == NAV_OK; i++) s = find_step(c, &c->wanted.profiles[i]);
    return s;
}

static nav_status check(const nd_profile_list *wanted, uint32_t max_profiles, const char *key, np_error *err)
{
    char why[200];
    if (wanted->count > max_profiles)
        return np_error_set_key(err, NAV_ERR_LIMIT, key, "a world may have at most %u profiles (--max-profiles)",
                                max_profiles);
    for (uint32_t i = 0; i < wanted->count; i++) {
        const np_profile *p = &wanted->profiles[i];
        if (nav_settings_check(&p->settings, why, sizeof why) != NAV_OK)
            return np_error_set_key(err, NAV_ERR_ARGUMENT, key, "%s: profile \"%.*s\": %s", key, (int)p->name.size,
                                    p->name.data, why);
    }
    return NAV_OK;
}

// Foci stay where they are in the world.
static nav_status take_foci(nd_profile_change *c)
{
    const nd_scheduler *s = &c->w->scheduler;
    c->foci = malloc((s->focus_count + 1) * sizeof *c->foci);
    if (!c->foci) return NAV_ERR_MEMORY;
    for (size_t i = 0; i < s->focus_count; i++)
        for (uint32_t k = 0; k < c->count; k++) {
            const nd_profile_step *step = &c->steps[k];
            if (step->from != s->foci[i].profile || step->to == NO_SLOT) continue;
            const nav_settings *a = settings_before(c, step), *b = &wanted_in(c, step->to)->settings;
            double side_a = (double)a->cell_size_m * a->tile_cells, side_b = (double)b->cell_size_m * b->tile_cells;
            c->foci[c->focus_count++] =
                (focus){step->to, (a->origin_m[0] + s->foci[i].x * side_a - b->origin_m[0]) / side_b,
                        (a->origin_m[2] + s->foci[i].z * side_a - b->origin_m[2]) / side_b};
        }
    return NAV_OK;
}

nav_status nd_profile_change_begin(nd_world *w, nd_profile_list *wanted, nd_caller *caller, uint32_t max_profiles,
                                   uint64_t now_ns, const char *key, nd_profile_change **out, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    assert(!w->edit && !w->change);
    *out = NULL;
    nav_status s = check(wanted, max_profiles, key, err);
    nd_profile_change *c = s == NAV_OK ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        nd_profile_list_deinit(wanted);
        return s == NAV_OK ? np_error_set(err, NAV_ERR_MEMORY, "no memory for the change") : s;
    }
    bool same_origin = !memcmp(w->origin_m, wanted->origin_m, sizeof w->origin_m);
    c->w = w;
    c->caller = nd_caller_ref(caller);
    c->now_ns = now_ns;
    c->wanted = *wanted;
    *wanted = (nd_profile_list){0};
    c->dirty = (nd_dirty){.by = ND_BY_PROFILE, .voids = true};
    uint32_t most = nd_world_count_profiles(w) + c->wanted.count;
    c->steps = malloc((most + (size_t)1) * sizeof *c->steps);
    c->reach = calloc(most + (size_t)1, sizeof(struct nd_reach *));
    w->change = c;
    w->edit_serial++;
    s = c->steps && c->reach ? find_steps(c) : NAV_ERR_MEMORY;
    if (s == NAV_OK) s = take_foci(c);
    if (s == NAV_OK && (c->count || !same_origin)) {
        *out = c;
        return NAV_OK;
    }
    nd_profile_change_destroy(c);
    if (s == NAV_OK) return s;
    return np_error_set_key(err, s, key, "%s: the profiles cannot be changed: %s", key, nav_status_text(s));
}

// --- collecting ---

// Those near a focus go to the front.
static void bring_forward(nd_profile_change *c)
{
    nd_dirty_entry *e = c->dirty.entries;
    for (; c->looked < c->dirty.count; c->looked++) {
        const nd_tile *t = e[c->looked].tile;
        bool is_near = false;
        for (size_t i = 0; i < c->focus_count && !is_near; i++) {
            const focus *f = &c->foci[i];
            is_near =
                f->slot == t->profile && fabs(t->x + 0.5 - f->x) <= NEAR_TILES && fabs(t->z + 0.5 - f->z) <= NEAR_TILES;
        }
        if (!is_near) continue;
        nd_dirty_entry near = e[c->looked];
        e[c->looked] = e[c->near];
        e[c->near++] = near;
    }
}

static void take_tile(void *user, nd_node *n)
{
    nd_profile_change *c = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->steps[i].from == t->profile && c->steps[i].to == t->profile)
            c->no_memory |= nd_dirty_tile(&c->dirty, c->w, t, 0) != NAV_OK;
}

static void take_object(void *user, nd_node *n)
{
    nd_profile_change *c = user;
    if (c->object_count == c->object_capacity) {
        size_t capacity = c->object_capacity ? 2 * c->object_capacity : 2 * BATCH;
        nd_object **grown = realloc(c->objects, capacity * sizeof(nd_object *));
        c->no_memory |= !grown;
        if (!grown) return;
        c->objects = grown;
        c->object_capacity = capacity;
    }
    nd_object *o = ND_HOLDER(n, nd_object, node);
    __builtin_prefetch(&o->box);
    c->objects[c->object_count++] = o;
}

static bool has_own_grid(const nd_profile_change *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->steps[i].from == c->steps[i].to) return true;
    return false;
}

// The tiles that are there and stay where they are.
static nav_status collect_tiles(nd_profile_change *c, size_t *steps)
{
    if (!has_own_grid(c)) return NAV_OK;
    while (!c->walked) {
        if (!*steps) return NAV_ERR_AGAIN;
        size_t enough = *steps < BATCH ? *steps : BATCH;
        *steps -= enough;
        c->place = nd_table_each_from(&c->w->scheduler.tiles, c->place, enough, take_tile, c);
        c->walked = !c->place;
        bring_forward(c);
        if (c->no_memory) return NAV_ERR_MEMORY;
    }
    return NAV_OK;
}

static bool same_range(const nav_settings *a, const nav_settings *b, const nav_box_xz *box)
{
    int32_t first[2][2], last[2][2];
    nav_tile_range(a, box->min, box->max, first[0], last[0]);
    nav_tile_range(b, box->min, box->max, first[1], last[1]);
    return !memcmp(first[0], first[1], sizeof first[0]) && !memcmp(last[0], last[1], sizeof last[0]);
}

// What a tile gathers beyond its side.
static double padding_of(const nav_settings *s)
{
    double min[2], max[2];
    nav_tile_padded_bounds(s, 0, 0, min, max);
    return s->origin_m[0] - min[0];
}

// Can the profile have tiles that it did not have?
static bool may_create(const nd_profile_change *c, const nd_profile_step *s)
{
    if (s->to == NO_SLOT) return false;
    return s->from != s->to || padding_of(settings_before(c, s)) < padding_of(&wanted_in(c, s->to)->settings);
}

// Where tiles gather from further off than before, measured in tiles. It tells of most objects, in little time, that
// they touch no other tiles now; of the rest same_range() says it.
typedef struct widening {
    double origin_m[2], per_m, before, after;
} widening;

static widening widening_of(const nd_profile_change *c, const nd_profile_step *s)
{
    const double slack = 1e-6; // more than what is lost in rounding
    if (s->from != s->to) return (widening){.after = INFINITY};
    const nav_settings *a = settings_before(c, s), *b = &wanted_in(c, s->to)->settings;
    double per_m = 1 / ((double)b->cell_size_m * b->tile_cells);
    return (widening){.origin_m = {b->origin_m[0], b->origin_m[2]},
                      .per_m = per_m,
                      .before = padding_of(a) * per_m - slack,
                      .after = padding_of(b) * per_m + slack};
}

static bool surely_same_range(const widening *g, const nav_box_xz *box)
{
    for (int k = 0; k < 2; k++) {
        double min = (box->min[k] - g->origin_m[k]) * g->per_m, max = (box->max[k] - g->origin_m[k]) * g->per_m;
        if (floor(min - g->before) != floor(min - g->after) || floor(max + g->before) != floor(max + g->after))
            return false;
    }
    return true;
}

static nav_status begin_object(nd_profile_change *c, const nd_profile_step *s, const widening *g, const nd_object *o,
                               const nd_world_limits *limits)
{
    const nav_settings *settings = &wanted_in(c, s->to)->settings;
    if (!o->has_box || surely_same_range(g, &o->box)) return NAV_OK;
    if (s->from == s->to && same_range(settings_before(c, s), settings, &o->box)) return NAV_OK;
    nd_creates creates = c->w->include_count ? ND_CREATES_INCLUDED : ND_CREATES_ALL;
    nav_status status =
        nd_sweep_begin_with(&c->sweep, &c->dirty, c->w, s->to, settings, &o->box, NULL, creates, false, limits);
    c->sweeping = status == NAV_OK;
    return status;
}

// The tiles that instances need in one profile.
static nav_status collect_objects(nd_profile_change *c, const nd_profile_step *step, const nd_world_limits *limits,
                                  size_t *steps)
{
    const widening g = widening_of(c, step);
    for (;;) {
        nav_status s = c->sweeping ? nd_sweep_run(&c->sweep, &c->dirty, c->w, limits, steps) : NAV_OK;
        if (s != NAV_OK) return s;
        c->sweeping = false;
        if (c->looked < c->dirty.count) bring_forward(c);
        if (c->next == c->object_count && c->walked) return NAV_OK;
        if (!*steps) return NAV_ERR_AGAIN;
        if (c->next < c->object_count) {
            --*steps;
            s = begin_object(c, step, &g, c->objects[c->next++], limits);
            if (s != NAV_OK) return s;
            continue;
        }
        c->object_count = c->next = 0;
        c->place = nd_table_each_from(&c->w->objects[ND_INSTANCE], c->place, BATCH, take_object, c);
        c->walked = !c->place;
        if (c->no_memory) return NAV_ERR_MEMORY;
    }
}

static nav_status collect(nd_profile_change *c, const nd_world_limits *limits, size_t *steps)
{
    if (c->phase == TILES) {
        nav_status s = collect_tiles(c, steps);
        if (s != NAV_OK) return s;
        c->phase = OBJECTS;
        c->place = 0;
        c->walked = false;
    }
    for (; c->phase == OBJECTS && c->at < c->count; c->at++) {
        const nd_profile_step *step = &c->steps[c->at];
        nav_status s = may_create(c, step) ? collect_objects(c, step, limits, steps) : NAV_OK;
        if (s != NAV_OK) return s;
        c->place = 0;
        c->walked = false;
    }
    c->phase = COLLECTED;
    return NAV_OK;
}

nav_status nd_profile_change_collect(nd_profile_change *c, const nd_world_limits *limits, size_t steps, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world_limits own = *limits; // what it frees counts as free, and it is not one edit's
    own.max_edit_tiles = UINT64_MAX;
    if (own.max_tiles < UINT64_MAX - c->going) own.max_tiles += c->going;
    if (own.max_new_tiles < UINT64_MAX - c->going) own.max_new_tiles += c->going;
    c->class = c->caller ? ND_INTERACTIVE : ND_BACKGROUND;
    nav_status s = collect(c, &own, &steps);
    if (s == NAV_OK && c->dirty.created && c->w->scheduler.tiles.count > own.max_tiles) s = NAV_ERR_LIMIT;
    c->near_class = c->near > limits->interactive_tiles ? ND_BACKGROUND : c->class;
    if (s == NAV_OK && c->dirty.count > limits->interactive_tiles) c->class = ND_BACKGROUND;
    if (s == NAV_OK || s == NAV_ERR_AGAIN) return s;
    if (s == NAV_ERR_LIMIT && c->dirty.created > own.max_new_tiles)
        return nd_dirty_refuse_new(&c->dirty, &own, "the profiles need", err);
    if (s == NAV_ERR_LIMIT)
        return np_error_set(err, s,
                            "the world would have more than %llu tiles (--max-tiles, or the quota max_tiles of its "
                            "namespace): use larger tiles",
                            (unsigned long long)limits->max_tiles);
    return np_error_set(err, s, "cannot create the tiles of the profiles: %s", nav_status_text(s));
}

// --- applying ---

// Where a world without instances gets more profiles, no client can have anything of them.
static bool raises_revision(const nd_profile_change *c)
{
    bool raises = c->w->objects[ND_INSTANCE].count || memcmp(c->w->origin_m, c->wanted.origin_m, sizeof c->w->origin_m);
    for (uint32_t i = 0; i < c->count; i++) raises |= c->steps[i].from != NO_SLOT;
    return raises;
}

nav_status nd_profile_change_prepare(nd_profile_change *c, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world *w = c->w;
    assert(c->phase == COLLECTED);
    nav_status s = NAV_OK;
    if (c->caller && !c->caller->gone) s = nd_flows_admit(&w->scheduler.flows, c->caller);
    for (uint32_t i = 0; i < c->count && s == NAV_OK; i++)
        if (c->steps[i].to != NO_SLOT)
            s = nd_reach_make(w, c->steps[i].to, &wanted_in(c, c->steps[i].to)->settings, &c->reach[i]);
    if (s != NAV_OK) return np_error_set(err, s, "no memory for the change");
    c->revision = w->revision + raises_revision(c);
    for (uint32_t i = 0; i < c->count; i++) {
        const nd_profile_step *step = &c->steps[i];
        bool is_stored = step->from == NO_SLOT && step->to != NO_SLOT && wanted_in(c, step->to)->grid;
        if (step->to != NO_SLOT && step->from != step->to && !is_stored) wanted_in(c, step->to)->grid = c->revision;
    }
    c->phase = PREPARED;
    return NAV_OK;
}

const nd_profile_list *nd_profile_change_wanted(const nd_profile_change *c)
{
    return &c->wanted;
}

uint64_t nd_profile_change_revision(const nd_profile_change *c)
{
    return c->revision;
}

static void apply_step(nd_profile_change *c, uint32_t i)
{
    nd_world *w = c->w;
    uint32_t from = c->steps[i].from, to = c->steps[i].to;
    if (to != NO_SLOT) {
        nd_profile *p = &w->profiles[to];
        const np_profile *wanted = wanted_in(c, to);
        p->wire.settings = wanted->settings;
        p->wire.grid = wanted->grid;
        p->key = nav_settings_key(&wanted->settings, 0, 0);
        p->version = ++w->last_version;
        p->state = ND_PROFILE_LIVE;
        nd_reach_renew(w, to, c->reach[i]);
        c->reach[i] = NULL;
    }
    if (from != NO_SLOT && from != to) nd_world_retire_slot(w, from);
}

void nd_profile_change_apply(nd_profile_change *c)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world *w = c->w;
    assert(c->phase == PREPARED);
    for (uint32_t i = 0; i < c->count; i++) apply_step(c, i);
    memcpy(w->origin_m, c->wanted.origin_m, sizeof w->origin_m);
    c->dirty.voids_ns = nd_now_ns();
    w->revision = c->revision;
    // Where one before it has not marked all of its tiles, those belong to its revision still.
    if (c->dirty.count && !w->scheduler.marking) w->scheduler.marking = c->revision;
    if (!c->dirty.count) w->scheduler.marking = 0;
    c->phase = APPLIED;
}

bool nd_profile_change_mark(nd_profile_change *c, size_t *steps)
{
    ND_ASSERT_LOOP_THREAD();
    assert(c->phase == APPLIED);
    while (*steps && c->marked < c->dirty.count) {
        bool is_near = c->marked < c->near;
        size_t left = is_near && c->near - c->marked < *steps ? c->near - c->marked : *steps;
        *steps -= left;
        c->marked =
            nd_dirty_mark(&c->dirty, c->w, c->caller, is_near ? c->near_class : c->class, c->now_ns, c->marked, &left);
        *steps += left;
    }
    if (c->marked < c->dirty.count) return true;
    c->w->scheduler.marking = 0;
    return false;
}

bool nd_profile_change_is_applied(const nd_profile_change *c)
{
    return c->phase == APPLIED;
}

uint32_t nd_profile_change_dirty_tiles(const nd_profile_change *c)
{
    return (uint32_t)c->dirty.count;
}

uint32_t nd_profile_change_steps(const nd_profile_change *c, const nd_profile_step **out)
{
    *out = c->steps;
    return c->count;
}

void nd_profile_change_destroy(nd_profile_change *c)
{
    if (!c) return;
    nd_world *w = c->w;
    bool is_applied = c->phase == APPLIED;
    w->change = NULL;
    // What is applied and not marked is the world's now.
    for (size_t i = c->marked; is_applied && i < c->dirty.count; i++) c->dirty.entries[i].flags = ND_DIRTY_MARKED;
    nd_dirty_deinit(&c->dirty, w);
    for (uint32_t i = 0; i < c->count; i++) {
        nd_reach_free(w, c->reach[i]);
        if (!is_applied && c->steps[i].to != NO_SLOT && c->steps[i].to != c->steps[i].from)
            nd_world_leave_slot(w, c->steps[i].to);
    }
    nd_profile_list_deinit(&c->wanted);
    free(c->steps);
    free(c->reach);
    free(c->objects);
    free(c->foci);
    nd_caller_unref(c->caller);
    free(c);
}

typedef struct finisher {
    nd_world *w;
    uint32_t slot;
    nd_mark mark;
} finisher;

static void mark_rest(void *user, nd_node *n)
{
    const finisher *f = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    if (t->profile == f->slot) nd_world_mark(f->w, t, &f->mark);
}

void nd_world_finish_marking(nd_world *w, uint32_t slot, uint64_t now_ns)
{
    finisher f = {.w = w,
                  .slot = slot,
                  .mark = {.revision = w->scheduler.marking,
                           .now_ns = now_ns,
                           .class = ND_BACKGROUND,
                           .voids = true,
                           .by = ND_BY_PROFILE}};
    if (!w->scheduler.marking) return;
    nd_table_each(&w->scheduler.tiles, mark_rest, &f);
    w->scheduler.marking = 0;
}

// --- adding ---

nav_status nd_world_with_profiles(const nd_world *w, const np_profile *profiles, uint32_t count, nd_profile_list *out,
                                  np_error *err)
{
    nav_status s = nd_profile_list_of(w, out);
    for (uint32_t i = 0; i < count && s == NAV_OK; i++) {
        const np_profile *p = &profiles[i];
        np_profile known;
        bool is_known = false;
        for (uint32_t k = 0; k < out->count && !is_known; k++) {
            known = out->profiles[k];
            is_known = known.name.size == p->name.size && !memcmp(known.name.data, p->name.data, p->name.size);
        }
        nav_settings settings = p->settings;
        memcpy(settings.origin_m, out->origin_m, sizeof settings.origin_m);
        if (is_known && !nav_key_equal(nav_settings_key(&known.settings, 0, 0), nav_settings_key(&settings, 0, 0))) {
            char key[32];
            snprintf(key, sizeof key, "profiles[%u]", i);
            s = np_error_set_key(err, NAV_ERR_EXISTS, key,
                                 "%s: the world already has a profile \"%.*s\" with other settings; world.profile "
                                 "changes them",
                                 key, (int)p->name.size, p->name.data);
        } else if (!is_known) {
            s = nd_profile_list_put(out, p);
        }
    }
    if (s == NAV_ERR_MEMORY) np_error_set(err, s, "no memory for the profiles");
    if (s != NAV_OK) nd_profile_list_deinit(out);
    return s;
}

nav_status nd_world_add_profiles(nd_world *w, const np_profile *profiles, uint32_t count, const nd_world_limits *limits,
                                 uint64_t now_ns, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    nd_profile_list wanted;
    nd_profile_change *c = NULL;
    size_t steps = SIZE_MAX;
    nav_status s = nd_world_with_profiles(w, profiles, count, &wanted, err);
    if (s == NAV_OK) s = nd_profile_change_begin(w, &wanted, NULL, limits->max_profiles, now_ns, "profiles", &c, err);
    if (s != NAV_OK || !c) return s;
    s = nd_profile_change_collect(c, limits, SIZE_MAX, err);
    if (s == NAV_OK) s = nd_profile_change_prepare(c, err);
    if (s == NAV_OK) {
        nd_profile_change_apply(c);
        (void)nd_profile_change_mark(c, &steps);
    }
    nd_profile_change_destroy(c);
    return s;
}
