// Sheets: surface that looks along one axis of the world, and the frame in which it is floor.
//
//          ^ z-  up          An agent that climbs stands on surface of any slope. Each piece of surface is of one
//          sheet,
//        __|__ ^ /           that of the axis nearest to its normal. In the frame of a sheet the axis points up, so the
//       |     |->  x+        surface is no steeper than 54.7 degrees, and everything that makes a floor works there.
//     <-|_____|              A frame's numbers are the world's, in another order and with other signs: nothing is
//    x-    | down            rounded on the way.
//
// A tile of a sheet is one of its frame's grid: tile (x, z) covers frame x and frame z, and all heights. Any thread.
#ifndef NAVCORE_SHEETS_H
#define NAVCORE_SHEETS_H

#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nav_sheet {
    NAV_SHEET_UP = 0, // normals along y: floors, as ever
    NAV_SHEET_DOWN,   // along -y: ceilings
    NAV_SHEET_XPLUS,  // along x
    NAV_SHEET_XMINUS,
    NAV_SHEET_ZPLUS,
    NAV_SHEET_ZMINUS,
    NAV_SHEET_COUNT,
} nav_sheet;

enum {
    NAV_SHEETS_UP = 1 << NAV_SHEET_UP, // gravity: floors alone
    NAV_SHEETS_ALL = (1 << NAV_SHEET_COUNT) - 1,
};

// "up", "down", "x+", "x-", "z+", "z-". NAV_ERR_ARGUMENT: there is none of that name.
NAV_MUST_USE nav_status nav_sheet_parse(const char *name, nav_sheet *out);
const char *nav_sheet_name(nav_sheet s);

// Several as bits: "all", or names with commas between, such as "up,x+,x-". NAV_ERR_ARGUMENT: a name that is none, or
// no name at all.
NAV_MUST_USE nav_status nav_sheets_parse(const char *names, uint32_t *out);
// The first of several; of none up.
static inline nav_sheet nav_sheets_first(uint32_t sheets)
{
    int s = 0;
    while (s < NAV_SHEET_COUNT && !(sheets >> s & 1)) s++;
    return s < NAV_SHEET_COUNT ? (nav_sheet)s : NAV_SHEET_UP;
}

// A place or direction of the world in the sheet's frame, and back: x, y, z. in and out may be the same.
void nav_sheet_to_frame(nav_sheet s, const double in[3], double out[3]);
void nav_sheet_to_world(nav_sheet s, const double in[3], double out[3]);
// A box likewise.
void nav_sheet_box_to_frame(nav_sheet s, const double min[3], const double max[3], double out_min[3],
                            double out_max[3]);
// The sheet of the axis nearest to a direction; of several equally near ones (to a thousandth) y, then x,
// then z. 0, 0, 0 is up.
nav_sheet nav_sheet_of_normal(const double normal[3]);

#ifdef __cplusplus
}
#endif

#endif
