// The pieces of faces in a polygon, and the line that heights keep to along its edges.
#include "core/surface/heights_work.h"

#include "core/base/sort.h"

#include <math.h>

// Is a place on the edge from corner i to j? Another edge may go on in the same line.
static bool is_between(const heights *h, int32_t i, int32_t j, int64_t x, int64_t z)
{
    return (x - h->cx[i]) * (x - h->cx[j]) + (z - h->cz[i]) * (z - h->cz[j]) <= 0;
}

static uint32_t square_sides(const heights *h, int32_t x, int32_t z)
{
    const int32_t most = h->cfg->tile_units;
    uint32_t on = (x == 0 ? h->side_edge[0] : 0) | (x == most ? h->side_edge[1] : 0) | (z == 0 ? h->side_edge[2] : 0) |
                  (z == most ? h->side_edge[3] : 0);
    return on << SIDE_ON;
}

static uint32_t sides_of(const heights *h, int32_t vert)
{
    const nav_surface *s = h->surface;
    if (h->square) return square_sides(h, s->x[vert], s->z[vert]);
    const f64xn x = f64xn_of(s->x[vert]), z = f64xn_of(s->z[vert]), none = f64xn_of(0);
    uint32_t inside = 0, outside = 0;
    for (int i = 0; i < LANES; i += F64_LANES) {
        f64xn at = f64xn_add(f64xn_mul(x, f64xn_load(h->edge_x + i)), f64xn_mul(z, f64xn_load(h->edge_z + i)));
        at = f64xn_add(at, f64xn_load(h->edge_at + i));
        inside |= f64xn_bits(f64xn_less(none, at)) << i;
        outside |= f64xn_bits(f64xn_less(at, none)) << i;
    }
    uint32_t on = ~(inside | outside) & ((1u << LANES) - 1);
    const int64_t scale = INT64_C(1) << h->shift;
    for (uint32_t bits = on; bits; bits &= bits - 1) {
        int32_t i = __builtin_ctz(bits), j = i + 1 < h->corner_count ? i + 1 : 0;
        if (!is_between(h, i, j, s->x[vert] * scale, s->z[vert] * scale)) on &= ~(1u << i);
    }
    return outside << SIDE_OUTSIDE | inside << SIDE_INSIDE | on << SIDE_ON;
}

// A vertex of the surface as the polygon at work sees it: worked out once for all of its faces.
static inline vert_note *note_of(heights *h, int32_t vert)
{
    vert_note *n = &h->notes[vert];
    if (n->round != h->piece_round) *n = (vert_note){h->piece_round, UNKNOWN, sides_of(h, vert)};
    return n;
}

static nav_status push_point(heights *h, point p, int32_t *index)
{
    nav_status s =
        nav_grow(h->arena, (void **)&h->points, &h->point_capacity, (int64_t)h->point_count + 1, sizeof *h->points);
    if (s != NAV_OK) return s;
    *index = h->point_count;
    h->points[h->point_count++] = p;
    return NAV_OK;
}

static int32_t corner_at(const heights *h, int32_t x, int32_t z)
{
    int32_t found = -1;
    for (int32_t i = 0; i < h->corner_count; i++)
        if (x == h->cx[i] && z == h->cz[i]) found = i;
    return found;
}

static point point_of(const heights *h, int32_t vert)
{
    const nav_surface *s = h->surface;
    int32_t scale = 1 << h->shift;
    return (point){s->x[vert] * scale, s->z[vert] * scale, s->y[vert], s->y[vert], 0, vert};
}

// The point of a vertex of the surface.
static nav_status add_vert(heights *h, int32_t vert, int32_t *index)
{
    vert_note *n = note_of(h, vert);
    nav_status s = NAV_OK;
    *index = n->point;
    if (*index >= 0) return NAV_OK;
    point p = point_of(h, vert);
    p.edges = n->sides >> SIDE_ON;
    if (p.edges) *index = corner_at(h, p.x, p.z);
    if (*index < 0) s = push_point(h, p, index);
    n->point = *index;
    return s;
}

