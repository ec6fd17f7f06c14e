// DESIGN. The shortest path by cones (Cui, Harabor and Grastien, "Compromise-free Pathfinding on a Navigation Mesh",
// 2017). What is searched are not points but what a point sees: a node is a root and the piece of an edge that it sees,
// between the rays through `right` and `left`, on the way into the cell behind it.
//
//        left   right
//      ----*~~~~~*-------  edge            Into the next cell the cone goes on through each edge that it meets. A path
//           \   /                          turns only where a wall is: at an end of the interval that is a corner of a
//            \ /                           wall, a new root begins, and from there what the old one did not see.
//             root
//
// A ray is never a number: it is the vertex that it passes, and where it meets an edge is told by the side on which the
// ends of the edge are, in whole numbers. Rounded numbers only order the queue.
//
// A corner is where the ground that hangs together around a vertex (its sector) leaves a wedge of wall within the half
// turn to the side that the path turns to. That is found by walking around the vertex, over the borders of tiles too,
// from the ray on until a wall comes; where none comes within half a turn there is no reason to turn there. The wall
// that ends the walk names the corner, so that two obstacles that touch have a corner for each sector, and no path
// passes between them.
#include "core/path/path_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum node_kind { NODE_EDGE, NODE_LEFT, NODE_RIGHT, NODE_GOAL } node_kind; // LEFT, RIGHT: a turn at a corner

typedef struct node {
    uint32_t parent, root;
    uint32_t tile, corner; // edge: as the cell behind it has it; turn: the corner of a cell that is at the vertex
    uint32_t kind;
    uint32_t entry; // turn: in the table of corners
    path_spot left, right;
    double g; // turn: up to the vertex
} node;

typedef struct root {
    path_spot at;
    double y, g;
    uint32_t entry; // PATH_NONE: the start
} root;

// The shortest way known to each corner and side.
typedef struct entry {
    uint64_t key;
    double g;
    uint32_t search; // in which it was set
} entry;

typedef struct bend { // of a path, from its end on
    path_spot at;
    double y;
    uint32_t node;
} bend;

struct nav_path_finder {
    node *nodes;
    root *roots;
    path_queue queue;
    entry *entries; // open addressing
    bend *bends;
    float *points;
    path_place *near; // cells around the start, then those around the goal
    uint32_t node_room, root_room, entry_room, bend_room, point_room, near_room;
    uint32_t search;
};

typedef struct search {
    nav_path_finder *f;
    const nav_path_set *set;
    const nav_path_query *q;
    uint32_t node_count, root_count, entry_count, max_nodes;
    uint32_t start_count, goal_count; // of `near`
    path_spot goal;
    bool out_of_memory, full;
} search;

