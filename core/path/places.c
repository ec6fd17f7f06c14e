#include "core/path/places_work.h"

#include <stdlib.h>

void nav_path_scratch_destroy(path_scratch *p)
{
    if (!p) return;
    free(p->near);
    free(p->queue.items);
    free(p->items);
    free(p->around);
    free(p->seen);
    free(p->shares);
    free(p->order);
    free(p->points);
    free(p->ring);
    free(p->cut);
    free(p->cells);
    free(p->outline);
    free(p->outline_first);
    free(p);
}

size_t nav_path_scratch_bytes(const path_scratch *p)
{
    if (!p) return 0;
    return sizeof *p + p->near_room * sizeof *p->near + p->queue.room * sizeof *p->queue.items +
           p->item_room * sizeof *p->items + p->around_room * sizeof *p->around + p->seen_room * sizeof *p->seen +
           p->share_room * sizeof *p->shares + p->order_room * sizeof *p->order + p->point_room * sizeof *p->points +
           p->ring_room * sizeof *p->ring + p->cut_room * sizeof *p->cut + p->cell_room * sizeof *p->cells +
           p->outline_room * sizeof *p->outline + p->outline_first_room * sizeof *p->outline_first;
}

path_scratch *nav_path_scratch_begin(nav_path_finder *f)
{
    if (!f->scratch) f->scratch = calloc(1, sizeof *f->scratch);
    path_scratch *p = f->scratch;
    if (!p) return NULL;
    p->queue.count = p->near_count = p->item_count = p->around_count = p->seen_count = p->share_count = 0;
    if (++p->stamp) return p;
    for (uint32_t i = 0; i < p->seen_room; i++) p->seen[i].stamp = 0; // those of old answers could come again
    p->stamp = 1;
    return p;
}

bool nav_path_scratch_push(path_scratch *p, double f, path_at item)
{
    if (!PATH_GROW(p->items, p->item_room, p->item_count)) return false;
    p->items[p->item_count++] = item;
    return path_queue_push(&p->queue, f, p->item_count - 1);
}

static uint32_t find_seen(const path_scratch *p, uint64_t cell)
{
    uint32_t i = path_slot_of(cell, p->seen_room);
    while (p->seen[i].stamp == p->stamp && p->seen[i].cell != cell) i = (i + 1) & (p->seen_room - 1);
    return i;
}

static bool reserve_seen(path_scratch *p)
{
    if (2 * (p->seen_count + 1) <= p->seen_room) return true;
    uint32_t before = p->seen_room, room = before ? 2 * before : 256;
    path_seen *old = p->seen, *grown = room > before ? calloc(room, sizeof *grown) : NULL;
    if (!grown) return false;
    p->seen = grown;
    p->seen_room = room;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].stamp == p->stamp) p->seen[find_seen(p, old[i].cell)] = old[i];
    free(old);
    return true;
}

uint32_t *nav_path_scratch_see(path_scratch *p, uint32_t tile, uint32_t cell, bool *first)
{
    if (!reserve_seen(p)) return NULL;
    uint64_t key = (uint64_t)tile << 32 | cell;
    path_seen *s = &p->seen[find_seen(p, key)];
    *first = s->stamp != p->stamp;
    if (*first) *s = (path_seen){key, p->stamp, 0};
    p->seen_count += *first;
    return &s->value;
}

nav_status nav_path_fence_make(const nav_path_set *set, uint64_t excluded, bool (*stop)(void *user), void *user,
                               path_fence *out)
{
    nav_path_costs_default(&out->costs);
    out->costs.excluded = excluded;
    out->query = (nav_path_query){.costs = &out->costs, .stop = stop, .user = user};
    return nav_path_rules_make(set, &out->query, &out->rules);
}

nav_status nav_path_flood_fence(const path_fence *fence, nav_path_finder *f, const nav_path_set *set,
                                const path_place *start, path_search *s)
{
    const path_place nowhere = {.tile = PATH_NONE};
    bool reached;
    *s = (path_search){.f = f, .set = set, .q = &fence->query, .rules = &fence->rules};
    return nav_path_flood(s, start, &nowhere, &reached);
}

void nav_path_tell_place(const nav_path_set *set, uint32_t tile, uint32_t cell, double x, double z, nav_path_place *out)
{
    const path_tile *t = set->tiles[tile];
    *out = (nav_path_place){.cell = path_cell_name(t, cell)};
    nav_path_point_to_metres(set, x, z, nav_path_height(set, tile, cell, x, z), out->at);
}

void nav_path_tell_edge(const nav_path_set *set, path_at edge, nav_path_edge *out)
{
    const path_tile *t = set->tiles[edge.tile];
    uint32_t next = path_next(t, edge.corner);
    path_spot a = path_corner(t, edge.corner), b = path_corner(t, next);
    double dx = (double)b.x - a.x, dz = (double)b.z - a.z, length = sqrt(dx * dx + dz * dz);
    nav_path_to_metres(set, a, (double)t->y[t->vert[edge.corner]], out->from);
    nav_path_to_metres(set, b, (double)t->y[t->vert[next]], out->to);
    out->normal[0] = (float)(dz / length);
    out->normal[1] = (float)((0 - dx) / length); // never a negative zero
}
