// A file that appears whole or not at all: written beside its place under another name, renamed when it is complete.
#ifndef NAVCTL_OUTPUT_H
#define NAVCTL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    const char *path; // borrowed
    char *target;     // what it is renamed to: where path leads
    char *temp_path;
    FILE *file;
} output;

// Could a file be put there? Asked before long work begins. False with one line on stderr.
bool output_is_possible(const char *path);
// Is it the file that is read? Then it would be lost. True with one line on stderr; false where either is not there.
bool output_is_input(const char *path, const char *input);

// Opens. False with one line on stderr when the folder cannot be written to, or there is something that is no plain
// file: a device or a pipe would be gone afterwards.
bool output_open(output *o, const char *path);
// Flushes, syncs and renames. False with one line on stderr (a full disk shows here); the temporary file is gone then.
bool output_commit(output *o);
// Throws away what has not been committed. Accepts a zeroed or committed output.
void output_discard(output *o);

// The whole content at once.
bool output_write_file(const char *path, const void *bytes, size_t count);

// Standard output goes to where it leads. False: it cannot, or could not before; with a line on stderr, unless its
// reader has had enough and gone, as `head` does.
bool output_flush(void);

#endif
