// The stage in order: seams, then each region's union, then what its neighbours agree to, then few corners.
#include "core/outline/outlines.h"

#include "core/outline/outline_stage.h"
#include "core/outline/union.h"
#include "core/outline/widen.h"

#include <string.h>

// Sorts the spans by region. Those beside each other are mostly of one.
static nav_status sort_spans(outline_work *w)
{
    const int32_t *id = w->regions->id, n = w->f->span_count, regions = w->regions->count;
    w->owner = NAV_TAKE(w->arena, int32_t, n);
    w->span = NAV_TAKE(w->arena, int32_t, n);
    w->set = NAV_TAKE(w->arena, int32_t, n);
    w->span_first = NAV_TAKE_ZERO(w->arena, int32_t, regions + 3);
    if (!w->owner || !w->span || !w->set || !w->span_first) return nav_arena_failure(w->arena);
    memcpy(w->owner, id, (size_t)n * sizeof *id);
    for (int32_t s = 0, end; s < n; s = end) {
        for (end = s + 1; end < n && id[end] == id[s];) end++;
        if (id[s] > 0) w->span_first[id[s] + 2] += end - s;
    }
    for (int32_t r = 1; r <= regions + 2; r++) w->span_first[r] += w->span_first[r - 1];
    for (int32_t s = 0, end; s < n; s = end) {
        int32_t region = id[s], to = region > 0 ? w->span_first[region + 1] : 0;
        for (end = s; end < n && id[end] == region; end++)
            if (region > 0) w->span[to++] = end;
        if (region > 0) w->span_first[region + 1] = to;
    }
    return NAV_OK;
}

// Sorts the spans of the tile's outermost columns, from which the padding begins, in the same way.
static nav_status sort_rim(outline_work *w)
{
    const nav_compact_heightfield *f = w->f;
    const int32_t *id = w->regions->id, regions = w->regions->count;
    const int32_t low = f->border, last = f->width - f->border - 1;
    w->rim_first = NAV_TAKE_ZERO(w->arena, int32_t, regions + 3);
    if (!w->rim_first) return nav_arena_failure(w->arena);
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t z = low; z <= last; z++)
            for (int32_t x = low; x <= last; x += z == low || z == last || x == last ? 1 : last - low) {
                int32_t c = z * f->width + x;
                for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++) {
                    if (id[s] <= 0) continue;
                    if (turn == 0)
                        w->rim_first[id[s] + 2]++;
                    else
                        w->rim[w->rim_first[id[s] + 1]++] = s;
                }
            }
        for (int32_t r = 1; r <= regions + 2 && turn == 0; r++) w->rim_first[r] += w->rim_first[r - 1];
        if (turn == 0) w->rim = NAV_TAKE(w->arena, int32_t, w->rim_first[regions + 2]);
        if (!w->rim) return nav_arena_failure(w->arena);
    }
    return NAV_OK;
}

// Adds the padding's spans beside one of the region to its set, which has so many. Returns how many it has then.
static int32_t add_padding(outline_work *w, int32_t region, int32_t span, int32_t count)
{
    for (int d = 0; d < 4; d++) {
        int32_t n = w->f->connection[d][span];
        if (n == NAV_NOT_CONNECTED || w->regions->id[n] != NAV_REGION_OUTSIDE || w->owner[n] == region) continue;
        w->owner[n] = region;
        w->set[count++] = n;
    }
    return count;
}

nav_floor_spans nav_outline_floor(outline_work *w, int32_t region)
{
    const nav_compact_heightfield *f = w->f;
    int32_t own = w->span_first[region + 1] - w->span_first[region], count = own;
    memcpy(w->set, w->span + w->span_first[region], (size_t)own * sizeof *w->set);
    for (int32_t i = w->rim_first[region]; i < w->rim_first[region + 1]; i++)
        count = add_padding(w, region, w->rim[i], count);
    for (int32_t i = own; i < count; i++) count = add_padding(w, region, w->set[i], count);
    nav_column_box known = {1, 1, f->width - 1, f->width - 1};
    return (nav_floor_spans){.owner = w->owner, .want = region, .span = w->set, .count = count, .known = known};
}

