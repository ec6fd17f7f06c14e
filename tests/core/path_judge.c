// The judge: a graph of all corners that see each other.
#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <stdlib.h>

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
    bool *rises; // of each cell: it is a ramp's, or of the upper storey
    uint32_t wall_count, cell_count, corner_count;
} judge;

static int64_t side(point p, point q, point s)
{
    return (q.x - p.x) * (s.z - p.z) - (q.z - p.z) * (s.x - p.x);
}

// Where beside the line from p to q a place is: 0 at p, 1 at q.
static double along(point p, point q, point at)
{
    double dx = (double)(q.x - p.x), dz = (double)(q.z - p.z);
    return ((double)(at.x - p.x) * dx + (double)(at.z - p.z) * dz) / (dx * dx + dz * dz);
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
                 .first = malloc((cells + 1) * sizeof(uint32_t)),
                 .rises = malloc(cells + 1)};
    for (uint32_t i = 0; i < w->count; i++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(w->tiles[i].data, w->tiles[i].size, &v, NULL, 0), NAV_OK);
        for (uint32_t c = 0; c < v.cell_count; c++) {
            nav_tile_cell cell;
            nav_tile_get_cell(&v, c, &cell);
            j->first[j->cell_count] = j->corner_count;
            bool counts = !(w->excluded >> cell.area & 1), ramp = storeys, behind_gate = true, rises = false;
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
                    rises |= y >= (double)storeys->high[0];
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
            j->rises[j->cell_count++] = rises;
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
    free(j->rises);
}

