// Fewer corners: what is promised of the new loops, by brute force on random regions, and what crates become.
#include "core/outline/fewer.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12000, MOST_LOOPS = 600, COLUMN = 128, RADIUS = 256 };

static const nav_fewer usual = {.max_error = 1.3 * COLUMN, .max_inward = 1.0, .long_edge = 400.0, .long_error = 2.0};

static nav_point at[MOST + 64];
static int32_t first[MOST_LOOPS + 1], shape[MOST + 64];
static uint8_t fixed[MOST + 64];
static nav_loops in;
static int free_turns; // how often the loops wind round a free place
static uint32_t seed, region_seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static double part(void)
{
    return below(1 << 20) / (double)(1 << 20);
}

static void begin_region(uint32_t s)
{
    region_seed = s;
    seed = s * 2654435761u + 12345u;
    in = (nav_loops){.first = first, .at = at, .shape = shape};
    first[0] = 0;
    free_turns = 0;
    memset(fixed, 0, sizeof fixed);
}

static int32_t corners(void)
{
    return first[in.count];
}

static void add(double x, double z)
{
    nav_point p = {(int32_t)lround(x), (int32_t)lround(z)};
    int32_t n = first[in.count + 1];
    if (n >= MOST || (n > corners() && nav_point_same(at[n - 1], p))) return;
    at[n] = p;
    shape[n] = n;
    first[in.count + 1] = n + 1;
}

static void begin_loop(void)
{
    first[in.count + 1] = corners();
}

static void end_loop(bool reversed)
{
    int32_t a = corners(), b = first[in.count + 1];
    if (b - a > 1 && nav_point_same(at[a], at[b - 1])) b--;
    first[in.count + 1] = b;
    for (int32_t i = a, k = b - 1; reversed && i < k; i++, k--) {
        nav_point p = at[i];
        at[i] = at[k];
        at[k] = p;
    }
    if (b - a >= 3) in.count++;
}

// A box around (x, z), turned, with what an agent of the radius cannot enter around it.
static void add_crate(double x, double z, double half_x, double half_z, double angle, int32_t steps)
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

static void crates(void)
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
    free_turns = -1;
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
    free_turns = -1;
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
static void jogs(void)
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

typedef void make_region(void);
static make_region *const regions[] = {crates, stars, lake, blob, jogs, scallops, slivers};
enum { REGIONS = sizeof regions / sizeof regions[0] };

// ---- what is promised

static nav_arena arena;
static nav_loops out;
static int32_t *from;

static double to_edge(double x, double z, nav_point a, nav_point b)
{
    double dx = b.x - a.x, dz = b.z - a.z, len2 = dx * dx + dz * dz, t = ((x - a.x) * dx + (z - a.z) * dz) / len2;
    t = len2 == 0.0 || t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    double ex = a.x + t * dx - x, ez = a.z + t * dz - z;
    return sqrt(ex * ex + ez * ez);
}

static int32_t next_in(const nav_loops *l, int32_t loop, int32_t k)
{
    return k + 1 < l->first[loop + 1] ? k + 1 : l->first[loop];
}

static int32_t before_in(const nav_loops *l, int32_t loop, int32_t k)
{
    return k > l->first[loop] ? k - 1 : l->first[loop + 1] - 1;
}

static double to_loop(const nav_loops *l, int32_t loop, double x, double z)
{
    double best = INFINITY;
    for (int32_t k = l->first[loop]; k < l->first[loop + 1]; k++) {
        double d = to_edge(x, z, l->at[k], l->at[next_in(l, loop, k)]);
        if (d < best) best = d;
    }
    return best;
}

static int turns_of_loop(const nav_loops *l, int32_t loop, double x, double z)
{
    int turns = 0;
    for (int32_t k = l->first[loop]; k < l->first[loop + 1]; k++) {
        nav_point p = l->at[k], q = l->at[next_in(l, loop, k)];
        if ((p.z <= z) == (q.z <= z)) continue;
        double right = (x - p.x) * (double)(q.z - p.z) - (double)(q.x - p.x) * (z - p.z);
        if (q.z > p.z && right < 0) turns++;
        if (q.z < p.z && right > 0) turns--;
    }
    return turns;
}

static bool is_free(const nav_loops *l, double x, double z)
{
    int turns = 0;
    for (int32_t loop = 0; loop < l->count; loop++) turns += turns_of_loop(l, loop, x, z);
    return turns == free_turns;
}

