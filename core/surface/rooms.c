#include "core/surface/rooms.h"

#include "core/base/grow.h"
#include "core/surface/blockers.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIDES = NAV_VOLUME_MAX_POINTS + 2,
    CORNERS = 3 + SIDES, // of a part of a triangle
};

typedef struct plane {
    double n[3], at; // n * p <= at: within
} plane;

// A volume in the frame of the tile's sheet.
typedef struct room {
    plane side[SIDES];
    int side_count;
    double low[3], high[3]; // around it
    uint8_t area;
    bool includes, blocks;
    const nav_volume *volume;
    nav_key key; // of the volume
} room;

// A part of a triangle: convex.
typedef struct part {
    double at[CORNERS][3];
    int count;
} part;

typedef struct cutter {
    const nav_config *cfg;
    nav_arena *arena;
    nav_triangles *out;
    room *rooms;
    int32_t room_count;
    bool bounded; // there are volumes that include
    int32_t vert_capacity, area_capacity;
} cutter;

static void add_side(room *r, nav_sheet sheet, const double n[3], const double through[3])
{
    plane *p = &r->side[r->side_count++];
    nav_sheet_to_frame(sheet, n, p->n);
    p->at = 0;
    for (int a = 0; a < 3; a++) p->at += n[a] * through[a];
}

static void make_room(const nav_volume *v, const nav_config *cfg, room *r)
{
    const int count = (int)v->point_count;
    double min[3] = {0, (double)v->min_y, 0}, max[3] = {0, (double)v->max_y, 0}, area2 = 0;
    *r = (room){.area = v->area, .includes = v->include, .volume = v, .key = nav_volume_key(v)};
    r->blocks = nav_surface_is_blocked(cfg, v);
    for (int i = 0; i < count; i++) {
        const double x = (double)v->points[2 * i], z = (double)v->points[2 * i + 1];
        const int k = (i + 1) % count;
        area2 += x * (double)v->points[2 * k + 1] - (double)v->points[2 * k] * z;
        min[0] = i == 0 || x < min[0] ? x : min[0];
        max[0] = i == 0 || x > max[0] ? x : max[0];
        min[2] = i == 0 || z < min[2] ? z : min[2];
        max[2] = i == 0 || z > max[2] ? z : max[2];
    }
    for (int i = 0; i < count; i++) {
        const int k = (i + 1) % count;
        const double from[3] = {(double)v->points[2 * i], 0, (double)v->points[2 * i + 1]};
        const double dx = (double)v->points[2 * k] - from[0], dz = (double)v->points[2 * k + 1] - from[2];
        const double sign = area2 < 0 ? -1 : 1, n[3] = {sign * dz, 0, -sign * dx};
        add_side(r, cfg->sheet, n, from);
    }
    add_side(r, cfg->sheet, (const double[3]){0, 1, 0}, max);
    add_side(r, cfg->sheet, (const double[3]){0, -1, 0}, min);
    nav_sheet_box_to_frame(cfg->sheet, min, max, r->low, r->high);
}

static double beyond(const plane *p, const double at[3])
{
    return p->n[0] * at[0] + p->n[1] * at[1] + p->n[2] * at[2] - p->at;
}

// Where the line between two places passes the plane: the same for both directions.
static void pass(const plane *p, const double a[3], const double b[3], double out[3])
{
    if (memcmp(a, b, 3 * sizeof *a) > 0) {
        const double *t = a;
        a = b;
        b = t;
    }
    const double da = beyond(p, a), db = beyond(p, b), t = da / (da - db);
    for (int k = 0; k < 3; k++) out[k] = a[k] + t * (b[k] - a[k]);
}

// What of a part is within a side, and what is beyond it.
static void split(const part *in, const plane *p, part *within, part *outside)
{
    within->count = outside->count = 0;
    for (int i = 0; i < in->count; i++) {
        const double *a = in->at[i], *b = in->at[(i + 1) % in->count];
        const bool a_in = beyond(p, a) <= 0, b_in = beyond(p, b) <= 0;
        part *own = a_in ? within : outside;
        if (own->count < CORNERS) memcpy(own->at[own->count++], a, sizeof own->at[0]);
        if (a_in == b_in) continue;
        double at[3];
        pass(p, a, b, at);
        if (within->count < CORNERS) memcpy(within->at[within->count++], at, sizeof at);
        if (outside->count < CORNERS) memcpy(outside->at[outside->count++], at, sizeof at);
    }
}

static nav_status put_triangle(cutter *c, const double *const at[3], uint8_t area)
{
    nav_triangles *out = c->out;
    nav_status s =
        nav_grow(c->arena, (void **)&out->verts, &c->vert_capacity, (int64_t)out->count + 1, 9 * sizeof(float));
    if (s == NAV_OK) s = nav_grow(c->arena, (void **)&out->areas, &c->area_capacity, (int64_t)out->count + 1, 1);
    if (s != NAV_OK) return s;
    for (int k = 0; k < 9; k++) out->verts[9 * (size_t)out->count + (size_t)k] = (float)at[k / 3][k % 3];
    out->areas[out->count++] = area;
    return NAV_OK;
}

static nav_status put_part(cutter *c, const part *p, uint8_t area)
{
    nav_status s = NAV_OK;
    for (int i = 2; i < p->count && s == NAV_OK; i++)
        s = put_triangle(c, (const double *const[3]){p->at[0], p->at[i - 1], p->at[i]}, area);
    return s;
}

typedef struct fate {
    uint8_t area; // of the ground, or of the highest volume that it is in
    bool set, blocked, included;
} fate;

