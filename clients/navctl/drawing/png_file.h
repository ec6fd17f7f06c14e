// PNG files, compressed by all threads: an image is cut into bands of rows, and each is compressed on its own. The file
// does not depend on the number of threads.
#ifndef NAVCTL_PNG_FILE_H
#define NAVCTL_PNG_FILE_H

#include "navcore/parallel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct png_image {
    const uint8_t
        *bytes; // as cairo keeps CAIRO_FORMAT_RGB24: 32 bits each, red, green and blue in the lower three bytes
    ptrdiff_t stride;
    int width, height;
} png_image;

// parallel: NULL for the calling thread alone. False: no memory (errno ENOMEM), or the file could not be written.
bool png_file_write(const png_image *image, const nav_parallel *parallel, FILE *out);

#endif
