// Pieces of what is in the way.
//
//         |   |                  The part of a triangle (|, =) between climb and height over a triangle of the floor,
//      ===+===+===  height       cut along the floor's triangle. All is counted from the lowest corner of that one: two
//         |   |                  tiles find the same pieces.
//      . .|. .|. .  climb
//      ---+---+---  floor
#include "core/outline/widen.h"
#include "core/surface/blockers_work.h"

#include <math.h>
#include <string.h>

enum {
    WORK = 1 << 24, // pairs that are looked at, or NAV_ERR_LIMIT
    MOST = 1 << 16, // pieces, or NAV_ERR_LIMIT
    SIDE_MOST = 128,
};

nav_status nav_surface_add_start(surface_finder *w, int32_t triangle)
{
    surface_blockers *b = w->out;
    nav_status s =
        nav_grow(w->m->arena, (void **)&b->starts, &b->start_capacity, (int64_t)b->start_count + 1, sizeof *b->starts);
    if (s == NAV_OK) b->starts[b->start_count++] = triangle;
    return s;
}

// A piece that is to be widened.
static nav_status add(surface_finder *w, nav_point *at, int32_t count, int32_t triangle)
{
    const int32_t reach = (int32_t)ceil(w->m->cfg->reach) + 2;
    nav_point hull[2 * BLOCKER_POINTS + 2];
    int32_t n = nav_convex_hull(at, count, hull);
    if (n == 0) return NAV_OK;
    if (w->sources.count >= MOST) return NAV_ERR_LIMIT;
    surface_blocker of = {.start = w->out->start_count, .start_count = 1};
    nav_points_bound(hull, n, &of.low, &of.high);
    of.low = (nav_point){of.low.x - reach, of.low.z - reach};
    of.high = (nav_point){of.high.x + reach, of.high.z + reach};
    nav_status s = nav_surface_add_start(w, triangle);
    if (s == NAV_OK)
        s = nav_grow(w->m->arena, (void **)&w->source_of, &w->source_capacity, (int64_t)w->sources.count + 1,
                     sizeof *w->source_of);
    if (s != NAV_OK) return s;
    w->source_of[w->sources.count] = of;
    return nav_shapes_add(&w->sources, w->m->arena, hull, n);
}

// --- what stands on it

int32_t nav_surface_cell_of(const surface_finder *w, double at)
{
    double c = floor((at - w->m->low) / w->cell);
    return c < 0 ? 0 : c >= w->side ? w->side - 1 : (int32_t)c;
}

// Nothing meets it, and it is in no cell.
static const surface_box NOWHERE = {
    {INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN}, INT32_MAX, INT32_MIN, {1, 1}, {0, 0}};

static nav_status find_boxes(surface_finder *w)
{
    const surface_mesh *m = w->m;
    w->box = NAV_TAKE(m->arena, surface_box, m->uncut_count);
    if (m->cfg->climbs) w->stand = NAV_TAKE(m->arena, surface_stand, m->uncut_count);
    if (!w->box || (m->cfg->climbs && !w->stand)) return nav_arena_failure(m->arena);
    for (int32_t t = 0; t < m->uncut_count; t++) {
        surface_box *b = &w->box[t];
        *b = NOWHERE;
        for (int k = 0; k < 3; k++) {
            int32_t v = surface_uncut(m, t)[k];
            b->low[0] = m->x[v] < b->low[0] ? m->x[v] : b->low[0];
            b->low[1] = m->z[v] < b->low[1] ? m->z[v] : b->low[1];
            b->high[0] = m->x[v] > b->high[0] ? m->x[v] : b->high[0];
            b->high[1] = m->z[v] > b->high[1] ? m->z[v] : b->high[1];
            b->low_y = m->y[v] < b->low_y ? m->y[v] : b->low_y;
            b->high_y = m->y[v] > b->high_y ? m->y[v] : b->high_y;
        }
        if (!m->cfg->climbs) continue;
        if (surface_is_near(m, (nav_point){b->low[0], b->low[1]}, (nav_point){b->high[0], b->high[1]}))
            nav_surface_stand_on(w, t, b);
        else
            *b = NOWHERE; // what stands there cannot change the tile
    }
    return NAV_OK;
}

