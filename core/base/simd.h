// How wide the registers are that this file is compiled for. The pipeline is compiled once for each level of machine
// (core/levels.h), so a stage uses the width it finds here and needs no dispatch of its own. Every width gives the same
// bytes: a lane computes what plain code would.
#ifndef NAV_BASE_SIMD_H
#define NAV_BASE_SIMD_H

#include <stdint.h>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) &&                 \
    defined(__AVX512CD__)
#define NAV_SIMD_BYTES 64
#elif defined(__AVX2__)
#define NAV_SIMD_BYTES 32
#else // SSE2, NEON, or what the compiler makes of vectors
#define NAV_SIMD_BYTES 16
#endif

#endif
