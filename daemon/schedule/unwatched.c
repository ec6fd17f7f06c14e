#include "daemon/schedule/unwatched.h"

#include "daemon/base/thread.h"

#include <assert.h>

enum { LOOK_AT_ONCE = 4096 }; // tiles around a watch that are looked for one by one, when it comes

bool nd_scheduler_is_watched(const nd_scheduler *s, const nd_tile *t)
{
    if (!s->only_watched || t->asked) return true;
    for (const nd_watch *w = s->watches; w; w = w->next)
        if (nd_watch_needs(w, t->profile, t->x, t->z)) return true;
    return false;
}

typedef struct area_walk {
    uint32_t profile;
    const int32_t *first, *last;
    void (*visit)(void *user, nd_tile *t);
    void *user;
} area_walk;

static void visit_within(void *user, nd_node *n)
{
    const area_walk *walk = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    if (t->profile == walk->profile && t->x >= walk->first[0] && t->x <= walk->last[0] && t->z >= walk->first[1] &&
        t->z <= walk->last[1])
        walk->visit(walk->user, t);
}

void nd_scheduler_each_in(const nd_scheduler *s, uint32_t profile, const int32_t first[2], const int32_t last[2],
                          void (*visit)(void *user, nd_tile *t), void *user)
{
    area_walk walk = {profile, first, last, visit, user};
    if (nd_area_of(first, last) > (double)s->tiles.count) {
        (void)nd_table_each_from(&s->tiles, 0, SIZE_MAX, visit_within, &walk);
        return;
    }
    for (int64_t z = first[1]; z <= last[1]; z++)
        for (int64_t x = first[0]; x <= last[0]; x++) {
            nd_tile *t = nd_scheduler_find(s, profile, (int32_t)x, (int32_t)z);
            if (t) visit(user, t);
        }
}

// --- the list of those that were left ---

static void append(nd_tile_list *l, nd_tile *t)
{
    t->before = l->newest;
    t->after = NULL;
    *(l->newest ? &l->newest->after : &l->oldest) = t;
    l->newest = t;
    l->count++;
}

static void take(nd_tile_list *l, nd_tile *t)
{
    *(t->before ? &t->before->after : &l->oldest) = t->after;
    *(t->after ? &t->after->before : &l->newest) = t->before;
    l->count--;
}

void nd_scheduler_leave(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    bool forced = t->forced;
    nd_scheduler_settle(s, t);
    s->progress[t->profile].done--;
    t->forced = forced;
    t->state = ND_TILE_UNWATCHED;
    append(&s->unwatched, t);
    if (t->result.status == NP_TILE_PENDING) s->unmade--;
}

void nd_scheduler_take_unwatched(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_UNWATCHED);
    take(&s->unwatched, t);
    if (t->result.status == NP_TILE_PENDING) s->unmade++;
}

// With the cause that it had.
static void wake(nd_scheduler *s, nd_tile *t, uint64_t now_ns)
{
    nd_cause cause = t->cause;
    const nd_mark m = {.revision = t->since,
                       .now_ns = now_ns,
                       .class = t->class,
                       .forced = t->forced,
                       .by = cause.kind,
                       .caller = cause.caller,
                       .object = cause.object};
    (void)nd_scheduler_mark(s, t, &m); // it does not run
    t->cause.revision = cause.revision;
    t->cause.at_ns = cause.at_ns;
}

typedef struct waking {
    nd_scheduler *s;
    uint64_t now_ns;
} waking;

static void wake_here(void *user, nd_tile *t)
{
    const waking *w = user;
    if (t->state == ND_TILE_UNWATCHED && nd_scheduler_is_watched(w->s, t)) wake(w->s, t, w->now_ns);
}

bool nd_scheduler_look(nd_scheduler *s, size_t most, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    for (; most && s->to_look && s->unwatched.count; most--, s->to_look--) {
        nd_tile *t = s->unwatched.oldest;
        if (nd_scheduler_is_watched(s, t)) {
            wake(s, t, now_ns);
        } else {
            take(&s->unwatched, t);
            append(&s->unwatched, t);
        }
    }
    if (!s->unwatched.count) s->to_look = 0;
    return s->to_look;
}

// --- watches ---

static void count_here(void *user, nd_tile *t)
{
    if (t->state != ND_TILE_CLEAN && t->state != ND_TILE_UNWATCHED) nd_watch_open(user, t->since);
}

static void count_list(nd_watch *w, const nd_tile_list *l)
{
    for (const nd_tile *t = l->oldest; t; t = t->after)
        if (nd_watch_covers(w, t->profile, t->x, t->z)) nd_watch_open(w, t->since);
}

void nd_scheduler_add_watch(nd_scheduler *s, nd_watch *w, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    w->group_count = 0;
    if (nd_area_of(w->first, w->last) < (double)(s->open.count + s->held.count)) {
        nd_scheduler_each_in(s, w->profile, w->first, w->last, count_here, w);
    } else {
        count_list(w, &s->open);
        count_list(w, &s->held);
    }
    w->next = s->watches;
    s->watches = w;
    double area = nd_area_of(w->margin_first, w->margin_last);
    waking k = {s, now_ns};
    if (!s->unwatched.count) return;
    if (area <= LOOK_AT_ONCE && area < (double)s->unwatched.count)
        nd_scheduler_each_in(s, w->profile, w->margin_first, w->margin_last, wake_here, &k);
    else
        s->to_look = s->unwatched.count;
}

void nd_scheduler_remove_watch(nd_scheduler *s, nd_watch *w)
{
    ND_ASSERT_LOOP_THREAD();
    nd_watch **at = &s->watches;
    while (*at && *at != w) at = &(*at)->next;
    if (*at) *at = w->next;
}

void nd_scheduler_build_watched(nd_scheduler *s, bool only)
{
    ND_ASSERT_LOOP_THREAD();
    s->only_watched = only;
    if (!only) s->to_look = s->unwatched.count;
}

bool nd_scheduler_done_in(const nd_scheduler *s, const nd_watch *w, uint64_t revision)
{
    return !s->to_look && nd_scheduler_complete_in(s, w, revision) >= revision;
}

uint64_t nd_scheduler_complete_in(const nd_scheduler *s, const nd_watch *w, uint64_t newest)
{
    uint64_t oldest = nd_watch_oldest(w);
    if (nd_scheduler_first_unmarked(s) <= newest) newest = nd_scheduler_first_unmarked(s) - 1;
    if (s->to_look) newest = 0; // some of its tiles may come into the queue yet
    if (oldest <= newest) newest = oldest ? oldest - 1 : 0;
    return newest;
}
