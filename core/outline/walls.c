// Walls. What a face blocks depends on the floors beneath it, which may differ from column to column:
//
//     +         A face seen from the side, upright: it becomes a line.     Its floors are looked up along the line, and
//     | '.      it is taken in stretches of equal floors. What lies between the same two places is joined, as each of
//     |   '.    two triangles that are no face together reaches the band only for a part of the way.
//     +-----+
//
//      _____    Any other: where its floors differ by more than a voxel it is cut in halves along the grid of columns,
//     /__|__\   down to one column. There a steep one counts from the lowest floor's band to the highest one's, and one
//               that can be walked on only in what both have in common: it may be the floor that it is compared with.
#include "core/outline/sources_work.h"

#include <string.h>

static const double UPRIGHT = 0.5;   // units: a projection no wider is a line
static const double ROUNDING = 0.01; // voxels: more than heights are off
enum { MOST_KEPT = 1 << 14 };        // faces, from one set to the next

typedef struct band {
    double low, high;
} band;

static band wide_band(const nav_sources *s, floor_range f)
{
    return (band){f.low + s->climb, f.high + s->height};
}

// The wide band in parts: floors far apart have one each. Returns how many.
static int wide_bands(const nav_sources *s, floor_range f, band out[2])
{
    out[0] = wide_band(s, f);
    if (f.low + s->height >= f.high + s->climb) return 1;
    out[0].high = f.low + s->height;
    out[1] = (band){f.high + s->climb, f.high + s->height};
    return 2;
}

static band narrow_band(const nav_sources *s, floor_range f)
{
    return (band){f.high + s->climb, f.low + s->height};
}

// As the voxels have it: a level surface at the climb fills the voxel above, what ends at the climb does not.
static bool in_band(double low, double high, band b)
{
    const bool level = high - low <= NEAR_HEIGHT;
    return low < b.high - NEAR_HEIGHT && (level ? high >= b.low - NEAR_HEIGHT : high > b.low + NEAR_HEIGHT);
}

static void take_corners(const wall *w, piece *out)
{
    out->count = w->count;
    memcpy(out->at, w->at, (size_t)w->count * sizeof *w->at);
}

// --- upright faces ---

// Corners of the face by their share of the way from a to b, as x, and their heights.
static bool find_line(const piece *p, nav_point *a, nav_point *b, piece *flat)
{
    int32_t first = 0, last = 0;
    double longest = 0;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = 0; k < i; k++) {
            const double x = p->at[i].x - p->at[k].x, z = p->at[i].z - p->at[k].z;
            if (x * x + z * z <= longest) continue;
            longest = x * x + z * z;
            first = i;
            last = k;
        }
    const place from = p->at[first];
    const double x = p->at[last].x - from.x, z = p->at[last].z - from.z;
    for (int32_t i = 0; i < p->count; i++) {
        const double off = (p->at[i].x - from.x) * z - (p->at[i].z - from.z) * x;
        if (off * off > UPRIGHT * UPRIGHT * longest) return false;
    }
    *a = (nav_point){nearest_unit(from.x), nearest_unit(from.z)};
    *b = (nav_point){nearest_unit(p->at[last].x), nearest_unit(p->at[last].z)};
    if (nav_point_same(*a, *b)) return false;
    if (nav_point_before(*b, *a)) {
        const nav_point swap = *a;
        *a = *b;
        *b = swap;
    }
    const double dx = (double)b->x - a->x, dz = (double)b->z - a->z, length2 = dx * dx + dz * dz;
    flat->count = p->count;
    for (int32_t i = 0; i < p->count; i++) {
        double t = ((p->at[i].x - a->x) * dx + (p->at[i].z - a->z) * dz) / length2;
        if (i == first || i == last) t = t > 0.5;
        flat->at[i] = (place){lower(higher(t, 0), 1), p->at[i].y, 0};
    }
    return true;
}

