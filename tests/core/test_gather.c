// Gathering against a plain twin: the same triangles, one after the other, by the rules as they are written down.
#include "core/levels.h"
#include "core/tile/detour.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mixed(uint64_t v)
{
    v ^= v >> 32;
    v *= UINT64_C(0x9fb21c651e98df25);
    v ^= v >> 29;
    v *= UINT64_C(0xbf58476d1ce4e5b9);
    return v ^ v >> 32;
}

static nav_key plain_key(const float v[9], uint8_t area)
{
    static const uint32_t keys[16] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                      0x082efa98, 0xec4e6c89, 0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c,
                                      0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917};
    uint32_t words[10];
    uint64_t nh[4] = {0};
    memcpy(words, v, 36);
    words[9] = area | 't' << 8;
    for (int p = 0; p < 4; p++)
        for (int w = 0; w < 10; w += 2)
            nh[p] += (uint64_t)(uint32_t)(words[w] + keys[2 * p + w]) * (uint32_t)(words[w + 1] + keys[2 * p + w + 1]);
    return (nav_key){mixed(nh[0] ^ (nh[1] << 32 | nh[1] >> 32)), mixed(nh[2] ^ (nh[3] << 32 | nh[3] >> 32))};
}

typedef struct plain {
    nav_triangles all; // of one instance; content_key: the sum over the triangles
    const nav_config *cfg;
    double min[2], max[2];
} plain;

static void take_plainly(plain *p, const nav_instance *in, uint32_t tri)
{
    const float *t = in->transform;
    double turn = (double)t[0] * ((double)t[5] * (double)t[10] - (double)t[6] * (double)t[9]) -
                  (double)t[1] * ((double)t[4] * (double)t[10] - (double)t[6] * (double)t[8]) +
                  (double)t[2] * ((double)t[4] * (double)t[9] - (double)t[5] * (double)t[8]);
    nav_triangles *all = &p->all;
    float v[9];
    double e[2][3];
    for (int c = 0; c < 3; c++) {
        float at[3];
        nav_mesh_corner(in->mesh, tri, turn < 0 ? 2 - c : c, at);
        for (int r = 0; r < 3; r++)
            v[3 * c + r] = (float)((double)t[4 * r] * (double)at[0] + (double)t[4 * r + 1] * (double)at[1] +
                                   (double)t[4 * r + 2] * (double)at[2] + (double)t[4 * r + 3]);
    }
    for (int k = 0; k < 2; k++) {
        const float *w = v + 2 * k;
        if ((double)fmaxf(fmaxf(w[0], w[3]), w[6]) < p->min[k] || (double)fminf(fminf(w[0], w[3]), w[6]) > p->max[k])
            return;
    }
    for (int k = 0; k < 9; k++) {
        double reach = (1 << 29) * (k % 3 == 1 ? p->cfg->cell_height_m : p->cfg->cell_size_m);
        if (!(fabs((double)v[k] - p->cfg->origin_m[k % 3]) < reach)) {
            all->skipped_count++;
            return;
        }
    }
    for (int k = 0; k < 3; k++) {
        e[0][k] = (double)v[3 + k] - (double)v[k];
        e[1][k] = (double)v[6 + k] - (double)v[k];
    }
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    double length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(length2 > 0)) {
        all->skipped_count++;
        return;
    }
    bool walkable = n[1] > 0 && n[1] * n[1] > p->cfg->slope_cos * p->cfg->slope_cos * length2;
    uint8_t area = in->mesh->areas ? in->mesh->areas[tri] : NAV_AREA_INHERIT;
    if (area == NAV_AREA_INHERIT || in->area == NAV_AREA_NONE) area = in->area;
    if (!walkable || !(p->cfg->walkable_areas >> area & 1)) area = NAV_AREA_NONE;
    memcpy(all->verts + 9 * all->count, v, sizeof v);
    all->areas[all->count++] = area;
    for (int c = 0; c < 3; c++) {
        all->min_y = fminf(all->min_y, v[3 * c + 1]);
        all->max_y = fmaxf(all->max_y, v[3 * c + 1]);
    }
    all->area_types |= area ? UINT64_C(1) << area : 0;
    nav_key key = plain_key(v, area);
    all->content_key.low += key.low;
    all->content_key.high += key.high;
}

