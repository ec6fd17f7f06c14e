// DESIGN. LMDB maps its file and trusts what it finds there: an offset changed by a failing disk makes it read
// anywhere. So before LMDB gets a file, it is walked here by a reader that trusts nothing: both meta pages, then
// every page of every tree from the newest meta, page by page.
//
//     meta ──► free list (tree) ──► lists of page numbers
//       └────► main (tree) ──► tables (trees) ──► records, overflow pages
//
// A page must be the page that its position says, of a kind that belongs there, and hold nodes that fill it without
// gaps and overlaps, in order. No page may be used twice, the counts of each tree must match, and the transaction of
// the newest meta page must be the one that freed pages last. Records are handed
// out on the way, including those in the intact rest of a damaged file: that is how worlds are still read when the
// file can no longer be written. Values are not looked at: each carries a checksum of its own (database.h).
//
// A single record can also be read before the walk has ended: the pages on the way to it are checked one by one,
// each once. That reads what is right, but does not show that the file may be written.
//
// Pure functions over bytes; any thread. Source of the format: LMDB 0.9.24 (H. Chu), mdb.c, little-endian, 64 bit.
#ifndef ND_PAGES_H
#define ND_PAGES_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct nd_bytes {
    const void *data;
    size_t size;
} nd_bytes;

typedef struct nd_pages_report {
    uint64_t pages, records; // sound ones
    uint64_t damaged;        // places that are not as they must be
    uint64_t last_page;      // of the file, as its newest meta page says
    char first[160];         // words about the first of them; "" without damage
} nd_pages_report;

// A record of a table; borrowed from the bytes. NULL: only check.
typedef void nd_pages_visit(void *user, nd_bytes table, nd_bytes key, nd_bytes value);

// The tables that a file may have. Where a name has changed on disk, LMDB would make a new table of the old name, and
// nobody would miss the records.
typedef struct nd_pages_known {
    const char *const *names;
    unsigned count;
} nd_pages_known;

// Walks a database file. known: NULL for any tables. NAV_OK: LMDB may open it. NAV_ERR_FORMAT: it may not,
// report->first says why; all records that can be reached have been visited. NAV_ERR_MEMORY: nothing is known.
NAV_MUST_USE nav_status nd_pages_walk(const uint8_t *bytes, size_t size, const nd_pages_known *known,
                                      nd_pages_visit *visit, void *user, nd_pages_report *report);

// One table of a file that nobody writes.
typedef struct nd_pages_table nd_pages_table;

// NAV_ERR_NOT_FOUND: no such table; NAV_ERR_FORMAT; NAV_ERR_MEMORY. The bytes outlive it.
NAV_MUST_USE nav_status nd_pages_open(const uint8_t *bytes, size_t size, nd_bytes table, nd_pages_table **out);
// NAV_ERR_NOT_FOUND; NAV_ERR_FORMAT: a page on the way is damaged. The value points into the bytes. One thread at a
// time.
NAV_MUST_USE nav_status nd_pages_get(nd_pages_table *t, nd_bytes key, nd_bytes *value);
// These keys, at most ND_PAGES_EXPECTED, will be asked for next: the processor fetches them side by side. Changes
// nothing of what is found.
enum { ND_PAGES_EXPECTED = 8 };
void nd_pages_expect(nd_pages_table *t, const nd_bytes *keys, size_t count);
void nd_pages_close(nd_pages_table *t); // accepts NULL

#endif
