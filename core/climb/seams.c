// The table of seams, from the joins of patches of two sheets.
#include "core/climb/climb_work.h"

#include <stdlib.h>
#include <string.h>

static bool is_seam(const climb_patch *p, const climb_half *h)
{
    return h->is_open && p->sheet < h->other->sheet; // each once
}

uint32_t nav_climb_set_seams(const nav_climb_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        for (uint32_t k = 0; k < set->patch[i]->half_count; k++)
            count += is_seam(set->patch[i], &set->patch[i]->half[k]);
    return count;
}

static nav_climb_side side_of(const climb_patch *p, uint32_t edge)
{
    return (nav_climb_side){.sheet = p->sheet, .tile_x = p->x, .tile_z = p->z, .cell = p->cell[p->edge[edge].triangle]};
}

static nav_climb_seam seam_of(const climb_patch *p, const climb_half *h)
{
    nav_climb_seam s = {.sides = {side_of(p, h->edge), side_of(h->other, h->other_edge)},
                        .turn_deg = (double)h->turn_deg,
                        .strip = h->strip};
    memcpy(s.sides[0].from, h->right, sizeof h->right);
    memcpy(s.sides[0].to, h->left, sizeof h->left);
    memcpy(s.sides[1].from, h->in_left, sizeof h->in_left);
    memcpy(s.sides[1].to, h->in_right, sizeof h->in_right);
    s.length_m = vec_apart(vec_of_float(h->right), vec_of_float(h->left));
    return s;
}

nav_status nav_climb_set_list_seams(const nav_climb_set *set, nav_climb_seam **out)
{
    uint32_t count = nav_climb_set_seams(set), n = 0;
    *out = malloc(((size_t)count + 1) * sizeof **out);
    if (!*out) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < set->count; i++) {
        const climb_patch *p = set->patch[i];
        for (uint32_t k = 0; k < p->half_count; k++)
            if (is_seam(p, &p->half[k])) (*out)[n++] = seam_of(p, &p->half[k]);
    }
    return NAV_OK;
}
