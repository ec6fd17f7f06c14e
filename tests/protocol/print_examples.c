// Prints the examples as docs/protocol.md and the pages in docs/protocol show them: a block of hexadecimal bytes for
// each, with their meaning behind
// #. Use it when a message is added or changed: `print_examples NAME` prints one, without a name all. test_docs checks
// that the document has these bytes.
#include "tests/protocol/examples.h"

#include "core/base/endian.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 16 }; // bytes in a line

typedef struct printer {
    const uint8_t *bytes;
    size_t count;
} printer;

static size_t size_of(const printer *p, size_t at)
{
    np_scan scan = {0};
    np_limits limits;
    char why[NP_WHY_BYTES];
    np_limits_default(&limits);
    return np_scan_run(&scan, &limits, p->bytes + at, p->count - at, why, sizeof why) == NAV_OK ? scan.at : 0;
}

// One or more lines of bytes; the meaning stands behind the first.
static void line(const printer *p, size_t from, size_t to, int depth, const char *meaning)
{
    for (size_t at = from; at < to; at += COLUMNS) {
        size_t end = to - at < COLUMNS ? to : at + COLUMNS;
        char hex[3 * COLUMNS + 1];
        int used = 0;
        for (size_t i = at; i < end; i++) used += snprintf(hex + used, 4, "%02x ", p->bytes[i]);
        hex[used - 1] = '\0';
        if (at == from)
            printf("%-*s # %*s%s\n", 3 * COLUMNS - 1, hex, 2 * depth, "", meaning);
        else
            printf("%s\n", hex);
    }
}

static void describe(const msgpack_object *o, char *out, size_t bytes)
{
    switch (o->type) {
    case MSGPACK_OBJECT_NIL:
        snprintf(out, bytes, "nil");
        break;
    case MSGPACK_OBJECT_BOOLEAN:
        snprintf(out, bytes, o->via.boolean ? "true" : "false");
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        snprintf(out, bytes, "%" PRIu64, o->via.u64);
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        snprintf(out, bytes, "%" PRId64, o->via.i64);
        break;
    case MSGPACK_OBJECT_FLOAT32:
        snprintf(out, bytes, "%g (float32)", o->via.f64);
        break;
    case MSGPACK_OBJECT_FLOAT64:
        snprintf(out, bytes, "%g", o->via.f64);
        break;
    case MSGPACK_OBJECT_STR:
        snprintf(out, bytes, "\"%.*s\"", (int)o->via.str.size, o->via.str.ptr);
        break;
    case MSGPACK_OBJECT_BIN:
        snprintf(out, bytes, "bin of %" PRIu32, o->via.bin.size);
        break;
    default:
        snprintf(out, bytes, "?");
        break;
    }
}

static bool is_container(uint8_t b)
{
    return (b >= 0x80 && b < 0xa0) || b >= 0xdc;
}

// A value at `at`, with `label` before its meaning; the label's own bytes begin at `from`. Returns where it ends.
static size_t value(const printer *p, size_t from, size_t at, int depth, const char *label)
{
    static const char *const parts[][4] = {
        {"request", "id ", "", ""}, {"response", "id ", "error: ", ""}, {"notification", "", "", ""}};
    size_t end = at + size_of(p, at);
    msgpack_unpacked u;
    msgpack_unpacked_init(&u);
    size_t off = 0;
    char words[256], meaning[512];
    if (msgpack_unpack_next(&u, (const char *)p->bytes + at, end - at, &off) != MSGPACK_UNPACK_SUCCESS) return p->count;
    uint8_t b = p->bytes[at];
    if (!is_container(b) || b >= 0xe0) {
        describe(&u.data, words, sizeof words);
        snprintf(meaning, sizeof meaning, "%s%s", label, words);
        line(p, from, end, depth, meaning);
        msgpack_unpacked_destroy(&u);
        return end;
    }
    bool map = u.data.type == MSGPACK_OBJECT_MAP;
    uint32_t entries = map ? u.data.via.map.size : u.data.via.array.size;
    size_t next = at + (b >= 0xdd && b != 0xde ? 5 : b >= 0xdc ? 3 : 1);
    snprintf(meaning, sizeof meaning, map ? "%smap of %" PRIu32 : "%sarray of %" PRIu32, label, entries);
    line(p, from, next, depth, meaning);
    for (uint32_t i = 0; i < entries; i++) {
        char key[64] = "";
        size_t start = next;
        if (map) {
            const msgpack_object *k = &u.data.via.map.ptr[i].key;
            snprintf(key, sizeof key, "%.*s: ", (int)k->via.str.size, k->via.str.ptr);
            next += size_of(p, next);
        } else if (at == 0 && i < 4) {
            uint8_t kind = p->bytes[1];
            snprintf(key, sizeof key, "%s", i == 0 ? "" : parts[kind][i]);
            if (i == 0) {
                line(p, next, next + 1, depth + 1, parts[kind][0]);
                next++;
                continue;
            }
        }
        next = value(p, start, next, depth + 1, key);
    }
    msgpack_unpacked_destroy(&u);
    return end;
}

int main(int argc, char **argv)
{
    for (uint32_t i = 0; i < example_count(); i++) {
        if (argc > 1 && strcmp(argv[1], example_at(i)->name) != 0) continue;
        nav_buffer out = {0};
        if (example_encode(example_at(i), &out) != NAV_OK) return 1;
        printf("```hex %s\n", example_at(i)->name);
        value(&(printer){out.data, out.size}, 0, 0, 0, "");
        printf("```\n\n");
        nav_buffer_deinit(&out);
    }
    return 0;
}
