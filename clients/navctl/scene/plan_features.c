#include "clients/navctl/scene/plan_features.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/scene_check.h"
#include "navcore/settings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double REACH = 1e7; // as NAV_WORLD_REACH_M, in units of the file

static const char *const kind_names[] = {"floor", "area", "obstacle", "stairs", "link"};

plan_kind plan_kind_named(const char *name, size_t length)
{
    int k = 0;
    while (k < PLAN_KIND_COUNT && (strlen(kind_names[k]) != length || memcmp(kind_names[k], name, length) != 0)) k++;
    return (plan_kind)k;
}

const char *plan_kind_name(plan_kind k)
{
    return kind_names[k];
}

bool plan_fail(plan_features *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(p->why, p->why_bytes, format, list);
    va_end(list);
    return false;
}

bool plan_fail_at(plan_features *p, const plan_feature *f, const char *format, ...)
{
    char name[64] = "";
    if (f->name) text_printable(f->name, name, sizeof name, 60);
    int used = snprintf(p->why, p->why_bytes, "%s (%s%s%s): ", f->where, kind_names[f->kind], *name ? " " : "", name);
    if (used < 0 || (size_t)used >= p->why_bytes) return false;
    va_list list;
    va_start(list, format);
    vsnprintf(p->why + used, p->why_bytes - (size_t)used, format, list);
    va_end(list);
    return false;
}

plan_feature *plan_add_feature(plan_features *p, plan_kind kind)
{
    if (p->count >= PLAN_MOST_FEATURES) {
        plan_fail(p, "more than %d features", PLAN_MOST_FEATURES);
        return NULL;
    }
    if (!heap_array_grow(&p->features, &p->capacity, p->count + 1, sizeof *p->features)) {
        plan_fail(p, "no memory left");
        return NULL;
    }
    plan_feature *f = &p->features[p->count++];
    *f = (plan_feature){.kind = kind,
                        .height = NAN,
                        .to_height = NAN,
                        .width = NAN,
                        .radius = NAN,
                        .area = -1,
                        .first_ring = p->ring_count};
    return f;
}

// --- properties ---

static bool read_number(const char *text, double *out)
{
    const size_t length = strlen(text);
    if (length > 64 || !scene_is_number((const uint8_t *)text, length)) return false;
    *out = strtod(text, NULL);
    return isfinite(*out) && fabs(*out) <= REACH;
}

typedef struct length_property {
    const char *key;
    size_t at;
    bool positive;
} length_property;

static const length_property lengths[] = {{"height", offsetof(plan_feature, height), false},
                                          {"to_height", offsetof(plan_feature, to_height), false},
                                          {"width", offsetof(plan_feature, width), true},
                                          {"radius", offsetof(plan_feature, radius), true}};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

bool plan_is_property(const char *key)
{
    for (int i = 0; i < LENGTHS; i++)
        if (!strcmp(key, lengths[i].key)) return true;
    return !strcmp(key, "name") || !strcmp(key, "area") || !strcmp(key, "one_way");
}

static bool set_name(plan_features *p, plan_feature *f, const char *value)
{
    if (strlen(value) > PLAN_NAME_BYTES)
        return plan_fail_at(p, f, "a name of %zu bytes; %d are the most", strlen(value), PLAN_NAME_BYTES);
    char *copy = *value ? strdup(value) : NULL;
    if (*value && !copy) return plan_fail(p, "no memory left");
    free(f->name);
    f->name = copy;
    return true;
}

bool plan_set(plan_features *p, plan_feature *f, const char *key, const char *value)
{
    char shown[48];
    double number;
    if (!strcmp(key, "name")) return set_name(p, f, value);
    text_printable(value, shown, sizeof shown, 40);
    if (!strcmp(key, "area")) {
        if (!read_number(value, &number) || number < 0 || number >= NAV_AREA_COUNT || number != floor(number))
            return plan_fail_at(p, f, "area is '%s', but must be a whole number from 0 to %d", shown,
                                NAV_AREA_COUNT - 1);
        f->area = (int)number;
        return true;
    }
    if (!strcmp(key, "one_way")) {
        f->one_way = !strcmp(value, "true");
        return f->one_way || !strcmp(value, "false") ||
               plan_fail_at(p, f, "one_way is '%s', but must be true or false", shown);
    }
    for (int i = 0; i < LENGTHS; i++) {
        if (strcmp(key, lengths[i].key) != 0) continue;
        if (!read_number(value, &number) || (lengths[i].positive && number <= 0))
            return plan_fail_at(p, f, "%s is '%s', but must be a %snumber up to 1e7", key, shown,
                                lengths[i].positive ? "positive " : "");
        memcpy((char *)f + lengths[i].at, &number, sizeof number);
        return true;
    }
    return plan_fail_at(p, f, "there is no property %s", key);
}

// --- rings ---

