// docs/protocol.md and the pages in docs/protocol against the code: every block ```hex NAME is an example by that name,
// with exactly the bytes that the encoder gives and that the decoder takes; every example, method, setting, limit and
// error code is in the document.
#include "protocol/schema.h"
#include "tests/check.h"
#include "tests/protocol/examples.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    char name[64];
    nav_buffer bytes;
} block;

static char *document;
static block blocks[512];
static uint32_t block_count;

static void read_page(const char *path, nav_buffer *out)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s cannot be opened", path);
    char part[4096];
    size_t n;
    while ((n = fread(part, 1, sizeof part, f)) > 0) ck_assert_int_eq(nav_buffer_append(out, part, n), NAV_OK);
    fclose(f);
}

// The index and all pages, as one text.
static void read_document(void)
{
    glob_t pages = {0};
    nav_buffer b = {0};
    ck_assert_int_eq(glob(NAVD_DOCS "/protocol.md", 0, NULL, &pages), 0);
    ck_assert_int_eq(glob(NAVD_DOCS "/protocol/*.md", GLOB_APPEND, NULL, &pages), 0);
    for (size_t i = 0; i < pages.gl_pathc; i++) read_page(pages.gl_pathv[i], &b);
    globfree(&pages);
    ck_assert_int_eq(nav_buffer_append(&b, "", 1), NAV_OK);
    document = (char *)b.data;
}

// The bytes of one line, up to its #.
static void read_line(const char *line, size_t length, nav_buffer *out)
{
    for (size_t i = 0; i < length && line[i] != '#'; i++) {
        if (isspace((unsigned char)line[i])) continue;
        char digits[3] = {line[i], i + 1 < length ? line[i + 1] : '\0', '\0'};
        ck_assert_msg(isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]), "no hexadecimal: %.*s",
                      (int)length, line);
        uint8_t byte = (uint8_t)strtoul(digits, NULL, 16);
        ck_assert_int_eq(nav_buffer_append(out, &byte, 1), NAV_OK);
        i++;
    }
}

static void setup(void)
{
    read_document();
    block *open = NULL;
    for (const char *line = document; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "```", 3) == 0) {
            bool begins = !open && strncmp(line, "```hex ", 7) == 0;
            open = begins ? &blocks[block_count++] : NULL;
            ck_assert_uint_lt(block_count, 512);
            if (begins) snprintf(open->name, sizeof open->name, "%.*s", (int)length - 7, line + 7);
        } else if (open) {
            read_line(line, length, &open->bytes);
        }
        line += length + (line[length] == '\n');
    }
}

static void teardown(void)
{
    for (uint32_t i = 0; i < block_count; i++) nav_buffer_deinit(&blocks[i].bytes);
    free(document);
}

START_TEST(the_document_shows_each_example_once_with_its_bytes)
{
    const example *e = example_at((uint32_t)_i);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < block_count; i++) {
        if (strcmp(blocks[i].name, e->name) != 0) continue;
        shown++;
        nav_buffer ours = {0}, again = {0};
        np_error err = {0};
        ck_assert_int_eq(example_encode(e, &ours), NAV_OK);
        ck_assert_msg(ours.size == blocks[i].bytes.size, "%s: the document has %zu bytes, the encoder gives %zu",
                      e->name, blocks[i].bytes.size, ours.size);
        ck_assert_mem_eq(blocks[i].bytes.data, ours.data, ours.size);
        nav_status st = example_decode(e, blocks[i].bytes.data, blocks[i].bytes.size, &again, &err);
        ck_assert_msg(st == NAV_OK, "%s: %s", e->name, err.message);
        ck_assert_uint_eq(again.size, ours.size);
        ck_assert_mem_eq(again.data, ours.data, ours.size);
        nav_buffer_deinit(&ours);
        nav_buffer_deinit(&again);
    }
    ck_assert_msg(shown == 1, "%s is shown %u times", e->name, shown);
}
END_TEST

START_TEST(the_document_has_no_example_of_its_own)
{
    for (uint32_t i = 0; i < block_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < example_count(); k++) known |= strcmp(blocks[i].name, example_at(k)->name) == 0;
        ck_assert_msg(known, "%s", blocks[i].name);
    }
    ck_assert_uint_eq(block_count, example_count());
}
END_TEST

