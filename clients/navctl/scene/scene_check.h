// Is a scene file whole? Assimp reads much of a file that was cut short, and says nothing; so the bytes are looked at
// first, as far as each format lets one tell. Any thread.
#ifndef NAVCTL_SCENE_CHECK_H
#define NAVCTL_SCENE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum scene_format {
    SCENE_OBJ,
    SCENE_GLTF,
    SCENE_GLB,
    SCENE_FBX,
    SCENE_PLY,
    SCENE_STL,
    SCENE_UNKNOWN
} scene_format;

// By the name's ending, letters of either case.
scene_format scene_format_of(const char *path);

// False and a sentence that says what is wrong and where (line or byte) when the file cannot be whole or right.
bool scene_check(scene_format format, const uint8_t *bytes, size_t count, char *why, size_t why_bytes);

// One per format; scene_check() chooses.
bool scene_check_obj(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);
bool scene_check_ply(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);
bool scene_check_stl(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);
bool scene_check_gltf(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);
bool scene_check_glb(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);
bool scene_check_fbx(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);

#endif
