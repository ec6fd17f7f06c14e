// The stage in order, and contours from its loops.
#include "core/surface/surface.h"

#include "core/base/ring.h"
#include "core/surface/blockers.h"
#include "core/surface/inset.h"
#include "core/surface/rooms.h"
#include "core/surface/surface_work.h"

#include <math.h>
#include <string.h>

// The smallest of the outer loops from..to that holds the hole; the first one where rounding leaves it in none. at: of
// all corners.
static int32_t owner_of(const surface_loops *l, const nav_point *at, int32_t from, int32_t to, const surface_loop *hole)
{
    int32_t best = -1, outer = from;
    for (int32_t k = to - 1; k >= from; k--)
        if (l->loop[k].area2 < 0) outer = k;
    for (int32_t k = from; k < to; k++) {
        const surface_loop *loop = &l->loop[k];
        if (loop->area2 >= 0 || (best >= 0 && loop->area2 <= l->loop[best].area2)) continue;
        if (nav_ring_holds_ring(at + loop->first, loop->count, at + hole->first, hole->count)) best = k;
    }
    return best >= 0 ? best : outer;
}

// Takes the loops of regions outside of what volumes include away. What lies behind an edge to one of these is a wall,
// though nothing is kept away from it.
static nav_status leave_out(const surface_faces *f, nav_arena *arena, surface_loops *l)
{
    uint8_t *out = NAV_TAKE_ZERO(arena, uint8_t, (size_t)f->region_count + 1);
    if (!out) return nav_arena_failure(arena);
    for (int32_t i = 0; i < f->count; i++)
        if (f->area[i] == SURFACE_EXCLUDED) out[f->region[i]] = 1;
    int32_t kept = 0;
    for (int32_t k = 0; k < l->count; k++)
        if (!out[l->loop[k].region]) l->loop[kept++] = l->loop[k];
    l->count = kept;
    for (int32_t i = 0; i < l->corner_count; i++)
        if (l->behind[i] >= 0 && out[l->behind[i]]) l->behind[i] = NAV_EDGE_WALL;
    return NAV_OK;
}

static void put_loop(const surface_loops *l, const surface_loop *loop, bool hole, nav_contours *out)
{
    int32_t n = out->loop_count++;
    out->loop_region[n] = loop->region;
    out->loop_area[n] = loop->area;
    out->loop_hole[n] = hole;
    for (int32_t i = 0; i < loop->count; i++, out->vert_count++) {
        int32_t v = out->vert_count, at = loop->first + i;
        out->x[v] = l->x[at];
        out->z[v] = l->z[at];
        out->y[v] = l->y[at];
        out->behind[v] = l->behind[at];
        out->border_joint[v] = l->joint[at];
    }
    out->loop_first[out->loop_count] = out->vert_count;
}

static nav_status make_contours(const surface_loops *l, nav_arena *arena, nav_contours *out)
{
    int32_t loops = l->count, verts = 0;
    for (int32_t k = 0; k < loops; k++) verts += l->loop[k].count;
    *out = (nav_contours){.removed_loops = l->removed};
    out->loop_first = NAV_TAKE(arena, int32_t, loops + 1);
    out->loop_region = NAV_TAKE(arena, int32_t, loops);
    out->loop_area = NAV_TAKE(arena, uint8_t, loops);
    out->loop_hole = NAV_TAKE(arena, uint8_t, loops);
    out->x = NAV_TAKE(arena, int32_t, verts);
    out->z = NAV_TAKE(arena, int32_t, verts);
    out->y = NAV_TAKE(arena, int32_t, verts);
    out->behind = NAV_TAKE(arena, int32_t, verts);
    out->border_joint = NAV_TAKE(arena, uint8_t, verts);
    int32_t *owner = NAV_TAKE(arena, int32_t, loops);
    nav_point *at = NAV_TAKE(arena, nav_point, l->corner_count);
    if (!out->loop_first || !out->loop_region || !out->loop_area || !out->loop_hole || !out->x || !out->z || !out->y ||
        !out->behind || !out->border_joint || !owner || !at)
        return nav_arena_failure(arena);
    for (int32_t i = 0; i < l->corner_count; i++) at[i] = (nav_point){l->x[i], l->z[i]};
    out->loop_first[0] = 0;
    for (int32_t k = 0, end; k < loops; k = end) {
        int32_t outer = 0;
        for (end = k; end < loops && l->loop[end].region == l->loop[k].region; end++) outer += l->loop[end].area2 < 0;
        // None: turned over by rounding, there is nothing to walk on.
        for (int32_t i = k; i < end && outer > 1; i++)
            if (l->loop[i].area2 > 0) owner[i] = owner_of(l, at, k, end, &l->loop[i]);
        for (int32_t i = k; i < end; i++) {
            if (l->loop[i].area2 > 0) continue;
            put_loop(l, &l->loop[i], false, out);
            for (int32_t h = k; h < end; h++)
                if (l->loop[h].area2 > 0 && (outer == 1 || owner[h] == i)) put_loop(l, &l->loop[h], true, out);
        }
    }
    return NAV_OK;
}

