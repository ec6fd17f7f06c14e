#include "daemon/work/tile_call.h"

#include <signal.h>
#include <string.h>

static bool copy_blob(nd_helper *h, nd_blob **blob)
{
    if (!*blob) return true;
    nd_blob *copy = nd_helper_take(h, sizeof *copy + (*blob)->size);
    if (!copy) return false;
    atomic_init(&copy->refs, 1);
    copy->size = (*blob)->size;
    memcpy(copy->data, (*blob)->data, copy->size);
    *blob = copy;
    return true;
}

static bool copy_parts(nd_helper *h, nav_parts **parts)
{
    void *room = *parts ? nd_helper_take(h, nav_parts_bytes(*parts)) : NULL;
    if (*parts && !room) return false;
    if (room) *parts = nav_parts_copy(*parts, room);
    return true;
}

// --- in the helper ---

static bool answer_cached(nd_helper *h, nd_cached *c)
{
    nd_blob *own = c->blob;
    nav_parts *own_parts = c->parts;
    bool fits = copy_blob(h, &c->blob) && copy_parts(h, &c->parts);
    nd_blob_unref(own);
    nav_parts_unref(own_parts);
    return fits;
}

static bool answer(nd_tile_job *j, nd_helper *h)
{
    bool fits = answer_cached(h, &j->base);
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++) fits = answer_cached(h, &j->out[e]) && fits;
    for (int e = 0; e < ND_ENCODINGS && !j->links_only; e++) fits = answer_cached(h, &j->bare[e]) && fits;
    return fits;
}

static void make(void *what, nd_worker *own)
{
    nd_tile_job *j = what;
    nd_tile_job_make(j, own);
    if (!answer(j, atomic_load(&j->helper))) j->status = NAV_ERR_LIMIT;
}

// --- in the daemon ---

// Links, and what they are added to.
static bool write_links(nd_tile_job *c, const nd_tile_job *j, nd_helper *h)
{
    bool fits = true;
    c->link_count = j->link_count;
    c->links_only = j->links_only;
    c->tile_x = j->tile_x;
    c->tile_z = j->tile_z;
    c->links = nd_helper_take(h, j->link_count * sizeof *c->links);
    if (!c->links) return false;
    if (j->link_count) memcpy(c->links, j->links, j->link_count * sizeof *c->links);
    for (int e = 0; e < ND_ENCODINGS && fits; e++) {
        c->bare[e] = j->bare[e];
        fits = copy_blob(h, &c->bare[e].blob);
    }
    return fits;
}

// The job in the mailbox; NULL: there is no room for it.
static nd_tile_job *write_down(const nd_tile_job *j, nd_helper *h)
{
    nd_helper_empty(h);
    nd_tile_job *c = nd_helper_take(h, sizeof *c);
    void *snapshot = c && j->snapshot ? nd_helper_take(h, nd_snapshot_bytes(j->snapshot)) : NULL;
    if (!c || (j->snapshot && !snapshot)) return NULL;
    *c = (nd_tile_job){.number = j->number,
                       .wanted = j->wanted,
                       .zstd_level = j->zstd_level,
                       .build = j->build,
                       .dictionary = j->dictionary,
                       .has_known = j->has_known,
                       .known = j->known,
                       .timeout_us = j->timeout_us,
                       .wants_base = j->wants_base,
                       .mode = j->mode,
                       .before = j->before,
                       .min_doubled_area = j->min_doubled_area,
                       .base_in = j->base_in,
                       .settings = j->settings,
                       .part_count = j->part_count,
                       .source_key = j->source_key,
                       .stage = NAV_STAGE_COUNT};
    atomic_init(&c->helper, h);
    c->snapshot = snapshot ? nd_snapshot_copy(j->snapshot, snapshot) : NULL;
    if (!copy_parts(h, &c->before) || !copy_blob(h, &c->base_in.blob) || !write_links(c, j, h)) return NULL;
    uint32_t off_count = j->before ? j->before->count : j->part_count;
    if (!j->off) return c;
    c->off = nd_helper_take(h, off_count);
    if (c->off) memcpy(c->off, j->off, off_count);
    return c->off ? c : NULL;
}

