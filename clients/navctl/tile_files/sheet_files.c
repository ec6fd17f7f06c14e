#include "clients/navctl/tile_files/sheet_files.h"

#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "core/tile/detour.h"
#include "navcore/climb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_VERSION = 1 };

bool sheet_cells_init(sheet_cells *c, uint64_t count)
{
    *c = (sheet_cells){.tiles = calloc(count ? count : 1, sizeof *c->tiles), .count = count};
    return c->tiles != NULL;
}

void sheet_cells_deinit(sheet_cells *c)
{
    for (uint64_t i = 0; c->tiles && i < c->count; i++) nav_buffer_deinit(&c->tiles[i]);
    free(c->tiles);
    *c = (sheet_cells){0};
}

nav_status sheet_cells_take(void *user, uint64_t place, const nav_tile *tile)
{
    nav_buffer *to = &((sheet_cells *)user)->tiles[place];
    to->size = 0;
    return tile->polygons.cell_count ? nav_tile_encode(tile, to) : NAV_OK;
}

stored_tile *sheet_cells_list(const sheet_cells *c, uint32_t *count)
{
    stored_tile *list = malloc(((size_t)c->count + 1) * sizeof *list);
    *count = 0;
    for (uint64_t i = 0; list && i < c->count; i++) {
        const nav_buffer *b = &c->tiles[i];
        if (b->size) list[(*count)++] = (stored_tile){.bytes = b->data, .size = (uint32_t)b->size};
    }
    return list;
}

// "level.bin" and "x+" to "level.x+.bin". The caller frees it; NULL: no memory.
static char *name_of(const char *path, const char *part, const char *ending)
{
    const char *dot = strrchr(path, '.');
    const int length = dot ? (int)(dot - path) : (int)strlen(path);
    const size_t bytes = strlen(path) + strlen(part) + strlen(ending) + 3;
    char *name = malloc(bytes);
    if (name) snprintf(name, bytes, "%.*s.%s%s", length, path, part, ending);
    return name;
}

static char *name_of_sheet(const char *path, nav_sheet sheet)
{
    return name_of(path, nav_sheet_name(sheet), ".bin");
}

static bool no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return false;
}

char *sheet_files_name(const char *path, int which)
{
    return which < NAV_SHEET_COUNT ? name_of_sheet(path, (nav_sheet)which) : name_of(path, "seams", ".json");
}

bool sheet_files_are_possible(const char *path, uint32_t sheets)
{
    bool ok = true;
    for (int s = 0; s <= NAV_SHEET_COUNT && ok; s++) {
        if (s < NAV_SHEET_COUNT && !(sheets >> s & 1)) continue;
        char *name = sheet_files_name(path, s);
        ok = name ? output_is_possible(name) : no_memory();
        free(name);
    }
    return ok;
}

// --- the polygons that seams are edges of

static double off_line(const double a[3], const double b[3], const double p[3])
{
    const double x = b[0] - a[0], z = b[2] - a[2], length2 = x * x + z * z;
    double t = length2 > 0 ? ((p[0] - a[0]) * x + (p[2] - a[2]) * z) / length2 : 0;
    t = fmin(1, fmax(0, t));
    return hypot(a[0] + t * x - p[0], a[2] + t * z - p[2]);
}

// The polygon of a Detour tile that has the segment on an edge with nothing behind it: of those that do, as seen from
// above, the nearest in height. -1: there is none.
static int32_t find_polygon(const nav_detour_view *v, const double from[3], const double to[3])
{
    const double reach = 0.02; // single precision rounds both
    int32_t found = -1;
    double best = INFINITY;
    for (int32_t i = 0; i < v->header.off_mesh_base; i++) {
        nav_detour_poly p;
        nav_detour_get_poly(v, (uint32_t)i, &p);
        for (int k = 0; k < p.vert_count; k++) {
            float at[2][3];
            double ends[2][3];
            if (p.neighbour[k]) continue;
            nav_detour_get_vert(v, p.vert[k], at[0]);
            nav_detour_get_vert(v, p.vert[(k + 1) % p.vert_count], at[1]);
            for (int e = 0; e < 2; e++)
                for (int q = 0; q < 3; q++) ends[e][q] = (double)at[e][q];
            if (off_line(ends[0], ends[1], from) > reach || off_line(ends[0], ends[1], to) > reach) continue;
            const double height = fabs(ends[0][1] + ends[1][1] - from[1] - to[1]);
            if (height >= best) continue;
            best = height;
            found = i;
        }
    }
    return found;
}

