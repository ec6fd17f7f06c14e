#include "clients/navctl/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char *path)
{
    fprintf(stderr, "navctl: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

bool output_is_possible(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    struct stat info;
    bool ok = folder && access(folder, W_OK | X_OK) == 0;
    if (ok && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        ok = false;
    }
    free(folder);
    return ok || fail(path);
}

bool output_open(output *o, const char *path)
{
    *o = (output){.path = path};
    size_t bytes = strlen(path) + sizeof ".XXXXXX";
    o->temp_path = malloc(bytes);
    if (!o->temp_path) return fail(path);
    snprintf(o->temp_path, bytes, "%s.XXXXXX", path);
    int fd = mkstemp(o->temp_path);
    if (fd < 0) {
        fail(path);
        free(o->temp_path);
        *o = (output){0};
        return false;
    }
    mode_t mask = umask(0); // mkstemp gives 0600; the file shall have what open() would have given it
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) != 0 || !(o->file = fdopen(fd, "wb"))) {
        fail(path);
        close(fd);
        output_discard(o);
        return false;
    }
    return true;
}

bool output_commit(output *o)
{
    bool ok = fflush(o->file) == 0 && !ferror(o->file) && fsync(fileno(o->file)) == 0;
    int error = errno;
    ok = fclose(o->file) == 0 && ok;
    o->file = NULL;
    if (ok && rename(o->temp_path, o->path) == 0) {
        free(o->temp_path);
        *o = (output){0};
        return true;
    }
    if (!ok) errno = error;
    fail(o->path);
    output_discard(o);
    return false;
}

void output_discard(output *o)
{
    if (o->file) fclose(o->file);
    if (o->temp_path) unlink(o->temp_path);
    free(o->temp_path);
    *o = (output){0};
}

bool output_write_file(const char *path, const void *bytes, size_t count)
{
    output o;
    if (!output_open(&o, path)) return false;
    fwrite(bytes, 1, count, o.file);
    return output_commit(&o);
}
