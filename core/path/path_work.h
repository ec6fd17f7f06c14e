// What the parts of core/path share. Internal.
//
// Places are whole numbers: NAV_PATH_FINE to a column, counted from the lower corner of the set's base, which is tile
// 0, 0 unless the tiles are far from it. A cell is a convex piece of a cell of the tile (that cell itself, unless it is
// a relaxed one with dents); its edge k runs from corner k to the next one, clockwise seen from above, so that the cell
// is on its right.
#ifndef NAV_PATH_PATH_WORK_H
#define NAV_PATH_PATH_WORK_H

#include "navcore/path.h"
#include "navcore/tile.h"

#include <stdlib.h>

#define PATH_NONE UINT32_MAX
enum { PATH_WALL = -1 }; // of twins; below it borders: border b is -2 - b

typedef struct path_spot {
    int32_t x, z;
} path_spot;

// An edge on an open border.
typedef struct path_border {
    uint32_t corner;
    uint32_t edge;         // corner of the ground, where edges are cut
    int32_t low, high;     // along the border
    int32_t y_low, y_high; // voxels
    uint32_t other;        // tile behind it, by its place in the set; PATH_NONE: none
    uint32_t other_corner; // where the same edge begins there
} path_border;

typedef struct path_tile {
    int32_t x, z, layer;
    uint32_t above;             // tile of the next layer at its place, by its place in the set; PATH_NONE: none
    bool is_stale;              // its borders are to be cut anew
    uint32_t left_out;          // polygons that are none on the grid
    struct path_ground *ground; // what it was made from, where borders are cut; owned
    uint32_t vert_count, cell_count, corner_count, border_count, part_count, sector_count;
    uint32_t block;      // that it is in
    uint32_t first_part; // of the block's, while its pieces are made
    path_spot *at;       // of vertices
    int32_t *y;          // voxels
    uint32_t *first;     // cell_count + 1: corners
    uint32_t *vert;      // of each corner
    uint32_t *cell;      // of each corner
    path_spot *spot;     // of each corner: where its vertex is
    uint32_t *sector;    // of each corner: those around its vertex that hang together have the same
    int32_t *twin;       // of each corner's edge: where the same edge begins in the cell behind it, or as above
    uint32_t *part;      // of each cell: what hangs together within the tile
    uint32_t *piece;     // of each part: what hangs together within the block
    bool *dead_end;      // of each corner's edge: the cell behind it leads nowhere but back
    uint32_t *way_out;   // of each cell: the corner of the only edge that leads on; PATH_NONE: there are several
    uint32_t *source;    // of each cell: the tile's polygon
    uint8_t *area;       // of each cell
    path_border *border; // by side, then by low, high and y_low; by edge and low, where edges are cut
    uint32_t side_first[5];
    uint64_t areas; // a bit for each that a cell has
    nav_link *link; // off-mesh links that begin here
    uint32_t link_count;
    uint32_t first_mouth, mouth_count; // of the set's; count 0: none
    // Height triangles, by the tile's polygons, of which one may have none.
    uint32_t *triangle_first;
    uint32_t *triangle;
    float *point; // columns from the tile's lower corner, voxels: x y z
    // Cells by place: bucket_count along a side.
    uint32_t bucket_count;
    uint32_t *bucket_first, *bucket_cell;
    double low_y, high_y; // voxels
    uint64_t stamp;       // no other tile of the process has had it
    size_t bytes;
} path_tile;

typedef struct path_slot {
    int32_t x, z;
    uint32_t tile; // PATH_NONE: free
} path_slot;

// Where a query begins or ends.
typedef struct path_place {
    uint32_t tile, cell;
    path_spot at;
    double y; // voxels
} path_place;

// An off-mesh link, one way.
typedef struct path_jump {
    path_place from, to;
    double length; // in space, points of the fine grid
    uint32_t id;   // of its link
    float radius_m;
    uint8_t area;
    bool back; // from the link's end to its start
} path_jump;

typedef struct path_link path_link; // jumps.c

// Where a tile has changed.
typedef struct path_changed_at {
    int32_t x, z;
} path_changed_at;
enum { PATH_CHANGES = 64 }; // that are told apart

// A cell at whose ground, or edge, a jump begins.
typedef struct path_mouth {
    uint32_t tile, cell, jump;
} path_mouth;

enum { PATH_BLOCK_SIDE = 16, PATH_BLOCK_TILES = PATH_BLOCK_SIDE * PATH_BLOCK_SIDE };

// An open piece that goes on in another block.
typedef struct path_seam {
    uint32_t piece, block, other; // other: piece of that block
} path_seam;

