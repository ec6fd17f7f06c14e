// The ledge filter and the connections on planes. Both compare the gaps of a column with those of its neighbours: a
// whole row at a time, rank by rank, as many columns as a register has 16-bit lanes. The result is one bit per column.
// Ground with a single floor has one rank, and each direction takes a handful of operations.
#include "core/lanes/i16xn.h"
#include "core/voxel/planes/planes.h"

_Static_assert(4 * 64 * NAV_BIT_WORDS_MAX < NAV_PLANE_FAR, "sums of heights and what is missing fit 16 bits");

static const uint64_t LANE_BITS = ~UINT64_C(0) >> (64 - I16_LANES);

typedef struct gap_lanes {
    i16xn floor, ceiling;
} gap_lanes;

static inline gap_lanes load_gaps(const nav_planes *p, int rank, size_t at)
{
    return (gap_lanes){i16xn_load(p->floor[rank] + at), i16xn_load(p->ceiling[rank] + at)};
}

// By how much the height that two gaps have in common is less than `height`.
static inline i16xn lack(const gap_lanes *a, const gap_lanes *b, i16xn height)
{
    return i16xn_high(a->floor, b->floor) + height - i16xn_low(a->ceiling, b->ceiling);
}

// Where the floors of the gaps are ledges, for the columns at `at`; ranks: per direction, of the neighbours.
static inline uint64_t find_ledges(const nav_planes *p, int rank, size_t at, const int *ranks, i16xn height,
                                   i16xn climb)
{
    const int32_t around[4] = {-1, 1, -p->stride, p->stride};
    gap_lanes own = load_gaps(p, rank, at);
    i16xn need = own.floor + height, lost = {0}, drop = {0}, rise = {0};
    for (int d = 0; d < 4; d++) {
        size_t beside = at + (size_t)(int64_t)around[d];
        // Below the lowest solid voxel there is nothing to land on.
        lost |= need - i16xn_load(p->bottom + beside);
        for (int r = 0; r < ranks[d]; r++) {
            gap_lanes other = load_gaps(p, r, beside);
            i16xn step = other.floor - own.floor;
            // Through a gap higher than the agent to a floor that is no higher than climb.
            step = i16xn_where(lack(&own, &other, height) & (step - climb - 1), step);
            drop = i16xn_low(drop, step);
            rise = i16xn_high(rise, step);
        }
    }
    // With just the agent's height, or less, no gap lets it through.
    return i16xn_signs((need - own.ceiling) & (lost | (drop + climb) | (climb - (rise - drop))));
}

void nav_planes_filter_ledges(nav_planes *p, const nav_config *cfg)
{
    i16xn height = i16xn_of(cfg->height_vx), climb = i16xn_of(cfg->climb_vx);
    for (int32_t z = 0; z < p->width; z++) {
        size_t row = (size_t)z * (size_t)p->words;
        bool outermost = z == 0 || z == p->width - 1; // beyond these columns nothing is known
        int own = p->row_ranks[z];
        const int ranks[4] = {own, own, outermost ? 0 : p->row_ranks[z - 1], outermost ? 0 : p->row_ranks[z + 1]};
        for (int rank = 0; rank < own; rank++)
            for (int32_t w = 0; w < p->words; w++) {
                uint64_t open = p->open[rank][row + (size_t)w], stay = open;
                if (outermost) stay = 0;
                if (w == 0) stay &= ~UINT64_C(1);
                if (w == p->words - 1) stay &= ~(UINT64_C(1) << ((p->width - 1) & 63));
                size_t at = (size_t)z * (size_t)p->stride + 64 * (size_t)w;
                for (int k = 0; k < 64; k += I16_LANES) // higher ranks are few
                    if (stay >> k & LANE_BITS)
                        stay &= ~(find_ledges(p, rank, at + (size_t)k, ranks, height, climb) << k);
                if (stay == open) continue;
                p->open[rank][row + (size_t)w] = stay;
                for (int a = 0; a < p->area_count; a++) p->of_area[a][rank][row + (size_t)w] &= stay;
            }
    }
}

// Which of the 64 gaps of `asked` let the agent step into those `beside` columns further?
static inline uint64_t find_connections(const nav_planes *p, uint64_t asked, int rank, size_t at, int other_rank,
                                        int32_t beside, i16xn height, i16xn climb)
{
    uint64_t connections = 0;
    for (int k = 0; k < 64; k += I16_LANES) {
        if (!(asked >> k & LANE_BITS)) continue;
        gap_lanes a = load_gaps(p, rank, at + (size_t)k), b = load_gaps(p, other_rank, at + (size_t)(beside + k));
        i16xn step = a.floor - b.floor;
        i16xn connection = (lack(&a, &b, height) - 1) & (step - climb - 1) & (-step - climb - 1);
        connections |= i16xn_signs(connection) << k;
    }
    return connections & asked;
}

// Stores a word of connections; their rows are taken when there is a first one.
static bool store_connections(const nav_planes *p, uint64_t **rows, size_t word, uint64_t connections, nav_arena *arena)
{
    if (!connections) return true;
    if (!*rows) *rows = NAV_TAKE_ZERO(arena, uint64_t, (size_t)p->width * (size_t)p->words);
    if (!*rows) return false;
    (*rows)[word] = connections;
    return true;
}

nav_status nav_planes_connect(nav_planes *p, const nav_config *cfg, nav_arena *arena)
{
    i16xn height = i16xn_of(cfg->height_vx), climb = i16xn_of(cfg->climb_vx);
    bool stored = true;
    memset(p->x_connected, 0, sizeof p->x_connected);
    memset(p->z_connected, 0, sizeof p->z_connected);
    for (int32_t z = 1; z < p->width - 1; z++)
        for (int32_t w = 0; w < p->words; w++) {
            size_t word = (size_t)z * (size_t)p->words + (size_t)w;
            size_t at = (size_t)z * (size_t)p->stride + 64 * (size_t)w;
            for (int r = 0; r < p->row_ranks[z]; r++) {
                uint64_t open = p->open[r][word];
                if (!open) continue;
                for (int q = 0; q < p->row_ranks[z]; q++) {
                    uint64_t next = p->open[q][word] >> 1;
                    if (w + 1 < p->words) next |= p->open[q][word + 1] << 63;
                    next &= open;
                    next = find_connections(p, next, r, at, q, 1, height, climb);
                    stored &= store_connections(p, &p->x_connected[r][q], word, next, arena);
                }
                for (int q = 0; q < p->row_ranks[z + 1]; q++) {
                    uint64_t next = p->open[q][word + (size_t)p->words] & open;
                    next = find_connections(p, next, r, at, q, p->stride, height, climb);
                    stored &= store_connections(p, &p->z_connected[r][q], word, next, arena);
                }
            }
        }
    return stored ? NAV_OK : nav_arena_failure(arena);
}
