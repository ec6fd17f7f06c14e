#include "clients/navctl/tile_files/tile_set.h"
#include "clients/c/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tile_set_deinit(tile_set *s)
{
    for (uint32_t i = 0; i < s->count; i++) free(s->entries[i].bytes);
    free(s->entries);
    free(s->slots);
    *s = (tile_set){0};
}

static uint32_t *slot_of(const tile_set *s, navd_sheet sheet, int32_t x, int32_t z)
{
    uint64_t h = ((uint64_t)(uint32_t)x << 32 | (uint32_t)z) * 0x9E3779B185EBCA87u;
    h += sheet * 0xC2B2AE3D27D4EB4Fu;
    for (uint32_t at = (uint32_t)(h >> 32);; at++) {
        uint32_t *slot = &s->slots[at & (s->slot_count - 1)];
        const tile_set_entry *e = *slot ? &s->entries[*slot - 1] : NULL;
        if (!e || (e->x == x && e->z == z && e->sheet == sheet)) return slot;
    }
}

static bool grow(tile_set *s)
{
    uint32_t capacity = s->capacity ? s->capacity * 2 : 256;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    tile_set_entry *entries = slots ? realloc(s->entries, sizeof *entries * capacity) : NULL;
    if (!entries) {
        free(slots);
        return false;
    }
    free(s->slots);
    s->slots = slots;
    s->slot_count = capacity * 2;
    s->entries = entries;
    s->capacity = capacity;
    for (uint32_t i = 0; i < s->count; i++) *slot_of(s, entries[i].sheet, entries[i].x, entries[i].z) = i + 1;
    return true;
}

bool tile_set_take(tile_set *s, const navd_tile *t)
{
    if (s->count == s->capacity && !grow(s)) return false;
    uint32_t *slot = slot_of(s, t->sheet, t->x, t->z);
    if (!*slot) {
        s->entries[s->count] = (tile_set_entry){.x = t->x, .z = t->z, .sheet = t->sheet};
        *slot = ++s->count;
    }
    tile_set_entry *e = &s->entries[*slot - 1];
    e->failed = t->status == NAVD_TILE_FAILED;
    if (e->failed) return true;
    uint8_t *bytes = NULL;
    if (t->size > 0) {
        bytes = malloc(t->size);
        if (!bytes) return false;
        memcpy(bytes, t->data, t->size);
    }
    free(e->bytes);
    e->bytes = bytes;
    e->size = (uint32_t)t->size;
    return true;
}

tile_set_totals tile_set_count(const tile_set *s)
{
    tile_set_totals totals = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        totals.filled += s->entries[i].bytes != NULL;
        totals.failed += s->entries[i].failed;
        totals.bytes += s->entries[i].size;
    }
    return totals;
}

static int compare_places(const void *a, const void *b)
{
    const stored_tile *x = a, *y = b;
    if (x->sheet != y->sheet) return x->sheet < y->sheet ? -1 : 1;
    if (x->z != y->z) return x->z < y->z ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

stored_tile *tile_set_list(const tile_set *s, uint32_t *count)
{
    stored_tile *list = malloc(sizeof *list * ((size_t)s->count + 1));
    *count = 0;
    for (uint32_t i = 0; list && i < s->count; i++) {
        const tile_set_entry *e = &s->entries[i];
        if (!e->bytes) continue;
        list[(*count)++] =
            (stored_tile){.x = e->x, .z = e->z, .sheet = (nav_sheet)e->sheet, .bytes = e->bytes, .size = e->size};
    }
    if (list) qsort(list, *count, sizeof *list, compare_places);
    return list;
}

bool tile_set_write(const tile_set *s, const char *path, generate_encoding encoding, const navd_settings *settings,
                    const double origin_m[3], const nav_area_table *areas)
{
    nav_settings core;
    uint32_t count;
    stored_tile *list = tile_set_list(s, &count);
    if (!list) {
        fprintf(stderr, "navctl: no memory left\n");
        return false;
    }
    navd_settings_to_core(settings, origin_m, &core);
    bool ok = store_write(path, encoding, &core, areas, list, count, NULL);
    free(list);
    return ok;
}
