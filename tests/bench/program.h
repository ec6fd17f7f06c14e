// Programs that the bench runs and reads: their standard output, and the time that the system counts for them.
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct program_times {
    double wall_s, cpu_s; // cpu_s: user and system, of all threads
} program_times;

// Runs it to its end. argv: as exec takes it, with a path first. out: what it writes to standard output, cut where it
// is too long. times: NULL where nobody asks. False: it could not be started, or failed.
bool program_run(char *const argv[], char *out, size_t out_bytes, program_times *times);

// The number behind a key of a line of JSON; 0: the key is not there.
double program_json_figure(const char *text, const char *key);

// Writes one of the bench's scenes as OBJ, in a process of its own: this one stays small, and a child's peak of memory
// begins at its parent's.
bool program_write_scene(const char *name, const char *path);

#endif
