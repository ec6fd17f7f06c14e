// navctl info: what a stored mesh holds.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/area_list.h"
#include "clients/navctl/tile_files/tile_facts.h"

#include <stdio.h>

typedef struct info_args {
    const char *file;
    bool json;
} info_args;

static const arg_option info_options[] = {
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(info_args, json), 0, 0, NULL},
};
static const arg_group info_groups[] = {{"Options", info_options, ARG_COUNT(info_options), 0}};
static const arg_positional info_positionals[] = {
    {"FILE", "file of tiles (.bin, .navd) or a single tile", true, true, offsetof(info_args, file)}};

typedef struct tile_span {
    int32_t min[2], max[2];
    uint64_t bytes;
    uint32_t largest;
} tile_span;

static tile_span span_of(const store *s)
{
    tile_span span = {{INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN}, 0, 0};
    for (uint32_t i = 0; i < s->tile_count; i++) {
        const stored_tile *t = &s->tiles[i];
        if (t->x < span.min[0]) span.min[0] = t->x;
        if (t->z < span.min[1]) span.min[1] = t->z;
        if (t->x > span.max[0]) span.max[0] = t->x;
        if (t->z > span.max[1]) span.max[1] = t->z;
        if (t->size > span.largest) span.largest = t->size;
        span.bytes += t->size;
    }
    return span;
}

static void info_json(const info_args *a, const store *s, const tile_facts *facts, const tile_span *span)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "file", a->file);
    json_text(&w, "kind", store_kind_name(s->kind));
    json_int(&w, "file_bytes", (int64_t)s->size);
    json_int(&w, "tiles", s->tile_count);
    json_int(&w, "bytes", (int64_t)span->bytes);
    if (s->tile_count) {
        json_open(&w, "first_tile", '[');
        json_int(&w, NULL, span->min[0]);
        json_int(&w, NULL, span->min[1]);
        json_close(&w, ']');
        json_open(&w, "last_tile", '[');
        json_int(&w, NULL, span->max[0]);
        json_int(&w, NULL, span->max[1]);
        json_close(&w, ']');
    }
    if (s->kind == STORE_MSET) {
        json_vec(&w, "origin", s->origin, 3);
        json_number(&w, "tile_width", (double)s->tile_width);
        json_number(&w, "tile_height", (double)s->tile_height);
        json_int(&w, "max_tiles", s->max_tiles);
        json_int(&w, "max_polys", s->max_polys);
    }
    tile_facts_json(facts, &w);
    if (s->areas.count) area_list_json(&s->areas, "area_table", &w);
    json_close(&w, '}');
    json_end_line(&w);
}

static void info_words(const info_args *a, const store *s, const tile_facts *facts, const tile_span *span)
{
    printf("%s: %s, %zu bytes\n", a->file, store_kind_name(s->kind), s->size);
    if (s->tile_count) {
        printf("  tiles      %u, from %d,%d to %d,%d; %llu bytes, the largest %u\n", s->tile_count, span->min[0],
               span->min[1], span->max[0], span->max[1], (unsigned long long)span->bytes, span->largest);
    } else {
        printf("  tiles      none\n");
    }
    if (s->kind == STORE_MSET) {
        printf("  grid       origin %g %g %g, tiles %g m by %g m, room for %d tiles of %d polygons\n",
               (double)s->origin[0], (double)s->origin[1], (double)s->origin[2], (double)s->tile_width,
               (double)s->tile_height, s->max_tiles, s->max_polys);
    }
    tile_facts_print(facts, &s->areas, stdout);
    if (s->areas.count) printf("  table of areas\n");
    area_list_print(&s->areas, "    ", stdout);
}

static int run_info(const arg_command *self, int argc, char **argv)
{
    info_args a = {0};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    store s;
    if (!store_read(a.file, &s)) return NAVCTL_INPUT;
    tile_facts facts;
    tile_facts_init(&facts);
    bool ok = true;
    for (uint32_t i = 0; i < s.tile_count && ok; i++) ok = tile_facts_add(&facts, s.encoding, &s.tiles[i]);
    tile_span span = span_of(&s);
    if (ok && a.json) info_json(&a, &s, &facts, &span);
    if (ok && !a.json) info_words(&a, &s, &facts, &span);
    store_deinit(&s);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

const arg_command info_command = {
    .name = "info",
    .summary = "Show the contents of a stored mesh",
    .positionals = info_positionals,
    .positional_count = ARG_COUNT(info_positionals),
    .groups = info_groups,
    .group_count = ARG_COUNT(info_groups),
    .run = run_info,
};
