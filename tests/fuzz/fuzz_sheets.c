// Tiles of walls and ceilings, of what is hard for them: triangles that look any way, with corners that others have or
// that lie on their edges, boxes seen from within and from outside, volumes, in worlds that are turned any way. The
// first bytes choose the settings and the turn, then come shapes. Whatever they are, what tile_claims.h says holds for
// each of the six sheets, and the same triangles in another order give the same tile.
#include "core/tile/tile_format.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/tile_claims.h"

#include <math.h>
#include <string.h>

enum { MAX_TRIANGLES = 200, MAX_VOLUMES = 2 };

typedef struct soup {
    float verts[9 * MAX_TRIANGLES];
    uint32_t tris[3 * MAX_TRIANGLES];
    uint8_t areas[MAX_TRIANGLES];
    uint32_t count;
    nav_volume volumes[MAX_VOLUMES];
    uint32_t volume_count;
} soup;

// Metres: in steps of half a column, or of less than a square of the grid.
static float take_place(input *in)
{
    uint32_t v = take(in, 2);
    return v & 1 ? (float)(v >> 1 & 63) * 0.15f - 4.8f : (float)(v >> 1) * 0.0003f - 4.9f;
}

static void take_settings(input *in, nav_settings *s)
{
    static const float radii[] = {0.6f, 0.1f, 0.25f, 1.5f}, heights[] = {2, 0.5f, 1, 4}, turns[] = {60, 0, 30, 80};
    uint32_t v = take(in, 3);
    nav_settings_default(s);
    s->generator = NAV_GENERATOR_SURFACE;
    s->agent_radius_m = radii[v & 3];
    s->agent_height_m = heights[v >> 2 & 3];
    s->seam_smooth_deg = turns[v >> 4 & 3];
    s->seam_inner_deg = (float)(v >> 6 & 3) * 50;
    s->seam_outer_deg = (float)(v >> 8 & 3) * 60;
    s->sheets = v >> 10 & 1 ? NAV_SHEETS_ALL : (v >> 11 & NAV_SHEETS_ALL) | NAV_SHEETS_UP;
    s->grip_areas = v >> 17 & 1 ? ~(uint64_t)1 : (uint64_t)1 << 5;
    s->tile_cells = 24;
}

static void take_turn(input *in, float transform[12])
{
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 3; axis++) {
        const double angle = take(in, 1) * (3.141592653589793 / 128), c = cos(angle), s = sin(angle);
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int k = 0; k < 3; k++) {
            const double a = r[u][k], b = r[v][k];
            r[u][k] = c * a - s * b;
            r[v][k] = s * a + c * b;
        }
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) transform[4 * i + k] = k < 3 ? (float)r[i][k] : 0;
}

static void add(soup *s, const float a[3], const float b[3], const float c[3], uint8_t area)
{
    if (s->count == MAX_TRIANGLES) return;
    float *v = s->verts + 9 * (size_t)s->count;
    memcpy(v, a, 3 * sizeof(float));
    memcpy(v + 3, b, 3 * sizeof(float));
    memcpy(v + 6, c, 3 * sizeof(float));
    for (uint32_t k = 0; k < 3; k++) s->tris[3 * s->count + k] = 3 * s->count + k;
    s->areas[s->count++] = area;
}

// A corner that is there already, one on an edge, or a new one.
static void take_corner(input *in, const soup *s, float out[3])
{
    const uint32_t how = take(in, 1);
    if ((how & 3) == 0 || s->count == 0) {
        for (int k = 0; k < 3; k++) out[k] = take_place(in);
        return;
    }
    const float *t = s->verts + 9 * (size_t)(take(in, 2) % s->count), *a = t + 3 * (how >> 2 & 1), *b = a + 3;
    const float part = (how & 3) == 1 ? (float)(take(in, 1) & 15) / 16 : 0;
    for (int k = 0; k < 3; k++) out[k] = a[k] + part * (b[k] - a[k]);
}

static void take_triangle(input *in, soup *s, uint8_t area)
{
    float t[3][3];
    for (int i = 0; i < 3; i++) take_corner(in, s, t[i]);
    add(s, t[0], t[1], t[2], area);
}

