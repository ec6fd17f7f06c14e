#include "core/voxel/raster/heights_sheet.h"

#include "core/lanes/f64xn.h"

#include <math.h>
#include <string.h>

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static sheet_cells cells_of(const nav_height_piece *p)
{
    return (sheet_cells){p->grid->first_column + (int32_t)p->column, p->grid->first_row + (int32_t)p->row,
                         (int32_t)p->columns, (int32_t)p->rows};
}

static bool are_of_one_terrain(const nav_height_piece *a, const nav_height_piece *b)
{
    const nav_height_grid *g = a->grid, *h = b->grid;
    return g->spacing_m == h->spacing_m && g->scale_m == h->scale_m && g->offset_m == h->offset_m &&
           g->format == h->format && g->diagonal == h->diagonal && !memcmp(a->move, b->move, sizeof a->move);
}

static bool overlap(const sheet_cells *a, const sheet_cells *b)
{
    return a->column < b->column + b->columns && b->column < a->column + a->columns && a->row < b->row + b->rows &&
           b->row < a->row + a->rows;
}

bool nav_sheet_fits(const nav_height_piece *pieces, uint32_t count, sheet_cells *out)
{
    enum { MOST = 16 };
    int64_t area = 0, end_column = INT32_MIN, end_row = INT32_MIN;
    if (count > MOST) return false;
    *out = cells_of(pieces);
    for (uint32_t i = 0; i < count; i++) {
        const sheet_cells c = cells_of(&pieces[i]);
        if (!are_of_one_terrain(pieces, &pieces[i])) return false;
        for (uint32_t k = 0; k < i; k++) {
            const sheet_cells other = cells_of(&pieces[k]);
            if (overlap(&c, &other)) return false;
        }
        if (c.column < out->column) out->column = c.column;
        if (c.row < out->row) out->row = c.row;
        if (c.column + (int64_t)c.columns > end_column) end_column = c.column + (int64_t)c.columns;
        if (c.row + (int64_t)c.rows > end_row) end_row = c.row + (int64_t)c.rows;
        area += (int64_t)c.columns * c.rows;
    }
    if (end_column - out->column > INT16_MAX || end_row - out->row > INT16_MAX) return false;
    out->columns = (int32_t)(end_column - out->column);
    out->rows = (int32_t)(end_row - out->row);
    return (int64_t)out->columns * out->rows == area;
}

nav_status nav_sheet_init(sheet *s, const sheet_cells *c, int32_t width, nav_arena *arena)
{
    *s = (sheet){.nx = c->columns + 1, .nz = c->rows + 1, .width = width};
    const size_t samples = (size_t)s->nx * (size_t)s->nz, cells = (size_t)c->columns * (size_t)c->rows;
    const size_t columns = (size_t)width * (size_t)width, lines = (size_t)width + 1 + SHEET_BEYOND;
    s->xs = NAV_TAKE(arena, double, s->nx + SHEET_BEYOND), s->zs = NAV_TAKE(arena, double, s->nz + SHEET_BEYOND);
    s->dx = NAV_TAKE(arena, double, s->nx + SHEET_BEYOND);
    s->by_dx = NAV_TAKE(arena, double, s->nx + SHEET_BEYOND);
    s->world = NAV_TAKE(arena, double, samples + SHEET_BEYOND), s->cells = NAV_TAKE(arena, int8_t, cells);
    s->y = NAV_TAKE(arena, double, samples + SHEET_BEYOND);
    s->y_turned = NAV_TAKE(arena, double, samples + SHEET_BEYOND);
    s->slant = NAV_TAKE(arena, double, cells + SHEET_BEYOND);
    s->slant_turned = NAV_TAKE(arena, double, cells + SHEET_BEYOND);
    s->ix = NAV_TAKE(arena, int32_t, lines), s->iz = NAV_TAKE(arena, int32_t, lines);
    s->u = NAV_TAKE(arena, double, lines), s->v = NAV_TAKE(arena, double, lines);
    s->low = NAV_TAKE(arena, double, columns + SHEET_BEYOND), s->high = NAV_TAKE(arena, double, columns + SHEET_BEYOND);
    s->columns = NAV_TAKE(arena, int8_t, columns), s->steep = NAV_TAKE(arena, double, s->nz);
    s->line = NAV_TAKE(arena, double, s->nx);
    const bool ok = s->xs && s->zs && s->dx && s->by_dx && s->world && s->y && s->y_turned && s->slant &&
                    s->slant_turned && s->cells && s->ix && s->iz && s->u && s->v && s->low && s->high && s->columns &&
                    s->steep && s->line;
    return ok ? NAV_OK : nav_arena_failure(arena);
}

