// DESIGN. The shortest path by cones (Cui, Harabor and Grastien, "Compromise-free Pathfinding on a Navigation Mesh",
// 2017). What is searched are not points but what a point sees: a cone is a turn of the path and the piece of an edge
// that is seen from it, between the rays through `right` and `left`, on the way into the cell behind it.
//
//        left   right
//      ----*~~~~~*-------  edge            Into the next cell the cone goes on through each edge that it meets. A path
//           \   /                          turns only where a wall is: at an end of the interval that is a corner of a
//            \ /                           wall, and from there it sees what was hidden before.
//             turn
//
// A ray is never a number: it is the vertex that it passes, and where it meets an edge is told by the side on which the
// ends of the edge are, in whole numbers. Rounded numbers only order the queue.
#include "core/path/known.h"
#include "core/path/wide.h"

#include <stdlib.h>

// A cone whose estimate is little above what came from the queue is looked at without going through the queue. How much
// that is grows with the search: a short one does nothing in vain, and in a long one nearly every cone has its turn
// anyway.
#define SLACK (1.0 / 64)
#define MANY_NODES 16384.0
// Cones after which a search minds the landmarks, and those that follow them: to set them up costs as much as some
// cones.
enum { LONG = 32, VERY_LONG = 1024 };

nav_status nav_path_finder_create(nav_path_finder **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

void nav_path_finder_destroy(nav_path_finder *f)
{
    if (!f) return;
    free(f->turns);
    free(f->cones);
    free(f->later);
    free(f->queue.items);
    free(f->entries);
    free(f->near);
    free(f->branch);
    free(f->met);
    free(f->known);
    free(f->bends);
    free(f->points);
    free(f->cells);
    free(f->jumps);
    nav_path_scratch_destroy(f->scratch);
    nav_path_weigh_destroy(f->weigh);
    nav_path_wide_destroy(f->wide);
    free(f);
}

size_t nav_path_finder_bytes(const nav_path_finder *f)
{
    return sizeof *f + f->turn_room * sizeof *f->turns + f->cone_room * sizeof *f->cones +
           f->later_room * sizeof *f->later + f->queue.room * sizeof *f->queue.items +
           f->entry_room * sizeof *f->entries + f->near_room * sizeof *f->near + f->bend_room * sizeof *f->bends +
           f->point_room * sizeof(float) + f->cell_room * sizeof *f->cells + f->jump_room * sizeof *f->jumps +
           f->branch_room * sizeof *f->branch + f->met_room * sizeof *f->met + f->known_room * sizeof *f->known +
           nav_path_scratch_bytes(f->scratch) + nav_path_weigh_bytes(f->weigh) + nav_path_wide_bytes(f->wide);
}

void nav_path_push(path_search *s, double f, uint32_t what)
{
    s->out_of_memory |= !path_queue_push(&s->f->queue, f, what);
}

path_turn *nav_path_add_turn(path_search *s)
{
    s->full |= ++s->node_count > s->max_nodes || s->turn_count == PATH_LATER;
    if (s->full || s->out_of_memory) return NULL;
    if (!PATH_GROW(s->f->turns, s->f->turn_room, s->turn_count)) {
        s->out_of_memory = true;
        return NULL;
    }
    return &s->f->turns[s->turn_count++];
}

// --- Both ends ---

static path_place place_of(const path_search *s, const path_turn *t)
{
    if (t->kind == PATH_JUMP) return s->set->jumps[t->corner].to;
    if (t->kind == PATH_CROSS) return nav_path_crossing(s, t);
    return (path_place){t->tile, s->set->tiles[t->tile]->cell[t->corner], t->at, t->y};
}

void nav_path_begin(path_search *s, uint32_t turn)
{
    nav_path_finder *f = s->f;
    uint32_t end;
    if (!nav_path_list_near(s->set, place_of(s, &f->turns[turn]), &f->near, &f->near_room, s->goal_count,
                            path_excluded(s), &end)) {
        s->out_of_memory = true;
        return;
    }
    for (uint32_t i = s->goal_count; i < end; i++) {
        path_place here = f->near[i];
        const path_tile *t = s->set->tiles[here.tile];
        if (s->rules && s->rules->class_of[t->area[here.cell]] != f->turns[turn].class) continue;
        if (path_is_goal(s, here.tile, here.cell)) nav_path_see_goal(s, turn, here.tile, here.cell);
        if (s->rules) nav_path_look_for_mouths(s, turn, here.tile, here.cell, NULL);
        for (uint32_t k = t->first[here.cell]; k < t->first[here.cell + 1]; k++)
            if (!nav_path_on_edge(t, k, here.at)) nav_path_look_through(s, turn, here.tile, k);
    }
}

// --- The loop ---

void nav_path_forget(path_search *s)
{
    nav_path_finder *f = s->f;
    f->queue.count = 0;
    s->entry_count = s->turn_count = s->cone_count = s->later_count = s->branch_count = 0;
    s->later_free = s->current = s->goal_turn = PATH_NONE;
    s->tracing = false;
    s->ahead = NULL;
    if (++f->search) return;
    for (uint32_t i = 0; i < f->entry_room; i++) f->entries[i].search = 0; // old stamps could come again
    for (uint32_t i = 0; i < f->met_room; i++) f->met[i].search = 0;
    for (uint32_t i = 0; i < f->known_room; i++) f->known[i].search = 0;
    f->search = 1;
}

void nav_path_look_from(path_search *s, uint32_t turn)
{
    uint8_t kind = s->f->turns[turn].kind;
    if (kind == PATH_LEFT || kind == PATH_RIGHT)
        nav_path_expand_turn(s, turn);
    else
        nav_path_begin(s, turn);
}

// Takes the first of the queue. Returns the turn to the goal, when that is what comes; else PATH_NONE.
static uint32_t take_next(path_search *s)
{
    nav_path_finder *f = s->f;
    path_queued first = path_queue_pop(&f->queue);
    s->bound = first.f + SLACK * first.f * fmin(1, (double)s->node_count / MANY_NODES);
    if (first.what & PATH_LATER) {
        path_cone cone = path_take_later(s, first.what);
        if (!f->turns[cone.turn].outdated) nav_path_expand_cone(s, cone);
    } else if (!f->turns[first.what].outdated) {
        if (f->turns[first.what].kind == PATH_GOAL) return first.what;
        nav_path_look_from(s, first.what);
    }
    return PATH_NONE;
}

// The cells that lead nowhere else, from the goal up to those that do. False: no memory.
static bool find_branch(path_search *s)
{
    nav_path_finder *f = s->f;
    for (uint32_t i = 0; i < s->goal_count; i++) {
        const path_tile *t = s->set->tiles[f->near[i].tile];
        for (uint32_t cell = f->near[i].cell; t->way_out[cell] != PATH_NONE;) {
            if (!PATH_GROW(f->branch, f->branch_room, s->branch_count)) return false;
            f->branch[s->branch_count++] = (path_dead_end){f->near[i].tile, cell};
            int32_t twin = t->twin[t->way_out[cell]];
            if (twin < 0) break; // into another tile
            cell = t->cell[twin];
        }
    }
    return true;
}

uint32_t nav_path_search(path_search *s, const path_place *start, const path_place *goal)
{
    nav_path_finder *f = s->f;
    const path_tile *t = s->set->tiles[start->tile];
    s->goal = goal->at;
    s->goal_y = goal->y;
    nav_path_forget(s);
    if (!nav_path_list_near(s->set, *goal, &f->near, &f->near_room, 0, path_excluded(s), &s->goal_count) ||
        !find_branch(s) || nav_path_forget_known(s) != NAV_OK) {
        s->out_of_memory = true;
        return PATH_NONE;
    }
    path_turn *first = nav_path_add_turn(s);
    if (first) {
        double f0 = path_at_least(s, path_distance(start->at, goal->at));
        *first = (path_turn){.parent = PATH_NONE,
                             .tile = start->tile,
                             .corner = t->first[start->cell],
                             .kind = PATH_START,
                             .class = s->rules ? s->rules->class_of[t->area[start->cell]] : 0,
                             .at = start->at,
                             .before = start->at,
                             .y = start->y,
                             .f = f0};
        s->bound = f0;
        nav_path_begin(s, 0);
    }
    uint32_t found = PATH_NONE, looked = 0;
    while (found == PATH_NONE && !s->full && !s->out_of_memory) {
        if (++looked % 256 == 0 && s->q->stop && s->q->stop(s->q->user)) s->full = s->stopped = true;
        if (looked == LONG) nav_path_look_ahead(s);
        if (looked == VERY_LONG) nav_path_look_far_ahead(s);
        if (s->cone_count)
            nav_path_expand_cone(s, f->cones[--s->cone_count]);
        else if (f->queue.count && f->queue.items[0].f < s->enough)
            found = take_next(s);
        else
            break;
    }
    return found;
}

static nav_status run(path_search *s, const path_place *start, const path_place *goal, nav_path *out)
{
    if (s->rules && s->rules->weighs) return nav_path_find_weighted(s, start, goal, out);
    uint32_t found = nav_path_search(s, start, goal);
    out->nodes = s->node_count;
    if (s->out_of_memory) return NAV_ERR_MEMORY;
    if (found != PATH_NONE) return nav_path_trace(s, found, out);
    if (!s->full) return NAV_ERR_FORMAT; // the ends hang together, but tiles overlap themselves in between
    out->status = NAV_PATH_LIMIT;
    out->limit = path_limit_of(s);
    return NAV_OK;
}

// The goal, or where there is no way to it, the nearest ground to which there is one. NAV_ERR_MEMORY, NAV_ERR_LIMIT.
static nav_status choose_goal(path_search *s, const path_place *start, path_place *goal, nav_path *out)
{
    uint32_t label = path_label(s->set, start->tile, start->cell);
    bool same = path_label(s->set, goal->tile, goal->cell) == label, reached = same;
    bool floods = s->rules && (s->rules->closes || (s->rules->links && !same));
    nav_status st = floods ? nav_path_flood(s, start, goal, &reached) : NAV_OK;
    if (st != NAV_OK || reached) return st;
    out->status = NAV_PATH_PARTIAL;
    if (floods ? !nav_path_locate_if(s->set, s->q->to, nav_path_is_flooded, s, goal)
               : !nav_path_locate_part(s->set, s->q->to, label, goal))
        *goal = *start;
    return NAV_OK;
}

nav_status nav_path_find(nav_path_finder *f, const nav_path_set *set, const nav_path_query *q, nav_path *out)
{
    path_search s = {.f = f,
                     .set = set,
                     .q = q,
                     .max_nodes = q->max_nodes ? q->max_nodes : UINT32_MAX - 1,
                     .best = INFINITY,
                     .enough = INFINITY};
    path_place start, goal;
    path_rules rules;
    uint64_t excluded = q->costs ? q->costs->excluded : 0;
    *out = (nav_path){.status = NAV_PATH_FOUND};
    for (int k = 0; k < 3; k++)
        if (!isfinite(q->from[k]) || !isfinite(q->to[k])) return NAV_ERR_ARGUMENT;
    if (!isfinite(q->near_m) || q->near_m < 0 || !isfinite(q->radius_m) || q->radius_m < 0 || !isfinite(q->gap))
        return NAV_ERR_ARGUMENT;
    if (q->costs || q->links) {
        nav_status st = nav_path_rules_make(set, q, &rules);
        if (st != NAV_OK) return st;
        if (path_rules_count(&rules)) s.rules = &rules;
    }
    double wider = nav_path_wider(set, q);
    if (wider > 0) return nav_path_wide_find(f, set, q, s.rules, wider, out);
    if (!nav_path_locate_open(set, q->from, q->near_m, excluded, &start)) {
        out->status = NAV_PATH_NO_START;
        return NAV_OK;
    }
    if (!nav_path_locate_open(set, q->to, q->near_m, excluded, &goal)) {
        out->status = NAV_PATH_NO_GOAL;
        return NAV_OK;
    }
    nav_status st = choose_goal(&s, &start, &goal, out);
    if (st == NAV_OK) return run(&s, &start, &goal, out);
    if (st != NAV_ERR_LIMIT) return st;
    out->status = NAV_PATH_LIMIT;
    out->limit = NAV_PATH_STOPPED;
    return NAV_OK;
}
