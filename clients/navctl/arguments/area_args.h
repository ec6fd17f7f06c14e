// --walkable-areas and --area-flags: areas of an agent's settings as text.
#ifndef NAVCTL_AREA_ARGS_H
#define NAVCTL_AREA_ARGS_H

#include <stdbool.h>
#include <stdint.h>

// "1-5,63": those areas, 1 to 63. False where it is anything else.
bool area_args_walkable(const char *text, uint64_t *out);
// "7=6,8=0x10": areas 1 to 63 and their flags, 0 to 65535; the others stay. False likewise.
bool area_args_flags(const char *text, uint16_t flags[64]);

#endif
