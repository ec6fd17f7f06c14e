#include "clients/navctl/paths/path_drawing.h"
#include "clients/navctl/generate/shared_threads.h"

#include <stdlib.h>
#include <string.h>

void path_drawing_deinit(path_drawing *d)
{
    for (uint32_t i = 0; i < d->count; i++) free((void *)d->items[i].points);
    free(d->items);
    *d = (path_drawing){.items = NULL};
}

static bool add(path_drawing *d, const float *points, uint32_t count, picture_path_kind kind, int number)
{
    if (d->count == d->room) {
        uint32_t room = d->room ? 2 * d->room : 16;
        picture_path *grown = realloc(d->items, room * sizeof *grown);
        if (!grown) return false;
        d->items = grown;
        d->room = room;
    }
    float *copy = malloc((3 * (size_t)count + 1) * sizeof *copy);
    if (!copy) return false;
    if (count) memcpy(copy, points, 3 * (size_t)count * sizeof *copy);
    d->items[d->count++] = (picture_path){copy, count, kind, number};
    return true;
}

bool path_drawing_add(path_drawing *d, const float *points, uint32_t count, int number)
{
    return add(d, points, count, PICTURE_PATH, number);
}

bool path_drawing_add_detour(path_drawing *d, detour_paths *detour, const double from[3], const double to[3],
                             double near_m)
{
    detour_answer a;
    detour_paths_find(detour, from, to, near_m, &a);
    d->has_detour = true;
    return add(d, a.points, a.point_count, PICTURE_PATH_OTHER, 0);
}

bool path_drawing_write(const path_drawing *d, const path_ground *g, const char *path, const char *title, int size,
                        const picture_values *values)
{
    const picture_paths paths = {d->items, d->count, d->has_detour ? "Detour's path" : NULL};
    const picture_look look = {
        .title = title, .size = size, .values = values, .parallel = shared_threads(), .paths = &paths};
    draw_mesh mesh;
    draw_mesh_init(&mesh);
    bool ok = store_draw(g->name, g->encoding, g->list, g->list_count, shared_threads(), &mesh) &&
              picture_write(path, &mesh, &look);
    draw_mesh_deinit(&mesh);
    return ok;
}
