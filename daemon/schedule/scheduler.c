#include "daemon/schedule/unwatched.h"

#include "daemon/base/thread.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Marks that come one soon after the other, this many in a row: an object that does not rest. Less could be somebody
// who moves a thing, and back.
enum { REST_STREAK = 4 };

void nd_scheduler_init(nd_scheduler *s)
{
    static const nd_pace none = {.stale_ns = UINT64_MAX}; // outdated runs always stop, nothing rests
    *s = (nd_scheduler){.next_order = 1, .next_ticket = 1, .pace = &none};
    nd_flows_init(&s->flows);
}

static void free_tile(void *user, nd_node *n)
{
    (void)user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    nd_caller_unref(t->cause.caller);
    free(t);
}

static void forget_and_free(void *user, nd_node *n)
{
    void (*const *forget)(nd_tile * t) = user;
    (*forget)(ND_HOLDER(n, nd_tile, node));
    free_tile(NULL, n);
}

bool nd_scheduler_empty_some(nd_scheduler *s, size_t enough, void (*forget)(nd_tile *t))
{
    ND_ASSERT_LOOP_THREAD();
    nd_table_empty_some(&s->tiles, enough, forget_and_free, &forget);
    return s->tiles.count;
}

void nd_scheduler_deinit(nd_scheduler *s)
{
    nd_table_each(&s->tiles, free_tile, NULL);
    nd_table_deinit(&s->tiles);
    nd_flows_deinit(&s->flows);
    free(s->foci);
    free(s->progress);
    *s = (nd_scheduler){0};
}

nav_status nd_scheduler_add_profile(nd_scheduler *s)
{
    void *grown = realloc(s->progress, (s->profile_count + 1) * sizeof *s->progress);
    if (!grown) return NAV_ERR_MEMORY;
    s->progress = grown;
    memset(&s->progress[s->profile_count++], 0, sizeof *s->progress);
    return NAV_OK;
}

// --- order ---

static double distance2(const void *user, const nd_tile *t)
{
    const nd_scheduler *s = user;
    double nearest = HUGE_VAL; // nobody looks: after all those that someone looks at
    for (size_t i = 0; i < s->focus_count; i++) {
        const nd_focus *f = &s->foci[i];
        if (f->profile != t->profile) continue;
        double dx = f->x - (t->x + 0.5), dz = f->z - (t->z + 0.5);
        double d = (isnan(dx) ? 0 : dx * dx) + (isnan(dz) ? 0 : dz * dz);
        if (d < nearest) nearest = d;
    }
    return nearest;
}

static void push(nd_scheduler *s, nd_tile *t)
{
    t->distance2 = distance2(s, t);
    nd_flows_push(&s->flows, t);
}

static bool due_first(const nd_heap_node *a, const nd_heap_node *b)
{
    const nd_tile *p = ND_HEAP_HOLDER(a, const nd_tile, heap_node), *q = ND_HEAP_HOLDER(b, const nd_tile, heap_node);
    return p->due_ns != q->due_ns ? p->due_ns < q->due_ns : p->order < q->order;
}

// --- tiles ---

nd_tile *nd_scheduler_find(const nd_scheduler *s, uint32_t profile, int32_t x, int32_t z)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_node *n = nd_table_first(&s->tiles, nd_hash_tile(profile, x, z)); n; n = nd_table_next(n)) {
        nd_tile *t = ND_HOLDER(n, nd_tile, node);
        if (t->profile == profile && t->x == x && t->z == z) return t;
    }
    return NULL;
}

nav_status nd_scheduler_touch(nd_scheduler *s, uint32_t profile, int32_t x, int32_t z, nd_tile **out)
{
    *out = nd_scheduler_find(s, profile, x, z);
    if (*out) return NAV_OK;
    nav_status status = nd_table_reserve(&s->tiles, 1);
    if (status != NAV_OK) return status;
    nd_tile *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    t->profile = profile;
    t->x = x;
    t->z = z;
    t->result.status = NP_TILE_PENDING;
    nd_table_insert(&s->tiles, &t->node, nd_hash_tile(profile, x, z));
    s->unmade++;
    s->progress[profile].tiles++;
    *out = t;
    return NAV_OK;
}

