// Pieces of what is in the way.
//
//         |   |                  The part of a triangle (|, =) between climb and height over a triangle of the floor,
//      ===+===+===  height       cut along the floor's triangle. All is counted from the lowest corner of that one: two
//         |   |                  tiles find the same pieces.
//      . .|. .|. .  climb
//      ---+---+---  floor
#include "core/surface/blockers.h"

#include <math.h>

enum {
    SLACK = 2,      // steps over the climb: what only touches the floor is not in the way
    POINTS = 48,    // of a piece while it is cut
    LINES = 64,     // sides of tiles that one edge is cut at
    WORK = 1 << 24, // pairs that are looked at, or NAV_ERR_LIMIT
    MOST = 1 << 16, // pieces, or NAV_ERR_LIMIT
    SIDE_MOST = 128,
};

typedef struct place {
    double x, y, z;
} place;

// Of a triangle of the floor, as it came: a corner on an edge, which cuts a triangle, may be one that the tile behind a
// side has no reason to look at.
typedef struct tri_box {
    int32_t low[2], high[2], low_y, high_y;
    int16_t from[2], to[2]; // cells
} tri_box;

typedef struct finder {
    surface_mesh *m;
    surface_blockers *out;
    int32_t side, cell; // a grid over what can change the tile: cells along it, units to one
    int32_t *first, *item;
    int32_t *cell_low, *cell_high; // per cell: between which heights its triangles are
    tri_box *box;                  // per triangle
    int32_t *stamp, round;         // per triangle
    int64_t work;
    double corner[2]; // of the tile in the world, units
} finder;

static nav_status add(finder *w, nav_point *at, int32_t count, int32_t triangle)
{
    surface_blockers *b = w->out;
    nav_point hull[2 * POINTS + 2];
    int32_t n = nav_convex_hull(at, count, hull);
    if (n == 0) return NAV_OK;
    if (b->shapes.count >= MOST) return NAV_ERR_LIMIT;
    nav_status s =
        nav_grow(w->m->arena, (void **)&b->triangle, &b->capacity, (int64_t)b->shapes.count + 1, sizeof *b->triangle);
    if (s != NAV_OK) return s;
    b->triangle[b->shapes.count] = triangle;
    return nav_shapes_add(&b->shapes, w->m->arena, hull, n);
}

// --- ends of the floor

static int32_t floor_divide(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return (int32_t)(q * b > a ? q - 1 : q);
}

typedef struct stop {
    double part;
    nav_point at;
} stop;

static int32_t add_stops(const surface_mesh *m, int32_t half, int axis, stop *stops, int32_t n)
{
    int32_t a = m->vert[half], b = m->vert[surface_next(half)], whole_a, whole_b;
    surface_ends(m, half, &whole_a, &whole_b);
    const int32_t *along = axis ? m->z : m->x;
    int64_t side = m->cfg->tile_units, from = along[a] < along[b] ? along[a] : along[b];
    int64_t to = along[a] < along[b] ? along[b] : along[a];
    int64_t k = floor_divide(m->low, side), last = -floor_divide(-(int64_t)m->high, side);
    for (; k <= last && n < LINES; k++) {
        int64_t at = k * side;
        if (at <= from || at >= to) continue;
        int32_t height, other = nav_surface_cross(m, whole_a, whole_b, axis, (int32_t)at, &height);
        stops[n].part = (double)(at - along[a]) / (double)((int64_t)along[b] - along[a]);
        stops[n++].at = axis ? (nav_point){other, (int32_t)at} : (nav_point){(int32_t)at, other};
    }
    return n;
}

static nav_status add_edge(finder *w, int32_t half)
{
    const surface_mesh *m = w->m;
    stop stops[LINES + 2];
    int32_t a = m->vert[half], b = m->vert[surface_next(half)], n = 1;
    nav_status s = NAV_OK;
    stops[0] = (stop){0, surface_at(m, a)};
    n = add_stops(m, half, 0, stops, n);
    n = add_stops(m, half, 1, stops, n);
    for (int32_t i = 2; i < n; i++) {
        stop p = stops[i];
        int32_t k = i;
        for (; k > 1 && stops[k - 1].part > p.part; k--) stops[k] = stops[k - 1];
        stops[k] = p;
    }
    stops[n++] = (stop){1, surface_at(m, b)};
    for (int32_t i = 0; i + 1 < n && s == NAV_OK; i++) {
        nav_point ends[2] = {stops[i].at, stops[i + 1].at};
        bool out = (ends[0].x < m->low && ends[1].x < m->low) || (ends[0].z < m->low && ends[1].z < m->low) ||
                   (ends[0].x > m->high && ends[1].x > m->high) || (ends[0].z > m->high && ends[1].z > m->high);
        if (out || nav_point_same(ends[0], ends[1])) continue;
        if (w->out->shapes.count >= MOST) return NAV_ERR_LIMIT;
        s = nav_grow(m->arena, (void **)&w->out->triangle, &w->out->capacity, (int64_t)w->out->shapes.count + 1,
                     sizeof(int32_t));
        if (s != NAV_OK) return s;
        w->out->triangle[w->out->shapes.count] = half / 3;
        s = nav_shapes_add(&w->out->shapes, m->arena, ends, 2); // in their order: the floor is to the right
    }
    return s;
}

