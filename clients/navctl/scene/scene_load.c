#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/arguments/exit_codes.h"

#include <stdio.h>

bool scene_load_check(const scene_load_values *v, const char *command)
{
    return scene_frame_check(&v->frame, command) && scene_areas_check(&v->areas, command) &&
           scene_heights_check(&v->heights, command);
}

const char *scene_load_given(const scene_load_values *v)
{
    return v->frame.up            ? "up"
           : v->frame.scale       ? "scale"
           : v->frame.raise       ? "raise"
           : v->areas.rules.count ? "area"
                                  : scene_heights_given(&v->heights);
}

static int read_map(const char *path, const scene_load_values *v, const char *command, scene *out)
{
    char why[256];
    if (!scene_heights_read(path, &v->heights, out, why, sizeof why)) {
        fprintf(stderr, "navctl: %s: %s\n", path, why);
        return NAVCTL_INPUT;
    }
    if (scene_areas_apply(&v->areas, command, out)) return NAVCTL_OK;
    scene_deinit(out);
    return NAVCTL_FAILED;
}

int scene_load(const char *path, const scene_load_values *v, const char *command, const nav_parallel *parallel,
               scene *out)
{
    const bool is_map = scene_heights_is_map(path);
    const char *given = is_map ? v->frame.up      ? "up"
                                 : v->frame.scale ? "scale"
                                 : v->frame.raise ? "raise"
                                                  : NULL
                               : scene_heights_given(&v->heights);
    if (given) {
        fprintf(stderr, "navctl %s: --%s is for %s, and %s is %s\n", command, given,
                is_map ? "scene files" : "height maps", path, is_map ? "a height map" : "none (.png or .r16)");
        return NAVCTL_USAGE;
    }
    if (is_map) return read_map(path, v, command, out);
    int code = scene_frame_read(path, &v->frame, parallel, out);
    if (code != NAVCTL_OK || scene_areas_apply(&v->areas, command, out)) return code;
    scene_deinit(out);
    return NAVCTL_FAILED;
}
