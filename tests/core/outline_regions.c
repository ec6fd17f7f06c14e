#include "outline_regions.h"

#include <math.h>
#include <string.h>

static nav_point at[MOST_CORNERS + 64];
static int32_t first[MOST_LOOPS + 1], shape[MOST_CORNERS + 64];
nav_loops region;
int region_turns;
uint32_t region_seed;
static uint32_t seed;

uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

double part(void)
{
    return below(1 << 20) / (double)(1 << 20);
}

void begin_region(uint32_t s)
{
    region_seed = s;
    seed = s * 2654435761u + 12345u;
    region = (nav_loops){.first = first, .at = at, .shape = shape};
    first[0] = 0;
    region_turns = 0;
}

int32_t corners(void)
{
    return first[region.count];
}

void add(double x, double z)
{
    nav_point p = {(int32_t)lround(x), (int32_t)lround(z)};
    int32_t n = first[region.count + 1];
    if (n >= MOST_CORNERS || (n > corners() && nav_point_same(at[n - 1], p))) return;
    at[n] = p;
    shape[n] = n;
    first[region.count + 1] = n + 1;
}

void begin_loop(void)
{
    first[region.count + 1] = corners();
}

void end_loop(bool reversed)
{
    int32_t a = corners(), b = first[region.count + 1];
    if (b - a > 1 && nav_point_same(at[a], at[b - 1])) b--;
    first[region.count + 1] = b;
    for (int32_t i = a, k = b - 1; reversed && i < k; i++, k--) {
        nav_point p = at[i];
        at[i] = at[k];
        at[k] = p;
    }
    if (b - a >= 3) region.count++;
}

// A box around (x, z), turned, with what an agent of the radius cannot enter around it.
void add_crate(double x, double z, double half_x, double half_z, double angle, int32_t steps)
{
    double c = cos(angle), s = sin(angle), sx[4] = {1, 1, -1, -1}, sz[4] = {-1, 1, 1, -1};
    // Circumscribed about the circle.
    double r = RADIUS / cos(M_PI / 4 / steps);
    begin_loop();
    for (int k = 0; k < 4; k++) {
        for (int32_t i = 0; i <= steps + 1; i++) {
            double t = ((i == 0 ? 0.0 : i > steps ? steps : i - 0.5) / steps + k - 1) * M_PI / 2;
            double ring = i == 0 || i > steps ? RADIUS : r;
            double px = sx[k] * half_x + ring * cos(t), pz = sz[k] * half_z + ring * sin(t);
            add(x + c * px - s * pz, z + s * px + c * pz);
        }
    }
    end_loop(false);
}

void crates(void)
{
    double angle = part() * 1.57, c = cos(angle), s = sin(angle), pitch = 1200 + below(2500);
    int32_t across = 1 + (int32_t)below(5);
    double gap = below(3) ? below(60) + 4.0 : 300.0 + below(300);
    for (int32_t i = 0; i < across; i++) {
        for (int32_t k = 0; k < across; k++) {
            double x = 20000 + i * pitch, z = 20000 + k * pitch, half = (pitch - gap) / 2 - RADIUS;
            bool turned = below(4) == 0;
            double most = turned ? half * 0.6 : half;
            add_crate(c * x - s * z, s * x + c * z, most, most * (0.2 + 0.8 * part()), turned ? part() * 6 : angle,
                      4 + (int32_t)below(2));
        }
    }
}

// A ring of noise, at several distances.
static void add_star(double x, double z, double radius, double rough, int32_t n, bool inside)
{
    double a[4], b[4];
    for (int k = 0; k < 4; k++) {
        a[k] = part() * 6.28;
        b[k] = part() * 0.3 / (k + 1);
    }
    begin_loop();
    for (int32_t i = 0; i < n; i++) {
        double t = i * 2 * M_PI / n, r = 1.0;
        for (int k = 0; k < 4; k++) r += b[k] * sin((k + 1) * t + a[k]);
        r = r * radius + (part() - 0.5) * rough;
        add(x + r * cos(t), z + r * sin(t));
    }
    end_loop(inside);
}

static void stars(void)
{
    int32_t across = 1 + (int32_t)below(4);
    double pitch = 800 + below(3000), rough = below(2) ? below(100) : below(500);
    if (rough > pitch / 4) rough = pitch / 4;
    for (int32_t i = 0; i < across; i++)
        for (int32_t k = 0; k < across; k++)
            add_star(20000 + i * pitch, 20000 + k * pitch, pitch * (0.15 + 0.1 * part()), rough,
                     3 + (int32_t)below(below(2) ? 30 : 120), false);
}

// A lake of floor with rocks in it.
static void lake(void)
{
    region_turns = -1;
    double radius = 2000 + below(4000);
    add_star(20000, 20000, radius, below(300), 20 + (int32_t)below(300), true);
    double pitch = radius / 6;
    for (int32_t i = -1; i <= 1; i++)
        for (int32_t k = -1; k <= 1; k++)
            if (below(3))
                add_star(20000 + i * pitch, 20000 + k * pitch, pitch * 0.25, pitch * 0.1, 3 + (int32_t)below(20),
                         false);
}

