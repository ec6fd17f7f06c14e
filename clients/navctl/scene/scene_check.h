// Is a scene file whole and sound? Assimp reads much of a file that was cut short and says nothing, trusts some
// indices, and overflows its stack on deep nesting; so the bytes are checked first, as far as each format allows. Any
// thread.
#ifndef NAVCTL_SCENE_CHECK_H
#define NAVCTL_SCENE_CHECK_H

#include "clients/navctl/scene/scene_file.h"

typedef enum scene_format {
    SCENE_OBJ,
    SCENE_GLTF,
    SCENE_GLB,
    SCENE_FBX,
    SCENE_PLY,
    SCENE_STL,
    SCENE_POINTS,  // points_read.h reads and checks them
    SCENE_GEOJSON, // floor plans: plan_scene.h reads and checks them
    SCENE_WKT,
    SCENE_SVG,
    SCENE_UNKNOWN
} scene_format;

enum { SCENE_MAX_DEPTH = 256 }; // nodes below nodes, or blocks within blocks

// By the name's ending, letters of either case.
scene_format scene_format_of(const char *path);

// False and a sentence that says what is wrong and where (line, byte or face) when the file cannot be whole or right.
// The path serves to find the files that a glTF names. The statements of an OBJ file are obj_parts_check()'s, and plans
// and points are checked as they are read.
bool scene_check(scene_format format, const scene_file *file, char *why, size_t why_bytes);

// One per other format; scene_check() chooses.
bool scene_check_ply(const scene_file *file, char *why, size_t why_bytes);
bool scene_check_stl(const scene_file *file, char *why, size_t why_bytes);
bool scene_check_gltf(const scene_file *file, char *why, size_t why_bytes);
bool scene_check_glb(const scene_file *file, char *why, size_t why_bytes);
bool scene_check_fbx(const scene_file *file, char *why, size_t why_bytes);

// Is the whole word a decimal number (or nan, inf, infinity)? The importers read "0,5" or "0x10" up to the first
// character that they do not know, and go on.
bool scene_is_number(const uint8_t *word, size_t length);

#endif
