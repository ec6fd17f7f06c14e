#include "tests/clients/run.h"
#include "tests/check.h"
#include "tests/folder.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

const char *const YARD_OBJ =
    "o floor\n"
    "v 0 0 0\nv 40 0 0\nv 40 0 30\nv 0 0 30\n"
    "f 1 4 3 2\n"
    "o crate\n"
    "v 10 0 10\nv 12 0 10\nv 12 0 12\nv 10 0 12\nv 10 3 10\nv 12 3 10\nv 12 3 12\nv 10 3 12\n"
    "f 5 9 10 6\nf 6 10 11 7\nf 7 11 12 8\nf 8 12 9 5\nf 9 12 11 10\n"
    "o shed\n"
    "v 20 0 5\nv 26 0 5\nv 26 0 8\nv 20 0 8\nv 20 3 5\nv 26 3 5\nv 26 3 8\nv 20 3 8\n"
    "f 13 17 18 14\nf 14 18 19 15\nf 15 19 20 16\nf 16 20 17 13\nf 17 20 19 18\n"
    "o step\n"
    "v 30 0 20\nv 34 0 20\nv 34 0 24\nv 30 0 24\nv 30 0.5 20\nv 34 0.5 20\nv 34 0.5 24\nv 30 0.5 24\n"
    "f 21 25 26 22\nf 22 26 27 23\nf 23 27 28 24\nf 24 28 25 21\nf 25 28 27 26\n";

const char *temp_path(const char *name)
{
    static char paths[64][400];
    static int next;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/navctl-test.XXXXXX");
        if (!mkdtemp(folder)) { // not ck_assert: main() calls this before any test runs
            perror(folder);
            exit(1);
        }
    }
    char *path = paths[next++ % 64];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void remove_temp_folder(void)
{
    if (folder[0]) remove_folder(folder);
}

int run_suite_in_folder(Suite *s)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // figures are seen even where the test fails
    temp_path("");
    int failed = run_suite(s);
    remove_temp_folder();
    return failed;
}

int count_files(const char *prefix)
{
    temp_path("");
    DIR *d = opendir(folder);
    ck_assert_ptr_nonnull(d);
    int count = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) count += !strncmp(e->d_name, prefix, strlen(prefix));
    closedir(d);
    return count;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, count, f), count);
    ck_assert_int_eq(fclose(f), 0);
}

void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

uint8_t *read_file(const char *path, size_t *count)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "no file %s", path);
    fseek(f, 0, SEEK_END);
    *count = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*count + 1);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(fread(bytes, 1, *count, f), *count);
    fclose(f);
    return bytes;
}

static void slurp(const char *path, char *out, size_t size)
{
    size_t count;
    uint8_t *bytes = read_file(path, &count);
    if (count >= size) count = size - 1;
    memcpy(out, bytes, count);
    out[count] = '\0';
    free(bytes);
}

outcome run_navctl(const char *first, ...)
{
    outcome r = {0};
    char *argv[64] = {(char *)"navctl"}, out[400], err[400];
    int argc = 1;
    va_list list;
    va_start(list, first);
    for (const char *a = first; a && argc < 63; a = va_arg(list, const char *)) argv[argc++] = (char *)a;
    va_end(list);
    snprintf(out, sizeof out, "%s", temp_path(".out"));
    snprintf(err, sizeof err, "%s", temp_path(".err"));
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(out, "w", stdout) || !freopen(err, "w", stderr)) _exit(126);
        execv(NAVCTL_PATH, argv);
        _exit(127);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "navctl %s died by signal %d", first ? first : "", WTERMSIG(status));
    r.code = WEXITSTATUS(status);
    ck_assert_int_ne(r.code, 127);
    slurp(out, r.out, sizeof r.out);
    slurp(err, r.err, sizeof r.err);
    unlink(out);
    unlink(err);
    return r;
}

void write_hills(const char *path, int cells)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    for (int z = 0; z <= cells; z++) {
        for (int x = 0; x <= cells; x++) {
            int bump = (x * 7 + z * 13) % 11 + (x / 4 + z / 3) % 5 * 3;
            fprintf(f, "v %d %.2f %d\n", x * 4, bump * 0.15, z * 4);
        }
    }
    for (int z = 0; z < cells; z++) {
        for (int x = 0; x < cells; x++) {
            int a = z * (cells + 1) + x + 1, b = a + 1, c = a + cells + 1, d = c + 1;
            fprintf(f, "f %d %d %d\nf %d %d %d\n", a, c, b, b, c, d);
        }
    }
    ck_assert_int_eq(fclose(f), 0);
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

void expect_error(const outcome *r, int code, const char *part)
{
    ck_assert_msg(r->code == code, "exit code %d, not %d: %s", r->code, code, r->err);
    ck_assert_msg(has(r->err, part), "\"%s\" says nothing of \"%s\"", r->err, part);
    ck_assert_str_eq(r->out, "");
    const char *end = strchr(r->err, '\n');
    ck_assert_msg(end && end[1] == '\0', "not one line: %s", r->err);
}

const char *yard(void)
{
    const char *path = temp_path("yard.obj");
    write_text(path, YARD_OBJ);
    return path;
}

double json_value(const char *line, const char *key)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    const char *at = strstr(line, wanted);
    ck_assert_msg(at != NULL, "no %s in %s", key, line);
    return strtod(at + strlen(wanted), NULL);
}
