// DESIGN. The shortest path of an agent wider than the tiles were built for: it keeps `radius` more away from each wall
// than the tiles do. Such a path is a string around circles: at each corner of a wall there is one, and between them
// run straight tangents.
//
//        ___                      As for a point (search.c), what is searched is what a root sees: here a root is
//      /  o  \___________         an arc, and it sees each place by one tangent. Edges cut the tangents
//     |      |          _\___     into cones; what a piece of a cell is in the way of is taken out of them
//      \____/         / o    \    (wide_clear.c). A turn begins where a tangent of one circle comes to another.
//
// All pairs of corners that see each other are found in this way, so the path is the shortest: the least estimate goes
// first, and no estimate is too long. Of the ways to the same circle and side, one is left out if another is as short,
// reckoned around the circle, and leads at least as far around it.
//
// Nothing is prepared and nothing kept up to date but the pieces of the cells that searches come to. Numbers are
// rounded, and so pieces are narrower than the agent by WIDE_SLACK: what is as wide as the agent lets it pass.
#include "core/path/wide.h"

#include <stdlib.h>

enum { LONG = 32 };                       // nodes after which a search minds landmarks
enum { FIRST_LOOK = 512, NEXT_LOOK = 4 }; // after so many nodes, and so many times as many, whether there is a way

// From here on the search minds the set's landmarks. False: no memory.
static bool look_ahead(wide_search *s, const path_place *goal)
{
    path_search narrow = {.f = s->f, .set = s->set, .q = s->q, .rules = s->rules, .goal = goal->at};
    if (!PATH_GROW(s->f->near, s->f->near_room, 0)) return false;
    s->f->near[0] = *goal;
    nav_path_look_ahead(&narrow);
    s->ahead = narrow.ahead;
    return true;
}

// *goal_node: PATH_NONE: the goal cannot be reached, or the search is full.
static nav_status run(wide_search *s, path_place start, path_place goal, uint32_t *goal_node)
{
    nav_path_finder *f = s->f;
    nav_path_wide *w = s->w;
    uint32_t end;
    *goal_node = PATH_NONE;
    s->start = wide_of(start.at);
    s->goal = wide_of(goal.at);
    s->node_count = s->root_count = s->entry_count = 0;
    s->ahead = NULL;
    s->is_joined = false;
    f->queue.count = 0;
    for (uint32_t i = 0; i < w->head_room; i++) w->heads[i] = PATH_NONE;
    if (!nav_path_wide_list(s, 0, start, WIDE_SLACK, &s->start_count) ||
        !nav_path_wide_list(s, s->start_count, goal, WIDE_SLACK, &end) || !PATH_GROW(w->roots, w->root_room, 0))
        return NAV_ERR_MEMORY;
    s->goal_count = end - s->start_count;
    w->roots[s->root_count++] = (wide_root){
        .circle = {s->start, 0}, .begin = {1, 0}, .entry = PATH_NONE, .tile = PATH_NONE, .corner = PATH_NONE};
    nav_path_wide_begin(s);
    uint32_t look = FIRST_LOOK;
    for (uint32_t turn = 1; f->queue.count && !s->full && !s->out_of_memory; turn++) {
        path_queued first = path_queue_pop(&f->queue);
        uint32_t at = first.what;
        const wide_node *n = &w->nodes[at];
        s->least = first.f;
        if (turn == LONG && !s->look_for_nearest && !look_ahead(s, &goal)) return NAV_ERR_MEMORY;
        if (turn % 64 == 0 && s->q->stop && s->q->stop(s->q->user)) s->full = s->stopped = true;
        if (turn == look && !s->look_for_nearest && !s->is_joined) { // what it costs is little to what was searched
            if (nav_path_wide_is_apart(s, turn)) break;
            look = look <= UINT32_MAX / NEXT_LOOK ? look * NEXT_LOOK : UINT32_MAX;
        }
        s->full |= s->kept->bytes > WIDE_MOST_BYTES;
        if (n->kind == WIDE_GOAL) {
            *goal_node = at;
            break;
        }
        if (n->kind == WIDE_EDGE)
            nav_path_wide_expand_edge(s, at);
        else if (n->kind == WIDE_JUMP)
            nav_path_wide_expand_jump(s, at);
        else
            nav_path_wide_expand_turn(s, at);
    }
    return s->out_of_memory ? NAV_ERR_MEMORY : NAV_OK;
}

