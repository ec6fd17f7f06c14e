// Peak memory of `navctl build` on a terrain of two million triangles, reading of the file included.
#include "tests/bench/bench.h"
#include "tests/bench/scenes.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// In a process of its own, so that this one stays small: a child's peak begins at its parent's.
static bool write_scene(const char *name, const char *path)
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

// The program's standard output, whole.
static bool run(char *const argv[], char *out, size_t out_bytes)
{
    int ends[2], status = 1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe(ends)) return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    bool started = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t size = 0;
    for (ssize_t n; started && size + 1 < out_bytes && (n = read(ends[0], out + size, out_bytes - 1 - size)) > 0;) {
        size += (size_t)n;
    }
    out[size] = '\0';
    close(ends[0]);
    return started && waitpid(pid, &status, 0) == pid && status == 0;
}

static double json_figure(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

bool bench_memory(const bench_options *o, table *bars)
{
    const char *name = o->quick ? "terrain500m" : "terrain2km";
    char folder[] = "/tmp/navd-bench-XXXXXX", in[64], out[64], text[4096];
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bench: cannot make a folder in /tmp\n");
        return false;
    }
    snprintf(in, sizeof in, "%s/scene.obj", folder);
    snprintf(out, sizeof out, "%s/out.bin", folder);
    char *const argv[] = {(char *)o->navctl, (char *)"build", in, (char *)"-o", out, (char *)"--json", NULL};
    bool ok = write_scene(name, in) && run(argv, text, sizeof text);
    if (ok) {
        double peak = json_figure(text, "\"peak_rss\":") / (1 << 20);
        table t;
        table_init(&t, "memory", "navctl build: peak memory, reading of the OBJ included",
                   "scene,triangles,tiles,read_s,generate_s,write_s,peak_rss_mib");
        table_add(&t, "%s", name);
        table_add(&t, "%.0f", json_figure(text, "\"triangles\":"));
        table_add(&t, "%.0f", json_figure(text, "\"tiles\":"));
        table_add(&t, "%.2f", json_figure(text, "\"read_s\":"));
        table_add(&t, "%.2f", json_figure(text, "\"generate_s\":"));
        table_add(&t, "%.2f", json_figure(text, "\"write_s\":"));
        table_add(&t, "%.1f", peak);
        table_print(&t);
        ok = table_write(&t, o->out);
        table_deinit(&t);
        table_add_bar(bars, "peak memory of navctl build MiB", name, peak, false, 800);
    } else {
        fprintf(stderr, "bench: memory: the scene could not be written or built\n");
    }
    unlink(in);
    unlink(out);
    rmdir(folder);
    return ok;
}
