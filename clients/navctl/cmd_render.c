// navctl render: draws a stored mesh.
#include "clients/navctl/commands.h"
#include "clients/navctl/exit_codes.h"
#include "clients/navctl/picture.h"
#include "clients/navctl/store.h"

#include <stdio.h>
#include <string.h>

typedef struct render_args {
    const char *file, *out, *title;
    int32_t size;
} render_args;

static const arg_option render_options[] = {
    {"output", 'o', ARG_FILE, "PICTURE", "NAME.png or NAME.svg", offsetof(render_args, out), 0, 0, NULL},
    {"size", 0, ARG_INT, "PIXELS", "longer side of the picture", offsetof(render_args, size), 64, 16384, NULL},
    {"title", 0, ARG_TEXT, "WORDS", "headline; without it the file's name", offsetof(render_args, title), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", render_options, ARG_COUNT(render_options), 0}};
static const arg_positional positionals[] = {
    {"FILE", "file of tiles (.bin, .navd) or a single tile", true, true, offsetof(render_args, file)}};

static int run(const arg_command *self, int argc, char **argv)
{
    render_args a = {.size = 1600};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.out || !picture_name_ok(a.out)) {
        fprintf(stderr, "navctl render: -o PICTURE is needed, and its name must end in .png or .svg\n");
        return NAVCTL_USAGE;
    }
    store s;
    if (!store_read(a.file, &s)) return NAVCTL_INPUT;
    draw_mesh mesh;
    draw_mesh_init(&mesh);
    const char *slash = strrchr(a.file, '/');
    const char *title = a.title ? a.title : slash ? slash + 1 : a.file;
    bool ok =
        store_draw(a.file, s.encoding, s.tiles, s.tile_count, &mesh) && picture_write(a.out, &mesh, title, a.size);
    draw_mesh_deinit(&mesh);
    store_deinit(&s);
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

const arg_command render_command = {
    .name = "render",
    .summary = "Draw a stored mesh from above",
    .details = "Colours show height and slope, dark lines walls, blue lines tile borders.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
