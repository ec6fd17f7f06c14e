// Pieces of a GraphML document: what it opens and ends with, and the values of graphs, nodes and edges. A value's key
// is declared before, under the name of what it belongs to and its own.
#ifndef NAVCTL_GRAPHML_H
#define NAVCTL_GRAPHML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct graphml_key {
    const char *of, *name, *type; // of: "graph", "node" or "edge"
} graphml_key;

// Up to the opened graph, which is undirected.
void graphml_begin(FILE *out, const graphml_key *keys, int key_count, const char *id);
void graphml_end(FILE *out);

void graphml_text(FILE *out, const char *of, const char *key, const char *text);
void graphml_int(FILE *out, const char *of, const char *key, int64_t value);
void graphml_number(FILE *out, const char *of, const char *key, double value);
void graphml_bool(FILE *out, const char *of, const char *key, bool value);
// Three values: prefix and x, y, z.
void graphml_place(FILE *out, const char *of, const char *prefix, double x, double y, double z);

#endif
