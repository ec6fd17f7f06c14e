#include "clients/navctl/tile_files/cache_file.h"

#include "core/base/endian.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, HEAD_BYTES = 16, ENTRY_BYTES = 4 + NAVD_CACHE_KEY_BYTES + 8, END_BYTES = 12 };
enum { MAX_RECORD_BYTES = 64 << 20 };
static const char magic[8] = {'N', 'A', 'V', 'D', 'T', 'I', 'L', 'E'};

static bool fail(cache_file *f, const char *what)
{
    snprintf(f->why, sizeof f->why, "%.120s: %s", f->path, what);
    return false;
}

static bool put(cache_file *f, const void *bytes, size_t count)
{
    if (fwrite(bytes, 1, count, f->file) == count) return true;
    return fail(f, strerror(errno));
}

bool cache_file_create(cache_file *f, const char *path)
{
    uint8_t head[HEAD_BYTES] = {0};
    *f = (cache_file){.path = path};
    if (!output_open(&f->output, path)) return false;
    f->file = f->output.file;
    memcpy(head, magic, sizeof magic);
    nav_store_u32(head + 8, VERSION);
    return put(f, head, sizeof head);
}

bool cache_file_add(cache_file *f, const navd_cache_entry *e)
{
    uint8_t head[ENTRY_BYTES];
    nav_store_u32(head, e->size);
    memcpy(head + 4, e->key, NAVD_CACHE_KEY_BYTES);
    nav_store_u64(head + 4 + NAVD_CACHE_KEY_BYTES, e->sum);
    f->entries++;
    f->bytes += e->size;
    return put(f, head, sizeof head) && put(f, e->record, e->size);
}

bool cache_file_finish(cache_file *f)
{
    uint8_t end[END_BYTES] = {0};
    nav_store_u64(end + 4, f->entries);
    bool ok = put(f, end, sizeof end);
    f->file = NULL;
    if (ok) return output_commit(&f->output);
    output_discard(&f->output);
    return false;
}

void cache_file_abandon(cache_file *f)
{
    f->file = NULL;
    output_discard(&f->output);
}

static bool get(cache_file *f, void *out, size_t count)
{
    if (fread(out, 1, count, f->file) == count) return true;
    return fail(f, ferror(f->file) ? strerror(errno) : "it ends too early");
}

bool cache_file_open(cache_file *f, const char *path)
{
    uint8_t head[HEAD_BYTES];
    *f = (cache_file){.path = path, .file = fopen(path, "rb")};
    if (!f->file) return fail(f, strerror(errno));
    if (!get(f, head, sizeof head)) return false;
    if (memcmp(head, magic, sizeof magic)) return fail(f, "not a file that navctl cache export wrote");
    if (nav_load_u32(head + 8) != VERSION) return fail(f, "of another version of navctl");
    return true;
}

bool cache_file_next(cache_file *f, navd_cache_entry *e, uint8_t **room, size_t *capacity, bool *end)
{
    uint8_t head[ENTRY_BYTES];
    if (!get(f, head, 4)) return false;
    e->size = nav_load_u32(head);
    *end = e->size == 0;
    if (*end) {
        if (!get(f, head, 8)) return false;
        return nav_load_u64(head) == f->entries || fail(f, "tiles of it are missing");
    }
    if (e->size > MAX_RECORD_BYTES) return fail(f, "a tile of it is larger than 64 MiB: it is damaged");
    if (!get(f, head + 4, sizeof head - 4)) return false;
    memcpy(e->key, head + 4, NAVD_CACHE_KEY_BYTES);
    e->sum = nav_load_u64(head + 4 + NAVD_CACHE_KEY_BYTES);
    if (e->size > *capacity) {
        uint8_t *grown = realloc(*room, e->size);
        if (!grown) return fail(f, "no memory left");
        *room = grown;
        *capacity = e->size;
    }
    e->record = *room;
    f->entries++;
    f->bytes += e->size;
    return get(f, *room, e->size);
}

void cache_file_close(cache_file *f)
{
    if (f->file) fclose(f->file);
    f->file = NULL;
}
