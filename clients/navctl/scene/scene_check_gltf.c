// glTF 2.0 and GLB. Everything is checked that decides which bytes are read as geometry: the tree of nodes, buffers,
// buffer views, accessors (sparse ones too), and each index of each primitive.
#include "clients/navctl/scene/scene_check.h"
#include "core/base/endian.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct buffer {
    const uint8_t *bytes;
    uint64_t count; // as its byteLength says, checked against what is there
    uint8_t *decoded;
    scene_file file;
} buffer;

typedef struct checker {
    const scene_file *file;
    const uint8_t *bin; // the second chunk of a GLB, or NULL
    size_t bin_count;
    json_t *root;
    buffer *buffers;
    size_t buffer_count;
    char *why;
    size_t why_bytes;
} checker;

// A range of a buffer, seen as so many equal elements.
typedef struct elements {
    const uint8_t *at; // NULL: all zeros
    uint64_t count, stride;
    int components, component_type;
    const json_t *sparse;
} elements;

__attribute__((format(printf, 2, 3))) static bool refuse(checker *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->why, c->why_bytes, format, list);
    va_end(list);
    return false;
}

// A member that counts or points: 0 to INT32_MAX. Absent: the fallback; a fallback below 0 means that it is required.
static bool read_count(checker *c, const json_t *object, const char *key, int64_t fallback, const char *where,
                       int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = fallback;
    if (!value && fallback >= 0) return true;
    if (!value) return refuse(c, "%s has no %s", where, key);
    if (!json_is_integer(value)) return refuse(c, "%s: %s is not a whole number", where, key);
    *out = json_integer_value(value);
    if (*out >= 0 && *out <= INT32_MAX) return true;
    return refuse(c, "%s: %s is %" PRId64 "; it must be 0 to %d", where, key, *out, INT32_MAX);
}

// A member that names an element of one of the file's lists. Absent: *out is NULL, and that is no error.
static bool read_reference(checker *c, const json_t *object, const char *key, const char *list, const char *where,
                           const json_t **out, int64_t *index)
{
    *out = NULL;
    *index = -1;
    if (!json_object_get(object, key)) return true;
    if (!read_count(c, object, key, -1, where, index)) return false;
    const json_t *all = json_object_get(c->root, list);
    *out = json_array_get(all, (size_t)*index);
    if (*out) return true;
    return refuse(c, "%s: %s is %" PRId64 ", but the file has %zu %s", where, key, *index, json_array_size(all), list);
}

static int component_size(int type)
{
    switch (type) {
    case 5120:
    case 5121:
        return 1;
    case 5122:
    case 5123:
        return 2;
    case 5125:
    case 5126:
        return 4;
    default:
        return 0;
    }
}

// `count` elements of `size` bytes at `offset` of a buffer view. *at is NULL where there is no view.
static bool find_bytes(checker *c, const json_t *object, const char *where, uint64_t count, uint64_t size, bool strided,
                       elements *out)
{
    int64_t view_index, offset, view_offset, length, stride, buffer_index;
    const json_t *view, *ignored;
    char view_name[48];
    out->stride = size;
    out->count = count;
    if (!read_reference(c, object, "bufferView", "bufferViews", where, &view, &view_index)) return false;
    if (!view) return true;
    snprintf(view_name, sizeof view_name, "bufferView %" PRId64, view_index);
    if (!read_reference(c, view, "buffer", "buffers", view_name, &ignored, &buffer_index)) return false;
    if (buffer_index < 0) return refuse(c, "%s has no buffer", view_name);
    if (!read_count(c, view, "byteOffset", 0, view_name, &view_offset) ||
        !read_count(c, view, "byteLength", -1, view_name, &length) ||
        !read_count(c, view, "byteStride", 0, view_name, &stride) ||
        !read_count(c, object, "byteOffset", 0, where, &offset)) {
        return false;
    }
    const buffer *b = &c->buffers[buffer_index];
    if ((uint64_t)(view_offset + length) > b->count) {
        return refuse(c, "%s ends at byte %" PRId64 ", buffer %" PRId64 " has %" PRIu64, view_name,
                      view_offset + length, buffer_index, b->count);
    }
    if (strided && stride > 0) out->stride = (uint64_t)stride;
    if (out->stride < size) {
        return refuse(c, "%s: byteStride %" PRId64 " is less than the %" PRIu64 " bytes of an element", view_name,
                      stride, size);
    }
    uint64_t end = (uint64_t)offset + (count ? (count - 1) * out->stride + size : 0);
    if (end > (uint64_t)length) {
        return refuse(c, "%s ends at byte %" PRIu64 ", %s has %" PRId64, where, end, view_name, length);
    }
    out->at = b->bytes + view_offset + offset;
    return true;
}

