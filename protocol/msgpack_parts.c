// The three functions of msgpack-c's library that navd calls, for systems where only its headers are to be had
// (mingw-w64 on Debian has no libmsgpackc): objects in a zone out of bytes. The rest of msgpack-c that is used is in
// its headers.
//
// Source: the MessagePack specification, https://github.com/msgpack/msgpack/blob/master/spec.md
#include <msgpack.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32, CHUNK_BYTES = MSGPACK_ZONE_CHUNK_SIZE };

// --- zones: chunks in a list, the newest first ---

struct msgpack_zone_chunk {
    struct msgpack_zone_chunk *next;
    size_t unused; // keeps what follows aligned
};

void *msgpack_zone_malloc_expand(msgpack_zone *zone, size_t size)
{
    size_t room = size > zone->chunk_size ? size : zone->chunk_size;
    msgpack_zone_chunk *chunk = room <= SIZE_MAX - sizeof *chunk ? malloc(sizeof *chunk + room) : NULL;
    if (!chunk) return NULL;
    chunk->next = zone->chunk_list.head;
    zone->chunk_list = (msgpack_zone_chunk_list){room - size, (char *)(chunk + 1) + size, chunk};
    return chunk + 1;
}

void msgpack_zone_free(msgpack_zone *zone)
{
    if (!zone) return;
    for (msgpack_zone_chunk *chunk = zone->chunk_list.head, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(zone);
}

// --- bytes to objects ---

typedef struct input {
    const uint8_t *bytes;
    size_t count, at;
    msgpack_zone *zone;
} input;

static msgpack_unpack_return read_object(input *in, int depth, msgpack_object *out);

// An unsigned number of 1, 2, 4 or 8 bytes.
static msgpack_unpack_return read_number(input *in, unsigned bytes, uint64_t *out)
{
    *out = 0;
    if (in->count - in->at < bytes) return MSGPACK_UNPACK_CONTINUE;
    for (unsigned i = 0; i < bytes; i++) *out = *out << 8 | in->bytes[in->at++];
    return MSGPACK_UNPACK_SUCCESS;
}

static msgpack_unpack_return read_integer(input *in, unsigned bytes, bool is_signed, msgpack_object *out)
{
    uint64_t u;
    msgpack_unpack_return r = read_number(in, bytes, &u);
    unsigned unused = 64 - 8 * bytes;
    int64_t i = is_signed ? (int64_t)(u << unused) >> unused : 0;
    out->type = i < 0 ? MSGPACK_OBJECT_NEGATIVE_INTEGER : MSGPACK_OBJECT_POSITIVE_INTEGER;
    if (i < 0)
        out->via.i64 = i;
    else
        out->via.u64 = u;
    return r;
}

static msgpack_unpack_return read_float(input *in, unsigned bytes, msgpack_object *out)
{
    uint64_t u;
    msgpack_unpack_return r = read_number(in, bytes, &u);
    if (bytes == 8) {
        out->type = MSGPACK_OBJECT_FLOAT64;
        memcpy(&out->via.f64, &u, sizeof u);
        return r;
    }
    uint32_t low = (uint32_t)u;
    float f;
    memcpy(&f, &low, sizeof f);
    out->type = MSGPACK_OBJECT_FLOAT32;
    out->via.f64 = (double)f;
    return r;
}

// Bytes stay where they are.
static msgpack_unpack_return read_bytes(input *in, uint64_t size, const char **out)
{
    if (in->count - in->at < size) return MSGPACK_UNPACK_CONTINUE;
    *out = (const char *)in->bytes + in->at;
    in->at += (size_t)size;
    return MSGPACK_UNPACK_SUCCESS;
}

static msgpack_unpack_return read_text(input *in, msgpack_object_type type, uint64_t size, msgpack_object *out)
{
    out->type = type;
    if (type == MSGPACK_OBJECT_STR) {
        out->via.str.size = (uint32_t)size;
        return read_bytes(in, size, &out->via.str.ptr);
    }
    out->via.bin.size = (uint32_t)size;
    return read_bytes(in, size, &out->via.bin.ptr);
}

static msgpack_unpack_return read_extension(input *in, uint64_t size, msgpack_object *out)
{
    uint64_t type;
    msgpack_unpack_return r = read_number(in, 1, &type);
    out->type = MSGPACK_OBJECT_EXT;
    out->via.ext.type = (int8_t)type;
    out->via.ext.size = (uint32_t)size;
    return r == MSGPACK_UNPACK_SUCCESS ? read_bytes(in, size, &out->via.ext.ptr) : r;
}

// Room for elements, each of which takes a byte at least.
static msgpack_unpack_return make_room(input *in, uint64_t elements, size_t bytes, void **out)
{
    *out = NULL;
    if (elements == 0) return MSGPACK_UNPACK_SUCCESS;
    if (elements > in->count - in->at) return MSGPACK_UNPACK_CONTINUE;
    *out = msgpack_zone_malloc(in->zone, bytes);
    return *out ? MSGPACK_UNPACK_SUCCESS : MSGPACK_UNPACK_NOMEM_ERROR;
}

static msgpack_unpack_return read_array(input *in, int depth, uint64_t count, msgpack_object *out)
{
    void *room;
    if (depth == MOST_DEPTH) return MSGPACK_UNPACK_NOMEM_ERROR;
    msgpack_unpack_return r = make_room(in, count, (size_t)count * sizeof(msgpack_object), &room);
    out->type = MSGPACK_OBJECT_ARRAY;
    out->via.array = (msgpack_object_array){(uint32_t)count, room};
    for (uint64_t i = 0; i < count && r == MSGPACK_UNPACK_SUCCESS; i++)
        r = read_object(in, depth + 1, &out->via.array.ptr[i]);
    return r;
}

static msgpack_unpack_return read_map(input *in, int depth, uint64_t count, msgpack_object *out)
{
    void *room;
    if (depth == MOST_DEPTH) return MSGPACK_UNPACK_NOMEM_ERROR;
    msgpack_unpack_return r = make_room(in, 2 * count, (size_t)count * sizeof(msgpack_object_kv), &room);
    out->type = MSGPACK_OBJECT_MAP;
    out->via.map = (msgpack_object_map){(uint32_t)count, room};
    for (uint64_t i = 0; i < count && r == MSGPACK_UNPACK_SUCCESS; i++) {
        r = read_object(in, depth + 1, &out->via.map.ptr[i].key);
        if (r == MSGPACK_UNPACK_SUCCESS) r = read_object(in, depth + 1, &out->via.map.ptr[i].val);
    }
    return r;
}

// What has its length in the bytes that follow.
static msgpack_unpack_return read_long(input *in, int depth, uint8_t head, msgpack_object *out)
{
    static const struct {
        uint8_t first, last;
        unsigned bytes; // of the length in the first; it doubles
        msgpack_object_type type;
    } kinds[] = {
        {0xc4, 0xc6, 1, MSGPACK_OBJECT_BIN},   {0xc7, 0xc9, 1, MSGPACK_OBJECT_EXT}, {0xd9, 0xdb, 1, MSGPACK_OBJECT_STR},
        {0xdc, 0xdd, 2, MSGPACK_OBJECT_ARRAY}, {0xde, 0xdf, 2, MSGPACK_OBJECT_MAP},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t size;
        if (head < kinds[i].first || head > kinds[i].last) continue;
        msgpack_unpack_return r = read_number(in, kinds[i].bytes << (head - kinds[i].first), &size);
        if (r != MSGPACK_UNPACK_SUCCESS) return r;
        return kinds[i].type == MSGPACK_OBJECT_ARRAY ? read_array(in, depth, size, out)
               : kinds[i].type == MSGPACK_OBJECT_MAP ? read_map(in, depth, size, out)
               : kinds[i].type == MSGPACK_OBJECT_EXT ? read_extension(in, size, out)
                                                     : read_text(in, kinds[i].type, size, out);
    }
    return MSGPACK_UNPACK_PARSE_ERROR; // 0xc1
}

static msgpack_unpack_return read_object(input *in, int depth, msgpack_object *out)
{
    uint64_t head;
    msgpack_unpack_return r = read_number(in, 1, &head);
    if (r != MSGPACK_UNPACK_SUCCESS) return r;
    if (head <= 0x7f || head >= 0xe0) {
        in->at--;
        return read_integer(in, 1, true, out);
    }
    if (head <= 0x8f) return read_map(in, depth, head & 15, out);
    if (head <= 0x9f) return read_array(in, depth, head & 15, out);
    if (head <= 0xbf) return read_text(in, MSGPACK_OBJECT_STR, head & 31, out);
    if (head == 0xc0) {
        out->type = MSGPACK_OBJECT_NIL;
        return r;
    }
    if (head == 0xc2 || head == 0xc3) {
        out->type = MSGPACK_OBJECT_BOOLEAN;
        out->via.boolean = head == 0xc3;
        return r;
    }
    if (head == 0xca || head == 0xcb) return read_float(in, head == 0xca ? 4 : 8, out);
    if (head >= 0xcc && head <= 0xcf) return read_integer(in, 1u << (head - 0xcc), false, out);
    if (head >= 0xd0 && head <= 0xd3) return read_integer(in, 1u << (head - 0xd0), true, out);
    if (head >= 0xd4 && head <= 0xd8) return read_extension(in, 1u << (head - 0xd4), out);
    return read_long(in, depth, (uint8_t)head, out);
}

msgpack_unpack_return msgpack_unpack_next(msgpack_unpacked *result, const char *data, size_t len, size_t *off)
{
    size_t begin = off ? *off : 0;
    msgpack_unpacked_destroy(result);
    if (len <= begin) return MSGPACK_UNPACK_CONTINUE;
    msgpack_zone *zone = calloc(1, sizeof *zone);
    if (!zone) return MSGPACK_UNPACK_NOMEM_ERROR;
    zone->chunk_size = CHUNK_BYTES;
    input in = {(const uint8_t *)data, len, begin, zone};
    msgpack_unpack_return r = read_object(&in, 0, &result->data);
    if (r != MSGPACK_UNPACK_SUCCESS) {
        msgpack_zone_free(zone);
        return r;
    }
    result->zone = zone;
    if (off) *off = in.at;
    return r;
}
