// The pipeline is compiled once for each level of machine, and the best that the machine at hand has is taken at run
// time: this is the only place where that is decided. All levels give the same bytes.
//
//      base    any machine; x86-64-v2 on x86-64
//      v3      x86-64 with AVX2 and BMI2, without fused multiply-add
//      v4      x86-64 with AVX-512 F, BW, CD, DQ, VL
#ifndef NAV_LEVELS_H
#define NAV_LEVELS_H

#include "core/build.h"

// X(id, name, function): from the lowest up.
#define NAV_LEVEL_LIST(X)                                                                                              \
    X(NAV_LEVEL_BASE, "base", nav_build_base)                                                                          \
    X(NAV_LEVEL_V3, "v3", nav_build_v3)                                                                                \
    X(NAV_LEVEL_V4, "v4", nav_build_v4)

typedef enum nav_level {
#define NAV_LEVEL_ENUM(id, name, function) id,
    NAV_LEVEL_LIST(NAV_LEVEL_ENUM)
#undef NAV_LEVEL_ENUM
        NAV_LEVEL_COUNT
} nav_level;

// As nav_build_tile().
typedef nav_status nav_build(const nav_tile_source *source, const nav_key *known, const nav_hooks *hooks,
                             nav_arena *arena, nav_tile *out);
#define NAV_LEVEL_DECLARE(id, name, function) nav_build function;
NAV_LEVEL_LIST(NAV_LEVEL_DECLARE)
#undef NAV_LEVEL_DECLARE

const char *nav_level_name(nav_level l);
// A level by its name. NAV_ERR_ARGUMENT where this machine, or this build of the library, does not have it; then `why`
// has a sentence that names those that it has.
NAV_MUST_USE nav_status nav_level_parse(const char *name, nav_level *out, char *why, size_t why_bytes);
// The pipeline of a level; NULL where this machine, or this build of the library, does not have it.
nav_build *nav_build_at(nav_level l);
// The highest level there is; nav_build_tile() takes it.
nav_level nav_level_best(void);

#endif
