#include "daemon/work/mesh_call.h"

#include "daemon/base/shared.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

// Bytes that go through the mailbox, whose pages stay for the next ones; and meshes that are copied out of it.
#define MOST_WORDS ((size_t)8 << 20)
#define MOST_COPIED ((size_t)1 << 20)
// A helper that takes longer is killed: that is far from what any mesh takes.
#define ALARM_US UINT64_C(60000000)
#define ALARM_US_A_MIB UINT64_C(1000000)

enum { MOST_DEATHS = 2 };

// A job in the mailbox. The helper may write all of it, so the daemon has its places in the job itself.
typedef struct entry {
    nd_mesh_job job; // what it says of the mesh, and what came out
    size_t room;     // of the block
    bool is_shared;  // the block
} entry;

typedef struct request {
    atomic_uint begun; // entries that were
    uint32_t count;
    entry entries[];
} request;

// --- in the helper ---

static void *take_room(void *user, size_t bytes)
{
    const entry *e = user;
    return bytes <= e->room ? e->job.block : NULL;
}

static void give_room(void *user, void *block, size_t bytes)
{
    (void)user;
    (void)block;
    (void)bytes;
}

static void index_all(void *what, nd_worker *own)
{
    request *r = what;
    (void)own;
    for (uint32_t i = 0; i < r->count; i++) {
        entry *e = &r->entries[i];
        const nav_mesh_memory room = {take_room, give_room, e};
        atomic_store(&r->begun, i + 1);
        e->job.memory = &room;
        if (e->is_shared && !nd_shared_open(e->job.block, e->room)) {
            e->job.status = NAV_ERR_MEMORY;
            continue;
        }
        if (e->is_shared) nd_shared_prepare(e->job.block, e->room);
        nd_mesh_job_index(&e->job, e->job.words);
        if (e->is_shared) nd_shared_close(e->job.block, e->room);
    }
}

// --- in the daemon ---

static size_t word_bytes(const nd_mesh_job *j)
{
    return np_mesh_bytes(j->vertices, j->triangles, j->form);
}

static size_t room_of(const nd_mesh_job *j)
{
    return nav_mesh_bytes(j->triangles, j->form & NP_MESH_AREAS);
}

static bool shares_words(const nd_mesh_job *j)
{
    return j->memory && word_bytes(j) > MOST_WORDS;
}

static bool shares_block(const nd_mesh_job *j)
{
    return j->memory && room_of(j) > MOST_COPIED;
}

static void *take(const nd_mesh_job *j, nd_helper *h, bool is_shared, size_t bytes)
{
    return is_shared ? j->memory->take(j->memory->user, bytes) : nd_helper_take(h, bytes);
}

static void give_places(nd_mesh_job *j)
{
    if (j->words && shares_words(j)) j->memory->give(j->memory->user, j->words, word_bytes(j));
    if (j->block && shares_block(j)) j->memory->give(j->memory->user, j->block, room_of(j));
    j->words = j->block = NULL;
}

static bool write_entry(nd_mesh_job *j, nd_helper *h, entry *e)
{
    if (j->form & NP_MESH_HEIGHTS) return false; // needs no helper
    j->words = take(j, h, shares_words(j), word_bytes(j));
    j->block = take(j, h, shares_block(j), room_of(j));
    if (!j->words || !j->block) {
        give_places(j);
        return false;
    }
    if (shares_words(j)) nd_shared_prepare(j->words, word_bytes(j));
    nd_mesh_job_get_words(j, j->words);
    *e = (entry){.job = {.vertices = j->vertices,
                         .triangles = j->triangles,
                         .form = j->form,
                         .has_hash = j->has_hash,
                         .hash = j->hash,
                         .words = j->words,
                         .block = j->block},
                 .room = room_of(j),
                 .is_shared = shares_block(j)};
    return true;
}

// The request for the jobs from `first` on, as many as there is room for; NULL: not for one.
static request *write_down(nd_mesh_job *first, nd_helper *h)
{
    uint32_t count = 0;
    nd_helper_empty(h);
    for (nd_mesh_job *j = first; j; j = j->next) count++;
    request *r = nd_helper_take(h, sizeof *r + count * sizeof r->entries[0]);
    if (!r) return NULL;
    atomic_init(&r->begun, 0);
    r->count = 0;
    for (nd_mesh_job *j = first; j && write_entry(j, h, &r->entries[r->count]); j = j->next) r->count++;
    return r->count ? r : NULL;
}

static nav_status take_mesh(nd_mesh_job *j, const nav_mesh *made)
{
    if (made != j->block) return NAV_ERR_CRASHED;
    if (shares_block(j) && made->tri_count == j->triangles) { // the block has no byte more than it needs
        j->mesh = nav_mesh_adopt(j->memory, j->block, j->triangles, j->form & NP_MESH_AREAS);
        if (j->mesh) j->block = NULL;
        return j->mesh ? NAV_OK : NAV_ERR_CRASHED;
    }
    j->mesh = nav_mesh_copy_in(j->memory, j->block, j->triangles, j->form & NP_MESH_AREAS);
    return j->mesh ? NAV_OK : NAV_ERR_MEMORY;
}

// The helper has answered for this one.
static void read_entry(nd_mesh_job *j, const entry *e)
{
    j->status = (unsigned)e->job.status < NAV_STATUS_COUNT ? e->job.status : NAV_ERR_CRASHED;
    j->bad_area = e->job.bad_area;
    if (j->status == NAV_ERR_FORMAT && (!(j->form & NP_MESH_AREAS) || j->bad_area >= j->triangles))
        j->status = NAV_ERR_CRASHED;
    if (j->status == NAV_OK) j->status = take_mesh(j, e->job.mesh);
    give_places(j);
}

static void fail(nd_mesh_job *j, nd_death death)
{
    j->status = death.signal == SIGALRM ? NAV_ERR_TIMEOUT : NAV_ERR_CRASHED;
    j->signal = death.signal;
    if (!j->has_hash) { // so that it can be named
        const uint8_t *tris = j->words + 12 * (size_t)j->vertices, *areas = tris + 12 * (size_t)j->triangles;
        j->hash = nav_mesh_hash_with_areas((const float *)(const void *)j->words, j->vertices,
                                           (const uint32_t *)(const void *)tris, j->triangles,
                                           j->form & NP_MESH_AREAS ? areas : NULL);
    }
}

void nd_mesh_call(nd_mesh_job *first, nd_helper *h)
{
    unsigned deaths = 0; // of the first one
    while (first) {
        nd_death death;
        if (first->form & NP_MESH_HEIGHTS) { // its numbers are checked one by one, and nothing is searched in it
            nd_mesh_job_run(first);
            first = first->next;
            continue;
        }
        request *r = write_down(first, h);
        if (!r) {
            first->status = NAV_ERR_MEMORY;
            first = first->next;
            continue;
        }
        uint32_t count = r->count;
        uint64_t alarm_us = ALARM_US + ALARM_US_A_MIB * (word_bytes(first) >> 20);
        bool answered = nd_helper_run(h, index_all, r, alarm_us, &death);
        uint32_t begun = atomic_load(&r->begun), done = answered ? count : begun ? begun - 1 : 0;
        for (uint32_t i = 0; i < done && i < count && first; i++, first = first->next, deaths = 0)
            read_entry(first, &r->entries[i]);
        if (answered || !first) continue;
        bool ends = ++deaths == MOST_DEATHS || death.signal == SIGALRM;
        if (ends) fail(first, death);
        give_places(first); // a large one; small ones have none
        if (!ends) continue;
        first = first->next;
        deaths = 0;
    }
}