// Runs of triangles of an area, some of which inherit; some areas cannot be walked on.
static void random_areas(uint32_t *seed, uint8_t *areas, uint32_t count)
{
    static const uint8_t some[] = {NAV_AREA_INHERIT, NAV_AREA_NONE, 1, 2, 9, 62, 63};
    for (uint32_t i = 0; i < count; i++) areas[i] = i % 3 ? areas[i - 1] : some[scene_random(seed) % sizeof some];
}

// has_areas: of the triangles.
static nav_mesh *random_mesh(uint32_t *seed, int triangles, bool has_areas)
{
    scene s = {0};
    for (int i = 0; i < triangles; i++) {
        float p[3][3], size = i % 7 ? 1 : 12, flat = i % 3 ? 0.3f : 1;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                p[c][k] =
                    (k == 1 ? flat : 1) * scene_random_between(seed, -size, size) + (k == 1 ? 0 : (float)(i % 40));
        if (i % 50 == 0) memcpy(p[2], p[1], sizeof p[2]); // no area
        if (i % 91 == 0) p[0][1] = 1e12f;                 // too far
        scene_triangle(&s, p[0], p[1], p[2]);
    }
    uint8_t *areas = has_areas ? malloc(s.tri_count) : NULL;
    if (areas) random_areas(seed, areas, s.tri_count);
    nav_mesh *m = scene_mesh_with_areas(&s, areas);
    free(areas);
    scene_free(&s);
    return m;
}

static void agree(const nav_instance *in, const nav_settings *set, int32_t x, int32_t z, uint64_t *taken)
{
    nav_config cfg;
    nav_triangles fast;
    nav_arena arena;
    plain p = {.all = {.min_y = INFINITY, .max_y = -INFINITY}, .cfg = &cfg};
    nav_config_init(&cfg, set, x, z);
    nav_arena_init(&arena, 0);
    nav_tile_source src = {.settings = set, .tile_x = x, .tile_z = z, .instances = in, .instance_count = 1};
    ck_assert_int_eq(nav_triangles_gather(&src, &cfg, &arena, &fast), NAV_OK);
    p.all.verts = malloc(36 * (size_t)in->mesh->tri_count);
    p.all.areas = malloc(in->mesh->tri_count);
    nav_tile_padded_bounds(set, x, z, p.min, p.max);
    for (uint32_t i = 0; i < in->mesh->tri_count; i++) take_plainly(&p, in, i);

    ck_assert_uint_eq(fast.count, p.all.count);
    ck_assert_uint_eq(fast.skipped_count, p.all.skipped_count);
    ck_assert_mem_eq(fast.verts, p.all.verts, 36 * (size_t)fast.count);
    ck_assert_mem_eq(fast.areas, p.all.areas, fast.count);
    ck_assert_float_eq(fast.min_y, p.all.min_y);
    ck_assert_float_eq(fast.max_y, p.all.max_y);
    ck_assert_uint_eq(fast.area_types, p.all.area_types);
    nav_key key = nav_key_join(nav_settings_key(set, x, z), p.all.content_key);
    ck_assert(nav_key_equal(fast.content_key, key));
    *taken += fast.count;
    free(p.all.verts);
    free(p.all.areas);
    nav_arena_deinit(&arena);
}

START_TEST(lanes_take_what_a_plain_walk_over_all_triangles_takes)
{
    const float transforms[][12] = {NAV_TRANSFORM_IDENTITY,
                                    {0.6f, 0, 0.8f, 3, 0, 1, 0, 0.5f, -0.8f, 0, 0.6f, 17},
                                    {-1.5f, 0, 0, 30, 0, 2, 0, 0, 0, 0, 1, -4},
                                    {0.3f, 0.9f, -0.1f, 4, 0.2f, 0.1f, 1.1f, 0, 1, 0, 0.3f, 11}};
    uint32_t seed = 11;
    uint64_t taken = 0;
    nav_settings set;
    nav_settings_default(&set);
    set.origin_m[0] = 0.1;
    set.walkable_areas &= ~(UINT64_C(1) << 62 | 1 << 4);
    for (int round = 0; round < 48; round++) {
        nav_mesh *m = random_mesh(&seed, round * 37 % 500 + 1, round >= 24);
        nav_instance in = {m, NAV_TRANSFORM_IDENTITY, (uint8_t)(round % (round < 24 ? 5 : 6))};
        memcpy(in.transform, transforms[round % 4], sizeof in.transform);
        for (int tile = 0; tile < 9; tile++) agree(&in, &set, tile % 3, tile / 3, &taken);
        nav_mesh_destroy(m);
    }
    ck_assert_uint_gt(taken, 10000);
}
END_TEST

