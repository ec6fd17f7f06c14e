// A path: where it begins and ends, the sleeve that a search finds, the string through it, and its points.
//
// Where areas cost differently the string is pulled between the places where the cost changes, and these places are
// moved along their gates, one by one, while that makes it cheaper.
#include "core/climb/search.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3, STEPS = 24 };

static const double ANYWHERE_M = 1e15;

nav_status nav_climb_finder_create(nav_climb_finder **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

void nav_climb_finder_destroy(nav_climb_finder *finder)
{
    if (!finder) return;
    free(finder->queue.items);
    free(finder->label);
    free(finder->first_label);
    free(finder->sleeve.gate);
    free(finder->scratch.gate);
    free(finder->piece.gate);
    free(finder->points.item);
    free(finder);
}

// --- Costs that differ ---

static double rate_at(const climb_sleeve *s, const climb_rates *r, int64_t gate)
{
    const climb_spot *from = &s->from;
    uint8_t area = gate < 0 ? from->patch->area[from->triangle] : s->gate[gate].patch->area[s->gate[gate].triangle];
    return (double)r->cost[area];
}

static bool rate_changes(const climb_sleeve *s, const climb_rates *r, int64_t gate)
{
    double a = rate_at(s, r, gate - 1), b = rate_at(s, r, gate);
    return a < b || b < a;
}

// Gates first to end - 1 of the sleeve between two places, pulled. Returns its length, or a negative number: no memory.
static double pull_piece(nav_climb_finder *f, uint32_t first, uint32_t end, bool keep)
{
    climb_sleeve *s = &f->sleeve, *p = &f->piece;
    if (p->room < s->count) {
        climb_gate *gate = realloc(p->gate, s->count * sizeof *gate);
        if (!gate) return -1;
        p->gate = gate;
        p->room = s->count;
    }
    p->count = end - first;
    if (p->count) memcpy(p->gate, &s->gate[first], p->count * sizeof *p->gate);
    p->from = s->from;
    p->to = s->to;
    if (first) p->from.at = climb_gate_at(&s->gate[first - 1]);
    if (end < s->count) p->to.at = climb_gate_at(&s->gate[end]);
    nav_climb_pull(p);
    if (keep && p->count) memcpy(&s->gate[first], p->gate, p->count * sizeof *p->gate);
    return p->length_m;
}

// The gates around one where the cost changes, up to those where it changes next.
typedef struct stretch {
    uint32_t first, gate, end;
    double before, after; // rates
} stretch;

static double cost_with(nav_climb_finder *f, const stretch *w, double t)
{
    f->sleeve.gate[w->gate].t = t;
    double a = pull_piece(f, w->first, w->gate, false), b = pull_piece(f, w->gate + 1, w->end, false);
    return a < 0 || b < 0 ? -1 : a * w->before + b * w->after;
}

// The cheapest place on the gate: the cost is convex along it, as strings between straight lines are.
static bool settle_gate(nav_climb_finder *f, const stretch *w)
{
    double low = 0, high = 1;
    for (int i = 0; i < STEPS; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        double cost_a = cost_with(f, w, a), cost_b = cost_with(f, w, b);
        if (cost_a < 0 || cost_b < 0) return false;
        if (cost_a < cost_b)
            high = b;
        else
            low = a;
    }
    f->sleeve.gate[w->gate].t = low + (high - low) / 2;
    return true;
}

static nav_status pull_weighted(nav_climb_finder *f, const climb_rates *r)
{
    climb_sleeve *s = &f->sleeve;
    for (uint32_t i = 0; i < s->count; i++) s->gate[i].t = 0.5;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0, first = 0; i < s->count; i++) {
            if (!rate_changes(s, r, i)) continue;
            stretch w = {first, i, i + 1, rate_at(s, r, (int64_t)i - 1), rate_at(s, r, i)};
            while (w.end < s->count && !rate_changes(s, r, w.end)) w.end++;
            if (!settle_gate(f, &w)) return NAV_ERR_MEMORY;
            first = i + 1;
        }
    for (uint32_t i = 0, first = 0; i <= s->count; i++) {
        if (i < s->count && !rate_changes(s, r, i)) continue;
        if (pull_piece(f, first, i, true) < 0) return NAV_ERR_MEMORY;
        first = i + 1;
    }
    return NAV_OK;
}

