// DESIGN. The daemon's memory as a whole. Each part has a limit of its own (caches, meshes, output, the memory of a
// tile), but they add up, and a daemon that asks for more than there is gets killed by the system, with everybody's
// sessions. So there is one budget above them (max_memory_bytes), compared with what is really held: by
// the process, without pages that map files (the databases), in shared memory, and by the helpers. Near it the cache of
// tiles in memory shrinks first, as far as needed: tiles come back from disk, or are built again. If that is not
// enough, whatever would add to a world is refused with a message: uploads, edits that put something, builds,
// subscriptions. Moving, removing and reading go on. Loop thread only.
#ifndef ND_MEMORY_H
#define ND_MEMORY_H

#include "daemon/cache/cache.h"
#include "daemon/config/config.h"
#include "protocol/envelope.h"

typedef struct nd_memory {
    const nd_config *config; // borrowed, as is all up to `of`
    nd_cache *cache;
    // Frees at once what is on its way to be freed; NULL: nothing ever is. False: there was nothing.
    bool (*hurry)(void *user);
    void *user;
    uint64_t (*elsewhere)(void *of); // what counts beside the process's own pages; NULL: nothing does
    void *of;

    uint64_t limit, held; // bytes; held: at the last look
    uint64_t looked_ns, shrunk_ns, trimmed_ns;
    uint64_t cache_bytes; // that the cache may have now: the configured, or less under pressure
    uint64_t refusals;
} nd_memory;

// What is held at the moment, in bytes; own: by the process without pages that others can see, too, and elsewhere.
typedef struct nd_memory_use {
    uint64_t resident, own;
} nd_memory_use;
nd_memory_use nd_memory_in_use(const nd_memory *m);
// The least that the process's control group and those around it may have (cgroup v2); UINT64_MAX: no bound.
// folder: where the groups are mounted; membership: as /proc/self/cgroup.
uint64_t nd_memory_of_groups(const char *folder, const char *membership);
// The members up to `of` are set. Also after the configuration has changed.
void nd_memory_init(nd_memory *m);
// Before there are threads: how the heap gives memory back to the system.
void nd_memory_init_heap(void);
// Now and then: gives the cache back what it may have, and the system what a small heap does not use.
void nd_memory_watch(nd_memory *m);
// Something large was given back: the next check looks again.
void nd_memory_gave_back(nd_memory *m);
// How much may be added before something is refused: what the cache holds would give way.
uint64_t nd_memory_room(nd_memory *m);
// May something be added that will take about so many bytes? NAV_ERR_LIMIT with words.
NAV_MUST_USE nav_status nd_memory_check(nd_memory *m, uint64_t more, np_error *err);

#endif
