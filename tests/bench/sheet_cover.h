// Meshes of walls and ceilings, judged: how well they cover what an agent can stand on, and what of them is connected.
#ifndef BENCH_SHEET_COVER_H
#define BENCH_SHEET_COVER_H

#include "clients/navctl/generate/generate.h"
#include "tests/bench/stand_check.h"

// For the settings' agent, with the tolerance and the rims that the bench has.
stand_limits sheet_limits(const nav_settings *settings, uint32_t samples);
// Tiles in navd's encoding. missed: as of stand_check(). False: no memory.
bool sheet_cover(const scene *s, const generated *tiles, const stand_limits *limits, const char *name, FILE *missed,
                 stand_report *out);
// As paths over walls see it: parts that nothing joins to each other, and seams. False with one line on stderr.
bool sheet_join(const generated *tiles, double inner_deg, uint32_t *parts, uint32_t *seams);

#endif