// Is the tile covered once, by ground that ends nowhere near it?
static bool is_single(const surface_mesh *m, const surface_faces *f)
{
    int64_t sum = 0, side = m->cfg->tile_units;
    for (int32_t i = 0; i < f->count && m->open == 0; i++) {
        nav_point a = surface_at(m, f->vert[f->first[i]]);
        for (int32_t c = f->first[i] + 1; c + 1 < f->first[i + 1]; c++)
            sum += nav_right(a, surface_at(m, f->vert[c]), surface_at(m, f->vert[c + 1]));
    }
    return sum == 2 * side * side;
}

// Is there anything that may be in the way?
static bool has_blockers(const surface_mesh *m, const nav_triangles *triangles, const nav_tile_source *source)
{
    bool found = (m->open > 0 || m->cfg->climbs) && m->cfg->radius > 0;
    for (uint32_t t = 0; t < triangles->count && !found && !m->single; t++)
        found = triangles->areas[t] == NAV_AREA_NONE;
    for (uint32_t i = 0; i < source->volume_count && !found; i++)
        found = nav_surface_is_blocked(m->cfg, &source->volumes[i]);
    return found;
}

nav_status nav_surface_build(const nav_triangles *triangles, const nav_tile_source *source, const nav_config *cfg,
                             nav_arena *arena, nav_surface *out, nav_contours *contours)
{
    surface_mesh m = {.cfg = cfg, .arena = arena};
    surface_sheets sheets;
    nav_triangles all, mine;
    surface_faces f = {0};
    surface_loops l = {0};
    uint32_t counts[2] = {0};
    int32_t reach = (int32_t)ceil(cfg->reach) + NAV_SURFACE_COLUMNS * cfg->unit;
    m.low = -reach;
    m.high = cfg->tile_units + reach;
    *out = (nav_surface){0};
    *contours = (nav_contours){0};
    nav_status s = NAV_OK;
    if (cfg->climbs) {
        s = nav_surface_cut_rooms(triangles, source, cfg, arena, &all);
        if (s == NAV_OK) s = nav_surface_choose_sheets(&all, cfg, arena, &sheets, &mine);
        m.sheets = &sheets;
        triangles = &mine;
    }
    if (s == NAV_OK) s = nav_surface_snap(&m, triangles);
    if (s == NAV_OK && m.tri_count > 0 && !cfg->climbs) s = nav_surface_volumes(&m, source);
    if (s == NAV_OK && m.tri_count > 0) s = nav_surface_join(&m);
    if (s == NAV_OK) s = nav_surface_cut(&m, &f);
    if (s == NAV_OK) s = nav_surface_regions(&m, &f, &l);
    if (s != NAV_OK) return s;
    *out = (nav_surface){.vert_count = m.vert_count,
                         .x = m.x,
                         .z = m.z,
                         .y = m.y,
                         .face_count = f.count,
                         .face_first = f.first,
                         .face_region = f.region,
                         .corner_face = f.face,
                         .corner_behind = f.behind,
                         .corner_vert = f.vert,
                         .region_count = f.region_count,
                         .skipped = m.skipped};
    bool several = !m.single && !is_single(&m, &f);
    if (f.count > 0 && (several || has_blockers(&m, triangles, source)))
        s = nav_surface_inset(&m, &f, out, triangles, source, several, &l, counts);
    if (s == NAV_OK && !cfg->climbs && nav_tile_is_bounded(source)) s = leave_out(&f, arena, &l);
    if (s == NAV_OK) s = make_contours(&l, arena, contours);
    contours->outline_shapes = counts[0];
    contours->outline_corners = counts[1];
    return s;
}
