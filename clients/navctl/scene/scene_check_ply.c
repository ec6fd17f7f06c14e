// PLY says in its header how many rows of each element follow; the check walks them.
#include "clients/navctl/scene/scene_check.h"
#include "core/base/endian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64 };

typedef struct ply_property {
    int size;       // bytes of a value
    int count_size; // lists: bytes of the count in front; 0: a single value
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

static int size_of_type(const char *type)
{
    static const struct {
        const char *name;
        int size;
    } types[] = {{"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
                 {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
                 {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!strcmp(types[i].name, type)) return types[i].size;
    }
    return 0;
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
    if (is_list || sscanf(line, "property %31s %31s", b, c) == 2) {
        ply_element *e = h->element_count ? &h->elements[h->element_count - 1] : NULL;
        if (!e || e->property_count == MAX_PROPERTIES) return false;
        ply_property p = {size_of_type(b), is_list ? size_of_type(a) : 0};
        e->properties[e->property_count++] = p;
        return p.size > 0 && (!is_list || (p.count_size > 0 && p.count_size <= 4));
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

static bool check_text(const uint8_t *bytes, size_t count, const ply_header *h, char *why, size_t why_bytes)
{
    uint64_t wanted = 0, found = 0;
    for (int e = 0; e < h->element_count; e++) wanted += h->elements[e].rows;
    bool in_line = false;
    for (size_t i = h->body; i < count; i++) {
        if (bytes[i] == '\n') {
            in_line = false;
        } else if (!in_line && bytes[i] > ' ') {
            in_line = true;
            found++;
        }
    }
    if (found >= wanted) return true;
    snprintf(why, why_bytes, "the file is cut short: its header promises %llu rows, it has %llu",
             (unsigned long long)wanted, (unsigned long long)found);
    return false;
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
                at += (size_t)values * (size_t)p->size;
            }
        }
    }
    return true;
}

bool scene_check_ply(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    ply_header h = {0};
    if (!parse_header(bytes, count, &h, why, why_bytes)) return false;
    return h.is_text ? check_text(bytes, count, &h, why, why_bytes) : check_binary(bytes, count, &h, why, why_bytes);
}