static void run_backwards(void *user, void (*job)(void *state, int part), void *state, int parts)
{
    *(int *)user += parts;
    while (parts-- > 0) job(state, parts);
}

START_TEST(a_mesh_made_in_parallel_is_the_same)
{
    enum { TRIANGLES = 200000 };
    uint32_t seed = 3, *tris = malloc(3 * TRIANGLES * sizeof *tris);
    float *verts = malloc(9 * TRIANGLES * sizeof *verts);
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
        tris[i] = i % 1000 == 999 ? 3 * TRIANGLES : i; // some out of range
        for (int k = 0; k < 3; k++) verts[3 * i + (uint32_t)k] = (float)(i / 300) + scene_random_between(&seed, 0, 40);
    }
    int parts = 0;
    const nav_parallel parallel = {.user = &parts, .threads = 3, .run = run_backwards};
    uint8_t *areas = malloc(TRIANGLES);
    random_areas(&seed, areas, TRIANGLES);
    nav_mesh *alone, *shared;
    ck_assert_int_eq(nav_mesh_create_with_areas(NULL, verts, 3 * TRIANGLES, tris, TRIANGLES, areas, &alone), NAV_OK);
    ck_assert_int_eq(nav_mesh_create_with_areas(&parallel, verts, 3 * TRIANGLES, tris, TRIANGLES, areas, &shared),
                     NAV_OK);
    ck_assert_int_gt(parts, 20);
    ck_assert_uint_eq(alone->tri_count, TRIANGLES - 600);
    ck_assert_uint_eq(shared->tri_count, alone->tri_count);
    ck_assert_uint_eq(shared->skipped_count, alone->skipped_count);
    ck_assert_uint_eq(shared->bytes, alone->bytes);
    ck_assert(nav_key_equal(shared->hash, alone->hash));
    ck_assert_mem_eq(&shared->bounds, &alone->bounds, sizeof alone->bounds);
    ck_assert_mem_eq(shared->leaves, alone->leaves, (alone->tri_count + 7) / 8 * sizeof *alone->leaves);
    size_t boxes = (size_t)((const char *)alone->leaves - (const char *)alone->tier[0]);
    ck_assert_mem_eq(shared->tier[0], alone->tier[0], boxes);
    ck_assert_mem_eq(shared->areas, alone->areas, (alone->tri_count + 7) / 8 * 8);
    nav_mesh_destroy(alone);
    nav_mesh_destroy(shared);
    free(areas);
    free(verts);
    free(tris);
}
END_TEST

// The triangles of a scene that have an area, as a mesh of their own.
static nav_mesh *only(const scene *s, const uint8_t *areas, uint8_t area)
{
    scene part = *s;
    part.tris = malloc((size_t)s->tri_count * 12);
    part.tri_count = 0;
    for (uint32_t i = 0; i < s->tri_count; i++)
        if (areas[i] == area) memcpy(part.tris + 3 * (size_t)part.tri_count++, s->tris + 3 * (size_t)i, 12);
    nav_mesh *m = scene_mesh(&part);
    free(part.tris);
    return m;
}

