// navctl plan: floor plans in 2D to a navigation mesh.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/build.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/scene/scene_check.h"

#include <stdio.h>

static const arg_group groups[] = {BUILD_GROUPS};
static const arg_positional positionals[] = {
    {"PLAN", "floor plan: GeoJSON, WKT or SVG", true, true, offsetof(build_args, scene)}};

static bool is_plan(const char *path)
{
    const scene_format format = scene_format_of(path);
    if (format == SCENE_GEOJSON || format == SCENE_WKT || format == SCENE_SVG) return true;
    fprintf(stderr,
            "navctl plan: %s: a plan's name must end in .geojson, .wkt or .svg; navctl build takes other scenes\n",
            path);
    return false;
}

static int run(const arg_command *self, int argc, char **argv)
{
    build_args a;
    build_args_init(&a);
    build_args_exact(&a);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    return is_plan(a.scene) ? build_run(self, &a, argc, argv) : NAVCTL_USAGE;
}

const arg_command plan_command = {
    .name = "plan",
    .summary = "Generate the navigation mesh of a floor plan, exactly, without a daemon",
    .details = "As navctl build does, but with the surface generator and without leaving out corners. Floors, areas,\n"
               "obstacles, stairs and links are features with a kind; docs/plans.md shows them in each format.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
