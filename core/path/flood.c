// What one can get to where some areas are closed, or by links that lead one way: a flood over cells. Without either,
// the labels of a set tell that at once.
#include "core/path/search_work.h"

enum { STEPS_BETWEEN_STOPS = 4096 };

static uint64_t key_of(uint32_t tile, uint32_t cell)
{
    return UINT64_C(1) << 62 | (uint64_t)tile << 32 | cell; // tiles are fewer than 2^29, as memory is
}

bool nav_path_is_flooded(const void *user, uint32_t tile, uint32_t cell)
{
    return nav_path_knows(user, key_of(tile, cell));
}

// Once each.
static bool reach(path_search *s, uint32_t tile, uint32_t cell, uint32_t *end)
{
    nav_path_finder *f = s->f;
    const path_tile *t = s->set->tiles[tile];
    if (s->rules->class_of[t->area[cell]] == PATH_CLOSED) return true;
    if (!nav_path_improve(s, key_of(tile, cell), 0, PATH_NONE)) return !s->out_of_memory;
    if (!PATH_GROW(f->near, f->near_room, *end)) return false;
    f->near[(*end)++] = (path_place){.tile = tile, .cell = cell};
    return true;
}

nav_status nav_path_flood(path_search *s, const path_place *start, const path_place *goal, bool *reached)
{
    const nav_path_set *set = s->set;
    nav_path_finder *f = s->f;
    uint32_t end = 0;
    *reached = false;
    nav_path_forget(s);
    if (!nav_path_list_near(set, *start, &f->near, &f->near_room, 0, path_excluded(s), &end)) return NAV_ERR_MEMORY;
    uint32_t at = end; // from here on: what is reached
    for (uint32_t i = 0, around = end; i < around; i++)
        if (!reach(s, f->near[i].tile, f->near[i].cell, &end)) return NAV_ERR_MEMORY;
    for (uint32_t steps = 1; at < end; at++, steps++) {
        path_place here = f->near[at];
        const path_tile *t = set->tiles[here.tile];
        if (here.tile == goal->tile && here.cell == goal->cell) {
            *reached = true;
            return NAV_OK;
        }
        if (steps % STEPS_BETWEEN_STOPS == 0 && s->q->stop && s->q->stop(s->q->user)) return NAV_ERR_LIMIT;
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            uint32_t tile = here.tile, corner = k;
            if (path_cross(set, &tile, &corner) && !reach(s, tile, set->tiles[tile]->cell[corner], &end))
                return NAV_ERR_MEMORY;
        }
        if (!s->rules->links || !t->mouth_count) continue;
        uint32_t last = t->first_mouth + t->mouth_count;
        for (uint32_t i = nav_path_first_mouth(set, here.tile, here.cell); i < last && set->mouths[i].cell == here.cell;
             i++) {
            const path_jump *j = &set->jumps[set->mouths[i].jump];
            if (path_may_jump(set, s->rules, j) && !reach(s, j->to.tile, j->to.cell, &end)) return NAV_ERR_MEMORY;
        }
    }
    return NAV_OK;
}
