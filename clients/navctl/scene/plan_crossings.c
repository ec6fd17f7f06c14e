// Edges are sorted by their left ends, and each is compared with those that begin before it ends.
#include "clients/navctl/scene/plan_crossings.h"

#include <math.h>
#include <stdlib.h>

typedef struct edge {
    plan_place a, b; // a to the left
    uint32_t feature;
} edge;

static const uint64_t MOST_PAIRS = 1000000000; // a second or two

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return (x->a.x > y->a.x) - (x->a.x < y->a.x);
}

static double side(plan_place a, plan_place b, plan_place c)
{
    return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

// Do they have a place in common, or nearly?
static bool meet(const edge *e, const edge *f)
{
    if (fmax(e->a.y, e->b.y) < fmin(f->a.y, f->b.y) || fmax(f->a.y, f->b.y) < fmin(e->a.y, e->b.y)) return false;
    const double p = side(e->a, e->b, f->a), q = side(e->a, e->b, f->b), r = side(f->a, f->b, e->a),
                 s = side(f->a, f->b, e->b);
    return !((p > 0 && q > 0) || (p < 0 && q < 0) || (r > 0 && s > 0) || (r < 0 && s < 0));
}

static uint32_t add_edges(const plan_features *p, uint32_t feature, edge *to)
{
    const plan_feature *f = &p->features[feature];
    uint32_t count = 0;
    for (uint32_t i = f->first_ring; i < f->first_ring + f->ring_count; i++) {
        const plan_ring *r = &p->rings[i];
        const plan_place *at = p->places + r->first;
        for (uint32_t k = 0; k < r->count; k++) {
            const plan_place a = at[k], b = at[k + 1 < r->count ? k + 1 : 0];
            to[count++] = a.x <= b.x ? (edge){a, b, feature} : (edge){b, a, feature};
        }
    }
    return count;
}

bool plan_crossings_check(plan_features *p, const uint32_t *which, uint32_t count)
{
    size_t most = 1;
    uint32_t edges = 0, allowed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const plan_feature *f = &p->features[which[i]];
        for (uint32_t k = 0; k < f->ring_count; k++) most += p->rings[f->first_ring + k].count;
    }
    edge *all = malloc(most * sizeof *all);
    if (!all) return plan_fail(p, "no memory left");
    for (uint32_t i = 0; i < count; i++) edges += add_edges(p, which[i], all + edges);
    qsort(all, edges, sizeof *all, compare_edges);
    bool ok = true;
    uint64_t pairs = 0, crossings = 0;
    allowed = PLAN_MOST_CROSSINGS + 2 * edges; // each meets the next one of its ring
    for (uint32_t i = 0; i < edges && ok; i++)
        for (uint32_t k = i + 1; k < edges && all[k].a.x <= all[i].b.x && ok; k++) {
            crossings += meet(&all[i], &all[k]);
            ok = ++pairs <= MOST_PAIRS && crossings <= allowed;
            if (!ok)
                plan_fail_at(p, &p->features[all[k].feature],
                             pairs > MOST_PAIRS ? "too many edges lie above each other: cut the plan into parts"
                                                : "the rings cross each other and those beside more than %d times",
                             PLAN_MOST_CROSSINGS);
        }
    free(all);
    return ok;
}
