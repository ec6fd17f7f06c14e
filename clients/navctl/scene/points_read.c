#include "clients/navctl/scene/points_read.h"

#include "clients/navctl/output/text.h"
#include "clients/navctl/scene/ground_scene.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/scene_check.h"
#include "clients/navctl/scene/scene_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 64 };

typedef struct point {
    float at[3];
} point;

typedef struct points_reader {
    point *points;
    uint32_t *lines; // of the points
    uint32_t count, point_capacity, line_capacity;
    uint32_t line, columns; // columns: numbers on each line; 0: not known yet
    bool begun;             // the first line with anything is over
    char *why;
    size_t why_bytes;
} points_reader;

typedef struct word {
    const char *at;
    size_t length;
} word;

__attribute__((format(printf, 2, 3))) static bool fail(const points_reader *r, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(r->why, r->why_bytes, format, values);
    va_end(values);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of a line from *at on; two commas have an empty one between them. False: there is none.
static bool next_word(const char **at, const char *end, char comma, word *out)
{
    const char *p = *at;
    while (p < end && is_blank(*p)) p++;
    if (p == end) return false;
    out->at = p;
    while (p < end && *p != comma && !is_blank(*p)) p++;
    out->length = (size_t)(p - out->at);
    while (p < end && is_blank(*p)) p++;
    if (p < end && *p == comma) p++;
    *at = p;
    return true;
}

static bool is_number(const word *w)
{
    return w->length < WORD_BYTES && scene_is_number((const uint8_t *)w->at, w->length);
}

static float number_of(const word *w)
{
    char text[WORD_BYTES];
    memcpy(text, w->at, w->length);
    text[w->length] = 0;
    return strtof(text, NULL);
}

static bool fail_word(const points_reader *r, const word *w)
{
    char raw[WORD_BYTES], shown[WORD_BYTES + 8];
    snprintf(raw, sizeof raw, "%.*s", w->length < 32 ? (int)w->length : 32, w->at);
    text_printable(raw, shown, sizeof shown, 40);
    if (w->length == 0) return fail(r, "line %u: nothing between two commas; expected a number", r->line);
    if (memchr(w->at, ',', w->length))
        return fail(r, "line %u: '%s' is not a number: decimals have a point, as in 1.5", r->line, shown);
    return fail(r, "line %u: '%s' is not a number", r->line, shown);
}

static bool add_point(points_reader *r, const point *p)
{
    if (r->count == NAV_GROUND_MAX_POINTS)
        return fail(r, "line %u: more than %d points", r->line, NAV_GROUND_MAX_POINTS);
    if (!heap_array_grow(&r->points, &r->point_capacity, r->count + 1, sizeof *r->points) ||
        !heap_array_grow(&r->lines, &r->line_capacity, r->count + 1, sizeof *r->lines))
        return fail(r, "no memory left");
    r->points[r->count] = *p;
    r->lines[r->count++] = r->line;
    return true;
}

// From `at` to `end`, without its comment.
static bool read_line(points_reader *r, const char *at, const char *end)
{
    const char comma = memchr(at, ';', (size_t)(end - at)) ? ';' : ',';
    const bool first = !r->begun;
    uint32_t columns = 0, numbers = 0;
    point p = {{0}};
    word w, wrong = {0};
    while (next_word(&at, end, comma, &w)) {
        r->begun = true;
        const bool ok = is_number(&w);
        if (ok && columns < 3) p.at[columns] = number_of(&w);
        if (!ok && !wrong.at) wrong = w;
        columns++;
        numbers += ok;
    }
    if (columns == 0 || (first && numbers == 0)) return true; // empty, or names of columns
    if (wrong.at) return fail_word(r, &wrong);
    if (columns < 3) return fail(r, "line %u: %u number%s; expected x, y and z", r->line, columns, text_s(columns));
    if (!r->columns) r->columns = columns;
    if (columns != r->columns)
        return fail(r, "line %u: %u numbers, and the lines before it have %u", r->line, columns, r->columns);
    return add_point(r, &p);
}

static bool read_lines(points_reader *r, const scene_file *file)
{
    const char *at = (const char *)file->bytes, *end = at + file->count;
    if (memchr(at, 0, file->count)) return fail(r, "not points as text: it is binary");
    for (; at < end; r->line++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at)), *next = line_end ? line_end + 1 : end;
        if (!line_end) line_end = end;
        const char *comment = memchr(at, '#', (size_t)(line_end - at));
        if (!read_line(r, at, comment ? comment : line_end)) return false;
        at = next;
    }
    return r->count > 0 || fail(r, "it has no points; expected x, y and z on each line");
}

static void turn_points(points_reader *r, const scene_frame *frame)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const point from = r->points[i];
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                if (frame->axes[3 * row + column])
                    r->points[i].at[row] = from.at[column] * (float)frame->axes[3 * row + column] + 0.0f;
    }
}

static bool triangulate(points_reader *r, nav_ground *ground)
{
    char words[256];
    uint32_t named[2];
    const nav_status s = nav_ground_from_points(r->points[0].at, r->count, ground, named, words, sizeof words);
    if (s == NAV_OK) return true;
    if (s != NAV_ERR_ARGUMENT && s != NAV_ERR_LIMIT) return fail(r, "%s", nav_status_text(s));
    if (named[0] == UINT32_MAX) return fail(r, "%s", words);
    if (named[1] == UINT32_MAX) return fail(r, "line %u: %s", r->lines[named[0]], words);
    return fail(r, "lines %u and %u: %s", r->lines[named[0]], r->lines[named[1]], words);
}

static bool make_scene(points_reader *r, const scene_file *file, scene *out)
{
    nav_ground ground = {0};
    char name[256];
    const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path, *dot = strrchr(base, '.');
    snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
    if (!triangulate(r, &ground)) return false;
    const bool ok = ground_scene_make(&ground, name, out) || fail(r, "no memory left");
    nav_ground_deinit(&ground);
    return ok;
}

bool points_read(const scene_file *file, int up, scene *out, char *why, size_t why_bytes)
{
    points_reader r = {.line = 1, .why = why, .why_bytes = why_bytes};
    out->frame = scene_frame_with_up(up, 1);
    bool ok = read_lines(&r, file);
    if (ok) {
        turn_points(&r, &out->frame);
        ok = make_scene(&r, file, out);
    }
    free(r.points);
    free(r.lines);
    return ok;
}
