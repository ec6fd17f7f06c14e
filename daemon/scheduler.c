#include "daemon/scheduler.h"

#include "daemon/thread.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

// A camera in flight moves its focus with every frame: over time, ordering costs a take no more than this many tiles.
enum { TILES_ORDERED_A_TAKE = 256 };

void nd_scheduler_init(nd_scheduler *s)
{
    *s = (nd_scheduler){.next_order = 1, .next_ticket = 1};
}

static void free_tile(void *user, nd_node *n)
{
    (void)user;
    free(ND_HOLDER(n, nd_tile, node));
}

void nd_scheduler_deinit(nd_scheduler *s)
{
    nd_table_each(&s->tiles, free_tile, NULL);
    nd_table_deinit(&s->tiles);
    free(s->fresh.tiles);
    free(s->missed.tiles);
    free(s->foci);
    free(s->progress);
    *s = (nd_scheduler){0};
}

nav_status nd_scheduler_add_profile(nd_scheduler *s)
{
    void *grown = realloc(s->progress, (s->profile_count + 1) * sizeof *s->progress);
    if (!grown) return NAV_ERR_MEMORY;
    s->progress = grown;
    s->progress[s->profile_count].done = s->progress[s->profile_count].open = 0;
    s->profile_count++;
    return NAV_OK;
}

// --- the heaps ---

static bool comes_first(const nd_tile *a, const nd_tile *b)
{
    return a->distance2 != b->distance2 ? a->distance2 < b->distance2 : a->order < b->order;
}

static void heap_set(nd_heap *h, size_t at, nd_tile *t)
{
    h->tiles[at] = t;
    t->heap_at = (uint32_t)at;
}

