// navctl render: draws a stored mesh.
#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/drawing/picture_sheets.h"
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
    view_values look;
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
                                   PICTURE_GROUP(render_args, picture),
                                   VIEW_GROUP(render_args, look)};
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

static bool has_walls(const store *s)
{
    bool walls = false;
    for (uint32_t i = 0; i < s->tile_count; i++) walls |= s->tiles[i].sheet != NAV_SHEET_UP;
    return walls;
}

static bool draw_sheets(const render_args *a, const draw_mesh *mesh, const char *title)
{
    const double *from = a->look.look_from;
    return picture_sheets_write(
        a->out, mesh,
        &(picture_sheets_look){
            .title = title, .size = a->size, .look_from = {from[0], from[1], from[2]}, .parallel = shared_threads()});
}

// Do the options fit what is drawn?
static bool check_view(const render_args *a, const store *s)
{
    const bool walls = has_walls(s), perspective = view_is_perspective(&a->look, walls);
    const char *option = NULL, *why = NULL;
    if (walls && a->show) {
        option = "show";
        why = "parts are drawn from above, where walls and ceilings are not seen: leave it out";
    } else if (walls && !perspective) {
        option = "view";
        why = "walls and ceilings are not seen from the top: use perspective";
    } else if (perspective && (a->show || a->picture.slice || a->picture.storeys)) {
        option = a->show ? "show" : a->picture.slice ? "slice" : "storeys";
        why = "is for pictures from the top";
    }
    if (option) fprintf(stderr, "navctl render: --%s: %s\n", option, why);
    return !option;
}

static int run(const arg_command *self, int argc, char **argv)
{
    render_args a = {.size = 1600, .look = VIEW_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.out || !page_name_ok(a.out)) {
        fprintf(stderr, "navctl render: needs -o PICTURE, with a name that ends in .png or .svg\n");
        return NAVCTL_USAGE;
    }
    if (!picture_values_check(&a.picture, self->name) || !view_values_check(&a.look, self->name) ||
        !area_type_values_check(&a.area_types, self->name))
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
    if (!check_view(&a, &s)) {
        store_deinit(&s);
        return NAVCTL_USAGE;
    }
    bool ok = area_type_values_apply(&a.area_types, self->name, &s.areas);
    draw_mesh mesh;
    draw_mesh_init(&mesh);
    const char *slash = strrchr(a.file, '/');
    const char *title = a.title ? a.title : slash ? slash + 1 : a.file;
    ok = ok && store_draw(a.file, s.encoding, s.tiles, s.tile_count, shared_threads(), &mesh);
    if (ok && parts)
        ok = draw_plan(&a, &s, &mesh, title, parts);
    else if (ok && view_is_perspective(&a.look, has_walls(&s)))
        ok = draw_sheets(&a, &mesh, title);
    else if (ok)
        ok = picture_write(
            a.out, &mesh,
            &(picture_look){
                .title = title, .size = a.size, .values = &a.picture, .areas = &s.areas, .parallel = shared_threads()});
    draw_mesh_deinit(&mesh);
    store_deinit(&s);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

const arg_command render_command = {
    .name = "render",
    .summary = "Draw a stored mesh: floors from above, walls and ceilings in perspective",
    .details = "Colours show height, slope and areas, dark lines are walls, blue lines are tile borders.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
