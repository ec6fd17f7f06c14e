// Tiles by place, sewn together at their borders: navd's here, as they come, Detour's in junction.c. Two edges of
// navd's are one where both ends are at the same place and their heights are within the agent's climb; of storeys above
// each other the nearest heights go together.
#include "core/path/blocks.h"
#include "core/path/ground.h"
#include "core/path/landmarks.h"

#include "core/tile/refuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nav_status nav_path_set_create(nav_path_set **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

void nav_path_set_destroy(nav_path_set *set)
{
    if (!set) return;
    for (uint32_t i = 0; i < set->tile_count; i++) nav_path_tile_destroy(set->tiles[i]);
    free(set->tiles);
    free(set->slots);
    nav_path_blocks_deinit(&set->blocks);
    free(set->links);
    free(set->jumps);
    free(set->mouths);
    nav_path_landmarks_destroy(set->marks);
    free(set);
}

uint32_t nav_path_set_tiles(const nav_path_set *set)
{
    return set->count;
}

size_t nav_path_set_bytes(const nav_path_set *set)
{
    return sizeof *set + set->bytes + set->tile_room * sizeof *set->tiles + set->slot_room * sizeof *set->slots +
           nav_path_blocks_bytes(&set->blocks) + nav_path_links_bytes(set) + set->jump_room * sizeof *set->jumps +
           set->mouth_room * sizeof *set->mouths + (set->marks ? nav_path_landmarks_bytes(set->marks) : 0);
}

// --- Tiles by place: open addressing, holes closed by moving entries back ---

static uint32_t find_slot(const nav_path_set *set, int32_t x, int32_t z)
{
    uint32_t s = path_slot_of_place(x, z, set->slot_room);
    while (set->slots[s].tile != PATH_NONE && (set->slots[s].x != x || set->slots[s].z != z))
        s = (s + 1) & (set->slot_room - 1);
    return s;
}

uint32_t nav_path_set_find(const nav_path_set *set, int32_t x, int32_t z)
{
    return set->slot_room ? set->slots[find_slot(set, x, z)].tile : PATH_NONE;
}

static nav_status reserve(nav_path_set *set)
{
    if (set->tile_count == set->tile_room) {
        uint32_t room = set->tile_room ? 2 * set->tile_room : 16;
        path_tile **tiles = realloc(set->tiles, room * sizeof(path_tile *));
        if (!tiles) return NAV_ERR_MEMORY;
        set->tiles = tiles;
        set->tile_room = room;
    }
    if (2 * (set->count + 1) <= set->slot_room) return NAV_OK;
    uint32_t room = set->slot_room ? 2 * set->slot_room : 32, before = set->slot_room;
    path_slot *old = set->slots, *slots = malloc(room * sizeof *slots);
    if (!slots) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < room; i++) slots[i].tile = PATH_NONE;
    set->slots = slots;
    set->slot_room = room;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].tile != PATH_NONE) set->slots[find_slot(set, old[i].x, old[i].z)] = old[i];
    free(old);
    return NAV_OK;
}

static void free_slot(nav_path_set *set, uint32_t hole)
{
    uint32_t mask = set->slot_room - 1;
    for (uint32_t s = (hole + 1) & mask; set->slots[s].tile != PATH_NONE; s = (s + 1) & mask) {
        uint32_t home = path_slot_of_place(set->slots[s].x, set->slots[s].z, set->slot_room);
        if (((s - home) & mask) < ((s - hole) & mask)) continue; // it would come before its home
        set->slots[hole] = set->slots[s];
        hole = s;
    }
    set->slots[hole].tile = PATH_NONE;
}

// --- Borders ---

