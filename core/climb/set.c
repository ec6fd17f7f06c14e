// Patches by sheet, x and z. What a patch costs is joined when it is put, with those around it alone; what counts all
// of them (parts, the numbers of portals) is a few numbers for each patch, and made again before the next question.
#include "core/climb/climb_work.h"

#include "core/tile/refuse.h"

#include <stdlib.h>
#include <string.h>

nav_status nav_climb_set_create(double inner_deg, nav_climb_set **out)
{
    *out = NULL;
    if (!(inner_deg > 0 && inner_deg < 180)) return NAV_ERR_ARGUMENT;
    nav_climb_set *set = calloc(1, sizeof *set);
    if (!set) return NAV_ERR_MEMORY;
    set->inner_deg = inner_deg;
    set->inner_cos = cos(inner_deg / 57.29577951308232);
    *out = set;
    return NAV_OK;
}

void nav_climb_set_destroy(nav_climb_set *set)
{
    if (!set) return;
    for (uint32_t i = 0; i < set->count; i++) nav_climb_patch_destroy(set->patch[i]);
    nav_climb_cells_deinit(&set->cells);
    free(set->patch);
    free(set->label);
    free(set);
}

uint32_t nav_climb_set_tiles(const nav_climb_set *set)
{
    return set->count;
}

uint64_t nav_climb_set_triangles(const nav_climb_set *set)
{
    return set->triangle_count;
}

size_t nav_climb_set_bytes(const nav_climb_set *set)
{
    return sizeof *set + nav_climb_cells_bytes(&set->cells) + set->room * sizeof(climb_patch *) +
           set->label_room * sizeof *set->label + set->bytes;
}

static void count_bytes(nav_climb_set *set, climb_patch *p)
{
    set->bytes -= p->bytes;
    p->bytes = nav_climb_patch_bytes(p);
    set->bytes += p->bytes;
}

uint32_t nav_climb_set_parts(const nav_climb_set *set)
{
    return set->part_count;
}

// --- Patches come and go ---

int nav_climb_compare_patches(const climb_patch *a, const climb_patch *b)
{
    if (a->sheet != b->sheet) return a->sheet < b->sheet ? -1 : 1;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->z < b->z ? -1 : a->z > b->z;
}

