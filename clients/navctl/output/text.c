#include "clients/navctl/output/text.h"

#include <stdio.h>

void text_bytes(double bytes, char *out, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    snprintf(out, size, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
}

void text_duration(uint64_t seconds, char *out, size_t size)
{
    unsigned long long s = seconds;
    if (s < 120)
        snprintf(out, size, "%llu s", s);
    else if (s < 7200)
        snprintf(out, size, "%llu min", s / 60);
    else if (s < 172800)
        snprintf(out, size, "%llu h %02llu", s / 3600, s / 60 % 60);
    else
        snprintf(out, size, "%llu d %02llu", s / 86400, s / 3600 % 24);
}

// Bytes of the character of valid UTF-8 that begins here, 0 where none does. Overlong forms are for the terminal.
static int character(const unsigned char *p)
{
    if (p[0] < 0x80) return p[0] >= ' ' && p[0] != 0x7f;
    int more = p[0] >= 0xf0 && p[0] < 0xf5 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc2 ? 1 : 0;
    if (p[0] >= 0xf5) more = 0;
    for (int i = 1; i <= more; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (p[0] == 0xc2 && p[1] < 0xa0) return 0;                                  // control characters of the second kind
    if (p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) return 0; // ends of lines, directions of text
    if (p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9) return 0; // more directions
    return more ? more + 1 : 0;
}

const char *text_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void text_printable(const char *name, char *out, size_t size, int columns)
{
    const unsigned char *p = (const unsigned char *)name;
    size_t at = 0;
    for (int column = 0; *p && column < columns; column++) {
        int bytes = character(p);
        if (at + (size_t)(bytes ? bytes : 1) >= size) break;
        if (!bytes) {
            out[at++] = '?';
            p++;
            continue;
        }
        while (bytes--) out[at++] = (char)*p++;
    }
    out[at] = 0;
}
