#include "clients/navctl/paths/audit_file.h"
#include "clients/navctl/arguments/exit_codes.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A pair is an array: six numbers of places, a status, length, length along the ground, straight line, open, bends.
enum { PAIR_VALUES = 12 };

static const struct {
    nav_path_status status;
    const char *name;
} statuses[] = {{NAV_PATH_FOUND, "found"},
                {NAV_PATH_PARTIAL, "partial"},
                {NAV_PATH_NO_START, "no_start"},
                {NAV_PATH_NO_GOAL, "no_goal"},
                {NAV_PATH_LIMIT, "limit"}};
enum { STATUSES = sizeof statuses / sizeof *statuses };

bool audit_file_is(const char *path)
{
    FILE *f = fopen(path, "rb");
    int c = f ? fgetc(f) : EOF;
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') c = fgetc(f);
    if (f) fclose(f);
    return c == '{';
}

void audit_file_put(json_writer *w, const audit *a)
{
    json_int(w, "seed", (int64_t)a->seed);
    json_number(w, "near_m", a->near_m);
    json_open(w, "pairs", '[');
    for (uint32_t i = 0; i < a->count; i++) {
        const nav_audit_pair *p = &a->pairs[i];
        fputs("\n", w->out);
        json_open(w, NULL, '[');
        for (int k = 0; k < 3; k++) json_number(w, NULL, p->from[k]);
        for (int k = 0; k < 3; k++) json_number(w, NULL, p->to[k]);
        for (int s = 0; s < STATUSES; s++)
            if (statuses[s].status == p->status) json_text(w, NULL, statuses[s].name);
        json_number(w, NULL, p->length_m);
        json_number(w, NULL, p->surface_m);
        json_number(w, NULL, p->straight_m);
        json_bool(w, NULL, p->open);
        json_bool(w, NULL, p->bends);
        json_close(w, ']');
    }
    json_close(w, ']');
}

static bool read_number(const json_t *from, double *out)
{
    *out = json_number_value(from);
    return json_is_number(from) && isfinite(*out);
}

static bool read_pair(const json_t *from, nav_audit_pair *p)
{
    bool good = json_array_size(from) == PAIR_VALUES;
    int s = 0;
    for (size_t k = 0; k < 3 && good; k++)
        good = read_number(json_array_get(from, k), &p->from[k]) && read_number(json_array_get(from, 3 + k), &p->to[k]);
    const char *name = good ? json_string_value(json_array_get(from, 6)) : NULL;
    while (name && s < STATUSES && strcmp(name, statuses[s].name) != 0) s++;
    if (!name || s == STATUSES) return false;
    p->status = statuses[s].status;
    p->open = json_is_true(json_array_get(from, 10));
    p->bends = json_is_true(json_array_get(from, 11));
    return read_number(json_array_get(from, 7), &p->length_m) && read_number(json_array_get(from, 8), &p->surface_m) &&
           read_number(json_array_get(from, 9), &p->straight_m);
}

int audit_file_read(audit *a, const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const json_t *pairs = json_object_get(root, "pairs");
    size_t count = json_array_size(pairs);
    int code = NAVCTL_INPUT;
    if (!root) {
        fprintf(stderr, "navctl: %s:%d: %s\n", path, error.line, error.text);
    } else if (!json_is_array(pairs) || !read_number(json_object_get(root, "near_m"), &a->near_m) || a->near_m < 0 ||
               count > UINT32_MAX / 2) {
        fprintf(stderr, "navctl: %s: no audit (navctl audit -o writes one)\n", path);
    } else if (!(a->pairs = calloc(count + 1, sizeof *a->pairs))) {
        fprintf(stderr, "navctl: no memory left\n");
        code = NAVCTL_FAILED;
    } else {
        a->seed = (uint64_t)json_integer_value(json_object_get(root, "seed"));
        for (a->count = 0; a->count < count; a->count++)
            if (!read_pair(json_array_get(pairs, a->count), &a->pairs[a->count])) break;
        code = a->count == count ? NAVCTL_OK : NAVCTL_INPUT;
        if (code != NAVCTL_OK)
            fprintf(stderr, "navctl: %s: pair %u: expected six numbers, a status, three numbers, true or false twice\n",
                    path, a->count + 1);
    }
    json_decref(root);
    return code;
}
