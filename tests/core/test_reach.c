// What can be reached: the graph against a flood from scratch over thousands of random openings and closings, and its
// rules one by one on small worlds drawn by hand.
#include "core/reach/reach.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A world of tiles along a grid. Each tile has a few parts; every side has SLOTS places for border edges, and each slot
// holds a part or none. Ground for links and seeds: part p of a tile is at height 10 p.
enum { SIDE = 7, PARTS = 3, SLOTS = 3, LINKS = 2, CELLS = 48 };

typedef struct model_link {
    int to_x, to_z, to_part, part;
    bool both;
} model_link;

typedef struct model_tile {
    bool exists;
    int parts, area[PARTS], slot[NAV_SIDES][SLOTS]; // a part, or -1
    int links;
    model_link link[LINKS];
} model_tile;

typedef struct model {
    model_tile tile[SIDE][SIDE];
    nav_settings settings;
    nav_reach_goal goal;
    nav_reach *reach;
    bool off[SIDE][SIDE][PARTS];
} model;

static float middle(const model *m, int tile)
{
    return ((float)tile + 0.5f) * m->settings.cell_size_m * (float)m->settings.tile_cells;
}

static int32_t find_part(void *user, int32_t x, int32_t z, const nav_place_query *q, double *distance2)
{
    const model *m = user;
    const model_tile *t = &m->tile[z][x];
    int32_t found = -1;
    double dx = (double)(q->at[0] - middle(m, x)), dz = (double)(q->at[2] - middle(m, z));
    if (dx * dx + dz * dz > (double)q->radius_m * (double)q->radius_m) return -1;
    for (int p = 0; t->exists && p < t->parts; p++) {
        double dy = (double)(q->at[1] - 10.0f * (float)p);
        if (dy * dy > (double)q->height_m * (double)q->height_m) continue;
        found = p;
        *distance2 = dy * dy;
    }
    return found;
}

static nav_parts *make_parts(const model *m, const model_tile *t)
{
    nav_parts *p = calloc(1, sizeof *p + PARTS * sizeof(int64_t) + NAV_SIDES * SLOTS * sizeof(nav_border_edge) +
                                 LINKS * sizeof(nav_part_link));
    ck_assert_ptr_nonnull(p);
    p->refs = 1;
    p->doubled_area = (int64_t *)(void *)(p + 1);
    p->edges = (nav_border_edge *)(void *)(p->doubled_area + PARTS);
    p->links = (nav_part_link *)(void *)(p->edges + NAV_SIDES * SLOTS);
    p->count = (uint32_t)t->parts;
    for (int i = 0; i < t->parts; i++) p->doubled_area[i] = 2 * t->area[i];
    uint32_t n = 0;
    for (int s = 0; s < NAV_SIDES; s++) {
        p->edge_first[s] = n;
        for (int k = 0; k < SLOTS; k++)
            if (t->slot[s][k] >= 0)
                p->edges[n++] = (nav_border_edge){10 * k, 10 * k + 5, 0, 0, (uint32_t)t->slot[s][k]};
    }
    p->edge_first[NAV_SIDES] = n;
    for (int i = 0; i < t->links; i++) {
        const model_link *l = &t->link[i];
        p->links[p->link_count++] = (nav_part_link){
            {middle(m, l->to_x), 10.0f * (float)l->to_part, middle(m, l->to_z)}, 0.5f, (uint32_t)l->part, l->both};
    }
    return p;
}

static void put(model *m, int x, int z)
{
    nav_parts *parts = m->tile[z][x].exists ? make_parts(m, &m->tile[z][x]) : NULL;
    ck_assert_int_eq(nav_reach_put(m->reach, x, z, parts), NAV_OK);
}

// --- from scratch

