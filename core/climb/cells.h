// Patches by the cells of a grid in space that their boxes meet: what is near is found without looking at all of them.
// Internal to climb.
#ifndef NAV_CLIMB_CELLS_H
#define NAV_CLIMB_CELLS_H

#include "core/climb/box_tree.h"

typedef struct cell_item {
    int32_t at[3];
    uint32_t next; // in its slot, 1 more; 0: none
    void *what;
} cell_item;

typedef struct climb_cells {
    double side_m;
    uint32_t *slot; // owned: the first of its items, 1 more
    cell_item *item;
    uint32_t slot_room, item_count, item_room, free_item;
    void **large; // owned: those that meet too many cells
    uint32_t large_count, large_room;
} climb_cells;

void nav_climb_cells_init(climb_cells *c, double side_m); // above 0
void nav_climb_cells_deinit(climb_cells *c);
size_t nav_climb_cells_bytes(const climb_cells *c);
// NAV_ERR_MEMORY: nothing was added.
NAV_MUST_USE nav_status nav_climb_cells_add(climb_cells *c, const box *b, void *what);
// b: the same as when it was added.
void nav_climb_cells_remove(climb_cells *c, const box *b, void *what);
// Tells what may be near a box, some of it several times. False: the box meets so many cells that looking at everything
// is less work; nothing was told.
bool nav_climb_cells_near(const climb_cells *c, const box *b, void (*tell)(void *user, void *what), void *user);

#endif
