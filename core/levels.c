#include "core/levels.h"

#include <stdio.h>
#include <string.h>

const char *nav_level_name(nav_level l)
{
    static const char *const names[] = {
#define NAV_LEVEL_NAME(id, name, function) name,
        NAV_LEVEL_LIST(NAV_LEVEL_NAME)
#undef NAV_LEVEL_NAME
    };
    return (unsigned)l < NAV_LEVEL_COUNT ? names[l] : "unknown";
}

#ifdef NAV_X86_64_LEVELS // set by the build where it has compiled them
static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

static bool has_v4(void)
{
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

nav_build *nav_build_at(nav_level l)
{
    switch (l) {
    case NAV_LEVEL_BASE:
        return nav_build_base;
    case NAV_LEVEL_V3:
        return has_v3() ? nav_build_v3 : NULL;
    case NAV_LEVEL_V4:
        return has_v4() ? nav_build_v4 : NULL;
    case NAV_LEVEL_COUNT:
        break;
    }
    return NULL;
}
#else
nav_build *nav_build_at(nav_level l)
{
    return l == NAV_LEVEL_BASE ? nav_build_base : NULL;
}
#endif

nav_level nav_level_best(void)
{
    nav_level l = NAV_LEVEL_COUNT - 1;
    while (!nav_build_at(l)) l--;
    return l;
}

nav_status nav_level_parse(const char *name, nav_level *out, char *why, size_t why_bytes)
{
    char here[64] = "";
    for (nav_level l = 0; l < NAV_LEVEL_COUNT; l++) {
        size_t n = strlen(here);
        if (!nav_build_at(l)) continue;
        *out = l;
        if (!strcmp(name, nav_level_name(l))) return NAV_OK;
        snprintf(here + n, sizeof here - n, "%s%s", n ? ", " : "", nav_level_name(l));
    }
    if (why_bytes) snprintf(why, why_bytes, "level %s: this machine has %s", name, here);
    return NAV_ERR_ARGUMENT;
}

nav_status nav_build_tile(const nav_tile_source *source, const nav_key *known, const nav_hooks *hooks, nav_arena *arena,
                          nav_tile *out)
{
    return nav_build_at(nav_level_best())(source, known, hooks, arena, out);
}