nav_status nav_path_finder_create(nav_path_finder **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

void nav_path_finder_destroy(nav_path_finder *f)
{
    if (!f) return;
    free(f->nodes);
    free(f->roots);
    free(f->queue.items);
    free(f->entries);
    free(f->bends);
    free(f->points);
    free(f->near);
    free(f);
}

static double distance(path_spot a, path_spot b)
{
    double x = (double)b.x - a.x, z = (double)b.z - a.z;
    return sqrt(x * x + z * z);
}

static bool same(path_spot a, path_spot b)
{
    return a.x == b.x && a.z == b.z;
}

// From p to a and on to b: does the way go on, rather than back?
static bool goes_on(path_spot p, path_spot a, path_spot b)
{
    return (double)(a.x - p.x) * (double)(b.x - a.x) + (double)(a.z - p.z) * (double)(b.z - a.z) > 0;
}

static void push(search *s, double f, uint32_t n)
{
    s->out_of_memory |= !path_queue_push(&s->f->queue, f, n);
}

static node *add_node(search *s)
{
    s->full |= s->node_count >= s->max_nodes;
    if (s->full || s->out_of_memory) return NULL;
    if (!PATH_GROW(s->f->nodes, s->f->node_room, s->node_count)) {
        s->out_of_memory = true;
        return NULL;
    }
    return &s->f->nodes[s->node_count++];
}

// --- Corners ---

static uint32_t find_entry(const nav_path_finder *f, uint64_t key)
{
    uint64_t h = key * 0x9E3779B97F4A7C15u;
    uint32_t i = (uint32_t)(h >> 32) & (f->entry_room - 1);
    while (f->entries[i].search == f->search && f->entries[i].key != key) i = (i + 1) & (f->entry_room - 1);
    return i;
}

// PATH_NONE: no memory. Grown only at the start of a turn, as entries move.
static bool reserve_entry(search *s)
{
    nav_path_finder *f = s->f;
    if (2 * (s->entry_count + 1) <= f->entry_room) return true;
    uint32_t before = f->entry_room, room = before ? 2 * before : 1024;
    entry *old = f->entries, *entries = calloc(room, sizeof *entries);
    if (!entries || room < before) {
        free(entries);
        s->out_of_memory = true;
        return false;
    }
    uint32_t *moved = malloc(((size_t)before + 1) * sizeof *moved);
    if (!moved) {
        free(entries);
        s->out_of_memory = true;
        return false;
    }
    f->entries = entries;
    f->entry_room = room;
    for (uint32_t i = 0; i < before; i++) {
        if (old[i].search != f->search) continue;
        moved[i] = find_entry(f, old[i].key);
        f->entries[moved[i]] = old[i];
    }
    for (uint32_t r = 0; r < s->root_count; r++)
        if (f->roots[r].entry != PATH_NONE) f->roots[r].entry = moved[f->roots[r].entry];
    for (uint32_t n = 0; n < s->node_count; n++)
        if (f->nodes[n].kind == NODE_LEFT || f->nodes[n].kind == NODE_RIGHT)
            f->nodes[n].entry = moved[f->nodes[n].entry];
    free(moved);
    free(old);
    return true;
}

// Walks around the vertex of a corner, from the ray that comes from p through it, to the left or to the right. True
// where the path may turn to that side: a wall comes within half a turn, and ground before it. It ends at *tile,
// *corner: the edge that is the wall.
static bool find_wall(const nav_path_set *set, path_spot p, uint32_t *tile, uint32_t *corner, bool left)
{
    path_spot a = path_corner(set->tiles[*tile], *corner);
    for (bool first = true;; first = false) {
        const path_tile *t = set->tiles[*tile];
        uint32_t edge = left ? *corner : path_before(t, *corner);
        path_spot w = path_corner(t, left ? path_next(t, *corner) : edge);
        int64_t side = left ? path_side(p, a, w) : -path_side(p, a, w);
        bool along = first && side == 0 && goes_on(p, a, w);
        if (side <= 0 && !along) return false;
        uint32_t next_tile = *tile, next = edge;
        if (!path_cross(set, &next_tile, &next)) {
            *corner = edge;
            return side > 0;
        }
        *tile = next_tile;
        *corner = left ? path_next(set->tiles[next_tile], next) : next;
    }
}

static void try_turn(search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner, bool left)
{
    path_spot p = s->f->roots[from].at, a = path_corner(s->set->tiles[tile], corner);
    uint32_t wall_tile = tile, wall = corner;
    if (!find_wall(s->set, p, &wall_tile, &wall, left) || !reserve_entry(s)) return;
    uint64_t key = ((uint64_t)wall_tile << 32 | wall) << 1 | left;
    double g = s->f->roots[from].g + distance(p, a);
    uint32_t at = find_entry(s->f, key);
    entry *e = &s->f->entries[at];
    if (e->search == s->f->search && e->g <= g) return;
    node *n = add_node(s);
    if (!n) return;
    s->entry_count += e->search != s->f->search;
    *e = (entry){key, g, s->f->search};
    *n = (node){.parent = parent,
                .root = from,
                .tile = tile,
                .corner = corner,
                .kind = left ? NODE_LEFT : NODE_RIGHT,
                .entry = at,
                .g = g};
    push(s, g + distance(a, s->goal), s->node_count - 1);
}

// --- Edges ---

static bool is_goal(const search *s, uint32_t tile, uint32_t cell)
{
    const path_place *near = s->f->near + s->start_count;
    for (uint32_t i = 0; i < s->goal_count; i++)
        if (near[i].tile == tile && near[i].cell == cell) return true;
    return false;
}

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
    if (!same(left, a)) meet(p, left, a, b, l);
    if (!same(right, b)) meet(p, right, a, b, r);
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

static void push_edge(search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner, path_spot left,
                      path_spot right)
{
    const path_tile *t = s->set->tiles[tile];
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    if (!path_cross(s->set, &tile, &corner)) return;
    t = s->set->tiles[tile];
    if (is_dead_end(t, t->cell[corner]) && !is_goal(s, tile, t->cell[corner])) return;
    node *n = add_node(s);
    if (!n) return;
    *n = (node){.parent = parent,
                .root = from,
                .tile = tile,
                .corner = corner,
                .kind = NODE_EDGE,
                .left = left,
                .right = right};
    const root *r = &s->f->roots[from];
    push(s, r->g + least_length(r->at, a, b, left, right, s->goal), s->node_count - 1);
}

static void push_goal(search *s, uint32_t parent, uint32_t from)
{
    node *n = add_node(s);
    if (!n) return;
    const root *r = &s->f->roots[from];
    *n = (node){.parent = parent, .root = from, .kind = NODE_GOAL, .g = r->g + distance(r->at, s->goal)};
    push(s, n->g, s->node_count - 1);
}

// A root in a cell, or on its edge, sees an edge of the cell whole. Where it is on the edge's line it sees nothing of
// it but its nearer end.
static void look_through(search *s, uint32_t parent, uint32_t from, uint32_t tile, uint32_t corner)
{
    const path_tile *t = s->set->tiles[tile];
    uint32_t next = path_next(t, corner);
    path_spot p = s->f->roots[from].at, a = path_corner(t, corner), b = path_corner(t, next);
    if (t->twin[corner] == PATH_WALL) return;
    if (path_side(p, a, b) != 0)
        push_edge(s, parent, from, tile, corner, a, b);
    else if (goes_on(p, a, b))
        try_turn(s, parent, from, tile, corner, true);
    else
        try_turn(s, parent, from, tile, next, false);
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
static void turn_left(search *s, uint32_t parent, const node *n, const path_tile *t, uint32_t cell, uint32_t count)
{
    path_spot p = s->f->roots[n->root].at;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t here = chain(t, cell, n->corner, i), next = chain(t, cell, n->corner, i + 1);
        int64_t side = path_side(p, n->left, path_corner(t, next));
        if (side < 0 || (i > 0 && side > 0)) return;
        try_turn(s, parent, n->root, n->tile, here, true);
        if (side > 0) return;
    }
}

static void turn_right(search *s, uint32_t parent, const node *n, const path_tile *t, uint32_t cell, uint32_t count)
{
    path_spot p = s->f->roots[n->root].at;
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t here = chain(t, cell, n->corner, i), next = chain(t, cell, n->corner, i - 1);
        int64_t side = path_side(p, n->right, path_corner(t, next));
        if (side > 0 || (i < count - 1 && side < 0)) return;
        try_turn(s, parent, n->root, n->tile, here, false);
        if (side < 0) return;
    }
}

