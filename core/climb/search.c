// A* over the portals between triangles. A way to a portal is known as a string that is pulled as it goes: where it
// bent last, and which corners bound what is seen from there. So lengths are those over the surface in any direction,
// and a portal needs one label, at its middle; long ones have a few.
//
// J. S. B. Mitchell, D. M. Mount and C. H. Papadimitriou, The discrete geodesic problem (1987), whose windows these
// are, but only the best for each place.
#include "core/climb/search.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 64, SLIVER_PLACES = 8, STOP_EVERY = 256 };

// One place of a gate is as wide as this, at the least: the heights of the triangle behind it, and the share of the way
// from start to goal.
static const double PLACE_HEIGHTS = 1.5, PLACE_SHARE = 1.0 / 64;

typedef struct search {
    nav_climb_finder *f;
    const climb_task *t;
    double least_rate;
    uint32_t at;      // the label that is gone on from, or UINT32_MAX: the start
    double goal_cost; // best so far
    uint32_t goal_before;
    bool has_goal;
    nav_status status;
} search;

static double rate_of(const search *s, const climb_patch *p, uint32_t triangle)
{
    return (double)s->t->rates.cost[p->area[triangle]];
}

static bool is_open(const search *s, const climb_patch *p, uint32_t triangle)
{
    return !(s->t->rates.excluded >> p->area[triangle] & 1);
}

static uint16_t places_of(const search *s, const climb_patch *p, uint32_t triangle, double width)
{
    vec a = climb_corner(p, triangle, 0), b = climb_corner(p, triangle, 1), c = climb_corner(p, triangle, 2);
    double area2 = vec_length(vec_cross(vec_sub(b, a), vec_sub(c, a)));
    double by_height = width * width / (PLACE_HEIGHTS * area2);
    double by_share = width / (PLACE_SHARE * vec_apart(s->t->from.at, s->t->to.at));
    double n = fmax(fmin(by_height, SLIVER_PLACES), by_share);
    return (uint16_t)(n > 1 ? fmin(floor(n + 0.5), MOST_PLACES) : 1);
}

// The first of the labels of a portal, made if there are none. NULL: no memory.
static climb_label *labels_of(search *s, const climb_portal *p, double width)
{
    nav_climb_finder *f = s->f;
    uint32_t first = f->first_label[p->gate.node];
    if (first) return &f->label[first - 1];
    uint16_t places = places_of(s, p->gate.patch, p->gate.triangle, width);
    while (f->label_count + places > f->label_room) {
        uint32_t room = f->label_room ? 2 * f->label_room : 1024;
        climb_label *label = room > f->label_room ? realloc(f->label, room * sizeof *label) : NULL;
        if (!label) return NULL;
        f->label = label;
        f->label_room = room;
    }
    first = f->label_count;
    for (uint16_t i = 0; i < places; i++)
        f->label[first + i] = (climb_label){.cost = INFINITY, .place = i, .places = places, .node = p->gate.node};
    f->label_count += places;
    f->first_label[p->gate.node] = first + 1;
    return &f->label[first];
}

// What a way to one place of a portal costs, and keeps it if it is the best.
static void try_place(search *s, const climb_portal *p, uint32_t portal, climb_label *l, climb_sight sight,
                      double width, const flat end[2], double rate)
{
    vec right = p->gate.strip ? p->in_right : p->gate.right, left = p->gate.strip ? p->in_left : p->gate.left;
    double share = (l->place + 0.5) / l->places;
    flat at = {end[0].x + share * (end[1].x - end[0].x), end[0].y + share * (end[1].y - end[0].y)};
    nav_climb_aim(&sight, width, at, rate);
    double cost = sight.cost + rate * flat_apart(sight.source, at);
    if (!(cost < l->cost)) return;
    double next_rate = rate_of(s, p->gate.patch, p->gate.triangle);
    if (next_rate < rate || rate < next_rate) {
        sight = (climb_sight){.source = at, .right = end[0], .left = end[1], .cost = cost};
    } else {
        nav_climb_narrow(&sight, end[0], end[1], rate);
    }
    nav_climb_turn(&sight, end[0], end[1]);
    l->sight = sight;
    l->cost = cost;
    vec_to_float(right, l->right);
    vec_to_float(left, l->left);
    l->patch = p->gate.patch;
    l->triangle = p->gate.triangle;
    l->portal = portal;
    l->before = s->at;
    double f = cost + s->least_rate * vec_apart(vec_between(right, left, share), s->t->to.at);
    if (!path_queue_push(&s->f->queue, f, (uint32_t)(l - s->f->label))) s->status = NAV_ERR_MEMORY;
}

