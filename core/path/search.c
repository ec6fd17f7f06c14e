// DESIGN. The shortest path by cones (Cui, Harabor and Grastien, "Compromise-free Pathfinding on a Navigation Mesh",
// 2017). What is searched are not points but what a point sees: a node is a root and the piece of an edge that it sees,
// between the rays through `right` and `left`, on the way into the cell behind it.
//
//        left   right
//      ----*~~~~~*-------  edge            Into the next cell the cone goes on through each edge that it meets. A path
//           \   /                          turns only where a wall is: at an end of the interval that is a corner of a
//            \ /                           wall, a new root begins, and from there what the old one did not see.
//             root
//
// A ray is never a number: it is the vertex that it passes, and where it meets an edge is told by the side on which the
// ends of the edge are, in whole numbers. Rounded numbers only order the queue.
#include "core/path/search_work.h"

#include <stdlib.h>

nav_status nav_path_finder_create(nav_path_finder **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

void nav_path_finder_destroy(nav_path_finder *f)
{
    if (!f) return;
    free(f->nodes);
    free(f->roots);
    free(f->queue.items);
    free(f->entries);
    free(f->bends);
    free(f->points);
    free(f->near);
    free(f);
}

void nav_path_push(path_search *s, double f, uint32_t n)
{
    s->out_of_memory |= !path_queue_push(&s->f->queue, f, n);
}

path_node *nav_path_add_node(path_search *s)
{
    s->full |= s->node_count >= s->max_nodes;
    if (s->full || s->out_of_memory) return NULL;
    if (!PATH_GROW(s->f->nodes, s->f->node_room, s->node_count)) {
        s->out_of_memory = true;
        return NULL;
    }
    return &s->f->nodes[s->node_count++];
}

// --- Both ends ---

static void begin(path_search *s)
{
    for (uint32_t i = 0; i < s->start_count; i++) {
        path_place here = s->f->near[i];
        const path_tile *t = s->set->tiles[here.tile];
        if (path_is_goal(s, here.tile, here.cell)) nav_path_push_goal(s, PATH_NONE, 0);
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++)
            if (!nav_path_on_edge(t, k, here.at)) nav_path_look_through(s, PATH_NONE, 0, here.tile, k);
    }
}

// --- The loop ---

static nav_status run(path_search *s, const path_place *start, const path_place *goal, nav_path *out)
{
    nav_path_finder *f = s->f;
    s->goal = goal->at;
    f->queue.count = 0;
    if (++f->search == 0) { // the stamps of old searches could come again
        for (uint32_t i = 0; i < f->entry_room; i++) f->entries[i].search = 0;
        f->search = 1;
    }
    uint32_t near_count = 0;
    if (!nav_path_list_near(s->set, *start, &f->near, &f->near_room, 0, &s->start_count) ||
        !nav_path_list_near(s->set, *goal, &f->near, &f->near_room, s->start_count, &near_count) ||
        !PATH_GROW(f->roots, f->root_room, 0))
        return NAV_ERR_MEMORY;
    s->goal_count = near_count - s->start_count;
    f->roots[s->root_count++] = (path_root){start->at, start->y, 0, PATH_NONE};
    begin(s);
    uint32_t goal_node = PATH_NONE;
    for (uint32_t turn = 1; f->queue.count && goal_node == PATH_NONE && !s->full && !s->out_of_memory; turn++) {
        uint32_t at = path_queue_pop(&f->queue);
        const path_node *n = &f->nodes[at];
        if (turn % 256 == 0 && s->q->stop && s->q->stop(s->q->user)) s->full = true;
        if (n->kind == PATH_NODE_GOAL)
            goal_node = at;
        else if (n->kind == PATH_NODE_EDGE && !path_is_outdated(s, f->roots[n->root].entry, f->roots[n->root].g))
            nav_path_expand_edge(s, at);
        else if (n->kind != PATH_NODE_EDGE && !path_is_outdated(s, n->entry, n->g))
            nav_path_expand_turn(s, at);
    }
    out->nodes += s->node_count;
    if (s->out_of_memory) return NAV_ERR_MEMORY;
    if (goal_node != PATH_NONE) return nav_path_write(s, goal_node, goal->y, out);
    if (!s->full) return NAV_ERR_FORMAT; // the ends hang together, but tiles overlap themselves in between
    out->status = NAV_PATH_LIMIT;
    return NAV_OK;
}

nav_status nav_path_find(nav_path_finder *f, const nav_path_set *set, const nav_path_query *q, nav_path *out)
{
    path_search s = {.f = f, .set = set, .q = q, .max_nodes = q->max_nodes ? q->max_nodes : UINT32_MAX - 1};
    path_place start, goal;
    *out = (nav_path){.status = NAV_PATH_FOUND};
    for (int k = 0; k < 3; k++)
        if (!isfinite(q->from[k]) || !isfinite(q->to[k])) return NAV_ERR_ARGUMENT;
    if (!isfinite(q->near_m) || q->near_m < 0) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate(set, q->from, q->near_m, &start)) {
        out->status = NAV_PATH_NO_START;
        return NAV_OK;
    }
    if (!nav_path_locate(set, q->to, q->near_m, &goal)) {
        out->status = NAV_PATH_NO_GOAL;
        return NAV_OK;
    }
    uint32_t label = path_label(set, start.tile, start.cell);
    if (path_label(set, goal.tile, goal.cell) != label) {
        out->status = NAV_PATH_PARTIAL;
        if (!nav_path_locate_part(set, q->to, label, &goal)) goal = start;
    }
    return run(&s, &start, &goal, out);
}