static uint32_t load_index(const elements *e, uint64_t i)
{
    const uint8_t *at = e->at ? e->at + i * e->stride : (const uint8_t[4]){0};
    switch (component_size(e->component_type)) {
    case 1:
        return *at;
    case 2:
        return nav_load_u16(at);
    default:
        return nav_load_u32(at);
    }
}

static bool check_sparse(checker *c, const json_t *sparse, const char *where, const elements *all, uint64_t size)
{
    int64_t count, type;
    elements indices = {0}, values = {0};
    const json_t *index_part = json_object_get(sparse, "indices"), *value_part = json_object_get(sparse, "values");
    if (!json_object_get(index_part, "bufferView") || !json_object_get(value_part, "bufferView")) {
        return refuse(c, "%s: its sparse part lacks indices or values", where);
    }
    if (!read_count(c, sparse, "count", -1, where, &count) ||
        !read_count(c, index_part, "componentType", -1, where, &type)) {
        return false;
    }
    if ((uint64_t)count > all->count || (type != 5121 && type != 5123 && type != 5125)) {
        return refuse(c, "%s: its sparse part has count %" PRId64 " of %" PRIu64 " and componentType %" PRId64, where,
                      count, all->count, type);
    }
    indices.component_type = (int)type;
    if (!find_bytes(c, index_part, where, (uint64_t)count, (uint64_t)component_size((int)type), false, &indices) ||
        !find_bytes(c, value_part, where, (uint64_t)count, size, false, &values)) {
        return false;
    }
    for (uint64_t i = 0; i < indices.count; i++) {
        uint32_t index = load_index(&indices, i);
        if (index >= all->count) {
            return refuse(c, "%s: sparse index %" PRIu64 " is %u, but the accessor has %" PRIu64 " elements", where, i,
                          index, all->count);
        }
    }
    return true;
}

static bool check_accessor(checker *c, const json_t *accessor, size_t number, elements *out)
{
    static const struct {
        const char *name;
        int components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT2", 4}, {"MAT3", 9}, {"MAT4", 16}};
    const char *type = json_string_value(json_object_get(accessor, "type"));
    char where[48];
    int64_t count, component_type;
    *out = (elements){0};
    snprintf(where, sizeof where, "accessor %zu", number);
    if (!read_count(c, accessor, "count", -1, where, &count) ||
        !read_count(c, accessor, "componentType", -1, where, &component_type)) {
        return false;
    }
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++) {
        if (!strcmp(types[i].name, type)) out->components = types[i].components;
    }
    out->component_type = (int)component_type;
    uint64_t size = (uint64_t)out->components * (uint64_t)component_size(out->component_type);
    if (size == 0) {
        return refuse(c, "%s: type %s with componentType %" PRId64 " does not exist", where, type ? type : "(none)",
                      component_type);
    }
    if (!find_bytes(c, accessor, where, (uint64_t)count, size, true, out)) return false;
    out->sparse = json_object_get(accessor, "sparse");
    // Zeros that no byte of the file stands for: a short file could claim any number of them.
    if (!out->at && (uint64_t)count > c->file->count) {
        return refuse(c, "%s claims %" PRId64 " elements without a bufferView, in a file of %zu bytes", where, count,
                      c->file->count);
    }
    return !out->sparse || check_sparse(c, out->sparse, where, out, size);
}