// "ring 2", "line 1": the newest of the last feature.
static const char *ring_name(const plan_features *p, char name[32])
{
    const plan_feature *f = &p->features[p->count - 1];
    snprintf(name, 32, "%s %u", p->rings[p->ring_count - 1].line ? "line" : "ring", p->ring_count - f->first_ring);
    return name;
}

bool plan_begin_ring(plan_features *p, bool hole, bool line)
{
    if (!heap_array_grow(&p->rings, &p->ring_capacity, p->ring_count + 1, sizeof *p->rings))
        return plan_fail(p, "no memory left");
    p->rings[p->ring_count++] = (plan_ring){.first = p->place_count, .hole = hole, .line = line};
    p->features[p->count - 1].ring_count++;
    return true;
}

bool plan_add_place(plan_features *p, double x, double y)
{
    char name[32];
    plan_ring *r = &p->rings[p->ring_count - 1];
    if (!(fabs(x) <= REACH && fabs(y) <= REACH)) // NaN, too
        return plan_fail_at(p, &p->features[p->count - 1], "%s: place %u is %g %g, but must lie within 1e7",
                            ring_name(p, name), r->count + 1, x, y);
    if (p->place_count >= PLAN_MOST_PLACES) return plan_fail(p, "more than %d places", PLAN_MOST_PLACES);
    if (!heap_array_grow(&p->places, &p->place_capacity, p->place_count + 1, sizeof *p->places))
        return plan_fail(p, "no memory left");
    const plan_place at = {x + 0.0, y + 0.0}; // -0 is 0
    if (r->count > 0) {
        const plan_place *last = &p->places[p->place_count - 1];
        if (last->x == at.x && last->y == at.y) return true; // once is enough
    }
    p->places[p->place_count++] = at;
    r->count++;
    return true;
}

bool plan_end_ring(plan_features *p)
{
    char name[32];
    plan_ring *r = &p->rings[p->ring_count - 1];
    const plan_place *at = p->places + r->first;
    const uint32_t least = r->line ? 2 : 3;
    if (!r->line && r->count > 1 && at[0].x == at[r->count - 1].x && at[0].y == at[r->count - 1].y) {
        r->count--;
        p->place_count--;
    }
    return r->count >= least ||
           plan_fail_at(p, &p->features[p->count - 1], "%s has %u different place%s; %u are the least",
                        ring_name(p, name), r->count, text_s(r->count), least);
}

bool plan_add_height(plan_features *p, double height)
{
    char name[32];
    plan_feature *f = &p->features[p->count - 1];
    const bool ends = f->kind == PLAN_LINK || f->kind == PLAN_STAIRS;
    if (!(fabs(height) <= REACH))
        return plan_fail_at(p, f, "%s: a height of %g, but it must be within 1e7", ring_name(p, name), height);
    if (isnan(f->height)) f->height = height;
    if (ends) f->to_height = height;
    return ends || f->height == height ||
           plan_fail_at(p, f, "%s: place %u is at height %g, but the feature is flat, at %g", ring_name(p, name),
                        p->rings[p->ring_count - 1].count + 1, height, f->height);
}

bool plan_end_feature(plan_features *p)
{
    plan_feature *f = &p->features[p->count - 1];
    const bool line = f->ring_count > 0 && p->rings[f->first_ring].line;
    if (f->ring_count == 0) return plan_fail_at(p, f, "it has no ring and no line");
    if (isnan(f->height)) f->height = 0;
    switch (f->kind) {
    case PLAN_FLOOR:
    case PLAN_AREA:
        if (line) return plan_fail_at(p, f, "it is a line, but must be a polygon");
        if (f->kind == PLAN_AREA && f->area < 0) return plan_fail_at(p, f, "the property area is missing: 0 to 63");
        break;
    case PLAN_OBSTACLE:
        if (line && isnan(f->width)) return plan_fail_at(p, f, "it is a line: it needs the property width");
        if (!isnan(f->to_height) && f->to_height <= f->height)
            return plan_fail_at(p, f, "to_height is %g, but must be above its height, %g", f->to_height, f->height);
        break;
    case PLAN_STAIRS:
        if (!line || f->ring_count != 1)
            return plan_fail_at(p, f, "stairs are one line, from one end to the other, with a width");
        if (isnan(f->width)) return plan_fail_at(p, f, "the property width is missing");
        if (isnan(f->to_height)) return plan_fail_at(p, f, "the property to_height is missing");
        break;
    case PLAN_LINK:
        if (!line || f->ring_count != 1 || p->rings[f->first_ring].count != 2)
            return plan_fail_at(p, f, "a link is one line of two places, %u are here",
                                line ? p->rings[f->first_ring].count : 0);
        if (f->area == 0) return plan_fail_at(p, f, "area is 0, but nobody may walk there: 1 to 63");
        break;
    case PLAN_KIND_COUNT:
        break;
    }
    return true;
}

void plan_features_deinit(plan_features *p)
{
    for (uint32_t i = 0; i < p->count; i++) free(p->features[i].name);
    free(p->features);
    free(p->rings);
    free(p->places);
    *p = (plan_features){0};
}
