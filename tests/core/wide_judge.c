#include "tests/core/wide_judge.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 1440 }; // of a circle: where it is looked at for walls
#define SLACK 1.0      // points of the fine grid by which a line may be too near

typedef struct spot {
    double x, z;
} spot;

typedef struct line { // from one circle to another
    uint32_t from, to;
    int from_sign, to_sign; // 1: the circle is to its left
    double direction, length;
} line;

struct wide_judge {
    const path_world *world;
    path_world_line *walls;
    uint32_t wall_count;
    double radius;
    spot *at;      // circles
    bool *blocked; // STEPS of each
    uint32_t circle_count;
    line *lines;
    uint32_t line_count, line_room;
};

static double to_piece(spot s, spot a, spot b)
{
    double dx = b.x - a.x, dz = b.z - a.z, square = dx * dx + dz * dz;
    double u = square > 0 ? ((s.x - a.x) * dx + (s.z - a.z) * dz) / square : 0;
    u = fmin(fmax(u, 0), 1);
    return hypot(s.x - a.x - u * dx, s.z - a.z - u * dz);
}

static double side(spot p, spot q, spot s)
{
    return (q.x - p.x) * (s.z - p.z) - (q.z - p.z) * (s.x - p.x);
}

static double nearest_wall(const wide_judge *j, spot p, spot q)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < j->wall_count; i++) {
        spot a = {j->walls[i].ax, j->walls[i].az}, b = {j->walls[i].bx, j->walls[i].bz};
        double d = fmin(fmin(to_piece(p, a, b), to_piece(q, a, b)), fmin(to_piece(a, p, q), to_piece(b, p, q)));
        bool cross = side(p, q, a) * side(p, q, b) < 0 && side(a, b, p) * side(a, b, q) < 0;
        least = fmin(least, cross ? 0 : d);
    }
    return least;
}

// The line from one circle to another; signs of 0 are for places.
static bool tangent(const wide_judge *j, spot a, int a_sign, spot b, int b_sign, line *out)
{
    double x = b.x - a.x, z = b.z - a.z, between = hypot(x, z), off = (b_sign - a_sign) * j->radius;
    if (between == 0 || between * between - off * off < -8 * SLACK * j->radius) return false;
    out->length = sqrt(fmax(between * between - off * off, 0));
    out->direction = atan2(z, x) - atan2(off, out->length);
    double dx = cos(out->direction), dz = sin(out->direction);
    spot p = {a.x + a_sign * j->radius * dz, a.z - a_sign * j->radius * dx},
         q = {b.x + b_sign * j->radius * dz, b.z - b_sign * j->radius * dx};
    out->from_sign = a_sign;
    out->to_sign = b_sign;
    return nearest_wall(j, p, q) >= j->radius - SLACK;
}

static void add_line(wide_judge *j, line l)
{
    if (j->line_count == j->line_room) {
        j->line_room = j->line_room ? 2 * j->line_room : 1024;
        j->lines = realloc(j->lines, j->line_room * sizeof *j->lines);
    }
    j->lines[j->line_count++] = l;
}

wide_judge *wide_judge_create(const path_world *w, double radius_m, float low_y, float high_y)
{
    wide_judge *j = calloc(1, sizeof *j);
    j->world = w;
    j->walls = path_world_walls(w, low_y, high_y, &j->wall_count);
    j->radius = radius_m / (double)w->settings.cell_size_m * NAV_PATH_FINE;
    j->at = malloc((j->wall_count + 1) * sizeof *j->at);
    for (uint32_t i = 0; i < j->wall_count; i++) {
        spot s = {j->walls[i].ax, j->walls[i].az};
        bool known = false;
        for (uint32_t k = 0; k < j->circle_count && !known; k++) known = j->at[k].x == s.x && j->at[k].z == s.z;
        if (!known) j->at[j->circle_count++] = s;
    }
    j->blocked = calloc((size_t)j->circle_count + 1, STEPS);
    for (uint32_t c = 0; c < j->circle_count; c++)
        for (int k = 0; k < STEPS; k++) {
            double angle = 2 * M_PI * k / STEPS;
            spot s = {j->at[c].x + j->radius * cos(angle), j->at[c].z + j->radius * sin(angle)};
            j->blocked[(size_t)c * STEPS + k] = nearest_wall(j, s, s) < j->radius - SLACK;
        }
    for (uint32_t a = 0; a < j->circle_count; a++)
        for (uint32_t b = 0; b < j->circle_count; b++)
            for (int signs = 0; signs < 4; signs++) {
                line l = {.from = a, .to = b};
                if (tangent(j, j->at[a], signs & 1 ? 1 : -1, j->at[b], signs & 2 ? 1 : -1, &l)) add_line(j, l);
            }
    return j;
}

