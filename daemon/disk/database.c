#include "daemon/disk/database.h"

#include "core/base/endian.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIN_MAP_BYTES = 1 << 20, LOCK_BYTES = 8192 };

struct nd_database {
    char folder[ND_DATABASE_PATH_BYTES];
    char *names[ND_DATABASE_TABLES];
    unsigned table_count;
    uint64_t map_bytes;
    unsigned flags;
    pthread_rwlock_t lock; // held for reading while a reader's transaction lives: the environment may be opened again
    MDB_env *env;
    MDB_dbi tables[ND_DATABASE_TABLES];
    nd_mapped map;        // where the environment has its file
    atomic_bool was_read; // something of it, since it was given back
    bool broken;          // LMDB gave up; the next write opens it again. The writer's thread.
};

struct nd_txn {
    nd_database *d;
    MDB_txn *txn;
    bool writes;
    int failed;  // LMDB's first code that the transaction cannot survive
    void *value; // of puts: checksum and bytes side by side
    size_t value_bytes;
};

struct nd_cursor {
    nd_txn *t;
    MDB_cursor *cursor;
};

// --- codes and words ---

static nav_status status_of(int code)
{
    switch (code) {
    case 0:
        return NAV_OK;
    case MDB_NOTFOUND:
        return NAV_ERR_NOT_FOUND;
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case MDB_READERS_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return NAV_ERR_LIMIT;
    case ENOMEM:
        return NAV_ERR_MEMORY;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
        return NAV_ERR_FORMAT;
    default:
        return NAV_ERR_IO;
    }
}

static nav_status explain(const nd_database *d, int code, char *why, size_t why_bytes)
{
    switch (code) {
    case MDB_MAP_FULL:
        snprintf(why, why_bytes, "the database in %s is full: its limit is %" PRIu64 " bytes", d->folder, d->map_bytes);
        break;
    case ENOSPC:
        snprintf(why, why_bytes, "no space is left on the disk of %s", d->folder);
        break;
    case ENOENT:
        snprintf(why, why_bytes, "%s was removed while navd was using it", d->folder);
        break;
    case EDQUOT:
    case EFBIG:
        snprintf(why, why_bytes, "%s cannot grow: %s", d->folder, strerror(code));
        break;
    default:
        snprintf(why, why_bytes, "%s: %s", d->folder, mdb_strerror(code));
    }
    return status_of(code);
}

// --- opening ---

static int open_tables(const nd_database *d, MDB_env *env, MDB_dbi *tables)
{
    MDB_txn *txn;
    int code = mdb_txn_begin(env, NULL, 0, &txn);
    if (code) return code;
    for (unsigned i = 0; i < d->table_count && !code; i++)
        code = mdb_dbi_open(txn, d->names[i], MDB_CREATE, &tables[i]);
    if (code) {
        mdb_txn_abort(txn);
        return code;
    }
    return mdb_txn_commit(txn);
}

// LMDB does not say where its map is. A record of the tree of tables lies in it, and each page begins with its number.
static int find_map(MDB_env *env, nd_mapped *out)
{
    MDB_envinfo info;
    MDB_stat stat;
    MDB_txn *txn;
    MDB_dbi root;
    MDB_cursor *c = NULL;
    MDB_val key;
    int code = mdb_env_info(env, &info);
    if (!code) code = mdb_env_stat(env, &stat);
    if (!code) code = mdb_txn_begin(env, NULL, MDB_RDONLY, &txn);
    if (code) return code;
    code = mdb_dbi_open(txn, NULL, 0, &root);
    if (!code) code = mdb_cursor_open(txn, root, &c);
    if (!code) code = mdb_cursor_get(c, &key, NULL, MDB_FIRST);
    if (!code) {
        uint8_t *page = (uint8_t *)key.mv_data - (uintptr_t)key.mv_data % stat.ms_psize;
        *out = (nd_mapped){page - nav_load_u64(page) * stat.ms_psize, info.me_mapsize};
    }
    if (c) mdb_cursor_close(c);
    mdb_txn_abort(txn);
    return code;
}

