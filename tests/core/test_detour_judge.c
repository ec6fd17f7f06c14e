// Detour itself judges what the Detour writer makes: it takes the tiles, links them, finds heights and paths on them,
// and makes the same bytes from the same input.
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "core/tile/mset.h"
#include "tests/check.h"
#include "tests/core/detour_judge.h"
#include "tests/core/tile_fixture.h"

#include <stdlib.h>

static fixture fix;
static char why[256];

static nav_buffer encoded(const fixture *f)
{
    nav_buffer b = {0};
    ck_assert_int_eq(nav_detour_encode(&f->tile, &b), NAV_OK);
    nav_status s = nav_detour_check(b.data, b.size, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    return b;
}

static void add(judge *j, const fixture *f)
{
    nav_buffer b = encoded(f);
    ck_assert_uint_ne(judge_add(j, b.data, b.size), 0);
    nav_buffer_deinit(&b);
}

static judge *empty(void)
{
    judge *j = judge_create((float[3]){0, 0, 0}, 8, 8, 64, 1024);
    ck_assert_ptr_nonnull(j);
    return j;
}

static nav_link jump(float from_x, float from_y, float to_x, float to_y, bool both_ways)
{
    return (nav_link){.id = 5,
                      .start = {from_x, from_y, 2},
                      .end = {to_x, to_y, 2},
                      .radius_m = 0.5f,
                      .area = 9,
                      .both_ways = both_ways,
                      .flags = 1};
}

START_TEST(detour_takes_the_tile_and_finds_heights_on_it)
{
    judge *j = empty();
    fixture_floor(&fix, 0, 0, 8);
    add(j, &fix);
    float at[3] = {2, 3, 6}, near[3], height;
    uint32_t ref = judge_nearest(j, at, (float[3]){1, 2, 1}, near);
    ck_assert_uint_eq(ref, judge_ref(j, 0, 0, 0));
    ck_assert_float_eq(near[1], 2.5f); // the bump
    ck_assert(judge_height(j, ref, (float[3]){1, 0, 6}, &height));
    ck_assert_float_eq(height, 2.25f); // half way up
    bool over;
    ck_assert(judge_closest(j, ref, (float[3]){-3, 2, 6}, near, &over));
    ck_assert(!over);
    ck_assert_float_eq(near[0], 0);
    ck_assert_float_eq(near[1], 2);
    judge_destroy(j);
}
END_TEST

START_TEST(neighbours_link_across_every_border_in_both_directions)
{
    judge *j = empty();
    for (int z = -1; z <= 1; z++) {
        for (int x = -1; x <= 1; x++) {
            fixture_floor(&fix, x, z, 4);
            add(j, &fix);
        }
    }
    // Polygon of the middle tile, place of a neighbour, its polygon across the border.
    const int pairs[8][4] = {{0, -1, 0, 1}, {2, -1, 0, 4}, {1, 1, 0, 0},  {4, 1, 0, 2},
                             {0, 0, 1, 2},  {1, 0, 1, 4},  {2, 0, -1, 0}, {4, 0, -1, 1}};
    for (int i = 0; i < 8; i++) {
        uint32_t a = judge_ref(j, 0, 0, pairs[i][0]), b = judge_ref(j, pairs[i][1], pairs[i][2], pairs[i][3]);
        ck_assert_msg(judge_linked(j, a, b) && judge_linked(j, b, a), "pair %d", i);
    }
    ck_assert(!judge_linked(j, judge_ref(j, 0, 0, 0), judge_ref(j, 0, 1, 4))); // they touch in a point
    uint32_t path[256];
    ck_assert_int_gt(judge_path(j, (float[3]){-7, 1, -7}, (float[3]){15, 1, 15}, path), 3);
    float corners[256 * 3];
    int count = judge_path(j, (float[3]){-7, 1, 1}, (float[3]){15, 1, 1}, path);
    ck_assert_int_eq(judge_straight(j, (float[3]){-7, 1, 1}, (float[3]){15, 1, 1}, path, count, corners), 2);
    judge_destroy(j);
}
END_TEST

START_TEST(borders_agree_far_from_the_origin)
{
    for (int32_t far = -1112; far <= 1112; far += 2224) { // 16 km, 48 cells of 0.3 m to a tile
        judge *j = judge_create((float[3]){1.7f, 0, -2.9f}, 14.4f, 14.4f, 16, 64);
        for (int32_t dz = 0; dz < 2; dz++) {
            for (int32_t dx = 0; dx < 2; dx++) {
                fixture_floor(&fix, far + dx, far + dz, 4);
                fix.settings.origin_m[0] = 1.7;
                fix.settings.origin_m[2] = -2.9;
                fix.settings.cell_size_m = 0.3f;
                fix.settings.tile_cells = 48;
                for (int v = 0; v < 9; v++) {
                    fix.x[v] *= 3;
                    fix.z[v] *= 3;
                }
                nav_config_init(&fix.tile.config, &fix.settings, far + dx, far + dz);
                add(j, &fix);
            }
        }
        ck_assert(judge_linked(j, judge_ref(j, far, far, 1), judge_ref(j, far + 1, far, 0)));
        ck_assert(judge_linked(j, judge_ref(j, far + 1, far, 0), judge_ref(j, far, far, 1)));
        ck_assert(judge_linked(j, judge_ref(j, far, far, 0), judge_ref(j, far, far + 1, 2)));
        ck_assert(judge_linked(j, judge_ref(j, far, far + 1, 2), judge_ref(j, far, far, 0)));
        judge_destroy(j);
    }
}
END_TEST

// Tile 0 on the ground and tile 1 ten metres up: only a link joins them.
static judge *two_heights(nav_link link)
{
    judge *j = empty();
    fixture_floor(&fix, 0, 0, 0);
    fixture_link(&fix, link);
    add(j, &fix);
    fixture_floor(&fix, 1, 0, 40);
    add(j, &fix);
    return j;
}

START_TEST(a_link_both_ways_is_walked_both_ways)
{
    judge *j = two_heights(jump(2, 0, 13, 10, true));
    const float low[3] = {1, 0, 1}, high[3] = {15, 10, 1};
    uint32_t path[256];
    ck_assert_int_gt(judge_path(j, low, high, path), 2);
    ck_assert_int_gt(judge_path(j, high, low, path), 2);
    judge_destroy(j);
}
END_TEST

START_TEST(a_link_one_way_is_walked_from_its_start_only)
{
    judge *j = two_heights(jump(2, 0, 13, 10, false));
    const float low[3] = {1, 0, 1}, high[3] = {15, 10, 1};
    uint32_t path[256];
    ck_assert_int_gt(judge_path(j, low, high, path), 2);
    ck_assert_int_eq(judge_path(j, high, low, path), 0);
    judge_destroy(j);
}
END_TEST

START_TEST(a_link_far_above_the_ground_is_not_tied_to_it)
{
    judge *j = two_heights(jump(2, 30, 13, 10, true)); // Detour would clamp its box to the tile's bounds
    const float low[3] = {1, 0, 1}, high[3] = {15, 10, 1};
    uint32_t path[256];
    ck_assert_int_eq(judge_path(j, low, high, path), 0);
    ck_assert_int_eq(judge_path(j, high, low, path), 0);
    judge_destroy(j);
}
END_TEST

START_TEST(a_link_within_a_tile_joins_its_islands)
{
    fixture_init(&fix, 0, 0);
    int32_t v[8];
    for (int k = 0; k < 8; k++) v[k] = fixture_vert(&fix, (k / 4) * 10 + (k & 1) * 4, 0, 4 + 4 * ((k >> 1) & 1));
    fixture_poly(&fix, 63, 4, (int32_t[]){v[0], v[2], v[3], v[1]});
    fixture_poly(&fix, 63, 4, (int32_t[]){v[4], v[6], v[7], v[5]});
    fixture_link(&fix, jump(1, 0, 6, 0, true));
    fix.link[0].start[2] = fix.link[0].end[2] = 3;
    fixture_finish(&fix);
    judge *j = empty();
    add(j, &fix);
    uint32_t path[256];
    ck_assert_int_eq(judge_path(j, (float[3]){1, 0, 3}, (float[3]){6, 0, 3}, path), 3);
    ck_assert_uint_eq(path[1], judge_ref(j, 0, 0, 2));
    ck_assert_int_eq(judge_path(j, (float[3]){6, 0, 3}, (float[3]){1, 0, 3}, path), 3);
    judge_destroy(j);
}
END_TEST

START_TEST(links_are_never_short)
{
    judge *j = empty();
    for (int32_t i = 0; i < 5; i++) {
        fixture_floor(&fix, (int[]){0, 1, -1, 0, 0}[i], (int[]){0, 0, 0, 1, -1}[i], 0);
        if (i)
            fixture_link(
                &fix, (nav_link){1,
                                 {(float)(8 * fix.tile.config.tile_x + 4), 0, (float)(8 * fix.tile.config.tile_z + 4)},
                                 {4, 0, 4},
                                 0.5f,
                                 9,
                                 1,
                                 1});
        for (int k = 0; !i && k < FIXTURE_LINKS; k++) fixture_link(&fix, jump(1, 0, k & 1 ? 5 : 12, 0, true));
        add(j, &fix);
    }
    ck_assert_int_gt(judge_free_links(j, 0, 0), 0);
    judge_destroy(j);
}
END_TEST

START_TEST(the_multi_tile_file_loads_as_recastdemo_loads_it)
{
    enum { COUNT = 9 };
    nav_buffer bytes[COUNT], file = {0};
    nav_mset_tile tiles[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) {
        fixture_floor(&fix, i % 3 - 1, i / 3 - 1, 2);
        bytes[i] = encoded(&fix);
        tiles[i].bytes = bytes[i].data;
        tiles[i].size = bytes[i].size;
        ck_assert_int_eq(nav_mset_describe(&tiles[i], why, sizeof why), NAV_OK);
    }
    ck_assert_int_eq(nav_mset_write(&fix.settings, tiles, COUNT, &file, why, sizeof why), NAV_OK);
    judge *j = judge_load(file.data, file.size);
    ck_assert_ptr_nonnull(j);
    ck_assert_int_eq(judge_tile_count(j), COUNT);
    uint32_t path[256];
    ck_assert_int_gt(judge_path(j, (float[3]){-7, 0.5f, -7}, (float[3]){15, 0.5f, 15}, path), 3);
    // A file written after linking is as good as one before.
    size_t size;
    const uint8_t *linked = judge_tile(j, 0, 0, &size);
    nav_status s = nav_detour_check(linked, size, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    judge_destroy(j);
    for (int i = 0; i < COUNT; i++) nav_buffer_deinit(&bytes[i]);
    nav_buffer_deinit(&file);
}
END_TEST

// The largest and the least numbers of tiles: one tile leaves all bits to the polygons.
START_TEST(a_file_of_one_tile_loads)
{
    fixture_floor(&fix, -7, 9, 2);
    nav_buffer bytes = encoded(&fix), file = {0};
    nav_mset_tile tile = {.bytes = bytes.data, .size = bytes.size};
    ck_assert_int_eq(nav_mset_describe(&tile, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nav_mset_write(&fix.settings, &tile, 1, &file, why, sizeof why), NAV_OK);
    judge *j = judge_load(file.data, file.size);
    ck_assert_ptr_nonnull(j);
    judge_destroy(j);
    nav_buffer_deinit(&bytes);
    nav_buffer_deinit(&file);
}
END_TEST

// The fixture as input for dtCreateNavMeshData().
typedef struct same_input {
    judge_input in;
    uint16_t verts[3 * FIXTURE_VERTS], polys[12 * FIXTURE_POLYS], flags[FIXTURE_POLYS];
    uint32_t meshes[4 * FIXTURE_POLYS];
    float detail[3 * FIXTURE_CORNERS];
    float link_verts[6 * FIXTURE_LINKS], radii[FIXTURE_LINKS];
    uint16_t link_flags[FIXTURE_LINKS];
    uint8_t link_areas[FIXTURE_LINKS], dirs[FIXTURE_LINKS];
    uint32_t ids[FIXTURE_LINKS];
} same_input;

static uint16_t recast_neighbour(int32_t behind)
{
    static const uint16_t sides[] = {2, 1, 0, 3}; // x+, z+, x-, z- as Recast numbers them
    if (behind >= 0) return (uint16_t)behind;
    return behind == NAV_EDGE_WALL ? 0xFFFF : (uint16_t)(0x8000 | sides[NAV_EDGE_PORTAL_XMAX - behind]);
}

static void add_links(same_input *s, const fixture *f)
{
    for (uint32_t k = 0; k < f->tile.link_count; k++) {
        memcpy(s->link_verts + 6 * k, f->link[k].start, 12);
        memcpy(s->link_verts + 6 * k + 3, f->link[k].end, 12);
        s->radii[k] = f->link[k].radius_m;
        s->link_flags[k] = f->link[k].flags;
        s->link_areas[k] = f->link[k].area;
        s->dirs[k] = f->link[k].both_ways;
        s->ids[k] = f->link[k].id;
    }
    s->in.link_verts = s->link_verts;
    s->in.link_radii = s->radii;
    s->in.link_flags = s->link_flags;
    s->in.link_areas = s->link_areas;
    s->in.link_dirs = s->dirs;
    s->in.link_ids = s->ids;
    s->in.link_count = (int)f->tile.link_count;
}

static void add_polygon(same_input *s, const fixture *f, int32_t p)
{
    const nav_config *cfg = &f->tile.config;
    double place[3] = {(double)s->in.bmin[0], 0, (double)s->in.bmin[2]};
    int32_t corners = f->first[p + 1] - f->first[p], extra = f->vert_first[p + 1] - f->vert_first[p];
    uint16_t *poly = s->polys + 12 * p;
    float *to = s->detail + 3 * s->in.detail_vert_count;
    s->flags[p] = f->settings.area_flags[f->area[p]];
    for (int k = 0; k < 6; k++) poly[k] = poly[6 + k] = 0xFFFF;
    for (int32_t k = 0; k < corners + extra; k++, to += 3) {
        bool corner = k < corners;
        int32_t from = corner ? f->vert[f->first[p] + k] : f->vert_first[p] + k - corners;
        if (corner) {
            poly[k] = (uint16_t)from;
            poly[6 + k] = recast_neighbour(f->behind[f->first[p] + k]);
        }
        to[0] = (float)(place[0] + (corner ? f->x[from] : (double)f->detail_x[from]) * cfg->cell_size_m);
        to[1] = (float)((corner ? f->y[from] : (double)f->detail_y[from]) * cfg->cell_height_m);
        to[2] = (float)(place[2] + (corner ? f->z[from] : (double)f->detail_z[from]) * cfg->cell_size_m);
    }
    uint32_t *mesh = s->meshes + 4 * p;
    mesh[0] = (uint32_t)s->in.detail_vert_count;
    mesh[1] = (uint32_t)(corners + extra);
    mesh[2] = (uint32_t)f->tri_first[p];
    mesh[3] = (uint32_t)(f->tri_first[p + 1] - f->tri_first[p]);
    s->in.detail_vert_count += corners + extra;
}

static void same_input_of(same_input *s, const fixture *f, const nav_detour_view *v)
{
    memset(s, 0, sizeof *s);
    s->in = (judge_input){.verts = s->verts,
                          .polys = s->polys,
                          .poly_flags = s->flags,
                          .poly_areas = f->area,
                          .vert_count = f->tile.polygons.vert_count,
                          .poly_count = f->tile.polygons.count,
                          .nvp = 6,
                          .detail_meshes = s->meshes,
                          .detail_verts = s->detail,
                          .detail_tris = f->tri[0],
                          .detail_tri_count = f->tile.detail.tri_count,
                          .tile_x = f->tile.config.tile_x,
                          .tile_z = f->tile.config.tile_z,
                          .height = f->settings.agent_height_m,
                          .radius = f->settings.agent_radius_m,
                          .climb = f->settings.agent_climb_m,
                          .cs = f->settings.cell_size_m,
                          .ch = f->settings.cell_height_m};
    memcpy(s->in.bmin, v->header.min, sizeof s->in.bmin);
    memcpy(s->in.bmax, v->header.max, sizeof s->in.bmax);
    for (int32_t k = 0; k < s->in.vert_count; k++) {
        s->verts[3 * k] = (uint16_t)f->x[k];
        s->verts[3 * k + 1] = (uint16_t)(f->y[k] - (int32_t)(v->header.min[1] / s->in.ch)); // exact here
        s->verts[3 * k + 2] = (uint16_t)f->z[k];
    }
    for (int32_t p = 0; p < s->in.poly_count; p++) add_polygon(s, f, p);
    add_links(s, f);
}

static void expect_same_bytes(void)
{
    static same_input input;
    nav_buffer ours = encoded(&fix);
    nav_detour_view a, b;
    ck_assert_int_eq(nav_detour_open(ours.data, ours.size, &a, why, sizeof why), NAV_OK);
    same_input_of(&input, &fix, &a);
    size_t size;
    uint8_t *theirs = judge_make(&input.in, &size);
    ck_assert_ptr_nonnull(theirs);
    nav_status s = nav_detour_open(theirs, size, &b, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "Detour's own bytes: %s", why);

    // All but the room for links (links_are_never_short) and the one tree node that Detour adds for nothing.
    ck_assert_int_eq(a.header.bv_node_count + 1, b.header.bv_node_count);
    const nav_detour_header *h = &a.header;
    nav_store_i32(theirs + 32, h->max_link_count);
    nav_store_i32(theirs + 48, h->bv_node_count);
    ck_assert_mem_eq(ours.data, theirs, NAV_DETOUR_HEADER_BYTES);
    ck_assert_mem_eq(a.verts, b.verts, (size_t)h->vert_count * 12);
    ck_assert_mem_eq(a.polys, b.polys, (size_t)h->poly_count * 32);
    ck_assert_mem_eq(a.detail_meshes, b.detail_meshes, (size_t)h->detail_mesh_count * 12);
    if (h->detail_vert_count) ck_assert_mem_eq(a.detail_verts, b.detail_verts, (size_t)h->detail_vert_count * 12);
    ck_assert_mem_eq(a.detail_tris, b.detail_tris, (size_t)h->detail_tri_count * 4);
    ck_assert_mem_eq(a.bv_nodes, b.bv_nodes, (size_t)h->bv_node_count * 16);
    if (h->off_mesh_count) ck_assert_mem_eq(a.off_mesh, b.off_mesh, (size_t)h->off_mesh_count * 36);
    judge_free(theirs);
    nav_buffer_deinit(&ours);
}

START_TEST(the_bytes_are_detours_own)
{
    fixture_floor(&fix, 0, 0, 8);
    fixture_link(&fix, jump(2, 2, 13, 10, true));
    fixture_link(&fix, jump(2, 2, -300, 10, false));
    fixture_link(&fix, jump(2, 2, 5, 2, true));
    expect_same_bytes();
    fixture_floor(&fix, -4, 6, -80);
    expect_same_bytes();
}
END_TEST

START_TEST(the_tree_is_detours_own)
{
    // No two polygons begin at the same coordinate on any axis, so that any sort gives the same order.
    enum { COUNT = 61 };
    fixture_init(&fix, 0, 0);
    fix.settings.tile_cells = 64;
    nav_config_init(&fix.tile.config, &fix.settings, 0, 0);
    for (int32_t i = 0; i < COUNT; i++) {
        int32_t x = i * 7 % COUNT, z = i * 4 % COUNT, y = i * 11 % COUNT * 5;
        int32_t a = fixture_vert(&fix, x, y, z), b = fixture_vert(&fix, x, y, z + 1);
        int32_t c = fixture_vert(&fix, x + 1, y, z + 1);
        fixture_poly(&fix, 63, 3, (int32_t[]){a, b, c});
    }
    fixture_finish(&fix);
    expect_same_bytes();
}
END_TEST

START_TEST(a_query_through_the_tree_finds_every_polygon_that_its_box_touches)
{
    enum { SIDE = 16 };
    fixture_init(&fix, 0, 0);
    for (int z = 0; z <= SIDE; z++)
        for (int x = 0; x <= SIDE; x++) fixture_vert(&fix, x, (x * 7 + z * 5) % 11 * 4, z);
    for (int z = 0; z < SIDE; z++) {
        for (int x = 0; x < SIDE; x++) {
            int32_t v = z * (SIDE + 1) + x;
            fixture_poly(&fix, 63, 4, (int32_t[]){v, v + SIDE + 1, v + SIDE + 2, v + 1});
        }
    }
    fixture_finish(&fix);
    judge *j = empty();
    add(j, &fix);
    uint32_t seed = 1;
    for (int i = 0; i < 500; i++) {
        float box[6]; // center, half
        for (int k = 0; k < 6; k++) {
            seed = seed * 1664525u + 1013904223u;
            box[k] = (float)(seed >> 16) / 65536.0f * (k < 3 ? (k == 1 ? 12.0f : 9.0f) : 1.0f);
        }
        uint32_t found[512];
        int count = judge_query(j, box, box + 3, found), missing = 0;
        for (int32_t p = 0; p < SIDE * SIDE; p++) {
            bool touches = true, seen = false;
            for (int a = 0; a < 3; a++) {
                float low = 1e9f, high = -1e9f;
                for (int32_t k = fix.first[p]; k < fix.first[p + 1]; k++) {
                    int32_t v = fix.vert[k];
                    float at = a == 0   ? 0.5f * (float)fix.x[v]
                               : a == 1 ? 0.25f * (float)fix.y[v]
                                        : 0.5f * (float)fix.z[v];
                    if (at < low) low = at;
                    if (at > high) high = at;
                }
                touches = touches && box[a] + box[3 + a] >= low && box[a] - box[3 + a] <= high;
            }
            for (int k = 0; k < count; k++) seen = seen || found[k] == judge_ref(j, 0, 0, p);
            missing += touches && !seen;
        }
        ck_assert_int_eq(missing, 0);
    }
    judge_destroy(j);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detour judge");
    TCase *t = tcase_create("tiles");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, detour_takes_the_tile_and_finds_heights_on_it);
    tcase_add_test(t, neighbours_link_across_every_border_in_both_directions);
    tcase_add_test(t, borders_agree_far_from_the_origin);
    tcase_add_test(t, a_link_both_ways_is_walked_both_ways);
    tcase_add_test(t, a_link_one_way_is_walked_from_its_start_only);
    tcase_add_test(t, a_link_far_above_the_ground_is_not_tied_to_it);
    tcase_add_test(t, a_link_within_a_tile_joins_its_islands);
    tcase_add_test(t, links_are_never_short);
    tcase_add_test(t, the_multi_tile_file_loads_as_recastdemo_loads_it);
    tcase_add_test(t, a_file_of_one_tile_loads);
    tcase_add_test(t, the_bytes_are_detours_own);
    tcase_add_test(t, the_tree_is_detours_own);
    tcase_add_test(t, a_query_through_the_tree_finds_every_polygon_that_its_box_touches);
    suite_add_tcase(s, t);
    return run_suite(s);
}
