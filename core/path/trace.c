// The path that a search has found: its points, cells and lengths.
//
// A search keeps its turns only. The edges between two of them are found once more, by the same cones, of which only
// those count that hold the end of the piece.
#include "core/path/search_work.h"

// Into the next cell, where the line to the end of the piece crosses an edge between its vertices. False: it ends in
// this cell, or passes a vertex, and the cone has to be looked at as a whole.
static bool follow(path_search *s, const path_cone *cone)
{
    nav_path_finder *f = s->f;
    const path_tile *t = s->set->tiles[cone->tile];
    path_spot p = f->turns[cone->turn].at, end = f->turns[s->wanted].at;
    uint32_t cell = t->cell[cone->corner], first = t->first[cell], behind = t->first[cell + 1], corner = cone->corner;
    if (s->rules || path_is_goal(s, cone->tile, cell) || path_side(p, cone->right, end) <= 0 ||
        path_side(p, cone->left, end) >= 0)
        return false;
    path_spot left, right; // of the edge, from the left on
    int64_t side = 1;
    for (right = path_corner(t, corner); side > 0;) { // the cone's right end ends it
        left = right;
        if (++corner == behind) corner = first;
        right = path_corner(t, corner);
        side = path_side(p, end, right);
    }
    if (side == 0) return false;
    path_cone next = {.turn = cone->turn,
                      .tile = cone->tile,
                      .corner = corner == first ? behind - 1 : corner - 1,
                      .before = s->current,
                      .left = path_side(p, cone->left, left) <= 0 ? left : cone->left,
                      .right = path_side(p, cone->right, right) >= 0 ? right : cone->right};
    if (!path_cross(s->set, &next.tile, &next.corner)) return true;
    if (PATH_GROW(f->cones, f->cone_room, s->cone_count))
        f->cones[s->cone_count++] = next;
    else
        s->out_of_memory = true;
    return true;
}

nav_status nav_path_trace_piece(path_search *s, uint32_t from, uint32_t to, uint32_t *last)
{
    s->tracing = true;
    s->traced = false;
    s->wanted = to;
    s->cone_count = 0;
    s->current = PATH_NONE;
    nav_path_look_from(s, from);
    for (uint32_t i = 0; !s->traced && i < s->cone_count; i++) {
        path_cone cone = s->f->cones[i];
        s->current = i;
        if (!follow(s, &cone)) nav_path_expand_cone(s, cone);
    }
    *last = s->current;
    if (s->out_of_memory) return NAV_ERR_MEMORY;
    return s->traced ? NAV_OK : NAV_ERR_FORMAT;
}

static double height_of(const path_search *s, const path_turn *t)
{
    const path_tile *tile = s->set->tiles[t->tile];
    return t->kind == PATH_LEFT || t->kind == PATH_RIGHT ? (double)tile->y[tile->vert[t->corner]] : t->y;
}

// How long the ground is under a straight piece: over each edge that it crosses, from its end back to its begin.
static double surface_of(const path_search *s, const path_turn *begin, const path_turn *end, uint32_t last)
{
    const nav_path_set *set = s->set;
    double flat = (double)set->grid.cell_size_m / NAV_PATH_FINE, tall = (double)set->grid.cell_height_m;
    double all = path_distance(begin->at, end->at) * flat, t = 1, y = height_of(s, end), sum = 0;
    for (uint32_t i = last; i != PATH_NONE; i = s->f->cones[i].before) {
        const path_cone *n = &s->f->cones[i];
        const path_tile *tile = set->tiles[n->tile];
        uint32_t a = tile->vert[n->corner], b = tile->vert[path_next(tile, n->corner)];
        double u = (double)path_side(begin->at, end->at, tile->at[a]),
               v = (double)path_side(begin->at, end->at, tile->at[b]);
        if (u == v) continue;
        double k = fmin(fmax(u / (u - v), 0), 1), here_y = tile->y[a] + k * ((double)tile->y[b] - tile->y[a]);
        double x = tile->at[a].x + k * ((double)tile->at[b].x - tile->at[a].x) - begin->at.x;
        double z = tile->at[a].z + k * ((double)tile->at[b].z - tile->at[a].z) - begin->at.z;
        double here = all > 0 ? fmin(sqrt(x * x + z * z) * flat / all, t) : 0;
        double dy = (y - here_y) * tall, dx = (t - here) * all;
        sum += sqrt(dx * dx + dy * dy);
        t = here;
        y = here_y;
    }
    double dy = (y - height_of(s, begin)) * tall, dx = t * all;
    return sum + sqrt(dx * dx + dy * dy);
}

nav_status nav_path_add_cell(path_search *s, uint32_t *count, uint32_t tile, uint32_t cell)
{
    nav_path_finder *f = s->f;
    nav_path_cell c = path_cell_name(s->set->tiles[tile], cell);
    const nav_path_cell *before = *count ? &f->cells[*count - 1] : NULL;
    if (before && path_same_cell(before, &c)) return NAV_OK;
    if (!PATH_GROW(f->cells, f->cell_room, *count)) return NAV_ERR_MEMORY;
    f->cells[(*count)++] = c;
    return NAV_OK;
}