// The point where an edge of a face passes the polygon.
static nav_status add_passing(heights *h, point p, int32_t *index)
{
    for (int32_t i = 0; i < h->corner_count; i++) {
        int32_t j = i + 1 < h->corner_count ? i + 1 : 0;
        int64_t at = heights_right(h->cx[i], h->cz[i], h->cx[j], h->cz[j], p.x, p.z);
        if (at == 0 && is_between(h, i, j, p.x, p.z)) p.edges |= 1u << i;
    }
    *index = corner_at(h, p.x, p.z);
    if (*index >= 0) return NAV_OK;
    for (int32_t k = h->passing_count - 1; k >= 0; k--) { // the newest first: the face beside was there just now
        point *known = &h->points[h->passing[k]];
        if (known->x != p.x || known->z != p.z) continue;
        known->edges |= p.edges;
        *index = h->passing[k];
        return NAV_OK;
    }
    nav_status s = nav_grow(h->arena, (void **)&h->passing, &h->passing_capacity, (int64_t)h->passing_count + 1,
                            sizeof *h->passing);
    if (s == NAV_OK) s = push_point(h, p, index);
    if (s == NAV_OK) h->passing[h->passing_count++] = *index;
    return s;
}

void nav_surface_forget_points(heights *h)
{
    h->piece_round++;
    h->point_count = h->passing_count = 0;
}

static nav_status add_triangles(heights *h, const int32_t *index, int32_t count)
{
    nav_status s =
        nav_grow(h->arena, (void **)&h->tri, &h->tri_capacity, (int64_t)h->tri_count + count, sizeof *h->tri);
    for (int32_t i = 2; i < count && s == NAV_OK; i++) {
        const point *a = &h->points[index[0]], *b = &h->points[index[i - 1]], *c = &h->points[index[i]];
        if (heights_right(a->x, a->z, b->x, b->z, c->x, c->z) <= 0) continue;
        h->tri[h->tri_count][0] = index[0];
        h->tri[h->tri_count][1] = index[i - 1];
        h->tri[h->tri_count++][2] = index[i];
    }
    return s;
}

static nav_status add_piece(heights *h, const point *piece, int32_t count)
{
    int32_t index[PIECE];
    nav_status s = NAV_OK;
    for (int32_t i = 0; i < count && s == NAV_OK; i++)
        s = piece[i].vert == UNKNOWN ? add_passing(h, piece[i], &index[i]) : add_vert(h, piece[i].vert, &index[i]);
    return s == NAV_OK ? add_triangles(h, index, count) : s;
}

// Where an edge passes an edge of the polygon, whichever way each of them runs.
static point pass(const heights *h, const point *p, const point *q, int32_t edge)
{
    int32_t other = edge + 1 < h->corner_count ? edge + 1 : 0;
    bool swap = p->x > q->x || (p->x == q->x && p->z > q->z);
    const point *a = swap ? q : p, *b = swap ? p : q;
    int64_t ax = h->cx[edge], az = h->cz[edge], bx = h->cx[other], bz = h->cz[other];
    if (ax > bx || (ax == bx && az > bz)) {
        int64_t x = ax, z = az;
        ax = bx;
        az = bz;
        bx = x;
        bz = z;
    }
    double da = (double)heights_right(ax, az, bx, bz, a->x, a->z),
           db = (double)heights_right(ax, az, bx, bz, b->x, b->z);
    double t = da / (da - db);
    double y = a->y + t * (b->y - a->y);
    return (point){(int32_t)floor(a->x + t * ((double)b->x - a->x) + 0.5),
                   (int32_t)floor(a->z + t * ((double)b->z - a->z) + 0.5),
                   y,
                   y,
                   1u << edge,
                   UNKNOWN};
}

// The part of the piece inside of an edge of the polygon. Returns its corners.
static int32_t cut(const heights *h, const point *in, int32_t count, int32_t edge, point *out)
{
    int32_t other = edge + 1 < h->corner_count ? edge + 1 : 0, n = 0;
    for (int32_t i = 0; i < count && n + 2 <= PIECE; i++) {
        const point *p = &in[i], *q = &in[i + 1 < count ? i + 1 : 0];
        int64_t at = heights_right(h->cx[edge], h->cz[edge], h->cx[other], h->cz[other], p->x, p->z);
        int64_t next = heights_right(h->cx[edge], h->cz[edge], h->cx[other], h->cz[other], q->x, q->z);
        bool on = p->edges >> edge & 1, next_on = q->edges >> edge & 1;
        if (at >= 0 || on) out[n++] = *p;
        if (on || next_on || (at > 0) == (next > 0) || at == 0 || next == 0) continue;
        out[n++] = pass(h, p, q, edge);
    }
    return n;
}

