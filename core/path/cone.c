// What is seen from a turn: edges of the next cell, corners, and the goal. On which side of a ray a vertex lies is told
// in whole numbers.
//
// Behind a corner only what the turn's parent does not see is of interest: a path that turns to the left at a corner
// goes on to the left of the ray that came. Of an edge that the ray crosses the cone holds both pieces; of what comes
// behind it, all that is off to the wrong side is left out.
#include "core/path/known.h"
#include "core/path/seen.h"

// From so many nodes on, cones are looked at more closely that need not wait.
enum { MANY_CONES = 512 };

double nav_path_nearest_seen(path_spot p, path_spot a, path_spot b, path_spot left, path_spot right, double out[2])
{
    path_real l = path_same(left, a) ? (path_real){a.x, a.z} : path_meet(p, left, a, b);
    path_real r = path_same(right, b) ? (path_real){b.x, b.z} : path_meet(p, right, a, b);
    double dx = r.x - l.x, dz = r.z - l.z, length2 = dx * dx + dz * dz;
    double t = length2 > 0 ? ((p.x - l.x) * dx + (p.z - l.z) * dz) / length2 : 0;
    path_real at = t <= 0 ? l : t >= 1 ? r : (path_real){l.x + t * dx, l.z + t * dz};
    out[0] = at.x;
    out[1] = at.z;
    return path_between((path_real){p.x, p.z}, at);
}

// The least length from p to the goal by the piece of the edge from a to b that is between two rays, where that is not
// the straight line. The cell behind the edge is on the left of it.
static double least_length(path_spot p, path_spot a, path_spot b, path_spot left, path_spot right, path_spot goal)
{
    path_real g = {goal.x, goal.z}, from = {p.x, p.z}, by;
    bool by_left = path_side(p, left, goal) > 0;
    if (path_side(a, b, goal) < 0) { // on this side: as far as its mirror image
        double nx = (double)a.z - b.z, nz = (double)b.x - a.x;
        double k = 2 * ((g.x - a.x) * nx + (g.z - a.z) * nz) / (nx * nx + nz * nz);
        g = (path_real){g.x - k * nx, g.z - k * nz};
        double x = g.x - p.x, z = g.z - p.z;
        by_left = ((double)left.x - p.x) * z - ((double)left.z - p.z) * x > 0;
        if (!by_left && ((double)right.x - p.x) * z - ((double)right.z - p.z) * x >= 0) return path_between(from, g);
    }
    if (by_left)
        by = path_same(left, a) ? (path_real){a.x, a.z} : path_meet(p, left, a, b);
    else
        by = path_same(right, b) ? (path_real){b.x, b.z} : path_meet(p, right, a, b);
    return path_between(from, by) + path_between(by, g);
}

// Is the goal elsewhere than in a dead end, or behind it? Where links begin the dead end may lead somewhere.
static bool leads_nowhere(const path_search *s, uint32_t tile, uint32_t corner)
{
    const path_tile *t = s->set->tiles[tile];
    uint32_t cell = t->cell[corner];
    if (s->rules && (t->mouth_count || s->rules->weighs)) return false;
    for (uint32_t i = 0; i < s->branch_count; i++)
        if (s->f->branch[i].cell == cell && s->f->branch[i].tile == tile) return false;
    return true;
}

static path_cone *add_cone(path_search *s, path_cone **cones, uint32_t *room, uint32_t *count)
{
    if (!path_grow((void **)cones, room, *count, sizeof **cones)) {
        s->out_of_memory = true;
        return NULL;
    }
    return &(*cones)[(*count)++];
}

static void keep_for_later(path_search *s, const path_cone *cone, double f)
{
    nav_path_finder *finder = s->f;
    uint32_t at = s->later_free;
    if (at != PATH_NONE) {
        s->later_free = finder->later[at].turn;
    } else {
        at = s->later_count;
        if (!add_cone(s, &finder->later, &finder->later_room, &s->later_count)) return;
    }
    finder->later[at] = *cone;
    nav_path_push(s, f, PATH_LATER | at);
}

