// More rooms with a door of known width, of every kind that rooms come in, for an agent of any radius. As those of
// doors.h they are closed, turned at random, and cut in two by what has the door.
//
//      crates        the door is between two crates turned at random          floors: a slab, one sheet of two
//      sheet         between a crate and a wall that is one sheet             triangles, or a grid of many, at random
//      thin          in a wall that is one sheet
//      thick         in a wall of 1 to 2.4 m
//      lintel        under a lintel that is 2.1 m and more above the floor, or too low
//      ramp          on a floor that rises by up to 25 degrees
//      pillars       between two pillars of 3 to 16 sides
//      upper         in an upper storey, above a wall without a door
//      border        its middle on the border of two tiles
//      corner        its middle at the corner of four tiles
//      leaning       between walls that lean; as wide as it is between climb and the agent's height
//      stairs        up to a storey that nothing else leads to; as wide as the stairs
//      wall          none: a thin wall, higher than the climb
//      ceiling       under a low ceiling 1 m long and more; none where it is lower than the agent
//      steep         on a floor that rises by 30 to 43 degrees, wider than the agent
#ifndef BENCH_ROOMS_H
#define BENCH_ROOMS_H

#include "tests/bench/doors.h"
#include "tests/bench/tri_list.h"

typedef enum room_kind {
    ROOM_CRATES,
    ROOM_SHEET,
    ROOM_THIN,
    ROOM_THICK,
    ROOM_LINTEL,
    ROOM_RAMP,
    ROOM_PILLARS,
    ROOM_UPPER,
    ROOM_BORDER,
    ROOM_CORNER,
    ROOM_LEANING,
    ROOM_STAIRS,
    ROOM_WALL,
    ROOM_CEILING,
    ROOM_STEEP,
    ROOM_KINDS
} room_kind;

extern const char *const ROOM_KIND_NAMES[ROOM_KINDS];

typedef struct bench_room {
    bench_door door; // its width is 0 where there is none
    double at[3];    // the middle of the narrowest place, on the floor; of doors that are there, and not of stairs
} bench_room;

// So many rooms of each kind, kind by kind, beside each other from the origin on, where tiles of tile_m begin. For the
// agent of nav_settings_default(), but for its radius. Widths are from 0.2 m less than the agent's to 0.8 m more. The
// same for the same arguments.
void rooms_make(uint64_t seed, uint32_t of_each, double radius_m, double tile_m, tri_list *out, bench_room *rooms);

#endif
