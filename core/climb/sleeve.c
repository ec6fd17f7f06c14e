#include "core/climb/sleeve.h"

#include <stdlib.h>

static const double SAME_M = 1e-7;

climb_portal nav_climb_portal(const climb_patch *p, uint32_t triangle, uint32_t portal)
{
    climb_portal out = {.gate = {.patch = p, .node = climb_portal_node(p, triangle, portal)}};
    if (portal < CLIMB_SIDES) {
        out.gate.right = climb_corner(p, triangle, (int)portal);
        out.gate.left = climb_corner(p, triangle, ((int)portal + 1) % 3);
        out.gate.triangle = (uint32_t)p->beside[CLIMB_SIDES * triangle + portal] / CLIMB_SIDES;
        return out;
    }
    const climb_half *h = &p->half[portal - CLIMB_SIDES];
    out.gate.right = vec_of_float(h->right);
    out.gate.left = vec_of_float(h->left);
    out.in_right = vec_of_float(h->in_right);
    out.in_left = vec_of_float(h->in_left);
    out.gate.patch = h->other;
    out.gate.triangle = h->other->edge[h->other_edge].triangle;
    out.gate.strip = h->strip;
    return out;
}

static nav_status add_gate(climb_sleeve *s, const climb_gate *g)
{
    if (s->count == s->room) {
        uint32_t room = s->room ? 2 * s->room : 64;
        climb_gate *gate = realloc(s->gate, room * sizeof *gate);
        if (!gate) return NAV_ERR_MEMORY;
        s->gate = gate;
        s->room = room;
    }
    s->gate[s->count++] = *g;
    return NAV_OK;
}

nav_status nav_climb_add_portal(climb_sleeve *s, const climb_portal *p)
{
    climb_gate in = p->gate;
    nav_status status = add_gate(s, &p->gate);
    if (status != NAV_OK || !p->gate.strip) return status;
    in.right = p->in_right;
    in.left = p->in_left;
    in.strip = false;
    return add_gate(s, &in);
}

static flat end_of(const climb_gate *g, int left)
{
    return (flat){g->x[left], g->y[left]};
}

// Lays the gates into a plane. The first runs from 0, 0 along x; what lies beyond has y above 0.
static void lay_out(climb_sleeve *s, flat *from, flat *to)
{
    climb_gate *g = s->gate;
    flat ux = {1, 0}, at = climb_beyond(g->right, g->left, s->from.at);
    *from = (flat){at.x, -at.y};
    g->x[0] = g->y[0] = g->y[1] = 0;
    g->x[1] = vec_apart(g->right, g->left);
    for (uint32_t i = 0; i < s->count; i++) {
        const climb_gate *b = &s->gate[i];
        double l = flat_apart(end_of(b, 0), end_of(b, 1));
        if (l > 0) ux = (flat){(b->x[1] - b->x[0]) / l, (b->y[1] - b->y[0]) / l};
        for (int left = 0; left < 2; left++) {
            bool last = i + 1 == s->count;
            vec next = last ? s->to.at : left ? s->gate[i + 1].left : s->gate[i + 1].right;
            flat n = climb_beyond(b->right, b->left, next);
            flat p = {b->x[0] + n.x * ux.x - n.y * ux.y, b->y[0] + n.x * ux.y + n.y * ux.x};
            if (last) {
                *to = p;
            } else {
                s->gate[i + 1].x[left] = p.x;
                s->gate[i + 1].y[left] = p.y;
            }
        }
    }
}

// Where the string from a to b passes a gate.
static void pass(climb_gate *g, flat a, flat b)
{
    flat r = end_of(g, 0), l = end_of(g, 1), d = {l.x - r.x, l.y - r.y}, way = {b.x - a.x, b.y - a.y};
    double across = d.x * way.y - d.y * way.x, d2 = d.x * d.x + d.y * d.y;
    double size = d2 * (way.x * way.x + way.y * way.y), t = 0;
    if (across * across > 1e-18 * size)
        t = ((a.x - r.x) * way.y - (a.y - r.y) * way.x) / across;
    else if (d2 > 0)
        t = ((a.x - r.x) * d.x + (a.y - r.y) * d.y) / d2;
    g->t = fmax(0, fmin(1, t));
}

static bool same(flat a, flat b)
{
    return flat_apart(a, b) < SAME_M;
}

// M. Mononen, Simple stupid funnel algorithm (2010).
static void string_pull(climb_sleeve *s, flat from, flat to)
{
    flat apex = from, side[2] = {from, from};
    int64_t apex_at = -1, side_at[2] = {-1, -1};
    for (uint32_t i = 0; i < s->count; i++) s->gate[i].bend = 0;
    for (int64_t i = 0; i <= s->count; i++) {
        for (int left = 0; left < 2; left++) {
            flat p = i == s->count ? to : end_of(&s->gate[i], left);
            double sign = left ? -1 : 1; // x runs to the left, so what lies further left turns below 0
            bool shut = side_at[left] == apex_at || same(side[left], apex);
            bool other_shut = side_at[!left] == apex_at || same(side[!left], apex);
            if (!shut && sign * flat_cross(apex, side[left], p) > 0) continue; // wider
            if (shut || other_shut || sign * flat_cross(apex, side[!left], p) > 0) {
                side[left] = p;
                side_at[left] = i;
                continue;
            }
            if (side_at[!left] == s->count) continue; // the end, on the line to itself
            for (int64_t k = apex_at + 1; k < side_at[!left]; k++) pass(&s->gate[k], apex, side[!left]);
            apex = side[!left];
            apex_at = i = side_at[!left];
            s->gate[apex_at].bend = (int8_t)(left ? 1 : 2);
            s->gate[apex_at].t = left ? 0 : 1;
            side[0] = side[1] = apex;
            side_at[0] = side_at[1] = apex_at;
            break;
        }
    }
    for (int64_t k = apex_at + 1; k < s->count; k++) pass(&s->gate[k], apex, to);
}

void nav_climb_pull(climb_sleeve *s)
{
    flat from = {0, 0}, to = {0, 0};
    vec at = s->from.at;
    s->length_m = 0;
    if (s->count) {
        lay_out(s, &from, &to);
        string_pull(s, from, to);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        vec next = climb_gate_at(&s->gate[i]);
        s->length_m += vec_apart(at, next);
        at = next;
    }
    s->length_m += vec_apart(at, s->to.at);
}
