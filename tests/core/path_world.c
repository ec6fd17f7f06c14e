#include "tests/core/path_world.h"

#include "navcore/builder.h"
#include "navcore/tile.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void path_world_boxes(scene *s, uint32_t *seed, float size, int boxes, float y)
{
    scene_floor(s, 0, 0, size, size, y);
    for (int i = 0; i < boxes; i++) {
        float x = scene_random_between(seed, 1, size - 4), z = scene_random_between(seed, 1, size - 4);
        float turn = scene_random(seed) % 3 ? 0 : scene_random_between(seed, 0, 1.5f);
        scene_box(s, x, y, z, x + scene_random_between(seed, 0.6f, 5), y + 3, z + scene_random_between(seed, 0.6f, 5),
                  cosf(turn), sinf(turn));
    }
}

nav_settings path_world_settings(int32_t tile_cells, float radius_m)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = tile_cells;
    s.agent_radius_m = radius_m;
    return s;
}

void path_world_build(path_world *w, const scene *s, const nav_settings *settings)
{
    path_world_build_mesh(w, scene_mesh(s), settings);
}

static void build(path_world *w, nav_mesh *mesh, const nav_settings *settings, const nav_tile_source *more);

void path_world_build_mesh(path_world *w, nav_mesh *mesh, const nav_settings *settings)
{
    build(w, mesh, settings, &(nav_tile_source){0});
}

void path_world_build_with(path_world *w, const scene *s, const nav_settings *settings, const nav_tile_source *more)
{
    build(w, scene_mesh(s), settings, more);
}

static void build(path_world *w, nav_mesh *mesh, const nav_settings *settings, const nav_tile_source *more)
{
    nav_builder *b;
    *w = (path_world){.settings = *settings, .mesh = mesh};
    ck_assert_int_eq(nav_builder_create(0, &b), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&w->set), NAV_OK);
    nav_instance instance = {w->mesh, NAV_TRANSFORM_IDENTITY, 63};
    float min[3], max[3];
    int32_t first[2], last[2];
    ck_assert(nav_instance_bounds(&instance, min, max));
    nav_tile_range(settings, (double[]){(double)min[0], (double)min[2]}, (double[]){(double)max[0], (double)max[2]},
                   first, last);
    for (int32_t z = first[1]; z <= last[1]; z++)
        for (int32_t x = first[0]; x <= last[0]; x++) {
            nav_tile_source source = *more;
            source.settings = settings;
            source.tile_x = x;
            source.tile_z = z;
            source.instances = &instance;
            source.instance_count = 1;
            char why[200] = "";
            ck_assert_uint_lt(w->count, PATH_WORLD_TILES);
            nav_buffer *out = &w->tiles[w->count++];
            ck_assert_int_eq(nav_builder_build(b, &source, NULL, NULL), NAV_OK);
            ck_assert_int_eq(nav_builder_encode_navd(b, out), NAV_OK);
            ck_assert_int_eq(nav_builder_encode_detour(b, &w->detour[w->count - 1]), NAV_OK);
            nav_status st = nav_path_set_put(w->set, out->data, out->size, why, sizeof why);
            ck_assert_msg(st == NAV_OK, "%s", why);
        }
    ck_assert_int_eq(nav_path_set_join(w->set), NAV_OK);
    nav_builder_destroy(b);
}

void path_world_free(path_world *w)
{
    nav_path_set_destroy(w->set);
    nav_mesh_destroy(w->mesh);
    for (uint32_t i = 0; i < w->count; i++) {
        nav_buffer_deinit(&w->tiles[i]);
        nav_buffer_deinit(&w->detour[i]);
    }
}

// --- The judge ---

typedef struct point {
    int64_t x, z; // fine
} point;

typedef struct wall {
    point a, b; // the ground is on the right
} wall;

// A place where a path may turn: the ground between two walls that meet there. Where obstacles touch there are several
// at the same place.
typedef struct turn {
    point at;
    bool any;          // an end of the path: from whichever side
    double from, wide; // clockwise from an angle
} turn;