// The tile behind a side, by its place in the set. PATH_NONE: there is none.
static uint32_t find_beside(const nav_path_set *set, int32_t x, int32_t z, int side)
{
    static const int beside[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int64_t nx = (int64_t)x + beside[side][0], nz = (int64_t)z + beside[side][1];
    bool exists = nx >= INT32_MIN && nx <= INT32_MAX && nz >= INT32_MIN && nz <= INT32_MAX;
    return exists ? nav_path_set_find(set, (int32_t)nx, (int32_t)nz) : PATH_NONE;
}

static int64_t apart(const path_border *a, const path_border *b, int64_t climb)
{
    int64_t low = llabs((int64_t)a->y_low - b->y_low), high = llabs((int64_t)a->y_high - b->y_high);
    return low <= climb && high <= climb ? low + high : INT64_MAX;
}

// Edges between the same two columns, by height on both sides. The least difference goes first where the next pair
// would be nearer.
static void sew_stack(path_tile *t, path_tile *n, uint32_t places[2], uint32_t a, uint32_t a_end, uint32_t b,
                      uint32_t b_end, int64_t climb)
{
    while (a < a_end && b < b_end) {
        path_border *p = &t->border[a], *q = &n->border[b];
        int64_t here = apart(p, q, climb);
        int64_t next_p = a + 1 < a_end ? apart(p + 1, q, climb) : INT64_MAX;
        int64_t next_q = b + 1 < b_end ? apart(p, q + 1, climb) : INT64_MAX;
        if (here == INT64_MAX) {
            if (p->y_low + (int64_t)p->y_high < q->y_low + (int64_t)q->y_high)
                a++;
            else
                b++;
        } else if (next_p < here && next_p <= next_q) {
            a++;
        } else if (next_q < here) {
            b++;
        } else {
            path_join(t, p, n, places[1], q);
            path_join(n, q, t, places[0], p);
            a++;
            b++;
        }
    }
}

static void sew(nav_path_set *set, uint32_t tile, uint32_t other, int side)
{
    path_tile *t = set->tiles[tile], *n = set->tiles[other];
    int back = side ^ 2;
    double voxels = floor((double)set->grid.agent_climb_m / (double)set->grid.cell_height_m + 0.5);
    int64_t climb = (int64_t)fmin(voxels, UINT32_MAX); // more than any two heights are apart
    uint32_t a = t->side_first[side], a_last = t->side_first[side + 1];
    uint32_t b = n->side_first[back], b_last = n->side_first[back + 1];
    uint32_t places[2] = {tile, other};
    while (a < a_last && b < b_last) {
        const path_border *p = &t->border[a], *q = &n->border[b];
        if (p->low != q->low || p->high != q->high) {
            if (p->low != q->low ? p->low < q->low : p->high < q->high)
                a++;
            else
                b++;
            continue;
        }
        uint32_t a_end = a, b_end = b;
        while (a_end < a_last && t->border[a_end].low == p->low && t->border[a_end].high == p->high) a_end++;
        while (b_end < b_last && n->border[b_end].low == q->low && n->border[b_end].high == q->high) b_end++;
        sew_stack(t, n, places, a, a_end, b, b_end, climb);
        a = a_end;
        b = b_end;
    }
}

static void unsew(path_tile *t, int side)
{
    for (uint32_t b = t->side_first[side]; b < t->side_first[side + 1]; b++) t->border[b].other = PATH_NONE;
}

// --- Changes ---

static bool same_grid(const nav_tile_view *a, const nav_tile_view *b)
{
    return a->tile_cells == b->tile_cells && a->cell_size_m == b->cell_size_m && a->cell_height_m == b->cell_height_m &&
           memcmp(a->origin_m, b->origin_m, sizeof a->origin_m) == 0 && a->agent_height_m == b->agent_height_m &&
           a->agent_radius_m == b->agent_radius_m && a->agent_climb_m == b->agent_climb_m;
}

// How far tiles may be from the base, in tiles.
static int32_t tile_reach(const nav_tile_view *v)
{
    return NAV_PATH_MAX_COLUMNS / v->tile_cells - 2;
}

// The base that a tile would choose: 0 but for tiles far from the origin, so that it does not matter which one came
// first.
static int32_t base_of(const nav_tile_view *v, int32_t tile)
{
    int64_t step = tile_reach(v) / 2, from = (int64_t)tile + step / 2;
    if (step < 1) return tile; // a tile as large as the grid
    int64_t base = (from >= 0 ? from / step : -((step - 1 - from) / step)) * step;
    return (int32_t)(base > INT32_MAX ? base - step : base < INT32_MIN ? base + step : base);
}

static void keep_grid(nav_path_set *set, const nav_tile_view *v)
{
    set->grid = (nav_tile_view){.tile_cells = v->tile_cells,
                                .origin_m = {v->origin_m[0], v->origin_m[1], v->origin_m[2]},
                                .cell_size_m = v->cell_size_m,
                                .cell_height_m = v->cell_height_m,
                                .agent_height_m = v->agent_height_m,
                                .agent_radius_m = v->agent_radius_m,
                                .agent_climb_m = v->agent_climb_m};
    set->base_x = base_of(v, v->tile_x);
    set->base_z = base_of(v, v->tile_z);
}

// Borders to and from a place are to be cut anew.
static void mark_stale(nav_path_set *set, int32_t x, int32_t z)
{
    for (int side = -1; side < 4; side++) {
        uint32_t at = side < 0 ? nav_path_set_find(set, x, z) : find_beside(set, x, z, side);
        for (; at != PATH_NONE; at = set->tiles[at]->above) set->tiles[at]->is_stale = true;
    }
}

// Takes a tile out of the chain of layers at its place.
static void unchain(nav_path_set *set, uint32_t place)
{
    const path_tile *t = set->tiles[place];
    uint32_t slot = find_slot(set, t->x, t->z), at = set->slots[slot].tile;
    if (at == place) {
        set->slots[slot].tile = t->above;
        if (t->above == PATH_NONE) free_slot(set, slot);
        return;
    }
    while (set->tiles[at]->above != place) at = set->tiles[at]->above;
    set->tiles[at]->above = t->above;
}

// Returns what landmarks know of it.
static uint32_t drop(nav_path_set *set, uint32_t place)
{
    uint32_t known = nav_path_landmarks_drop(set, place);
    int32_t x = set->tiles[place]->x, z = set->tiles[place]->z;
    for (int side = 0; side < 4 && !set->is_cut; side++) {
        uint32_t other = find_beside(set, x, z, side);
        if (other != PATH_NONE) unsew(set->tiles[other], side ^ 2);
    }
    if (set->is_cut) mark_stale(set, x, z);
    unchain(set, place);
    nav_path_blocks_mark(set, x, z);
    nav_path_note_change(set, x, z);
    set->bytes -= set->tiles[place]->bytes;
    set->link_count -= set->tiles[place]->link_count;
    set->cell_count -= set->tiles[place]->cell_count;
    nav_path_tile_destroy(set->tiles[place]);
    set->tiles[place] = NULL;
    if (place < set->free_first) set->free_first = place;
    set->count--;
    set->stamp = nav_path_stamp();
    return known;
}

static uint32_t find_layer(const nav_path_set *set, int32_t x, int32_t z, int32_t layer)
{
    uint32_t at = nav_path_set_find(set, x, z);
    while (at != PATH_NONE && set->tiles[at]->layer != layer) at = set->tiles[at]->above;
    return at;
}

void nav_path_set_drop(nav_path_set *set, int32_t x, int32_t z)
{
    for (uint32_t at; (at = nav_path_set_find(set, x, z)) != PATH_NONE;) (void)drop(set, at);
}

void nav_path_set_drop_layer(nav_path_set *set, int32_t x, int32_t z, int32_t layer)
{
    uint32_t at = find_layer(set, x, z, layer);
    if (at != PATH_NONE) (void)drop(set, at);
}

// Takes the grid of a tile that is to be put, and makes room for it. is_cut: its edges share pieces only.
static nav_status admit(nav_path_set *set, const nav_tile_view *v, bool is_cut, char *why, size_t why_bytes)
{
    if (set->count && (set->is_cut != is_cut || !same_grid(&set->grid, v)))
        return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tile %d, %d is of another %s than the tiles before it",
                          v->tile_x, v->tile_z, set->is_cut != is_cut ? "format" : "grid or agent");
    int64_t far = tile_reach(v), dx = (int64_t)v->tile_x - set->base_x, dz = (int64_t)v->tile_z - set->base_z;
    if (set->count && (llabs(dx) > far || llabs(dz) > far))
        return nav_refuse(NAV_ERR_LIMIT, why, why_bytes,
                          "tile %d, %d is more than %d columns from those around tile %d, %d", v->tile_x, v->tile_z,
                          NAV_PATH_MAX_COLUMNS, set->base_x, set->base_z);
    nav_status s = reserve(set);
    if (s == NAV_OK && !nav_path_blocks_reserve(&set->blocks, v->tile_x, v->tile_z)) s = NAV_ERR_MEMORY;
    if (s != NAV_OK) return nav_refuse(s, why, why_bytes, "no memory for the tile");
    if (set->count) return NAV_OK;
    keep_grid(set, v);
    set->is_cut = is_cut;
    return NAV_OK;
}