static int open_environment(nd_database *d)
{
    int code;
    for (uint64_t bytes = d->map_bytes;; bytes /= 2) {
        code = mdb_env_create(&d->env);
        if (code) return code;
        d->map_bytes = bytes;
        code = mdb_env_set_mapsize(d->env, (size_t)bytes);
        if (!code) code = mdb_env_set_maxdbs(d->env, ND_DATABASE_TABLES);
        if (!code) code = mdb_env_open(d->env, d->folder, d->flags, 0600);
        if (!code) break;
        mdb_env_close(d->env);
        d->env = NULL;
        if (code != ENOMEM || bytes / 2 < MIN_MAP_BYTES) return code; // no such address space: less
    }
    code = open_tables(d, d->env, d->tables);
    if (!code) code = find_map(d->env, &d->map);
    if (code) {
        mdb_env_close(d->env);
        d->env = NULL;
    }
    return code;
}

static int write_new_file(const nd_database *d, const char *folder)
{
    MDB_env *env;
    MDB_dbi tables[ND_DATABASE_TABLES];
    int code = mdb_env_create(&env);
    if (code) return code;
    code = mdb_env_set_mapsize(env, MIN_MAP_BYTES);
    if (!code) code = mdb_env_set_maxdbs(env, ND_DATABASE_TABLES);
    if (!code) code = mdb_env_open(env, folder, MDB_NOLOCK, 0600);
    if (!code) code = open_tables(d, env, tables);
    mdb_env_close(env);
    return code;
}

// What was renamed or made in there is found there after a power cut. An errno.
static int sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno;
    int code = fsync(fd) && errno != EINVAL ? errno : 0; // some file systems have no such thing
    close(fd);
    return code;
}

// A new file is made in a folder of its own, and comes to its place when it is whole: so one that is empty, or cut, was
// not left by a start that was killed, but is damaged.
static int make_file(const nd_database *d)
{
    char nursery[ND_DATABASE_PATH_BYTES + 16], made[ND_DATABASE_PATH_BYTES + 32], path[ND_DATABASE_PATH_BYTES + 16];
    struct stat st;
    snprintf(path, sizeof path, "%s/data.mdb", d->folder);
    snprintf(nursery, sizeof nursery, "%s/new", d->folder);
    snprintf(made, sizeof made, "%s/data.mdb", nursery);
    if (!lstat(path, &st)) return 0;
    if (mkdir(nursery, 0700) && errno != EEXIST) return errno;
    if (unlink(made) && errno != ENOENT) return errno;
    int code = write_new_file(d, nursery);
    if (!code && rename(made, path)) code = errno;
    if (code) unlink(made);
    rmdir(nursery);
    if (!code) code = sync_folder(d->folder);
    if (code) return code;
    snprintf(path, sizeof path, "%s/..", d->folder);
    code = sync_folder(path);
    return code == EACCES ? 0 : code; // the folder may be a link to a place whose surroundings are not ours to read
}

// The lock file is LMDB's between processes. navd lets only one near, so it is emptied with each start, and a damaged
// one does no harm. LMDB maps it and writes to it where a full disk could only be told by a signal: so it has its room
// on the disk before, and what room it has it keeps. 0 or an errno.
static int prepare_lock_file(const nd_database *d)
{
    static const uint8_t zeros[LOCK_BYTES];
    char path[ND_DATABASE_PATH_BYTES + 16];
    snprintf(path, sizeof path, "%s/lock.mdb", d->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat st;
    if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode)) errno = EINVAL, close(fd), fd = -1;
    if (fd < 0) return errno;
    int code = 0;
    for (size_t at = 0; at < sizeof zeros && !code;) {
        ssize_t n = pwrite(fd, zeros + at, sizeof zeros - at, (off_t)at);
        if (n > 0) at += (size_t)n;
        if (n <= 0 && errno != EINTR) code = n ? errno : ENOSPC;
    }
    close(fd);
    return code;
}

