// What a root sees of a cell: the goal, corners to turn at, and edges. A root is a circle that the path goes around,
// and the lines that leave it; for the start, its radius is 0.
#include "core/path/wide.h"

// What is expanded: the lines from `right` to `left`, less than half a turn apart, or all of them.
typedef struct cone {
    uint32_t node, root, tile, cell;
    uint32_t entry; // the edge by which they come in; PATH_NONE: the root is in the cell
    bool all;
    wide_vec right, left;
    const wide_tile *clear;
} cone;

static wide_node *add_node(wide_search *s)
{
    s->full |= s->node_count >= s->max_nodes;
    if (s->full || s->out_of_memory) return NULL;
    if (!PATH_GROW(s->w->nodes, s->w->node_room, s->node_count)) {
        s->out_of_memory = true;
        return NULL;
    }
    return &s->w->nodes[s->node_count++];
}

static void push(wide_search *s, double f)
{
    s->out_of_memory |= !path_queue_push(&s->f->queue, f, s->node_count - 1);
}

static bool in_cone(const cone *c, wide_vec d)
{
    return c->all || (wide_cross(c->right, d) >= -WIDE_BESIDE && wide_cross(d, c->left) >= -WIDE_BESIDE);
}

static bool is_clear(const wide_search *s, const cone *c, wide_vec from, wide_vec d, double length)
{
    for (uint32_t i = c->clear->first[c->cell]; i < c->clear->first[c->cell + 1]; i++)
        if (nav_path_wide_blocks(c->clear, &c->clear->pieces[i], s->radius, from, d, length)) return false;
    return true;
}

// --- Goals ---

static bool sees_place(const wide_search *s, const cone *c, wide_vec at, wide_vec *d, double *length)
{
    const wide_root *r = &s->w->roots[c->root];
    wide_circle place = {at, 0};
    wide_vec v = wide_from(r->circle.at, at);
    if (r->circle.reach == 0 && v.x == 0 && v.z == 0) {
        *d = (wide_vec){1, 0};
        *length = 0;
        return true;
    }
    return nav_path_wide_tangent(&r->circle, &place, d, length) && in_cone(c, *d) &&
           is_clear(s, c, wide_touch(&r->circle, *d), *d, *length);
}

static void try_goal(wide_search *s, const cone *c)
{
    wide_vec d;
    double length;
    if (!sees_place(s, c, s->goal, &d, &length)) return;
    wide_node *n = add_node(s);
    if (!n) return;
    *n = (wide_node){.parent = c->node,
                     .root = c->root,
                     .kind = WIDE_GOAL,
                     .right = d,
                     .g = nav_path_wide_way_to(&s->w->roots[c->root], d, length)};
    push(s, n->g);
}

typedef struct near_search {
    wide_search *s;
    const cone *c;
} near_search;

static void try_nearest(void *user, wide_vec at, double distance)
{
    near_search *n = user;
    wide_vec d;
    double length;
    if (distance >= n->s->nearest || !sees_place(n->s, n->c, at, &d, &length)) return;
    n->s->nearest = distance;
    n->s->nearest_place = (path_place){n->c->tile, n->c->cell, wide_spot(at), 0};
}

// --- Turns ---

static uint32_t head_of(const nav_path_wide *w, uint64_t key)
{
    uint32_t i = path_slot_of(key, w->head_room);
    while (w->heads[i] != PATH_NONE && w->entries[w->heads[i]].key != key) i = (i + 1) & (w->head_room - 1);
    return i;
}

static bool reserve_heads(wide_search *s)
{
    nav_path_wide *w = s->w;
    if (2 * (s->entry_count + 1) <= w->head_room) return true;
    uint32_t room = w->head_room ? 2 * w->head_room : 1024;
    uint32_t *heads = realloc(w->heads, room * sizeof *heads);
    if (!heads) {
        s->out_of_memory = true;
        return false;
    }
    w->heads = heads;
    w->head_room = room;
    for (uint32_t i = 0; i < room; i++) heads[i] = PATH_NONE;
    for (uint32_t e = 0; e < s->entry_count; e++) { // the last of a key is its first
        uint32_t h = head_of(w, w->entries[e].key);
        w->entries[e].next = heads[h];
        heads[h] = e;
    }
    return true;
}

