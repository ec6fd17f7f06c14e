// A daemon with a city that one client edits and another one watches: for tests of what a daemon does to both.
#ifndef TESTS_E2E_EDIT_PAIR_H
#define TESTS_E2E_EDIT_PAIR_H

#include "tests/e2e/daemon.h"
#include "tests/e2e/edits.h"

enum { PAIR_SIDE = 5 };   // tiles
#define PAIR_WORLD "disk" // its name

typedef struct edit_pair {
    daemon_process navd;
    city city;
    objects objects;
    peer editor, watcher;
    uint64_t chance;
} edit_pair;

extern edit_pair pair;

// A daemon, a city in it, and both clients; ends the clients; connects them to the daemon that runs.
void pair_begin(const daemon_options *o);
void pair_end(void);
void pair_connect(void);

// One edit, and its answer: it moves a box, and makes the world larger by a heap of boxes far away.
nav_status pair_edit(np_error *err);
// Both have the same.
void pair_settle(void);

// Freed by the caller.
peer_tile *pair_copy_tiles(const peer *p);
bool pair_same_tiles(const peer *p, const peer_tile *tiles);
// It is the same afterwards with a daemon that has just been started.
void pair_restart_and_compare(const daemon_options *o);

#endif
