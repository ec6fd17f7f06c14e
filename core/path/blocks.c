// Which ground hangs together with which, kept in step with tiles that come and go.
//
// A tile has parts, cells that hang together within it. Squares of tiles are blocks, and a block has pieces: parts that
// hang together within it. Those that touch its border are open, and come first; how they hang together with the open
// pieces of the blocks beside it is written down once for each pair of blocks. A change makes the pieces of its block
// anew and then joins open pieces, of which there are few; the closed ones, a roof for instance, are left alone. So the
// cost of an edit is that of one block, whatever the size of the world.
#include "core/path/blocks.h"

#include <math.h>
#include <stdlib.h>

// --- Blocks by place ---

static int32_t block_of(int32_t tile)
{
    return (tile - (int32_t)((uint32_t)tile & (PATH_BLOCK_SIDE - 1))) / PATH_BLOCK_SIDE; // rounds down
}

static uint32_t within(int32_t x, int32_t z)
{
    uint32_t mask = PATH_BLOCK_SIDE - 1;
    return ((uint32_t)z & mask) * PATH_BLOCK_SIDE + ((uint32_t)x & mask);
}

static uint32_t find_slot(const path_blocks *b, int32_t x, int32_t z)
{
    uint32_t i = path_slot_of_place(x, z, b->slot_room);
    while (b->slots[i] != PATH_NONE && (b->items[b->slots[i]].x != x || b->items[b->slots[i]].z != z))
        i = (i + 1) & (b->slot_room - 1);
    return i;
}

static bool grow_slots(path_blocks *b)
{
    if (2 * (b->count + 1) <= b->slot_room) return true;
    uint32_t room = b->slot_room ? 2 * b->slot_room : 32;
    uint32_t *slots = malloc(room * sizeof *slots);
    if (!slots) return false;
    free(b->slots);
    b->slots = slots;
    b->slot_room = room;
    for (uint32_t i = 0; i < room; i++) slots[i] = PATH_NONE;
    for (uint32_t i = 0; i < b->count; i++) slots[find_slot(b, b->items[i].x, b->items[i].z)] = i;
    return true;
}

bool nav_path_blocks_reserve(path_blocks *b, int32_t tile_x, int32_t tile_z)
{
    if (!grow_slots(b)) return false;
    int32_t x = block_of(tile_x), z = block_of(tile_z);
    uint32_t slot = find_slot(b, x, z);
    if (b->slots[slot] != PATH_NONE) return true;
    if (b->count == b->room) { // a kilobyte each: not many at once
        uint32_t room = b->room ? b->room + b->room / 2 : 2;
        path_block *items = realloc(b->items, room * sizeof *items);
        if (!items) return false;
        b->items = items;
        b->room = room;
    }
    b->slots[slot] = b->count;
    path_block *block = &b->items[b->count++];
    *block = (path_block){.x = x, .z = z};
    for (uint32_t i = 0; i < PATH_BLOCK_TILES; i++) block->tiles[i] = PATH_NONE;
    return true;
}

void nav_path_blocks_deinit(path_blocks *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        free(b->items[i].seams);
        free(b->items[i].places);
    }
    free(b->items);
    free(b->slots);
    free(b->label);
    free(b->up);
    free(b->list);
}

size_t nav_path_blocks_bytes(const path_blocks *b)
{
    size_t bytes = b->room * sizeof *b->items + (b->slot_room + b->label_room + b->up_room) * sizeof(uint32_t) +
                   b->list_room * sizeof *b->list;
    for (uint32_t i = 0; i < b->count; i++)
        bytes += b->items[i].seam_room * sizeof(path_seam) + b->items[i].place_room * sizeof(uint32_t);
    return bytes;
}

static path_block *block_at(const path_blocks *b, int32_t tile_x, int32_t tile_z)
{
    uint32_t i = b->slots[find_slot(b, block_of(tile_x), block_of(tile_z))];
    return i == PATH_NONE ? NULL : &b->items[i];
}

