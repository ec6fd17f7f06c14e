// 64 bytes at any width.
#ifndef NAV_LANES_U8X64_H
#define NAV_LANES_U8X64_H

#include "core/lanes/width.h"

// Bit k: byte k has bit `bit`. Every width gives the same.
static inline uint64_t u8x64_test(const uint8_t *bytes, int bit)
{
#if NAV_SIMD_BYTES == 64
    return _mm512_test_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8((char)(1 << bit)));
#elif NAV_SIMD_BYTES == 32
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32));
    uint32_t a = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(low, 7 - bit));
    uint32_t b = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, 7 - bit));
    return (uint64_t)b << 32 | a;
#else
    uint64_t set = 0;
    for (int k = 0; k < 8; k++) {
        uint64_t eight = 0; // byte i is bytes[8 * k + i], whatever the machine's order
        for (int i = 0; i < 8; i++) eight |= (uint64_t)bytes[8 * k + i] << (8 * i);
        // The product gathers bit 0 of byte i as bit 56 + i.
        set |= ((eight >> bit & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (8 * k);
    }
    return set;
#endif
}

#endif