// -1 for what is not base64.
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool decode_base64(checker *c, const char *text, size_t number, buffer *out, size_t *count)
{
    size_t length = strlen(text), n = 0;
    out->decoded = malloc(length / 4 * 3 + 3);
    if (!out->decoded) return refuse(c, "no memory left");
    while (length > 0 && text[length - 1] == '=') length--;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_of(text[i]);
        if (digit < 0) return refuse(c, "buffer %zu: character %zu of its data is not base64", number, i + 1);
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) out->decoded[n++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
    }
    out->bytes = out->decoded;
    *count = n;
    return true;
}

static bool map_buffer(checker *c, const char *uri, size_t number, buffer *out, size_t *count)
{
    char path[PATH_MAX], why[200];
    const char *slash = strrchr(c->file->path, '/');
    int folder = slash ? (int)(slash + 1 - c->file->path) : 0;
    if ((size_t)snprintf(path, sizeof path, "%.*s%s", folder, c->file->path, uri) >= sizeof path) {
        return refuse(c, "buffer %zu: the name of its file is too long", number);
    }
    if (!scene_file_open(path, &out->file, why, sizeof why)) {
        return refuse(c, "buffer %zu: cannot read %s: %s", number, path, why);
    }
    out->bytes = out->file.bytes;
    *count = out->file.count;
    return true;
}

static bool load_buffer(checker *c, size_t number, const json_t *object, buffer *out)
{
    const char *uri = json_string_value(json_object_get(object, "uri"));
    char where[48];
    int64_t claimed;
    size_t count = 0;
    snprintf(where, sizeof where, "buffer %zu", number);
    if (!read_count(c, object, "byteLength", -1, where, &claimed)) return false;
    if (!uri) {
        if (number != 0 || !c->bin) return refuse(c, "%s names no file", where);
        out->bytes = c->bin;
        count = c->bin_count;
    } else if (!strncmp(uri, "data:", 5)) {
        const char *data = strstr(uri, ";base64,");
        if (!data) return refuse(c, "%s: its data is not base64", where);
        if (!decode_base64(c, data + strlen(";base64,"), number, out, &count)) return false;
    } else if (!map_buffer(c, uri, number, out, &count)) {
        return false;
    }
    if ((uint64_t)claimed > count) {
        return refuse(c, "%s is cut short: byteLength is %" PRId64 ", it has %zu bytes", where, claimed, count);
    }
    out->count = (uint64_t)claimed;
    return true;
}

static bool load_buffers(checker *c)
{
    const json_t *list = json_object_get(c->root, "buffers");
    c->buffer_count = json_array_size(list);
    c->buffers = calloc(c->buffer_count + 1, sizeof *c->buffers);
    if (!c->buffers) return refuse(c, "no memory left");
    for (size_t i = 0; i < c->buffer_count; i++) {
        if (!load_buffer(c, i, json_array_get(list, i), &c->buffers[i])) return false;
    }
    return true;
}

static bool check_indices(checker *c, const char *where, const json_t *primitive, const elements *positions)
{
    const json_t *accessor;
    int64_t number, mode;
    elements indices = {0};
    if (!read_count(c, primitive, "mode", 4, where, &mode) ||
        !read_reference(c, primitive, "indices", "accessors", where, &accessor, &number)) {
        return false;
    }
    uint64_t corners = positions->count;
    if (accessor) {
        if (!check_accessor(c, accessor, (size_t)number, &indices)) return false;
        int type = indices.component_type;
        if (indices.components != 1 || (type != 5121 && type != 5123 && type != 5125)) {
            return refuse(c, "%s: its indices (accessor %" PRId64 ") are not unsigned whole numbers", where, number);
        }
        if (indices.sparse) return refuse(c, "%s: navctl does not read sparse indices", where);
        corners = indices.count;
    }
    if (mode == 4 && corners % 3 != 0) {
        return refuse(c, "%s: its last triangle has %" PRIu64 " of 3 corners", where, corners % 3);
    }
    // Assimp takes 2 off for the number of triangles, and 1 - 2 is a large one.
    if ((mode == 5 || mode == 6) && corners < 3) {
        return refuse(c, "%s: a strip or fan of %" PRIu64 " corners; 3 is the least", where, corners);
    }
    for (uint64_t i = 0; i < indices.count; i++) {
        uint32_t index = load_index(&indices, i);
        if (index < positions->count) continue;
        uint64_t face = mode == 4 ? i / 3 : mode == 5 || mode == 6 ? (i < 2 ? 0 : i - 2) : i;
        return refuse(c, "%s: face %" PRIu64 " names vertex %u, but it has %" PRIu64 " vertices", where, face, index,
                      positions->count);
    }
    return true;
}

