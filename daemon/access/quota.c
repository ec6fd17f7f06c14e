#include "daemon/access/quota.h"

#include "daemon/access/namespace.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define QUOTA_NAME(name, words) #name,
    ND_QUOTA_LIST(QUOTA_NAME)
#undef QUOTA_NAME
};

static nd_quota unbounded(void)
{
    nd_quota q;
    for (int k = 0; k < ND_QUOTA_COUNT; k++) q.max[k] = UINT64_MAX;
    return q;
}

nd_quota nd_quotas_of(const nd_quotas *q, const char *name)
{
    const nd_quota_line *rest = NULL;
    for (size_t i = 0; i < q->count; i++) {
        if (!strcmp(q->lines[i].name, name)) return q->lines[i].quota;
        if (!strcmp(q->lines[i].name, "*")) rest = &q->lines[i];
    }
    return rest ? rest->quota : unbounded();
}

uint32_t nd_quota_weight(const nd_quota *q)
{
    uint64_t w = q->max[ND_QUOTA_weight];
    return w == UINT64_MAX || w < 1 ? 1 : w > 1000 ? 1000 : (uint32_t)w;
}

// "64M". At most 2^62.
static bool parse_value(const char *text, size_t length, uint64_t *out)
{
    uint64_t v = 0;
    size_t i = 0;
    for (; i < length && isdigit((unsigned char)text[i]); i++) {
        if (v > (UINT64_C(1) << 62) / 10) return false;
        v = v * 10 + (uint64_t)(text[i] - '0');
    }
    if (!i || length - i > 1) return false;
    static const char units[] = "KMG";
    const char *unit = i < length ? memchr(units, toupper((unsigned char)text[i]), 3) : NULL;
    if (i < length && !unit) return false;
    for (long n = unit ? unit - units + 1 : 0; n > 0; n--) {
        if (v > UINT64_C(1) << 52) return false;
        v *= 1024;
    }
    *out = v;
    return true;
}

static bool read_word(const char **at, const char *end, const char **word, size_t *length)
{
    while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r')) (*at)++;
    if (*at == end || **at == '#') return false;
    *word = *at;
    while (*at < end && **at != ' ' && **at != '\t' && **at != '\r') (*at)++;
    *length = (size_t)(*at - *word);
    return true;
}

// NULL, or what is wrong with it.
static const char *read_quota(nd_quota *q, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    if (!equals) return "a quota is NAME=VALUE";
    size_t name = (size_t)(equals - word);
    for (int k = 0; k < ND_QUOTA_COUNT; k++) {
        if (strlen(names[k]) != name || memcmp(names[k], word, name) != 0) continue;
        if (q->max[k] != UINT64_MAX) return "the quota appears twice";
        return parse_value(equals + 1, length - name - 1, &q->max[k])
                   ? NULL
                   : "the value must be a number, optionally with K, M or G";
    }
    return "unknown quota; known quotas are max_worlds, max_objects, max_tiles, max_mesh_bytes, max_sessions, "
           "max_edits_per_second and weight";
}

static const char *read_line(nd_quota_line *l, const char *at, const char *end, const char **word, size_t *length)
{
    bool any = *length == 1 && **word == '*';
    if (!any && !nd_namespace_name_is_valid(*word, *length))
        return "a namespace is at most 63 letters, digits, '-', '_' and '.'; * stands for all others";
    memcpy(l->name, *word, *length);
    l->name[*length] = 0;
    l->quota = unbounded();
    const char *wrong = NULL;
    while (!wrong && read_word(&at, end, word, length)) wrong = read_quota(&l->quota, *word, *length);
    return wrong;
}

static bool is_named(const nd_quotas *q, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(q->lines[i].name, name)) return true;
    return false;
}

nav_status nd_quotas_parse(const char *text, size_t size, nd_quotas *out, char *why, size_t why_bytes)
{
    nd_quotas q = {0};
    size_t line = 0;
    for (const char *at = text, *end = text + size; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *word, *cursor = at;
        size_t length;
        if (!stop) stop = end;
        at = stop < end ? stop + 1 : end;
        if (!read_word(&cursor, stop, &word, &length)) continue;
        nd_quota_line *grown = q.count < ND_MAX_NAMESPACES ? realloc(q.lines, (q.count + 1) * sizeof *grown) : NULL;
        if (!grown) {
            nd_quotas_deinit(&q);
            snprintf(why, why_bytes, "line %zu: no room for more than %d namespaces", line + 1, ND_MAX_NAMESPACES);
            return NAV_ERR_MEMORY;
        }
        q.lines = grown;
        const char *wrong = read_line(&q.lines[q.count], cursor, stop, &word, &length);
        if (!wrong && is_named(&q, q.count, q.lines[q.count].name)) wrong = "the namespace already has a line";
        if (wrong) {
            snprintf(why, why_bytes, "line %zu: %.*s: %s", line + 1, (int)(length < 80 ? length : 80), word, wrong);
            nd_quotas_deinit(&q);
            return NAV_ERR_ARGUMENT;
        }
        q.count++;
    }
    *out = q;
    return NAV_OK;
}

nav_status nd_quotas_load(const char *path, nd_quotas *out, char *why, size_t why_bytes)
{
    char words[320];
    char *text = malloc(ND_QUOTAS_FILE_BYTES + 1);
    FILE *f = text ? fopen(path, "rbe") : NULL;
    if (!f) {
        snprintf(why, why_bytes, "namespaces %s: %s", path, text ? strerror(errno) : "no memory");
        free(text);
        return text ? NAV_ERR_IO : NAV_ERR_MEMORY;
    }
    size_t size = fread(text, 1, ND_QUOTAS_FILE_BYTES + 1, f);
    nav_status s = ferror(f) ? NAV_ERR_IO : size > ND_QUOTAS_FILE_BYTES ? NAV_ERR_LIMIT : NAV_OK;
    fclose(f);
    snprintf(words, sizeof words, "%s", s == NAV_ERR_LIMIT ? "it is larger than 1 MiB" : "it cannot be read");
    if (s == NAV_OK) s = nd_quotas_parse(text, size, out, words, sizeof words);
    if (s != NAV_OK) snprintf(why, why_bytes, "namespaces %s: %s", path, words);
    free(text);
    return s;
}

void nd_quotas_deinit(nd_quotas *q)
{
    free(q->lines);
    *q = (nd_quotas){0};
}
