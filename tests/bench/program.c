#include "tests/bench/program.h"
#include "clients/navctl/output/progress.h"
#include "tests/bench/scenes.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

bool program_run(char *const argv[], char *out, size_t out_bytes, program_times *times)
{
    int ends[2], status = 1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends)) return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    double began_s = now_s();
    bool started = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t size = 0;
    for (ssize_t n; started && size + 1 < out_bytes && (n = read(ends[0], out + size, out_bytes - 1 - size)) > 0;) {
        size += (size_t)n;
    }
    out[size] = '\0';
    close(ends[0]);
    struct rusage usage;
    if (!started || wait4(pid, &status, 0, &usage) != pid || status != 0) return false;
    if (times) *times = (program_times){now_s() - began_s, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
    return true;
}

double program_json_figure(const char *text, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    return at ? strtod(at + strlen(quoted), NULL) : 0;
}

bool program_write_scene(const char *name, const char *path)
{
    int status = 1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        scene s;
        _exit(bench_scene_named(name, &s) && bench_scene_write(&s, path) ? 0 : 1);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
