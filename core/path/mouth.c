// Off-mesh links in a search: where a root sees the mouth of one, the way ends there as at a goal, and begins anew at
// the other end.
#include "core/path/search_work.h"

static const uint64_t jump_key = UINT64_C(1) << 63; // of the table of corners, whose keys are smaller

static void try_jump(path_search *s, uint32_t from, uint32_t jump)
{
    const path_jump *j = &s->set->jumps[jump];
    double g = path_cost_to(s, from, j->from.at) + s->rules->link_weight[j->area] * j->length;
    double f = g + path_at_least(s, path_distance(j->to.at, s->goal));
    if (f > s->best || !nav_path_improve(s, jump_key | jump, g, from)) return;
    path_turn *turn = nav_path_add_turn(s);
    if (!turn) return;
    *turn = (path_turn){.parent = from,
                        .corner = jump,
                        .kind = PATH_JUMP,
                        .class = s->rules->class_of[s->set->tiles[j->to.tile]->area[j->to.cell]],
                        .at = j->to.at,
                        .before = j->to.at,
                        .y = j->to.y,
                        .g = g,
                        .f = f};
    nav_path_push(s, f, s->turn_count - 1);
}

void nav_path_look_for_mouths(path_search *s, uint32_t from, uint32_t tile, uint32_t cell, const path_cone *cone)
{
    const nav_path_set *set = s->set;
    const path_tile *t = set->tiles[tile];
    if (s->rules->weighs) nav_path_look_for_verges(s, from, tile, cell, cone);
    if (!s->rules->links || !t->mouth_count) return;
    uint32_t end = t->first_mouth + t->mouth_count;
    for (uint32_t i = nav_path_first_mouth(set, tile, cell); i < end && set->mouths[i].cell == cell; i++) {
        uint32_t jump = set->mouths[i].jump;
        const path_jump *j = &set->jumps[jump];
        if (!path_may_jump(set, s->rules, j) || (cone && !path_cone_has(s->f->turns[from].at, cone, j->from.at)))
            continue;
        if (!s->tracing)
            try_jump(s, from, jump);
        else
            s->traced |= s->f->turns[s->wanted].kind == PATH_JUMP && s->f->turns[s->wanted].corner == jump;
    }
}
