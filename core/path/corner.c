// A corner is where the ground that hangs together around a vertex (its sector) leaves a wedge of wall within the half
// turn to the side that the path turns to. That is found by walking around the vertex, over the borders of tiles too,
// from the ray on until a wall comes; where none comes within half a turn there is no reason to turn there. The wall
// that ends the walk names the corner, so that two obstacles that touch have a corner for each sector, and no path
// passes between them.
#include "core/path/known.h"

#include <stdlib.h>

static uint32_t find_entry(const nav_path_finder *f, uint64_t key)
{
    uint32_t i = path_slot_of(key, f->entry_room);
    while (f->entries[i].search == f->search && f->entries[i].key != key) i = (i + 1) & (f->entry_room - 1);
    return i;
}

// False: no memory.
static bool reserve_entry(path_search *s)
{
    nav_path_finder *f = s->f;
    if (2 * (s->entry_count + 1) <= f->entry_room) return true;
    uint32_t before = f->entry_room, room = before ? 2 * before : 1024;
    path_entry *old = f->entries, *entries = room > before ? calloc(room, sizeof *entries) : NULL;
    if (!entries) {
        s->out_of_memory = true;
        return false;
    }
    f->entries = entries;
    f->entry_room = room;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].search == f->search) f->entries[find_entry(f, old[i].key)] = old[i];
    free(old);
    return true;
}

// Walks around the vertex of a corner, from the ray that comes from a turn through it, to the left or to the right.
// True where the path may turn to that side: a wall comes within half a turn, and ground before it. After half a turn
// it is one without thickness, on the line from the turn: the way goes back behind it.
// It ends at *tile, *corner: the edge that is the wall.
static bool find_wall(const path_search *s, const path_turn *turn, uint32_t *tile, uint32_t *corner, bool left)
{
    path_spot p = turn->at;
    const nav_path_set *set = s->set;
    path_spot a = path_corner(set->tiles[*tile], *corner);
    for (bool first = true;; first = false) {
        const path_tile *t = set->tiles[*tile];
        uint32_t edge = left ? *corner : path_before(t, *corner);
        path_spot w = path_corner(t, left ? path_next(t, *corner) : edge);
        int64_t side = left ? path_side(p, a, w) : -path_side(p, a, w);
        bool along = first && side == 0 && path_goes_on(p, a, w);
        bool back = !first && side == 0;
        if (side <= 0 && !along && !back) return false;
        uint32_t next_tile = *tile, next = edge;
        if (!path_cross_within(s, turn->class, &next_tile, &next)) {
            *corner = edge;
            return side > 0 || back;
        }
        if (back) return false;
        *tile = next_tile;
        *corner = left ? path_next(set->tiles[next_tile], next) : next;
    }
}

static bool is_wanted(const path_search *s, uint32_t tile, uint32_t corner, bool left)
{
    const path_turn *w = &s->f->turns[s->wanted];
    return w->tile == tile && w->corner == corner && w->kind == (left ? PATH_LEFT : PATH_RIGHT);
}

bool nav_path_is_preferred(const path_search *s, uint32_t from, uint32_t other)
{
    const path_turn *a = &s->f->turns[from], *b = &s->f->turns[other];
    if (from == other || a->outdated) return false;
    if (b->outdated || a->at.z != b->at.z) return b->outdated || a->at.z < b->at.z;
    if (a->at.x != b->at.x) return a->at.x < b->at.x;
    if (a->kind != b->kind) return a->kind < b->kind;
    if (a->kind == PATH_JUMP || a->kind == PATH_CROSS || a->tile == b->tile) return a->corner < b->corner;
    return path_tile_order(s->set->tiles[a->tile], s->set->tiles[b->tile]) < 0;
}

bool nav_path_improve(path_search *s, uint64_t key, double g, uint32_t from)
{
    if (!reserve_entry(s)) return false;
    path_entry *e = &s->f->entries[find_entry(s->f, key)];
    if (e->search != s->f->search)
        s->entry_count++;
    else if (e->g < g ||
             (e->g == g && (from == PATH_NONE || !nav_path_is_preferred(s, from, s->f->turns[e->turn].parent))))
        return false;
    else
        s->f->turns[e->turn].outdated = true;
    *e = (path_entry){key, g, s->turn_count, s->f->search};
    return true;
}

bool nav_path_knows(const path_search *s, uint64_t key)
{
    return s->entry_count && s->f->entries[find_entry(s->f, key)].search == s->f->search;
}

void nav_path_try_turn(path_search *s, uint32_t from, uint32_t tile, uint32_t corner, bool left)
{
    if (s->tracing) {
        s->traced |= is_wanted(s, tile, corner, left);
        return;
    }
    path_spot p = s->f->turns[from].at, a = path_corner(s->set->tiles[tile], corner);
    uint8_t class = s->f->turns[from].class;
    uint32_t wall_tile = tile, wall = corner;
    double g = path_cost_to(s, from, a), f = g + (s->spreads ? 0 : path_left_at(s, tile, corner, a));
    if (f > s->best || nav_path_is_beaten(s, tile, corner, g)) return;
    if (!find_wall(s, &s->f->turns[from], &wall_tile, &wall, left) ||
        !nav_path_improve(s, ((uint64_t)wall_tile << 32 | wall) << 1 | left, g, from))
        return;
    path_turn *turn = nav_path_add_turn(s);
    if (!turn) return;
    *turn = (path_turn){.parent = from,
                        .tile = tile,
                        .corner = corner,
                        .kind = left ? PATH_LEFT : PATH_RIGHT,
                        .at = a,
                        .class = class,
                        .before = p,
                        .g = g,
                        .f = f};
    nav_path_push(s, f, s->turn_count - 1);
}
