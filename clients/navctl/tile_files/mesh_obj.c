#include "clients/navctl/tile_files/mesh_obj.h"

#include "clients/navctl/output/output.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/tile_files/mesh_triangles.h"

#include <stdio.h>

// first: vertices before it in the file.
static void write_tile(FILE *out, const mesh_triangles *m, uint64_t first)
{
    for (uint32_t i = 0; i < m->place_count; i++) {
        const float *at = m->places[i];
        fprintf(out, "v %.9g %.9g %.9g\n", (double)at[0], (double)at[1], (double)at[2]);
    }
    for (uint32_t i = 0; i < m->tri_count; i++) {
        const uint32_t *t = m->tris[i];
        fprintf(out, "f %llu %llu %llu\n", (unsigned long long)(first + t[0] + 1),
                (unsigned long long)(first + t[1] + 1), (unsigned long long)(first + t[2] + 1));
    }
}

bool mesh_obj_write(const char *path, const char *from, const stored_tile *tiles, uint32_t count)
{
    output o;
    mesh_triangles m = {0};
    char shown[256];
    uint64_t first = 0;
    bool ok = true;
    if (!output_open(&o, path)) return false;
    text_printable(from, shown, sizeof shown, 200);
    fprintf(o.file, "# navd: where the agent stands in %s\n", shown);
    for (uint32_t i = 0; i < count && ok; i++) {
        nav_tile_view v;
        if (nav_tile_open(tiles[i].bytes, tiles[i].size, &v, NULL, 0) != NAV_OK) continue; // cannot be: navd made it
        ok = mesh_triangles_take(&m, &v);
        if (!ok) break;
        if (i == 0 || tiles[i].sheet != tiles[i - 1].sheet) fprintf(o.file, "o %s\n", nav_sheet_name(v.sheet));
        write_tile(o.file, &m, first);
        first += m.place_count;
    }
    mesh_triangles_deinit(&m);
    if (ok) return output_commit(&o);
    fprintf(stderr, "navctl: no memory left\n");
    output_discard(&o);
    return false;
}
