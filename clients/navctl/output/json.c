#include "clients/navctl/output/json.h"

#include <math.h>
#include <stddef.h>

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') {
            fprintf(out, "\\%c", *p);
        } else if (*p < 0x20) {
            fprintf(out, "\\u%04x", *p);
        } else {
            fputc(*p, out);
        }
    }
    fputc('"', out);
}

static void begin_value(json_writer *w, const char *key)
{
    if (w->follows) fputs(", ", w->out);
    w->follows = true;
    if (!key) return;
    write_string(w->out, key);
    fputs(": ", w->out);
}

void json_open(json_writer *w, const char *key, char bracket)
{
    begin_value(w, key);
    fputc(bracket, w->out);
    w->follows = false;
}

void json_close(json_writer *w, char bracket)
{
    fputc(bracket, w->out);
    w->follows = true;
}

void json_int(json_writer *w, const char *key, int64_t value)
{
    begin_value(w, key);
    fprintf(w->out, "%lld", (long long)value);
}

void json_number(json_writer *w, const char *key, double value)
{
    begin_value(w, key);
    if (isfinite(value)) {
        fprintf(w->out, "%.9g", value);
    } else {
        fputs("null", w->out);
    }
}

void json_bool(json_writer *w, const char *key, bool value)
{
    begin_value(w, key);
    fputs(value ? "true" : "false", w->out);
}

void json_text(json_writer *w, const char *key, const char *value)
{
    begin_value(w, key);
    if (value) {
        write_string(w->out, value);
    } else {
        fputs("null", w->out);
    }
}

void json_vec(json_writer *w, const char *key, const float *values, int count)
{
    json_open(w, key, '[');
    for (int i = 0; i < count; i++) json_number(w, NULL, (double)values[i]);
    json_close(w, ']');
}

void json_end_line(json_writer *w)
{
    fputc('\n', w->out);
    w->follows = false;
    fflush(w->out);
}