// The place of a patch of that sheet, x and z, or where it would be.
static uint32_t find(const nav_climb_set *set, const climb_patch *like, bool *is_there)
{
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (nav_climb_compare_patches(set->patch[middle], like) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *is_there = low < set->count && nav_climb_compare_patches(set->patch[low], like) == 0;
    return low;
}

static void unjoin_all(climb_patch *p)
{
    for (uint32_t i = 0; i < p->half_count; i++)
        if (p->half[i].other != p && (i == 0 || p->half[i].other != p->half[i - 1].other))
            nav_climb_unjoin(p->half[i].other, p);
}

static void take_out(nav_climb_set *set, uint32_t place)
{
    climb_patch *p = set->patch[place];
    unjoin_all(p);
    if (p->triangle_count) {
        box b = nav_climb_box(p);
        nav_climb_cells_remove(&set->cells, &b, p);
    }
    memmove(&set->patch[place], &set->patch[place + 1], (set->count - place - 1) * sizeof(climb_patch *));
    set->count--;
    set->triangle_count -= p->triangle_count;
    set->bytes -= p->bytes;
    set->joined = false;
    nav_climb_patch_destroy(p);
}

box nav_climb_box(const climb_patch *p)
{
    return p->triangles.node[0].bounds;
}

typedef struct neighbours {
    nav_climb_set *set;
    climb_patch *patch;
    const climb_patch *but;
    box around;
    nav_status status;
} neighbours;

static void join_neighbour(void *user, void *what)
{
    neighbours *n = user;
    climb_patch *q = what;
    if (n->status != NAV_OK || q->seen == n->set->looks || q == n->but || q == n->patch) return;
    q->seen = n->set->looks;
    if (!q->edge_count || !box_meets(&n->around, &q->edges.node[0].bounds)) return;
    n->status = nav_climb_join(n->set, n->patch, q);
}

static nav_status join_all(nav_climb_set *set, climb_patch *p, const climb_patch *but)
{
    nav_status s = nav_climb_join(set, p, p);
    if (!p->edge_count || s != NAV_OK) return s;
    neighbours n = {set, p, but, p->edges.node[0].bounds, NAV_OK};
    box_widen(&n.around, (float)fmax(set->reach_m, nav_climb_reach(set, p)));
    set->looks++;
    if (!nav_climb_cells_near(&set->cells, &n.around, join_neighbour, &n))
        for (uint32_t i = 0; i < set->count; i++) join_neighbour(&n, set->patch[i]);
    if (n.status != NAV_OK) unjoin_all(p);
    return n.status;
}

// Cells as wide as the first patch: all are much alike.
static void begin_cells(nav_climb_set *set, const climb_patch *p)
{
    if (set->cells.side_m > 0) return;
    box b = nav_climb_box(p);
    double side = 0;
    for (int k = 0; k < 3; k++) side = fmax(side, (double)b.high[k] - (double)b.low[k]);
    nav_climb_cells_init(&set->cells, set->cells_m > 0 ? set->cells_m : side > 0 ? side : 1);
}

nav_status nav_climb_set_take(nav_climb_set *set, climb_patch *p)
{
    bool is_there;
    if (set->count == set->room) {
        uint32_t room = set->room ? 2 * set->room : 16;
        climb_patch **patch = realloc(set->patch, room * sizeof(climb_patch *));
        if (!patch) return NAV_ERR_MEMORY;
        set->patch = patch;
        set->room = room;
    }
    uint32_t place = find(set, p, &is_there);
    nav_status s = NAV_OK;
    if (p->triangle_count) {
        begin_cells(set, p);
        box b = nav_climb_box(p);
        s = nav_climb_cells_add(&set->cells, &b, p);
        if (s != NAV_OK) return s;
        s = join_all(set, p, is_there ? set->patch[place] : NULL);
        if (s != NAV_OK) nav_climb_cells_remove(&set->cells, &b, p);
    }
    if (s != NAV_OK) return s;
    if (is_there) take_out(set, place);
    memmove(&set->patch[place + 1], &set->patch[place], (set->count - place) * sizeof(climb_patch *));
    set->patch[place] = p;
    set->count++;
    set->triangle_count += p->triangle_count;
    count_bytes(set, p);
    set->reach_m = fmax(set->reach_m, nav_climb_reach(set, p));
    set->joined = false;
    p->changed = true;
    return NAV_OK;
}

void nav_climb_set_drop(nav_climb_set *set, nav_sheet sheet, int32_t tile_x, int32_t tile_z)
{
    bool is_there;
    uint32_t place = find(set, &(climb_patch){.sheet = sheet, .x = tile_x, .z = tile_z}, &is_there);
    if (is_there) take_out(set, place);
    if (!set->count) set->has_grid = false;
}

static bool same_grid(const nav_tile_view *a, const nav_tile_view *b)
{
    return a->tile_cells == b->tile_cells && a->cell_size_m == b->cell_size_m && a->cell_height_m == b->cell_height_m &&
           memcmp(a->origin_m, b->origin_m, sizeof a->origin_m) == 0 && a->agent_height_m == b->agent_height_m &&
           a->agent_radius_m == b->agent_radius_m && a->agent_climb_m == b->agent_climb_m;
}

nav_status nav_climb_set_put(nav_climb_set *set, const uint8_t *tile, size_t bytes, char *why, size_t why_bytes)
{
    nav_tile_view v;
    climb_patch *p;
    nav_status s = nav_tile_open(tile, bytes, &v, why, why_bytes);
    if (s != NAV_OK) return s;
    if (v.triangle_count > INT32_MAX / 4)
        return nav_refuse(NAV_ERR_LIMIT, why, why_bytes, "the tile has %u triangles, of at most %d", v.triangle_count,
                          INT32_MAX / 4);
    if (set->has_grid && !same_grid(&set->grid, &v))
        return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes,
                          "tile %d, %d of the sheet %s is of another grid or agent than those in the set", v.tile_x,
                          v.tile_z, nav_sheet_name(v.sheet));
    set->cells_m = (double)v.tile_cells * (double)v.cell_size_m;
    s = nav_climb_read_tile(&v, &p);
    if (s == NAV_OK) {
        s = nav_climb_set_take(set, p);
        if (s != NAV_OK) nav_climb_patch_destroy(p);
    }
    if (s != NAV_OK) return nav_refuse(s, why, why_bytes, "%s", nav_status_text(s));
    set->grid = v;
    set->has_grid = true;
    return NAV_OK;
}

// --- Joining ---

static int compare_halves(const void *a, const void *b)
{
    const climb_half *p = a, *q = b;
    if (p->edge != q->edge) return p->edge < q->edge ? -1 : 1;
    if (p->from_m < q->from_m || q->from_m < p->from_m) return p->from_m < q->from_m ? -1 : 1;
    int order = nav_climb_compare_patches(p->other, q->other);
    if (order) return order;
    if (p->other_edge != q->other_edge) return p->other_edge < q->other_edge ? -1 : 1;
    return p->to_m < q->to_m ? -1 : p->to_m > q->to_m;
}

static void sort_halves(climb_patch *p)
{
    if (p->half_count) qsort(p->half, p->half_count, sizeof *p->half, compare_halves);
    uint32_t h = 0;
    for (uint32_t e = 0; e <= p->edge_count; e++) {
        while (h < p->half_count && p->half[h].edge < e) h++;
        p->edge[e].first_half = h;
    }
}

// Does a stretch lie beside another one of the same edge for the most part, which is nearer to what it is joined to?
static bool is_beaten_by(const climb_half *h, const climb_half *k, double close)
{
    double shared = fmin((double)h->to_m, (double)k->to_m) - fmax((double)h->from_m, (double)k->from_m);
    return (double)k->apart_m + close < (double)h->apart_m && 2 * shared > (double)h->to_m - (double)h->from_m;
}