void nav_path_blocks_mark(nav_path_set *set, int32_t tile_x, int32_t tile_z)
{
    static const int beside[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    path_blocks *b = &set->blocks;
    path_block *block = block_at(b, tile_x, tile_z);
    uint32_t lowest = nav_path_set_find(set, tile_x, tile_z);
    uint32_t *there = &block->tiles[within(tile_x, tile_z)];
    block->tile_count += (lowest != PATH_NONE) - (*there != PATH_NONE);
    *there = lowest;
    block->stale = true;
    for (uint32_t i = lowest; i != PATH_NONE; i = set->tiles[i]->above)
        set->tiles[i]->block = (uint32_t)(block - b->items);
    for (int side = 0; side < 4; side++) {
        int64_t x = (int64_t)tile_x + beside[side][0], z = (int64_t)tile_z + beside[side][1];
        if (x < INT32_MIN || x > INT32_MAX || z < INT32_MIN || z > INT32_MAX) continue;
        path_block *other = block_at(b, (int32_t)x, (int32_t)z);
        if (other) other->stale = true;
    }
}

// --- Pieces ---

static uint32_t root_of(uint32_t *up, uint32_t p)
{
    while (up[p] != p) p = up[p] = up[up[p]];
    return p;
}

static void unite(uint32_t *up, uint32_t p, uint32_t q)
{
    p = root_of(up, p);
    q = root_of(up, q);
    if (p < q) up[q] = p;
    if (q < p) up[p] = q;
}

static bool reserve(uint32_t **items, uint32_t *room, uint64_t count)
{
    if (count <= *room) return true;
    count += count / 2;
    uint32_t *grown = count < UINT32_MAX ? realloc(*items, count * sizeof *grown) : NULL;
    if (!grown) return false;
    *items = grown;
    *room = (uint32_t)count;
    return true;
}

// The tiles of a block, of all layers. False: no memory.
static bool list_tiles(nav_path_set *set, const path_block *block, uint32_t *count)
{
    path_blocks *b = &set->blocks;
    *count = 0;
    for (uint32_t i = 0; i < PATH_BLOCK_TILES; i++)
        for (uint32_t at = block->tiles[i]; at != PATH_NONE; at = set->tiles[at]->above) {
            if (!PATH_GROW(b->list, b->list_room, *count)) return false;
            b->list[(*count)++] = set->tiles[at];
        }
    return true;
}

static uint32_t part_at(const path_tile *t, uint32_t corner)
{
    return t->part[t->cell[corner]];
}

// The places in the block where each piece has ground. False: no memory.
static bool list_places(const path_blocks *b, path_block *block, uint32_t tiles, uint64_t parts)
{
    uint32_t pieces = block->piece_count, *last = b->up; // the place where each was seen last; there is room for all
    if (!reserve(&block->places, &block->place_room, pieces + 1 + parts)) return false;
    uint32_t *first = block->places;
    for (uint32_t p = 0; p <= pieces; p++) first[p] = 0;
    for (int pass = 0; pass < 2; pass++) { // count; fill in
        for (uint32_t p = 0; p < pieces; p++) last[p] = PATH_NONE;
        for (uint32_t i = 0; i < tiles; i++) {
            const path_tile *t = b->list[i];
            uint32_t place = within(t->x, t->z);
            for (uint32_t p = 0; p < t->part_count; p++) {
                uint32_t piece = t->piece[p];
                if (last[piece] == place) continue;
                last[piece] = place;
                if (pass)
                    block->places[first[piece]++] = place;
                else
                    first[piece + 1]++;
            }
        }
        if (pass) break;
        first[0] = pieces + 1;
        for (uint32_t p = 0; p < pieces; p++) first[p + 1] += first[p];
    }
    for (uint32_t p = pieces; p > 0; p--) first[p] = first[p - 1]; // where each begins, again
    first[0] = pieces + 1;
    return true;
}

// The pieces of a block: which of them each part belongs to. False: no memory.
static bool make_pieces(nav_path_set *set, uint32_t index)
{
    path_blocks *b = &set->blocks;
    path_block *block = &b->items[index];
    uint64_t parts = 0;
    uint32_t count;
    if (!list_tiles(set, block, &count)) return false;
    block->areas = 0;
    for (uint32_t i = 0; i < count; i++) {
        path_tile *t = b->list[i];
        block->areas |= t->areas;
        t->first_part = (uint32_t)parts;
        parts += t->part_count;
    }
    if (!reserve(&b->up, &b->up_room, 2 * parts + 1)) return false; // never NULL
    uint32_t *up = b->up, *piece = b->up + parts;
    for (uint32_t p = 0; p < parts; p++) up[p] = p;
    for (uint32_t p = 0; p < parts; p++) piece[p] = PATH_NONE;
    block->open_count = block->piece_count = 0;
    for (int pass = 0; pass < 3; pass++) // unite; number the open ones; number the others
        for (uint32_t i = 0; i < count; i++) {
            const path_tile *t = b->list[i];
            for (uint32_t k = 0; pass < 2 && k < t->side_first[4]; k++) {
                const path_border *e = &t->border[k];
                if (e->other == PATH_NONE) continue;
                const path_tile *n = set->tiles[e->other];
                uint32_t p = t->first_part + part_at(t, e->corner);
                if (pass == 0 && n->block == index) unite(up, p, n->first_part + part_at(n, e->other_corner));
                if (pass == 1 && n->block != index && piece[root_of(up, p)] == PATH_NONE)
                    piece[root_of(up, p)] = block->open_count++;
            }
            if (pass < 2) continue;
            for (uint32_t p = 0; p < t->part_count; p++) {
                uint32_t root = root_of(up, t->first_part + p);
                if (piece[root] == PATH_NONE) piece[root] = block->open_count + block->piece_count++;
                t->piece[p] = piece[root];
            }
        }
    block->piece_count += block->open_count;
    return list_places(b, block, count, parts);
}

// Which open pieces of a block go on into the blocks behind its far sides.
static bool make_seams(nav_path_set *set, uint32_t index)
{
    path_block *block = &set->blocks.items[index];
    uint32_t count;
    if (!list_tiles(set, block, &count)) return false;
    block->seam_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const path_tile *t = set->blocks.list[i];
        for (uint32_t k = t->side_first[0]; k < t->side_first[2]; k++) {
            const path_border *e = &t->border[k];
            const path_tile *n = e->other == PATH_NONE ? NULL : set->tiles[e->other];
            if (!n || n->block == index) continue;
            path_seam seam = {t->piece[part_at(t, e->corner)], n->block, n->piece[part_at(n, e->other_corner)]};
            const path_seam *last = block->seam_count ? &block->seams[block->seam_count - 1] : NULL;
            if (last && last->piece == seam.piece && last->block == seam.block && last->other == seam.other) continue;
            if (!PATH_GROW(block->seams, block->seam_room, block->seam_count)) return false;
            block->seams[block->seam_count++] = seam;
        }
    }
    return true;
}

