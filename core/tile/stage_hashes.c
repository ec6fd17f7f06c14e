#include "core/tile/stage_hashes.h"

#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "core/tile/tile_format.h"

const char *nav_hash_name(nav_hash h)
{
    static const char *const names[] = {
#define NAV_HASH_NAME(id, name) name,
        NAV_HASH_LIST(NAV_HASH_NAME)
#undef NAV_HASH_NAME
    };
    return (unsigned)h < NAV_HASH_COUNT ? names[h] : "unknown";
}

// A hash over lists: their lengths count, so that nothing can move from one to the next.
static void add(nav_key *key, const void *list, int64_t count, size_t size)
{
    *key = nav_key_join(*key, nav_key_of(&count, sizeof count));
    if (list && count > 0) *key = nav_key_join(*key, nav_key_of(list, (size_t)count * size));
}

#define ADD(key, list, count) add((key), (list), (count), sizeof *(list))

static nav_key of_heightfield(const nav_heightfield *f)
{
    nav_key k = {0, 0};
    ADD(&k, f->column_first, (int64_t)f->width * f->width + 1);
    ADD(&k, f->bottom, f->span_count);
    ADD(&k, f->top, f->span_count);
    ADD(&k, f->area, f->span_count);
    return k;
}

static nav_key of_compact(const nav_compact_heightfield *f)
{
    nav_key k = {0, 0};
    if (f->span_count == 0) return k;
    ADD(&k, f->column_first, (int64_t)f->width * f->width + 1);
    ADD(&k, f->floor, f->span_count);
    ADD(&k, f->area, f->span_count);
    for (int d = 0; d < 4; d++) ADD(&k, f->connection[d], f->span_count);
    return k;
}

static nav_key of_distances(const nav_compact_heightfield *f)
{
    nav_key k = {0, 0};
    ADD(&k, f->distance, f->span_count);
    return k;
}

static nav_key of_regions(const nav_regions *r, int32_t span_count)
{
    nav_key k = {0, 0};
    ADD(&k, r->id, span_count);
    ADD(&k, r->folded, r->folded ? r->count + (int64_t)1 : 0);
    return k;
}

static nav_key of_contours(const nav_contours *c)
{
    nav_key k = {0, 0};
    ADD(&k, c->loop_first, c->loop_count + (int64_t)1);
    ADD(&k, c->loop_region, c->loop_count);
    ADD(&k, c->loop_area, c->loop_count);
    ADD(&k, c->loop_hole, c->loop_count);
    ADD(&k, c->x, c->vert_count);
    ADD(&k, c->z, c->vert_count);
    ADD(&k, c->y, c->vert_count);
    ADD(&k, c->behind, c->vert_count);
    ADD(&k, c->border_joint, c->vert_count);
    return k;
}

static nav_key of_polygons(const nav_polygons *p)
{
    nav_key k = {0, 0};
    int64_t corners = p->count ? p->first[p->count] : 0,
            cell_corners = p->cell_count ? p->cell_first[p->cell_count] : 0;
    ADD(&k, p->x, p->vert_count);
    ADD(&k, p->z, p->vert_count);
    ADD(&k, p->y, p->vert_count);
    ADD(&k, p->first, p->count);
    ADD(&k, p->vert, corners);
    ADD(&k, p->behind, corners);
    ADD(&k, p->area, p->count);
    ADD(&k, p->region, p->count);
    ADD(&k, p->cell_poly, p->cell_count);
    ADD(&k, p->cell_first, p->cell_count);
    ADD(&k, p->cell_vert, cell_corners);
    ADD(&k, p->cell_behind, cell_corners);
    ADD(&k, p->cell_flags, p->cell_flags ? p->cell_count : 0);
    return k;
}

static nav_key of_detail(const nav_detail *d, const nav_polygons *p)
{
    nav_key k = of_polygons(p);
    ADD(&k, d->vert_first, p->count);
    ADD(&k, d->tri_first, p->count);
    ADD(&k, d->x, d->vert_count);
    ADD(&k, d->z, d->vert_count);
    ADD(&k, d->y, d->vert_count);
    ADD(&k, d->tri, d->tri_count);
    return k;
}