// Around all boxes, so that what is far from them is passed over quickly.
static void bound_boxes(surface_finder *w)
{
    const nav_config *cfg = w->m->cfg;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t t = 0; t < w->m->uncut_count; t++) {
        const surface_box *b = &w->box[t];
        if (b->low[0] > b->high[0]) continue;
        const double from[3] = {b->low[0], b->low_y, b->low[1]}, to[3] = {b->high[0], b->high_y, b->high[1]};
        for (int a = 0; a < 3; a++) {
            low[a] = from[a] < low[a] ? from[a] : low[a];
            high[a] = to[a] > high[a] ? to[a] : high[a];
        }
    }
    for (int a = 0; a < 3; a++) {
        const double step = a == 1 ? cfg->cell_height_m : cfg->unit_size_m, shift = a == 1 ? 0 : w->corner[a / 2];
        w->floor_low[a] = cfg->origin_m[a] + (low[a] + shift - 2) * step;
        w->floor_high[a] = cfg->origin_m[a] + (high[a] + shift + 2) * step;
    }
}

// Does a triangle lie outside of all boxes of the floor?
static bool is_far(const surface_finder *w, const float *v)
{
    for (int a = 0; a < 3; a++) {
        const double p = (double)v[a], q = (double)v[3 + a], r = (double)v[6 + a];
        if (p < w->floor_low[a] && q < w->floor_low[a] && r < w->floor_low[a]) return true;
        if (p > w->floor_high[a] && q > w->floor_high[a] && r > w->floor_high[a]) return true;
    }
    return false;
}

static int16_t cell_at(const surface_finder *w, int32_t at)
{
    int32_t c = (at - w->m->low) / w->cell;
    return (int16_t)(at < w->m->low ? 0 : c >= w->side ? w->side - 1 : c);
}

// Chooses the grid: as fine as is of use, but so that each triangle is in a few cells only. Returns how many that is.
static int64_t choose_cells(surface_finder *w)
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
            surface_box *b = &w->box[t];
            if (b->low[0] > b->high[0]) continue;
            for (int k = 0; k < 2; k++) {
                b->from[k] = cell_at(w, b->low[k]);
                b->to[k] = cell_at(w, b->high[k]);
            }
            sum += (int64_t)(b->to[0] - b->from[0] + 1) * (b->to[1] - b->from[1] + 1);
        }
        if (w->side == 1 || sum <= FEW * (int64_t)m->uncut_count) return sum;
    }
}