static nav_status add_edges(finder *w)
{
    const surface_mesh *m = w->m;
    nav_status s = NAV_OK;
    for (int32_t h = 0; h < 3 * m->tri_count && s == NAV_OK; h++) {
        if (m->twin[h] != SURFACE_NONE) continue;
        nav_point p = surface_at(m, m->vert[h]), q = surface_at(m, m->vert[surface_next(h)]);
        if ((p.x < m->low && q.x < m->low) || (p.z < m->low && q.z < m->low) || (p.x > m->high && q.x > m->high) ||
            (p.z > m->high && q.z > m->high))
            continue;
        s = add_edge(w, h);
    }
    w->out->edges = w->out->shapes.count;
    return s;
}

// --- what stands on it

static int32_t cell_of(const finder *w, double at)
{
    double c = floor((at - w->m->low) / w->cell);
    return c < 0 ? 0 : c >= w->side ? w->side - 1 : (int32_t)c;
}

static nav_status find_boxes(finder *w)
{
    const surface_mesh *m = w->m;
    w->box = NAV_TAKE(m->arena, tri_box, m->uncut_count);
    if (!w->box) return nav_arena_failure(m->arena);
    for (int32_t t = 0; t < m->uncut_count; t++) {
        tri_box *b = &w->box[t];
        *b = (tri_box){{INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN}, INT32_MAX, INT32_MIN, {0, 0}, {0, 0}};
        for (int k = 0; k < 3; k++) {
            int32_t v = surface_uncut(m, t)[k];
            b->low[0] = m->x[v] < b->low[0] ? m->x[v] : b->low[0];
            b->low[1] = m->z[v] < b->low[1] ? m->z[v] : b->low[1];
            b->high[0] = m->x[v] > b->high[0] ? m->x[v] : b->high[0];
            b->high[1] = m->z[v] > b->high[1] ? m->z[v] : b->high[1];
            b->low_y = m->y[v] < b->low_y ? m->y[v] : b->low_y;
            b->high_y = m->y[v] > b->high_y ? m->y[v] : b->high_y;
        }
    }
    return NAV_OK;
}

static int16_t cell_at(const finder *w, int32_t at)
{
    int32_t c = (at - w->m->low) / w->cell;
    return (int16_t)(at < w->m->low ? 0 : c >= w->side ? w->side - 1 : c);
}

// Chooses the grid: as fine as is of use, but so that each triangle is in a few cells only. Returns how many that is.
static int64_t choose_cells(finder *w)
{
    enum { FEW = 16 };
    const surface_mesh *m = w->m;
    int64_t sum;
    w->side = 1;
    while (w->side < SIDE_MOST && 2 * w->side * w->side < m->uncut_count) w->side *= 2;
    for (;; w->side /= 2) {
        sum = 0;
        w->cell = (m->high - m->low) / w->side + 1;
        for (int32_t t = 0; t < m->uncut_count; t++) {
            tri_box *b = &w->box[t];
            for (int k = 0; k < 2; k++) {
                b->from[k] = cell_at(w, b->low[k]);
                b->to[k] = cell_at(w, b->high[k]);
            }
            sum += (int64_t)(b->to[0] - b->from[0] + 1) * (b->to[1] - b->from[1] + 1);
        }
        if (w->side == 1 || sum <= FEW * (int64_t)m->uncut_count) return sum;
    }
}

