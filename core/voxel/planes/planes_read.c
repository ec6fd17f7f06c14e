// From bit columns to planes. The gaps of a column are found with bits: solid voxels, moved up by one, meet the voxels
// that have the agent's height free above them. The tops of walkable pieces, moved up through the solid by at most
// climb, tell which of these floors are walkable. Then the lowest floor of each column is rank 0, the next one rank 1,
// and so on. As many columns as a register has 64-bit lanes are read together.
#include "core/lanes/u64xn.h"
#include "core/voxel/planes/planes.h"

// The words of a group of columns, from the lowest that any of them uses.
typedef struct group {
    u64xn solid[NAV_BIT_WORDS_MAX];
    u64xn walk[NAV_BIT_AREAS_MAX][NAV_BIT_WORDS_MAX];           // tops of walkable pieces, then floors to walk on
    u64xn floor[NAV_BIT_WORDS_MAX], ceiling[NAV_BIT_WORDS_MAX]; // of gaps: the first free, the first solid voxel
    u64xn run_count;
} group;

SPECIALISED void up_one(int words, const u64xn *in, u64xn *out)
{
    for (int w = words - 1; w > 0; w--) out[w] = in[w] << 1 | in[w - 1] >> 63;
    out[0] = in[0] << 1;
}

// n: 1 to 63. What lies above the words is free.
SPECIALISED void keep_if_free_above(int words, u64xn *free, int n)
{
    for (int w = 0; w < words; w++) {
        u64xn next = w + 1 < words ? free[w + 1] : ~(u64xn){0};
        free[w] &= free[w] >> n | next << (64 - n);
    }
}

// Voxels above which, themselves included, `height` voxels are free.
SPECIALISED void find_room(int words, const u64xn *solid, int height, u64xn *room)
{
    for (int w = 0; w < words; w++) room[w] = ~solid[w];
    int known = 1;
    for (; 2 * known <= height; known *= 2) keep_if_free_above(words, room, known);
    if (known < height) keep_if_free_above(words, room, height - known);
}

// Floors within climb of a walkable one right below them become walkable, unless they are already.
SPECIALISED void lift(int words, int areas, int climb, const u64xn *floors, u64xn (*walk)[NAV_BIT_WORDS_MAX])
{
    u64xn bare[NAV_BIT_WORDS_MAX], any = {0};
    for (int w = 0; w < words; w++) {
        bare[w] = floors[w];
        for (int k = 0; k < areas; k++) bare[w] &= ~walk[k][w];
        any |= bare[w];
    }
    if (!u64xn_any(any)) return;
    for (int k = 0; k < areas; k++) {
        u64xn way[NAV_BIT_WORDS_MAX], met[NAV_BIT_WORDS_MAX];
        for (int w = 0; w < words; w++) way[w] = walk[k][w], met[w] = (u64xn){0};
        for (int n = 0; n < climb; n++) {
            up_one(words, way, way);
            for (int w = 0; w < words; w++) {
                met[w] |= way[w] & bare[w];
                way[w] &= ~floors[w];
            }
        }
        for (int w = 0; w < words; w++) walk[k][w] |= met[w];
    }
}

// bottom: where the height of the lowest solid voxel of each column goes.
SPECIALISED void find_gaps(int words, int areas, group *g, int offset, int height, int climb, int16_t *bottom)
{
    u64xn above[NAV_BIT_WORDS_MAX], starts[NAV_BIT_WORDS_MAX], lowest[NAV_BIT_WORDS_MAX], more = {0};
    const u64xn *solid = g->solid;
    up_one(words, solid, above);
    for (int w = 0; w < words; w++) {
        starts[w] = solid[w] & ~above[w];
        above[w] &= ~solid[w]; // the floors
        g->run_count += u64xn_count(starts[w]);
    }
    for (int k = 0; k < areas; k++) {
        u64xn *walk = g->walk[k], up[NAV_BIT_WORDS_MAX];
        for (int n = 0; n < climb; n++) {
            up_one(words, walk, up);
            for (int w = 0; w < words; w++) walk[w] |= up[w] & solid[w];
        }
        up_one(words, walk, walk);
        for (int w = 0; w < words; w++) walk[w] &= above[w];
        for (int h = 0; h < k; h++) // highest first
            for (int w = 0; w < words; w++) walk[w] &= ~g->walk[h][w];
    }
    u64xn_take_lowest(words, starts, lowest, offset, NAV_PLANE_FAR, bottom);
    for (int w = 0; w < words; w++) {
        more |= starts[w];
        g->floor[w] = above[w];
        g->ceiling[w] = (u64xn){0};
    }
    if (!u64xn_any(more)) return; // a run a column
    lift(words, areas, climb, above, g->walk);
    u64xn room[NAV_BIT_WORDS_MAX];
    find_room(words, solid, height, room);
    for (int w = 0; w < words; w++) {
        g->floor[w] &= room[w];
        u64xn before = w > 0 ? room[w - 1] : (u64xn){0};
        g->ceiling[w] = starts[w] & (room[w] << height | before >> (64 - height));
    }
}

