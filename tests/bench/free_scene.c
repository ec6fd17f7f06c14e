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
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, BLOCKING_KINDS = 3, FIRST_HARMLESS = 3 };
enum { HEAPS = 7, HEAP = 4, CORNERS = 8, PILLARS = 16 };

static double within(bench_random *r, const double range[2])
{
    return bench_random_in(r, range[0], range[1]);
}

static bench_box any_box(bench_random *r, const kind *k)
{
    bench_box b;
    b.x = bench_random_in(r, RIM_M, SIDE_M - RIM_M);
    b.z = bench_random_in(r, RIM_M, SIDE_M - RIM_M);
    b.half_x = within(r, k->half_x);
    b.half_z = within(r, k->half_z);
    b.low = within(r, k->low);
    b.high = within(r, k->high);
    b.angle = bench_random_in(r, 0, PI);
    return b;
}

static void add(free_scene *out, bench_prism p, bool blocks)
{
    out->prisms[out->count++] = p;
    out->block_count += blocks;
}

static void add_heap(bench_random *r, free_scene *out)
{
    bench_box first = any_box(r, &KINDS[0]);
    for (int i = 0; i < HEAP; i++) {
        bench_box b = any_box(r, &KINDS[0]);
        b.x = first.x + bench_random_in(r, -2, 2);
        b.z = first.z + bench_random_in(r, -2, 2);
        b.half_x = bench_random_in(r, 0.2, 1.2);
        b.half_z = bench_random_in(r, 0.2, 1.2);
        b.high = bench_random_in(r, 1.8, 1.95);
        add(out, prism_of_box(&b), true);
    }
}

// Two walls with an end in common.
static void add_corner(bench_random *r, free_scene *out)
{
    bench_box first = any_box(r, &KINDS[1]), second = any_box(r, &KINDS[1]);
    double end[2], middle[2];
    first.half_x = bench_random_in(r, 0.8, 3);
    second.half_x = bench_random_in(r, 0.8, 3);
    second.angle = first.angle + bench_random_in(r, 0.2, PI - 0.2);
    bench_box_place(&first, first.half_x, 0, end);
    second.x = end[0];
    second.z = end[1];
    bench_box_place(&second, second.half_x - second.half_z, 0, middle);
    second.x = middle[0];
    second.z = middle[1];
    add(out, prism_of_box(&first), true);
    add(out, prism_of_box(&second), true);
}

static void add_pillar(bench_random *r, free_scene *out)
{
    bench_box at = any_box(r, &KINDS[0]);
    bench_prism p =
        prism_round(at.x, at.z, bench_random_in(r, 0.15, 1.2), 3 + (uint32_t)bench_random_in(r, 0, 14), at.angle);
    p.high = at.high;
    add(out, p, true);
}

static void make_crowded(bench_random *r, free_scene *out)
{
    // The rim is wide enough for the floor's corners to be turned away.
    const bench_box floor = {SIDE_M / 2, SIDE_M / 2, SIDE_M / 2 + 2,           SIDE_M / 2 + 3,
                             -FLOOR_M,   0,          bench_random_in(r, 0, PI)};
    out->prisms[0] = prism_of_box(&floor);
    for (int i = 0; i < HEAPS; i++) add_heap(r, out);
    for (int i = 0; i < CORNERS; i++) add_corner(r, out);
    for (int i = 0; i < PILLARS; i++) add_pillar(r, out);
    for (int k = FIRST_HARMLESS; k < KIND_COUNT; k++) {
        for (uint32_t i = 0; i < KINDS[k].count; i++) {
            const bench_box b = any_box(r, &KINDS[k]);
            add(out, prism_of_box(&b), false);
        }
    }
}

void free_scene_make(uint64_t seed, bool crowded, free_scene *out)
{
    bench_random r = {seed};
    const bench_box floor = {SIDE_M / 2, SIDE_M / 2, SIDE_M / 2, SIDE_M / 2, -FLOOR_M, 0, 0};
    *out = (free_scene){.count = 1};
    out->prisms[0] = prism_of_box(&floor);
    if (crowded) {
        make_crowded(&r, out);
        return;
    }
    for (int k = 0; k < KIND_COUNT; k++) {
        for (uint32_t i = 0; i < KINDS[k].count; i++) {
            const bench_box b = any_box(&r, &KINDS[k]);
            add(out, prism_of_box(&b), k < BLOCKING_KINDS);
        }
    }
}