typedef struct judge {
    wall *walls;
    turn *turns;    // at the beginning of each wall
    point *corners; // of cells, one after the other
    int8_t *behind; // of the edge from each: 0 a cell of the tile, 1 a wall, 2 a border
    uint32_t *first;
    uint32_t wall_count, cell_count, corner_count;
} judge;

static int64_t side(point p, point q, point s)
{
    return (q.x - p.x) * (s.z - p.z) - (q.z - p.z) * (s.x - p.x);
}

static bool same(point p, point q)
{
    return p.x == q.x && p.z == q.z;
}

// Of two storeys: ramps are cut at their gate.
static void load_storey(const path_world *w, judge *j, float low_y, float high_y, const path_storeys *storeys)
{
    uint32_t corners = 0, cells = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(w->tiles[i].data, w->tiles[i].size, &v, NULL, 0), NAV_OK);
        corners += v.corner_count;
        cells += v.cell_count;
    }
    *j = (judge){.walls = malloc((corners + 1) * sizeof(wall)),
                 .corners = malloc((corners + 1) * sizeof(point)),
                 .behind = malloc(corners + 1),
                 .first = malloc((cells + 1) * sizeof(uint32_t))};
    for (uint32_t i = 0; i < w->count; i++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(w->tiles[i].data, w->tiles[i].size, &v, NULL, 0), NAV_OK);
        for (uint32_t c = 0; c < v.cell_count; c++) {
            nav_tile_cell cell;
            nav_tile_get_cell(&v, c, &cell);
            j->first[j->cell_count] = j->corner_count;
            bool counts = !(w->excluded >> cell.area & 1), ramp = storeys, behind_gate = true;
            for (uint32_t k = 0; k < cell.corner_count; k++) {
                nav_tile_corner at;
                int32_t p[3];
                nav_tile_get_corner(&v, cell.first_corner + k, &at);
                nav_tile_get_vert(&v, at.vert, p);
                double y = v.origin_m[1] + p[1] * (double)v.cell_height_m;
                counts &= y >= (double)low_y && y <= (double)high_y;
                if (storeys) {
                    double x = v.origin_m[0] + ((double)v.tile_x * v.tile_cells + p[0]) * (double)v.cell_size_m;
                    ramp &= y >= (double)storeys->high[0] && y <= (double)storeys->low[1];
                    behind_gate &= x > storeys->gate_m - 1e-3;
                }
                j->behind[j->corner_count + k] = at.behind >= 0 ? 0 : at.behind == NAV_EDGE_WALL ? 1 : 2;
                nav_tile_cell behind = {0};
                if (at.behind >= 0) nav_tile_get_cell(&v, (uint32_t)at.behind, &behind);
                if (w->excluded >> behind.area & 1) j->behind[j->corner_count + k] = 1;
                j->corners[j->corner_count + k] = (point){((int64_t)v.tile_x * v.tile_cells + p[0]) * NAV_PATH_FINE,
                                                          ((int64_t)v.tile_z * v.tile_cells + p[2]) * NAV_PATH_FINE};
            }
            if (!counts || (ramp && behind_gate != (low_y == storeys->high[0]))) continue;
            j->corner_count += cell.corner_count;
            j->cell_count++;
        }
    }
    j->first[j->cell_count] = j->corner_count;
    // A border is a wall where no other tile has the same edge the other way round.
    for (uint32_t c = 0; c < j->cell_count; c++)
        for (uint32_t k = j->first[c]; k < j->first[c + 1]; k++) {
            point a = j->corners[k], b = j->corners[k + 1 < j->first[c + 1] ? k + 1 : j->first[c]];
            bool open = j->behind[k] == 0;
            for (uint32_t d = 0; d < j->cell_count && !open && j->behind[k] == 2; d++)
                for (uint32_t m = j->first[d]; m < j->first[d + 1] && !open; m++)
                    open = j->behind[m] == 2 && same(j->corners[m], b) &&
                           same(j->corners[m + 1 < j->first[d + 1] ? m + 1 : j->first[d]], a);
            if (!open) j->walls[j->wall_count++] = (wall){a, b};
        }
}

static void load(const path_world *w, judge *j, float low_y, float high_y)
{
    load_storey(w, j, low_y, high_y, NULL);
}

