// Open edges of patches, joined where they are the same line, across inner edges and over steps.
//
//      a | b            the same line, run through both ways: joined where they overlap, to the tolerance of the grids.
//    --->|---->         Either side may be cut into edges of its own.
//    <---|<----
//                       |            An inner edge: both sides end at r tan(turn / 2) from its corner line, where the
//      wall's edge ---->|  ^ turn    agent that stands on one touches the other. What tells such a pair: two walls'
//                       :            edges run along the line that their planes have in common, and each lies as far
//      - - - - - - - - -+---- floor  above the other's plane as an edge at that distance does. Where one leans over the
//                            ^       other, the agent's height counts as well.
//                            floor's edge
//          .------           A step: what is no higher than the agent's climb and its radius has a floor of its own on
//          :                 top, and the floor around it ends at the radius. The two look the same way but for a
//          smooth
//    - - - +                 turn, and face each other.
//      <-r->
#include "core/climb/climb_work.h"

#include <stdlib.h>
#include <string.h>

static const double ALONG_COS = 0.98;              // edges of an inner seam against its line
static const double LOOSE_COS = 0.95;              // lines that are further apart than rounding explains
static const double LOOSE_DEG = 130, THIN_M = 0.1; // what turns more is the other side of something thin
static const double SMOOTH_COS = 0.996;            // planes that turn less than this have no line in common
static const double SHORTEST_M = 0.001;            // of a join, unless its edges are hardly longer
static const double INNER_SLACK_M = 0.02;          // and a quarter: by which an edge of an inner seam may be elsewhere,
static const double SLACK_RADII = 0.5;             // and for the heights' error, but no more than this
static const double STEP_COS = 0.5;                // between the two sides of a step
static const double STEP_RADII = 1.1;              // across it
static const double DEGREES = 57.29577951308232;

typedef struct joiner {
    const nav_climb_set *set;
    climb_patch *a, *b;
    uint32_t edge; // of a
    vec from, to, along;
    double length;
    nav_status status;
} joiner;

typedef struct overlap {
    double low, high;          // along a's edge
    vec other_low, other_high; // on b's
    double other_from, other_to;
    double apart;
} overlap;

static double radius_of(const joiner *j)
{
    return fmax(j->a->radius_m, j->b->radius_m);
}

// How far above the other's plane an edge at an inner edge is at most. An agent touches it with its radius, or, where
// the other side leans over it, with its head.
static double most_above(const joiner *j, double cos)
{
    double radius = radius_of(j), height = fmax(j->a->height_m, j->b->height_m);
    return cos < 0 ? radius - cos * fmax(height, radius) : radius * (1 - cos);
}

// How far from an edge those that it may be joined to are.
static double reach_of(const joiner *j, climb_behind behind)
{
    double close = fmax(j->a->close_m, j->b->close_m);
    if (behind == CLIMB_INSIDE) return close;
    if (behind != CLIMB_WALL) return close + j->a->loose_m + j->b->loose_m;
    double cos = j->set->inner_cos;
    return most_above(j, cos) * sqrt(2 / (1 + cos)) * 1.25 + radius_of(j);
}

static double step_reach_of(const joiner *j)
{
    return STEP_RADII * radius_of(j) + fmax(j->a->step_m, j->b->step_m);
}

static double widest_reach_of(const joiner *j)
{
    return fmax(fmax(reach_of(j, CLIMB_WALL), reach_of(j, CLIMB_SEAM)), step_reach_of(j));
}

double nav_climb_reach(const nav_climb_set *set, climb_patch *p)
{
    return widest_reach_of(&(joiner){.set = set, .a = p, .b = p});
}

static nav_status add_half(climb_patch *p, const climb_half *h)
{
    if (p->half_count == p->half_room) {
        uint32_t room = p->half_room ? 2 * p->half_room : 16;
        climb_half *half = realloc(p->half, room * sizeof *half);
        if (!half) return NAV_ERR_MEMORY;
        p->half = half;
        p->half_room = room;
    }
    p->half[p->half_count++] = *h;
    p->changed = true;
    return NAV_OK;
}

static double turn_of(vec a, vec b)
{
    return DEGREES * acos(fmax(-1, fmin(1, vec_dot(a, b))));
}

static void add_pair(joiner *j, uint32_t other_edge, const overlap *o, double turn_deg, bool strip)
{
    climb_half h = {
        .other = j->b, .edge = j->edge, .other_edge = other_edge, .turn_deg = (float)turn_deg, .strip = strip};
    climb_half back = {
        .other = j->a, .edge = other_edge, .other_edge = j->edge, .turn_deg = (float)turn_deg, .strip = strip};
    h.apart_m = back.apart_m = (float)o->apart;
    h.from_m = (float)o->low;
    h.to_m = (float)o->high;
    vec_to_float(vec_between(j->from, j->to, o->low / j->length), h.right);
    vec_to_float(vec_between(j->from, j->to, o->high / j->length), h.left);
    vec_to_float(o->other_low, h.in_right);
    vec_to_float(o->other_high, h.in_left);
    back.from_m = (float)o->other_from;
    back.to_m = (float)o->other_to;
    memcpy(back.right, h.in_left, sizeof back.right);
    memcpy(back.left, h.in_right, sizeof back.left);
    memcpy(back.in_right, h.left, sizeof back.in_right);
    memcpy(back.in_left, h.right, sizeof back.in_left);
    j->status = add_half(j->a, &h);
    if (j->status != NAV_OK) return;
    j->status = add_half(j->b, &back);
    if (j->status != NAV_OK) j->a->half_count--;
}

