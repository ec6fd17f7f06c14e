#include "daemon/config/options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define K UINT64_C(1024)
#define M (1024 * K)
#define G (1024 * M)

// --- look-ups ---

static char as_written(char c, bool dashes)
{
    return dashes && c == '_' ? '-' : c;
}

const nd_option *nd_option_find(const char *name, size_t length, bool dashes)
{
    for (const nd_option *o = nd_options; o < nd_options + nd_option_count; o++) {
        if (o->type == ND_OPTION_SECTION || strlen(o->name) != length) continue;
        size_t i = 0;
        while (i < length && name[i] == as_written(o->name[i], dashes)) i++;
        if (i == length) return o;
    }
    return NULL;
}

enum { LONGEST_NAME = 40 };

// Levenshtein's: letters to change, add or leave out; - and _ are one letter.
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
    unsigned row[LONGEST_NAME + 1];
    for (size_t j = 0; j <= nb; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned above = row[j];
            unsigned best = diagonal + (as_written(a[i - 1], true) != as_written(b[j - 1], true));
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    return row[nb];
}

const nd_option *nd_option_nearest(const char *name, size_t length)
{
    const nd_option *nearest = NULL;
    if (length > LONGEST_NAME) return NULL;
    unsigned best = length < 6 ? 2 : 4; // at least so near that few letters differ
    for (const nd_option *o = nd_options; o < nd_options + nd_option_count; o++) {
        if (o->type == ND_OPTION_SECTION || strlen(o->name) > LONGEST_NAME) continue;
        unsigned d = distance(name, length, o->name, strlen(o->name));
        if (d < best) {
            best = d;
            nearest = o;
        }
    }
    return nearest;
}

// --- values ---

// "64M": digits and one of K, M, G (powers of 1024).
static bool parse_number(const char *text, bool bytes, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)text[0])) return false;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    uint64_t unit = 1;
    if (bytes && *end) {
        unit = *end == 'K' || *end == 'k' ? K : *end == 'M' || *end == 'm' ? M : *end == 'G' || *end == 'g' ? G : 0;
        end++;
        if (!unit || v > UINT64_MAX / unit) return false;
    }
    *out = v * unit;
    return errno == 0 && *end == 0;
}

static bool parse_mode(const char *text, uint64_t *out)
{
    size_t n = strlen(text);
    if (n < 3 || n > 4 || strspn(text, "01234567") != n) return false;
    *out = strtoull(text, NULL, 8);
    return *out <= 0777;
}

static bool parse_choice(const char *text, const nd_option *o, int *out)
{
    for (*out = (int)o->min; o->words[*out]; ++*out)
        if (!strcmp(o->words[*out], text)) return true;
    return false;
}

static void size_text(uint64_t v, char out[32])
{
    if (v && v % G == 0)
        snprintf(out, 32, "%" PRIu64 "G", v / G);
    else if (v && v % M == 0)
        snprintf(out, 32, "%" PRIu64 "M", v / M);
    else if (v && v % K == 0)
        snprintf(out, 32, "%" PRIu64 "K", v / K);
    else
        snprintf(out, 32, "%" PRIu64, v);
}

void nd_option_words(const nd_option *o, char *out, size_t size)
{
    out[0] = 0;
    for (uint64_t i = o->min; o->words[i]; i++) {
        size_t n = strlen(out);
        snprintf(out + n, size - n, "%s%s", i == o->min ? "" : o->words[i + 1] ? ", " : " or ", o->words[i]);
    }
}

