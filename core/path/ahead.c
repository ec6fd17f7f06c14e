// What landmarks tell a search: how far it is to its goal at least. The way between two places is no shorter than the
// difference of their distances from any landmark (Goldberg and Harrelson, "Computing the Shortest Path: A* Search
// Meets Graph Theory", 2005). A way through ground that may have opened since is no shorter than straight to its
// rectangle and straight on from there.
#include "core/path/landmarks.h"

static const double ROUNDING = 1e-4;                          // units: more than sums of rounded lengths can be off
enum { NOWHERE = 1 << 20, MOST_MORE = PATH_MOST_RANGE + 64 }; // units

void nav_path_look_ahead(path_search *s)
{
    const nav_path_landmarks *l = s->set->marks;
    path_ahead *a = &s->f->ahead;
    path_place goal = s->f->near[0];
    if (!l || s->weighed || (s->rules && (s->rules->links || s->rules->weighs))) return;
    if (!path_is_known(l, goal.tile)) return;
    const path_tile *t = s->set->tiles[goal.tile];
    a->marks = l;
    a->follows = false;
    for (uint32_t m = 0; m < l->lanes; m++) {
        double low = 0, high = INFINITY;
        for (uint32_t k = t->first[goal.cell]; k < t->first[goal.cell + 1]; k++) {
            uint16_t known = path_distances(l, l->tile[goal.tile], t->sector[k])[m];
            double d = path_distance(path_corner(t, k), s->goal) / l->unit;
            if (known == PATH_FAR) continue;
            low = fmax(low, known - d);
            high = fmin(high, known + 1 + d);
        }
        bool is_known = high < PATH_FAR;
        a->low[m] = is_known ? (int32_t)low : -NOWHERE;
        a->high[m] = is_known ? (int32_t)high + 1 : NOWHERE;
    }
    for (uint32_t i = 0; i < l->opened_count; i++) a->behind[i] = path_to_rect(&l->opened[i], s->goal);
    s->ahead = a;
}

// How much farther one corner of the goal's cell is from a follower than from its leader.
static void find_range(const nav_path_landmarks *l, uint32_t tile, uint32_t sector, uint32_t row, uint32_t m,
                       int32_t out[2])
{
    const int16_t *range = &path_ranges(l, tile)[(size_t)row * 2 * l->lanes];
    uint32_t follower = row * l->leaders + m, first = l->fine_first[(size_t)tile * path_followers(l) + follower];
    int32_t low = range[m], high = range[l->lanes + m], step = path_fine_step(low, high);
    out[0] = low;
    out[1] = high;
    if (first == PATH_NONE) return;
    out[0] = low + l->fine[l->leaders + follower][first + sector] * step;
    if (out[0] + step < high) out[1] = out[0] + step;
}

void nav_path_look_far_ahead(path_search *s)
{
    path_ahead *a = &s->f->ahead;
    if (!s->ahead || !a->marks->rows) return;
    const nav_path_landmarks *l = a->marks;
    path_place goal = s->f->near[0];
    const path_tile *t = s->set->tiles[goal.tile];
    uint32_t tile = l->tile[goal.tile], nearest = t->first[goal.cell];
    for (uint32_t k = nearest; k < t->first[goal.cell + 1]; k++)
        if (path_distance(path_corner(t, k), s->goal) < path_distance(path_corner(t, nearest), s->goal)) nearest = k;
    double d = path_distance(path_corner(t, nearest), s->goal) / l->unit;
    const uint16_t *known = path_distances(l, tile, t->sector[nearest]);
    for (uint32_t row = 0; row < l->rows; row++)
        for (uint32_t m = 0; m < l->lanes; m++) {
            int32_t range[2] = {0, 1};
            if (m < l->leaders) find_range(l, tile, t->sector[nearest], row, m, range);
            bool is_known = known[m] != PATH_FAR && a->high[m] != NOWHERE;
            double low = is_known ? floor(known[m] + range[0] - d) - a->low[m] : -MOST_MORE; // no follower is farther
            double high = is_known ? ceil(known[m] + range[1] + d) - a->high[m] : MOST_MORE; // from its leader
            a->more_low[row * l->lanes + m] = (int16_t)fmax(low, -MOST_MORE);
            a->more_high[row * l->lanes + m] = (int16_t)fmin(high, MOST_MORE);
        }
    a->follows = true;
}

// Of each leader and those that follow it, the best for a tile: what has to be added to the difference of the distances
// from the leader.
static void ask_followers(const path_ahead *a, const int16_t *range, int16_t *to, int16_t *back)
{
    const nav_path_landmarks *l = a->marks;
    const int16_t *more_low = a->more_low, *more_high = a->more_high;
    for (uint32_t row = 0; row < l->rows; row++) {
        for (uint32_t first = 0; first < l->lanes; first += 8)
            for (uint32_t m = first; m < first + 8; m++) { // all at once
                int16_t t = (int16_t)(more_low[m] - range[l->lanes + m]), b = (int16_t)(range[m] - more_high[m]);
                to[m] = t > to[m] ? t : to[m];
                back[m] = b > back[m] ? b : back[m];
            }
        range += 2 * l->lanes;
        more_low += l->lanes;
        more_high += l->lanes;
    }
}

double nav_path_ahead_of(const path_ahead *a, uint32_t tile, uint32_t sector, path_spot at)
{
    const nav_path_landmarks *l = a->marks;
    if (!path_is_known(l, tile)) return 0;
    const uint16_t *known = path_distances(l, l->tile[tile], sector);
    int16_t more_to[PATH_LEADERS], more_back[PATH_LEADERS];
    int32_t most = 0;
    for (uint32_t m = 0; m < l->lanes; m++) {
        more_to[m] = -1;
        more_back[m] = 0;
    }
    if (a->follows) ask_followers(a, path_ranges(l, l->tile[tile]), more_to, more_back);
    for (uint32_t m = 0; m < l->lanes; m++) {
        int32_t to = a->low[m] - known[m] + more_to[m], back = known[m] - a->high[m] + more_back[m];
        int32_t here = to > back ? to : back;
        here = known[m] == PATH_FAR ? 0 : here;
        most = here > most ? here : most;
    }
    double least = fmax(most - ROUNDING, 0) * l->unit;
    for (uint32_t i = 0; i < l->opened_count; i++) least = fmin(least, path_to_rect(&l->opened[i], at) + a->behind[i]);
    return least;
}
