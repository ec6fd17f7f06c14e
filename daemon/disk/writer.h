// DESIGN. The only thread that writes a database. The loop pushes tasks; the thread gathers those that come within a
// window and runs them in one transaction, so many edits share one wait for the disk (group commit). Tasks move:
// they are the loop's until pushed, the thread's while run() is called, the loop's again in done().
//
//     loop: push ──► | queue | ──window──► begin, run, run, ..., commit ──► | finished | ──uv_async──► loop: done
//                                                  └─ fails: the group fails, and so does what stands behind it
//
// When a commit fails, everything pushed before the loop learns of it fails with the same reason, since later tasks
// were made on top of earlier ones. All of it comes back in one turn of the loop, the newest first, so that its
// owner can undo in that order. From then on tasks are refused at once, until a small commit of its own, tried each
// `probe_ms`, succeeds. nd_writer_failure() tells the loop the present state.
#ifndef ND_WRITER_H
#define ND_WRITER_H

#include "daemon/base/metrics.h"
#include "daemon/disk/database.h"

#include <uv.h>

typedef struct nd_write nd_write;
struct nd_write {
    nd_write *next;
    size_t bytes; // about what it writes; counts against commit_bytes
    size_t held;  // memory that it holds until done()
    // The writer's thread. What it returns as failed fails the whole group, but NAV_ERR_NOT_FOUND and
    // NAV_ERR_FORMAT, which are its own to handle. It may run and its group fail all the same. It may not keep txn.
    nav_status (*run)(nd_write *w, nd_txn *txn);
    // Loop thread. NAV_OK: what it wrote is durable. why: one sentence, "" for NAV_OK; borrowed.
    void (*done)(nd_write *w, nav_status status, const char *why);
};

typedef struct nd_writer nd_writer;

typedef struct nd_writer_options {
    nd_database_options database;
    unsigned probe_table; // of the database: where the probe puts its record, under the key "probe"
    uint64_t commit_ms;   // how long a group gathers; 0: only while another is being written
    size_t commit_bytes;  // a group of so many bytes does not wait longer
    uint64_t probe_ms;
    // The database is opened when it is needed: at the first push, at nd_writer_open(), or when nobody has put it off
    // for so long; after put_off_most_ms in any case. put_off_ms 0: at once.
    uint64_t put_off_ms, put_off_most_ms;
    // Loop thread; may be NULL. The database is open, or cannot be (status, why): all tasks fail then.
    void (*on_open)(void *user, nav_status status, const nd_database_opening *opening, const char *why);
    // Loop thread; may be NULL. Commits fail from now on (status, why), or succeed again (NAV_OK).
    void (*on_state)(void *user, nav_status status, const char *why);
    void *user;
} nd_writer_options;

typedef struct nd_writer_stats {
    uint64_t commits, failures, tasks, bytes, longest_commit_us, queued;
    nd_histogram commit; // times of those that succeeded
} nd_writer_stats;

// Starts the thread, which opens the database (put_off_ms); tasks may be pushed at once. NAV_ERR_MEMORY, NAV_ERR_IO (no
// thread). Loop thread only, as is all below unless it says otherwise.
NAV_MUST_USE nav_status nd_writer_create(uv_loop_t *loop, const nd_writer_options *o, nd_writer **out);
// Any thread. Something else goes first: the database is not opened for another put_off_ms, if it was not before and is
// not needed.
void nd_writer_put_off(nd_writer *w);
// The database is needed.
void nd_writer_open(nd_writer *w);
// Waits until the database is open or cannot be opened. Call before the loop runs.
NAV_MUST_USE nav_status nd_writer_wait_open(nd_writer *w, nd_database_opening *opening, char *why, size_t why_bytes);
// Waits until all that was pushed is durable, or has failed, without waiting for the window's end; the loop calls
// done() afterwards. Call before the loop runs.
void nd_writer_wait_written(nd_writer *w);
// The task is the writer's until done(), which is never called from inside of push.
void nd_writer_push(nd_writer *w, nd_write *task);
size_t nd_writer_pending(const nd_writer *w); // tasks whose done() was not called yet
size_t nd_writer_held(const nd_writer *w);    // by them
// Does not wait for the window's end.
void nd_writer_flush(nd_writer *w);
// NAV_OK, or why commits fail at the moment. why: borrowed until the loop's next turn; may be NULL.
nav_status nd_writer_failure(const nd_writer *w, const char **why);
// For readers of any thread; NULL before it is open. Lives until the writer is closed.
nd_database *nd_writer_database(nd_writer *w);
nd_writer_stats nd_writer_statistics(nd_writer *w);
void nd_writer_set_commit_ms(nd_writer *w, uint64_t commit_ms);
// Commits all that is queued, calls done() for it, ends the thread, closes the database, and frees the writer once its
// handle is closed: the loop must run on until then. A database that was put off is not opened for nothing: on_open is
// not called then. Accepts NULL.
void nd_writer_close(nd_writer *w);

#endif
