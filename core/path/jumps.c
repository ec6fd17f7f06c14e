// Off-mesh links where both ends are on ground: found as Detour finds it, within the link's radius seen from above and
// the agent's climb up or down. A link that goes both ways is two jumps. After a change only those links are looked up
// again that begin in a tile that has changed, or have an end near one: what the others lead to stays.
#include "core/path/search_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Tiles by their places, without the base.
typedef struct tile_range {
    int32_t low[2], high[2]; // x z; low above high: none
} tile_range;

// A link, and what is known of it.
struct path_link {
    int32_t x, z, layer; // of the tile that it begins in
    uint32_t index;      // among the links of that tile
    nav_link link;
    tile_range around[2]; // its ends: nothing outside of these tiles decides where they are
    path_place from, to;
    double length; // in space, points of the fine grid
    bool leads;    // both ends are on ground
    bool is_new;   // looked up since the jumps were made
    uint32_t first_jump;
};

// --- Order ---

// By place and layer, so that it does not matter in what order the tiles came.
static int compare_links(const void *a, const void *b)
{
    const path_link *l = a, *m = b;
    if (l->z != m->z) return l->z < m->z ? -1 : 1;
    if (l->x != m->x) return l->x < m->x ? -1 : 1;
    if (l->layer != m->layer) return l->layer < m->layer ? -1 : 1;
    return l->index < m->index ? -1 : l->index > m->index;
}

static int compare_mouths(const void *a, const void *b)
{
    const path_mouth *m = a, *n = b;
    if (m->tile != n->tile) return m->tile < n->tile ? -1 : 1;
    if (m->cell != n->cell) return m->cell < n->cell ? -1 : 1;
    return m->jump < n->jump ? -1 : m->jump > n->jump;
}

// Those before `first` are in order; puts the others among them. False: no memory.
static bool sort_in(void *items, size_t size, uint32_t first, uint32_t count,
                    int (*compare)(const void *, const void *))
{
    uint32_t left = first, more = count - first, at = count;
    char *all = items, *tail;
    if (!more) return true;
    qsort(all + first * size, more, size, compare);
    if (!first || compare(all + (first - 1) * size, all + first * size) < 0) return true;
    tail = malloc(more * size);
    if (!tail) return false;
    memcpy(tail, all + first * size, more * size);
    while (more) {
        bool is_old = left && compare(all + (left - 1) * size, tail + (more - 1) * size) > 0;
        const char *from = is_old ? all + --left * size : tail + --more * size;
        memcpy(all + --at * size, from, size);
    }
    free(tail);
    return true;
}

// --- Links ---

// A column more than the radius, as ground that touches the place counts as well.
static tile_range tiles_around(const nav_path_set *set, const double at[3], double radius_m)
{
    tile_range out = {{1, 1}, {0, 0}};
    double p[2], y, side = (double)set->grid.tile_cells * NAV_PATH_FINE;
    double reach = (radius_m / (double)set->grid.cell_size_m + 1) * NAV_PATH_FINE;
    if (!nav_path_from_metres(set, at, &p[0], &p[1], &y)) return out;
    for (int a = 0; a < 2; a++) {
        double base = a ? set->base_z : set->base_x;
        out.low[a] = (int32_t)fmax(floor((p[a] - reach) / side) + base, INT32_MIN);
        out.high[a] = (int32_t)fmin(floor((p[a] + reach) / side) + base, INT32_MAX);
    }
    return out;
}

static void look_up(const nav_path_set *set, path_link *l)
{
    double at[2][3], climb = (double)set->grid.agent_climb_m, radius = (double)l->link.radius_m;
    for (int k = 0; k < 3; k++) {
        at[0][k] = (double)l->link.start[k];
        at[1][k] = (double)l->link.end[k];
    }
    for (int i = 0; i < 2; i++) l->around[i] = tiles_around(set, at[i], radius);
    l->is_new = true;
    l->leads = nav_path_locate_within(set, at[0], radius, climb, &l->from) &&
               nav_path_locate_within(set, at[1], radius, climb, &l->to);
    if (!l->leads) return;
    double x = (double)l->to.at.x - l->from.at.x, z = (double)l->to.at.z - l->from.at.z;
    double y = (l->to.y - l->from.y) * (double)set->grid.cell_height_m / (double)set->grid.cell_size_m * NAV_PATH_FINE;
    l->length = sqrt(x * x + y * y + z * z);
}