// The nearest place where the agent fits.
static bool locate(wide_search *s, const double at_m[3], path_place *out)
{
    double near = s->q->near_m / (double)s->set->grid.cell_size_m * NAV_PATH_FINE, y;
    wide_vec to;
    return nav_path_locate_open(s->set, at_m, s->q->near_m, s->kept->excluded, out) &&
           nav_path_from_metres(s->set, at_m, &to.x, &to.z, &y) && nav_path_wide_fit(s, to, near + WIDE_SLACK, out);
}

static nav_status find(wide_search *s, nav_path *out)
{
    path_place start, goal;
    uint32_t goal_node = PATH_NONE;
    nav_status st = NAV_OK;
    if (!locate(s, s->q->from, &start)) {
        out->status = NAV_PATH_NO_START;
        return s->out_of_memory ? NAV_ERR_MEMORY : NAV_OK;
    }
    if (!locate(s, s->q->to, &goal)) {
        out->status = NAV_PATH_NO_GOAL;
        return s->out_of_memory ? NAV_ERR_MEMORY : NAV_OK;
    }
    uint32_t label = path_label(s->set, start.tile, start.cell);
    bool reachable = wide_links(s) || path_label(s->set, goal.tile, goal.cell) == label;
    if (reachable) st = run(s, start, goal, &goal_node);
    out->nodes += s->node_count;
    if (st == NAV_OK && goal_node == PATH_NONE && !s->full) {
        // The place nearest to the goal becomes the goal: of all that may be reached, or if that one cannot, of all
        // that is found to be.
        out->status = NAV_PATH_PARTIAL;
        path_place to = goal;
        if (nav_path_wide_find_nearest(s, start, wide_of(goal.at))) to = s->nearest_place;
        if (s->out_of_memory) return NAV_ERR_MEMORY;
        if (!s->full) st = run(s, start, to, &goal_node);
        out->nodes += s->node_count;
        if (st == NAV_OK && goal_node == PATH_NONE && !s->full) {
            s->look_for_nearest = true;
            s->nearest = INFINITY;
            s->nearest_place = start;
            st = run(s, start, goal, &goal_node);
            out->nodes += s->node_count;
            s->look_for_nearest = false;
            if (st == NAV_OK && !s->full) st = run(s, start, s->nearest_place, &goal_node);
            out->nodes += s->node_count;
        }
    }
    if (st != NAV_OK) return st;
    if (goal_node != PATH_NONE) return nav_path_wide_write(s, goal_node, start, out);
    out->status = NAV_PATH_LIMIT;
    out->limit = s->stopped ? NAV_PATH_STOPPED : NAV_PATH_OUT_OF_NODES;
    return NAV_OK;
}

nav_status nav_path_wide_find(nav_path_finder *f, const nav_path_set *set, const nav_path_query *q,
                              const path_rules *rules, double radius, nav_path *out)
{
    if (rules && rules->weighs) return NAV_ERR_ARGUMENT;
    if (radius > (double)NAV_PATH_MAX_WIDER * NAV_PATH_FINE) return NAV_ERR_LIMIT;
    if (!f->wide && !(f->wide = calloc(1, sizeof *f->wide))) return NAV_ERR_MEMORY;
    wide_search s = {.f = f,
                     .w = f->wide,
                     .set = set,
                     .q = q,
                     .rules = rules,
                     .radius = radius,
                     .max_nodes = q->max_nodes ? q->max_nodes : UINT32_MAX - 1};
    nav_status st = nav_path_wide_choose(&s);
    return st == NAV_OK ? find(&s, out) : st;
}
