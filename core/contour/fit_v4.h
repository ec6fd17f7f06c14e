// Fitting with the mask registers of level v4. Empty at other levels, where fit_base.h has the same functions.
#ifndef NAV_CONTOUR_FIT_V4_H
#define NAV_CONTOUR_FIT_V4_H

#include "core/contour/fit_edges.h"
#include "core/lanes/width.h"

#include <math.h>

#if NAV_SIMD_BYTES == 64
// Bits of the corners p[0] to p[n - 1], n up to 64, that are not halfway between their neighbours.
static inline uint64_t turns_of(const nav_point *p, int32_t n)
{
    uint64_t turns = 0;
    for (int32_t k = 0; k < n; k += 8) {
        __mmask8 some = n - k < 8 ? (__mmask8)((1u << (n - k)) - 1) : (__mmask8)0xff;
        __m512i before = _mm512_maskz_loadu_epi64(some, p + k - 1), after = _mm512_maskz_loadu_epi64(some, p + k + 1);
        __m512i at = _mm512_maskz_loadu_epi64(some, p + k);
        turns |= (uint64_t)_mm512_cmpneq_epi64_mask(_mm512_add_epi32(before, after), _mm512_add_epi32(at, at)) << k;
    }
    return turns;
}

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
    for (int32_t j = i + 1;; j += 8) {
        __m512d cost = load(fit->corner.cost + j);
        unsigned unreached = _mm512_cmp_pd_mask(cost, all(HUGE_VAL), _CMP_EQ_OQ);
        unsigned less = _mm512_cmp_pd_mask(cost, least, _CMP_LT_OQ);
        if (less & (unreached - 1) & ~unreached) return true;
        if (unreached) return false;
    }
}

// nav_fit_offer() to corners j + k for the bits k of `in`: the same operations on eight of them.
static inline void offer_to(const contour_fit *fit, int32_t i, int32_t j, __mmask8 in)
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
static inline unsigned wanted(const contour_fit *fit, int32_t i, int32_t j, unsigned in)
{
    return _mm512_mask_cmp_pd_mask((__mmask8)in, all(fit->corner.cost[i] + 1.0), load(fit->corner.cost + j),
                                   _CMP_LT_OQ);
}
#endif

#endif
