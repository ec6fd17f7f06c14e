// Where the tile's sides are open, and which places the vertices there have: found alike by both tiles of a border.
//
//        tile      |      tile behind      Columns on both sides that are connected across the border and along it
//     . s s s s s  |  s s s s s .          are a row. The floor within reach of the row, on both sides, is the same to
//     . s s s s s  |  s s s s s .          both tiles, and so are the triangles there: shapes made from that alone,
//     . s s s s s  |  s s s s s .          cut with the border's line, leave the same open pieces.
//
// What else a tile knows of its regions does not count here. Where a shape of a region is against an open piece, as one
// may be that belongs to another storey of the same region, it is clipped close to the border. The region's loops end
// at the pieces (outline_write.c).
#include "core/outline/outline_stage.h"

#include <math.h>

// Direction along a side, upwards.
static int up_of(int side)
{
    return side == 0 || side == 2 ? 1 : 2;
}

static int32_t column_at(const outline_work *w, int side, int32_t k)
{
    const nav_compact_heightfield *f = w->f;
    int32_t last = w->cfg->tile_columns - 1;
    int32_t x = side == 0 ? 0 : side == 2 ? last : k, z = side == 3 ? 0 : side == 1 ? last : k;
    return (z + f->border) * f->width + x + f->border;
}

// Collects the floor within reach of the row: what is connected with it, near to the border.
static nav_floor_spans flood(outline_work *w, int side, const int32_t *row, int32_t n, int32_t mark)
{
    const nav_compact_heightfield *f = w->f;
    int32_t reach = w->cfg->radius_columns + 1, line = side == 0 || side == 3 ? f->border : f->width - f->border;
    int32_t low = line - reach, high = line + reach, count = 0;
    const bool by_x = side == 0 || side == 2;
    for (int32_t k = 0; k < n; k++) {
        if (w->owner[row[k]] == mark) continue;
        w->owner[row[k]] = mark;
        w->set[count++] = row[k];
    }
    for (int32_t i = 0; i < count; i++)
        for (int d = 0; d < 4; d++) {
            int32_t t = f->connection[d][w->set[i]];
            if (t == NAV_NOT_CONNECTED || w->owner[t] == mark) continue;
            if (by_x ? w->x_of[f->column[t]] < low || w->x_of[f->column[t]] >= high
                     : f->column[t] < low * f->width || f->column[t] >= high * f->width)
                continue;
            w->owner[t] = mark;
            w->set[count++] = t;
        }
    nav_column_box known = {1, 1, f->width - 1, f->width - 1};
    if (side == 0 || side == 2) {
        known.x0 = low;
        known.x1 = high;
    } else {
        known.z0 = low;
        known.z1 = high;
    }
    return (nav_floor_spans){
        .owner = w->owner, .want = mark, .span = w->set, .count = count, .known = known, .border = side + 1};
}

bool nav_outline_cut(const nav_point *p, int32_t n, bool by_x, int32_t at, int32_t *low, int32_t *high)
{
    bool below = false, above = false;
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int32_t i = 0; i < n; i++) {
        below |= (by_x ? p[i].x : p[i].z) < at;
        above |= (by_x ? p[i].x : p[i].z) > at;
    }
    if (!below || !above) return false;
    for (int32_t i = 0; i < n; i++) {
        nav_point a = p[i], b = p[i + 1 < n ? i + 1 : 0];
        int64_t a0 = (by_x ? a.x : a.z) - (int64_t)at, b0 = (by_x ? b.x : b.z) - (int64_t)at;
        int64_t a1 = by_x ? a.z : a.x, b1 = by_x ? b.z : b.x;
        if (a0 == 0) {
            least = a1 < least ? a1 : least;
            most = a1 > most ? a1 : most;
        }
        if ((a0 < 0) == (b0 < 0) || a0 == 0 || b0 == 0) continue;
        // a1 + (b1 - a1) * a0 / (a0 - b0), down and up.
        int64_t over = (b1 - a1) * a0, under = a0 - b0;
        if (under < 0) {
            over = -over;
            under = -under;
        }
        int64_t down = over >= 0 ? over / under : -((-over + under - 1) / under);
        int64_t up = down + (down * under != over);
        least = a1 + down < least ? a1 + down : least;
        most = a1 + up > most ? a1 + up : most;
    }
    *low = (int32_t)least;
    *high = (int32_t)most;
    return true;
}

