// An OBJ file cut into parts at line ends, so that threads check and read it side by side; and the checks. OBJ has no
// counts and no end mark. What gives a cut file away: a corner that names a vertex which does not exist, a line with
// fewer numbers than its kind needs, or a last line without a line end in a file whose later vertices no face uses
// (exporters write vertices first, so a cut in the faces leaves vertices over).
#ifndef NAVCTL_OBJ_PARTS_H
#define NAVCTL_OBJ_PARTS_H

#include "clients/navctl/scene/scene_file.h"
#include "navcore/parallel.h"

typedef struct obj_part {
    const uint8_t *begin, *end;
    size_t line;          // number of the first
    int64_t verts_before; // of the parts before it
    int64_t verts, faces; // of its own
} obj_part;

typedef struct obj_parts {
    obj_part *parts; // in the order of the file
    int count;
    int64_t verts, faces;
    // Statements that tinyobjloader does not read as they are meant: joined lines, a vertex with a weight, numbers that
    // are not finite, a group or object without a name, lines that end in a carriage return alone.
    bool odd;
} obj_parts;

// Cuts and checks. parallel: NULL for the calling thread alone. False and a sentence that says what is wrong, and in
// which line, when the file cannot be whole or right; the same one on any number of threads.
bool obj_parts_check(const scene_file *file, const nav_parallel *parallel, obj_parts *out, char *why, size_t why_bytes);
void obj_parts_deinit(obj_parts *p); // accepts a zeroed one

#endif
