// Preloaded into navd: while the file $NAVD_DISK_SWITCH has something in it, writing to any regular file fails: with
// "no such space" where it says ENOSPC, as on a disk that was remounted read-only where it says EROFS, and as a broken
// disk otherwise. Where it says HOLD, writing waits until somebody opens the FIFO $NAVD_DISK_SWITCH.gate. Sockets and
// pipes go as ever. It reads by bare system calls: a sanitizer that watches descriptors would see half of them.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static void wait_at_gate(const char *path)
{
    char gate[4096];
    snprintf(gate, sizeof gate, "%s.gate", path);
    int in = (int)syscall(SYS_openat, AT_FDCWD, gate, O_RDONLY | O_CLOEXEC); // waits for who opens it for writing
    if (in >= 0) syscall(SYS_close, in);
}

// 0, or the errno that writing to fd shall fail with.
static int failure(int fd)
{
    struct stat st;
    const char *path = getenv("NAVD_DISK_SWITCH");
    if (!path || fstat(fd, &st) || !S_ISREG(st.st_mode)) return 0;
    int in = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (in < 0) return 0;
    char word[8] = "";
    ssize_t n = syscall(SYS_read, in, word, sizeof word - 1);
    syscall(SYS_close, in);
    if (n <= 0) return 0;
    if (!strcmp(word, "HOLD")) {
        wait_at_gate(path);
        return 0;
    }
    return !strcmp(word, "ENOSPC") ? ENOSPC : !strcmp(word, "EROFS") ? EROFS : EIO;
}

#define FAIL_OR(call)                                                                                                  \
    int failed = failure(fd);                                                                                          \
    if (failed) {                                                                                                      \
        errno = failed;                                                                                                \
        return -1;                                                                                                     \
    }                                                                                                                  \
    return call

EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
    FAIL_OR(syscall(SYS_write, fd, bytes, count));
}

EXPORT ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    FAIL_OR(syscall(SYS_pwrite64, fd, bytes, count, at));
}

EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    FAIL_OR(syscall(SYS_pwrite64, fd, bytes, count, at));
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
    FAIL_OR(syscall(SYS_writev, fd, v, count));
}

EXPORT ssize_t pwritev(int fd, const struct iovec *v, int count, off_t at)
{
    FAIL_OR(syscall(SYS_pwritev, fd, v, count, at, 0));
}

EXPORT ssize_t pwritev64(int fd, const struct iovec *v, int count, off_t at)
{
    FAIL_OR(syscall(SYS_pwritev, fd, v, count, at, 0));
}

EXPORT int fdatasync(int fd)
{
    FAIL_OR((int)syscall(SYS_fdatasync, fd));
}

EXPORT int fsync(int fd)
{
    FAIL_OR((int)syscall(SYS_fsync, fd));
}

EXPORT int ftruncate(int fd, off_t size)
{
    FAIL_OR((int)syscall(SYS_ftruncate, fd, size));
}
