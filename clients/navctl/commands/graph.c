// navctl graph: the cells or portals of a scene, of stored tiles or of a daemon's world as a graph.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/scene/scene_look.h"
#include "clients/navctl/tile_files/graph_file.h"
#include "clients/navctl/tile_files/graph_seams.h"
#include "clients/navctl/tile_files/portal_graph_file.h"
#include "clients/navctl/tile_files/tile_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct graph_args {
    const char *source, *world, *profile, *format, *nodes, *out;
    int32_t threads;
    scene_load_values reading;
    area_type_values area_types;
    settings_values grid;
    remote_values remote;
} graph_args;

static const arg_option graph_options[] = {
    {"output", 'o', ARG_FILE, "FILE", "file to write; default: standard output", offsetof(graph_args, out), 0, 0, NULL},
    {"format", 0, ARG_CHOICE, "NAME", "default: by the ending of FILE, else json", offsetof(graph_args, format), 0, 0,
     "json graphml"},
    {"nodes", 0, ARG_CHOICE, "KIND", "what the nodes are: cells, or the edges that cells share",
     offsetof(graph_args, nodes), 0, 0, "cells edges"},
    {"world", 'w', ARG_TEXT, "NAME", "world of a running daemon, instead of SOURCE", offsetof(graph_args, world), 0, 0,
     NULL},
    {"profile", 0, ARG_TEXT, "NAME", "agent profile: its name in a world, its number in a file",
     offsetof(graph_args, profile), 0, 0, NULL},
    {"threads", 0, ARG_INT, "N", "threads that generate, from a scene", offsetof(graph_args, threads), 1, 1024, NULL},
};
static const arg_group groups[] = {{"Options", graph_options, ARG_COUNT(graph_options), 0},
                                   SCENE_LOAD_GROUPS(graph_args, reading),
                                   AREA_TYPE_GROUP(graph_args, area_types),
                                   SETTINGS_GROUP(graph_args, grid),
                                   REMOTE_GROUP(graph_args, remote)};
static const arg_positional positionals[] = {
    {"SOURCE", "scene file, or navd tiles (.navd)", false, true, offsetof(graph_args, source)}};