typedef struct reader {
    const nav_bit_columns *bits;
    nav_planes *planes;
    int height, climb;
    u64xn run_count; // for the columns of each lane
    bool too_many;   // gaps in a column
} reader;

static void add_rank(nav_planes *p, int32_t z)
{
    int32_t rank = p->row_ranks[z]++;
    if (p->row_ranks[z] > p->ranks) p->ranks = p->row_ranks[z];
    size_t row = (size_t)z * (size_t)p->stride;
    for (int32_t x = 0; x < p->stride; x++)
        p->floor[rank][row + (size_t)x] = p->ceiling[rank][row + (size_t)x] = NAV_PLANE_FAR;
}

// Puts the gaps of the group at column x of row z into planes.
SPECIALISED void store_gaps(int words, int areas, group *g, int offset, int32_t z, int32_t x, reader *r)
{
    nav_planes *p = r->planes;
    size_t at = (size_t)z * (size_t)p->stride + (size_t)x;
    size_t word = (size_t)z * (size_t)p->words + (size_t)(x >> 6);
    for (int rank = 0;; rank++) {
        u64xn low[NAV_BIT_WORDS_MAX], ceiling[NAV_BIT_WORDS_MAX], left = {0};
        if (rank == p->row_ranks[z]) add_rank(p, z);
        u64xn_take_lowest(words, g->floor, low, offset, NAV_PLANE_FAR, p->floor[rank] + at);
        u64xn_take_lowest(words, g->ceiling, ceiling, offset, NAV_PLANE_FAR, p->ceiling[rank] + at);
        for (int k = 0; k < areas; k++) {
            u64xn walk = {0};
            for (int w = 0; w < words; w++) walk |= g->walk[k][w] & low[w];
            uint64_t bits = (uint64_t)u64xn_used(walk) << (x & 63);
            p->of_area[k][rank][word] |= bits;
            if (areas > 1) p->open[rank][word] |= bits;
        }
        for (int w = 0; w < words; w++) left |= g->floor[w];
        if (!u64xn_any(left)) return;
        if (rank + 1 == NAV_PLANE_RANKS) {
            r->too_many = true;
            return;
        }
    }
}

// A group whose columns use `words` words from the word `low` on, all known to fit into them.
SPECIALISED void read_group(int words, int areas, int low, int32_t z, int32_t x, reader *r)
{
    const nav_bit_columns *b = r->bits;
    group g;
    int lanes = r->planes->width - x < U64_LANES ? r->planes->width - x : U64_LANES;
    g.run_count = r->run_count;
    size_t at = (size_t)low * (size_t)b->columns + (size_t)z * (size_t)r->planes->width + (size_t)x;
    int w = 0;
    do {
        g.solid[w] = u64xn_load_some(b->solid + at, lanes);
        for (int k = 0; k < areas; k++) g.walk[k][w] = u64xn_load(b->tops[k] + at);
        at += (size_t)b->columns;
    } while (++w < words);
    int16_t *bottom = r->planes->bottom + (size_t)z * (size_t)r->planes->stride + x;
    find_gaps(words, areas, &g, 64 * low, r->height, r->climb, bottom);
    r->run_count = g.run_count;
    store_gaps(words, areas, &g, 64 * low, z, x, r);
}