static bool check_primitive(checker *c, const char *where, const json_t *primitive)
{
    const json_t *attributes = json_object_get(primitive, "attributes"), *value;
    const char *key;
    elements positions = {0};
    int64_t position_number = -1;
    const json_t *accessor;
    if (!read_reference(c, attributes, "POSITION", "accessors", where, &accessor, &position_number)) return false;
    if (!accessor) return true; // nothing to see
    if (!check_accessor(c, accessor, (size_t)position_number, &positions)) return false;
    if (positions.components != 3 || positions.component_type != 5126) {
        return refuse(c, "%s: its positions are not three floats each; navctl does not read quantized meshes", where);
    }
    json_object_foreach((json_t *)(uintptr_t)attributes, key, value)
    {
        elements other;
        int64_t number;
        if (!read_reference(c, attributes, key, "accessors", where, &accessor, &number) ||
            !check_accessor(c, accessor, (size_t)number, &other)) {
            return false;
        }
        if (other.count != positions.count) {
            return refuse(c, "%s: %s has %" PRIu64 " elements for %" PRIu64 " vertices", where, key, other.count,
                          positions.count);
        }
    }
    return check_indices(c, where, primitive, &positions);
}

static bool check_meshes(checker *c)
{
    const json_t *meshes = json_object_get(c->root, "meshes");
    for (size_t m = 0; m < json_array_size(meshes); m++) {
        const json_t *primitives = json_object_get(json_array_get(meshes, m), "primitives");
        for (size_t p = 0; p < json_array_size(primitives); p++) {
            char where[64];
            snprintf(where, sizeof where, "mesh %zu, primitive %zu", m, p);
            if (!check_primitive(c, where, json_array_get(primitives, p))) return false;
        }
    }
    return true;
}

// Each node below at most one other, no cycles, not too deep.
static bool check_nodes(checker *c)
{
    const json_t *nodes = json_object_get(c->root, "nodes");
    size_t count = json_array_size(nodes);
    bool ok = false;
    int64_t *parents = malloc(sizeof *parents * (count + 1));
    if (!parents) return refuse(c, "no memory left");
    for (size_t i = 0; i < count; i++) parents[i] = -1;
    for (size_t i = 0; i < count; i++) {
        const json_t *node = json_array_get(nodes, i), *children = json_object_get(node, "children"), *mesh;
        char where[48];
        int64_t number;
        snprintf(where, sizeof where, "node %zu", i);
        if (!read_reference(c, node, "mesh", "meshes", where, &mesh, &number)) goto done;
        for (size_t k = 0; k < json_array_size(children); k++) {
            const json_t *child = json_array_get(children, k);
            int64_t at = json_is_integer(child) ? json_integer_value(child) : -1;
            if (at < 0 || (size_t)at >= count) {
                refuse(c, "%s: child %zu is not one of the %zu nodes", where, k, count);
                goto done;
            }
            if (parents[at] >= 0) {
                refuse(c, "node %" PRId64 " is a child of node %" PRId64 " and of node %zu", at, parents[at], i);
                goto done;
            }
            parents[at] = (int64_t)i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int depth = 0;
        for (int64_t at = parents[i]; at >= 0; at = parents[at]) {
            if (++depth < SCENE_MAX_DEPTH) continue;
            refuse(c, "node %zu is below more than %d others, or below itself", i, SCENE_MAX_DEPTH - 1);
            goto done;
        }
    }
    ok = true;
done:
    free(parents);
    return ok;
}

static bool check_head(checker *c)
{
    static const char *const unread[] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression"};
    const char *version = json_string_value(json_object_get(json_object_get(c->root, "asset"), "version"));
    const json_t *required = json_object_get(c->root, "extensionsRequired");
    if (!json_is_object(c->root)) return refuse(c, "not a glTF file: it does not begin with '{'");
    if (!version || strncmp(version, "2.", 2) != 0) {
        return refuse(c, "glTF version %.20s; navctl reads version 2", version ? version : "(none)");
    }
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        for (size_t k = 0; name && k < sizeof unread / sizeof unread[0]; k++) {
            if (!strcmp(name, unread[k])) return refuse(c, "navctl does not read %s: export without it", name);
        }
    }
    return true;
}

