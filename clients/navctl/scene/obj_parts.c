#include "clients/navctl/scene/obj_parts.h"
#include "clients/navctl/scene/scene_check.h"
#include "core/base/parallel.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cursor {
    const uint8_t *at, *end;
    size_t line; // of the part, from 0
    bool odd;    // as in obj_parts
} cursor;

// What is wrong, and where: the line is known when the lines of the parts before are counted.
typedef struct fault {
    bool found;
    size_t line; // of the part, from 0
    char text[160];
} fault;

__attribute__((format(printf, 3, 4))) static bool fail(fault *f, size_t line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
    f->found = true;
    f->line = line;
    return false;
}

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
        c->odd = true;
    }
    return c->at < c->end && *c->at != '\n';
}

static void skip_word(cursor *c)
{
    while (c->at < c->end && *c->at != '\n' && !is_blank(*c->at)) c->at++;
}

static bool is_finite(const uint8_t *word)
{
    if (*word == '-' || *word == '+') word++;
    return (*word >= '0' && *word <= '9') || *word == '.';
}

// The x, y and z of a vertex; what follows them is a weight when it is one number, else a colour.
static bool check_vertex(cursor *c, fault *f)
{
    size_t line = c->line;
    for (int words = 0; words < 3; words++) {
        if (!next_word(c)) return fail(f, line, "a vertex with %d of 3 numbers", words);
        const uint8_t *word = c->at;
        skip_word(c);
        size_t length = (size_t)(c->at - word);
        if (!scene_is_number(word, length))
            return fail(f, c->line, "'%.*s' is not a number", length < 32 ? (int)length : 32, word);
        if (*word == '.') // the importer does not count it
            return fail(f, c->line, "a number needs a digit in front of its point: 0.5, not .5");
        c->odd |= !is_finite(word);
    }
    int further = 0;
    for (; further < 2 && next_word(c); further++) skip_word(c);
    c->odd |= further == 1;
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

// One part, looked at by one thread at a time.
typedef struct scan {
    obj_part *part;
    int64_t verts_total;   // < 0: vertices are counted and checked; else faces are
    _Atomic uint8_t *used; // of all vertices, where it is wanted
    size_t lines;
    bool odd;
    fault fault;
} scan;

static bool check_face(cursor *c, const scan *s, int64_t verts_before, fault *f)
{
    int corners = 0;
    for (; next_word(c); corners++) {
        int64_t index;
        bool ok = read_index(c, &index);
        if (!ok || (c->at < c->end && *c->at != '/' && *c->at != '\n' && !is_blank(*c->at)))
            return fail(f, c->line, "corner %d of the face is not a vertex number", corners + 1);
        int64_t vertex = index < 0 ? verts_before + index : index - 1;
        if (index == 0 || vertex < 0 || vertex >= s->verts_total)
            return fail(f, c->line, "the face names vertex %lld, the file has %lld", (long long)index,
                        (long long)s->verts_total);
        if (s->used) atomic_store_explicit(&s->used[vertex], 1, memory_order_relaxed);
        skip_word(c);
    }
    return corners >= 3 || fail(f, c->line, "a face with %d corners; 3 is the least", corners);
}

static bool has_lone_return(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (at = memchr(at, '\r', (size_t)(end - at)))) {
        if (++at == end || *at != '\n') return true;
    }
    return false;
}

// The rest of a line of another kind.
static void skip_line(cursor *c, const uint8_t *word)
{
    const uint8_t *line_end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    if (!line_end) line_end = c->end;
    if (word[0] == '#' || !memchr(c->at, '\\', (size_t)(line_end - c->at))) {
        c->at = line_end;
    } else {
        while (next_word(c)) skip_word(c);
    }
}

static void scan_part(void *user, int which)
{
    scan *s = &((scan *)user)[which];
    const obj_part *part = s->part;
    const bool counts = s->verts_total < 0;
    cursor c = {part->begin, part->end, 0, false};
    int64_t verts = 0, faces = 0;
    while (c.at < c.end) {
        if (next_word(&c)) {
            const uint8_t *word = c.at;
            skip_word(&c);
            bool is_letter = c.at - word == 1, is_vertex = is_letter && *word == 'v',
                 is_face = is_letter && *word == 'f';
            verts += is_vertex;
            faces += is_face;
            if (is_vertex && counts && !check_vertex(&c, &s->fault)) return;
            if (is_face && !counts && !check_face(&c, s, part->verts_before + verts, &s->fault)) return;
            if (is_letter && (*word == 'g' || *word == 'o') && !next_word(&c)) c.odd = true;
            skip_line(&c, word);
        }
        if (c.at < c.end) {
            c.at++;
            if (c.at < c.end) c.line++;
        }
    }
    if (!counts) return;
    s->part->verts = verts;
    s->part->faces = faces;
    s->lines = c.line + (c.end > part->begin && c.end[-1] == '\n');
    s->odd = c.odd || has_lone_return(part->begin, part->end);
}