static bool joined(const model *m, int x, int z, int part, int side, int *nx, int *nz, int slot, int *other)
{
    static const int step[NAV_SIDES][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    *nx = x + step[side][0];
    *nz = z + step[side][1];
    if (*nx < 0 || *nz < 0 || *nx >= SIDE || *nz >= SIDE || !m->tile[*nz][*nx].exists) return false;
    if (m->tile[z][x].slot[side][slot] != part) return false;
    *other = m->tile[*nz][*nx].slot[side ^ 2][slot];
    return *other >= 0;
}

typedef struct flood {
    int list[SIDE * SIDE * PARTS], count;
    bool seen[SIDE * SIDE * PARTS];
} flood;

static int number(int x, int z, int part)
{
    return (z * SIDE + x) * PARTS + part;
}

static void visit(flood *f, int n)
{
    if (f->seen[n]) return;
    f->seen[n] = true;
    f->list[f->count++] = n;
}

// Follows edges, and links: forwards, and backwards where they go both ways or direction does not count.
static void spread(const model *m, flood *f, bool directed)
{
    for (int i = 0; i < f->count; i++) {
        int n = f->list[i], part = n % PARTS, x = n / PARTS % SIDE, z = n / PARTS / SIDE, nx, nz, other;
        for (int s = 0; s < NAV_SIDES; s++)
            for (int k = 0; k < SLOTS; k++)
                if (joined(m, x, z, part, s, &nx, &nz, k, &other)) visit(f, number(nx, nz, other));
        for (int lz = 0; lz < SIDE; lz++)
            for (int lx = 0; lx < SIDE; lx++) {
                const model_tile *t = &m->tile[lz][lx];
                for (int l = 0; t->exists && l < t->links; l++) {
                    const model_link *link = &t->link[l];
                    const model_tile *to = &m->tile[link->to_z][link->to_x];
                    if (!to->exists || link->to_part >= to->parts) continue;
                    int a = number(lx, lz, link->part), b = number(link->to_x, link->to_z, link->to_part);
                    if (a == n) visit(f, b);
                    if (b == n && (link->both || !directed)) visit(f, a);
                }
            }
    }
}

static void flood_all(model *m)
{
    flood f = {.count = 0};
    bool directed = m->goal.seed_count > 0;
    memset(m->off, 0, sizeof m->off);
    for (uint32_t i = 0; i < m->goal.seed_count; i++)
        for (int z = 0; z < SIDE; z++)
            for (int x = 0; x < SIDE; x++) {
                double d;
                nav_place_query q = nav_seed_query(&m->settings, m->goal.seeds[i]);
                int part = find_part(m, x, z, &q, &d);
                if (part >= 0) visit(&f, number(x, z, part));
            }
    if (directed) spread(m, &f, true);
    for (int n = 0; n < SIDE * SIDE * PARTS; n++) {
        int part = n % PARTS, x = n / PARTS % SIDE, z = n / PARTS / SIDE;
        if (!m->tile[z][x].exists || part >= m->tile[z][x].parts) continue;
        if (directed) {
            m->off[z][x][part] = !f.seen[n];
            continue;
        }
        flood own = {.count = 0};
        visit(&own, n);
        spread(m, &own, false);
        double area = 0;
        for (int i = 0; i < own.count; i++) {
            int o = own.list[i];
            area += m->tile[o / PARTS / SIDE][o / PARTS % SIDE].area[o % PARTS];
        }
        double cell = (double)m->settings.cell_size_m;
        m->off[z][x][part] = area < m->goal.min_area_m2 / (cell * cell);
    }
}

static uint32_t compare(model *m, int step)
{
    uint32_t off_count = 0, parts = 0;
    flood_all(m);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) {
            uint8_t off[PARTS] = {0};
            uint32_t count = nav_reach_mask(m->reach, x, z, off);
            for (int p = 0; m->tile[z][x].exists && p < m->tile[z][x].parts; p++, parts++) {
                ck_assert_msg(off[p] == m->off[z][x][p], "step %d: part %d of %d, %d is %s, a flood says %s", step, p,
                              x, z, off[p] ? "off" : "on", m->off[z][x][p] ? "off" : "on");
                count -= off[p];
                off_count += off[p];
            }
            ck_assert_uint_eq(count, 0);
        }
    nav_reach_counts c = nav_reach_count(m->reach);
    ck_assert_uint_eq(c.parts_off, off_count);
    ck_assert_uint_eq(c.parts, parts);
    return off_count;
}