static void say_allowed(const nd_option *o, char *why, size_t why_bytes)
{
    char min[32], max[32];
    int n;
    switch (o->type) {
    case ND_OPTION_NUMBER:
        snprintf(why, why_bytes, "expected a number from %" PRIu64 " to %" PRIu64, o->min, o->max);
        return;
    case ND_OPTION_BYTES:
        size_text(o->min, min);
        size_text(o->max, max);
        snprintf(why, why_bytes, "expected a size from %s to %s, such as 64M", min, max);
        return;
    case ND_OPTION_TEXT:
        snprintf(why, why_bytes, "expected a text of at most %zu bytes without control characters", o->size - 1);
        return;
    case ND_OPTION_MODE:
        snprintf(why, why_bytes, "expected an octal file mode from 000 to 777, such as 0660");
        return;
    case ND_OPTION_CHOICE:
        n = snprintf(why, why_bytes, "expected ");
        nd_option_words(o, why + n, why_bytes - (size_t)n);
        return;
    case ND_OPTION_FLAG:
    case ND_OPTION_SECTION:
        break;
    }
    snprintf(why, why_bytes, "it takes no value");
}

static bool set_text(char *member, const nd_option *o, const char *value)
{
    size_t n = strlen(value);
    if (n >= o->size) return false;
    for (size_t i = 0; i < n; i++)
        if (iscntrl((unsigned char)value[i])) return false;
    memset(member, 0, o->size); // so that equal texts are equal bytes
    memcpy(member, value, n);
    return true;
}

nav_status nd_option_set(nd_config *c, const nd_option *o, const char *value, char *why, size_t why_bytes)
{
    char *member = (char *)c + o->offset;
    uint64_t number = 0;
    int index = 0;
    bool good = false;
    switch (o->type) {
    case ND_OPTION_TEXT:
        good = set_text(member, o, value);
        break;
    case ND_OPTION_CHOICE:
        good = parse_choice(value, o, &index);
        if (good) memcpy(member, &index, sizeof index);
        break;
    case ND_OPTION_NUMBER:
    case ND_OPTION_BYTES:
    case ND_OPTION_MODE:
        good = o->type == ND_OPTION_MODE ? parse_mode(value, &number)
                                         : parse_number(value, o->type == ND_OPTION_BYTES, &number);
        good = good && number >= o->min && number <= o->max;
        if (good) memcpy(member, &number, sizeof number);
        break;
    case ND_OPTION_FLAG:
    case ND_OPTION_SECTION:
        break;
    }
    if (good) return NAV_OK;
    say_allowed(o, why, why_bytes);
    return NAV_ERR_ARGUMENT;
}

static void number_text(const nd_option *o, uint64_t v, char out[ND_OPTION_TEXT_BYTES])
{
    if (o->type == ND_OPTION_BYTES)
        size_text(v, out);
    else
        snprintf(out, ND_OPTION_TEXT_BYTES, o->type == ND_OPTION_MODE ? "%04" PRIo64 : "%" PRIu64, v);
}

void nd_option_get(const nd_config *c, const nd_option *o, char out[ND_OPTION_TEXT_BYTES])
{
    const char *member = (const char *)c + o->offset;
    uint64_t number = 0;
    int index = 0;
    bool on = false;
    out[0] = 0;
    switch (o->type) {
    case ND_OPTION_TEXT:
        snprintf(out, ND_OPTION_TEXT_BYTES, "%s", member);
        return;
    case ND_OPTION_CHOICE:
        memcpy(&index, member, sizeof index);
        snprintf(out, ND_OPTION_TEXT_BYTES, "%s", o->words[index]);
        return;
    case ND_OPTION_FLAG:
        memcpy(&on, member, sizeof on);
        snprintf(out, ND_OPTION_TEXT_BYTES, "%s", on ? "yes" : "no");
        return;
    case ND_OPTION_NUMBER:
    case ND_OPTION_BYTES:
    case ND_OPTION_MODE:
        memcpy(&number, member, sizeof number);
        number_text(o, number, out);
        return;
    case ND_OPTION_SECTION:
        break;
    }
}

void nd_option_default(const nd_option *o, char out[ND_OPTION_TEXT_BYTES])
{
    out[0] = 0;
    if (o->type == ND_OPTION_CHOICE)
        snprintf(out, ND_OPTION_TEXT_BYTES, "%s", o->words[o->value]);
    else if (o->type == ND_OPTION_NUMBER || o->type == ND_OPTION_BYTES || o->type == ND_OPTION_MODE)
        number_text(o, o->value, out);
}