void nd_scheduler_note_result(nd_scheduler *s, const nd_tile *t, np_tile_status before)
{
    if (before == NP_TILE_PENDING && t->result.status != NP_TILE_PENDING) s->unmade--;
}

void nd_scheduler_forget(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_CLEAN);
    nd_failures_remove(&s->failures, t);
    if (t->result.status == NP_TILE_PENDING) s->unmade--;
    s->progress[t->profile].tiles--;
    nd_table_remove(&s->tiles, &t->node);
    free_tile(NULL, &t->node);
}

static nd_tile **of_revision(nd_tile_list *l, uint64_t since)
{
    return &l->of_revision[since % ND_LIST_REVISIONS];
}

// Sorted by revision. Newest ones go to the end, which is where most belong; those that are released behind the oldest;
// of those in between, one goes behind another of its revision where that is known, and else the search begins where
// the last one went, as many of one revision come one after the other.
static void list_insert(nd_tile_list *l, nd_tile *t)
{
    nd_tile *at = l->newest, *same = *of_revision(l, t->since);
    if (at && at->since > t->since && same && same->since == t->since) {
        at = same;
    } else if (at && at->since > t->since) {
        if (l->oldest->since >= t->since)
            at = l->oldest->since == t->since ? l->oldest : NULL;
        else if (l->hint)
            at = l->hint;
        while (at && at->after && at->after->since < t->since) at = at->after;
        while (at && at->since > t->since) at = at->before;
    }
    t->before = at;
    t->after = at ? at->after : l->oldest;
    *(t->before ? &t->before->after : &l->oldest) = t;
    *(t->after ? &t->after->before : &l->newest) = t;
    l->hint = *of_revision(l, t->since) = t;
    l->count++;
}

static void list_remove(nd_tile_list *l, nd_tile *t)
{
    nd_tile *equal = t->before && t->before->since == t->since ? t->before : t->after;
    if (equal && equal->since != t->since) equal = NULL;
    l->left = t->since;
    l->left_last = !equal;
    if (*of_revision(l, t->since) == t) *of_revision(l, t->since) = equal;
    if (l->hint == t) l->hint = t->before;
    *(t->before ? &t->before->after : &l->oldest) = t->after;
    *(t->after ? &t->after->before : &l->newest) = t->before;
    l->count--;
}

// --- the queue ---

static void enqueue(nd_scheduler *s, nd_tile *t)
{
    t->state = ND_TILE_QUEUED;
    t->missed = t->resting = t->again = false;
    t->away = ND_AWAY_UNKNOWN;
    t->order = s->next_order++;
    push(s, t);
}

static void dequeue(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_QUEUED);
    if (t->resting)
        nd_heap_remove(&s->resting, &t->heap_node, due_first);
    else
        nd_flows_remove(&s->flows, t);
    t->resting = false;
}

static bool never_rests(const nd_tile *t)
{
    return t->streak >= REST_STREAK;
}

static void enqueue_marked(nd_scheduler *s, nd_tile *t, uint64_t now_ns)
{
    if (!never_rests(t) || now_ns >= t->begun_ns + s->pace->rest_ns) {
        enqueue(s, t);
        return;
    }
    t->state = ND_TILE_QUEUED;
    t->missed = t->again = false;
    t->away = ND_AWAY_UNKNOWN;
    t->resting = true;
    t->order = s->next_order++;
    t->due_ns = t->begun_ns + s->pace->rest_ns;
    nd_heap_push(&s->resting, &t->heap_node, due_first);
}