static nav_status set_aside(const nd_database *d, char *why, size_t why_bytes)
{
    char from[ND_DATABASE_PATH_BYTES + 16], to[ND_DATABASE_PATH_BYTES + 16];
    snprintf(from, sizeof from, "%s/data.mdb", d->folder);
    snprintf(to, sizeof to, "%s/data.damaged", d->folder);
    if (!rename(from, to)) return NAV_OK;
    return explain(d, errno, why, why_bytes);
}

static nav_status check_file(const nd_database *d, const nd_database_options *o, nd_database_opening *opening,
                             char *why, size_t why_bytes)
{
    nd_mapped m;
    if (o->checked) return NAV_OK;
    nav_status s = nd_database_map_file(d->folder, &m);
    if (s == NAV_ERR_NOT_FOUND) return NAV_OK;
    if (s != NAV_OK) {
        snprintf(why, why_bytes, "cannot read %s/data.mdb: %s", d->folder, strerror(errno));
        return s;
    }
    const nd_pages_known known = {o->tables, o->table_count};
    s = nd_pages_walk(m.bytes, m.size, &known, NULL, NULL, &opening->pages);
    nd_database_unmap_file(&m);
    if (s == NAV_OK) return s;
    snprintf(why, why_bytes, "%s/data.mdb is damaged: %s", d->folder, opening->pages.first);
    if (s != NAV_ERR_FORMAT || !o->set_aside_damaged) return s;
    opening->was_set_aside = true;
    return set_aside(d, why, why_bytes);
}

nav_status nd_database_open(const nd_database_options *o, nd_database **out, nd_database_opening *opening, char *why,
                            size_t why_bytes)
{
    *opening = (nd_database_opening){0};
    nd_database *d = calloc(1, sizeof *d);
    nav_status s = NAV_ERR_MEMORY;
    if (!d) {
        snprintf(why, why_bytes, "no memory for the database in %s", o->folder);
        return s;
    }
    assert(o->table_count <= ND_DATABASE_TABLES);
    pthread_rwlock_init(&d->lock, NULL);
    snprintf(d->folder, sizeof d->folder, "%s", o->folder);
    d->table_count = o->table_count;
    d->map_bytes = o->map_bytes & ~(uint64_t)65535;
    d->flags = MDB_NOTLS | (o->lazy ? MDB_NOMETASYNC : 0);
    for (unsigned i = 0; i < d->table_count; i++) d->names[i] = strdup(o->tables[i]);
    if (mkdir(d->folder, 0700) && errno != EEXIST) {
        s = explain(d, errno, why, why_bytes);
        goto done;
    }
    s = check_file(d, o, opening, why, why_bytes);
    if (s != NAV_OK) goto done;
    if (o->before_writing) o->before_writing(o->user);
    int code = prepare_lock_file(d);
    if (!code) code = make_file(d);
    if (!code) code = open_environment(d);
    s = code ? explain(d, code, why, why_bytes) : NAV_OK;
    opening->map_bytes = d->map_bytes;
done:
    if (s == NAV_OK)
        *out = d;
    else
        nd_database_close(d);
    return s;
}

void nd_database_close(nd_database *d)
{
    if (!d) return;
    if (d->env) mdb_env_close(d->env);
    for (unsigned i = 0; i < d->table_count; i++) free(d->names[i]);
    pthread_rwlock_destroy(&d->lock);
    free(d);
}

// --- transactions ---

static int reopen(nd_database *d)
{
    pthread_rwlock_wrlock(&d->lock);
    if (d->env) mdb_env_close(d->env);
    d->env = NULL;
    int code = open_environment(d);
    d->broken = code != 0;
    pthread_rwlock_unlock(&d->lock);
    return code;
}

