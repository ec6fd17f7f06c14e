// PLY says in its header how many rows of each element follow; the check walks them, and looks at each index of a face.
#include "clients/navctl/scene/scene_check.h"
#include "core/base/endian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64 };

typedef struct ply_property {
    int size;       // bytes of a value
    int count_size; // lists: bytes of the count in front; 0: a single value
    bool is_signed;
    bool is_index; // a list of vertices
} ply_property;

typedef struct ply_element {
    char name[32];
    uint64_t rows;
    ply_property properties[MAX_PROPERTIES];
    int property_count;
} ply_element;

typedef struct ply_header {
    ply_element elements[MAX_ELEMENTS];
    int element_count;
    bool is_text, is_big_endian;
    size_t body;
} ply_header;

typedef struct value_type {
    const char *name;
    int size;
    bool is_whole, is_signed;
} value_type;

static const value_type *find_type(const char *name)
{
    static const value_type types[] = {
        {"char", 1, true, true},   {"int8", 1, true, true},     {"uchar", 1, true, false},  {"uint8", 1, true, false},
        {"short", 2, true, true},  {"int16", 2, true, true},    {"ushort", 2, true, false}, {"uint16", 2, true, false},
        {"int", 4, true, true},    {"int32", 4, true, true},    {"uint", 4, true, false},   {"uint32", 4, true, false},
        {"float", 4, false, true}, {"float32", 4, false, true}, {"double", 8, false, true}, {"float64", 8, false, true},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!strcmp(types[i].name, name)) return &types[i];
    }
    return NULL;
}

static bool parse_header_line(const char *line, ply_header *h)
{
    char a[32] = "", b[32] = "", c[32] = "", word[32] = "";
    unsigned long long rows;
    if (sscanf(line, "element %31s %llu", a, &rows) == 2) {
        if (h->element_count == MAX_ELEMENTS) return false;
        ply_element *e = &h->elements[h->element_count++];
        *e = (ply_element){.rows = rows};
        memcpy(e->name, a, sizeof a);
        return true;
    }
    bool is_list = sscanf(line, "property list %31s %31s %31s", a, b, c) == 3;
    if (is_list || sscanf(line, "property %31s %31s", a, b) == 2) {
        ply_element *e = h->element_count ? &h->elements[h->element_count - 1] : NULL;
        if (!e || e->property_count == MAX_PROPERTIES) return false;
        const value_type *value = find_type(is_list ? b : a), *counts = is_list ? find_type(a) : NULL;
        if (!value || (is_list && !(counts && counts->is_whole))) return false;
        ply_property p = {.size = value->size, .count_size = counts ? counts->size : 0, .is_signed = value->is_signed};
        p.is_index =
            is_list && (!strcmp(c, "vertex_indices") || !strcmp(c, "vertex_index")) && !strcmp(e->name, "face");
        e->properties[e->property_count++] = p;
        return !p.is_index || value->is_whole;
    }
    if (sscanf(line, "format %31s", a) == 1) {
        h->is_text = !strcmp(a, "ascii");
        h->is_big_endian = !strcmp(a, "binary_big_endian");
        return h->is_text || h->is_big_endian || !strcmp(a, "binary_little_endian");
    }
    return sscanf(line, "%31s", word) != 1 || !strcmp(word, "ply") || !strcmp(word, "comment") ||
           !strcmp(word, "obj_info");
}

static bool parse_header(const uint8_t *bytes, size_t count, ply_header *h, char *why, size_t why_bytes)
{
    if (count < 4 || memcmp(bytes, "ply", 3) != 0) {
        snprintf(why, why_bytes, "not a PLY file: it does not begin with 'ply'");
        return false;
    }
    size_t line_number = 1;
    for (size_t at = 0; at < count; line_number++) {
        const uint8_t *end = memchr(bytes + at, '\n', count - at);
        if (!end) break;
        char line[256];
        size_t length = (size_t)(end - bytes) - at;
        if (length >= sizeof line) length = sizeof line - 1;
        memcpy(line, bytes + at, length);
        line[length] = '\0';
        at = (size_t)(end - bytes) + 1;
        if (!strncmp(line, "end_header", 10)) {
            h->body = at;
            return true;
        }
        if (!parse_header_line(line, h)) {
            snprintf(why, why_bytes, "line %zu: not a header line of PLY", line_number);
            return false;
        }
    }
    snprintf(why, why_bytes, "the file is cut short: no 'end_header' in its %zu lines", line_number);
    return false;
}

static bool check_index(const ply_header *h, const ply_element *e, uint64_t row, long long index, char *why,
                        size_t why_bytes)
{
    uint64_t vertices = 0;
    for (int i = 0; i < h->element_count; i++) {
        if (!strcmp(h->elements[i].name, "vertex")) vertices = h->elements[i].rows;
    }
    if (index >= 0 && (uint64_t)index < vertices) return true;
    snprintf(why, why_bytes, "%s %llu of %llu names vertex %lld, but the file has %llu, counted from 0", e->name,
             (unsigned long long)row + 1, (unsigned long long)e->rows, index, (unsigned long long)vertices);
    return false;
}