// A face that lies in the polygon as it is.
static nav_status add_whole(heights *h, const int32_t *vert, int32_t count)
{
    int32_t index[PIECE];
    nav_status s = NAV_OK;
    for (int32_t i = 0; i < count && s == NAV_OK; i++) s = add_vert(h, vert[i], &index[i]);
    return s == NAV_OK ? add_triangles(h, index, count) : s;
}

nav_status nav_surface_add_face(heights *h, int32_t face)
{
    const nav_surface *s = h->surface;
    const int32_t *vert = s->corner_vert + s->face_first[face];
    int32_t n = s->face_first[face + 1] - s->face_first[face];
    uint32_t sides = 0, all = (1u << h->corner_count) - 1;
    if (n < 3) return NAV_OK;
    if (h->square) return add_whole(h, vert, n);
    for (int32_t k = 0; k < n; k++) sides |= note_of(h, vert[k])->sides;
    if ((sides >> SIDE_INSIDE & all) != all) return NAV_OK;
    if (!(sides & all)) return add_whole(h, vert, n);
    point ring[2][PIECE];
    for (int32_t k = 0; k < n; k++) ring[0][k] = point_of(h, vert[k]);
    int turn = 0;
    for (int32_t i = 0; i < h->corner_count && n > 2; i++) {
        if (!(sides >> i & 1)) continue;
        n = cut(h, ring[turn], n, i, ring[!turn]);
        turn = !turn;
    }
    return n > 2 ? add_piece(h, ring[turn], n) : NAV_OK;
}

// --- the profile of an edge

typedef struct profile {
    const point *points;
    const int32_t *order;
    double dx, dz, ax, az, ay;
} profile;

static double along(const profile *p, int32_t i)
{
    const point *q = &p->points[i];
    return (q->x - p->ax) * p->dx + (q->z - p->az) * p->dz;
}

// Moves the points between those that are kept onto the lines between these, so that none of them moves by more than
// the error. Returns how many are kept, without the ends. to: the last of the order.
static int32_t straighten(heights *h, const profile *p, int32_t to, int32_t *stack)
{
    int32_t from = 0, kept = 0, top = 0;
    stack[top++] = to;
    while (top > 0) {
        int32_t worst = -1;
        to = stack[top - 1];
        double most = h->error, t0 = along(p, p->order[from]), t1 = along(p, p->order[to]);
        double y0 = h->points[p->order[from]].y, y1 = h->points[p->order[to]].y;
        for (int32_t i = from + 1; i < to; i++) {
            double y = y0 + (y1 - y0) * ((along(p, p->order[i]) - t0) / (t1 - t0));
            double apart = fabs(h->points[p->order[i]].y - y);
            if (apart <= most) continue;
            most = apart;
            worst = i;
        }
        if (worst >= 0) {
            stack[top++] = worst;
            kept++;
            continue;
        }
        for (int32_t i = from + 1; i < to; i++)
            h->points[p->order[i]].y = y0 + (y1 - y0) * ((along(p, p->order[i]) - t0) / (t1 - t0));
        from = to;
        top--;
    }
    return kept;
}

static bool is_before(const profile *p, const int32_t *a, const int32_t *b)
{
    return along(p, *a) < along(p, *b);
}

NAV_DEFINE_SORT(sort_along, int32_t, const profile *, is_before)

int32_t nav_surface_straighten(heights *h, int32_t edge)
{
    int32_t from = edge, to = edge + 1 < h->corner_count ? edge + 1 : 0, n = 0;
    if (h->cx[from] > h->cx[to] || (h->cx[from] == h->cx[to] && h->cz[from] > h->cz[to])) {
        from = to;
        to = edge;
    }
    profile p = {h->points,
                 NULL,
                 (double)(h->cx[to] - h->cx[from]),
                 (double)(h->cz[to] - h->cz[from]),
                 (double)h->cx[from],
                 (double)h->cz[from],
                 0};
    for (int32_t i = h->corner_count; i < h->point_count; i++) n += h->points[i].edges >> edge & 1;
    if (n == 0) return 0;
    if (nav_grow(h->arena, (void **)&h->order, &h->order_capacity, 2 * ((int64_t)n + 2), sizeof *h->order) != NAV_OK)
        return -1;
    n = 0;
    h->order[n++] = from;
    for (int32_t i = h->corner_count; i < h->point_count; i++)
        if (h->points[i].edges >> edge & 1) h->order[n++] = i;
    sort_along(h->order + 1, n - 1, &p);
    h->order[n++] = to;
    p.order = h->order;
    return straighten(h, &p, n - 1, h->order + n);
}
