#include "clients/navctl/paths/detour_paths.h"

#include <stdio.h>
#include <stdlib.h>

detour_paths *detour_paths_create(const char *name, const store *tiles)
{
    (void)tiles;
    fprintf(stderr, "navctl: %s: this navctl was built without Detour, so --detour has nothing to compare with\n",
            name);
    return NULL;
}

void detour_paths_destroy(detour_paths *d)
{
    (void)d;
}

void detour_paths_find(detour_paths *d, const double from[3], const double to[3], double near_m, detour_answer *out)
{
    (void)d, (void)from, (void)to, (void)near_m, (void)out;
    abort(); // there is no d
}
