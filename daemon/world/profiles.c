#include "daemon/world/profiles.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/world/reach.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const np_profile *p, np_str name)
{
    return np_str_same(p->name, name);
}

uint32_t nd_world_find_profile(const nd_world *w, np_str name)
{
    for (uint32_t i = 0; i < w->profile_count; i++)
        if (nd_profile_is_live(w, i) && nd_profile_is_first(w, i) && is_named(&w->profiles[i].wire, name)) return i;
    return UINT32_MAX;
}

uint32_t nd_world_find_sheet(const nd_world *w, np_str name, nav_sheet sheet)
{
    for (uint32_t i = 0; i < w->profile_count; i++)
        if (nd_profile_is_live(w, i) && w->profiles[i].wire.settings.sheet == sheet &&
            is_named(&w->profiles[i].wire, name))
            return i;
    return UINT32_MAX;
}

uint32_t nd_world_find_first(const nd_world *w, np_str name, uint32_t sheets)
{
    uint32_t slot = UINT32_MAX;
    for (int s = 0; s < NAV_SHEET_COUNT && slot == UINT32_MAX; s++)
        if (sheets >> s & 1) slot = nd_world_find_sheet(w, name, (nav_sheet)s);
    return slot;
}

bool nd_world_same_profile(const nd_world *w, uint32_t a, uint32_t b)
{
    return a == b || is_named(&w->profiles[a].wire, w->profiles[b].wire.name);
}

uint32_t nd_world_list_profiles(const nd_world *w, np_profile *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->profile_count; i++)
        if (nd_profile_is_live(w, i) && nd_profile_is_first(w, i)) out[count++] = w->profiles[i].wire;
    return count;
}

bool nd_profile_same_grid(const nav_settings *a, const nav_settings *b)
{
    double side_a = (double)a->cell_size_m * a->tile_cells, side_b = (double)b->cell_size_m * b->tile_cells;
    const bool same_origin = a->origin_m[0] == b->origin_m[0] && a->origin_m[2] == b->origin_m[2] &&
                             (a->sheets == NAV_SHEETS_UP || a->origin_m[1] == b->origin_m[1]);
    return side_a == side_b && same_origin && a->sheets == b->sheets;
}

// --- slots ---

static nav_status copy_name(np_str *name)
{
    char *copy = malloc((size_t)name->size + 1);
    if (!copy) return NAV_ERR_MEMORY;
    if (name->size) memcpy(copy, name->data, name->size);
    name->data = copy;
    return NAV_OK;
}

static nav_status grow_slots(nd_world *w, uint32_t count)
{
    if (count > NP_MAX_SLOTS) return NAV_ERR_LIMIT;
    nd_profile *grown = realloc(w->profiles, count * sizeof *grown);
    if (!grown) return NAV_ERR_MEMORY;
    w->profiles = grown;
    while (w->profile_count < count) {
        nav_status s = nd_scheduler_add_profile(&w->scheduler);
        if (s != NAV_OK) return s;
        w->profiles[w->profile_count++] = (nd_profile){.state = ND_PROFILE_FREE};
    }
    return NAV_OK;
}

nav_status nd_world_take_slot(nd_world *w, uint32_t slot, const np_profile *p, uint32_t *out)
{
    ND_ASSERT_LOOP_THREAD();
    if (slot == UINT32_MAX)
        for (slot = 0; slot < w->profile_count && w->profiles[slot].state != ND_PROFILE_FREE;) slot++;
    if (slot < w->profile_count && w->profiles[slot].state != ND_PROFILE_FREE) return NAV_ERR_FORMAT;
    nav_status s = slot < w->profile_count ? NAV_OK : grow_slots(w, slot + 1);
    np_str name = p->name;
    if (s == NAV_OK) s = copy_name(&name);
    if (s != NAV_OK) return s;
    nd_profile *taken = &w->profiles[slot];
    *taken = (nd_profile){.wire = *p,
                          .state = ND_PROFILE_COMING,
                          .key = nav_settings_key(&p->settings, 0, 0),
                          .version = ++w->last_version};
    taken->wire.name = name;
    taken->wire.has_slot = false; // here it is where it stands
    *out = slot;
    return NAV_OK;
}

static void free_slot(nd_world *w, uint32_t slot)
{
    assert(!w->scheduler.progress[slot].tiles);
    free((char *)w->profiles[slot].wire.name.data);
    w->profiles[slot] = (nd_profile){.state = ND_PROFILE_FREE};
    w->scheduler.progress[slot].done = w->scheduler.progress[slot].open = 0;
}

void nd_world_leave_slot(nd_world *w, uint32_t slot)
{
    assert(w->profiles[slot].state == ND_PROFILE_COMING);
    nd_reach_drop_profile(w, slot);
    free_slot(w, slot);
}

