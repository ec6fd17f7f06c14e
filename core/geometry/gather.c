// The triangles of a tile: those of every instance that overlap the padded bounds, in world space, with the area type
// that their slope allows, and the content key of all input. The key sums the hashes of the triangles, so it does not
// depend on the order in which an index or a user passes them.
//
// The eight triangles of a leaf are processed together, one per lane: transform, bounds, slope and hash are the same
// few operations for all of them. Only the triangles that stay are written out one by one.
#include "core/base/endian.h"
#include "core/geometry/gather_heights.h"
#include "core/geometry/tile_source.h"
#include "core/lanes/u64xn.h"
#include "core/lanes/x8.h"

#include <math.h>
#include <string.h>

// Columns and voxels must stay far from the ends of int32, and exact in double arithmetic.
static const double GRID_LIMIT = 1 << 29;

// --- the key of a triangle ---

// Four NH hashes (J. Black et al., UMAC, 1999) of the ten words of a triangle, each with its keys two further along the
// same list: a sum of products of 32 by 32 bits, which lanes have at full speed. Two of the sums make one half of the
// key; mixing them ties the words of a triangle together before triangles are added up.
enum { WORDS = 10, PASSES = 4, AREA_TAG = 't' << 8 };
static const uint32_t nh_keys[WORDS + 2 * (PASSES - 1)] = {
    0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89,
    0x452821e6, 0x38d01377, 0xbe5466cf, 0x34e90c6c, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917}; // pi's digits

typedef struct gather {
    const nav_instance *instance;
    bool identity, mirrored;
    uint8_t area;         // of triangles without one of their own; NAV_AREA_NONE where the agent may not walk on it
    const uint8_t *areas; // of the mesh; NULL: no triangle has one of its own
    uint64_t walkable_areas;
    double rows[12], slope_cos2;
    double min[2], max[2];
    float low[2], high[2];           // the same for floats
    float grid_low[3], grid_high[3]; // metres: what lies outside is too far for the voxel grid
    bool reaches_out;                // the instance may have triangles that lie outside
    bool all_triangles;              // of height grids, too
    bool any_slope;                  // ground is ground whichever way it looks
    bool keyed;                      // the key of the triangles taken is that of something else
    uint64_t capacity;               // counting pass: triangles in the leaves that were met
    uint32_t piece_capacity;         // the same for pieces of height grids
    nav_height_piece *pieces;        // the arena's, out's
    nav_key piece_keys;              // their sum
    nav_obstacle *obstacles;         // the arena's, out's; NULL: they are not asked for
    nav_triangles *out;
    u64xn key_low, key_high; // of the triangles taken: sums by lanes, both halves each on its own
    i32x8 least_y, most_y;   // floats: by lanes, too
} gather;

#define SWAP_HALVES(v) ((v) << 32 | (v) >> 32)
#define MIX(v)                                                                                                         \
    do {                                                                                                               \
        (v) ^= (v) >> 32;                                                                                              \
        (v) *= UINT64_C(0x9fb21c651e98df25);                                                                           \
        (v) ^= (v) >> 29;                                                                                              \
        (v) *= UINT64_C(0xbf58476d1ce4e5b9);                                                                           \
        (v) ^= (v) >> 32;                                                                                              \
    } while (0)

// Adds the keys of the triangles that `taken` names.
static inline void add_keys(gather *g, const float *const at[9], const int32_t areas[8], const i32x8 *taken)
{
    for (int k = 0; k < 8; k += U64_LANES) {
        u64xn words[WORDS], nh[PASSES];
        for (int w = 0; w < WORDS; w++) {
            u64xn_narrow word;
            memcpy(&word, w < 9 ? (const void *)(at[w] + k) : (const void *)(areas + k), sizeof word);
            words[w] = __builtin_convertvector(word, u64xn);
        }
        for (int p = 0; p < PASSES; p++) {
            nh[p] = (u64xn){0};
            for (int w = 0; w < WORDS; w += 2)
                nh[p] += u64xn_times_low(words[w] + nh_keys[2 * p + w], words[w + 1] + nh_keys[2 * p + w + 1]);
        }
        u64xn low = nh[0] ^ SWAP_HALVES(nh[1]), high = nh[2] ^ SWAP_HALVES(nh[3]);
        MIX(low);
        MIX(high);
        u64xn_narrow mask32;
        memcpy(&mask32, (const int32_t *)taken + k, sizeof mask32);
        u64xn mask = __builtin_convertvector(mask32, u64xn);
        mask |= mask << 32;
        g->key_low += low & mask;
        g->key_high += high & mask;
    }
}