// The cone behind an edge of a cell.
static void offer(path_search *s, uint32_t from, uint32_t tile, uint32_t corner, path_spot a, path_spot b,
                  path_spot left, path_spot right)
{
    const path_turn *turn = &s->f->turns[from];
    path_spot p = turn->at;
    path_cone cone = {.turn = from, .tile = tile, .corner = corner, .before = s->current, .left = left, .right = right};
    if (!path_cross_within(s, turn->class, &cone.tile, &cone.corner)) return;
    double f = 0;
    if (s->tracing) {
        path_spot end = path_piece_end(s, &s->f->turns[s->wanted]);
        if (path_side(p, right, end) < 0 || path_side(p, left, end) > 0) return;
    } else {
        if (s->spreads) {
            double nearest[2];
            f = turn->g + nav_path_nearest_seen(p, a, b, left, right, nearest);
        } else {
            if (s->set->tiles[tile]->dead_end[corner] && leads_nowhere(s, cone.tile, cone.corner)) return;
            bool ahead =
                path_side(p, left, s->goal) <= 0 && path_side(p, right, s->goal) >= 0 && path_side(a, b, s->goal) >= 0;
            if (s->rules && s->rules->weighs)
                f = nav_path_weighed_base(s, from, a, b, left, right) +
                    path_at_least(s, ahead ? path_distance(p, s->goal) : least_length(p, a, b, left, right, s->goal));
            else
                f = ahead ? turn->f
                          : fmax(turn->f, turn->g + path_at_least(s, least_length(p, a, b, left, right, s->goal)));
        }
        if (f > s->best) return;
        if ((f > s->bound || s->node_count > MANY_CONES) && nav_path_is_cone_beaten(s, &cone, tile, corner)) return;
        s->full |= ++s->node_count > s->max_nodes;
        if (f > s->bound) {
            keep_for_later(s, &cone, f);
            return;
        }
    }
    path_cone *to = add_cone(s, &s->f->cones, &s->f->cone_room, &s->cone_count);
    if (to) *to = cone;
}

void nav_path_see_goal(path_search *s, uint32_t from, uint32_t tile, uint32_t cell)
{
    if (s->tracing) {
        const path_turn *w = &s->f->turns[s->wanted];
        s->traced |= w->kind == PATH_GOAL && w->tile == tile && s->set->tiles[tile]->cell[w->corner] == cell;
        return;
    }
    double g = path_cost_to(s, from, s->goal);
    path_turn *known = s->goal_turn == PATH_NONE ? NULL : &s->f->turns[s->goal_turn];
    if (known && (g > known->g || (g == known->g && !nav_path_is_preferred(s, from, known->parent)))) return;
    if (known) known->outdated = true;
    path_turn *turn = nav_path_add_turn(s);
    if (!turn) return;
    double least = path_rounded_up(g);
    *turn = (path_turn){.parent = from,
                        .tile = tile,
                        .corner = s->set->tiles[tile]->first[cell],
                        .kind = PATH_GOAL,
                        .at = s->goal,
                        .before = s->f->turns[from].at,
                        .y = s->goal_y,
                        .g = g,
                        .f = least};
    s->best = least;
    s->goal_turn = s->turn_count - 1;
    nav_path_push(s, least, s->goal_turn);
}

void nav_path_look_through(path_search *s, uint32_t from, uint32_t tile, uint32_t corner)
{
    const path_tile *t = s->set->tiles[tile];
    uint32_t next = path_next(t, corner);
    path_spot p = s->f->turns[from].at, a = path_corner(t, corner), b = path_corner(t, next);
    if (t->twin[corner] == PATH_WALL) return;
    if (path_side(p, a, b) != 0)
        offer(s, from, tile, corner, a, b, a, b);
    else if (path_goes_on(p, a, b))
        nav_path_try_turn(s, from, tile, corner, true);
    else
        nav_path_try_turn(s, from, tile, next, false);
}

// The corners of a cell from the left end of the edge by which a cone comes in, round to its right end.
typedef struct circuit {
    const path_tile *t;
    uint32_t first, end; // corners of the cell
} circuit;

static uint32_t next_on(const circuit *r, uint32_t corner)
{
    return corner + 1 == r->end ? r->first : corner + 1;
}

static uint32_t next_back(const circuit *r, uint32_t corner)
{
    return corner == r->first ? r->end - 1 : corner - 1;
}

