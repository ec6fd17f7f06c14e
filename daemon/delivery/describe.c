#include "daemon/delivery/describe.h"

#include "core/build.h"

#define LIMIT "limit: the tile needs more memory than --tile-memory-bytes allows, or more than its format can hold"
#define TIMEOUT "timeout: the tile took longer than --tile-ms allows"
#define CRASHED                                                                                                        \
    "crashed: the generator crashed twice on this tile, which waits until its input changes or an edit marks it "      \
    "dirty "                                                                                                           \
    "(navctl edit --dirty)"
#define MEMORY "memory: the system is out of memory; navd will retry"

const char *nd_failure_text(nav_status s, unsigned stage)
{
    // Words that stay: a tile's reason is borrowed.
#define LIMIT_AT(id, name) [id] = LIMIT "; it failed in the stage " name,
#define TIMEOUT_AT(id, name) [id] = TIMEOUT "; it failed in the stage " name,
#define CRASHED_AT(id, name) [id] = CRASHED "; it failed in the stage " name,
#define MEMORY_AT(id, name) [id] = MEMORY "; it failed in the stage " name,
    static const char *const limit[] = {NAV_STAGE_LIST(LIMIT_AT)[NAV_STAGE_COUNT] = LIMIT};
    static const char *const timeout[] = {NAV_STAGE_LIST(TIMEOUT_AT)[NAV_STAGE_COUNT] = TIMEOUT};
    static const char *const crashed[] = {NAV_STAGE_LIST(CRASHED_AT)[NAV_STAGE_COUNT] = CRASHED};
    static const char *const memory[] = {NAV_STAGE_LIST(MEMORY_AT)[NAV_STAGE_COUNT] = MEMORY};
    if (stage > NAV_STAGE_COUNT) stage = NAV_STAGE_COUNT;
    switch (s) {
    case NAV_ERR_LIMIT:
        return limit[stage];
    case NAV_ERR_TIMEOUT:
        return timeout[stage];
    case NAV_ERR_CRASHED:
        return crashed[stage];
    case NAV_ERR_MEMORY:
        return memory[stage];
    case NAV_ERR_FORMAT:
        return "lost: a mesh of the tile cannot be read from disk; send it again with mesh.put";
    default:
        return nav_status_text(s);
    }
}

void nd_tile_describe(np_tile *out, const nd_tile *t, np_encoding encoding, const nd_cached *data)
{
    const nd_tile_result *r = &t->result;
    *out = (np_tile){.x = t->x,
                     .z = t->z,
                     .status = r->status,
                     .revision = r->revision,
                     .encoding = encoding,
                     .queued_us = r->queued_us,
                     .made_us = r->made_us,
                     .reason = np_str_of("")};
    if (r->status == NP_TILE_FAILED) out->reason = np_str_of(nd_failure_text(r->failure, r->stage));
    if (r->status != NP_TILE_OK && r->status != NP_TILE_EMPTY) return;
    out->key = r->content;
    if (!data) return;
    out->status = data->status; // a tile may be empty in one encoding and not in the other
    out->size = data->size;
    if (data->blob) out->data = (np_bin){NULL, (uint32_t)data->blob->size};
}