// --- a leaf ---

static void transform_leaf(const gather *g, const nav_mesh_leaf *leaf, nav_mesh_leaf *out)
{
    const double *t = g->rows;
    for (int c = 0; c < 3; c++) {
        f64x8 x = __builtin_convertvector(*(const f32x8 *)leaf->at[3 * c], f64x8);
        f64x8 y = __builtin_convertvector(*(const f32x8 *)leaf->at[3 * c + 1], f64x8);
        f64x8 z = __builtin_convertvector(*(const f32x8 *)leaf->at[3 * c + 2], f64x8);
        for (int r = 0; r < 3; r++) {
            f64x8 v = t[4 * r] * x + t[4 * r + 1] * y + t[4 * r + 2] * z + t[4 * r + 3];
            *(f32x8 *)out->at[3 * c + r] = __builtin_convertvector(v, f32x8);
        }
    }
}

// Which triangles have an area (the rest has no number for it or none), and which of them may be walked on.
static inline void judge_slope(const gather *g, const float *const at[9], i32x8 *has_area, i32x8 *walkable)
{
#define WIDE(k) __builtin_convertvector(*(const f32x8 *)at[k], f64x8)
    f64x8 ax = WIDE(0), ay = WIDE(1), az = WIDE(2);
    f64x8 ux = WIDE(3) - ax, uy = WIDE(4) - ay, uz = WIDE(5) - az;
    f64x8 wx = WIDE(6) - ax, wy = WIDE(7) - ay, wz = WIDE(8) - az;
#undef WIDE
    f64x8 nx = uy * wz - uz * wy, ny = uz * wx - ux * wz, nz = ux * wy - uy * wx;
    f64x8 length2 = nx * nx + ny * ny + nz * nz;
    *has_area = __builtin_convertvector(length2 > 0.0, i32x8);
    *walkable = __builtin_convertvector((ny > 0.0) & (ny * ny > g->slope_cos2 * length2), i32x8);
    if (g->any_slope) *walkable = *has_area;
}

// The areas of a leaf whose triangles have their own: none where the slope or the agent does not allow it.
static void find_areas(const gather *g, const uint8_t own[NAV_MESH_FANOUT], const i32x8 *walkable, i32x8 *areas)
{
    for (int k = 0; k < NAV_MESH_FANOUT; k++) {
        const int32_t allowed = own[k] < NAV_AREA_COUNT && (g->walkable_areas >> own[k] & 1) ? own[k] : NAV_AREA_NONE;
        (*areas)[k] = (*walkable)[k] & (own[k] == NAV_AREA_INHERIT ? g->area : allowed);
    }
}

static inline void widen_heights(gather *g, const float *const at[9], const i32x8 *taken)
{
    for (int c = 0; c < 3; c++) {
        const i32x8 y = *(const i32x8 *)at[3 * c + 1];
        i32x8 below = *taken & ((f32x8)y < (f32x8)g->least_y), above = *taken & ((f32x8)y > (f32x8)g->most_y);
        g->least_y = (y & below) | (g->least_y & ~below);
        g->most_y = (y & above) | (g->most_y & ~above);
    }
}

// Joins what the lanes have summed up.
static nav_key join_lanes(const gather *g)
{
    nav_key key = {0};
    const f32x8 least_y = (f32x8)g->least_y, most_y = (f32x8)g->most_y;
    for (int k = 0; k < U64_LANES; k++) {
        key.low += g->key_low[k];
        key.high += g->key_high[k];
    }
    for (int k = 0; k < 8; k++) {
        g->out->min_y = least_y[k] < g->out->min_y ? least_y[k] : g->out->min_y;
        g->out->max_y = most_y[k] > g->out->max_y ? most_y[k] : g->out->max_y;
    }
    return key;
}

