// Whole tiles of the surface generator, of what is hard for it: patches of a grid with holes, triangles of corners that
// others have already or that lie on their edges, sheets above each other, spirals, needles, huge triangles, boxes that
// stand on all that, volumes. The first bytes choose the settings, then come shapes. Whatever they are, what
// tile_claims.h says holds, neighbours agree on their borders (but where floor above itself was divided), and the same
// triangles in another order give the same tile.
#include "core/tile/tile_format.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/tile_claims.h"

#include <math.h>
#include <string.h>

enum { MAX_TRIANGLES = 600, MAX_CORNERS = 3 * MAX_TRIANGLES, MAX_VOLUMES = 3 };

typedef struct soup {
    float verts[9 * MAX_TRIANGLES];
    uint32_t tris[3 * MAX_TRIANGLES];
    uint8_t areas[MAX_TRIANGLES];
    uint32_t count;
    uint8_t area;
    nav_volume volumes[MAX_VOLUMES];
    uint32_t volume_count;
} soup;

// In steps of half a column of 0.3 m, or of less than a unit, around the corner where four tiles meet.
static float take_place(input *in)
{
    uint32_t v = take(in, 2);
    return v & 1 ? (float)(v >> 1 & 127) * 0.15f - 4.8f : (float)(v >> 1) * 0.0003f - 4.9f;
}

static float take_height(input *in)
{
    return (float)take(in, 1) * (1.0f / 64);
}

static void take_settings(input *in, nav_settings *s)
{
    static const float cells[] = {0.3f, 0.2f, 0.5f, 1}, radii[] = {0, 0.6f, 0.25f, 2};
    static const float climbs[] = {0.9f, 0, 0.2f, 3}, errors[] = {0.05f, 0, 0.5f, 0.002f};
    uint32_t v = take(in, 4);
    nav_settings_default(s);
    s->generator = NAV_GENERATOR_SURFACE;
    s->cell_size_m = cells[v & 3];
    s->agent_radius_m = radii[v >> 2 & 3];
    s->agent_climb_m = climbs[v >> 4 & 3];
    s->surface_error_m = errors[v >> 6 & 3];
    s->tile_cells = 8 + (int32_t)(v >> 8 & 31);
    s->edge_max_error_cells = (float)(v >> 13 & 3) * 0.65f;
    s->polygon_max_vertices = 3 + (int32_t)(v >> 15 & 3);
    s->agent_slope_deg = (float)(1 + (v >> 17 & 1)) * 44.9f;
    s->triangulation = (nav_triangulation)((v >> 18 & 3) % 3);
    s->relaxation_m = v >> 20 & 1 ? 0.2f : 0;
    if (v >> 21 & 1) s->cell_height_m = 0.01f;
    if ((v >> 22 & 3) == 3) s->tile_cells += 300;
}

static void add(soup *s, const float a[3], const float b[3], const float c[3])
{
    if (s->count == MAX_TRIANGLES) return;
    float *v = s->verts + 9 * (size_t)s->count;
    memcpy(v, a, 3 * sizeof(float));
    memcpy(v + 3, b, 3 * sizeof(float));
    memcpy(v + 6, c, 3 * sizeof(float));
    for (uint32_t k = 0; k < 3; k++) s->tris[3 * s->count + k] = 3 * s->count + k;
    s->areas[s->count++] = s->area;
}

// Facing up, whichever way the corners are given.
static void add_floor(soup *s, const float a[3], const float b[3], const float c[3])
{
    float up = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
    add(s, a, up > 0 ? b : c, up > 0 ? c : b);
}

// n by n quads with heights, some of them missing.
static void take_patch(input *in, soup *s)
{
    int n = 1 + (int)(take(in, 1) & 7);
    float x = take_place(in), z = take_place(in), step = 0.05f + (float)take(in, 1) * 0.01f, y = take_height(in);
    float rough = (float)(take(in, 1) & 15) * 0.002f, h[9][9];
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++) h[i][k] = y + rough * (float)(rough > 0 ? take(in, 1) : 0);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const float p[4][3] = {{x + step * (float)i, h[i][k], z + step * (float)k},
                                   {x + step * (float)i, h[i][k + 1], z + step * (float)(k + 1)},
                                   {x + step * (float)(i + 1), h[i + 1][k + 1], z + step * (float)(k + 1)},
                                   {x + step * (float)(i + 1), h[i + 1][k], z + step * (float)k}};
            uint32_t how = take(in, 1);
            if (!(how & 1)) add_floor(s, p[0], p[1], p[2]);
            if (!(how & 2)) add_floor(s, p[0], p[2], p[3]);
        }
}

