// A hue for each sheet, the same in pictures and in exported meshes.
#ifndef NAVCTL_SHEET_COLOURS_H
#define NAVCTL_SHEET_COLOURS_H

#include "navcore/sheets.h"

extern const float SHEET_COLOURS[NAV_SHEET_COUNT][3]; // red, green, blue, 0 to 1, as screens have them

#endif
