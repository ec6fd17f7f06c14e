// The distances from one place to all ground: the search of the shortest path without a goal, the nearest first.
//
// What a turn sees is as far as the turn and the straight line. What a shorter way leads to is dropped (known.h), so
// the distances are exact, but for the rounding of sums.
#include "core/path/known.h"
#include "core/path/landmarks.h"

#include <stdlib.h>

typedef struct wave {
    path_search s;
    nav_path_landmarks *l;
    double *far; // of each sector; INFINITY: not reached
} wave;

static double *far_of(const wave *w, uint32_t tile, uint32_t corner)
{
    return &w->far[w->l->first[tile] + w->s.set->tiles[tile]->sector[corner]];
}

static void reach(wave *w, uint32_t tile, uint32_t corner, double d)
{
    double *far = far_of(w, tile, corner);
    if (d < *far) *far = d;
}

static void expand(wave *w, const path_cone *c)
{
    const path_tile *t = w->s.set->tiles[c->tile];
    const path_turn *turn = &w->s.f->turns[c->turn];
    uint32_t cell = t->cell[c->corner];
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++)
        if (path_cone_has(turn->at, c, path_corner(t, k)))
            reach(w, c->tile, k, turn->g + path_distance(turn->at, path_corner(t, k)));
    nav_path_expand_cone(&w->s, *c);
}

// The cells around a corner, on the side that is turned to.
static void look_around(wave *w, const path_turn *turn)
{
    bool left = turn->kind == PATH_LEFT;
    uint32_t tile = turn->tile, corner = turn->corner;
    for (;;) {
        const path_tile *t = w->s.set->tiles[tile];
        uint32_t cell = t->cell[corner];
        for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
            int64_t side = path_side(turn->before, turn->at, path_corner(t, k));
            if (left ? side >= 0 : side <= 0) reach(w, tile, k, turn->g + path_distance(turn->at, path_corner(t, k)));
        }
        uint32_t edge = left ? corner : path_before(t, corner);
        if (!path_cross(w->s.set, &tile, &edge)) return;
        corner = left ? path_next(w->s.set->tiles[tile], edge) : edge;
    }
}

static void take_next(wave *w)
{
    path_search *s = &w->s;
    path_queued first = path_queue_pop(&s->f->queue);
    s->bound = first.f;
    if (first.what & PATH_LATER) {
        path_cone c = path_take_later(s, first.what);
        if (!s->f->turns[c.turn].outdated) expand(w, &c);
    } else if (!s->f->turns[first.what].outdated) {
        const path_turn turn = s->f->turns[first.what];
        if (turn.g > *far_of(w, turn.tile, turn.corner) * (1 + 1e-9)) return;
        look_around(w, &turn);
        nav_path_look_from(s, first.what);
    }
}

static nav_status run(wave *w, const path_place *start, bool (*stop)(void *user), void *user)
{
    path_search *s = &w->s;
    nav_path_finder *f = s->f;
    uint32_t end;
    nav_path_forget(s);
    if (nav_path_forget_known(s) != NAV_OK) return NAV_ERR_MEMORY;
    path_turn *first = nav_path_add_turn(s);
    if (!first || !nav_path_list_near(s->set, *start, &f->near, &f->near_room, 0, 0, &end)) return NAV_ERR_MEMORY;
    *first = (path_turn){.parent = PATH_NONE,
                         .tile = start->tile,
                         .corner = s->set->tiles[start->tile]->first[start->cell],
                         .kind = PATH_START,
                         .at = start->at,
                         .before = start->at,
                         .y = start->y};
    for (uint32_t i = 0; i < end; i++) {
        const path_tile *t = s->set->tiles[f->near[i].tile];
        for (uint32_t k = t->first[f->near[i].cell]; k < t->first[f->near[i].cell + 1]; k++)
            reach(w, f->near[i].tile, k, path_distance(start->at, path_corner(t, k)));
    }
    nav_path_begin(s, 0);
    for (uint32_t looked = 1; s->cone_count || f->queue.count; looked++) {
        if (looked % 256 == 0 && stop && stop(user)) return NAV_ERR_LIMIT;
        if (s->out_of_memory || s->full) return NAV_ERR_MEMORY;
        if (s->cone_count) {
            path_cone c = f->cones[--s->cone_count];
            if (!f->turns[c.turn].outdated) expand(w, &c);
        } else {
            take_next(w);
        }
    }
    return NAV_OK;
}

nav_status nav_path_landmarks_flood(nav_path_landmarks *l, uint32_t k, nav_path_finder *finder, const nav_path_set *set,
                                    bool (*stop)(void *user), void *user)
{
    wave w = {.s = {.f = finder,
                    .set = set,
                    .max_nodes = UINT32_MAX - 1,
                    .later_free = PATH_NONE,
                    .best = INFINITY,
                    .current = PATH_NONE,
                    .spreads = true},
              .l = l};
    double most = 1;
    if (l->at[k].tile == PATH_NONE) return NAV_OK;
    w.far = malloc(l->sector_count * sizeof *w.far);
    if (!w.far) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < l->sector_count; i++) w.far[i] = INFINITY;
    nav_status s = run(&w, &l->at[k], stop, user);
    if (k >= l->leaders) {
        if (s == NAV_OK)
            s = nav_path_landmarks_follow(l, k, set, w.far);
        else
            nav_path_landmarks_unfollow(l, k);
        free(w.far);
        return s;
    }
    for (uint32_t i = 0; i < l->sector_count; i++)
        if (w.far[i] < INFINITY) most = fmax(most, w.far[i]);
    if (k == 0 && s == NAV_OK) l->unit = 2 * most / (PATH_FAR - 8); // no two places are farther apart
    for (uint32_t i = 0; i < l->sector_count; i++) {
        double units = s == NAV_OK ? w.far[i] / l->unit : INFINITY;
        l->distance[(size_t)i * l->lanes + k] = units < PATH_FAR - 1 ? (uint16_t)units : PATH_FAR;
    }
    free(w.far);
    return s;
}
