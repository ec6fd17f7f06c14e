// A corner is where the ground that hangs together around a vertex (its sector) leaves a wedge of wall within the half
// turn to the side that the path turns to. That is found by walking around the vertex, over the borders of tiles too,
// from the ray on until a wall comes; where none comes within half a turn there is no reason to turn there. The wall
// that ends the walk names the corner, so that two obstacles that touch have a corner for each sector, and no path
// passes between them.
#include "core/path/search_work.h"

#include <stdlib.h>

static uint32_t find_entry(const nav_path_finder *f, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    uint32_t i = (uint32_t)(h >> 32) & (f->entry_room - 1);
    while (f->entries[i].search == f->search && f->entries[i].key != key) i = (i + 1) & (f->entry_room - 1);
    return i;
}

// PATH_NONE: no memory. Grown only at the start of a turn, as entries move.
static bool reserve_entry(path_search *s)
{
    nav_path_finder *f = s->f;
    if (2 * (s->entry_count + 1) <= f->entry_room) return true;
    uint32_t before = f->entry_room, room = before ? 2 * before : 1024;
    path_entry *old = f->entries, *entries = calloc(room, sizeof *entries);
    if (!entries || room < before) {
        free(entries);
        s->out_of_memory = true;
        return false;
    }
    uint32_t *moved = malloc(((size_t)before + 1) * sizeof *moved);
    if (!moved) {
        free(entries);
        s->out_of_memory = true;
        return false;
    }
    f->entries = entries;
    f->entry_room = room;
    for (uint32_t i = 0; i < before; i++) {
        if (old[i].search != f->search) continue;
        moved[i] = find_entry(f, old[i].key);
        f->entries[moved[i]] = old[i];
    }
    for (uint32_t r = 0; r < s->root_count; r++)
        if (f->roots[r].entry != PATH_NONE) f->roots[r].entry = moved[f->roots[r].entry];
    for (uint32_t n = 0; n < s->node_count; n++)
        if (f->nodes[n].kind == PATH_NODE_LEFT || f->nodes[n].kind == PATH_NODE_RIGHT)
            f->nodes[n].entry = moved[f->nodes[n].entry];
    free(moved);
    free(old);
    return true;
}

// Walks around the vertex of a corner, from the ray that comes from p through it, to the left or to the right. True
// where the path may turn to that side: a wall comes within half a turn, and ground before it. It ends at *tile,
// *corner: the edge that is the wall.
static bool find_wall(const nav_path_set *set, path_spot p, uint32_t *tile, uint32_t *corner, bool left)
{
    path_spot a = path_corner(set->tiles[*tile], *corner);
    for (bool first = true;; first = false) {
        const path_tile *t = set->tiles[*tile];
        uint32_t edge = left ? *corner : path_before(t, *corner);
        path_spot w = path_corner(t, left ? path_next(t, *corner) : edge);
        int64_t side = left ? path_side(p, a, w) : -path_side(p, a, w);
        bool along = first && side == 0 && path_goes_on(p, a, w);
        if (side <= 0 && !along) return false;
        uint32_t next_tile = *tile, next = edge;
        if (!path_cross(set, &next_tile, &next)) {
            *corner = edge;
            return side > 0;
        }
        *tile = next_tile;
        *corner = left ? path_next(set->tiles[next_tile], next) : next;
    }
}

void nav_path_try_turn(path_search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner, bool left)
{
    path_spot p = s->f->roots[from].at, a = path_corner(s->set->tiles[tile], corner);
    uint32_t wall_tile = tile, wall = corner;
    if (!find_wall(s->set, p, &wall_tile, &wall, left) || !reserve_entry(s)) return;
    uint64_t key = ((uint64_t)wall_tile << 32 | wall) << 1 | left;
    double g = s->f->roots[from].g + path_distance(p, a);
    uint32_t at = find_entry(s->f, key);
    path_entry *e = &s->f->entries[at];
    if (e->search == s->f->search && e->g <= g) return;
    path_node *n = nav_path_add_node(s);
    if (!n) return;
    s->entry_count += e->search != s->f->search;
    *e = (path_entry){key, g, s->f->search};
    *n = (path_node){.parent = parent,
                     .root = from,
                     .tile = tile,
                     .corner = corner,
                     .kind = left ? PATH_NODE_LEFT : PATH_NODE_RIGHT,
                     .entry = at,
                     .g = g};
    nav_path_push(s, g + path_distance(a, s->goal), s->node_count - 1);
}
