// Follows some files as other programs save them: in place, by writing another file and renaming it, by moving the old
// one away first, many times in a row; in folders that go and come back. Owner: one thread.
//
//     inotify ──► something of ours was touched ──► nothing more for FOLLOW_QUIET_MS, nobody writes ──► due
//
// Whether somebody still writes is asked of the kernel: a read lease is granted only where no one has the file open for
// writing. It is held while the file is read, so that who begins to write then waits for us. Where there are no leases
// (files of another user, network drives) a longer silence has to do.
#ifndef NAVCTL_FOLLOW_H
#define NAVCTL_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { FOLLOW_QUIET_MS = 50, FOLLOW_LONG_QUIET_MS = 400, FOLLOW_LOOK_MS = 2000 };

typedef struct followed_file {
    char *path;
    int lease; // descriptor; -1: none is held
    struct {
        bool there;
        dev_t device;
        ino_t inode;
        off_t size;
        struct timespec changed;
    } seen; // when it was taken
} followed_file;

typedef struct follow {
    int inotify;
    followed_file *files;
    size_t file_count;
    int *watches; // of folders
    size_t watch_count;
    bool touched;     // since it was taken
    double touched_s; // on now_s(): the last time
    bool arm_again;   // folders came or went
} follow;

typedef enum follow_state {
    FOLLOW_SAME,     // as they were taken
    FOLLOW_SETTLING, // touched a moment ago
    FOLLOW_WRITING,  // somebody has one open for writing
    FOLLOW_GONE,     // the first one is not there
    FOLLOW_DUE,      // they have changed, and may be read
} follow_state;

// False with errno: no inotify, or no memory.
bool follow_init(follow *f);
void follow_deinit(follow *f);
// These from now on, the first of them being what it is about. Those that were followed keep what was seen of them; new
// ones are as they are now. False: no memory.
bool follow_set(follow *f, const char *const *paths, size_t count);
// Takes what inotify has to say. Does not wait.
void follow_read_events(follow *f, double now_s);
// *wait_ms: how long nothing can change but by an event of the descriptor.
follow_state follow_look(follow *f, double now_s, int *wait_ms);
// They are read now: what has changed is taken, and leases are held where they can be had. FOLLOW_WRITING: somebody
// was faster.
follow_state follow_take(follow *f);
void follow_release(follow *f);

#endif
