#include "daemon/farm/beat.h"

#include "daemon/farm/note.h"

#include "core/base/endian.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 64 };

// Ids are arrays of characters in the structs and strings on the wire.
typedef struct beat_wire {
    nd_beat beat;
    np_str id;
} beat_wire;

typedef struct done_wire {
    nd_done done;
    np_str worker;
} done_wire;

const char *const nd_beat_kinds[] = {
    [ND_BEAT_DAEMON] = "daemon", [ND_BEAT_WORKER] = "worker", [ND_BEAT_REPLICA] = "replica", NULL};
static const char *const done_names[] = {
    [ND_DONE_BUILT] = "built",     [ND_DONE_SET_ASIDE] = "set_aside", [ND_DONE_NO_MESH] = "no_mesh",
    [ND_DONE_REFUSED] = "refused", [ND_DONE_FAILED] = "failed",       NULL};

#define FIELD(T, at, member, wire_type)                                                                                \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(T, at member)                                            \
    }
#define NEEDED(T, at, member, wire_type)                                                                               \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, at member)                      \
    }
#define BEAT(member, wire_type) FIELD(beat_wire, beat., member, wire_type)
#define DONE(member, wire_type) FIELD(done_wire, done., member, wire_type)

static nav_status check_text(np_str text, const char *key, char *why, size_t why_bytes)
{
    if (text.size <= MOST_TEXT) return NAV_OK;
    snprintf(why, why_bytes, "%s has %u bytes, expected at most %d", key, text.size, MOST_TEXT);
    return NAV_ERR_FORMAT;
}

// An id goes into subjects and log lines: nothing but what nd_farm_make_id() makes.
static nav_status take_id(np_str text, char out[ND_FARM_ID_BYTES], char *why, size_t why_bytes)
{
    bool good = text.size == ND_FARM_ID_BYTES - 1;
    for (uint32_t i = 0; i < text.size && good; i++)
        good = (text.data[i] >= '0' && text.data[i] <= '9') || (text.data[i] >= 'a' && text.data[i] <= 'f');
    if (!good) {
        snprintf(why, why_bytes, "an id has %u characters, expected %d hexadecimal digits", text.size,
                 ND_FARM_ID_BYTES - 1);
        return NAV_ERR_FORMAT;
    }
    memcpy(out, text.data, text.size);
    out[text.size] = 0;
    return NAV_OK;
}

static nav_status check_beat(void *m, char *why, size_t why_bytes)
{
    beat_wire *w = m;
    nav_status s = take_id(w->id, w->beat.id, why, why_bytes);
    if (s == NAV_OK) s = check_text(w->beat.name, "name", why, why_bytes);
    return s == NAV_OK ? check_text(w->beat.version, "version", why, why_bytes) : s;
}

static const np_field beat_fields[] = {
    {.key = "kind",
     .type = NP_T_ENUM,
     .flags = NP_REQUIRED,
     .offset = offsetof(beat_wire, beat.kind),
     .names = nd_beat_kinds},
    NEEDED(beat_wire, , id, NP_T_STR),
    BEAT(name, NP_T_STR),
    BEAT(version, NP_T_STR),
    NEEDED(beat_wire, beat., generator, NP_T_U32),
    BEAT(leaves, NP_T_BOOL),
    BEAT(threads, NP_T_U32),
    BEAT(jobs, NP_T_U32),
    BEAT(waiting, NP_T_U64),
    BEAT(tiles, NP_T_U64),
    BEAT(found, NP_T_U64),
    BEAT(done, NP_T_U64),
    BEAT(set_aside, NP_T_U64),
    BEAT(refused, NP_T_U64),
    BEAT(bytes_in, NP_T_U64),
    BEAT(bytes_out, NP_T_U64),
    BEAT(uptime_s, NP_T_U64),
};
static const np_schema beat_schema = {.bytes = sizeof(beat_wire), NP_FIELDS(beat_fields), .check = check_beat};

static nav_status check_done(void *m, char *why, size_t why_bytes)
{
    done_wire *w = m;
    if (w->done.why.size >= ND_DONE_WHY_BYTES) {
        snprintf(why, why_bytes, "why has %u bytes, expected less than %d", w->done.why.size, ND_DONE_WHY_BYTES);
        return NAV_ERR_FORMAT;
    }
    return take_id(w->worker, w->done.worker, why, why_bytes);
}