static nav_status index_floor(surface_finder *w)
{
    const surface_mesh *m = w->m;
    nav_status s = find_boxes(w);
    if (s != NAV_OK) return s;
    if (m->cfg->climbs) bound_boxes(w);
    int64_t sum = choose_cells(w);
    size_t cells = (size_t)w->side * (size_t)w->side;
    w->first = NAV_TAKE_ZERO(m->arena, int32_t, cells + 2);
    w->stamp = NAV_TAKE_ZERO(m->arena, int32_t, m->uncut_count);
    w->whole = NAV_TAKE_ZERO(m->arena, int32_t, m->uncut_count);
    w->item = NAV_TAKE(m->arena, int32_t, sum);
    w->cell_low = NAV_TAKE(m->arena, int32_t, cells);
    w->cell_high = NAV_TAKE(m->arena, int32_t, cells);
    if (!w->first || !w->stamp || !w->whole || !w->item || !w->cell_low || !w->cell_high)
        return nav_arena_failure(m->arena);
    for (size_t c = 0; c < cells; c++) {
        w->cell_low[c] = INT32_MAX;
        w->cell_high[c] = INT32_MIN;
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t t = 0; t < m->uncut_count; t++) {
            const surface_box *b = &w->box[t];
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
    for (int k = 1; k < 3; k++)
        if (surface_is_lower(m, vert[k], best)) best = vert[k];
    return best;
}

int32_t nav_surface_keep(const surface_place *in, int32_t count, double a, double b, double c, double at,
                         surface_place *out)
{
    int32_t n = 0;
    for (int32_t i = 0; i < count && n + 2 <= BLOCKER_POINTS; i++) {
        const surface_place *p = &in[i], *q = &in[i + 1 < count ? i + 1 : 0];
        double dp = a * p->x + b * p->y + c * p->z - at, dq = a * q->x + b * q->y + c * q->z - at;
        if (dp >= 0) out[n++] = *p;
        if ((dp >= 0) == (dq >= 0)) continue;
        double t = dp / (dp - dq);
        out[n++] = (surface_place){p->x + t * (q->x - p->x), p->y + t * (q->y - p->y), p->z + t * (q->z - p->z)};
    }
    return n;
}

int32_t nav_surface_keep_over(surface_place ring[2][BLOCKER_POINTS], int32_t count, const surface_plane *f, int *turn)
{
    for (int k = 0; k < 3 && count > 0; k++, *turn = !*turn) {
        const surface_place *a = &f->corner[k], *b = &f->corner[(k + 1) % 3];
        const double dx = b->x - a->x, dz = b->z - a->z; // to the right of a -> b
        count = nav_surface_keep(ring[*turn], count, dz, 0, -dx, dz * a->x - dx * a->z, ring[!*turn]);
    }
    return count;
}

bool nav_surface_plane_of(const surface_mesh *m, int32_t t, surface_plane *out)
{
    int32_t v = lowest_corner(m, t);
    out->from = surface_at(m, v);
    out->y = m->y[v];
    for (int k = 0; k < 3; k++) {
        int32_t c = surface_uncut(m, t)[k];
        out->corner[k] =
            (surface_place){(double)m->x[c] - out->from.x, (double)m->y[c] - out->y, (double)m->z[c] - out->from.z};
    }
    const surface_place *p = out->corner;
    double ux = p[1].x - p[0].x, uy = p[1].y - p[0].y, uz = p[1].z - p[0].z;
    double wx = p[2].x - p[0].x, wy = p[2].y - p[0].y, wz = p[2].z - p[0].z, whole = uz * wx - ux * wz;
    if (!(whole > 0)) return false;
    out->slope_x = (uz * wy - uy * wz) / whole;
    out->slope_z = (uy * wx - ux * wy) / whole;
    return true;
}

// Adds what of a piece, counted from the plane's corner, is over the triangle. ring[0] has it.
static nav_status add_over(surface_finder *w, surface_place ring[2][BLOCKER_POINTS], int32_t n, int turn,
                           const surface_plane *f, int32_t t)
{
    n = nav_surface_keep_over(ring, n, f, &turn);
    nav_point at[BLOCKER_POINTS];
    for (int32_t i = 0; i < n; i++)
        at[i] = (nav_point){f->from.x + (int32_t)floor(ring[turn][i].x + 0.5),
                            f->from.z + (int32_t)floor(ring[turn][i].z + 0.5)};
    return add(w, at, n, t);
}

// Adds what of three corners, in units of the world, is in the way on a triangle of the floor.
static nav_status add_pair(surface_finder *w, const surface_place corner[3], int32_t t)
{
    const surface_mesh *m = w->m;
    surface_plane f;
    surface_place ring[2][BLOCKER_POINTS];
    if (!nav_surface_plane_of(m, t, &f)) return NAV_OK;
    for (int k = 0; k < 3; k++)
        ring[0][k] = (surface_place){corner[k].x - (w->corner[0] + f.from.x), corner[k].y - f.y,
                                     corner[k].z - (w->corner[1] + f.from.z)};
    double low = m->cfg->climb_vx + BLOCKER_SLACK, high = m->cfg->height_vx;
    int32_t n = nav_surface_keep(ring[0], 3, -f.slope_x, 1, -f.slope_z, low, ring[1]);
    n = n > 0 ? nav_surface_keep(ring[1], n, f.slope_x, -1, f.slope_z, -high, ring[0]) : 0;
    return n > 0 ? add_over(w, ring, n, 0, &f, t) : NAV_OK;
}

// Do the boxes meet; inside: in more than an edge?
static bool boxes_meet(const surface_box *b, const double low[2], const double high[2], bool inside)
{
    if (inside) return b->low[0] < high[0] && b->high[0] > low[0] && b->low[1] < high[1] && b->high[1] > low[1];
    return b->low[0] <= high[0] && b->high[0] >= low[0] && b->low[1] <= high[1] && b->high[1] >= low[1];
}

// Does an edge of one of the triangles part them, as seen from above?
static bool are_beside(const surface_finder *w, const surface_place corner[3], int32_t t)
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
static nav_status add_obstacle(surface_finder *w, const surface_place corner[3], int32_t own)
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
    const bool climbs = m->cfg->climbs; // then the boxes are of what is above
    bool inside = !climbs && (own >= 0 || flat > 4 || flat < -4);
    const bool far = high[0] < m->low || high[1] < m->low || low[0] > m->high || low[1] > m->high;
    if (far && !climbs) return NAV_OK; // what stands beside the tile may be above a slope of it
    w->round++;
    int32_t x0 = nav_surface_cell_of(w, low[0]), x1 = nav_surface_cell_of(w, high[0]),
            z1 = nav_surface_cell_of(w, high[1]);
    const double top = most - (climbs ? 0 : m->cfg->climb_vx), bottom = least - (climbs ? 0 : m->cfg->height_vx);
    for (int32_t z = nav_surface_cell_of(w, low[1]); z <= z1 && s == NAV_OK; z++)
        for (int32_t c = z * w->side + x0; c <= z * w->side + x1 && s == NAV_OK; c++) {
            if (top < w->cell_low[c] || bottom > w->cell_high[c]) continue;
            for (int32_t k = w->first[c]; k < w->first[c + 1] && s == NAV_OK; k++) {
                int32_t t = w->item[k];
                if (w->stamp[t] == w->round || t == own) continue;
                w->stamp[t] = w->round;
                if (own < 0 && w->whole[t] == w->solid) continue; // it has its shapes already
                const surface_box *b = &w->box[t];
                if (top < b->low_y || bottom > b->high_y || !boxes_meet(b, low, high, inside)) continue;
                if (inside && are_beside(w, corner, t)) continue;
                if (w->work++ > WORK) return NAV_ERR_LIMIT;
                s = climbs ? nav_surface_add_shadow(w, corner, t) : add_pair(w, corner, t);
            }
        }
    return s;
}