// Has another way to the same corner gone around it past there, and is it as short? Only what is expanded is known to
// have gone that far: other walls may be in the way of its arc. Of two ways of which one makes the other needless, it
// is expanded first, as its estimate is less.
static bool is_worse(const nav_path_wide *w, uint32_t first, double g, double angle)
{
    for (uint32_t e = first; e != PATH_NONE; e = w->entries[e].next) {
        const wide_entry *o = &w->entries[e];
        if (o->g <= g + WIDE_CLOSE && o->angle <= angle + WIDE_NARROW && o->end >= angle - WIDE_NARROW) return true;
    }
    return false;
}

// A node, and a way to it: the first of what is known of its key. NULL: no memory, or the limit; the search tells.
static wide_node *add_entry(wide_search *s, uint32_t head, wide_entry entry)
{
    nav_path_wide *w = s->w;
    if (!PATH_GROW(w->entries, w->entry_room, s->entry_count)) {
        s->out_of_memory = true;
        return NULL;
    }
    wide_node *n = add_node(s);
    if (!n) return NULL;
    w->entries[s->entry_count] = entry;
    w->heads[head] = s->entry_count++;
    return n;
}

// Is the tangent to a piece's circle surely beside the cone? Where its middle is ahead of all lines, its side of them
// falls from the first to the last.
static bool turns_beside(const wide_search *s, const cone *c, const wide_circle *from, const wide_piece *p, int sign)
{
    wide_vec v = wide_from(from->at, p->at);
    if (c->all || wide_dot(c->right, v) <= 0 || wide_dot(c->left, v) <= 0) return false;
    double off = sign * s->radius - from->reach, slack = 1e-3 + 1e-6 * (fabs(v.x) + fabs(v.z));
    return wide_cross(c->right, v) < off - slack || wide_cross(c->left, v) > off + slack;
}

static void try_turn(wide_search *s, const cone *c, uint32_t piece, int sign)
{
    nav_path_wide *w = s->w;
    const wide_piece *p = &c->clear->pieces[piece];
    const wide_root *r = &w->roots[c->root];
    wide_circle circle = {p->at, sign * s->radius};
    wide_vec d;
    double length;
    if (turns_beside(s, c, &r->circle, p, sign) || !nav_path_wide_tangent(&r->circle, &circle, &d, &length) ||
        !in_cone(c, d))
        return;
    wide_vec touch = wide_touch(&circle, d), radial = wide_from(p->at, touch);
    if (wide_cross(p->right, radial) < -WIDE_CLOSE || wide_cross(radial, p->left) < -WIDE_CLOSE) return;
    if (wide_dot(p->right, radial) < 0 && wide_dot(p->left, radial) < 0) return;
    const path_tile *t = s->set->tiles[c->tile];
    for (uint32_t k = t->first[c->cell]; k < t->first[c->cell + 1]; k++) {
        wide_vec a = wide_of(path_corner(t, k)), e = wide_from(a, wide_of(path_corner(t, path_next(t, k))));
        if (wide_cross(e, wide_from(a, touch)) > WIDE_CLOSE * wide_length(e)) return;
    }
    double angle = sign > 0 ? wide_angle(p->last_right, radial) : -wide_angle(p->last_left, radial);
    if (angle < -WIDE_CLOSE) angle += 2 * M_PI;
    double g = nav_path_wide_way_to(r, d, length), whole = g - s->radius * angle;
    uint64_t key = ((uint64_t)p->tile << 32 | p->corner) << 1 | (sign > 0);
    if (!reserve_heads(s)) return;
    uint32_t head = head_of(w, key);
    if (is_worse(w, w->heads[head], whole, angle)) return;
    if (!is_clear(s, c, wide_touch(&r->circle, d), d, length)) return;
    wide_node *n = add_entry(s, head, (wide_entry){key, whole, angle, -INFINITY, w->heads[head]});
    if (!n) return;
    *n = (wide_node){.parent = c->node,
                     .root = c->root,
                     .tile = c->tile,
                     .corner = piece,
                     .kind = WIDE_TURN,
                     .sign = sign,
                     .right = d,
                     .g = g,
                     .entry = s->entry_count - 1};
    double left = wide_length(wide_from(touch, s->goal));
    if (s->ahead)
        left =
            fmax(left, nav_path_wide_left_from(s, p->tile, path_next(s->set->tiles[p->tile], p->corner)) - s->radius);
    push(s, fmax(r->f, g + wide_at_least(s, left)));
}