nav_status nd_database_begin_write(nd_database *d, nd_txn **out, char *why, size_t why_bytes)
{
    nd_txn *t = calloc(1, sizeof *t);
    if (!t) {
        snprintf(why, why_bytes, "no memory for a transaction");
        return NAV_ERR_MEMORY;
    }
    *t = (nd_txn){.d = d, .writes = true};
    atomic_store_explicit(&d->was_read, true, memory_order_relaxed);
    int code = d->broken ? reopen(d) : 0;
    if (!code) code = mdb_txn_begin(d->env, NULL, 0, &t->txn);
    if (code == MDB_PANIC) {
        code = reopen(d);
        if (!code) code = mdb_txn_begin(d->env, NULL, 0, &t->txn);
    }
    if (code) {
        free(t);
        return explain(d, code, why, why_bytes);
    }
    *out = t;
    return NAV_OK;
}

// A commit has failed. What it wrote behind the last page that counts is given back, so that the disk is not left full
// of it. LMDB calls it an input/output error when the disk took a part of a write only: the disk says what it was. An
// errno.
static int clean_up(nd_database *d, int code)
{
    static const uint8_t block[LOCK_BYTES];
    MDB_envinfo info;
    MDB_stat stat;
    struct stat st;
    int fd;
    if (mdb_env_info(d->env, &info) || mdb_env_stat(d->env, &stat) || mdb_env_get_fd(d->env, &fd) || fstat(fd, &st))
        return code;
    off_t end = (off_t)(info.me_last_pgno + 1) * stat.ms_psize, at = st.st_size > end ? st.st_size : end;
    for (int tries = 0; code == EIO && tries < 2; tries++) {
        ssize_t n = pwrite(fd, block, sizeof block, at);
        if (n < 0 && errno != EINTR) code = errno;
        if (n > 0) at += n;
    }
    if (at > end && ftruncate(fd, end)) return code; // it is larger than it must be, and no worse
    return code;
}

// What is written to a file that was removed meanwhile is kept by nobody.
static int find_removed(const nd_database *d)
{
    struct stat st;
    int fd, code = mdb_env_get_fd(d->env, &fd);
    if (!code && fstat(fd, &st)) code = errno;
    return code || st.st_nlink ? code : ENOENT;
}

nav_status nd_txn_commit(nd_txn *t, char *why, size_t why_bytes)
{
    assert(t->writes);
    nd_database *d = t->d;
    int code = t->failed ? t->failed : find_removed(d);
    if (code)
        mdb_txn_abort(t->txn);
    else
        code = mdb_txn_commit(t->txn);
    free(t->value);
    free(t);
    if (!code) return NAV_OK;
    nav_status s = explain(d, clean_up(d, code), why, why_bytes);
    // Where the file was removed nothing is opened again: it would be an empty one, with changes of worlds it does not
    // have.
    if (code != ENOENT && (status_of(code) == NAV_ERR_IO || s == NAV_ERR_FORMAT)) d->broken = true;
    return s == NAV_ERR_NOT_FOUND ? NAV_ERR_IO : s;
}

void nd_txn_abort(nd_txn *t)
{
    if (!t) return;
    mdb_txn_abort(t->txn);
    free(t->value);
    free(t);
}

bool nd_txn_has_failed(const nd_txn *t)
{
    return t->failed != 0;
}

nav_status nd_database_begin_read(nd_database *d, nd_txn **out)
{
    nd_txn *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    *t = (nd_txn){.d = d};
    atomic_store_explicit(&d->was_read, true, memory_order_relaxed);
    pthread_rwlock_rdlock(&d->lock);
    int code = d->env ? mdb_txn_begin(d->env, NULL, MDB_RDONLY, &t->txn) : EIO;
    if (code) {
        pthread_rwlock_unlock(&d->lock);
        free(t);
        return status_of(code);
    }
    *out = t;
    return NAV_OK;
}

void nd_txn_end(nd_txn *t)
{
    if (!t) return;
    assert(!t->writes);
    nd_database *d = t->d;
    mdb_txn_abort(t->txn);
    free(t);
    pthread_rwlock_unlock(&d->lock);
}

