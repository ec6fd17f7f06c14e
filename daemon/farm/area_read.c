// Reading (area_job.h). The checksum is looked at first, so what comes behind it is as a daemon wrote it, or as
// somebody made it up: every count and index is checked, and so are settings, volumes and transforms, as if an editor
// had sent them.
#include "daemon/farm/area_job.h"

#include "daemon/farm/area_format.h"
#include "daemon/farm/note.h"
#include "daemon/farm/reading.h"

#include "core/base/endian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = (1 << 24) / ND_AREA_SIDE, MAX_LISTS = 1 << 20, MAX_LEVEL = 19 };

typedef struct reader {
    nd_reading in;
    nd_area_job *job;
    nav_buffer lists;
    char *why;
    size_t why_bytes;
} reader;

static nav_status refuse(reader *r, const char *words)
{
    snprintf(r->why, r->why_bytes, "%s", words);
    return NAV_ERR_FORMAT;
}

static bool has_head(const uint8_t *bytes, size_t count)
{
    return count >= ND_AREA_HEAD_BYTES && bytes[0] == 'N' && bytes[1] == 'A';
}

bool nd_area_job_peek(const void *bytes, size_t count, uint32_t *generator, char daemon[ND_FARM_ID_BYTES],
                      uint64_t *job)
{
    const uint8_t *head = bytes;
    if (!has_head(head, count) || head[2] != ND_AREA_FORMAT) return false;
    *generator = nav_load_u32(head + ND_AREA_GENERATOR_AT);
    *job = nav_load_u64(head + ND_AREA_JOB_AT);
    nav_key_text(nav_key_load(head + ND_AREA_DAEMON_AT), daemon);
    return true;
}

static nav_status read_head(reader *r, const uint8_t *bytes, size_t count)
{
    nd_area_head *h = &r->job->head;
    if (!has_head(bytes, count) || count > ND_AREA_JOB_BYTES) return refuse(r, "these bytes are no area job");
    if (bytes[2] != ND_AREA_FORMAT) {
        snprintf(r->why, r->why_bytes, "the job has format %u, this navd reads %d", bytes[2], ND_AREA_FORMAT);
        return NAV_ERR_VERSION;
    }
    if (!nav_key_equal(nd_area_sum(bytes, count), nav_key_load(bytes + ND_AREA_SUM_AT)))
        return refuse(r, "the job's bytes are damaged: their checksum is another");
    h->generator = nav_load_u32(bytes + ND_AREA_GENERATOR_AT);
    if (h->generator != NAV_GENERATOR_VERSION) {
        snprintf(r->why, r->why_bytes, "the job is for generator version %u, this navd has %d", h->generator,
                 NAV_GENERATOR_VERSION);
        return NAV_ERR_VERSION;
    }
    h->job = nav_load_u64(bytes + ND_AREA_JOB_AT);
    h->revision = nav_load_u64(bytes + ND_AREA_REVISION_AT);
    nav_key_text(nav_key_load(bytes + ND_AREA_DAEMON_AT), h->daemon);
    h->area = nav_key_load(bytes + ND_AREA_KEY_AT);
    h->wanted = bytes[ND_AREA_WANTED_AT];
    h->zstd_level = (int8_t)bytes[ND_AREA_LEVEL_AT];
    h->block_x = nav_load_i32(bytes + ND_AREA_BLOCK_AT);
    h->block_z = nav_load_i32(bytes + ND_AREA_BLOCK_AT + 4);
    if (!h->wanted || h->wanted >> ND_WIRE_ENCODINGS) return refuse(r, "the job wants encodings that there are not");
    if (h->zstd_level > MAX_LEVEL) return refuse(r, "the job asks for a compression level above 19");
    if (h->block_x < -MAX_BLOCK || h->block_x >= MAX_BLOCK || h->block_z < -MAX_BLOCK || h->block_z >= MAX_BLOCK)
        return refuse(r, "the job's block is farther than 16777216 tiles from the origin");
    return NAV_OK;
}

static nav_status read_settings(reader *r, uint8_t sheet)
{
    nav_settings *settings = &r->job->head.settings;
    const uint32_t count = nd_reading_count(&r->in, ND_AREA_JOB_BYTES);
    const uint8_t *bytes = nd_reading_take(&r->in, count);
    np_message m = {0};
    np_error err = {0};
    if (!bytes || !count) return refuse(r, "the job's bytes end too early");
    nav_status s = nd_note_read(bytes, count, "settings", &np_schema_settings, &m, settings, &err);
    np_message_deinit(&m);
    if (s != NAV_OK) snprintf(r->why, r->why_bytes, "the job's settings: %s", err.message);
    if (s != NAV_OK) return s;
    if (sheet >= NAV_SHEET_COUNT || !(settings->sheets >> sheet & 1))
        return refuse(r, "the job is for a sheet that its profile does not have");
    settings->sheet = (nav_sheet)sheet;
    char why[160];
    if (nav_settings_check(settings, why, sizeof why) == NAV_OK) return NAV_OK;
    snprintf(r->why, r->why_bytes, "the job's settings: %s", why);
    return NAV_ERR_FORMAT;
}

