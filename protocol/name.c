#include "protocol/name.h"

#include <stdio.h>
#include <string.h>

// The length of the character at the front, 0 where it is not UTF-8 (RFC 3629).
static uint32_t read_character(const uint8_t *p, uint32_t size, uint32_t *out)
{
    uint32_t first = p[0], n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t code = n == 1 ? first : first & (0x7fu >> n);
    if (!n || first > 0xf4 || n > size) return 0;
    for (uint32_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    bool overlong = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
    bool surrogate = code >= 0xd800 && code < 0xe000;
    *out = code;
    return overlong || surrogate || code > 0x10ffff ? 0 : n;
}

// Controls, line ends, and what Unicode 15 calls default ignorable (DerivedCoreProperties.txt), with the annotations:
// zero width, directions, fillers, variations. Two names that differ in these look the same.
static bool is_invisible(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
        {0x115f, 0x1160}, {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    if (code >= 0x20 && code < 0x7f) return false; // most names have nothing else
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

// "." or ".." between slashes: a name is no path here, but others may put it into one.
static bool has_dots(np_str name)
{
    for (uint32_t begin = 0, end; begin <= name.size; begin = end + 1) {
        for (end = begin; end < name.size && name.data[end] != '/' && name.data[end] != '\\';) end++;
        uint32_t n = end - begin;
        if ((n == 1 || n == 2) && !memcmp(name.data + begin, "..", n)) return true;
    }
    return false;
}

nav_status np_name_check(const char *key, np_str name, char *why, size_t why_bytes)
{
    if (name.size < 1 || name.size > NP_NAME_BYTES) {
        snprintf(why, why_bytes, "%s: %u bytes, expected 1 to %d", key, name.size, NP_NAME_BYTES);
        return NAV_ERR_ARGUMENT;
    }
    for (uint32_t at = 0, n, code; at < name.size; at += n) {
        n = read_character((const uint8_t *)name.data + at, name.size - at, &code);
        if (n && !is_invisible(code)) continue;
        if (n)
            snprintf(why, why_bytes, "%s: U+%04X at byte %u is a control or invisible character; remove it", key, code,
                     at);
        else
            snprintf(why, why_bytes, "%s: byte %u (0x%02x) is not valid UTF-8", key, at, (uint8_t)name.data[at]);
        return NAV_ERR_ARGUMENT;
    }
    if (!has_dots(name)) return NAV_OK;
    snprintf(why, why_bytes, "%s: \"%.*s\" has a component \".\" or \"..\", which is not allowed", key, (int)name.size,
             name.data);
    return NAV_ERR_ARGUMENT;
}
