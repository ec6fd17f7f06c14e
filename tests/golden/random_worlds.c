#include "tests/golden/random_worlds.h"

#include "tests/core/scene.h"

#include <string.h>

// One random number at most is drawn in an expression: the order of evaluation is the compiler's.
typedef struct maker {
    uint32_t seed;
    float x, z, side; // where the tile is
    scene scene;
} maker;

static float between(maker *m, float low, float high)
{
    return scene_random_between(&m->seed, low, high);
}

static int32_t below(maker *m, int32_t n)
{
    return (int32_t)(scene_random(&m->seed) % (uint32_t)n);
}

typedef struct range {
    float low, high;
} range;

// A box with its lower corner somewhere over the tile.
static void add_box(maker *m, range bottom, range width, range height)
{
    static const float turns[4][2] = {{1, 0}, {0.8f, 0.6f}, {0.96f, 0.28f}, {0.28f, 0.96f}};
    float x = m->x + between(m, -2, m->side), y = between(m, bottom.low, bottom.high);
    float z = m->z + between(m, -2, m->side), dx = between(m, width.low, width.high);
    float dy = between(m, height.low, height.high), dz = between(m, width.low, width.high);
    const float *t = turns[below(m, 4)];
    scene_box(&m->scene, x, y, z, x + dx, y + dy, z + dz, t[0], t[1]);
}

static void add_ground(maker *m, float y)
{
    scene_floor(&m->scene, m->x - 4, m->z - 4, m->x + m->side + 4, m->z + m->side + 4, y);
}

// Level ground with steps, kerbs, walls and tables.
static void make_clutter(maker *m)
{
    add_ground(m, 0);
    for (int i = 20 + below(m, 60); i > 0; i--) add_box(m, (range){-1, 3}, (range){0.2f, 4}, (range){0.1f, 3});
}

static void make_hills(maker *m)
{
    int n = 10 + below(m, 50);
    float size = (m->side + 8) / (float)n, height = between(m, 0.5f, 12);
    scene_hills(&m->scene, n, size, height);
    for (uint32_t i = 0; i < m->scene.vert_count; i++) {
        m->scene.verts[3 * i] += m->x - 4;
        m->scene.verts[3 * i + 2] += m->z - 4;
    }
    for (int i = below(m, 20); i > 0; i--) add_box(m, (range){-1, height}, (range){0.3f, 3}, (range){0.3f, 5});
}

// Balls of triangles in all directions and of all sizes.
static void make_balls(maker *m)
{
    add_ground(m, 0);
    for (int ball = 3 + below(m, 6); ball > 0; ball--) {
        float x = m->x + between(m, 0, m->side), y = between(m, -2, 8), z = m->z + between(m, 0, m->side);
        float at[3] = {x, y, z}, r = between(m, 0.3f, 5), fine = below(m, 2) ? 0.2f : 1;
        for (int i = 0; i < 120; i++) {
            float v[9];
            for (int k = 0; k < 9; k++) v[k] = k < 3 ? at[k] + between(m, -r, r) : v[k % 3] + between(m, -r, r) * fine;
            scene_triangle(&m->scene, v, v + 3, v + 6);
        }
    }
}

// Towers and floors through many words of voxels, some beyond all planes.
static void make_towers(maker *m)
{
    float top = below(m, 3) ? between(m, 10, 90) : between(m, 100, 400);
    add_ground(m, between(m, -1, 1));
    for (int i = 6 + below(m, 30); i > 0; i--) add_box(m, (range){-1, 1}, (range){0.3f, 3}, (range){1, top});
    for (int i = below(m, 30); i > 0; i--) {
        float x = m->x + between(m, -2, m->side), z = m->z + between(m, -2, m->side), y = between(m, 0, top);
        float dx = between(m, 1, 12), dz = between(m, 1, 12);
        scene_floor(&m->scene, x, z, x + dx, z + dz, y);
    }
}

// Many floors close above each other, and stairs: columns with more gaps than there are planes.
static void make_storeys(maker *m)
{
    float step = between(m, 0.3f, 4);
    for (int i = 0, n = 2 + below(m, 30); i < n; i++) {
        float x = m->x + between(m, -4, m->side / 2), z = m->z + between(m, -4, m->side / 2), y = step * (float)i;
        float dx = between(m, 2, m->side), dz = between(m, 2, m->side);
        scene_floor(&m->scene, x, z, x + dx, z + dz, y);
        if (below(m, 2)) add_box(m, (range){y - 0.2f, y}, (range){0.3f, 6}, (range){0.2f, 2 * step});
    }
    for (int i = 0; i < 12; i++)
        scene_box(&m->scene, m->x + 3, -0.3f, m->z + 0.6f * (float)i, m->x + 6, 0.3f * (float)(i + 1),
                  m->z + 0.6f * (float)i + 0.7f, 1, 0);
}

// Triangles with corners on cell borders and voxels, far away, and nowhere.
static void make_soup(maker *m)
{
    static const float specials[] = {0, -0.0f, 1e-30f, 1e6f, -1e6f, 1e20f, 3e38f, 14.4f, 0.3f, 7.2f};
    scene_floor(&m->scene, m->x - 2, m->z - 2, m->x + m->side / 2, m->z + m->side / 2, 0.2f);
    for (int i = 0; i < 200; i++) {
        float v[9];
        for (int k = 0; k < 9; k++) {
            uint32_t bits = scene_random(&m->seed), kind = bits % 32;
            float from = k % 3 == 0 ? m->x : k % 3 == 2 ? m->z : 0;
            if (kind == 0)
                v[k] = specials[below(m, 10)];
            else if (kind == 1)
                memcpy(&v[k], &bits, sizeof v[k]);
            else if (kind > 20)
                v[k] = from + (float)below(m, 60) * (k % 3 == 1 ? 0.2f : 0.3f);
            else
                v[k] = from + between(m, -3, m->side + 3);
        }
        scene_triangle(&m->scene, v, v + 3, v + 6);
    }
}