static nav_status check_done_tile(void *m, char *why, size_t why_bytes)
{
    const nd_done_tile *t = m;
    if ((unsigned)t->status < NAV_STATUS_COUNT) return NAV_OK;
    snprintf(why, why_bytes, "status is %u, expected less than %d", (unsigned)t->status, NAV_STATUS_COUNT);
    return NAV_ERR_FORMAT;
}

_Static_assert(sizeof(nav_status) == sizeof(uint32_t), "a status is read as a number");
static const np_field tile_fields[] = {NEEDED(nd_done_tile, , x, NP_T_I32), NEEDED(nd_done_tile, , z, NP_T_I32),
                                       NEEDED(nd_done_tile, , status, NP_T_U32)};
static const np_schema tile_schema = {
    .bytes = sizeof(nd_done_tile), NP_FIELDS(tile_fields), .shape = NP_SHAPE_TUPLE, .check = check_done_tile};
static const np_field mesh_fields[] = {{.key = "mesh", .type = NP_T_KEY, .flags = NP_REQUIRED}};
static const np_schema mesh_schema = {.bytes = sizeof(nav_key), NP_FIELDS(mesh_fields), .shape = NP_SHAPE_BARE};

static const np_field done_fields[] = {
    NEEDED(done_wire, done., job, NP_T_U64),
    {.key = "status",
     .type = NP_T_ENUM,
     .flags = NP_REQUIRED,
     .offset = offsetof(done_wire, done.status),
     .names = done_names},
    NEEDED(done_wire, , worker, NP_T_STR),
    DONE(built, NP_T_U32),
    DONE(found, NP_T_U32),
    DONE(why, NP_T_STR),
    {.key = "meshes",
     .type = NP_T_LIST,
     .count = ND_DONE_MESHES,
     .offset = offsetof(done_wire, done.meshes),
     .count_offset = offsetof(done_wire, done.mesh_count),
     .item = &mesh_schema},
    {.key = "tiles",
     .type = NP_T_LIST,
     .count = ND_DONE_TILES,
     .offset = offsetof(done_wire, done.tiles),
     .count_offset = offsetof(done_wire, done.tile_count),
     .item = &tile_schema},
};
static const np_schema done_schema = {.bytes = sizeof(done_wire), NP_FIELDS(done_fields), .check = check_done};

nav_status nd_beat_write(nav_buffer *out, const nd_beat *b)
{
    const beat_wire w = {*b, np_str_of(b->id)};
    return nd_note_write(out, "beat", &beat_schema, &w);
}

nav_status nd_beat_read(const void *bytes, size_t count, np_message *m, nd_beat *b, np_error *err)
{
    beat_wire w = {0};
    nav_status s = nd_note_read(bytes, count, "beat", &beat_schema, m, &w, err);
    if (s == NAV_OK) *b = w.beat;
    return s;
}

nav_status nd_done_write(nav_buffer *out, const nd_done *d)
{
    const done_wire w = {*d, np_str_of(d->worker)};
    return nd_note_write(out, "done", &done_schema, &w);
}

nav_status nd_done_read(const void *bytes, size_t count, np_message *m, nd_done *d, np_error *err)
{
    done_wire w = {0};
    nav_status s = nd_note_read(bytes, count, "done", &done_schema, m, &w, err);
    if (s == NAV_OK) *d = w.done;
    return s;
}

// Format: "NV", format 1, zero, then the jobs, 8 bytes each, little-endian.
static const uint8_t void_head[4] = {'N', 'V', 1, 0};

nav_status nd_void_write(nav_buffer *out, const uint64_t *jobs, uint32_t count)
{
    nav_status s = nav_buffer_reserve(out, sizeof void_head + 8 * (size_t)count);
    if (s != NAV_OK) return s;
    memcpy(out->data + out->size, void_head, sizeof void_head);
    out->size += sizeof void_head;
    for (uint32_t i = 0; i < count; i++, out->size += 8) nav_store_u64(out->data + out->size, jobs[i]);
    return NAV_OK;
}

nav_status nd_void_read(const void *bytes, size_t bytes_count, uint64_t *out, uint32_t *count)
{
    const uint8_t *at = bytes;
    if (bytes_count < sizeof void_head || memcmp(at, void_head, sizeof void_head) != 0 || bytes_count % 8 != 4 ||
        bytes_count / 8 > ND_VOID_JOBS)
        return NAV_ERR_FORMAT;
    *count = (uint32_t)(bytes_count / 8);
    for (uint32_t i = 0; i < *count; i++) out[i] = nav_load_u64(at + 4 + 8 * (size_t)i);
    return NAV_OK;
}
