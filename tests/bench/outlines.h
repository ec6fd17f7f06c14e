// The parts of bench_outlines.c, one for each judge, and what they share.
#ifndef BENCH_OUTLINES_H
#define BENCH_OUTLINES_H

#include "navcore/path.h"
#include "tests/bench/subject.h"

enum { OUTLINE_SIZES = 3, OUTLINE_MAKERS = 2 }; // makers: navd, Recast

extern const double OUTLINE_CELLS_M[OUTLINE_SIZES];
extern const char *const OUTLINE_MAKER_NAMES[OUTLINE_MAKERS];

// Generates Detour tiles of the subject, as it is set, by navd and by Recast where it is there, and calls look() with
// those of each. False when any call was, or with one line on stderr when nothing could be made.
bool outlines_look(const subject *s, bool (*look)(const subject *s, int maker, const peer_tile *tiles, void *user),
                   void *user);

// The same tiles as one set to ask for ways: navd's as it stores them, Recast's as Detour's. NULL with one line on
// stderr. The caller destroys it.
nav_path_set *outlines_ways(const subject *s, int maker);

// Each prints its tables, writes their CSV and adds its bars, as the parts of the bench do.
bool outlines_doors(const bench_options *o, table *bars);
bool outlines_rooms(const bench_options *o, table *bars);
bool outlines_distances(const bench_options *o, table *bars);
bool outlines_area(const bench_options *o, table *bars);
bool outlines_boxes(const bench_options *o, table *bars);

#endif