bool nd_database_rest(nd_database *d)
{
    if (!atomic_exchange_explicit(&d->was_read, false, memory_order_relaxed)) return false;
    if (d->env) (void)madvise(d->map.bytes, d->map.size, MADV_DONTNEED); // a failure costs memory, nothing else
    return true;
}

// Keeps what a transaction cannot survive.
static nav_status note(nd_txn *t, int code)
{
    if (code && code != MDB_NOTFOUND && t->writes && !t->failed) t->failed = code;
    return status_of(code);
}

static MDB_val val_of(nd_bytes b)
{
    return (MDB_val){b.size, (void *)b.data};
}

nav_status nd_txn_get(nd_txn *t, unsigned table, nd_bytes key, nd_bytes *value)
{
    MDB_val k = val_of(key), v;
    int code = mdb_get(t->txn, t->d->tables[table], &k, &v);
    if (code) return note(t, code);
    return nd_value_open(key, (nd_bytes){v.mv_data, v.mv_size}, value) ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_txn_put(nd_txn *t, unsigned table, nd_bytes key, nd_bytes value)
{
    assert(key.size && key.size <= ND_DATABASE_KEY_BYTES);
    size_t bytes = ND_VALUE_SUM_BYTES + value.size;
    if (bytes > t->value_bytes) {
        void *grown = realloc(t->value, bytes);
        if (!grown) return note(t, ENOMEM);
        t->value = grown;
        t->value_bytes = bytes;
    }
    nav_store_u64(t->value, nd_value_checksum(key, value));
    if (value.size) memcpy((uint8_t *)t->value + ND_VALUE_SUM_BYTES, value.data, value.size);
    MDB_val k = val_of(key), v = {bytes, t->value};
    return note(t, mdb_put(t->txn, t->d->tables[table], &k, &v, 0));
}

nav_status nd_txn_delete(nd_txn *t, unsigned table, nd_bytes key)
{
    MDB_val k = val_of(key);
    int code = mdb_del(t->txn, t->d->tables[table], &k, NULL);
    return code == MDB_NOTFOUND ? NAV_OK : note(t, code);
}

nav_status nd_txn_count(nd_txn *t, unsigned table, uint64_t *records)
{
    MDB_stat stat;
    int code = mdb_stat(t->txn, t->d->tables[table], &stat);
    *records = code ? 0 : stat.ms_entries;
    return note(t, code);
}

// --- cursors ---

nav_status nd_cursor_open(nd_txn *t, unsigned table, nd_cursor **out)
{
    nd_cursor *c = calloc(1, sizeof *c);
    if (!c) return NAV_ERR_MEMORY;
    c->t = t;
    int code = mdb_cursor_open(t->txn, t->d->tables[table], &c->cursor);
    if (code) {
        free(c);
        return note(t, code);
    }
    *out = c;
    return NAV_OK;
}

static nav_status move(nd_cursor *c, MDB_cursor_op op, nd_bytes from, nd_bytes *key, nd_bytes *value)
{
    MDB_val k = val_of(from), v;
    int code = mdb_cursor_get(c->cursor, &k, &v, op);
    if (code) return note(c->t, code);
    *key = (nd_bytes){k.mv_data, k.mv_size};
    return nd_value_open(*key, (nd_bytes){v.mv_data, v.mv_size}, value) ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_cursor_seek(nd_cursor *c, nd_bytes from, nd_bytes *key, nd_bytes *value)
{
    return move(c, from.size ? MDB_SET_RANGE : MDB_FIRST, from, key, value);
}

nav_status nd_cursor_next(nd_cursor *c, nd_bytes *key, nd_bytes *value)
{
    return move(c, MDB_NEXT, (nd_bytes){0}, key, value);
}

nav_status nd_cursor_delete(nd_cursor *c)
{
    return note(c->t, mdb_cursor_del(c->cursor, 0));
}

void nd_cursor_close(nd_cursor *c)
{
    if (!c) return;
    mdb_cursor_close(c->cursor);
    free(c);
}
