// The view's files, as the build found them (cmake/view.cmake): compressed by gzip, in the binary. Constant.
#ifndef ND_SITE_FILES_H
#define ND_SITE_FILES_H

#include <stddef.h>
#include <stdint.h>

typedef struct nd_site_file {
    const char *path, *type; // "/app.js", "text/javascript; charset=utf-8"
    const char *etag;        // of the content, in quotes
    const uint8_t *gzip, *end;
} nd_site_file;

// Up to one without a path. None at all: this build has no view.
extern const nd_site_file nd_site_files[];

#endif
