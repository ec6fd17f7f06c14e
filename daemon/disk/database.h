// DESIGN. One LMDB environment: a folder with a file data.mdb and a few tables of records. Each value is stored with a
// checksum over its key and its bytes, so that a value that the disk changed is found when it is read. The file is
// walked (pages.h) before LMDB opens it. LMDB's codes and types stay in database.c; what is
// read of the file without LMDB is in database_file.h.
//
//     one writer at a time:  begin_write ──► put, delete, get ──► commit | abort        (writer.h has the thread)
//     any number of readers: begin_read  ──► get, cursor      ──► end                   (any thread, short)
//
// A transaction belongs to the thread that began it; what it returns is borrowed until it ends or writes. Keep
// transactions short, inside one function, and off the loop thread. Open, close: one thread.
#ifndef ND_DATABASE_H
#define ND_DATABASE_H

#include "daemon/disk/database_file.h"

enum { ND_DATABASE_TABLES = 8, ND_DATABASE_KEY_BYTES = 255, ND_DATABASE_WHY_BYTES = 256 };

typedef struct nd_database nd_database;
typedef struct nd_txn nd_txn;
typedef struct nd_cursor nd_cursor;

typedef struct nd_database_options {
    const char *folder;        // made where it is missing; its parent exists
    const char *const *tables; // names; a table is its place in this list
    unsigned table_count;
    uint64_t map_bytes;     // address space to take, and the most the file can have; less where the system refuses
    bool lazy;              // after a power cut the last commits may be gone (never torn); cheaper
    bool set_aside_damaged; // a damaged file is renamed to data.damaged, and started again
    bool checked;           // nd_database_scan() has just found the file to be in order
    // The file is checked, and may be written from now on; may be NULL. The thread that opens.
    void (*before_writing)(void *user);
    void *user;
} nd_database_options;

typedef struct nd_database_opening {
    nd_pages_report pages; // damaged > 0: it was set aside, or is not open
    bool was_set_aside;
    uint64_t map_bytes; // that were had
} nd_database_opening;

// NAV_ERR_FORMAT: the file is damaged, and stays as it is. NAV_ERR_IO, NAV_ERR_LIMIT (no space), NAV_ERR_MEMORY. One
// sentence in why. Blocks: it reads every page of every tree.
NAV_MUST_USE nav_status nd_database_open(const nd_database_options *o, nd_database **out, nd_database_opening *opening,
                                         char *why, size_t why_bytes);
void nd_database_close(nd_database *d); // no transaction is open; accepts NULL

// After a failure that LMDB does not recover from the environment is opened again. NAV_ERR_IO and so on, with words.
NAV_MUST_USE nav_status nd_database_begin_write(nd_database *d, nd_txn **out, char *why, size_t why_bytes);
// Durable when it returns NAV_OK (without `lazy`). Ends the transaction in any case. NAV_ERR_LIMIT: the file or the
// disk is full. NAV_ERR_IO: it cannot be written.
NAV_MUST_USE nav_status nd_txn_commit(nd_txn *t, char *why, size_t why_bytes);
void nd_txn_abort(nd_txn *t); // accepts NULL
// Can it only be aborted? Its commit says why.
bool nd_txn_has_failed(const nd_txn *t);

// NAV_ERR_IO, NAV_ERR_MEMORY, NAV_ERR_LIMIT (126 readers at a time).
NAV_MUST_USE nav_status nd_database_begin_read(nd_database *d, nd_txn **out);
void nd_txn_end(nd_txn *t); // of a reader; accepts NULL

// NAV_ERR_NOT_FOUND; NAV_ERR_FORMAT: the value is damaged.
NAV_MUST_USE nav_status nd_txn_get(nd_txn *t, unsigned table, nd_bytes key, nd_bytes *value);
// Replaces. NAV_ERR_LIMIT: full; NAV_ERR_IO. The transaction can only be aborted then (commit fails with the reason).
NAV_MUST_USE nav_status nd_txn_put(nd_txn *t, unsigned table, nd_bytes key, nd_bytes value);
// NAV_OK also where there is none.
NAV_MUST_USE nav_status nd_txn_delete(nd_txn *t, unsigned table, nd_bytes key);
NAV_MUST_USE nav_status nd_txn_count(nd_txn *t, unsigned table, uint64_t *records);

// Walks a table in the order of its keys. Ends before its transaction.
NAV_MUST_USE nav_status nd_cursor_open(nd_txn *t, unsigned table, nd_cursor **out);
// The first record that is not before key; an empty key: the first of all. NAV_ERR_NOT_FOUND: none.
// NAV_ERR_FORMAT: the value is damaged; *key is there all the same, and the walk may go on.
NAV_MUST_USE nav_status nd_cursor_seek(nd_cursor *c, nd_bytes from, nd_bytes *key, nd_bytes *value);
NAV_MUST_USE nav_status nd_cursor_next(nd_cursor *c, nd_bytes *key, nd_bytes *value);
// Deletes the record that it stands on; next goes on behind it.
NAV_MUST_USE nav_status nd_cursor_delete(nd_cursor *c);
void nd_cursor_close(nd_cursor *c); // accepts NULL

// Pages that were read count as memory of the process from then on. This gives them back to the system, which still has
// them where memory allows it: reading them again takes a microsecond for each 16. The writer's thread; readers may be
// at work. False: nothing was read since the last time.
bool nd_database_rest(nd_database *d);

#endif
