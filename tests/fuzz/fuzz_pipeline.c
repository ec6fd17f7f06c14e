// The whole pipeline on random triangles, volumes, links and settings. The first bytes choose the settings, then come
// shapes; whatever they are, the build ends with a status, its tiles pass their own readers, two neighbours agree on
// their border, and every level of machine (core/levels.h) gives the same bytes.
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/core/borders.h"
#include "tests/fuzz/input.h"

#include <stdlib.h>
#include <string.h>

// A coordinate: mostly on a fine grid around the tile's border, sometimes any float.
static float take_coordinate(input *in)
{
    uint32_t v = take(in, 2);
    if ((v & 0xff00) == 0xff00) {
        uint32_t bits = take(in, 4);
        float f;
        memcpy(&f, &bits, sizeof f);
        return f;
    }
    return (float)v * (1.0f / 1536.0f) - 4;
}

static void take_settings(input *in, nav_settings *s)
{
    static const float radii[] = {0, 0.3f, 0.6f, 1.1f}, climbs[] = {0, 0.2f, 0.9f, 3}, samples[] = {0, 1, 6, 2};
    static const float relaxations[] = {0, 0.1f, 0.5f, 5};
    static const int32_t more_cells[] = {0, 16, 40, 90};
    uint32_t v = take(in, 4), w = take(in, 1);
    nav_settings_default(s);
    s->tile_cells = 8 + (int32_t)(v & 31) + more_cells[w >> 5 & 3];
    if (w & 128) s->cell_height_m = 0.005f; // many words of voxels
    s->agent_radius_m = radii[v >> 5 & 3];
    s->agent_climb_m = climbs[v >> 7 & 3];
    s->partition = w & 1 ? NAV_PARTITION_CONVEX : (nav_partition)(v >> 9 & 1);
    s->detail_sample_cells = samples[v >> 10 & 3];
    s->detail_max_error_voxels = (float)(v >> 12 & 3);
    s->edge_max_error_cells = (float)(v >> 14 & 7) * 0.4f;
    s->edge_max_length_m = (float)(v >> 17 & 3);
    s->region_min_cells = (float)(v >> 19 & 3);
    s->region_merge_cells = (float)(v >> 21 & 31);
    s->polygon_max_vertices = 3 + (int32_t)(v >> 26 & 3);
    s->agent_slope_deg = (float)(v >> 28 & 3) * 30;
    s->triangulation = (nav_triangulation)((w >> 1 & 3) % 3);
    s->relaxation_m = relaxations[w >> 3 & 3];
}

// Builds at a height and encodes in both ways: bytes[0] navd's, bytes[1] Detour's.
static nav_status build_at(nav_level level, const nav_tile_source *src, nav_arena *arena, nav_tile *tile,
                           nav_buffer bytes[2])
{
    char why[200];
    nav_status st = nav_build_at(level)(src, NULL, NULL, arena, tile);
    if (st != NAV_OK) {
        if (st != NAV_ERR_LIMIT) abort();
        return st;
    }
    if (nav_tile_encode(tile, &bytes[0]) == NAV_OK) {
        nav_tile_view view;
        if (nav_tile_open(bytes[0].data, bytes[0].size, &view, why, sizeof why) != NAV_OK) abort();
    }
    if (nav_detour_encode(tile, &bytes[1]) == NAV_OK && bytes[1].size &&
        nav_detour_check(bytes[1].data, bytes[1].size, why, sizeof why) != NAV_OK)
        abort();
    return NAV_OK;
}

static bool same_bytes(const nav_buffer *a, const nav_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static void build_and_check(const nav_tile_source *src, nav_arena *arena, nav_tile *tile, bool *built)
{
    nav_buffer best[2] = {0}, bytes[2] = {0};
    nav_status st = build_at(nav_level_best(), src, arena, tile, best);
    for (nav_level level = 0; level < nav_level_best(); level++) {
        nav_arena other_arena;
        nav_tile other;
        nav_arena_init(&other_arena, arena->budget_bytes);
        nav_status other_st = build_at(level, src, &other_arena, &other, bytes);
        if (other_st == NAV_OK && st == NAV_OK && !(same_bytes(&best[0], &bytes[0]) && same_bytes(&best[1], &bytes[1])))
            abort();
        nav_arena_deinit(&other_arena);
        bytes[0].size = bytes[1].size = 0;
    }
    for (int i = 0; i < 2; i++) {
        nav_buffer_deinit(&best[i]);
        nav_buffer_deinit(&bytes[i]);
    }
    *built = st == NAV_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_TRIANGLES = 300 };
    static float verts[9 * MAX_TRIANGLES];
    static uint32_t tris[3 * MAX_TRIANGLES];
    static uint8_t areas[MAX_TRIANGLES];
    input in = {data, data + size};
    nav_settings settings;
    take_settings(&in, &settings);
    const uint32_t kinds = take(&in, 1); // of the volume; and do the triangles have areas?
    nav_volume volume = {.point_count = 3, .min_y = -100, .max_y = 100, .area = (uint8_t)(kinds & 63)};
    for (int i = 0; i < 6; i++) volume.points[i] = take_coordinate(&in);
    nav_link link = {.id = 1, .radius_m = 0.5f, .area = 1};
    for (int k = 0; k < 3; k++) link.start[k] = take_coordinate(&in), link.end[k] = take_coordinate(&in);
    uint32_t count = 0;
    for (; count < MAX_TRIANGLES && in.at < in.end; count++) {
        areas[count] = *in.at % 3 ? *in.at & 63 : NAV_AREA_INHERIT;
        for (int k = 0; k < 9; k++) {
            verts[9 * count + k] = take_coordinate(&in);
            if (k % 3 == 1) verts[9 * count + k] *= 0.1f;
            tris[3 * count + k / 3] = 3 * count + (uint32_t)k / 3;
        }
    }
    nav_mesh *mesh;
    if (nav_mesh_create_with_areas(NULL, verts, 3 * count, tris, count, kinds & 64 ? areas : NULL, &mesh) != NAV_OK)
        return 0;
    nav_instance instance = {mesh, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &settings, .instances = &instance, .instance_count = 1};
    if (nav_volume_check(&volume, NULL, 0) == NAV_OK) src.volumes = &volume, src.volume_count = 1;
    if (nav_link_check(&link, NULL, 0) == NAV_OK) src.links = &link, src.link_count = 1;
    nav_arena a, b;
    nav_arena_init(&a, 64 << 20);
    nav_arena_init(&b, 64 << 20);
    nav_tile here, there;
    bool built_here, built_there;
    build_and_check(&src, &a, &here, &built_here);
    src.tile_x = 1;
    build_and_check(&src, &b, &there, &built_there);
    if (built_here && built_there) {
        border_line p = border_line_of(&here, NAV_EDGE_PORTAL_XMAX), q = border_line_of(&there, NAV_EDGE_PORTAL_XMIN);
        if (border_difference(&p, &q) != 0) abort();
        border_line_free(&p);
        border_line_free(&q);
    }
    nav_arena_deinit(&a);
    nav_arena_deinit(&b);
    nav_mesh_destroy(mesh);
    return 0;
}
