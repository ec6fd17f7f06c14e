#define XXH_INLINE_ALL
#include "clients/navctl/world_file/world_file.h"
#include "core/base/endian.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum {
    PACK_LEVEL = 3,
    PART_BYTES = 1 << 17,    // read and unpacked at a time
    MAX_WINDOW_LOG = 23,     // what unpacking may take: 8 MiB
    MESSAGE_BYTES = 1 << 24, // of one message; the largest are pages of world.edit
};
static const char magic[8] = {'n', 'a', 'v', 'd', 'w', 'r', 'l', 'd'};

static void header_store(const world_file_counts *c, uint64_t hash, uint8_t out[WORLD_FILE_HEADER_BYTES])
{
    memcpy(out, magic, sizeof magic);
    nav_store_u32(out + 8, WORLD_FILE_VERSION);
    nav_store_u64(out + 16, c->packed_bytes);
    nav_store_u64(out + 24, c->unpacked_bytes);
    nav_store_u64(out + 32, c->messages);
    nav_store_u64(out + 40, c->meshes);
    nav_store_u64(out + 48, c->objects);
    nav_store_u64(out + 56, hash);
    nav_store_u32(out + 12, 0); // of the header's own checksum, while it is taken
    nav_store_u32(out + 12, (uint32_t)XXH3_64bits(out, WORLD_FILE_HEADER_BYTES));
}

// --- writing ---

static bool cannot_write(const world_writer *w)
{
    fprintf(stderr, "navctl: cannot write %s: %s\n", w->file.path, strerror(errno));
    return false;
}

bool world_writer_open(world_writer *w, const char *path)
{
    static const uint8_t nothing[WORLD_FILE_HEADER_BYTES];
    *w = (world_writer){.packer = ZSTD_createCCtx(), .hash = XXH3_createState()};
    if (!w->packer || !w->hash) {
        fprintf(stderr, "navctl: no memory left\n");
        return false;
    }
    ZSTD_CCtx_setParameter(w->packer, ZSTD_c_compressionLevel, PACK_LEVEL);
    ZSTD_CCtx_setParameter(w->packer, ZSTD_c_checksumFlag, 1);
    XXH3_64bits_reset(w->hash);
    if (!output_open(&w->file, path)) return false;
    return fwrite(nothing, sizeof nothing, 1, w->file.file) == 1 || cannot_write(w); // its place
}

static bool pack(world_writer *w, const void *bytes, size_t count, ZSTD_EndDirective end)
{
    uint8_t part[1 << 16];
    ZSTD_inBuffer in = {bytes, count, 0};
    for (;;) {
        ZSTD_outBuffer out = {part, sizeof part, 0};
        size_t left = ZSTD_compressStream2(w->packer, &out, &in, end);
        if (ZSTD_isError(left)) {
            fprintf(stderr, "navctl: cannot write %s: zstd: %s\n", w->file.path, ZSTD_getErrorName(left));
            return false;
        }
        if (out.pos && fwrite(part, out.pos, 1, w->file.file) != 1) return cannot_write(w);
        XXH3_64bits_update(w->hash, part, out.pos);
        w->counts.packed_bytes += out.pos;
        if (end == ZSTD_e_end ? left == 0 : in.pos == in.size) return true;
    }
}

bool world_writer_add(world_writer *w, const nav_buffer *bytes, uint32_t messages)
{
    w->counts.messages += messages;
    w->counts.unpacked_bytes += bytes->size;
    return pack(w, bytes->data, bytes->size, ZSTD_e_continue);
}

bool world_writer_commit(world_writer *w)
{
    uint8_t header[WORLD_FILE_HEADER_BYTES];
    if (!pack(w, NULL, 0, ZSTD_e_end)) return false;
    header_store(&w->counts, XXH3_64bits_digest(w->hash), header);
    if (fseek(w->file.file, 0, SEEK_SET) || fwrite(header, sizeof header, 1, w->file.file) != 1) return cannot_write(w);
    return output_commit(&w->file);
}

void world_writer_discard(world_writer *w)
{
    output_discard(&w->file);
    ZSTD_freeCCtx(w->packer);
    XXH3_freeState(w->hash);
    *w = (world_writer){.packer = NULL};
}

// --- reading ---

NAV_PRINTF(3, 4) static nav_status wrong(world_reader *r, nav_status s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->why, sizeof r->why, format, arguments);
    va_end(arguments);
    return s;
}

