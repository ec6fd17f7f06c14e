#include "tests/core/climb_world.h"

#include "navcore/builder.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nav_settings climb_world_settings(int32_t tile_cells, float radius_m)
{
    nav_settings s;
    nav_settings_default(&s);
    s.generator = NAV_GENERATOR_SURFACE;
    s.sheets = NAV_SHEETS_ALL;
    s.tile_cells = tile_cells;
    s.agent_radius_m = radius_m;
    s.agent_height_m = 1;
    return s;
}

static void build_sheet(climb_world *w, nav_builder *b, const nav_instance *instance, const double min[3],
                        const double max[3])
{
    const nav_settings *settings = &w->settings;
    int32_t first[2], last[2];
    double low[3], high[3];
    nav_sheet_box_to_frame(settings->sheet, min, max, low, high);
    nav_tile_range(settings, (double[]){low[0], low[2]}, (double[]){high[0], high[2]}, first, last);
    for (int32_t z = first[1]; z <= last[1]; z++)
        for (int32_t x = first[0]; x <= last[0]; x++) {
            nav_tile_source source = {
                .settings = settings, .tile_x = x, .tile_z = z, .instances = instance, .instance_count = 1};
            nav_tile_view v;
            ck_assert_uint_lt(w->count, CLIMB_WORLD_TILES);
            climb_tile *t = &w->tile[w->count];
            *t = (climb_tile){.sheet = settings->sheet, .x = x, .z = z};
            ck_assert_int_eq(nav_builder_build(b, &source, NULL, NULL), NAV_OK);
            ck_assert_int_eq(nav_builder_encode_navd(b, &t->bytes), NAV_OK);
            ck_assert_int_eq(nav_tile_open(t->bytes.data, t->bytes.size, &v, NULL, 0), NAV_OK);
            if (v.cell_count)
                w->count++;
            else
                nav_buffer_deinit(&t->bytes);
        }
}

void climb_world_build(climb_world *w, const scene *s, const uint8_t *areas, const nav_settings *settings)
{
    nav_mesh *mesh = areas ? scene_mesh_with_areas(s, areas) : scene_mesh(s);
    nav_instance instance = {mesh, NAV_TRANSFORM_IDENTITY, 63};
    nav_builder *b;
    float low[3], high[3];
    double min[3], max[3];
    *w = (climb_world){.settings = *settings};
    ck_assert_int_eq(nav_builder_create(0, &b), NAV_OK);
    ck_assert(nav_instance_bounds(&instance, low, high));
    for (int k = 0; k < 3; k++) {
        min[k] = (double)low[k];
        max[k] = (double)high[k];
    }
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        w->settings.sheet = (nav_sheet)sheet;
        build_sheet(w, b, &instance, min, max);
    }
    nav_builder_destroy(b);
    nav_mesh_destroy(mesh);
}

void climb_world_free(climb_world *w)
{
    for (uint32_t i = 0; i < w->count; i++) nav_buffer_deinit(&w->tile[i].bytes);
    w->count = 0;
}

nav_climb_set *climb_world_set(const climb_world *w)
{
    nav_climb_set *set;
    char why[256] = "";
    ck_assert_int_eq(nav_climb_set_create(NAV_CLIMB_INNER_DEG, &set), NAV_OK);
    for (uint32_t i = 0; i < w->count; i++) {
        nav_status s = nav_climb_set_put(set, w->tile[i].bytes.data, w->tile[i].bytes.size, why, sizeof why);
        ck_assert_msg(s == NAV_OK, "%s", why);
    }
    ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
    return set;
}

// --- Scenes ---

static void quad(scene *s, const float a[3], const float b[3], const float c[3], const float d[3])
{
    scene_triangle(s, a, b, c);
    scene_triangle(s, a, c, d);
}

