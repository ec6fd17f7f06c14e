// Height grids as strings of bytes, their names, and what is wrong with them. Clients need it without the rest.
#include "core/base/endian.h"
#include "core/geometry/heights.h"

#include <math.h>
#include <stdio.h>

static nav_status refuse_number(char *why, size_t why_bytes, const char *name, double value, const char *expected)
{
    if (why_bytes) snprintf(why, why_bytes, "%s: %g, expected %s", name, value, expected);
    return NAV_ERR_ARGUMENT;
}

static bool all_finite(const float *v, size_t count, size_t *at)
{
    for (*at = 0; *at < count; ++*at)
        if (!isfinite(v[*at])) return false;
    return true;
}

bool nav_heights_are_finite(const void *samples, size_t count, nav_height_format format)
{
    size_t at;
    return format == NAV_HEIGHTS_16 || all_finite(samples, count, &at);
}

static nav_status check_content(const nav_heights_spec *s, char *why, size_t why_bytes)
{
    size_t samples = (size_t)s->columns * s->rows, cells = (size_t)(s->columns - 1) * (s->rows - 1), at;
    if (s->samples && s->format == NAV_HEIGHTS_FLOAT && !all_finite(s->samples, samples, &at)) {
        if (why_bytes)
            snprintf(why, why_bytes, "sample %zu (column %zu, row %zu) is not finite; make the cells around it holes",
                     at, at % s->columns, at / s->columns);
        return NAV_ERR_ARGUMENT;
    }
    for (at = 0; s->areas && at < cells; at++) {
        uint8_t a = s->areas[at];
        if (a < NAV_AREA_COUNT || a == NAV_AREA_INHERIT || a == NAV_AREA_HOLE) continue;
        if (why_bytes)
            snprintf(why, why_bytes,
                     "the area of cell %zu (column %zu, row %zu) is %u, expected 0 to %d, %d (a hole) or %d (that of "
                     "the instance)",
                     at, at % (s->columns - 1), at / (s->columns - 1), a, NAV_AREA_COUNT - 1, NAV_AREA_HOLE,
                     NAV_AREA_INHERIT);
        return NAV_ERR_ARGUMENT;
    }
    return NAV_OK;
}

nav_status nav_heights_check(const nav_heights_spec *s, uint32_t most, char *why, size_t why_bytes)
{
    static const int32_t far = 1 << 24;
    const uint32_t sides[2] = {s->columns, s->rows};
    const int32_t firsts[2] = {s->first_column, s->first_row};
    static const char *const names[2] = {"columns", "rows"}, *const first_names[2] = {"first_column", "first_row"};
    for (int k = 0; k < 2; k++) {
        if (sides[k] < 2 || sides[k] > most) {
            if (why_bytes) snprintf(why, why_bytes, "%s: %u samples, expected 2 to %u", names[k], sides[k], most);
            return NAV_ERR_ARGUMENT;
        }
        if (firsts[k] < -far || firsts[k] > far)
            return refuse_number(why, why_bytes, first_names[k], firsts[k], "-16777216 to 16777216");
    }
    if (!(s->spacing_m >= 0.001 && s->spacing_m <= 1e4))
        return refuse_number(why, why_bytes, "spacing_m", s->spacing_m, "0.001 to 10000");
    const double reach = (double)NAV_WORLD_REACH_M;
    if (!(fabs(s->scale_m) <= reach)) return refuse_number(why, why_bytes, "scale_m", s->scale_m, "-1e7 to 1e7");
    if (!(fabs(s->offset_m) <= reach)) return refuse_number(why, why_bytes, "offset_m", s->offset_m, "-1e7 to 1e7");
    if (s->format != NAV_HEIGHTS_16 && s->format != NAV_HEIGHTS_FLOAT)
        return refuse_number(why, why_bytes, "format", (double)s->format, "0 (16 bits) or 1 (float)");
    if ((unsigned)s->diagonal >= NAV_DIAGONAL_COUNT)
        return refuse_number(why, why_bytes, "diagonal", (double)s->diagonal, "0 to 3");
    return check_content(s, why, why_bytes);
}

size_t nav_heights_string_bytes(uint64_t samples, uint64_t cells, nav_height_format format, bool has_areas)
{
    return NAV_HEIGHTS_HEAD_BYTES + samples * nav_height_sample_bytes(format) + (has_areas ? cells : 0);
}

static void store_f64(uint8_t *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    nav_store_u64(p, bits);
}

static double load_f64(const uint8_t *p)
{
    uint64_t bits = nav_load_u64(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

void nav_heights_store_head(const nav_heights_spec *s, uint8_t out[NAV_HEIGHTS_HEAD_BYTES])
{
    memset(out, 0, NAV_HEIGHTS_HEAD_BYTES);
    nav_store_u32(out, s->columns);
    nav_store_u32(out + 4, s->rows);
    nav_store_i32(out + 8, s->first_column);
    nav_store_i32(out + 12, s->first_row);
    store_f64(out + 16, s->spacing_m + 0.0); // no negative zero
    store_f64(out + 24, s->scale_m + 0.0);
    store_f64(out + 32, s->offset_m + 0.0);
    out[40] = (uint8_t)s->format;
    out[41] = (uint8_t)s->diagonal;
}

void nav_heights_load_head(const uint8_t in[NAV_HEIGHTS_HEAD_BYTES], nav_heights_spec *out)
{
    *out = (nav_heights_spec){
        .columns = nav_load_u32(in),
        .rows = nav_load_u32(in + 4),
        .first_column = nav_load_i32(in + 8),
        .first_row = nav_load_i32(in + 12),
        .spacing_m = load_f64(in + 16),
        .scale_m = load_f64(in + 24),
        .offset_m = load_f64(in + 32),
        .format = (nav_height_format)in[40],
        .diagonal = (nav_diagonal)in[41],
    };
}

void nav_heights_store(const nav_heights_spec *s, uint8_t *out)
{
    const size_t samples = (size_t)s->columns * s->rows, cells = (size_t)(s->columns - 1) * (s->rows - 1);
    nav_heights_store_head(s, out);
    out += NAV_HEIGHTS_HEAD_BYTES;
    for (size_t i = 0; i < samples; i++, out += nav_height_sample_bytes(s->format)) {
        if (s->format == NAV_HEIGHTS_16)
            nav_store_u16(out, ((const uint16_t *)s->samples)[i]);
        else
            nav_store_f32(out, ((const float *)s->samples)[i]);
    }
    if (s->areas) memcpy(out, s->areas, cells);
}

nav_key nav_heights_hash(const nav_heights_spec *s)
{
    uint8_t parts[1 + NAV_HEIGHTS_HEAD_BYTES + 2 * NAV_KEY_BYTES] = {'h'};
    const size_t samples = (size_t)s->columns * s->rows, cells = (size_t)(s->columns - 1) * (s->rows - 1);
    nav_heights_store_head(s, parts + 1);
    uint8_t *at = parts + 1 + NAV_HEIGHTS_HEAD_BYTES;
    nav_key_store(nav_key_of(s->samples, samples * nav_height_sample_bytes(s->format)), at);
    if (s->areas) nav_key_store(nav_key_of(s->areas, cells), at + NAV_KEY_BYTES);
    return nav_key_of(parts, s->areas ? sizeof parts : sizeof parts - NAV_KEY_BYTES);
}
