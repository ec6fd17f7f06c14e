#include "daemon/paths/landmarks.h"

#include "daemon/paths/ground.h"

// Fewer are not worth much: where tiles change before, what was made goes.
enum { ENOUGH = 4 };

// --- At a worker ---

static bool is_stopped(void *user)
{
    return atomic_load_explicit(&((nd_landmarks *)user)->stop, memory_order_relaxed);
}

// As many as there is room for.
static nav_status choose(nd_landmarks *l)
{
    uint32_t count = nav_path_landmarks_worth(l->set);
    while (count >= ENOUGH && nav_path_landmarks_need(l->set, count) > l->room) count /= 2;
    return count < ENOUGH ? NAV_ERR_MEMORY : nav_path_landmarks_create(l->set, count, &l->made);
}

static void run(nd_task *task, nd_worker *worker)
{
    nd_landmarks *l = ND_HOLDER(task, nd_landmarks, task);
    (void)worker;
    l->status = l->made ? NAV_OK : choose(l);
    if (l->status == NAV_OK) l->status = nav_path_landmarks_flood(l->made, l->next, l->finder, l->set, is_stopped, l);
}

// --- On the loop ---

static void free_landmarks(void *what)
{
    nav_path_landmarks_destroy(what);
}

// From here on searches have to pay for them anew.
// At once where workers may have ended.
static void dispose(nd_ground *g, size_t bytes, nav_path_landmarks *l)
{
    if (l) nd_workers_dispose(g->paths->stopping ? NULL : g->paths->workers, bytes, free_landmarks, l);
}

static void drop(nd_ground *g)
{
    nd_landmarks *l = &g->landmarks;
    dispose(g, l->bytes, l->made);
    l->made = NULL;
    l->bytes = 0;
    l->next = 0;
    l->spent = 0;
}

static void done(nd_task *task, bool ran)
{
    nd_landmarks *l = ND_HOLDER(task, nd_landmarks, task);
    nd_ground *g = ND_HOLDER(l, nd_ground, landmarks);
    nd_paths *p = g->paths;
    l->busy = false;
    nd_finders_give(&p->finders, l->finder);
    l->bytes = l->made ? nav_path_landmarks_bytes(l->made) : 0;
    if (ran && l->status == NAV_OK) l->next++;
    bool failed = ran && l->status != NAV_OK && l->status != NAV_ERR_LIMIT; // or there is no ground, or no room
    if (g->gone || p->stopping) {
        if (g->gone) nd_ground_destroy_if_idle(g);
        return;
    }
    if (failed || l->given_up) drop(g);
    nd_ground_go_on(g);
    if (p->ground_count > 1) nd_paths_go_on_soon(p); // others may have waited for the worker
}

void nd_landmarks_count(nd_ground *g, uint64_t nodes)
{
    nd_landmarks *l = &g->landmarks;
    if (!l->used || !l->whole || l->worn) l->spent += nodes;
}

bool nd_landmarks_are_made(const nd_ground *g)
{
    const nd_landmarks *l = &g->landmarks;
    return !l->busy && l->made && l->next == nav_path_landmarks_count(l->made);
}

static bool is_time(const nd_ground *g, const nd_world *w)
{
    const nd_landmarks *l = &g->landmarks;
    if (l->busy || l->leaving || !(l->made || (l->cost && l->spent > l->cost))) return false;
    return !nd_landmarks_are_made(g) && g->joined && !g->change_count && nd_ground_has_all(g) &&
           !w->scheduler.progress[g->profile].open;
}

void nd_landmarks_go_on(nd_ground *g, const nd_world *w)
{
    nd_paths *p = g->paths;
    nd_landmarks *l = &g->landmarks;
    uint64_t bytes = nd_paths_bytes(p), most = p->config->path_bytes;
    if (!is_time(g, w) || !(l->finder = nd_finders_take(&p->finders))) return;
    l->task = (nd_task){.run = run, .done = done};
    l->set = g->set;
    l->room = bytes < most ? (size_t)(most - bytes) / 2 : 0; // other grounds need some, too
    l->busy = l->had_turn = true;
    l->given_up = false;
    atomic_store_explicit(&l->stop, false, memory_order_relaxed);
    nd_workers_push(p->workers, &l->task);
}

void nd_landmarks_stop(nd_ground *g)
{
    atomic_store_explicit(&g->landmarks.stop, true, memory_order_relaxed);
}

void nd_landmarks_give_up(nd_ground *g)
{
    nd_landmarks *l = &g->landmarks;
    nd_landmarks_stop(g);
    l->given_up = true;
    if (!l->busy && l->made) drop(g);
}

void nd_landmarks_leave_if_due(nd_ground *g)
{
    nd_landmarks *l = &g->landmarks;
    if (!g->set || !l->leaving || g->update || g->begun || l->busy) return;
    nav_path_landmarks *gone = nav_path_set_take_landmarks(g->set);
    size_t bytes = gone ? nav_path_landmarks_bytes(gone) : 0;
    l->leaving = l->whole = l->worn = false;
    l->used = 0;
    l->spent = 0;
    g->bytes -= bytes;
    g->paths->set_bytes -= bytes;
    dispose(g, bytes, gone);
}

void nd_landmarks_leave(nd_ground *g)
{
    nd_landmarks *l = &g->landmarks;
    if (!l->used) return;
    l->leaving = true;
    if (l->busy) nd_landmarks_give_up(g);
    nd_landmarks_leave_if_due(g);
}

void nd_landmarks_hand_over(nd_ground *g, nd_path_update *u)
{
    nd_landmarks *l = &g->landmarks;
    u->landmarks_cost = l->cost;
    if (!l->made) return;
    if (l->next >= ENOUGH) {
        l->used = l->next;
        l->whole = nd_landmarks_are_made(g);
        u->landmarks = l->made;
        l->made = NULL;
    }
    drop(g);
}

void nd_landmarks_note_update(nd_ground *g, const nd_path_update *u)
{
    nd_landmarks *l = &g->landmarks;
    l->cost = u->landmarks_cost;
    if (!nav_path_set_landmarks(g->set)) l->used = 0;
    l->worn = nav_path_set_opened(g->set) > 0;
}
