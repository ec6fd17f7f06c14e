// The polygon meshes of the literature on any-angle paths, as ground: text, all numbers divided by any white space.
//
//   mesh 2                    the word, and the version of the format
//   V P                       how many vertices and polygons
//   x y n p1 ... pn           a vertex, and the polygons around it, which need not be read
//   n v1 ... vn p1 ... pn     a polygon, counter-clockwise in x and y; p[i] is behind the edge from v[i-1] to v[i]
//
// -1 stands for no polygon. Their y is z here, which turns the polygons around. The fine grid has a step of a power of
// two, and begins at whole numbers, so that whole numbers stay what they are.
#include "core/path/ground.h"

#include "core/tile/refuse.h"

#include <math.h>
#include <string.h>

enum {
    STEPS_LEAST = 13, // of two, to a unit: vertices move by less than 1e-4
    STEPS_MOST = 20,
    LONGEST_NUMBER = 400,
};

typedef struct scanner {
    const char *text;
    size_t bytes, at;
    uint32_t line; // of the word that was read last
    char *why;
    size_t why_bytes;
} scanner;

typedef struct mesh {
    uint32_t vert_count, poly_count, corner_count;
    double *place;  // x y of each vertex
    uint32_t *line; // of each polygon
} mesh;

#define REFUSE(in, ...) nav_refuse(NAV_ERR_FORMAT, (in)->why, (in)->why_bytes, __VA_ARGS__)

// --- Words and numbers ---

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Begin and length of the next word; 0: there is none.
static const char *next_word(scanner *in, int *length)
{
    while (in->at < in->bytes && is_space(in->text[in->at])) in->line += in->text[in->at++] == '\n';
    size_t first = in->at;
    while (in->at < in->bytes && !is_space(in->text[in->at])) in->at++;
    *length = (int)(in->at - first < LONGEST_NUMBER ? in->at - first : LONGEST_NUMBER);
    return in->text + first;
}

static nav_status miss(const scanner *in, const char *what)
{
    return nav_refuse(NAV_ERR_TRUNCATED, in->why, in->why_bytes, "line %u: the file ends where %s should be", in->line,
                      what);
}

static nav_status read_whole(scanner *in, const char *what, int64_t low, int64_t high, int64_t *out)
{
    int length, i = 0;
    const char *w = next_word(in, &length);
    if (!length) return miss(in, what);
    bool minus = *w == '-';
    int64_t n = 0;
    for (i = minus; i < length && i < 16 && w[i] >= '0' && w[i] <= '9'; i++) n = 10 * n + (w[i] - '0');
    if (i < length || i == minus)
        return REFUSE(in, "line %u: %s is '%.*s', not a whole number", in->line, what, length, w);
    *out = minus ? -n : n;
    if (*out < low || *out > high)
        return REFUSE(in, "line %u: %s is %lld, not %lld to %lld", in->line, what, (long long)*out, (long long)low,
                      (long long)high);
    return NAV_OK;
}

// Decimal, with 10 ^ exponent where there is one; the same number on every machine, whatever its locale.
static bool parse_number(const char *w, int length, double *out)
{
    int i = 0, exponent = 0, digits = 0, shift = 0;
    bool minus = length && w[0] == '-', point = false;
    double n = 0;
    for (i = length && (w[0] == '-' || w[0] == '+'); i < length && ((w[i] >= '0' && w[i] <= '9') || w[i] == '.'); i++) {
        if (w[i] == '.') {
            if (point) return false;
            point = true;
            continue;
        }
        digits++;
        if (n < 1e15) { // what comes behind that is below the precision of a double
            n = 10 * n + (w[i] - '0');
            shift -= point;
        } else {
            shift += !point;
        }
    }
    if (!digits || length == LONGEST_NUMBER) return false;
    if (i < length && (w[i] == 'e' || w[i] == 'E')) {
        bool down = ++i < length && w[i] == '-';
        i += i < length && (w[i] == '-' || w[i] == '+');
        if (i == length) return false;
        for (; i < length && w[i] >= '0' && w[i] <= '9' && exponent < 1000; i++)
            exponent = 10 * exponent + (w[i] - '0');
        if (down) exponent = -exponent;
    }
    exponent += shift;
    for (; exponent > 0 && n < 1e300; exponent--) n *= 10;
    if (exponent < -300) n = 0;
    double by = 1;
    for (; n > 0 && exponent < 0; exponent++) by *= 10;
    *out = (minus ? -n : n) / by;
    return i == length;
}

