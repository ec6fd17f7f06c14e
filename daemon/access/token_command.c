#include "daemon/access/token_command.h"

#include "daemon/access/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: navd token new NAME [--role ROLE] [--namespace NAME] [--file FILE]\n"
    "Creates a token for one person or program. The token is printed once and cannot be shown again.\n\n"
    "  --role ROLE       reader, editor or admin (default: editor)\n"
    "  --namespace NAME  namespace of the token (default: default)\n"
    "  --file FILE       tokens file to add the line to; without it the line is printed to standard error\n\n"
    "A running navd reads its tokens file again when it changes. To revoke a token, remove its line.\n";

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "navd: %s: %s\n", what, why);
    return 1;
}

// An editor may have left the last line without its end.
static bool is_cut(int fd, off_t size)
{
    char last = '\n';
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

// One write, so that no reader sees half a line.
static int append_line(const char *path, const char *line)
{
    struct stat st;
    char text[ND_TOKEN_LINE_BYTES + 3];
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return fail(path, strerror(errno));
    int code = 0;
    (void)flock(fd, LOCK_EX); // one at a time; a file system without locks is none to fail for
    if (fstat(fd, &st) || st.st_mode & (S_IRWXO | S_IWGRP)) {
        code = fail(path, "others may read or change it; restrict it with chmod 0600 or 0640");
    } else {
        int size = snprintf(text, sizeof text, "%s%s\n", is_cut(fd, st.st_size) ? "\n" : "", line);
        ssize_t written = write(fd, text, (size_t)size);
        if (written >= 0 && written < size) errno = ENOSPC;
        if (written != size || fsync(fd)) code = fail(path, strerror(errno));
        if (code && ftruncate(fd, st.st_size)) // half a line would be a fault in the file
            fprintf(stderr, "navd: %s: remove the last line\n", path);
    }
    if (close(fd) && !code) code = fail(path, strerror(errno));
    return code;
}

static int make(const char *name, const char *role_name, const char *space, const char *file)
{
    char token[ND_TOKEN_BYTES], line[ND_TOKEN_LINE_BYTES];
    np_role role;
    if (np_role_parse(role_name, &role) != NAV_OK) {
        fprintf(stderr, "navd: --role %s: expected reader, editor or admin\n", role_name);
        return 2;
    }
    nav_status s = nd_token_create(name, role, space, token, line);
    if (s == NAV_ERR_ARGUMENT) {
        fprintf(stderr, "navd: the names %s and %s: a name is at most 63 letters, digits, '-', '_' and '.'\n", name,
                space);
        return 2;
    }
    if (s != NAV_OK) return fail("cannot get random bytes", nav_status_text(s));
    int code = file ? append_line(file, line) : 0;
    if (!code && (printf("%s\n", token) < 0 || fflush(stdout))) code = fail("standard output", strerror(errno));
    if (!code && !file) fprintf(stderr, "The line for the tokens file:\n%s\n", line);
    OPENSSL_cleanse(token, sizeof token);
    return code;
}

int nd_token_command(int argc, char *const *argv)
{
    const char *name = NULL, *role = "editor", *space = ND_NAMESPACE_DEFAULT, *file = NULL;
    if (argc >= 1 && !strcmp(argv[0], "--help")) {
        return fputs(usage, stdout) < 0 || fflush(stdout) ? fail("standard output", strerror(errno)) : 0;
    }
    if (argc < 2 || strcmp(argv[0], "new") != 0) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "--role")        ? &role
                             : !strcmp(argv[i], "--namespace") ? &space
                             : !strcmp(argv[i], "--file")      ? &file
                                                               : NULL;
        if (value && i + 1 < argc) {
            *value = argv[++i];
        } else if (value || argv[i][0] == '-' || name) {
            fprintf(stderr, "navd: %s: %s\n\n%s", argv[i], value ? "a value is required" : "unknown argument", usage);
            return 2;
        } else {
            name = argv[i];
        }
    }
    if (name) return make(name, role, space, file);
    fputs(usage, stderr);
    return 2;
}