typedef struct table {
    const nav_settings *settings;
    const stored_tile *tiles; // by sheet, z and x
    uint32_t count;
    char *files[NAV_SHEET_COUNT]; // NULL: it has none
    uint32_t tile_count[NAV_SHEET_COUNT], poly_count[NAV_SHEET_COUNT];
    nav_climb_seam *seams;
    uint32_t seam_count;
} table;

static const stored_tile *find_tile(const table *t, const nav_climb_side *side)
{
    uint32_t low = 0, high = t->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const stored_tile *m = &t->tiles[middle];
        const bool before = m->sheet != side->sheet ? m->sheet < side->sheet
                            : m->z != side->tile_z  ? m->z < side->tile_z
                                                    : m->x < side->tile_x;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    const stored_tile *m = &t->tiles[low];
    return low < t->count && m->sheet == side->sheet && m->z == side->tile_z && m->x == side->tile_x ? m : NULL;
}

static int32_t polygon_of(const table *t, const nav_climb_side *side)
{
    const stored_tile *tile = find_tile(t, side);
    nav_detour_view v;
    double ends[2][3];
    if (!tile || nav_detour_open(tile->bytes, tile->size, &v, NULL, 0) != NAV_OK) return -1;
    for (int k = 0; k < 3; k++) {
        ends[0][k] = (double)side->from[k];
        ends[1][k] = (double)side->to[k];
    }
    for (int e = 0; e < 2; e++) nav_sheet_to_frame(side->sheet, ends[e], ends[e]);
    return find_polygon(&v, ends[0], ends[1]);
}

// --- the table

static void json_side(const table *t, const nav_climb_side *side, json_writer *w)
{
    const int32_t polygon = polygon_of(t, side);
    json_open(w, NULL, '{');
    json_text(w, "sheet", nav_sheet_name(side->sheet));
    json_open(w, "tile", '[');
    json_int(w, NULL, side->tile_x);
    json_int(w, NULL, side->tile_z);
    json_close(w, ']');
    json_int(w, "cell", side->cell);
    if (polygon < 0)
        json_text(w, "polygon", NULL);
    else
        json_int(w, "polygon", polygon);
    json_vec(w, "from_m", side->from, 3);
    json_vec(w, "to_m", side->to, 3);
    json_close(w, '}');
}

// Between the middles of the two segments.
static double crossing_m(const nav_climb_seam *s)
{
    double off[3];
    for (int k = 0; k < 3; k++)
        off[k] = ((double)s->sides[0].from[k] + (double)s->sides[0].to[k] - (double)s->sides[1].from[k] -
                  (double)s->sides[1].to[k]) /
                 2;
    return s->strip ? sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) : 0;
}

static void json_sheet(const table *t, nav_sheet sheet, json_writer *w)
{
    const char *slash = t->files[sheet] ? strrchr(t->files[sheet], '/') : NULL;
    json_open(w, NULL, '{');
    json_text(w, "sheet", nav_sheet_name(sheet));
    json_text(w, "file", slash ? slash + 1 : t->files[sheet]);
    json_int(w, "tiles", t->tile_count[sheet]);
    json_int(w, "polygons", t->poly_count[sheet]);
    json_open(w, "to_world", '[');
    for (int row = 0; row < 3; row++) {
        json_open(w, NULL, '[');
        for (int column = 0; column < 3; column++) {
            double axis[3] = {column == 0, column == 1, column == 2};
            nav_sheet_to_world(sheet, axis, axis);
            json_number(w, NULL, axis[row] + 0.0);
        }
        json_close(w, ']');
    }
    json_close(w, ']');
    json_close(w, '}');
}

