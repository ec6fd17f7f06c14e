// Seeds: the ground under a seed is looked up again whenever a tile near it changes.

#include "core/reach/reach_work.h"

#include <math.h>
#include <string.h>

nav_place_query nav_seed_query(const nav_settings *s, const float seed[3])
{
    float radius = 2 * s->agent_radius_m + 2 * s->cell_size_m, side = s->cell_size_m * (float)s->tile_cells;
    return (nav_place_query){{seed[0], seed[1], seed[2]}, radius < side ? radius : side, s->agent_height_m};
}

// --- seeds

static void set_seed_node(nav_reach *r, reach_seed *s, uint32_t node)
{
    if (s->node == node) return;
    for (int k = 0; k < 2; k++) {
        uint32_t n = k ? node : s->node;
        if (n == NONE) continue;
        r->node[n].seeds += k ? 1 : (uint32_t)-1;
        r->group[nav_reach_root(r, n)].seeds += k ? 1 : (uint32_t)-1;
        nav_reach_touch(r, n);
    }
    s->node = node;
}

void nav_reach_place_seed(nav_reach *r, reach_seed *s)
{
    nav_place_query q = nav_seed_query(&r->settings, s->at);
    double best2 = 0;
    uint32_t node = NONE;
    for (int32_t z = s->first[1]; z <= s->last[1]; z++)
        for (int32_t x = s->first[0]; x <= s->last[0]; x++) {
            uint32_t t = nav_reach_find_tile(r, x, z);
            double distance2 = 0;
            int32_t part = t != NONE && r->tile[t].parts ? r->find(r->user, x, z, &q, &distance2) : -1;
            if (part < 0 || (node != NONE && distance2 >= best2)) continue;
            best2 = distance2;
            node = r->tile[t].nodes[part];
        }
    set_seed_node(r, s, node);
    s->dirty = false;
}

void nav_reach_dirty_seeds(nav_reach *r, const reach_tile *t)
{
    for (uint32_t i = 0; i < r->seed_count; i++) {
        reach_seed *s = &r->seeds[i];
        s->dirty |= t->x >= s->first[0] && t->x <= s->last[0] && t->z >= s->first[1] && t->z <= s->last[1];
    }
}

static void touch_all(nav_reach *r)
{
    for (uint32_t s = 0; s < r->slot_count; s++)
        for (uint32_t t = r->slots[s]; t != NONE; t = r->tile[t].next_hash)
            for (uint32_t i = 0; r->tile[t].parts && i < r->tile[t].parts->count; i++)
                nav_reach_touch(r, r->tile[t].nodes[i]);
}

static void dirty_all(nav_reach *r)
{
    for (uint32_t s = 0; s < r->slot_count; s++)
        for (uint32_t t = r->slots[s]; t != NONE; t = r->tile[t].next_hash) nav_reach_mark_dirty(r, t);
}

void nav_reach_set_goal(nav_reach *r, const nav_reach_goal *goal)
{
    bool directed = goal->seed_count > 0;
    for (uint32_t i = 0; i < r->seed_count; i++) set_seed_node(r, &r->seeds[i], NONE);
    r->seed_count = goal->seed_count;
    for (uint32_t i = 0; i < goal->seed_count; i++) {
        reach_seed *s = &r->seeds[i];
        nav_place_query q = nav_seed_query(&r->settings, goal->seeds[i]);
        memcpy(s->at, goal->seeds[i], sizeof s->at);
        s->node = NONE;
        s->dirty = true;
        for (int k = 0; k < 2; k++) {
            double d = k ? (double)q.radius_m : -(double)q.radius_m;
            int32_t *tile = k ? s->last : s->first;
            nav_tile_at(&r->settings, (double)s->at[0] + d, (double)s->at[2] + d, &tile[0], &tile[1]);
        }
    }
    if (directed != r->directed) dirty_all(r); // links one way become arcs, or edges
    if (directed != r->directed || (!directed && goal->min_area_m2 != r->min_area_m2)) touch_all(r);
    r->directed = directed;
    r->min_area_m2 = goal->min_area_m2;
    double cell = (double)r->settings.cell_size_m, cells = 2 * goal->min_area_m2 / (cell * cell);
    r->min_doubled_cells = cells >= 9e18 ? INT64_MAX : (int64_t)ceil(cells);
}

bool nav_reach_seed_found(const nav_reach *r, uint32_t seed)
{
    return seed < r->seed_count && r->seeds[seed].node != NONE;
}
