// Sews tiles whose edges on borders share pieces only, as Detour's do: each edge is cut where it begins or ends to
// share a line with one behind it, and then both sides have the same pieces.
//
//      ---------a0----------- -----a1-----     border of one tile
//      ----b0---- ------b1-------- --b2---     and of the other
//      ----|     |-----------|----|-------     pieces; what has nothing behind it is a wall
//
// A junction is one line of borders: the x+ or z+ edges of all layers at a place, and the edges of all layers behind
// them that look the other way, those of other layers at the same place included. What goes together is decided as
// Detour does, by heights and at least 2 cm in common, but each point of a line leads to one edge: of several the
// nearest in height.
#include "core/path/ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LEAST_M = 0.02;         // of a line in common
static const uint64_t MOST_PAIRS = 1 << 26; // of edges that are compared at one junction

typedef struct open_edge {
    uint32_t tile, corner; // of the ground
    int32_t line;          // across
    int32_t low, high;     // along
    double y_low, y_high;
    uint32_t rank;     // by layer and corner
    uint32_t seam;     // the last one, of an edge of side a; PATH_NONE: none
    uint32_t interval; // the last one in which it goes with another edge
} open_edge;

typedef struct seam { // a piece, from both sides
    uint32_t tile[2], corner[2];
    int32_t low, high;
} seam;

typedef struct junction {
    int32_t x, z, axis;
} junction;

typedef struct match {
    double apart;
    uint32_t a, b;
} match;

typedef struct joiner {
    nav_path_set *set;
    int64_t least; // LEAST_M on the grid
    double climb2; // twice the climb, in voxels
    junction *junctions;
    open_edge *edges;     // of a junction: side a, then side b
    int32_t *points;      // where an edge of a line begins or ends
    uint32_t *running[2]; // edges of both sides at a point
    match *matches;
    seam *seams;
    path_piece *pieces;
    path_tile **made; // of each tile of the set: what replaces it
    uint32_t junction_room, edge_room, point_room, running_room[2], match_room, seam_room, piece_room;
    uint32_t junction_count, seam_count, interval; // interval: counted from 1
    uint64_t pairs;
} joiner;

// --- What belongs together ---

static double height_at(const open_edge *e, double at)
{
    return e->y_low + (at - e->low) / ((double)e->high - e->low) * (e->y_high - e->y_low);
}

static bool fits(const joiner *j, const open_edge *a, const open_edge *b)
{
    int32_t low = a->low > b->low ? a->low : b->low, high = a->high < b->high ? a->high : b->high;
    if (a->tile == b->tile || (int64_t)high - low < j->least) return false;
    double first = height_at(b, low) - height_at(a, low), last = height_at(b, high) - height_at(a, high);
    return (first < 0) != (last < 0) || fabs(first) <= j->climb2 || fabs(last) <= j->climb2;
}

