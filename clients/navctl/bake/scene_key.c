#include "clients/navctl/bake/scene_key.h"
#include "clients/c/convert.h"
#include "core/base/key.h"
#include "core/geometry/tile_source.h"

#include <string.h>

enum { FILE_FORMS = 1 }; // raise it when the same tiles may give another file

static nav_key add(nav_key sum, const void *bytes, size_t count)
{
    return nav_key_join(sum, nav_key_of(bytes, count));
}

// Values, not structs: these have gaps.
#define ADD(sum, value) (sum) = add(sum, &(value), sizeof(value))

// As the daemon knows it.
static nav_key mesh_key(const scene_mesh *m)
{
    navd_heights heights;
    navd_mesh mesh = {.vertices = m->verts,
                      .vertex_count = m->vert_count,
                      .triangles = m->tris,
                      .triangle_count = m->tri_count,
                      .areas = m->areas};
    if (m->heights) {
        heights = navd_heights_from_core(m->heights);
        mesh = (navd_mesh){.heights = &heights};
    }
    return navd_mesh_key(&mesh);
}

static nav_key geometry_key(const scene *s, nav_key sum)
{
    for (uint32_t i = 0; i < s->mesh_count; i++) sum = nav_key_join(sum, mesh_key(&s->meshes[i]));
    for (uint32_t i = 0; i < s->instance_count; i++) {
        ADD(sum, s->instances[i].mesh);
        ADD(sum, s->instances[i].transform);
        ADD(sum, s->instances[i].area);
    }
    for (uint32_t i = 0; i < s->volume_count; i++) sum = nav_key_join(sum, nav_volume_key(&s->volumes[i]));
    for (uint32_t i = 0; i < s->link_count; i++) sum = nav_key_join(sum, nav_link_key(&s->links[i]));
    return sum;
}

static nav_key areas_key(const nav_area_table *t, nav_key sum)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const nav_area_type *a = &t->types[i];
        sum = add(sum, a->name, strlen(a->name));
        ADD(sum, a->id);
        ADD(sum, a->cost);
        ADD(sum, a->walkable);
        ADD(sum, a->has_flags);
        ADD(sum, a->flags);
        ADD(sum, a->has_color);
        ADD(sum, a->color);
    }
    return sum;
}

nav_key scene_key_of(const scene_build_input *in)
{
    const uint32_t version = NAV_GENERATOR_VERSION;
    nav_key sum = {0};
    ADD(sum, version);
    sum = areas_key(in->areas, geometry_key(in->scene, sum));
    if (!nav_reach_goal_is_set(in->goal) || in->unreachable == NAV_UNREACHABLE_KEEP) return sum;
    sum = add(sum, in->goal->seeds, in->goal->seed_count * sizeof in->goal->seeds[0]);
    ADD(sum, in->goal->min_area_m2);
    ADD(sum, in->unreachable);
    return sum;
}

nav_key scene_key_of_profile(nav_key key, const nav_settings *settings)
{
    nav_key sum = nav_key_join(key, nav_settings_key(settings, 0, 0));
    ADD(sum, settings->origin_m);
    ADD(sum, settings->sheets);
    return sum;
}

nav_key scene_key_of_file(nav_key profile, mesh_file_kind kind, const char *from)
{
    const uint32_t form = FILE_FORMS << 8 | (uint32_t)kind;
    nav_key sum = profile;
    ADD(sum, form);
    return kind == MESH_FILE_OBJ ? add(sum, from, strlen(from)) : sum; // which is in its comment
}