static void unload(judge *j)
{
    free(j->walls);
    free(j->turns);
    free(j->corners);
    free(j->behind);
    free(j->first);
}

static bool on_ground(const judge *j, double x, double z)
{
    for (uint32_t c = 0; c < j->cell_count; c++) {
        bool inside = true;
        for (uint32_t k = j->first[c]; k < j->first[c + 1] && inside; k++) {
            point a = j->corners[k], b = j->corners[k + 1 < j->first[c + 1] ? k + 1 : j->first[c]];
            double dx = (double)(b.x - a.x), dz = (double)(b.z - a.z);
            inside = (dx * (z - (double)a.z) - dz * (x - (double)a.x)) / hypot(dx, dz) < 1e-4;
        }
        if (inside) return true;
    }
    return false;
}

static double clockwise(double from, double to)
{
    double d = fmod(from - to, 2 * M_PI);
    return d < 0 ? d + 2 * M_PI : d;
}

static turn turn_at(const judge *j, const wall *out)
{
    turn t = {
        .at = out->a, .from = atan2((double)(out->b.z - out->a.z), (double)(out->b.x - out->a.x)), .wide = 2 * M_PI};
    for (uint32_t i = 0; i < j->wall_count; i++) {
        const wall *in = &j->walls[i];
        if (!same(in->b, out->a)) continue;
        double d = clockwise(t.from, atan2((double)(in->a.z - in->b.z), (double)(in->a.x - in->b.x)));
        if (d > 1e-9 && d < t.wide) t.wide = d;
    }
    return t;
}

static bool opens_to(const turn *t, point p)
{
    double d = clockwise(t->from, atan2((double)(p.z - t->at.z), (double)(p.x - t->at.x)));
    return t->any || d <= t->wide + 1e-9 || d >= 2 * M_PI - 1e-9;
}

