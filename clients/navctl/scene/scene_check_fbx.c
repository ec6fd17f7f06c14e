// FBX, text and binary: blocks that match and do not nest too deep, arrays that are as long as they say, and objects
// that are not connected in a chain too long, or a circle. Assimp follows all of these without a bound.
#include "clients/navctl/scene/scene_check.h"
#include "core/base/endian.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct connection {
    int64_t child, parent; // ids, then places in the sorted list of ids
} connection;

typedef struct checker {
    const uint8_t *bytes;
    size_t count;
    size_t field; // bytes of an offset in the binary form: 4 or 8
    connection *connections;
    size_t connection_count, connection_capacity;
    char *why;
    size_t why_bytes;
} checker;

static bool add_connection(checker *c, int64_t child, int64_t parent)
{
    if (c->connection_count == c->connection_capacity) {
        size_t capacity = c->connection_capacity ? 2 * c->connection_capacity : 256;
        connection *grown = realloc(c->connections, capacity * sizeof *grown);
        if (!grown) {
            snprintf(c->why, c->why_bytes, "no memory left");
            return false;
        }
        c->connections = grown;
        c->connection_capacity = capacity;
    }
    c->connections[c->connection_count++] = (connection){child, parent};
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t place_of(const int64_t *ids, size_t count, int64_t id)
{
    const int64_t *found = bsearch(&id, ids, count, sizeof *ids, compare_ids);
    return found - ids;
}

// Each round moves depths one connection further, so the rounds are as many as the longest chain is long.
static bool check_chains(checker *c)
{
    bool ok = false;
    size_t id_count = 2 * c->connection_count, unique = 0;
    int64_t *ids = malloc(sizeof *ids * (id_count + 1));
    uint16_t *depths = calloc(id_count + 1, sizeof *depths);
    if (!ids || !depths) {
        snprintf(c->why, c->why_bytes, "no memory left");
        goto done;
    }
    for (size_t i = 0; i < c->connection_count; i++) {
        ids[2 * i] = c->connections[i].child;
        ids[2 * i + 1] = c->connections[i].parent;
    }
    qsort(ids, id_count, sizeof *ids, compare_ids);
    for (size_t i = 0; i < id_count; i++) {
        if (unique == 0 || ids[unique - 1] != ids[i]) ids[unique++] = ids[i];
    }
    for (size_t i = 0; i < c->connection_count; i++) {
        connection *k = &c->connections[i];
        *k = (connection){place_of(ids, unique, k->child), place_of(ids, unique, k->parent)};
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < c->connection_count; i++) {
            const connection *k = &c->connections[i];
            if (depths[k->child] > depths[k->parent]) continue;
            depths[k->child] = (uint16_t)(depths[k->parent] + 1);
            moved = true;
            if (depths[k->child] <= SCENE_MAX_DEPTH) continue;
            snprintf(c->why, c->why_bytes, "object %" PRId64 " is connected below more than %d others, or below itself",
                     ids[k->child], SCENE_MAX_DEPTH);
            goto done;
        }
    }
    ok = true;
done:
    free(ids);
    free(depths);
    return ok;
}

// `C: "OO",child,parent` at the start of a line.
static bool read_text_connection(checker *c, size_t at)
{
    char line[128];
    long long child, parent;
    size_t length = c->count - at < sizeof line - 1 ? c->count - at : sizeof line - 1;
    memcpy(line, c->bytes + at, length);
    line[length] = '\0';
    return sscanf(line, "C: \"OO\" , %lld , %lld", &child, &parent) != 2 || add_connection(c, child, parent);
}

// Text: braces that match outside of strings and comments.
static bool check_text(checker *c)
{
    const uint8_t *bytes = c->bytes;
    size_t count = c->count, line = 1;
    int64_t depth = 0;
    bool in_string = false, in_comment = false, any = false, at_start = true;
    if (memchr(bytes, 0, count < 512 ? count : 512)) {
        snprintf(c->why, c->why_bytes, "not an FBX file: neither its binary nor its text form");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t character = bytes[i];
        if (character == '\n') {
            line++;
            in_comment = false;
            at_start = true;
            continue;
        }
        if (in_comment) continue;
        if (character == '"') {
            in_string = !in_string;
        } else if (in_string) {
            continue;
        } else if (character == ';') {
            in_comment = true;
        } else if (character == '{') {
            any = true;
            if (++depth > SCENE_MAX_DEPTH) {
                snprintf(c->why, c->why_bytes, "line %zu: blocks within blocks, deeper than %d", line, SCENE_MAX_DEPTH);
                return false;
            }
        } else if (character == '}' && --depth < 0) {
            snprintf(c->why, c->why_bytes, "line %zu: a '}' that closes nothing", line);
            return false;
        } else if (at_start && character == 'C' && !read_text_connection(c, i)) {
            return false;
        }
        at_start = at_start && (character == ' ' || character == '\t' || character == '\r');
    }
    if (any && depth == 0 && !in_string) return check_chains(c);
    snprintf(c->why, c->why_bytes,
             any ? "the file is cut short: %lld blocks are still open at line %zu" : "not an FBX file",
             (long long)depth, line);
    return false;
}

static uint64_t load_field(const checker *c, uint64_t at)
{
    return c->field == 8 ? nav_load_u64(c->bytes + at) : nav_load_u32(c->bytes + at);
}