void nd_world_retire_slot(nd_world *w, uint32_t slot)
{
    ND_ASSERT_LOOP_THREAD();
    nd_profile *p = &w->profiles[slot];
    assert(p->state == ND_PROFILE_LIVE);
    p->version = ++w->last_version;
    nd_reach_drop_profile(w, slot);
    p->state = ND_PROFILE_GONE;
    w->gone_count++;
    w->gone_at = 0;
}

void nd_world_drop_tile(nd_world *w, nd_tile *t)
{
    bool was_open = t->state != ND_TILE_CLEAN && t->state != ND_TILE_UNWATCHED;
    uint64_t since = t->since;
    nd_reach_forget(t);
    nd_scheduler_drop(&w->scheduler, t);
    if (was_open) nd_reach_settle(w, since, nd_now_ns()); // others may have waited for it
}

static void drop_gone(void *user, nd_node *n)
{
    nd_world *w = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    if (w->profiles[t->profile].state == ND_PROFILE_GONE) nd_world_drop_tile(w, t);
}

bool nd_world_free_gone(nd_world *w, size_t steps)
{
    ND_ASSERT_LOOP_THREAD();
    if (!w->gone_count) return false;
    if (!steps) return true;
    // Where the table has grown since, what was not seen stands at the same slot or behind it.
    w->gone_at = nd_table_each_from(&w->scheduler.tiles, w->gone_at, steps, drop_gone, w);
    if (w->gone_at) return true;
    for (uint32_t i = 0; i < w->profile_count; i++)
        if (w->profiles[i].state == ND_PROFILE_GONE) free_slot(w, i);
    w->gone_count = 0;
    return false;
}

// --- lists ---

nav_status nd_profile_list_add(nd_profile_list *l, const np_profile *p)
{
    np_profile *grown = realloc(l->profiles, (l->count + (size_t)1) * sizeof *grown);
    if (!grown) return NAV_ERR_MEMORY;
    l->profiles = grown;
    grown[l->count] = *p;
    nav_status s = copy_name(&grown[l->count].name);
    if (s != NAV_OK) return s;
    memcpy(grown[l->count].settings.origin_m, l->origin_m, sizeof l->origin_m);
    l->count++;
    return NAV_OK;
}

nav_status nd_profile_list_of(const nd_world *w, nd_profile_list *out)
{
    nav_status s = NAV_OK;
    *out = (nd_profile_list){0};
    memcpy(out->origin_m, w->origin_m, sizeof out->origin_m);
    for (uint32_t i = 0; i < w->profile_count && s == NAV_OK; i++)
        if (nd_profile_is_live(w, i)) s = nd_profile_list_add(out, &w->profiles[i].wire);
    if (s != NAV_OK) nd_profile_list_deinit(out);
    return s;
}

void nd_profile_list_deinit(nd_profile_list *l)
{
    for (uint32_t i = 0; i < l->count; i++) free((char *)l->profiles[i].name.data);
    free(l->profiles);
    *l = (nd_profile_list){0};
}

static void remove_at(nd_profile_list *l, uint32_t i)
{
    free((char *)l->profiles[i].name.data);
    memmove(&l->profiles[i], &l->profiles[i + 1], (--l->count - i) * sizeof *l->profiles);
}

nav_status nd_profile_list_put(nd_profile_list *l, const np_profile *p)
{
    nav_status s = NAV_OK;
    uint32_t missing = p->settings.sheets;
    for (uint32_t i = l->count; i-- > 0;) {
        nav_settings *own = &l->profiles[i].settings;
        if (!is_named(&l->profiles[i], p->name)) continue;
        const nav_sheet sheet = own->sheet;
        if (!(missing >> sheet & 1)) {
            remove_at(l, i);
            continue;
        }
        missing &= ~(UINT32_C(1) << sheet);
        *own = p->settings;
        own->sheet = sheet;
        memcpy(own->origin_m, l->origin_m, sizeof l->origin_m);
    }
    np_profile one = *p;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT && s == NAV_OK; sheet++) {
        if (!(missing >> sheet & 1)) continue;
        one.settings.sheet = (nav_sheet)sheet;
        s = nd_profile_list_add(l, &one);
    }
    return s;
}

bool nd_profile_list_remove(nd_profile_list *l, np_str name)
{
    const uint32_t before = l->count;
    for (uint32_t i = l->count; i-- > 0;)
        if (is_named(&l->profiles[i], name)) remove_at(l, i);
    return l->count < before;
}

void nd_profile_list_move(nd_profile_list *l, const double origin_m[3])
{
    memcpy(l->origin_m, origin_m, sizeof l->origin_m);
    for (uint32_t i = 0; i < l->count; i++) memcpy(l->profiles[i].settings.origin_m, origin_m, sizeof l->origin_m);
}
