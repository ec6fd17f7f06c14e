// Which places are landmarks: all around the ground, as they tell the most from behind its ends. Each is as far as can
// be from those before it, and every so many of them along the rim one leads.
#include "core/path/landmarks.h"

#include <stdlib.h>

enum { DIRECTIONS = 512 };
static const double FULL_TURN = 6.283185307179586;

// Ground that hangs together, by its label.
typedef struct mainland {
    uint32_t cells;
    double x, z; // of its middle
} mainland;

// Of a mainland: in each direction from its middle the place that is farthest.
typedef struct rim {
    path_place at[DIRECTIONS];
    double far[DIRECTIONS];   // squared; below 0: there is none
    double apart[DIRECTIONS]; // from the nearest place that was taken
    bool taken[DIRECTIONS];
} rim;

static path_spot spot_of(const path_tile *t, uint32_t cell)
{
    return path_corner(t, t->first[cell]);
}

// The mainlands of a set, by label; to be freed. NULL: no memory.
static mainland *survey(const nav_path_set *set, uint32_t *count, uint32_t *cells)
{
    *count = *cells = 0;
    for (uint32_t i = 0; i < set->tile_count; i++)
        for (uint32_t c = 0; set->tiles[i] && c < set->tiles[i]->cell_count; c++) {
            uint32_t label = path_label(set, i, c);
            if (label >= *count) *count = label + 1;
        }
    mainland *lands = calloc((size_t)*count + 1, sizeof *lands);
    for (uint32_t i = 0; lands && i < set->tile_count; i++)
        for (uint32_t c = 0; set->tiles[i] && c < set->tiles[i]->cell_count; c++) {
            path_spot s = spot_of(set->tiles[i], c);
            mainland *land = &lands[path_label(set, i, c)];
            land->cells++;
            (*cells)++;
            land->x += (s.x - land->x) / land->cells;
            land->z += (s.z - land->z) / land->cells;
        }
    return lands;
}

static void find_rim(const nav_path_set *set, uint32_t label, const mainland *land, rim *r)
{
    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        r->far[k] = -1;
        r->apart[k] = INFINITY;
        r->taken[k] = false;
    }
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        for (uint32_t c = 0; t && c < t->cell_count; c++) {
            if (path_label(set, i, c) != label) continue;
            path_spot s = spot_of(t, c);
            double x = s.x - land->x, z = s.z - land->z, d = x * x + z * z;
            uint32_t k = (uint32_t)((atan2(z, x) / FULL_TURN + 0.5) * DIRECTIONS) % DIRECTIONS;
            if (d <= r->far[k]) continue;
            r->far[k] = d;
            r->at[k] = (path_place){i, c, s, t->y[t->vert[t->first[c]]]};
        }
    }
}

// Returns how many there are: at most `most`.
static uint32_t take(rim *r, uint32_t most)
{
    uint32_t next = 0, count = 0;
    for (uint32_t k = 1; k < DIRECTIONS; k++)
        if (r->far[k] > r->far[next]) next = k;
    while (count < most && next != PATH_NONE) {
        path_spot last = r->at[next].at;
        r->taken[next] = true;
        count++;
        next = PATH_NONE;
        for (uint32_t k = 0; k < DIRECTIONS; k++) {
            if (r->far[k] < 0) continue;
            r->apart[k] = fmin(r->apart[k], path_distance(r->at[k].at, last));
            if (r->apart[k] > 0 && (next == PATH_NONE || r->apart[k] > r->apart[next])) next = k;
        }
    }
    return count;
}

// The places of one mainland, as the next leaders and those that follow them; of so many leaders at most.
static void place(nav_path_landmarks *l, const rim *r, uint32_t found, uint32_t leaders, uint32_t most)
{
    uint32_t group = l->rows + 1, seen = 0;
    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        if (!r->taken[k]) continue;
        uint32_t lane = l->count + seen / group, row = seen % group, middle = group / 2, last = found - 1;
        if (seen / group == last / group && middle > last % group) middle = last % group; // the last group is smaller
        row = row == middle ? 0 : row + (row < middle);
        if (seen / group < leaders) l->at[row * most + lane] = r->at[k];
        seen++;
    }
    uint32_t groups = (found + group - 1) / group;
    l->count += groups < leaders ? groups : leaders;
}

// Shared among mainlands by their size; what is left over goes to the largest.
nav_status nav_path_landmarks_choose(nav_path_landmarks *l, const nav_path_set *set)
{
    uint32_t labels, cells, largest = 0, most = l->leaders, left = most, group = l->rows + 1;
    rim *r = malloc(sizeof *r);
    mainland *lands = r ? survey(set, &labels, &cells) : NULL;
    if (!lands) {
        free(r);
        return NAV_ERR_MEMORY;
    }
    for (uint32_t k = 0; k < PATH_MARKS; k++) l->at[k].tile = PATH_NONE;
    for (uint32_t k = 0; k < labels; k++)
        if (lands[k].cells > lands[largest].cells) largest = k;
    for (uint32_t k = 0; k < labels; k++)
        if (k != largest) left -= (uint32_t)((uint64_t)most * lands[k].cells / cells);
    for (uint32_t i = 0; i < labels; i++) {
        uint32_t k = i == 0 ? largest : i <= largest ? i - 1 : i; // the largest one first
        uint32_t share = k == largest ? left : (uint32_t)((uint64_t)most * lands[k].cells / cells);
        if (!share) continue;
        find_rim(set, k, &lands[k], r);
        place(l, r, take(r, share * group), share, most);
    }
    // Leaders that there are not the places for are left out of each row.
    for (uint32_t row = 1; row <= l->rows; row++)
        for (uint32_t m = 0; m < l->count; m++) l->at[row * l->count + m] = l->at[row * most + m];
    l->leaders = l->count;
    l->count *= group;
    free(lands);
    free(r);
    return NAV_OK;
}