// Widens what the triangles say of where the floor ends. NAV_ERR_LIMIT: they say too much.
static nav_status widen_sources(outline_work *w, const nav_floor_spans *floor, nav_shapes *out)
{
    nav_shapes sources = {0};
    nav_floor_set set = {w->f,         floor->span,  floor->count, w->boundary.near, w->boundary.words,
                         floor->known, floor->border};
    nav_status status = NAV_OK;
    if (!w->sources)
        status = nav_sources_create(w->triangles, w->source->volumes, w->source->volume_count, w->cfg, w->cfg->unit,
                                    w->arena, &w->sources);
    if (status == NAV_OK) status = nav_sources_find(w->sources, &set, &sources);
    return status == NAV_OK ? nav_shapes_widen_all(&sources, w->radius, w->arena, out) : status;
}

nav_status nav_outline_add_shapes(outline_work *w, const nav_floor_spans *floor, bool coarsely, nav_shapes *out)
{
    int32_t first = out->count;
    nav_status status = NAV_OK;
    if (!nav_boundary_find(&w->boundary, floor, w->cfg, OUTLINE_NEAR)) return NAV_OK;
    if (!coarsely) status = widen_sources(w, floor, out);
    if (status == NAV_ERR_LIMIT && !w->arena->refused) { // a crowd: the columns alone say where the floor ends
        out->count = first;
        coarsely = true;
        status = NAV_OK;
    }
    w->out->coarse_outlines += coarsely;
    return status == NAV_OK ? nav_boundary_explain(&w->boundary, w->cfg, w->radius, first, w->arena, out) : status;
}

// Is there floor of the region, inside the tile, to the right of the middle of a -> b?
static bool has_floor(const outline_work *w, const nav_floor_spans *floor, nav_point a, nav_point b)
{
    int64_t dx = (int64_t)b.x - a.x, dz = (int64_t)b.z - a.z;
    int64_t more = (dx < 0 ? -dx : dx) + (dz < 0 ? -dz : dz);
    if (more == 0) return false;
    // Two units to the right of the middle, or a little less.
    int64_t x = ((int64_t)a.x + b.x) / 2 + 2 * dz / more, z = ((int64_t)a.z + b.z) / 2 - 2 * dx / more;
    if (x < 0 || z < 0 || x >= w->side || z >= w->side) return false;
    const nav_compact_heightfield *f = w->f;
    int64_t c = ((z >> w->cfg->unit_shift) + f->border) * f->width + (x >> w->cfg->unit_shift) + f->border;
    for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
        if (floor->owner[s] == floor->want) return true;
    return false;
}

// Is the point in a column of the region, not far from one, or where triangles were looked for?
static bool is_near(const outline_work *w, const nav_floor_spans *floor, nav_point p)
{
    enum { FAR = 4 }; // columns
    const nav_compact_heightfield *f = w->f;
    int32_t px = (p.x >> w->cfg->unit_shift) + f->border, pz = (p.z >> w->cfg->unit_shift) + f->border;
    for (int32_t z = pz - FAR; z <= pz + FAR; z++)
        for (int32_t x = px - FAR; x <= px + FAR; x++) {
            if (x < 0 || z < 0 || x >= f->width || z >= f->width) continue;
            if (w->boundary.near[(size_t)z * (size_t)w->boundary.words + (size_t)(x >> 6)] >> (x & 63) & 1) return true;
            int32_t c = z * f->width + x;
            for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
                if (floor->owner[s] == floor->want) return true;
        }
    return false;
}

