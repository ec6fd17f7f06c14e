#include "tests/core/tile_fixture.h"

#include <assert.h>
#include <string.h>

void fixture_init(fixture *f, int32_t tile_x, int32_t tile_z)
{
    memset(f, 0, sizeof *f);
    nav_settings_default(&f->settings);
    f->settings.cell_size_m = 0.5f;
    f->settings.cell_height_m = 0.25f;
    f->settings.tile_cells = 16;
    f->settings.agent_radius_m = 0.5f;
    f->settings.agent_climb_m = 0.75f;
    for (int a = 0; a < NAV_AREA_COUNT; a++) f->settings.area_flags[a] = (uint16_t)(a == 5 ? 6 : 1);
    f->tile.settings = &f->settings;
    nav_config_init(&f->tile.config, &f->settings, tile_x, tile_z);
    f->tile.content_key = (nav_key){0x1122334455667788u, 0x99AABBCCDDEEFF00u};
    nav_polygons *p = &f->tile.polygons;
    *p = (nav_polygons){.x = f->x,
                        .y = f->y,
                        .z = f->z,
                        .first = f->first,
                        .vert = f->vert,
                        .behind = f->behind,
                        .area = f->area,
                        .region = f->region,
                        .cell_poly = f->cell_poly,
                        .cell_first = f->cell_first,
                        .cell_vert = f->cell_vert,
                        .cell_behind = f->cell_behind,
                        .cell_flags = f->cell_flags};
    f->tile.detail = (nav_detail){.vert_first = f->vert_first,
                                  .tri_first = f->tri_first,
                                  .x = f->detail_x,
                                  .y = f->detail_y,
                                  .z = f->detail_z,
                                  .tri = f->tri};
    f->tile.links = f->links;
}

int32_t fixture_vert(fixture *f, int32_t x, int32_t y, int32_t z)
{
    int32_t v = f->tile.polygons.vert_count++;
    assert(v < FIXTURE_VERTS);
    f->x[v] = x;
    f->y[v] = y;
    f->z[v] = z;
    return v;
}

static void add_triangle(fixture *f, int a, int b, int c, int flags)
{
    uint8_t *t = f->tri[f->tile.detail.tri_count++];
    t[0] = (uint8_t)a;
    t[1] = (uint8_t)b;
    t[2] = (uint8_t)c;
    t[3] = (uint8_t)flags;
}

int32_t fixture_poly(fixture *f, uint8_t area, int n, const int32_t *verts)
{
    int32_t p = f->tile.polygons.count++;
    assert(p < FIXTURE_POLYS);
    f->area[p] = area;
    f->first[p + 1] = f->first[p] + n;
    memcpy(f->vert + f->first[p], verts, (size_t)n * sizeof *verts);
    for (int k = 2; k < n; k++) add_triangle(f, 0, k - 1, k, (k == 2) | 1 << 2 | (k == n - 1) << 4);
    f->vert_first[p + 1] = f->tile.detail.vert_count;
    f->tri_first[p + 1] = f->tile.detail.tri_count;
    f->cell_poly[++f->tile.polygons.cell_count] = p + 1;
    return p;
}

void fixture_extra(fixture *f, float x, float y, float z)
{
    nav_detail *d = &f->tile.detail;
    int32_t p = f->tile.polygons.count - 1, n = f->first[p + 1] - f->first[p];
    d->x[d->vert_count] = x;
    d->y[d->vert_count] = y;
    d->z[d->vert_count++] = z;
    d->tri_count = f->tri_first[p];
    for (int k = 0; k < n; k++) add_triangle(f, k, (k + 1) % n, n, 1);
    f->vert_first[p + 1] = d->vert_count;
    f->tri_first[p + 1] = d->tri_count;
}

void fixture_link(fixture *f, nav_link link)
{
    f->link[f->tile.link_count] = link;
    f->links[f->tile.link_count] = &f->link[f->tile.link_count];
    f->tile.link_count++;
}

void fixture_join_cells(fixture *f)
{
    nav_polygons *p = &f->tile.polygons;
    p->cell_count--;
    p->cell_poly[p->cell_count] = p->count;
}

static int32_t border_of(const fixture *f, int32_t a, int32_t b)
{
    int32_t side = f->settings.tile_cells;
    if (f->x[a] == side && f->x[b] == side) return NAV_EDGE_PORTAL_XMAX;
    if (f->z[a] == side && f->z[b] == side) return NAV_EDGE_PORTAL_ZMAX;
    if (f->x[a] == 0 && f->x[b] == 0) return NAV_EDGE_PORTAL_XMIN;
    if (f->z[a] == 0 && f->z[b] == 0) return NAV_EDGE_PORTAL_ZMIN;
    return NAV_EDGE_WALL;
}