static nav_status index_floor(finder *w)
{
    const surface_mesh *m = w->m;
    nav_status s = find_boxes(w);
    if (s != NAV_OK) return s;
    int64_t sum = choose_cells(w);
    size_t cells = (size_t)w->side * (size_t)w->side;
    w->first = NAV_TAKE_ZERO(m->arena, int32_t, cells + 2);
    w->stamp = NAV_TAKE_ZERO(m->arena, int32_t, m->uncut_count);
    w->item = NAV_TAKE(m->arena, int32_t, sum);
    w->cell_low = NAV_TAKE(m->arena, int32_t, cells);
    w->cell_high = NAV_TAKE(m->arena, int32_t, cells);
    if (!w->first || !w->stamp || !w->item || !w->cell_low || !w->cell_high) return nav_arena_failure(m->arena);
    for (size_t c = 0; c < cells; c++) {
        w->cell_low[c] = INT32_MAX;
        w->cell_high[c] = INT32_MIN;
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t t = 0; t < m->uncut_count; t++) {
            const tri_box *b = &w->box[t];
            for (int32_t z = b->from[1]; z <= b->to[1]; z++)
                for (int32_t x = b->from[0]; x <= b->to[0]; x++) {
                    int32_t c = z * w->side + x;
                    if (turn == 1) {
                        w->item[w->first[c + 1]++] = t;
                        continue;
                    }
                    w->first[c + 2]++;
                    w->cell_low[c] = b->low_y < w->cell_low[c] ? b->low_y : w->cell_low[c];
                    w->cell_high[c] = b->high_y > w->cell_high[c] ? b->high_y : w->cell_high[c];
                }
        }
        for (size_t c = 2; c < cells + 2 && turn == 0; c++) w->first[c] += w->first[c - 1];
    }
    return NAV_OK;
}

static int32_t lowest_corner(const surface_mesh *m, int32_t t)
{
    const int32_t *vert = surface_uncut(m, t);
    int32_t best = vert[0];
    for (int k = 1; k < 3; k++) {
        int32_t v = vert[k];
        if (m->x[v] != m->x[best]   ? m->x[v] < m->x[best]
            : m->z[v] != m->z[best] ? m->z[v] < m->z[best]
                                    : m->y[v] < m->y[best])
            best = v;
    }
    return best;
}

// Keeps of a piece what has a * x + b * y + c * z >= at. Returns how many corners that has.
static int32_t keep(const place *in, int32_t count, double a, double b, double c, double at, place *out)
{
    int32_t n = 0;
    for (int32_t i = 0; i < count && n + 2 <= POINTS; i++) {
        const place *p = &in[i], *q = &in[i + 1 < count ? i + 1 : 0];
        double dp = a * p->x + b * p->y + c * p->z - at, dq = a * q->x + b * q->y + c * q->z - at;
        if (dp >= 0) out[n++] = *p;
        if ((dp >= 0) == (dq >= 0)) continue;
        double t = dp / (dp - dq);
        out[n++] = (place){p->x + t * (q->x - p->x), p->y + t * (q->y - p->y), p->z + t * (q->z - p->z)};
    }
    return n;
}

// The plane of a triangle of the floor, from its lowest corner: y = slope_x * x + slope_z * z.
typedef struct floor_plane {
    nav_point from;
    int32_t y;
    double slope_x, slope_z;
    place corner[3];
} floor_plane;

static bool plane_of(const surface_mesh *m, int32_t t, floor_plane *out)
{
    int32_t v = lowest_corner(m, t);
    out->from = surface_at(m, v);
    out->y = m->y[v];
    for (int k = 0; k < 3; k++) {
        int32_t c = surface_uncut(m, t)[k];
        out->corner[k] =
            (place){(double)m->x[c] - out->from.x, (double)m->y[c] - out->y, (double)m->z[c] - out->from.z};
    }
    const place *p = out->corner;
    double ux = p[1].x - p[0].x, uy = p[1].y - p[0].y, uz = p[1].z - p[0].z;
    double wx = p[2].x - p[0].x, wy = p[2].y - p[0].y, wz = p[2].z - p[0].z, whole = uz * wx - ux * wz;
    if (!(whole > 0)) return false;
    out->slope_x = (uz * wy - uy * wz) / whole;
    out->slope_z = (uy * wx - ux * wy) / whole;
    return true;
}

// Adds what of a piece, counted from the plane's corner, is over the triangle. ring[0] has it.
static nav_status add_over(finder *w, place ring[2][POINTS], int32_t n, int turn, const floor_plane *f, int32_t t)
{
    for (int k = 0; k < 3 && n > 0; k++) {
        const place *a = &f->corner[k], *b = &f->corner[(k + 1) % 3];
        double dx = b->x - a->x, dz = b->z - a->z; // to the right of a -> b
        n = keep(ring[turn], n, dz, 0, -dx, dz * a->x - dx * a->z, ring[!turn]);
        turn = !turn;
    }
    nav_point at[POINTS];
    for (int32_t i = 0; i < n; i++)
        at[i] = (nav_point){f->from.x + (int32_t)floor(ring[turn][i].x + 0.5),
                            f->from.z + (int32_t)floor(ring[turn][i].z + 0.5)};
    return add(w, at, n, t);
}