static int compare(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static bool cross(point p, point q, const wall *w)
{
    int64_t a = side(p, q, w->a), b = side(p, q, w->b), c = side(w->a, w->b, p), d = side(w->a, w->b, q);
    return ((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0));
}

// A place on the line: to one side of what is there? No path goes between two obstacles that touch.
static bool passes(const judge *j, point p, point q, point at)
{
    bool open = false;
    for (uint32_t m = 0; m < j->wall_count && !open; m++)
        open = same(j->walls[m].a, at) && opens_to(&j->turns[m], p) && opens_to(&j->turns[m], q);
    return open;
}

// Does p see q? No wall is crossed, and between any two places where walls are touched there is ground.
static bool sees(const judge *j, point p, point q, double *at)
{
    double dx = (double)(q.x - p.x), dz = (double)(q.z - p.z), length2 = dx * dx + dz * dz;
    uint32_t n = 0;
    at[n++] = 0;
    at[n++] = 1;
    for (uint32_t i = 0; i < j->wall_count; i++) {
        const wall *w = &j->walls[i];
        if (cross(p, q, w)) return false;
        const point ends[] = {w->a, w->b};
        for (int k = 0; k < 2; k++) {
            double t = ((double)(ends[k].x - p.x) * dx + (double)(ends[k].z - p.z) * dz) / length2;
            if (side(p, q, ends[k]) != 0 || t <= 0 || t >= 1) continue;
            at[n++] = t;
            if (!passes(j, p, q, ends[k])) return false;
        }
    }
    qsort(at, n, sizeof *at, compare);
    for (uint32_t i = 0; i + 1 < n; i++) {
        double t = (at[i] + at[i + 1]) / 2;
        if (at[i + 1] > at[i] && !on_ground(j, (double)p.x + t * dx, (double)p.z + t * dz)) return false;
    }
    return true;
}

static void find_turns(judge *j)
{
    j->turns = malloc((j->wall_count + 1) * sizeof *j->turns);
    for (uint32_t i = 0; i < j->wall_count; i++) j->turns[i] = turn_at(j, &j->walls[i]);
}

static point fine_of(const path_world *w, const float at[3])
{
    const nav_settings *s = &w->settings;
    return (point){llround(((double)at[0] - s->origin_m[0]) / (double)s->cell_size_m * NAV_PATH_FINE),
                   llround(((double)at[2] - s->origin_m[2]) / (double)s->cell_size_m * NAV_PATH_FINE)};
}

bool path_world_can_judge(const path_world *w, float low_y, float high_y)
{
    judge j;
    load(w, &j, low_y, high_y);
    bool flat = true;
    for (uint32_t i = 0; i < j.wall_count; i++)
        for (uint32_t k = 0; k < j.wall_count; k++) {
            const wall *v = &j.walls[i], *o = &j.walls[k];
            bool touches = side(o->a, o->b, v->a) == 0 && !same(o->a, v->a) && !same(o->b, v->a) &&
                           (o->a.x - v->a.x) * (o->b.x - v->a.x) + (o->a.z - v->a.z) * (o->b.z - v->a.z) < 0;
            flat &= !touches && !cross(v->a, v->b, o);
        }
    unload(&j);
    return flat;
}

double path_world_judge(const path_world *w, const float from[3], const float to[3], float low_y, float high_y)
{
    judge j;
    load(w, &j, low_y, high_y);
    find_turns(&j);
    turn *nodes = malloc((j.wall_count + 2 + 2 * (size_t)w->jump_count) * sizeof *nodes);
    uint32_t n = 0;
    nodes[n++] = (turn){.at = fine_of(w, from), .any = true};
    nodes[n++] = (turn){.at = fine_of(w, to), .any = true};
    for (uint32_t i = 0; i < w->jump_count; i++) { // from 2 on, a pair each
        nodes[n++] = (turn){.at = fine_of(w, w->jumps[i].from), .any = true};
        nodes[n++] = (turn){.at = fine_of(w, w->jumps[i].to), .any = true};
    }
    for (uint32_t i = 0; i < j.wall_count; i++) nodes[n++] = j.turns[i];
    double *best = malloc(n * sizeof *best), *room = malloc((2 * (size_t)j.wall_count + 2) * sizeof *room);
    bool *done = calloc(n, sizeof *done);
    for (uint32_t i = 0; i < n; i++) best[i] = i ? INFINITY : 0;
    for (;;) { // Dijkstra
        uint32_t at = n;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && best[i] < INFINITY && (at == n || best[i] < best[at])) at = i;
        if (at == n || at == 1) break;
        done[at] = true;
        if (at >= 2 && at < 2 + 2 * w->jump_count && at % 2 == 0) {
            double cost = w->jumps[at / 2 - 1].cost / (double)w->settings.cell_size_m * NAV_PATH_FINE;
            best[at + 1] = fmin(best[at + 1], best[at] + cost);
        }
        for (uint32_t i = 0; i < n; i++) {
            point p = nodes[at].at, q = nodes[i].at;
            double d = hypot((double)(q.x - p.x), (double)(q.z - p.z));
            if (done[i] || best[at] + d >= best[i]) continue;
            if (d == 0 ? nodes[at].any || nodes[i].any
                       : opens_to(&nodes[at], q) && opens_to(&nodes[i], p) && sees(&j, p, q, room))
                best[i] = best[at] + d;
        }
    }
    double length = best[1] * (double)w->settings.cell_size_m / NAV_PATH_FINE;
    free(nodes);
    free(best);
    free(room);
    free(done);
    unload(&j);
    return isfinite(length) ? length : -1;
}

// --- Two storeys ---

static bool on_gate(const wall *w, int64_t gate)
{
    return w->a.x == gate && w->b.x == gate;
}