static const struct {
    const char *name;
    void (*make)(maker *m);
} kinds[RANDOM_KINDS] = {{"clutter", make_clutter}, {"random_hills", make_hills}, {"balls", make_balls},
                         {"towers", make_towers},   {"floors", make_storeys},     {"soup", make_soup}};

const char *random_kind_name(int kind)
{
    return kinds[kind].name;
}

#define PICK(m, list) (list)[below(m, (int32_t)(sizeof(list) / sizeof *(list)))]

static void random_settings(nav_settings *s, maker *m)
{
    static const int32_t tiles[] = {4, 5, 7, 8, 15, 16, 31, 32, 33, 47, 48, 54, 55, 63, 64, 65, 96, 127, 128, 129, 130};
    static const float cell_sizes_m[] = {0.3f, 0.3f, 0.25f, 0.1f, 0.7f}, cell_heights_m[] = {0.2f, 0.2f, 0.05f};
    static const float radii_m[] = {0, 0.1f, 0.3f, 0.6f, 0.6f, 0.9f, 1.5f, 6},
                       climbs_m[] = {0, 0.2f, 0.9f, 0.9f, 3, 50};
    static const float heights_m[] = {0.1f, 0.4f, 2, 2, 3, 14};
    s->tile_cells = PICK(m, tiles);
    s->cell_size_m = PICK(m, cell_sizes_m);
    s->cell_height_m = PICK(m, cell_heights_m);
    s->agent_radius_m = PICK(m, radii_m);
    s->agent_climb_m = PICK(m, climbs_m);
    s->agent_height_m = PICK(m, heights_m);
    s->agent_slope_deg = (float)(30 * below(m, 4));
    s->partition = (nav_partition)(below(m, 5) % 3);
    s->triangulation = (nav_triangulation)below(m, 3);
    s->relaxation_m = below(m, 3) ? 0 : 0.5f;
    s->region_min_cells = (float)below(m, 10);
    s->region_merge_cells = (float)below(m, 30);
    s->edge_max_error_cells = (float)below(m, 5) * 0.65f;
    s->polygon_max_vertices = 3 + below(m, 4);
    s->detail_sample_cells = (float)(2 * below(m, 5));
    if (below(m, 2)) s->walkable_areas &= ~(uint64_t)(1 << 9);
}

// The mesh in one place, or in several that overlap with an area type each, up to more types than there are planes.
static void place_mesh(random_world *w, maker *m)
{
    static const uint32_t counts[] = {1, 1, 2, 2, RANDOM_INSTANCES};
    w->mesh = scene_mesh(&m->scene);
    w->instance_count = PICK(m, counts);
    for (uint32_t i = 0; i < w->instance_count; i++) {
        w->instances[i] = (nav_instance){w->mesh, NAV_TRANSFORM_IDENTITY, i ? (uint8_t)(9 * i) : NAV_AREA_DEFAULT};
        w->instances[i].transform[3] = 0.77f * (float)i;
        w->instances[i].transform[7] = 0.35f * (float)i;
    }
}

static void place_volumes(random_world *w, maker *m)
{
    static const uint8_t areas[] = {NAV_AREA_NONE, 9, 1, 30};
    w->volume_count = (uint32_t)below(m, RANDOM_VOLUMES + 1);
    for (uint32_t i = 0; i < w->volume_count; i++) {
        float x = m->x + between(m, -2, m->side), z = m->z + between(m, -2, m->side), y = between(m, -3, 4);
        float size = between(m, 0.5f, 8), height = between(m, 0.1f, 6);
        w->volumes[i] = (nav_volume){3, {x, z, x + size, z + size / 2, x, z + size}, y, y + height, PICK(m, areas), 0};
    }
}

void random_world_init(random_world *w, int kind, int number)
{
    static const int32_t places[] = {0, 0, 1, -1, -7, 400, -30000};
    maker m = {.seed = (uint32_t)(number * RANDOM_KINDS + kind + 1) * 2654435761u};
    *w = (random_world){0};
    w->tile_x = PICK(&m, places);
    w->tile_z = PICK(&m, places);
    nav_settings_default(&w->settings);
    w->settings.outlines = NAV_OUTLINES_VOXEL;
    if (number % 4) random_settings(&w->settings, &m);
    m.side = (float)w->settings.tile_cells * w->settings.cell_size_m;
    m.x = (float)w->tile_x * m.side;
    m.z = (float)w->tile_z * m.side;
    kinds[kind].make(&m);
    place_mesh(w, &m);
    place_volumes(w, &m);
    scene_free(&m.scene);
}

void random_world_deinit(random_world *w)
{
    nav_mesh_destroy(w->mesh);
    *w = (random_world){0};
}

nav_tile_source random_world_source(const random_world *w)
{
    return (nav_tile_source){.settings = &w->settings,
                             .tile_x = w->tile_x,
                             .tile_z = w->tile_z,
                             .instances = w->instances,
                             .instance_count = w->instance_count,
                             .volumes = w->volumes,
                             .volume_count = w->volume_count};
}