// --- Links ---

static void try_jump(wide_search *s, const cone *c, uint32_t jump)
{
    nav_path_wide *w = s->w;
    const path_jump *j = &s->set->jumps[jump];
    const wide_root *r = &w->roots[c->root];
    wide_vec d;
    double length;
    if (!nav_path_wide_may_jump(s, j) || !sees_place(s, c, wide_of(j->from.at), &d, &length)) return;
    double g = nav_path_wide_way_to(r, d, length) + s->rules->link_weight[j->area] * j->length;
    uint64_t key = UINT64_C(1) << 63 | jump; // tiles are fewer than 2^29, as memory is
    if (!reserve_heads(s)) return;
    uint32_t head = head_of(w, key);
    if (is_worse(w, w->heads[head], g, 0)) return;
    wide_node *n = add_entry(s, head, (wide_entry){key, g, 0, -INFINITY, w->heads[head]});
    if (!n) return;
    *n = (wide_node){.parent = c->node,
                     .root = c->root,
                     .tile = j->to.tile,
                     .corner = jump,
                     .kind = WIDE_JUMP,
                     .right = d,
                     .g = g,
                     .entry = s->entry_count - 1};
    push(s, fmax(r->f, g + wide_at_least(s, wide_length(wide_from(wide_of(j->to.at), s->goal)))));
}

static void look_for_jumps(wide_search *s, const cone *c)
{
    const path_tile *t = s->set->tiles[c->tile];
    if (!t->mouth_count) return;
    uint32_t last = t->first_mouth + t->mouth_count;
    for (uint32_t i = nav_path_first_mouth(s->set, c->tile, c->cell); i < last && s->set->mouths[i].cell == c->cell;
         i++)
        try_jump(s, c, s->set->mouths[i].jump);
}

// --- Edges ---

static void push_edge(wide_search *s, const cone *c, uint32_t corner, wide_vec right, wide_vec left)
{
    uint32_t tile = c->tile, entry = corner;
    if (!wide_pass(s, &tile, &entry)) return;
    wide_node *n = add_node(s);
    if (!n) return;
    *n = (wide_node){.parent = c->node,
                     .root = c->root,
                     .tile = tile,
                     .corner = entry,
                     .kind = WIDE_EDGE,
                     .right = right,
                     .left = left};
    push(s, nav_path_wide_least(s, &s->w->roots[c->root], c->tile, corner, right, left));
}

// The lines of a cone that leave its cell by the edge from a to b. They came in by an edge, so they have a to their
// left until they meet it, and b to their right from there on. False: none.
static bool leave(const wide_circle *circle, const cone *c, wide_vec a, wide_vec b, wide_vec *right, wide_vec *left)
{
    wide_circle left_end = {a, 0}, right_end = {b, 0};
    double length;
    if (wide_side(circle, c->right, a) <= 0 || wide_side(circle, c->left, b) >= 0) return false;
    *right = c->right;
    *left = c->left;
    if (wide_side(circle, c->left, a) < 0 && !nav_path_wide_tangent(circle, &left_end, left, &length)) return false;
    if (wide_side(circle, c->right, b) > 0 && !nav_path_wide_tangent(circle, &right_end, right, &length)) return false;
    return wide_cross(*right, *left) > WIDE_NARROW;
}

// The same for lines that begin in the cell, of an edge outside of the circle, or what of it is.
static bool leave_first(const wide_circle *circle, const cone *c, wide_vec a, bool a_on_circle, wide_vec b,
                        bool b_on_circle, wide_vec *right, wide_vec *left)
{
    if (!nav_path_wide_toward(circle, b, b_on_circle, right) || !nav_path_wide_toward(circle, a, a_on_circle, left) ||
        wide_cross(*right, *left) <= WIDE_NARROW)
        return false;
    if (c->all) return true;
    double whole = wide_angle(c->right, c->left), from = wide_angle(c->right, *right),
           to = from + wide_angle(*right, *left);
    if (to <= WIDE_NARROW || from >= whole - WIDE_NARROW) return false;
    if (from < 0) *right = c->right;
    if (to > whole) *left = c->left;
    return wide_cross(*right, *left) > WIDE_NARROW;
}

