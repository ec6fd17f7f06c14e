#include "core/geometry/links.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const nav_link *x = *(const nav_link *const *)a, *y = *(const nav_link *const *)b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    nav_key kx = nav_link_key(x), ky = nav_link_key(y);
    return nav_key_less(ky, kx) - nav_key_less(kx, ky);
}

uint32_t nav_links_collect(const nav_tile_source *src, const nav_link **list)
{
    uint32_t count = 0;
    if (src->settings->sheet != NAV_SHEET_UP) return 0; // a link's ends are on floors
    for (uint32_t i = 0; i < src->link_count; i++)
        if (nav_link_in_tile(&src->links[i], src->settings, src->tile_x, src->tile_z)) list[count++] = &src->links[i];
    if (count > 1) qsort(list, count, sizeof *list, compare);
    return count;
}

nav_key nav_links_content(nav_key bare, const nav_link *const *links, uint32_t count)
{
    nav_key sum = {0, 0};
    if (!count) return bare;
    for (uint32_t i = 0; i < count; i++) sum = nav_key_add(sum, nav_link_key(links[i]));
    return nav_key_join(bare, sum);
}
