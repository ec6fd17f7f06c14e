#include "clients/navctl/output/output.h"

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

// May what is there be replaced? Nothing may be there.
static bool is_replaceable(const char *path)
{
    struct stat info;
    if (stat(path, &info) || S_ISREG(info.st_mode)) return true;
    if (S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return fail(path);
    }
    fprintf(stderr, "navctl: cannot write %s: it is not a regular file\n", path);
    return false;
}

bool output_is_input(const char *path, const char *input)
{
    struct stat out, in;
    if (!path || !input || stat(path, &out) || stat(input, &in) || !S_ISREG(in.st_mode)) return false;
    if (out.st_dev != in.st_dev || out.st_ino != in.st_ino) return false;
    fprintf(stderr, "navctl: %s: writing it would replace the input %s: name another file\n", path, input);
    return true;
}

bool output_is_possible(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    bool ok = folder && access(folder, W_OK | X_OK) == 0;
    free(folder);
    return ok ? is_replaceable(path) : fail(path);
}

bool output_open(output *o, const char *path)
{
    *o = (output){.path = path};
    if (!is_replaceable(path)) return false;
    o->target = realpath(path, NULL);
    if (!o->target) o->target = strdup(path); // nothing is there
    size_t bytes = o->target ? strlen(o->target) + sizeof ".XXXXXX" : 0;
    char *temp_path = malloc(bytes + 1);
    if (!o->target || !temp_path) {
        free(temp_path);
        output_discard(o);
        return fail(path);
    }
    snprintf(temp_path, bytes, "%s.XXXXXX", o->target);
    int fd = mkstemp(temp_path);
    if (fd < 0) {
        fail(path);
        free(temp_path);
        output_discard(o);
        return false;
    }
    o->temp_path = temp_path;
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
    if (ok && rename(o->temp_path, o->target) == 0) {
        free(o->temp_path);
        free(o->target);
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
    free(o->target);
    *o = (output){0};
}

bool output_write_file(const char *path, const void *bytes, size_t count)
{
    output o;
    if (!output_open(&o, path)) return false;
    fwrite(bytes, 1, count, o.file);
    return output_commit(&o);
}

bool output_flush(void)
{
    bool failed_before = ferror(stdout);
    if (fflush(stdout) == 0 && !failed_before) return true;
    return errno == EPIPE ? false : fail("to standard output");
}
