// What every part of the bench measures: a scene, its tile grid, and Recast ready to make the same tiles.
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include "clients/navctl/generate/generate.h"
#include "clients/navctl/scene/scene.h"
#include "tests/bench/bench.h"
#include "tests/bench/peer.h"

typedef struct subject {
    const char *name;
    scene scene;
    nav_settings settings; // RecastDemo's; its origin is the scene's lower corner
    int32_t first[2], count[2];
    float *verts; // the flattened scene
    uint32_t *tris;
    uint32_t vert_count, tri_count;
    peer *peer;  // NULL without Recast
    bool stored; // read from a file, not one of the bench's own
} subject;

uint32_t subject_tiles(const subject *s);

// Prepares a scene that has its name and its triangles. False with one line on stderr; it is to be closed all the same.
bool subject_open(subject *s, const bench_options *o);
void subject_close(subject *s); // its scene, too
// The same scene in other cells. False with one line on stderr.
bool subject_set_cell(subject *s, double cell_size_m);

// Calls measure() for each scene of the options: the bench's own, then the files. False when any call was, or when a
// scene cannot be read (one line on stderr).
bool subject_each(const bench_options *o, bool (*measure)(subject *s, void *user), void *user);

// Do the options, or the defaults, say true outlines?
bool subject_outlines_are_true(const bench_options *o);

// Is it the scene of that name, the bench's own or a file?
bool subject_is(const subject *s, const char *name);

// "-" where there is no Recast.
void subject_add_peer(table *t, const subject *s, int digits, double figure);

// navd's tiles as the peer's: borrowed bytes, the caller frees the array. NULL when memory is short.
peer_tile *subject_borrow_tiles(const subject *s, const generated *g);

// Processor time of this process, all threads: what others on the machine disturb less than the clock's.
double bench_cpu_s(void);

#endif
