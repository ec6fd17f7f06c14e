#include "navcore/areas.h"

#include "core/base/status.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void nav_area_type_default(nav_area_type *a, uint8_t id)
{
    *a = (nav_area_type){.id = id, .cost = 1, .walkable = true};
}

NAV_MUST_USE static nav_status refuse(char *why, size_t why_bytes, const nav_area_type *a, const char *what)
{
    if (why_bytes) snprintf(why, why_bytes, "area %u: %s", a->id, what);
    return NAV_ERR_ARGUMENT;
}

static bool is_name(const char name[NAV_AREA_NAME_BYTES])
{
    size_t length = strnlen(name, NAV_AREA_NAME_BYTES);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 127) return false;
    return length < NAV_AREA_NAME_BYTES;
}

nav_status nav_area_table_check(const nav_area_table *t, char *why, size_t why_bytes)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const nav_area_type *a = &t->types[i];
        if (a->id == NAV_AREA_NONE || a->id >= NAV_AREA_COUNT)
            return refuse(why, why_bytes, a, "areas of a table are 1 to 63");
        if (i && a->id <= a[-1].id) return refuse(why, why_bytes, a, "it is not behind the area before it");
        if (!is_name(a->name))
            return refuse(why, why_bytes, a, "its name has a control character or more than 64 bytes");
        if (!(a->cost > 0) || !isfinite(a->cost)) return refuse(why, why_bytes, a, "its cost is not above 0");
        if (a->color > 0xffffff) return refuse(why, why_bytes, a, "its colour is above 0xffffff");
    }
    return NAV_OK;
}

bool nav_area_table_equal(const nav_area_table *a, const nav_area_table *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++) {
        const nav_area_type *x = &a->types[i], *y = &b->types[i];
        same = x->id == y->id && !strcmp(x->name, y->name) && memcmp(&x->cost, &y->cost, sizeof x->cost) == 0 &&
               x->walkable == y->walkable && x->has_flags == y->has_flags && x->flags == y->flags &&
               x->has_color == y->has_color && x->color == y->color;
    }
    return same;
}

const nav_area_type *nav_area_table_find(const nav_area_table *t, uint8_t id)
{
    for (uint32_t i = 0; t && i < t->count; i++)
        if (t->types[i].id == id) return &t->types[i];
    return NULL;
}

float nav_area_table_cost(const nav_area_table *t, uint8_t id)
{
    const nav_area_type *a = nav_area_table_find(t, id);
    return a ? a->cost : 1;
}

nav_area_type *nav_area_table_put(nav_area_table *t, uint8_t id)
{
    uint32_t at = 0;
    assert(id != NAV_AREA_NONE && id < NAV_AREA_COUNT);
    while (at < t->count && t->types[at].id < id) at++;
    nav_area_type *a = &t->types[at];
    if (at < t->count && a->id == id) return a;
    memmove(a + 1, a, (t->count++ - at) * sizeof *a);
    nav_area_type_default(a, id);
    return a;
}

bool nav_area_table_remove(nav_area_table *t, uint8_t id)
{
    const nav_area_type *found = nav_area_table_find(t, id);
    if (!found) return false;
    nav_area_type *a = &t->types[found - t->types];
    memmove(a, a + 1, (size_t)(&t->types[t->count--] - (a + 1)) * sizeof *a);
    return true;
}

void nav_area_table_apply(const nav_area_table *t, nav_settings *s)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const nav_area_type *a = &t->types[i];
        if (!a->walkable) s->walkable_areas &= ~(UINT64_C(1) << a->id);
        if (a->has_flags) s->area_flags[a->id] = a->flags;
    }
}
