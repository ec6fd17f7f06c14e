// A growing byte buffer on the heap, for finished output whose size is known only at the end. Owner: one thread.
#ifndef NAV_BASE_BUFFER_H
#define NAV_BASE_BUFFER_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct nav_buffer {
    uint8_t *data;
    size_t size, capacity;
} nav_buffer;

// Frees the bytes. Accepts a zeroed buffer.
void nav_buffer_deinit(nav_buffer *b);
// Makes room for `more` bytes behind the present end. NAV_ERR_MEMORY leaves the buffer as it was.
NAV_MUST_USE nav_status nav_buffer_reserve(nav_buffer *b, size_t more);
NAV_MUST_USE nav_status nav_buffer_append(nav_buffer *b, const void *bytes, size_t count);

#endif
