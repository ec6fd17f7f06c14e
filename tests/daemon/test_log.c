#include "daemon/base/log.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[ND_LOG_LINE_BYTES + 1];

static const char *compose(nd_log_format format, nd_log_level level, const char *event, const char *pairs)
{
    char *exact = malloc(ND_LOG_LINE_BYTES); // a byte too many is seen
    size_t n = nd_log_compose(format, level, 1714564800, 7, event, pairs, exact);
    ck_assert_uint_le(n, ND_LOG_LINE_BYTES);
    ck_assert_int_eq(exact[n - 1], '\n');
    ck_assert_ptr_eq(memchr(exact, '\n', n), exact + n - 1);
    memcpy(line, exact, n);
    line[n] = 0;
    free(exact);
    return line;
}

// One flat JSON object of strings and numbers and a newline, in valid UTF-8.
static bool is_utf8(const char *s)
{
    const unsigned char *b = (const unsigned char *)s;
    while (*b) {
        size_t more = *b < 0x80 ? 0 : *b >= 0xC2 && *b < 0xE0 ? 1 : *b >= 0xE0 && *b < 0xF0 ? 2 : *b < 0xF5 ? 3 : 4;
        if (more == 4 || (*b >= 0x80 && *b < 0xC2)) return false;
        for (b++; more; more--, b++)
            if ((*b & 0xC0) != 0x80) return false;
    }
    return true;
}

static const char *string_end(const char *at)
{
    if (*at++ != '"') return NULL;
    for (; *at && *at != '"'; at++) {
        if ((unsigned char)*at < 32) return NULL;
        if (*at != '\\') continue;
        at++;
        if (*at == 'u') {
            if (strspn(at + 1, "0123456789abcdef") < 4) return NULL;
            at += 4;
        } else if (!*at || !strchr("\"\\", *at)) {
            return NULL;
        }
    }
    return *at == '"' ? at + 1 : NULL;
}

static bool is_json_line(const char *at)
{
    if (!is_utf8(at) || *at++ != '{') return false;
    for (;;) {
        if (!(at = string_end(at)) || *at++ != ':') return false;
        if (*at == '"') {
            if (!(at = string_end(at))) return false;
        } else {
            char *end;
            strtod(at, &end);
            if (end == at) return false;
            at = end;
        }
        if (*at == '}') return !strcmp(at + 1, "\n");
        if (*at++ != ',') return false;
    }
}

START_TEST(each_form_says_the_same)
{
    const char *pairs = "id=7 reason=slow_reader name=\"a \\x22b\\x22\"";
    ck_assert_str_eq(compose(ND_LOG_KEYVALUE, ND_LOG_WARN, "session.closed", pairs),
                     "t=2024-05-01T12:00:00.007Z level=warn event=session.closed id=7 reason=slow_reader "
                     "name=\"a \\x22b\\x22\"\n");
    ck_assert_str_eq(compose(ND_LOG_JSON, ND_LOG_WARN, "session.closed", pairs),
                     "{\"t\":\"2024-05-01T12:00:00.007Z\",\"level\":\"warn\",\"event\":\"session.closed\",\"id\":7,"
                     "\"reason\":\"slow_reader\",\"name\":\"a \\u0022b\\u0022\"}\n");
    ck_assert_str_eq(compose(ND_LOG_JOURNALD, ND_LOG_WARN, "session.closed", pairs),
                     "<4>event=session.closed id=7 reason=slow_reader name=\"a \\x22b\\x22\"\n");
    ck_assert_str_eq(compose(ND_LOG_JOURNALD, ND_LOG_ERROR, "a", ""), "<3>event=a\n");
    ck_assert_str_eq(compose(ND_LOG_JOURNALD, ND_LOG_INFO, "a", ""), "<6>event=a\n");
    ck_assert_str_eq(compose(ND_LOG_JOURNALD, ND_LOG_DEBUG, "a", ""), "<7>event=a\n");
    ck_assert(is_json_line(compose(ND_LOG_JSON, ND_LOG_INFO, "daemon.stopped", "")));
}
END_TEST

START_TEST(only_what_json_calls_a_number_is_one)
{
    compose(ND_LOG_JSON, ND_LOG_INFO, "a", "b=-5 c=007 d=1.5 e=1. f=0 g=12345678901234567890 h=- i=0x7 j= k=1e5");
    ck_assert_ptr_nonnull(strstr(line,
                                 "\"b\":-5,\"c\":\"007\",\"d\":1.5,\"e\":\"1.\",\"f\":0,"
                                 "\"g\":\"12345678901234567890\",\"h\":\"-\",\"i\":\"0x7\",\"j\":\"\",\"k\":\"1e5\""));
    ck_assert(is_json_line(line));
}
END_TEST

START_TEST(a_quote_or_backslash_that_stands_alone_is_escaped)
{
    compose(ND_LOG_JSON, ND_LOG_INFO, "a", "b=x\"y c=x\\y");
    ck_assert_ptr_nonnull(strstr(line, "\"b\":\"x\\\"y\",\"c\":\"x\\\\y\"}"));
    ck_assert(is_json_line(line));
}
END_TEST

