// The files that a scene file names: an OBJ's material libraries, a glTF's buffers and images. Any thread.
#ifndef NAVCTL_SCENE_REFERENCES_H
#define NAVCTL_SCENE_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>

enum { SCENE_MAX_REFERENCES = 1024 }; // more are left out

typedef struct scene_references {
    char **paths; // as the reader would open them
    size_t count;
} scene_references;

// Without the file itself. What cannot be read names nothing. False: no memory.
bool scene_references_read(const char *path, scene_references *out);
void scene_references_deinit(scene_references *r); // accepts a zeroed one

#endif
