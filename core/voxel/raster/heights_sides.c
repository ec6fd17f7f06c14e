// A line of the field passes through cells of the grid. What it meets there is worked out for one line and all cells
// side by side, then turned, so that a row of columns is worked out for several lines side by side:
//
//        X    X+1
//     ---+-----+---  Z+1
//        |     d      d  diagonals,
//        g     |      g  lines of the grid
//     ---+-----+---  Z
//
// As many lines as there are lanes at a time, so that all of it stays in the nearest cache.
#include "core/voxel/raster/heights_sides.h"

#include "core/lanes/f64xn.h"

// A sheet as seen along lines of the field: those along z, or those along x.
typedef struct view {
    const double *y, *slant;       // of the sheet: [line of the grid][along]
    const double *at;              // places of the grid's lines along
    int32_t along;                 // how many they are
    const int32_t *in, *row_in;    // by line of the field, and by line of the field along: in which cell it lies,
    const double *part, *row_part; // and how far
    int32_t first, last;           // lines of the field
    int32_t from, end;             // rows along them: [from, end)
    bool ends;                     // do the ends of rows count?
} view;

// Of F64_LANES lines, by line of the grid along: [along][lane].
typedef struct strip {
    double *ground;         // heights at the grid's lines,
    double *diagonal;       // and at the diagonals of cells,
    double *place;          // which are there
    double *before, *after; // what heights rise in a cell, before its diagonal and behind it
    double *spare;          // the same by lane, TABLES rows of `across` each
    int32_t across;
} strip;

enum { TABLES = 5, END_TABLES = 2 }; // the last ones only serve ends of rows

static nav_status strip_init(strip *t, int32_t along, nav_arena *arena)
{
    const size_t across = (size_t)along + SHEET_BEYOND;
    double *tables = NAV_TAKE(arena, double, 2 * TABLES * F64_LANES * across);
    if (!tables) return nav_arena_failure(arena);
    double **const each[TABLES] = {&t->ground, &t->diagonal, &t->place, &t->before, &t->after};
    for (size_t k = 0; k < TABLES; k++) *each[k] = tables + k * F64_LANES * across;
    t->spare = tables + TABLES * F64_LANES * across;
    t->across = (int32_t)across;
    return NAV_OK;
}

// One line, into the spare rows of its lane.
static void read_line(const view *v, const strip *t, int32_t cell, double part, double *to)
{
    const int32_t along = v->along, across = t->across;
    const double *a = v->y + (size_t)cell * (size_t)along, *b = a + along, *places = v->at;
    const double *slants = v->slant + (size_t)cell * (size_t)(along - 1);
    const f64xn u = f64xn_of(part), rest = f64xn_of(1 - part), zero = f64xn_of(0);
    for (int32_t j = 0; j < along; j += F64_LANES) {
        const f64xn near = f64xn_load(a + j), far = f64xn_load(b + j);
        const f64xn near_next = f64xn_load(a + j + 1), far_next = f64xn_load(b + j + 1);
        const f64xn at = f64xn_load(places + j), at_next = f64xn_load(places + j + 1);
        const f64xn_mask forward = f64xn_less(zero, f64xn_load(slants + j));
        const f64xn near_rise = f64xn_sub(near_next, near), far_rise = f64xn_sub(far_next, far);
        const f64xn begin = f64xn_select(forward, near, far), end = f64xn_select(forward, far_next, near_next);
        const f64xn where = f64xn_select(forward, u, rest);
        f64xn_store(to + j, f64xn_add(near, f64xn_mul(u, f64xn_sub(far, near))));
        f64xn_store(to + across + j, f64xn_add(begin, f64xn_mul(where, f64xn_sub(end, begin))));
        f64xn_store(to + 2 * across + j, f64xn_add(at, f64xn_mul(where, f64xn_sub(at_next, at))));
        if (!v->ends) continue;
        f64xn_store(to + 3 * across + j, f64xn_select(forward, far_rise, near_rise));
        f64xn_store(to + 4 * across + j, f64xn_select(forward, near_rise, far_rise));
    }
}

// Rows of F64_LANES numbers, `from` apart, become columns, which are stored `to` apart.
static inline void turn_block(const double *rows, size_t from, double *columns, size_t to)
{
    f64xn block[F64_LANES];
    for (size_t k = 0; k < F64_LANES; k++) block[k] = f64xn_load(rows + k * from);
    f64xn_turn(block);
    for (size_t k = 0; k < F64_LANES; k++) f64xn_store(columns + k * to, block[k]);
}

// Lines from x on; the last line stands for those behind it.
static void read_strip(const view *v, strip *t, int32_t x)
{
    const int32_t line_room = TABLES * t->across, tables = v->ends ? TABLES : TABLES - END_TABLES;
    for (int32_t k = 0; k < F64_LANES; k++) {
        const int32_t line = x + k < v->last ? x + k : v->last;
        read_line(v, t, v->in[line], v->part[line], t->spare + line_room * k);
    }
    double *const to[TABLES] = {t->ground, t->diagonal, t->place, t->before, t->after};
    for (int32_t k = 0; k < tables; k++)
        for (int32_t j = 0; j < v->along; j += F64_LANES)
            turn_block(t->spare + t->across * k + j, (size_t)line_room, to[k] + F64_LANES * j, F64_LANES);
}