static void take_box(input *in, soup *s, uint8_t area)
{
    static const uint8_t sides[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                        {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    float low[3], size[3], c[8][3];
    const bool room = take(in, 1) & 1;
    for (int k = 0; k < 3; k++) {
        low[k] = take_place(in);
        size[k] = 0.05f + (float)take(in, 1) * 0.03f;
    }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) c[i][k] = low[k] + (i >> k & 1 ? size[k] : 0);
    for (int i = 0; i < 6; i++) {
        const uint8_t *q = sides[i];
        add(s, c[q[0]], c[q[room ? 2 : 1]], c[q[room ? 1 : 2]], area);
        add(s, c[q[0]], c[q[room ? 3 : 2]], c[q[room ? 2 : 3]], area);
    }
}

static void take_volume(input *in, soup *s)
{
    if (s->volume_count == MAX_VOLUMES) return;
    const float x = take_place(in), z = take_place(in), y = take_place(in), size = 0.1f + (float)take(in, 1) * 0.02f;
    const uint32_t how = take(in, 1);
    nav_volume v = {.point_count = 3 + (how & 1),
                    .points = {x, z, x + size, z, x + size, z + size, x, z + size},
                    .min_y = y,
                    .max_y = y + size,
                    .area = how & 2 ? 5 : NAV_AREA_NONE,
                    .include = (how & 12) == 12};
    if (nav_volume_check(&v, NULL, 0) == NAV_OK) s->volumes[s->volume_count++] = v;
}

static void take_shape(input *in, soup *s)
{
    const uint32_t how = take(in, 1);
    const uint8_t area = how & 8 ? 5 : how & 16 ? NAV_AREA_NONE : NAV_AREA_INHERIT;
    switch (how & 7) {
    case 0:
        take_box(in, s, area);
        break;
    case 1:
        take_volume(in, s);
        break;
    default:
        take_triangle(in, s, area);
    }
}

static nav_status make_mesh(const soup *s, bool backwards, nav_mesh **out)
{
    static uint32_t tris[3 * MAX_TRIANGLES];
    static uint8_t areas[MAX_TRIANGLES];
    for (uint32_t t = 0; t < s->count; t++) {
        const uint32_t from = backwards ? s->count - 1 - t : t;
        memcpy(tris + 3 * t, s->tris + 3 * from, 3 * sizeof *tris);
        areas[t] = s->areas[from];
    }
    return nav_mesh_create_with_areas(NULL, s->verts, 3 * s->count, tris, s->count, areas, out);
}

static void claim_same(const nav_tile *a, const nav_tile *b)
{
    nav_buffer bytes[2] = {{0}, {0}};
    if (nav_tile_encode(a, &bytes[0]) == NAV_OK && nav_tile_encode(b, &bytes[1]) == NAV_OK)
        claim(bytes[0].size == bytes[1].size && !memcmp(bytes[0].data, bytes[1].data, bytes[0].size));
    nav_buffer_deinit(&bytes[0]);
    nav_buffer_deinit(&bytes[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static soup s;
    input in = {data, data + size};
    nav_settings settings;
    nav_instance instance[2] = {{NULL, {0}, NAV_AREA_DEFAULT}, {NULL, {0}, NAV_AREA_DEFAULT}};
    nav_mesh *mesh[2] = {NULL, NULL};
    s.count = s.volume_count = 0;
    take_settings(&in, &settings);
    take_turn(&in, instance[0].transform);
    if (nav_settings_check(&settings, NULL, 0) != NAV_OK) return 0;
    while (in.at < in.end && s.count < MAX_TRIANGLES) take_shape(&in, &s);
    if (make_mesh(&s, false, &mesh[0]) == NAV_OK && make_mesh(&s, true, &mesh[1]) == NAV_OK) {
        instance[1] = instance[0];
        for (int i = 0; i < 2; i++) instance[i].mesh = mesh[i];
        for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
            nav_arena arena[2];
            nav_tile tile[2];
            bool built[2];
            if (!(settings.sheets >> sheet & 1)) continue;
            settings.sheet = (nav_sheet)sheet;
            for (int i = 0; i < 2; i++) {
                const nav_tile_source src = {.settings = &settings,
                                             .tile_x = (int32_t)(size & 1) - 1,
                                             .instances = &instance[i],
                                             .instance_count = 1,
                                             .volumes = s.volumes,
                                             .volume_count = s.volume_count};
                nav_arena_init(&arena[i], 64 << 20);
                built[i] = claim_tile(&src, &arena[i], &tile[i]);
            }
            if (built[0] && built[1]) claim_same(&tile[0], &tile[1]);
            for (int i = 0; i < 2; i++) nav_arena_deinit(&arena[i]);
        }
    }
    for (int i = 0; i < 2; i++) nav_mesh_destroy(mesh[i]);
    return 0;
}
