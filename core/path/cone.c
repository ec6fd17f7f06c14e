// What a root sees of the next cell: edges, turns, and the goal. Each side of a ray is told in whole numbers.
#include "core/path/search_work.h"

// Where the ray from p through l meets the edge from a to b.
static void meet(path_spot p, path_spot l, path_spot a, path_spot b, double out[2])
{
    double u = (double)path_side(p, l, a), v = (double)path_side(p, l, b), t = u / (u - v);
    out[0] = a.x + t * ((double)b.x - a.x);
    out[1] = a.z + t * ((double)b.z - a.z);
}

// The least length from p to the goal by the piece of the edge from a to b that is between two rays. The cell behind
// the edge is on the left of it.
static double least_length(path_spot p, path_spot a, path_spot b, path_spot left, path_spot right, path_spot goal)
{
    double l[2] = {a.x, a.z}, r[2] = {b.x, b.z}, g[2] = {goal.x, goal.z};
    if (!path_same(left, a)) meet(p, left, a, b, l);
    if (!path_same(right, b)) meet(p, right, a, b, r);
    if (path_side(a, b, goal) < 0) { // on this side: as far as its mirror image
        double nx = (double)a.z - b.z, nz = (double)b.x - a.x;
        double k = 2 * ((g[0] - a.x) * nx + (g[1] - a.z) * nz) / (nx * nx + nz * nz);
        g[0] -= k * nx;
        g[1] -= k * nz;
    }
    double gx = g[0] - p.x, gz = g[1] - p.z;
    double lx = l[0] - p.x, lz = l[1] - p.z, rx = r[0] - p.x, rz = r[1] - p.z;
    const double *by = lx * gz - lz * gx > 0 ? l : rx * gz - rz * gx < 0 ? r : NULL;
    if (!by) return sqrt(gx * gx + gz * gz);
    double bx = by[0] - p.x, bz = by[1] - p.z, cx = g[0] - by[0], cz = g[1] - by[1];
    return sqrt(bx * bx + bz * bz) + sqrt(cx * cx + cz * cz);
}

static bool is_dead_end(const path_tile *t, uint32_t cell)
{
    uint32_t open = 0;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1] && open < 2; k++) open += t->twin[k] != PATH_WALL;
    return open < 2;
}

static void push_edge(path_search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner, path_spot left,
                      path_spot right)
{
    const path_tile *t = s->set->tiles[tile];
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    if (!path_cross(s->set, &tile, &corner)) return;
    t = s->set->tiles[tile];
    if (is_dead_end(t, t->cell[corner]) && !path_is_goal(s, tile, t->cell[corner])) return;
    path_node *n = nav_path_add_node(s);
    if (!n) return;
    *n = (path_node){.parent = parent,
                     .root = from,
                     .tile = tile,
                     .corner = corner,
                     .kind = PATH_NODE_EDGE,
                     .left = left,
                     .right = right};
    const path_root *r = &s->f->roots[from];
    nav_path_push(s, r->g + least_length(r->at, a, b, left, right, s->goal), s->node_count - 1);
}

void nav_path_push_goal(path_search *s, uint32_t parent, uint32_t from)
{
    path_node *n = nav_path_add_node(s);
    if (!n) return;
    const path_root *r = &s->f->roots[from];
    *n = (path_node){.parent = parent, .root = from, .kind = PATH_NODE_GOAL, .g = r->g + path_distance(r->at, s->goal)};
    nav_path_push(s, n->g, s->node_count - 1);
}

void nav_path_look_through(path_search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner)
{
    const path_tile *t = s->set->tiles[tile];
    uint32_t next = path_next(t, corner);
    path_spot p = s->f->roots[from].at, a = path_corner(t, corner), b = path_corner(t, next);
    if (t->twin[corner] == PATH_WALL) return;
    if (path_side(p, a, b) != 0)
        push_edge(s, parent, from, tile, corner, a, b);
    else if (path_goes_on(p, a, b))
        nav_path_try_turn(s, parent, from, tile, corner, true);
    else
        nav_path_try_turn(s, parent, from, tile, next, false);
}

// --- Expansion ---

// Corner i of a cell counted from the left end of the edge by which the cone comes in.
static uint32_t chain(const path_tile *t, uint32_t cell, uint32_t entry_corner, uint32_t i)
{
    uint32_t n = t->first[cell + 1] - t->first[cell];
    uint32_t k = entry_corner - t->first[cell] + 1 + i;
    return t->first[cell] + (k >= n ? k - n : k); // i < n
}

