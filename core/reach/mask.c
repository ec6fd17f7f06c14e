// Parts are whole polygons and whole cells, and no edge leads from one part to another: what stays keeps its shape, and
// only the numbers change.

#include "core/reach/mask.h"

#include <string.h>

nav_key nav_mask_key(const uint8_t *off, uint32_t parts, nav_unreachable mode)
{
    nav_key none = {0, 0};
    if (mode == NAV_UNREACHABLE_KEEP || !memchr(off, 1, parts)) return none;
    nav_key key = nav_key_of(off, parts), with = nav_key_of(nav_unreachable_name(mode), 4);
    return nav_key_join(key, with);
}

nav_key nav_masked_key(nav_key key, nav_key mask)
{
    return nav_key_is_zero(mask) ? key : nav_key_join(key, mask);
}

typedef struct masker {
    const nav_tile *in;
    nav_tile *out;
    nav_arena *arena;
    const uint8_t *off;
    int32_t *part;                           // of each polygon
    int32_t *new_poly, *new_vert, *new_cell; // -1: gone
} masker;

static bool is_off(const masker *m, int32_t poly)
{
    return m->off[m->part[poly]];
}

// --- flag

static nav_status mark(masker *m)
{
    nav_polygons *p = &m->out->polygons;
    p->unreached = NAV_TAKE(m->arena, uint8_t, p->count);
    if (!p->unreached) return nav_arena_failure(m->arena);
    uint8_t *flags = NAV_TAKE(m->arena, uint8_t, p->cell_count);
    if (!flags) return nav_arena_failure(m->arena);
    for (int32_t i = 0; i < p->count; i++) p->unreached[i] = is_off(m, i);
    for (int32_t c = 0; c < p->cell_count; c++)
        flags[c] =
            (uint8_t)((p->cell_flags ? p->cell_flags[c] : 0) | (is_off(m, p->cell_poly[c]) ? NAV_CELL_UNREACHABLE : 0));
    p->cell_flags = flags;
    return NAV_OK;
}

// --- drop

static nav_status number(masker *m)
{
    const nav_polygons *p = &m->in->polygons;
    m->new_poly = NAV_TAKE(m->arena, int32_t, p->count);
    m->new_cell = NAV_TAKE(m->arena, int32_t, p->cell_count);
    m->new_vert = NAV_TAKE(m->arena, int32_t, p->vert_count);
    if (!m->new_poly || !m->new_cell || !m->new_vert) return nav_arena_failure(m->arena);
    nav_polygons *o = &m->out->polygons;
    *o = (nav_polygons){.failed_loops = p->failed_loops};
    for (int32_t v = 0; v < p->vert_count; v++) m->new_vert[v] = -1;
    for (int32_t i = 0; i < p->count; i++) {
        m->new_poly[i] = is_off(m, i) ? -1 : o->count++;
        for (int32_t k = p->first[i]; k < p->first[i + 1] && m->new_poly[i] >= 0; k++) m->new_vert[p->vert[k]] = 0;
    }
    for (int32_t c = 0; c < p->cell_count; c++) m->new_cell[c] = is_off(m, p->cell_poly[c]) ? -1 : o->cell_count++;
    for (int32_t v = 0; v < p->vert_count; v++)
        if (!m->new_vert[v]) m->new_vert[v] = o->vert_count++; // those that stay keep their order
    return NAV_OK;
}

static nav_status take_polygons(masker *m)
{
    const nav_polygons *p = &m->in->polygons;
    nav_polygons *o = &m->out->polygons;
    size_t corners = (size_t)p->first[p->count], cell_corners = (size_t)p->cell_first[p->cell_count];
    o->x = NAV_TAKE(m->arena, int32_t, o->vert_count);
    o->z = NAV_TAKE(m->arena, int32_t, o->vert_count);
    o->y = NAV_TAKE(m->arena, int32_t, o->vert_count);
    o->first = NAV_TAKE(m->arena, int32_t, o->count + 1);
    o->vert = NAV_TAKE(m->arena, int32_t, corners);
    o->behind = NAV_TAKE(m->arena, int32_t, corners);
    o->area = NAV_TAKE(m->arena, uint8_t, o->count);
    o->region = NAV_TAKE(m->arena, int32_t, o->count);
    o->cell_poly = NAV_TAKE(m->arena, int32_t, o->cell_count + 1);
    o->cell_first = NAV_TAKE(m->arena, int32_t, o->cell_count + 1);
    o->cell_flags = p->cell_flags ? NAV_TAKE(m->arena, uint8_t, o->cell_count) : NULL;
    o->cell_vert = NAV_TAKE(m->arena, int32_t, cell_corners);
    o->cell_behind = NAV_TAKE(m->arena, int32_t, cell_corners);
    bool ok = o->x && o->z && o->y && o->first && o->vert && o->behind && o->area && o->region && o->cell_poly &&
              o->cell_first && o->cell_vert && o->cell_behind && (o->cell_flags || !p->cell_flags);
    return ok ? NAV_OK : nav_arena_failure(m->arena);
}

static void write_polygons(masker *m)
{
    const nav_polygons *p = &m->in->polygons;
    nav_polygons *o = &m->out->polygons;
    for (int32_t v = 0; v < p->vert_count; v++) {
        int32_t to = m->new_vert[v];
        if (to < 0) continue;
        o->x[to] = p->x[v];
        o->z[to] = p->z[v];
        o->y[to] = p->y[v];
    }
    int32_t at = 0;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t to = m->new_poly[i];
        if (to < 0) continue;
        o->first[to] = at;
        o->area[to] = p->area[i];
        o->region[to] = p->region[i];
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++, at++) {
            o->vert[at] = m->new_vert[p->vert[k]];
            o->behind[at] = p->behind[k] < 0 ? p->behind[k] : m->new_poly[p->behind[k]];
        }
    }
    o->first[o->count] = at;
}