static bool ends_with(const char *path, const char *ending)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && !strcasecmp(dot, ending);
}

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int compare_places(const void *a, const void *b)
{
    const stored_tile *p = a, *q = b;
    if (p->sheet != q->sheet) return p->sheet < q->sheet ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static bool has_walls(const stored_tile *tiles, uint32_t count)
{
    bool walls = false;
    for (uint32_t i = 0; i < count; i++) walls |= tiles[i].sheet != NAV_SHEET_UP;
    return walls;
}

static void print_cells(const char *path, const nav_graph *g, uint32_t tiles)
{
    uint32_t kinds[4] = {0};
    for (uint32_t i = 0; i < g->edge_count; i++) kinds[g->edges[i].kind]++;
    printf("%s: %u cells in %u tiles, %u portals (%u of them between tiles), ", path, g->node_count, tiles,
           kinds[NAV_GRAPH_PORTAL] + kinds[NAV_GRAPH_BORDER], kinds[NAV_GRAPH_BORDER]);
    if (kinds[NAV_GRAPH_SEAM]) printf("%u seams, ", kinds[NAV_GRAPH_SEAM]);
    printf("%u off-mesh links; %u portals lead to tiles that are not here, %u links have an end off the ground\n",
           kinds[NAV_GRAPH_LINK], g->open_portals, g->loose_links);
}

static void print_edges(const char *path, const nav_graph *g, const nav_portal_graph *p, uint32_t tiles)
{
    uint32_t ends = 0, links = 0;
    for (uint32_t i = 0; i < p->node_count; i++) ends += !p->nodes[i].portal;
    for (uint32_t i = 0; i < p->way_count; i++) links += p->ways[i].link != NULL;
    printf(
        "%s: %u portals and %u ends of off-mesh links in %u tiles, %u ways through %u cells, %u links; %u cells have "
        "neither, %u portals lead to tiles that are not here, %u links have an end off the ground\n",
        path, p->node_count - ends, ends, tiles, p->way_count - links, g->node_count - p->lone_cells, links,
        p->lone_cells, g->open_portals, g->loose_links);
}

// Opens the tiles and writes their graph, with the costs of their areas; sorts them, so that it does not show in which
// order they came.
static int export_tiles(const graph_args *a, const char *name, const nav_area_table *areas, stored_tile *tiles,
                        uint32_t count)
{
    int code = NAVCTL_FAILED;
    char why[256] = "";
    nav_arena arena;
    nav_graph graph;
    nav_portal_graph portals = {0};
    uint32_t seams = 0;
    const bool by_edges = !strcmp(a->nodes, "edges");
    output o = {0};
    nav_tile_view *views = malloc(sizeof *views * ((size_t)count + 1));
    nav_arena_init(&arena, 0);
    if (count > 1) qsort(tiles, count, sizeof *tiles, compare_places);
    nav_status s = views ? NAV_OK : NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count && s == NAV_OK; i++)
        s = nav_tile_open(tiles[i].bytes, tiles[i].size, &views[i], why, sizeof why);
    if (s == NAV_OK) s = nav_graph_build(views, count, &arena, &graph, why, sizeof why);
    if (s == NAV_OK) s = graph_seams_add(tiles, views, count, &arena, &graph, &seams, why, sizeof why);
    if (s == NAV_OK && by_edges) s = nav_portal_graph_build(&graph, &arena, &portals);
    if (s == NAV_ERR_LIMIT && by_edges && !why[0])
        snprintf(why, sizeof why, "more than %d ways from edge to edge; use --nodes cells, or fewer tiles",
                 NAV_PORTAL_WAYS_MOST);
    if (s != NAV_OK) {
        fprintf(stderr, "navctl: %s: %s\n", name, why[0] ? why : nav_status_text(s));
        goto done;
    }
    if (a->out && !output_open(&o, a->out)) goto done;
    const graph_file file = {.name = name,
                             .tiles = views,
                             .tile_count = count,
                             .graph = &graph,
                             .areas = areas,
                             .climbs = has_walls(tiles, count)};
    FILE *out = a->out ? o.file : stdout;
    const bool xml = !strcmp(a->format, "graphml");
    if (by_edges)
        (xml ? portal_graph_file_graphml : portal_graph_file_json)(&file, &portals, out);
    else
        (xml ? graph_file_graphml : graph_file_json)(&file, out);
    if (a->out && !output_commit(&o)) goto done;
    if (a->out && by_edges) print_edges(a->out, &graph, &portals, count);
    if (a->out && !by_edges) print_cells(a->out, &graph, count);
    code = NAVCTL_OK;
done:
    output_discard(&o);
    nav_arena_deinit(&arena);
    free(views);
    return code;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int from_scene(const graph_args *a, const nav_area_table *areas)
{
    uint32_t count;
    scene s;
    scene_doubts doubts;
    generated g = {0};
    stored_tile *tiles = NULL;
    int code = scene_load(a->source, &a->reading, "graph", shared_threads(), &s);
    if (code != NAVCTL_OK) return code;
    code = NAVCTL_FAILED;
    scene_look_warn(&s, &a->grid.settings, &doubts);
    generate_options options = {
        .settings = a->grid.settings, .threads = a->threads, .encoding = GENERATE_NAVD, .progress = true};
    nav_area_table_apply(areas, &options.settings);
    if (!generate(&s, &options, &g)) goto done;
    tiles = store_list(&g, &count);
    code = tiles ? export_tiles(a, file_name(a->source), areas, tiles, count) : no_memory();
    if (code == NAVCTL_OK && g.failed) code = NAVCTL_TILES;
done:
    free(tiles);
    generated_deinit(&g);
    scene_deinit(&s);
    return code;
}

static int from_file(const graph_args *a)
{
    store s;
    uint32_t count = 0;
    long profile = 0;
    if (a->profile) {
        char *end;
        profile = strtol(a->profile, &end, 10);
        if (end == a->profile || *end || profile < 0) {
            fprintf(stderr, "navctl graph: --profile %s: in a file profiles are numbers from 0\n", a->profile);
            return NAVCTL_USAGE;
        }
    }
    if (!store_read(a->source, &s)) return NAVCTL_INPUT;
    int code = NAVCTL_INPUT;
    if (s.encoding == GENERATE_DETOUR) {
        fprintf(stderr, "navctl: %s: a Detour tile has no cells; make the graph from navd tiles or from the scene\n",
                a->source);
    } else {
        for (uint32_t i = 0; i < s.tile_count; i++)
            if (s.tiles[i].profile == (uint32_t)profile) s.tiles[count++] = s.tiles[i];
        code = area_type_values_apply(&a->area_types, "graph", &s.areas)
                   ? export_tiles(a, file_name(a->source), &s.areas, s.tiles, count)
                   : NAVCTL_USAGE;
    }
    store_deinit(&s);
    return code;
}

typedef struct following {
    tile_set tiles;
    bool no_memory;
} following;

static void on_tile(void *user, const navd_tile *t)
{
    following *f = user;
    f->no_memory |= !tile_set_take(&f->tiles, t);
}

static int from_world(const graph_args *a)
{
    navd_client *c = NULL;
    navd_world world = {0};
    nav_area_table areas;
    following f = {0};
    uint32_t count;
    navd_subscription_options wanted = {.profile = a->profile, .encoding = NAVD_ENCODING_NAVD};
    int code = remote_open(&a->remote, &c);
    if (code != NAVCTL_OK) return code;
    code = remote_world(c, a->world, &world, &wanted.profile);
    if (code == NAVCTL_OK) {
        navd_on_tile(c, on_tile, &f);
        navd_status s = navd_subscribe(c, world.id, &wanted, NULL);
        if (s == NAVD_OK) s = navd_wait(c, world.id, NULL, NULL);
        if (s != NAVD_OK) code = remote_failed(c, s, a->world);
    }
    if (code == NAVCTL_OK) code = remote_areas(c, a->world, world.id, &areas, NULL);
    if (code == NAVCTL_OK && !area_type_values_apply(&a->area_types, "graph", &areas)) code = NAVCTL_USAGE;
    if (code == NAVCTL_OK) {
        stored_tile *tiles = f.no_memory ? NULL : tile_set_list(&f.tiles, &count);
        code = tiles ? export_tiles(a, a->world, &areas, tiles, count) : no_memory();
        if (code == NAVCTL_OK && tile_set_count(&f.tiles).failed) code = NAVCTL_TILES;
        free(tiles);
    }
    navd_close(c);
    navd_world_free(&world);
    tile_set_deinit(&f.tiles);
    return code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    graph_args a = {.threads = generate_threads(), .nodes = "cells", .remote = REMOTE_DEFAULTS};
    settings_values_init(&a.grid);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.source == !a.world) {
        fprintf(stderr, "navctl graph: needs either SOURCE or --world NAME (see navctl graph --help)\n");
        return NAVCTL_USAGE;
    }
    if (!a.format) a.format = ends_with(a.out, ".graphml") ? "graphml" : "json";
    if (!settings_values_apply(&a.grid, self->name) || !scene_load_check(&a.reading, self->name) ||
        !area_type_values_check(&a.area_types, self->name))
        return NAVCTL_USAGE;
    if (a.out && !output_is_possible(a.out)) return NAVCTL_FAILED;
    bool stored = ends_with(a.source, ".navd") || ends_with(a.source, ".bin");
    const char *given = scene_load_given(&a.reading);
    if ((stored || a.world) && given) {
        fprintf(stderr, "navctl graph: --%s: %s is no scene file; its tiles have their axes, unit and areas\n", given,
                a.world ? a.world : a.source);
        return NAVCTL_USAGE;
    }
    if (a.world) return from_world(&a);
    if (stored) return from_file(&a);
    nav_area_table areas = {0};
    return area_type_values_apply(&a.area_types, self->name, &areas) ? from_scene(&a, &areas) : NAVCTL_USAGE;
}

const arg_command graph_command = {
    .name = "graph",
    .summary = "Write the cell-and-portal graph of a scene, stored tiles or a world",
    .details =
        "The nodes are cells, the edges are portals, with width and clearance, and off-mesh links. With --nodes\n"
        "edges the nodes are in the middles of portals and at the ends of links, and the edges go straight\n"
        "through a cell from one to another, at the cost of its area.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