static void must_say(const char *format, const char *name)
{
    char text[96];
    snprintf(text, sizeof text, format, name);
    ck_assert_msg(strstr(document, text) != NULL, "the document lacks %s", text);
}

START_TEST(the_document_names_every_method_status_and_error_code)
{
    for (int m = NP_UNKNOWN + 1; m < NP_METHOD_COUNT; m++) must_say("\n## %s\n", np_method_name((np_method)m));
    for (int s = NAV_OK + 1; s < NAV_STATUS_COUNT; s++) must_say("\n| `%s` |", nav_status_name((nav_status)s));
    for (int s = NP_TILE_OK; s <= NP_TILE_PENDING; s++) must_say("\n| `%s` |", np_tile_status_name((np_tile_status)s));
}
END_TEST

static void must_have_keys(const np_schema *schema)
{
    for (uint32_t i = 0; i < schema->field_count; i++) must_say("`%s`", schema->fields[i].key);
}

START_TEST(the_document_names_every_setting_key_and_limit)
{
    must_have_keys(&np_schema_settings);
    must_have_keys(&np_schema_volume);
    must_have_keys(&np_schema_link);
    must_have_keys(&np_schema_world_open_request);
    must_have_keys(&np_schema_world_edit_request);
    must_have_keys(&np_schema_reach);
    must_have_keys(&np_schema_world_reach_response);
    must_have_keys(&np_schema_mesh_put_request);
    must_have_keys(&np_schema_mesh_put_response);
    must_have_keys(&np_schema_tiles_subscribe_request);
    must_have_keys(&np_schema_tiles_build_request);
    must_have_keys(&np_schema_tile_note);
    must_have_keys(np_schema_hello_response.fields[2].item);
}
END_TEST

// Is the value of one setting allowed? The others are so that they do not limit it.
static bool is_allowed(const np_field *f, double value)
{
    char why[200] = "";
    nav_settings s;
    nav_settings_default(&s);
    s.agent_radius_m = 0;
    if (!strncmp(f->key, "agent_", 6)) s.cell_size_m = s.cell_height_m = 1000;
    void *member = (char *)&s + f->offset;
    if (f->type == NP_T_I32)
        *(int32_t *)member = (int32_t)value;
    else
        *(float *)member = (float)value;
    nav_status status = nav_settings_check(&s, why, sizeof why);
    ck_assert_msg(status == NAV_OK || !strncmp(why, f->key, strlen(f->key)), "%s = %g: %s", f->key, value, why);
    return status == NAV_OK;
}

START_TEST(the_document_has_the_ranges_of_all_settings)
{
    unsigned checked = 0;
    for (uint32_t i = 0; i < np_schema_settings.field_count; i++) {
        const np_field *f = &np_schema_settings.fields[i];
        char head[64];
        double low, high;
        if (f->type != NP_T_I32 && f->type != NP_T_F32) continue;
        snprintf(head, sizeof head, "\n| `%s` | ", f->key);
        const char *at = strstr(document, head);
        for (int column = 0; at && column < 3; column++) at = strstr(at + 1, "| ");
        ck_assert_msg(at && sscanf(strstr(at + 1, "| "), "| %lf to %lf", &low, &high) == 2, "%s has no range", f->key);
        double less = f->type == NP_T_I32 ? low - 1 : low - 0.001 * (low + 0.001);
        double more = f->type == NP_T_I32 ? high + 1 : high * 1.001;
        ck_assert_msg(is_allowed(f, low) && is_allowed(f, high), "%s: not all of %g to %g", f->key, low, high);
        ck_assert_msg(!is_allowed(f, less) && !is_allowed(f, more), "%s: more than %g to %g", f->key, low, high);
        checked++;
    }
    ck_assert_uint_ge(checked, 15);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("docs");
    TCase *t = tcase_create("docs");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_document_shows_each_example_once_with_its_bytes, 0, (int)example_count());
    tcase_add_test(t, the_document_has_no_example_of_its_own);
    tcase_add_test(t, the_document_names_every_method_status_and_error_code);
    tcase_add_test(t, the_document_names_every_setting_key_and_limit);
    tcase_add_test(t, the_document_has_the_ranges_of_all_settings);
    return run_suite(s);
}
