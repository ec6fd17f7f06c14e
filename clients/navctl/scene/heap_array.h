// Arrays on the heap that grow by doubling.
#ifndef NAVCTL_HEAP_ARRAY_H
#define NAVCTL_HEAP_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Room for `needed` items of `size` bytes in the array that array_pointer points to. False: no memory, nothing changed.
bool heap_array_grow(void *array_pointer, uint32_t *capacity, uint32_t needed, size_t size);

#endif
