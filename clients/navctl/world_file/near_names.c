#include "clients/navctl/world_file/near_names.h"
#include "core/base/key.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TWO_SLIPS_BYTES = 16 };
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ";

typedef struct search {
    const uint64_t *ids;
    size_t id_count;
    char (*found)[NEAR_NAME_BYTES];
    size_t found_count;
} search;

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void try_name(search *s, const char *name, size_t length)
{
    uint64_t id = nav_key_of(name, length).low;
    if (!length || s->found_count == NEAR_NAMES || !bsearch(&id, s->ids, s->id_count, sizeof id, compare)) return;
    for (size_t i = 0; i < s->found_count; i++) {
        if (strlen(s->found[i]) == length && !memcmp(s->found[i], name, length)) return;
    }
    memcpy(s->found[s->found_count], name, length);
    s->found[s->found_count++][length] = '\0';
}

// Each name that differs by one slip, and from each of those on by the slips that are left.
static void slip(search *s, const char *name, size_t length, int slips)
{
    char other[NEAR_NAME_BYTES];
    try_name(s, name, length);
    if (slips == 0) return;
    for (size_t at = 0; at < length; at++) { // one too many
        memcpy(other, name, at);
        memcpy(other + at, name + at + 1, length - at - 1);
        slip(s, other, length - 1, slips - 1);
    }
    for (size_t at = 0; at + 1 < length; at++) { // two swapped
        memcpy(other, name, length);
        other[at] = name[at + 1];
        other[at + 1] = name[at];
        slip(s, other, length, slips - 1);
    }
    for (const char *letter = letters; *letter && s->found_count < NEAR_NAMES; letter++) {
        for (size_t at = 0; at < length; at++) { // a wrong one
            memcpy(other, name, length);
            other[at] = *letter;
            slip(s, other, length, slips - 1);
        }
        for (size_t at = 0; at <= length && length + 1 < NEAR_NAME_BYTES; at++) { // one missing
            memcpy(other, name, at);
            other[at] = *letter;
            memcpy(other + at + 1, name + at, length - at);
            slip(s, other, length + 1, slips - 1);
        }
    }
}

size_t near_names_find(const char *typed, const uint64_t *ids, size_t count, char out[NEAR_NAMES][NEAR_NAME_BYTES])
{
    char cased[3][NEAR_NAME_BYTES];
    size_t length = strlen(typed);
    search s = {.ids = ids, .id_count = count, .found = out};
    if (length >= NEAR_NAME_BYTES || count == 0) return 0;
    for (size_t i = 0; i < length; i++) {
        cased[0][i] = (char)tolower((unsigned char)typed[i]);
        cased[1][i] = (char)toupper((unsigned char)typed[i]);
        cased[2][i] = i ? cased[0][i] : cased[1][0];
    }
    for (int i = 0; i < 3; i++) try_name(&s, cased[i], length);
    slip(&s, typed, length, 1);
    if (s.found_count == 0 && length <= TWO_SLIPS_BYTES) slip(&s, typed, length, 2);
    return s.found_count;
}
