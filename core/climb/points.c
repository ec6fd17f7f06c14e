#include "core/climb/points.h"

#include <stdlib.h>
#include <string.h>

static const double SAME_PLACE_M = 1e-6;
static const double SAME_PLANE = 1e-9; // 1 - cosine

// Goes the path straight on over one plane at b?
static bool is_needless(const nav_climb_point *a, const nav_climb_point *b, const nav_climb_point *c)
{
    vec n = vec_of_float(a->normal), m = vec_of_float(b->normal);
    vec p = vec_sub(vec_of(b->at), vec_of(a->at)), q = vec_sub(vec_of(c->at), vec_of(b->at));
    if (a->sheet != b->sheet || a->area != b->area || a->strip || b->strip || vec_dot(n, m) < 1 - SAME_PLANE)
        return false;
    return vec_dot(p, q) > 0 && vec_length(vec_cross(vec_unit(p), vec_unit(q))) < SAME_PLACE_M;
}

static nav_status reserve(climb_points *l)
{
    if (l->count < l->room) return NAV_OK;
    uint32_t room = l->room ? 2 * l->room : 64;
    nav_climb_point *item = realloc(l->item, room * sizeof *item);
    if (!item) return NAV_ERR_MEMORY;
    l->item = item;
    l->room = room;
    return NAV_OK;
}

nav_status nav_climb_add_point(climb_points *l, vec at, const climb_patch *p, uint32_t triangle, bool strip)
{
    nav_climb_point point = {.sheet = (uint8_t)p->sheet, .area = p->area[triangle], .strip = strip};
    vec_to(at, point.at);
    vec_to_float(nav_climb_normal(p, triangle), point.normal);
    nav_climb_point *last = l->count ? &l->item[l->count - 1] : NULL;
    if (last && vec_apart(vec_of(last->at), at) < SAME_PLACE_M) { // it goes on from there
        memcpy(point.at, last->at, sizeof point.at);
        *last = point;
        return NAV_OK;
    }
    if (l->count > 1 && is_needless(last - 1, last, &point)) l->count--;
    nav_status s = reserve(l);
    if (s == NAV_OK) l->item[l->count++] = point;
    return s;
}

nav_status nav_climb_end_points(climb_points *l)
{
    if (l->count != 1) return NAV_OK;
    nav_status s = reserve(l);
    if (s == NAV_OK) l->item[l->count++] = l->item[0];
    return s;
}
