// When a golden hash differs: the first world, tile and stage that do. Two ways to build may disagree, such as two
// levels of the processor; or all of them agree, and what they make is not what stages.inc keeps.
#ifndef NAV_TESTS_EXPLAIN_H
#define NAV_TESTS_EXPLAIN_H

#include "core/levels.h"
#include "core/tile/stage_hashes.h"
#include "tests/golden/random_worlds.h"
#include "tests/golden/worlds.h"

// The tiles that one row of golden.inc pins: those of a golden world, or one of each random world of a kind.
typedef struct golden_set {
    const char *name;
    const golden_world *world; // NULL: random worlds
    int kind;
    int tiles;
} golden_set;

enum { GOLDEN_RANDOM_WORLDS = 24 }; // of each kind

golden_set golden_set_of(const golden_world *w);
golden_set golden_set_random(int kind);
// Where tile i is: "tile 1,2", "world 7".
void golden_set_place(const golden_set *s, int i, char text[32]);

// A way to build.
typedef struct golden_way {
    const char *name; // "level v3, plain, 2 workers"
    nav_build *build;
    bool plain;
    int workers;
} golden_way;

// The hashes of all tiles, built in one way. 0, or 1 where a tile failed.
int golden_hash(const golden_set *s, const golden_way *way, nav_stage_hashes *out);

// The first tile and stage at which a way differs from the first way. False where all agree; text is empty then.
bool golden_ways_differ(const golden_set *s, const golden_way *ways, int way_count, char *text, size_t bytes);

// What stages.inc keeps of a tile: 32 bits of each hash.
typedef struct golden_stages {
    const char *set;
    int tile;
    uint32_t of[NAV_HASH_COUNT];
} golden_stages;
extern const golden_stages golden_kept[];
extern const int golden_kept_count;

// The first tile and stage that differ from `kept`, of hashes in the order of the tiles. False where none does.
bool golden_kept_differ(const golden_set *s, const nav_stage_hashes *now, const golden_stages *kept, int kept_count,
                        char *text, size_t bytes);
// The rows of stages.inc.
void golden_kept_print(const golden_set *s, const nav_stage_hashes *now);

#endif