// Behind a line end that no backslash joins to the next line.
static const uint8_t *find_cut(const uint8_t *first, const uint8_t *at, const uint8_t *end)
{
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        const uint8_t *before = at - (at > first && at[-1] == '\r');
        at++;
        if (before == first || before[-1] != '\\') return at;
    }
    return end;
}

static bool cut(const scene_file *file, int threads, obj_parts *out)
{
    enum { LEAST_BYTES = 1 << 17 };
    size_t most = file->count / LEAST_BYTES + 1, wanted = threads > 1 ? (size_t)threads * 8 : 1;
    if (wanted > most) wanted = most;
    *out = (obj_parts){.parts = calloc(wanted, sizeof *out->parts)};
    if (!out->parts) return false;
    const uint8_t *at = file->bytes, *end = at + file->count;
    for (size_t i = 1; i <= wanted && at < end; i++) {
        const uint8_t *next = i == wanted ? end : file->bytes + file->count / wanted * i;
        if (next < at) next = at;
        next = find_cut(file->bytes, next, end);
        out->parts[out->count++] = (obj_part){.begin = at, .end = next};
        at = next;
    }
    return true;
}

// Runs over all parts. False: the first fault of the file, with its line.
static bool scan_all(scan *scans, const obj_parts *p, const nav_parallel *parallel, char *why, size_t why_bytes)
{
    nav_parallel_run(parallel, scan_part, scans, p->count);
    for (int i = 0; i < p->count; i++) {
        if (scans[i].fault.found) {
            snprintf(why, why_bytes, "line %zu: %s", p->parts[i].line + scans[i].fault.line, scans[i].fault.text);
            return false;
        }
        if (i + 1 < p->count) p->parts[i + 1].line = p->parts[i].line + scans[i].lines;
    }
    return true;
}

static bool check_vertices(scan *scans, obj_parts *p, const nav_parallel *parallel, size_t *last_line, char *why,
                           size_t why_bytes)
{
    for (int i = 0; i < p->count; i++) scans[i] = (scan){.part = &p->parts[i], .verts_total = -1};
    p->parts[0].line = 1;
    if (!scan_all(scans, p, parallel, why, why_bytes)) return false;
    for (int i = 0; i < p->count; i++) {
        p->parts[i].verts_before = p->verts;
        p->verts += p->parts[i].verts;
        p->faces += p->parts[i].faces;
        p->odd |= scans[i].odd;
    }
    const obj_part *last = &p->parts[p->count - 1];
    *last_line = last->line + scans[p->count - 1].lines - (last->end[-1] == '\n');
    if (p->verts > 0 && p->faces > 0) return true;
    snprintf(why, why_bytes, "no %s up to its end at line %zu: not an OBJ file, or cut short",
             p->verts == 0 ? "vertices" : "faces", *last_line);
    return false;
}

static bool check_faces(scan *scans, const obj_parts *p, const nav_parallel *parallel, _Atomic uint8_t *used,
                        size_t last_line, char *why, size_t why_bytes)
{
    for (int i = 0; i < p->count; i++) {
        scans[i].verts_total = p->verts;
        scans[i].used = used;
    }
    if (!scan_all(scans, p, parallel, why, why_bytes)) return false;
    int64_t unused = 0;
    for (int64_t v = 0; used && v < p->verts; v++) unused += !used[v];
    if (unused == 0) return true;
    snprintf(why, why_bytes,
             "cut short at line %zu: the last line has no line end, and no face uses %lld of the %lld vertices",
             last_line, (long long)unused, (long long)p->verts);
    return false;
}

bool obj_parts_check(const scene_file *file, const nav_parallel *parallel, obj_parts *out, char *why, size_t why_bytes)
{
    const uint8_t *bytes = file->bytes;
    size_t last_line = 0, head = file->count < 4096 ? file->count : 4096;
    bool cut_short = bytes[file->count - 1] != '\n'; // perhaps
    *out = (obj_parts){0};
    if (memchr(bytes, 0, head)) {
        snprintf(why, why_bytes, "not an OBJ file: it is binary");
        return false;
    }
    scan *scans = NULL;
    _Atomic uint8_t *used = NULL;
    bool ok = false, room = cut(file, parallel ? parallel->threads : 1, out);
    if (room) scans = calloc((size_t)out->count, sizeof *scans);
    room = scans != NULL;
    if (room && !check_vertices(scans, out, parallel, &last_line, why, why_bytes)) goto done;
    if (room && cut_short) room = (used = calloc((size_t)out->verts, sizeof *used)) != NULL;
    if (room)
        ok = check_faces(scans, out, parallel, used, last_line, why, why_bytes);
    else
        snprintf(why, why_bytes, "no memory to check it");
done:
    free(scans);
    free((void *)used);
    if (!ok) obj_parts_deinit(out);
    return ok;
}

void obj_parts_deinit(obj_parts *p)
{
    free(p->parts);
    *p = (obj_parts){0};
}