// Where the edge from p to q, which runs the other way, is beside the joiner's, along `line`. False: nowhere.
static bool find_overlap(const joiner *j, vec p, vec q, vec line, overlap *o)
{
    double scale = vec_dot(j->along, line), end = j->length * scale; // of a's edge on the line
    double at_q = vec_dot(vec_sub(q, j->from), line), at_p = vec_dot(vec_sub(p, j->from), line);
    if (!(at_p > at_q) || !(end > 0)) return false;
    double low = fmax(0, at_q), high = fmin(end, at_p), length = vec_apart(p, q);
    if (!(high - low > fmin(SHORTEST_M, 0.25 * fmin(end, at_p - at_q)))) return false;
    double t_low = (at_p - low) / (at_p - at_q), t_high = (at_p - high) / (at_p - at_q);
    o->low = low / scale;
    o->high = high / scale;
    o->other_low = vec_between(p, q, t_low);
    o->other_high = vec_between(p, q, t_high);
    o->other_from = t_high * length;
    o->other_to = t_low * length;
    o->apart = 0;
    return true;
}

static bool same_kind(const climb_patch *a, const climb_edge *e, const climb_patch *b, const climb_edge *f)
{
    if (a == b) return e->behind == CLIMB_INSIDE && f->behind == CLIMB_INSIDE;
    if (e->behind < CLIMB_BORDER || f->behind < CLIMB_BORDER) return false;
    if (e->behind == CLIMB_OPEN && f->behind == CLIMB_OPEN) return true;
    return a->sheet == b->sheet ? e->behind == CLIMB_BORDER && f->behind == CLIMB_BORDER
                                : e->behind == CLIMB_SEAM && f->behind == CLIMB_SEAM;
}

// Positive at an inner edge.
static double signed_turn(const joiner *j, uint32_t other_edge)
{
    vec n = nav_climb_normal(j->a, j->a->edge[j->edge].triangle),
        m = nav_climb_normal(j->b, j->b->edge[other_edge].triangle);
    // a's surface lies left of its edge, so what lies behind it goes up where the edge's direction x n leads along m.
    double turn = turn_of(n, m);
    return vec_dot(vec_cross(j->along, n), m) > 0 ? -turn : turn;
}

static void try_line(joiner *j, uint32_t other_edge, vec p, vec q)
{
    overlap o;
    if (!find_overlap(j, p, q, j->along, &o)) return;
    double low = vec_apart(vec_between(j->from, j->to, o.low / j->length), o.other_low);
    double high = vec_apart(vec_between(j->from, j->to, o.high / j->length), o.other_high);
    if (fmax(low, high) > reach_of(j, (climb_behind)j->a->edge[j->edge].behind)) return;
    o.apart = fmax(low, high);
    double turn_deg = signed_turn(j, other_edge);
    bool loose = o.apart > fmax(j->a->close_m, j->b->close_m);
    if (loose &&
        (vec_dot(j->along, vec_unit(vec_sub(q, p))) > -LOOSE_COS || (fabs(turn_deg) > LOOSE_DEG && o.apart > THIN_M)))
        return;
    add_pair(j, other_edge, &o, turn_deg, false);
}

// The place on a's edge where an overlap begins (0) or ends (1), and the one on b's.
static void overlap_ends(const joiner *j, const overlap *o, int end, vec *x, vec *y)
{
    *x = vec_between(j->from, j->to, (end ? o->high : o->low) / j->length);
    *y = end ? o->other_high : o->other_low;
}

static bool try_inner(joiner *j, uint32_t other_edge, vec p, vec q)
{
    vec n = nav_climb_normal(j->a, j->a->edge[j->edge].triangle);
    vec m = nav_climb_normal(j->b, j->b->edge[other_edge].triangle);
    double c = vec_dot(n, m), radius = radius_of(j);
    overlap o;
    if (c > SMOOTH_COS || c < j->set->inner_cos) return false;
    vec line = vec_unit(vec_cross(n, m)), other_along = vec_unit(vec_sub(q, p));
    if (vec_dot(line, j->along) < 0) line = vec_scale(line, -1);
    if (vec_dot(line, j->along) < ALONG_COS || vec_dot(line, other_along) > -ALONG_COS) return false;
    if (!find_overlap(j, p, q, line, &o)) return false;
    double least = radius * (1 - c), most = most_above(j, c);
    double across = most * sqrt(2 / (1 + c)); // 2 sin(turn / 2) / sin(turn)
    double slack = fmin(INNER_SLACK_M, 0.2 * radius) + fmin(j->a->loose_m + j->b->loose_m, SLACK_RADII * radius);
    for (int end = 0; end < 2; end++) {
        vec x, y;
        overlap_ends(j, &o, end, &x, &y);
        double x_above = vec_dot(m, vec_sub(x, y)), y_above = vec_dot(n, vec_sub(y, x));
        double off = fmax(fmax(least - x_above, x_above - most), fmax(least - y_above, y_above - most));
        double low = least - fmin(slack + 0.25 * least, 0.75 * least); // above it in any case
        if (fmin(x_above, y_above) < low || off > slack + 0.25 * most || vec_apart(x, y) > slack + 1.25 * across)
            return false;
        o.apart = fmax(o.apart, off);
    }
    add_pair(j, other_edge, &o, turn_of(n, m), true);
    return true;
}