static double to_any(const nav_loops *l, double x, double z)
{
    double best = INFINITY;
    for (int32_t loop = 0; loop < l->count; loop++) best = fmin(best, to_loop(l, loop, x, z));
    return best;
}

// The old loop that a new one comes from: those that are dropped are smaller than a square of 2 units.
static int32_t old_loop[MOST_LOOPS];

static int64_t area2(const nav_loops *l, int32_t loop)
{
    int64_t area = 0;
    for (int32_t k = l->first[loop] + 2; k < l->first[loop + 1]; k++)
        area += nav_right(l->at[l->first[loop]], l->at[k - 1], l->at[k]);
    return area;
}

static void match_loops(void)
{
    int32_t n = 0;
    for (int32_t loop = 0; loop < in.count; loop++) {
        bool keeps = llabs(area2(&in, loop)) >= 8;
        for (int32_t k = first[loop]; k < first[loop + 1]; k++) keeps = keeps || fixed[k];
        if (keeps) old_loop[n++] = loop;
    }
    ck_assert_int_eq(n, out.count);
}

static void expect_near(const nav_loops *a, int32_t la, const nav_loops *b, int32_t lb, bool new_to_old)
{
    for (int32_t k = a->first[la]; k < a->first[la + 1]; k++) {
        nav_point p = a->at[k], q = a->at[next_in(a, la, k)];
        int32_t parts = 1 + (int32_t)(sqrt((double)nav_distance2(p, q)) / 40.0);
        for (int32_t i = 0; i < parts; i++) {
            double x = p.x + (q.x - p.x) * (double)i / parts, z = p.z + (q.z - p.z) * (double)i / parts;
            double d = to_loop(b, lb, x, z);
            ck_assert_double_le(d, usual.max_error + 1e-6);
            if (d <= usual.max_inward + 1e-6) continue;
            if (new_to_old)
                ck_assert_msg(is_free(b, x, z) || to_any(b, x, z) <= usual.max_inward + 1e-6, "seed %u: %g %g, by %g",
                              region_seed, x, z, d);
            else
                ck_assert_msg(!is_free(b, x, z) || to_any(b, x, z) <= usual.max_inward + 1e-6, "seed %u: %g %g, by %g",
                              region_seed, x, z, d);
        }
    }
}

// Edges i and k of loops a and b: do they meet where they should not? They may where corners touch, each on one side of
// the other; of new loops only corners that have not moved.
static bool are_apart(const nav_loops *l, const int32_t *kept, int32_t a, int32_t i, int32_t b, int32_t k)
{
    int32_t ie = next_in(l, a, i), ke = next_in(l, b, k);
    nav_point p = l->at[i], q = l->at[ie], r = l->at[k], s = l->at[ke];
    if (a == b && (ie == k || ke == i)) {
        nav_point end = ie == k ? s : r, mid = ie == k ? q : p, begin = ie == k ? p : q;
        return nav_right(begin, mid, end) != 0 || nav_between(begin, end, mid);
    }
    int64_t pr = nav_right(p, q, r), ps = nav_right(p, q, s), rp = nav_right(r, s, p), rq = nav_right(r, s, q);
    if ((pr > 0 && ps > 0) || (pr < 0 && ps < 0) || (rp > 0 && rq > 0) || (rp < 0 && rq < 0)) return true;
    if (pr == 0 && ps == 0 && rp == 0 && rq == 0) {
        int64_t x1 = p.x < q.x ? p.x : q.x, x2 = p.x < q.x ? q.x : p.x, z1 = p.z < q.z ? p.z : q.z,
                z2 = p.z < q.z ? q.z : p.z;
        if ((r.x > x2 && s.x > x2) || (r.x < x1 && s.x < x1)) return true;
        if ((r.z > z2 && s.z > z2) || (r.z < z1 && s.z < z1)) return true;
    }
    int32_t u = nav_point_same(p, r) || nav_point_same(p, s) ? i : ie, v = nav_point_same(l->at[u], r) ? k : ke;
    if (!nav_point_same(l->at[u], l->at[v]) || (kept && (kept[u] < 0 || kept[v] < 0))) return false;
    nav_point before = l->at[before_in(l, a, u)], after = l->at[next_in(l, a, u)];
    int x = nav_in_corner(before, l->at[u], after, l->at[before_in(l, b, v)]);
    return x != 0 && x == nav_in_corner(before, l->at[u], after, l->at[next_in(l, b, v)]);
}

