#include "daemon/delivery/describe.h"

#include "core/build.h"
#include "daemon/work/nursery.h"

#include <stdio.h>

#define LIMIT "limit: the tile needs more memory than --tile-memory-bytes allows, or more than its format can hold"
#define TIMEOUT "timeout: the tile took longer than --tile-ms allows"
#define MEMORY "memory: the system is out of memory; navd will retry"

enum { TEXT_BYTES = 224 };

// "crashed: the tile crashed the generator in stage contours twice (segmentation fault); it waits until ..."
static const char *crash_text(unsigned stage, unsigned signal)
{
    static char texts[NAV_STAGE_COUNT + 1][ND_DEATH_SIGNALS + 1][TEXT_BYTES];
    if (signal > ND_DEATH_SIGNALS) signal = ND_DEATH_SIGNALS;
    char *text = texts[stage][signal];
    if (text[0]) return text;
    bool in_stage = stage < NAV_STAGE_COUNT;
    snprintf(text, TEXT_BYTES,
             "crashed: the tile crashed the generator%s%s twice%s%s%s; it waits until its input changes or an edit "
             "marks it dirty (navctl edit --dirty)",
             in_stage ? " in stage " : "", in_stage ? nav_stage_name((nav_stage)stage) : "", signal ? " (" : "",
             signal ? nd_death_text((int)signal) : "", signal ? ")" : "");
    return text;
}

const char *nd_failure_text(const nd_reason *why)
{
#define LIMIT_AT(id, name) [id] = LIMIT "; it failed in the stage " name,
#define TIMEOUT_AT(id, name) [id] = TIMEOUT "; it failed in the stage " name,
#define MEMORY_AT(id, name) [id] = MEMORY "; it failed in the stage " name,
    static const char *const limit[] = {NAV_STAGE_LIST(LIMIT_AT)[NAV_STAGE_COUNT] = LIMIT};
    static const char *const timeout[] = {NAV_STAGE_LIST(TIMEOUT_AT)[NAV_STAGE_COUNT] = TIMEOUT};
    static const char *const memory[] = {NAV_STAGE_LIST(MEMORY_AT)[NAV_STAGE_COUNT] = MEMORY};
    unsigned stage = why->stage < NAV_STAGE_COUNT ? why->stage : NAV_STAGE_COUNT;
    switch (why->status) {
    case NAV_ERR_LIMIT:
        return limit[stage];
    case NAV_ERR_TIMEOUT:
        return timeout[stage];
    case NAV_ERR_CRASHED:
        return crash_text(stage, why->signal);
    case NAV_ERR_MEMORY:
        return memory[stage];
    case NAV_ERR_FORMAT:
        return "lost: a mesh of the tile cannot be read from disk; send it again with mesh.put";
    default:
        return nav_status_text(why->status);
    }
}

void nd_tile_describe(np_tile *out, const nd_tile *t, nav_sheet sheet, np_encoding encoding, const nd_cached *data)
{
    const nd_tile_result *r = &t->result;
    *out = (np_tile){.x = t->x,
                     .z = t->z,
                     .sheet = sheet,
                     .status = r->status,
                     .revision = r->revision,
                     .encoding = encoding,
                     .queued_us = r->queued_us,
                     .made_us = r->made_us,
                     .reason = np_str_of("")};
    if (r->status == NP_TILE_FAILED) out->reason = np_str_of(nd_failure_text(&r->failure));
    if (r->status != NP_TILE_OK && r->status != NP_TILE_EMPTY) return;
    out->key = r->content;
    if (!data) return;
    out->status = data->status; // a tile may be empty in one encoding and not in the other
    out->size = data->size;
    if (data->blob) out->data = (np_bin){NULL, (uint32_t)data->blob->size};
}