static bool add_links(nav_path_set *set, const path_tile *t)
{
    for (uint32_t k = 0; k < t->link_count; k++) {
        const nav_link *l = &t->link[k];
        if (!l->flags || l->area >= NAV_AREA_COUNT) continue; // nobody may use it
        if (!PATH_GROW(set->links, set->known_link_room, set->known_link_count)) return false;
        path_link *to = &set->links[set->known_link_count++];
        *to = (path_link){.x = t->x, .z = t->z, .layer = t->layer, .index = k, .link = *l};
        look_up(set, to);
    }
    return true;
}

static bool is_in(const path_changed_at *c, const tile_range *r)
{
    return c->x >= r->low[0] && c->x <= r->high[0] && c->z >= r->low[1] && c->z <= r->high[1];
}

// Has the tile that it begins in changed, or one that decides where its ends are?
static void compare_with_changes(const nav_path_set *set, const path_link *l, bool *begins, bool *ends)
{
    *begins = *ends = false;
    for (uint32_t i = 0; i < set->change_count; i++) {
        const path_changed_at *c = &set->changes[i];
        *begins |= c->x == l->x && c->z == l->z;
        *ends |= is_in(c, &l->around[0]) || is_in(c, &l->around[1]);
    }
}

// Brings the list of links up to date, those first that were in it. True in `other`: some are not as they were.
static nav_status renew_links(nav_path_set *set, bool *other)
{
    uint32_t before = set->known_link_count, kept = 0;
    bool all = set->is_cut || set->change_count > PATH_CHANGES, looked_up = false;
    for (uint32_t i = 0; i < before && !all; i++) {
        path_link *l = &set->links[i];
        bool begins, ends;
        compare_with_changes(set, l, &begins, &ends);
        if (begins) continue; // it comes anew, or is gone
        if (ends) look_up(set, l);
        looked_up |= ends;
        if (kept < i) set->links[kept] = *l;
        kept++;
    }
    set->known_link_count = kept;
    bool room = true;
    for (uint32_t i = 0; i < set->tile_count && all && room; i++)
        if (set->tiles[i]) room = add_links(set, set->tiles[i]);
    for (uint32_t i = 0; i < set->change_count && !all && room; i++) {
        uint32_t at = nav_path_set_find(set, set->changes[i].x, set->changes[i].z);
        for (; at != PATH_NONE && room; at = set->tiles[at]->above) room = add_links(set, set->tiles[at]);
    }
    *other = all || looked_up || kept < before || set->known_link_count > kept;
    room = room && sort_in(set->links, sizeof *set->links, kept, set->known_link_count, compare_links);
    return room ? NAV_OK : NAV_ERR_MEMORY;
}

// --- Jumps and their mouths ---

static uint32_t jumps_of(const path_link *l)
{
    return !l->leads ? 0 : l->link.both_ways ? 2 : 1;
}

// place: of each jump of before, PATH_NONE where it is new or gone.
static nav_status make_jumps(nav_path_set *set, uint32_t *place)
{
    set->jump_count = 0;
    set->link_areas = 0;
    for (uint32_t i = 0; i < set->known_link_count; i++) {
        path_link *l = &set->links[i];
        path_jump j = {.from = l->from,
                       .to = l->to,
                       .length = l->length,
                       .id = l->link.id,
                       .radius_m = l->link.radius_m,
                       .area = l->link.area};
        uint32_t first = set->jump_count;
        for (uint32_t k = 0; k < jumps_of(l); k++) {
            if (!PATH_GROW(set->jumps, set->jump_room, set->jump_count)) return NAV_ERR_MEMORY;
            if (!l->is_new) place[l->first_jump + k] = set->jump_count;
            set->jumps[set->jump_count++] = j;
            set->link_areas |= UINT64_C(1) << j.area;
            j.from = l->to;
            j.to = l->from;
            j.back = true;
        }
        l->first_jump = first;
    }
    return NAV_OK;
}