// False: two lines are in one place.
static bool place_lines(double *at, int32_t count, double origin, double scale, int32_t first, const float *places)
{
    for (int32_t i = 0; i < count; i++) {
        at[i] = ((double)places[i] - origin) * scale - (double)first;
        if (i && !(at[i - 1] < at[i])) return false;
    }
    return true;
}

// The slopes of cells of which one can walk: gathering's rule, without the terms that are 0 for a cell's triangles.
// Cells whose triangles differ are mixed.
static void judge_row(sheet *s, int32_t j, double slope_cos2, const float *z)
{
    const double *a = s->world + (size_t)j * (size_t)s->nx, *b = a + s->nx;
    const double *slant = s->slant + (size_t)j * (size_t)(s->nx - 1);
    int8_t *cells = s->cells + (size_t)j * (size_t)(s->nx - 1);
    const f64xn dz = f64xn_of((double)z[j + 1] - (double)z[j]), cos2 = f64xn_of(slope_cos2), zero = f64xn_of(0);
    for (int32_t i = 0; i + 1 < s->nx; i += F64_LANES) {
        const f64xn y00 = f64xn_load(a + i), y10 = f64xn_load(a + i + 1), y01 = f64xn_load(b + i),
                    y11 = f64xn_load(b + i + 1);
        const f64xn dx = f64xn_load(s->dx + i), n = f64xn_mul(dz, dx), nn = f64xn_mul(n, n);
        const f64xn along = f64xn_sub(y01, y00), across = f64xn_sub(y10, y00), over = f64xn_sub(y11, y00);
        const f64xn back = f64xn_sub(y01, y10), last = f64xn_sub(y11, y10);
        const f64xn_mask forward = f64xn_less(zero, f64xn_load(slant + i));
        const f64xn nx1 = f64xn_select(forward, f64xn_sub(f64xn_mul(along, dz), f64xn_mul(dz, over)),
                                       f64xn_mul(dz, across)),
                    nz1 = f64xn_mul(along, dx);
        const f64xn nx2 = f64xn_select(forward, f64xn_mul(dz, across),
                                       f64xn_sub(f64xn_mul(back, dz), f64xn_mul(dz, last))),
                    nz2 = f64xn_select(forward, f64xn_sub(f64xn_mul(dx, across), f64xn_mul(over, dx)),
                                       f64xn_mul(dx, last));
        const f64xn first2 = f64xn_add(f64xn_add(f64xn_mul(nx1, nx1), nn), f64xn_mul(nz1, nz1));
        const f64xn second2 = f64xn_add(f64xn_add(f64xn_mul(nx2, nx2), nn), f64xn_mul(nz2, nz2));
        const unsigned first = f64xn_bits(f64xn_less(f64xn_mul(cos2, first2), nn));
        const unsigned second = f64xn_bits(f64xn_less(f64xn_mul(cos2, second2), nn));
        for (int32_t k = 0; k < F64_LANES && i + k + 1 < s->nx; k++)
            if (cells[i + k] > 0 && !((first & second) >> k & 1))
                cells[i + k] = (first | second) >> k & 1 ? SHEET_MIXED : 0;
    }
}

// Heights of a row, from sample `at` on.
static void read_heights(const nav_height_piece *p, size_t at, int32_t count, double *world)
{
    const nav_height_grid *g = p->grid;
    const double offset = g->offset_m, step = g->scale_m, move = (double)p->move[1];
    if (g->format == NAV_HEIGHTS_16) {
        const uint16_t *from = (const uint16_t *)g->samples + at;
        for (int32_t i = 0; i < count; i++)
            world[i] = (double)(float)((double)(float)(offset + step * (double)from[i]) + move);
    } else {
        const float *from = (const float *)g->samples + at;
        for (int32_t i = 0; i < count; i++)
            world[i] = (double)(float)((double)(float)(offset + step * (double)from[i]) + move);
    }
}