void climb_world_room(scene *s, float x0, float y0, float z0, float x1, float y1, float z1)
{
    const float v[8][3] = {{x0, y0, z0}, {x1, y0, z0}, {x1, y0, z1}, {x0, y0, z1},
                           {x0, y1, z0}, {x1, y1, z0}, {x1, y1, z1}, {x0, y1, z1}};
    quad(s, v[0], v[3], v[2], v[1]); // the floor
    quad(s, v[4], v[5], v[6], v[7]);
    quad(s, v[0], v[1], v[5], v[4]);
    quad(s, v[3], v[7], v[6], v[2]);
    quad(s, v[0], v[4], v[7], v[3]);
    quad(s, v[1], v[2], v[6], v[5]);
}

typedef struct hill {
    vec to;
    double height;
} hill;

static void hilly(const hill *hills, double radius, vec at, float out[3])
{
    double r = 1;
    at = vec_unit(at);
    for (int i = 0; i < 12; i++) {
        double near = vec_dot(at, hills[i].to) - 0.5;
        if (near > 0) r += hills[i].height * near * near;
    }
    vec_to_float(vec_scale(at, r * radius), out);
}

static void split(scene *s, const hill *hills, int level, double radius, vec a, vec b, vec c)
{
    vec ab = vec_unit(vec_add(a, b)), bc = vec_unit(vec_add(b, c)), ca = vec_unit(vec_add(c, a));
    float p[3], q[3], r[3];
    if (level > 0) {
        split(s, hills, level - 1, radius, a, ab, ca);
        split(s, hills, level - 1, radius, ab, b, bc);
        split(s, hills, level - 1, radius, ca, bc, c);
        split(s, hills, level - 1, radius, ab, bc, ca);
        return;
    }
    hilly(hills, radius, a, p);
    hilly(hills, radius, b, q);
    hilly(hills, radius, c, r);
    scene_triangle(s, p, q, r);
}

void climb_world_ball(scene *s, int level, double radius, double hills_high, uint32_t *seed)
{
    static const double t = 1.618033988749895;
    static const int face[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const vec v[12] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                       {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    hill hills[12];
    for (int i = 0; i < 12; i++) {
        double to[3];
        for (int k = 0; k < 3; k++) to[k] = (double)scene_random_between(seed, -1, 1);
        hills[i] = (hill){vec_unit(vec_of(to)), hills_high * (double)scene_random_between(seed, -1, 1)};
    }
    for (int i = 0; i < 20; i++)
        split(s, hills, level, radius, vec_unit(v[face[i][0]]), vec_unit(v[face[i][1]]), vec_unit(v[face[i][2]]));
}

// --- Triangles as patches ---

typedef struct member {
    nav_sheet sheet;
    int32_t x, z;
    uint32_t triangle;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *p = a, *q = b;
    if (p->sheet != q->sheet) return p->sheet < q->sheet ? -1 : 1;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return p->triangle < q->triangle ? -1 : 1;
}

static vec scene_corner(const scene *s, uint32_t triangle, int k)
{
    return vec_of_float(&s->verts[3 * (size_t)s->tris[3 * (size_t)triangle + (size_t)k]]);
}

static member member_of(const scene *s, uint32_t triangle, double side)
{
    vec a = scene_corner(s, triangle, 0), b = scene_corner(s, triangle, 1), c = scene_corner(s, triangle, 2);
    double normal[3], middle[3], at[3];
    vec_to(vec_cross(vec_sub(b, a), vec_sub(c, a)), normal);
    vec_to(vec_scale(vec_add(vec_add(a, b), c), 1.0 / 3), middle);
    nav_sheet sheet = nav_sheet_of_normal(normal);
    nav_sheet_to_frame(sheet, middle, at);
    return (member){sheet, (int32_t)floor(at[0] / side), (int32_t)floor(at[2] / side), triangle};
}

static void take_members(nav_climb_set *set, const scene *s, const member *m, uint32_t count)
{
    uint32_t *corner = malloc(12 * (size_t)count), *cell = malloc(4 * (size_t)count);
    uint8_t *area = calloc(count, 1), *behind = malloc(3 * (size_t)count);
    climb_patch *p;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&corner[3 * (size_t)i], &s->tris[3 * (size_t)m[i].triangle], 12);
        cell[i] = m[i].triangle;
        memset(&behind[3 * (size_t)i], CLIMB_OPEN, 3);
    }
    const climb_mesh mesh = {.sheet = m->sheet,
                             .x = m->x,
                             .z = m->z,
                             .radius_m = 0.1,
                             .height_m = 1,
                             .step_m = 0.1,
                             .close_m = 1e-4,
                             .point_count = s->vert_count,
                             .triangle_count = count,
                             .at = s->verts,
                             .corner = corner,
                             .cell = cell,
                             .area = area,
                             .behind = behind};
    ck_assert_int_eq(nav_climb_patch_create(&mesh, &p), NAV_OK);
    ck_assert_int_eq(nav_climb_set_take(set, p), NAV_OK);
    free(corner);
    free(cell);
    free(area);
    free(behind);
}

