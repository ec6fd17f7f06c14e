// OBJ has no counts and no end mark. What gives a cut file away: a corner that names a vertex which does not exist, a
// line with fewer numbers than its kind needs, or a last line without a line end in a file whose later vertices no face
// uses (exporters write vertices first, so a cut in the faces leaves vertices over).
#include "clients/navctl/scene/scene_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cursor {
    const uint8_t *at, *end;
    size_t line;
} cursor;

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Skips blanks and a line end that a backslash joins. False at the end of the line.
static bool next_word(cursor *c)
{
    for (;;) {
        while (c->at < c->end && is_blank(*c->at)) c->at++;
        if (c->end - c->at < 2 || *c->at != '\\') break;
        const uint8_t *p = c->at + 1;
        if (*p == '\r' && c->end - p > 1) p++;
        if (*p != '\n') break;
        c->at = p + 1;
        c->line++;
    }
    return c->at < c->end && *c->at != '\n';
}

static void skip_word(cursor *c)
{
    while (c->at < c->end && *c->at != '\n' && !is_blank(*c->at)) c->at++;
}

// The x, y and z of a vertex; what follows them on the line is left there.
static bool check_vertex(cursor *c, char *why, size_t why_bytes)
{
    size_t line = c->line;
    for (int words = 0; words < 3; words++) {
        if (!next_word(c)) {
            snprintf(why, why_bytes, "line %zu: a vertex with %d of 3 numbers", line, words);
            return false;
        }
        const uint8_t *word = c->at;
        skip_word(c);
        size_t length = (size_t)(c->at - word);
        if (!scene_is_number(word, length)) {
            snprintf(why, why_bytes, "line %zu: '%.*s' is not a number", c->line, length < 32 ? (int)length : 32, word);
            return false;
        }
        if (*word == '.') { // the importer does not count it
            snprintf(why, why_bytes, "line %zu: a number needs a digit in front of its point: 0.5, not .5", c->line);
            return false;
        }
    }
    return true;
}

static bool read_index(cursor *c, int64_t *out)
{
    bool negative = c->at < c->end && *c->at == '-';
    if (negative) c->at++;
    const uint8_t *first = c->at;
    int64_t value = 0;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9' && value < INT32_MAX) value = value * 10 + (*c->at++ - '0');
    *out = negative ? -value : value;
    return c->at > first;
}

typedef struct obj_scan {
    int64_t verts, faces;
    uint8_t *used; // a bit per vertex, when allocated
    int64_t used_count;
} obj_scan;

static bool check_face(cursor *c, obj_scan *scan, int64_t verts_total, char *why, size_t why_bytes)
{
    int corners = 0;
    for (; next_word(c); corners++) {
        int64_t index;
        bool ok = read_index(c, &index);
        if (!ok || (c->at < c->end && *c->at != '/' && *c->at != '\n' && !is_blank(*c->at))) {
            snprintf(why, why_bytes, "line %zu: corner %d of the face is not a vertex number", c->line, corners + 1);
            return false;
        }
        int64_t vertex = index < 0 ? scan->verts + index : index - 1;
        if (index == 0 || vertex < 0 || vertex >= verts_total) {
            snprintf(why, why_bytes, "line %zu: the face names vertex %lld, the file has %lld", c->line,
                     (long long)index, (long long)verts_total);
            return false;
        }
        uint8_t *byte = &scan->used[vertex / 8], bit = (uint8_t)(1u << (vertex % 8));
        scan->used_count += !(*byte & bit);
        *byte |= bit;
        skip_word(c);
    }
    if (corners >= 3) return true;
    snprintf(why, why_bytes, "line %zu: a face with %d corners; 3 is the least", c->line, corners);
    return false;
}

// One pass over the lines. verts_total < 0: vertices are counted and checked; else faces are.
static bool scan_lines(const uint8_t *bytes, size_t count, obj_scan *scan, int64_t verts_total, size_t *last_line,
                       char *why, size_t why_bytes)
{
    cursor c = {bytes, bytes + count, 1};
    while (c.at < c.end) {
        if (next_word(&c)) {
            const uint8_t *word = c.at;
            skip_word(&c);
            bool is_vertex = c.at - word == 1 && *word == 'v', is_face = c.at - word == 1 && *word == 'f';
            if (is_vertex && verts_total < 0 && !check_vertex(&c, why, why_bytes)) return false;
            scan->verts += is_vertex;
            scan->faces += is_face;
            if (is_face && verts_total >= 0 && !check_face(&c, scan, verts_total, why, why_bytes)) return false;
            const uint8_t *line_end = memchr(c.at, '\n', (size_t)(c.end - c.at));
            if (word[0] == '#' || !memchr(c.at, '\\', (size_t)((line_end ? line_end : c.end) - c.at))) {
                c.at = line_end ? line_end : c.end;
            } else {
                while (next_word(&c)) skip_word(&c);
            }
        }
        if (c.at < c.end) {
            c.at++;
            if (c.at < c.end) c.line++;
        }
    }
    *last_line = c.line;
    return true;
}

bool scene_check_obj(const scene_file *file, char *why, size_t why_bytes)
{
    const uint8_t *bytes = file->bytes;
    size_t count = file->count;
    obj_scan scan = {0};
    size_t last_line = 0;
    if (memchr(bytes, 0, count < 4096 ? count : 4096)) {
        snprintf(why, why_bytes, "not an OBJ file: it is binary");
        return false;
    }
    if (!scan_lines(bytes, count, &scan, -1, &last_line, why, why_bytes)) return false;
    int64_t verts = scan.verts;
    if (verts == 0 || scan.faces == 0) {
        snprintf(why, why_bytes, "no %s up to its end at line %zu: not an OBJ file, or cut short",
                 verts == 0 ? "vertices" : "faces", last_line);
        return false;
    }
    scan = (obj_scan){.used = calloc((size_t)verts / 8 + 1, 1)};
    if (!scan.used) {
        snprintf(why, why_bytes, "no memory to check its faces");
        return false;
    }
    bool ok = scan_lines(bytes, count, &scan, verts, &last_line, why, why_bytes);
    if (ok && bytes[count - 1] != '\n' && scan.used_count < verts) {
        snprintf(why, why_bytes,
                 "cut short at line %zu: the last line has no line end, and no face uses %lld of the %lld vertices",
                 last_line, (long long)(verts - scan.used_count), (long long)verts);
        ok = false;
    }
    free(scan.used);
    return ok;
}
