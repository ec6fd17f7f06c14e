#include "core/path/ground.h"

#include <string.h>

void *nav_path_take(void *owner, size_t head, const path_array *arrays, size_t array_count, size_t *bytes)
{
    size_t at = (head + 7) / 8 * 8, size = at;
    for (size_t i = 0; i < array_count; i++) size += (arrays[i].count * arrays[i].size + 7) / 8 * 8;
    char *block = calloc(1, size ? size : 1);
    if (!block) return NULL;
    if (!owner) owner = block;
    for (size_t i = 0; i < array_count; i++) {
        void *array = block + at;
        memcpy((char *)owner + arrays[i].offset, &array, sizeof array);
        at += (arrays[i].count * arrays[i].size + 7) / 8 * 8;
    }
    *bytes = size;
    return block;
}

bool nav_path_ground_take(path_ground *g)
{
    const path_array arrays[] = {
        {offsetof(path_ground, at), g->vert_count, sizeof(path_spot)},
        {offsetof(path_ground, y), g->vert_count, 4},
        {offsetof(path_ground, first), (size_t)g->poly_count + 1, 4},
        {offsetof(path_ground, vert), g->corner_count, 4},
        {offsetof(path_ground, behind), g->corner_count, 4},
        {offsetof(path_ground, area), g->poly_count, 1},
        {offsetof(path_ground, is_ground), g->poly_count, sizeof(bool)},
        {offsetof(path_ground, point), 3 * (size_t)g->point_count, 4},
        {offsetof(path_ground, triangle_first), (size_t)g->poly_count + 1, 4},
        {offsetof(path_ground, triangle), 3 * (size_t)g->triangle_count, 4},
        {offsetof(path_ground, link), g->link_count, sizeof(nav_link)},
    };
    g->block = nav_path_take(g, 0, arrays, sizeof arrays / sizeof *arrays, &g->bytes);
    return g->block;
}

void nav_path_ground_deinit(path_ground *g)
{
    free(g->block);
    *g = (path_ground){0};
}
