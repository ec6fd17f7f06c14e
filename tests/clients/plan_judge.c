#include "tests/clients/plan_judge.h"

#include <math.h>
#include <stdio.h>

enum { NONE = -1 };

static double side(plan_place a, plan_place b, plan_place c)
{
    return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

// How often a ring goes round the place, by angles: another way than that which is judged.
static int turns(const plan_features *p, const plan_ring *r, plan_place at)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const plan_place a = p->places[r->first + i], b = p->places[r->first + (i + 1) % r->count];
        const double ax = a.x - at.x, ay = a.y - at.y, bx = b.x - at.x, by = b.y - at.y;
        sum += atan2(ax * by - ay * bx, ax * bx + ay * by);
    }
    return (int)lround(sum / (2 * 3.14159265358979323846));
}

static int is_inside(const plan_features *p, const plan_feature *f, plan_place at)
{
    int sum = 0, in = 0, any = 0;
    for (uint32_t i = 0; i < f->ring_count; i++) {
        const plan_ring *r = &p->rings[f->first_ring + i];
        const int own = turns(p, r, at);
        sum += own;
        if (!r->hole) {
            any |= in;
            in = own != 0;
        } else if (own != 0) {
            in = 0;
        }
    }
    if (f->rule == PLAN_POLYGONS) return any || in;
    return f->rule == PLAN_NONZERO ? sum != 0 : sum % 2 != 0;
}

static int owner_of(const plan_features *p, plan_place at)
{
    int ground = NONE, area = NONE;
    for (uint32_t f = 0; f < p->count; f++) {
        if (!is_inside(p, &p->features[f], at)) continue;
        if (p->features[f].kind == PLAN_AREA)
            area = (int)f;
        else
            ground = (int)f;
    }
    return ground == NONE || area == NONE ? ground : area;
}

static double next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// So close to an edge rounding decides.
static int is_near_edge(const plan_features *p, plan_place at, double near)
{
    for (uint32_t i = 0; i < p->ring_count; i++)
        for (uint32_t k = 0; k < p->rings[i].count; k++) {
            const plan_ring *r = &p->rings[i];
            const plan_place a = p->places[r->first + k], b = p->places[r->first + (k + 1) % r->count];
            const double x = b.x - a.x, y = b.y - a.y, length2 = x * x + y * y;
            double share = length2 > 0 ? ((at.x - a.x) * x + (at.y - a.y) * y) / length2 : 0;
            share = fmin(1, fmax(0, share));
            if (hypot(at.x - a.x - share * x, at.y - a.y - share * y) < near) return 1;
        }
    return 0;
}

const char *plan_judge_triangles(const plan_features *p, const plan_triangles *t, uint32_t places, uint64_t seed)
{
    static char fault[200];
    plan_place low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < p->place_count; i++) {
        low = (plan_place){fmin(low.x, p->places[i].x), fmin(low.y, p->places[i].y)};
        high = (plan_place){fmax(high.x, p->places[i].x), fmax(high.y, p->places[i].y)};
    }
    const double size = fmax(high.x - low.x, high.y - low.y);
    for (uint32_t i = 0; i < t->count; i++) {
        const plan_place *v = t->corners + 3 * (size_t)i;
        if (t->owners[i] >= p->count) return "a triangle of no feature";
        if (!(side(v[0], v[1], v[2]) > 0)) return "a triangle that is not counterclockwise";
    }
    for (uint32_t n = 0; n < places; n++) {
        const plan_place at = {low.x + next(&seed) * (high.x - low.x), low.y + next(&seed) * (high.y - low.y)};
        if (is_near_edge(p, at, size * 1e-6)) continue;
        const int wanted = owner_of(p, at);
        int found = 0, owner = NONE, close = 0;
        for (uint32_t i = 0; i < t->count; i++) {
            const plan_place *v = t->corners + 3 * (size_t)i;
            const double least = fmin(side(v[0], v[1], at), fmin(side(v[1], v[2], at), side(v[2], v[0], at)));
            close |= fabs(least) < size * size * 1e-9;
            if (least < 0) continue;
            found++;
            owner = (int)t->owners[i];
        }
        if (close || (found == (wanted != NONE) && owner == wanted)) continue;
        snprintf(fault, sizeof fault, "%.9g %.9g is in %d triangles, one of feature %d, but should be of %d", at.x,
                 at.y, found, owner, wanted);
        return fault;
    }
    return NULL;
}

double plan_judge_area2(const plan_triangles *t)
{
    double sum = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        const plan_place *v = t->corners + 3 * (size_t)i;
        sum += side(v[0], v[1], v[2]);
    }
    return sum;
}
