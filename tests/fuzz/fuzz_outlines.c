// Whole tiles with true outlines, of what is hard for these: boxes and sheets that touch, cross and lie in one plane,
// needles, flat and huge triangles, drops, pillars, volumes. The first bytes choose the settings, then come shapes.
// Whatever they are, the build ends with a status, its contours are closed loops that do not cross and have the area of
// its polygons, its tiles pass their own readers, neighbours agree on their borders, and every level of machine
// (core/levels.h) gives the same bytes.
#include "tests/fuzz/input.h"
#include "tests/fuzz/tile_claims.h"

#include <string.h>

enum { MAX_TRIANGLES = 400, MAX_VOLUMES = 3 };

typedef struct soup {
    float verts[9 * MAX_TRIANGLES];
    uint32_t tris[3 * MAX_TRIANGLES];
    uint8_t areas[MAX_TRIANGLES];
    uint32_t count, last; // last: where the shape before began
    uint8_t area;
    nav_volume volumes[MAX_VOLUMES];
    uint32_t volume_count;
} soup;

// In steps of half a column of 0.3 m or of a millimetre, around the corner where four tiles meet.
static float take_place(input *in)
{
    uint32_t v = take(in, 2);
    return v & 1 ? (float)(v >> 1 & 127) * 0.15f - 2 : (float)(v >> 1) * 0.001f - 8;
}

// From below the floor to above the agent's head.
static float take_height(input *in)
{
    return (float)take(in, 1) * (1.0f / 64) - 0.5f;
}