static nav_status add_open(outline_work *w, int side, int32_t low, int32_t high, int32_t row, const nav_shapes *shapes)
{
    bool sliver;
    nav_status status = nav_outline_is_sliver(w, side, low, high, shapes, &sliver);
    if (status != NAV_OK || sliver) return status;
    status = nav_grow(w->arena, (void **)&w->open, &w->open_capacity, (int64_t)w->open_count + 1, sizeof *w->open);
    if (status != NAV_OK) return status;
    const int32_t t = w->side;
    const nav_point at[4][2] = {
        {{0, low}, {0, high}}, {{low, t}, {high, t}}, {{t, high}, {t, low}}, {{high, 0}, {low, 0}}};
    outline_piece p = {.kind = side, .from = at[side][0], .to = at[side][1], .span = row};
    p.low = nav_outline_along(w, side, p.from);
    p.high = nav_outline_along(w, side, p.to);
    w->open[w->open_count++] = p;
    return NAV_OK;
}

// What the floor of a row may not enter. Rows of one side with the same floor share it.
static nav_status find_band(outline_work *w, int side, const int32_t *row, int32_t n, const nav_shapes **out)
{
    for (int32_t i = 0; i < w->band_count; i++) {
        *out = &w->bands[i].shapes;
        if (w->owner[row[0]] == w->bands[i].mark) return NAV_OK;
    }
    nav_status status =
        nav_grow(w->arena, (void **)&w->bands, &w->band_capacity, (int64_t)w->band_count + 1, sizeof *w->bands);
    if (status != NAV_OK) return status;
    outline_band *band = &w->bands[w->band_count++];
    *band = (outline_band){.mark = ++w->mark};
    nav_floor_spans floor = flood(w, side, row, n, band->mark);
    *out = &band->shapes;
    return nav_outline_add_shapes(w, &floor, false, &band->shapes);
}

// The open pieces of a row of n columns from column k on. Its spans stand at w->row_span + row + k.
static nav_status add_row(outline_work *w, int side, int32_t k, int32_t n, int32_t row)
{
    const nav_shapes *shapes;
    int32_t unit = w->cfg->unit;
    nav_status status = find_band(w, side, w->row_span + row + k, n, &shapes);
    if (status != NAV_OK) return status;
    uint64_t *blocked = NAV_TAKE(w->arena, uint64_t, shapes->count);
    if (!blocked) return nav_arena_failure(w->arena);
    int32_t count = 0, begin = k * unit, end = (k + n) * unit;
    bool by_x = side == 0 || side == 2;
    for (int32_t s = 0; s < shapes->count; s++) {
        int32_t low, high;
        if (!nav_outline_cut(shapes->at + shapes->first[s], shapes->first[s + 1] - shapes->first[s], by_x,
                             side == 0 || side == 3 ? 0 : w->side, &low, &high))
            continue;
        if (low < begin + OUTLINE_SNAP) low = begin;
        if (high > end - OUTLINE_SNAP) high = end;
        if (low == begin && high < begin + OUTLINE_SNAP) continue; // a rounding at the row's end
        if (high == end && low > end - OUTLINE_SNAP) continue;
        if (low < high) blocked[count++] = (uint64_t)(uint32_t)low << 32 | (uint32_t)high;
    }
    nav_sort_u64(blocked, count);
    int32_t free = begin;
    for (int32_t i = 0; i <= count && status == NAV_OK; i++) {
        int32_t low = i < count ? (int32_t)(blocked[i] >> 32) : end, high = i < count ? (int32_t)blocked[i] : end;
        if (low - free > OUTLINE_SNAP) status = add_open(w, side, free, low, row, shapes);
        if (high > free) free = high;
    }
    return status;
}

nav_status nav_outline_find_open(outline_work *w)
{
    const nav_compact_heightfield *f = w->f;
    const int32_t columns = w->cfg->tile_columns;
    int32_t most = 0;
    for (int side = 0; side < OUTLINE_SIDES; side++)
        for (int32_t k = 0; k < columns; k++) {
            int32_t c = column_at(w, side, k);
            most += f->column_first[c + 1] - f->column_first[c];
        }
    w->row_span = NAV_TAKE(w->arena, int32_t, most);
    w->x_of = NAV_TAKE(w->arena, uint16_t, (size_t)f->width * (size_t)f->width);
    if (!w->row_span || !w->x_of) return nav_arena_failure(w->arena);
    for (int32_t c = 0, z = 0; z < f->width; z++)
        for (int32_t x = 0; x < f->width; x++) w->x_of[c++] = (uint16_t)x;
    int32_t used = 0;
    w->mark = w->regions->count;
    nav_status status = NAV_OK;
    for (int side = 0; side < OUTLINE_SIDES; side++) {
        int up = up_of(side);
        w->open_first[side] = w->open_count;
        w->band_count = 0;
        for (int32_t k = 0; k < columns; k++) {
            int32_t c = column_at(w, side, k);
            for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++) {
                if (f->connection[side][s] == NAV_NOT_CONNECTED) continue;
                if (k > 0 && nav_edge_continues(f, s, side, up + 2)) continue; // in the middle of a row
                int32_t n = 1, first = used;
                for (int32_t t = s; w->row_span[used++] = t, k + n < columns && nav_edge_continues(f, t, side, up); n++)
                    t = f->connection[up][t];
                status = add_row(w, side, k, n, first - k);
                if (status != NAV_OK) return status;
            }
        }
    }
    w->open_first[OUTLINE_SIDES] = w->open_count;
    return status;
}

