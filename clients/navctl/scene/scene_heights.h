// Height maps as scenes: grey PNG files of 16 or 8 bits, and raw files of 16 bits (.r16, little-endian, as terrain
// editors write them). Such a scene is one terrain, cut into blocks that are instances of one name.
#ifndef NAVCTL_SCENE_HEIGHTS_H
#define NAVCTL_SCENE_HEIGHTS_H

#include "clients/navctl/arguments/args.h"
#include "clients/navctl/scene/scene.h"

typedef struct scene_heights_values {
    const char *spacing, *scale, *offset, *size, *diagonal; // NULL: the default
} scene_heights_values;

enum { SCENE_HEIGHTS_OPTIONS = 5 };
extern const arg_option scene_heights_options[SCENE_HEIGHTS_OPTIONS];
#define SCENE_HEIGHTS_GROUP(type, member)                                                                              \
    {                                                                                                                  \
        "Height maps (.png, .r16)", scene_heights_options, SCENE_HEIGHTS_OPTIONS, offsetof(type, member)               \
    }

// By the end of its name.
bool scene_heights_is_map(const char *path);
// Are all of them numbers in their ranges? False with one line on stderr.
bool scene_heights_check(const scene_heights_values *v, const char *command);
// The name of an option that is given; NULL: none.
const char *scene_heights_given(const scene_heights_values *v);

// Reads all samples. size: columns and rows as --heights-size has them; NULL: as the file says, or a square. False and
// a sentence without the file's name in `why`. The caller frees *out. Fewer than 16 bits are warned of on stderr.
bool scene_heights_samples(const char *path, const char *size, uint16_t **out, uint32_t *columns, uint32_t *rows,
                           char *why, size_t why_bytes);

// The terrain. False and a sentence as above; `out` is empty then.
bool scene_heights_read(const char *path, const scene_heights_values *v, scene *out, char *why, size_t why_bytes);

#endif