static bool has_stale_neighbour(const path_blocks *b, const path_block *block)
{
    for (int side = 0; side < 2; side++) {
        uint32_t other = b->slots[find_slot(b, block->x + (side == 0), block->z + (side == 1))];
        if (other != PATH_NONE && b->items[other].stale) return true;
    }
    return false;
}

// Blocks without a tile are given back. The last one comes in such a place, and is made anew with its new number.
// False: there was none.
static bool drop_empty(nav_path_set *set)
{
    path_blocks *b = &set->blocks;
    uint32_t before = b->count;
    for (uint32_t i = before; i-- > 0;) { // so that the last one has tiles
        path_block *block = &b->items[i];
        if (block->tile_count) continue;
        free(block->seams);
        free(block->places);
        *block = b->items[--b->count];
        block->stale = true;
        for (uint32_t k = 0; i < b->count && k < PATH_BLOCK_TILES; k++)
            for (uint32_t at = block->tiles[k]; at != PATH_NONE; at = set->tiles[at]->above) set->tiles[at]->block = i;
    }
    if (b->count == before) return false;
    for (uint32_t i = 0; i < b->slot_room; i++) b->slots[i] = PATH_NONE;
    for (uint32_t i = 0; i < b->count; i++) b->slots[find_slot(b, b->items[i].x, b->items[i].z)] = i;
    path_block *fewer = realloc(b->items, (b->count + 1) * sizeof *fewer);
    if (!fewer) return true; // as large as it was
    b->items = fewer;
    b->room = b->count + 1;
    return true;
}

nav_status nav_path_blocks_join(nav_path_set *set)
{
    path_blocks *b = &set->blocks;
    uint64_t open = 0, closed = 0;
    bool any = drop_empty(set);
    for (uint32_t i = 0; i < b->count; i++) {
        any |= b->items[i].stale;
        if (b->items[i].stale && !make_pieces(set, i)) return NAV_ERR_MEMORY;
    }
    if (!any) return NAV_OK;
    set->areas = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        path_block *block = &b->items[i];
        if ((block->stale || has_stale_neighbour(b, block)) && !make_seams(set, i)) return NAV_ERR_MEMORY;
        block->first_open = (uint32_t)open;
        open += block->open_count;
        set->areas |= block->areas;
    }
    if (!reserve(&b->label, &b->label_room, open)) return NAV_ERR_MEMORY;
    for (uint32_t p = 0; p < open; p++) b->label[p] = p;
    for (uint32_t i = 0; i < b->count; i++) {
        const path_block *block = &b->items[i];
        for (uint32_t k = 0; k < block->seam_count; k++)
            unite(b->label, block->first_open + block->seams[k].piece,
                  b->items[block->seams[k].block].first_open + block->seams[k].other);
    }
    for (uint32_t p = 0; p < open; p++) b->label[p] = b->label[b->label[p]]; // parents come before
    for (uint32_t i = 0; i < b->count; i++) {
        path_block *block = &b->items[i];
        block->first_closed = (uint32_t)(open + closed) - block->open_count;
        closed += block->piece_count - block->open_count;
    }
    nav_status s = nav_path_find_jumps(set);
    for (uint32_t i = 0; s == NAV_OK && i < b->count; i++) b->items[i].stale = false;
    return s;
}