static void forget_mouths(nav_path_set *set)
{
    for (uint32_t i = 0; i < set->mouth_count; i++)
        if (set->mouths[i].tile < set->tile_count && set->tiles[set->mouths[i].tile])
            set->tiles[set->mouths[i].tile]->mouth_count = 0;
}

static nav_status make_mouths(nav_path_set *set, const uint32_t *place)
{
    uint32_t kept = 0, room = 0, count = 0;
    path_place *around = NULL;
    bool fits = true;
    for (uint32_t i = 0; i < set->mouth_count; i++) {
        path_mouth m = set->mouths[i];
        m.jump = place[m.jump];
        if (m.jump != PATH_NONE) set->mouths[kept++] = m;
    }
    set->mouth_count = kept;
    for (uint32_t i = 0; i < set->known_link_count && fits; i++) {
        path_link *l = &set->links[i];
        for (uint32_t k = 0; l->is_new && k < jumps_of(l) && fits; k++) {
            uint32_t jump = l->first_jump + k;
            fits = nav_path_list_near(set, set->jumps[jump].from, &around, &room, 0, 0, &count);
            for (uint32_t n = 0; n < count && fits; n++) {
                fits = PATH_GROW(set->mouths, set->mouth_room, set->mouth_count);
                if (fits) set->mouths[set->mouth_count++] = (path_mouth){around[n].tile, around[n].cell, jump};
            }
        }
        l->is_new = false;
    }
    free(around);
    fits = fits && sort_in(set->mouths, sizeof *set->mouths, kept, set->mouth_count, compare_mouths);
    return fits ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status make(nav_path_set *set)
{
    uint32_t before = set->jump_count;
    uint32_t *place = malloc(((size_t)before + 1) * sizeof *place);
    if (!place) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < before; i++) place[i] = PATH_NONE;
    nav_status s = make_jumps(set, place);
    if (s == NAV_OK) s = make_mouths(set, place);
    free(place);
    for (uint32_t i = 0; s == NAV_OK && i < set->mouth_count; i++) {
        path_tile *t = set->tiles[set->mouths[i].tile];
        if (!t->mouth_count++) t->first_mouth = i;
    }
    return s;
}

void nav_path_note_change(nav_path_set *set, int32_t x, int32_t z)
{
    uint32_t i = 0;
    if (set->change_count > PATH_CHANGES) return;
    while (i < set->change_count && !(set->changes[i].x == x && set->changes[i].z == z)) i++;
    if (i < set->change_count) return;
    if (set->change_count < PATH_CHANGES) set->changes[i] = (path_changed_at){x, z};
    set->change_count++;
}

nav_status nav_path_find_jumps(nav_path_set *set)
{
    bool other = false;
    nav_status s = NAV_OK;
    if (set->link_count || set->known_link_count) s = renew_links(set, &other);
    if (other || s != NAV_OK) forget_mouths(set);
    if (s == NAV_OK && other) s = make(set);
    set->change_count = 0;
    if (s == NAV_OK) return NAV_OK;
    set->jump_count = set->mouth_count = set->known_link_count = 0;
    set->change_count = PATH_CHANGES + 1;
    return s;
}

size_t nav_path_links_bytes(const nav_path_set *set)
{
    return set->known_link_room * sizeof *set->links;
}

uint32_t nav_path_first_mouth(const nav_path_set *set, uint32_t tile, uint32_t cell)
{
    const path_tile *t = set->tiles[tile];
    uint32_t low = t->first_mouth, high = t->first_mouth + t->mouth_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->mouths[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