static bool check_document(checker *c, const uint8_t *json, size_t count)
{
    json_error_t error;
    bool ok = false;
    if (count >= 3 && !memcmp(json, "\xEF\xBB\xBF", 3)) { // a byte order mark
        json += 3;
        count -= 3;
    }
    c->root = json_loadb((const char *)json, count, JSON_REJECT_DUPLICATES, &error);
    if (!c->root) {
        bool begins = count > 0 && memchr("{ \t\r\n", json[0], 5) != NULL;
        refuse(c, begins ? "the file is cut short or damaged: line %d: %s" : "not a glTF file: line %d: %s", error.line,
               error.text);
        goto done;
    }
    ok = check_head(c) && check_nodes(c) && load_buffers(c) && check_meshes(c);
done:
    for (size_t i = 0; i < c->buffer_count && c->buffers; i++) {
        free(c->buffers[i].decoded);
        scene_file_close(&c->buffers[i].file);
    }
    free(c->buffers);
    json_decref(c->root);
    return ok;
}

bool scene_check_gltf(const scene_file *file, char *why, size_t why_bytes)
{
    checker c = {.file = file, .why = why, .why_bytes = why_bytes};
    return check_document(&c, file->bytes, file->count);
}

// Header: magic, version, length of the whole; then chunks of length, type, content: the JSON first, then the buffer.
bool scene_check_glb(const scene_file *file, char *why, size_t why_bytes)
{
    enum { JSON_CHUNK = 0x4E4F534A, BIN_CHUNK = 0x004E4942 };
    checker c = {.file = file, .why = why, .why_bytes = why_bytes};
    const uint8_t *bytes = file->bytes, *json = NULL;
    size_t json_count = 0;
    if (file->count < 12 || memcmp(bytes, "glTF", 4) != 0) {
        return refuse(&c, "not a GLB file: it does not begin with 'glTF'");
    }
    uint32_t version = nav_load_u32(bytes + 4), length = nav_load_u32(bytes + 8);
    if (version != 2) return refuse(&c, "GLB version %u at byte 4; navctl reads version 2", version);
    if (length > file->count) {
        return refuse(&c, "the file is cut short: its header promises %u bytes, it has %zu", length, file->count);
    }
    for (size_t at = 12, number = 0; at < length; number++) {
        uint32_t size = length - at >= 8 ? nav_load_u32(bytes + at) : UINT32_MAX;
        if (size > length - at - 8) {
            return refuse(&c, "the chunk at byte %zu reaches beyond the end of the file", at);
        }
        uint32_t type = nav_load_u32(bytes + at + 4);
        if (number == 0 && type == JSON_CHUNK) {
            json = bytes + at + 8;
            json_count = size;
        } else if (number == 1 && type == BIN_CHUNK) {
            c.bin = bytes + at + 8;
            c.bin_count = size;
        }
        at += 8 + (size_t)size;
    }
    if (!json) return refuse(&c, "not a GLB file: its first chunk is not JSON");
    return check_document(&c, json, json_count);
}