// Adds what of three corners, in units of the world, is in the way on a triangle of the floor.
static nav_status add_pair(finder *w, const place corner[3], int32_t t)
{
    const surface_mesh *m = w->m;
    floor_plane f;
    place ring[2][POINTS];
    if (!plane_of(m, t, &f)) return NAV_OK;
    for (int k = 0; k < 3; k++)
        ring[0][k] = (place){corner[k].x - (w->corner[0] + f.from.x), corner[k].y - f.y,
                             corner[k].z - (w->corner[1] + f.from.z)};
    double low = m->cfg->climb_vx + SLACK, high = m->cfg->height_vx;
    int32_t n = keep(ring[0], 3, -f.slope_x, 1, -f.slope_z, low, ring[1]);
    n = n > 0 ? keep(ring[1], n, f.slope_x, -1, f.slope_z, -high, ring[0]) : 0;
    return n > 0 ? add_over(w, ring, n, 0, &f, t) : NAV_OK;
}

// Do the boxes meet; inside: in more than an edge?
static bool boxes_meet(const tri_box *b, const double low[2], const double high[2], bool inside)
{
    if (inside) return b->low[0] < high[0] && b->high[0] > low[0] && b->low[1] < high[1] && b->high[1] > low[1];
    return b->low[0] <= high[0] && b->high[0] >= low[0] && b->low[1] <= high[1] && b->high[1] >= low[1];
}

// Does an edge of one of the triangles part them, as seen from above?
static bool are_beside(const finder *w, const place corner[3], int32_t t)
{
    const surface_mesh *m = w->m;
    double p[2][3][2];
    for (int k = 0; k < 3; k++) {
        p[0][k][0] = corner[k].x - w->corner[0];
        p[0][k][1] = corner[k].z - w->corner[1];
        p[1][k][0] = m->x[surface_uncut(m, t)[k]];
        p[1][k][1] = m->z[surface_uncut(m, t)[k]];
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            const double *a = p[i][k], *b = p[i][(k + 1) % 3], *own = p[i][(k + 2) % 3];
            double dx = b[0] - a[0], dz = b[1] - a[1], length = sqrt(dx * dx + dz * dz);
            double side = dx * (own[1] - a[1]) - dz * (own[0] - a[0]), sign = side < 0 ? -1 : 1;
            bool apart = true;
            for (int c = 0; c < 3 && apart; c++) // beyond the edge, or within a unit of it
                apart = sign * (dx * (p[!i][c][1] - a[1]) - dz * (p[!i][c][0] - a[0])) <= length;
            if (apart) return true;
        }
    return false;
}

// Adds what of a triangle is in the way. own: its number in the mesh, or SURFACE_NONE.
static nav_status add_obstacle(finder *w, const place corner[3], int32_t own)
{
    const surface_mesh *m = w->m;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, least = INFINITY, most = -INFINITY;
    nav_status s = NAV_OK;
    for (int k = 0; k < 3; k++) {
        const double at[2] = {corner[k].x - w->corner[0], corner[k].z - w->corner[1]};
        for (int i = 0; i < 2; i++) {
            low[i] = at[i] < low[i] ? at[i] : low[i];
            high[i] = at[i] > high[i] ? at[i] : high[i];
        }
        least = corner[k].y < least ? corner[k].y : least;
        most = corner[k].y > most ? corner[k].y : most;
    }
    // One that is not upright and only touches a triangle of the floor from beside is not above it.
    double flat = (corner[1].x - corner[0].x) * (corner[2].z - corner[0].z) -
                  (corner[1].z - corner[0].z) * (corner[2].x - corner[0].x);
    bool inside = own >= 0 || flat > 4 || flat < -4;
    if (high[0] < m->low || high[1] < m->low || low[0] > m->high || low[1] > m->high) return NAV_OK;
    w->round++;
    int32_t x0 = cell_of(w, low[0]), x1 = cell_of(w, high[0]), z1 = cell_of(w, high[1]);
    const double top = most - m->cfg->climb_vx, bottom = least - m->cfg->height_vx;
    for (int32_t z = cell_of(w, low[1]); z <= z1 && s == NAV_OK; z++)
        for (int32_t c = z * w->side + x0; c <= z * w->side + x1 && s == NAV_OK; c++) {
            if (top < w->cell_low[c] || bottom > w->cell_high[c]) continue;
            for (int32_t k = w->first[c]; k < w->first[c + 1] && s == NAV_OK; k++) {
                int32_t t = w->item[k];
                if (w->stamp[t] == w->round || t == own) continue;
                w->stamp[t] = w->round;
                const tri_box *b = &w->box[t];
                if (top < b->low_y || bottom > b->high_y || !boxes_meet(b, low, high, inside)) continue;
                if (inside && are_beside(w, corner, t)) continue;
                if (w->work++ > WORK) return NAV_ERR_LIMIT;
                s = add_pair(w, corner, t);
            }
        }
    return s;
}