// Triangles first..end, those that may be walked on left out.
static nav_status add_triangles(surface_finder *w, const nav_triangles *triangles, uint32_t first, uint32_t end)
{
    const nav_config *cfg = w->m->cfg;
    nav_status s = NAV_OK;
    for (uint32_t t = first; t < end && s == NAV_OK; t++) {
        if (triangles->areas[t] != NAV_AREA_NONE) continue;
        if (cfg->climbs && is_far(w, triangles->verts + 9 * (size_t)t)) continue;
        surface_place corner[3];
        for (int k = 0; k < 3; k++) {
            const float *v = triangles->verts + 9 * (size_t)t + 3 * k;
            corner[k] = (surface_place){((double)v[0] - cfg->origin_m[0]) / cfg->unit_size_m,
                                        ((double)v[1] - cfg->origin_m[1]) / cfg->cell_height_m,
                                        ((double)v[2] - cfg->origin_m[2]) / cfg->unit_size_m};
        }
        s = add_obstacle(w, corner, SURFACE_NONE);
    }
    return s;
}

// The floors' own triangles.
static nav_status add_floors(surface_finder *w)
{
    const surface_mesh *m = w->m;
    nav_status s = NAV_OK;
    for (int32_t t = 0; t < m->uncut_count && s == NAV_OK; t++) {
        surface_place corner[3];
        for (int k = 0; k < 3; k++) {
            int32_t v = surface_uncut(m, t)[k];
            corner[k] = (surface_place){w->corner[0] + m->x[v], m->y[v], w->corner[1] + m->z[v]};
        }
        s = add_obstacle(w, corner, t);
    }
    return s;
}

static nav_status add_obstacles(surface_finder *w, const nav_triangles *triangles, bool several)
{
    uint32_t done = 0;
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < triangles->obstacle_count && s == NAV_OK; i++) {
        const nav_obstacle *o = &triangles->obstacles[i];
        bool partly;
        s = add_triangles(w, triangles, done, o->first);
        if (s == NAV_OK) s = nav_surface_add_obstacle(w, o, &partly);
        if (s == NAV_OK && partly) s = add_triangles(w, triangles, o->first, o->first + o->count);
        w->solid++; // what comes next has marks of its own
        done = o->first + o->count;
    }
    if (s == NAV_OK) s = add_triangles(w, triangles, done, triangles->count);
    return s == NAV_OK && (several || w->m->cfg->climbs) ? add_floors(w) : s;
}