// Turns at the left end of the interval, where that is a vertex: at it, and at those behind it on the same ray.
static void turn_left(path_search *s, uint32_t parent, const path_node *n, const path_tile *t, uint32_t cell,
                      uint32_t count)
{
    path_spot p = s->f->roots[n->root].at;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t here = chain(t, cell, n->corner, i), next = chain(t, cell, n->corner, i + 1);
        int64_t side = path_side(p, n->left, path_corner(t, next));
        if (side < 0 || (i > 0 && side > 0)) return;
        nav_path_try_turn(s, parent, n->root, n->tile, here, true);
        if (side > 0) return;
    }
}

static void turn_right(path_search *s, uint32_t parent, const path_node *n, const path_tile *t, uint32_t cell,
                       uint32_t count)
{
    path_spot p = s->f->roots[n->root].at;
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t here = chain(t, cell, n->corner, i), next = chain(t, cell, n->corner, i - 1);
        int64_t side = path_side(p, n->right, path_corner(t, next));
        if (side > 0 || (i < count - 1 && side < 0)) return;
        nav_path_try_turn(s, parent, n->root, n->tile, here, false);
        if (side < 0) return;
    }
}

void nav_path_expand_edge(path_search *s, uint32_t at)
{
    const path_node n = s->f->nodes[at]; // a copy: they move
    const path_tile *t = s->set->tiles[n.tile];
    uint32_t cell = t->cell[n.corner], count = t->first[cell + 1] - t->first[cell];
    path_spot p = s->f->roots[n.root].at;
    if (path_is_goal(s, n.tile, cell) && path_side(p, n.right, s->goal) >= 0 && path_side(p, n.left, s->goal) <= 0)
        nav_path_push_goal(s, at, n.root);
    if (path_same(n.left, path_corner(t, chain(t, cell, n.corner, 0)))) turn_left(s, at, &n, t, cell, count);
    if (path_same(n.right, path_corner(t, n.corner))) turn_right(s, at, &n, t, cell, count);
    uint32_t i = 0; // the edge by which the left ray leaves
    while (i + 2 < count && path_side(p, n.left, path_corner(t, chain(t, cell, n.corner, i + 1))) >= 0) i++;
    for (; i + 1 < count; i++) {
        uint32_t corner = chain(t, cell, n.corner, i), next = chain(t, cell, n.corner, i + 1);
        path_spot a = path_corner(t, corner), b = path_corner(t, next);
        if (path_side(p, n.right, a) <= 0) return; // the right ray has left before
        if (t->twin[corner] == PATH_WALL) continue;
        push_edge(s, at, n.root, n.tile, corner, path_side(p, n.left, a) <= 0 ? a : n.left,
                  path_side(p, n.right, b) >= 0 ? b : n.right);
    }
}

void nav_path_expand_turn(path_search *s, uint32_t at)
{
    const path_node n = s->f->nodes[at];
    bool left = n.kind == PATH_NODE_LEFT;
    uint32_t tile = n.tile, corner = n.corner, from = s->root_count;
    const path_tile *t = s->set->tiles[tile];
    path_spot p = s->f->roots[n.root].at, a = path_corner(t, corner);
    if (!PATH_GROW(s->f->roots, s->f->root_room, s->root_count)) {
        s->out_of_memory = true;
        return;
    }
    s->f->roots[s->root_count++] = (path_root){a, (double)t->y[t->vert[corner]], n.g, n.entry};
    for (;;) {
        t = s->set->tiles[tile];
        uint32_t before = path_before(t, corner);
        if (path_is_goal(s, tile, t->cell[corner])) nav_path_push_goal(s, at, from);
        for (uint32_t k = path_next(t, corner); k != before; k = path_next(t, k)) {
            path_spot end = path_corner(t, left ? k : path_next(t, k));
            int64_t side = path_side(p, a, end);
            if (left ? side >= 0 : side <= 0) nav_path_look_through(s, at, from, tile, k);
        }
        uint32_t edge = left ? corner : before;
        if (!path_cross(s->set, &tile, &edge)) return;
        corner = left ? path_next(s->set->tiles[tile], edge) : edge;
    }
}
