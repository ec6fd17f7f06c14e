// A database's file (database.h) as it is read without LMDB: records with their checksums, before or beside its
// opening.
#ifndef ND_DATABASE_FILE_H
#define ND_DATABASE_FILE_H

#include "daemon/disk/pages.h"

#include <stdbool.h>

enum { ND_VALUE_SUM_BYTES = 8, ND_DATABASE_PATH_BYTES = 4096 };

// A value is stored behind a checksum over its key and its bytes.
uint64_t nd_value_checksum(nd_bytes key, nd_bytes value);
// value: borrowed from what is stored. False: it is not what was stored.
bool nd_value_open(nd_bytes key, nd_bytes stored, nd_bytes *value);
// Is what stands before the value its checksum? For values of the unchecked table.
bool nd_value_holds(nd_bytes key, nd_bytes value);

typedef struct nd_mapped {
    uint8_t *bytes;
    size_t size;
} nd_mapped;

// The folder's data.mdb, to be read. NAV_ERR_NOT_FOUND: there is none; NAV_ERR_IO: errno says why. An empty file has
// no bytes, of size 0.
NAV_MUST_USE nav_status nd_database_map_file(const char *folder, nd_mapped *out);
void nd_database_unmap_file(nd_mapped *m);

// Visits every record of the file that can be read, table by table in the order of their names, each in the order of
// its keys; without LMDB and without opening it for writing. known: as in nd_pages_walk(). Checksums are checked, but
// in the table `unchecked` (NULL: none), whose values are large. A record that does not hold is visited with a value
// whose data is NULL, and counted in *bad_records. A missing file has no records and no damage. NAV_ERR_IO,
// NAV_ERR_MEMORY, and NAV_ERR_FORMAT: the file is damaged, the rest was visited.
NAV_MUST_USE nav_status nd_database_scan(const char *folder, const nd_pages_known *known, const char *unchecked,
                                         nd_pages_visit *visit, void *user, nd_pages_report *report,
                                         uint64_t *bad_records);

// One table of a database that is not open, and that nobody writes: as nd_pages_open(), and values have their checksum.
typedef struct nd_peek nd_peek;
// Reads next to nothing. NAV_ERR_NOT_FOUND: no file, or no such table; NAV_ERR_FORMAT, NAV_ERR_IO, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_peek_open(const char *folder, const char *table, nd_peek **out);
// NAV_ERR_NOT_FOUND; NAV_ERR_FORMAT: damaged. One thread at a time.
NAV_MUST_USE nav_status nd_peek_get(nd_peek *p, nd_bytes key, nd_bytes *value);
// As nd_pages_expect().
void nd_peek_expect(nd_peek *p, const nd_bytes *keys, size_t count);
// Reads a part of the file, whole pages of the system, so that look-ups do not wait for it. False: that was the last,
// or it cannot be done.
bool nd_peek_warm(nd_peek *p, size_t from, size_t count);
void nd_peek_close(nd_peek *p); // accepts NULL

#endif
