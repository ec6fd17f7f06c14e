#include "clients/navctl/scene/scene_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool scene_file_open(const char *path, scene_file *out, char *why, size_t why_bytes)
{
    *out = (scene_file){.path = path};
    struct stat info = {0};
    void *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer is refused, not waited for
    bool ok = fd >= 0 && fstat(fd, &info) == 0;
    if (ok && !S_ISREG(info.st_mode)) {
        snprintf(why, why_bytes, S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
        close(fd);
        return false;
    }
    if (ok && info.st_size > 0) {
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = bytes != MAP_FAILED;
    }
    if (!ok) snprintf(why, why_bytes, "%s", strerror(errno));
    if (fd >= 0) close(fd);
    if (ok) {
        out->bytes = bytes;
        out->count = (size_t)info.st_size;
    }
    return ok;
}

void scene_file_close(scene_file *file)
{
    if (file->bytes) munmap((void *)(uintptr_t)file->bytes, file->count);
    *file = (scene_file){0};
}