static int compare_matches(const void *p, const void *q)
{
    const match *a = p, *b = q;
    if (a->apart != b->apart) return a->apart < b->apart ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static nav_status add_seam(joiner *j, open_edge *a, const open_edge *b, int32_t low, int32_t high)
{
    seam *last = a->seam == PATH_NONE ? NULL : &j->seams[a->seam];
    if (last && last->high == low && last->tile[1] == b->tile && last->corner[1] == b->corner) { // it goes on
        last->high = high;
        return NAV_OK;
    }
    if (!PATH_GROW(j->seams, j->seam_room, j->seam_count)) return NAV_ERR_MEMORY;
    a->seam = j->seam_count;
    j->seams[j->seam_count++] = (seam){{a->tile, b->tile}, {a->corner, b->corner}, low, high};
    return NAV_OK;
}

// Edges of both sides between two points next to each other: the nearest in height go together.
static nav_status match_edges(joiner *j, uint32_t a_count, uint32_t b_count, int32_t low, int32_t high)
{
    uint32_t count = 0;
    double middle = ((double)low + high) / 2;
    j->interval++;
    for (uint32_t a = 0; a < a_count; a++)
        for (uint32_t b = 0; b < b_count; b++) {
            const open_edge *p = &j->edges[j->running[0][a]], *q = &j->edges[j->running[1][b]];
            if (!fits(j, p, q)) continue;
            if (!PATH_GROW(j->matches, j->match_room, count)) return NAV_ERR_MEMORY;
            j->matches[count++] =
                (match){fabs(height_at(p, middle) - height_at(q, middle)), j->running[0][a], j->running[1][b]};
        }
    if (count > 1) qsort(j->matches, count, sizeof *j->matches, compare_matches);
    for (uint32_t i = 0; i < count; i++) {
        const match m = j->matches[i];
        open_edge *a = &j->edges[m.a], *b = &j->edges[m.b];
        if (a->interval == j->interval || b->interval == j->interval) continue;
        a->interval = b->interval = j->interval;
        nav_status s = add_seam(j, a, b, low, high);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

// --- A line ---

static int compare_edges(const void *p, const void *q)
{
    const open_edge *a = p, *b = q;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

static int compare_points(const void *p, const void *q)
{
    int32_t a = *(const int32_t *)p, b = *(const int32_t *)q;
    return (a > b) - (a < b);
}

// The edges of one side that are there from a point on: those before that have not ended, and new ones.
static nav_status run_on(joiner *j, int side, uint32_t *count, uint32_t *next, uint32_t end, int32_t at)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++)
        if (j->edges[j->running[side][i]].high > at) j->running[side][kept++] = j->running[side][i];
    for (; *next < end && j->edges[*next].low <= at; (*next)++) {
        if (!PATH_GROW(j->running[side], j->running_room[side], kept)) return NAV_ERR_MEMORY;
        j->running[side][kept++] = *next;
    }
    *count = kept;
    return NAV_OK;
}

static nav_status sew_line(joiner *j, uint32_t a, uint32_t a_end, uint32_t b, uint32_t b_end)
{
    uint32_t points = 0, next[2] = {a, b}, count[2] = {0};
    const uint32_t ends[2] = {a_end, b_end};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = next[side]; i < ends[side]; i++) {
            if (!PATH_GROW(j->points, j->point_room, points + 1)) return NAV_ERR_MEMORY;
            j->points[points++] = j->edges[i].low;
            j->points[points++] = j->edges[i].high;
        }
    qsort(j->points, points, sizeof *j->points, compare_points);
    for (uint32_t i = 0; i + 1 < points; i++) {
        if (j->points[i] == j->points[i + 1]) continue;
        nav_status s = NAV_OK;
        for (int side = 0; side < 2 && s == NAV_OK; side++)
            s = run_on(j, side, &count[side], &next[side], ends[side], j->points[i]);
        j->pairs += (uint64_t)(count[0] + 1) * (count[1] + 1);
        if (s == NAV_OK && j->pairs > MOST_PAIRS) s = NAV_ERR_LIMIT;
        if (s == NAV_OK) s = match_edges(j, count[0], count[1], j->points[i], j->points[i + 1]);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

// --- A junction ---

// The edges of a side of all layers at a place, behind those that there are.
static nav_status list_edges(joiner *j, int32_t x, int32_t z, int side, uint32_t *count)
{
    for (uint32_t at = nav_path_set_find(j->set, x, z); at != PATH_NONE; at = j->set->tiles[at]->above) {
        const path_ground *g = j->set->tiles[at]->ground;
        for (uint32_t p = 0; p < g->poly_count; p++)
            for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++) {
                if (!g->is_ground[p] || g->behind[k] != NAV_EDGE_PORTAL_XMAX - side) continue;
                uint32_t u = g->vert[k], v = g->vert[k + 1 == g->first[p + 1] ? g->first[p] : k + 1];
                int32_t from = side % 2 == 0 ? g->at[u].z : g->at[u].x, to = side % 2 == 0 ? g->at[v].z : g->at[v].x;
                bool up = from < to;
                if (!PATH_GROW(j->edges, j->edge_room, *count)) return NAV_ERR_MEMORY;
                j->edges[*count] = (open_edge){.tile = at,
                                               .rank = *count,
                                               .seam = PATH_NONE,
                                               .corner = k,
                                               .line = side % 2 == 0 ? g->at[u].x : g->at[u].z,
                                               .low = up ? from : to,
                                               .high = up ? to : from,
                                               .y_low = g->y[up ? u : v],
                                               .y_high = g->y[up ? v : u]};
                (*count)++;
            }
    }
    return NAV_OK;
}

static nav_status sew_junction(joiner *j, const junction *n)
{
    int64_t x = (int64_t)n->x + (n->axis == 0), z = (int64_t)n->z + (n->axis == 1);
    uint32_t a = 0, b, end;
    j->pairs = 0;
    nav_status s = list_edges(j, n->x, n->z, n->axis, &a);
    end = b = a;
    if (s == NAV_OK) s = list_edges(j, n->x, n->z, n->axis + 2, &end);
    if (s == NAV_OK && x <= INT32_MAX && z <= INT32_MAX) s = list_edges(j, (int32_t)x, (int32_t)z, n->axis + 2, &end);
    if (s != NAV_OK || a == 0 || end == b) return s;
    qsort(j->edges, b, sizeof *j->edges, compare_edges);
    qsort(j->edges + b, end - b, sizeof *j->edges, compare_edges);
    uint32_t i = 0, k = b;
    while (i < b && k < end && s == NAV_OK) {
        int32_t line = j->edges[i].line;
        uint32_t i_end = i, k_end;
        while (i_end < b && j->edges[i_end].line == line) i_end++;
        while (k < end && j->edges[k].line < line) k++;
        for (k_end = k; k_end < end && j->edges[k_end].line == line;) k_end++;
        if (k_end > k) s = sew_line(j, i, i_end, k, k_end);
        i = i_end;
        k = k_end;
    }
    return s;
}

static int compare_junctions(const void *p, const void *q)
{
    const junction *a = p, *b = q;
    if (a->z != b->z) return a->z < b->z ? -1 : 1;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->axis - b->axis;
}

// All junctions at stale tiles.
static nav_status sew_stale(joiner *j)
{
    const nav_path_set *set = j->set;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        const path_tile *t = set->tiles[i];
        if (!t || !t->is_stale) continue;
        for (int side = 0; side < 4; side++) {
            junction n = {t->x, t->z, side % 2};
            if ((side == 2 && n.x == INT32_MIN) || (side == 3 && n.z == INT32_MIN)) continue;
            n.x -= side == 2;
            n.z -= side == 3;
            if (!PATH_GROW(j->junctions, j->junction_room, j->junction_count)) return NAV_ERR_MEMORY;
            j->junctions[j->junction_count++] = n;
        }
    }
    qsort(j->junctions, j->junction_count, sizeof *j->junctions, compare_junctions);
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < j->junction_count && s == NAV_OK; i++)
        if (!i || compare_junctions(&j->junctions[i - 1], &j->junctions[i]) != 0) s = sew_junction(j, &j->junctions[i]);
    return s;
}