static nav_status read_number(scanner *in, const char *what, double *out)
{
    int length;
    const char *w = next_word(in, &length);
    if (!length) return miss(in, what);
    if (!parse_number(w, length, out) || !(fabs(*out) <= 1e9))
        return REFUSE(in, "line %u: %s is '%.*s', not a number up to 1e9", in->line, what, length, w);
    return NAV_OK;
}

// --- The text ---

static nav_status read_head(scanner *in, mesh *m)
{
    int length;
    int64_t version, verts, polys;
    const char *w = next_word(in, &length);
    if (length != 4 || memcmp(w, "mesh", 4) != 0)
        return REFUSE(in, "line %u: not a polygon mesh: it begins with '%.*s', not with 'mesh'", in->line, length, w);
    nav_status s = read_whole(in, "the version", 0, INT32_MAX, &version);
    if (s != NAV_OK) return s;
    if (version != 2)
        return nav_refuse(NAV_ERR_VERSION, in->why, in->why_bytes, "line %u: version %lld of the format, not 2",
                          in->line, (long long)version);
    // The shortest vertex is "0 0 0 ", the shortest polygon has three corners.
    int64_t most = (int64_t)(in->bytes / 6 < INT32_MAX / 4 ? in->bytes / 6 : INT32_MAX / 4);
    s = read_whole(in, "the number of vertices", 3, most, &verts);
    if (s == NAV_OK) s = read_whole(in, "the number of polygons", 1, most / 2, &polys);
    if (s != NAV_OK) return s;
    m->vert_count = (uint32_t)verts;
    m->poly_count = (uint32_t)polys;
    m->place = malloc(2 * sizeof *m->place * m->vert_count);
    m->line = malloc(sizeof *m->line * m->poly_count);
    return m->place && m->line ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status read_vertices(scanner *in, mesh *m)
{
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < m->vert_count && s == NAV_OK; i++) {
        int64_t around = 0, poly;
        s = read_number(in, "x of a vertex", &m->place[2 * (size_t)i]);
        if (s == NAV_OK) s = read_number(in, "y of a vertex", &m->place[2 * (size_t)i + 1]);
        if (s == NAV_OK) s = read_whole(in, "the number of polygons around a vertex", 0, INT32_MAX, &around);
        for (int64_t k = 0; k < around && s == NAV_OK; k++)
            s = read_whole(in, "a polygon around a vertex", -1, (int64_t)m->poly_count - 1, &poly);
    }
    return s;
}

// Into the ground, turned around; out NULL: only counts their corners.
static nav_status read_polygons(scanner *in, mesh *m, path_ground *out)
{
    uint64_t corners = 0;
    for (uint32_t p = 0; p < m->poly_count; p++) {
        int64_t n, value;
        nav_status s = read_whole(in, "the number of corners of a polygon", 3, INT32_MAX / 4, &n);
        m->line[p] = in->line;
        uint32_t last = (uint32_t)(corners + (uint64_t)n - 1);
        for (int64_t k = 0; k < n && s == NAV_OK; k++) {
            s = read_whole(in, "a vertex of a polygon", 0, (int64_t)m->vert_count - 1, &value);
            if (out) out->vert[last - k] = (uint32_t)value;
        }
        for (int64_t k = 0; k < n && s == NAV_OK; k++) {
            s = read_whole(in, "a polygon beside a polygon", -1, (int64_t)m->poly_count - 1, &value);
            if (out) out->behind[last - k] = value < 0 ? NAV_EDGE_WALL : (int32_t)value;
        }
        if (s != NAV_OK) return s;
        corners += (uint64_t)n; // no more than there are bytes
        if (corners > INT32_MAX / 4)
            return nav_refuse(NAV_ERR_LIMIT, in->why, in->why_bytes, "line %u: too many corners", in->line);
        if (out) {
            out->first[p + 1] = (uint32_t)corners;
            out->area[p] = NAV_AREA_DEFAULT;
            out->is_ground[p] = true;
        }
    }
    int length;
    const char *w = next_word(in, &length);
    if (length) return REFUSE(in, "line %u: '%.*s' behind the last polygon", in->line, length, w);
    m->corner_count = (uint32_t)corners;
    return NAV_OK;
}

// --- The ground ---

