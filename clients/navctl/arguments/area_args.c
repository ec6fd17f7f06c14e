#include "clients/navctl/arguments/area_args.h"

#include <stdlib.h>
#include <string.h>

// A number within bounds; *text goes behind it.
static bool take_number(const char **text, int base, unsigned long min, unsigned long max, unsigned long *out)
{
    char *end;
    if (**text < '0' || **text > '9') return false;
    *out = strtoul(*text, &end, base);
    *text = end;
    return *out >= min && *out <= max;
}

// Behind an entry: the next one, or the end.
static bool take_comma(const char **text)
{
    if (!**text) return true;
    if (**text != ',' || !(*text)[1]) return false;
    ++*text;
    return true;
}

bool area_args_walkable(const char *text, uint64_t *out)
{
    uint64_t areas = 0;
    if (!*text) return false;
    while (*text) {
        unsigned long first, last;
        if (!take_number(&text, 10, 1, 63, &first)) return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!take_number(&text, 10, first, 63, &last)) return false;
        }
        for (unsigned long a = first; a <= last; a++) areas |= UINT64_C(1) << a;
        if (!take_comma(&text)) return false;
    }
    *out = areas;
    return true;
}

bool area_args_flags(const char *text, uint16_t flags[64])
{
    uint16_t made[64];
    memcpy(made, flags, sizeof made);
    if (!*text) return false;
    while (*text) {
        unsigned long area, value;
        if (!take_number(&text, 10, 1, 63, &area) || *text++ != '=' || !take_number(&text, 0, 0, 65535, &value) ||
            !take_comma(&text))
            return false;
        made[area] = (uint16_t)value;
    }
    memcpy(flags, made, sizeof made);
    return true;
}
