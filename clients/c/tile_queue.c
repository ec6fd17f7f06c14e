#include "clients/c/tile_queue.h"

#include <stdlib.h>
#include <string.h>

struct queued_tile {
    navd_tile tile;    // its pointers go into `bytes`
    uint8_t *bytes;    // profile, reason, data
    queued_tile *next; // in order of arrival
    queued_tile *next_in_slot;
};

static uint32_t hash_place(uint64_t subscription, navd_sheet sheet, int32_t x, int32_t z)
{
    uint64_t h =
        (subscription * NAVD_SHEET_COUNT + sheet) * 0x9E3779B185EBCA87u ^ ((uint64_t)(uint32_t)x << 32 | (uint32_t)z);
    h *= 0xC2B2AE3D27D4EB4Fu;
    return (uint32_t)(h >> 32);
}

static void free_tile(queued_tile *t)
{
    if (t) free(t->bytes);
    free(t);
}

void navd_tile_queue_deinit(tile_queue *q)
{
    for (queued_tile *t = q->first, *next; t; t = next) {
        next = t->next;
        free_tile(t);
    }
    free_tile(q->taken);
    free(q->slots);
    *q = (tile_queue){0};
}

static queued_tile **slot_of(const tile_queue *q, const navd_tile *t)
{
    return &q->slots[hash_place(t->subscription, t->sheet, t->x, t->z) & (q->slot_count - 1)];
}

static bool grow(tile_queue *q)
{
    uint32_t slot_count = q->slot_count ? q->slot_count * 2 : 64;
    queued_tile **slots = calloc(slot_count, sizeof(queued_tile *));
    if (!slots) return false;
    free(q->slots);
    q->slots = slots;
    q->slot_count = slot_count;
    for (queued_tile *t = q->first; t; t = t->next) {
        queued_tile **slot = slot_of(q, &t->tile);
        t->next_in_slot = *slot;
        *slot = t;
    }
    return true;
}

static bool copy_tile(queued_tile *to, const navd_tile *from)
{
    size_t profile = strlen(from->profile) + 1, reason = strlen(from->reason) + 1;
    uint8_t *bytes = malloc(profile + reason + from->size);
    if (!bytes) return false;
    memcpy(bytes, from->profile, profile);
    memcpy(bytes + profile, from->reason, reason);
    if (from->size) memcpy(bytes + profile + reason, from->data, from->size);
    free(to->bytes);
    to->bytes = bytes;
    to->tile = *from;
    to->tile.profile = (const char *)bytes;
    to->tile.reason = (const char *)bytes + profile;
    to->tile.data = from->size ? bytes + profile + reason : NULL;
    return true;
}

static bool is_same_place(const navd_tile *a, const navd_tile *b)
{
    return a->subscription == b->subscription && a->sheet == b->sheet && a->x == b->x && a->z == b->z;
}

nav_status navd_tile_queue_put(tile_queue *q, const navd_tile *tile)
{
    if (q->count >= q->slot_count && !grow(q)) return NAV_ERR_MEMORY;
    queued_tile **slot = slot_of(q, tile);
    for (queued_tile *t = *slot; t; t = t->next_in_slot) {
        if (is_same_place(&t->tile, tile)) {
            return copy_tile(t, tile) ? NAV_OK : NAV_ERR_MEMORY;
        }
    }
    queued_tile *t = calloc(1, sizeof *t);
    if (!t || !copy_tile(t, tile)) {
        free(t);
        return NAV_ERR_MEMORY;
    }
    t->next_in_slot = *slot;
    *slot = t;
    *(q->last ? &q->last->next : &q->first) = t;
    q->last = t;
    q->count++;
    return NAV_OK;
}

const navd_tile *navd_tile_queue_take(tile_queue *q)
{
    free_tile(q->taken);
    q->taken = q->first;
    if (!q->first) return NULL;
    queued_tile *t = q->first, **link = slot_of(q, &t->tile);
    while (*link != t) link = &(*link)->next_in_slot;
    *link = t->next_in_slot;
    q->first = t->next;
    if (!q->first) q->last = NULL;
    q->count--;
    return &t->tile;
}
