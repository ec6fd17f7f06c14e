#include "daemon/world/marking.h"

#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/world/growth.h"
#include "daemon/world/profiles.h"

#include <math.h>
#include <stdlib.h>

// So near to a focus, in tiles, they are marked before the others: a square of NEAR_SIDE tiles around it.
enum { NEAR_TILES = 4, NEAR_SIDE = 2 * NEAR_TILES + 1 };

struct nd_marking {
    nd_caller *caller; // a reference, or NULL
    nd_class near_class, class;
    uint64_t now_ns, interactive, near_count;
    size_t focus; // of the scheduler's: the next one
    int place;    // in the square around it
    size_t slot;  // in the table of tiles
    bool walked;  // to its end
    uint32_t profile;
    bool growing;
    nd_growth growth; // of that profile
    nd_dirty made;
};

nav_status nd_marking_create(nd_marking **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

void nd_marking_destroy(nd_marking *m)
{
    if (!m) return;
    nd_caller_unref(m->caller);
    nd_growth_deinit(&m->growth);
    free(m->made.entries);
    free(m);
}

void nd_marking_begin(nd_world *w, nd_marking *m, nd_caller *caller, uint64_t revision, uint64_t now_ns,
                      uint64_t interactive, uint64_t tiles)
{
    ND_ASSERT_LOOP_THREAD();
    nd_marking_destroy(w->marking); // what it has not marked is marked with the rest
    m->caller = nd_caller_ref(caller);
    m->now_ns = now_ns;
    m->interactive = interactive;
    m->near_class = caller ? ND_INTERACTIVE : ND_BACKGROUND;
    m->class = tiles <= interactive ? m->near_class : ND_BACKGROUND;
    w->marking = m;
    if (!w->scheduler.remarking) w->scheduler.remarking = revision;
}

static bool is_marked(const nd_world *w, uint32_t profile)
{
    return w->profiles[profile].marking && nd_profile_is_live(w, profile);
}

static void mark(const nd_marking *m, nd_world *w, nd_tile *t, nd_class class)
{
    if (t->begun_ns > w->profiles[t->profile].applied_ns) return; // it is right already
    // It is marked already, for an older revision, and it is made with the settings of the time when somebody watches
    // it.
    if (t->state == ND_TILE_UNWATCHED && !nd_scheduler_is_watched(&w->scheduler, t)) return;
    const nd_mark mark = {.revision = w->scheduler.remarking,
                          .now_ns = m->now_ns,
                          .class = class,
                          .voids = true,
                          .by = ND_BY_PROFILE,
                          .caller = m->caller};
    nd_world_mark(w, t, &mark);
}

static bool mark_near(nd_marking *m, nd_world *w, size_t *steps)
{
    const nd_scheduler *s = &w->scheduler;
    for (; m->focus < s->focus_count; m->focus++, m->place = 0) {
        const nd_focus *f = &s->foci[m->focus];
        if (!is_marked(w, f->profile) || !(fabs(f->x) <= 1e9) || !(fabs(f->z) <= 1e9)) continue;
        for (; m->place < NEAR_SIDE * NEAR_SIDE; m->place++) {
            if (!*steps) return false;
            --*steps;
            int32_t x = (int32_t)floor(f->x) - NEAR_TILES + m->place % NEAR_SIDE;
            int32_t z = (int32_t)floor(f->z) - NEAR_TILES + m->place / NEAR_SIDE;
            nd_tile *t = nd_scheduler_find(s, f->profile, x, z);
            if (t) mark(m, w, t, ++m->near_count > m->interactive ? ND_BACKGROUND : m->near_class);
        }
    }
    return true;
}

typedef struct walker {
    const nd_marking *m;
    nd_world *w;
} walker;

static void mark_node(void *user, nd_node *n)
{
    const walker *all = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    if (is_marked(all->w, t->profile)) mark(all->m, all->w, t, all->m->class);
}

// Where the table has grown since, what was not seen stands at the same slot or behind it.
static bool mark_all(nd_marking *m, nd_world *w, size_t *steps)
{
    walker all = {m, w};
    if (m->walked) return true;
    if (!*steps) return false;
    m->slot = nd_table_each_from(&w->scheduler.tiles, m->slot, *steps, mark_node, &all);
    m->walked = !m->slot;
    *steps = m->walked ? *steps : 0;
    return m->walked;
}

// That there is room for them was found before the change took effect. An edit that is under way makes its own tiles,
// and has its own way of telling which it has seen.
static bool make_lacking(nd_marking *m, nd_world *w, size_t *steps)
{
    for (; m->profile < w->profile_count; m->profile++) {
        const nd_profile *p = &w->profiles[m->profile];
        if (!is_marked(w, m->profile) || p->complete_m >= nd_padding_of(&p->wire.settings)) continue;
        if (w->edit || w->change) return false;
        if (!m->growing) nd_growth_begin(&m->growth, m->profile, &p->wire.settings, p->complete_m);
        m->growing = true;
        nav_status s = nd_growth_run(&m->growth, w, &m->made, &nd_world_no_limits, steps);
        for (size_t i = 0; i < m->made.count; i++)
            if (m->made.entries[i].flags & ND_DIRTY_CREATED) mark(m, w, m->made.entries[i].tile, m->class);
        m->made.count = 0;
        if (s != NAV_OK) return false; // for want of memory, too: it tries again in the next turn
        m->growing = false;
    }
    return true;
}

bool nd_marking_run(nd_world *w, size_t *steps)
{
    ND_ASSERT_LOOP_THREAD();
    nd_marking *m = w->marking;
    if (!m) return false;
    if (!mark_near(m, w, steps) || !mark_all(m, w, steps) || !make_lacking(m, w, steps)) return true;
    for (uint32_t i = 0; i < w->profile_count; i++) {
        nd_profile *p = &w->profiles[i];
        if (!is_marked(w, i)) continue;
        p->marking = false;
        p->complete_m = nd_padding_of(&p->wire.settings);
    }
    nd_marking_destroy(m);
    w->marking = NULL;
    w->scheduler.remarking = 0;
    return false;
}
