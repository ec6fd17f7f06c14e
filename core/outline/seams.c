// Seams: the lines along which two regions meet, as the coarse contours have them. Nothing is widened there.
//
//        region behind            A thin strip closes the region on its outer side, so that the union of shapes ends
//     ======================      there. Edges of loops along the strip's inner side are the seam's free pieces. Both
//     p -------------------> q    regions find pieces of their own; a piece of the seam is open where both have it,
//             region              and both get its ends.
#include "core/outline/outline_stage.h"

#include "core/base/sort.h"

#include <math.h>

static bool is_seam(const nav_contours *c, int32_t loop, int32_t edge)
{
    return c->behind[edge] > 0 && c->behind[edge] != c->loop_region[loop];
}

static int32_t next_in_loop(const nav_contours *c, int32_t loop, int32_t k)
{
    return k + 1 < c->loop_first[loop + 1] ? k + 1 : c->loop_first[loop];
}

static int32_t before_in_loop(const nav_contours *c, int32_t loop, int32_t k)
{
    return k > c->loop_first[loop] ? k - 1 : c->loop_first[loop + 1] - 1;
}

static uint32_t slot_of(const outline_seam *s, bool turned, uint32_t mask)
{
    nav_point a = turned ? s->to : s->from, b = turned ? s->from : s->to;
    int32_t r = turned ? s->behind : s->region, q = turned ? s->region : s->behind;
    uint64_t h = (uint64_t)(uint32_t)a.x * 0x9e3779b97f4a7c15u + (uint64_t)(uint32_t)a.z;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u + (uint64_t)(uint32_t)b.x;
    h = (h ^ h >> 29) * 0x94d049bb133111ebu + (uint64_t)(uint32_t)b.z;
    h = (h ^ h >> 29) * 0x9e3779b97f4a7c15u + ((uint64_t)(uint32_t)r << 32 | (uint32_t)q);
    return (uint32_t)(h >> 32) & mask;
}

static bool is_twin(const outline_seam *a, const outline_seam *b)
{
    return a->region == b->behind && a->behind == b->region && nav_point_same(a->from, b->to) &&
           nav_point_same(a->to, b->from);
}

// Finds the twin of each seam: seams with the same ends one above the other are paired in order.
static nav_status find_twins(outline_work *w)
{
    uint32_t size = 16;
    while (size < 2 * (uint32_t)w->seam_count) size *= 2;
    nav_arena_mark mark = nav_arena_get_mark(w->arena);
    int32_t *table = NAV_TAKE(w->arena, int32_t, size);
    if (!table) return nav_arena_failure(w->arena);
    for (uint32_t i = 0; i < size; i++) table[i] = -1;
    for (int32_t i = 0; i < w->seam_count; i++) {
        outline_seam *s = &w->seams[i];
        uint32_t slot = slot_of(s, true, size - 1);
        for (int32_t j; (j = table[slot]) >= 0; slot = (slot + 1) & (size - 1)) {
            if (w->seams[j].twin >= 0 || !is_twin(&w->seams[j], s)) continue;
            s->twin = j;
            w->seams[j].twin = i;
            break;
        }
        if (s->twin >= 0) continue;
        slot = slot_of(s, false, size - 1);
        while (table[slot] >= 0) slot = (slot + 1) & (size - 1);
        table[slot] = i;
    }
    nav_arena_release(w->arena, mark);
    return NAV_OK;
}