static void note_mark(nd_scheduler *s, nd_tile *t, const nd_mark *m)
{
    bool soon = t->cause.at_ns && m->now_ns < t->cause.at_ns + s->pace->rest_ns;
    if (!soon)
        t->streak = 0;
    else if (t->streak < REST_STREAK)
        t->streak++;
    if (m->voids) t->streak = 0;
    nd_caller *caller = nd_caller_ref(m->caller);
    nd_caller_unref(t->cause.caller);
    t->cause = (nd_cause){m->by, caller, m->object, m->revision, m->now_ns};
    t->forced |= m->forced;
}

void *nd_scheduler_mark(nd_scheduler *s, nd_tile *t, const nd_mark *m)
{
    ND_ASSERT_LOOP_THREAD();
    note_mark(s, t, m);
    nd_failures_rest(&s->failures, t, m->by != ND_BY_RETRY && m->by != ND_BY_READER);
    bool was_left = t->state == ND_TILE_UNWATCHED;
    bool more_urgent = t->state == ND_TILE_CLEAN || m->class < t->class;
    switch (t->state) {
    case ND_TILE_UNWATCHED:
        nd_scheduler_take_unwatched(s, t);
        // fall through
    case ND_TILE_CLEAN:
        if (!was_left) t->told = m->revision <= s->told;
        if (!was_left || m->revision < t->since) t->since = m->revision;
        t->marked_ns = m->now_ns;
        t->class = m->class;
        if (!s->progress[t->profile].open) s->progress[t->profile].done = 0;
        s->progress[t->profile].open++;
        list_insert(&s->open, t);
        nd_watches_open(s->watches, t->profile, t->x, t->z, t->since);
        nd_flows_join(&s->flows, t, nd_flows_find(&s->flows, m->caller));
        enqueue_marked(s, t, m->now_ns);
        return NULL;
    case ND_TILE_HELD:
        if (more_urgent) t->class = m->class;
        nd_scheduler_release(s, t);
        return NULL;
    case ND_TILE_QUEUED:
        if (t->resting && m->voids) {
            dequeue(s, t);
            if (more_urgent) t->class = m->class;
            enqueue(s, t);
        } else if (t->resting) {
            if (more_urgent) t->class = m->class;
        } else if (t->missed || more_urgent) { // another input, which the cache may have; its age stays
            nd_flows_remove(&s->flows, t);
            t->missed = false;
            t->away = ND_AWAY_UNKNOWN;
            if (more_urgent) t->class = m->class;
            push(s, t);
        }
        return NULL;
    case ND_TILE_RUNNING:
        break;
    }
    if (more_urgent) t->class = m->class;
    if (m->voids) {
        t->again = false;
    } else if (!t->again && t->away != ND_AWAY_NOW &&
               (never_rests(t) || m->now_ns - t->marked_ns >= s->pace->stale_ns)) {
        t->again = true;
        t->again_since = m->revision;
        t->again_ns = m->now_ns;
    }
    if (t->again) return NULL;
    void *outdated = t->run;
    t->run = NULL;
    t->ticket = 0;
    s->running_count--;
    enqueue_marked(s, t, m->now_ns);
    return outdated;
}

void nd_scheduler_want(nd_scheduler *s, nd_tile *t, uint64_t revision, uint64_t now_ns)
{
    const nd_mark m = {.revision = revision, .now_ns = now_ns, .class = ND_BACKGROUND, .by = ND_BY_READER};
    if (t->state == ND_TILE_CLEAN || t->state == ND_TILE_UNWATCHED) (void)nd_scheduler_mark(s, t, &m);
}

nd_tile *nd_scheduler_next(nd_scheduler *s, nd_class c, bool missed)
{
    ND_ASSERT_LOOP_THREAD();
    return nd_flows_first(&s->flows, missed ? nd_missed_queue(c) : nd_fresh_queue(c), distance2, s);
}

void nd_scheduler_miss(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_QUEUED && !t->missed && !t->resting);
    nd_flows_remove(&s->flows, t);
    t->missed = true;
    push(s, t);
}

void nd_scheduler_wake(nd_scheduler *s, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    while (nd_scheduler_due(s) <= now_ns) {
        nd_tile *t = ND_HEAP_HOLDER(s->resting.first, nd_tile, heap_node);
        dequeue(s, t);
        enqueue(s, t);
    }
}

