// The structs as they are, then every array, each padded to 8 bytes. One list of the arrays serves both directions.

#include "core/reach/packed.h"

#include "core/base/key.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

typedef struct array {
    void *at; // of the pointer in the tile, whatever it points to
    size_t bytes;
} array;

enum { ARRAYS_MAX = 24, FORM = 1 }; // raise FORM when what is written changes and no struct does

typedef struct arrays {
    array list[ARRAYS_MAX];
    int count;
} arrays;

// As many members as the lists below know. Whoever adds one to these structs adds it there and in mask.c.
_Static_assert(sizeof(nav_polygons) == 18 * sizeof(void *), "nav_polygons has a member that is not packed");
_Static_assert(sizeof(void *) != 8 || sizeof(nav_detail) == 10 * sizeof(void *), "nav_detail has one");

static void add(arrays *a, void *pointer, size_t count, size_t size)
{
    assert(a->count < ARRAYS_MAX);
    a->list[a->count++] = (array){pointer, count * size};
}

#define ADD(a, pointer, n) add((a), (void *)&(pointer), (size_t)(n), sizeof *(pointer))

// The tile's numbers and counts are there, and those arrays that counts are read from. Call again after each step.
static void list_polygons(arrays *a, nav_polygons *p)
{
    ADD(a, p->first, p->count + 1);
    ADD(a, p->cell_poly, p->cell_count + 1);
    ADD(a, p->cell_first, p->cell_count + 1);
    ADD(a, p->x, p->vert_count);
    ADD(a, p->z, p->vert_count);
    ADD(a, p->y, p->vert_count);
    ADD(a, p->area, p->count);
    ADD(a, p->region, p->count);
    if (p->cell_flags) ADD(a, p->cell_flags, p->cell_count);
}

static void list_corners(arrays *a, nav_polygons *p)
{
    ADD(a, p->vert, p->first[p->count]);
    ADD(a, p->behind, p->first[p->count]);
    ADD(a, p->cell_vert, p->cell_first[p->cell_count]);
    ADD(a, p->cell_behind, p->cell_first[p->cell_count]);
}

static void list_detail(arrays *a, nav_detail *d, int32_t polygons)
{
    if (!d->tri_first) return;
    ADD(a, d->vert_first, polygons + 1);
    ADD(a, d->tri_first, polygons + 1);
    ADD(a, d->x, d->vert_count);
    ADD(a, d->z, d->vert_count);
    ADD(a, d->y, d->vert_count);
    ADD(a, d->tri, d->tri_count);
}

static nav_status append(nav_buffer *out, const void *bytes, size_t count)
{
    static const uint8_t zero[8] = {0};
    nav_status s = count ? nav_buffer_append(out, bytes, count) : NAV_OK;
    return s == NAV_OK && count % 8 ? nav_buffer_append(out, zero, 8 - count % 8) : s;
}

static nav_status append_arrays(nav_buffer *out, const arrays *a)
{
    nav_status s = NAV_OK;
    for (int i = 0; i < a->count && s == NAV_OK; i++) {
        const void *from;
        memcpy(&from, a->list[i].at, sizeof from);
        s = append(out, from, a->list[i].bytes);
    }
    return s;
}

nav_status nav_tile_pack(const nav_tile *tile, nav_buffer *out)
{
    assert(!tile->polygons.unreached); // marks are made from what is packed, not packed
    nav_tile t = *tile;
    arrays a = {.count = 0};
    nav_status s = append(out, tile, sizeof *tile);
    for (uint32_t i = 0; i < tile->link_count && s == NAV_OK; i++)
        s = append(out, tile->links[i], sizeof **tile->links);
    if (!t.polygons.count || s != NAV_OK) return s;
    list_polygons(&a, &t.polygons);
    list_corners(&a, &t.polygons);
    list_detail(&a, &t.detail, t.polygons.count);
    return append_arrays(out, &a);
}

uint64_t nav_tile_pack_layout(void)
{
    const uint32_t sizes[] = {FORM,
                              1, // read back as another number by another byte order
                              sizeof(nav_tile),
                              sizeof(nav_polygons),
                              sizeof(nav_detail),
                              sizeof(nav_link),
                              sizeof(void *),
                              offsetof(nav_tile, polygons),
                              offsetof(nav_tile, detail),
                              offsetof(nav_tile, links)};
    return nav_key_of(sizes, sizeof sizes).low;
}

typedef struct source {
    const uint8_t *bytes;
    size_t count, at;
    bool ended; // too early
} source;

static void read_bytes(source *in, void *to, size_t bytes)
{
    size_t padded = (bytes + 7) & ~(size_t)7;
    if (padded < bytes || padded > in->count - in->at) {
        in->ended = true;
        return;
    }
    if (bytes) memcpy(to, in->bytes + in->at, bytes);
    in->at += padded;
}

static nav_status read_arrays(source *in, const arrays *a, nav_arena *arena)
{
    for (int i = 0; i < a->count; i++) {
        void *room = nav_arena_take(arena, a->list[i].bytes, 1);
        if (!room) return nav_arena_failure(arena);
        read_bytes(in, room, a->list[i].bytes);
        if (in->ended) return NAV_ERR_FORMAT;
        memcpy(a->list[i].at, &room, sizeof room);
    }
    return NAV_OK;
}

static nav_status read_links(source *in, nav_arena *arena, nav_tile *out)
{
    nav_link *links = NAV_TAKE(arena, nav_link, out->link_count);
    out->links = NAV_TAKE(arena, const nav_link *, out->link_count);
    if (!links || !out->links) return nav_arena_failure(arena);
    for (uint32_t i = 0; i < out->link_count; i++) {
        read_bytes(in, &links[i], sizeof links[i]);
        if (in->ended) return NAV_ERR_FORMAT;
        out->links[i] = &links[i];
    }
    return NAV_OK;
}

nav_status nav_tile_unpack(const uint8_t *bytes, size_t count, const nav_settings *settings, nav_arena *arena,
                           nav_tile *out)
{
    source in = {.bytes = bytes, .count = count};
    arrays shape = {.count = 0}, corners = {.count = 0};
    read_bytes(&in, out, sizeof *out);
    if (in.ended) return NAV_ERR_FORMAT;
    out->settings = settings;
    out->arena = arena;
    out->field = (nav_compact_heightfield){0}; // these are not packed
    out->regions = (nav_regions){0};
    out->contours = (nav_contours){0};
    nav_status s = read_links(&in, arena, out);
    if (s != NAV_OK || !out->polygons.count) {
        out->polygons = (nav_polygons){0};
        out->detail = (nav_detail){0};
        return s;
    }
    list_polygons(&shape, &out->polygons);
    s = read_arrays(&in, &shape, arena);
    if (s != NAV_OK) return s;
    list_corners(&corners, &out->polygons);
    list_detail(&corners, &out->detail, out->polygons.count);
    return read_arrays(&in, &corners, arena);
}
