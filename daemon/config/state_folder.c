#include "daemon/config/state_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] == '/' ? value : NULL;
}

void nd_state_folder_default(char *out, size_t bytes)
{
    const char *given = variable("STATE_DIRECTORY"), *state = variable("XDG_STATE_HOME"), *home = variable("HOME");
    if (given)
        snprintf(out, bytes, "%.*s", (int)strcspn(given, ":"), given); // the first, where systemd gives several
    else if (state)
        snprintf(out, bytes, "%s/navd", state);
    else if (home)
        snprintf(out, bytes, "%s/.local/state/navd", home);
    else
        snprintf(out, bytes, "%s", "");
}

int nd_folder_make(const char *folder, unsigned mode)
{
    char path[PATH_BYTES];
    if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path) return ENAMETOOLONG;
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        if (mkdir(path, (mode_t)mode) && errno != EEXIST && errno != EROFS && errno != EACCES) return errno;
        *at = '/';
    }
    return mkdir(path, (mode_t)mode) && errno != EEXIST ? errno : 0;
}

nav_status nd_state_folder_lock(const char *folder, int *lock, char *why, size_t why_bytes)
{
    char path[PATH_BYTES + 8];
    int failed = nd_folder_make(folder, 0700);
    if (failed) {
        snprintf(why, why_bytes, "cannot create the state folder %s: %s; choose another with --state", folder,
                 strerror(failed));
        return NAV_ERR_IO;
    }
    snprintf(path, sizeof path, "%s/.", folder); // itself: a file in it could be removed, and another one locked
    int fd = access(path, W_OK) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        snprintf(why, why_bytes, "cannot write to the state folder %s: %s; choose another with --state", folder,
                 strerror(errno));
        return NAV_ERR_IO;
    }
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        bool taken = errno == EWOULDBLOCK;
        if (taken)
            snprintf(why, why_bytes, "another navd uses the state folder %s; choose another with --state", folder);
        else
            snprintf(why, why_bytes, "cannot lock the state folder %s: %s", folder, strerror(errno));
        close(fd);
        return taken ? NAV_ERR_EXISTS : NAV_ERR_IO;
    }
    *lock = fd;
    return NAV_OK;
}