// Puts a tile that was admitted in place of the one that was there. Layers of a place are in order.
static void place(nav_path_set *set, path_tile *t)
{
    uint32_t at = find_layer(set, t->x, t->z, t->layer), known = PATH_NONE;
    if (at != PATH_NONE) {
        bool is_same = set->marks && !set->is_cut && nav_path_landmarks_still(set, at, t);
        known = drop(set, at);
        if (!is_same) known = PATH_NONE;
    }
    at = set->free_first;
    while (at < set->tile_count && set->tiles[at]) at++;
    if (at == set->tile_count) set->tile_count++;
    set->free_first = at + 1;
    set->tiles[at] = t;
    path_slot *slot = &set->slots[find_slot(set, t->x, t->z)];
    uint32_t *link = &slot->tile;
    if (*link == PATH_NONE) *slot = (path_slot){t->x, t->z, PATH_NONE};
    while (*link != PATH_NONE && set->tiles[*link]->layer < t->layer) link = &set->tiles[*link]->above;
    t->above = *link;
    *link = at;
    set->count++;
    set->stamp = t->stamp;
    set->bytes += t->bytes;
    set->link_count += t->link_count;
    set->cell_count += t->cell_count;
    for (int side = 0; side < 4 && !set->is_cut; side++) {
        uint32_t other = find_beside(set, t->x, t->z, side);
        if (other != PATH_NONE) sew(set, at, other, side);
    }
    if (set->is_cut) mark_stale(set, t->x, t->z);
    nav_path_blocks_mark(set, t->x, t->z);
    nav_path_note_change(set, t->x, t->z);
    nav_path_landmarks_put(set, at, known);
}