uint64_t nd_scheduler_due(const nd_scheduler *s)
{
    return s->resting.first ? ND_HEAP_HOLDER(s->resting.first, const nd_tile, heap_node)->due_ns : UINT64_MAX;
}

size_t nd_scheduler_queued(const nd_scheduler *s)
{
    size_t n = s->resting.count;
    for (int q = 0; q < ND_QUEUES; q++) n += s->flows.counts[q];
    return n;
}

uint64_t nd_scheduler_start(nd_scheduler *s, nd_tile *t, void *run)
{
    dequeue(s, t);
    t->state = ND_TILE_RUNNING;
    t->missed = t->forced = false;
    t->away = ND_AWAY_UNKNOWN;
    t->run = run;
    t->ticket = s->next_ticket++;
    s->running_count++;
    return t->ticket;
}

uint64_t nd_scheduler_start_away(nd_scheduler *s, nd_tile *t)
{
    uint64_t ticket = nd_scheduler_start(s, t, NULL);
    t->away = ND_AWAY_NOW;
    return ticket;
}

static void make_clean(nd_scheduler *s, nd_tile *t)
{
    if (t->state == ND_TILE_HELD) {
        list_remove(&s->held, t);
    } else {
        list_remove(&s->open, t);
    }
    nd_watches_close(s->watches, t->profile, t->x, t->z, t->since);
    s->progress[t->profile].done++;
    s->progress[t->profile].open--;
    t->state = ND_TILE_CLEAN;
    t->run = NULL;
    t->ticket = 0;
    t->missed = t->forced = t->resting = t->again = false;
    t->away = ND_AWAY_UNKNOWN;
    t->asked = 0;
    nd_flows_part(&s->flows, t);
}

// It was marked while it ran, and its run has finished it for what was before.
static void begin_again(nd_scheduler *s, nd_tile *t)
{
    list_remove(&s->open, t);
    nd_watches_close(s->watches, t->profile, t->x, t->z, t->since);
    t->since = t->again_since;
    t->marked_ns = t->again_ns;
    list_insert(&s->open, t);
    nd_watches_open(s->watches, t->profile, t->x, t->z, t->since);
    enqueue_marked(s, t, t->cause.at_ns);
}

bool nd_scheduler_is_newest(const nd_tile *t, uint64_t ticket)
{
    return t->state == ND_TILE_RUNNING && t->ticket == ticket;
}

static void end_run(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_RUNNING);
    t->run = NULL;
    t->ticket = 0;
    t->away = ND_AWAY_UNKNOWN;
    s->running_count--;
}

uint64_t nd_scheduler_run_on(nd_scheduler *s, nd_tile *t, void *run)
{
    assert(t->state == ND_TILE_RUNNING);
    t->run = run;
    t->away = ND_AWAY_UNKNOWN;
    t->ticket = s->next_ticket++;
    return t->ticket;
}

// What follows from others' edits, again and again, does not count: those say when they are done.
bool nd_scheduler_is_restless(const nd_tile *t)
{
    return t->again || (never_rests(t) && t->cause.kind != ND_BY_REACH);
}

void nd_scheduler_requeue(nd_scheduler *s, nd_tile *t)
{
    end_run(s, t);
    enqueue(s, t);
}

void nd_scheduler_give_back(nd_scheduler *s, nd_tile *t)
{
    if (t->again) { // with another input
        nd_scheduler_requeue(s, t);
        return;
    }
    end_run(s, t);
    t->state = ND_TILE_QUEUED;
    t->missed = true;
    push(s, t);
}

void nd_scheduler_hold(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    if (t->again) {
        nd_scheduler_requeue(s, t);
        return;
    }
    if (t->state == ND_TILE_RUNNING)
        end_run(s, t);
    else
        dequeue(s, t);
    list_remove(&s->open, t);
    t->state = ND_TILE_HELD;
    t->missed = false;
    list_insert(&s->held, t);
}

