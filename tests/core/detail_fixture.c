#include "tests/core/detail_fixture.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BORDER = 5 };

// check tells its parent process of every assertion that holds: too much for the inner loops.
#define REQUIRE_EQ(a, b)                                                                                               \
    do {                                                                                                               \
        double left = (a), right = (b);                                                                                \
        if (left != right) ck_abort_msg("%s is %.9g, %s is %.9g", #a, left, #b, right);                                \
    } while (0)
#define REQUIRE_LE(a, b)                                                                                               \
    do {                                                                                                               \
        double left = (a), right = (b);                                                                                \
        if (!(left <= right)) ck_abort_msg("%s is %.9g, above %s, %.9g", #a, left, #b, right);                         \
    } while (0)

uint32_t fixture_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int32_t span_of(const nav_compact_heightfield *f, int32_t x, int32_t z, int storey, const int32_t *storey_of)
{
    int32_t cx = x + f->border, cz = z + f->border;
    if (cx < 0 || cz < 0 || cx >= f->width || cz >= f->width) return NAV_NOT_CONNECTED;
    int32_t c = cz * f->width + cx;
    for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
        if (storey_of[s] == storey) return s;
    return NAV_NOT_CONNECTED;
}

static void make_links(fixture *f, const int32_t *storey_of)
{
    nav_compact_heightfield *o = &f->field;
    for (int32_t s = 0; s < o->span_count; s++)
        for (int d = 0; d < 4; d++) {
            int32_t x = o->column[s] % o->width - o->border + nav_dir_x[d];
            int32_t z = o->column[s] / o->width - o->border + nav_dir_z[d];
            int32_t n = span_of(o, x, z, storey_of[s], storey_of);
            bool steps = n != NAV_NOT_CONNECTED && abs(o->floor[n] - o->floor[s]) <= f->cfg.climb_vx;
            o->connection[d][s] = steps ? n : NAV_NOT_CONNECTED;
        }
}

void fixture_init(fixture *f, floor_fn *floor, uint32_t seed, int32_t tile_columns, int32_t tile_x, int32_t tile_z)
{
    memset(f, 0, sizeof *f);
    f->cfg = (nav_config){.tile_x = tile_x,
                          .tile_z = tile_z,
                          .tile_columns = tile_columns,
                          .border = BORDER,
                          .width = tile_columns + 2 * BORDER,
                          .climb_vx = 100,
                          .height_vx = 10,
                          .edge_max_error = 1.3,
                          .polygon_max_vertices = 6,
                          .detail_sample = 6,
                          .detail_max_error = 1};
    nav_config_set_unit(&f->cfg, 1);
    nav_arena_init(&f->arena, 0);
    nav_compact_heightfield *o = &f->field;
    int32_t w = f->cfg.width;
    size_t columns = (size_t)w * (size_t)w, spans = columns * FIXTURE_STOREYS;
    o->width = w;
    o->border = BORDER;
    o->column_first = malloc((columns + 1) * sizeof(int32_t));
    o->column = malloc(spans * sizeof(int32_t));
    o->floor = malloc(spans * sizeof(int32_t));
    o->area = malloc(spans);
    for (int d = 0; d < 4; d++) o->connection[d] = malloc(spans * sizeof(int32_t));
    f->regions.id = malloc(spans * sizeof(int32_t));
    int32_t *storey_of = malloc(spans * sizeof(int32_t));
    for (int32_t c = 0; c < w * w; c++) {
        int32_t x = c % w - BORDER, z = c / w - BORDER;
        bool own = x >= 0 && z >= 0 && x < tile_columns && z < tile_columns;
        o->column_first[c] = o->span_count;
        for (int storey = 0; storey < FIXTURE_STOREYS; storey++) {
            int32_t y = floor(storey, x + tile_x * tile_columns, z + tile_z * tile_columns, seed), s = o->span_count;
            if (y == NO_FLOOR) continue;
            o->column[s] = c;
            o->floor[s] = y;
            o->area[s] = NAV_AREA_DEFAULT;
            f->regions.id[s] = own ? storey + 1 : NAV_REGION_OUTSIDE;
            storey_of[s] = storey;
            o->span_count++;
        }
    }
    o->column_first[w * w] = o->span_count;
    f->regions.count = FIXTURE_STOREYS;
    make_links(f, storey_of);
    free(storey_of);
}

void fixture_deinit(fixture *f)
{
    free(f->field.column_first);
    free(f->field.column);
    free(f->field.floor);
    free(f->field.area);
    for (int d = 0; d < 4; d++) free(f->field.connection[d]);
    free(f->regions.id);
    nav_arena_deinit(&f->arena);
}

void fixture_begin_polygons(fixture *f, int32_t capacity)
{
    nav_polygons *p = &f->polys;
    *p = (nav_polygons){0};
    int32_t **arrays[] = {&p->x,      &p->z,         &p->y,          &p->first,     &p->vert,       &p->behind,
                          &p->region, &p->cell_poly, &p->cell_first, &p->cell_vert, &p->cell_behind};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = NAV_TAKE_ZERO(&f->arena, int32_t, capacity + 1);
    p->area = NAV_TAKE_ZERO(&f->arena, uint8_t, capacity + 1);
}

int32_t fixture_vertex(fixture *f, int storey, int32_t x, int32_t z)
{
    const nav_compact_heightfield *o = &f->field;
    int32_t y = NO_FLOOR;
    for (int k = 0; k < 4 && y == NO_FLOOR; k++) { // the column at 3 is the corner's upper one, whose corner 3 it is
        static const int corner[4] = {3, 2, 0, 1};
        int32_t c = (z - (k >> 1) + o->border) * o->width + x - (k & 1) + o->border;
        for (int32_t s = o->column_first[c], left = storey; s < o->column_first[c + 1]; s++, left--)
            if (left == 0) y = nav_corner_height(o, s, corner[k]);
    }
    REQUIRE_LE(NO_FLOOR + 1.0, y);
    nav_polygons *p = &f->polys;
    for (int32_t v = 0; v < p->vert_count; v++)
        if (p->x[v] == x && p->z[v] == z && p->y[v] == y) return v;
    p->x[p->vert_count] = x;
    p->z[p->vert_count] = z;
    p->y[p->vert_count] = y;
    return p->vert_count++;
}

void fixture_polygon(fixture *f, int32_t count, const int32_t *vert, int32_t region)
{
    nav_polygons *p = &f->polys;
    int32_t at = p->first[p->count];
    memcpy(p->vert + at, vert, (size_t)count * sizeof *vert);
    p->area[p->count] = NAV_AREA_DEFAULT;
    p->region[p->count] = region;
    p->cell_poly[p->count] = p->count;
    p->first[++p->count] = at + count;
    p->cell_poly[p->count] = p->count;
    p->cell_count = p->count;
}

static int32_t next_corner(const nav_polygons *p, int32_t poly, int32_t c)
{
    return c + 1 < p->first[poly + 1] ? c + 1 : p->first[poly];
}

static int32_t border_of(const fixture *f, int32_t a, int32_t b)
{
    const nav_polygons *p = &f->polys;
    int32_t n = f->cfg.tile_columns;
    if (p->x[a] == n && p->x[b] == n) return NAV_EDGE_PORTAL_XMAX;
    if (p->z[a] == n && p->z[b] == n) return NAV_EDGE_PORTAL_ZMAX;
    if (p->x[a] == 0 && p->x[b] == 0) return NAV_EDGE_PORTAL_XMIN;
    if (p->z[a] == 0 && p->z[b] == 0) return NAV_EDGE_PORTAL_ZMIN;
    return NAV_EDGE_WALL;
}

void fixture_end_polygons(fixture *f)
{
    nav_polygons *p = &f->polys;
    for (int32_t a = 0; a < p->count; a++)
        for (int32_t i = p->first[a]; i < p->first[a + 1]; i++) {
            int32_t from = p->vert[i], to = p->vert[next_corner(p, a, i)];
            p->behind[i] = border_of(f, from, to);
            for (int32_t b = 0; b < p->count; b++)
                for (int32_t j = p->first[b]; j < p->first[b + 1]; j++)
                    if (p->vert[j] == to && p->vert[next_corner(p, b, j)] == from) p->behind[i] = b;
        }
}

void fixture_rectangle(fixture *f, int storey, int32_t x0, int32_t z0, int32_t x1, int32_t z1, int32_t region)
{
    int32_t v[4] = {fixture_vertex(f, storey, x0, z0), fixture_vertex(f, storey, x0, z1),
                    fixture_vertex(f, storey, x1, z1), fixture_vertex(f, storey, x1, z0)};
    fixture_polygon(f, 4, v, region);
}

static double area2(double ax, double az, double bx, double bz, double cx, double cz)
{
    return (bz - az) * (cx - ax) - (bx - ax) * (cz - az);
}

static double vertex_area2(const nav_polygons *p, int32_t a, int32_t b, int32_t c)
{
    return area2(p->x[a], p->z[a], p->x[b], p->z[b], p->x[c], p->z[c]);
}

void fixture_jittered_grid(fixture *f, int32_t step, uint32_t seed)
{
    int32_t n = f->cfg.tile_columns / step, cells = f->cfg.tile_columns;
    fixture_begin_polygons(f, 6 * n * n + 3);
    int32_t *v = malloc((size_t)(n + 1) * (size_t)(n + 1) * sizeof *v);
    for (int32_t j = 0; j <= n; j++)
        for (int32_t i = 0; i <= n; i++) {
            int32_t x = i == n ? cells : i * step, z = j == n ? cells : j * step;
            if (i > 0 && i < n) x += (int32_t)(fixture_random(&seed) % (uint32_t)step) - step / 2;
            if (j > 0 && j < n) z += (int32_t)(fixture_random(&seed) % (uint32_t)step) - step / 2;
            v[j * (n + 1) + i] = fixture_vertex(f, 0, x, z);
        }
    const nav_polygons *p = &f->polys;
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++) {
            const int32_t *at = v + j * (n + 1) + i;
            int32_t q[4] = {at[0], at[n + 1], at[n + 2], at[1]};
            bool convex = true;
            for (int k = 0; k < 4; k++) convex &= vertex_area2(p, q[k], q[(k + 1) % 4], q[(k + 2) % 4]) >= 0;
            if (convex) {
                fixture_polygon(f, 4, q, 1);
                continue;
            }
            int k = vertex_area2(p, q[0], q[1], q[2]) > 0 && vertex_area2(p, q[0], q[2], q[3]) > 0 ? 0 : 1;
            int32_t a[3] = {q[k], q[k + 1], q[k + 2]}, b[3] = {q[k], q[k + 2], q[(k + 3) % 4]};
            if (vertex_area2(p, a[0], a[1], a[2]) > 0) fixture_polygon(f, 3, a, 1);
            if (vertex_area2(p, b[0], b[1], b[2]) > 0) fixture_polygon(f, 3, b, 1);
        }
    free(v);
    fixture_end_polygons(f);
}

void fixture_set_unit(fixture *f, int32_t unit)
{
    nav_config_set_unit(&f->cfg, unit);
    for (int32_t v = 0; v < f->polys.vert_count; v++) {
        f->polys.x[v] *= unit;
        f->polys.z[v] *= unit;
    }
}

typedef struct corner {
    double x, z, y;
} corner;

static corner detail_vertex(const fixture *f, int32_t poly, int32_t i)
{
    const nav_polygons *p = &f->polys;
    const nav_detail *d = &f->detail;
    int32_t n = p->first[poly + 1] - p->first[poly];
    if (i < n) {
        int32_t v = p->vert[p->first[poly] + i];
        return (corner){p->x[v], p->z[v], p->y[v]};
    }
    int32_t e = d->vert_first[poly] + i - n;
    REQUIRE_LE(e + 1, d->vert_first[poly + 1]);
    return (corner){d->x[e], d->z[e], d->y[e]};
}

static bool on_edge(corner p, corner a, corner b)
{
    return area2(a.x, a.z, b.x, b.z, p.x, p.z) == 0 && fmin(a.x, b.x) <= p.x && p.x <= fmax(a.x, b.x) &&
           fmin(a.z, b.z) <= p.z && p.z <= fmax(a.z, b.z);
}

static void check_triangles(const fixture *f, int32_t poly)
{
    const nav_polygons *p = &f->polys;
    const nav_detail *d = &f->detail;
    int32_t n = p->first[poly + 1] - p->first[poly], flagged = 0;
    double polygon_area = 0, sum = 0;
    for (int32_t i = 1; i + 1 < n; i++)
        polygon_area +=
            vertex_area2(p, p->vert[p->first[poly]], p->vert[p->first[poly] + i], p->vert[p->first[poly] + i + 1]);
    for (int32_t t = d->tri_first[poly]; t < d->tri_first[poly + 1]; t++) {
        corner c[3];
        for (int i = 0; i < 3; i++) c[i] = detail_vertex(f, poly, d->tri[t][i]);
        double area = area2(c[0].x, c[0].z, c[1].x, c[1].z, c[2].x, c[2].z);
        REQUIRE_LE(1e-12, area);
        sum += area;
        REQUIRE_EQ(d->tri[t][3] & ~0x15, 0);
        for (int i = 0; i < 3; i++) {
            bool boundary = false, shared = false;
            for (int32_t k = 0; k < n; k++) {
                corner a = detail_vertex(f, poly, k), b = detail_vertex(f, poly, (k + 1) % n);
                boundary |= on_edge(c[i], a, b) && on_edge(c[(i + 1) % 3], a, b);
            }
            for (int32_t u = d->tri_first[poly]; u < d->tri_first[poly + 1]; u++)
                for (int k = 0; k < 3; k++)
                    shared |= d->tri[u][k] == d->tri[t][(i + 1) % 3] && d->tri[u][(k + 1) % 3] == d->tri[t][i];
            REQUIRE_EQ((d->tri[t][3] >> (2 * i)) & 1, boundary);
            REQUIRE_EQ(boundary, !shared);
            flagged += boundary;
        }
    }
    REQUIRE_EQ(sum, polygon_area);
    REQUIRE_LE(n, flagged);
}

static int compare_points(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

// The extra points of a polygon that lie on the edge between two vertices, sorted.
static int32_t points_on_edge(const fixture *f, int32_t poly, int32_t va, int32_t vb, corner out[256])
{
    const nav_polygons *p = &f->polys;
    corner a = {p->x[va], p->z[va], p->y[va]}, b = {p->x[vb], p->z[vb], p->y[vb]};
    int32_t n = p->first[poly + 1] - p->first[poly], count = 0;
    int32_t total = n + f->detail.vert_first[poly + 1] - f->detail.vert_first[poly];
    for (int32_t i = n; i < total; i++) {
        corner c = detail_vertex(f, poly, i);
        if (on_edge(c, a, b)) out[count++] = c;
    }
    qsort(out, (size_t)count, sizeof *out, compare_points);
    return count;
}

static void check_edges(const fixture *f, int32_t poly)
{
    const nav_polygons *p = &f->polys;
    for (int32_t c = p->first[poly]; c < p->first[poly + 1]; c++) {
        int32_t from = p->vert[c], to = p->vert[next_corner(p, poly, c)], q = p->behind[c];
        if (q < 0) continue;
        REQUIRE_LE(q + 1, p->count);
        bool mutual = false;
        for (int32_t j = p->first[q]; j < p->first[q + 1]; j++)
            mutual |= p->vert[j] == to && p->vert[next_corner(p, q, j)] == from && p->behind[j] == poly;
        REQUIRE_EQ(mutual, true);
        corner mine[256], theirs[256];
        int32_t n = points_on_edge(f, poly, from, to, mine);
        REQUIRE_EQ(n, points_on_edge(f, q, from, to, theirs));
        for (int32_t i = 0; i < n; i++) {
            REQUIRE_EQ(mine[i].x, theirs[i].x);
            REQUIRE_EQ(mine[i].z, theirs[i].z);
            REQUIRE_EQ(mine[i].y, theirs[i].y);
        }
    }
}

void fixture_build(fixture *f)
{
    REQUIRE_EQ(nav_detail_build(&f->field, &f->regions, &f->cfg, &f->arena, &f->polys, &f->detail), NAV_OK);
    const nav_polygons *p = &f->polys;
    const nav_detail *d = &f->detail;
    REQUIRE_EQ(d->vert_first[0], 0);
    REQUIRE_EQ(d->tri_first[0], 0);
    REQUIRE_EQ(d->vert_first[p->count], d->vert_count);
    REQUIRE_EQ(d->tri_first[p->count], d->tri_count);
    REQUIRE_EQ(d->inserted, d->vert_count);
    for (int32_t k = 0; k < p->count; k++) {
        int32_t n = p->first[k + 1] - p->first[k];
        REQUIRE_LE(n + d->vert_first[k + 1] - d->vert_first[k], 255);
        REQUIRE_LE(d->tri_first[k + 1] - d->tri_first[k], 255);
        check_triangles(f, k);
        check_edges(f, k);
    }
}

static bool height_in(const fixture *f, int32_t poly, double x, double z, double *y)
{
    const nav_detail *d = &f->detail;
    for (int32_t t = d->tri_first[poly]; t < d->tri_first[poly + 1]; t++) {
        corner a = detail_vertex(f, poly, d->tri[t][0]), b = detail_vertex(f, poly, d->tri[t][1]),
               c = detail_vertex(f, poly, d->tri[t][2]);
        double wa = area2(b.x, b.z, c.x, c.z, x, z), wb = area2(c.x, c.z, a.x, a.z, x, z),
               wc = area2(a.x, a.z, b.x, b.z, x, z);
        if (wa < 0 || wb < 0 || wc < 0) continue;
        *y = (wa * a.y + wb * b.y + wc * c.y) / (wa + wb + wc);
        return true;
    }
    return false;
}

static bool well_inside(const fixture *f, int32_t poly, double x, double z)
{
    const nav_polygons *p = &f->polys;
    for (int32_t c = p->first[poly]; c < p->first[poly + 1]; c++) {
        int32_t a = p->vert[c], b = p->vert[next_corner(p, poly, c)];
        double length = hypot(p->x[b] - p->x[a], p->z[b] - p->z[a]);
        if (area2(p->x[a], p->z[a], p->x[b], p->z[b], x, z) <
            length * (0.5 * f->cfg.detail_sample * f->cfg.unit + 1e-6))
            return false;
    }
    return true;
}

void fixture_check_followed(const fixture *f, int storey)
{
    const nav_compact_heightfield *o = &f->field;
    int32_t s = f->cfg.detail_sample;
    for (int32_t poly = 0; poly < f->polys.count; poly++)
        for (int32_t z = s / 2; z < f->cfg.tile_columns; z += s)
            for (int32_t x = s / 2; x < f->cfg.tile_columns; x += s) {
                double at_x = (x + 0.5) * f->cfg.unit, at_z = (z + 0.5) * f->cfg.unit;
                if (!well_inside(f, poly, at_x, at_z)) continue;
                int32_t c = (z + o->border) * o->width + x + o->border;
                for (int32_t i = o->column_first[c]; i < o->column_first[c + 1]; i++) {
                    if (f->regions.id[i] != storey + 1) continue;
                    double y;
                    if (!height_in(f, poly, at_x, at_z, &y)) ck_abort_msg("(%d, %d) is not covered", x, z);
                    REQUIRE_LE(fabs(y - o->floor[i]), f->cfg.detail_max_error + 1e-6);
                }
            }
}