// --- volumes

bool nav_surface_is_blocked(const nav_config *cfg, const nav_volume *v)
{
    return !v->include && (v->area == NAV_AREA_NONE || !(cfg->walkable_areas >> v->area & 1));
}

// Where the floor is in it in part.
static nav_status add_volume_pieces(surface_finder *w, const nav_volume *v)
{
    const surface_mesh *m = w->m;
    const nav_config *cfg = m->cfg;
    nav_status s = NAV_OK;
    int32_t count = (int32_t)v->point_count;
    for (int32_t t = 0; t < m->uncut_count && s == NAV_OK; t++) {
        surface_plane f;
        surface_place ring[2][BLOCKER_POINTS];
        const surface_box *b = &w->box[t];
        double bottom = ((double)v->min_y - cfg->origin_m[1]) / cfg->cell_height_m;
        double top = ((double)v->max_y - cfg->origin_m[1]) / cfg->cell_height_m;
        if (w->whole[t] == w->solid || b->high_y < bottom || b->low_y > top || !nav_surface_plane_of(m, t, &f))
            continue;
        for (int32_t i = 0; i < count; i++) {
            double x = ((double)v->points[2 * i] - cfg->origin_m[0]) / cfg->unit_size_m;
            double z = ((double)v->points[2 * i + 1] - cfg->origin_m[2]) / cfg->unit_size_m;
            ring[0][i] = (surface_place){x - (w->corner[0] + f.from.x), 0, z - (w->corner[1] + f.from.z)};
        }
        int32_t n = nav_surface_keep(ring[0], count, f.slope_x, 0, f.slope_z, bottom - f.y, ring[1]);
        n = n > 0 ? nav_surface_keep(ring[1], n, -f.slope_x, 0, -f.slope_z, f.y - top, ring[0]) : 0;
        if (n > 0) s = add_over(w, ring, n, 0, &f, t);
    }
    return s;
}

static nav_status add_volumes(surface_finder *w, const nav_tile_source *source)
{
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < source->volume_count && s == NAV_OK; i++) {
        bool partly;
        if (!nav_surface_is_blocked(w->m->cfg, &source->volumes[i])) continue;
        s = nav_surface_add_volume(w, &source->volumes[i], &partly);
        if (s == NAV_OK && partly) s = add_volume_pieces(w, &source->volumes[i]);
    }
    return s;
}

static nav_status widen_pieces(surface_finder *w)
{
    surface_blockers *b = w->out;
    const int32_t first = b->shapes.count;
    nav_status s = nav_shapes_widen_all(&w->sources, w->m->cfg->radius, w->m->arena, &b->shapes);
    if (s == NAV_OK) s = nav_grow(w->m->arena, (void **)&b->of, &b->capacity, b->shapes.count, sizeof *b->of);
    if (s == NAV_OK && w->sources.count > 0)
        memcpy(b->of + first, w->source_of, (size_t)w->sources.count * sizeof *b->of);
    return s;
}

nav_status nav_surface_find_blockers(surface_mesh *m, const nav_triangles *triangles, const nav_tile_source *source,
                                     bool several, const int32_t *region, int32_t region_count, surface_blockers *out)
{
    *out = (surface_blockers){0};
    const nav_config *cfg = m->cfg;
    surface_finder w = {.m = m,
                        .out = out,
                        .style = nav_corner_style_of(cfg),
                        .solid = 1,
                        .region = region,
                        .corner = {(double)cfg->tile_x * cfg->tile_units, (double)cfg->tile_z * cfg->tile_units}};
    w.region_mark = NAV_TAKE_ZERO(m->arena, int32_t, (size_t)region_count + 1);
    if (!w.region_mark) return nav_arena_failure(m->arena);
    nav_status s = nav_surface_find_ends(&w);
    if (s == NAV_OK && (!m->single || source->volume_count > 0)) s = index_floor(&w);
    if (s == NAV_OK && !m->single) s = add_obstacles(&w, triangles, several); // nothing stands on it
    if (cfg->climbs) return s; // its shapes are wide already, and volumes are among the triangles
    if (s == NAV_OK) s = add_volumes(&w, source);
    return s == NAV_OK ? widen_pieces(&w) : s;
}
