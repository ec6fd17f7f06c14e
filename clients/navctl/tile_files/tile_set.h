// The newest tile of each place, kept in memory as they come from a daemon, to be written to one file at the end.
#ifndef NAVCTL_TILE_SET_H
#define NAVCTL_TILE_SET_H

#include "clients/navctl/tile_files/store.h"
#include "navd.h"

typedef struct tile_set_entry {
    int32_t x, z;
    navd_sheet sheet;
    bool failed; // what came last was a failure; the bytes are those of before
    uint8_t *bytes;
    uint32_t size;
} tile_set_entry;

typedef struct tile_set {
    tile_set_entry *entries; // in no order
    uint32_t count, capacity;
    uint32_t *slots; // open addressing over places: 1 + index
    uint32_t slot_count;
} tile_set;

typedef struct tile_set_totals {
    uint32_t filled, failed;
    uint64_t bytes;
} tile_set_totals;

void tile_set_deinit(tile_set *s); // accepts a zeroed one

// Takes what a notification says: a tile replaces the one at its place; an empty or removed one clears it; a failed one
// leaves it as it was. False: no memory.
bool tile_set_take(tile_set *s, const navd_tile *tile);

tile_set_totals tile_set_count(const tile_set *s);

// The tiles that have bytes, sheet by sheet in the order of the grid, as store_list() has them; the caller frees the
// list. NULL: no memory.
stored_tile *tile_set_list(const tile_set *s, uint32_t *count);

// Writes the tiles to one file, as store_write() does. False with one line on stderr.
bool tile_set_write(const tile_set *s, const char *path, generate_encoding encoding, const navd_settings *settings,
                    const double origin_m[3], const nav_area_table *areas);

#endif
