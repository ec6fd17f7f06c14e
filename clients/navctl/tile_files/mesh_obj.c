#include "clients/navctl/tile_files/mesh_obj.h"

#include "clients/navctl/output/output.h"
#include "clients/navctl/output/text.h"

#include <stdio.h>

// first: vertices before it in the file. Returns those of the tile.
static uint64_t write_tile(FILE *out, const nav_tile_view *v, uint64_t first)
{
    const uint32_t verts = v->vert_count + v->detail_vert_count;
    for (uint32_t i = 0; i < verts; i++) {
        float at[3];
        nav_tile_get_place(v, i, at);
        fprintf(out, "v %.9g %.9g %.9g\n", (double)at[0], (double)at[1], (double)at[2]);
    }
    for (uint32_t i = 0; i < v->triangle_count; i++) {
        uint32_t t[3];
        nav_tile_get_triangle(v, i, t);
        fprintf(out, "f %llu %llu %llu\n", (unsigned long long)(first + t[0] + 1),
                (unsigned long long)(first + t[1] + 1), (unsigned long long)(first + t[2] + 1));
    }
    return verts;
}

bool mesh_obj_write(const char *path, const char *from, const stored_tile *tiles, uint32_t count)
{
    output o;
    char shown[256];
    uint64_t first = 0;
    if (!output_open(&o, path)) return false;
    text_printable(from, shown, sizeof shown, 200);
    fprintf(o.file, "# navd: where the agent stands in %s\n", shown);
    for (uint32_t i = 0; i < count; i++) {
        nav_tile_view v;
        if (nav_tile_open(tiles[i].bytes, tiles[i].size, &v, NULL, 0) != NAV_OK) continue; // cannot be: navd made it
        if (i == 0 || tiles[i].sheet != tiles[i - 1].sheet) fprintf(o.file, "o %s\n", nav_sheet_name(v.sheet));
        first += write_tile(o.file, &v, first);
    }
    return output_commit(&o);
}
