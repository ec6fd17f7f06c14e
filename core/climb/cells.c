#include "core/climb/cells.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CELLS = 256, FIRST_ROOM = 256 };

typedef struct range {
    int32_t low[3], high[3];
} range;

// False: they are too many.
static bool range_of(const climb_cells *c, const box *b, range *r)
{
    double count = 1;
    for (int k = 0; k < 3; k++) {
        double low = floor((double)b->low[k] / c->side_m), high = floor((double)b->high[k] / c->side_m);
        if (!(low > -1e9 && high < 1e9 && low <= high)) return false;
        count *= high - low + 1;
        if (count > MOST_CELLS) return false;
        r->low[k] = (int32_t)low;
        r->high[k] = (int32_t)high;
    }
    return true;
}

static bool step(const range *r, int32_t at[3])
{
    for (int k = 0; k < 3; k++) {
        if (at[k]++ < r->high[k]) return true;
        at[k] = r->low[k];
    }
    return false;
}

static uint32_t slot_of(const int32_t at[3], uint32_t room)
{
    uint32_t h = (uint32_t)at[0] * 0x9e3779b1u ^ (uint32_t)at[1] * 0x85ebca77u ^ (uint32_t)at[2] * 0xc2b2ae3du;
    return (h ^ h >> 15) & (room - 1);
}

static bool same_cell(const cell_item *i, const int32_t at[3])
{
    return i->at[0] == at[0] && i->at[1] == at[1] && i->at[2] == at[2];
}

void nav_climb_cells_init(climb_cells *c, double side_m)
{
    *c = (climb_cells){.side_m = side_m};
}

void nav_climb_cells_deinit(climb_cells *c)
{
    free(c->slot);
    free(c->item);
    free(c->large);
    *c = (climb_cells){.side_m = 0};
}

size_t nav_climb_cells_bytes(const climb_cells *c)
{
    return c->slot_room * sizeof *c->slot + c->item_room * sizeof *c->item + c->large_room * sizeof *c->large;
}

static void put_in_slot(climb_cells *c, uint32_t item)
{
    uint32_t s = slot_of(c->item[item].at, c->slot_room);
    c->item[item].next = c->slot[s];
    c->slot[s] = item + 1;
}

static nav_status reserve(climb_cells *c)
{
    uint64_t wanted = (uint64_t)c->item_count + MOST_CELLS;
    if (wanted > c->item_room) {
        uint32_t room = c->item_room ? 2 * c->item_room : 2 * FIRST_ROOM;
        cell_item *item = realloc(c->item, room * sizeof *item);
        if (!item) return NAV_ERR_MEMORY;
        c->item = item;
        c->item_room = room;
    }
    if (c->item_room <= c->slot_room) return NAV_OK;
    uint32_t *slot = calloc(c->item_room, sizeof *slot);
    if (!slot) return NAV_ERR_MEMORY;
    free(c->slot);
    c->slot = slot;
    c->slot_room = c->item_room;
    for (uint32_t i = 0; i < c->item_count; i++)
        if (c->item[i].what) put_in_slot(c, i);
    return NAV_OK;
}

nav_status nav_climb_cells_add(climb_cells *c, const box *b, void *what)
{
    range r;
    if (!range_of(c, b, &r)) {
        if (c->large_count == c->large_room) {
            uint32_t room = c->large_room ? 2 * c->large_room : 16;
            void **large = realloc(c->large, room * sizeof(void *));
            if (!large) return NAV_ERR_MEMORY;
            c->large = large;
            c->large_room = room;
        }
        c->large[c->large_count++] = what;
        return NAV_OK;
    }
    nav_status s = reserve(c);
    if (s != NAV_OK) return s;
    int32_t at[3] = {r.low[0], r.low[1], r.low[2]};
    do {
        uint32_t item = c->free_item ? c->free_item - 1 : c->item_count++;
        if (c->free_item) c->free_item = c->item[item].next;
        c->item[item] = (cell_item){{at[0], at[1], at[2]}, 0, what};
        put_in_slot(c, item);
    } while (step(&r, at));
    return NAV_OK;
}

void nav_climb_cells_remove(climb_cells *c, const box *b, void *what)
{
    range r;
    if (!range_of(c, b, &r)) {
        for (uint32_t i = 0; i < c->large_count; i++)
            if (c->large[i] == what) {
                c->large[i] = c->large[--c->large_count];
                return;
            }
        return;
    }
    int32_t at[3] = {r.low[0], r.low[1], r.low[2]};
    do {
        uint32_t *from = &c->slot[slot_of(at, c->slot_room)];
        while (*from && !(c->item[*from - 1].what == what && same_cell(&c->item[*from - 1], at)))
            from = &c->item[*from - 1].next;
        if (!*from) continue;
        uint32_t item = *from - 1;
        *from = c->item[item].next;
        c->item[item] = (cell_item){{0, 0, 0}, c->free_item, NULL};
        c->free_item = item + 1;
    } while (step(&r, at));
}

bool nav_climb_cells_near(const climb_cells *c, const box *b, void (*tell)(void *user, void *what), void *user)
{
    range r;
    if (!range_of(c, b, &r)) return false;
    for (uint32_t i = 0; i < c->large_count; i++) tell(user, c->large[i]);
    if (!c->slot_room) return true;
    int32_t at[3] = {r.low[0], r.low[1], r.low[2]};
    do {
        for (uint32_t i = c->slot[slot_of(at, c->slot_room)]; i; i = c->item[i - 1].next)
            if (same_cell(&c->item[i - 1], at)) tell(user, c->item[i - 1].what);
    } while (step(&r, at));
    return true;
}