// Goes on through a portal of a triangle. width: of the gate that it was come in by; sight: in its plane, where the
// portal's ends are as told. Of the start: in the plane of the portal itself.
static void go_through(search *s, const climb_portal *p, uint32_t portal, climb_sight sight, double width, flat right,
                       flat left, double rate)
{
    flat end[2] = {right, left};
    if (p->gate.strip) {
        nav_climb_narrow(&sight, right, left, rate);
        nav_climb_turn(&sight, right, left);
        width = vec_apart(p->gate.right, p->gate.left);
        end[0] = climb_beyond(p->gate.right, p->gate.left, p->in_right);
        end[1] = climb_beyond(p->gate.right, p->gate.left, p->in_left);
    }
    climb_label *l = labels_of(s, p, flat_apart(end[0], end[1]));
    if (!l) {
        s->status = NAV_ERR_MEMORY;
        return;
    }
    for (uint16_t i = 0; i < l[0].places && s->status == NAV_OK; i++)
        if (!l[i].done) try_place(s, p, portal, &l[i], sight, width, end, rate);
}

static void try_portal(search *s, const climb_patch *p, uint32_t triangle, uint32_t portal, const climb_label *from)
{
    uint32_t node = climb_portal_node(p, triangle, portal), known = s->f->first_label[node];
    if (from && node == from->node) return;
    if (known && s->f->label[known - 1].places == 1 && s->f->label[known - 1].done) return;
    climb_portal next = nav_climb_portal(p, triangle, portal);
    climb_sight sight;
    double rate = rate_of(s, p, triangle), width;
    flat right, left;
    if (!is_open(s, next.gate.patch, next.gate.triangle)) return;
    if (from) {
        vec in_right = vec_of_float(from->right), in_left = vec_of_float(from->left);
        sight = from->sight;
        width = vec_apart(in_right, in_left);
        right = climb_beyond(in_right, in_left, next.gate.right);
        left = climb_beyond(in_right, in_left, next.gate.left);
    } else { // in the plane of the portal
        flat at = climb_beyond(next.gate.right, next.gate.left, s->t->from.at);
        width = vec_apart(next.gate.right, next.gate.left);
        right = (flat){0, 0};
        left = (flat){width, 0};
        sight = (climb_sight){.source = {at.x, -at.y}, .right = right, .left = left};
    }
    go_through(s, &next, portal, sight, width, right, left, rate);
}

static void try_goal(search *s, const climb_label *l)
{
    vec right = vec_of_float(l->right), left = vec_of_float(l->left);
    double rate = rate_of(s, l->patch, l->triangle);
    climb_sight sight = l->sight;
    flat at = climb_beyond(right, left, s->t->to.at);
    nav_climb_aim(&sight, vec_apart(right, left), at, rate);
    double cost = sight.cost + rate * flat_apart(sight.source, at);
    if (s->has_goal && !(cost < s->goal_cost)) return;
    s->has_goal = true;
    s->goal_cost = cost;
    s->goal_before = s->at;
}

// Through all portals of a triangle.
static void go_on(search *s, const climb_patch *p, uint32_t triangle)
{
    bool starts = s->at == UINT32_MAX;
    climb_label from; // labels may move
    if (!starts) from = s->f->label[s->at];
    for (uint32_t side = 0; side < CLIMB_SIDES && s->status == NAV_OK; side++) {
        int32_t beside = p->beside[CLIMB_SIDES * triangle + side];
        uint32_t first = side, end = side + 1;
        if (beside < 0) {
            first = climb_half_portal(p->edge[-1 - beside].first_half);
            end = climb_half_portal(p->edge[-beside].first_half);
        }
        for (uint32_t k = first; k < end && s->status == NAV_OK; k++) {
            if (!climb_is_open(p, k)) continue;
            try_portal(s, p, triangle, k, starts ? NULL : &from);
        }
    }
}

