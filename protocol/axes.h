// The axes and units in which a client talks about a world. navd itself has one kind only, metres with Y up, in memory
// and on disk: what a client sends is converted as it is decoded, what it is answered as it is encoded. A message says
// in which axes it is (np_message.axes, and members `axes` of responses); the tables of fields say which of its numbers
// are places (np_field.place), and all others are left alone. docs/protocol/axes.md says the same to people. Any
// thread.
#ifndef NP_AXES_H
#define NP_AXES_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum np_up { NP_UP_Y, NP_UP_Z } np_up;

// Zeroed: metres, Y up. Right-handed both.
typedef struct np_axes {
    np_up up;
    bool has_unit;
    double unit_m; // metres in one of the client's units; without has_unit: 1
} np_axes;

#define NP_LEAST_UNIT_M 1e-4
#define NP_LARGEST_UNIT_M 1e4

// NAV_ERR_ARGUMENT with words: the unit.
NAV_MUST_USE nav_status np_axes_check(const np_axes *a, char *why, size_t why_bytes);
// Metres, Y up: there is nothing to convert.
bool np_axes_is_plain(const np_axes *a);
// Three rows of four: a point of the client's, with a 1 below it, becomes one of navd's.
void np_axes_to_metres(const np_axes *a, double out[12]);

// What a number, or several, mean as a place.
typedef enum np_place {
    NP_PLACE_NONE,
    NP_PLACE_POINT,     // three floats or doubles
    NP_PLACE_HEIGHT,    // a float along the upward axis
    NP_PLACE_GROUND,    // pairs of the two other axes, floats or doubles: x z where Y is up, x y where Z is
    NP_PLACE_BOUNDS,    // four doubles: the least of such a pair, the greatest
    NP_PLACE_TRANSFORM, // 12 floats, of what is in the world
} np_place;

// In place. count: pairs of NP_PLACE_GROUND. False: a number is too large for a float then. No zero is negative
// afterwards, so that what is the same place is the same bits.
bool np_axes_floats_to_metres(const np_axes *a, np_place place, float *v, uint32_t count);
void np_axes_doubles_to_metres(const np_axes *a, np_place place, double *v);
// The way back. Of the floats that mean the number the one that gives it again, where there is one, which is always so
// if it came in these axes: what was answered and is sent again changes nothing.
void np_axes_floats_from_metres(const np_axes *a, np_place place, float *v, uint32_t count);

#endif
