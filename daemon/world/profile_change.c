#include "daemon/world/profile_change.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/world/growth.h"
#include "daemon/world/marking.h"
#include "daemon/world/reach.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NO_SLOT = UINT32_MAX;
typedef enum phase { BEGUN, COLLECTING, COLLECTED, PREPARED, APPLIED } phase;

struct nd_profile_change {
    nd_world *w;
    nd_caller *caller; // a reference, or NULL
    uint64_t now_ns, revision, interactive;
    nd_profile_list wanted;
    nd_profile_step *steps;  // with room for as many as may differ
    struct nd_reach **reach; // of steps: made, and not in use yet
    nd_marking *marking;     // the same
    uint32_t count;
    phase phase;
    bool grows_later;
    uint32_t at; // COLLECTING: the step
    bool growing;
    nd_growth growth;
    nd_dirty dirty; // tiles that it has made
    uint64_t tiles; // that are to be marked
    uint64_t going; // that it frees
};

// --- what differs ---

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

static bool has_name(const np_profile *p, np_str name)
{
    return np_str_same(p->name, name);
}

static bool lists(const nd_profile_list *l, np_str name, nav_sheet sheet)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (has_name(&l->profiles[i], name) && l->profiles[i].settings.sheet == sheet) return true;
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
    uint32_t from = nd_world_find_sheet(w, p->name, p->settings.sheet), to = from;
    bool is_new = from == NO_SLOT;
    if (is_new || !nd_profile_same_grid(&w->profiles[from].wire.settings, &p->settings))
        s = nd_world_take_slot(w, p->has_slot ? p->slot : NO_SLOT, p, &to);
    else if (nav_key_equal(w->profiles[from].key, nav_settings_key(&p->settings, 0, 0)))
        from = to = NO_SLOT; // as it was
    if (s != NAV_OK) return s;
    if (to != NO_SLOT) add_step(c, from, to);
    p->has_slot = true;
    p->slot = to != NO_SLOT ? to : nd_world_find_sheet(w, p->name, p->settings.sheet);
    return NAV_OK;
}

static nav_status find_steps(nd_profile_change *c)
{
    nd_world *w = c->w;
    nav_status s = NAV_OK;
    uint32_t before = w->profile_count;
    for (uint32_t i = 0; i < before; i++)
        if (nd_profile_is_live(w, i) && !lists(&c->wanted, name_of(w, i), w->profiles[i].wire.settings.sheet))
            add_step(c, i, NO_SLOT);
    for (uint32_t i = 0; i < c->wanted.count && s == NAV_OK; i++) s = find_step(c, &c->wanted.profiles[i]);
    return s;
}

static nav_status refuse_sheets(np_str profile, const char *key, np_error *err)
{
    char why[NP_ERROR_BYTES / 2];
    nd_goal_refuse_sheets(profile, why, sizeof why);
    return np_error_set_key(err, NAV_ERR_STATE, key, "%s: %s", key, why);
}

static nav_status check(const nd_world *w, const nd_profile_list *wanted, uint32_t max_profiles, const char *key,
                        np_error *err)
{
    char why[200];
    uint32_t count = 0;
    for (uint32_t i = 0; i < wanted->count; i++)
        count += wanted->profiles[i].settings.sheet == nav_sheets_first(wanted->profiles[i].settings.sheets);
    if (count > max_profiles)
        return np_error_set_key(err, NAV_ERR_LIMIT, key, "a world may have at most %u profiles (--max-profiles)",
                                max_profiles);
    for (uint32_t i = 0; i < wanted->count; i++) {
        const np_profile *p = &wanted->profiles[i];
        if (nav_settings_check(&p->settings, why, sizeof why) != NAV_OK)
            return np_error_set_key(err, NAV_ERR_ARGUMENT, key, "%s: profile \"%.*s\": %s", key, (int)p->name.size,
                                    p->name.data, why);
        if (p->settings.sheets != NAV_SHEETS_UP && nd_goal_is_on(&w->goal)) return refuse_sheets(p->name, key, err);
    }
    return NAV_OK;
}