static void change_tile(model *m, uint32_t *random, int x, int z)
{
    model_tile *t = &m->tile[z][x];
    *t = (model_tile){.exists = scene_random(random) % 12 != 0, .parts = 1 + (int)(scene_random(random) % PARTS)};
    for (int p = 0; p < t->parts; p++) t->area[p] = 50 + (int)(scene_random(random) % 400);
    for (int s = 0; s < NAV_SIDES; s++)
        for (int k = 0; k < SLOTS; k++)
            t->slot[s][k] = scene_random(random) % 3 ? -1 : (int)(scene_random(random) % (uint32_t)t->parts);
    if (scene_random(random) % 4 == 0) t->links = (int)(scene_random(random) % (LINKS + 1));
    for (int l = 0; l < t->links; l++)
        t->link[l] = (model_link){(int)(scene_random(random) % SIDE), (int)(scene_random(random) % SIDE),
                                  (int)(scene_random(random) % PARTS), (int)(scene_random(random) % (uint32_t)t->parts),
                                  scene_random(random) % 3 == 0};
}

static void random_goal(model *m, uint32_t *random)
{
    m->goal.seed_count = scene_random(random) % 4;
    for (uint32_t i = 0; i < m->goal.seed_count; i++) {
        m->goal.seeds[i][0] = middle(m, (int)(scene_random(random) % SIDE));
        m->goal.seeds[i][1] = 10.0f * (float)(scene_random(random) % PARTS);
        m->goal.seeds[i][2] = middle(m, (int)(scene_random(random) % SIDE));
    }
    m->goal.min_area_m2 = (double)(scene_random(random) % 200);
}

static void model_init(model *m)
{
    memset(m, 0, sizeof *m);
    nav_settings_default(&m->settings);
    m->settings.tile_cells = CELLS;
}

static void drain(model *m)
{
    int32_t x, z;
    while (nav_reach_next_changed(m->reach, &x, &z)) {
    }
}

START_TEST(random_openings_and_closings_equal_a_flood_from_scratch)
{
    model *m = malloc(sizeof *m);
    uint32_t random = 77 + (uint32_t)_i, off = 0;
    model_init(m);
    random_goal(m, &random);
    ck_assert_int_eq(nav_reach_create(&m->settings, &m->goal, find_part, m, &m->reach), NAV_OK);
    for (int step = 0; step < 2500; step++) {
        uint32_t batch = 1 + scene_random(&random) % (step % 100 == 0 ? 20 : 3);
        for (uint32_t i = 0; i < batch; i++) {
            int x = (int)(scene_random(&random) % SIDE), z = (int)(scene_random(&random) % SIDE);
            change_tile(m, &random, x, z);
            put(m, x, z);
        }
        if (scene_random(&random) % 50 == 0) {
            random_goal(m, &random);
            nav_reach_set_goal(m->reach, &m->goal);
        }
        ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
        off += compare(m, step);
        if (step % 3 == 0) drain(m);
    }
    ck_assert_uint_gt(off, 1000); // there was something to see
    nav_reach_destroy(m->reach);
    free(m);
}
END_TEST

START_TEST(tiles_named_as_changed_are_exactly_those_with_another_mask)
{
    model *m = malloc(sizeof *m);
    uint32_t random = 5 + (uint32_t)_i;
    static bool before[SIDE][SIDE][PARTS];
    model_init(m);
    m->goal.seed_count = 1;
    m->goal.seeds[0][0] = m->goal.seeds[0][2] = middle(m, 3);
    ck_assert_int_eq(nav_reach_create(&m->settings, &m->goal, find_part, m, &m->reach), NAV_OK);
    for (int step = 0; step < 500; step++) {
        int x = (int)(scene_random(&random) % SIDE), z = (int)(scene_random(&random) % SIDE);
        bool named[SIDE][SIDE] = {{false}};
        int32_t cx, cz;
        memcpy(before, m->off, sizeof before);
        change_tile(m, &random, x, z);
        put(m, x, z);
        ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
        (void)compare(m, step);
        while (nav_reach_next_changed(m->reach, &cx, &cz)) named[cz][cx] = true;
        for (int k = 0; k < SIDE * SIDE; k++) {
            bool differs = memcmp(before[k / SIDE][k % SIDE], m->off[k / SIDE][k % SIDE], sizeof before[0][0]) != 0;
            if (k % SIDE == x && k / SIDE == z) continue; // was put
            ck_assert_msg(named[k / SIDE][k % SIDE] == differs, "step %d: tile %d, %d", step, k % SIDE, k / SIDE);
        }
    }
    nav_reach_destroy(m->reach);
    free(m);
}
END_TEST

// --- rules, one by one

