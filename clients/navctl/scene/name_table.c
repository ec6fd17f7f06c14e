#include "clients/navctl/scene/name_table.h"
#include "clients/navctl/scene/heap_array.h"
#include "core/base/key.h"

#include <stdlib.h>
#include <string.h>

// Where the name is, or the free slot where it belongs.
static uint32_t find_slot(const name_table *t, const char *name)
{
    uint32_t at = (uint32_t)nav_key_of(name, strlen(name)).low & (t->slot_count - 1);
    while (t->slots[at] && strcmp(t->names[t->slots[at] - 1], name) != 0) at = (at + 1) & (t->slot_count - 1);
    return at;
}

static bool grow_slots(name_table *t)
{
    if (t->count < t->slot_count / 2) return true;
    uint32_t *old = t->slots, slot_count = t->slot_count ? t->slot_count * 2 : 64;
    uint32_t *slots = slot_count ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots) return false;
    t->slots = slots;
    t->slot_count = slot_count;
    for (uint32_t i = 0; i < t->count; i++) slots[find_slot(t, t->names[i])] = i + 1;
    free(old);
    return true;
}

uint32_t name_table_add(name_table *t, const char *name)
{
    if (!grow_slots(t)) return UINT32_MAX;
    uint32_t at = find_slot(t, name);
    if (t->slots[at]) return t->slots[at] - 1;
    if (!heap_array_grow(&t->names, &t->capacity, t->count + 1, sizeof *t->names)) return UINT32_MAX;
    char *copy = strdup(name);
    if (!copy) return UINT32_MAX;
    t->names[t->count++] = copy;
    t->slots[at] = t->count;
    return t->count - 1;
}

void name_table_deinit(name_table *t)
{
    for (uint32_t i = 0; i < t->count; i++) free(t->names[i]);
    free(t->names);
    free(t->slots);
    *t = (name_table){0};
}
