// What a bake has written, kept beside its file as FILE.done: for each output the key of its input and a hash of what
// was written. So the next bake builds what is new or changed, and what somebody touched. A line of JSON for each,
// added when the output is there; a line that is cut off counts for nothing.
#ifndef NAVCTL_BAKE_RECORD_H
#define NAVCTL_BAKE_RECORD_H

#include "navcore/key.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct bake_record_entry {
    char *output;
    nav_key input, file;
} bake_record_entry;

typedef struct bake_record {
    char *path;
    bake_record_entry *entries; // the newest of an output
    uint32_t count, capacity;
    FILE *file; // opened with the first line
} bake_record;

// path: of the bake's file. One that is not there yet is empty. False with one line on stderr.
bool bake_record_open(const char *path, bake_record *out);
// The newest line of an output; NULL: there is none.
const bake_record_entry *bake_record_find(const bake_record *r, const char *written);
// False with one line on stderr.
bool bake_record_add(bake_record *r, const char *written, nav_key input, nav_key file);
void bake_record_deinit(bake_record *r); // accepts a zeroed one

#endif
