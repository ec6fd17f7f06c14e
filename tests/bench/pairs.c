#include "tests/bench/pairs.h"
#include "core/base/plane.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TRIED = 18 }; // notches that see each other, directly or by way of others: all pairings of so many are tried

typedef struct notch {
    nav_point before, at, after;
} notch;

typedef struct plan {
    const nav_contours *o;
    int32_t first, end; // loops
    notch *notches;
    int32_t count;
    uint8_t *sees;      // count * count
    int32_t *component; // of notches that see each other; -1: not yet known
} plan;

static nav_point corner(const nav_contours *o, int32_t v)
{
    return (nav_point){o->x[v], o->z[v]};
}

static void find_notches(plan *p)
{
    for (int32_t l = p->first; l < p->end; l++) {
        int32_t first = p->o->loop_first[l], n = p->o->loop_first[l + 1] - first;
        for (int32_t k = 0; k < n; k++) {
            notch t = {corner(p->o, first + (k + n - 1) % n), corner(p->o, first + k),
                       corner(p->o, first + (k + 1) % n)};
            if (nav_right(t.before, t.at, t.after) < 0) p->notches[p->count++] = t;
        }
    }
}

static bool straightens(const notch *n, nav_point to)
{
    return nav_right(n->before, n->at, to) >= 0 && nav_right(to, n->at, n->after) >= 0;
}

static int sign(int64_t a)
{
    return (a > 0) - (a < 0);
}

// Does anything of the contours stand between two notches in each other's wedges?
static bool is_open(const plan *p, nav_point a, nav_point b)
{
    for (int32_t l = p->first; l < p->end; l++) {
        int32_t first = p->o->loop_first[l], end = p->o->loop_first[l + 1];
        for (int32_t v = first; v < end; v++) {
            nav_point c = corner(p->o, v), d = corner(p->o, v + 1 < end ? v + 1 : first);
            if (nav_right(a, b, c) == 0 && nav_between(a, b, c)) return false;
            if (sign(nav_right(a, b, c)) * sign(nav_right(a, b, d)) < 0 &&
                sign(nav_right(c, d, a)) * sign(nav_right(c, d, b)) < 0)
                return false;
        }
    }
    return true;
}

static void find_sights(plan *p)
{
    for (int32_t i = 0; i < p->count; i++) {
        for (int32_t k = i + 1; k < p->count; k++) {
            const notch *a = &p->notches[i], *b = &p->notches[k];
            bool sees = !nav_point_same(a->at, b->at) && straightens(a, b->at) && straightens(b, a->at) &&
                        is_open(p, a->at, b->at);
            p->sees[i * p->count + k] = p->sees[k * p->count + i] = sees;
        }
    }
}

// The most pairs among the notches of a set, by the best for every smaller set.
static int32_t try_all(const plan *p, const int32_t *member, int32_t n, uint8_t *best)
{
    best[0] = 0;
    for (uint32_t set = 1; set < 1u << n; set++) {
        int32_t i = __builtin_ctz(set);
        uint32_t rest = set & (set - 1);
        best[set] = best[rest];
        for (int32_t k = i + 1; k < n; k++) {
            if (!(rest >> k & 1) || !p->sees[member[i] * p->count + member[k]]) continue;
            uint8_t with = (uint8_t)(best[rest & ~(1u << k)] + 1);
            if (with > best[set]) best[set] = with;
        }
    }
    return best[(1u << n) - 1];
}

static int32_t collect(plan *p, int32_t from, int32_t *member)
{
    int32_t n = 0;
    member[n++] = from;
    p->component[from] = from;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < p->count; k++) {
            if (p->component[k] >= 0 || !p->sees[member[i] * p->count + k]) continue;
            p->component[k] = from;
            member[n++] = k;
        }
    }
    return n;
}

int32_t plan_pairs(const nav_contours *o, int32_t first, int32_t end)
{
    size_t corners = (size_t)(o->loop_first[end] - o->loop_first[first]);
    plan p = {.o = o, .first = first, .end = end, .notches = calloc(corners, sizeof(notch))};
    int32_t *member = malloc(corners * sizeof *member), pairs = -1;
    uint8_t *best = malloc((size_t)1 << TRIED);
    if (p.notches) find_notches(&p);
    p.sees = calloc((size_t)p.count * (size_t)p.count + 1, 1);
    p.component = malloc(corners * sizeof *p.component);
    if (!p.notches || !member || !best || !p.sees || !p.component) goto done;
    find_sights(&p);
    memset(p.component, 0xFF, corners * sizeof *p.component);
    pairs = 0;
    for (int32_t i = 0; i < p.count; i++) {
        if (p.component[i] >= 0) continue;
        int32_t n = collect(&p, i, member);
        pairs += n == 1 ? 0 : n <= TRIED ? try_all(&p, member, n, best) : n / 2;
    }
done:
    free(p.notches);
    free(p.sees);
    free(p.component);
    free(member);
    free(best);
    return pairs;
}