void nd_scheduler_release(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    assert(t->state == ND_TILE_HELD);
    list_remove(&s->held, t);
    list_insert(&s->open, t);
    enqueue(s, t);
}

bool nd_scheduler_finish(nd_scheduler *s, nd_tile *t, uint64_t ticket)
{
    ND_ASSERT_LOOP_THREAD();
    if (!nd_scheduler_is_newest(t, ticket)) return false;
    end_run(s, t);
    if (t->again)
        begin_again(s, t);
    else
        make_clean(s, t);
    return true;
}

void nd_scheduler_settle(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    dequeue(s, t);
    make_clean(s, t);
}

size_t nd_scheduler_cancel(nd_scheduler *s, const uint64_t *revision, void (*visit)(void *user, void *run), void *user)
{
    ND_ASSERT_LOOP_THREAD();
    size_t count = 0;
    nd_tile_list *lists[] = {&s->open, &s->held};
    for (int k = 0; k < 2; k++)
        for (nd_tile *t = lists[k]->oldest, *after; t; t = after) {
            after = t->after;
            if (revision && t->since > *revision) break;
            if (revision && t->since < *revision) continue;
            if (t->state == ND_TILE_RUNNING) {
                visit(user, t->run);
                s->running_count--;
            } else if (t->state == ND_TILE_QUEUED) {
                dequeue(s, t);
            }
            make_clean(s, t);
            count++;
        }
    return count;
}

void nd_scheduler_drop(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    if (t->state == ND_TILE_RUNNING) s->running_count--;
    if (t->state == ND_TILE_QUEUED) dequeue(s, t);
    if (t->state == ND_TILE_UNWATCHED)
        nd_scheduler_take_unwatched(s, t);
    else if (t->state != ND_TILE_CLEAN)
        make_clean(s, t);
    t->state = ND_TILE_CLEAN;
    nd_scheduler_forget(s, t);
}

bool nd_scheduler_done_to(const nd_scheduler *s, uint64_t revision)
{
    if (nd_scheduler_first_unmarked(s) <= revision || s->to_look) return false;
    return (!s->open.oldest || s->open.oldest->since > revision) &&
           (!s->held.oldest || s->held.oldest->since > revision);
}

uint64_t nd_scheduler_complete_to(const nd_scheduler *s, uint64_t newest)
{
    const nd_tile *oldest[] = {s->open.oldest, s->held.oldest};
    if (nd_scheduler_first_unmarked(s) <= newest) newest = nd_scheduler_first_unmarked(s) - 1;
    if (s->to_look) newest = 0;
    for (int k = 0; k < 2; k++)
        if (oldest[k] && oldest[k]->since <= newest) newest = oldest[k]->since ? oldest[k]->since - 1 : 0;
    return newest;
}

bool nd_scheduler_was_last(const nd_scheduler *s, uint64_t revision)
{
    return s->open.left == revision && s->open.left_last;
}

// --- foci ---

nav_status nd_scheduler_set_focus(nd_scheduler *s, uint64_t id, uint32_t profile, double x, double z)
{
    ND_ASSERT_LOOP_THREAD();
    size_t i = 0;
    while (i < s->focus_count && s->foci[i].id != id) i++;
    if (i == s->focus_capacity) {
        size_t capacity = s->focus_capacity ? 2 * s->focus_capacity : 4;
        nd_focus *grown = realloc(s->foci, capacity * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        s->foci = grown;
        s->focus_capacity = capacity;
    }
    if (i == s->focus_count) s->focus_count++;
    s->foci[i] = (nd_focus){id, profile, x, z};
    nd_flows_turn(&s->flows);
    return NAV_OK;
}

void nd_scheduler_remove_focus(nd_scheduler *s, uint64_t id)
{
    ND_ASSERT_LOOP_THREAD();
    for (size_t i = 0; i < s->focus_count; i++)
        if (s->foci[i].id == id) {
            s->foci[i] = s->foci[--s->focus_count];
            nd_flows_turn(&s->flows);
            return;
        }
}