static nav_status choose_grid(const mesh *m, const scanner *in, nav_tile_view *grid)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < 2 * (size_t)m->vert_count; i++) {
        low[i % 2] = fmin(low[i % 2], m->place[i]);
        high[i % 2] = fmax(high[i % 2], m->place[i]);
    }
    for (int a = 0; a < 2; a++) low[a] = floor(low[a]);
    double side = fmax(high[0] - low[0], high[1] - low[1]), most = (double)(NAV_PATH_MAX_COLUMNS - 1) * NAV_PATH_FINE;
    int steps = STEPS_MOST;
    while (steps > STEPS_LEAST && ldexp(side, steps) > most) steps--;
    if (ldexp(side, steps) > most)
        return nav_refuse(NAV_ERR_LIMIT, in->why, in->why_bytes, "the mesh is %g wide; the most is %g", side,
                          ldexp(most, -STEPS_LEAST));
    *grid = (nav_tile_view){.tile_cells = (int32_t)(ldexp(side, steps) / NAV_PATH_FINE) + 1,
                            .origin_m = {low[0], 0, low[1]},
                            .cell_size_m = (float)ldexp(NAV_PATH_FINE, -steps),
                            .cell_height_m = 1};
    return NAV_OK;
}

static void place_vertices(const mesh *m, const nav_tile_view *grid, path_ground *g)
{
    double fine = (double)grid->cell_size_m / NAV_PATH_FINE;
    for (uint32_t i = 0; i < m->vert_count; i++) {
        const double *at = &m->place[2 * (size_t)i];
        g->at[i] = (path_spot){(int32_t)llround((at[0] - grid->origin_m[0]) / fine),
                               (int32_t)llround((at[1] - grid->origin_m[2]) / fine)};
    }
}

// Is it ground, and does each of its neighbours name it too?
static nav_status check_polygon(const mesh *m, const scanner *in, const path_ground *g, uint32_t p)
{
    uint32_t first = g->first[p], n = g->first[p + 1] - first;
    double area = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t a = g->vert[first + k], b = g->vert[first + (k + 1) % n];
        int32_t behind = g->behind[first + k];
        path_spot from = g->at[g->vert[first]], p1 = g->at[a], p2 = g->at[b];
        area += (double)path_side(from, p1, p2);
        if (p1.x == p2.x && p1.z == p2.z)
            return REFUSE(in, "line %u: polygon %u has its vertices %u and %u at the same place", m->line[p], p, b, a);
        if (behind == NAV_EDGE_WALL) continue;
        uint32_t other = g->first[behind], end = g->first[behind + 1], j = other;
        while (j < end && !(g->vert[j] == b && g->vert[j + 1 < end ? j + 1 : other] == a)) j++;
        if (j == end || g->behind[j] != (int32_t)p)
            return REFUSE(in, "line %u: polygon %u has polygon %d behind the edge from vertex %u to %u, which %s",
                          m->line[p], p, behind, b, a, j == end ? "has no such edge" : "has another one there");
    }
    if (area < 0) return NAV_OK;
    return REFUSE(in, "line %u: polygon %u %s", m->line[p], p, area > 0 ? "is clockwise" : "has no area");
}

nav_status nav_path_read_mesh(const char *text, size_t bytes, nav_tile_view *grid, path_ground *g, char *why,
                              size_t why_bytes)
{
    scanner in = {.text = text, .bytes = bytes, .line = 1, .why = why, .why_bytes = why_bytes};
    mesh m = {0};
    *g = (path_ground){0};
    nav_status s = read_head(&in, &m);
    if (s == NAV_OK) s = read_vertices(&in, &m);
    if (s == NAV_OK) s = choose_grid(&m, &in, grid);
    scanner again = in;
    if (s == NAV_OK) s = read_polygons(&in, &m, NULL);
    if (s != NAV_OK) goto done;
    g->vert_count = m.vert_count;
    g->poly_count = m.poly_count;
    g->corner_count = m.corner_count;
    s = nav_path_ground_take(g) ? NAV_OK : NAV_ERR_MEMORY;
    if (s != NAV_OK) goto done;
    place_vertices(&m, grid, g);
    s = read_polygons(&again, &m, g);
    for (uint32_t p = 0; p < m.poly_count && s == NAV_OK; p++) s = check_polygon(&m, &in, g, p);
done:
    free(m.place);
    free(m.line);
    if (s == NAV_ERR_MEMORY) s = nav_refuse(s, why, why_bytes, "no memory for the mesh");
    return s;
}
