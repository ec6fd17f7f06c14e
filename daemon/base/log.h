// Log lines on stderr, one event each, in one of three forms:
//
//     keyvalue   t=2024-05-01T12:00:00.123Z level=info event=session.closed id=7 reason=slow_reader
//     json       {"t":"2024-05-01T12:00:00.123Z","level":"info","event":"session.closed","id":7,"reason":"slow_reader"}
//     journald   <6>event=session.closed id=7 reason=slow_reader       (the journal knows the time; 6 is its "info")
//
// One write per line, so lines of several threads do not mix. Any thread.
#ifndef ND_LOG_H
#define ND_LOG_H

#include "core/base/status.h"

#include <stddef.h>

typedef enum nd_log_level { ND_LOG_ERROR, ND_LOG_WARN, ND_LOG_INFO, ND_LOG_DEBUG } nd_log_level;
// Auto: journald where stderr is the journal's ($JOURNAL_STREAM), else keyvalue.
typedef enum nd_log_format { ND_LOG_AUTO, ND_LOG_KEYVALUE, ND_LOG_JSON, ND_LOG_JOURNALD } nd_log_format;

enum { ND_LOG_LINE_BYTES = 1024, ND_LOG_QUOTE_BYTES = 200 };

// Lines above the level are left out. At start: ND_LOG_INFO.
void nd_log_set_level(nd_log_level level);
// At start: ND_LOG_KEYVALUE.
void nd_log_set_format(nd_log_format format);

// fmt: key=value pairs with one space between. A value is a number, a word, or what nd_log_quote() gives.
void nd_log(nd_log_level level, const char *event, const char *fmt, ...) NAV_PRINTF(3, 4);

typedef struct nd_quoted {
    char text[ND_LOG_QUOTE_BYTES];
} nd_quoted;

// A string that came from outside, as one printable value: in quotes; control characters, quotes and what is no UTF-8
// escaped as \xNN; cut when long. Use as nd_log_quote(s, n).text.
nd_quoted nd_log_quote(const char *s, size_t n);
// The same without the quotes where it is a plain word.
nd_quoted nd_log_value(const char *s, size_t n);
// A sentence of ours, in which what came from outside went through nd_log_value(): that is not escaped again.
nd_quoted nd_log_quote_sentence(const char *s);

// The line in each form, for tests. now: seconds and milliseconds since 1970. Returns its bytes; it ends with a
// newline.
size_t nd_log_compose(nd_log_format format, nd_log_level level, long long now_s, int now_ms, const char *event,
                      const char *pairs, char out[ND_LOG_LINE_BYTES]);

#endif
