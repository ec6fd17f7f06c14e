#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/arguments/exit_codes.h"

bool scene_load_check(const scene_load_values *v, const char *command)
{
    return scene_frame_check(&v->frame, command) && scene_areas_check(&v->areas, command);
}

const char *scene_load_given(const scene_load_values *v)
{
    return v->frame.up ? "up" : v->frame.scale ? "scale" : v->areas.rules.count ? "area" : NULL;
}

int scene_load(const char *path, const scene_load_values *v, const char *command, const nav_parallel *parallel,
               scene *out)
{
    int code = scene_frame_read(path, &v->frame, parallel, out);
    if (code != NAVCTL_OK || scene_areas_apply(&v->areas, command, out)) return code;
    scene_deinit(out);
    return NAVCTL_FAILED;
}
