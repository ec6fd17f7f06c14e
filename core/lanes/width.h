// The width of the registers that a file is compiled for. The pipeline is compiled once per level of x86-64
// (core/levels.h), so a stage uses the width it finds here and needs no dispatch of its own. Every width gives the same
// bytes: a lane computes what plain code would.
//
// The vocabulary of lanes, one header for each type of lane. xn: as many as a register holds; x8: always eight.
//
//      f64xn  doubles            u64xn  words of 64 bits       x8     eight floats, ints or doubles
//      f32xn  floats, u32xn      i16xn  heights                u8x64  bytes, tested for a bit
//      i32xn  whole numbers
//
// Only these headers, and files whose names end in a level (_v3, _v4, _base: below v3, _wide: from v3 on), look at the
// width.
#ifndef NAV_LANES_WIDTH_H
#define NAV_LANES_WIDTH_H

#include <stdint.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) &&                 \
    defined(__AVX512CD__)
#define NAV_SIMD_BYTES 64
#elif defined(__AVX2__)
#define NAV_SIMD_BYTES 32
#else // SSE2, NEON, or what the compiler makes of vectors
#define NAV_SIMD_BYTES 16
#endif

// A function that is compiled separately for each set of constant arguments.
#define SPECIALISED static inline __attribute__((always_inline))

#endif