static nav_status hash_voxels(nav_stage_hashes *h, nav_stage s, const nav_made *made, nav_arena *scratch)
{
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    nav_heightfield solid;
    nav_compact_heightfield compact;
    nav_status status;
    if (s == NAV_STAGE_RASTERIZE) {
        status = nav_voxels_as_heightfield(made->voxels, made->config, scratch, &solid);
        if (status == NAV_OK) h->of[NAV_HASH_HEIGHTFIELD] = of_heightfield(&solid);
    } else {
        status = nav_voxels_as_compact(made->voxels, made->field, made->config, scratch, &compact);
        if (status == NAV_OK) h->of[NAV_HASH_COMPACT] = of_compact(&compact);
    }
    nav_arena_release(scratch, mark);
    return status;
}

nav_status nav_stage_hashes_made(void *user, nav_stage s, const nav_made *made, nav_arena *scratch)
{
    nav_stage_hashes *h = user;
    switch (s) {
    case NAV_STAGE_GATHER:
        h->of[NAV_HASH_TRIANGLES] = made->triangles->content_key;
        break;
    case NAV_STAGE_RASTERIZE:
    case NAV_STAGE_COMPACT:
        return hash_voxels(h, s, made, scratch);
    case NAV_STAGE_ERODE:
        h->of[NAV_HASH_ERODED] = of_compact(made->field);
        break;
    case NAV_STAGE_DISTANCE:
        h->of[NAV_HASH_DISTANCES] = of_distances(made->field);
        break;
    case NAV_STAGE_REGIONS:
        h->of[NAV_HASH_REGIONS] = of_regions(made->regions, made->field->span_count);
        break;
    case NAV_STAGE_CONTOURS:
        h->of[NAV_HASH_CONTOURS] = of_contours(made->contours);
        break;
    case NAV_STAGE_OUTLINES:
    case NAV_STAGE_SURFACE:
        h->of[NAV_HASH_OUTLINES] = of_contours(made->contours);
        break;
    case NAV_STAGE_POLYGONS:
        h->of[NAV_HASH_POLYGONS] = of_polygons(made->polygons);
        break;
    case NAV_STAGE_DETAIL:
        h->of[NAV_HASH_DETAIL] = of_detail(made->detail, made->polygons);
        break;
    case NAV_STAGE_FILTER: // planes and spans have nothing in common until they are connected
    case NAV_STAGE_ENCODE:
    case NAV_STAGE_COUNT:
        break;
    }
    return NAV_OK;
}

nav_status nav_stage_hashes_encoded(nav_stage_hashes *h, const nav_tile *tile, nav_buffer *bytes)
{
    nav_buffer packed = {0};
    bytes->size = 0;
    nav_status s = nav_tile_encode(tile, bytes);
    h->of[NAV_HASH_NAVD] = nav_key_of(bytes->data, bytes->size);
    bytes->size = 0;
    if (s == NAV_OK) s = nav_detour_encode(tile, bytes);
    if (s == NAV_ERR_LIMIT) { // of Detour's tile
        bytes->size = 0;
        s = NAV_OK;
    }
    h->of[NAV_HASH_DETOUR] = nav_key_of(bytes->data, bytes->size);
    if (s == NAV_OK && bytes->size) s = nav_detour_pack(bytes->data, bytes->size, tile->settings, &packed);
    h->of[NAV_HASH_PACKED] = nav_key_of(packed.data, packed.size);
    nav_buffer_deinit(&packed);
    return s;
}

nav_hash nav_stage_hashes_compare(const nav_stage_hashes *a, const nav_stage_hashes *b)
{
    int i = 0;
    while (i < NAV_HASH_COUNT && nav_key_equal(a->of[i], b->of[i])) i++;
    return (nav_hash)i;
}
