#include "clients/navctl/paths/landmarks.h"
#include "clients/navctl/generate/shared_threads.h"
#include "core/base/parallel.h"

#include <stdatomic.h>

typedef struct making {
    nav_path_landmarks *landmarks;
    const nav_path_set *set;
    atomic_uint next;
    uint32_t end;
    atomic_int status;
} making;

static void flood_part(void *state, int part)
{
    making *m = state;
    nav_path_finder *finder = NULL;
    (void)part;
    nav_status s = nav_path_finder_create(&finder);
    while (s == NAV_OK && atomic_load(&m->status) == NAV_OK) {
        uint32_t k = atomic_fetch_add(&m->next, 1);
        if (k >= m->end) break;
        s = nav_path_landmarks_flood(m->landmarks, k, finder, m->set, NULL, NULL);
    }
    if (s != NAV_OK) atomic_store(&m->status, (int)s);
    nav_path_finder_destroy(finder);
}

uint64_t landmarks_price(const nav_path_set *set)
{
    return nav_path_landmarks_cost(set, nav_path_landmarks_worth(set));
}

// From the next one up to one that is left out.
static void flood_all(making *m, uint32_t end)
{
    const nav_parallel *threads = shared_threads();
    m->end = end;
    if (atomic_load(&m->status) == NAV_OK) nav_parallel_run(threads, flood_part, m, threads ? threads->threads : 1);
    atomic_store(&m->next, end); // each part has taken one more
}

nav_status landmarks_make(nav_path_set *set, uint32_t count)
{
    making m = {.set = set};
    nav_path_finder *finder = NULL;
    nav_status s = nav_path_landmarks_create(set, count, &m.landmarks);
    if (s == NAV_ERR_ARGUMENT) return NAV_OK; // no ground
    if (s == NAV_OK) s = nav_path_finder_create(&finder);
    if (s == NAV_OK) s = nav_path_landmarks_flood(m.landmarks, 0, finder, set, NULL, NULL);
    nav_path_finder_destroy(finder);
    atomic_init(&m.next, 1);
    atomic_init(&m.status, (int)s);
    if (s == NAV_OK) flood_all(&m, nav_path_landmarks_leaders(m.landmarks)); // which the others need
    if (s == NAV_OK) flood_all(&m, nav_path_landmarks_count(m.landmarks));
    s = (nav_status)atomic_load(&m.status);
    if (s == NAV_OK)
        nav_path_set_use_landmarks(set, m.landmarks);
    else
        nav_path_landmarks_destroy(m.landmarks);
    return s;
}