// own: the areas of its triangles; NULL: the instance's.
static void take_leaf(gather *g, const nav_mesh_leaf *leaf, const uint8_t *own, int count)
{
    nav_mesh_leaf moved;
    if (!g->identity) {
        transform_leaf(g, leaf, &moved);
        leaf = &moved;
    }
    const float *at[9];
    for (int k = 0; k < 9; k++) at[k] = leaf->at[g->mirrored ? k % 3 + 6 - k / 3 * 3 : k];
#define AT(k) (*(const f32x8 *)at[k])
    // Finite triangles elsewhere are none of this tile's business; NaN fails every comparison and goes on to the grid.
    i32x8 in = (i32x8){0, 1, 2, 3, 4, 5, 6, 7} < count;
    for (int k = 0; k < 2; k++)
        in &= ~((AT(2 * k) < g->low[k]) & (AT(2 * k + 3) < g->low[k]) & (AT(2 * k + 6) < g->low[k])) &
              ~((AT(2 * k) > g->high[k]) & (AT(2 * k + 3) > g->high[k]) & (AT(2 * k + 6) > g->high[k]));
    unsigned met = i32x8_bits(&in);
    if (!met) return;

    i32x8 has_area, walkable, taken = in;
    for (int k = 0; k < 9 && g->reaches_out; k++) taken &= (AT(k) > g->grid_low[k % 3]) & (AT(k) < g->grid_high[k % 3]);
    judge_slope(g, at, &has_area, &walkable);
    taken &= has_area;
    unsigned bits = i32x8_bits(&taken);
    nav_triangles *out = g->out;
    out->skipped_count += (uint32_t)__builtin_popcount(met & ~bits);
    if (!bits) return;

    i32x8 areas = walkable & g->area, tagged;
    if (own) find_areas(g, own, &walkable, &areas);
    tagged = areas | AREA_TAG;
    if (!g->keyed) add_keys(g, at, (const int32_t *)&tagged, &taken);
    widen_heights(g, at, &taken);
    walkable = taken & (areas != NAV_AREA_NONE);
    if (!own && i32x8_bits(&walkable)) out->area_types |= UINT64_C(1) << g->area;
    for (unsigned left = own ? i32x8_bits(&walkable) : 0; left; left &= left - 1)
        out->area_types |= UINT64_C(1) << areas[__builtin_ctz(left)];
    float *to = out->verts + 9 * (size_t)out->count;
    for (; bits; bits &= bits - 1, to += 9) {
        int lane = __builtin_ctz(bits);
        for (int k = 0; k < 9; k++) to[k] = at[k][lane];
        out->areas[out->count++] = (uint8_t)areas[lane];
    }
#undef AT
}

// --- all of them ---

// Counts, and asks for the leaves: when they are taken they are there.
static void count_leaves(void *user, uint32_t first, unsigned which)
{
    enum { LINE = 64 };
    gather *g = user;
    g->capacity += (uint64_t)__builtin_popcount(which) * NAV_MESH_FANOUT;
    for (; which; which &= which - 1) {
        const nav_mesh_leaf *leaf = &g->instance->mesh->leaves[first + (uint32_t)__builtin_ctz(which)];
        for (size_t at = 0; at < sizeof *leaf; at += LINE) __builtin_prefetch((const char *)leaf + at);
    }
}

static void take_leaves(void *user, uint32_t first, unsigned which)
{
    gather *g = user;
    const nav_mesh *m = g->instance->mesh;
    for (; which; which &= which - 1) {
        uint32_t leaf = first + (uint32_t)__builtin_ctz(which), left = m->tri_count - leaf * NAV_MESH_FANOUT;
        const uint8_t *own = g->areas ? g->areas + (size_t)leaf * NAV_MESH_FANOUT : NULL;
        take_leaf(g, &m->leaves[leaf], own, left < NAV_MESH_FANOUT ? (int)left : NAV_MESH_FANOUT);
    }
}