static void find_nearest(const search *s, climb_spot *nearest)
{
    double best = INFINITY;
    *nearest = (climb_spot){.patch = NULL};
    for (int64_t i = -1; i < s->f->label_count; i++) {
        const climb_label *l = i < 0 ? NULL : &s->f->label[i];
        if (l && !l->done) continue;
        const climb_patch *p = l ? l->patch : s->t->from.patch;
        uint32_t triangle = l ? l->triangle : s->t->from.triangle;
        vec at = nav_climb_on_triangle(p, triangle, s->t->to.at);
        double apart = vec_apart(at, s->t->to.at);
        if (apart >= best) continue;
        best = apart;
        *nearest = (climb_spot){p, triangle, at};
    }
}

static nav_status make_sleeve(const search *s)
{
    nav_climb_finder *f = s->f;
    uint32_t count = 0;
    f->sleeve.count = 0;
    f->sleeve.from = s->t->from;
    f->sleeve.to = s->t->to;
    // The way back, turned round in the labels themselves.
    uint32_t next = UINT32_MAX;
    for (uint32_t l = s->goal_before; l != UINT32_MAX; count++) {
        uint32_t before = f->label[l].before;
        f->label[l].before = next;
        next = l;
        l = before;
    }
    const climb_patch *p = s->t->from.patch;
    uint32_t triangle = s->t->from.triangle;
    for (uint32_t l = next; l != UINT32_MAX; l = f->label[l].before) {
        climb_portal portal = nav_climb_portal(p, triangle, f->label[l].portal);
        nav_status status = nav_climb_add_portal(&f->sleeve, &portal);
        if (status != NAV_OK) return status;
        p = f->label[l].patch;
        triangle = f->label[l].triangle;
    }
    return NAV_OK;
}

static climb_outcome run(search *s)
{
    nav_climb_finder *f = s->f;
    const climb_task *t = s->t;
    s->at = UINT32_MAX;
    if (t->from.patch == t->to.patch && t->from.triangle == t->to.triangle) {
        s->has_goal = true;
        s->goal_before = UINT32_MAX;
        return CLIMB_FOUND;
    }
    go_on(s, t->from.patch, t->from.triangle);
    for (uint64_t steps = 0; f->queue.count && s->status == NAV_OK; steps++) {
        path_queued next = path_queue_pop(&f->queue);
        climb_label *l = &f->label[next.what];
        if (s->has_goal && next.f >= s->goal_cost) break;
        if (l->done) continue;
        l->done = true;
        s->at = next.what;
        if (l->patch == t->to.patch && l->triangle == t->to.triangle) try_goal(s, l);
        if (t->max_nodes && f->label_count > t->max_nodes) return CLIMB_GIVEN_UP;
        if (t->stop && steps % STOP_EVERY == 0 && t->stop(t->user)) return CLIMB_GIVEN_UP;
        go_on(s, l->patch, l->triangle);
    }
    return s->has_goal ? CLIMB_FOUND : CLIMB_NO_WAY;
}

nav_status nav_climb_search(nav_climb_finder *f, const climb_task *t, climb_outcome *outcome, climb_spot *nearest)
{
    search s = {.f = f, .t = t, .least_rate = INFINITY};
    if (f->node_room < t->set->node_count) {
        uint32_t *first = calloc(t->set->node_count, sizeof *first);
        if (!first) return NAV_ERR_MEMORY;
        free(f->first_label);
        f->first_label = first;
        f->node_room = t->set->node_count;
    }
    for (int i = 0; i < NAV_AREA_COUNT; i++)
        if (!(t->rates.excluded >> i & 1)) s.least_rate = fmin(s.least_rate, (double)t->rates.cost[i]);
    f->queue.count = 0;
    f->label_count = 0;
    *outcome = run(&s);
    if (s.status == NAV_OK && *outcome == CLIMB_NO_WAY) find_nearest(&s, nearest);
    if (s.status == NAV_OK && *outcome == CLIMB_FOUND) s.status = make_sleeve(&s);
    for (uint32_t i = 0; i < f->label_count; i++) f->first_label[f->label[i].node] = 0;
    return s.status;
}
