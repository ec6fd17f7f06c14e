// The file of navd's own tiles: a header, the table of areas if there is one, the records of all tiles sorted by
// (profile, sheet, z, x), then the tiles themselves in the same order. Who looks for one tile reads the records only,
// and finds it by halving.

#include "core/tile/tile_file.h"

#include "core/base/endian.h"
#include "core/tile/refuse.h"

#include <assert.h>
#include <stdlib.h>

#define FILE_MAGIC 0x4656414Eu // "NAVF"

enum {
    AT_VERSION = 4,
    AT_SIZE = 8,
    AT_COUNT = 16,
    AT_AREAS = 20,          // version 1: zero
    AT_AREAS_CHECKSUM = 24, // the same

    AREA_ID = 0,
    AREA_BITS = 1,
    AREA_FLAGS = 2,
    AREA_COST = 4,
    AREA_COLOR = 8,
    AREA_RESERVED = 12, // 4 bytes of zero
    AREA_NAME = 16,     // zeros behind it
    AREA_NAME_BYTES = NAV_TILE_FILE_AREA_BYTES - AREA_NAME,

    AREA_HAS_FLAGS = 1,
    AREA_HAS_COLOR = 2,
    AREA_IS_BLOCKED = 4,

    RECORD_X = 0,
    RECORD_Z = 4,
    RECORD_PROFILE = 8, // from bit RECORD_SHEET_SHIFT on: the sheet
    RECORD_SHEET_SHIFT = 24,
    RECORD_SIZE = 12,
    RECORD_REVISION = 16,
    RECORD_KEY = 24,
    RECORD_OFFSET = 40,
};

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static size_t records_at(uint32_t area_count)
{
    return NAV_TILE_FILE_HEADER_BYTES + (size_t)area_count * NAV_TILE_FILE_AREA_BYTES;
}

uint64_t nav_tile_file_areas_checksum(const uint8_t *areas, uint32_t count)
{
    return nav_key_of(areas, (size_t)count * NAV_TILE_FILE_AREA_BYTES).low;
}

nav_status nav_tile_file_describe(nav_tile_file_tile *tile, char *why, size_t why_bytes)
{
    nav_tile_view view;
    nav_status s = nav_tile_open(tile->bytes, tile->size, &view, why, why_bytes);
    if (s != NAV_OK) return s;
    tile->x = view.tile_x;
    tile->z = view.tile_z;
    tile->sheet = view.sheet;
    tile->revision = view.revision;
    tile->key = view.content_key;
    return NAV_OK;
}

static int compare_places(const void *a, const void *b)
{
    const nav_tile_file_tile *l = a, *r = b;
    if (l->profile != r->profile) return l->profile < r->profile ? -1 : 1;
    if (l->sheet != r->sheet) return l->sheet < r->sheet ? -1 : 1;
    if (l->z != r->z) return l->z < r->z ? -1 : 1;
    return (l->x > r->x) - (l->x < r->x);
}

static void store_area(const nav_area_type *a, uint8_t *to)
{
    to[AREA_ID] = a->id;
    to[AREA_BITS] = (uint8_t)((a->has_flags ? AREA_HAS_FLAGS : 0) | (a->has_color ? AREA_HAS_COLOR : 0) |
                              (a->walkable ? 0 : AREA_IS_BLOCKED));
    if (a->has_flags) nav_store_u16(to + AREA_FLAGS, a->flags);
    nav_store_f32(to + AREA_COST, a->cost);
    if (a->has_color) nav_store_u32(to + AREA_COLOR, a->color);
    memcpy(to + AREA_NAME, a->name, strlen(a->name));
}

// The table and what the header says of it, where there is one.
static void store_areas(const nav_area_table *areas, uint8_t *file)
{
    uint8_t *table = file + NAV_TILE_FILE_HEADER_BYTES;
    for (uint32_t i = 0; i < areas->count; i++)
        store_area(&areas->types[i], table + (size_t)i * NAV_TILE_FILE_AREA_BYTES);
    nav_store_u32(file + AT_VERSION, NAV_TILE_FILE_AREAS_VERSION);
    nav_store_u32(file + AT_AREAS, areas->count);
    nav_store_u64(file + AT_AREAS_CHECKSUM, nav_tile_file_areas_checksum(table, areas->count));
}

