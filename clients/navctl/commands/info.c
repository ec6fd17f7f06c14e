// navctl info: what a stored mesh holds. navctl tile: one of its tiles.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/area_list.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/tile_files/tile_facts.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct info_args {
    const char *file, *x, *z, *out;
    int32_t profile;
    bool json;
} info_args;

static const arg_option info_options[] = {
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(info_args, json), 0, 0, NULL},
};
static const arg_option tile_options[] = {
    {"output", 'o', ARG_FILE, "FILE", "write the tile's bytes to FILE", offsetof(info_args, out), 0, 0, NULL},
    {"profile", 0, ARG_INT, "N", "agent profile, in a file that has several", offsetof(info_args, profile), 0, 1000000,
     NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(info_args, json), 0, 0, NULL},
};
static const arg_group info_groups[] = {{"Options", info_options, ARG_COUNT(info_options), 0}};
static const arg_group tile_groups[] = {{"Options", tile_options, ARG_COUNT(tile_options), 0}};
static const arg_positional info_positionals[] = {
    {"FILE", "file of tiles (.bin, .navd) or a single tile", true, true, offsetof(info_args, file)}};
static const arg_positional tile_positionals[] = {
    {"FILE", "file of tiles (.bin, .navd) or a single tile", true, true, offsetof(info_args, file)},
    {"X", "the tile's place along x", true, false, offsetof(info_args, x)},
    {"Z", "the tile's place along z", true, false, offsetof(info_args, z)}};

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

static void one_tile_json(const store *s, const stored_tile *t, const tile_facts *facts)
{
    json_writer w = {.out = stdout};
    draw_mesh m;
    draw_mesh_init(&m);
    json_open(&w, NULL, '{');
    json_int(&w, "x", t->x);
    json_int(&w, "z", t->z);
    json_text(&w, "encoding", s->encoding == GENERATE_DETOUR ? "detour" : "navd");
    json_int(&w, "bytes", t->size);
    if (s->encoding == GENERATE_NAVD) {
        nav_tile_view v;
        char key[NAV_KEY_TEXT_BYTES];
        if (nav_tile_open(t->bytes, t->size, &v, NULL, 0) == NAV_OK) {
            nav_key_text(v.content_key, key);
            json_text(&w, "key", key);
            json_int(&w, "revision", (int64_t)v.revision);
        }
    }
    tile_facts_json(facts, &w);
    if (store_draw("tile", s->encoding, t, 1, NULL, &m)) {
        static const char *const kinds[] = {"inner", "wall", "portal"};
        json_open(&w, "shapes", '[');
        for (uint32_t i = 0; i < m.polygon_count; i++) {
            const draw_polygon *p = &m.polygons[i];
            json_open(&w, NULL, '{');
            json_int(&w, "area", p->area);
            json_open(&w, "corners", '[');
            for (uint32_t k = 0; k < p->corner_count; k++) {
                json_vec(&w, NULL, m.corners + 3 * (size_t)(p->first + k), 3);
            }
            json_close(&w, ']');
            json_open(&w, "edges", '[');
            for (uint32_t k = 0; k < p->corner_count; k++) json_text(&w, NULL, kinds[m.edges[p->first + k]]);
            json_close(&w, ']');
            json_close(&w, '}');
        }
        json_close(&w, ']');
    }
    draw_mesh_deinit(&m);
    json_close(&w, '}');
    json_end_line(&w);
}

static int run_tile(const arg_command *self, int argc, char **argv)
{
    info_args a = {0};
    int32_t x, z;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!args_parse_whole(self, "X", a.x, &x) || !args_parse_whole(self, "Z", a.z, &z)) return NAVCTL_USAGE;
    store s;
    if (!store_read(a.file, &s)) return NAVCTL_INPUT;
    const stored_tile *tile = NULL;
    for (uint32_t i = 0; i < s.tile_count && !tile; i++) {
        const stored_tile *t = &s.tiles[i];
        if (t->x == x && t->z == z && t->profile == (uint32_t)a.profile) tile = t;
    }
    int code = NAVCTL_FAILED;
    tile_facts facts;
    tile_facts_init(&facts);
    if (!tile) {
        fprintf(stderr, "navctl: %s: no tile at %d,%d\n", a.file, x, z);
    } else if (tile_facts_add(&facts, s.encoding, tile) &&
               (!a.out || output_write_file(a.out, tile->bytes, tile->size))) {
        code = NAVCTL_OK;
        if (a.json) {
            one_tile_json(&s, tile, &facts);
        } else {
            printf("tile %d,%d: %u bytes\n", x, z, tile->size);
            tile_facts_print(&facts, &s.areas, stdout);
        }
    }
    store_deinit(&s);
    return code;
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

const arg_command tile_command = {
    .name = "tile",
    .summary = "Show or extract one tile of a stored mesh",
    .positionals = tile_positionals,
    .positional_count = ARG_COUNT(tile_positionals),
    .groups = tile_groups,
    .group_count = ARG_COUNT(tile_groups),
    .run = run_tile,
};
