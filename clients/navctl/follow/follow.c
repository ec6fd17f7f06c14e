#include "clients/navctl/follow/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static const uint32_t EVENTS = IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE |
                               IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

bool follow_init(follow *f)
{
    *f = (follow){.inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
    signal(SIGIO, SIG_IGN); // tells who holds a lease that somebody waits for it
    return f->inotify >= 0;
}

static void free_files(followed_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i].lease >= 0) close(files[i].lease);
        free(files[i].path);
    }
    free(files);
}

void follow_deinit(follow *f)
{
    free_files(f->files, f->file_count);
    free(f->watches);
    if (f->inotify >= 0) close(f->inotify);
    *f = (follow){.inotify = -1};
}

static void see(followed_file *file)
{
    struct stat s;
    memset(&file->seen, 0, sizeof file->seen);
    if (stat(file->path, &s) != 0) return;
    file->seen.there = true;
    file->seen.device = s.st_dev;
    file->seen.inode = s.st_ino;
    file->seen.size = s.st_size;
    file->seen.changed = s.st_mtim;
}

static bool is_as_seen(const followed_file *file)
{
    followed_file now = {.path = file->path};
    see(&now);
    return now.seen.there == file->seen.there && now.seen.device == file->seen.device &&
           now.seen.inode == file->seen.inode && now.seen.size == file->seen.size &&
           now.seen.changed.tv_sec == file->seen.changed.tv_sec &&
           now.seen.changed.tv_nsec == file->seen.changed.tv_nsec;
}

// --- folders ---

static void watch(follow *f, const char *folder)
{
    int id = inotify_add_watch(f->inotify, folder, EVENTS);
    int *grown = id >= 0 ? realloc(f->watches, (f->watch_count + 1) * sizeof *grown) : NULL;
    if (!grown) return; // it is looked at now and then
    f->watches = grown;
    f->watches[f->watch_count++] = id;
}

// The folder of a path, or where there is none the nearest one above it.
static void watch_around(follow *f, const char *path)
{
    char folder[PATH_MAX];
    struct stat s;
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    do {
        char *up = dirname(folder);
        memmove(folder, up, strlen(up) + 1);
    } while (stat(folder, &s) != 0 && strcmp(folder, "/") != 0 && strcmp(folder, ".") != 0);
    watch(f, folder);
    bool has_parent = strcmp(folder, ".") != 0 && strcmp(folder, "/") != 0;
    if (has_parent) watch(f, dirname(folder)); // where it would come back
}

static void arm(follow *f)
{
    for (size_t i = 0; i < f->watch_count; i++) (void)inotify_rm_watch(f->inotify, f->watches[i]);
    f->watch_count = 0;
    f->arm_again = false;
    for (size_t i = 0; i < f->file_count; i++) {
        char real[PATH_MAX];
        watch_around(f, f->files[i].path);
        if (realpath(f->files[i].path, real) && strcmp(real, f->files[i].path) != 0) watch_around(f, real); // a link
    }
}

bool follow_set(follow *f, const char *const *paths, size_t count)
{
    followed_file *files = calloc(count + 1, sizeof *files);
    if (!files) return false;
    for (size_t i = 0; i < count; i++) {
        files[i] = (followed_file){.path = strdup(paths[i]), .lease = -1};
        if (!files[i].path) {
            free_files(files, i);
            return false;
        }
        see(&files[i]);
        for (size_t k = 0; k < f->file_count; k++)
            if (!strcmp(f->files[k].path, paths[i])) files[i].seen = f->files[k].seen;
    }
    free_files(f->files, f->file_count);
    f->files = files;
    f->file_count = count;
    arm(f);
    return true;
}

static bool is_ours(const follow *f, const char *name)
{
    for (size_t i = 0; i < f->file_count; i++) {
        const char *slash = strrchr(f->files[i].path, '/');
        if (!strcmp(name, slash ? slash + 1 : f->files[i].path)) return true;
    }
    return false;
}

void follow_read_events(follow *f, double now_s)
{
    _Alignas(struct inotify_event) char bytes[16384];
    ssize_t n;
    while ((n = read(f->inotify, bytes, sizeof bytes)) > 0) {
        for (char *at = bytes; at < bytes + n;) {
            const struct inotify_event *e = (const struct inotify_event *)(void *)at;
            bool folder = e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_ISDIR | IN_UNMOUNT);
            bool ours = e->mask & IN_Q_OVERFLOW || (e->len && is_ours(f, e->name));
            f->arm_again |= folder;
            if (ours) {
                f->touched = true;
                f->touched_s = now_s;
            }
            at += sizeof *e + e->len;
        }
    }
    if (f->arm_again) arm(f);
}

// --- the files ---

static int quiet_ms(const follow *f)
{
    for (size_t i = 0; i < f->file_count; i++) {
        int fd = open(f->files[i].path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        bool leases = fd < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || errno == EAGAIN;
        if (fd >= 0) close(fd); // and the lease goes
        if (!leases) return FOLLOW_LONG_QUIET_MS;
    }
    return FOLLOW_QUIET_MS;
}

static bool take_lease(followed_file *file)
{
    file->lease = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->lease < 0 || fcntl(file->lease, F_SETLEASE, F_RDLCK) == 0) return true;
    bool writing = errno == EAGAIN;
    close(file->lease);
    file->lease = -1;
    return !writing;
}

void follow_release(follow *f)
{
    for (size_t i = 0; i < f->file_count; i++) {
        if (f->files[i].lease >= 0) close(f->files[i].lease);
        f->files[i].lease = -1;
    }
}

static bool lease_all(follow *f)
{
    for (size_t i = 0; i < f->file_count; i++) {
        if (take_lease(&f->files[i])) continue;
        follow_release(f);
        return false;
    }
    return true;
}

follow_state follow_look(follow *f, double now_s, int *wait_ms)
{
    bool changed = f->touched;
    *wait_ms = FOLLOW_LOOK_MS;
    for (size_t i = 0; i < f->file_count && !changed; i++) {
        if (is_as_seen(&f->files[i])) continue;
        changed = f->touched = true; // without an event: seen for the first time now
        f->touched_s = now_s;
    }
    if (!changed) return FOLLOW_SAME;
    double left_ms = quiet_ms(f) - (now_s - f->touched_s) * 1000;
    if (left_ms > 0) {
        *wait_ms = (int)left_ms + 1;
        return FOLLOW_SETTLING;
    }
    if (access(f->files[0].path, F_OK) != 0) return FOLLOW_GONE;
    if (!lease_all(f)) return FOLLOW_WRITING;
    follow_release(f);
    return FOLLOW_DUE;
}

follow_state follow_take(follow *f)
{
    if (!lease_all(f)) return FOLLOW_WRITING;
    f->touched = false;
    for (size_t i = 0; i < f->file_count; i++) see(&f->files[i]);
    return FOLLOW_DUE;
}