static void heap_up(nd_heap *h, size_t at)
{
    nd_tile *t = h->tiles[at];
    while (at && comes_first(t, h->tiles[(at - 1) / 2])) {
        heap_set(h, at, h->tiles[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(h, at, t);
}

static void heap_down(nd_heap *h, size_t at)
{
    nd_tile *t = h->tiles[at];
    for (size_t child; (child = 2 * at + 1) < h->count; at = child) {
        if (child + 1 < h->count && comes_first(h->tiles[child + 1], h->tiles[child])) child++;
        if (!comes_first(h->tiles[child], t)) break;
        heap_set(h, at, h->tiles[child]);
    }
    heap_set(h, at, t);
}

static void heap_push(nd_heap *h, nd_tile *t)
{
    assert(h->count < h->capacity);
    heap_set(h, h->count++, t);
    heap_up(h, h->count - 1);
}

static void heap_remove(nd_heap *h, nd_tile *t)
{
    size_t at = t->heap_at;
    assert(at < h->count && h->tiles[at] == t);
    nd_tile *last = h->tiles[--h->count];
    if (last == t) return;
    heap_set(h, at, last);
    heap_up(h, at);
    heap_down(h, last->heap_at);
}

static nav_status heap_reserve(nd_heap *h, size_t need)
{
    if (need <= h->capacity) return NAV_OK;
    size_t capacity = h->capacity ? h->capacity : 64;
    while (capacity < need) capacity *= 2;
    nd_tile **grown = realloc(h->tiles, capacity * sizeof *grown);
    if (!grown) return NAV_ERR_MEMORY;
    h->tiles = grown;
    h->capacity = capacity;
    return NAV_OK;
}

static nd_heap *heap_of(nd_scheduler *s, const nd_tile *t)
{
    return t->missed ? &s->missed : &s->fresh;
}

static void measure(const nd_scheduler *s, nd_tile *t)
{
    double nearest = HUGE_VAL; // nobody looks: after all those that someone looks at
    for (size_t i = 0; i < s->focus_count; i++) {
        const nd_focus *f = &s->foci[i];
        if (f->profile != t->profile) continue;
        double dx = f->x - (t->x + 0.5), dz = f->z - (t->z + 0.5), d = dx * dx + dz * dz;
        if (d < nearest) nearest = d;
    }
    t->distance2 = nearest;
}

static void order_anew(nd_scheduler *s)
{
    nd_heap *heaps[] = {&s->fresh, &s->missed};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < heaps[k]->count; i++) measure(s, heaps[k]->tiles[i]);
        for (size_t i = heaps[k]->count / 2; i-- > 0;) heap_down(heaps[k], i);
    }
    s->order_stale = false;
    s->takes_since_order = 0;
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

nav_status nd_scheduler_reserve(nd_scheduler *s, size_t more)
{
    nav_status status = nd_table_reserve(&s->tiles, more);
    if (status == NAV_OK) status = heap_reserve(&s->fresh, s->tiles.count + more);
    if (status == NAV_OK) status = heap_reserve(&s->missed, s->tiles.count + more);
    return status;
}

nav_status nd_scheduler_touch(nd_scheduler *s, uint32_t profile, int32_t x, int32_t z, nd_tile **out)
{
    *out = nd_scheduler_find(s, profile, x, z);
    if (*out) return NAV_OK;
    nav_status status = nd_scheduler_reserve(s, 1);
    if (status != NAV_OK) return status;
    nd_tile *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    t->profile = profile;
    t->x = x;
    t->z = z;
    t->result.status = NP_TILE_PENDING;
    nd_table_insert(&s->tiles, &t->node, nd_hash_tile(profile, x, z));
    *out = t;
    return NAV_OK;
}

void nd_scheduler_forget(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_CLEAN);
    nd_table_remove(&s->tiles, &t->node);
    free(t);
}

// Sorted by revision. Newest ones go to the end, which is where most belong; those that are released behind the oldest;
// and of those in between many of one revision come one after the other, so the search begins where the last one went.
static void list_insert(nd_tile_list *l, nd_tile *t)
{
    nd_tile *at = l->newest;
    if (at && at->since > t->since) {
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
    l->hint = t;
    l->count++;
}

static void list_remove(nd_tile_list *l, nd_tile *t)
{
    bool has_equal = (t->before && t->before->since == t->since) || (t->after && t->after->since == t->since);
    l->left = t->since;
    l->left_last = !has_equal;
    if (l->hint == t) l->hint = t->before;
    *(t->before ? &t->before->after : &l->oldest) = t->after;
    *(t->after ? &t->after->before : &l->newest) = t->before;
    l->count--;
}

static void enqueue(nd_scheduler *s, nd_tile *t)
{
    t->state = ND_TILE_QUEUED;
    t->missed = false;
    t->order = s->next_order++;
    measure(s, t);
    heap_push(&s->fresh, t);
}

void *nd_scheduler_mark(nd_scheduler *s, nd_tile *t, uint64_t revision, uint64_t now_ns, bool forced)
{
    ND_ASSERT_LOOP_THREAD();
    t->forced |= forced;
    switch (t->state) {
    case ND_TILE_CLEAN:
        t->since = revision;
        t->marked_ns = now_ns;
        if (!s->progress[t->profile].open) s->progress[t->profile].done = 0;
        s->progress[t->profile].open++;
        list_insert(&s->open, t);
        enqueue(s, t);
        return NULL;
    case ND_TILE_HELD:
        nd_scheduler_release(s, t);
        return NULL;
    case ND_TILE_QUEUED:
        if (t->missed) { // another input, which the cache may have; its age stays
            heap_remove(&s->missed, t);
            t->missed = false;
            heap_push(&s->fresh, t);
        }
        return NULL;
    case ND_TILE_RUNNING:
        break;
    }
    void *outdated = t->run;
    t->run = NULL;
    t->ticket = 0;
    s->running_count--;
    enqueue(s, t);
    return outdated;
}

nd_tile *nd_scheduler_next(nd_scheduler *s, bool fresh_only)
{
    ND_ASSERT_LOOP_THREAD();
    size_t waiting = s->fresh.count + s->missed.count;
    s->takes_since_order++;
    if (s->order_stale && s->takes_since_order >= waiting / TILES_ORDERED_A_TAKE) order_anew(s);
    nd_tile *f = s->fresh.count ? s->fresh.tiles[0] : NULL, *m = s->missed.count ? s->missed.tiles[0] : NULL;
    if (fresh_only || !m) return f;
    return f && comes_first(f, m) ? f : m;
}

void nd_scheduler_miss(nd_scheduler *s, nd_tile *t)
{
    assert(t->state == ND_TILE_QUEUED && !t->missed);
    heap_remove(&s->fresh, t);
    t->missed = true;
    heap_push(&s->missed, t);
}

uint64_t nd_scheduler_start(nd_scheduler *s, nd_tile *t, void *run)
{
    assert(t->state == ND_TILE_QUEUED);
    heap_remove(heap_of(s, t), t);
    t->state = ND_TILE_RUNNING;
    t->missed = t->forced = false;
    t->run = run;
    t->ticket = s->next_ticket++;
    s->running_count++;
    return t->ticket;
}

static void make_clean(nd_scheduler *s, nd_tile *t)
{
    if (t->state == ND_TILE_HELD) {
        list_remove(&s->held, t);
    } else {
        list_remove(&s->open, t);
    }
    s->progress[t->profile].done++;
    s->progress[t->profile].open--;
    t->state = ND_TILE_CLEAN;
    t->run = NULL;
    t->ticket = 0;
    t->missed = t->forced = false;
    t->asked = 0;
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
    s->running_count--;
}

void nd_scheduler_requeue(nd_scheduler *s, nd_tile *t)
{
    end_run(s, t);
    enqueue(s, t);
}

void nd_scheduler_hold(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    if (t->state == ND_TILE_RUNNING)
        end_run(s, t);
    else
        heap_remove(heap_of(s, t), t);
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
    s->running_count--;
    make_clean(s, t);
    return true;
}

void nd_scheduler_settle(nd_scheduler *s, nd_tile *t)
{
    ND_ASSERT_LOOP_THREAD();
    assert(t->state == ND_TILE_QUEUED);
    heap_remove(heap_of(s, t), t);
    make_clean(s, t);
}

size_t nd_scheduler_cancel(nd_scheduler *s, void (*visit)(void *user, void *run), void *user)
{
    ND_ASSERT_LOOP_THREAD();
    size_t count = 0;
    for (nd_tile *t = s->open.oldest, *after; t; t = after, count++) {
        after = t->after;
        if (t->state == ND_TILE_RUNNING) {
            visit(user, t->run);
            s->running_count--;
        }
        make_clean(s, t);
    }
    for (; s->held.oldest; count++) make_clean(s, s->held.oldest);
    s->fresh.count = s->missed.count = 0;
    return count;
}

bool nd_scheduler_done_to(const nd_scheduler *s, uint64_t revision)
{
    return (!s->open.oldest || s->open.oldest->since > revision) &&
           (!s->held.oldest || s->held.oldest->since > revision);
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
    s->order_stale = true;
    return NAV_OK;
}

void nd_scheduler_remove_focus(nd_scheduler *s, uint64_t id)
{
    ND_ASSERT_LOOP_THREAD();
    for (size_t i = 0; i < s->focus_count; i++)
        if (s->foci[i].id == id) {
            s->foci[i] = s->foci[--s->focus_count];
            s->order_stale = true;
            return;
        }
}