enum { MOST_CELLS = 40 };
static uint8_t cell[MOST_CELLS][MOST_CELLS], done[MOST_CELLS][MOST_CELLS][4];

// The outline of what is set, its floor to the right, through corners where floor meets floor only on the same side.
static void trace(int32_t size, int32_t scale)
{
    static const int32_t dx[4] = {0, 1, 0, -1}, dz[4] = {1, 0, -1, 0}; // up, right, down, left
    memset(done, 0, sizeof done);
    for (int32_t x = 1; x < size; x++)
        for (int32_t z = 1; z < size; z++) {
            if (!cell[x][z] || cell[x - 1][z] || done[x][z][0]) continue;
            begin_loop();
            int32_t cx = x, cz = z, px = x, pz = z, way = 0;
            // On corner (px, pz), the floor's cell to the right of the edge in direction `way` is (cx, cz).
            do {
                if (way == 0) done[cx][cz][0] = 1;
                px += dx[way];
                pz += dz[way];
                int32_t right = (way + 1) & 3, left = (way + 3) & 3, ahead_x = cx + dx[way], ahead_z = cz + dz[way];
                int32_t side_x = ahead_x + dx[left], side_z = ahead_z + dz[left];
                int32_t turn = way;
                if (!cell[ahead_x][ahead_z]) {
                    turn = right;
                } else if (cell[side_x][side_z]) {
                    turn = left;
                    cx = side_x;
                    cz = side_z;
                } else {
                    cx = ahead_x;
                    cz = ahead_z;
                }
                if (turn != way) add(px * scale, pz * scale);
                way = turn;
            } while (px != x || pz != z || way != 0 || cx != x || cz != z);
            end_loop(false);
        }
}

static void blob(void)
{
    int32_t size = 12 + (int32_t)below(MOST_CELLS - 14), full = 40 + (int32_t)below(30), rounds = (int32_t)below(4);
    static uint8_t next[MOST_CELLS][MOST_CELLS];
    memset(cell, 0, sizeof cell);
    memset(next, 0, sizeof next);
    region_turns = -1;
    for (int32_t x = 1; x < size; x++)
        for (int32_t z = 1; z < size; z++) cell[x][z] = below(100) < (uint32_t)full;
    for (int32_t r = 0; r < rounds; r++) {
        for (int32_t x = 1; x < size; x++)
            for (int32_t z = 1; z < size; z++) {
                int32_t set = 0;
                for (int32_t k = 0; k < 9; k++) set += cell[x + k / 3 - 1][z + k % 3 - 1];
                next[x][z] = set > 4;
            }
        memcpy(cell, next, sizeof cell);
    }
    trace(size, COLUMN);
}

// Two long walls with jogs, and notches of a unit or two where rounded pieces meet.
void jogs(void)
{
    double angle = part() * 6.28, c = cos(angle), s = sin(angle), x = 0.0, z = 0.0, turn = 0.0;
    begin_loop();
    for (int32_t side = 0; side < 2; side++) {
        for (int32_t k = 0; k < 6; k++) {
            x += (side ? -1 : 1) * 1000.0;
            add(30000 + c * x - s * z, 30000 + s * x + c * z);
            z += (side ? 1 : -1) * turn;
            turn = k < 4 ? (int32_t)below(3) - 1.0 : 0.0;
            add(30000 + c * x - s * z, 30000 + s * x + c * z);
        }
        z += 700.0;
    }
    end_loop(false);
}

// Round shapes one behind the other: arcs with notches between.
static void scallops(void)
{
    double turn = part() * 6.28;
    int32_t n = 5 + (int32_t)below(12);
    begin_loop();
    for (int32_t i = 0; i < 240; i++) {
        double t = i * 2 * M_PI / 240, best = 0.0;
        for (int32_t k = 0; k < n; k++) {
            double u = turn + k * 2 * M_PI / n, dist = 200.0, along = cos(t - u) * dist, side = sin(t - u) * dist;
            double r = along + sqrt(300.0 * 300.0 - side * side);
            if (r > best) best = r;
        }
        add(9000 + best * cos(t), 9000 + best * sin(t));
    }
    end_loop(false);
}

// Triangles and slivers, some of hardly any area.
static void slivers(void)
{
    for (int32_t i = 0; i < 6; i++)
        for (int32_t k = 0; k < 6; k++) {
            double x = 10000 + i * 70, z = 10000 + k * 70, w = 1 + below(60), h = 1 + below(below(2) ? 4 : 60);
            begin_loop();
            add(x, z);
            add(x + w, z + below(4));
            if (below(2)) add(x + w + 1, z + 2 + h);
            add(x + below((uint32_t)w), z + 5 + h);
            end_loop(false);
        }
}

make_region *const regions[REGIONS] = {crates, stars, lake, blob, jogs, scallops, slivers};