void wide_judge_destroy(wide_judge *j)
{
    free(j->walls);
    free(j->at);
    free(j->blocked);
    free(j->lines);
    free(j);
}

static double turned(double angle)
{
    double a = fmod(angle, 2 * M_PI);
    return a < 0 ? a + 2 * M_PI : a;
}

// Around a circle from one direction to another. Negative: walls are in the way.
static double arc(const wide_judge *j, uint32_t circle, int sign, double from, double to)
{
    double turn = turned(sign * (to - from));
    if (turn > 2 * M_PI - 0.05) turn = 0; // ends may be a little within a circle
    // The steps between where the lines touch, as seen from the middle: counted in the direction of the turn.
    double begin = turned(sign * from - M_PI / 2) / (2 * M_PI) * STEPS, end = begin + turn / (2 * M_PI) * STEPS;
    for (int k = (int)ceil(begin); k <= end; k++) {
        int step = (sign * k % STEPS + STEPS) % STEPS;
        if (j->blocked[(size_t)circle * STEPS + step]) return -1;
    }
    return turn * j->radius;
}

static spot spot_of(const wide_judge *j, const float at[3])
{
    const nav_settings *s = &j->world->settings;
    return (spot){((double)at[0] - s->origin_m[0]) / (double)s->cell_size_m * NAV_PATH_FINE,
                  ((double)at[2] - s->origin_m[2]) / (double)s->cell_size_m * NAV_PATH_FINE};
}

static double metres(const wide_judge *j, double fine)
{
    return fine * (double)j->world->settings.cell_size_m / NAV_PATH_FINE;
}

double wide_judge_distance(const wide_judge *j, const float from[3], const float to[3])
{
    return metres(j, nearest_wall(j, spot_of(j, from), spot_of(j, to)));
}

double wide_judge_length(const wide_judge *j, const float from[3], const float to[3])
{
    spot a = spot_of(j, from), b = spot_of(j, to);
    line direct = {0};
    if ((a.x == b.x && a.z == b.z) || tangent(j, a, 0, b, 0, &direct)) return metres(j, hypot(b.x - a.x, b.z - a.z));
    // Nodes are the lines that come to a circle: those from the start, then those of the world.
    uint32_t starts = 0, room = 2 * j->circle_count;
    line *nodes = malloc(((size_t)room + j->line_count + 1) * sizeof *nodes);
    double *ends = malloc(((size_t)room + 1) * sizeof *ends), *end_way = malloc(((size_t)room + 1) * sizeof *end_way);
    for (uint32_t c = 0; c < j->circle_count; c++)
        for (int sign = -1; sign <= 1; sign += 2) {
            line l = {.to = c}, out = {.from = c};
            uint32_t at = 2 * c + (sign > 0);
            if (tangent(j, a, 0, j->at[c], sign, &l)) nodes[starts++] = l;
            bool leads = tangent(j, j->at[c], sign, b, 0, &out);
            ends[at] = out.direction;
            end_way[at] = leads ? out.length : INFINITY;
        }
    uint32_t n = starts + j->line_count;
    for (uint32_t i = 0; i < j->line_count; i++) nodes[starts + i] = j->lines[i];
    double *best = malloc((n + 1) * sizeof *best), shortest = INFINITY;
    bool *done = calloc(n + 1, 1);
    for (uint32_t i = 0; i < n; i++) best[i] = i < starts ? nodes[i].length : INFINITY;
    for (;;) { // Dijkstra
        uint32_t at = n;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i] && best[i] < shortest && (at == n || best[i] < best[at])) at = i;
        if (at == n) break;
        done[at] = true;
        const line *l = &nodes[at];
        uint32_t end = 2 * l->to + (l->to_sign > 0);
        if (end_way[end] < INFINITY) {
            double around = arc(j, l->to, l->to_sign, l->direction, ends[end]);
            if (around >= 0) shortest = fmin(shortest, best[at] + around + end_way[end]);
        }
        for (uint32_t i = starts; i < n; i++) {
            if (done[i] || nodes[i].from != l->to || nodes[i].from_sign != l->to_sign ||
                best[at] + nodes[i].length >= best[i])
                continue;
            double around = arc(j, l->to, l->to_sign, l->direction, nodes[i].direction);
            if (around >= 0) best[i] = fmin(best[i], best[at] + around + nodes[i].length);
        }
    }
    free(nodes);
    free(ends);
    free(end_way);
    free(best);
    free(done);
    return isfinite(shortest) ? metres(j, shortest) : -1;
}