// Samples of a piece, into its place in the sheet. known: how much of row and column 0 of the piece is there already,
// by the pieces before it. False: they differ.
static bool read_samples(sheet *s, const nav_height_piece *p, int32_t x, int32_t z, const uint8_t *known)
{
    const int32_t nx = (int32_t)p->columns + 1, nz = (int32_t)p->rows + 1;
    for (int32_t j = 0; j < nz; j++) {
        double *world = s->world + (size_t)(z + j) * (size_t)s->nx + x;
        const size_t at = (size_t)(p->row + (uint32_t)j) * p->grid->columns + p->column;
        const bool border = j == 0 || j == nz - 1;
        double before[2] = {world[0], world[nx - 1]};
        for (int32_t i = 0; border && i < nx; i++) s->line[i] = world[i];
        read_heights(p, at, nx, world);
        const uint8_t *there = known + (size_t)(z + j) * (size_t)s->nx + x;
        for (int32_t i = 0; border && i < nx; i++)
            if (there[i] && s->line[i] != world[i]) return false;
        if ((there[0] && before[0] != world[0]) || (there[nx - 1] && before[1] != world[nx - 1])) return false;
    }
    return true;
}

// What of its cells one can walk on, as far as areas go, and how they are cut.
static void read_cells(sheet *s, const nav_height_piece *p, int32_t x, int32_t z)
{
    const nav_height_grid *g = p->grid;
    const int32_t first_row = g->first_row + (int32_t)p->row, first_column = g->first_column + (int32_t)p->column;
    const bool by_height = g->diagonal == NAV_DIAGONAL_SHORTER;
    const bool alike = g->diagonal == NAV_DIAGONAL_FORWARD || g->diagonal == NAV_DIAGONAL_BACKWARD;
    for (int32_t j = 0; j < (int32_t)p->rows; j++) {
        const size_t to = (size_t)(z + j) * (size_t)(s->nx - 1) + (size_t)x;
        const size_t at = (size_t)(p->row + (uint32_t)j) * g->columns + p->column;
        const size_t cell = (size_t)(p->row + (uint32_t)j) * (g->columns - 1) + p->column;
        for (int32_t i = 0; alike && i < (int32_t)p->columns; i++)
            s->slant[to + (size_t)i] = g->diagonal == NAV_DIAGONAL_FORWARD ? 1 : 0;
        for (int32_t i = 0; !alike && i < (int32_t)p->columns; i++) {
            const size_t k = at + (size_t)i;
            float h[4] = {0, 0, 0, 0}; // decided where the grid is, wherever it is shown
            for (size_t c = 0; by_height && c < 4; c++) h[c] = nav_height_at(g, k + (c & 1) + (c >> 1) * g->columns);
            s->slant[to + (size_t)i] =
                nav_height_is_forward(g->diagonal, first_column + i, first_row + j, h[0], h[1], h[2], h[3]) ? 1 : 0;
        }
        if (!g->areas) {
            memset(s->cells + to, p->area, p->columns);
            continue;
        }
        for (int32_t i = 0; i < (int32_t)p->columns; i++) {
            const uint8_t own = g->areas[cell + (size_t)i];
            s->cells[to + (size_t)i] = own == NAV_AREA_HOLE ? SHEET_MIXED : (int8_t)nav_height_piece_area(p, own);
        }
    }
}

// Lanes behind a row's end count for nothing.
static inline f64xn_mask lanes_until(int32_t count)
{
    return f64xn_less(f64xn_count(), f64xn_of((double)count));
}

static void measure_row(sheet *s, int32_t j, double origin, double scale)
{
    const double *world = s->world + (size_t)j * (size_t)s->nx;
    double *y = s->y + (size_t)j * (size_t)s->nx, lanes[2 * F64_LANES];
    f64xn least = f64xn_of(BEYOND), most = f64xn_of(-BEYOND);
    for (int32_t i = 0; i < s->nx; i += F64_LANES) {
        const f64xn_mask there = lanes_until(s->nx - i);
        const f64xn v = f64xn_mul(f64xn_sub(f64xn_load(world + i), f64xn_of(origin)), f64xn_of(scale));
        f64xn_store(y + i, v); // what is behind the row is written next
        least = f64xn_min_where(there, least, v, least), most = f64xn_max_where(there, most, v, most);
    }
    f64xn_store(lanes, least), f64xn_store(lanes + F64_LANES, most);
    for (int32_t k = 0; k < F64_LANES; k++)
        s->least = smaller(s->least, lanes[k]), s->most = larger(s->most, lanes[F64_LANES + k]);
}