// A square of tiles, and its pieces: first those that are open to other blocks.
typedef struct path_block {
    int32_t x, z;
    uint32_t tiles[PATH_BLOCK_TILES]; // of the lowest layer, by their places in the set; PATH_NONE: none
    uint32_t tile_count;              // of those
    uint32_t open_count, piece_count;
    uint64_t areas;        // a bit for each that a cell has
    uint32_t first_open;   // among the open ones of all blocks
    uint32_t first_closed; // the label of piece k, if closed, is first_closed + k
    path_seam *seams;      // over its sides in the direction of x and z
    uint32_t seam_count, seam_room;
    // Where each piece has ground: the places of piece p, from 0, are places[places[p]] up to places[places[p + 1]].
    uint32_t *places;
    uint32_t place_room;
    bool stale;
} path_block;

typedef struct path_blocks {
    path_block *items;
    uint32_t *slots; // by place, open addressing, a power of two
    uint32_t *label; // of each open piece: which ground one can get to from it
    // Scratch.
    uint32_t *up;
    path_tile **list;
    uint32_t count, room, slot_room, label_room, up_room, list_room;
} path_blocks;

struct nav_path_set {
    // Of the first tile; all are alike.
    nav_tile_view grid; // the header's numbers only; of columns
    int32_t base_x, base_z;
    path_tile **tiles; // NULL: free
    uint32_t tile_count, tile_room, free_first;
    uint32_t count;
    path_slot *slots; // open addressing, a power of two
    uint32_t slot_room;
    bool is_cut; // edges on borders share pieces only: Detour's tiles
    path_blocks blocks;
    struct nav_path_landmarks *marks; // owned; NULL: none
    uint64_t stamp;                   // of the last tile that came or went; no other set has had it
    uint64_t areas, link_areas;       // a bit for each that a cell, or a jump, has
    uint64_t link_count, cell_count;
    path_changed_at changes[PATH_CHANGES]; // since the jumps were made
    uint32_t change_count;                 // above PATH_CHANGES: anywhere
    path_link *links;                      // of all tiles, by tile, then in their order
    uint32_t known_link_count, known_link_room;
    path_jump *jumps;   // in the order of links
    path_mouth *mouths; // by tile's place, cell and jump
    uint32_t jump_count, jump_room, mouth_count, mouth_room;
    size_t bytes;
};

// Which of two tiles comes first by its place, whatever the order in which they came: below 0: a; 0: they are the same.
static inline int path_tile_order(const path_tile *a, const path_tile *b)
{
    if (a->z != b->z) return a->z < b->z ? -1 : 1;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->layer < b->layer ? -1 : a->layer > b->layer;
}

static inline int64_t path_side(path_spot p, path_spot q, path_spot s) // above 0: s is left of p to q
{
    return (int64_t)(q.x - p.x) * (s.z - p.z) - (int64_t)(q.z - p.z) * (s.x - p.x);
}

// From p to a and on to b: does the way go on, rather than back?
static inline bool path_goes_on(path_spot p, path_spot a, path_spot b)
{
    return (double)(a.x - p.x) * (double)(b.x - a.x) + (double)(a.z - p.z) * (double)(b.z - a.z) > 0;
}

static inline uint32_t path_next(const path_tile *t, uint32_t corner)
{
    uint32_t c = t->cell[corner], first = t->first[c], end = t->first[c + 1]; // all read, so that it takes no branch
    return corner + 1 == end ? first : corner + 1;
}

static inline uint32_t path_before(const path_tile *t, uint32_t corner)
{
    uint32_t c = t->cell[corner], first = t->first[c], last = t->first[c + 1] - 1;
    return corner == first ? last : corner - 1;
}

static inline path_spot path_corner(const path_tile *t, uint32_t corner)
{
    return t->spot[corner];
}

// The same edge as the cell behind it has it. False: a wall.
static inline bool path_cross(const nav_path_set *set, uint32_t *tile, uint32_t *corner)
{
    const path_tile *t = set->tiles[*tile];
    int32_t twin = t->twin[*corner];
    if (twin >= 0) {
        *corner = (uint32_t)twin;
        return true;
    }
    if (twin == PATH_WALL) return false;
    const path_border *b = &t->border[-2 - twin];
    if (b->other == PATH_NONE) return false;
    *tile = b->other;
    *corner = b->other_corner;
    return true;
}

// The edge behind a tile's border is that border of another tile, which has this place in the set.
static inline void path_join(path_tile *t, path_border *b, const path_tile *other, uint32_t place, const path_border *c)
{
    b->other = place;
    b->other_corner = c->corner;
    t->dead_end[b->corner] = other->way_out[other->cell[c->corner]] == c->corner;
}

static inline bool path_cell_has(const path_tile *t, uint32_t cell, path_spot s)
{
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++)
        if (path_side(path_corner(t, k), path_corner(t, path_next(t, k)), s) > 0) return false;
    return true;
}

// A cell as it is called outside: of several pieces of a relaxed one, all are that cell.
static inline nav_path_cell path_cell_name(const path_tile *t, uint32_t cell)
{
    return (nav_path_cell){t->x, t->z, t->layer, t->source[cell]};
}

