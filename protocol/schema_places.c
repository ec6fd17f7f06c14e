#include "protocol/schema.h"

#include <stdio.h>
#include <string.h>

static bool is_double(const np_field *f)
{
    return f->type == NP_T_F64S;
}

static uint32_t pairs_of(const np_field *f, const char *m)
{
    uint32_t count = 1;
    if (f->type == NP_T_POINTS) memcpy(&count, m + f->count_offset, sizeof count);
    return count;
}

bool np_schema_has_places(const np_schema *s)
{
    uint32_t i = 0;
    while (i < s->field_count && s->fields[i].place == NP_PLACE_NONE) i++;
    return i < s->field_count;
}

nav_status np_schema_to_metres(const np_schema *s, const np_axes *axes, void *m, char *why, size_t why_bytes)
{
    for (uint32_t i = 0; i < s->field_count; i++) {
        const np_field *f = &s->fields[i];
        char *at = (char *)m + f->offset;
        if (f->place == NP_PLACE_NONE) continue;
        if (is_double(f)) {
            np_axes_doubles_to_metres(axes, f->place, (double *)(void *)at);
        } else if (!np_axes_floats_to_metres(axes, f->place, (float *)(void *)at, pairs_of(f, m))) {
            snprintf(why, why_bytes, "%s: a number of it is too large in metres, with unit_m %g", f->key, axes->unit_m);
            return NAV_ERR_ARGUMENT;
        }
    }
    return NAV_OK;
}

void np_schema_from_metres(const np_schema *s, const np_axes *axes, void *m)
{
    for (uint32_t i = 0; i < s->field_count; i++) {
        const np_field *f = &s->fields[i];
        if (f->place != NP_PLACE_NONE) // no answer has bounds
            np_axes_floats_from_metres(axes, f->place, (float *)(void *)((char *)m + f->offset), pairs_of(f, m));
    }
}
