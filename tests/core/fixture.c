#include "tests/core/fixture.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { CLIMB = 2 };

uint32_t fixture_random(uint32_t *state)
{
    uint32_t x = *state ? *state : 1;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static void clear_world(fixture_world *w, int32_t width, int32_t depth)
{
    w->width = width;
    w->depth = depth;
    for (int l = 0; l < FIXTURE_LAYERS; l++) {
        for (int32_t z = 0; z < depth; z++) {
            for (int32_t x = 0; x < width; x++) {
                w->floor[l][z][x] = FIXTURE_NO_FLOOR;
                w->area[l][z][x] = NAV_AREA_DEFAULT;
            }
        }
    }
}

void fixture_world_draw(fixture_world *w, const char *const *rows)
{
    int32_t width = 0, depth = 0;
    for (; rows[depth]; depth++)
        if ((int32_t)strlen(rows[depth]) > width) width = (int32_t)strlen(rows[depth]);
    ck_assert_int_le(width, FIXTURE_MAX_SIDE);
    ck_assert_int_le(depth, FIXTURE_MAX_SIDE);
    clear_world(w, width, depth);
    for (int32_t z = 0; z < depth; z++) {
        for (int32_t x = 0; rows[z][x]; x++) {
            char c = rows[z][x];
            if (c >= '0' && c <= '9') w->floor[0][z][x] = c - '0';
            if (c >= 'a' && c <= 'z') {
                w->floor[0][z][x] = 0;
                w->area[0][z][x] = (uint8_t)(c - 'a' + 1);
            }
        }
    }
}

void fixture_world_random(fixture_world *w, uint32_t seed, int32_t width, int32_t depth)
{
    clear_world(w, width, depth);
    uint32_t r = seed * 2654435761u + 17;
    int32_t kind = (int32_t)(fixture_random(&r) % 4);
    for (int32_t z = 0; z < depth; z++)
        for (int32_t x = 0; x < width; x++) w->floor[0][z][x] = 0;
    // Blocks of floor at other heights, of other areas, or none; thin and thick ones.
    int32_t blocks = 4 + (int32_t)(fixture_random(&r) % 60);
    for (int32_t b = 0; b < blocks; b++) {
        int32_t x0 = (int32_t)(fixture_random(&r) % (uint32_t)width),
                z0 = (int32_t)(fixture_random(&r) % (uint32_t)depth);
        int32_t dx = 1 + (int32_t)(fixture_random(&r) % 14), dz = 1 + (int32_t)(fixture_random(&r) % 14);
        uint32_t what = fixture_random(&r) % 8;
        int32_t y = (int32_t)(fixture_random(&r) % 7);
        uint8_t area = (uint8_t)(1 + fixture_random(&r) % 2);
        for (int32_t z = z0; z < z0 + dz && z < depth; z++) {
            for (int32_t x = x0; x < x0 + dx && x < width; x++) {
                if (what < 3) w->floor[0][z][x] = FIXTURE_NO_FLOOR;
                if (what >= 3 && what < 6) w->floor[0][z][x] = y;
                if (what == 6 && kind != 1) w->area[0][z][x] = area;
                if (what == 7 && kind >= 2) w->floor[1][z][x] = 20 + y;
            }
        }
    }
    // Speckle, so that contours are ragged.
    int32_t specks = kind == 3 ? width * depth / 6 : width * depth / 40;
    for (int32_t i = 0; i < specks; i++) {
        uint32_t x = fixture_random(&r) % (uint32_t)width, z = fixture_random(&r) % (uint32_t)depth;
        w->floor[0][z][x] = fixture_random(&r) % 3 ? FIXTURE_NO_FLOOR : (int32_t)(fixture_random(&r) % 5);
    }
}

static void connect_spans(nav_compact_heightfield *f)
{
    for (int32_t z = 0; z < f->width; z++) {
        for (int32_t x = 0; x < f->width; x++) {
            int32_t c = z * f->width + x;
            for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++) {
                for (int d = 0; d < 4; d++) {
                    int32_t nx = x + nav_dir_x[d], nz = z + nav_dir_z[d];
                    f->connection[d][s] = NAV_NOT_CONNECTED;
                    if (nx < 0 || nz < 0 || nx >= f->width || nz >= f->width) continue;
                    int32_t n = nz * f->width + nx;
                    for (int32_t t = f->column_first[n]; t < f->column_first[n + 1]; t++)
                        if (abs(f->floor[t] - f->floor[s]) <= CLIMB) f->connection[d][s] = t;
                }
            }
        }
    }
}

static bool is_own(const fixture *f, int32_t span)
{
    int32_t x = f->field.column[span] % f->field.width, z = f->field.column[span] / f->field.width;
    int32_t b = f->field.border, e = f->field.width - b;
    return x >= b && x < e && z >= b && z < e;
}