static inline bool path_same_cell(const nav_path_cell *a, const nav_path_cell *b)
{
    return a->tile_x == b->tile_x && a->tile_z == b->tile_z && a->layer == b->layer && a->cell == b->cell;
}

// Room for one item more in a heap block. False: no memory.
static inline bool path_grow(void **items, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room) return true;
    uint64_t next = *room ? 2 * (uint64_t)*room : 256;
    void *grown = next < UINT32_MAX ? realloc(*items, next * size) : NULL;
    if (!grown) return false;
    *items = grown;
    *room = (uint32_t)next;
    return true;
}
// Of open addressing: where to look first. room: slots, a power of two.
static inline uint32_t path_slot_of(uint64_t key, uint32_t room)
{
    return (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & (room - 1);
}

static inline uint32_t path_slot_of_place(int32_t x, int32_t z, uint32_t room)
{
    uint64_t h = (uint64_t)(uint32_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)(uint32_t)z * 0xC2B2AE3D27D4EB4Fu;
    return (uint32_t)(h >> 32 ^ h) & (room - 1);
}

#define PATH_GROW(items, room, count) path_grow((void **)&(items), &(room), (count), sizeof *(items))

// --- tile.c ---
// A number that the process has not had before. Any thread.
uint64_t nav_path_stamp(void);
void nav_path_tile_destroy(path_tile *t); // accepts NULL
// Height of the ground of one of the tile's polygons, voxels, at a place in columns from the tile's lower corner.
double nav_path_tile_height(const path_tile *t, uint32_t source, double x, double z);

// --- dead_ends.c ---
// Fills in way_out and dead_end. Scratch: one for each cell.
void nav_path_find_dead_ends(path_tile *t, uint32_t *open);

// --- set.c ---
// The tile of the lowest layer there. PATH_NONE: no such tile.
uint32_t nav_path_set_find(const nav_path_set *set, int32_t x, int32_t z);
// Ground with the same label hangs together.
static inline uint32_t path_part_label(const nav_path_set *set, const path_tile *t, uint32_t part)
{
    const path_block *b = &set->blocks.items[t->block];
    uint32_t piece = t->piece[part];
    return piece < b->open_count ? set->blocks.label[b->first_open + piece] : b->first_closed + piece;
}

static inline uint32_t path_label(const nav_path_set *set, uint32_t tile, uint32_t cell)
{
    const path_tile *t = set->tiles[tile];
    return path_part_label(set, t, t->part[cell]);
}

// --- jumps.c ---
// There is another tile at this place, or none any more.
void nav_path_note_change(nav_path_set *set, int32_t x, int32_t z);
size_t nav_path_links_bytes(const nav_path_set *set); // of what is known of links
// After changes: which links lead from ground to ground. NAV_ERR_MEMORY: all are looked up next time.
NAV_MUST_USE nav_status nav_path_find_jumps(nav_path_set *set);
// The first mouth of a cell, where it has one: else that of another, or behind the last.
uint32_t nav_path_first_mouth(const nav_path_set *set, uint32_t tile, uint32_t cell);

// --- locate.c ---
// The ground nearest to a place in metres. False: none is near enough.
bool nav_path_locate(const nav_path_set *set, const double at_m[3], double near_m, path_place *out);
// The same, of areas that are not excluded.
bool nav_path_locate_open(const nav_path_set *set, const double at_m[3], double near_m, uint64_t excluded,
                          path_place *out);
// Within other distances: seen from above, and up or down.
bool nav_path_locate_within(const nav_path_set *set, const double at_m[3], double flat_m, double height_m,
                            path_place *out);
// The ground nearest to a place, however far, of those parts that have this label.
bool nav_path_locate_part(const nav_path_set *set, const double at_m[3], uint32_t label, path_place *out);
// The same of the cells that may() lets be.
typedef bool path_may(const void *user, uint32_t tile, uint32_t cell);
bool nav_path_locate_if(const nav_path_set *set, const double at_m[3], path_may *may, const void *user,
                        path_place *out);
// The point of the grid within the cell that is nearest to a place in it or on its edge, else the nearest corner.
path_spot nav_path_grid_point(const path_tile *t, uint32_t cell, double x, double z);
void nav_path_to_metres(const nav_path_set *set, path_spot at, double y, float out[3]);
// The same of any point, in parts of the grid.
void nav_path_point_to_metres(const nav_path_set *set, double x, double z, double y, float out[3]);
// A place in metres in parts of the grid, as far as a grid reaches: false where it is farther.
bool nav_path_from_metres(const nav_path_set *set, const double at_m[3], double *x, double *z, double *y);
// Height of the ground, voxels, at a place of the grid.
double nav_path_height(const nav_path_set *set, uint32_t tile, uint32_t cell, double x, double z);

#endif
