// Marking: which sides of the spans are boundary edges, and which blocks a crowded tile is cut into. This file looks at
// one span after the other; level v4 marks 64 columns at a time (mark_v4.c).
#include "core/contour/contour_work.h"
#include "core/lanes/width.h"

#include <string.h>

// Makes the side d of all spans of a column, and what it is connected to, an edge.
static void cut_column(contour_work *w, int32_t column, int d)
{
    const nav_compact_heightfield *f = w->f;
    for (int32_t s = f->column_first[column]; s < f->column_first[column + 1]; s++) {
        int32_t n = f->connection[d][s];
        if (w->region[s] <= 0 || (w->sides[s] >> d & 1)) continue;
        w->sides[s] |= (uint8_t)(0x11 << d);
        w->sides[n] |= (uint8_t)(0x11 << (d ^ 2));
        w->edge_count += 2;
    }
}

// Cuts the regions of a crowded tile at the lines between blocks: whatever the size of the tile, few regions have more
// corners than what comes after can digest.
static void cut_blocks(contour_work *w)
{
    const nav_compact_heightfield *f = w->f;
    int32_t side = f->width - 2 * f->border;
    w->blocks = 1;
    while ((int64_t)w->blocks * w->blocks * CONTOUR_BLOCK_EDGES < w->edge_count &&
           side / (w->blocks + 1) >= CONTOUR_BLOCK_COLUMNS)
        w->blocks++;
    w->block_columns = (side + w->blocks - 1) / w->blocks;
    for (int32_t k = f->border + w->block_columns; k < f->width - f->border; k += w->block_columns) {
        for (int32_t i = f->border; i < f->width - f->border; i++) {
            cut_column(w, i * f->width + k, 0);
            cut_column(w, k * f->width + i, 3);
        }
    }
}

static inline bool differs(const int32_t *id, int32_t n, int32_t r)
{
    return n == NAV_NOT_CONNECTED || id[n] != r;
}

static void mark_plainly(contour_work *w)
{
    const nav_compact_heightfield *f = w->f;
    const int32_t *id = w->region, *l0 = f->connection[0], *l1 = f->connection[1], *l2 = f->connection[2],
                  *l3 = f->connection[3];
    uint8_t *sides = w->sides;
    int64_t count = 0;
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        int32_t begin = f->column_first[z * f->width + f->border];
        int32_t end = f->column_first[z * f->width + f->width - f->border];
        for (int32_t s = begin; s < end; s++) {
            int32_t r = id[s];
            if (r <= 0) continue;
            unsigned x0 = differs(id, l0[s], r), z1 = differs(id, l1[s], r);
            unsigned x1 = differs(id, l2[s], r), z0 = differs(id, l3[s], r);
            sides[s] = (uint8_t)((x0 | z1 << 1 | x1 << 2 | z0 << 3) * 0x11);
            count += x0 + z1 + x1 + z0;
        }
    }
    w->edge_count = count;
}

nav_status nav_contour_mark_edges(contour_work *w, nav_arena *arena)
{
    nav_status status = NAV_OK;
    memset(w->sides, 0, (size_t)w->f->span_count + CONTOUR_PADDING);
    bool by_rows = NAV_SIMD_BYTES == 64 && !w->cfg->plain && w->f->rows.ranks > 0;
    if (by_rows) status = nav_contour_mark_rows(w, arena);
    if (!by_rows) mark_plainly(w);
    if (status == NAV_OK) cut_blocks(w);
    return status;
}