START_TEST(a_mesh_with_areas_is_one_mesh_for_each_area)
{
    enum { AREAS = 7 };
    static const uint8_t list[AREAS] = {NAV_AREA_INHERIT, NAV_AREA_NONE, 1, 2, 9, 62, 63};
    uint32_t seed = 21;
    scene s = {0};
    nav_settings set;
    nav_settings_default(&set);
    scene_hills(&s, 40, 0.7f, 3);
    uint8_t *areas = malloc(s.tri_count);
    random_areas(&seed, areas, s.tri_count);
    nav_instance whole = {scene_mesh_with_areas(&s, areas), NAV_TRANSFORM_IDENTITY, 5}, parts[AREAS];
    for (int i = 0; i < AREAS; i++) {
        const uint8_t area = list[i] == NAV_AREA_INHERIT ? whole.area : list[i];
        parts[i] = (nav_instance){only(&s, areas, list[i]), NAV_TRANSFORM_IDENTITY, area};
    }
    nav_arena arenas[2];
    for (int i = 0; i < 2; i++) nav_arena_init(&arenas[i], 0);
    for (nav_level level = 0; level <= nav_level_best(); level++)
        for (int way = 0; way < 2; way++) {
            nav_tile_source src = {.settings = &set, .tile_x = way, .instances = &whole, .instance_count = 1};
            const nav_hooks hooks = {.plain = way};
            nav_tile tiles[2];
            nav_buffer bytes[2] = {{0}, {0}};
            for (int i = 0; i < 2; i++) {
                nav_arena_reset(&arenas[i]);
                ck_assert_int_eq(nav_build_at(level)(&src, NULL, &hooks, &arenas[i], &tiles[i]), NAV_OK);
                ck_assert_int_eq(nav_detour_encode(&tiles[i], &bytes[i]), NAV_OK);
                src.instances = parts;
                src.instance_count = AREAS;
            }
            ck_assert(nav_key_equal(tiles[0].content_key, tiles[1].content_key));
            ck_assert_uint_gt(tiles[0].polygons.count, 50);
            ck_assert_uint_eq(bytes[0].size, bytes[1].size);
            ck_assert_mem_eq(bytes[0].data, bytes[1].data, bytes[0].size);
            for (int i = 0; i < 2; i++) nav_buffer_deinit(&bytes[i]);
        }
    for (int i = 0; i < 2; i++) nav_arena_deinit(&arenas[i]);
    for (int i = 0; i < AREAS; i++) nav_mesh_destroy((nav_mesh *)parts[i].mesh);
    nav_mesh_destroy((nav_mesh *)whole.mesh);
    free(areas);
    scene_free(&s);
}
END_TEST

START_TEST(areas_name_the_mesh_and_are_checked)
{
    enum { TRIANGLES = 9 };
    uint8_t areas[TRIANGLES];
    uint32_t tris[3 * TRIANGLES];
    const float verts[9] = {0, 0, 0, 0, 0, 1, 1, 0, 0};
    nav_mesh *m, *n;
    memset(areas, NAV_AREA_INHERIT, sizeof areas);
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) tris[i] = i % 3;
    ck_assert_int_eq(nav_mesh_create(verts, 3, tris, TRIANGLES, &m), NAV_OK);
    ck_assert_int_eq(nav_mesh_create_with_areas(NULL, verts, 3, tris, TRIANGLES, NULL, &n), NAV_OK);
    ck_assert(nav_key_equal(m->hash, n->hash));
    ck_assert_uint_eq(m->bytes, n->bytes);
    ck_assert_ptr_null(n->areas);
    nav_mesh_destroy(n);
    ck_assert_int_eq(nav_mesh_create_with_areas(NULL, verts, 3, tris, TRIANGLES, areas, &n), NAV_OK);
    ck_assert(!nav_key_equal(m->hash, n->hash));
    ck_assert(nav_key_equal(n->hash, nav_mesh_hash_with_areas(verts, 3, tris, TRIANGLES, areas)));
    nav_mesh_destroy(n);
    areas[8] = 64;
    ck_assert_uint_eq(nav_mesh_find_bad_area(areas, TRIANGLES), 8);
    ck_assert_int_eq(nav_mesh_create_with_areas(NULL, verts, 3, tris, TRIANGLES, areas, &n), NAV_ERR_ARGUMENT);
    ck_assert_ptr_null(n);
    nav_mesh_destroy(m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("gather");
    TCase *t = tcase_create("gather");
    suite_add_tcase(s, t);
    tcase_add_test(t, lanes_take_what_a_plain_walk_over_all_triangles_takes);
    tcase_add_test(t, a_mesh_made_in_parallel_is_the_same);
    tcase_add_test(t, a_mesh_with_areas_is_one_mesh_for_each_area);
    tcase_add_test(t, areas_name_the_mesh_and_are_checked);
    return run_suite(s);
}