nav_status nav_outline_find_seams(outline_work *w)
{
    const nav_contours *c = w->coarse;
    int32_t count = 0, unit = w->cfg->unit;
    w->seam_first = NAV_TAKE_ZERO(w->arena, int32_t, w->regions->count + 2);
    if (!w->seam_first) return nav_arena_failure(w->arena);
    for (int32_t l = 0; l < c->loop_count; l++)
        for (int32_t k = c->loop_first[l]; k < c->loop_first[l + 1]; k++) count += is_seam(c, l, k);
    w->seams = NAV_TAKE(w->arena, outline_seam, count);
    if (!w->seams) return nav_arena_failure(w->arena);
    for (int32_t l = 0; l < c->loop_count; l++) { // loops of a region stand together
        for (int32_t k = c->loop_first[l]; k < c->loop_first[l + 1]; k++) {
            if (!is_seam(c, l, k)) continue;
            int32_t n = next_in_loop(c, l, k);
            w->seams[w->seam_count++] = (outline_seam){
                .from = {c->x[k] * unit, c->z[k] * unit},
                .to = {c->x[n] * unit, c->z[n] * unit},
                .region = c->loop_region[l],
                .behind = c->behind[k],
                .twin = -1,
                .starts = c->behind[before_in_loop(c, l, k)] != NAV_EDGE_WALL,
                .ends = c->behind[n] != NAV_EDGE_WALL,
            };
        }
        w->seam_first[c->loop_region[l] + 1] = w->seam_count;
    }
    for (int32_t r = 1; r <= w->regions->count + 1; r++)
        if (w->seam_first[r] < w->seam_first[r - 1]) w->seam_first[r] = w->seam_first[r - 1];
    return find_twins(w);
}

// A quadrilateral along the left side of from -> to.
static nav_status add_strip(outline_work *w, nav_point from, nav_point to, nav_shapes *out)
{
    double dx = to.x - from.x, dz = to.z - from.z, length = sqrt(dx * dx + dz * dz);
    nav_point left = {(int32_t)floor(-dz / length * OUTLINE_STRIP + 0.5),
                      (int32_t)floor(dx / length * OUTLINE_STRIP + 0.5)};
    nav_status status = nav_shapes_grow(out, w->arena, 4);
    if (status != NAV_OK) return status;
    nav_point *at = out->at + out->first[out->count];
    at[0] = from;
    at[1] = to;
    at[2] = (nav_point){to.x + left.x, to.z + left.z};
    at[3] = (nav_point){from.x + left.x, from.z + left.z};
    out->first[out->count + 1] = out->first[out->count] + 4;
    out->count++;
    return NAV_OK;
}

// The point so many columns from `from`, on the side away from `to`.
static nav_point beyond(nav_point from, nav_point to, double units)
{
    double dx = from.x - to.x, dz = from.z - to.z, length = sqrt(dx * dx + dz * dz);
    return (nav_point){(int32_t)floor(from.x + dx / length * units + 0.5),
                       (int32_t)floor(from.z + dz / length * units + 0.5)};
}

// Where the way from a seam's end to a point beyond it stops: close to the first side of the tile that it crosses where
// this is open for the region, which then has floor on both sides of the way.
static nav_point stop_at_open(const outline_work *w, int32_t region, nav_point end, nav_point far)
{
    enum { AROUND = 2 * OUTLINE_SNAP };
    for (int32_t d = 0; d < OUTLINE_SIDES; d++) {
        const bool by_z = d & 1, at_high = d == 1 || d == 2;
        const int32_t e = by_z ? end.z : end.x, f = by_z ? far.z : far.x;
        const double inside = at_high ? w->side - e : e, ahead = at_high ? f - e : e - f; // units
        if (inside < 0 || ahead <= inside) continue;
        const double across = inside / ahead, stop = inside > OUTLINE_CLEAR ? (inside - OUTLINE_CLEAR) / ahead : 0;
        const double dx = far.x - end.x, dz = far.z - end.z;
        const int32_t at = (int32_t)floor((by_z ? end.x + across * dx : end.z + across * dz) + 0.5);
        const nav_point low = {at - AROUND, at - AROUND}, high = {at + AROUND, at + AROUND};
        if (!nav_outline_opens(w, d, region, low, high)) continue;
        far = (nav_point){(int32_t)floor(end.x + stop * dx + 0.5), (int32_t)floor(end.z + stop * dz + 0.5)};
    }
    return far;
}

