#include "daemon/disk/database_file.h"

#include "core/base/endian.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 // Linux 5.14; others refuse it
#endif

// --- checksums ---

uint64_t nd_value_checksum(nd_bytes key, nd_bytes value)
{
    return XXH3_64bits_withSeed(value.data ? value.data : "", value.size, XXH3_64bits(key.data, key.size));
}

bool nd_value_open(nd_bytes key, nd_bytes stored, nd_bytes *value)
{
    if (stored.size < ND_VALUE_SUM_BYTES) return false;
    *value = (nd_bytes){(const uint8_t *)stored.data + ND_VALUE_SUM_BYTES, stored.size - ND_VALUE_SUM_BYTES};
    return nav_load_u64(stored.data) == nd_value_checksum(key, *value);
}

bool nd_value_holds(nd_bytes key, nd_bytes value)
{
    return nav_load_u64((const uint8_t *)value.data - ND_VALUE_SUM_BYTES) == nd_value_checksum(key, value);
}

// --- the file ---

nav_status nd_database_map_file(const char *folder, nd_mapped *out)
{
    char path[ND_DATABASE_PATH_BYTES + 16];
    struct stat st;
    nav_status s = NAV_OK;
    *out = (nd_mapped){0};
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe of that name must not make it wait
    if (fd < 0) return errno == ENOENT ? NAV_ERR_NOT_FOUND : NAV_ERR_IO;
    if (fstat(fd, &st)) s = NAV_ERR_IO;
    if (s == NAV_OK && !S_ISREG(st.st_mode)) {
        errno = EINVAL;
        s = NAV_ERR_IO;
    }
    if (s == NAV_OK && st.st_size) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED)
            s = NAV_ERR_IO;
        else
            *out = (nd_mapped){at, (size_t)st.st_size};
    }
    close(fd);
    return s;
}

void nd_database_unmap_file(nd_mapped *m)
{
    if (m->bytes) munmap(m->bytes, m->size);
}

typedef struct scan {
    nd_pages_visit *visit;
    void *user;
    const char *unchecked;
    uint64_t bad_records;
} scan;

static void scan_record(void *user, nd_bytes table, nd_bytes key, nd_bytes stored)
{
    scan *s = user;
    nd_bytes value = {(const uint8_t *)stored.data + ND_VALUE_SUM_BYTES, stored.size - ND_VALUE_SUM_BYTES};
    bool unchecked =
        s->unchecked && strlen(s->unchecked) == table.size && !memcmp(s->unchecked, table.data, table.size);
    if (stored.size < ND_VALUE_SUM_BYTES || !(unchecked || nd_value_holds(key, value))) {
        s->bad_records++;
        value = (nd_bytes){0};
    }
    s->visit(s->user, table, key, value);
}

nav_status nd_database_scan(const char *folder, const nd_pages_known *known, const char *unchecked,
                            nd_pages_visit *visit, void *user, nd_pages_report *report, uint64_t *bad_records)
{
    nd_mapped m;
    scan sc = {visit, user, unchecked, 0};
    *report = (nd_pages_report){0};
    nav_status s = nd_database_map_file(folder, &m);
    if (s == NAV_OK) s = nd_pages_walk(m.bytes, m.size, known, scan_record, &sc, report);
    nd_database_unmap_file(&m);
    *bad_records = sc.bad_records;
    return s == NAV_ERR_NOT_FOUND ? NAV_OK : s;
}

// --- before it is open ---

struct nd_peek {
    nd_mapped file;
    nd_pages_table *table;
};

nav_status nd_peek_open(const char *folder, const char *table, nd_peek **out)
{
    nd_peek *p = calloc(1, sizeof *p);
    if (!p) return NAV_ERR_MEMORY;
    nav_status s = nd_database_map_file(folder, &p->file);
    if (s == NAV_OK) s = nd_pages_open(p->file.bytes, p->file.size, (nd_bytes){table, strlen(table)}, &p->table);
    if (s == NAV_OK)
        *out = p;
    else
        nd_peek_close(p);
    return s;
}

nav_status nd_peek_get(nd_peek *p, nd_bytes key, nd_bytes *value)
{
    nd_bytes stored;
    nav_status s = nd_pages_get(p->table, key, &stored);
    if (s != NAV_OK) return s;
    return nd_value_open(key, stored, value) ? NAV_OK : NAV_ERR_FORMAT;
}

void nd_peek_expect(nd_peek *p, const nd_bytes *keys, size_t count)
{
    nd_pages_expect(p->table, keys, count);
}

bool nd_peek_warm(nd_peek *p, size_t from, size_t count)
{
    if (from >= p->file.size) return false;
    size_t left = p->file.size - from;
    return !madvise(p->file.bytes + from, count < left ? count : left, MADV_POPULATE_READ) && count < left;
}

void nd_peek_close(nd_peek *p)
{
    if (!p) return;
    nd_pages_close(p->table);
    nd_database_unmap_file(&p->file);
    free(p);
}