// --- Where ground with a label is ---

static bool has_label(const path_blocks *b, const path_block *block, uint32_t label)
{
    for (uint32_t p = 0; p < block->open_count; p++)
        if (b->label[block->first_open + p] == label) return true;
    uint32_t first = block->first_closed + block->open_count;
    return label >= first && label - first < block->piece_count - block->open_count;
}

// How far a square is from a point: 0 within it.
static double square_distance(double x, double z, double low_x, double low_z, double side)
{
    double dx = fmax(fmax(low_x - x, x - low_x - side), 0), dz = fmax(fmax(low_z - z, z - low_z - side), 0);
    return sqrt(dx * dx + dz * dz);
}

// A place of a block that has such ground.
typedef struct near_place {
    double distance;
    uint32_t place;
} near_place;

static near_place take_nearest(near_place *list, uint32_t *count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < *count; i++)
        if (list[i].distance < list[best].distance) best = i;
    near_place taken = list[best];
    list[best] = list[--*count];
    return taken;
}

static bool piece_has_label(const path_blocks *b, const path_block *block, uint32_t piece, uint32_t label)
{
    return label == (piece < block->open_count ? b->label[block->first_open + piece] : block->first_closed + piece);
}

// The tiles of a block that have such ground, from the nearest place on.
static bool visit_block(const nav_path_set *set, const path_block *block, uint32_t label, double x, double z,
                        nav_path_visit *visit, void *user)
{
    double side = (double)set->grid.tile_cells * NAV_PATH_FINE;
    near_place list[PATH_BLOCK_TILES];
    uint64_t listed[PATH_BLOCK_TILES / 64] = {0};
    uint32_t count = 0;
    for (uint32_t p = 0; p < block->piece_count; p++) {
        if (!piece_has_label(&set->blocks, block, p, label)) continue;
        for (uint32_t k = block->places[p]; k < block->places[p + 1]; k++) {
            uint32_t place = block->places[k];
            if (listed[place / 64] >> place % 64 & 1) continue;
            listed[place / 64] |= UINT64_C(1) << place % 64;
            int64_t tile_x = (int64_t)block->x * PATH_BLOCK_SIDE + place % PATH_BLOCK_SIDE;
            int64_t tile_z = (int64_t)block->z * PATH_BLOCK_SIDE + place / PATH_BLOCK_SIDE;
            list[count++] = (near_place){square_distance(x, z, (double)(tile_x - set->base_x) * side,
                                                         (double)(tile_z - set->base_z) * side, side),
                                         place};
        }
    }
    while (count) {
        near_place here = take_nearest(list, &count);
        for (uint32_t at = block->tiles[here.place]; at != PATH_NONE; at = set->tiles[at]->above)
            if (!visit(user, at, here.distance)) return false;
    }
    return true;
}

void nav_path_blocks_visit(const nav_path_set *set, uint32_t label, double x, double z, nav_path_visit *visit,
                           void *user)
{
    const path_blocks *b = &set->blocks;
    double side = (double)set->grid.tile_cells * NAV_PATH_FINE * PATH_BLOCK_SIDE;
    double last = -1;
    uint32_t last_index = PATH_NONE;
    for (;;) { // a pass over all blocks for each that is visited, of which there are few
        uint32_t best = PATH_NONE;
        double least = INFINITY;
        for (uint32_t i = 0; i < b->count; i++) {
            const path_block *block = &b->items[i];
            double d = square_distance(x, z, (block->x - set->base_x / (double)PATH_BLOCK_SIDE) * side,
                                       (block->z - set->base_z / (double)PATH_BLOCK_SIDE) * side, side);
            bool behind = d > last || (d == last && i > last_index);
            if (!behind || d >= least || !has_label(b, block, label)) continue;
            least = d;
            best = i;
        }
        if (best == PATH_NONE || !visit(user, PATH_NONE, least)) return;
        (void)visit_block(set, &b->items[best], label, x, z, visit, user);
        last = least;
        last_index = best;
    }
}