static bool are_all_apart(const nav_loops *l, const int32_t *kept)
{
    for (int32_t a = 0; a < l->count; a++)
        for (int32_t b = a; b < l->count; b++)
            for (int32_t i = l->first[a]; i < l->first[a + 1]; i++)
                for (int32_t k = b == a ? i + 1 : l->first[b]; k < l->first[b + 1]; k++)
                    if (!are_apart(l, kept, a, i, b, k)) return false;
    return true;
}

static void expect_as_promised(void)
{
    match_loops();
    ck_assert_msg(are_all_apart(&out, from), "seed %u", region_seed);
    for (int32_t a = 0; a < out.count; a++) {
        int32_t old = old_loop[a];
        ck_assert_int_ge(out.first[a + 1] - out.first[a], 3);
        ck_assert(area2(&out, a) != 0 && (area2(&out, a) > 0) == (area2(&in, old) > 0));
        expect_near(&in, old, &out, a, false);
        expect_near(&out, a, &in, old, true);
        int32_t kept = 0;
        for (int32_t i = out.first[a]; i < out.first[a + 1]; i++) {
            if (from[i] < 0) continue;
            ck_assert_int_ge(from[i], first[old]);
            ck_assert_int_lt(from[i], first[old + 1]);
            ck_assert(nav_point_same(at[from[i]], out.at[i]));
            kept++;
        }
        for (int32_t k = first[old]; k < first[old + 1]; k++) {
            if (!fixed[k]) continue;
            int32_t found = -1;
            for (int32_t i = out.first[a]; i < out.first[a + 1] && found < 0; i++)
                if (from[i] == k) found = i;
            ck_assert_int_ge(found, 0);
            if (fixed[k] & NAV_FEWER_SEAM) ck_assert_int_eq(from[next_in(&out, a, found)], next_in(&in, old, k));
        }
        for (int32_t b = 0; b < out.count; b++) {
            if (a == b) continue;
            nav_point p = out.at[out.first[a]], q = at[first[old]];
            if (to_loop(&out, b, p.x, p.z) == 0.0 || to_loop(&in, old_loop[b], q.x, q.z) == 0.0) continue;
            ck_assert_int_eq(turns_of_loop(&out, b, p.x, p.z), turns_of_loop(&in, old_loop[b], q.x, q.z));
        }
    }
}

static void simplify(void)
{
    ck_assert_int_eq(nav_loops_simplify(&in, fixed, &usual, &arena, &out, &from), NAV_OK);
}

static void fix_some(void)
{
    for (int32_t k = 0; k < corners(); k++) fixed[k] = below(12) ? 0 : 1 + (uint8_t)below(3);
}

START_TEST(every_promise_is_kept_on_random_regions)
{
    int32_t tried = 0;
    for (uint32_t s = 0; s < 60; s++) {
        begin_region(s * REGIONS + (uint32_t)_i);
        regions[_i]();
        if (!are_all_apart(&in, NULL)) continue; // rounded
        tried++;
        if (s % 4 == 3) fix_some();
        simplify();
        expect_as_promised();
        nav_arena_reset(&arena);
    }
    ck_assert_int_ge(tried, 30);
}
END_TEST

START_TEST(a_crate_has_four_corners_on_the_lines_of_its_sides)
{
    for (uint32_t s = 0; s < 200; s++) {
        begin_region(s);
        double half_x = 100 + below(2000), half_z = 100 + below(2000), angle = part() * 6.28;
        add_crate(20000, 20000, half_x, half_z, angle, 4 + (int32_t)below(2));
        simplify();
        ck_assert_int_eq(out.count, 1);
        ck_assert_int_eq(out.first[1], 4);
        for (int32_t k = 0; k < 4; k++) {
            // Where the lines of the sides meet.
            double px = out.at[k].x - 20000.0, pz = out.at[k].z - 20000.0, c = cos(angle), sn = sin(angle);
            ck_assert_double_eq_tol(fabs(c * px + sn * pz), half_x + RADIUS, 3.0);
            ck_assert_double_eq_tol(fabs(c * pz - sn * px), half_z + RADIUS, 3.0);
        }
        nav_arena_reset(&arena);
    }
}
END_TEST

static void set_up(void)
{
    nav_arena_init(&arena, 0);
}

static void tear_down(void)
{
    nav_arena_deinit(&arena);
}

int main(void)
{
    Suite *s = suite_create("outline_fewer");
    TCase *c = tcase_create("fewer");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, every_promise_is_kept_on_random_regions, 0, REGIONS);
    tcase_add_test(c, a_crate_has_four_corners_on_the_lines_of_its_sides);
    suite_add_tcase(s, c);
    return run_suite(s);
}
