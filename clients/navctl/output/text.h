// Numbers and foreign names as people read them.
#ifndef NAVCTL_TEXT_H
#define NAVCTL_TEXT_H

#include <stddef.h>
#include <stdint.h>

// "812 B", "12.3 KiB", "4.0 MiB".
void text_bytes(double bytes, char *out, size_t size);
// "42 s", "12 min", "3 h 04", "5 d 06".
void text_duration(uint64_t seconds, char *out, size_t size);
// "s" unless there is one: "3 tiles", "1 tile".
const char *text_s(uint64_t count);
// A name that a client chose: what a terminal would obey is replaced by '?', and it is cut to so many columns.
void text_printable(const char *name, char *out, size_t size, int columns);

#endif