// Turns at the right end of the interval, where that is a vertex: at it, and at those behind it on the same ray.
static void turn_right(path_search *s, path_spot p, const path_cone *n, const circuit *r, uint32_t left_end)
{
    for (uint32_t here = n->corner; here != left_end;) {
        uint32_t next = next_back(r, here);
        int64_t side = path_side(p, n->right, path_corner(r->t, next));
        if (side > 0 || (here != n->corner && side < 0)) return;
        nav_path_try_turn(s, n->turn, n->tile, here, false);
        if (side < 0) return;
        here = next;
    }
}

// The same at the left end. Returns the corner of the edge by which the left ray leaves the cell.
static uint32_t turn_left(path_search *s, path_spot p, const path_cone *n, const circuit *r, uint32_t left_end,
                          bool may_turn)
{
    uint32_t here = left_end;
    bool turns = may_turn && path_same(n->left, path_corner(r->t, left_end));
    for (;;) {
        uint32_t next = next_on(r, here);
        int64_t side = path_side(p, n->left, path_corner(r->t, next));
        turns = turns && side >= 0 && (here == left_end || side == 0);
        if (turns) nav_path_try_turn(s, n->turn, n->tile, here, true);
        turns = turns && side == 0;
        if (side < 0 || next == n->corner) return here;
        here = next;
    }
}

void nav_path_expand_cone(path_search *s, path_cone n)
{
    const path_tile *t = s->set->tiles[n.tile];
    uint32_t cell = t->cell[n.corner];
    circuit r = {t, t->first[cell], t->first[cell + 1]};
    const path_turn *turn = &s->f->turns[n.turn]; // until a turn is added
    path_spot p = turn->at, before = turn->before;
    // Does the cone reach to the side that its turn turns away from?
    bool right_off = turn->kind == PATH_LEFT && path_side(before, p, n.right) < 0;
    bool left_off = turn->kind == PATH_RIGHT && path_side(before, p, n.left) > 0;
    if (path_is_goal(s, n.tile, cell) && path_side(p, n.right, s->goal) >= 0 && path_side(p, n.left, s->goal) <= 0)
        nav_path_see_goal(s, n.turn, n.tile, cell);
    uint32_t left_end = next_on(&r, n.corner), corner = turn_left(s, p, &n, &r, left_end, !left_off);
    if (!right_off && path_same(n.right, path_corner(t, n.corner))) turn_right(s, p, &n, &r, left_end);
    if (s->rules) nav_path_look_for_mouths(s, n.turn, n.tile, cell, &n);
    path_spot a = path_corner(t, corner);
    path_spot left = path_side(p, n.left, a) <= 0 ? a : n.left;
    while (corner != n.corner) {
        uint32_t next = next_on(&r, corner);
        path_spot b = path_corner(t, next);
        int64_t side = path_side(p, n.right, b);
        path_spot right = side >= 0 ? b : n.right;
        if (t->twin[corner] != PATH_WALL && !(right_off && path_side(before, p, left) < 0) &&
            !(left_off && path_side(before, p, right) > 0))
            offer(s, n.turn, n.tile, corner, a, b, left, right);
        if (side <= 0) return; // the right ray has left
        corner = next;
        left = a = b;
    }
}

void nav_path_expand_turn(path_search *s, uint32_t at)
{
    const path_turn turn = s->f->turns[at]; // a copy: they move
    bool left = turn.kind == PATH_LEFT;
    uint32_t tile = turn.tile, corner = turn.corner;
    for (;;) {
        const path_tile *t = s->set->tiles[tile];
        uint32_t before = path_before(t, corner);
        if (path_is_goal(s, tile, t->cell[corner])) nav_path_see_goal(s, at, tile, t->cell[corner]);
        if (s->rules) nav_path_look_for_mouths(s, at, tile, t->cell[corner], NULL);
        for (uint32_t k = path_next(t, corner); k != before; k = path_next(t, k)) {
            path_spot end = path_corner(t, left ? k : path_next(t, k));
            int64_t side = path_side(turn.before, turn.at, end);
            if (left ? side >= 0 : side <= 0) nav_path_look_through(s, at, tile, k);
        }
        uint32_t edge = left ? corner : before;
        if (!path_cross_within(s, turn.class, &tile, &edge)) return;
        corner = left ? path_next(s->set->tiles[tile], edge) : edge;
    }
}