static uint8_t area_of(const cutter *c, const fate *f)
{
    if (f->blocked || f->area == NAV_AREA_NONE) return NAV_AREA_NONE;
    return c->bounded && !f->included ? SURFACE_EXCLUDED : f->area;
}

static bool meets(const room *r, const part *p)
{
    for (int a = 0; a < 3; a++) {
        bool below = true, above = true;
        for (int i = 0; i < p->count; i++) {
            below &= p->at[i][a] < r->low[a];
            above &= p->at[i][a] > r->high[a];
        }
        if (below || above) return false;
    }
    return true;
}

// Cuts a part along the rooms from the one on.
static nav_status cut(cutter *c, const part *p, int32_t from, fate f)
{
    while (from < c->room_count && !meets(&c->rooms[from], p)) from++;
    if (from == c->room_count) return put_part(c, p, area_of(c, &f));
    const room *r = &c->rooms[from];
    part inner = *p, outer[SIDES];
    int outer_count = 0;
    for (int i = 0; i < r->side_count && inner.count >= 3; i++) {
        part within;
        split(&inner, &r->side[i], &within, &outer[outer_count]);
        outer_count += outer[outer_count].count >= 3;
        inner = within;
    }
    if (inner.count < 3) return cut(c, p, from + 1, f); // it has nothing of the triangle
    nav_status s = NAV_OK;
    for (int i = 0; i < outer_count && s == NAV_OK; i++) s = cut(c, &outer[i], from + 1, f);
    if (r->includes) f.included = true;
    if (r->blocks) f.blocked = true;
    if (!r->includes && !r->blocks && f.area != NAV_AREA_NONE && (!f.set || r->area > f.area)) {
        f.area = r->area;
        f.set = true;
    }
    return s == NAV_OK ? cut(c, &inner, from + 1, f) : s;
}

static nav_status put_quad(cutter *c, const double at[4][3])
{
    nav_status s = put_triangle(c, (const double *const[3]){at[0], at[1], at[2]}, NAV_AREA_NONE);
    return s == NAV_OK ? put_triangle(c, (const double *const[3]){at[0], at[2], at[3]}, NAV_AREA_NONE) : s;
}

// The sides of a volume that blocks stand in the way.
static nav_status put_sides(cutter *c, const nav_volume *v)
{
    nav_status s = NAV_OK;
    const int count = (int)v->point_count;
    double ring[2][NAV_VOLUME_MAX_POINTS][3];
    for (int i = 0; i < count; i++)
        for (int top = 0; top < 2; top++) {
            const double at[3] = {(double)v->points[2 * i], top ? (double)v->max_y : (double)v->min_y,
                                  (double)v->points[2 * i + 1]};
            nav_sheet_to_frame(c->cfg->sheet, at, ring[top][i]);
        }
    for (int i = 0; i < count && s == NAV_OK; i++) {
        const int k = (i + 1) % count;
        double at[4][3];
        memcpy(at[0], ring[0][i], sizeof at[0]);
        memcpy(at[1], ring[0][k], sizeof at[0]);
        memcpy(at[2], ring[1][k], sizeof at[0]);
        memcpy(at[3], ring[1][i], sizeof at[0]);
        s = put_quad(c, (const double(*)[3])at);
    }
    for (int top = 0; top < 2; top++)
        for (int i = 2; i < count && s == NAV_OK; i++)
            s = put_triangle(c, (const double *const[3]){ring[top][0], ring[top][i - 1], ring[top][i]}, NAV_AREA_NONE);
    return s;
}

static int compare_rooms(const void *a, const void *b)
{
    const nav_key *x = &((const room *)a)->key, *y = &((const room *)b)->key;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

nav_status nav_surface_cut_rooms(const nav_triangles *triangles, const nav_tile_source *source, const nav_config *cfg,
                                 nav_arena *arena, nav_triangles *out)
{
    cutter c = {.cfg = cfg, .arena = arena, .out = out, .bounded = nav_tile_is_bounded(source)};
    double min[2], max[2];
    nav_status s = NAV_OK;
    *out = *triangles;
    if (source->volume_count == 0 && !c.bounded) return NAV_OK;
    nav_tile_padded_bounds(source->settings, source->tile_x, source->tile_z, min, max);
    c.rooms = NAV_TAKE(arena, room, source->volume_count);
    if (!c.rooms) return nav_arena_failure(arena);
    for (uint32_t i = 0; i < source->volume_count; i++)
        if (nav_volume_touches_tile(&source->volumes[i], cfg->sheet, min, max))
            make_room(&source->volumes[i], cfg, &c.rooms[c.room_count++]);
    // Where rooms overlap, what is cut first leaves other corners: the order is theirs, not the list's.
    if (c.room_count > 1) qsort(c.rooms, (size_t)c.room_count, sizeof *c.rooms, compare_rooms);
    out->verts = NULL;
    out->areas = NULL;
    out->count = 0;
    for (uint32_t t = 0; t < triangles->count && s == NAV_OK; t++) {
        part p = {.count = 3};
        for (int k = 0; k < 9; k++) p.at[k / 3][k % 3] = (double)triangles->verts[9 * (size_t)t + (size_t)k];
        s = cut(&c, &p, 0, (fate){triangles->areas[t], false, false, false});
    }
    for (int32_t i = 0; i < c.room_count && s == NAV_OK; i++)
        if (c.rooms[i].blocks) s = put_sides(&c, c.rooms[i].volume);
    return s;
}
