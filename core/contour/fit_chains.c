// Chains, and offers of the edges that were found to be within reach (fit_reach.c).
#include "core/contour/fit_edges.h"

#include "core/base/simd.h"

#include <math.h>

#if NAV_SIMD_BYTES == 64
#include <immintrin.h>

enum { LANES = 8 };

static inline __m512d all(double v)
{
    return _mm512_set1_pd(v);
}

static inline __m512d load(const double *p)
{
    return _mm512_loadu_pd(p);
}

static inline bool is_overtaken(const contour_fit *fit, int32_t i)
{
    const __m512d least = all(fit->corner.cost[i] - FIT_OVERTAKEN_BY);
    for (int32_t j = i + 1;; j += LANES) {
        __m512d cost = load(fit->corner.cost + j);
        unsigned unreached = _mm512_cmp_pd_mask(cost, all(HUGE_VAL), _CMP_EQ_OQ);
        unsigned less = _mm512_cmp_pd_mask(cost, least, _CMP_LT_OQ);
        if (less & (unreached - 1) & ~unreached) return true;
        if (unreached) return false;
    }
}

// nav_fit_offer() to corners j + k for the bits k of `in`: the same operations on eight of them.
static void offer_to(const contour_fit *fit, int32_t i, int32_t j, __mmask8 in)
{
    const fit_corners *c = &fit->corner;
    const __m512d px = all(c->x[i]), pz = all(c->z[i]), two = all(2.0), offset = all(fit->offset);
    __m512d dx = _mm512_cvtps_pd(_mm256_loadu_ps(c->x + j)) - px, dz = _mm512_cvtps_pd(_mm256_loadu_ps(c->z + j)) - pz;
    __m512d len2 = dx * dx + dz * dz, n = load(c->n + j) - all(c->n[i]);
    __m512d sx = load(c->sx + j) - all(c->sx[i]), sz = load(c->sz + j) - all(c->sz[i]);
    __m512d sxx = load(c->sxx + j) - all(c->sxx[i]) - two * px * sx + n * px * px;
    __m512d szz = load(c->szz + j) - all(c->szz[i]) - two * pz * sz + n * pz * pz;
    __m512d sxz = load(c->sxz + j) - all(c->sxz[i]) - px * sz - pz * sx + n * px * pz;
    __m512d sum = dz * (sx - n * px) - dx * (sz - n * pz);
    __m512d squares = dz * dz * sxx - two * dx * dz * sxz + dx * dx * szz;
    __m512d off = squares / len2 - two * offset * sum / _mm512_sqrt_pd(len2) + n * offset * offset;
    __m512d cost = all(c->cost[i] + 1.0);
    int32_t before = c->from[i];
    if (before >= 0) {
        __m512d in_x = all((double)c->x[i] - (double)c->x[before]), in_z = all((double)c->z[i] - (double)c->z[before]);
        __mmask8 notch = _mm512_cmp_pd_mask(in_x * dz - in_z * dx, all(0.0), _CMP_GT_OQ);
        cost = _mm512_mask_add_pd(cost, notch, cost, all(fit->notch));
    }
    cost += all(FIT_OFF_COST) * off;
    in = _mm512_mask_cmp_pd_mask(in, cost, load(c->cost + j), _CMP_LT_OQ);
    if (!in) return;
    _mm512_mask_storeu_pd(c->cost + j, in, cost);
    _mm256_mask_storeu_epi32(c->from + j, in, _mm256_set1_epi32(i));
}

// Which of `in` have a cost above that of an edge from i at least?
static unsigned wanted(const contour_fit *fit, int32_t i, int32_t j, unsigned in)
{
    return _mm512_mask_cmp_pd_mask((__mmask8)in, all(fit->corner.cost[i] + 1.0), load(fit->corner.cost + j),
                                   _CMP_LT_OQ);
}
#else
enum { LANES = 8 };

static inline bool is_overtaken(const contour_fit *fit, int32_t i)
{
    const double *cost = fit->corner.cost, least = cost[i] - FIT_OVERTAKEN_BY;
    for (int32_t j = i + 1; cost[j] < HUGE_VAL; j++)
        if (cost[j] < least) return true;
    return false;
}

static void offer_to(contour_fit *fit, int32_t i, int32_t j, unsigned in)
{
    for (; in; in &= in - 1) nav_fit_offer(fit, i, j + __builtin_ctz(in));
}

static unsigned wanted(const contour_fit *fit, int32_t i, int32_t j, unsigned in)
{
    unsigned want = 0;
    double cost = fit->corner.cost[i] + 1.0;
    for (int k = 0; k < LANES; k++) want |= (unsigned)(cost < fit->corner.cost[j + k]) << k;
    return in & want;
}
#endif

// nav_fit_offer_plainly(), where it is known what is within reach.
static inline void offer_found(contour_fit *fit, int32_t i, int32_t end)
{
    uint64_t inside = fit->inside[0][i] | (uint64_t)fit->inside[1][i] << 32;
    if (end - i <= FIT_REACH) inside &= (UINT64_C(1) << (end - i - 1)) - 1;
    uint64_t beyond = inside & (fit->beyond[0][i] | (uint64_t)fit->beyond[1][i] << 32);
    for (int32_t j = i + 1; inside; j += LANES, inside >>= LANES, beyond >>= LANES) {
        unsigned in = wanted(fit, i, j, inside & 0xff);
        for (unsigned check = in & (unsigned)beyond; check; check &= check - 1)
            if (!nav_fit_end_holds(fit, i, j + __builtin_ctz(check))) in &= ~(check & -check);
        if (in) offer_to(fit, i, j, in);
    }
}

void nav_fit_find_chains(contour_fit *fit, int32_t first, int32_t last, bool found)
{
    fit_corners *c = &fit->corner;
    for (int32_t i = first; i <= last + FIT_PADDING; i++) c->cost[i] = HUGE_VAL;
    c->cost[first] = 0.0;
    c->from[first] = NO_CORNER;
    for (int32_t i = first; i < last; i++) {
        if (is_overtaken(fit, i)) continue;
        if (found && !fit->plain[i]) {
            offer_found(fit, i, last + 1);
        } else {
            nav_fit_offer_plainly(fit, i, last + 1);
        }
    }
}