// The part of the way over which a flat piece is in the band between two shares.
static bool part_in_band(const piece *flat, double from, double to, band b, double *first, double *last)
{
    piece one, two;
    place least, most;
    const piece *p = flat;
    if (from > 0) nav_piece_cut(p, 0, from, true, &one), p = &one;
    if (to < 1) nav_piece_cut(p, 0, to, false, &two), p = &two;
    if (p->count == 0) return false;
    nav_piece_bounds(p, &least, &most);
    if (!in_band(least.y, most.y, b)) return false;
    piece three, four;
    if (least.y < b.low && most.y > b.low) nav_piece_cut(p, 1, b.low, true, &three), p = &three;
    if (most.y > b.high) nav_piece_cut(p, 1, b.high, false, &four), p = &four;
    if (p->count == 0) return false;
    nav_piece_bounds(p, &least, &most);
    *first = least.x;
    *last = most.x;
    return true;
}

// Slabs that a part of the way lies in, as first and one behind the last.
static void find_slabs(const nav_sources *s, const stretch *w, double from, double to, int32_t *first, int32_t *end)
{
    double low = (from * w->along + w->start) * s->per_unit, high = (to * w->along + w->start) * s->per_unit;
    if (low > high) {
        const double swap = low;
        low = high;
        high = swap;
    }
    *first = *end = higher(low, w->first) > w->first ? floor_of(lower(low, w->first + w->count)) - w->first : 0;
    while (*end < w->count && w->first + *end <= high) ++*end;
}

static bool part_is_near(const nav_sources *s, const stretch *w, double from, double to)
{
    int32_t i, end;
    for (find_slabs(s, w, from, to, &i, &end); i < end; i++)
        if (s->slabs[i].near) return true;
    return false;
}

static bool same_floors(floor_range a, floor_range b)
{
    return a.low == b.low && a.high == b.high;
}

static columns under(const nav_sources *s, const wall *l, int32_t which)
{
    if (!l->under) return nav_sources_under(s, &l->way, which);
    const wall_slab u = l->under[which];
    return (columns){u.x0, u.z0, u.x1, u.z1};
}

// Does the set have a floor under the line?
static bool is_over_floor(const nav_sources *s, const wall *l)
{
    for (int32_t i = 0; i < l->way.count; i++)
        if (nav_floors_slab(&s->floors, under(s, l, i)).floor.any) return true;
    return false;
}

// Is one of the slabs near? As a rule it is all of them that are asked for.
static bool are_near(const nav_sources *s, const wall *l, int32_t first, int32_t end)
{
    if (l->row && first == 0 && end == l->way.count) return nav_floors_near_rows(&s->floors, l);
    for (int32_t i = first; i < end; i++)
        if (nav_floors_near(&s->floors, under(s, l, i))) return true;
    return false;
}

// What is in the band of a wall above even floors.
static void find_parts(const nav_sources *s, wall *l, floor_range floor)
{
    band bands[2];
    double first, last;
    l->part_count = 0;
    l->parts_floor = floor.low;
    l->parts_known = true;
    for (int k = wide_bands(s, floor, bands); k-- > 0;) {
        piece flat;
        if (!in_band(l->low, l->high, bands[k])) continue;
        take_corners(l, &flat);
        if (part_in_band(&flat, 0, 1, bands[k], &first, &last)) l->part[l->part_count++] = (interval){first, last, 0};
    }
}

