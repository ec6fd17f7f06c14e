#include "clients/navctl/bake/bake_record.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/scene/heap_array.h"
#include "core/base/key.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

static bool no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return false;
}

static bool parse_key(const char *text, nav_key *out)
{
    uint8_t bytes[NAV_KEY_BYTES];
    if (!text || strlen(text) != NAV_KEY_TEXT_BYTES - 1) return false;
    for (int i = 0; i < NAV_KEY_BYTES; i++) {
        unsigned value;
        if (sscanf(text + 2 * i, "%2x", &value) != 1) return false;
        bytes[i] = (uint8_t)value;
    }
    *out = nav_key_load(bytes);
    return true;
}

// In place of an older one of that output. False: no memory.
static bool put(bake_record *r, const char *written, nav_key input, nav_key file)
{
    for (uint32_t i = 0; i < r->count; i++) {
        if (strcmp(r->entries[i].output, written) != 0) continue;
        r->entries[i].input = input;
        r->entries[i].file = file;
        return true;
    }
    if (!heap_array_grow(&r->entries, &r->capacity, r->count + 1, sizeof *r->entries)) return false;
    char *copy = strdup(written);
    if (copy) r->entries[r->count++] = (bake_record_entry){copy, input, file};
    return copy != NULL;
}

static bool take_line(bake_record *r, const char *line)
{
    nav_key input, file;
    json_t *root = json_loads(line, 0, NULL);
    const char *written = json_string_value(json_object_get(root, "output"));
    bool ok = true;
    if (written && json_integer_value(json_object_get(root, "version")) == VERSION &&
        parse_key(json_string_value(json_object_get(root, "input")), &input) &&
        parse_key(json_string_value(json_object_get(root, "file")), &file))
        ok = put(r, written, input, file);
    json_decref(root);
    return ok;
}

static bool write_line(FILE *to, const bake_record_entry *e)
{
    char input[NAV_KEY_TEXT_BYTES], file[NAV_KEY_TEXT_BYTES];
    nav_key_text(e->input, input);
    nav_key_text(e->file, file);
    json_t *line =
        json_pack("{s:i,s:s,s:s,s:s}", "version", (int)VERSION, "output", e->output, "input", input, "file", file);
    bool ok = line && json_dumpf(line, to, JSON_COMPACT) == 0 && fputc('\n', to) != EOF;
    json_decref(line);
    return ok;
}

// Without what newer lines replaced, and what was cut off.
static bool write_again(const bake_record *r)
{
    output o;
    if (!output_open(&o, r->path)) return false;
    for (uint32_t i = 0; i < r->count; i++)
        if (!write_line(o.file, &r->entries[i])) break; // shows at the commit
    return output_commit(&o);
}

bool bake_record_open(const char *path, bake_record *out)
{
    char *line = NULL;
    size_t room = 0, lines = 0;
    *out = (bake_record){.path = malloc(strlen(path) + 6)};
    if (!out->path) return no_memory();
    sprintf(out->path, "%s.done", path);
    FILE *f = fopen(out->path, "r");
    if (!f && errno == ENOENT) return true;
    bool ok = f != NULL;
    if (!ok) fprintf(stderr, "navctl: %s: %s\n", out->path, strerror(errno));
    while (ok && getline(&line, &room, f) > 0) {
        lines++;
        if (!take_line(out, line)) ok = no_memory();
    }
    free(line);
    if (f) fclose(f);
    return ok && (lines == out->count || write_again(out));
}

const bake_record_entry *bake_record_find(const bake_record *r, const char *written)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (!strcmp(r->entries[i].output, written)) return &r->entries[i];
    return NULL;
}

bool bake_record_add(bake_record *r, const char *written, nav_key input, nav_key file)
{
    if (!put(r, written, input, file)) return no_memory();
    if (!r->file) r->file = fopen(r->path, "a");
    bool ok = r->file && write_line(r->file, bake_record_find(r, written)) && fflush(r->file) == 0;
    if (!ok) fprintf(stderr, "navctl: cannot write %s: %s\n", r->path, strerror(errno));
    return ok;
}

void bake_record_deinit(bake_record *r)
{
    for (uint32_t i = 0; i < r->count; i++) free(r->entries[i].output);
    free(r->entries);
    free(r->path);
    if (r->file) fclose(r->file);
    *r = (bake_record){0};
}
