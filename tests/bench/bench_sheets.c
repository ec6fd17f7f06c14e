// Walls and ceilings.
#include "tests/bench/bench.h"
#include "tests/bench/scenes.h"
#include "tests/bench/sheet_scenes.h"

#include <stdio.h>
#include <string.h>

bool bench_sheets(const bench_options *o, table *bars)
{
    bool ok = true;
    (void)bars;
    for (int i = 0; i < SHEET_SCENES && ok; i++) {
        char path[512];
        scene s;
        ok = sheet_scene_named(sheet_scene_names[i], &s);
        snprintf(path, sizeof path, "%s/%s.obj", o->out, sheet_scene_names[i]);
        ok = ok && bench_scene_write(&s, path);
        scene_deinit(&s);
    }
    return ok;
}