// The grid of columns, whatever the tile's vertices count in.
static nav_tile_view columns_of(const nav_tile_view *v)
{
    nav_tile_view grid = *v;
    grid.tile_cells = nav_tile_columns(v);
    grid.cell_size_m = nav_tile_column_m(v);
    grid.unit = 1;
    return grid;
}

nav_status nav_path_set_put(nav_path_set *set, const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    nav_tile_view v;
    path_ground ground = {0};
    path_tile *t = NULL;
    nav_status s = nav_tile_open(bytes, count, &v, why, why_bytes);
    if (s != NAV_OK) return s;
    if (v.sheet != NAV_SHEET_UP)
        return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes,
                          "tile %d, %d is of the sheet %s; paths over walls and ceilings are nav_climb_find()'s "
                          "(navcore/climb.h), these are over floors alone",
                          v.tile_x, v.tile_z, nav_sheet_name(v.sheet));
    nav_tile_view grid = columns_of(&v);
    s = admit(set, &grid, false, why, why_bytes);
    if (s != NAV_OK) return s;
    s = nav_path_read_navd(set, &v, &ground);
    if (s == NAV_OK)
        s = nav_path_tile_create(set, &ground, NULL, 0, &t, why, why_bytes);
    else
        s = nav_refuse(s, why, why_bytes, "no memory for the tile");
    if (s == NAV_OK) place(set, t);
    nav_path_ground_deinit(&ground);
    return s;
}

nav_status nav_path_set_put_mesh(nav_path_set *set, const char *text, size_t bytes, char *why, size_t why_bytes)
{
    nav_tile_view grid;
    path_ground ground;
    path_tile *t = NULL;
    if (set->count) return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "a mesh needs a set of its own");
    nav_status s = nav_path_read_mesh(text, bytes, &grid, &ground, why, why_bytes);
    if (s == NAV_OK) s = admit(set, &grid, false, why, why_bytes);
    if (s == NAV_OK) s = nav_path_tile_create(set, &ground, NULL, 0, &t, why, why_bytes);
    if (s == NAV_OK) place(set, t);
    nav_path_ground_deinit(&ground);
    return s;
}

// Its cells are made when its neighbours are known.
nav_status nav_path_set_put_detour(nav_path_set *set, const nav_detour_params *params, const uint8_t *bytes,
                                   size_t count, char *why, size_t why_bytes)
{
    nav_detour_view v;
    nav_tile_view grid;
    path_tile *t = calloc(1, sizeof *t);
    path_ground *ground = calloc(1, sizeof *ground);
    nav_status s = nav_detour_open(bytes, count, &v, why, why_bytes);
    if (s == NAV_OK && (!t || !ground)) s = nav_refuse(NAV_ERR_MEMORY, why, why_bytes, "no memory for the tile");
    if (s == NAV_OK) s = nav_path_detour_grid(set, params, &v, &grid, why, why_bytes);
    if (s == NAV_OK) s = admit(set, &grid, true, why, why_bytes);
    if (s == NAV_OK) s = nav_path_read_detour(set, &v, ground, why, why_bytes);
    if (s != NAV_OK) {
        if (ground) nav_path_ground_deinit(ground);
        free(ground);
        free(t);
        return s;
    }
    *t = (path_tile){.x = ground->x, .z = ground->z, .layer = ground->layer, .ground = ground};
    t->bytes = sizeof *t + ground->bytes;
    place(set, t);
    return NAV_OK;
}

uint32_t nav_path_set_left_out(const nav_path_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->tile_count; i++)
        if (set->tiles[i]) count += set->tiles[i]->left_out;
    return count;
}

nav_status nav_path_set_join(nav_path_set *set)
{
    nav_status s = set->is_cut ? nav_path_join_borders(set) : NAV_OK;
    return s == NAV_OK ? nav_path_blocks_join(set) : s;
}