nav_status nav_outline_add_strips(outline_work *w, int32_t region, nav_shapes *out)
{
    const int32_t t = w->side, h = OUTLINE_STRIP;
    const nav_point corner[4][2] = {
        {{0, -h}, {0, t + h}}, {{-h, t}, {t + h, t}}, {{t, t + h}, {t, -h}}, {{t + h, 0}, {-h, 0}}};
    nav_status status = NAV_OK;
    for (int d = 0; d < OUTLINE_SIDES && status == NAV_OK; d++) status = add_strip(w, corner[d][0], corner[d][1], out);
    double more = OUTLINE_NEAR * (double)w->cfg->unit;
    for (int32_t i = w->seam_first[region]; i < w->seam_first[region + 1] && status == NAV_OK; i++) {
        const outline_seam *s = &w->seams[i];
        // Where a seam ends at a wall it is prolonged into it: voxels end somewhat before the wall.
        nav_point from = s->starts ? s->from : stop_at_open(w, region, s->from, beyond(s->from, s->to, more));
        nav_point to = s->ends ? s->to : stop_at_open(w, region, s->to, beyond(s->to, s->from, more));
        status = add_strip(w, from, to, out);
    }
    return status;
}

// The line of a kind of edge.
static void line_of(const outline_work *w, int32_t kind, nav_point *from, nav_point *to)
{
    const int32_t t = w->side;
    const nav_point corner[4][2] = {{{0, 0}, {0, t}}, {{0, t}, {t, t}}, {{t, t}, {t, 0}}, {{t, 0}, {0, 0}}};
    if (kind < OUTLINE_SIDES) {
        *from = corner[kind][0];
        *to = corner[kind][1];
    } else {
        *from = w->seams[kind - OUTLINE_SIDES].from;
        *to = w->seams[kind - OUTLINE_SIDES].to;
    }
}

// How far p lies along from -> to, times the length.
static int64_t along(nav_point from, nav_point to, nav_point p)
{
    return (int64_t)(to.x - from.x) * (p.x - from.x) + (int64_t)(to.z - from.z) * (p.z - from.z);
}

int32_t nav_outline_kind(const outline_work *w, int32_t region, int32_t shape, nav_point a, nav_point b, bool *back)
{
    int32_t strips = OUTLINE_SIDES + w->seam_first[region + 1] - w->seam_first[region];
    *back = false;
    if (shape >= strips) return OUTLINE_WALL;
    int32_t kind = shape < OUTLINE_SIDES ? shape : shape + w->seam_first[region];
    nav_point from, to;
    line_of(w, kind, &from, &to);
    double length = sqrt((double)nav_distance2(from, to));
    // Along the strip's inner side, within the rounding of the union?
    double off_a = (double)nav_right(from, to, a), off_b = (double)nav_right(from, to, b), most = 2 * length;
    int64_t ahead = along(from, to, b) - along(from, to, a);
    bool on = off_a <= most && off_a >= -most && off_b <= most && off_b >= -most;
    if (on && ahead > 0) return kind;
    *back = ahead < 0;
    return OUTLINE_WALL;
}

// --- pieces

nav_status nav_outline_add_piece(outline_work *w, int32_t kind, nav_point a, nav_point b)
{
    nav_status status =
        nav_grow(w->arena, (void **)&w->pieces, &w->piece_capacity, (int64_t)w->piece_count + 1, sizeof *w->pieces);
    if (status != NAV_OK) return status;
    nav_point from, to;
    line_of(w, kind, &from, &to);
    int64_t whole = along(from, to, to), low = along(from, to, a), high = along(from, to, b);
    double snap = OUTLINE_SNAP * sqrt((double)whole);
    if ((double)low <= snap) {
        low = 0;
        a = from;
    }
    if ((double)(whole - high) <= snap) {
        high = whole;
        b = to;
    }
    if (low >= high) return NAV_OK;
    w->pieces[w->piece_count++] = (outline_piece){.kind = kind, .low = low, .high = high, .from = a, .to = b};
    return NAV_OK;
}

