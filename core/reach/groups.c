// Groups of nodes: a union-find whose sets may lose members. A node has a label; labels that were joined form trees,
// the smaller below the larger, so a root is a few steps away. A label that neither a node nor another label names is
// free again. Counts, area, seeds and the rings of arcs are kept at the root.

#include "core/reach/reach_work.h"

uint32_t nav_reach_group_create(nav_reach *r, bool reached)
{
    reach_pool *p = &r->group_pool;
    uint32_t g = p->free;
    if (g != NONE)
        p->free = r->group[g].next;
    else
        g = p->used++;
    assert(g < p->capacity);
    p->count++;
    r->group[g] = (reach_group){.up = g, .arcs = {NONE, NONE}, .next = NONE, .starts = NONE, .reached = reached};
    return g;
}

static void drop_name(nav_reach *r, uint32_t g)
{
    while (--r->group[g].names == 0) {
        uint32_t up = r->group[g].up;
        r->group[g].next = r->group_pool.free;
        r->group_pool.free = g;
        r->group_pool.count--;
        if (up == g) return;
        g = up;
    }
}

uint32_t nav_reach_root(nav_reach *r, uint32_t node)
{
    uint32_t label = r->node[node].label, root = label;
    while (r->group[root].up != root) root = r->group[root].up;
    if (root != label) { // named directly from now on; labels in between may go
        r->node[node].label = root;
        r->group[root].names++;
        drop_name(r, label);
    }
    return root;
}

// --- rings of arcs

static void ring_add(nav_reach *r, uint32_t *ring, uint32_t h)
{
    reach_half *half = &r->half[h];
    if (*ring == NONE) {
        half->arc_next = half->arc_before = h;
        *ring = h;
        return;
    }
    uint32_t before = r->half[*ring].arc_before;
    half->arc_next = *ring;
    half->arc_before = before;
    r->half[before].arc_next = h;
    r->half[*ring].arc_before = h;
}

static void ring_remove(nav_reach *r, uint32_t *ring, uint32_t h)
{
    reach_half *half = &r->half[h];
    if (half->arc_next == h) {
        *ring = NONE;
        return;
    }
    r->half[half->arc_before].arc_next = half->arc_next;
    r->half[half->arc_next].arc_before = half->arc_before;
    if (*ring == h) *ring = half->arc_next;
}

static void ring_splice(nav_reach *r, uint32_t *into, uint32_t other)
{
    if (other == NONE) return;
    if (*into == NONE) {
        *into = other;
        return;
    }
    uint32_t a_end = r->half[*into].arc_before, b_end = r->half[other].arc_before;
    r->half[a_end].arc_next = other;
    r->half[other].arc_before = a_end;
    r->half[b_end].arc_next = *into;
    r->half[*into].arc_before = b_end;
}

static void move_arcs(nav_reach *r, uint32_t node, uint32_t group, bool in)
{
    for (uint32_t h = r->node[node].first_half; h != NONE; h = r->half[h].next) {
        if (!r->half[h].is_arc) continue;
        uint32_t *ring = &r->group[group].arcs[h & 1];
        if (in)
            ring_add(r, ring, h);
        else
            ring_remove(r, ring, h);
    }
}

// --- members

void nav_reach_group_add(nav_reach *r, uint32_t group, uint32_t node)
{
    reach_group *g = &r->group[group];
    reach_node *n = &r->node[node];
    assert(g->up == group);
    n->label = group;
    g->names++;
    g->nodes++;
    g->seeds += n->seeds;
    g->doubled_area += n->doubled_area;
    move_arcs(r, node, group, true);
}

void nav_reach_group_remove(nav_reach *r, uint32_t node)
{
    uint32_t root = nav_reach_root(r, node);
    reach_group *g = &r->group[root];
    reach_node *n = &r->node[node];
    move_arcs(r, node, root, false);
    g->nodes--;
    g->seeds -= n->seeds;
    g->doubled_area -= n->doubled_area;
    drop_name(r, n->label);
    n->label = NONE;
}

// What arcs lead to from a group that becomes reached by being joined is to be looked at.
static void touch_targets(nav_reach *r, uint32_t group)
{
    uint32_t first = r->group[group].arcs[0], h = first;
    if (h == NONE) return;
    do {
        nav_reach_touch(r, r->half[h ^ 1].node);
        h = r->half[h].arc_next;
    } while (h != first);
}

void nav_reach_group_join(nav_reach *r, uint32_t a, uint32_t b)
{
    uint32_t to = nav_reach_root(r, a), from = nav_reach_root(r, b);
    if (to == from) return;
    if (r->group[to].nodes < r->group[from].nodes) {
        uint32_t swap = to;
        to = from;
        from = swap;
    }
    reach_group *t = &r->group[to], *f = &r->group[from];
    if (t->reached != f->reached) touch_targets(r, t->reached ? from : to);
    f->up = to;
    t->names++;
    t->nodes += f->nodes;
    t->seeds += f->seeds;
    t->doubled_area += f->doubled_area;
    t->reached |= f->reached;
    t->lost |= f->lost;
    for (int k = 0; k < 2; k++) ring_splice(r, &t->arcs[k], f->arcs[k]);
}

void nav_reach_touch(nav_reach *r, uint32_t node)
{
    if (r->node[node].touched_at != NONE) return;
    r->node[node].touched_at = r->touched_count;
    r->touched[r->touched_count++] = node;
}

void nav_reach_untouch(nav_reach *r, uint32_t node)
{
    uint32_t at = r->node[node].touched_at;
    if (at == NONE) return;
    uint32_t last = r->touched[--r->touched_count];
    r->touched[at] = last;
    r->node[last].touched_at = at;
    r->node[node].touched_at = NONE;
}

// --- edges

static void half_add(nav_reach *r, uint32_t h, uint32_t node, bool is_arc)
{
    reach_node *n = &r->node[node];
    r->half[h] = (reach_half){node, n->first_half, NONE, NONE, NONE, is_arc};
    if (n->first_half != NONE) r->half[n->first_half].before = h;
    n->first_half = h;
    if (is_arc) ring_add(r, &r->group[nav_reach_root(r, node)].arcs[h & 1], h);
}

static void half_remove(nav_reach *r, uint32_t h)
{
    reach_half *half = &r->half[h];
    if (half->is_arc) ring_remove(r, &r->group[nav_reach_root(r, half->node)].arcs[h & 1], h);
    if (half->before == NONE)
        r->node[half->node].first_half = half->next;
    else
        r->half[half->before].next = half->next;
    if (half->next != NONE) r->half[half->next].before = half->before;
}

uint32_t nav_reach_edge_add(nav_reach *r, uint32_t from, uint32_t to, bool directed)
{
    reach_pool *p = &r->half_pool;
    uint32_t e = p->free;
    if (e != NONE)
        p->free = r->half[2 * e].next;
    else
        e = p->used++;
    assert(e < p->capacity);
    p->count++;
    half_add(r, 2 * e, from, directed);
    half_add(r, 2 * e + 1, to, directed);
    nav_reach_touch(r, from);
    nav_reach_touch(r, to);
    if (!directed) nav_reach_group_join(r, from, to);
    return 2 * e;
}

void nav_reach_edge_remove(nav_reach *r, uint32_t half)
{
    uint32_t e = half / 2;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t node = r->half[2 * e + k].node;
        nav_reach_touch(r, node);
        if (!r->half[2 * e].is_arc) r->group[nav_reach_root(r, node)].lost = true;
        half_remove(r, 2 * e + k);
    }
    r->half[2 * e].next = r->half_pool.free;
    r->half_pool.free = e;
    r->half_pool.count--;
}
