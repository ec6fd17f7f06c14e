#include "clients/navctl/scene/ground_scene.h"

#include <stdlib.h>
#include <string.h>

bool ground_scene_make(nav_ground *ground, const char *name, scene *out)
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    out->meshes = calloc(1, sizeof *out->meshes);
    out->instances = calloc(1, sizeof *out->instances);
    char *own = strdup(name);
    if (!out->meshes || !out->instances || !own) {
        free(own);
        return false;
    }
    out->meshes[0] = (scene_mesh){
        .verts = ground->verts, .vert_count = ground->vert_count, .tris = ground->tris, .tri_count = ground->tri_count};
    out->instances[0] = (scene_instance){.name = own, .area = NAV_AREA_DEFAULT};
    memcpy(out->instances[0].transform, identity, sizeof identity);
    out->mesh_count = out->instance_count = 1;
    *ground = (nav_ground){0};
    scene_measure(out);
    return true;
}
