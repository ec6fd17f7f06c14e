// What landmarks tell a search: how far it is to its goal at least. The way between two places is no shorter than the
// difference of their distances from any landmark (Goldberg and Harrelson, "Computing the Shortest Path: A* Search
// Meets Graph Theory", 2005). A way through ground that may have opened since is no shorter than straight to its
// rectangle and straight on from there.
#include "core/path/landmarks.h"

static const double ROUNDING = 1e-4; // units: more than sums of rounded lengths can be off

void nav_path_look_ahead(path_search *s)
{
    const nav_path_landmarks *l = s->set->marks;
    path_ahead *a = &s->f->ahead;
    path_place goal = s->f->near[0];
    if (!l || s->weighed || (s->rules && (s->rules->links || s->rules->weighs))) return;
    if (goal.tile >= l->tile_count || l->first[goal.tile] == PATH_NONE) return;
    const path_tile *t = s->set->tiles[goal.tile];
    a->marks = l;
    for (uint32_t m = 0; m < l->lanes; m++) {
        double low = 0, high = INFINITY;
        for (uint32_t k = t->first[goal.cell]; k < t->first[goal.cell + 1]; k++) {
            uint16_t known = path_distances(l, goal.tile, t->sector[k])[m];
            double d = path_distance(path_corner(t, k), s->goal) / l->unit;
            if (known == PATH_FAR) continue;
            low = fmax(low, known - d);
            high = fmin(high, known + 1 + d);
        }
        bool is_known = high + 1 < PATH_FAR;
        a->low[m] = is_known ? (uint16_t)low : 0;
        a->high[m] = is_known ? (uint16_t)(high + 1) : PATH_FAR;
    }
    for (uint32_t i = 0; i < l->opened_count; i++) a->behind[i] = path_to_rect(&l->opened[i], s->goal);
    s->ahead = a;
}

double nav_path_ahead_of(const path_ahead *a, uint32_t tile, uint32_t sector, path_spot at)
{
    const nav_path_landmarks *l = a->marks;
    if (tile >= l->tile_count || l->first[tile] == PATH_NONE) return 0;
    const uint16_t *known = path_distances(l, tile, sector);
    uint16_t most = 0;
    for (uint32_t m = 0; m < l->lanes; m++) {
        uint16_t low = known[m] == PATH_FAR ? 0 : known[m], high = known[m] == PATH_FAR ? PATH_FAR : known[m] + 1;
        uint16_t to = a->low[m] > high ? a->low[m] - high : 0, back = low > a->high[m] ? low - a->high[m] : 0;
        uint16_t here = to > back ? to : back;
        most = here > most ? here : most;
    }
    double least = fmax(most - ROUNDING, 0) * l->unit;
    for (uint32_t i = 0; i < l->opened_count; i++) least = fmin(least, path_to_rect(&l->opened[i], at) + a->behind[i]);
    return least;
}
