// Generates every tile of a scene on a number of threads. Each thread has an arena of its own and claims tiles from one
// counter; a tile's result goes to its place in the grids, so the outcome does not depend on who made it. Where there
// are few tiles the most expensive come first, so that no thread is left with one of them at the end.
#ifndef NAVCTL_GENERATE_H
#define NAVCTL_GENERATE_H

#include "clients/navctl/generate/reachable.h"
#include "clients/navctl/generate/sheet_grids.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/scene/scene.h"
#include "core/levels.h"
#include "core/tile/stage_hashes.h"
#include "navcore/parallel.h"

typedef enum generate_encoding { GENERATE_DETOUR, GENERATE_NAVD } generate_encoding;

typedef struct generate_options {
    nav_settings settings;
    int threads;
    generate_encoding encoding;
    bool progress;
    nav_build *build; // the pipeline of a processor's level; NULL: of the best
    bool plain;       // with the plain twins of its fast paths
    bool hashes;      // of each stage, into generated.hashes
    bool only_tile;   // nothing but the tile at `tile`, of each sheet
    int32_t tile[2];
    nav_reach_goal goal; // seeds, or a minimum for islands; what is reached is asked of the tiles that are generated
    nav_unreachable unreachable;
    // Called for each tile that has ground, with its place in the grids, from several threads but once at a time for a
    // place; again where ground was dropped or flagged afterwards. NULL: nobody is told. An error fails the tile.
    nav_status (*made)(void *user, uint64_t place, const nav_tile *tile);
    // Called for each stage of each tile, as nav_hooks.made, with the tile's place; likewise from several threads.
    // NULL: nobody is told.
    nav_status (*stage)(void *user, uint64_t place, nav_stage s, const nav_made *made, nav_arena *scratch);
    void *made_user; // of both
} generate_options;

typedef struct generated_tile {
    uint8_t *bytes; // encoded; NULL where there is nothing to walk on, or the tile failed
    uint32_t size;
    uint32_t cells, polys;
    int64_t doubled_area_cells; // twice the area of the polygons, in cells: whole numbers add up in any order
    nav_status status;
} generated_tile;

typedef struct generated_sheet {
    uint64_t filled, cells, polys;
    double area_m2; // seen along the sheet's axis
} generated_sheet;

typedef struct generated {
    sheet_grids grids;        // one without walls and ceilings
    generated_tile *tiles;    // by their places in the grids
    nav_stage_hashes *hashes; // likewise; NULL: not asked for
    uint64_t filled, failed;  // tiles with bytes, tiles with an error
    generated_sheet sheets[NAV_SHEET_COUNT];
    uint64_t bytes, triangles_skipped;
    uint64_t cells, polys; // of the tiles as they are encoded
    nav_counts counts;     // of generation, summed over the tiles
    double area_m2;        // of the polygons, seen from above; of each sheet, along its axis
    double generate_s; // from triangles in memory to encoded tiles: mesh indices, scene index, threads and all stages
    double index_s;    // of that, the indices of meshes and scene
    nav_reach_counts reach; // where there is a goal
    double unreachable_m2;
    double stage_s[NAV_STAGE_COUNT]; // summed over the threads
} generated;

// Processors that this process may use.
int32_t generate_threads(void);

// The tiles that generate() makes: those of all the settings' sheets, or the one of each that the options name. False
// where there are more than 2^26.
bool generate_tiles(const scene *s, const generate_options *options, sheet_grids *out);

// False with one line on stderr when nothing could be made. A failed tile is counted and named on stderr.
bool generate(const scene *s, const generate_options *options, generated *out);

// Threads and their memory, kept from one generation to the next: the later ones start warm.
typedef struct generator generator;
generator *generator_create(int threads); // NULL with one line on stderr
void generator_destroy(generator *g);     // accepts NULL
// Its threads, for other work between two runs.
nav_parallel generator_parallel(generator *g);
// As generate(), on the generator's threads, whatever the options say.
bool generator_run(generator *g, const scene *s, const generate_options *options, generated *out);
void generated_deinit(generated *g); // accepts a zeroed one

#endif