nav_status nd_profile_change_begin(nd_world *w, nd_profile_list *wanted, nd_caller *caller, uint32_t max_profiles,
                                   uint64_t now_ns, const char *key, nd_profile_change **out, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    assert(!w->edit && !w->change);
    *out = NULL;
    nav_status s = check(w, wanted, max_profiles, key, err);
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
    c->dirty = (nd_dirty){.by = ND_BY_PROFILE};
    uint32_t most = w->profile_count + c->wanted.count;
    c->steps = malloc((most + (size_t)1) * sizeof *c->steps);
    c->reach = calloc(most + (size_t)1, sizeof(struct nd_reach *));
    w->change = c;
    w->edit_serial++;
    s = c->steps && c->reach ? find_steps(c) : NAV_ERR_MEMORY;
    if (s == NAV_OK && (c->count || !same_origin)) {
        *out = c;
        return NAV_OK;
    }
    nd_profile_change_destroy(c);
    if (s == NAV_OK) return s;
    return np_error_set_key(err, s, key, "%s: the profiles cannot be changed: %s", key, nav_status_text(s));
}

// --- collecting ---

// Do all of them stay where they are, and is there surely room for what wider settings add? Then the tiles that are
// lacking need not be known before it takes effect: they are made while the others are marked already.
static bool may_grow_later(const nd_profile_change *c, const nd_world_limits *limits)
{
    const nd_scheduler *s = &c->w->scheduler;
    double most = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t to = c->steps[i].to;
        if (to == NO_SLOT) continue;
        if (c->steps[i].from != to) return false;
        most += nd_growth_most(c->w, &wanted_in(c, to)->settings, c->w->profiles[to].complete_m, s->progress[to].tiles);
    }
    return most <= 0 ||
           ((double)s->tiles.count + most <= (double)limits->max_tiles && most <= (double)limits->max_new_tiles);
}

static double complete_before(const nd_profile_change *c, const nd_profile_step *s)
{
    return s->from == s->to ? c->w->profiles[s->to].complete_m : -INFINITY;
}

static nav_status collect(nd_profile_change *c, const nd_world_limits *limits, size_t *steps)
{
    if (c->phase == BEGUN) {
        c->grows_later = may_grow_later(c, limits);
        c->phase = COLLECTING;
    }
    for (; c->phase == COLLECTING && !c->grows_later && c->at < c->count; c->at++) {
        const nd_profile_step *step = &c->steps[c->at];
        if (step->to == NO_SLOT) continue;
        const nav_settings *settings = &wanted_in(c, step->to)->settings;
        double before_m = complete_before(c, step);
        if (before_m >= nd_padding_of(settings)) continue;
        if (!c->growing) nd_growth_begin(&c->growth, step->to, settings, before_m);
        c->growing = true;
        nav_status s = nd_growth_run(&c->growth, c->w, &c->dirty, limits, steps);
        if (s != NAV_OK) return s;
        c->growing = false;
    }
    if (c->phase == COLLECTING) c->phase = COLLECTED;
    return NAV_OK;
}