static float take_any(input *in)
{
    uint32_t bits = take(in, 4);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void take_settings(input *in, nav_settings *s)
{
    static const float cells[] = {0.3f, 0.2f, 0.5f, 1}, radii[] = {0.6f, 0, 0.25f, 2};
    static const float climbs[] = {0.9f, 0, 0.2f, 3}, relaxations[] = {0, 0, 0.1f, 0.5f};
    uint32_t v = take(in, 4);
    nav_settings_default(s);
    s->outlines = NAV_OUTLINES_TRUE;
    s->cell_size_m = cells[v & 3];
    s->agent_radius_m = radii[v >> 2 & 3];
    s->agent_climb_m = climbs[v >> 4 & 3];
    s->relaxation_m = relaxations[v >> 6 & 3];
    s->tile_cells = 8 + (int32_t)(v >> 8 & 31);
    s->partition = (nav_partition)((v >> 14 & 3) < 2 ? NAV_PARTITION_CONVEX : (int)(v >> 14 & 1));
    s->region_min_cells = (float)(v >> 16 & 3);
    s->region_merge_cells = (float)(v >> 18 & 3) * 10;
    s->edge_max_error_cells = (float)(v >> 20 & 3) * 0.65f;
    s->edge_max_length_m = (float)(v >> 22 & 1) * 3;
    s->polygon_max_vertices = 3 + (int32_t)(v >> 23 & 3);
    s->agent_slope_deg = (float)(v >> 25 & 3) * 30;
    s->triangulation = (nav_triangulation)((v >> 27 & 3) % 3);
    s->detail_sample_cells = v >> 29 & 1 ? 6 : 0;
    if ((v >> 30 & 1) && (v >> 13 & 1)) s->tile_cells += 200;
    if (v >> 31 & 1) s->cell_height_m = 0.02f;
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

static void add_quad(soup *s, const float a[3], const float b[3], const float c[3], const float d[3])
{
    add(s, a, b, c);
    add(s, a, c, d);
}

// Over a plan: sides, top and bottom.
static void add_prism(soup *s, const float (*xz)[2], int corners, float low, float high)
{
    for (int i = 0; i < corners; i++) {
        const float *p = xz[i], *q = xz[(i + 1) % corners];
        const float a[3] = {p[0], low, p[1]}, b[3] = {p[0], high, p[1]}, c[3] = {q[0], high, q[1]},
                    d[3] = {q[0], low, q[1]};
        add_quad(s, a, b, c, d);
    }
    for (int i = 1; i + 1 < corners; i++) {
        const float t[3][3] = {
            {xz[0][0], high, xz[0][1]}, {xz[i + 1][0], high, xz[i + 1][1]}, {xz[i][0], high, xz[i][1]}};
        const float b[3][3] = {{xz[0][0], low, xz[0][1]}, {xz[i][0], low, xz[i][1]}, {xz[i + 1][0], low, xz[i + 1][1]}};
        add(s, t[0], t[1], t[2]);
        add(s, b[0], b[1], b[2]);
    }
}

// Turned by one of 64 angles that are not exact, or of four that are.
static void take_turn(input *in, float *c, float *n)
{
    uint32_t v = take(in, 1);
    float t = (float)(v & 63) * (1.0f / 64); // by half the angle's tangent
    *c = (1 - t * t) / (1 + t * t);
    *n = 2 * t / (1 + t * t);
    if (v & 64) *c = -*c;
    if (v & 128) *n = -*n;
}

static void take_box(input *in, soup *s)
{
    static const float side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    float x = take_place(in), z = take_place(in), half_x = (float)take(in, 1) * 0.02f,
          half_z = (float)take(in, 1) * 0.02f;
    float low = take_height(in), high = take_height(in), c, n, xz[4][2];
    take_turn(in, &c, &n);
    for (int i = 0; i < 4; i++) {
        float u = side[i][0] * half_x, v = side[i][1] * half_z;
        xz[i][0] = x + c * u + n * v;
        xz[i][1] = z - n * u + c * v;
    }
    add_prism(s, (const float(*)[2])xz, 4, low, high);
}

static void take_pillar(input *in, soup *s)
{
    float x = take_place(in), z = take_place(in), radius = (float)take(in, 1) * 0.01f, high = take_height(in),
          xz[16][2];
    int corners = 3 + (int)(take(in, 1) & 7);
    for (int i = 0; i < corners; i++) {
        float t = 2 * (float)i / (float)corners - 1, q = t < 0 ? -t : t; // round enough: a parabola for a half circle
        xz[i][0] = x + radius * (1 - 2 * q) * (2 - (q < 0.5f ? 1 - 2 * q : 2 * q - 1));
        xz[i][1] = z + radius * 4 * t * (1 - q);
    }
    add_prism(s, (const float(*)[2])xz, corners, 0, high);
}

static void take_sheet(input *in, soup *s)
{
    float p[2] = {take_place(in), take_place(in)}, q[2] = {take_place(in), take_place(in)};
    float low = take_height(in), high = take_height(in);
    const float a[3] = {p[0], low, p[1]}, b[3] = {p[0], high, p[1]}, c[3] = {q[0], high, q[1]},
                d[3] = {q[0], low, q[1]};
    add_quad(s, a, b, c, d);
}

// A quad of floor with a height at each corner.
static void take_floor(input *in, soup *s)
{
    float x[2] = {take_place(in), take_place(in)}, z[2] = {take_place(in), take_place(in)};
    const float a[3] = {x[0], take_height(in), z[0]}, b[3] = {x[0], take_height(in), z[1]},
                c[3] = {x[1], take_height(in), z[1]}, d[3] = {x[1], take_height(in), z[0]};
    add_quad(s, a, b, c, d);
}

static void take_triangle(input *in, soup *s)
{
    float t[3][3];
    for (int i = 0; i < 3; i++) {
        t[i][0] = take_place(in);
        t[i][1] = take_height(in);
        t[i][2] = take_place(in);
    }
    add(s, t[0], t[1], t[2]);
}

// Two corners almost in one place, the third far away.
static void take_needle(input *in, soup *s)
{
    float a[3] = {take_place(in), take_height(in), take_place(in)}, b[3], c[3];
    float far = 1;
    for (uint32_t i = take(in, 1) & 31; i; i--) far *= 2;
    for (int k = 0; k < 3; k++) b[k] = a[k] + (float)(int8_t)take(in, 1) * (1.0f / 4096);
    for (int k = 0; k < 3; k++) c[k] = a[k] + (float)(int8_t)take(in, 1) * (1.0f / 128) * far;
    add(s, a, b, c);
}

static void take_anything(input *in, soup *s)
{
    float t[3][3];
    for (int i = 0; i < 9; i++) t[i / 3][i % 3] = take(in, 1) & 1 ? take_any(in) : take_place(in);
    add(s, t[0], t[1], t[2]);
}

// The shape before once more: in the same place, a hair beside it, or within the plane of its first edge.
static void take_copy(input *in, soup *s)
{
    uint32_t how = take(in, 1), from = s->last, end = s->count;
    if (from == end) return;
    const float *first = s->verts + 9 * (size_t)from;
    float by[3] = {0};
    for (int k = 0; k < 3; k++) {
        if (how & 1) by[k] = (float)(int8_t)take(in, 1) * (1.0f / 1024);
        if (how & 2) by[k] += (first[3 + k] - first[k]) * (float)(how >> 2) * (1.0f / 16);
        if (how & 128) by[k] += (first[6 + k] - first[3 + k]) * 0.5f;
    }
    for (uint32_t i = from; i < end; i++) {
        float t[9];
        for (int k = 0; k < 9; k++) t[k] = s->verts[9 * (size_t)i + (size_t)k] + by[k % 3];
        add(s, t, t + 3, t + 6);
    }
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
    uint32_t kind = take(in, 1), begin = s->count;
    s->area = kind & 128 ? (uint8_t)(kind >> 4 & 7) : NAV_AREA_INHERIT;
    switch (kind & 15) {
    case 0:
    case 1:
    case 2:
        take_box(in, s);
        break;
    case 3:
    case 4:
        take_sheet(in, s);
        break;
    case 5:
    case 6:
        take_floor(in, s);
        break;
    case 7:
    case 8:
        take_triangle(in, s);
        break;
    case 9:
        take_needle(in, s);
        break;
    case 10:
        take_anything(in, s);
        break;
    case 11:
    case 12:
        take_copy(in, s);
        break;
    case 13:
        take_pillar(in, s);
        break;
    default:
        take_volume(in, s);
        break;
    }
    if (s->count > begin) s->last = begin;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static soup s;
    enum { HERE, BESIDE, ABOVE, TILES };
    input in = {data, data + size};
    nav_settings settings;
    s.count = s.last = s.volume_count = 0;
    take_settings(&in, &settings);
    if (nav_settings_check(&settings, NULL, 0) != NAV_OK) return 0;
    // One tile ends where the places are; the floor of most scenes is one quad under everything.
    const double side = (double)settings.tile_cells * (double)settings.cell_size_m;
    settings.origin_m[0] = settings.origin_m[2] = -side;
    settings.origin_m[1] = -1;
    s.area = NAV_AREA_INHERIT;
    if (take(&in, 1) & 7) {
        const float a[3] = {-9, 0, -9}, b[3] = {-9, 0, 26}, c[3] = {26, 0, 26}, d[3] = {26, 0, -9};
        add_quad(&s, a, b, c, d);
    }
    while (in.at < in.end && s.count < MAX_TRIANGLES) take_shape(&in, &s);
    nav_mesh *mesh;
    if (nav_mesh_create_with_areas(NULL, s.verts, 3 * s.count, s.tris, s.count, s.areas, &mesh) != NAV_OK) return 0;
    const nav_instance instance = {mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    nav_arena arenas[TILES];
    nav_tile tiles[TILES];
    bool built[TILES];
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
    }
    if (built[HERE] && built[BESIDE])
        claim_border(&tiles[HERE], NAV_EDGE_PORTAL_XMAX, &tiles[BESIDE], NAV_EDGE_PORTAL_XMIN);
    if (built[HERE] && built[ABOVE])
        claim_border(&tiles[HERE], NAV_EDGE_PORTAL_ZMAX, &tiles[ABOVE], NAV_EDGE_PORTAL_ZMIN);
    for (int i = 0; i < TILES; i++) nav_arena_deinit(&arenas[i]);
    nav_mesh_destroy(mesh);
    return 0;
}
