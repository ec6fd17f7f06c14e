// Cells that lead nowhere: whatever is behind them is left by the edge by which it is entered. No shortest path goes
// there, but for one that begins or ends there.
#include "core/path/path_work.h"

static uint32_t open_edges(const path_tile *t, uint32_t cell)
{
    uint32_t open = 0;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) open += t->twin[k] != PATH_WALL;
    return open;
}

// The one way out that is left: not a wall, nor into what leads nowhere itself.
static uint32_t way_out(const path_tile *t, uint32_t cell)
{
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        if (t->twin[k] == PATH_WALL) continue;
        // The cell behind leads nowhere but to this one?
        if (t->twin[k] >= 0 && t->way_out[t->cell[t->twin[k]]] == (uint32_t)t->twin[k]) continue;
        return k;
    }
    return PATH_NONE;
}

void nav_path_find_dead_ends(path_tile *t, uint32_t *open)
{
    for (uint32_t c = 0; c < t->cell_count; c++) {
        t->way_out[c] = PATH_NONE;
        open[c] = open_edges(t, c);
    }
    for (uint32_t c = 0; c < t->cell_count; c++) {
        uint32_t here = c; // and on from there, as long as there is one way out
        while (here != PATH_NONE && open[here] == 1) {
            uint32_t edge = way_out(t, here);
            t->way_out[here] = edge;
            open[here] = 0;
            here = edge != PATH_NONE && t->twin[edge] >= 0 ? t->cell[t->twin[edge]] : PATH_NONE;
            if (here != PATH_NONE) open[here]--;
        }
    }
    for (uint32_t c = 0; c < t->cell_count; c++) // of borders it is told when they are joined
        if (t->way_out[c] != PATH_NONE && t->twin[t->way_out[c]] >= 0) t->dead_end[t->twin[t->way_out[c]]] = true;
}
