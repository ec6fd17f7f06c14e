#include "daemon/replica/head.h"

#include "daemon/world/areas.h"
#include "daemon/world/reach.h"

#include <string.h>

nd_goal nd_head_goal(const np_world_open_request *head)
{
    return head->has_reach ? nd_goal_of_wire(&head->reach) : (nd_goal){0};
}

static bool same_goal(const nd_goal *a, const nd_goal *b)
{
    return a->mode == b->mode && a->goal.min_area_m2 == b->goal.min_area_m2 &&
           a->goal.seed_count == b->goal.seed_count &&
           !memcmp(a->goal.seeds, b->goal.seeds, a->goal.seed_count * sizeof *a->goal.seeds);
}

static bool same_area(const np_area *a, const np_area *b)
{
    return a->id == b->id && np_str_same(a->name, b->name) && a->cost == b->cost && a->has_flags == b->has_flags &&
           (!a->has_flags || a->flags == b->flags) && a->has_color == b->has_color &&
           (!a->has_color || a->color == b->color) && a->walkable == b->walkable;
}

static bool same_areas(const np_world_open_request *head, const nd_area_table *t)
{
    if (head->area_count != (t ? t->count : 0)) return false;
    for (uint32_t i = 0; i < head->area_count; i++)
        if (!same_area(&head->areas[i], &t->list[i])) return false;
    return true;
}

size_t nd_head_ops(const np_world_open_request *head, const nd_world *w, np_seed seeds[NAV_MAX_SEEDS], np_op *out)
{
    size_t count = 0;
    const nd_goal goal = nd_head_goal(head);
    if (!same_goal(&goal, &w->goal))
        out[count++] = (np_op){.kind = NP_OP_SET_REACH, .u.reach = nd_goal_to_wire(&goal, seeds)};
    if (head->build.mode != w->build.mode || head->build.margin_m != w->build.margin_m)
        out[count++] = (np_op){.kind = NP_OP_SET_BUILD, .u.build = head->build};
    if (!same_areas(head, w->areas))
        out[count++] = (np_op){.kind = NP_OP_SET_AREAS, .u.areas = {head->area_count, head->areas}};
    return count;
}

nav_status nd_head_profiles(const np_world_open_request *head, const nd_world *w, nd_profile_list *out, bool *differs)
{
    nav_status s = NAV_OK;
    uint32_t live = 0;
    *out = (nd_profile_list){0};
    memcpy(out->origin_m, head->origin_m, sizeof out->origin_m);
    *differs = memcmp(w->origin_m, head->origin_m, sizeof w->origin_m) != 0;
    for (uint32_t i = 0; i < w->profile_count; i++) live += nd_profile_is_live(w, i);
    *differs |= live != head->profile_count;
    for (uint32_t i = 0; i < head->profile_count && s == NAV_OK; i++) {
        np_profile p = head->profiles[i];
        if (!p.has_slot) p.slot = i;
        p.has_slot = true;
        s = nd_profile_list_add(out, &p);
        if (s != NAV_OK) break;
        const nav_settings *settings = &out->profiles[out->count - 1].settings;
        const uint32_t slot = nd_world_find_sheet(w, p.name, settings->sheet);
        const bool stays = slot != UINT32_MAX && nd_profile_same_grid(&w->profiles[slot].wire.settings, settings);
        if (stays && slot != p.slot) s = NAV_ERR_FORMAT;
        *differs |= !stays || !nav_key_equal(w->profiles[slot].key, nav_settings_key(settings, 0, 0));
    }
    return s;
}
