// The cells around a place.
#include "core/path/search_work.h"

bool nav_path_on_edge(const path_tile *t, uint32_t corner, path_spot s)
{
    path_spot a = path_corner(t, corner), b = path_corner(t, path_next(t, corner));
    return path_side(a, b, s) == 0 && !path_goes_on(s, a, b) && !path_goes_on(s, b, a);
}

bool nav_path_list_near(const nav_path_set *set, path_place at, path_place **near, uint32_t *room, uint32_t first,
                        uint64_t excluded, uint32_t *end)
{
    uint32_t n = first;
    if (!PATH_GROW(*near, *room, n)) return false;
    (*near)[n++] = at;
    for (uint32_t i = first; i < n; i++) {
        path_place here = (*near)[i];
        const path_tile *t = set->tiles[here.tile];
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++) {
            uint32_t tile = here.tile, corner = k, known = first;
            if (!nav_path_on_edge(t, k, at.at) || !path_cross(set, &tile, &corner)) continue;
            uint32_t cell = set->tiles[tile]->cell[corner];
            if (excluded >> set->tiles[tile]->area[cell] & 1) continue;
            while (known < n && ((*near)[known].tile != tile || (*near)[known].cell != cell)) known++;
            if (known < n) continue;
            if (!PATH_GROW(*near, *room, n)) return false;
            (*near)[n++] = (path_place){tile, cell, at.at, at.y};
        }
    }
    *end = n;
    return true;
}
