// Names, each once, numbered in order of first sight.
#ifndef NAVCTL_NAME_TABLE_H
#define NAVCTL_NAME_TABLE_H

#include <stdint.h>

typedef struct name_table {
    char **names;
    uint32_t count, capacity;
    uint32_t *slots; // open addressing: 1 + number of a name, 0 where free
    uint32_t slot_count;
} name_table;

// The name's number; `count` before the call where it is new. UINT32_MAX: no memory.
uint32_t name_table_add(name_table *t, const char *name);
void name_table_deinit(name_table *t); // accepts a zeroed one

#endif
