// A string that bends around a corner may be shorter on the corner's other side, where the triangles there turn by less
// than half a turn. Each step leads the sleeve around one corner, so that the string gets shorter, until there is none.
//
//        o---o---o         the string bends at v: below, the triangles between its two parts turn by less than 180
//       / \ / \ / \        degrees, so the gates above v are replaced by those below it
//      o---v---o---o
//      | \ | \ | \ |
//
// S.-Q. Xin and G.-J. Wang, Efficiently determining a locally exact shortest path on polyhedral surfaces (2007); N.
// Sharp and K. Crane, You can find geodesic paths in triangle meshes by just flipping edges (2020).
#include "core/climb/sleeve.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_AROUND = 256, MOST_ROUNDS = 400 };

static const double SAME_PLACE_M = 1e-6;   // of one sleeve
static const double SAME_CORNER_M = 0.006; // of two patches
static const double GAIN_M = 1e-7;

typedef struct around {
    climb_portal portal[MOST_AROUND];
    uint32_t count;
    double c, s; // of the angle that it turns by
} around;

// Of a triangle's portals, the one with the corner at its end on that side.
static bool find_portal(const climb_patch *p, uint32_t triangle, vec corner, bool left, climb_portal *out)
{
    double best = SAME_CORNER_M;
    bool found = false;
    for (uint32_t side = 0; side < CLIMB_SIDES; side++) {
        int32_t beside = p->beside[CLIMB_SIDES * triangle + side];
        uint32_t first = side, end = side + 1;
        if (beside < 0) {
            first = climb_half_portal(p->edge[-1 - beside].first_half);
            end = climb_half_portal(p->edge[-beside].first_half);
        }
        for (uint32_t k = first; k < end; k++) {
            if (!climb_is_open(p, k)) continue;
            climb_portal portal = nav_climb_portal(p, triangle, k);
            double apart = vec_apart(left ? portal.gate.left : portal.gate.right, corner);
            if (apart >= best) continue;
            best = apart;
            *out = portal;
            found = true;
        }
    }
    return found;
}

// Turns on by the angle between two directions. False: more than half a turn in all.
static bool turn_on(around *a, vec from, vec to)
{
    vec u = vec_unit(from), w = vec_unit(to);
    double c = vec_dot(u, w), s = vec_length(vec_cross(u, w)), was_c = a->c;
    a->c = a->c * c - a->s * s;
    a->s = was_c * s + a->s * c;
    return a->s > 1e-9;
}

static bool same_rate(const climb_rates *r, uint8_t a, uint8_t b)
{
    return !(r->excluded >> b & 1) && r->cost[a] >= r->cost[b] && r->cost[a] <= r->cost[b];
}

// The way around a corner from one triangle to another: with the corner on the left or on the right.
static bool go_around(const climb_spot *from, const climb_spot *to, vec corner, bool left, const climb_rates *rates,
                      around *a)
{
    const climb_patch *p = from->patch;
    uint32_t triangle = from->triangle;
    vec way = vec_sub(from->at, corner);
    a->count = 0;
    a->c = 1;
    a->s = 0;
    while (p != to->patch || triangle != to->triangle) {
        climb_portal *next = &a->portal[a->count];
        if (a->count == MOST_AROUND || !find_portal(p, triangle, corner, left, next) || next->gate.strip) return false;
        const climb_gate *g = &next->gate;
        if (!same_rate(rates, from->patch->area[from->triangle], g->patch->area[g->triangle])) return false;
        vec on = vec_sub(left ? g->right : g->left, corner);
        if (!turn_on(a, way, on)) return false;
        way = on;
        p = g->patch;
        triangle = g->triangle;
        a->count++;
    }
    return turn_on(a, way, vec_sub(to->at, corner));
}

// Gates first to end - 1 pass one corner.
typedef struct bend {
    uint32_t first, end;
} bend;

static climb_spot before_gate(const climb_sleeve *s, uint32_t i)
{
    if (i == 0) return s->from;
    const climb_gate *g = &s->gate[i - 1];
    return (climb_spot){g->patch, g->triangle, climb_gate_at(g)};
}