// Memory for a list. Never NULL for a count of 0.
static void *take(uint32_t count, size_t bytes)
{
    return calloc((size_t)count + 1, bytes);
}

static nav_status read_meshes(reader *r)
{
    nd_area_job *j = r->job;
    const uint32_t count = nd_reading_count(&r->in, ND_AREA_OBJECTS);
    const uint8_t *keys = nd_reading_take(&r->in, NAV_KEY_BYTES * (size_t)count);
    if (!keys) return refuse(r, "the job's bytes end too early");
    j->meshes = take(count, sizeof *j->meshes);
    if (!j->meshes) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) j->meshes[i] = nav_key_load(keys + NAV_KEY_BYTES * (size_t)i);
    j->mesh_count = count;
    return NAV_OK;
}

static nav_status read_instance(reader *r, nd_area_instance *out)
{
    const uint64_t mesh = nd_reading_varint(&r->in);
    const uint8_t *head = nd_reading_take(&r->in, 3);
    if (!head) return refuse(r, "the job's bytes end too early");
    const uint32_t bits = nav_load_u16(head + 1);
    if (mesh >= r->job->mesh_count) return refuse(r, "an instance of the job names a mesh that it does not have");
    if (head[0] >= NAV_AREA_COUNT) return refuse(r, "an instance of the job has an area above 63");
    if (bits >> 12) return refuse(r, "an instance of the job has a transform of more than 12 numbers");
    *out = (nd_area_instance){.mesh = (uint32_t)mesh, .area = head[0]};
    for (int k = 0; k < 12; k++) {
        const uint8_t *at = bits >> k & 1 ? nd_reading_take(&r->in, 4) : NULL;
        if (bits >> k & 1 && !at) return refuse(r, "the job's bytes end too early");
        out->transform[k] = at ? nav_load_f32(at) : nd_area_identity[k];
        if (!isfinite(out->transform[k])) return refuse(r, "a transform of the job is not finite");
    }
    return NAV_OK;
}

static nav_status read_instances(reader *r)
{
    nd_area_job *j = r->job;
    const uint32_t count = nd_reading_count(&r->in, ND_AREA_OBJECTS);
    j->instances = take(count, sizeof *j->instances);
    if (!j->instances) return NAV_ERR_MEMORY;
    nav_status s = NAV_OK;
    for (; j->instance_count < count && s == NAV_OK; j->instance_count++)
        s = read_instance(r, &j->instances[j->instance_count]);
    return s;
}

static nav_status read_volume(reader *r, nav_volume *out)
{
    const uint8_t *head = nd_reading_take(&r->in, 12);
    if (!head) return refuse(r, "the job's bytes end too early");
    *out = (nav_volume){.area = head[0],
                        .include = head[1],
                        .point_count = head[2],
                        .min_y = nav_load_f32(head + 4),
                        .max_y = nav_load_f32(head + 8)};
    if (head[2] > NAV_VOLUME_MAX_POINTS || head[3]) return refuse(r, "a volume of the job has too many points");
    const uint8_t *points = nd_reading_take(&r->in, 8 * (size_t)head[2]);
    if (!points) return refuse(r, "the job's bytes end too early");
    for (uint32_t i = 0; i < 2u * head[2]; i++) out->points[i] = nav_load_f32(points + 4 * (size_t)i);
    return nav_volume_check(out, r->why, r->why_bytes) == NAV_OK ? NAV_OK : NAV_ERR_FORMAT;
}

static nav_status read_volumes(reader *r)
{
    nd_area_job *j = r->job;
    const uint32_t count = nd_reading_count(&r->in, ND_AREA_OBJECTS);
    j->volumes = take(count, sizeof *j->volumes);
    if (!j->volumes) return NAV_ERR_MEMORY;
    nav_status s = NAV_OK;
    for (; j->volume_count < count && s == NAV_OK; j->volume_count++) s = read_volume(r, &j->volumes[j->volume_count]);
    return s;
}

// A tile's list of indices, appended to r->lists; most: so many things there are.
static nav_status read_list(reader *r, uint32_t most, uint32_t *count)
{
    uint32_t index = 0;
    *count = nd_reading_count(&r->in, MAX_LISTS);
    nav_status s = nav_buffer_reserve(&r->lists, *count * sizeof index);
    for (uint32_t i = 0; i < *count && s == NAV_OK; i++) {
        const uint64_t step = nd_reading_varint(&r->in);
        if (step > UINT32_MAX) return refuse(r, "a tile of the job names what the job does not have");
        index += (uint32_t)nav_unzigzag((uint32_t)step);
        if (index >= most) return refuse(r, "a tile of the job names what the job does not have");
        s = nav_buffer_append(&r->lists, &index, sizeof index);
    }
    r->job->list_count += *count;
    return s;
}

