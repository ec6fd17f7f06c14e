#include "core/tile/relink.h"

#include "core/base/endian.h"
#include "core/tile/detour_layout.h"
#include "core/tile/tile_layout.h"

nav_status nav_tile_relink(const uint8_t *bytes, size_t count, nav_key content_key, const nav_link *const *links,
                           uint32_t link_count, nav_buffer *out)
{
    nav_tile_view view;
    nav_status s = nav_tile_open(bytes, count, &view, NULL, 0);
    if (s != NAV_OK) return s;
    view.link_count = link_count;
    const tile_layout l = tile_layout_of(&view); // the links are the last section
    if (l.size > UINT32_MAX) return NAV_ERR_LIMIT;
    s = nav_buffer_reserve(out, (size_t)l.size);
    if (s != NAV_OK) return s;
    uint8_t *to = out->data + out->size;
    memcpy(to, bytes, (size_t)l.links);
    nav_tile_write_links(links, link_count, to + l.links);
    nav_store_u32(to + TILE_AT_SIZE, (uint32_t)l.size);
    nav_store_u32(to + TILE_AT_LINKS, link_count);
    nav_key_store(content_key, to + TILE_AT_KEY);
    nav_store_u64(to + TILE_AT_CHECKSUM, nav_tile_checksum(to, (size_t)l.size));
    out->size += (size_t)l.size;
    return NAV_OK;
}

nav_status nav_detour_relink(const uint8_t *bytes, size_t count, const nav_link *const *links, uint32_t link_count,
                             nav_buffer *out)
{
    nav_detour_view view;
    nav_status s = nav_detour_open(bytes, count, &view, NULL, 0);
    if (s != NAV_OK) return s;
    nav_detour_header h = view.header;
    const detour_layout from = detour_layout_of(&h);
    const int64_t ground_verts = h.vert_count - 2 * (int64_t)h.off_mesh_count;
    const int64_t verts = ground_verts + 2 * (int64_t)link_count, polys = h.off_mesh_base + (int64_t)link_count;
    if (polys > NAV_DETOUR_MAX_POLYS || verts > NAV_DETOUR_MAX_VERTS) return NAV_ERR_LIMIT;
    h.max_link_count += DETOUR_LINKS_PER_OFF_MESH * ((int32_t)link_count - h.off_mesh_count);
    h.poly_count = (int32_t)polys;
    h.vert_count = (int32_t)verts;
    h.off_mesh_count = (int32_t)link_count;
    const detour_layout to = detour_layout_of(&h);
    if (to.size > INT32_MAX) return NAV_ERR_LIMIT;
    s = nav_buffer_reserve(out, (size_t)to.size);
    if (s != NAV_OK) return s;
    uint8_t *made = out->data + out->size;
    memset(made, 0, (size_t)to.size);
    memcpy(made + to.verts, bytes + from.verts, (size_t)ground_verts * DETOUR_VERT_BYTES);
    memcpy(made + to.polys, bytes + from.polys, (size_t)h.off_mesh_base * DETOUR_POLY_BYTES);
    memcpy(made + to.detail_meshes, bytes + from.detail_meshes, (size_t)(from.off_mesh - from.detail_meshes));
    nav_detour_write_header(&h, made);
    nav_detour_write_links(&h, links, made);
    out->size += (size_t)to.size;
    return NAV_OK;
}