nav_status nd_profile_change_collect(nd_profile_change *c, const nd_world_limits *limits, size_t steps, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world_limits own = *limits; // what it frees counts as free, and it is not one edit's
    own.max_edit_tiles = UINT64_MAX;
    if (own.max_tiles < UINT64_MAX - c->going) own.max_tiles += c->going;
    if (own.max_new_tiles < UINT64_MAX - c->going) own.max_new_tiles += c->going;
    c->interactive = limits->interactive_tiles;
    nav_status s = collect(c, &own, &steps);
    if (s == NAV_OK && c->dirty.created && c->w->scheduler.tiles.count > own.max_tiles) s = NAV_ERR_LIMIT;
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
    if (s == NAV_OK) s = nd_marking_create(&c->marking);
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

static void apply_step(nd_profile_change *c, uint32_t i, uint64_t applied_ns, bool has_tiles)
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
        p->marking = has_tiles;
        p->applied_ns = applied_ns;
        double padding_m = nd_padding_of(&p->wire.settings);
        if (!c->grows_later || padding_m < p->complete_m) p->complete_m = padding_m;
        c->tiles += w->scheduler.progress[to].tiles;
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
    const uint64_t applied_ns = nd_now_ns();
    const bool has_tiles = w->scheduler.tiles.count || w->objects[ND_INSTANCE].count;
    bool marks = false;
    for (uint32_t i = 0; i < c->count; i++) {
        apply_step(c, i, applied_ns, has_tiles);
        marks |= has_tiles && c->steps[i].to != NO_SLOT;
    }
    memcpy(w->origin_m, c->wanted.origin_m, sizeof w->origin_m);
    w->revision = c->revision;
    c->dirty.count = 0; // they are the world's now
    if (marks) nd_marking_begin(w, c->marking, c->caller, c->revision, c->now_ns, c->interactive, c->tiles);
    if (marks) c->marking = NULL;
    c->phase = APPLIED;
}

uint32_t nd_profile_change_dirty_tiles(const nd_profile_change *c)
{
    return (uint32_t)c->tiles;
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
    nd_dirty_deinit(&c->dirty, w);
    for (uint32_t i = 0; i < c->count; i++) {
        nd_reach_free(w, c->reach[i]);
        if (!is_applied && c->steps[i].to != NO_SLOT && c->steps[i].to != c->steps[i].from)
            nd_world_leave_slot(w, c->steps[i].to);
    }
    nd_profile_list_deinit(&c->wanted);
    free(c->steps);
    free(c->reach);
    nd_growth_deinit(&c->growth);
    nd_marking_destroy(c->marking);
    nd_caller_unref(c->caller);
    free(c);
}

// --- adding ---

nav_status nd_world_with_profiles(const nd_world *w, const np_profile *profiles, uint32_t count, nd_profile_list *out,
                                  np_error *err)
{
    nav_settings defaults;
    nav_settings_default(&defaults);
    nav_status s = nd_profile_list_of(w, out);
    for (uint32_t i = 0; i < count && s == NAV_OK; i++) {
        const np_profile *p = &profiles[i];
        np_profile known;
        bool is_known = false;
        for (uint32_t k = 0; k < out->count && !is_known; k++) {
            known = out->profiles[k];
            is_known = has_name(&known, p->name) && (!p->has_slot || known.settings.sheet == p->settings.sheet);
        }
        nav_settings settings = p->settings;
        // Left out, which on the wire is as good as the default: as the profile has them. So a client that says nothing
        // opens a world again which was stored under another default.
        if (is_known && settings.outlines == defaults.outlines) settings.outlines = known.settings.outlines;
        memcpy(settings.origin_m, out->origin_m, sizeof settings.origin_m);
        if (is_known) settings.sheet = known.settings.sheet;
        if (is_known && !nav_key_equal(nav_settings_key(&known.settings, 0, 0), nav_settings_key(&settings, 0, 0))) {
            char key[32];
            snprintf(key, sizeof key, "profiles[%u]", i);
            s = np_error_set_key(err, NAV_ERR_EXISTS, key,
                                 "%s: the world already has a profile \"%.*s\" with other settings; world.profile "
                                 "changes them",
                                 key, (int)p->name.size, p->name.data);
        } else if (!is_known) {
            s = p->has_slot ? nd_profile_list_add(out, p) : nd_profile_list_put(out, p);
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
    nav_status s = nd_world_with_profiles(w, profiles, count, &wanted, err);
    if (s == NAV_OK) s = nd_profile_change_begin(w, &wanted, NULL, limits->max_profiles, now_ns, "profiles", &c, err);
    if (s != NAV_OK || !c) return s;
    s = nd_profile_change_collect(c, limits, SIZE_MAX, err);
    if (s == NAV_OK) s = nd_profile_change_prepare(c, err);
    if (s == NAV_OK) nd_profile_change_apply(c);
    nd_profile_change_destroy(c);
    return s;
}