static void find_beaten(climb_patch *p)
{
    for (uint32_t i = 0; i < p->half_count; i++) {
        climb_half *h = &p->half[i];
        h->is_beaten = false;
        for (uint32_t k = p->edge[h->edge].first_half; k < p->edge[h->edge + 1].first_half && !h->is_beaten; k++)
            h->is_beaten = is_beaten_by(h, &p->half[k], p->close_m);
    }
}

static void find_twins(climb_patch *p)
{
    for (uint32_t i = 0; i < p->half_count; i++) {
        climb_half *h = &p->half[i];
        climb_patch *q = h->other;
        for (uint32_t k = q->edge[h->other_edge].first_half; k < q->edge[h->other_edge + 1].first_half; k++) {
            climb_half *back = &q->half[k];
            if (back->other != p || back->other_edge != h->edge) continue;
            h->twin = k;
            back->twin = i;
            h->is_open = !h->is_beaten && !back->is_beaten;
            q->changed |= back->is_open != h->is_open;
            back->is_open = h->is_open;
            break;
        }
    }
}

static int compare_ties(const void *a, const void *b)
{
    const climb_tie *p = a, *q = b;
    if (p->part != q->part) return p->part < q->part ? -1 : 1;
    int order = nav_climb_compare_patches(p->other, q->other);
    if (order) return order;
    return p->other_part < q->other_part ? -1 : p->other_part > q->other_part;
}

static nav_status find_ties(climb_patch *p)
{
    if (p->tie_room < p->half_count) {
        climb_tie *tie = realloc(p->tie, p->half_count * sizeof *tie);
        if (!tie) return NAV_ERR_MEMORY;
        p->tie = tie;
        p->tie_room = p->half_count;
    }
    p->tie_count = 0;
    for (uint32_t i = 0; i < p->half_count; i++) {
        const climb_half *h = &p->half[i];
        if (!h->is_open) continue;
        climb_tie t = {p->part[p->edge[h->edge].triangle], h->other->part[h->other->edge[h->other_edge].triangle],
                       h->other};
        if (p->tie_count && compare_ties(&p->tie[p->tie_count - 1], &t) == 0) continue;
        p->tie[p->tie_count++] = t;
    }
    if (p->tie_count) qsort(p->tie, p->tie_count, sizeof *p->tie, compare_ties);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->tie_count; i++)
        if (!kept || compare_ties(&p->tie[kept - 1], &p->tie[i]) != 0) p->tie[kept++] = p->tie[i];
    p->tie_count = kept;
    return NAV_OK;
}

static uint32_t root_of(uint32_t *label, uint32_t part)
{
    while (label[part] != part) part = label[part] = label[label[part]];
    return part;
}

// The lower root stays, so a part's number is that of its first patch's.
static void label_parts(nav_climb_set *set, uint32_t parts)
{
    uint32_t *label = set->label;
    for (uint32_t i = 0; i < parts; i++) label[i] = i;
    for (uint32_t i = 0; i < set->count; i++) {
        const climb_patch *p = set->patch[i];
        for (uint32_t k = 0; k < p->tie_count; k++) {
            if (p->tie[k].other->place < i) continue; // it has it as well
            uint32_t a = root_of(label, p->first_part + p->tie[k].part);
            uint32_t b = root_of(label, p->tie[k].other->first_part + p->tie[k].other_part);
            if (a < b)
                label[b] = a;
            else
                label[a] = b;
        }
    }
    set->part_count = 0;
    for (uint32_t i = 0; i < parts; i++) label[i] = label[i] == i ? set->part_count++ : label[label[i]];
}

nav_status nav_climb_set_join(nav_climb_set *set)
{
    uint64_t parts = 0, nodes = 0;
    nav_status s = NAV_OK;
    if (set->joined) return NAV_OK;
    for (uint32_t i = 0; i < set->count; i++)
        if (set->patch[i]->changed) {
            sort_halves(set->patch[i]);
            find_beaten(set->patch[i]);
        }
    for (uint32_t i = 0; i < set->count; i++)
        if (set->patch[i]->changed) find_twins(set->patch[i]);
    for (uint32_t i = 0; s == NAV_OK && i < set->count; i++)
        if (set->patch[i]->changed) s = find_ties(set->patch[i]);
    if (s != NAV_OK) return s;
    for (uint32_t i = 0; i < set->count; i++) {
        climb_patch *p = set->patch[i];
        p->place = i;
        p->first_part = (uint32_t)parts;
        p->first_node = (uint32_t)nodes;
        parts += p->part_count;
        nodes += 3 * (uint64_t)p->triangle_count + p->half_count;
    }
    if (nodes > UINT32_MAX / 2) return NAV_ERR_LIMIT;
    if (parts > set->label_room) {
        uint32_t *label = realloc(set->label, parts * sizeof *label);
        if (!label) return NAV_ERR_MEMORY;
        set->label = label;
        set->label_room = (uint32_t)parts;
    }
    set->node_count = (uint32_t)nodes;
    label_parts(set, (uint32_t)parts);
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->patch[i]->changed) count_bytes(set, set->patch[i]);
        set->patch[i]->changed = false;
    }
    set->joined = true;
    return NAV_OK;
}
