#include "clients/navctl/paths/landmarks.h"
#include "clients/navctl/generate/shared_threads.h"
#include "core/base/parallel.h"

#include <stdatomic.h>

typedef struct making {
    nav_path_landmarks *landmarks;
    const nav_path_set *set;
    atomic_uint next;
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
        if (k >= nav_path_landmarks_count(m->landmarks)) break;
        s = nav_path_landmarks_flood(m->landmarks, k, finder, m->set, NULL, NULL);
    }
    if (s != NAV_OK) atomic_store(&m->status, (int)s);
    nav_path_finder_destroy(finder);
}

nav_status landmarks_make(nav_path_set *set, uint32_t count)
{
    const nav_parallel *threads = shared_threads();
    making m = {.set = set};
    nav_path_finder *finder = NULL;
    nav_status s = nav_path_landmarks_create(set, count, &m.landmarks);
    if (s == NAV_ERR_ARGUMENT) return NAV_OK; // no ground
    if (s == NAV_OK) s = nav_path_finder_create(&finder);
    if (s == NAV_OK) s = nav_path_landmarks_flood(m.landmarks, 0, finder, set, NULL, NULL);
    nav_path_finder_destroy(finder);
    atomic_init(&m.next, 1);
    atomic_init(&m.status, (int)s);
    if (s == NAV_OK) nav_parallel_run(threads, flood_part, &m, threads ? threads->threads : 1);
    s = (nav_status)atomic_load(&m.status);
    if (s == NAV_OK)
        nav_path_set_use_landmarks(set, m.landmarks);
    else
        nav_path_landmarks_destroy(m.landmarks);
    return s;
}