static nav_status read_header(world_reader *r, uint64_t *hash)
{
    uint8_t header[WORLD_FILE_HEADER_BYTES];
    size_t count = fread(header, 1, sizeof header, r->file);
    if (ferror(r->file)) return wrong(r, NAV_ERR_IO, "%s", strerror(errno));
    if (count < sizeof magic || memcmp(header, magic, sizeof magic) != 0)
        return wrong(r, NAV_ERR_FORMAT, "not a world that navctl world export wrote");
    if (count < sizeof header) return wrong(r, NAV_ERR_TRUNCATED, "it was cut short within its header");
    uint32_t version = nav_load_u32(header + 8), sum = nav_load_u32(header + 12);
    if (version != WORLD_FILE_VERSION)
        return wrong(r, NAV_ERR_VERSION, "version %u of the format; this navctl reads version %d", version,
                     WORLD_FILE_VERSION);
    nav_store_u32(header + 12, 0);
    if ((uint32_t)XXH3_64bits(header, sizeof header) != sum)
        return wrong(r, NAV_ERR_FORMAT, "its header is damaged: the checksum differs");
    r->counts = (world_file_counts){.packed_bytes = nav_load_u64(header + 16),
                                    .unpacked_bytes = nav_load_u64(header + 24),
                                    .messages = nav_load_u64(header + 32),
                                    .meshes = nav_load_u64(header + 40),
                                    .objects = nav_load_u64(header + 48)};
    *hash = nav_load_u64(header + 56);
    return NAV_OK;
}

// All packed bytes once, before any of them is unpacked.
static nav_status check_bytes(world_reader *r, uint64_t hash)
{
    struct stat info;
    if (fstat(fileno(r->file), &info)) return wrong(r, NAV_ERR_IO, "%s", strerror(errno));
    uint64_t have = (uint64_t)info.st_size - WORLD_FILE_HEADER_BYTES;
    if (have < r->counts.packed_bytes)
        return wrong(r, NAV_ERR_TRUNCATED, "it was cut short: %llu bytes are there of %llu",
                     (unsigned long long)info.st_size,
                     (unsigned long long)(r->counts.packed_bytes + WORLD_FILE_HEADER_BYTES));
    if (have > r->counts.packed_bytes)
        return wrong(r, NAV_ERR_FORMAT, "it has %llu bytes too many",
                     (unsigned long long)(have - r->counts.packed_bytes));
    XXH3_state_t *state = XXH3_createState();
    if (!state) return wrong(r, NAV_ERR_MEMORY, "no memory left");
    XXH3_64bits_reset(state);
    for (size_t n; (n = fread(r->in, 1, PART_BYTES, r->file)) > 0;) XXH3_64bits_update(state, r->in, n);
    uint64_t found = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    if (ferror(r->file)) return wrong(r, NAV_ERR_IO, "%s", strerror(errno));
    return found == hash ? NAV_OK : wrong(r, NAV_ERR_FORMAT, "it is damaged: the checksum differs");
}

nav_status world_reader_open(world_reader *r, const char *path, uint64_t max_bytes)
{
    uint64_t hash = 0;
    *r = (world_reader){.file = fopen(path, "rb")};
    if (!r->file) return wrong(r, NAV_ERR_IO, "%s", strerror(errno));
    r->in = malloc(PART_BYTES);
    r->out = malloc(PART_BYTES);
    r->unpacker = ZSTD_createDCtx();
    if (!r->in || !r->out || !r->unpacker) return wrong(r, NAV_ERR_MEMORY, "no memory left");
    ZSTD_DCtx_setParameter(r->unpacker, ZSTD_d_windowLogMax, MAX_WINDOW_LOG);
    nav_status s = read_header(r, &hash);
    if (s != NAV_OK) return s;
    if (r->counts.unpacked_bytes > max_bytes)
        return wrong(r, NAV_ERR_LIMIT, "it unpacks to %llu bytes, at most %llu are allowed (--max-gib)",
                     (unsigned long long)r->counts.unpacked_bytes, (unsigned long long)max_bytes);
    s = check_bytes(r, hash);
    return s == NAV_OK ? world_reader_rewind(r) : s;
}