static void expand_edge(search *s, uint32_t at)
{
    const node n = s->f->nodes[at]; // a copy: they move
    const path_tile *t = s->set->tiles[n.tile];
    uint32_t cell = t->cell[n.corner], count = t->first[cell + 1] - t->first[cell];
    path_spot p = s->f->roots[n.root].at;
    if (is_goal(s, n.tile, cell) && path_side(p, n.right, s->goal) >= 0 && path_side(p, n.left, s->goal) <= 0)
        push_goal(s, at, n.root);
    if (same(n.left, path_corner(t, chain(t, cell, n.corner, 0)))) turn_left(s, at, &n, t, cell, count);
    if (same(n.right, path_corner(t, n.corner))) turn_right(s, at, &n, t, cell, count);
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

// A path turns at a vertex: what is seen from there, from the ray on to the wall.
static void expand_turn(search *s, uint32_t at)
{
    const node n = s->f->nodes[at];
    bool left = n.kind == NODE_LEFT;
    uint32_t tile = n.tile, corner = n.corner, from = s->root_count;
    const path_tile *t = s->set->tiles[tile];
    path_spot p = s->f->roots[n.root].at, a = path_corner(t, corner);
    if (!PATH_GROW(s->f->roots, s->f->root_room, s->root_count)) {
        s->out_of_memory = true;
        return;
    }
    s->f->roots[s->root_count++] = (root){a, (double)t->y[t->vert[corner]], n.g, n.entry};
    for (;;) {
        t = s->set->tiles[tile];
        uint32_t before = path_before(t, corner);
        if (is_goal(s, tile, t->cell[corner])) push_goal(s, at, from);
        for (uint32_t k = path_next(t, corner); k != before; k = path_next(t, k)) {
            path_spot end = path_corner(t, left ? k : path_next(t, k));
            int64_t side = path_side(p, a, end);
            if (left ? side >= 0 : side <= 0) look_through(s, at, from, tile, k);
        }
        uint32_t edge = left ? corner : before;
        if (!path_cross(s->set, &tile, &edge)) return;
        corner = left ? path_next(s->set->tiles[tile], edge) : edge;
    }
}

static bool is_outdated(const search *s, uint32_t entry_index, double g)
{
    return entry_index != PATH_NONE && s->f->entries[entry_index].g < g;
}

// --- Both ends ---

static bool on_edge(const path_tile *t, uint32_t corner, path_spot s)
{
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    return path_side(a, b, s) == 0 && !goes_on(s, a, b) && !goes_on(s, b, a);
}

// All cells around a place that hang together there, behind those that are in `near` already.
static bool list_near(search *s, uint32_t first, path_place at)
{
    nav_path_finder *f = s->f;
    uint32_t end = first;
    if (!PATH_GROW(f->near, f->near_room, end)) return false;
    f->near[end++] = at;
    for (uint32_t i = first; i < end; i++) {
        path_place here = f->near[i];
        const path_tile *t = s->set->tiles[here.tile];
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            uint32_t tile = here.tile, corner = k, known = first;
            if (!on_edge(t, k, at.at) || !path_cross(s->set, &tile, &corner)) continue;
            uint32_t cell = s->set->tiles[tile]->cell[corner];
            while (known < end && (f->near[known].tile != tile || f->near[known].cell != cell)) known++;
            if (known < end) continue;
            if (!PATH_GROW(f->near, f->near_room, end)) return false;
            f->near[end++] = (path_place){tile, cell, at.at, at.y};
        }
    }
    if (first)
        s->goal_count = end - first;
    else
        s->start_count = end;
    return true;
}

