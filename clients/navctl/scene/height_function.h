// The height of the ground as an expression of x and z, in metres, read and computed by muParser: + - * / ^, brackets,
// comparisons with ?:, sin cos tan exp ln sqrt abs sign rint min max and the like, pi, and noise(x, z): gradient noise,
// smooth, between -1 and 1, the same everywhere, about one hill for each unit. One thread each.
#ifndef NAVCTL_HEIGHT_FUNCTION_H
#define NAVCTL_HEIGHT_FUNCTION_H

#include <stddef.h>

typedef struct height_function height_function;

// NULL and a sentence: what is wrong with the expression, and where.
height_function *height_function_create(const char *expression, char *why, size_t why_bytes);
void height_function_destroy(height_function *f); // accepts NULL

// A nav_height_function, with the height_function as context.
float height_function_at(void *function, double x, double z);

// The noise by itself.
double height_noise(double x, double z);

#endif