// --- The tiles ---

typedef struct half { // of a seam
    uint32_t tile;
    path_piece piece;
} half;

static int compare_halves(const void *p, const void *q)
{
    const half *a = p, *b = q;
    if (a->tile != b->tile) return a->tile < b->tile ? -1 : 1;
    if (a->piece.edge != b->piece.edge) return a->piece.edge < b->piece.edge ? -1 : 1;
    return a->piece.low < b->piece.low ? -1 : a->piece.low > b->piece.low;
}

// Makes all stale tiles again, with their pieces.
static nav_status cut_tiles(joiner *j)
{
    const nav_path_set *set = j->set;
    uint32_t count = 0, at = 0;
    half *halves = malloc((2 * (size_t)j->seam_count + 1) * sizeof *halves);
    nav_status s = halves ? NAV_OK : NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < j->seam_count && s == NAV_OK; i++)
        for (int k = 0; k < 2; k++) {
            const seam *n = &j->seams[i];
            if (set->tiles[n->tile[k]]->is_stale) halves[count++] = (half){n->tile[k], {n->corner[k], n->low, n->high}};
        }
    if (s == NAV_OK) qsort(halves, count, sizeof *halves, compare_halves);
    for (uint32_t i = 0; i < set->tile_count && s == NAV_OK; i++) {
        const path_tile *t = set->tiles[i];
        uint32_t pieces = 0;
        if (!t || !t->is_stale) continue;
        while (at < count && halves[at].tile < i) at++;
        for (; at < count && halves[at].tile == i && s == NAV_OK; at++) {
            s = PATH_GROW(j->pieces, j->piece_room, pieces) ? NAV_OK : NAV_ERR_MEMORY;
            if (s == NAV_OK) j->pieces[pieces++] = halves[at].piece;
        }
        if (s == NAV_OK && !PATH_GROW(j->pieces, j->piece_room, 0)) s = NAV_ERR_MEMORY; // none is not NULL
        if (s == NAV_OK) s = nav_path_tile_create(set, t->ground, j->pieces, pieces, &j->made[i], NULL, 0);
    }
    free(halves);
    return s;
}