static void try_step(joiner *j, uint32_t other_edge, vec p, vec q)
{
    vec n = nav_climb_normal(j->a, j->a->edge[j->edge].triangle);
    vec m = nav_climb_normal(j->b, j->b->edge[other_edge].triangle);
    vec other_along = vec_unit(vec_sub(q, p)), out = vec_cross(j->along, n), other_out = vec_cross(other_along, m);
    double close = fmax(j->a->close_m, j->b->close_m);
    overlap o;
    if (vec_dot(n, m) < STEP_COS || vec_dot(j->along, other_along) > -ALONG_COS) return;
    if (!find_overlap(j, p, q, j->along, &o)) return;
    for (int end = 0; end < 2; end++) {
        vec x, y;
        overlap_ends(j, &o, end, &x, &y);
        vec way = vec_sub(y, x);
        double up = fmax(fabs(vec_dot(way, n)), fabs(vec_dot(way, m)));
        double on = vec_dot(way, out), back = -vec_dot(way, other_out);
        if (up > fmax(j->a->step_m, j->b->step_m) + close || fmin(on, back) < -close) return;
        if (fmax(on, back) > STEP_RADII * radius_of(j) + close) return;
        o.apart = fmax(o.apart, vec_length(way));
    }
    add_pair(j, other_edge, &o, signed_turn(j, other_edge), true);
}

static void try_edge(void *user, uint32_t other_edge)
{
    joiner *j = user;
    const climb_edge *e = &j->a->edge[j->edge], *f = &j->b->edge[other_edge];
    bool walls = e->behind == CLIMB_WALL && f->behind == CLIMB_WALL,
         seam = e->behind == CLIMB_SEAM || f->behind == CLIMB_SEAM;
    bool step = walls || (seam && (e->behind == CLIMB_WALL || f->behind == CLIMB_WALL));
    bool line = same_kind(j->a, e, j->b, f);
    vec p, q;
    if (j->status != NAV_OK || (j->a == j->b && other_edge <= j->edge) || (!line && !step)) return;
    nav_climb_edge_ends(j->b, other_edge, &p, &q);
    if (line)
        try_line(j, other_edge, p, q);
    else if (!walls || !try_inner(j, other_edge, p, q))
        try_step(j, other_edge, p, q);
}

nav_status nav_climb_join(const nav_climb_set *set, climb_patch *a, climb_patch *b)
{
    bool second = a != b && nav_climb_compare_patches(b, a) < 0; // the lower one decides, whichever came first
    joiner j = {.set = set, .a = second ? b : a, .b = second ? a : b};
    if (!a->edge_count || !b->edge_count) return NAV_OK;
    box all = j.b->edges.node[0].bounds;
    box_widen(&all, (float)widest_reach_of(&j));
    for (uint32_t e = 0; e < j.a->edge_count && j.status == NAV_OK; e++) {
        const climb_edge *edge = &j.a->edge[e];
        bool steps = edge->behind == CLIMB_WALL || edge->behind == CLIMB_SEAM;
        if (a == b ? edge->behind != CLIMB_INSIDE && !steps : edge->behind == CLIMB_INSIDE) continue;
        nav_climb_edge_ends(j.a, e, &j.from, &j.to);
        float p[3], q[3];
        vec_to_float(j.from, p);
        vec_to_float(j.to, q);
        box at = box_none();
        box_add(&at, p);
        box_add(&at, q);
        if (!box_meets(&at, &all)) continue;
        j.edge = e;
        j.length = vec_apart(j.from, j.to);
        j.along = vec_unit(vec_sub(j.to, j.from));
        double reach = reach_of(&j, (climb_behind)edge->behind);
        box_widen(&at, (float)(steps ? fmax(reach, step_reach_of(&j)) : reach));
        nav_box_tree_meet(&j.b->edges, &at, try_edge, &j);
    }
    return j.status;
}

void nav_climb_unjoin(climb_patch *p, const climb_patch *gone)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->half_count; i++)
        if (p->half[i].other != gone) p->half[kept++] = p->half[i];
    p->changed |= kept != p->half_count;
    p->half_count = kept;
}
