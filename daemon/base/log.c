#include "daemon/base/log.h"

#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static atomic_int max_level = ND_LOG_INFO, line_format = ND_LOG_KEYVALUE;
static const char *const level_names[] = {"error", "warn", "info", "debug"};

void nd_log_set_level(nd_log_level level)
{
    atomic_store(&max_level, (int)level);
}

// $JOURNAL_STREAM is "DEVICE:INODE" of the stream that the journal reads; stderr may have been redirected since.
static bool is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat st;
    char own[64];
    if (!stream || fstat(STDERR_FILENO, &st)) return false;
    snprintf(own, sizeof own, "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
    return !strcmp(own, stream);
}

void nd_log_set_format(nd_log_format format)
{
    if (format == ND_LOG_AUTO) format = is_journal() ? ND_LOG_JOURNALD : ND_LOG_KEYVALUE;
    atomic_store(&line_format, (int)format);
}

// Bytes of the UTF-8 character at s that a terminal shows as such; 0: there is none.
static size_t printable_utf8(const char *s, size_t n)
{
    const unsigned char *b = (const unsigned char *)s;
    size_t length = b[0] < 0x80 ? 1 : b[0] >= 0xC2 && b[0] < 0xE0 ? 2 : b[0] >= 0xE0 && b[0] < 0xF0 ? 3 : 4;
    if ((length == 4 && (b[0] < 0xF0 || b[0] > 0xF4)) || length > n) return 0;
    if (length == 1) return b[0] >= 32 && b[0] != 127;
    for (size_t i = 1; i < length; i++)
        if ((b[i] & 0xC0) != 0x80) return 0;
    if (b[0] == 0xC2 && b[1] < 0xA0) return 0;                                    // C1 controls
    if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F)) return 0; // too long, surrogates
    if (b[0] == 0xE2 && b[1] == 0x80 && b[2] >= 0xA8 && b[2] <= 0xAE) return 0;   // ends of lines, directions of text
    if (b[0] == 0xE2 && b[1] == 0x81 && b[2] >= 0xA6 && b[2] <= 0xA9) return 0;   // more directions
    if ((b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F)) return 0; // too long, beyond Unicode
    return length;
}

// --- JSON ---

typedef struct json_line {
    char *out;
    size_t size, room; // room: for all but the end
} json_line;

static void put(json_line *j, const char *text, size_t n)
{
    if (n > j->room - j->size) return; // whole pieces only, so that what stands there stays valid
    memcpy(j->out + j->size, text, n);
    j->size += n;
}

