// The statements of an OBJ text, told apart by tinyobjloader. Any thread.
#ifndef NAVCTL_OBJ_PARSE_H
#define NAVCTL_OBJ_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is told of each statement, in the order of the text. The names are the rest of the line.
typedef struct obj_statements {
    void (*vertex)(void *user, const float position[3]);
    void (*face)(void *user, const int *corners, int count); // numbers as they stand: from 1, or negative
    void (*object)(void *user, const char *name);
    void (*group)(void *user, const char *name);
    void (*material)(void *user, const char *name);
} obj_statements;

// False: no memory left.
bool obj_parse(const char *text, size_t bytes, const obj_statements *told, void *user);

#ifdef __cplusplus
}
#endif

#endif
