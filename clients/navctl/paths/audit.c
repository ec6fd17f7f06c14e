#include "clients/navctl/paths/audit.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/paths/landmarks.h"
#include "core/base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_A_STEP = 16 }; // that a thread takes at once

void audit_deinit(audit *a)
{
    free(a->pairs);
    *a = (audit){.pairs = NULL};
}

static int fail(const char *name, nav_status s)
{
    fprintf(stderr, "navctl: %s: %s\n", name, nav_status_text(s));
    return NAVCTL_FAILED;
}

int audit_draw(audit *a, const char *name, const nav_path_set *set, uint64_t seed, uint32_t count)
{
    nav_path_finder *finder = NULL;
    a->seed = seed;
    a->count = 0;
    a->pairs = calloc((size_t)count + 1, sizeof *a->pairs);
    nav_status s = a->pairs ? nav_path_finder_create(&finder) : NAV_ERR_MEMORY;
    if (s == NAV_OK) s = nav_audit_draw(finder, set, seed, count, a->pairs, &a->count);
    nav_path_finder_destroy(finder);
    if (s != NAV_OK) return fail(name, s);
    if (a->count) return NAVCTL_OK;
    fprintf(stderr, "navctl: %s: there is no ground to walk on\n", name);
    return NAVCTL_INPUT;
}

int audit_ask_again(audit *a, const audit *other)
{
    a->seed = other->seed;
    a->near_m = other->near_m;
    a->count = 0;
    a->pairs = calloc((size_t)other->count + 1, sizeof *a->pairs);
    if (!a->pairs) return fail("audit", NAV_ERR_MEMORY);
    for (; a->count < other->count; a->count++) {
        nav_audit_pair *p = &a->pairs[a->count];
        p->status = NAV_PATH_LIMIT;
        memcpy(p->from, other->pairs[a->count].from, sizeof p->from);
        memcpy(p->to, other->pairs[a->count].to, sizeof p->to);
    }
    return NAVCTL_OK;
}

typedef struct answering {
    audit *a;
    const nav_path_set *set;
    atomic_uint next; // pair
    atomic_uint_least64_t spent;
    uint64_t price; // of landmarks, nodes; the threads stop once it is spent
    atomic_int status;
} answering;

static void answer_part(void *state, int part)
{
    answering *w = state;
    nav_path_finder *finder = NULL;
    (void)part;
    nav_status s = nav_path_finder_create(&finder);
    while (s == NAV_OK && atomic_load(&w->status) == NAV_OK && atomic_load(&w->spent) < w->price) {
        uint32_t first = atomic_fetch_add(&w->next, PAIRS_A_STEP);
        if (first >= w->a->count) break;
        for (uint32_t i = first; i < first + PAIRS_A_STEP && i < w->a->count && s == NAV_OK; i++) {
            s = nav_audit_answer(finder, w->set, w->a->near_m, NULL, NULL, &w->a->pairs[i]);
            if (s == NAV_OK) atomic_fetch_add(&w->spent, nav_path_landmarks_may_save(w->a->pairs[i].nodes));
        }
    }
    if (s != NAV_OK) atomic_store(&w->status, (int)s);
    nav_path_finder_destroy(finder);
}

int audit_answer(audit *a, const char *name, nav_path_set *set)
{
    const nav_parallel *threads = shared_threads();
    answering w = {.a = a, .set = set, .price = landmarks_price(set)};
    if (nav_path_set_landmarks(set)) w.price = UINT64_MAX;
    atomic_init(&w.spent, 0);
    atomic_init(&w.next, 0);
    atomic_init(&w.status, NAV_OK);
    nav_parallel_run(threads, answer_part, &w, threads ? threads->threads : 1);
    nav_status s = (nav_status)atomic_load(&w.status);
    if (s == NAV_OK && atomic_load(&w.next) < a->count) {
        s = landmarks_make(set, nav_path_landmarks_worth(set));
        w.price = UINT64_MAX;
        if (s == NAV_OK) nav_parallel_run(threads, answer_part, &w, threads ? threads->threads : 1);
        if (s == NAV_OK) s = (nav_status)atomic_load(&w.status);
    }
    return s == NAV_OK ? NAVCTL_OK : fail(name, s);
}