// Takes a loop of the union, if what is free there is the region's. *leaks: it goes where nobody looked for triangles,
// through a gap that voxels take for closed.
static nav_status take_loop(outline_work *w, const nav_floor_spans *floor, const nav_loops *loops, int32_t l,
                            bool *leaks)
{
    int32_t first = loops->first[l], n = loops->first[l + 1] - first, region = floor->want;
    nav_status status =
        nav_grow(w->arena, (void **)&w->at, &w->at_capacity, (int64_t)w->corner_count + n, sizeof *w->at);
    if (status == NAV_OK)
        status =
            nav_grow(w->arena, (void **)&w->kind, &w->kind_capacity, (int64_t)w->corner_count + n, sizeof *w->kind);
    if (status == NAV_OK)
        status =
            nav_grow(w->arena, (void **)&w->loops, &w->loop_capacity, (int64_t)w->loop_count + 1, sizeof *w->loops);
    if (status != NAV_OK) return status;
    bool on_seam = false, behind = false, on_floor = false, opens = false;
    for (int32_t i = 0; i < n; i++) {
        nav_point a = loops->at[first + i], b = loops->at[first + (i + 1 < n ? i + 1 : 0)];
        bool back;
        int32_t kind = nav_outline_kind(w, region, loops->shape[first + i], a, b, &back);
        w->at[w->corner_count + i] = a;
        w->kind[w->corner_count + i] = kind;
        on_seam |= kind >= OUTLINE_SIDES;
        behind |= back;
        opens = opens || nav_outline_opens(w, kind, region, a, b);
        on_floor = on_floor || on_seam || opens || has_floor(w, floor, a, b);
    }
    if (!on_seam && !opens && (behind || !on_floor)) return NAV_OK;
    for (int32_t i = 0; i < n && !*leaks; i++) *leaks = !is_near(w, floor, loops->at[first + i]);
    for (int32_t i = 0; i < n; i++) {
        int32_t k = w->corner_count + i, next = w->corner_count + (i + 1 < n ? i + 1 : 0);
        if (w->kind[k] >= OUTLINE_SIDES) status = nav_outline_add_piece(w, w->kind[k], w->at[k], w->at[next]);
        if (status != NAV_OK) return status;
    }
    w->loops[w->loop_count++] = (outline_loop){w->corner_count, n, region};
    w->corner_count += n;
    return NAV_OK;
}

// The union of what closes the region and what its agent's centre may not enter.
static nav_status unite(outline_work *w, const nav_floor_spans *floor, bool coarsely, nav_loops *out)
{
    nav_shapes shapes = {0};
    nav_status status = nav_outline_add_strips(w, floor->want, &shapes);
    int32_t first = shapes.count;
    if (status == NAV_OK) status = nav_outline_add_shapes(w, floor, coarsely, &shapes);
    if (status == NAV_OK) status = nav_outline_clear_open(w, floor->want, first, &shapes);
    w->out->outline_shapes += (uint32_t)shapes.count;
    if (status != NAV_OK) return status;
    // The strips along the tile's sides are the first shapes. What is beyond their middle is not asked for.
    nav_point low = {-OUTLINE_STRIP / 2, -OUTLINE_STRIP / 2}, high = {w->side - low.x, w->side - low.z};
    return nav_union_build_inside(&shapes, low, high, w->arena, out);
}

// Notes which regions lead on: those with a seam, and those with floor where a side of the tile is open.
static nav_status find_leading(outline_work *w, bool **out)
{
    bool *leads = *out = NAV_TAKE_ZERO(w->arena, bool, w->regions->count + 1);
    if (!leads) return nav_arena_failure(w->arena);
    for (int32_t r = 1; r <= w->regions->count; r++) leads[r] = w->seam_first[r] < w->seam_first[r + 1];
    for (int32_t i = 0; i < w->open_count; i++) {
        const outline_piece *p = &w->open[i];
        int32_t from = p->kind & 1 ? p->from.x : p->from.z, to = p->kind & 1 ? p->to.x : p->to.z;
        int32_t last = ((from < to ? to : from) - 1) / w->cfg->unit;
        for (int32_t k = (from < to ? from : to) / w->cfg->unit; k <= last; k++) {
            int32_t region = w->regions->id[w->row_span[p->span + k]];
            if (region > 0) leads[region] = true;
        }
    }
    return NAV_OK;
}

// Does the floor go on for so many columns, in the region or into the padding?
static bool goes_on(const outline_work *w, int32_t region, int32_t span, int d, int32_t columns)
{
    for (int32_t i = 0, id = region; i < columns && id == region; i++) {
        span = w->f->connection[d][span];
        if (span == NAV_NOT_CONNECTED) return false;
        id = w->regions->id[span];
        if (id != region && id != NAV_REGION_OUTSIDE) return false;
    }
    return true;
}

// Is what is free in the region, which does not lead on, too small to be kept? What ends it may stand a column beyond
// where voxels end it, so columns that are nearer to their end than the radius less a column are not free.
static bool is_too_small(const outline_work *w, int32_t region)
{
    const int32_t margin = (int32_t)(w->radius / w->cfg->unit) - 1;
    int32_t free = 0;
    for (int32_t i = w->span_first[region]; i < w->span_first[region + 1] && free < w->cfg->region_min_spans; i++) {
        bool all = true;
        for (int d = 0; d < 4 && all; d++) all = goes_on(w, region, w->span[i], d, margin);
        free += all;
    }
    return free < w->cfg->region_min_spans;
}

