#include "navcore/builder.h"
#include "core/base/arena.h"
#include "core/build.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct nav_builder {
    nav_arena arena;
    nav_tile tile; // in the arena
    bool holds_tile;
    nav_hooks hooks;
    char error[240];
};

nav_status nav_builder_create(size_t budget_bytes, nav_builder **out)
{
    nav_builder *b = calloc(1, sizeof *b);
    if (!b) return NAV_ERR_MEMORY;
    nav_arena_init(&b->arena, budget_bytes);
    *out = b;
    return NAV_OK;
}

void nav_builder_destroy(nav_builder *b)
{
    if (!b) return;
    nav_arena_deinit(&b->arena);
    free(b);
}

void nav_builder_set_cancel(nav_builder *b, bool (*cancelled)(void *user), void *user)
{
    b->hooks = (nav_hooks){.user = user, .cancelled = cancelled};
}

const char *nav_builder_error(const nav_builder *b)
{
    return b->error;
}

// What nav_build_tile() takes for granted.
static nav_status check_source(nav_builder *b, const nav_tile_source *src)
{
    nav_status s = nav_settings_check(src->settings, b->error, sizeof b->error);
    for (uint32_t i = 0; i < src->volume_count && s == NAV_OK; i++)
        s = nav_volume_check(&src->volumes[i], b->error, sizeof b->error);
    for (uint32_t i = 0; i < src->link_count && s == NAV_OK; i++)
        s = nav_link_check(&src->links[i], b->error, sizeof b->error);
    if (s != NAV_OK) return s;
    for (uint32_t i = 0; i < src->instance_count; i++) {
        const nav_instance *in = &src->instances[i];
        if (in->mesh && in->area < NAV_AREA_COUNT) continue;
        if (in->mesh)
            snprintf(b->error, sizeof b->error, "instance %" PRIu32 " has area type %u, but must have 0 to 63", i,
                     in->area);
        else
            snprintf(b->error, sizeof b->error, "instance %" PRIu32 " has no mesh", i);
        return NAV_ERR_ARGUMENT;
    }
    return NAV_OK;
}

static nav_status build(nav_builder *b, const nav_tile_source *source, const nav_key *known)
{
    nav_status s = check_source(b, source);
    if (s != NAV_OK) return s; // with its own words
    s = nav_build_tile(source, known, &b->hooks, &b->arena, &b->tile);
    if (s == NAV_OK || s == NAV_ERR_EXISTS) return s;
    if (s == NAV_ERR_LIMIT && b->arena.refused)
        snprintf(b->error, sizeof b->error,
                 "tile (%" PRId32 ", %" PRId32 ") needs more than the builder's budget of %zu bytes", source->tile_x,
                 source->tile_z, b->arena.budget_bytes);
    else
        snprintf(b->error, sizeof b->error, "tile (%" PRId32 ", %" PRId32 "): %s", source->tile_x, source->tile_z,
                 nav_status_text(s));
    return s;
}

nav_status nav_builder_build(nav_builder *b, const nav_tile_source *source, const nav_key *known, nav_tile_summary *out)
{
    b->error[0] = '\0';
    nav_arena_reset(&b->arena);
    nav_status s = build(b, source, known);
    b->holds_tile = s == NAV_OK;
    if (out && (s == NAV_OK || s == NAV_ERR_EXISTS))
        *out = (nav_tile_summary){
            .content_key = b->tile.content_key,
            .polygons = (uint32_t)b->tile.polygons.count,
            .cells = (uint32_t)b->tile.polygons.cell_count,
            .links = b->tile.link_count,
            .triangles = b->tile.counts.triangles,
            .skipped = b->tile.counts.skipped_triangles,
        };
    return s;
}

static nav_status encode(nav_builder *b, nav_status (*encoder)(const nav_tile *, nav_buffer *), nav_buffer *out)
{
    const size_t before = out->size;
    b->error[0] = '\0';
    nav_status s = b->holds_tile ? encoder(&b->tile, out) : NAV_ERR_STATE;
    if (s == NAV_OK) return s;
    out->size = before;
    if (s == NAV_ERR_STATE)
        snprintf(b->error, sizeof b->error, "there is no tile to encode: the last build did not succeed");
    else
        snprintf(b->error, sizeof b->error, "tile (%" PRId32 ", %" PRId32 ") cannot be encoded: %s",
                 b->tile.config.tile_x, b->tile.config.tile_z,
                 s == NAV_ERR_LIMIT ? "it has more than the encoding holds; choose smaller tiles" : nav_status_text(s));
    return s;
}

nav_status nav_builder_encode_detour(nav_builder *b, nav_buffer *out)
{
    return encode(b, nav_detour_encode, out);
}

nav_status nav_builder_encode_navd(nav_builder *b, nav_buffer *out)
{
    return encode(b, nav_tile_encode, out);
}