static void write_cells(masker *m)
{
    const nav_polygons *p = &m->in->polygons;
    nav_polygons *o = &m->out->polygons;
    int32_t at = 0;
    for (int32_t c = 0; c < p->cell_count; c++) {
        int32_t to = m->new_cell[c];
        if (to < 0) continue;
        o->cell_poly[to] = m->new_poly[p->cell_poly[c]];
        o->cell_first[to] = at;
        if (o->cell_flags) o->cell_flags[to] = p->cell_flags[c];
        for (int32_t k = p->cell_first[c]; k < p->cell_first[c + 1]; k++, at++) {
            o->cell_vert[at] = m->new_vert[p->cell_vert[k]];
            o->cell_behind[at] = p->cell_behind[k] < 0 ? p->cell_behind[k] : m->new_cell[p->cell_behind[k]];
        }
    }
    o->cell_poly[o->cell_count] = o->count;
    o->cell_first[o->cell_count] = at;
}

static nav_status write_detail(masker *m)
{
    const nav_detail *d = &m->in->detail;
    nav_detail *o = &m->out->detail;
    int32_t count = m->out->polygons.count;
    if (!d->tri_first) return NAV_OK;
    o->vert_first = NAV_TAKE(m->arena, int32_t, count + 1);
    o->tri_first = NAV_TAKE(m->arena, int32_t, count + 1);
    o->x = NAV_TAKE(m->arena, float, d->vert_count);
    o->z = NAV_TAKE(m->arena, float, d->vert_count);
    o->y = NAV_TAKE(m->arena, float, d->vert_count);
    o->tri = nav_arena_take(m->arena, (size_t)d->tri_count, sizeof *o->tri);
    if (!o->vert_first || !o->tri_first || !o->x || !o->z || !o->y || !o->tri) return nav_arena_failure(m->arena);
    o->vert_count = o->tri_count = 0;
    for (int32_t i = 0; i < m->in->polygons.count; i++) {
        int32_t to = m->new_poly[i];
        if (to < 0) continue;
        o->vert_first[to] = o->vert_count;
        o->tri_first[to] = o->tri_count;
        for (int32_t v = d->vert_first[i]; v < d->vert_first[i + 1]; v++) {
            o->x[o->vert_count] = d->x[v];
            o->z[o->vert_count] = d->z[v];
            o->y[o->vert_count++] = d->y[v];
        }
        for (int32_t t = d->tri_first[i]; t < d->tri_first[i + 1]; t++)
            memcpy(o->tri[o->tri_count++], d->tri[t], sizeof d->tri[t]);
    }
    o->vert_first[count] = o->vert_count;
    o->tri_first[count] = o->tri_count;
    return NAV_OK;
}

static nav_status drop(masker *m)
{
    nav_status s = number(m);
    if (s == NAV_OK) s = take_polygons(m);
    if (s != NAV_OK) return s;
    write_polygons(m);
    write_cells(m);
    return write_detail(m);
}

// --- links: those that start on ground that is off; one that starts on none is not looked at

static bool link_is_off(const masker *m, const nav_link *l)
{
    double distance2;
    nav_place_query q = {{l->start[0], l->start[1], l->start[2]}, l->radius_m, m->in->settings->agent_climb_m};
    int32_t part = nav_parts_find(m->in, m->part, &q, &distance2);
    return part >= 0 && m->off[part];
}

static nav_status mask_links(masker *m, nav_unreachable mode)
{
    uint32_t count = m->in->link_count, kept = 0;
    nav_link *copies = NAV_TAKE(m->arena, nav_link, count);
    m->out->links = NAV_TAKE(m->arena, const nav_link *, count);
    if (!copies || !m->out->links) return nav_arena_failure(m->arena);
    for (uint32_t i = 0; i < count; i++) {
        const nav_link *l = m->in->links[i];
        if (link_is_off(m, l)) {
            if (mode == NAV_UNREACHABLE_DROP) continue;
            copies[i] = *l;
            copies[i].flags = 0;
            l = &copies[i];
        }
        m->out->links[kept++] = l;
    }
    m->out->link_count = kept;
    return NAV_OK;
}

nav_status nav_tile_mask(const nav_tile *tile, const uint8_t *off, uint32_t parts, nav_unreachable mode,
                         nav_arena *arena, nav_tile *out)
{
    *out = *tile;
    nav_key key = nav_mask_key(off, parts, mode);
    if (nav_key_is_zero(key)) return NAV_OK;
    masker m = {.in = tile, .out = out, .arena = arena, .off = off};
    uint32_t count;
    nav_status s = nav_parts_of_polygons(&tile->polygons, arena, &m.part, &count);
    if (s == NAV_OK && count != parts) s = NAV_ERR_ARGUMENT;
    if (s == NAV_OK) s = mask_links(&m, mode);
    if (s == NAV_OK) s = mode == NAV_UNREACHABLE_DROP ? drop(&m) : mark(&m);
    out->content_key = nav_masked_key(tile->content_key, key);
    out->counts.polygons = (uint32_t)out->polygons.count;
    out->counts.cells = (uint32_t)out->polygons.cell_count;
    out->counts.detail_triangles = (uint32_t)out->detail.tri_count;
    return s;
}