static nav_status read_tile(reader *r, bool seen[ND_AREA_TILES], nd_area_tile *out)
{
    const nd_area_job *j = r->job;
    const uint8_t *head = nd_reading_take(&r->in, ND_AREA_TILE_BYTES - 2);
    if (!head) return refuse(r, "the job's bytes end too early");
    if (seen[head[0]]) return refuse(r, "the job has a tile twice");
    if (head[1] & ~ND_AREA_BOUNDED) return refuse(r, "a tile of the job has flags that there are not");
    seen[head[0]] = true;
    *out = (nd_area_tile){.x = j->head.block_x * ND_AREA_SIDE + head[0] % ND_AREA_SIDE,
                          .z = j->head.block_z * ND_AREA_SIDE + head[0] / ND_AREA_SIDE,
                          .source = nav_key_load(head + 2),
                          .bounded = head[1] & ND_AREA_BOUNDED};
    nav_status s = read_list(r, j->instance_count, &out->instance_count);
    if (s == NAV_OK) s = read_list(r, j->volume_count, &out->volume_count);
    if (s == NAV_OK && j->list_count > MAX_LISTS) s = refuse(r, "the tiles of the job name too much");
    return s;
}

static nav_status read_tiles(reader *r)
{
    nd_area_job *j = r->job;
    bool seen[ND_AREA_TILES] = {false};
    const uint32_t count = nd_reading_count(&r->in, ND_AREA_TILES);
    j->tiles = take(count, sizeof *j->tiles);
    if (!j->tiles) return NAV_ERR_MEMORY;
    nav_status s = count ? NAV_OK : refuse(r, "the job has no tiles");
    for (; j->tile_count < count && s == NAV_OK; j->tile_count++) s = read_tile(r, seen, &j->tiles[j->tile_count]);
    if (s == NAV_OK && (r->in.failed || nd_reading_left(&r->in))) s = refuse(r, "the job's bytes end at a wrong place");
    j->lists = (uint32_t *)(void *)r->lists.data; // moves
    r->lists = (nav_buffer){0};
    const uint32_t *at = j->lists;
    for (uint32_t i = 0; i < j->tile_count && s == NAV_OK; i++) {
        nd_area_tile *t = &j->tiles[i];
        t->instances = at;
        t->volumes = t->instance_count ? at + t->instance_count : at;
        at = t->volume_count ? t->volumes + t->volume_count : t->volumes;
    }
    return s;
}

nav_status nd_area_job_read(const void *bytes, size_t count, nd_area_job *out, char *why, size_t why_bytes)
{
    const uint8_t *at = bytes;
    reader r = {.job = out, .why = why, .why_bytes = why_bytes};
    memset(out, 0, sizeof *out);
    if (why_bytes) why[0] = 0;
    nav_status s = read_head(&r, at, count);
    if (s != NAV_OK) return s;
    r.in = (nd_reading){.at = at + ND_AREA_HEAD_BYTES, .end = at + count};
    s = read_settings(&r, at[ND_AREA_SHEET_AT]);
    if (s == NAV_OK) s = read_meshes(&r);
    if (s == NAV_OK) s = read_instances(&r);
    if (s == NAV_OK) s = read_volumes(&r);
    if (s == NAV_OK) s = read_tiles(&r);
    nav_buffer_deinit(&r.lists);
    if (s == NAV_ERR_MEMORY) snprintf(why, why_bytes, "no memory for the job");
    return s;
}

void nd_area_job_deinit(nd_area_job *j)
{
    free(j->meshes);
    free(j->instances);
    free(j->volumes);
    free(j->tiles);
    free(j->lists);
    *j = (nd_area_job){0};
}

// Within the reach that edits allow.
static bool is_in_reach(const nav_instance *in)
{
    float min[3], max[3];
    if (!in->mesh->tri_count) return true;
    if (!nav_instance_bounds(in, min, max)) return false;
    for (int k = 0; k < 3; k++)
        if (min[k] < -NAV_WORLD_REACH_M || max[k] > NAV_WORLD_REACH_M) return false;
    return true;
}

nav_status nd_area_job_view(const nd_area_job *j, uint32_t tile, nd_mesh *const *meshes, nd_view *v)
{
    const nd_area_tile *t = &j->tiles[tile];
    nav_status s = NAV_OK;
    nd_view_begin(v, &j->head.settings, t->x, t->z);
    v->source.bounded = t->bounded;
    for (uint32_t i = 0; i < t->instance_count && s == NAV_OK; i++) {
        const nd_area_instance *from = &j->instances[t->instances[i]];
        nd_mesh *mesh = meshes[from->mesh];
        nav_instance in = {.mesh = mesh->mesh, .area = from->area};
        memcpy(in.transform, from->transform, sizeof in.transform);
        s = is_in_reach(&in) ? nd_view_add_instance(v, mesh, &in) : NAV_ERR_ARGUMENT;
    }
    for (uint32_t i = 0; i < t->volume_count && s == NAV_OK; i++) s = nd_view_add_volume(v, &j->volumes[t->volumes[i]]);
    if (s == NAV_OK && !nav_key_equal(nav_tile_source_key(&v->source), t->source)) s = NAV_ERR_ARGUMENT;
    return s;
}