// The size of one property, its type's letter included; 0 where it is damaged.
static uint64_t property_size(const checker *c, uint64_t at, uint64_t end)
{
    static const struct {
        char letter;
        uint8_t bytes;
    } plain[] = {{'Y', 2}, {'C', 1}, {'I', 4}, {'F', 4}, {'D', 8}, {'L', 8}},
      arrays[] = {{'f', 4}, {'d', 8}, {'l', 8}, {'i', 4}, {'b', 1}, {'c', 1}};
    enum { INFLATED_MOST = 1032 }; // bytes that one byte of a zlib stream can stand for
    char letter = (char)c->bytes[at];
    uint64_t left = end - at - 1;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (plain[i].letter == letter) return plain[i].bytes <= left ? 1u + plain[i].bytes : 0;
    }
    if (letter == 'S' || letter == 'R') {
        uint64_t length = left >= 4 ? nav_load_u32(c->bytes + at + 1) : UINT64_MAX;
        return left >= 4 && length <= left - 4 ? 5 + length : 0;
    }
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && left >= 12; i++) {
        if (arrays[i].letter != letter) continue;
        uint64_t plain_bytes = (uint64_t)nav_load_u32(c->bytes + at + 1) * arrays[i].bytes;
        uint32_t encoding = nav_load_u32(c->bytes + at + 5), stored = nav_load_u32(c->bytes + at + 9);
        if (stored > left - 12 || plain_bytes > UINT32_MAX) return 0;
        if (encoding == 0 && plain_bytes != stored) return 0;
        if (encoding == 1 && plain_bytes > (uint64_t)stored * INFLATED_MOST) return 0;
        return encoding <= 1 ? 13 + (uint64_t)stored : 0;
    }
    return 0;
}

static bool check_records(checker *c, uint64_t at, uint64_t end, int depth, bool in_connections);

// A record whose end is known to lie within the file.
static bool check_record(checker *c, uint64_t at, uint64_t end, int depth, bool in_connections)
{
    uint64_t header = 3 * c->field + 1, body = at + header;
    if (end - at < header || c->bytes[at + header - 1] > end - body) goto damaged;
    uint64_t property_count = load_field(c, at + c->field), property_bytes = load_field(c, at + 2 * c->field);
    const uint8_t *name = c->bytes + body;
    size_t name_length = c->bytes[body - 1];
    body += name_length;
    if (property_bytes > end - body) goto damaged;
    uint64_t children = body + property_bytes, ids[2] = {0};
    int id_count = 0;
    bool joins_objects = false;
    for (uint64_t i = 0; i < property_count; i++) {
        uint64_t size = body < children ? property_size(c, body, children) : 0;
        if (size == 0) goto damaged;
        if (i == 0) joins_objects = size == 7 && !memcmp(c->bytes + body + 5, "OO", 2);
        if (i > 0 && c->bytes[body] == 'L' && id_count < 2) ids[id_count++] = nav_load_u64(c->bytes + body + 1);
        body += size;
    }
    if (in_connections && joins_objects && id_count == 2 && !add_connection(c, (int64_t)ids[0], (int64_t)ids[1])) {
        return false;
    }
    bool names_connections = depth == 0 && name_length == 11 && !memcmp(name, "Connections", 11);
    return children == end || check_records(c, children, end, depth + 1, names_connections);
damaged:
    snprintf(c->why, c->why_bytes, "the record at byte %" PRIu64 " is damaged: its properties are not what it says",
             at);
    return false;
}

// A chain of records, each naming the offset of its end, closed by a record of zeros; below the top the end of the
// record above closes it, too.
static bool check_records(checker *c, uint64_t at, uint64_t end, int depth, bool in_connections)
{
    if (depth > SCENE_MAX_DEPTH) {
        snprintf(c->why, c->why_bytes, "byte %" PRIu64 ": records within records, deeper than %d", at, SCENE_MAX_DEPTH);
        return false;
    }
    while (at != end || depth == 0) {
        if (end - at < c->field) {
            snprintf(c->why, c->why_bytes, "the file is cut short: no closing record at byte %" PRIu64, at);
            return false;
        }
        uint64_t record_end = load_field(c, at);
        if (record_end == 0) return true;
        if (record_end <= at || record_end > end) {
            snprintf(c->why, c->why_bytes,
                     "the file is cut short: the record at byte %" PRIu64 " ends at %" PRIu64 " of %" PRIu64, at,
                     record_end, end);
            return false;
        }
        if (!check_record(c, at, record_end, depth, in_connections)) return false;
        at = record_end;
    }
    return true;
}

bool scene_check_fbx(const scene_file *file, char *why, size_t why_bytes)
{
    enum { HEADER = 27 };
    static const char magic[] = "Kaydara FBX Binary  ";
    checker c = {.bytes = file->bytes, .count = file->count, .why = why, .why_bytes = why_bytes};
    bool ok;
    if (file->count < HEADER || memcmp(file->bytes, magic, sizeof magic) != 0) {
        ok = check_text(&c);
    } else {
        c.field = nav_load_u32(file->bytes + 23) >= 7500 ? 8 : 4;
        ok = check_records(&c, HEADER, file->count, 0, false) && check_chains(&c);
    }
    free(c.connections);
    return ok;
}
