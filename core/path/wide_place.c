// Places where the agent fits. The nearest of a cell to a place is that place itself, or on the rim of a piece, or on
// an edge of the cell; and where it is not the foot of a perpendicular, it is where two of those lines cross.
#include "core/path/wide.h"

enum { MOST_LINES = 256 }; // of a cell; of more the rest is left out

typedef struct rim {
    bool round;
    wide_vec a, b; // a straight line's ends, or the middle of a circle
} rim;

static bool in_cell(const path_tile *t, uint32_t cell, wide_vec s, double slack)
{
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        wide_vec a = wide_of(path_corner(t, k)), e = wide_from(a, wide_of(path_corner(t, path_next(t, k))));
        if (wide_cross(e, wide_from(a, s)) > slack * wide_length(e)) return false;
    }
    return true;
}

static wide_vec foot(wide_vec a, wide_vec b, wide_vec s)
{
    wide_vec e = wide_from(a, b);
    double square = wide_dot(e, e), u = square > 0 ? wide_dot(wide_from(a, s), e) / square : 0;
    return wide_along(a, e, fmin(fmax(u, 0), 1));
}

static int cross_lines(const rim *p, const rim *q, double radius, wide_vec out[2])
{
    if (p->round && q->round) return nav_path_wide_meetings(p->a, radius, q->a, radius, out);
    if (p->round) return nav_path_wide_crossings(q->a, q->b, p->a, radius, out);
    if (q->round) return nav_path_wide_crossings(p->a, p->b, q->a, radius, out);
    wide_vec e = wide_from(p->a, p->b);
    double u = wide_cross(e, wide_from(p->a, q->a)), v = wide_cross(e, wide_from(p->a, q->b));
    if (u == v || (u > 0) == (v > 0)) return 0;
    out[0] = wide_along(q->a, wide_from(q->a, q->b), u / (u - v));
    return 1;
}

typedef struct place_search {
    const wide_search *s;
    const path_tile *t;
    const wide_tile *clear;
    uint32_t cell;
    wide_vec to;
    double most;
    void (*visit)(void *user, wide_vec at, double distance);
    void *user;
} place_search;

// With so much of the slack left that the place can be moved to the grid.
static bool fits(const place_search *p, wide_vec at)
{
    for (uint32_t i = p->clear->first[p->cell]; i < p->clear->first[p->cell + 1]; i++)
        if (nav_path_wide_covers(&p->clear->pieces[i], p->s->radius, WIDE_SLACK / 4, at)) return false;
    return true;
}

static void try_place(const place_search *p, wide_vec at)
{
    double distance = wide_length(wide_from(at, p->to));
    if (distance < p->most && in_cell(p->t, p->cell, at, WIDE_CLOSE) && fits(p, at)) p->visit(p->user, at, distance);
}

bool nav_path_wide_places(wide_search *s, uint32_t tile, uint32_t cell, wide_vec to, double most,
                          void (*visit)(void *user, wide_vec at, double distance), void *user)
{
    const path_tile *t = s->set->tiles[tile];
    place_search p = {s, t, nav_path_wide_clear(s, tile), cell, to, most, visit, user};
    rim rims[MOST_LINES];
    int count = 0;
    if (!p.clear) {
        s->out_of_memory = true;
        return false;
    }
    if (in_cell(t, cell, to, WIDE_CLOSE)) {
        try_place(&p, to);
        if (fits(&p, to)) return true;
    }
    bool far = true; // no edge is near enough
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        rim r = {false, wide_of(path_corner(t, k)), wide_of(path_corner(t, path_next(t, k)))};
        far &= wide_length(wide_from(foot(r.a, r.b, to), to)) >= most;
        if (count < MOST_LINES) rims[count++] = r;
    }
    if (far && !in_cell(t, cell, to, 0)) return true;
    for (uint32_t i = p.clear->first[cell]; i < p.clear->first[cell + 1] && count < MOST_LINES; i++) {
        const wide_piece *o = &p.clear->pieces[i];
        rims[count++] = o->round ? (rim){true, o->at, o->at} : (rim){false, o->right, o->left};
    }
    for (int i = 0; i < count; i++) {
        const rim *r = &rims[i];
        wide_vec met[2];
        if (r->round) {
            try_place(&p, wide_along(r->a, wide_unit(wide_from(r->a, to)), s->radius));
        } else {
            try_place(&p, foot(r->a, r->b, to));
            try_place(&p, r->a);
            try_place(&p, r->b);
        }
        for (int k = 0; k < i; k++)
            for (int n = cross_lines(r, &rims[k], s->radius, met); n-- > 0;) try_place(&p, met[n]);
    }
    return true;
}

static bool fits_at(wide_search *s, const path_place *at)
{
    place_search p = {.s = s, .clear = nav_path_wide_clear(s, at->tile), .cell = at->cell};
    s->out_of_memory |= !p.clear;
    return p.clear && fits(&p, wide_of(at->at));
}

bool nav_path_wide_may_jump(wide_search *s, const path_jump *j)
{
    return path_may_jump(s->set, s->rules, j) && j->radius_m >= (float)s->q->radius_m && fits_at(s, &j->from) &&
           fits_at(s, &j->to);
}

bool nav_path_wide_list(wide_search *s, uint32_t first, path_place at, double reach, uint32_t *end)
{
    nav_path_wide *w = s->w;
    uint32_t count = first;
    if (!PATH_GROW(w->near, w->near_room, count)) return false;
    w->near[count++] = at;
    for (uint32_t i = first; i < count; i++) {
        path_place here = w->near[i];
        const path_tile *t = s->set->tiles[here.tile];
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            uint32_t tile = here.tile, corner = k, known = first;
            wide_vec a = wide_of(path_corner(t, k)), b = wide_of(path_corner(t, path_next(t, k))), p = wide_of(at.at);
            if (wide_length(wide_from(foot(a, b, p), p)) > reach || !wide_pass(s, &tile, &corner)) continue;
            uint32_t cell = s->set->tiles[tile]->cell[corner];
            while (known < count && (w->near[known].tile != tile || w->near[known].cell != cell)) known++;
            if (known < count) continue;
            if (!PATH_GROW(w->near, w->near_room, count)) return false;
            w->near[count++] = (path_place){tile, cell, at.at, at.y};
        }
    }
    *end = count;
    return true;
}

typedef struct fit_search {
    double distance;
    wide_vec at;
} fit_search;

static void keep_nearest(void *user, wide_vec at, double distance)
{
    fit_search *f = user;
    if (distance >= f->distance) return;
    f->distance = distance;
    f->at = at;
}

bool nav_path_wide_fit(wide_search *s, wide_vec to, double most, path_place *at)
{
    fit_search f = {most, to};
    path_place around = *at, best = *at;
    around.at = wide_spot(to);
    double reach = fmin(fmax(wide_length(wide_from(to, wide_of(at->at))), s->radius), most);
    while (f.distance == most && reach < 2 * most) { // more and more cells: it is seldom far
        uint32_t end;
        reach *= 2;
        if (!nav_path_wide_list(s, 0, around, fmin(reach, most), &end)) {
            s->out_of_memory = true;
            return false;
        }
        for (uint32_t i = 0; i < end; i++) {
            double before = f.distance;
            path_place here = s->w->near[i];
            if (!nav_path_wide_places(s, here.tile, here.cell, to, fmin(reach, f.distance), keep_nearest, &f))
                return false;
            if (f.distance < before) best = here;
        }
    }
    if (f.distance == most) return false;
    best.at = wide_spot(f.at);
    *at = best;
    return true;
}
