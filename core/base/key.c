#include "core/base/key.h"

#include "core/base/endian.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

nav_key nav_key_of(const void *bytes, size_t count)
{
    XXH128_hash_t h = XXH3_128bits(bytes, count);
    return (nav_key){h.low64, h.high64};
}

nav_key nav_key_join(nav_key a, nav_key b)
{
    uint8_t both[2 * NAV_KEY_BYTES];
    nav_key_store(a, both);
    nav_key_store(b, both + NAV_KEY_BYTES);
    return nav_key_of(both, sizeof both);
}

void nav_key_store(nav_key k, uint8_t out[NAV_KEY_BYTES])
{
    nav_store_u64(out, k.low);
    nav_store_u64(out + 8, k.high);
}

nav_key nav_key_load(const uint8_t in[NAV_KEY_BYTES])
{
    return (nav_key){nav_load_u64(in), nav_load_u64(in + 8)};
}

void nav_key_text(nav_key k, char out[NAV_KEY_TEXT_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[NAV_KEY_BYTES];
    nav_key_store(k, bytes);
    for (int i = 0; i < NAV_KEY_BYTES; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * NAV_KEY_BYTES] = 0;
}