static nav_status read_blob(const nd_helper *h, nd_blob **blob)
{
    const nd_blob *from = *blob;
    *blob = NULL;
    if (!from) return NAV_OK;
    if (!nd_helper_holds(h, from, sizeof *from) || !nd_helper_holds(h, from, sizeof *from + from->size))
        return NAV_ERR_CRASHED;
    nd_blob *own = nd_blob_create(from->size);
    if (!own) return NAV_ERR_MEMORY;
    memcpy(own->data, from->data, from->size);
    *blob = own;
    return NAV_OK;
}

static nav_status read_parts(const nd_helper *h, nav_parts **parts)
{
    const nav_parts *from = *parts;
    *parts = NULL;
    if (!from) return NAV_OK;
    if (!nd_helper_holds(h, from, sizeof *from) || !nd_helper_holds(h, from, nav_parts_bytes(from)))
        return NAV_ERR_CRASHED;
    void *own = malloc(nav_parts_bytes(from));
    if (!own) return NAV_ERR_MEMORY;
    *parts = nav_parts_copy(from, own);
    return NAV_OK;
}

static nav_status read_cached(const nd_helper *h, const nd_cached *from, nd_cached *out)
{
    nd_blob_unref(out->blob);
    nav_parts_unref(out->parts);
    *out = *from;
    out->parts = NULL;
    nav_status s = read_blob(h, &out->blob);
    if (s != NAV_OK) return s;
    out->parts = from->parts;
    return read_parts(h, &out->parts);
}

static void read_answer(nd_tile_job *j, const nd_helper *h, const nd_tile_job *c)
{
    j->status = c->status < NAV_STATUS_COUNT ? c->status : NAV_ERR_CRASHED;
    j->content_key = c->content_key;
    j->out_key = c->out_key;
    j->compress_us = c->compress_us;
    j->arena_peak = c->arena_peak;
    j->coarse_outlines = c->coarse_outlines;
    memcpy(j->stage_us, c->stage_us, sizeof j->stage_us);
    for (int e = 0; e < ND_WIRE_ENCODINGS && j->status == NAV_OK; e++)
        j->status = read_cached(h, &c->out[e], &j->out[e]);
    if (j->status == NAV_OK) j->status = read_cached(h, &c->base, &j->base);
    for (int e = 0; e < ND_ENCODINGS && j->status == NAV_OK && !j->links_only; e++)
        j->status = read_cached(h, &c->bare[e], &j->bare[e]);
}

static bool try_once(nd_tile_job *j, nd_helper *h)
{
    nd_tile_job *c = write_down(j, h);
    nd_death death;
    if (!c) {
        j->status = NAV_ERR_LIMIT;
        return true;
    }
    bool answered = nd_helper_run(h, make, c, j->timeout_us ? j->timeout_us + j->stuck_us : 0, &death);
    unsigned stage = atomic_load(&c->stage);
    j->stage = stage < NAV_STAGE_COUNT ? stage : NAV_STAGE_COUNT;
    j->adding_links = c->adding_links;
    if (answered) {
        read_answer(j, h, c);
        return true;
    }
    j->deaths[j->death_count++] = (nd_tile_death){.of = death, .stage = (uint8_t)j->stage};
    j->status = death.signal == SIGALRM ? NAV_ERR_TIMEOUT : NAV_ERR_CRASHED;
    return death.signal == SIGALRM;
}

void nd_tile_job_call(nd_tile_job *j, nd_helper *h)
{
    j->number = nd_helper_next(h);
    atomic_store(&j->helper, h); // from now on a cancel goes there as well
    do {
        if (atomic_load(&j->fate) == ND_JOB_CANCELLED) {
            j->status = NAV_ERR_CANCELLED;
            break;
        }
    } while (!try_once(j, h) && j->death_count < ND_TILE_DEATHS);
    atomic_store(&j->helper, NULL);
}