nav_climb_set *climb_world_soup(const scene *s, double side)
{
    nav_climb_set *set;
    member *m = malloc(s->tri_count * sizeof *m);
    ck_assert_int_eq(nav_climb_set_create(NAV_CLIMB_INNER_DEG, &set), NAV_OK);
    for (uint32_t t = 0; t < s->tri_count; t++) m[t] = member_of(s, t, side);
    qsort(m, s->tri_count, sizeof *m, compare_members);
    for (uint32_t i = 0, end; i < s->tri_count; i = end) {
        for (end = i; end < s->tri_count && m[end].sheet == m[i].sheet && m[end].x == m[i].x && m[end].z == m[i].z;)
            end++;
        take_members(set, s, &m[i], end - i);
    }
    free(m);
    ck_assert_int_eq(nav_climb_set_join(set), NAV_OK);
    return set;
}

nav_climb_path climb_world_find(nav_climb_finder *f, const nav_climb_set *set, const double from[3], const double to[3])
{
    nav_climb_query q = {.from = {.near_m = 1}, .to = {.near_m = 1}};
    nav_climb_path path;
    memcpy(q.from.at, from, sizeof q.from.at);
    memcpy(q.to.at, to, sizeof q.to.at);
    ck_assert_int_eq(nav_climb_find(f, set, &q, &path), NAV_OK);
    return path;
}

// --- Judges ---

typedef struct unfolding {
    const double *size, *from, *to;
    int sequence[6]; // of faces: 2 * axis, and 1 more where it is the upper one
    double best;
} unfolding;

// The target, on the last face of the sequence, laid into the plane of the first one.
static void lay_out(unfolding *u, int count)
{
    double at[3], apart2 = 0;
    memcpy(at, u->to, sizeof at);
    for (int i = count - 1; i > 0; i--) {
        int a = u->sequence[i - 1] / 2, b = u->sequence[i] / 2;
        double a_sign = u->sequence[i - 1] % 2 ? 1 : -1, b_sign = u->sequence[i] % 2 ? 1 : -1;
        double a_at = a_sign > 0 ? u->size[a] : 0, b_at = b_sign > 0 ? u->size[b] : 0;
        double deep = a_sign * (a_at - at[a]); // from the edge between the two
        at[a] = a_at;
        at[b] = b_at + b_sign * deep;
    }
    for (int k = 0; k < 3; k++) apart2 += (at[k] - u->from[k]) * (at[k] - u->from[k]);
    u->best = fmin(u->best, sqrt(apart2));
}

static bool is_on_face(const double size[3], int face, const double at[3])
{
    return fabs(at[face / 2] - (face % 2 ? size[face / 2] : 0)) < 1e-3;
}