// A corner that is there already, one on an edge, or a new one.
static void take_corner(input *in, const soup *s, float out[3])
{
    uint32_t how = take(in, 1);
    if ((how & 3) == 0 || s->count == 0) {
        out[0] = take_place(in);
        out[1] = take_height(in);
        out[2] = take_place(in);
        return;
    }
    const float *t = s->verts + 9 * (size_t)(take(in, 2) % s->count), *a = t + 3 * (how >> 2 & 1), *b = a + 3;
    float part = (how & 3) == 1 ? (float)(take(in, 1) & 15) / 16 : 0;
    for (int k = 0; k < 3; k++) out[k] = a[k] + part * (b[k] - a[k]);
}

static void take_triangle(input *in, soup *s)
{
    float t[3][3];
    for (int i = 0; i < 3; i++) take_corner(in, s, t[i]);
    add_floor(s, t[0], t[1], t[2]);
}

// A strip that winds upwards around a pole.
static void take_spiral(input *in, soup *s)
{
    float x = take_place(in), z = take_place(in), y = take_height(in), inner = 0.1f + (float)take(in, 1) * 0.01f;
    float outer = inner + 0.1f + (float)take(in, 1) * 0.01f, rise = (float)take(in, 1) * 0.004f, p[2][3], q[2][3];
    int steps = 2 + (int)(take(in, 1) & 31);
    for (int i = 0; i <= steps; i++) {
        static const float turn[8][2] = {{1, 0},  {0.7f, 0.7f},   {0, 1},  {-0.7f, 0.7f},
                                         {-1, 0}, {-0.7f, -0.7f}, {0, -1}, {0.7f, -0.7f}};
        const float *c = turn[i & 7];
        for (int k = 0; k < 2; k++) {
            float r = k ? outer : inner;
            q[k][0] = x + r * c[0];
            q[k][1] = y + rise * (float)i;
            q[k][2] = z + r * c[1];
        }
        if (i) add_floor(s, p[0], p[1], q[1]);
        if (i) add_floor(s, p[0], q[1], q[0]);
        memcpy(p, q, sizeof p);
    }
}

static void take_box(input *in, soup *s)
{
    float x = take_place(in), z = take_place(in), w = 0.02f + (float)take(in, 1) * 0.02f, low = take_height(in);
    float high = low + take_height(in), skew = (float)(int8_t)take(in, 1) * 0.01f;
    const float xz[4][2] = {{x, z}, {x + w, z + skew}, {x + w - skew, z + w + skew}, {x - skew, z + w}};
    uint8_t area = s->area;
    if (take(in, 1) & 1) s->area = NAV_AREA_NONE;
    for (int i = 0; i < 4; i++) {
        const float *p = xz[i], *q = xz[(i + 1) % 4];
        const float a[3] = {p[0], low, p[1]}, b[3] = {p[0], high, p[1]}, c[3] = {q[0], high, q[1]},
                    d[3] = {q[0], low, q[1]};
        add(s, a, b, c);
        add(s, a, c, d);
    }
    const float t[4][3] = {
        {xz[0][0], high, xz[0][1]}, {xz[1][0], high, xz[1][1]}, {xz[2][0], high, xz[2][1]}, {xz[3][0], high, xz[3][1]}};
    add_floor(s, t[0], t[1], t[2]);
    add_floor(s, t[0], t[2], t[3]);
    s->area = area;
}

static void take_anything(input *in, soup *s)
{
    float t[3][3];
    for (int i = 0; i < 9; i++) {
        uint32_t bits = take(in, 4);
        memcpy(&t[i / 3][i % 3], &bits, sizeof bits);
        if (bits & 1) t[i / 3][i % 3] = i % 3 == 1 ? take_height(in) : take_place(in);
    }
    add_floor(s, t[0], t[1], t[2]);
}

static void take_needle(input *in, soup *s)
{
    float a[3] = {take_place(in), take_height(in), take_place(in)}, b[3], c[3], far = 1;
    for (uint32_t i = take(in, 1) & 15; i; i--) far *= 2;
    for (int k = 0; k < 3; k++) b[k] = a[k] + (float)(int8_t)take(in, 1) * (1.0f / 4096);
    for (int k = 0; k < 3; k++) c[k] = a[k] + (float)(int8_t)take(in, 1) * (k == 1 ? 0.001f : 0.01f) * far;
    add_floor(s, a, b, c);
}

static void take_volume(input *in, soup *s)
{
    if (s->volume_count == MAX_VOLUMES) return;
    nav_volume *v = &s->volumes[s->volume_count];
    uint32_t how = take(in, 1);
    *v = (nav_volume){.point_count = 3 + (how & 1), .min_y = take_height(in) - 1, .max_y = take_height(in) + 1};
    v->area = how & 2 ? 5 : NAV_AREA_NONE;
    v->include = (how & 28) == 28;
    for (uint32_t i = 0; i < 2 * v->point_count; i++) v->points[i] = take_place(in);
    s->volume_count += nav_volume_check(v, NULL, 0) == NAV_OK;
}

