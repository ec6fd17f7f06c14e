#include "clients/navctl/arguments/area_args.h"
#include "protocol/name.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const arg_option area_type_options[AREA_TYPE_OPTIONS] = {
    {"area-type", 0, ARG_STEP, AREA_TYPE_METAVAR, "what an area is called, costs and allows, " AREA_TYPE_KEYS,
     offsetof(area_type_values, changes), 0, 0, NULL},
};

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

bool area_args_has_name(const char *text)
{
    return text && text[strspn(text, "0123456789-,")] != '\0';
}

static void name_all(const nav_area_table *t, char *out, size_t bytes)
{
    size_t used = 0;
    *out = '\0';
    for (uint32_t i = 0; i < t->count && used < bytes; i++)
        if (t->types[i].name[0])
            used += (size_t)snprintf(out + used, bytes - used, "%s%s (%u)", used ? ", " : "", t->types[i].name,
                                     t->types[i].id);
}

// One name, up to a comma.
static bool take_name(const char **text, const nav_area_table *t, uint64_t *areas, char *why, size_t why_bytes)
{
    size_t length = strcspn(*text, ",");
    bool found = false;
    for (uint32_t i = 0; i < t->count && length; i++) {
        const nav_area_type *a = &t->types[i];
        if (strlen(a->name) != length || memcmp(a->name, *text, length) != 0) continue;
        *areas |= UINT64_C(1) << a->id;
        found = true;
    }
    *text += length;
    if (found) return true;
    char names[400];
    name_all(t, names, sizeof names);
    if (length && strspn(*text - length, "0123456789-") >= length)
        snprintf(why, why_bytes, "areas are numbers from 0 to 63, and '%.*s' is none", (int)length, *text - length);
    else if (*names)
        snprintf(why, why_bytes, "no area is called '%.*s': there are %s; or give numbers from 0 to 63", (int)length,
                 *text - length, names);
    else
        snprintf(why, why_bytes, "'%.*s' is no area, and none has a name: give numbers from 0 to 63, as in 5,7-9",
                 (int)length, *text - length);
    return false;
}

bool area_args_named(const char *text, const nav_area_table *t, uint64_t *out, char *why, size_t why_bytes)
{
    uint64_t areas = 0;
    const char *at = text ? text : "";
    bool ok = !text || *text;
    while (ok && *at) {
        unsigned long first, last;
        const char *begin = at;
        bool number = take_number(&at, 10, 0, 63, &first);
        last = first;
        if (number && *at == '-') {
            at++;
            number = take_number(&at, 10, first, 63, &last);
        }
        if (number && (!*at || *at == ',')) {
            for (unsigned long a = first; a <= last; a++) areas |= UINT64_C(1) << a;
        } else {
            at = begin;
            if (!take_name(&at, t, &areas, why, why_bytes)) return false;
        }
        ok = take_comma(&at);
    }
    if (!ok) snprintf(why, why_bytes, "expected areas with commas between them, as in 5,7-9 or water");
    *out = areas;
    return ok;
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

static bool is_number(const char *text, int base, unsigned long max, unsigned long *out)
{
    char *end;
    *out = strtoul(text, &end, base);
    return *text && *text != '-' && *text != '+' && !*end && *out <= max;
}

static bool set_name(nav_area_type *a, const char *value, char *why, size_t why_bytes)
{
    const np_str name = {value, (uint32_t)strlen(value)};
    if (name.size && np_name_check("name", name, why, why_bytes) != NAV_OK) return false;
    if (name.size >= sizeof a->name) {
        snprintf(why, why_bytes, "name: %u bytes, expected at most %zu", name.size, sizeof a->name - 1);
        return false;
    }
    memcpy(a->name, value, name.size + (size_t)1);
    return true;
}

// Without words of its own, `why` stays as it is.
static bool set_key(nav_area_type *a, const char *key, const char *value, char *why, size_t why_bytes)
{
    unsigned long number = 0;
    const bool none = !strcmp(value, "none");
    if (!strcmp(key, "name")) return set_name(a, value, why, why_bytes);
    if (!strcmp(key, "cost")) {
        char *end;
        a->cost = strtof(value, &end);
        return *value && !*end && a->cost > 0 && isfinite(a->cost);
    }
    if (!strcmp(key, "flags")) {
        if (!none && !is_number(value, 0, 65535, &number)) return false;
        a->has_flags = !none;
        a->flags = (uint16_t)number;
        return true;
    }
    if (!strcmp(key, "color")) {
        if (!none && !is_number(value, 16, 0xffffff, &number)) return false;
        a->has_color = !none;
        a->color = (uint32_t)number;
        return true;
    }
    a->walkable = !strcmp(value, "yes");
    return !strcmp(key, "walkable") && (a->walkable || !strcmp(value, "no"));
}

bool area_args_type(const char *text, nav_area_table *t, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "expected %s as in 7,name=water,cost=10,color=3366cc", AREA_TYPE_METAVAR);
    char *copy = strdup(text), *next = copy ? strchr(copy, ',') : NULL;
    unsigned long id;
    if (next) *next++ = 0;
    bool ok = next && is_number(copy, 10, NAV_AREA_COUNT - 1, &id) && id;
    nav_area_type made;
    if (ok) {
        const nav_area_type *before = nav_area_table_find(t, (uint8_t)id);
        nav_area_type_default(&made, (uint8_t)id);
        if (before) made = *before;
    }
    while (ok && next) {
        char *key = next, *value = strchr(key, '=');
        next = strchr(key, ',');
        if (next) *next++ = 0;
        ok = value && !(next && value >= next);
        if (!ok) break;
        *value++ = 0;
        ok = set_key(&made, key, value, why, why_bytes);
    }
    if (ok) *nav_area_table_put(t, made.id) = made;
    free(copy);
    return ok;
}

bool area_type_values_check(const area_type_values *v, const char *command)
{
    nav_area_table scratch = {.count = 0};
    return area_type_values_apply(v, command, &scratch);
}

bool area_type_values_apply(const area_type_values *v, const char *command, nav_area_table *t)
{
    char why[160];
    for (int i = 0; i < v->changes.count; i++) {
        const char *text = v->changes.items[i].value;
        if (area_args_type(text, t, why, sizeof why)) continue;
        fprintf(stderr, "navctl %s: --area-type %s: %s\n", command, text, why);
        return false;
    }
    return true;
}
