// Runs navctl as a person does, and keeps what it says. Test files live in a folder that goes away at the end.
#ifndef TESTS_CLIENTS_RUN_H
#define TESTS_CLIENTS_RUN_H

#include "tests/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct outcome {
    int code;
    char out[1 << 16], err[1 << 14]; // cut, terminated
} outcome;

// Arguments behind "navctl", ended by NULL.
outcome run_navctl(const char *first, ...);

// A path inside the test's own folder, which is made at the first call. Valid until 64 more calls.
const char *temp_path(const char *name);
void remove_temp_folder(void);
// run_suite() where the tests, each a process, share that folder: it is made before them and goes after the last.
int run_suite_in_folder(Suite *s);
bool file_exists(const char *path);
void write_file(const char *path, const void *bytes, size_t count);
void write_text(const char *path, const char *text);
// The caller frees. Fails the test when there is no such file.
uint8_t *read_file(const char *path, size_t *count);
// Entries in the test's folder whose name begins so.
int count_files(const char *prefix);

#define EXPECT_CODE(r, wanted)                                                                                         \
    ck_assert_msg((r).code == (wanted), "exit code %d, expected %d: %s%s", (r).code, (wanted), (r).out, (r).err)
// One line on stderr that holds `part`, nothing on stdout, the code.
void expect_error(const outcome *r, int code, const char *part);
// The number behind "key": in a line of JSON.
double json_value(const char *line, const char *key);

// Scenes: a floor of 40 m by 30 m with three boxes on it, each an object of its own.
extern const char *const YARD_OBJ;
const char *yard(void); // writes it; its path
// A floor of `cells` by `cells` squares of 4 m with hills, `cells` up to 200.
void write_hills(const char *path, int cells);

#endif