static int32_t next_corner(const fixture *f, int32_t poly, int32_t k)
{
    return k + 1 == f->first[poly + 1] ? f->first[poly] : k + 1;
}

static int32_t find_edge(const fixture *f, int32_t from, int32_t to, int32_t *corner)
{
    for (int32_t p = 0; p < f->tile.polygons.count; p++) {
        for (int32_t k = f->first[p]; k < f->first[p + 1]; k++) {
            if (f->vert[k] != from || f->vert[next_corner(f, p, k)] != to) continue;
            *corner = k;
            return p;
        }
    }
    return -1;
}

static int32_t cell_of(const fixture *f, int32_t poly)
{
    int32_t c = 0;
    while (f->cell_poly[c + 1] <= poly) c++;
    return c;
}

// Walks the boundary of cell c, polygon by polygon: where an edge is inside of the cell it goes on in the next polygon.
static int32_t trace_cell(fixture *f, int32_t c, int32_t to)
{
    int32_t poly = f->cell_poly[c], k = f->first[poly];
    while (f->behind[k] >= 0 && cell_of(f, f->behind[k]) == c) k++;
    int32_t start = k;
    do {
        int32_t behind = f->behind[k];
        f->cell_vert[to] = f->vert[k];
        f->cell_behind[to++] = behind >= 0 ? cell_of(f, behind) : behind;
        k = next_corner(f, poly, k);
        while (f->behind[k] >= 0 && cell_of(f, f->behind[k]) == c) {
            int32_t twin = 0, other = find_edge(f, f->vert[next_corner(f, poly, k)], f->vert[k], &twin);
            poly = other;
            k = next_corner(f, poly, twin);
        }
    } while (k != start);
    return to;
}

void fixture_finish(fixture *f)
{
    nav_polygons *polys = &f->tile.polygons;
    for (int32_t p = 0; p < polys->count; p++) {
        for (int32_t k = f->first[p]; k < f->first[p + 1]; k++) {
            int32_t a = f->vert[k], b = f->vert[next_corner(f, p, k)], twin = 0;
            f->behind[k] = find_edge(f, b, a, &twin);
            if (f->behind[k] < 0) f->behind[k] = border_of(f, a, b);
        }
    }
    for (int32_t c = 0; c < polys->cell_count; c++) f->cell_first[c + 1] = trace_cell(f, c, f->cell_first[c]);
}

void fixture_floor(fixture *f, int32_t tile_x, int32_t tile_z, int32_t y)
{
    fixture_init(f, tile_x, tile_z);
    int32_t v[3][3];
    for (int z = 0; z < 3; z++)
        for (int x = 0; x < 3; x++) v[z][x] = fixture_vert(f, 8 * x, y, 8 * z);
    fixture_poly(f, 63, 4, (int32_t[]){v[1][0], v[2][0], v[2][1], v[1][1]});
    fixture_extra(f, 4.0f, (float)y + 2.0f, 12.0f);
    fixture_poly(f, 63, 4, (int32_t[]){v[1][1], v[2][1], v[2][2], v[1][2]});
    fixture_poly(f, 5, 4, (int32_t[]){v[0][0], v[1][0], v[1][1], v[0][1]});
    fixture_poly(f, 63, 3, (int32_t[]){v[0][1], v[1][1], v[1][2]});
    fixture_poly(f, 63, 3, (int32_t[]){v[0][1], v[1][2], v[0][2]});
    fixture_join_cells(f);
    fixture_finish(f);
}

void fixture_number_by_use(fixture *f)
{
    static int32_t number[FIXTURE_VERTS], x[FIXTURE_VERTS], y[FIXTURE_VERTS], z[FIXTURE_VERTS];
    nav_polygons *polys = &f->tile.polygons;
    int32_t count = 0;
    memset(number, 0xFF, sizeof number);
    for (int32_t k = 0; k < polys->first[polys->count]; k++) {
        int32_t v = f->vert[k];
        if (number[v] < 0) {
            x[count] = f->x[v], y[count] = f->y[v], z[count] = f->z[v];
            number[v] = count++;
        }
        f->vert[k] = number[v];
    }
    memcpy(f->x, x, sizeof x);
    memcpy(f->y, y, sizeof y);
    memcpy(f->z, z, sizeof z);
}
