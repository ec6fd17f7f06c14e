// What core does with the public nav_buffer: it grows. Owner: one thread.
#ifndef NAV_BASE_BUFFER_H
#define NAV_BASE_BUFFER_H

#include "core/base/status.h"
#include "navcore/buffer.h"

// Makes room for `more` bytes behind the present end. NAV_ERR_MEMORY leaves the buffer as it was.
NAV_MUST_USE nav_status nav_buffer_reserve(nav_buffer *b, size_t more);
NAV_MUST_USE nav_status nav_buffer_append(nav_buffer *b, const void *bytes, size_t count);

#endif