// A row of tiles with one part each, all joined; area 100 cells.
static model *row_of(int count)
{
    model *m = malloc(sizeof *m);
    model_init(m);
    for (int x = 0; x < count; x++) {
        model_tile *t = &m->tile[0][x];
        *t = (model_tile){.exists = true, .parts = 1, .area = {100}};
        for (int s = 0; s < NAV_SIDES; s++)
            for (int k = 0; k < SLOTS; k++) t->slot[s][k] = s == 0 || s == 2 ? 0 : -1;
    }
    return m;
}

static void start(model *m, int count)
{
    ck_assert_int_eq(nav_reach_create(&m->settings, &m->goal, find_part, m, &m->reach), NAV_OK);
    for (int x = 0; x < count; x++) put(m, x, 0);
    ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
}

static bool is_off(const model *m, int x)
{
    uint8_t off[PARTS] = {0};
    (void)nav_reach_mask(m->reach, x, 0, off);
    return off[0];
}

static void finish(model *m)
{
    nav_reach_destroy(m->reach);
    free(m);
}

static void seed_at(model *m, int x, float y)
{
    m->goal.seed_count = 1;
    m->goal.seeds[0][0] = middle(m, x);
    m->goal.seeds[0][1] = y;
    m->goal.seeds[0][2] = middle(m, 0);
}

START_TEST(a_link_one_way_leads_one_way)
{
    for (int from = 0; from < 2; from++) {
        model *m = row_of(2);
        m->tile[0][0].slot[0][0] = m->tile[0][0].slot[0][1] = m->tile[0][0].slot[0][2] = -1; // no border between them
        m->tile[0][0].links = 1;
        m->tile[0][0].link[0] = (model_link){.to_x = 1};
        seed_at(m, from, 0);
        start(m, 2);
        ck_assert(!is_off(m, from));
        ck_assert_int_eq(is_off(m, 1 - from), from == 1);
        finish(m);
    }
}
END_TEST

START_TEST(a_ring_of_links_one_way_does_not_hold_itself_up)
{
    model *m = row_of(4);
    for (int x = 0; x < 4; x++) memset(m->tile[0][x].slot, -1, sizeof m->tile[0][x].slot);
    for (int x = 0; x < 4; x++) {
        m->tile[0][x].links = x == 3 ? 2 : 1;
        m->tile[0][x].link[0] = (model_link){.to_x = x + 1};
        m->tile[0][x].link[1] = (model_link){.to_x = 1};
    }
    m->tile[0][3].link[0].to_x = 1; // 0 -> 1 -> 2 -> 3 -> 1
    seed_at(m, 0, 0);
    start(m, 4);
    for (int x = 0; x < 4; x++) ck_assert(!is_off(m, x));
    m->tile[0][0].links = 0;
    put(m, 0, 0);
    ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
    for (int x = 1; x < 4; x++) ck_assert(is_off(m, x));
    finish(m);
}
END_TEST

START_TEST(the_area_of_an_island_counts_across_tiles)
{
    model *m = row_of(5);
    double cell = (double)m->settings.cell_size_m;
    m->goal.min_area_m2 = 300 * cell * cell;
    start(m, 3);
    ck_assert(!is_off(m, 0)); // 3 tiles of 100 cells
    m->tile[0][1].area[0] = 99;
    put(m, 1, 0);
    ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
    for (int x = 0; x < 3; x++) ck_assert(is_off(m, x));
    put(m, 3, 0);
    ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
    for (int x = 0; x < 4; x++) ck_assert(!is_off(m, x));
    finish(m);
}
END_TEST

START_TEST(a_seed_in_the_air_finds_no_ground_until_there_is_some)
{
    model *m = row_of(3);
    seed_at(m, 1, 10);
    start(m, 3);
    ck_assert(!nav_reach_seed_found(m->reach, 0));
    ck_assert_uint_eq(nav_reach_count(m->reach).seeds_lost, 1);
    ck_assert(is_off(m, 1));
    m->tile[0][1].parts = 2; // a bridge at height 10
    m->tile[0][1].area[1] = 7;
    put(m, 1, 0);
    ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
    ck_assert(nav_reach_seed_found(m->reach, 0));
    uint8_t off[PARTS];
    ck_assert_uint_eq(nav_reach_mask(m->reach, 1, 0, off), 1);
    ck_assert(off[0] && !off[1]);
    finish(m);
}
END_TEST