typedef struct gap_list {
    wide_search *s;
    const wide_fan *f;
    uint32_t count;
} gap_list;

static void cut_gaps(void *user, wide_vec right, wide_vec left)
{
    gap_list *l = user;
    const wide_fan *f = l->f;
    bool from_within = wide_between(f->right, f->left, right), to_within = wide_between(f->right, f->left, left);
    if (!from_within && !to_within && !wide_between(right, left, f->right)) return;
    wide_gap out = {.right = from_within ? right : f->right, .left = to_within ? left : f->left};
    out.low = wide_order(f->right, out.right);
    out.high = wide_order(f->right, out.left);
    l->s->out_of_memory |= !nav_path_wide_cut(l->s, &l->count, &out);
}

// The lines of a fan that no piece of the cell is in the way of: how many gaps.
static uint32_t list_gaps(wide_search *s, const cone *c, const wide_fan *f)
{
    nav_path_wide *w = s->w;
    gap_list gaps = {s, f, 1};
    if (!PATH_GROW(w->gaps, w->gap_room, 0)) {
        s->out_of_memory = true;
        return 0;
    }
    w->gaps[0] = (wide_gap){0, wide_order(f->right, f->left), f->right, f->left};
    for (uint32_t i = c->clear->first[c->cell]; i < c->clear->first[c->cell + 1] && gaps.count; i++)
        nav_path_wide_hidden(c->clear, &c->clear->pieces[i], s->radius, f, cut_gaps, &gaps);
    return gaps.count;
}

static wide_fan fan_of(const wide_circle *c, wide_vec right, wide_vec left, bool behind)
{
    return (wide_fan){*c, right, left, wide_touch(c, right), wide_touch(c, left), behind};
}

// Lines that begin in the cell and leave it by an edge.
static void push_clear(wide_search *s, const cone *c, uint32_t corner, wide_vec right, wide_vec left)
{
    const wide_circle circle = s->w->roots[c->root].circle;
    const wide_fan f = fan_of(&circle, right, left, false);
    uint32_t gaps = list_gaps(s, c, &f);
    for (uint32_t k = 0; k < gaps; k++) push_edge(s, c, corner, s->w->gaps[k].right, s->w->gaps[k].left);
}

// Lines that come in by an edge: what is clear of them is known once for all edges that they leave by.
static void look_on(wide_search *s, const cone *c)
{
    const path_tile *t = s->set->tiles[c->tile];
    const wide_circle circle = s->w->roots[c->root].circle;
    wide_vec a = wide_of(path_corner(t, c->entry)), e = wide_from(a, wide_of(path_corner(t, path_next(t, c->entry))));
    const wide_fan f = fan_of(&circle, c->right, c->left,
                              wide_cross(e, wide_from(a, circle.at)) >= fabs(circle.reach) * wide_length(e));
    uint32_t gaps = list_gaps(s, c, &f);
    for (uint32_t k = t->first[c->cell]; k < t->first[c->cell + 1] && gaps; k++) {
        wide_vec right, left;
        if (k == c->entry || t->twin[k] == PATH_WALL ||
            !leave(&circle, c, wide_of(path_corner(t, k)), wide_of(path_corner(t, path_next(t, k))), &right, &left))
            continue;
        double from = wide_order(c->right, right), to = wide_order(c->right, left);
        for (uint32_t i = 0; i < gaps; i++) {
            const wide_gap *g = &s->w->gaps[i];
            if (fmin(to, g->high) - fmax(from, g->low) >= WIDE_NARROW)
                push_edge(s, c, k, g->low > from ? g->right : right, g->high < to ? g->left : left);
        }
    }
}