static void unfold_on(unfolding *u, int count)
{
    int last = u->sequence[count - 1];
    if (is_on_face(u->size, last, u->to)) lay_out(u, count);
    for (int face = 0; face < 6 && count < 6; face++) {
        bool seen = face / 2 == last / 2;
        for (int i = 0; i < count; i++) seen |= u->sequence[i] == face;
        if (seen) continue;
        u->sequence[count] = face;
        unfold_on(u, count + 1);
    }
}

double climb_world_box_judge(const double size[3], const double from[3], const double to[3])
{
    unfolding u = {size, from, to, {0}, INFINITY};
    for (int face = 0; face < 6; face++) {
        if (!is_on_face(size, face, from)) continue;
        u.sequence[0] = face;
        unfold_on(&u, 1);
    }
    return u.best;
}

typedef struct graph {
    vec *at;
    double *cost;
    bool *done;
    uint32_t count;
} graph;

static void relax(graph *g, uint32_t from, uint32_t to)
{
    g->cost[to] = fmin(g->cost[to], g->cost[from] + vec_apart(g->at[from], g->at[to]));
}

// Nodes: of each triangle its own copy of what lies on its sides; those at the same place are joined at no cost.
double climb_world_graph_judge(const scene *s, int places, const double from[3], const double to[3])
{
    const uint32_t each = 3 * ((uint32_t)places + 1), n = s->tri_count * each;
    graph g = {malloc((n + 2) * sizeof(vec)), malloc((n + 2) * sizeof(double)), calloc(n + 2, sizeof(bool)), n + 2};
    climb_spot ends[2] = {{.at = vec_of(from)}, {.at = vec_of(to)}};
    double near[2] = {INFINITY, INFINITY};
    uint32_t triangle[2] = {0, 0};
    for (uint32_t t = 0; t < s->tri_count; t++)
        for (uint32_t k = 0; k < each; k++) {
            int side = (int)(k / ((uint32_t)places + 1));
            double share = (double)(k % ((uint32_t)places + 1)) / (places + 1);
            vec a = scene_corner(s, t, side), b = scene_corner(s, t, (side + 1) % 3);
            g.at[t * each + k] = vec_between(a, b, share);
        }
    for (int e = 0; e < 2; e++) {
        g.at[n + (uint32_t)e] = ends[e].at;
        for (uint32_t t = 0; t < s->tri_count; t++) {
            vec a = scene_corner(s, t, 0), b = scene_corner(s, t, 1), c = scene_corner(s, t, 2), at = ends[e].at;
            vec normal = vec_unit(vec_cross(vec_sub(b, a), vec_sub(c, a)));
            double off = fabs(vec_dot(normal, vec_sub(at, a)));
            double in = fmin(vec_dot(normal, vec_cross(vec_sub(b, a), vec_sub(at, a))),
                             fmin(vec_dot(normal, vec_cross(vec_sub(c, b), vec_sub(at, b))),
                                  vec_dot(normal, vec_cross(vec_sub(a, c), vec_sub(at, c)))));
            if (in < -1e-4 || off >= near[e]) continue;
            near[e] = off;
            triangle[e] = t;
        }
    }
    for (uint32_t i = 0; i < g.count; i++) g.cost[i] = INFINITY;
    g.cost[n] = 0;
    for (;;) {
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < g.count; i++)
            if (!g.done[i] && (next == UINT32_MAX || g.cost[i] < g.cost[next])) next = i;
        if (next == UINT32_MAX || next == n + 1 || isinf(g.cost[next])) break;
        g.done[next] = true;
        uint32_t t = next == n ? triangle[0] : next / each;
        for (uint32_t k = 0; k < each; k++) relax(&g, next, t * each + k);
        if (t == triangle[1]) relax(&g, next, n + 1);
        for (uint32_t i = 0; i < n; i++)
            if (!g.done[i] && vec_apart(g.at[i], g.at[next]) < 1e-4) g.cost[i] = fmin(g.cost[i], g.cost[next]);
    }
    double length = g.cost[n + 1];
    free(g.at);
    free(g.cost);
    free(g.done);
    return length;
}
