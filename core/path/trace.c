// From the last node back to the start: the points of a path, and its lengths.
#include "core/path/search_work.h"

static nav_status add_bend(path_search *s, uint32_t count, path_spot at, double y, uint32_t n)
{
    if (!PATH_GROW(s->f->bends, s->f->bend_room, count)) return NAV_ERR_MEMORY;
    s->f->bends[count] = (path_bend){at, y, n};
    return NAV_OK;
}

// How long the ground is under a straight piece: over each edge that it crosses, from its end back to its begin.
static double surface_of(const path_search *s, const path_bend *begin, const path_bend *end)
{
    const nav_path_set *set = s->set;
    double flat = (double)set->grid.cell_size_m / NAV_PATH_FINE, tall = (double)set->grid.cell_height_m;
    double all = path_distance(begin->at, end->at) * flat, t = 1, y = end->y, sum = 0;
    for (uint32_t i = s->f->nodes[end->node].parent; i != begin->node && i != PATH_NONE; i = s->f->nodes[i].parent) {
        const path_node *n = &s->f->nodes[i];
        if (n->kind != PATH_NODE_EDGE) continue; // a corner that the path passes straight
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
    double dy = (y - begin->y) * tall, dx = t * all;
    return sum + sqrt(dx * dx + dy * dy);
}

nav_status nav_path_write(path_search *s, uint32_t goal_node, double goal_y, nav_path *out)
{
    nav_path_finder *f = s->f;
    uint32_t count = 0;
    nav_status st = add_bend(s, count++, s->goal, goal_y, goal_node);
    for (uint32_t i = f->nodes[goal_node].parent; st == NAV_OK && i != PATH_NONE; i = f->nodes[i].parent) {
        const path_node *n = &f->nodes[i];
        if (n->kind == PATH_NODE_EDGE) continue;
        const path_tile *t = s->set->tiles[n->tile];
        st = add_bend(s, count, path_corner(t, n->corner), (double)t->y[t->vert[n->corner]], i);
        if (st == NAV_OK) count++;
    }
    if (st == NAV_OK) st = add_bend(s, count++, f->roots[0].at, f->roots[0].y, PATH_NONE);
    if (st != NAV_OK) return st;
    double flat = (double)s->set->grid.cell_size_m / NAV_PATH_FINE;
    for (uint32_t i = count - 1; i > 0; i--) { // from the start on, so that the sum is that of the search
        out->length_m += path_distance(f->bends[i].at, f->bends[i - 1].at);
        out->surface_m += surface_of(s, &f->bends[i], &f->bends[i - 1]);
    }
    out->length_m *= flat;
    while (3 * (uint64_t)count > f->point_room)
        if (!PATH_GROW(f->points, f->point_room, f->point_room)) return NAV_ERR_MEMORY;
    uint32_t used = 0;
    for (uint32_t i = count; i-- > 0;) {
        const path_bend *b = f->bends;
        bool turns = i == 0 || i + 1 == count || path_side(b[i + 1].at, b[i].at, b[i - 1].at) != 0;
        if (turns) nav_path_to_metres(s->set, b[i].at, b[i].y, &f->points[3 * used++]);
    }
    out->points = f->points;
    out->point_count = used;
    return NAV_OK;
}
