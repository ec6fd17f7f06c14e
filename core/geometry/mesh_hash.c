// The name of a mesh: the hash of its content. Clients need it without the rest of a mesh.
#include "core/geometry/mesh.h"

#include "core/base/endian.h"

nav_key nav_mesh_hash_with_areas(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                                 const uint8_t *areas)
{
    uint8_t parts[8 + 3 * NAV_KEY_BYTES];
    nav_store_u32(parts, vert_count);
    nav_store_u32(parts + 4, tri_count);
    nav_key_store(nav_key_of(verts, (size_t)vert_count * 12), parts + 8);
    nav_key_store(nav_key_of(tris, (size_t)tri_count * 12), parts + 8 + NAV_KEY_BYTES);
    if (areas) nav_key_store(nav_key_of(areas, tri_count), parts + 8 + 2 * NAV_KEY_BYTES);
    return nav_key_of(parts, areas ? sizeof parts : sizeof parts - NAV_KEY_BYTES);
}

nav_key nav_mesh_hash(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count)
{
    return nav_mesh_hash_with_areas(verts, vert_count, tris, tri_count, NULL);
}