static void write_table(const table *t, FILE *out)
{
    json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_int(&w, "version", TABLE_VERSION);
    json_open(&w, "agent", '{');
    json_number(&w, "height_m", (double)t->settings->agent_height_m);
    json_number(&w, "radius_m", (double)t->settings->agent_radius_m);
    json_number(&w, "climb_m", (double)t->settings->agent_climb_m);
    json_close(&w, '}');
    json_open(&w, "sheets", '[');
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        if (!(t->settings->sheets >> s & 1)) continue;
        fputc('\n', out);
        json_sheet(t, (nav_sheet)s, &w);
    }
    json_close(&w, ']');
    json_open(&w, "seams", '[');
    for (uint32_t i = 0; i < t->seam_count; i++) {
        const nav_climb_seam *s = &t->seams[i];
        fputc('\n', out);
        json_open(&w, NULL, '{');
        json_number(&w, "turn_deg", s->turn_deg);
        json_number(&w, "length_m", s->length_m);
        json_number(&w, "crossing_m", crossing_m(s));
        json_open(&w, "sides", '[');
        for (int side = 0; side < 2; side++) json_side(t, &s->sides[side], &w);
        json_close(&w, ']');
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_close(&w, '}');
    json_end_line(&w);
}

static bool find_seams(table *t, const sheet_cells *cells)
{
    char why[256] = "";
    nav_climb_set *set = NULL;
    nav_status s = nav_climb_set_create(fmax((double)t->settings->seam_inner_deg, 1e-3), &set);
    for (uint64_t i = 0; i < cells->count && s == NAV_OK; i++)
        if (cells->tiles[i].size)
            s = nav_climb_set_put(set, cells->tiles[i].data, cells->tiles[i].size, why, sizeof why);
    if (s == NAV_OK) s = nav_climb_set_join(set);
    if (s == NAV_OK) s = nav_climb_set_list_seams(set, &t->seams);
    if (s == NAV_OK) t->seam_count = nav_climb_set_seams(set);
    if (s != NAV_OK) fprintf(stderr, "navctl: cannot find the seams: %s\n", why[0] ? why : nav_status_text(s));
    nav_climb_set_destroy(set);
    return s == NAV_OK;
}

static bool write_sheet(table *t, const char *path, nav_sheet sheet, const stored_tile *tiles, uint32_t count,
                        const nav_parallel *parallel)
{
    nav_settings settings = *t->settings;
    settings.sheet = sheet;
    t->files[sheet] = name_of_sheet(path, sheet);
    if (!t->files[sheet]) return no_memory();
    t->tile_count[sheet] = count;
    for (uint32_t i = 0; i < count; i++) {
        nav_detour_view v;
        if (nav_detour_open(tiles[i].bytes, tiles[i].size, &v, NULL, 0) == NAV_OK)
            t->poly_count[sheet] += (uint32_t)v.header.off_mesh_base;
    }
    return store_write(t->files[sheet], GENERATE_DETOUR, &settings, NULL, tiles, count, parallel);
}

bool sheet_files_write(const char *path, const nav_settings *settings, const stored_tile *tiles, uint32_t count,
                       const sheet_cells *cells, const nav_parallel *parallel, uint32_t *seams)
{
    table t = {.settings = settings, .tiles = tiles, .count = count};
    char *name = name_of(path, "seams", ".json");
    output o = {0};
    *seams = 0;
    if (!count) fprintf(stderr, "navctl: cannot write %s: nowhere can the agent stand\n", path);
    bool ok = count && (name || no_memory()) && find_seams(&t, cells);
    for (uint32_t i = 0, end; i < count && ok; i = end) {
        for (end = i + 1; end < count && tiles[end].sheet == tiles[i].sheet;) end++;
        ok = write_sheet(&t, path, tiles[i].sheet, tiles + i, end - i, parallel);
    }
    if (ok) ok = output_open(&o, name);
    if (ok) {
        write_table(&t, o.file);
        ok = output_commit(&o);
        *seams = t.seam_count;
    }
    output_discard(&o);
    for (int s = 0; s < NAV_SHEET_COUNT; s++) free(t.files[s]);
    free(t.seams);
    free(name);
    return ok;
}
