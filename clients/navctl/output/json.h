// Writes one JSON document to a stream as it is told: json_open() an object or array, members, json_close(). Numbers
// that are not finite become null. Commas are its business.
#ifndef NAVCTL_JSON_H
#define NAVCTL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_writer {
    FILE *out;
    bool follows; // a value precedes at this depth: a comma is due
} json_writer;

// key: NULL inside arrays and at the top.
void json_open(json_writer *w, const char *key, char bracket);
void json_close(json_writer *w, char bracket);
void json_int(json_writer *w, const char *key, int64_t value);
void json_number(json_writer *w, const char *key, double value);
void json_bool(json_writer *w, const char *key, bool value);
void json_text(json_writer *w, const char *key, const char *value); // NULL gives null
void json_vec(json_writer *w, const char *key, const float *values, int count);
// Ends the line, so that a reader may take the document line by line.
void json_end_line(json_writer *w);

#endif