static void read_group_of_any(int words, int low, int32_t z, int32_t x, reader *r)
{
    read_group(words, r->bits->area_count, low, z, x, r);
}

// Most columns are within a word or two, and most tiles have one area type.
static void read_row(int32_t z, reader *r)
{
    const nav_bit_columns *b = r->bits;
    nav_planes *p = r->planes;
    bool one_area = b->area_count == 1;
    add_rank(p, z); // the row is empty
    for (int32_t x = 0; x < p->stride; x++) p->bottom[(size_t)z * (size_t)p->stride + (size_t)x] = NAV_PLANE_FAR;
    for (int32_t x = 0; x < p->width && !r->too_many; x += U64_LANES) {
        int low = b->words, high = -1;
        const uint64_t *solid = b->solid + (size_t)z * (size_t)p->width + x;
        for (int w = 0; w < b->words; w++) {
            u64xn s = u64xn_load(solid + (size_t)w * (size_t)b->columns);
            if (!u64xn_any(s)) continue;
            if (high < 0) low = w;
            high = u64xn_any(s >> 63) ? w + 1 : w; // a floor may be in the next word
        }
        if (high < 0) continue;
        if (one_area && high == low)
            read_group(1, 1, low, z, x, r);
        else if (one_area && high == low + 1)
            read_group(2, 1, low, z, x, r);
        else
            read_group_of_any(high - low + 1, low, z, x, r);
    }
}

bool nav_planes_fit(const nav_config *cfg)
{
    return cfg->height_vx < 64 && cfg->climb_vx <= cfg->height_vx;
}

static nav_status init(nav_planes *p, const nav_bit_columns *b, int32_t width, nav_arena *arena)
{
    *p = (nav_planes){.width = width, .words = (width + 63) / 64, .base = b->base, .area_count = b->area_count};
    p->stride = 64 * p->words;
    size_t heights = (size_t)width * (size_t)p->stride;
    p->row_ranks = NAV_TAKE_ZERO(arena, uint8_t, width);
    // A register's columns to the left and to the right of each plane may be looked at.
    enum { BESIDE = 32 };
    int16_t *at = NAV_TAKE(arena, int16_t, (heights + BESIDE) * (1 + 2 * NAV_PLANE_RANKS) + BESIDE);
    if (!p->row_ranks || !at) return nav_arena_failure(arena);
    p->bottom = at + BESIDE;
    for (int r = 0; r < NAV_PLANE_RANKS; r++) {
        p->floor[r] = p->bottom + (size_t)(1 + 2 * r) * (heights + BESIDE);
        p->ceiling[r] = p->bottom + (size_t)(2 + 2 * r) * (heights + BESIDE);
    }
    size_t bits = (size_t)width * (size_t)p->words;
    uint64_t *rows = NAV_TAKE_ZERO(arena, uint64_t, bits * NAV_PLANE_RANKS);
    if (!rows) return nav_arena_failure(arena);
    for (int r = 0; r < NAV_PLANE_RANKS; r++) p->open[r] = p->of_area[0][r] = rows + (size_t)r * bits;
    for (int k = 0; k < b->area_count; k++) p->areas[k] = b->areas[k];
    if (b->area_count < 2) return NAV_OK;
    rows = NAV_TAKE_ZERO(arena, uint64_t, bits * NAV_PLANE_RANKS * (size_t)b->area_count);
    if (!rows) return nav_arena_failure(arena);
    for (int k = 0; k < b->area_count; k++)
        for (int r = 0; r < NAV_PLANE_RANKS; r++, rows += bits) p->of_area[k][r] = rows;
    return NAV_OK;
}

nav_status nav_planes_read(const nav_bit_columns *bits, const nav_config *cfg, nav_arena *arena, nav_planes *out)
{
    nav_status status = init(out, bits, cfg->width, arena);
    if (status != NAV_OK) return status;
    reader r = {.bits = bits, .planes = out, .height = cfg->height_vx, .climb = cfg->climb_vx};
    for (int32_t z = 0; z < out->width; z++) read_row(z, &r);
    if (r.too_many) {
        out->ranks = 0;
        return NAV_OK;
    }
    for (int k = 0; k < U64_LANES; k++) out->run_count += (int64_t)r.run_count[k];
    return NAV_OK;
}