// From a root in the cell.
static void look_through(wide_search *s, const cone *c, uint32_t corner)
{
    const path_tile *t = s->set->tiles[c->tile];
    const wide_circle circle = s->w->roots[c->root].circle;
    wide_vec a = wide_of(path_corner(t, corner)), b = wide_of(path_corner(t, path_next(t, corner))), right, left,
             met[2];
    // What of the edge is outside of the circle: it may be cut in two.
    double reach = fabs(circle.reach);
    bool a_within = wide_length(wide_from(circle.at, a)) < reach,
         b_within = wide_length(wide_from(circle.at, b)) < reach;
    int n = reach > 0 ? nav_path_wide_crossings(a, b, circle.at, reach, met) : 0; // from a on
    if (a_within && b_within) return;
    if (a_within || b_within) {
        if (n && leave_first(&circle, c, a_within ? met[n - 1] : a, a_within, b_within ? met[0] : b, b_within, &right,
                             &left))
            push_clear(s, c, corner, right, left);
        return;
    }
    if (leave_first(&circle, c, a, false, n == 2 ? met[0] : b, n == 2, &right, &left))
        push_clear(s, c, corner, right, left);
    if (n == 2 && leave_first(&circle, c, met[1], true, b, false, &right, &left)) push_clear(s, c, corner, right, left);
}

// --- Expansion ---

static bool is_goal(const wide_search *s, uint32_t tile, uint32_t cell)
{
    const path_place *near = s->w->near + s->start_count;
    for (uint32_t i = 0; i < s->goal_count; i++)
        if (near[i].tile == tile && near[i].cell == cell) return true;
    return false;
}

static void expand(wide_search *s, cone *c)
{
    c->clear = nav_path_wide_clear(s, c->tile);
    if (!c->clear) {
        s->out_of_memory = true;
        return;
    }
    if (s->look_for_nearest) {
        near_search n = {s, c};
        nav_path_wide_places(s, c->tile, c->cell, s->goal, s->nearest, try_nearest, &n);
    } else if (is_goal(s, c->tile, c->cell)) {
        try_goal(s, c);
    }
    if (wide_links(s)) look_for_jumps(s, c);
    const wide_root r = s->w->roots[c->root];
    for (uint32_t i = c->clear->first[c->cell]; i < c->clear->first[c->cell + 1]; i++) {
        const wide_piece *p = &c->clear->pieces[i];
        if (!p->round || (r.entry != PATH_NONE && p->tile == r.tile && p->corner == r.corner)) continue;
        try_turn(s, c, i, 1);
        try_turn(s, c, i, -1);
    }
    const path_tile *t = s->set->tiles[c->tile];
    if (c->entry != PATH_NONE) {
        look_on(s, c);
        return;
    }
    for (uint32_t k = t->first[c->cell]; k < t->first[c->cell + 1]; k++)
        if (t->twin[k] != PATH_WALL) look_through(s, c, k);
}

void nav_path_wide_begin(wide_search *s)
{
    for (uint32_t i = 0; i < s->start_count; i++) {
        cone c = {
            .node = PATH_NONE, .tile = s->w->near[i].tile, .cell = s->w->near[i].cell, .entry = PATH_NONE, .all = true};
        expand(s, &c);
    }
}

void nav_path_wide_expand_edge(wide_search *s, uint32_t at)
{
    const wide_node n = s->w->nodes[at]; // a copy: they move
    cone c = {.node = at,
              .root = n.root,
              .tile = n.tile,
              .cell = s->set->tiles[n.tile]->cell[n.corner],
              .entry = n.corner,
              .right = n.right,
              .left = n.left};
    expand(s, &c);
}

void nav_path_wide_expand_jump(wide_search *s, uint32_t at)
{
    nav_path_wide *w = s->w;
    const wide_node n = w->nodes[at];
    const path_jump *j = &s->set->jumps[n.corner];
    wide_entry *own = &w->entries[n.entry];
    uint32_t first = s->start_count + s->goal_count, end, root = s->root_count;
    if (is_worse(w, w->heads[head_of(w, own->key)], own->g, 0)) return;
    own->end = 0;
    if (!PATH_GROW(w->roots, w->root_room, root) || !nav_path_wide_list(s, first, j->to, WIDE_SLACK, &end)) {
        s->out_of_memory = true;
        return;
    }
    w->roots[s->root_count++] = (wide_root){.circle = {wide_of(j->to.at), 0},
                                            .begin = {1, 0},
                                            .g = n.g,
                                            .f = s->least,
                                            .entry = n.entry,
                                            .tile = PATH_NONE,
                                            .corner = PATH_NONE};
    for (uint32_t i = first; i < end; i++) {
        cone c = {.node = at,
                  .root = root,
                  .tile = w->near[i].tile,
                  .cell = w->near[i].cell,
                  .entry = PATH_NONE,
                  .all = true};
        expand(s, &c);
    }
}

