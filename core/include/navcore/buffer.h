// Bytes whose number is known only at the end: what encoders append to. Owner: one thread.
//
//     nav_buffer bytes = {0};
//     s = nav_builder_encode_detour(builder, &bytes);     appends; set bytes.size = 0 to use the memory again
//     nav_buffer_deinit(&bytes);
#ifndef NAVCORE_BUFFER_H
#define NAVCORE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Zeroed it is empty and valid. data is from malloc() and belongs to the buffer.
typedef struct nav_buffer {
    uint8_t *data;
    size_t size, capacity;
} nav_buffer;

// Frees the bytes and empties the buffer. Accepts a zeroed one.
void nav_buffer_deinit(nav_buffer *b);

#ifdef __cplusplus
}
#endif

#endif
