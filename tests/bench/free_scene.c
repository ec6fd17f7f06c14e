#include "tests/bench/free_scene.h"
#include "tests/bench/random.h"

static const double SIDE_M = 48, FLOOR_M = 0.3, RIM_M = 4, PI = 3.14159265358979;

typedef struct kind {
    uint32_t count;
    double low[2], high[2], half_x[2], half_z[2]; // least and most
} kind;

// A crate is so low that nobody stands inside of it, and a wall so thin.
static const kind KINDS[] = {
    {28, {0, 0}, {1.8, 1.95}, {0.2, 2.5}, {0.2, 2.5}}, // crates
    {8, {0, 0}, {3, 3}, {1.5, 6}, {0.1, 0.2}},         // walls
    {16, {1.0, 1.5}, {3, 3}, {0.2, 2}, {0.2, 2}},      // hanging boxes
    {8, {0, 0}, {0.2, 0.6}, {0.5, 2}, {0.5, 2}},       // steps
    {8, {3.2, 3.6}, {3.8, 4}, {0.3, 4}, {0.2, 0.5}},   // beams
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, BLOCKING_KINDS = 3 };

static double within(bench_random *r, const double range[2])
{
    return bench_random_in(r, range[0], range[1]);
}

void free_scene_make(uint64_t seed, free_scene *out)
{
    bench_random r = {seed};
    *out = (free_scene){.count = 1};
    out->boxes[0] = (bench_box){SIDE_M / 2, SIDE_M / 2, SIDE_M / 2, SIDE_M / 2, -FLOOR_M, 0, 0};
    for (int k = 0; k < KIND_COUNT; k++) {
        for (uint32_t i = 0; i < KINDS[k].count; i++) {
            bench_box *b = &out->boxes[out->count++];
            b->x = bench_random_in(&r, RIM_M, SIDE_M - RIM_M);
            b->z = bench_random_in(&r, RIM_M, SIDE_M - RIM_M);
            b->half_x = within(&r, KINDS[k].half_x);
            b->half_z = within(&r, KINDS[k].half_z);
            b->low = within(&r, KINDS[k].low);
            b->high = within(&r, KINDS[k].high);
            b->angle = bench_random_in(&r, 0, PI);
            out->block_count += k < BLOCKING_KINDS;
        }
    }
}