// The border of a piece.
static path_border *find_border(const path_tile *t, uint32_t edge, int32_t low)
{
    int side = NAV_EDGE_PORTAL_XMAX - t->ground->behind[edge];
    uint32_t from = t->side_first[side], to = t->side_first[side + 1];
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        path_border *b = &t->border[middle];
        if (b->edge == edge && b->low == low) return b;
        if (b->edge < edge || (b->edge == edge && b->low < low))
            from = middle + 1;
        else
            to = middle;
    }
    return NULL; // the polygon was left out
}

// Puts what was made into the set. Nothing can fail from here on.
static void take_tiles(joiner *j)
{
    nav_path_set *set = j->set;
    for (uint32_t i = 0; i < set->tile_count; i++) {
        path_tile *t = set->tiles[i], *made = j->made[i];
        if (!made) continue;
        made->above = t->above;
        made->block = t->block;
        made->ground = t->ground;
        made->bytes += made->ground->bytes;
        t->ground = NULL;
        set->bytes += made->bytes - t->bytes;
        set->link_count = set->link_count + made->link_count - t->link_count;
        set->cell_count = set->cell_count + made->cell_count - t->cell_count;
        nav_path_tile_destroy(t);
        set->tiles[i] = made;
        j->made[i] = NULL;
    }
    for (uint32_t i = 0; i < 2 * j->seam_count; i++) {
        const seam *n = &j->seams[i / 2];
        path_border *b = find_border(set->tiles[n->tile[i % 2]], n->corner[i % 2], n->low);
        if (b) b->other = PATH_NONE;
    }
    for (uint32_t i = 0; i < j->seam_count; i++) {
        const seam *n = &j->seams[i];
        path_tile *t = set->tiles[n->tile[0]], *o = set->tiles[n->tile[1]];
        path_border *a = find_border(t, n->corner[0], n->low), *b = find_border(o, n->corner[1], n->low);
        if (!a || !b) continue;
        path_join(t, a, o, n->tile[1], b);
        path_join(o, b, t, n->tile[0], a);
    }
}

nav_status nav_path_join_borders(nav_path_set *set)
{
    joiner j = {.set = set};
    j.least = (int64_t)(LEAST_M * NAV_PATH_FINE / (double)set->grid.cell_size_m);
    j.climb2 = 2 * (double)set->grid.agent_climb_m / (double)set->grid.cell_height_m;
    bool any = false;
    for (uint32_t i = 0; i < set->tile_count; i++) any |= set->tiles[i] && set->tiles[i]->is_stale;
    if (!any) return NAV_OK;
    j.made = calloc((size_t)set->tile_count + 1, sizeof(path_tile *));
    nav_status s = j.made ? sew_stale(&j) : NAV_ERR_MEMORY;
    if (s == NAV_OK) s = cut_tiles(&j);
    if (s == NAV_OK) take_tiles(&j);
    for (uint32_t i = 0; j.made && i < set->tile_count; i++) nav_path_tile_destroy(j.made[i]);
    free(j.junctions);
    free(j.edges);
    free(j.points);
    free(j.running[0]);
    free(j.running[1]);
    free(j.matches);
    free(j.seams);
    free(j.pieces);
    free(j.made);
    return s;
}