// Does p, on the first of two planes, see q, on the second, through the gate? Up to the gate the walls and the ground
// of the first count, behind it those of the second.
static bool sees_through(const judge planes[2], int64_t gate, point p, point q, double *at)
{
    double dx = (double)(q.x - p.x), dz = (double)(q.z - p.z), length2 = dx * dx + dz * dz;
    double through = p.x == q.x ? 0 : (double)(gate - p.x) / dx;
    if (through <= 0 || through >= 1) return false;
    for (int k = 0; k < 2; k++) {
        const judge *j = &planes[k];
        double begin = k ? through : 0, end = k ? 1 : through;
        uint32_t n = 0;
        at[n++] = begin;
        at[n++] = end;
        for (uint32_t i = 0; i < j->wall_count; i++) {
            const wall *w = &j->walls[i];
            if (on_gate(w, gate)) continue;
            if (cross(p, q, w)) {
                double u = (double)side(p, q, w->a), v = (double)side(p, q, w->b), part = u / (u - v);
                double x = (double)w->a.x + part * (double)(w->b.x - w->a.x) - (double)p.x;
                double z = (double)w->a.z + part * (double)(w->b.z - w->a.z) - (double)p.z;
                double t = (x * dx + z * dz) / length2;
                if (t > begin && t < end) return false;
                continue;
            }
            const point ends[] = {w->a, w->b};
            for (int e = 0; e < 2; e++) {
                double t = ((double)(ends[e].x - p.x) * dx + (double)(ends[e].z - p.z) * dz) / length2;
                if (side(p, q, ends[e]) != 0 || t <= 0 || t >= 1) continue;
                if (fabs(t - through) < 1e-12) return false; // by a turn at the gate's end, which is in both planes
                if (t < begin || t > end) continue;
                at[n++] = t;
                if (!passes(j, p, q, ends[e])) return false;
            }
        }
        qsort(at, n, sizeof *at, compare);
        for (uint32_t i = 0; i + 1 < n; i++) {
            double t = (at[i] + at[i + 1]) / 2;
            if (at[i + 1] > at[i] && !on_ground(j, (double)p.x + t * dx, (double)p.z + t * dz)) return false;
        }
    }
    return true;
}

static int plane_of(const path_storeys *s, const float at[3])
{
    return at[1] > s->low[1] || (at[1] >= s->high[0] && (double)at[0] > s->gate_m + 1e-3);
}

typedef struct storey_turn {
    turn turn;
    int plane;
    bool at_gate; // it opens to the gate, at the end of a piece of it
} storey_turn;

static bool is_at_gate(const judge *j, int64_t gate, const turn *t)
{
    for (uint32_t i = 0; i < j->wall_count; i++) {
        const wall *w = &j->walls[i];
        if (!on_gate(w, gate)) continue;
        if ((same(w->a, t->at) && opens_to(t, w->b)) || (same(w->b, t->at) && opens_to(t, w->a))) return true;
    }
    return false;
}

// The length from one node of the graph to another; negative: it does not see it.
static double step_length(const judge planes[2], int64_t gate, const storey_turn *a, const storey_turn *b, double *at)
{
    point p = a->turn.at, q = b->turn.at;
    double d = hypot((double)(q.x - p.x), (double)(q.z - p.z));
    if (d == 0) {
        bool both = a->plane != b->plane && a->at_gate && b->at_gate;
        return both || (a->plane == b->plane && (a->turn.any || b->turn.any)) ? 0 : -1;
    }
    if (!opens_to(&a->turn, q) || !opens_to(&b->turn, p)) return -1;
    bool seen = a->plane == b->plane  ? sees(&planes[a->plane], p, q, at)
                : a->plane < b->plane ? sees_through(planes, gate, p, q, at)
                                      : sees_through(planes, gate, q, p, at);
    return seen ? d : -1;
}

