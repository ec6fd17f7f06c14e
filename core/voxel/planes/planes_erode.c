// Erosion on planes. A column that lacks a connection is an edge, and floor closer to an edge than the radius is
// removed. Up to a radius of two columns that is the edges themselves, or they and what is one connected step away,
// straight or diagonal (distance.c). Rows are consecutive words, so shifts by a column and by a row are all it takes:
// the outermost columns are never open, so nothing carries over from one row into the next.
#include "core/voxel/planes/planes.h"

#include <string.h>

typedef struct bit_rows {
    uint64_t *rank[NAV_PLANE_RANKS];
} bit_rows;

static bool take_rows(bit_rows *rows, const nav_planes *p, nav_arena *arena)
{
    size_t n = (size_t)p->width * (size_t)p->words;
    uint64_t *at = NAV_TAKE(arena, uint64_t, n * (size_t)p->ranks);
    for (int r = 0; r < p->ranks && at; r++) rows->rank[r] = at + (size_t)r * n;
    return at != NULL;
}

// to |= what of `from` is connected to the column on the other side, moved there.
static void step_right(uint64_t *restrict to, const uint64_t *restrict from, const uint64_t *restrict connection,
                       size_t n)
{
    to[0] |= (from[0] & connection[0]) << 1;
    for (size_t i = 1; i < n; i++) to[i] |= (from[i] & connection[i]) << 1 | (from[i - 1] & connection[i - 1]) >> 63;
}

static void step_left(uint64_t *restrict to, const uint64_t *restrict from, const uint64_t *restrict connection,
                      size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) to[i] |= (from[i] >> 1 | from[i + 1] << 63) & connection[i];
    to[n - 1] |= from[n - 1] >> 1 & connection[n - 1];
}

static void step_up(uint64_t *restrict to, const uint64_t *restrict from, const uint64_t *restrict connection, size_t n,
                    size_t row)
{
    for (size_t i = row; i < n; i++) to[i] |= from[i - row] & connection[i - row];
}

static void step_down(uint64_t *restrict to, const uint64_t *restrict from, const uint64_t *restrict connection,
                      size_t n, size_t row)
{
    for (size_t i = 0; i + row < n; i++) to[i] |= from[i + row] & connection[i];
}

// to |= what is one connected step in direction d (compact.h) from a floor of `from`.
static void step(const nav_planes *p, const bit_rows *to, const bit_rows *from, int d)
{
    size_t row = (size_t)p->words, n = (size_t)p->width * row;
    for (int r = 0; r < p->ranks; r++)
        for (int q = 0; q < p->ranks; q++) {
            const uint64_t *connection = d == 0 || d == 2 ? p->x_connected[r][q] : p->z_connected[r][q];
            if (!connection) continue;
            if (d == 0) step_left(to->rank[r], from->rank[q], connection, n);
            if (d == 1) step_up(to->rank[q], from->rank[r], connection, n, row);
            if (d == 2) step_right(to->rank[q], from->rank[r], connection, n);
            if (d == 3) step_down(to->rank[r], from->rank[q], connection, n, row);
        }
}

static void clear(const nav_planes *p, const bit_rows *rows)
{
    size_t n = (size_t)p->width * (size_t)p->words;
    memset(rows->rank[0], 0, n * (size_t)p->ranks * sizeof(uint64_t)); // the ranks follow each other
}

void nav_planes_take_away(nav_planes *p, uint64_t *const *gone)
{
    size_t row = (size_t)p->words, n = (size_t)p->width * row;
    for (int r = 0; r < p->ranks; r++)
        for (size_t i = 0; i < n; i++) p->open[r][i] &= ~gone[r][i];
    for (int r = 0; r < p->ranks; r++)
        for (int q = 0; q < p->ranks; q++) {
            const uint64_t *restrict from = p->open[r], *restrict to = p->open[q];
            uint64_t *restrict x = p->x_connected[r][q], *restrict z = p->z_connected[r][q];
            for (size_t i = 0; x && i + 1 < n; i++) x[i] &= from[i] & (to[i] >> 1 | to[i + 1] << 63);
            for (size_t i = 0; z && i + row < n; i++) z[i] &= from[i] & to[i + row];
        }
}

nav_status nav_planes_erode(nav_planes *p, const nav_config *cfg, nav_arena *scratch)
{
    if (cfg->radius_columns == 0) return NAV_OK;
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    nav_status status = NAV_OK;
    bit_rows open, edge, gone, moved;
    if (!take_rows(&edge, p, scratch) || !take_rows(&gone, p, scratch) || !take_rows(&moved, p, scratch)) {
        status = nav_arena_failure(scratch);
        goto done;
    }
    size_t n = (size_t)p->width * (size_t)p->words;
    memcpy(open.rank, p->open, sizeof open.rank);
    for (int r = 0; r < p->ranks; r++) memcpy(gone.rank[r], p->open[r], n * sizeof(uint64_t)); // to find the inside
    for (int d = 0; d < 4; d++) {
        clear(p, &moved);
        step(p, &moved, &open, d);
        for (size_t i = 0; i < n * (size_t)p->ranks; i++) gone.rank[0][i] &= moved.rank[0][i];
    }
    for (int r = 0; r < p->ranks; r++)
        for (size_t i = 0; i < n; i++) edge.rank[r][i] = p->open[r][i] & ~gone.rank[r][i];
    memcpy(gone.rank[0], edge.rank[0], n * (size_t)p->ranks * sizeof(uint64_t));
    for (int d = 0; d < 4 && cfg->radius_columns == 2; d++) {
        clear(p, &moved);
        step(p, &moved, &edge, d);
        for (size_t i = 0; i < n * (size_t)p->ranks; i++) gone.rank[0][i] |= moved.rank[0][i];
        step(p, &gone, &moved, (d + 1) & 3);
    }
    nav_planes_take_away(p, gone.rank);
done:
    nav_arena_release(scratch, mark);
    return status;
}