static double determinant(const double t[12])
{
    return t[0] * (t[5] * t[10] - t[6] * t[9]) - t[1] * (t[4] * t[10] - t[6] * t[8]) +
           t[2] * (t[4] * t[9] - t[5] * t[8]);
}

static bool mesh_reaches_out(const gather *g, const nav_box *b)
{
    bool inside = g->identity;
    for (int k = 0; k < 3; k++) inside = inside && b->min[k] > g->grid_low[k] && b->max[k] < g->grid_high[k];
    return !inside;
}

// --- height grids ---

static bool grid_reaches_out(const gather *g, const nav_instance *in)
{
    float min[3], max[3];
    bool inside = nav_instance_bounds(in, min, max);
    for (int k = 0; k < 3; k++) inside = inside && min[k] > g->grid_low[k] && max[k] < g->grid_high[k];
    return !inside;
}

static void take_grid_leaves(gather *g, const nav_height_piece *p)
{
    nav_mesh_leaf leaf;
    uint8_t own[NAV_MESH_FANOUT];
    uint32_t column = 0, row = 0;
    for (int count; (count = nav_height_leaf_fill(p, &column, &row, &leaf, own)) > 0;)
        take_leaf(g, &leaf, p->own_areas ? own : NULL, count);
}

// The piece is drawn from its samples.
static void take_piece(gather *g, const nav_height_piece *p)
{
    nav_triangles *out = g->out;
    uint32_t cells = nav_height_piece_cells(p);
    float low, high;
    if (!cells) return;
    nav_height_piece_heights(p, &low, &high);
    out->min_y = low < out->min_y ? low : out->min_y;
    out->max_y = high > out->max_y ? high : out->max_y;
    out->area_types |= nav_height_piece_areas(p);
    out->piece_triangles += 2 * (uint64_t)cells;
    g->pieces[out->piece_count++] = *p;
}

// A grid that is just moved counts by the samples that the tile can see, however it is drawn; any other is triangles.
static void visit_grid(gather *g, bool takes)
{
    const nav_instance *in = g->instance;
    const nav_height_grid *grid = in->mesh->heights;
    const float move[3] = {in->transform[3], in->transform[7], in->transform[11]};
    nav_height_piece p = {.grid = grid, .columns = grid->columns - 1, .rows = grid->rows - 1};
    bool moved = nav_height_is_moved(in->transform), direct = moved && !g->reaches_out && !g->all_triangles;
    if (moved && !nav_height_piece_find(grid, move, g->low, g->high, &p)) return;
    p.area = g->area;
    p.own_areas = g->areas != NULL;
    p.walkable_areas = g->walkable_areas;
    if (!takes) {
        g->piece_capacity += direct;
        g->capacity += direct ? 0 : 2 * (uint64_t)p.columns * p.rows;
        return;
    }
    if (moved) g->piece_keys = nav_key_add(g->piece_keys, nav_height_piece_key(&p, in->area));
    g->keyed = moved;
    if (direct)
        take_piece(g, &p);
    else
        take_grid_leaves(g, &p);
    g->keyed = false;
}

// What is solid is looked at as a whole, so all of it is part of the key.
static void add_obstacle(gather *g, uint32_t first)
{
    const nav_instance *in = g->instance;
    uint8_t r[NAV_KEY_BYTES + 48 + 8] = {0};
    nav_key_store(in->mesh->hash, r);
    for (int k = 0; k < 12; k++) nav_store_f32(r + NAV_KEY_BYTES + 4 * k, in->transform[k] + 0.0f);
    r[NAV_KEY_BYTES + 48] = 'o';
    g->piece_keys = nav_key_add(g->piece_keys, nav_key_of(r, sizeof r));
    g->obstacles[g->out->obstacle_count++] = (nav_obstacle){in, first, g->out->count - first};
}