static bool is_before(const void *none, const outline_piece *a, const outline_piece *b)
{
    (void)none;
    return a->kind != b->kind ? a->kind < b->kind : a->low < b->low;
}

// By seam and place. There are few, and they come nearly in order.
NAV_DEFINE_SORT(sort_pieces, outline_piece, const void *, is_before)

// The pieces that both sides of a seam have. Those of its twin t run the other way. Where two ends are nearly the same,
// s decides.
static int32_t meet(const outline_work *w, const outline_seam *s, const outline_seam *t, outline_piece *out)
{
    int64_t whole = along(s->from, s->to, s->to);
    double snap = OUTLINE_SNAP * sqrt((double)whole);
    int32_t n = 0;
    for (int32_t i = s->first; i < s->first + s->count; i++)
        for (int32_t k = t->first + t->count - 1; k >= t->first; k--) {
            outline_piece p = w->pieces[i], q = w->pieces[k];
            int64_t low = whole - q.high, high = whole - q.low;
            if (low >= p.high || high <= p.low) continue;
            if ((double)(low - p.low) > snap) {
                p.low = low;
                p.from = q.to;
            }
            if ((double)(p.high - high) > snap) {
                p.high = high;
                p.to = q.from;
            }
            if (p.low < p.high && !nav_point_same(p.from, p.to)) out[n++] = p;
        }
    return n;
}

static void turn(outline_piece *p, int32_t n, int32_t kind, int64_t whole)
{
    for (int32_t i = 0; i < n; i++) {
        outline_piece x = p[i];
        p[i] = (outline_piece){.kind = kind, .low = whole - x.high, .high = whole - x.low, .from = x.to, .to = x.from};
    }
    for (int32_t i = 0; i < n / 2; i++) {
        outline_piece x = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = x;
    }
}

nav_status nav_outline_agree(outline_work *w)
{
    sort_pieces(w->pieces, w->piece_count, NULL);
    for (int32_t i = 0; i < w->piece_count; i++) {
        outline_seam *s = &w->seams[w->pieces[i].kind - OUTLINE_SIDES];
        if (s->count++ == 0) s->first = i;
    }
    // Of n and m pieces that lie in order at most n + m - 1 meet.
    outline_piece *all = NAV_TAKE(w->arena, outline_piece, 2 * (size_t)w->piece_count + 1);
    if (!all) return nav_arena_failure(w->arena);
    int32_t n = 0;
    for (int32_t i = 0; i < w->seam_count; i++) {
        outline_seam *s = &w->seams[i];
        if (s->twin < i) continue; // without a twin: no piece is open
        outline_seam *t = &w->seams[s->twin];
        int32_t met = s->count && t->count ? meet(w, s, t, all + n) : 0;
        for (int32_t k = 0; k < met; k++) all[n + met + k] = all[n + k];
        s->first = n;
        s->count = t->count = met;
        t->first = n + met;
        turn(all + t->first, met, s->twin + OUTLINE_SIDES, along(s->from, s->to, s->to));
        n += 2 * met;
    }
    for (int32_t i = 0; i < w->seam_count; i++)
        if (w->seams[i].twin < 0) w->seams[i].count = 0;
    w->pieces = all;
    w->piece_count = w->piece_capacity = n;
    return NAV_OK;
}

int64_t nav_outline_along(const outline_work *w, int32_t kind, nav_point p)
{
    nav_point from, to;
    line_of(w, kind, &from, &to);
    return along(from, to, p);
}

double nav_outline_snap(const outline_work *w, int32_t kind)
{
    nav_point from, to;
    line_of(w, kind, &from, &to);
    return OUTLINE_SNAP * sqrt((double)nav_distance2(from, to));
}