static nav_status add_obstacles(finder *w, const nav_triangles *triangles, bool several)
{
    const surface_mesh *m = w->m;
    const nav_config *cfg = m->cfg;
    nav_status s = NAV_OK;
    for (uint32_t t = 0; t < triangles->count && s == NAV_OK; t++) {
        if (triangles->areas[t] != NAV_AREA_NONE) continue;
        place corner[3];
        for (int k = 0; k < 3; k++) {
            const float *v = triangles->verts + 9 * (size_t)t + 3 * k;
            corner[k] = (place){((double)v[0] - cfg->origin_m[0]) / cfg->unit_size_m,
                                ((double)v[1] - cfg->origin_m[1]) / cfg->cell_height_m,
                                ((double)v[2] - cfg->origin_m[2]) / cfg->unit_size_m};
        }
        s = add_obstacle(w, corner, SURFACE_NONE);
    }
    for (int32_t t = 0; t < m->uncut_count && several && s == NAV_OK; t++) {
        place corner[3];
        for (int k = 0; k < 3; k++) {
            int32_t v = surface_uncut(m, t)[k];
            corner[k] = (place){w->corner[0] + m->x[v], m->y[v], w->corner[1] + m->z[v]};
        }
        s = add_obstacle(w, corner, t);
    }
    return s;
}

// --- volumes

bool nav_surface_is_blocked(const nav_config *cfg, const nav_volume *v)
{
    return !v->include && (v->area == NAV_AREA_NONE || !(cfg->walkable_areas >> v->area & 1));
}

static nav_status add_volume(finder *w, const nav_volume *v)
{
    const surface_mesh *m = w->m;
    const nav_config *cfg = m->cfg;
    nav_status s = NAV_OK;
    int32_t count = (int32_t)v->point_count;
    for (int32_t t = 0; t < m->uncut_count && s == NAV_OK; t++) {
        floor_plane f;
        place ring[2][POINTS];
        const tri_box *b = &w->box[t];
        double bottom = ((double)v->min_y - cfg->origin_m[1]) / cfg->cell_height_m;
        double top = ((double)v->max_y - cfg->origin_m[1]) / cfg->cell_height_m;
        if (b->high_y < bottom || b->low_y > top || !plane_of(m, t, &f)) continue;
        for (int32_t i = 0; i < count; i++) {
            double x = ((double)v->points[2 * i] - cfg->origin_m[0]) / cfg->unit_size_m;
            double z = ((double)v->points[2 * i + 1] - cfg->origin_m[2]) / cfg->unit_size_m;
            ring[0][i] = (place){x - (w->corner[0] + f.from.x), 0, z - (w->corner[1] + f.from.z)};
        }
        int32_t n = keep(ring[0], count, f.slope_x, 0, f.slope_z, bottom - f.y, ring[1]);
        n = n > 0 ? keep(ring[1], n, -f.slope_x, 0, -f.slope_z, f.y - top, ring[0]) : 0;
        if (n > 0) s = add_over(w, ring, n, 0, &f, t);
    }
    return s;
}

nav_status nav_surface_find_blockers(surface_mesh *m, const nav_triangles *triangles, const nav_tile_source *source,
                                     bool several, surface_blockers *out)
{
    *out = (surface_blockers){0};
    const nav_config *cfg = m->cfg;
    finder w = {
        .m = m, .out = out, .corner = {(double)cfg->tile_x * cfg->tile_units, (double)cfg->tile_z * cfg->tile_units}};
    nav_status s = add_edges(&w);
    if (s == NAV_OK && (!m->sheet || source->volume_count > 0)) s = index_floor(&w);
    if (s == NAV_OK && !m->sheet) s = add_obstacles(&w, triangles, several);
    for (uint32_t i = 0; i < source->volume_count && s == NAV_OK; i++)
        if (nav_surface_is_blocked(cfg, &source->volumes[i])) s = add_volume(&w, &source->volumes[i]);
    return s;
}