double path_world_judge_storeys(const path_world *w, const path_storeys *storeys, const float from[3],
                                const float to[3])
{
    judge planes[2];
    load_storey(w, &planes[0], storeys->low[0], storeys->low[1], storeys);
    load_storey(w, &planes[1], storeys->high[0], storeys->high[1], storeys);
    double columns = (storeys->gate_m - w->settings.origin_m[0]) / (double)w->settings.cell_size_m;
    int64_t gate = llround(columns * NAV_PATH_FINE);
    uint32_t walls = planes[0].wall_count + planes[1].wall_count, n = 0;
    storey_turn *nodes = malloc(((size_t)walls + 2) * sizeof *nodes);
    double *best = malloc(((size_t)walls + 2) * sizeof *best), *room = malloc((2 * (size_t)walls + 2) * sizeof *room);
    bool *done = calloc((size_t)walls + 2, sizeof *done);
    nodes[n++] = (storey_turn){{.at = fine_of(w, from), .any = true}, plane_of(storeys, from), false};
    nodes[n++] = (storey_turn){{.at = fine_of(w, to), .any = true}, plane_of(storeys, to), false};
    for (int k = 0; k < 2; k++) {
        find_turns(&planes[k]);
        for (uint32_t i = 0; i < planes[k].wall_count; i++)
            nodes[n++] = (storey_turn){planes[k].turns[i], k, is_at_gate(&planes[k], gate, &planes[k].turns[i])};
    }
    for (uint32_t i = 0; i < n; i++) best[i] = i ? INFINITY : 0;
    for (;;) {
        uint32_t at = n;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && best[i] < INFINITY && (at == n || best[i] < best[at])) at = i;
        if (at == n || at == 1) break;
        done[at] = true;
        for (uint32_t i = 0; i < n; i++) {
            point p = nodes[at].turn.at, q = nodes[i].turn.at;
            if (done[i] || best[at] + hypot((double)(q.x - p.x), (double)(q.z - p.z)) >= best[i]) continue;
            double d = step_length(planes, gate, &nodes[at], &nodes[i], room);
            if (d >= 0) best[i] = best[at] + d;
        }
    }
    double length = best[1] * (double)w->settings.cell_size_m / NAV_PATH_FINE;
    free(nodes);
    free(best);
    free(room);
    free(done);
    unload(&planes[0]);
    unload(&planes[1]);
    return isfinite(length) ? length : -1;
}

bool path_world_sees(const path_world *w, const float from[3], const float to[3], float low_y, float high_y)
{
    judge j;
    load(w, &j, low_y, high_y);
    find_turns(&j);
    double *room = malloc((2 * (size_t)j.wall_count + 2) * sizeof *room);
    bool open = sees(&j, fine_of(w, from), fine_of(w, to), room);
    free(room);
    unload(&j);
    return open;
}

double path_world_open(const path_world *w, const float from[3], const float to[3], float low_y, float high_y)
{
    judge j;
    load(w, &j, low_y, high_y);
    find_turns(&j);
    point p = fine_of(w, from), q = fine_of(w, to);
    double dx = (double)(q.x - p.x), dz = (double)(q.z - p.z), first = 1;
    for (uint32_t i = 0; i < j.wall_count; i++) {
        point a = j.walls[i].a, b = j.walls[i].b;
        double t = ((double)(a.x - p.x) * dx + (double)(a.z - p.z) * dz) / (dx * dx + dz * dz);
        if (cross(p, q, &j.walls[i])) {
            double u = (double)side(a, b, p), v = (double)side(a, b, q);
            first = fmin(first, u / (u - v));
        } else if (side(p, q, a) == 0 && t > 0 && t < 1 && !passes(&j, p, q, a)) {
            first = fmin(first, t);
        }
    }
    unload(&j);
    return first * hypot(dx, dz) * (double)w->settings.cell_size_m / NAV_PATH_FINE;
}

double path_world_wall(const path_world *w, const float at[3], float low_y, float high_y)
{
    judge j;
    load(w, &j, low_y, high_y);
    point p = fine_of(w, at);
    double best = INFINITY;
    for (uint32_t i = 0; i < j.wall_count; i++) {
        point a = j.walls[i].a, b = j.walls[i].b;
        double dx = (double)(b.x - a.x), dz = (double)(b.z - a.z);
        double u = ((double)(p.x - a.x) * dx + (double)(p.z - a.z) * dz) / (dx * dx + dz * dz);
        u = fmin(fmax(u, 0), 1);
        best = fmin(best, hypot((double)(a.x - p.x) + u * dx, (double)(a.z - p.z) + u * dz));
    }
    unload(&j);
    return best * (double)w->settings.cell_size_m / NAV_PATH_FINE;
}

path_world_line *path_world_walls(const path_world *w, float low_y, float high_y, uint32_t *count)
{
    judge j;
    load(w, &j, low_y, high_y);
    path_world_line *walls = malloc((j.wall_count + 1) * sizeof *walls);
    for (uint32_t i = 0; i < j.wall_count; i++) {
        const wall *o = &j.walls[i];
        walls[i] = (path_world_line){(double)o->a.x, (double)o->a.z, (double)o->b.x, (double)o->b.z};
    }
    *count = j.wall_count;
    unload(&j);
    return walls;
}