// --- what a region says against that ---

// Does the region have floor where the piece is open, between the two places along the side?
static bool has_open(const outline_work *w, const outline_piece *p, int32_t region, int32_t low, int32_t high)
{
    for (int32_t k = low / w->cfg->unit; k * w->cfg->unit <= high && k < w->cfg->tile_columns; k++)
        if (w->regions->id[w->row_span[p->span + k]] == region) return true;
    return false;
}

// Does what lies on low..high of the side meet a piece that is open for the region there? By more than a rounding, or,
// where it only comes close (touches), in the middle of the piece.
static bool meets_open(const outline_work *w, int side, int32_t region, int32_t low, int32_t high, bool touches)
{
    for (int32_t i = w->open_first[side]; i < w->open_first[side + 1]; i++) {
        const outline_piece *p = &w->open[i];
        int32_t from = side & 1 ? p->from.x : p->from.z, to = side & 1 ? p->to.x : p->to.z;
        int32_t first = from < to ? from : to, last = from < to ? to : from;
        bool inner = low > first + OUTLINE_SNAP && high < last - OUTLINE_SNAP;
        if (low > first) first = low;
        if (high < last) last = high;
        if (inner || (!touches && last - first > OUTLINE_SNAP))
            if (has_open(w, p, region, first + 1, last - 1)) return true;
    }
    return false;
}

bool nav_outline_opens(const outline_work *w, int32_t kind, int32_t region, nav_point a, nav_point b)
{
    if (kind < 0 || kind >= OUTLINE_SIDES) return false;
    int32_t p = kind & 1 ? a.x : a.z, q = kind & 1 ? b.x : b.z;
    return meets_open(w, kind, region, p < q ? p : q, p < q ? q : p, false);
}

// Appends the part of the shape that is OUTLINE_CLEAR units or more from the side, on the tile's side of it.
static nav_status add_clipped(outline_work *w, const nav_point *p, int32_t n, int side, nav_shapes *out)
{
    nav_point at[2 * NAV_SHAPE_MAX_CORNERS];
    int32_t count = 0, limit = side == 0 || side == 3 ? OUTLINE_CLEAR : w->side - OUTLINE_CLEAR;
    int32_t sign = side == 0 || side == 3 ? 1 : -1;
    for (int32_t i = 0; i < n; i++) {
        nav_point a = p[i], b = p[i + 1 < n ? i + 1 : 0];
        int64_t da = sign * ((side & 1 ? a.z : a.x) - (int64_t)limit),
                db = sign * ((side & 1 ? b.z : b.x) - (int64_t)limit);
        if (da >= 0) at[count++] = a;
        if ((da < 0) == (db < 0) || da == 0 || db == 0) continue;
        double share = (double)da / (double)(da - db);
        if (side & 1)
            at[count++] = (nav_point){a.x + (int32_t)floor((b.x - a.x) * share + 0.5), limit};
        else
            at[count++] = (nav_point){limit, a.z + (int32_t)floor((b.z - a.z) * share + 0.5)};
    }
    return nav_shapes_add_hull(out, w->arena, at, count);
}

enum { TOUCH = 2 }; // units: what comes so close to the border touches it

// The sides that the shape comes to, as bits.
static unsigned sides_near(const outline_work *w, const nav_point *p, int32_t n)
{
    nav_point low, high;
    nav_points_bound(p, n, &low, &high);
    const int32_t far = w->side - TOUCH;
    return (unsigned)(low.x < TOUCH && high.x > 0) | (unsigned)(high.z > far && low.z < w->side) << 1 |
           (unsigned)(high.x > far && low.x < w->side) << 2 | (unsigned)(low.z < TOUCH && high.z > 0) << 3;
}

static bool is_against(const outline_work *w, int32_t region, const nav_point *p, int32_t n, int side)
{
    const bool by_x = (side & 1) == 0, at_low = side == 0 || side == 3;
    int32_t low, high;
    if (w->open_first[side] == w->open_first[side + 1]) return false;
    if (nav_outline_cut(p, n, by_x, at_low ? 0 : w->side, &low, &high) && meets_open(w, side, region, low, high, false))
        return true;
    return nav_outline_cut(p, n, by_x, at_low ? TOUCH : w->side - TOUCH, &low, &high) &&
           meets_open(w, side, region, low, high, true);
}

