#include "tests/daemon/prometheus.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, LABELS_BYTES = 256, MAX_SEEN = 4096 };

typedef struct checker {
    char family[NAME_BYTES], type[16]; // of the samples that may come now
    bool has_help, has_type;
    char *families[MAX_SEEN], *samples[MAX_SEEN];
    unsigned family_count, sample_count;
    // The histogram's series that is being read.
    char series[LABELS_BYTES];
    double last_bound, last_count;
    bool in_series;
} checker;

static bool is_name(const char *s, size_t n)
{
    if (!n || n >= NAME_BYTES || isdigit((unsigned char)s[0])) return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && s[i] != '_' && s[i] != ':') return false;
    return true;
}

static bool remember(char **list, unsigned *count, const char *what, size_t n)
{
    for (unsigned i = 0; i < *count; i++)
        if (strlen(list[i]) == n && !memcmp(list[i], what, n)) return false;
    if (*count == MAX_SEEN) return false;
    list[(*count)++] = strndup(what, n);
    return true;
}

static const char *check_comment(checker *c, const char *line)
{
    bool help = !strncmp(line, "# HELP ", 7), type = !strncmp(line, "# TYPE ", 7);
    if (!help && !type) return "a comment that is neither HELP nor TYPE";
    const char *name = line + 7, *space = strchr(name, ' ');
    size_t n = space ? (size_t)(space - name) : 0;
    if (!is_name(name, n)) return "no metric's name";
    if (strlen(c->family) != n || memcmp(c->family, name, n) != 0) {
        if (c->has_help && !c->has_type) return "the family before it has no TYPE";
        if (!remember(c->families, &c->family_count, name, n)) return "the family was there before";
        snprintf(c->family, sizeof c->family, "%.*s", (int)n, name);
        c->has_help = c->has_type = c->in_series = false;
    }
    if (help ? c->has_help : c->has_type) return "it stands twice";
    if (help) {
        c->has_help = true;
        return space[1] ? NULL : "no words";
    }
    c->has_type = true;
    snprintf(c->type, sizeof c->type, "%s", space + 1);
    if (strcmp(c->type, "counter") && strcmp(c->type, "gauge") && strcmp(c->type, "histogram")) return "no known type";
    bool total = n > 6 && !memcmp(name + n - 6, "_total", 6);
    if (total != !strcmp(c->type, "counter")) return "a counter's name, and only that, ends in _total";
    return NULL;
}

// name="value",... without braces; le, if it is the last, goes to *bound and is cut off.
static const char *check_labels(char *labels, double *bound)
{
    for (char *at = labels; *at;) {
        char *equals = strchr(at, '=');
        if (!equals || !is_name(at, (size_t)(equals - at)) || equals[1] != '"') return "labels are not NAME=\"VALUE\"";
        char *end = equals + 2;
        for (; *end && *end != '"'; end++)
            if (*end == '\\' && !strchr("\\\"n", *++end)) return "a label's escape";
        if (!*end) return "a label's value has no end";
        if (!strncmp(at, "le=", 3)) {
            if (end[1]) return "le is not the last label";
            *bound = !strncmp(equals + 2, "+Inf\"", 5) ? INFINITY : strtod(equals + 2, NULL);
            if (at > labels) at--; // its comma
            *at = 0;
            return NULL;
        }
        at = end + 1;
        if (*at == ',' && at[1])
            at++;
        else if (*at)
            return "labels are not separated by commas";
    }
    return NULL;
}

static const char *check_histogram(checker *c, const char *suffix, const char *labels, double bound, double value)
{
    if (!strcmp(suffix, "_bucket")) {
        if (isnan(bound)) return "a bucket without le";
        if (!c->in_series || strcmp(c->series, labels) != 0) {
            c->in_series = true;
            snprintf(c->series, sizeof c->series, "%s", labels);
            c->last_bound = -INFINITY;
            c->last_count = 0;
        }
        if (bound <= c->last_bound) return "bounds do not rise";
        if (value < c->last_count) return "buckets are not cumulative";
        c->last_bound = bound;
        c->last_count = value;
        return NULL;
    }
    if (!c->in_series || strcmp(c->series, labels) != 0 || !isinf(c->last_bound)) return "it has no +Inf bucket before";
    if (!strcmp(suffix, "_sum")) return NULL;
    if (strcmp(suffix, "_count") != 0) return "a sample that no histogram has";
    return value == c->last_count ? NULL : "the count is not that of the +Inf bucket";
}

static const char *check_sample(checker *c, const char *line)
{
    char labels[LABELS_BYTES] = "", *end;
    double bound = NAN;
    size_t n = strcspn(line, "{ "), family = strlen(c->family);
    if (!is_name(line, n)) return "no metric's name";
    if (!c->has_help || !c->has_type) return "no HELP and TYPE before it";
    if (n < family || memcmp(line, c->family, family) != 0) return "it is not of the family before it";
    const char *at = line + n;
    if (*at == '{') {
        const char *close = strrchr(line, '}');
        if (!close || (size_t)(close - at) >= sizeof labels) return "labels have no end";
        snprintf(labels, sizeof labels, "%.*s", (int)(close - at - 1), at + 1);
        if (!labels[0]) return "empty braces";
        at = close + 1;
    }
    if (!remember(c->samples, &c->sample_count, line, (size_t)(at - line))) return "the sample was there before";
    const char *fault = check_labels(labels, &bound);
    if (fault) return fault;
    if (*at != ' ' || isspace((unsigned char)at[1])) return "no value";
    double value = strtod(at + 1, &end);
    if (end == at + 1 || *end) return "the value is no number";
    char suffix[32];
    snprintf(suffix, sizeof suffix, "%.*s", (int)(n - family), line + family);
    if (!strcmp(c->type, "histogram")) return check_histogram(c, suffix, labels, bound, value);
    if (suffix[0] || !isnan(bound)) return "it is not of the family before it";
    return value < 0 && !strcmp(c->type, "counter") ? "a counter below zero" : NULL;
}

bool prometheus_check(const char *text, char *why, size_t why_bytes)
{
    checker *c = calloc(1, sizeof *c);
    const char *fault = c ? NULL : "no memory";
    unsigned number = 0;
    char line[1024] = "";
    for (const char *at = text, *end; !fault && *at; at = end + 1) {
        number++;
        end = strchr(at, '\n');
        if (!end || (size_t)(end - at) >= sizeof line) {
            fault = "the line has no end";
            break;
        }
        snprintf(line, sizeof line, "%.*s", (int)(end - at), at);
        fault = line[0] == '#' ? check_comment(c, line) : check_sample(c, line);
    }
    if (!fault && !c->sample_count) fault = "there is no sample";
    if (fault) snprintf(why, why_bytes, "line %u, %s: %s", number, fault, line);
    for (unsigned i = 0; c && i < c->family_count; i++) free(c->families[i]);
    for (unsigned i = 0; c && i < c->sample_count; i++) free(c->samples[i]);
    free(c);
    return !fault;
}

double prometheus_value(const char *text, const char *sample)
{
    size_t n = strlen(sample);
    for (const char *at = text; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (!strncmp(at, sample, n) && at[n] == ' ') return strtod(at + n + 1, NULL);
    return -1;
}
