// DESIGN. The least cost over ground of different cost, between two bounds that come together.
//
//   1. The exact search, as if all ground cost the least: its length is a bound below, its path measured along the
//      ground one above. Where they are one, as on ground of one area, that is all.
//   2. A search that hurries: through the middles of the verges' pieces as if they were points, and as if what is left
//      cost more than the least. It is no bound, but it has a good path long before 3 is through.
//   3. A search through the middles of the pieces (verge.c) gives a better bound below, and a way whose crossings are
//      moved along their verges a better path.
//   4. The pieces that this way crosses are cut, finest around the crossing, and 3 begins anew, until the path costs no
//      more than the gap above the bound.
//
// A piece that the best path crosses in its middle costs the bound nothing, so few rounds are needed.
#include "core/path/weigh.h"

#include <string.h>

#define USUAL_GAP 0.01
#define ENOUGH_LESS 0.998                      // of a path's cost, to hurry again
#define ROUNDING 1e-9                          // by which sums of rounded numbers may be off, generously
enum { MAX_ROUNDS = 64, MAX_NODES = 1 << 17 }; // nodes: for the bound, and each time it hurries

typedef struct bounds {
    double low, high;
} bounds;

// Keeps the draft where it is better than the best.
static void compare(path_weigh *w, bounds *b)
{
    if (!(w->draft.cost < b->high)) return;
    path_draft better = w->draft;
    w->draft = w->best;
    w->best = better;
    b->high = w->best.cost;
}

// All ground that is not excluded is of one class, whose metre costs the least there is.
static path_rules plain_rules(const path_rules *rules)
{
    path_rules r = *rules;
    r.weighs = false;
    r.weight[0] = r.least = 1;
    for (int a = 0; a < NAV_AREA_COUNT; a++) {
        if (r.class_of[a] != PATH_CLOSED) r.class_of[a] = 0;
        r.link_weight[a] /= rules->least;
        if (r.link_weight[a] > 0) r.least = fmin(r.least, r.link_weight[a]);
    }
    return r;
}

// Cuts the pieces at which the last draft crosses verges. False: all of them are as short as they may be.
static bool cut(path_search *s)
{
    const path_weigh *w = s->f->weigh;
    bool any = false;
    for (uint32_t i = 0; i < w->draft.leg_count; i++) {
        const path_leg *leg = &w->draft.legs[i];
        if (leg->piece == PATH_NONE) continue;
        const path_piece *p = &w->pieces[leg->piece];
        any |= nav_path_cut(s, leg->piece, fmin(fmax(leg->t, p->t0), p->t1));
    }
    return any;
}

static nav_status finish(path_search *s, const path_rules *rules, bounds b, nav_path *out)
{
    double flat = (double)s->set->grid.cell_size_m / NAV_PATH_FINE * rules->unit;
    out->cost = b.high * flat;
    out->optimal = b.low >= b.high * (1 - ROUNDING);
    out->lower_bound = out->optimal ? out->cost : b.low * flat * (1 - ROUNDING);
    out->nodes = s->node_count;
    if (s->full) out->limit = path_limit_of(s);
    return nav_path_write_draft(s, &s->f->weigh->best, out);
}

// A good path soon, where the first one costs more than the bound.
static nav_status hurry(path_search *s, const path_place *start, const path_place *goal, bounds *b)
{
    const path_rules *rules = s->rules;
    path_rules soon = *rules;
    uint64_t max_nodes = s->max_nodes;
    soon.least *= sqrt(b->high / b->low); // between the least and what the first path costs
    s->rules = &soon;
    s->hurries = true;
    s->best = s->enough = INFINITY;
    if (s->max_nodes - s->node_count > MAX_NODES) s->max_nodes = s->node_count + MAX_NODES;
    uint32_t found = nav_path_search(s, start, goal);
    nav_status st = s->out_of_memory ? NAV_ERR_MEMORY : NAV_OK;
    if (st == NAV_OK && found != PATH_NONE) st = nav_path_draft(s, found, rules, &s->f->weigh->draft);
    if (st == NAV_OK && found != PATH_NONE) {
        (void)cut(s);
        compare(s->f->weigh, b);
    }
    s->rules = rules;
    s->hurries = false;
    s->max_nodes = max_nodes;
    s->full = s->stopped || s->node_count >= max_nodes;
    return st;
}

nav_status nav_path_find_weighted(path_search *s, const path_place *start, const path_place *goal, nav_path *out)
{
    const path_rules *rules = s->rules;
    path_rules plain = plain_rules(rules);
    double gap = s->q->gap > 0 ? s->q->gap : USUAL_GAP;
    bounds b = {0, INFINITY};
    s->weighed = true;
    if (!nav_path_forget_verges(s->f)) return NAV_ERR_MEMORY;
    path_weigh *w = s->f->weigh;
    s->rules = plain.closes || plain.links ? &plain : NULL;
    uint32_t found = nav_path_search(s, start, goal);
    if (s->out_of_memory) return NAV_ERR_MEMORY;
    if (found == PATH_NONE) {
        out->nodes = s->node_count;
        if (!s->full) return NAV_ERR_FORMAT; // the ends hang together, but tiles overlap themselves in between
        out->status = NAV_PATH_LIMIT;
        out->limit = path_limit_of(s);
        return NAV_OK;
    }
    b.low = s->f->turns[found].g * rules->least;
    nav_status st = nav_path_draft(s, found, rules, &w->draft);
    if (st != NAV_OK) return st;
    compare(w, &b);
    s->rules = rules;
    for (double before = INFINITY; b.low < b.high * (1 - gap) && b.high < before * ENOUGH_LESS && !s->full;) {
        before = b.high;
        st = hurry(s, start, goal, &b);
        if (st != NAV_OK) return st;
    }
    if (s->max_nodes - s->node_count > MAX_NODES) s->max_nodes = s->node_count + MAX_NODES;
    for (int round = 0; b.low < b.high * (1 - gap); round++) {
        s->stopped |= s->q->stop && s->q->stop(s->q->user); // a round may be too short to ask by itself
        s->full |= s->stopped || round == MAX_ROUNDS;
        if (s->full) break;
        s->best = b.high;
        s->enough = b.high * (1 - gap);
        found = nav_path_search(s, start, goal);
        if (s->out_of_memory) return NAV_ERR_MEMORY;
        if (s->full) break;
        double low = b.high;
        if (found != PATH_NONE)
            low = s->f->turns[found].g;
        else if (s->f->queue.count)
            low = s->f->queue.items[0].f;
        b.low = fmax(b.low, fmin(low, b.high));
        if (found == PATH_NONE) break;
        st = nav_path_draft(s, found, rules, &w->draft);
        if (st != NAV_OK) return st;
        bool cuts = cut(s);
        compare(w, &b);
        if (!cuts) break;
    }
    if (s->out_of_memory) return NAV_ERR_MEMORY;
    return finish(s, rules, b, out);
}
