#include "daemon/cache/memory.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

// LOOK_NS: a look takes a hundredth of that, and no more than a few megabytes come in between.
static const uint64_t LOOK_NS = 2000000, SHRINK_NS = 1000000000, LEAST_CACHE = 1 << 20;
// To look through the heap for pages that nobody uses takes a millisecond with so much in it, and a good part of a
// second with gigabytes, in which nobody can allocate: there only shrink() does it.
static const uint64_t TRIM_NS = 10000000000, SMALL_HEAP = 32 << 20;
enum { HEAP_BLOCK_BYTES = 256 << 10 };

static bool read_number(const char *path, unsigned long long *out)
{
    FILE *f = fopen(path, "re");
    if (!f) return false;
    bool ok = fscanf(f, "%llu", out) == 1; // "max" is no number
    fclose(f);
    return ok;
}

// "0::/system.slice/navd.service" is the line of cgroup v2. out: the path in it, or "".
static void find_group(const char *membership, char out[PATH_MAX])
{
    char line[PATH_MAX];
    FILE *f = fopen(membership, "re");
    out[0] = '\0';
    if (!f) return;
    while (!out[0] && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "0::/", 4)) snprintf(out, PATH_MAX, "%s", line + 3);
    }
    fclose(f);
}

uint64_t nd_memory_of_groups(const char *folder, const char *membership)
{
    char group[PATH_MAX], path[2 * PATH_MAX];
    uint64_t least = UINT64_MAX;
    unsigned long long most;
    find_group(membership, group);
    for (;;) {
        snprintf(path, sizeof path, "%s%s/memory.max", folder, group);
        if (read_number(path, &most) && most < least) least = most;
        char *end = strrchr(group, '/');
        if (!end) return least;
        *end = '\0';
    }
}

// What the option says, and 0 stands for: four fifths of what the control group or the system has.
static uint64_t limit_of(uint64_t configured)
{
    if (configured) return configured;
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group = nd_memory_of_groups("/sys/fs/cgroup", "/proc/self/cgroup");
    return (group < all ? group : all) / 5 * 4;
}

nd_memory_use nd_memory_in_use(const nd_memory *m)
{
    unsigned long long resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f) return (nd_memory_use){0};
    if (fscanf(f, "%*u %llu %llu", &resident, &shared) != 2) resident = shared = 0;
    fclose(f);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t elsewhere = m->elsewhere ? m->elsewhere(m->of) : 0;
    return (nd_memory_use){.resident = resident * page, .own = (resident - shared) * page + elsewhere};
}

static void look(nd_memory *m, uint64_t now_ns)
{
    m->held = nd_memory_in_use(m).own;
    m->looked_ns = now_ns;
}

static void allow_cache(nd_memory *m, uint64_t bytes)
{
    if (m->cache_bytes == bytes) return;
    m->cache_bytes = bytes;
    nd_cache_resize(m->cache, (size_t)bytes);
}

void nd_memory_init(nd_memory *m)
{
    m->limit = limit_of(m->config->max_memory_bytes);
    m->cache_bytes = m->config->cache_bytes;
    look(m, nd_now_ns());
}

// So that `wanted` more bytes fit below the limit, if the cache has them. It takes a moment: once a second.
static void shrink(nd_memory *m, uint64_t wanted, uint64_t now_ns)
{
    uint64_t has = m->cache->bytes, over = m->held + wanted + m->limit / 16 - m->limit;
    if (now_ns - m->shrunk_ns < SHRINK_NS && m->shrunk_ns) return;
    m->shrunk_ns = now_ns;
    allow_cache(m, has > over + LEAST_CACHE ? has - over : LEAST_CACHE);
    malloc_trim(0);
    look(m, nd_now_ns());
    nd_log(ND_LOG_WARN, "memory.short", "held=%" PRIu64 " limit=%" PRIu64 " cache_from=%" PRIu64 " cache_to=%" PRIu64,
           m->held, m->limit, has, (uint64_t)m->cache->bytes);
}

// Larger blocks are the system's, and so is the end of the heap. Said here, as else the C library raises both limits,
// up to 32 and 64 MiB, with the largest block that it ever saw freed.
void nd_memory_init_heap(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP_BLOCK_BYTES);
}

static void trim_small_heap(nd_memory *m, uint64_t now_ns)
{
    if (m->held > SMALL_HEAP || now_ns - m->trimmed_ns < TRIM_NS) return;
    m->trimmed_ns = now_ns;
    (void)malloc_trim(0);
}

void nd_memory_watch(nd_memory *m)
{
    uint64_t now = nd_now_ns();
    look(m, now);
    trim_small_heap(m, now);
    if (m->held > m->limit - m->limit / 16)
        shrink(m, 0, now);
    else if (m->cache_bytes < m->config->cache_bytes && m->held < m->limit / 4 * 3)
        allow_cache(m, m->config->cache_bytes);
}

void nd_memory_gave_back(nd_memory *m)
{
    m->looked_ns = 0;
}

uint64_t nd_memory_room(nd_memory *m)
{
    ND_ASSERT_LOOP_THREAD();
    uint64_t now = nd_now_ns(), cache = m->cache->bytes > LEAST_CACHE ? m->cache->bytes - LEAST_CACHE : 0;
    // A look takes as long as an edit that the cache answers. Far from the limit the timer's look is new enough.
    if (m->held > m->limit / 2 && now - m->looked_ns > LOOK_NS) look(m, now);
    uint64_t kept = m->held > cache ? m->held - cache : 0;
    return m->limit > kept ? m->limit - kept : 0;
}

nav_status nd_memory_check(nd_memory *m, uint64_t more, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    uint64_t now = nd_now_ns();
    if (now - m->looked_ns > LOOK_NS) look(m, now);
    if (m->held + more > m->limit && m->hurry && m->hurry(m->user)) {
        (void)malloc_trim(0);
        look(m, now);
    }
    if (m->held + more > m->limit) shrink(m, more, now);
    if (m->held + more <= m->limit) return NAV_OK;
    m->refusals++;
    return np_error_set(err, NAV_ERR_LIMIT,
                        "navd holds %" PRIu64 " MiB of memory and may hold %" PRIu64
                        " MiB (--max-memory-bytes): it accepts "
                        "nothing more until some of it is freed",
                        m->held >> 20, m->limit >> 20);
}