// All floors under the line are the usual one.
static nav_status add_even(nav_sources *s, wall *l)
{
    const floor_range floor = nav_floors_usual(&s->floors);
    s->work++;
    if (!l->parts_known || l->parts_floor != floor.low) find_parts(s, l, floor);
    for (int k = 0; k < l->part_count; k++) {
        int32_t first, end;
        find_slabs(s, &l->way, l->part[k].from, l->part[k].to, &first, &end);
        if (!are_near(s, l, first, end) || !is_over_floor(s, l)) continue;
        nav_status status = nav_sources_add_part(s, l->a, l->b, l->part[k].from, l->part[k].to);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

// Slabs without floors go with those before them, the first with those behind them; so does what lies outside of the
// grid.
static nav_status add_upright(nav_sources *s, wall *l)
{
    const stretch w = l->way;
    s->work += w.count / 8;
    if (nav_floors_even(&s->floors, l->around)) return add_even(s, l);
    piece flat;
    take_corners(l, &flat);
    for (int32_t i = 0; i < w.count; i++) {
        s->slabs[i] = nav_floors_slab(&s->floors, under(s, l, i));
    }
    const bool forward = w.along > 0;
    double from = 0;
    int32_t next = 0;
#define SLAB(i) s->slabs[forward ? (i) : w.count - 1 - (i)]
    while (next < w.count && !SLAB(next).floor.any) next++;
    while (next < w.count) {
        const floor_range here = SLAB(next).floor;
        bool near = false;
        for (; next < w.count && (!SLAB(next).floor.any || same_floors(SLAB(next).floor, here)); next++)
            near |= SLAB(next).near;
        const int32_t column = forward ? w.first + next : w.first + w.count - next;
        const double to = next < w.count ? (column * s->unit - w.start) / w.along : 1;
        double first, last;
        band bands[2];
        for (int k = near ? wide_bands(s, here, bands) : 0; k-- > 0;) {
            if (!part_in_band(&flat, from, to, bands[k], &first, &last) || !part_is_near(s, &w, first, last)) continue;
            nav_status status = nav_sources_add_part(s, l->a, l->b, first, last);
            if (status != NAV_OK) return status;
        }
        from = to;
        s->work++;
    }
#undef SLAB
    return NAV_OK;
}

// --- any other ---

static nav_status add_in_band(nav_sources *s, const piece *p, double low, double high, band b)
{
    if (!in_band(low, high, b)) return NAV_OK;
    piece one, two;
    if (low < b.low && high > b.low) nav_piece_cut(p, 1, b.low, true, &one), p = &one;
    if (high > b.high) nav_piece_cut(p, 1, b.high, false, &two), p = &two;
    if (p->count == 0) return NAV_OK;
    place least, most;
    nav_piece_bounds(p, &least, &most);
    if (!nav_floors_near(&s->floors, nav_piece_columns(s, least, most, s->unit / 8))) return NAV_OK;
    return nav_sources_add_piece(s, p);
}

static nav_status add_leaning(nav_sources *s, const piece *p, bool walkable)
{
    place least, most;
    if (p->count == 0) return NAV_OK;
    if (++s->work > NAV_SOURCES_MOST_WORK) return NAV_ERR_LIMIT;
    nav_piece_bounds(p, &least, &most);
    const columns around = nav_piece_columns(s, least, most, s->unit / 8);
    if (!nav_floors_near(&s->floors, around)) return NAV_OK;
    const floor_range f = nav_floors_range(&s->floors, around);
    if (!f.any) return NAV_OK;
    const band wide = wide_band(s, f), narrow = narrow_band(s, f);
    if (!in_band(least.y, most.y, wide)) return NAV_OK;
    if (least.y >= narrow.low && most.y <= narrow.high) return nav_sources_add_piece(s, p); // no band cuts it

    int axis;
    double middle;
    if (f.high - f.low <= 1 || !nav_piece_middle(s, least, most, &axis, &middle)) {
        band bands[2] = {narrow};
        nav_status status = NAV_OK;
        for (int k = walkable ? 1 : wide_bands(s, f, bands); k-- > 0 && status == NAV_OK;)
            status = add_in_band(s, p, least.y, most.y, bands[k]);
        return status;
    }
    piece half;
    nav_piece_cut(p, axis, middle, false, &half);
    nav_status status = add_leaning(s, &half, walkable);
    if (status != NAV_OK) return status;
    nav_piece_cut(p, axis, middle, true, &half);
    return add_leaning(s, &half, walkable);
}

// --- which faces ---

static void describe(const nav_sources *s, int32_t face, const piece *p, wall *out)
{
    piece flat;
    place least, most;
    const piece *corners = p;
    *out = (wall){.walkable = s->faces.face[face].walkable, .count = p->count};
    if (p->count < 3) return;
    nav_piece_bounds(p, &least, &most);
    out->low = least.y;
    out->high = most.y;
    if (!out->walkable && find_line(p, &out->a, &out->b, &flat)) {
        out->upright = true;
        out->way = nav_sources_stretch(s, out->a, out->b);
        out->around = nav_piece_columns(s, least, most, s->unit / 2);
        corners = &flat;
    }
    memcpy(out->at, corners->at, (size_t)p->count * sizeof *out->at);
}

static int32_t clamp_to(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

// What is under an upright face. Left out where there is no room for it.
static void find_under(nav_sources *s, wall *w)
{
    const int32_t width = s->cfg->width, count = w->way.count;
    const int32_t first = clamp_to(w->around.z0, 0, width - 1), last = clamp_to(w->around.z1, 0, width - 1);
    if (count <= 0) return;
    wall_slab *slabs = NAV_TAKE(s->arena, wall_slab, count);
    wall_row *row = NAV_TAKE(s->arena, wall_row, last - first + 1);
    if (!slabs || !row) return;
    for (int32_t z = first; z <= last; z++) row[z - first] = (wall_row){(int16_t)width, -1};
    for (int32_t i = 0; i < count; i++) {
        const columns c = nav_sources_under(s, &w->way, i);
        slabs[i] = (wall_slab){(int16_t)c.x0, (int16_t)c.z0, (int16_t)c.x1, (int16_t)c.z1};
        for (int32_t z = c.z0 > first ? c.z0 : first; z <= c.z1 && z <= last; z++) {
            wall_row *r = &row[z - first];
            r->x0 = c.x0 < r->x0 ? (int16_t)c.x0 : r->x0;
            r->x1 = c.x1 > r->x1 ? (int16_t)c.x1 : r->x1;
        }
    }
    w->under = slabs;
    w->row = row;
    w->first_row = first;
    w->row_count = last - first + 1;
}

// The face, made when it is asked for first. What a tile with very many has is made anew each time.
static wall *get_wall(nav_sources *s, int32_t face)
{
    if (s->walls[face]) return s->walls[face];
    piece p;
    nav_piece_of_face(s, face, &p);
    const bool keep = s->wall_count < MOST_KEPT;
    wall *w = keep || !s->spare_wall
                  ? nav_arena_take(s->arena, 1, sizeof *w + (size_t)(keep ? p.count : PIECE_MOST) * sizeof *w->at)
                  : s->spare_wall;
    if (!w) return NULL;
    describe(s, face, &p, w);
    if (keep) {
        if (w->upright) find_under(s, w);
        s->walls[face] = w;
        s->wall_count++;
    } else {
        s->spare_wall = w;
    }
    return w;
}

static nav_status add_wall(nav_sources *s, int32_t face)
{
    piece p;
    wall *w = get_wall(s, face);
    if (!w) return nav_arena_failure(s->arena);
    if (w->count < 3) return NAV_OK;
    if (w->upright) return add_upright(s, w);
    take_corners(w, &p);
    return add_leaning(s, &p, w->walkable);
}

// The faces' bounds say which of them to look at: most do not reach into any band.
nav_status nav_sources_walls(nav_sources *s)
{
    const columns reach = s->floors.reach;
    const double low = nav_sources_metres(s, s->floors.base + s->climb - ROUNDING);
    const double high = nav_sources_metres(s, s->floors.most + s->height + ROUNDING);
    const int list = s->set->border > 0 ? s->set->border - 1 : LISTS - 1;
    for (int32_t k = s->listed_first[list]; k < s->listed_first[list + 1]; k++) {
        const int32_t i = s->listed[k];
        const triangle_bounds b = s->face_bounds[i];
        if (((double)b.high < low) | ((double)b.low > high) | (b.x0 > reach.x1) | (b.x1 < reach.x0) |
            (b.z0 > reach.z1) | (b.z1 < reach.z0))
            continue;
        if (!nav_floors_near(&s->floors, (columns){b.x0, b.z0, b.x1, b.z1})) continue;
        nav_status status = add_wall(s, i);
        if (status != NAV_OK) return status;
        if (++s->work > NAV_SOURCES_MOST_WORK) return NAV_ERR_LIMIT;
    }
    return NAV_OK;
}
