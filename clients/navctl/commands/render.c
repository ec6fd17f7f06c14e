// navctl render: draws a stored mesh.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/drawing/plan.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/tile_files/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct render_args {
    const char *file, *out, *title, *show;
    int32_t size;
    area_type_values area_types;
    picture_values picture;
} render_args;

static const arg_option render_options[] = {
    {"output", 'o', ARG_FILE, "PICTURE", "NAME.png or NAME.svg", offsetof(render_args, out), 0, 0, NULL},
    {"size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(render_args, size), 64, 16384, NULL},
    {"show", 0, ARG_TEXT, "PARTS", "cells,portals,sides: parts to show instead of heights; of Detour tiles sides",
     offsetof(render_args, show), 0, 0, NULL},
    {"title", 0, ARG_TEXT, "WORDS", "headline; default: the file's name", offsetof(render_args, title), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", render_options, ARG_COUNT(render_options), 0},
                                   AREA_TYPE_GROUP(render_args, area_types),
                                   PICTURE_GROUP(render_args, picture)};
static const arg_positional positionals[] = {
    {"FILE", "file of tiles (.bin, .navd) or a single tile", true, true, offsetof(render_args, file)}};

// Adds the portals of a navd file's first profile.
static bool add_portals(const render_args *a, const store *s, draw_mesh *mesh)
{
    char why[256] = "";
    uint32_t count = 0;
    nav_tile_view *views = malloc(sizeof *views * ((size_t)s->tile_count + 1));
    nav_status status = views ? NAV_OK : NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < s->tile_count && status == NAV_OK; i++)
        if (s->tiles[i].profile == s->tiles[0].profile)
            status = nav_tile_open(s->tiles[i].bytes, s->tiles[i].size, &views[count++], why, sizeof why);
    if (status == NAV_OK) status = draw_mesh_add_graph(mesh, views, count, why, sizeof why);
    if (status != NAV_OK)
        fprintf(stderr, "navctl: cannot draw %s: %s\n", a->file, why[0] ? why : nav_status_text(status));
    free(views);
    return status == NAV_OK;
}

static bool draw_plan(const render_args *a, const store *s, draw_mesh *mesh, const char *title, unsigned parts)
{
    return (s->encoding == GENERATE_DETOUR || add_portals(a, s, mesh)) &&
           plan_write(a->out, &(plan_look){.mesh = mesh,
                                           .title = title,
                                           .note = "",
                                           .parts = parts,
                                           .size = a->size,
                                           .parallel = shared_threads()});
}

static int run(const arg_command *self, int argc, char **argv)
{
    render_args a = {.size = 1600};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.out || !page_name_ok(a.out)) {
        fprintf(stderr, "navctl render: needs -o PICTURE, with a name that ends in .png or .svg\n");
        return NAVCTL_USAGE;
    }
    if (!picture_values_check(&a.picture, self->name) || !area_type_values_check(&a.area_types, self->name))
        return NAVCTL_USAGE;
    unsigned parts = 0;
    char why[160];
    if (a.show &&
        (!plan_parse(a.show, &parts, why, sizeof why) || parts & ~(unsigned)(PLAN_CELLS | PLAN_PORTALS | PLAN_SIDES))) {
        fprintf(stderr, "navctl render: --show %s: stored tiles can show cells, portals and sides only\n", a.show);
        return NAVCTL_USAGE;
    }
    store s;
    if (!store_read(a.file, &s)) return NAVCTL_INPUT;
    if (parts & ~(unsigned)PLAN_SIDES && s.encoding == GENERATE_DETOUR) {
        fprintf(stderr, "navctl: %s: Detour tiles have no cells to show, only sides\n", a.file);
        store_deinit(&s);
        return NAVCTL_INPUT;
    }
    bool ok = area_type_values_apply(&a.area_types, self->name, &s.areas);
    draw_mesh mesh;
    draw_mesh_init(&mesh);
    const char *slash = strrchr(a.file, '/');
    const char *title = a.title ? a.title : slash ? slash + 1 : a.file;
    ok = ok && store_draw(a.file, s.encoding, s.tiles, s.tile_count, shared_threads(), &mesh);
    if (ok)
        ok = parts ? draw_plan(&a, &s, &mesh, title, parts)
                   : picture_write(a.out, &mesh,
                                   &(picture_look){.title = title,
                                                   .size = a.size,
                                                   .values = &a.picture,
                                                   .areas = &s.areas,
                                                   .parallel = shared_threads()});
    draw_mesh_deinit(&mesh);
    store_deinit(&s);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

const arg_command render_command = {
    .name = "render",
    .summary = "Draw a stored mesh from above",
    .details = "Colours show height, slope and areas, dark lines are walls, blue lines are tile borders.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