START_TEST(a_closed_door_costs_what_it_shuts_off_not_the_world)
{
    // A plain of SIDE by SIDE tiles; the tile in the corner is shut and opened.
    model *m = malloc(sizeof *m);
    model_init(m);
    seed_at(m, 3, 0);
    m->goal.seeds[0][2] = middle(m, 3);
    ck_assert_int_eq(nav_reach_create(&m->settings, &m->goal, find_part, m, &m->reach), NAV_OK);
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++) {
            m->tile[z][x] = (model_tile){.exists = true, .parts = 1, .area = {100}};
            put(m, x, z);
        }
    ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
    for (int round = 0; round < 10; round++) {
        int value = round % 2 ? 0 : -1;
        for (int s = 0; s < NAV_SIDES; s++)
            for (int k = 0; k < SLOTS; k++) m->tile[0][1].slot[s][k] = m->tile[1][0].slot[s][k] = value;
        uint64_t before = nav_reach_count(m->reach).steps;
        put(m, 1, 0);
        put(m, 0, 1);
        ck_assert_int_eq(nav_reach_update(m->reach), NAV_OK);
        uint64_t steps = nav_reach_count(m->reach).steps - before;
        (void)compare(m, round);
        ck_assert_msg(steps <= 30, "%llu steps", (unsigned long long)steps);
        ck_assert_int_eq(is_off(m, 0), value < 0);
    }
    finish(m);
}
END_TEST

START_TEST(border_edges_join_where_they_overlap_within_twice_the_climb)
{
    nav_border_edge a = {0, 10, 0, 10, 0}, b = {10, 20, 10, 10, 0}, c = {5, 20, 5, 5, 0}, d = {5, 10, 15, 20, 0};
    ck_assert(!nav_border_edges_join(&a, &b, 4)); // they touch in a point
    ck_assert(nav_border_edges_join(&a, &c, 4));
    ck_assert(!nav_border_edges_join(&a, &d, 4)); // another storey
    ck_assert(nav_border_edges_join(&a, &d, 10));
    nav_border_edge e = {0, 10, 30, -30, 0}; // crosses it
    ck_assert(nav_border_edges_join(&a, &e, 4));
}
END_TEST

START_TEST(a_goal_out_of_range_is_refused_by_its_value)
{
    nav_reach_goal g = {.seed_count = 2, .seeds = {{0}, {1, 2, 3e7f}}};
    char why[200];
    ck_assert_int_eq(nav_reach_goal_check(&g, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(why, "seeds[1][2] is 3e+07, but must be between -1e+07 and 1e+07");
    g.seeds[1][2] = 3;
    g.min_area_m2 = -1;
    ck_assert_int_eq(nav_reach_goal_check(&g, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(why, "island_min_area_m2 is -1, but must be between 0 and 1e+12");
    g.min_area_m2 = 0;
    ck_assert_int_eq(nav_reach_goal_check(&g, why, sizeof why), NAV_OK);
    ck_assert(nav_reach_goal_is_set(&g));
    g.seed_count = 0;
    ck_assert(!nav_reach_goal_is_set(&g));
    g.seed_count = NAV_MAX_SEEDS + 1;
    ck_assert_int_eq(nav_reach_goal_check(&g, why, sizeof why), NAV_ERR_LIMIT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reach");
    TCase *c = tcase_create("graph");
    tcase_add_loop_test(c, random_openings_and_closings_equal_a_flood_from_scratch, 0, 4);
    tcase_add_loop_test(c, tiles_named_as_changed_are_exactly_those_with_another_mask, 0, 3);
    tcase_add_test(c, a_link_one_way_leads_one_way);
    tcase_add_test(c, a_ring_of_links_one_way_does_not_hold_itself_up);
    tcase_add_test(c, the_area_of_an_island_counts_across_tiles);
    tcase_add_test(c, a_seed_in_the_air_finds_no_ground_until_there_is_some);
    tcase_add_test(c, a_closed_door_costs_what_it_shuts_off_not_the_world);
    tcase_add_test(c, border_edges_join_where_they_overlap_within_twice_the_climb);
    tcase_add_test(c, a_goal_out_of_range_is_refused_by_its_value);
    suite_add_tcase(s, c);
    return run_suite(s);
}