// The bend that a gate is in, or one that is at a strip: false.
static bool find_bend(const climb_sleeve *s, uint32_t gate, bend *b)
{
    vec at = climb_gate_at(&s->gate[gate]);
    *b = (bend){gate, gate + 1};
    while (b->first > 0 && vec_apart(climb_gate_at(&s->gate[b->first - 1]), at) < SAME_PLACE_M) b->first--;
    while (b->end < s->count && vec_apart(climb_gate_at(&s->gate[b->end]), at) < SAME_PLACE_M) b->end++;
    for (uint32_t i = b->first ? b->first - 1 : 0; i < b->end; i++)
        if (s->gate[i].strip) return false;
    return true;
}

static nav_status copy_gates(climb_sleeve *to, const climb_sleeve *from)
{
    if (to->room < from->count) {
        climb_gate *gate = realloc(to->gate, from->count * sizeof *gate);
        if (!gate) return NAV_ERR_MEMORY;
        to->gate = gate;
        to->room = from->count;
    }
    if (from->count) memcpy(to->gate, from->gate, from->count * sizeof *to->gate);
    to->count = from->count;
    to->from = from->from;
    to->to = from->to;
    to->length_m = from->length_m;
    return NAV_OK;
}

// In place of a bend's gates the way around. A gate that would be passed there and back again goes.
static nav_status replace(climb_sleeve *s, bend b, const around *a)
{
    uint32_t skip = 0, keep = a->count;
    while (skip < keep && b.first > 0 && s->gate[b.first - 1].node == a->portal[skip].gate.node) {
        skip++;
        b.first--;
    }
    while (keep > skip && b.end < s->count && s->gate[b.end].node == a->portal[keep - 1].gate.node) {
        keep--;
        b.end++;
    }
    uint32_t count = keep - skip, after = s->count - b.end, total = b.first + count + after;
    if (s->room < total) {
        climb_gate *gate = realloc(s->gate, 2 * (size_t)total * sizeof *gate);
        if (!gate) return NAV_ERR_MEMORY;
        s->gate = gate;
        s->room = 2 * total;
    }
    memmove(&s->gate[b.first + count], &s->gate[b.end], after * sizeof *s->gate);
    for (uint32_t i = 0; i < count; i++) s->gate[b.first + i] = a->portal[skip + i].gate;
    s->count = total;
    return NAV_OK;
}

static bool is_shorter(const climb_sleeve *s, bend b, const climb_rates *rates, around *a)
{
    vec corner = climb_gate_at(&s->gate[b.first]);
    climb_spot from = before_gate(s, b.first), to = before_gate(s, b.end);
    to.at = b.end < s->count ? climb_gate_at(&s->gate[b.end]) : s->to.at;
    return go_around(&from, &to, corner, false, rates, a) || go_around(&from, &to, corner, true, rates, a);
}

// Leads the sleeve around corners from the last to the first; of one: only the bend at or before gate `last`, which is
// moved on to the next one to try.
static nav_status lead_around(climb_sleeve *s, const climb_rates *rates, bool one, int64_t *last, bool *changed)
{
    around a;
    nav_status status = NAV_OK;
    *changed = false;
    int64_t untouched = s->count; // gates before it are as they were pulled
    for (int64_t i = *last; i >= 0 && status == NAV_OK; i--) {
        bend b;
        if (i >= s->count || !s->gate[i].bend) continue;
        *last = i - 1;
        if (!find_bend(s, (uint32_t)i, &b)) continue;
        i = b.first;
        *last = i - 1;
        if (b.end >= untouched && untouched < s->count) continue;
        if (!is_shorter(s, b, rates, &a)) continue;
        status = replace(s, b, &a);
        *changed = true;
        untouched = b.first > 0 ? b.first - 1 : 0;
        if (one) return status;
    }
    *last = -1;
    return status;
}

nav_status nav_climb_improve(climb_sleeve *s, climb_sleeve *scratch, const climb_rates *rates)
{
    bool one = false, changed = true;
    int64_t last = (int64_t)s->count - 1;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        nav_status status = copy_gates(scratch, s);
        if (status == NAV_OK) status = lead_around(s, rates, one, &last, &changed);
        if (status != NAV_OK) return status;
        if (!changed && last < 0) return NAV_OK;
        if (changed) nav_climb_pull(s);
        if (changed && s->length_m < scratch->length_m - GAIN_M) {
            one = false;
            last = (int64_t)s->count - 1;
            continue;
        }
        // Together they did not help: each by itself, from the end.
        climb_sleeve swap = *s;
        *s = *scratch;
        *scratch = swap;
        if (!one) last = (int64_t)s->count - 1;
        one = true;
        if (last < 0) return NAV_OK;
    }
    return NAV_OK;
}
