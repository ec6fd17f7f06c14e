// Log lines on stderr, key=value: `t=2024-05-01T12:00:00.123Z level=info event=session.closed id=7 reason=slow_reader`.
// One write per line, so lines of several threads do not mix. Any thread.
#ifndef ND_LOG_H
#define ND_LOG_H

#include "core/base/status.h"

#include <stddef.h>

typedef enum nd_log_level { ND_LOG_ERROR, ND_LOG_WARN, ND_LOG_INFO, ND_LOG_DEBUG } nd_log_level;

// Lines above the level are left out. At start: ND_LOG_INFO.
void nd_log_set_level(nd_log_level level);
// "error", "warn", "info", "debug"; NAV_ERR_ARGUMENT for any other word.
NAV_MUST_USE nav_status nd_log_level_parse(const char *name, nd_log_level *out);

void nd_log(nd_log_level level, const char *event, const char *fmt, ...) NAV_PRINTF(3, 4);

enum { ND_LOG_QUOTE_BYTES = 200 };

typedef struct nd_quoted {
    char text[ND_LOG_QUOTE_BYTES];
} nd_quoted;

// A string that came from outside, as one printable value: in quotes, control characters and quotes escaped, cut when
// long. Use as nd_log_quote(s, n).text.
nd_quoted nd_log_quote(const char *s, size_t n);

#endif
