#include "daemon/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int max_level = ND_LOG_INFO;
static const char *const level_names[] = {"error", "warn", "info", "debug"};

void nd_log_set_level(nd_log_level level)
{
    atomic_store(&max_level, (int)level);
}

nav_status nd_log_level_parse(const char *name, nd_log_level *out)
{
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, level_names[i])) {
            *out = (nd_log_level)i;
            return NAV_OK;
        }
    return NAV_ERR_ARGUMENT;
}

void nd_log(nd_log_level level, const char *event, const char *fmt, ...)
{
    if ((int)level > atomic_load_explicit(&max_level, memory_order_relaxed)) return;
    char line[1024];
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t n = strftime(line, sizeof line, "t=%Y-%m-%dT%H:%M:%S", &utc);
    n += (size_t)snprintf(line + n, sizeof line - n, ".%03dZ level=%s event=%s", (int)(now.tv_nsec / 1000000),
                          level_names[level], event);
    if (fmt[0] && n + 2 < sizeof line) {
        line[n++] = ' ';
        va_list args;
        va_start(args, fmt);
        int more = vsnprintf(line + n, sizeof line - n, fmt, args);
        va_end(args);
        if (more > 0) n += (size_t)more;
    }
    if (n > sizeof line - 1) n = sizeof line - 1;
    line[n++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; // nobody is left to tell
}

nd_quoted nd_log_quote(const char *s, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    nd_quoted q;
    size_t at = 0;
    q.text[at++] = '"';
    for (size_t i = 0; i < n; i++) {
        if (at + 9 > sizeof q.text) { // an escape, the dots, the closing quote, the end
            memcpy(q.text + at, "...", 3);
            at += 3;
            break;
        }
        unsigned char c = (unsigned char)s[i];
        if (c >= 32 && c != 127 && c != '"' && c != '\\') {
            q.text[at++] = (char)c;
        } else {
            q.text[at++] = '\\';
            q.text[at++] = 'x';
            q.text[at++] = digits[c >> 4];
            q.text[at++] = digits[c & 15];
        }
    }
    q.text[at++] = '"';
    q.text[at] = 0;
    return q;
}