static void begin(search *s)
{
    for (uint32_t i = 0; i < s->start_count; i++) {
        path_place here = s->f->near[i];
        const path_tile *t = s->set->tiles[here.tile];
        if (is_goal(s, here.tile, here.cell)) push_goal(s, PATH_NONE, 0);
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++)
            if (!on_edge(t, k, here.at)) look_through(s, PATH_NONE, 0, here.tile, k);
    }
}

// --- The path ---

static nav_status add_bend(search *s, uint32_t count, path_spot at, double y, uint32_t n)
{
    if (!PATH_GROW(s->f->bends, s->f->bend_room, count)) return NAV_ERR_MEMORY;
    s->f->bends[count] = (bend){at, y, n};
    return NAV_OK;
}

// How long the ground is under a straight piece: over each edge that it crosses, from its end back to its begin.
static double surface_of(const search *s, const bend *begin, const bend *end)
{
    const nav_path_set *set = s->set;
    double flat = (double)set->grid.cell_size_m / NAV_PATH_FINE, tall = (double)set->grid.cell_height_m;
    double all = distance(begin->at, end->at) * flat, t = 1, y = end->y, sum = 0;
    for (uint32_t i = s->f->nodes[end->node].parent; i != begin->node && i != PATH_NONE; i = s->f->nodes[i].parent) {
        const node *n = &s->f->nodes[i];
        if (n->kind != NODE_EDGE) continue; // a corner that the path passes straight
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

static nav_status write_path(search *s, uint32_t goal_node, double goal_y, nav_path *out)
{
    nav_path_finder *f = s->f;
    uint32_t count = 0;
    nav_status st = add_bend(s, count++, s->goal, goal_y, goal_node);
    for (uint32_t i = f->nodes[goal_node].parent; st == NAV_OK && i != PATH_NONE; i = f->nodes[i].parent) {
        const node *n = &f->nodes[i];
        if (n->kind == NODE_EDGE) continue;
        const path_tile *t = s->set->tiles[n->tile];
        st = add_bend(s, count, path_corner(t, n->corner), (double)t->y[t->vert[n->corner]], i);
        if (st == NAV_OK) count++;
    }
    if (st == NAV_OK) st = add_bend(s, count++, f->roots[0].at, f->roots[0].y, PATH_NONE);
    if (st != NAV_OK) return st;
    double flat = (double)s->set->grid.cell_size_m / NAV_PATH_FINE;
    for (uint32_t i = count - 1; i > 0; i--) { // from the start on, so that the sum is that of the search
        out->length_m += distance(f->bends[i].at, f->bends[i - 1].at);
        out->surface_m += surface_of(s, &f->bends[i], &f->bends[i - 1]);
    }
    out->length_m *= flat;
    while (3 * (uint64_t)count > f->point_room)
        if (!PATH_GROW(f->points, f->point_room, f->point_room)) return NAV_ERR_MEMORY;
    uint32_t used = 0;
    for (uint32_t i = count; i-- > 0;) {
        const bend *b = f->bends;
        bool turns = i == 0 || i + 1 == count || path_side(b[i + 1].at, b[i].at, b[i - 1].at) != 0;
        if (turns) nav_path_to_metres(s->set, b[i].at, b[i].y, &f->points[3 * used++]);
    }
    out->points = f->points;
    out->point_count = used;
    return NAV_OK;
}

static nav_status run(search *s, const path_place *start, const path_place *goal, nav_path *out)
{
    nav_path_finder *f = s->f;
    s->goal = goal->at;
    f->queue.count = 0;
    if (++f->search == 0) { // the stamps of old searches could come again
        for (uint32_t i = 0; i < f->entry_room; i++) f->entries[i].search = 0;
        f->search = 1;
    }
    if (!list_near(s, 0, *start) || !list_near(s, s->start_count, *goal) || !PATH_GROW(f->roots, f->root_room, 0))
        return NAV_ERR_MEMORY;
    f->roots[s->root_count++] = (root){start->at, start->y, 0, PATH_NONE};
    begin(s);
    uint32_t goal_node = PATH_NONE;
    for (uint32_t turn = 1; f->queue.count && goal_node == PATH_NONE && !s->full && !s->out_of_memory; turn++) {
        uint32_t at = path_queue_pop(&f->queue);
        const node *n = &f->nodes[at];
        if (turn % 256 == 0 && s->q->stop && s->q->stop(s->q->user)) s->full = true;
        if (n->kind == NODE_GOAL)
            goal_node = at;
        else if (n->kind == NODE_EDGE && !is_outdated(s, f->roots[n->root].entry, f->roots[n->root].g))
            expand_edge(s, at);
        else if (n->kind != NODE_EDGE && !is_outdated(s, n->entry, n->g))
            expand_turn(s, at);
    }
    out->nodes += s->node_count;
    if (s->out_of_memory) return NAV_ERR_MEMORY;
    if (goal_node != PATH_NONE) return write_path(s, goal_node, goal->y, out);
    if (!s->full) return NAV_ERR_FORMAT; // the ends hang together, but tiles overlap themselves in between
    out->status = NAV_PATH_LIMIT;
    return NAV_OK;
}

nav_status nav_path_find(nav_path_finder *f, const nav_path_set *set, const nav_path_query *q, nav_path *out)
{
    search s = {.f = f, .set = set, .q = q, .max_nodes = q->max_nodes ? q->max_nodes : UINT32_MAX - 1};
    path_place start, goal;
    *out = (nav_path){.status = NAV_PATH_FOUND};
    for (int k = 0; k < 3; k++)
        if (!isfinite(q->from[k]) || !isfinite(q->to[k])) return NAV_ERR_ARGUMENT;
    if (!isfinite(q->near_m) || q->near_m < 0) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate(set, q->from, q->near_m, &start)) {
        out->status = NAV_PATH_NO_START;
        return NAV_OK;
    }
    if (!nav_path_locate(set, q->to, q->near_m, &goal)) {
        out->status = NAV_PATH_NO_GOAL;
        return NAV_OK;
    }
    uint32_t label = path_label(set, start.tile, start.cell);
    if (path_label(set, goal.tile, goal.cell) != label) {
        out->status = NAV_PATH_PARTIAL;
        if (!nav_path_locate_part(set, q->to, label, &goal)) goal = start;
    }
    return run(&s, &start, &goal, out);
}
