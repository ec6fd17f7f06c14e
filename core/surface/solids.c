// What is solid is in the way of a floor with all of its outline, each thing on its own:
//
//       .----------.     What is in the way wherever it lies over a triangle of the floor counts as a whole: each
//      /  +------+  \    edge of its outline is moved outwards by the radius, and what is inside is closed. The
//     |   |######|   |   shapes are worked out from the thing alone, so every tile that sees it has the same ones;
//     |   |###+--+  /    they are united with those of other things in the tile. Where the floor rises past the top
//     |   |###|  .-'     of it, or falls away below, pieces are in the way, and blockers.c finds them.
#include "core/surface/blockers_work.h"

enum { WORK = 1 << 24 }; // pairs of triangles that are looked at, or NAV_ERR_LIMIT

// A floor from `low` to `high` is blocked; steps.
typedef struct solid {
    surface_footprint f;
    double low, high;
} solid;

// Does an edge of the one part it from the other, as seen from above, or within a unit?
static bool parts(const nav_point a[3], const nav_point b[3])
{
    for (int k = 0; k < 3; k++) {
        const nav_point p = a[k], q = a[(k + 1) % 3];
        int64_t own = nav_right(p, q, a[(k + 2) % 3]), dx = (int64_t)q.x - p.x, dz = (int64_t)q.z - p.z;
        int64_t unit = (dx < 0 ? -dx : dx) > (dz < 0 ? -dz : dz) ? (dx < 0 ? -dx : dx) : (dz < 0 ? -dz : dz);
        bool apart = own != 0;
        for (int c = 0; c < 3 && apart; c++) {
            int64_t right = nav_right(p, q, b[c]);
            apart = own > 0 ? right <= unit : right >= -unit;
        }
        if (apart) return true;
    }
    return false;
}

static bool lies_over(surface_finder *w, const surface_footprint *f, int32_t t)
{
    const surface_mesh *m = w->m;
    const surface_box *b = &w->box[t];
    const int32_t *vert = surface_uncut(m, t);
    const nav_point floor[3] = {surface_at(m, vert[0]), surface_at(m, vert[1]), surface_at(m, vert[2])};
    if (nav_right(floor[0], floor[1], floor[2]) == 0) return false;
    for (int32_t i = 0; i < f->tri_count; i++) {
        const nav_point *at = f->tri + 3 * (size_t)i;
        nav_point low, high;
        nav_points_bound(at, 3, &low, &high);
        if (high.x <= b->low[0] || low.x >= b->high[0] || high.z <= b->low[1] || low.z >= b->high[1]) continue;
        w->work++;
        if (nav_right(at[0], at[1], at[2]) != 0 && !parts(at, floor) && !parts(floor, at)) return true;
    }
    return false;
}

// The heights of the floor's plane around the thing, as far as the triangle reaches.
static void heights_under(const surface_finder *w, const surface_footprint *f, int32_t t, double *low, double *high)
{
    const surface_box *b = &w->box[t];
    surface_plane p;
    *low = b->low_y;
    *high = b->high_y;
    if (b->low_y == b->high_y || !nav_surface_plane_of(w->m, t, &p)) return;
    double least = INFINITY, most = -INFINITY;
    const double reach = w->m->cfg->reach + 2;
    for (int k = 0; k < 4; k++) {
        double x = (k & 1 ? f->high.x + reach : f->low.x - reach) - p.from.x;
        double z = (k & 2 ? f->high.z + reach : f->low.z - reach) - p.from.z;
        double y = p.y + p.slope_x * x + p.slope_z * z;
        least = y < least ? y : least;
        most = y > most ? y : most;
    }
    *low = least > *low ? least : *low;
    *high = most < *high ? most : *high;
}

static nav_status note_above(surface_finder *w, int32_t t)
{
    nav_status s =
        nav_grow(w->m->arena, (void **)&w->above, &w->above_capacity, (int64_t)w->above_count + 1, sizeof *w->above);
    if (s == NAV_OK) w->above[w->above_count++] = t;
    return s;
}

// What it is to a triangle that is near: in the way on all of it that is near, on a part of it, or none of its
// business.
static nav_status judge(surface_finder *w, const solid *s, int32_t t, surface_blocker *of, bool *partly)
{
    double low, high;
    heights_under(w, &s->f, t, &low, &high);
    if (high < s->low) return NAV_OK;
    if (low >= s->low && high <= s->high) {
        nav_status status = nav_surface_add_start(w, t);
        w->whole[t] = w->solid;
        of->start_count++;
        return status;
    }
    if (!lies_over(w, &s->f, t)) return NAV_OK;
    *partly |= low <= s->high;
    return low > s->high ? note_above(w, t) : NAV_OK;
}

// Finds the triangles that it is in the way of as a whole, whether it lies over them or beside: its corners may reach
// them.
static nav_status find_starts(surface_finder *w, const solid *s, surface_blocker *of, bool *partly)
{
    const double reach = w->m->cfg->reach + 2;
    const surface_footprint *f = &s->f;
    int32_t x0 = nav_surface_cell_of(w, f->low.x - reach), x1 = nav_surface_cell_of(w, f->high.x + reach);
    int32_t z0 = nav_surface_cell_of(w, f->low.z - reach), z1 = nav_surface_cell_of(w, f->high.z + reach);
    nav_status status = NAV_OK;
    w->round++;
    w->above_count = 0;
    for (int32_t z = z0; z <= z1; z++)
        for (int32_t k = w->first[z * w->side + x0]; k < w->first[z * w->side + x1 + 1] && status == NAV_OK; k++) {
            int32_t t = w->item[k];
            if (w->stamp[t] == w->round) continue;
            w->stamp[t] = w->round;
            if (w->work > WORK) return NAV_ERR_LIMIT;
            status = judge(w, s, t, of, partly);
        }
    return status;
}

