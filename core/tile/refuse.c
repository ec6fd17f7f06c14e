#include "core/tile/refuse.h"

#include <stdarg.h>
#include <stdio.h>

nav_status nav_refuse(nav_status s, char *why, size_t why_bytes, const char *format, ...)
{
    if (!why_bytes) return s;
    va_list args;
    va_start(args, format);
    vsnprintf(why, why_bytes, format, args);
    va_end(args);
    return s;
}