START_TEST(whatever_a_value_holds_the_line_is_one_and_json_stays_json)
{
    char raw[300], pairs[ND_LOG_LINE_BYTES];
    unsigned seed = 7;
    for (int round = 0; round < 20000; round++) {
        size_t n = 0;
        for (size_t length = (seed = seed * 1103515245 + 12345) >> 16 & 255; n < length; n++) {
            seed = seed * 1103515245 + 12345;
            static const unsigned char odd[] = "\"\\=\n\x7f\xc2\x85\xff\xed\xa0\xe2\x82\xac\xf0\x9f\x92\xa9 x{}";
            raw[n] = seed >> 30 ? (char)odd[(seed >> 16) % (sizeof odd - 1)] : (char)(seed >> 16);
        }
        nd_quoted q = nd_log_quote(raw, n), v = nd_log_value(raw, n);
        snprintf(pairs, sizeof pairs, "id=1 a=%s b=%s c=%s d=%s e=%s z=end", q.text, v.text, q.text, v.text, q.text);
        compose(ND_LOG_KEYVALUE, ND_LOG_INFO, "x", pairs);
        ck_assert(is_utf8(line) || strlen(line) == ND_LOG_LINE_BYTES); // cut lines may end within a character
        ck_assert_msg(is_json_line(compose(ND_LOG_JSON, ND_LOG_INFO, "x", pairs)), "%s from %s", line, pairs);
    }
}
END_TEST

START_TEST(a_line_that_is_too_long_is_cut_and_stays_json)
{
    char pairs[4 * ND_LOG_LINE_BYTES] = "";
    for (size_t n = 0; n + 16 < sizeof pairs; n++) {
        memset(pairs, 'x', n);
        pairs[n] = 0;
        memcpy(pairs, "key=", n < 4 ? n : 4);
        ck_assert_msg(is_json_line(compose(ND_LOG_JSON, ND_LOG_INFO, "a", n < 4 ? "" : pairs)), "%zu: %s", n, line);
        compose(ND_LOG_KEYVALUE, ND_LOG_INFO, "a", pairs);
    }
    size_t n = 0;
    for (int i = 0; n + 32 < sizeof pairs; i++) n += (size_t)snprintf(pairs + n, sizeof pairs - n, "k%d=\"\\x01\" ", i);
    pairs[n - 1] = 0;
    ck_assert_msg(is_json_line(compose(ND_LOG_JSON, ND_LOG_INFO, "a", pairs)), "%s", line);
}
END_TEST

START_TEST(a_quoted_value_shows_text_of_any_language_and_escapes_the_rest)
{
    ck_assert_str_eq(nd_log_quote("gr\xc3\xbc\xc3\x9f \xe2\x82\xac", 10).text, "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac\"");
    ck_assert_str_eq(nd_log_quote("\xc2\x9b[31m", 6).text, "\"\\xc2\\x9b[31m\""); // a terminal's control character
    // What was escaped before it got into a sentence is not escaped again.
    char sentence[256];
    snprintf(sentence, sizeof sentence, "unknown option %s", nd_log_value("\x1b\\x\"", 4).text);
    ck_assert_str_eq(nd_log_quote_sentence(sentence).text, "\"unknown option \\x22\\x1b\\x5cx\\x22\\x22\"");
    ck_assert_str_eq(nd_log_quote("a\xe2\x80\xae", 4).text, "\"a\\xe2\\x80\\xae\""); // from right to left
    ck_assert_str_eq(nd_log_quote("\xff\xc3", 2).text, "\"\\xff\\xc3\"");
    ck_assert_str_eq(nd_log_quote("\x1b[2J\n", 5).text, "\"\\x1b[2J\\x0a\"");
    ck_assert_str_eq(nd_log_value("plain", 5).text, "plain");
    ck_assert_str_eq(nd_log_value("", 0).text, "\"\"");
    ck_assert_str_eq(nd_log_value("a b", 3).text, "\"a b\"");
    ck_assert_str_eq(nd_log_value("a=b", 3).text, "\"a=b\"");
}
END_TEST

START_TEST(a_quoted_value_is_printable_and_fits_at_every_length)
{
    char raw[400];
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < sizeof raw; i++)
            raw[i] = kind == 0   ? 'a'
                     : kind == 1 ? '\n'
                     : kind == 2 ? (char)(i % 3 ? 'b' : '"')
                                 : "\xf0\x9f\x92\xa9"[i % 4];
        for (size_t n = 0; n <= sizeof raw; n++) {
            nd_quoted *q = malloc(sizeof *q); // exactly its size: a byte too many is seen
            *q = nd_log_quote(raw, n);
            size_t length = strlen(q->text);
            if (length < 2 || length >= ND_LOG_QUOTE_BYTES || q->text[0] != '"' || q->text[length - 1] != '"')
                ck_abort_msg("%zu bytes give %s", n, q->text);
            if (!is_utf8(q->text)) ck_abort_msg("%zu bytes give no text", n);
            for (size_t i = 0; i < length; i++)
                if ((unsigned char)q->text[i] < 32) ck_abort_msg("a control character is left");
            free(q);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("log");
    TCase *t = tcase_create("log");
    suite_add_tcase(s, t);
    tcase_add_test(t, each_form_says_the_same);
    tcase_add_test(t, only_what_json_calls_a_number_is_one);
    tcase_add_test(t, a_quote_or_backslash_that_stands_alone_is_escaped);
    tcase_add_test(t, whatever_a_value_holds_the_line_is_one_and_json_stays_json);
    tcase_add_test(t, a_line_that_is_too_long_is_cut_and_stays_json);
    tcase_add_test(t, a_quoted_value_shows_text_of_any_language_and_escapes_the_rest);
    tcase_add_test(t, a_quoted_value_is_printable_and_fits_at_every_length);
    return run_suite(s);
}