nav_status world_reader_rewind(world_reader *r)
{
    np_limits limits;
    np_limits_default(&limits);
    limits.message_bytes = MESSAGE_BYTES;
    np_reader_deinit(&r->reader);
    nav_status s = np_reader_init(&r->reader, &limits);
    if (s != NAV_OK) return wrong(r, s, "no memory left");
    ZSTD_DCtx_reset(r->unpacker, ZSTD_reset_session_only);
    r->packed = r->unpacked = r->messages = 0;
    r->input = (ZSTD_inBuffer){0};
    r->frame_ended = r->more = false;
    if (fseek(r->file, WORLD_FILE_HEADER_BYTES, SEEK_SET)) return wrong(r, NAV_ERR_IO, "%s", strerror(errno));
    return NAV_OK;
}

// Some more bytes into the reader of messages. NAV_ERR_CLOSED: there are none.
static nav_status unpack_some(world_reader *r)
{
    if (r->frame_ended) return NAV_ERR_CLOSED;
    if (r->input.pos == r->input.size && !r->more) {
        size_t n = fread(r->in, 1, PART_BYTES, r->file);
        if (ferror(r->file)) return wrong(r, NAV_ERR_IO, "%s", strerror(errno));
        if (n == 0) return wrong(r, NAV_ERR_TRUNCATED, "its packed data ends too early");
        r->input = (ZSTD_inBuffer){r->in, n, 0};
        r->packed += n;
    }
    ZSTD_outBuffer out = {r->out, PART_BYTES, 0};
    size_t left = ZSTD_decompressStream(r->unpacker, &out, &r->input);
    if (ZSTD_isError(left)) return wrong(r, NAV_ERR_FORMAT, "its packed data is damaged: %s", ZSTD_getErrorName(left));
    r->unpacked += out.pos;
    r->frame_ended = left == 0;
    r->more = out.pos == out.size; // there may be output that waits for room
    if (r->unpacked > r->counts.unpacked_bytes)
        return wrong(r, NAV_ERR_FORMAT, "it unpacks to more than the %llu bytes that its header says",
                     (unsigned long long)r->counts.unpacked_bytes);
    if (r->frame_ended && (r->input.pos < r->input.size || r->packed < r->counts.packed_bytes))
        return wrong(r, NAV_ERR_FORMAT, "it has bytes behind its packed data");
    nav_status s = np_reader_feed(&r->reader, r->out, out.pos);
    return s == NAV_OK ? s : wrong(r, s, "%s", r->reader.failed != NAV_OK ? r->reader.why : nav_status_text(s));
}

static nav_status end(world_reader *r)
{
    if (np_reader_pending(&r->reader)) return wrong(r, NAV_ERR_TRUNCATED, "its last message has no end");
    if (r->messages != r->counts.messages || r->unpacked != r->counts.unpacked_bytes)
        return wrong(r, NAV_ERR_FORMAT, "it has %llu messages in %llu bytes, its header says %llu in %llu",
                     (unsigned long long)r->messages, (unsigned long long)r->unpacked,
                     (unsigned long long)r->counts.messages, (unsigned long long)r->counts.unpacked_bytes);
    return NAV_ERR_CLOSED;
}

nav_status world_reader_next(world_reader *r, np_message *m)
{
    const uint8_t *bytes;
    size_t count;
    np_error err;
    *m = (np_message){.zone = NULL};
    for (;;) {
        nav_status s = np_reader_next(&r->reader, &bytes, &count);
        if (s == NAV_OK) {
            r->messages++;
            s = np_message_read(bytes, count, m, &err);
            if (s != NAV_OK || m->kind != NP_REQUEST)
                return wrong(r, NAV_ERR_FORMAT, "message %llu is no request of the protocol",
                             (unsigned long long)r->messages);
            return NAV_OK;
        }
        if (s != NAV_ERR_AGAIN)
            return wrong(r, s, "message %llu: %s", (unsigned long long)r->messages + 1, r->reader.why);
        s = unpack_some(r);
        if (s == NAV_ERR_CLOSED) return end(r);
        if (s != NAV_OK) return s;
    }
}

void world_reader_close(world_reader *r)
{
    if (r->file) fclose(r->file);
    ZSTD_freeDCtx(r->unpacker);
    np_reader_deinit(&r->reader);
    free(r->in);
    free(r->out);
    r->file = NULL;
    r->unpacker = NULL;
    r->reader = (np_reader){.begin = 0};
    r->in = r->out = NULL;
}