nav_status nav_tile_file_write(nav_tile_file_tile *tiles, uint32_t count, const nav_area_table *areas, nav_buffer *out,
                               char *why, size_t why_bytes)
{
    const uint32_t area_count = areas ? areas->count : 0;
    if (area_count) {
        nav_status wrong = nav_area_table_check(areas, why, why_bytes);
        if (wrong != NAV_OK) return wrong;
    }
    if (count) qsort(tiles, count, sizeof *tiles, compare_places); // no two are equal, see below
    size_t bytes = records_at(area_count) + (size_t)count * NAV_TILE_FILE_RECORD_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        if (i && compare_places(&tiles[i - 1], &tiles[i]) == 0)
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tile (%d, %d) of profile %u appears twice", tiles[i].x,
                              tiles[i].z, tiles[i].profile);
        if (tiles[i].profile >> RECORD_SHEET_SHIFT)
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "profile %u, but a file has those from 0 to %d",
                              tiles[i].profile, (1 << RECORD_SHEET_SHIFT) - 1);
        bytes += padded(tiles[i].size);
    }
    nav_status s = nav_buffer_reserve(out, bytes);
    if (s != NAV_OK) return nav_refuse(s, why, why_bytes, "no memory for a file of %zu bytes", bytes);

    uint8_t *file = out->data + out->size, *record = file + records_at(area_count);
    memset(file, 0, bytes);
    nav_store_u32(file, FILE_MAGIC);
    nav_store_u32(file + AT_VERSION, NAV_TILE_FILE_VERSION);
    nav_store_u64(file + AT_SIZE, bytes);
    nav_store_u32(file + AT_COUNT, count);
    if (area_count) store_areas(areas, file);
    size_t at = records_at(area_count) + (size_t)count * NAV_TILE_FILE_RECORD_BYTES;
    for (uint32_t i = 0; i < count; i++, record += NAV_TILE_FILE_RECORD_BYTES) {
        const nav_tile_file_tile *t = &tiles[i];
        nav_store_i32(record + RECORD_X, t->x);
        nav_store_i32(record + RECORD_Z, t->z);
        nav_store_u32(record + RECORD_PROFILE, t->profile | (uint32_t)t->sheet << RECORD_SHEET_SHIFT);
        nav_store_u32(record + RECORD_SIZE, t->size);
        nav_store_u64(record + RECORD_REVISION, t->revision);
        nav_key_store(t->key, record + RECORD_KEY);
        nav_store_u64(record + RECORD_OFFSET, at);
        memcpy(file + at, t->bytes, t->size);
        at += padded(t->size);
    }
    out->size += bytes;
    return NAV_OK;
}

static void load_record(const nav_tile_file_view *v, uint32_t index, nav_tile_file_tile *out, uint64_t *offset)
{
    const uint8_t *record = v->bytes + records_at(v->areas.count) + (size_t)index * NAV_TILE_FILE_RECORD_BYTES;
    const uint32_t profile = nav_load_u32(record + RECORD_PROFILE);
    *out = (nav_tile_file_tile){
        .x = nav_load_i32(record + RECORD_X),
        .z = nav_load_i32(record + RECORD_Z),
        .sheet = (nav_sheet)(profile >> RECORD_SHEET_SHIFT),
        .profile = profile & ((1u << RECORD_SHEET_SHIFT) - 1),
        .size = nav_load_u32(record + RECORD_SIZE),
        .revision = nav_load_u64(record + RECORD_REVISION),
        .key = nav_key_load(record + RECORD_KEY),
    };
    *offset = nav_load_u64(record + RECORD_OFFSET);
}

static nav_status check_tile(const nav_tile_file_tile *record, char *why, size_t why_bytes)
{
    nav_tile_file_tile tile = *record;
    nav_status s = nav_tile_file_describe(&tile, why, why_bytes);
    if (s != NAV_OK) return s;
    if (tile.sheet != record->sheet)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "the record says sheet %u, the tile %u",
                          (unsigned)record->sheet, (unsigned)tile.sheet);
    if (tile.x != record->x || tile.z != record->z || tile.revision != record->revision ||
        !nav_key_equal(tile.key, record->key))
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes,
                          "the record says (%d, %d) at revision %llu, the tile (%d, %d) at %llu, or their keys differ",
                          record->x, record->z, (unsigned long long)record->revision, tile.x, tile.z,
                          (unsigned long long)tile.revision);
    return NAV_OK;
}

// Checks the records and the tiles; the header is right, and the records are within the file.
static nav_status check_tiles(const nav_tile_file_view *v, char *why, size_t why_bytes)
{
    nav_tile_file_tile tile, before = {0};
    uint64_t offset, end = records_at(v->areas.count) + (uint64_t)v->tile_count * NAV_TILE_FILE_RECORD_BYTES;
    for (uint32_t i = 0; i < v->tile_count; i++, before = tile) {
        load_record(v, i, &tile, &offset);
        if (i && compare_places(&before, &tile) >= 0)
            return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "record %u is not in order", i);
        if (offset != end)
            return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "record %u places its tile at %llu, not %llu", i,
                              (unsigned long long)offset, (unsigned long long)end);
        if (v->size - end < padded(tile.size))
            return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "the file ends inside of tile %u of %u", i,
                              v->tile_count);
        tile.bytes = v->bytes + offset;
        char reason[256] = "";
        nav_status s = check_tile(&tile, reason, sizeof reason);
        if (s != NAV_OK) return nav_refuse(s, why, why_bytes, "tile %u of %u: %s", i, v->tile_count, reason);
        for (size_t k = tile.size; k < padded(tile.size); k++)
            if (tile.bytes[k])
                return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "the padding of tile %u is not zero", i);
        end += padded(tile.size);
    }
    if (end != v->size)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "%llu bytes follow the last tile",
                          (unsigned long long)(v->size - end));
    return NAV_OK;
}