static inline f64xn size_of_difference(f64xn a, f64xn b)
{
    const f64xn d = f64xn_sub(a, b);
    return f64xn_max(d, f64xn_sub(f64xn_of(0), d));
}

// by_dx: what one column is of each cell.
static void measure_slopes(sheet *s, int32_t j, const double *by_dx)
{
    const double *a = s->y + (size_t)j * (size_t)s->nx, *b = a + s->nx;
    const f64xn by_dz = f64xn_of(1 / (s->zs[j + 1] - s->zs[j]));
    f64xn steep = f64xn_of(0);
    for (int32_t i = 0; i + 1 < s->nx; i += F64_LANES) {
        const f64xn y00 = f64xn_load(a + i), y10 = f64xn_load(a + i + 1), y01 = f64xn_load(b + i),
                    y11 = f64xn_load(b + i + 1);
        const f64xn across = f64xn_max(size_of_difference(y10, y00), size_of_difference(y11, y01));
        const f64xn along = f64xn_max(size_of_difference(y01, y00), size_of_difference(y11, y10));
        const f64xn slope = f64xn_add(f64xn_mul(across, f64xn_load(by_dx + i)), f64xn_mul(along, by_dz));
        steep = f64xn_max_where(lanes_until(s->nx - 1 - i), steep, slope, steep);
    }
    double lanes[F64_LANES];
    f64xn_store(lanes, steep);
    s->steep[j] = 0;
    for (int32_t k = 0; k < F64_LANES; k++) s->steep[j] = larger(s->steep[j], lanes[k]);
}

// Rows of nx numbers to rows of nz.
static void turn(const double *from, int32_t nx, int32_t nz, double *to)
{
    for (int32_t x = 0; x < nx; x++)
        for (int32_t z = 0; z < nz; z++) to[x * nz + z] = from[z * nx + x];
}

bool nav_sheet_read(sheet *s, const nav_height_piece *pieces, uint32_t count, const sheet_cells *cells, const raster *r,
                    double slope_cos2, float *x, float *z, uint8_t *known)
{
    const double spacing = pieces->grid->spacing_m;
    for (int32_t i = 0; i < s->nx; i++)
        x[i] = (float)((double)nav_height_place(cells->column, (uint32_t)i, spacing) + (double)pieces->move[0]);
    for (int32_t j = 0; j < s->nz; j++)
        z[j] = (float)((double)nav_height_place(cells->row, (uint32_t)j, spacing) + (double)pieces->move[2]);
    if (!place_lines(s->xs, s->nx, r->origin[0], r->inv_cell_size, r->first_x, x) ||
        !place_lines(s->zs, s->nz, r->origin[2], r->inv_cell_size, r->first_z, z))
        return false;
    for (int32_t i = 0; i + 1 < s->nx; i++) s->dx[i] = (double)x[i + 1] - (double)x[i];
    memset(known, 0, (size_t)s->nx * (size_t)s->nz);
    for (uint32_t i = 0; i < count; i++) {
        const sheet_cells c = cells_of(&pieces[i]);
        const int32_t at_x = c.column - cells->column, at_z = c.row - cells->row;
        if (!read_samples(s, &pieces[i], at_x, at_z, known)) return false;
        read_cells(s, &pieces[i], at_x, at_z);
        for (int32_t j = 0; count > 1 && j <= c.rows; j++)
            memset(known + (size_t)(at_z + j) * (size_t)s->nx + at_x, 1, (size_t)c.columns + 1);
    }
    s->least = BEYOND, s->most = -BEYOND;
    for (int32_t j = 0; j < s->nz; j++) measure_row(s, j, r->origin[1], r->inv_cell_height);
    for (int32_t i = 0; i + 1 < s->nx; i++) s->by_dx[i] = 1 / (s->xs[i + 1] - s->xs[i]);
    for (int32_t j = 0; j + 1 < s->nz; j++) measure_slopes(s, j, s->by_dx);
    for (int32_t j = 0; j + 1 < s->nz; j++) judge_row(s, j, slope_cos2, z);
    turn(s->y, s->nx, s->nz, s->y_turned);
    turn(s->slant, s->nx - 1, s->nz - 1, s->slant_turned);
    return true;
}
