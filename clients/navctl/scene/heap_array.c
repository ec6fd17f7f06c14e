#include "clients/navctl/scene/heap_array.h"

#include <stdlib.h>

bool heap_array_grow(void *array_pointer, uint32_t *capacity, uint32_t needed, size_t size)
{
    void **array = array_pointer;
    if (needed <= *capacity) return true;
    uint32_t wanted = *capacity ? *capacity : 256;
    while (wanted < needed) wanted = wanted < UINT32_MAX / 2 ? wanted * 2 : UINT32_MAX;
    void *bigger = realloc(*array, wanted * size);
    if (!bigger) return false;
    *array = bigger;
    *capacity = wanted;
    return true;
}
