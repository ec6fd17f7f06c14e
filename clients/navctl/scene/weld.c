#include "clients/navctl/scene/weld.h"
#include "core/base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash_position(const float p[3])
{
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    uint64_t h = bits[0] * 0x9E3779B185EBCA87u;
    h = (h ^ (h >> 29) ^ bits[1]) * 0xC2B2AE3D27D4EB4Fu;
    h = (h ^ (h >> 31) ^ bits[2]) * 0x165667B19E3779F9u;
    return (uint32_t)(h >> 32);
}

static bool grow_table(weld *w)
{
    uint32_t slot_count = w->slot_count ? w->slot_count * 2 : 1024;
    uint32_t *slots = slot_count ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots) return false;
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t at = hash_position(w->verts + 3 * (size_t)i) & (slot_count - 1);
        while (slots[at]) at = (at + 1) & (slot_count - 1);
        slots[at] = i + 1;
    }
    free(w->slots);
    w->slots = slots;
    w->slot_count = slot_count;
    return true;
}

uint32_t weld_add(weld *w, const float position[3])
{
    const float p[3] = {position[0] + 0.0f, position[1] + 0.0f, position[2] + 0.0f};
    if (w->count >= w->slot_count / 2 && !grow_table(w)) return UINT32_MAX;
    uint32_t at = hash_position(p) & (w->slot_count - 1);
    for (; w->slots[at]; at = (at + 1) & (w->slot_count - 1)) {
        uint32_t found = w->slots[at] - 1;
        if (!memcmp(w->verts + 3 * (size_t)found, p, sizeof p)) return found;
    }
    if (w->count == w->capacity) {
        uint32_t capacity = w->capacity ? w->capacity + w->capacity / 2 : 256;
        float *verts = realloc(w->verts, sizeof(float) * 3 * capacity);
        if (!verts) return UINT32_MAX;
        w->verts = verts;
        w->capacity = capacity;
    }
    memcpy(w->verts + 3 * (size_t)w->count, p, sizeof p);
    w->slots[at] = ++w->count;
    return w->count - 1;
}

float *weld_finish(weld *w)
{
    free(w->slots);
    float *verts = w->verts, *fitted = w->count ? realloc(verts, sizeof(float) * 3 * w->count) : NULL;
    *w = (weld){0};
    return fitted ? fitted : verts;
}

void weld_deinit(weld *w)
{
    free(w->slots);
    free(w->verts);
    *w = (weld){0};
}

// Each part has the positions of its share of the hashes, so that no two parts meet.
typedef struct all {
    const float *verts;
    uint32_t count;
    int parts;
    uint32_t *same;
    atomic_bool no_memory;
} all;

static int part_of(const all *a, uint32_t hash)
{
    return (int)(((uint64_t)hash * (uint32_t)a->parts) >> 32);
}

static void weld_part(void *user, int part)
{
    all *a = user;
    uint32_t own = 0, slot_count = 1024;
    for (uint32_t v = 0; v < a->count; v++) own += part_of(a, hash_position(a->verts + 3 * (size_t)v)) == part;
    while (slot_count / 2 < own && slot_count < 1u << 31) slot_count *= 2;
    uint32_t *slots = own < slot_count ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots) {
        atomic_store(&a->no_memory, true);
        return;
    }
    for (uint32_t v = 0; v < a->count; v++) {
        const float *p = a->verts + 3 * (size_t)v;
        uint32_t hash = hash_position(p), at = hash & (slot_count - 1);
        if (part_of(a, hash) != part) continue;
        while (slots[at] && memcmp(a->verts + 3 * (size_t)(slots[at] - 1), p, 3 * sizeof *p) != 0)
            at = (at + 1) & (slot_count - 1);
        if (!slots[at]) slots[at] = v + 1;
        a->same[v] = slots[at] - 1;
    }
    free(slots);
}

bool weld_all(const float *verts, uint32_t count, const nav_parallel *parallel, uint32_t *same)
{
    all a = {.verts = verts, .count = count, .parts = parallel ? parallel->threads : 1, .same = same};
    nav_parallel_run(parallel, weld_part, &a, a.parts);
    return !a.no_memory;
}