// At field line k, which lies in cell j.
static inline f64xn height_at(const view *v, const strip *t, int32_t k, int32_t j)
{
    const size_t at = F64_LANES * (size_t)j;
    const f64xn part = f64xn_of(v->row_part[k]), rest = f64xn_of(1 - v->row_part[k]);
    const f64xn first = f64xn_add(f64xn_load(t->ground + at), f64xn_mul(part, f64xn_load(t->before + at)));
    const f64xn next = f64xn_load(t->ground + at + F64_LANES);
    const f64xn second = f64xn_sub(next, f64xn_mul(rest, f64xn_load(t->after + at)));
    return f64xn_select(f64xn_at_most(f64xn_of((double)k), f64xn_load(t->place + at)), first, second);
}

typedef struct extremes {
    f64xn low, high;
} extremes;

// Between field lines k and k + 1. begin, end: at these, if ends count.
static inline extremes extremes_of_row(const view *v, const strip *t, int32_t k, f64xn begin, f64xn end)
{
    const f64xn from = f64xn_of((double)k), to = f64xn_of((double)k + 1);
    const int32_t first = v->row_in[k], last = v->row_in[k + 1]; // the cells over it
    extremes e = {f64xn_of(BEYOND), f64xn_of(-BEYOND)};
    if (v->ends) e = (extremes){f64xn_min(begin, end), f64xn_max(begin, end)};
    for (int32_t j = first; j <= last; j++) {
        const size_t at = F64_LANES * (size_t)j;
        const f64xn ground = f64xn_load(t->ground + at), diagonal = f64xn_load(t->diagonal + at);
        const f64xn place = f64xn_load(t->place + at);
        const f64xn_mask in = f64xn_both(f64xn_at_most(from, place), f64xn_at_most(place, to));
        if (j > first) e = (extremes){f64xn_min(e.low, ground), f64xn_max(e.high, ground)};
        e.low = f64xn_min_where(in, e.low, diagonal, e.low);
        e.high = f64xn_max_where(in, e.high, diagonal, e.high);
    }
    return e;
}

static nav_status sides_init(sides *out, const sheet *s, nav_arena *arena)
{
    out->stride = (size_t)s->width + 1 + SHEET_BEYOND;
    out->low = NAV_TAKE(arena, double, out->stride * out->stride);
    out->high = NAV_TAKE(arena, double, out->stride * out->stride);
    return out->low && out->high ? NAV_OK : nav_arena_failure(arena);
}

nav_status nav_sides_along_x(const sheet *s, nav_arena *arena, sides *out)
{
    const view v = {.y = s->y,
                    .slant = s->slant,
                    .at = s->xs,
                    .along = s->nx,
                    .in = s->iz,
                    .row_in = s->ix,
                    .part = s->v,
                    .row_part = s->u,
                    .first = s->z0,
                    .last = s->z1,
                    .from = s->x0,
                    .end = s->x1};
    strip t;
    nav_status status = sides_init(out, s, arena);
    if (status == NAV_OK) status = strip_init(&t, v.along, arena);
    if (status != NAV_OK) return status;
    const f64xn none = f64xn_of(0);
    for (int32_t z = v.first; z <= v.last; z += F64_LANES) {
        read_strip(&v, &t, z);
        for (int32_t x = v.from; x < v.end; x += F64_LANES) { // by column and line; turned, by line and column
            double low[F64_LANES * F64_LANES], high[F64_LANES * F64_LANES];
            for (int32_t k = 0; k < F64_LANES; k++) {
                const extremes e = extremes_of_row(&v, &t, x + k < v.end ? x + k : v.end - 1, none, none);
                f64xn_store(low + F64_LANES * k, e.low);
                f64xn_store(high + F64_LANES * k, e.high);
            }
            const size_t to = (size_t)z * out->stride + (size_t)x;
            turn_block(low, F64_LANES, out->low + to, out->stride);
            turn_block(high, F64_LANES, out->high + to, out->stride);
        }
    }
    return NAV_OK;
}

nav_status nav_sides_along_z(const sheet *s, nav_arena *arena, sides *out)
{
    const view v = {.y = s->y_turned,
                    .slant = s->slant_turned,
                    .at = s->zs,
                    .along = s->nz,
                    .in = s->ix,
                    .row_in = s->iz,
                    .part = s->u,
                    .row_part = s->v,
                    .first = s->x0,
                    .last = s->x1,
                    .from = s->z0,
                    .end = s->z1,
                    .ends = true};
    strip t;
    nav_status status = sides_init(out, s, arena);
    if (status == NAV_OK) status = strip_init(&t, v.along, arena);
    if (status != NAV_OK) return status;
    for (int32_t x = v.first; x <= v.last; x += F64_LANES) {
        read_strip(&v, &t, x);
        f64xn begin = height_at(&v, &t, v.from, v.row_in[v.from]);
        for (int32_t z = v.from; z < v.end; z++) {
            const f64xn end = height_at(&v, &t, z + 1, v.row_in[z + 1]);
            const extremes e = extremes_of_row(&v, &t, z, begin, end);
            f64xn_store(out->low + (size_t)z * out->stride + x, e.low);
            f64xn_store(out->high + (size_t)z * out->stride + x, e.high);
            begin = end;
        }
    }
    return NAV_OK;
}