// Is more free, by the loops from number `first` on, than the region can have? Voxels end it a little too early, of
// which the radius takes its part again. The rest would be the floor of other regions, beyond gaps that voxels take for
// closed.
static bool is_too_large(const outline_work *w, int32_t region, int32_t first)
{
    const nav_compact_heightfield *f = w->f;
    const double unit = w->cfg->unit, slack = NAV_BOUNDARY_SLACK * unit - w->radius;
    double free2 = 0, most2 = 2 * unit * unit * (w->span_first[region + 1] - w->span_first[region]);
    for (int32_t l = first; l < w->loop_count; l++)
        free2 += (double)nav_loop_area2(w->at + w->loops[l].first, w->loops[l].count);
    if (free2 <= most2) return false;
    for (int32_t i = w->span_first[region]; slack > 0 && i < w->span_first[region + 1]; i++)
        for (int d = 0; d < 4; d++) most2 += f->connection[d][w->span[i]] == NAV_NOT_CONNECTED ? 2 * unit * slack : 0;
    return free2 > most2;
}

static nav_status add_region(outline_work *w, int32_t region)
{
    nav_loops loops;
    nav_floor_spans floor = nav_outline_floor(w, region);
    nav_status status = unite(w, &floor, false, &loops);
    if (status == NAV_ERR_LIMIT && !w->arena->refused) status = unite(w, &floor, true, &loops);
    int32_t loop_count = w->loop_count, corner_count = w->corner_count, piece_count = w->piece_count;
    bool leaks = false;
    for (int32_t l = 0; status == NAV_OK && l < loops.count; l++) status = take_loop(w, &floor, &loops, l, &leaks);
    if (status != NAV_OK || (!leaks && !is_too_large(w, region, loop_count))) return status;
    w->loop_count = loop_count;
    w->corner_count = corner_count;
    w->piece_count = piece_count;
    status = unite(w, &floor, true, &loops);
    for (int32_t l = 0; status == NAV_OK && l < loops.count; l++) {
        loop_count = w->loop_count;
        corner_count = w->corner_count;
        piece_count = w->piece_count;
        leaks = false;
        status = take_loop(w, &floor, &loops, l, &leaks);
        if (!leaks) continue;
        // It leaks through its own columns, where seams leave them open: that is not the region's floor.
        w->loop_count = loop_count;
        w->corner_count = corner_count;
        w->piece_count = piece_count;
    }
    return status;
}

nav_status nav_outlines_build(const nav_triangles *triangles, const nav_tile_source *source,
                              const nav_compact_heightfield *field, const nav_regions *regions,
                              const nav_contours *coarse, const nav_config *cfg, nav_arena *arena, nav_contours *out)
{
    *out = (nav_contours){0};
    outline_work w = {
        .f = field,
        .regions = regions,
        .coarse = coarse,
        .cfg = cfg,
        .arena = arena,
        .out = out,
        .triangles = triangles,
        .source = source,
        .radius = (double)source->settings->agent_radius_m / cfg->cell_size_m * cfg->unit,
        .side = cfg->tile_columns * cfg->unit,
    };
    nav_status status = nav_boundary_init(&w.boundary, field, source, arena);
    if (status == NAV_OK) status = sort_spans(&w);
    if (status == NAV_OK) status = sort_rim(&w);
    if (status == NAV_OK) status = nav_outline_find_seams(&w);
    if (status == NAV_OK) status = nav_outline_find_open(&w);
    if (status == NAV_OK) memcpy(w.owner, regions->id, (size_t)field->span_count * sizeof *w.owner);
    bool *leads;
    if (status == NAV_OK) status = find_leading(&w, &leads);
    for (int32_t r = 1; status == NAV_OK && r <= regions->count; r++)
        if (leads[r] || !is_too_small(&w, r)) status = add_region(&w, r);
    if (status == NAV_OK) status = nav_outline_agree(&w);
    if (status == NAV_OK) status = nav_outline_write(&w);
    return status;
}