static bool on_ground(const judge *j, double x, double z, bool must_rise)
{
    for (uint32_t c = 0; c < j->cell_count; c++) {
        bool inside = !must_rise || j->rises[c];
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

// The sides of a line.
enum { LEFT = 1, RIGHT = 2, BOTH = LEFT | RIGHT };

static int swapped(int sides)
{
    return (sides & LEFT ? RIGHT : 0) | (sides & RIGHT ? LEFT : 0);
}

// On which sides of the line from it to p does a turn have ground? One alone where the line is along its wall.
static int opens_beside(const turn *t, point p)
{
    if (t->any) return BOTH;
    if (!opens_to(t, p)) return 0;
    double d = clockwise(t->from, atan2((double)(p.z - t->at.z), (double)(p.x - t->at.x)));
    if (d >= 2 * M_PI - 1e-9) d = 0;
    bool whole = t->wide >= 2 * M_PI - 1e-9; // around the end of a wall without thickness
    return (d > 1e-9 || whole ? LEFT : 0) | (d < t->wide - 1e-9 ? RIGHT : 0);
}

// A place on a line where it touches walls.
typedef struct mark {
    double part;
    point at;
} mark;

static int compare(const void *a, const void *b)
{
    double p = ((const mark *)a)->part, q = ((const mark *)b)->part;
    return (p > q) - (p < q);
}

static bool cross(point p, point q, const wall *w)
{
    int64_t a = side(p, q, w->a), b = side(p, q, w->b), c = side(w->a, w->b, p), d = side(w->a, w->b, q);
    return ((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0));
}

// A line from p to q comes to a place on these sides: on which does it go on? No path goes between two obstacles that
// touch, nor from one side of a wall without thickness to the other.
static int pass(const judge *j, point p, point q, point at, int sides)
{
    int on = 0;
    for (uint32_t m = 0; m < j->wall_count; m++)
        if (same(j->walls[m].a, at) && swapped(opens_beside(&j->turns[m], p)) & sides)
            on |= opens_beside(&j->turns[m], q);
    return on;
}

// On which sides of a piece of the line from p to q is a way along it? On both, where it is not along a wall and one
// comes to it.
static int sides_of_piece(const judge *j, point p, point q, const mark *piece, int sides)
{
    double t = (piece[0].part + piece[1].part) / 2;
    int ground = 0;
    if (!on_ground(j, (double)p.x + t * (double)(q.x - p.x), (double)p.z + t * (double)(q.z - p.z), false)) return 0;
    for (uint32_t i = 0; i < j->wall_count; i++) {
        const wall *w = &j->walls[i];
        if (side(p, q, w->a) != 0 || side(p, q, w->b) != 0) continue;
        double a = along(p, q, w->a), b = along(p, q, w->b);
        if (a < t && t < b) ground |= RIGHT;
        if (b < t && t < a) ground |= LEFT;
    }
    return ground ? ground & sides : sides ? BOTH : 0;
}

static const int64_t NO_GATE = INT64_MIN;

static bool on_gate(const wall *w, int64_t gate)
{
    return w->a.x == gate && w->b.x == gate;
}

// Follows a part of the line from p to q, which comes on these sides. Returns the sides on which it ends: 0 where it
// crosses a wall or leaves the ground. The walls of the gate are none.
static int follow(const judge *j, point p, point q, double begin, double end, int64_t gate, int sides, mark *marks)
{
    uint32_t n = 0;
    marks[n++] = (mark){begin, p};
    marks[n++] = (mark){end, q};
    for (uint32_t i = 0; i < j->wall_count; i++) {
        const wall *w = &j->walls[i];
        if (on_gate(w, gate)) continue;
        if (cross(p, q, w)) {
            double u = (double)side(w->a, w->b, p), v = (double)side(w->a, w->b, q), t = u / (u - v);
            if (t > begin && t < end) return 0;
            continue;
        }
        const point ends[] = {w->a, w->b};
        for (int e = 0; e < 2; e++) {
            double t = along(p, q, ends[e]);
            if (side(p, q, ends[e]) != 0 || t <= 0 || t >= 1) continue;
            // By a turn at the gate's end, which is in both planes.
            if (fabs(t - begin) < 1e-12 || fabs(t - end) < 1e-12) return 0;
            if (t > begin && t < end) marks[n++] = (mark){t, ends[e]};
        }
    }
    qsort(marks, n, sizeof *marks, compare);
    for (uint32_t i = 0; i + 1 < n && sides; i++) {
        if (marks[i].part == marks[i + 1].part) continue;
        if (marks[i].part > begin) sides = pass(j, p, q, marks[i].at, sides);
        sides = sides_of_piece(j, p, q, &marks[i], sides);
    }
    return sides;
}

// Does one turn see another?
static bool sees(const judge *j, const turn *a, const turn *b, mark *room)
{
    int begin = opens_beside(a, b->at), end = swapped(opens_beside(b, a->at));
    return begin && end && (follow(j, a->at, b->at, 0, 1, NO_GATE, begin, room) & end);
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
    double *best = malloc(n * sizeof *best);
    mark *room = malloc((2 * (size_t)j.wall_count + 2) * sizeof *room);
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
            if (d == 0 ? nodes[at].any || nodes[i].any : sees(&j, &nodes[at], &nodes[i], room)) best[i] = best[at] + d;
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

// Does a, on the first of two planes, see b, on the second, through the gate? Up to the gate the walls and the ground
// of the first count, behind it those of the second.
static bool sees_through(const judge planes[2], int64_t gate, const turn *a, const turn *b, mark *room)
{
    point p = a->at, q = b->at;
    double through = p.x == q.x ? 0 : (double)(gate - p.x) / (double)(q.x - p.x);
    if (through <= 0 || through >= 1) return false;
    int sides = opens_beside(a, q), end = swapped(opens_beside(b, p));
    sides = end ? follow(&planes[0], p, q, 0, through, gate, sides, room) : 0;
    return follow(&planes[1], p, q, through, 1, gate, sides, room) & end;
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
static double step_length(const judge planes[2], int64_t gate, const storey_turn *a, const storey_turn *b, mark *room)
{
    point p = a->turn.at, q = b->turn.at;
    double d = hypot((double)(q.x - p.x), (double)(q.z - p.z));
    if (d == 0) {
        bool both = a->plane != b->plane && a->at_gate && b->at_gate;
        return both || (a->plane == b->plane && (a->turn.any || b->turn.any)) ? 0 : -1;
    }
    bool seen = a->plane == b->plane  ? sees(&planes[a->plane], &a->turn, &b->turn, room)
                : a->plane < b->plane ? sees_through(planes, gate, &a->turn, &b->turn, room)
                                      : sees_through(planes, gate, &b->turn, &a->turn, room);
    return seen ? d : -1;
}

// The planes of an end of a path, a bit each: a ramp's place at the gate is in each whose ramp comes up to it.
static int planes_of(const judge planes[2], const path_storeys *s, int64_t gate, const float at[3], point p)
{
    int in = 0;
    if (p.x == gate && at[1] >= s->high[0] && at[1] <= s->low[1])
        for (int k = 0; k < 2; k++) in |= on_ground(&planes[k], (double)p.x, (double)p.z, true) << k;
    return in ? in : 1 << plane_of(s, at);
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
    storey_turn *nodes = malloc(((size_t)walls + 4) * sizeof *nodes);
    double *best = malloc(((size_t)walls + 4) * sizeof *best);
    mark *room = malloc((2 * (size_t)walls + 2) * sizeof *room);
    bool *done = calloc((size_t)walls + 4, sizeof *done);
    const turn ends[] = {{.at = fine_of(w, from), .any = true}, {.at = fine_of(w, to), .any = true}};
    const int in[] = {planes_of(planes, storeys, gate, from, ends[0].at),
                      planes_of(planes, storeys, gate, to, ends[1].at)};
    for (int e = 0; e < 2; e++) nodes[n++] = (storey_turn){ends[e], in[e] & 1 ? 0 : 1, in[e] == 3};
    for (int e = 0; e < 2; e++)
        if (in[e] == 3) nodes[n++] = (storey_turn){ends[e], 1, true};
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
    mark *room = malloc((2 * (size_t)j.wall_count + 2) * sizeof *room);
    turn a = {.at = fine_of(w, from), .any = true}, b = {.at = fine_of(w, to), .any = true};
    bool open = sees(&j, &a, &b, room);
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
    double first = 1;
    for (uint32_t i = 0; i < j.wall_count; i++) {
        point a = j.walls[i].a, b = j.walls[i].b;
        double t = along(p, q, a);
        if (cross(p, q, &j.walls[i])) {
            double u = (double)side(a, b, p), v = (double)side(a, b, q);
            first = fmin(first, u / (u - v));
        } else if (side(p, q, a) == 0 && t > 0 && t < 1 && !pass(&j, p, q, a, BOTH)) {
            first = fmin(first, t);
        }
    }
    unload(&j);
    return first * hypot((double)(q.x - p.x), (double)(q.z - p.z)) * (double)w->settings.cell_size_m / NAV_PATH_FINE;
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
