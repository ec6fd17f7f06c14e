// The interface of connectivity: pools, tiles and links, and the update that combines them.

#include "core/reach/reach_work.h"

#include <stdlib.h>
#include <string.h>

// --- pools

static nav_status grow(void *array, size_t size, uint32_t capacity)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, size * capacity);
    if (!grown) return NAV_ERR_MEMORY;
    memcpy(array, &grown, sizeof grown);
    return NAV_OK;
}

// Room for `more` in a pool's arrays, which end with a NULL.
static nav_status reserve(reach_pool *p, uint64_t more, void *const *arrays, const size_t *sizes)
{
    uint64_t need = (uint64_t)p->count + more, capacity = p->capacity ? p->capacity : 64;
    if (need <= p->capacity) return NAV_OK;
    while (capacity < need) capacity *= 2;
    if (capacity > UINT32_MAX / 4) return NAV_ERR_LIMIT;
    for (int i = 0; arrays[i]; i++) {
        nav_status s = grow(arrays[i], sizes[i], (uint32_t)capacity);
        if (s != NAV_OK) return s; // the arrays that have grown are larger than need be
    }
    p->capacity = (uint32_t)capacity;
    return NAV_OK;
}

// Each node may need a group, also where all are split off at once.
static nav_status reserve_nodes(nav_reach *r, uint64_t more)
{
    void *const nodes[] = {&r->node, &r->touched, &r->queue, &r->fronts, NULL};
    const size_t node_sizes[] = {sizeof *r->node, sizeof *r->touched, sizeof *r->queue, sizeof *r->fronts};
    void *const groups[] = {&r->group, &r->judged, &r->verdicts, NULL};
    const size_t group_sizes[] = {sizeof *r->group, sizeof *r->judged, sizeof *r->verdicts};
    nav_status s = reserve(&r->node_pool, more, nodes, node_sizes);
    // Labels that were joined live on while a node has them: at most as many as nodes, and as many again to split off.
    uint64_t labels = 2 * ((uint64_t)r->node_pool.count + more) + r->group_pool.count;
    return s == NAV_OK ? reserve(&r->group_pool, labels - r->group_pool.count, groups, group_sizes) : s;
}

static nav_status reserve_edges(nav_reach *r, uint64_t more)
{
    void *const arrays[] = {&r->half, NULL};
    const size_t sizes[] = {2 * sizeof *r->half};
    return reserve(&r->half_pool, more, arrays, sizes);
}

static nav_status reserve_links(nav_reach *r, uint64_t more)
{
    void *const arrays[] = {&r->link, NULL};
    const size_t sizes[] = {sizeof *r->link};
    return reserve(&r->link_pool, more, arrays, sizes);
}

static uint32_t slot_of(const nav_reach *r, int32_t x, int32_t z)
{
    uint64_t v = (uint64_t)(uint32_t)x << 32 | (uint32_t)z;
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(v ^ (v >> 31)) & (r->slot_count - 1);
}

static nav_status reserve_tiles(nav_reach *r, uint64_t more)
{
    void *const arrays[] = {&r->tile, NULL};
    const size_t sizes[] = {sizeof *r->tile};
    nav_status s = reserve(&r->tile_pool, more, arrays, sizes);
    if (s != NAV_OK || r->slot_count >= r->tile_pool.capacity) return s;
    uint32_t *slots = malloc(sizeof *slots * r->tile_pool.capacity), old_count = r->slot_count, *old = r->slots;
    if (!slots) return NAV_ERR_MEMORY;
    r->slots = slots;
    r->slot_count = r->tile_pool.capacity; // a power of two
    for (uint32_t i = 0; i < r->slot_count; i++) slots[i] = NONE;
    for (uint32_t i = 0; i < old_count; i++)
        for (uint32_t t = old[i], next; t != NONE; t = next) {
            next = r->tile[t].next_hash;
            uint32_t *slot = &slots[slot_of(r, r->tile[t].x, r->tile[t].z)];
            r->tile[t].next_hash = *slot;
            *slot = t;
        }
    free(old);
    return NAV_OK;
}

// --- tiles