void fixture_init(fixture *fx, const fixture_world *w, int32_t tile_x, int32_t tile_z, int32_t tile_cells,
                  int32_t border)
{
    memset(fx, 0, sizeof *fx);
    nav_arena_init(&fx->arena, 0);
    nav_settings settings;
    nav_settings_default(&settings);
    settings.tile_cells = tile_cells;
    nav_config_init(&fx->cfg, &settings, tile_x, tile_z);
    fx->cfg.border = border;
    fx->cfg.width = tile_cells + 2 * border;
    nav_compact_heightfield *f = &fx->field;
    f->width = fx->cfg.width;
    f->border = border;
    size_t columns = (size_t)f->width * (size_t)f->width, most = columns * FIXTURE_LAYERS;
    f->column_first = NAV_TAKE(&fx->arena, int32_t, columns + 1);
    f->column = NAV_TAKE(&fx->arena, int32_t, most);
    f->floor = NAV_TAKE(&fx->arena, int32_t, most);
    f->area = NAV_TAKE(&fx->arena, uint8_t, most);
    f->distance = NAV_TAKE_ZERO(&fx->arena, uint16_t, most);
    for (int d = 0; d < 4; d++) f->connection[d] = NAV_TAKE(&fx->arena, int32_t, most);
    fx->ids = NAV_TAKE(&fx->arena, int32_t, most);
    for (int32_t c = 0; c < (int32_t)columns; c++) {
        f->column_first[c] = f->span_count;
        int32_t x = tile_x * tile_cells - border + c % f->width, z = tile_z * tile_cells - border + c / f->width;
        if (x < 0 || z < 0 || x >= w->width || z >= w->depth) continue;
        for (int l = 0; l < FIXTURE_LAYERS; l++) {
            if (w->floor[l][z][x] == FIXTURE_NO_FLOOR) continue;
            int32_t s = f->span_count++;
            f->column[s] = c;
            f->floor[s] = w->floor[l][z][x];
            f->area[s] = w->area[l][z][x];
        }
    }
    f->column_first[columns] = f->span_count;
    connect_spans(f);
    for (int32_t s = 0; s < f->span_count; s++) fx->ids[s] = is_own(fx, s) ? 1 : NAV_REGION_OUTSIDE;
    fx->regions = (nav_regions){.id = fx->ids, .count = 1};
}

void fixture_deinit(fixture *f)
{
    nav_arena_deinit(&f->arena);
}

void fixture_regions_draw(fixture *f, const char *const *rows)
{
    f->regions.count = 0;
    for (int32_t s = 0; s < f->field.span_count; s++) {
        if (!is_own(f, s)) continue;
        int32_t x = f->field.column[s] % f->field.width - f->field.border;
        int32_t z = f->field.column[s] / f->field.width - f->field.border;
        char c = rows[z][x];
        f->ids[s] = c >= 'A' && c <= 'Z' ? c - 'A' + 1 : NAV_REGION_NONE;
        if (f->ids[s] > f->regions.count) f->regions.count = f->ids[s];
    }
}

static bool region_is_in_column(const fixture *f, int32_t span, int32_t region)
{
    int32_t c = f->field.column[span];
    for (int32_t s = f->field.column_first[c]; s < f->field.column_first[c + 1]; s++)
        if (f->ids[s] == region) return true;
    return false;
}

void fixture_regions_grow(fixture *f, uint32_t seed, int32_t count)
{
    const nav_compact_heightfield *o = &f->field;
    uint32_t r = seed * 747796405u + 5;
    int32_t n = o->span_count;
    for (int32_t s = 0; s < n; s++)
        if (is_own(f, s)) f->ids[s] = NAV_REGION_NONE;
    f->regions.count = 0;
    for (int32_t i = 0; i < count * 3 && n > 0 && f->regions.count < count; i++) {
        int32_t s = (int32_t)(fixture_random(&r) % (uint32_t)n);
        if (is_own(f, s) && f->ids[s] == NAV_REGION_NONE) f->ids[s] = ++f->regions.count;
    }
    // Ways to grow that were not tried yet: 4 * span + direction. What fails once fails for good.
    int32_t *ways = NAV_TAKE(&f->arena, int32_t, 4 * (size_t)n + 1);
    int32_t way_count = 0;
    for (int32_t s = 0; s < n; s++)
        for (int d = 0; d < 4 && f->ids[s] > 0; d++) ways[way_count++] = 4 * s + d;
    for (int32_t next = 0;;) {
        while (way_count > 0) {
            int32_t k = (int32_t)(fixture_random(&r) % (uint32_t)way_count), way = ways[k];
            ways[k] = ways[--way_count];
            int32_t s = way / 4, t = o->connection[way & 3][s];
            if (t < 0 || f->ids[t] != NAV_REGION_NONE || o->area[t] != o->area[s]) continue;
            if (region_is_in_column(f, t, f->ids[s])) continue;
            f->ids[t] = f->ids[s];
            for (int d = 0; d < 4; d++) ways[way_count++] = 4 * t + d;
        }
        while (next < n && f->ids[next] != NAV_REGION_NONE) next++;
        if (next == n) break;
        f->ids[next] = ++f->regions.count;
        for (int d = 0; d < 4; d++) ways[way_count++] = 4 * next + d;
    }
}
