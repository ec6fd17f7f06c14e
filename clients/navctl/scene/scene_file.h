// A file's bytes, mapped to be looked at. Any thread.
#ifndef NAVCTL_SCENE_FILE_H
#define NAVCTL_SCENE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_file {
    const char *path;     // borrowed
    const uint8_t *bytes; // NULL: an empty file
    size_t count;
} scene_file;

// False and a sentence in `why` (without the file's name) when it cannot be read or is not a plain file.
bool scene_file_open(const char *path, scene_file *out, char *why, size_t why_bytes);
void scene_file_close(scene_file *file); // accepts a zeroed one

#endif