uint32_t nav_reach_find_tile(const nav_reach *r, int32_t x, int32_t z)
{
    if (!r->slot_count) return NONE;
    uint32_t t = r->slots[slot_of(r, x, z)];
    while (t != NONE && (r->tile[t].x != x || r->tile[t].z != z)) t = r->tile[t].next_hash;
    return t;
}

static uint32_t touch_tile(nav_reach *r, int32_t x, int32_t z)
{
    uint32_t t = nav_reach_find_tile(r, x, z);
    if (t != NONE) return t;
    reach_pool *p = &r->tile_pool;
    t = p->free;
    if (t != NONE)
        p->free = r->tile[t].next_free;
    else
        t = p->used++;
    assert(t < p->capacity);
    p->count++;
    uint32_t *slot = &r->slots[slot_of(r, x, z)];
    r->tile[t] = (reach_tile){.x = x, .z = z, .links = NONE, .ends = NONE, .next_hash = *slot};
    *slot = t;
    return t;
}

// Forgets a tile that nobody needs any more.
static void release_tile(nav_reach *r, uint32_t t)
{
    reach_tile *tile = &r->tile[t];
    if (tile->parts || tile->ends != NONE || tile->dirty || tile->changed) return;
    uint32_t *at = &r->slots[slot_of(r, tile->x, tile->z)];
    while (*at != t) at = &r->tile[*at].next_hash;
    *at = tile->next_hash;
    tile->next_free = r->tile_pool.free;
    r->tile_pool.free = t;
    r->tile_pool.count--;
}

void nav_reach_mark_dirty(nav_reach *r, uint32_t t)
{
    if (r->tile[t].dirty) return;
    r->tile[t].dirty = true;
    r->tile[t].next_dirty = r->dirty;
    r->dirty = t;
}