static nav_status add_cell_at(path_search *s, uint32_t *count, uint32_t tile, uint32_t corner)
{
    return nav_path_add_cell(s, count, tile, s->set->tiles[tile]->cell[corner]);
}

// The cells of a straight piece, in order.
static nav_status add_cells(path_search *s, uint32_t *count, const path_turn *end, uint32_t last)
{
    path_cone *cones = s->f->cones;
    uint32_t first = PATH_NONE;
    for (uint32_t i = last, before; i != PATH_NONE; i = before) { // turned round: from each to the next one
        before = cones[i].before;
        cones[i].before = first;
        first = i;
    }
    nav_status st = NAV_OK;
    if (first != PATH_NONE) { // the cell before the first edge
        uint32_t tile = cones[first].tile, corner = cones[first].corner;
        if (path_cross(s->set, &tile, &corner)) st = add_cell_at(s, count, tile, corner);
    }
    for (uint32_t i = first; st == NAV_OK && i != PATH_NONE; i = cones[i].before)
        st = add_cell_at(s, count, cones[i].tile, cones[i].corner);
    return st == NAV_OK ? add_cell_at(s, count, end->tile, end->corner) : st;
}

static nav_status add_point(path_search *s, uint32_t *count, const path_turn *t)
{
    nav_path_finder *f = s->f;
    while (3 * (uint64_t)*count + 3 > f->point_room)
        if (!PATH_GROW(f->points, f->point_room, f->point_room)) return NAV_ERR_MEMORY;
    nav_path_to_metres(s->set, t->at, height_of(s, t), &f->points[3 * (size_t)(*count)++]);
    return NAV_OK;
}

nav_status nav_path_add_jump(path_search *s, uint32_t *count, uint32_t point, const path_jump *j)
{
    nav_path_finder *f = s->f;
    if (!PATH_GROW(f->jumps, f->jump_room, *count)) return NAV_ERR_MEMORY;
    f->jumps[(*count)++] = (nav_path_jump){.point = point, .link = j->id, .area = j->area, .back = j->back};
    return NAV_OK;
}

// On to the side, or straight back along a wall without thickness.
static bool bends_at(path_spot from, path_spot at, path_spot to)
{
    double x = (double)(at.x - from.x) * (to.x - at.x), z = (double)(at.z - from.z) * (to.z - at.z);
    return path_side(from, at, to) != 0 || x + z < 0;
}

nav_status nav_path_trace(path_search *s, uint32_t goal_turn, nav_path *out)
{
    nav_path_finder *f = s->f;
    double flat = (double)s->set->grid.cell_size_m / NAV_PATH_FINE, leaps = 0, costs = 0;
    uint32_t bends = 0, points = 0, cells = 0, jumps = 0;
    for (uint32_t i = goal_turn; i != PATH_NONE; i = f->turns[i].parent) {
        if (!PATH_GROW(f->bends, f->bend_room, bends)) return NAV_ERR_MEMORY;
        f->bends[bends++] = i;
    }
    nav_status st = add_point(s, &points, &f->turns[f->bends[bends - 1]]);
    for (uint32_t i = bends - 1; st == NAV_OK && i-- > 0;) {
        const path_turn *begin = &f->turns[f->bends[i + 1]], *to = &f->turns[f->bends[i]];
        const path_jump *j = to->kind == PATH_JUMP ? &s->set->jumps[to->corner] : NULL;
        path_turn end = *to; // of the piece
        uint32_t last;
        st = nav_path_trace_piece(s, f->bends[i + 1], f->bends[i], &last);
        if (st != NAV_OK) return st;
        if (j) {
            end.tile = j->from.tile;
            end.corner = s->set->tiles[end.tile]->first[j->from.cell];
            end.at = j->from.at;
            end.y = j->from.y;
        }
        out->surface_m += surface_of(s, begin, &end, last);
        st = add_cells(s, &cells, &end, last);
        bool turns = i == 0 || j || bends_at(begin->at, end.at, f->turns[f->bends[i - 1]].at);
        if (st == NAV_OK && turns) st = add_point(s, &points, &end);
        if (st != NAV_OK || !j) continue;
        st = nav_path_add_jump(s, &jumps, points - 1, j);
        if (st == NAV_OK) st = add_point(s, &points, to);
        out->surface_m += j->length * flat;
        leaps += path_distance(j->from.at, j->to.at);
        costs += s->rules->link_weight[j->area] * j->length;
    }
    double g = f->turns[goal_turn].g;
    out->length_m = (g - costs + leaps) * flat;
    out->cost = out->lower_bound = g * flat * (s->rules ? s->rules->unit : 1);
    out->optimal = true;
    out->points = f->points;
    out->point_count = points;
    out->cells = f->cells;
    out->cell_count = cells;
    out->jumps = f->jumps;
    out->jump_count = jumps;
    return st;
}
