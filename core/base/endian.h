// Little-endian loads and stores at any alignment: what every format of navd is made of. Any thread.
#ifndef NAV_BASE_ENDIAN_H
#define NAV_BASE_ENDIAN_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NAV_LE16(v) __builtin_bswap16(v)
#define NAV_LE32(v) __builtin_bswap32(v)
#define NAV_LE64(v) __builtin_bswap64(v)
#else
#define NAV_LE16(v) (v)
#define NAV_LE32(v) (v)
#define NAV_LE64(v) (v)
#endif

static inline void nav_store_u16(void *p, uint16_t v)
{
    v = NAV_LE16(v);
    memcpy(p, &v, sizeof v);
}

static inline void nav_store_u32(void *p, uint32_t v)
{
    v = NAV_LE32(v);
    memcpy(p, &v, sizeof v);
}

static inline void nav_store_u64(void *p, uint64_t v)
{
    v = NAV_LE64(v);
    memcpy(p, &v, sizeof v);
}

static inline void nav_store_i32(void *p, int32_t v)
{
    nav_store_u32(p, (uint32_t)v);
}

static inline void nav_store_f32(void *p, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    nav_store_u32(p, bits);
}

static inline uint16_t nav_load_u16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return NAV_LE16(v);
}

static inline uint32_t nav_load_u32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return NAV_LE32(v);
}

static inline uint64_t nav_load_u64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return NAV_LE64(v);
}

static inline int32_t nav_load_i32(const void *p)
{
    return (int32_t)nav_load_u32(p);
}

static inline float nav_load_f32(const void *p)
{
    uint32_t bits = nav_load_u32(p);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