// How far around the circle, and by which edge, an arc leaves a cell. PATH_NONE: not before `most`. Two edges of a cell
// may be on one line: it leaves by the one that it meets.
static uint32_t leave_arc(const path_tile *t, uint32_t cell, wide_vec at, double radius, wide_vec radial, int sign,
                          double *most)
{
    uint32_t by = PATH_NONE;
    double beside = INFINITY; // how far from the edge it meets the line
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        wide_vec a = wide_of(path_corner(t, k)), e = wide_from(a, wide_of(path_corner(t, path_next(t, k)))),
                 out = wide_unit(wide_left_of(e));
        double away = wide_dot(out, wide_from(at, a)) / radius;
        if (away >= 1) continue;
        double half = acos(fmax(away, -1)), turn = sign * wide_angle(radial, out) - half;
        if (turn < -WIDE_CLOSE && turn <= WIDE_CLOSE - 2 * half) turn += 2 * M_PI; // it has come back from there
        if (turn < 0) turn = 0;
        if (turn > *most + WIDE_NARROW) continue;
        wide_vec met = wide_along(at, wide_turned(radial, sign * turn), radius);
        double along = wide_dot(wide_unit(e), wide_from(a, met)), off = fmax(fmax(-along, along - wide_length(e)), 0);
        if (turn < *most - WIDE_NARROW || off < beside) {
            *most = fmin(turn, *most);
            beside = off;
            by = k;
        }
    }
    return by;
}

void nav_path_wide_expand_turn(wide_search *s, uint32_t at)
{
    nav_path_wide *w = s->w;
    const wide_node n = w->nodes[at];
    const wide_tile *clear = nav_path_wide_clear(s, n.tile);
    if (!clear || !PATH_GROW(w->roots, w->root_room, s->root_count)) {
        s->out_of_memory = true;
        return;
    }
    const wide_piece p = clear->pieces[n.corner];
    const wide_entry *own = &w->entries[n.entry];
    double angle = own->angle;
    if (is_worse(w, w->heads[head_of(w, own->key)], own->g, angle)) return;
    wide_circle circle = {p.at, n.sign * s->radius};
    uint32_t from = s->root_count++;
    w->roots[from] = (wide_root){circle, n.right, n.g, s->least, n.entry, p.tile, p.corner};
    wide_vec first = wide_unit(wide_from(p.at, wide_touch(&circle, n.right)));
    double rest = n.sign * wide_angle(first, n.sign > 0 ? p.last_left : p.last_right), passed = 0;
    if (rest < -WIDE_CLOSE) rest += 2 * M_PI;
    cone c = {.node = at, .root = from, .tile = n.tile, .cell = p.cell, .entry = PATH_NONE};
    for (uint32_t cells = 0; cells < 256 && rest > WIDE_NARROW && !s->out_of_memory && !s->full; cells++) {
        const path_tile *t = s->set->tiles[c.tile];
        wide_vec radial = wide_turned(first, n.sign * passed);
        double most = fmin(rest, M_PI / 2);
        bool blocked = false;
        clear = nav_path_wide_clear(s, c.tile);
        if (!clear) {
            s->out_of_memory = true;
            return;
        }
        uint32_t by = leave_arc(t, c.cell, p.at, s->radius, radial, n.sign, &most);
        for (uint32_t i = clear->first[c.cell]; i < clear->first[c.cell + 1]; i++) {
            const wide_piece *o = &clear->pieces[i];
            if (o->round && o->tile == p.tile && o->corner == p.corner) continue;
            double turn = nav_path_wide_arc(clear, o, s->radius, p.at, radial, n.sign, most);
            blocked |= turn < most;
            most = fmin(most, turn);
        }
        if (most > WIDE_NARROW) {
            wide_vec begin = wide_turned(n.right, n.sign * passed),
                     end = wide_turned(n.right, n.sign * (passed + most));
            c.right = n.sign > 0 ? begin : end;
            c.left = n.sign > 0 ? end : begin;
            expand(s, &c);
        }
        passed += most;
        w->entries[n.entry].end = angle + passed;
        if (blocked) return;
        rest -= most;
        uint32_t edge = by;
        if (by != PATH_NONE && !wide_pass(s, &c.tile, &edge)) return;
        if (by != PATH_NONE) c.cell = s->set->tiles[c.tile]->cell[edge];
    }
}