static void take_shape(input *in, soup *s)
{
    uint32_t kind = take(in, 1);
    s->area = kind & 128 ? (uint8_t)(kind >> 4 & 7) : NAV_AREA_INHERIT;
    switch (kind & 15) {
    case 0:
    case 1:
    case 2:
        take_patch(in, s);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
        take_triangle(in, s);
        break;
    case 8:
        take_spiral(in, s);
        break;
    case 9:
    case 10:
        take_box(in, s);
        break;
    case 11:
        take_anything(in, s);
        break;
    case 12:
    case 13:
        take_needle(in, s);
        break;
    default:
        take_volume(in, s);
        break;
    }
}

// The same triangles, the last one first.
static void check_order(const soup *s, const nav_settings *settings, const nav_tile *tile)
{
    static uint32_t tris[MAX_CORNERS];
    static uint8_t areas[MAX_TRIANGLES];
    nav_buffer bytes[2] = {0};
    nav_mesh *mesh;
    nav_tile other;
    nav_arena arena;
    for (uint32_t t = 0; t < s->count; t++) {
        memcpy(tris + 3 * t, s->tris + 3 * (s->count - 1 - t), 3 * sizeof *tris);
        areas[t] = s->areas[s->count - 1 - t];
    }
    if (nav_mesh_create_with_areas(NULL, s->verts, 3 * s->count, tris, s->count, areas, &mesh) != NAV_OK) return;
    const nav_instance instance = {mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    const nav_tile_source src = {.settings = settings,
                                 .instances = &instance,
                                 .instance_count = 1,
                                 .volumes = s->volumes,
                                 .volume_count = s->volume_count};
    nav_arena_init(&arena, 64 << 20);
    if (nav_build_tile(&src, NULL, NULL, &arena, &other) == NAV_OK && nav_tile_encode(tile, &bytes[0]) == NAV_OK &&
        nav_tile_encode(&other, &bytes[1]) == NAV_OK)
        claim(bytes[0].size == bytes[1].size && !memcmp(bytes[0].data, bytes[1].data, bytes[0].size));
    nav_buffer_deinit(&bytes[0]);
    nav_buffer_deinit(&bytes[1]);
    nav_arena_deinit(&arena);
    nav_mesh_destroy(mesh);
}

// Was floor that lies above itself divided? Then a seam may end on a side, where the other tile has nothing.
static bool is_divided(const nav_tile *t)
{
    const nav_contours *o = &t->contours;
    for (int32_t l = 0; l < o->loop_count; l++)
        for (int32_t v = o->loop_first[l]; v < o->loop_first[l + 1]; v++)
            for (int32_t k = 0; k < o->loop_count && o->behind[v] > 0; k++)
                if (o->loop_region[k] == o->behind[v] && o->loop_area[k] == o->loop_area[l]) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static soup s;
    enum { HERE, BESIDE, ABOVE, TILES };
    input in = {data, data + size};
    nav_settings settings;
    s.count = s.volume_count = 0;
    take_settings(&in, &settings);
    if (nav_settings_check(&settings, NULL, 0) != NAV_OK) return 0;
    // One tile ends where the places are.
    const double side = (double)settings.tile_cells * (double)settings.cell_size_m;
    settings.origin_m[0] = settings.origin_m[2] = -side;
    while (in.at < in.end && s.count < MAX_TRIANGLES) take_shape(&in, &s);
    nav_mesh *mesh;
    if (nav_mesh_create_with_areas(NULL, s.verts, 3 * s.count, s.tris, s.count, s.areas, &mesh) != NAV_OK) return 0;
    const nav_instance instance = {mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    nav_arena arenas[TILES];
    nav_tile tiles[TILES];
    bool built[TILES], left_out[TILES];
    for (int i = 0; i < TILES; i++) {
        const nav_tile_source src = {.settings = &settings,
                                     .tile_x = i == BESIDE,
                                     .tile_z = i == ABOVE,
                                     .instances = &instance,
                                     .instance_count = 1,
                                     .volumes = s.volumes,
                                     .volume_count = s.volume_count};
        nav_arena_init(&arenas[i], 64 << 20);
        built[i] = claim_tile(&src, &arenas[i], &tiles[i]);
        left_out[i] = nav_tile_is_left_out(&src);
    }
    // A tile that no volume includes has nothing, whatever its neighbour has.
    bool whole[TILES];
    for (int i = 0; i < TILES; i++) whole[i] = built[i] && !left_out[i] && !is_divided(&tiles[i]);
    if (whole[HERE] && whole[BESIDE])
        claim_border(&tiles[HERE], NAV_EDGE_PORTAL_XMAX, &tiles[BESIDE], NAV_EDGE_PORTAL_XMIN);
    if (whole[HERE] && whole[ABOVE])
        claim_border(&tiles[HERE], NAV_EDGE_PORTAL_ZMAX, &tiles[ABOVE], NAV_EDGE_PORTAL_ZMIN);
    if (built[HERE]) check_order(&s, &settings, &tiles[HERE]);
    for (int i = 0; i < TILES; i++) nav_arena_deinit(&arenas[i]);
    nav_mesh_destroy(mesh);
    return 0;
}