typedef struct text_cursor {
    const uint8_t *at, *end; // of the row
    char word[64];
} text_cursor;

static bool next_number(text_cursor *c)
{
    while (c->at < c->end && *c->at <= ' ') c->at++;
    const uint8_t *first = c->at;
    while (c->at<c->end && * c->at> ' ') c->at++;
    size_t length = (size_t)(c->at - first), kept = length < sizeof c->word ? length : sizeof c->word - 1;
    memcpy(c->word, first, kept);
    c->word[kept] = '\0';
    return length < sizeof c->word && scene_is_number(first, length);
}

// One row of an element, all of it on one line.
static bool check_text_row(const ply_header *h, const ply_element *e, uint64_t row, text_cursor *c, char *why,
                           size_t why_bytes)
{
    for (int k = 0; k < e->property_count; k++) {
        const ply_property *p = &e->properties[k];
        uint64_t values = 1;
        if (p->count_size > 0) {
            if (!next_number(c)) goto damaged;
            values = *c->word == '-' ? UINT64_MAX : strtoull(c->word, NULL, 10);
        }
        for (uint64_t i = 0; i < values; i++) {
            if (!next_number(c)) goto damaged;
            if (p->is_index && !check_index(h, e, row, strtoll(c->word, NULL, 10), why, why_bytes)) return false;
        }
    }
    return true;
damaged:
    snprintf(why, why_bytes, *c->word ? "%s %llu of %llu: '%s' is not a number" : "%s %llu of %llu is cut short%s",
             e->name, (unsigned long long)row + 1, (unsigned long long)e->rows, c->word);
    return false;
}

static bool check_text(const uint8_t *bytes, size_t count, const ply_header *h, char *why, size_t why_bytes)
{
    const uint8_t *at = bytes + h->body, *end = bytes + count;
    for (int i = 0; i < h->element_count; i++) {
        const ply_element *e = &h->elements[i];
        for (uint64_t row = 0; row < e->rows && e->property_count > 0; row++) {
            while (at < end && *at <= ' ') at++;
            if (at == end) {
                snprintf(why, why_bytes, "the file is cut short: it has %llu of %llu rows of %s",
                         (unsigned long long)row, (unsigned long long)e->rows, e->name);
                return false;
            }
            const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
            text_cursor c = {.at = at, .end = line_end ? line_end : end};
            at = c.end;
            if (!check_text_row(h, e, row, &c, why, why_bytes)) return false;
        }
    }
    return true;
}

static uint64_t load_count(const uint8_t *p, int size, bool is_big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)p[is_big_endian ? size - 1 - i : i] << (8 * i);
    return value;
}

static bool check_binary(const uint8_t *bytes, size_t count, const ply_header *h, char *why, size_t why_bytes)
{
    size_t at = h->body;
    for (int i = 0; i < h->element_count; i++) {
        const ply_element *e = &h->elements[i];
        for (uint64_t row = 0; row < e->rows && e->property_count > 0; row++) {
            for (int k = 0; k < e->property_count; k++) {
                const ply_property *p = &e->properties[k];
                uint64_t values = 1;
                if (p->count_size > 0 && count - at >= (size_t)p->count_size) {
                    values = load_count(bytes + at, p->count_size, h->is_big_endian);
                    at += (size_t)p->count_size;
                }
                if (values > (count - at) / (size_t)p->size) {
                    snprintf(why, why_bytes, "the file is cut short: it ends in %s %llu of %llu", e->name,
                             (unsigned long long)row + 1, (unsigned long long)e->rows);
                    return false;
                }
                for (uint64_t n = 0; p->is_index && n < values; n++) {
                    uint64_t index = load_count(bytes + at + (size_t)n * (size_t)p->size, p->size, h->is_big_endian);
                    bool is_negative = p->is_signed && index >> (8 * p->size - 1);
                    long long value = (long long)index - (is_negative ? 1LL << (8 * p->size) : 0);
                    if (!check_index(h, e, row, value, why, why_bytes)) return false;
                }
                at += (size_t)values * (size_t)p->size;
            }
        }
    }
    return true;
}

bool scene_check_ply(const scene_file *file, char *why, size_t why_bytes)
{
    const uint8_t *bytes = file->bytes;
    size_t count = file->count;
    ply_header h = {0};
    if (!parse_header(bytes, count, &h, why, why_bytes)) return false;
    return h.is_text ? check_text(bytes, count, &h, why, why_bytes) : check_binary(bytes, count, &h, why, why_bytes);
}