static int32_t next_piece(const surface_mesh *m, int32_t t)
{
    return m->piece ? m->piece[t] : SURFACE_NONE;
}

// Does a floor that it is in the way of go on over it, as over a bridge? Then its outline is too much for that floor.
static bool is_passed_over(surface_finder *w, const surface_blocker *of)
{
    bool over = false;
    for (int32_t i = of->start; i < of->start + of->start_count; i++)
        for (int32_t t = w->out->starts[i]; t >= 0; t = next_piece(w->m, t)) w->region_mark[w->region[t]] = w->solid;
    w->region_mark[0] = 0; // of no face
    for (int32_t i = 0; i < w->above_count && !over; i++)
        for (int32_t t = w->above[i]; t >= 0 && !over; t = next_piece(w->m, t))
            over = w->region_mark[w->region[t]] == w->solid;
    return over;
}

static bool is_convex(const surface_footprint *f)
{
    bool convex = f->loop_count == 1 && f->first[1] > 2;
    for (int32_t i = 0, n = f->first[f->loop_count]; i < n && convex; i++)
        convex = nav_right(f->at[i], f->at[i + 1 < n ? i + 1 : 0], f->at[i + 2 < n ? i + 2 : i + 2 - n]) <= 0;
    return convex;
}

static nav_status add_loop(surface_finder *w, const nav_point *at, int32_t n, surface_blocker of)
{
    const int32_t reach = (int32_t)ceil(w->m->cfg->reach) + 2;
    surface_edge e = {.is_begun = true, .is_ended = true};
    nav_status s = NAV_OK;
    e.before = nav_normal(at[n - 1], at[0]);
    e.own = nav_normal(at[0], at[1]);
    for (int32_t i = 0; i < n && s == NAV_OK; i++) {
        e.a = at[i];
        e.b = at[i + 1 < n ? i + 1 : 0];
        e.behind = nav_normal(e.b, at[i + 2 < n ? i + 2 : i + 2 - n]);
        nav_points_bound((const nav_point[2]){e.a, e.b}, 2, &of.low, &of.high);
        of.low = (nav_point){of.low.x - reach, of.low.z - reach};
        of.high = (nav_point){of.high.x + reach, of.high.z + reach};
        s = nav_surface_offset_edge(w, &e, &of);
        e.before = e.own;
        e.own = e.behind;
    }
    return s;
}

static nav_status add_shapes(surface_finder *w, const surface_footprint *f, surface_blocker of)
{
    const int32_t reach = (int32_t)ceil(w->m->cfg->reach) + 2;
    bool done = false;
    nav_status s = NAV_OK;
    of.low = (nav_point){f->low.x - reach, f->low.z - reach};
    of.high = (nav_point){f->high.x + reach, f->high.z + reach};
    if (is_convex(f)) s = nav_surface_offset_convex(w, f->at, f->first[1], &of, &done);
    if (s != NAV_OK || done) return s;
    for (int32_t l = 0; l < f->loop_count && s == NAV_OK; l++)
        s = add_loop(w, f->at + f->first[l], f->first[l + 1] - f->first[l], of);
    for (int32_t t = 0; t < f->tri_count && s == NAV_OK; t++) {
        nav_point at[3] = {f->tri[3 * t], f->tri[3 * t + 1], f->tri[3 * t + 2]};
        nav_points_bound(at, 3, &of.low, &of.high);
        s = nav_surface_add_shape(w, at, 3, &of);
    }
    return s;
}

static nav_status add_solid(surface_finder *w, const solid *s, bool *partly)
{
    const surface_mesh *m = w->m;
    const double reach = m->cfg->reach;
    const surface_footprint *f = &s->f;
    surface_blocker of = {.start = w->out->start_count};
    if (f->high.x + reach < m->low || f->high.z + reach < m->low || f->low.x - reach > m->high ||
        f->low.z - reach > m->high)
        return NAV_OK;
    nav_status status = find_starts(w, s, &of, partly);
    if (status != NAV_OK || of.start_count == 0) return status;
    if (!is_passed_over(w, &of)) return add_shapes(w, f, of);
    w->solid++; // pieces everywhere
    *partly = true;
    return NAV_OK;
}

nav_status nav_surface_add_obstacle(surface_finder *w, const nav_obstacle *obstacle, bool *partly)
{
    const nav_config *cfg = w->m->cfg;
    solid s;
    bool is_solid;
    *partly = false;
    w->solid++; // none of the marks is its own
    nav_status status = nav_surface_footprint_of(cfg, obstacle->instance, w->m->arena, &w->prism, &s.f, &is_solid);
    if (status != NAV_OK) return status;
    if (!is_solid) {
        *partly = true;
        return NAV_OK;
    }
    s.low = s.f.bottom - cfg->height_vx;
    s.high = s.f.top - cfg->climb_vx - BLOCKER_SLACK;
    return add_solid(w, &s, partly);
}

nav_status nav_surface_add_volume(surface_finder *w, const nav_volume *volume, bool *partly)
{
    solid s;
    bool is_solid;
    *partly = false;
    w->solid++;
    nav_status status = nav_surface_footprint_of_volume(w->m->cfg, volume, w->m->arena, &s.f, &is_solid);
    if (status != NAV_OK || !is_solid) return status;
    s.low = s.f.bottom;
    s.high = s.f.top;
    return add_solid(w, &s, partly);
}
