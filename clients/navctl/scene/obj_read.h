// Reads an OBJ text with tinyobjloader, its parts side by side.
#ifndef NAVCTL_OBJ_READ_H
#define NAVCTL_OBJ_READ_H

#include "clients/navctl/scene/obj_parts.h"
#include "clients/navctl/scene/scene.h"

typedef enum obj_result {
    OBJ_READ,
    OBJ_ODD, // Assimp has to read it: parts.odd, or a polygon with two corners or more that point inwards
    OBJ_NO_MEMORY
} obj_result;

// Parts that obj_parts_check() let pass. Each object and each group with faces is an instance; its name may come again.
// Vertices and triangles are in the order of the faces, and every position is there once. `out` stays empty unless all
// was read.
obj_result obj_read(const obj_parts *p, const nav_parallel *parallel, scene *out);

#endif