static nav_status pull(nav_climb_finder *f, const climb_rates *r)
{
    bool changes = false;
    for (uint32_t i = 0; i < f->sleeve.count; i++) changes |= rate_changes(&f->sleeve, r, i);
    if (changes) return pull_weighted(f, r);
    nav_climb_pull(&f->sleeve);
    return nav_climb_improve(&f->sleeve, &f->scratch, r);
}

static nav_status report(nav_climb_finder *f, const climb_rates *r, nav_climb_path *out)
{
    const climb_sleeve *s = &f->sleeve;
    const climb_patch *p = s->from.patch;
    uint32_t triangle = s->from.triangle;
    vec at = s->from.at;
    f->points.count = 0;
    nav_status status = nav_climb_add_point(&f->points, at, p, triangle, false);
    for (uint32_t i = 0; i <= s->count && status == NAV_OK; i++) {
        vec next = i < s->count ? climb_gate_at(&s->gate[i]) : s->to.at;
        double step = vec_apart(at, next);
        out->length_m += step;
        out->cost += step * (double)r->cost[p->area[triangle]];
        at = next;
        bool strip = i < s->count && s->gate[i].strip;
        if (i < s->count && !strip) {
            p = s->gate[i].patch;
            triangle = s->gate[i].triangle;
        }
        status = nav_climb_add_point(&f->points, at, p, triangle, strip);
    }
    if (status == NAV_OK) status = nav_climb_end_points(&f->points);
    out->points = f->points.item;
    out->point_count = f->points.count;
    return status;
}

// --- The question ---

static nav_status read_query(const nav_climb_query *q, climb_task *t)
{
    nav_path_costs costs;
    nav_path_costs_default(&costs);
    if (q->costs) costs = *q->costs;
    nav_status s = nav_path_costs_check(&costs, NULL, 0);
    if (s != NAV_OK || !nav_climb_near_ok(&q->from) || !nav_climb_near_ok(&q->to)) return NAV_ERR_ARGUMENT;
    memcpy(t->rates.cost, costs.cost, sizeof t->rates.cost);
    t->rates.excluded = costs.excluded;
    t->max_nodes = q->max_nodes;
    t->stop = q->stop;
    t->user = q->user;
    return NAV_OK;
}

static uint32_t part_of(const nav_climb_set *set, const climb_spot *s)
{
    return set->label[s->patch->first_part + s->patch->part[s->triangle]];
}

nav_status nav_climb_find(nav_climb_finder *finder, const nav_climb_set *set, const nav_climb_query *query,
                          nav_climb_path *out)
{
    climb_task t = {.set = set};
    climb_outcome outcome;
    climb_spot nearest;
    *out = (nav_climb_path){.status = NAV_CLIMB_NO_START};
    nav_status s = read_query(query, &t);
    if (s != NAV_OK) return s;
    nav_climb_near from = query->from, to = query->to;
    from.excluded = to.excluded = t.rates.excluded;
    t.from = nav_climb_spot(set, &from, UINT32_MAX);
    if (!t.from.patch) return NAV_OK;
    out->status = NAV_CLIMB_NO_GOAL;
    t.to = nav_climb_spot(set, &to, UINT32_MAX);
    if (!t.to.patch) return NAV_OK;
    out->from = nav_climb_place_of(set, &t.from);
    out->to = nav_climb_place_of(set, &t.to);
    out->status = NAV_CLIMB_FOUND;
    if (part_of(set, &t.from) != part_of(set, &t.to)) {
        out->status = NAV_CLIMB_PARTIAL;
        nav_climb_near near = {.near_m = ANYWHERE_M, .excluded = t.rates.excluded};
        vec_to(t.to.at, near.at);
        t.to = nav_climb_spot(set, &near, part_of(set, &t.from));
    }
    s = nav_climb_search(finder, &t, &outcome, &nearest);
    out->nodes = finder->label_count;
    if (s == NAV_OK && outcome == CLIMB_NO_WAY) {
        out->status = NAV_CLIMB_PARTIAL;
        t.to = nearest;
        s = nav_climb_search(finder, &t, &outcome, &nearest);
        out->nodes += finder->label_count;
    }
    if (s != NAV_OK) return s;
    if (outcome != CLIMB_FOUND) {
        out->status = NAV_CLIMB_LIMIT;
        return NAV_OK;
    }
    s = pull(finder, &t.rates);
    return s == NAV_OK ? report(finder, &t.rates, out) : s;
}
