#include "core/base/buffer.h"

#include <stdlib.h>
#include <string.h>

void nav_buffer_deinit(nav_buffer *b)
{
    free(b->data);
    *b = (nav_buffer){0};
}

nav_status nav_buffer_reserve(nav_buffer *b, size_t more)
{
    if (more > SIZE_MAX / 2 - b->size) return NAV_ERR_LIMIT;
    size_t need = b->size + more;
    if (need <= b->capacity) return NAV_OK;
    size_t capacity = b->capacity < SIZE_MAX / 4 ? b->capacity + b->capacity / 2 : need;
    if (capacity < need) capacity = need;
    uint8_t *data = realloc(b->data, capacity);
    if (!data) return NAV_ERR_MEMORY;
    b->data = data;
    b->capacity = capacity;
    return NAV_OK;
}

nav_status nav_buffer_append(nav_buffer *b, const void *bytes, size_t count)
{
    nav_status s = nav_buffer_reserve(b, count);
    if (s != NAV_OK) return s;
    if (count) memcpy(b->data + b->size, bytes, count);
    b->size += count;
    return NAV_OK;
}