static void each_instance(gather *g, const nav_tile_source *src, void (*visit)(void *, uint32_t, unsigned))
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    for (uint32_t i = 0; i < src->instance_count; i++) {
        const nav_instance *in = &src->instances[i];
        for (int k = 0; k < 12; k++) g->rows[k] = (double)in->transform[k];
        g->instance = in;
        g->identity = memcmp(in->transform, identity, sizeof identity) == 0;
        g->mirrored = determinant(g->rows) < 0;
        bool allowed = in->area < NAV_AREA_COUNT && (g->walkable_areas >> in->area & 1);
        g->area = allowed ? in->area : NAV_AREA_NONE;
        const nav_height_grid *grid = in->mesh->heights;
        const uint8_t *own = grid ? grid->areas : in->mesh->areas;
        g->areas = in->area == NAV_AREA_NONE ? NULL : own; // an obstacle is one as a whole
        g->reaches_out = grid ? grid_reaches_out(g, in) : mesh_reaches_out(g, &in->mesh->bounds);
        if (grid) {
            visit_grid(g, visit == take_leaves);
            continue;
        }
        const uint32_t before = g->out->count;
        nav_mesh_query(in->mesh, in->transform, g->min, g->max, visit, g);
        if (g->obstacles && g->area == NAV_AREA_NONE && !g->areas && g->out->count > before) add_obstacle(g, before);
        if (g->capacity > NAV_MESH_MAX_TRIANGLES) return; // no need to count on: it is refused
    }
}

nav_status nav_triangles_gather(const nav_tile_source *src, const nav_config *cfg, nav_arena *arena, nav_triangles *out)
{
    *out = (nav_triangles){.min_y = INFINITY, .max_y = -INFINITY};
    gather g = {.out = out,
                .walkable_areas = cfg->walkable_areas & ~(UINT64_C(1) << NAV_AREA_NONE),
                .slope_cos2 = cfg->slope_cos * cfg->slope_cos,
                .all_triangles = cfg->all_triangles,
                .any_slope = cfg->climbs,
                .least_y = (i32x8)((f32x8){0} + INFINITY),
                .most_y = (i32x8)((f32x8){0} - INFINITY)};
    nav_tile_padded_bounds(src->settings, src->tile_x, src->tile_z, g.min, g.max);
    for (int k = 0; k < 2; k++) {
        g.low[k] = float_above(g.min[k]);
        g.high[k] = float_below(g.max[k]);
    }
    for (int k = 0; k < 3; k++) {
        double reach = GRID_LIMIT * (k == 1 ? cfg->cell_height_m : cfg->cell_size_m);
        g.grid_low[k] = float_below(cfg->origin_m[k] - reach);
        g.grid_high[k] = float_above(cfg->origin_m[k] + reach);
    }
    bool left_out = nav_tile_is_left_out(src);
    if (!left_out) each_instance(&g, src, count_leaves);
    if (g.capacity > NAV_MESH_MAX_TRIANGLES) return NAV_ERR_LIMIT; // many instances of a large mesh in one place
    out->verts = NAV_TAKE(arena, float, 9 * (size_t)g.capacity);
    if (!out->verts) return nav_arena_failure(arena);
    out->areas = NAV_TAKE(arena, uint8_t, g.capacity);
    if (!out->areas) return nav_arena_failure(arena);
    out->pieces = g.pieces = NAV_TAKE(arena, nav_height_piece, g.piece_capacity);
    if (!g.pieces) return nav_arena_failure(arena);
    if (cfg->generator == NAV_GENERATOR_SURFACE && !cfg->climbs) {
        out->obstacles = g.obstacles = NAV_TAKE(arena, nav_obstacle, src->instance_count);
        if (!g.obstacles) return nav_arena_failure(arena);
    }
    if (!left_out) each_instance(&g, src, take_leaves);

    nav_key sum = nav_key_add(join_lanes(&g), g.piece_keys);
    if (nav_tile_is_bounded(src)) sum = nav_key_add(sum, nav_bounded_key());
    for (uint32_t i = 0; i < src->volume_count && !left_out; i++)
        if (nav_volume_touches_tile(&src->volumes[i], src->settings->sheet, g.min, g.max))
            sum = nav_key_add(sum, nav_volume_key(&src->volumes[i]));
    out->content_key = nav_key_join(nav_settings_key(src->settings, src->tile_x, src->tile_z), sum);
    return NAV_OK;
}