// Appends a bar along the side over low..high, which closes what clipping opened beside an open piece.
static nav_status add_bar(outline_work *w, int side, int32_t low, int32_t high, nav_shapes *out)
{
    const int32_t far = w->side, in = OUTLINE_CLEAR + OUTLINE_STRIP, off = OUTLINE_STRIP;
    const nav_point bar[4][4] = {{{-off, low}, {in, low}, {in, high}, {-off, high}},
                                 {{low, far - in}, {high, far - in}, {high, far + off}, {low, far + off}},
                                 {{far - in, low}, {far + off, low}, {far + off, high}, {far - in, high}},
                                 {{low, -off}, {high, -off}, {high, in}, {low, in}}};
    return low < high ? nav_shapes_add(out, w->arena, bar[side], 4) : NAV_OK;
}

// Is the side that begins at the lower or upper end of this one open for the region there?
static bool opens_at_corner(const outline_work *w, int side, int32_t region, bool upper)
{
    const int next = side & 1 ? (upper ? 2 : 0) : (upper ? 1 : 3);
    const bool far = side == 1 || side == 2;
    const int32_t in = OUTLINE_CLEAR + OUTLINE_STRIP, low = far ? w->side - in : 0, high = far ? w->side : in;
    for (int32_t i = w->open_first[next]; i < w->open_first[next + 1]; i++) {
        const outline_piece *p = &w->open[i];
        int32_t from = next & 1 ? p->from.x : p->from.z, to = next & 1 ? p->to.x : p->to.z;
        if ((from < to ? from : to) < high && (from < to ? to : from) > low &&
            has_open(w, p, region, low + 1, high - 1))
            return true;
    }
    return false;
}

// Bars over what is not open for the region of low..high on the side.
static nav_status add_bars(outline_work *w, int side, int32_t region, int32_t low, int32_t high, nav_shapes *out)
{
    nav_status status = NAV_OK;
    const int32_t in = OUTLINE_CLEAR + OUTLINE_STRIP;
    if (low < in && opens_at_corner(w, side, region, false)) low = in;
    if (high > w->side - in && opens_at_corner(w, side, region, true)) high = w->side - in;
    while (low < high && status == NAV_OK) {
        int32_t next = high, after = high; // the next open piece
        for (int32_t i = w->open_first[side]; i < w->open_first[side + 1]; i++) {
            const outline_piece *p = &w->open[i];
            int32_t from = side & 1 ? p->from.x : p->from.z, to = side & 1 ? p->to.x : p->to.z;
            int32_t first = from < to ? from : to, last = from < to ? to : from;
            if (last <= low || first >= next) continue;
            if (!has_open(w, p, region, (low > first ? low : first) + 1, (high < last ? high : last) - 1)) continue;
            next = first;
            after = last;
        }
        status = add_bar(w, side, low, next < high ? next : high, out);
        low = after;
    }
    return status;
}

// Appends the shape without what is against the open pieces.
static nav_status add_cleared(outline_work *w, int32_t region, const nav_point *p, int32_t n, nav_shapes *out)
{
    nav_shapes clipped = {0};
    nav_status status = NAV_OK;
    for (unsigned near = sides_near(w, p, n); near; near &= near - 1) {
        const int side = __builtin_ctz(near);
        int32_t low, high;
        if (!is_against(w, region, p, n, side)) continue;
        bool meets = nav_outline_cut(p, n, (side & 1) == 0, side == 0 || side == 3 ? 0 : w->side, &low, &high);
        if (meets) status = add_bars(w, side, region, low, high, out);
        nav_shapes next = {0};
        if (status == NAV_OK) status = add_clipped(w, p, n, side, &next);
        if (status != NAV_OK || next.count == 0) return status;
        clipped = next;
        p = clipped.at;
        n = clipped.first[1];
    }
    return nav_shapes_add(out, w->arena, p, n);
}

nav_status nav_outline_clear_open(outline_work *w, int32_t region, int32_t first, nav_shapes *shapes)
{
    bool any = false;
    for (int32_t s = first; s < shapes->count && !any; s++) {
        const nav_point *p = shapes->at + shapes->first[s];
        const int32_t n = shapes->first[s + 1] - shapes->first[s];
        for (unsigned near = sides_near(w, p, n); near && !any; near &= near - 1)
            any = is_against(w, region, p, n, __builtin_ctz(near));
    }
    if (!any) return NAV_OK;
    nav_shapes kept = {0};
    nav_status status = NAV_OK;
    for (int32_t s = 0; s < shapes->count && status == NAV_OK; s++) {
        const nav_point *p = shapes->at + shapes->first[s];
        int32_t n = shapes->first[s + 1] - shapes->first[s];
        status = s < first ? nav_shapes_add(&kept, w->arena, p, n) : add_cleared(w, region, p, n, &kept);
    }
    if (status == NAV_OK) *shapes = kept;
    return status;
}