static uint32_t neighbour(const nav_reach *r, uint32_t t, int side)
{
    static const int32_t step[NAV_SIDES][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    uint32_t n = nav_reach_find_tile(r, r->tile[t].x + step[side][0], r->tile[t].z + step[side][1]);
    return n != NONE && r->tile[n].parts ? n : NONE;
}

static void add_nodes(nav_reach *r, uint32_t t)
{
    const nav_parts *parts = r->tile[t].parts;
    reach_pool *p = &r->node_pool;
    for (uint32_t i = 0; i < parts->count; i++) {
        uint32_t n = p->free;
        if (n != NONE)
            p->free = r->node[n].next;
        else
            n = p->used++;
        assert(n < p->capacity);
        p->count++;
        r->tile[t].nodes[i] = n;
        r->node[n] = (reach_node){.doubled_area = parts->doubled_area[i],
                                  .tile = t,
                                  .part = i,
                                  .first_half = NONE,
                                  .touched_at = NONE,
                                  .next = NONE};
        nav_reach_group_add(r, nav_reach_group_create(r, false), n);
        nav_reach_touch(r, n);
        r->off_count++;
        r->all_area += parts->doubled_area[i];
        r->off_area += parts->doubled_area[i];
    }
}

static void remove_node(nav_reach *r, uint32_t n)
{
    reach_node *node = &r->node[n];
    while (node->first_half != NONE) {
        uint32_t h = node->first_half;
        nav_reach_edge_remove(r, h & ~(uint32_t)1);
    }
    for (uint32_t s = 0; s < r->seed_count && node->seeds; s++)
        if (r->seeds[s].node == n) {
            r->seeds[s].node = NONE;
            r->seeds[s].dirty = true;
        }
    nav_reach_group_remove(r, n);
    nav_reach_untouch(r, n);
    if (!node->on) {
        r->off_count--;
        r->off_area -= node->doubled_area;
    }
    r->all_area -= node->doubled_area;
    node->next = r->node_pool.free;
    r->node_pool.free = n;
    r->node_pool.count--;
}

// --- links

static void add_links(nav_reach *r, uint32_t t)
{
    const nav_parts *parts = r->tile[t].parts;
    for (uint32_t i = 0; i < parts->link_count; i++) {
        reach_pool *p = &r->link_pool;
        int32_t x, z;
        uint32_t l = p->free;
        if (l != NONE)
            p->free = r->link[l].next;
        else
            l = p->used++;
        assert(l < p->capacity);
        p->count++;
        const float *end = parts->links[i].end;
        nav_tile_at(&r->settings, (double)end[0], (double)end[2], &x, &z);
        uint32_t to = touch_tile(r, x, z);
        r->link[l] = (reach_link){t, i, to, NONE, r->tile[t].links, r->tile[to].ends, NONE};
        if (r->tile[to].ends != NONE) r->link[r->tile[to].ends].before_at_end = l;
        r->tile[to].ends = r->tile[t].links = l;
    }
}

static void remove_links(nav_reach *r, uint32_t t)
{
    for (uint32_t l = r->tile[t].links, next; l != NONE; l = next) {
        reach_link *link = &r->link[l];
        next = link->next;
        assert(link->half == NONE); // its node has gone
        if (link->next_at_end != NONE) r->link[link->next_at_end].before_at_end = link->before_at_end;
        if (link->before_at_end == NONE)
            r->tile[link->end_tile].ends = link->next_at_end;
        else
            r->link[link->before_at_end].next_at_end = link->next_at_end;
        if (link->end_tile != t) release_tile(r, link->end_tile);
        link->next = r->link_pool.free;
        r->link_pool.free = l;
        r->link_pool.count--;
    }
    r->tile[t].links = NONE;
}

static void unlink_edge(nav_reach *r, uint32_t l)
{
    reach_link *link = &r->link[l];
    if (link->half != NONE) nav_reach_edge_remove(r, link->half);
    link->half = NONE;
}

static void unlink_all(nav_reach *r, uint32_t t)
{
    for (uint32_t l = r->tile[t].links; l != NONE; l = r->link[l].next) unlink_edge(r, l);
    for (uint32_t l = r->tile[t].ends; l != NONE; l = r->link[l].next_at_end) unlink_edge(r, l);
}

// Where does a link lead now? One node as before: nothing changes.
static nav_status join_link(nav_reach *r, uint32_t l)
{
    reach_link *link = &r->link[l];
    const reach_tile *from = &r->tile[link->tile], *to = &r->tile[link->end_tile];
    const nav_part_link *part = &from->parts->links[link->index];
    nav_place_query q = {{part->end[0], part->end[1], part->end[2]}, part->radius_m, r->settings.agent_climb_m};
    double distance2;
    int32_t found = to->parts ? r->find(r->user, to->x, to->z, &q, &distance2) : -1;
    uint32_t start = from->nodes[part->part], end = found < 0 ? NONE : to->nodes[found];
    bool directed = r->directed && !part->both_ways;
    if (link->half != NONE && r->half[link->half + 1].node == end && r->half[link->half].is_arc == directed)
        return NAV_OK;
    nav_status s = reserve_edges(r, 1);
    if (s != NAV_OK) return s;
    unlink_edge(r, l);
    if (end != NONE && end != start) link->half = nav_reach_edge_add(r, start, end, directed);
    return NAV_OK;
}

// --- borders

static int compare_pairs(const void *a, const void *b)
{
    const reach_pair *l = a, *r = b;
    if (l->a != r->a) return l->a < r->a ? -1 : 1;
    return (l->b > r->b) - (l->b < r->b); // equal ones are one
}

static nav_status collect_pairs(nav_reach *r, uint32_t t, uint32_t n, int side, uint32_t *count)
{
    const nav_parts *here = r->tile[t].parts, *there = r->tile[n].parts;
    uint32_t first = there->edge_first[side ^ 2], end = there->edge_first[(side ^ 2) + 1];
    *count = 0;
    for (uint32_t i = here->edge_first[side]; i < here->edge_first[side + 1]; i++) {
        const nav_border_edge *a = &here->edges[i];
        for (uint32_t k = first; k < end && there->edges[k].lo < a->hi; k++) {
            if (!nav_border_edges_join(a, &there->edges[k], r->near_vx)) continue;
            if (*count == r->pair_capacity) {
                uint32_t capacity = r->pair_capacity ? 2 * r->pair_capacity : 64;
                nav_status s = grow(&r->pairs, sizeof *r->pairs, capacity);
                if (s != NAV_OK) return s;
                r->pair_capacity = capacity;
            }
            r->pairs[(*count)++] = (reach_pair){r->tile[t].nodes[a->part], r->tile[n].nodes[there->edges[k].part]};
        }
    }
    return NAV_OK;
}

static nav_status join_borders(nav_reach *r, uint32_t t)
{
    for (int side = 0; side < NAV_SIDES; side++) {
        uint32_t n = neighbour(r, t, side), count;
        if (n == NONE || r->tile[t].joined >> side & 1) continue;
        nav_status s = collect_pairs(r, t, n, side, &count);
        if (s == NAV_OK) s = reserve_edges(r, count);
        if (s != NAV_OK) return s;
        if (count > 1) qsort(r->pairs, count, sizeof *r->pairs, compare_pairs);
        for (uint32_t i = 0; i < count; i++)
            if (!i || compare_pairs(&r->pairs[i - 1], &r->pairs[i]))
                (void)nav_reach_edge_add(r, r->pairs[i].a, r->pairs[i].b, false);
        r->tile[t].joined |= (uint8_t)(1u << side);
        r->tile[n].joined |= (uint8_t)(1u << (side ^ 2));
    }
    return NAV_OK;
}

// --- the surface

nav_status nav_reach_create(const nav_settings *settings, const nav_reach_goal *goal, nav_reach_find find, void *user,
                            nav_reach **out)
{
    nav_reach *r = calloc(1, sizeof *r);
    if (!r) return NAV_ERR_MEMORY;
    r->settings = *settings;
    r->find = find;
    r->user = user;
    r->near_vx = 2 * (double)settings->agent_climb_m / (double)nav_height_step_m(settings);
    reach_pool *const pools[] = {&r->node_pool, &r->half_pool, &r->group_pool, &r->link_pool, &r->tile_pool};
    for (int i = 0; i < 5; i++) pools[i]->free = NONE;
    r->dirty = r->changed = NONE;
    nav_reach_set_goal(r, goal);
    *out = r;
    return NAV_OK;
}

void nav_reach_destroy(nav_reach *r)
{
    if (!r) return;
    for (uint32_t s = 0; s < r->slot_count; s++)
        for (uint32_t t = r->slots[s]; t != NONE; t = r->tile[t].next_hash) {
            nav_parts_unref(r->tile[t].parts);
            free(r->tile[t].nodes);
        }
    void *const arrays[] = {r->node,    r->half,  r->group,  r->link,   r->tile,     r->slots,
                            r->touched, r->queue, r->fronts, r->judged, r->verdicts, r->pairs};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    free(r);
}

static void take_out(nav_reach *r, uint32_t t)
{
    reach_tile *tile = &r->tile[t];
    if (!tile->parts) return;
    unlink_all(r, t);
    for (uint32_t i = 0; i < tile->parts->count; i++) remove_node(r, tile->nodes[i]);
    remove_links(r, t);
    for (int side = 0; side < NAV_SIDES; side++) {
        uint32_t n = neighbour(r, t, side);
        if (n != NONE) r->tile[n].joined &= (uint8_t) ~(1u << (side ^ 2));
    }
    tile->joined = 0;
    nav_parts_unref(tile->parts);
    free(tile->nodes);
    tile->parts = NULL;
    tile->nodes = NULL;
}

// The tile hangs together as it did: only areas may be new.
static void exchange(nav_reach *r, uint32_t t, nav_parts *parts)
{
    reach_tile *tile = &r->tile[t];
    for (uint32_t i = 0; i < parts->count; i++) {
        reach_node *n = &r->node[tile->nodes[i]];
        int64_t more = parts->doubled_area[i] - n->doubled_area;
        if (!more) continue;
        n->doubled_area += more;
        r->group[nav_reach_root(r, tile->nodes[i])].doubled_area += more;
        r->all_area += more;
        r->off_area += n->on ? 0 : more;
        nav_reach_touch(r, tile->nodes[i]);
    }
    nav_parts_unref(tile->parts);
    tile->parts = parts;
}

nav_status nav_reach_put(nav_reach *r, int32_t x, int32_t z, nav_parts *parts)
{
    uint32_t t = nav_reach_find_tile(r, x, z), *nodes = NULL;
    nav_status s = NAV_OK;
    if (!parts && (t == NONE || !r->tile[t].parts)) return NAV_OK;
    if (parts && t != NONE && r->tile[t].parts && nav_parts_same(r->tile[t].parts, parts)) {
        exchange(r, t, parts);
    } else {
        if (parts) {
            nodes = malloc(sizeof *nodes * ((size_t)parts->count + 1));
            s = nodes ? reserve_nodes(r, parts->count) : NAV_ERR_MEMORY;
            if (s == NAV_OK) s = reserve_links(r, parts->link_count);
            if (s == NAV_OK) s = reserve_tiles(r, (uint64_t)parts->link_count + 1);
        }
        if (s != NAV_OK) {
            free(nodes);
            nav_parts_unref(parts);
            return s;
        }
        t = touch_tile(r, x, z);
        take_out(r, t);
        r->tile[t].parts = parts;
        r->tile[t].nodes = nodes;
        if (parts) {
            add_nodes(r, t);
            add_links(r, t);
        }
    }
    nav_reach_mark_dirty(r, t);
    nav_reach_mark_changed(r, t);
    return NAV_OK;
}

const nav_parts *nav_reach_get(const nav_reach *r, int32_t x, int32_t z)
{
    uint32_t t = nav_reach_find_tile(r, x, z);
    return t == NONE ? NULL : r->tile[t].parts;
}

static nav_status join_tile(nav_reach *r, uint32_t t)
{
    nav_status s = NAV_OK;
    nav_reach_dirty_seeds(r, &r->tile[t]);
    if (r->tile[t].parts) s = join_borders(r, t);
    for (uint32_t l = r->tile[t].links; l != NONE && s == NAV_OK; l = r->link[l].next) s = join_link(r, l);
    for (uint32_t l = r->tile[t].ends; l != NONE && s == NAV_OK; l = r->link[l].next_at_end) s = join_link(r, l);
    return s;
}

nav_status nav_reach_update(nav_reach *r)
{
    while (r->dirty != NONE) {
        uint32_t t = r->dirty;
        nav_status s = join_tile(r, t);
        if (s != NAV_OK) return s;
        r->dirty = r->tile[t].next_dirty;
        r->tile[t].dirty = false;
        release_tile(r, t);
    }
    for (uint32_t i = 0; i < r->seed_count; i++)
        if (r->seeds[i].dirty) nav_reach_place_seed(r, &r->seeds[i]);
    nav_reach_repair(r);
    nav_reach_judge(r);
    nav_reach_tell(r);
    return NAV_OK;
}

bool nav_reach_next_changed(nav_reach *r, int32_t *x, int32_t *z)
{
    uint32_t t = r->changed;
    if (t == NONE) return false;
    r->changed = r->tile[t].next_changed;
    r->tile[t].changed = false;
    *x = r->tile[t].x;
    *z = r->tile[t].z;
    release_tile(r, t);
    return true;
}

uint32_t nav_reach_mask(const nav_reach *r, int32_t x, int32_t z, uint8_t *off)
{
    uint32_t t = nav_reach_find_tile(r, x, z), count = 0;
    const nav_parts *parts = t == NONE ? NULL : r->tile[t].parts;
    for (uint32_t i = 0; parts && i < parts->count; i++) {
        off[i] = !r->node[r->tile[t].nodes[i]].on;
        count += off[i];
    }
    return count;
}

nav_reach_counts nav_reach_count(const nav_reach *r)
{
    nav_reach_counts c = {.tiles = r->tile_pool.count,
                          .parts = r->node_pool.count,
                          .parts_off = r->off_count,
                          .edges = r->half_pool.count,
                          .links = r->link_pool.count,
                          .doubled_area = r->all_area,
                          .doubled_area_off = r->off_area,
                          .steps = r->steps};
    for (uint32_t i = 0; i < r->seed_count; i++) c.seeds_lost += r->seeds[i].node == NONE;
    return c;
}