// False: the bytes are none that store_area() writes.
static bool load_area(const uint8_t *from, nav_area_type *out)
{
    const uint8_t *name = from + AREA_NAME, bits = from[AREA_BITS];
    size_t length = strnlen((const char *)name, AREA_NAME_BYTES);
    *out = (nav_area_type){.id = from[AREA_ID],
                           .cost = nav_load_f32(from + AREA_COST),
                           .walkable = !(bits & AREA_IS_BLOCKED),
                           .has_flags = bits & AREA_HAS_FLAGS,
                           .flags = nav_load_u16(from + AREA_FLAGS),
                           .has_color = bits & AREA_HAS_COLOR,
                           .color = nav_load_u32(from + AREA_COLOR)};
    memcpy(out->name, name, length);
    for (size_t i = length; i < AREA_NAME_BYTES; i++)
        if (name[i]) return false;
    return bits <= (AREA_HAS_FLAGS | AREA_HAS_COLOR | AREA_IS_BLOCKED) && !nav_load_u32(from + AREA_RESERVED) &&
           (out->has_flags || !out->flags) && (out->has_color || !out->color);
}

// The table; the header is right, and the table is within the file.
static nav_status load_areas(const uint8_t *bytes, uint32_t count, nav_area_table *out, char *why, size_t why_bytes)
{
    const uint8_t *table = bytes + NAV_TILE_FILE_HEADER_BYTES;
    char reason[128] = "";
    if (nav_load_u64(bytes + AT_AREAS_CHECKSUM) != nav_tile_file_areas_checksum(table, count))
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "the table of areas does not have its checksum");
    for (; out->count < count; out->count++)
        if (!load_area(table + (size_t)out->count * NAV_TILE_FILE_AREA_BYTES, &out->types[out->count]))
            return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "area %u of %u of the table has bytes that mean nothing",
                              out->count, count);
    if (nav_area_table_check(out, reason, sizeof reason) != NAV_OK)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "the table of areas: %s", reason);
    return NAV_OK;
}

// How many areas the header says.
static nav_status count_areas(const uint8_t *bytes, uint32_t *out, char *why, size_t why_bytes)
{
    const uint32_t version = nav_load_u32(bytes + AT_VERSION);
    *out = nav_load_u32(bytes + AT_AREAS);
    if (version == NAV_TILE_FILE_VERSION && (*out || nav_load_u64(bytes + AT_AREAS_CHECKSUM)))
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "the reserved bytes are not zero");
    if (version == NAV_TILE_FILE_AREAS_VERSION && (!*out || *out > NAV_AREA_TYPES))
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "%u areas, not 1 to %d", *out, NAV_AREA_TYPES);
    return NAV_OK;
}

nav_status nav_tile_file_open(const uint8_t *bytes, size_t size, nav_tile_file_view *out, char *why, size_t why_bytes)
{
    uint32_t version, area_count;
    if (size < NAV_TILE_FILE_HEADER_BYTES)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes are less than a header's %d", size,
                          NAV_TILE_FILE_HEADER_BYTES);
    if (nav_load_u32(bytes) != FILE_MAGIC)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "not a file of navd tiles");
    version = nav_load_u32(bytes + AT_VERSION);
    if (version != NAV_TILE_FILE_VERSION && version != NAV_TILE_FILE_AREAS_VERSION)
        return nav_refuse(NAV_ERR_VERSION, why, why_bytes, "version %u, not %d or %d", version, NAV_TILE_FILE_VERSION,
                          NAV_TILE_FILE_AREAS_VERSION);
    nav_status s = count_areas(bytes, &area_count, why, why_bytes);
    if (s != NAV_OK) return s;
    *out = (nav_tile_file_view){.bytes = bytes, .size = size, .tile_count = nav_load_u32(bytes + AT_COUNT)};
    uint64_t claimed = nav_load_u64(bytes + AT_SIZE);
    uint64_t records = records_at(area_count) + (uint64_t)out->tile_count * NAV_TILE_FILE_RECORD_BYTES;
    if (size < claimed || size < records)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes where the header asks for %llu", size,
                          (unsigned long long)(claimed > records ? claimed : records));
    if (size > claimed)
        return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "%llu bytes too many", (unsigned long long)(size - claimed));
    if (area_count) s = load_areas(bytes, area_count, &out->areas, why, why_bytes);
    return s == NAV_OK ? check_tiles(out, why, why_bytes) : s;
}

void nav_tile_file_get(const nav_tile_file_view *v, uint32_t index, nav_tile_file_tile *out)
{
    assert(index < v->tile_count);
    uint64_t offset;
    load_record(v, index, out, &offset);
    out->bytes = v->bytes + offset;
}