static bool is_json_number(const char *s, size_t n)
{
    size_t i = n && s[0] == '-' ? 1 : 0, digits = i, whole;
    while (i < n && s[i] >= '0' && s[i] <= '9') i++;
    whole = i - digits;
    if (!whole || whole > 15 || (whole > 1 && s[digits] == '0')) return false; // longer ones lose digits in readers
    if (i < n && s[i] == '.') {
        digits = ++i;
        while (i < n && s[i] >= '0' && s[i] <= '9') i++;
        if (i == digits) return false;
    }
    return i == n;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void put_string(json_line *j, const char *s, size_t n)
{
    char escape[8];
    put(j, "\"", 1);
    for (size_t i = 0; i < n;) {
        size_t length = printable_utf8(s + i, n - i);
        if (s[i] == '\\' && i + 3 < n && s[i + 1] == 'x' && hex_digit(s[i + 2]) >= 0 && hex_digit(s[i + 3]) >= 0) {
            snprintf(escape, sizeof escape, "\\u00%c%c", s[i + 2], s[i + 3]);
            put(j, escape, 6);
            i += 4;
        } else if (s[i] == '"' || s[i] == '\\') {
            snprintf(escape, sizeof escape, "\\%c", s[i++]);
            put(j, escape, 2);
        } else if (!length) {
            snprintf(escape, sizeof escape, "\\u00%02x", (unsigned char)s[i++]);
            put(j, escape, 6);
        } else {
            put(j, s + i, length);
            i += length;
        }
    }
    j->out[j->size++] = '"'; // room is kept for this one
}

// One pair, or none of it. The pieces above leave out what does not fit, so a long value is cut, not broken.
static void put_pair(json_line *j, const char *key, size_t key_bytes, const char *value, size_t value_bytes)
{
    bool quoted = value_bytes >= 2 && value[0] == '"' && value[value_bytes - 1] == '"';
    if (j->size + key_bytes + 8 > j->room) return;
    put(j, j->size > 1 ? ",\"" : "\"", j->size > 1 ? 2 : 1);
    put(j, key, key_bytes);
    put(j, "\":", 2);
    if (!quoted && is_json_number(value, value_bytes) && value_bytes < j->room - j->size) {
        put(j, value, value_bytes);
        return;
    }
    j->room--; // for the closing quote
    put_string(j, quoted ? value + 1 : value, quoted ? value_bytes - 2 : value_bytes);
    j->room++;
}

static size_t pairs_to_json(const char *pairs, char out[ND_LOG_LINE_BYTES])
{
    json_line j = {.out = out, .room = ND_LOG_LINE_BYTES - 2};
    put(&j, "{", 1);
    for (const char *at = pairs; *at;) {
        const char *equals = strchr(at, '=');
        if (!equals) break;
        const char *value = equals + 1;
        const char *end = *value == '"' ? strchr(value + 1, '"') : NULL; // quotes within are \x22
        end = end ? end + 1 : value + strcspn(value, " ");
        put_pair(&j, at, (size_t)(equals - at), value, (size_t)(end - value));
        at = end + (*end == ' ');
    }
    out[j.size++] = '}';
    out[j.size++] = '\n';
    return j.size;
}

// --- lines ---

size_t nd_log_compose(nd_log_format format, nd_log_level level, long long now_s, int now_ms, const char *event,
                      const char *pairs, char out[ND_LOG_LINE_BYTES])
{
    static const int priorities[] = {3, 4, 6, 7};
    char text[ND_LOG_LINE_BYTES], *line = format == ND_LOG_JSON ? text : out;
    size_t n = 0;
    if (format == ND_LOG_JOURNALD) {
        n = (size_t)snprintf(line, ND_LOG_LINE_BYTES, "<%d>event=%s", priorities[level], event);
    } else {
        struct tm utc;
        time_t now = (time_t)now_s;
        gmtime_r(&now, &utc);
        n = strftime(line, ND_LOG_LINE_BYTES, "t=%Y-%m-%dT%H:%M:%S", &utc);
        n += (size_t)snprintf(line + n, ND_LOG_LINE_BYTES - n, ".%03dZ level=%s event=%s", now_ms, level_names[level],
                              event);
    }
    if (n < ND_LOG_LINE_BYTES && pairs[0]) n += (size_t)snprintf(line + n, ND_LOG_LINE_BYTES - n, " %s", pairs);
    if (format == ND_LOG_JSON) return pairs_to_json(text, out);
    if (n > ND_LOG_LINE_BYTES - 1) n = ND_LOG_LINE_BYTES - 1;
    out[n++] = '\n';
    return n;
}

// The loop must not wait for whoever reads the log: a line for which there is no room now is left out, and counted. The
// mutex is there because the room for one line would not do for those of two threads.
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static unsigned long lost_lines;

static bool write_line(nd_log_level level, const char *event, const char *pairs)
{
    char line[ND_LOG_LINE_BYTES];
    struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct timespec now;
    if (poll(&room, 1, 0) != 1 || !(room.revents & POLLOUT)) return false;
    clock_gettime(CLOCK_REALTIME, &now);
    nd_log_format format = (nd_log_format)atomic_load_explicit(&line_format, memory_order_relaxed);
    size_t n = nd_log_compose(format, level, now.tv_sec, (int)(now.tv_nsec / 1000000), event, pairs, line);
    ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; // nobody is left to tell
    return true;
}

void nd_log(nd_log_level level, const char *event, const char *fmt, ...)
{
    if ((int)level > atomic_load_explicit(&max_level, memory_order_relaxed)) return;
    char pairs[ND_LOG_LINE_BYTES], lost[32];
    va_list args;
    va_start(args, fmt);
    vsnprintf(pairs, sizeof pairs, fmt, args);
    va_end(args);
    pthread_mutex_lock(&output);
    snprintf(lost, sizeof lost, "lines=%lu", lost_lines);
    if (lost_lines && write_line(ND_LOG_WARN, "log.lost", lost)) lost_lines = 0;
    if (lost_lines || !write_line(level, event, pairs)) lost_lines++;
    pthread_mutex_unlock(&output);
}

// --- values ---

// keeps_escapes: \xNN stays as it is.
static nd_quoted quote(const char *s, size_t n, bool keeps_escapes)
{
    static const char digits[] = "0123456789abcdef";
    nd_quoted q;
    size_t at = 0;
    q.text[at++] = '"';
    for (size_t i = 0; i < n;) {
        if (at + 9 > sizeof q.text) { // a character or an escape, the dots, the closing quote, the end
            memcpy(q.text + at, "...", 3);
            at += 3;
            break;
        }
        bool is_escape = keeps_escapes && n - i >= 4 && s[i] == '\\' && s[i + 1] == 'x';
        bool is_special = s[i] == '"' || s[i] == '\\';
        size_t length = is_escape ? 4 : is_special ? 0 : printable_utf8(s + i, n - i);
        if (length) {
            memcpy(q.text + at, s + i, length);
            at += length;
            i += length;
        } else {
            unsigned char c = (unsigned char)s[i++];
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

nd_quoted nd_log_quote(const char *s, size_t n)
{
    return quote(s, n, false);
}

nd_quoted nd_log_quote_sentence(const char *s)
{
    return quote(s, strlen(s), true);
}

nd_quoted nd_log_value(const char *s, size_t n)
{
    nd_quoted q;
    bool plain = n > 0 && n < sizeof q.text;
    for (size_t i = 0; i < n && plain; i++)
        plain = (unsigned char)s[i] > 32 && (unsigned char)s[i] < 127 && s[i] != '"' && s[i] != '\\' && s[i] != '=';
    if (!plain) return nd_log_quote(s, n);
    memcpy(q.text, s, n);
    q.text[n] = 0;
    return q;
}
