#include "daemon/base/shared.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
#define MOST_BYTES ((size_t)4 << 30) // it keeps a book of all addresses
#else
#define MOST_BYTES ((size_t)256 << 30)
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#define LEAST_BYTES ((size_t)256 << 20)
// Of a limit of addresses (ulimit -v); the rest is for everything else.
#define PART_OF_LIMIT 4

// Blocks of class c have 2^c bytes of addresses.
enum { FIRST_CLASS = 9, CLASSES = 48 };

typedef struct shelf {
    void **free;
    size_t free_count, made; // free has room for all that were made
} shelf;

struct nd_shared {
    pthread_mutex_t mutex; // guards all below but the addresses
    uint8_t *at;
    size_t size, used;
    uint64_t held;
    shelf shelves[CLASSES];
};

void *nd_shared_map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    (void)madvise(at, bytes, MADV_DONTDUMP); // a helper's core would be as large as all meshes
    return at;
}

void nd_shared_unmap(void *at, size_t bytes)
{
    if (at) munmap(at, bytes);
}

void nd_shared_empty(void *at, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes >= page) (void)madvise(at, bytes & ~(page - 1), MADV_REMOVE);
}

nav_status nd_shared_create(nd_shared **out)
{
    nd_shared *s = calloc(1, sizeof *s);
    if (!s) return NAV_ERR_MEMORY;
    // Where the system counts addresses as memory there are fewer.
    s->size = MOST_BYTES;
    struct rlimit most;
    if (getrlimit(RLIMIT_AS, &most)) most.rlim_cur = RLIM_INFINITY;
    while (s->size / 2 >= LEAST_BYTES && s->size > most.rlim_cur / PART_OF_LIMIT) s->size /= 2;
    while (!(s->at = nd_shared_map(s->size)) && s->size > LEAST_BYTES) s->size /= 2;
    if (!s->at) {
        free(s);
        return NAV_ERR_MEMORY;
    }
    pthread_mutex_init(&s->mutex, NULL);
    *out = s;
    return NAV_OK;
}

void nd_shared_destroy(nd_shared *s)
{
    if (!s) return;
    nd_shared_unmap(s->at, s->size);
    for (int c = 0; c < CLASSES; c++) free(s->shelves[c].free);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

static int class_of(size_t bytes)
{
    int c = FIRST_CLASS;
    while ((size_t)1 << c < bytes) c++;
    return c;
}

// Pages that a block of the size takes; smaller ones share a page.
static uint64_t memory_of(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size_t)1 << class_of(bytes);
    return whole < page ? whole : (bytes + page - 1) & ~(page - 1);
}

// A place of the class that nobody had before. NULL: no memory, or no addresses.
static void *add_place(nd_shared *s, int c)
{
    shelf *own = &s->shelves[c];
    size_t bytes = (size_t)1 << c, page = (size_t)sysconf(_SC_PAGESIZE), step = bytes < page ? bytes : page;
    size_t place = (s->used + step - 1) & ~(step - 1);
    if (place > s->size || bytes > s->size - place) return NULL;
    if ((own->made & (own->made - 1)) == 0) { // room for as many again
        size_t room = own->made ? 2 * own->made : 1;
        void **grown = realloc(own->free, room * sizeof(void *));
        if (!grown) return NULL;
        own->free = grown;
    }
    s->used = place + bytes;
    own->made++;
    return s->at + place;
}

void *nd_shared_take(nd_shared *s, size_t bytes)
{
    if (bytes > s->size) return NULL;
    int c = class_of(bytes);
    pthread_mutex_lock(&s->mutex);
    shelf *own = &s->shelves[c];
    void *at = own->free_count ? own->free[--own->free_count] : add_place(s, c);
    if (at) s->held += memory_of(bytes);
    pthread_mutex_unlock(&s->mutex);
    return at;
}

void nd_shared_give(nd_shared *s, void *block, size_t bytes)
{
    if (!block) return;
    int c = class_of(bytes);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if ((size_t)1 << c >= page) nd_shared_empty(block, (size_t)memory_of(bytes));
    pthread_mutex_lock(&s->mutex);
    shelf *own = &s->shelves[c];
    own->free[own->free_count++] = block;
    s->held -= memory_of(bytes);
    pthread_mutex_unlock(&s->mutex);
}

uint64_t nd_shared_bytes(nd_shared *s)
{
    pthread_mutex_lock(&s->mutex);
    uint64_t held = s->held;
    pthread_mutex_unlock(&s->mutex);
    return held;
}

void nd_shared_protect(const nd_shared *s)
{
    (void)mprotect(s->at, s->size, PROT_READ);
}

// A block has whole pages of addresses, if it has one.
static bool set_access(void *block, size_t bytes, int access)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes >= page && !mprotect(block, (bytes + page - 1) & ~(page - 1), access);
}

void nd_shared_prepare(void *block, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes >= page) (void)madvise(block, bytes & ~(page - 1), MADV_POPULATE_WRITE); // where it cannot, faults do it
}

bool nd_shared_open(void *block, size_t bytes)
{
    return set_access(block, bytes, PROT_READ | PROT_WRITE);
}

void nd_shared_close(void *block, size_t bytes)
{
    if (!set_access(block, bytes, PROT_READ)) _exit(1); // its memory is the daemon's again
}
