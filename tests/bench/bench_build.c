// The whole command `navctl build` on a terrain of two million triangles, with and without a picture: from its start to
// its end, reading and writing of the files included.
#include "tests/bench/bench.h"
#include "tests/bench/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 5, THREADS = 2 };

typedef struct outcome {
    program_times times;
    double read_s, index_s, generate_s, write_s, draw_s;
} outcome;

typedef struct files {
    char scene[64], mesh[64], picture[64];
} files;

// Keeps the quickest round as a whole; processor time is the least of all rounds.
static bool run_once(const bench_options *o, files *f, bool draws, outcome *best)
{
    char threads[16], text[4096];
    snprintf(threads, sizeof threads, "%d", THREADS);
    char *const argv[] = {(char *)o->navctl,
                          (char *)"build",
                          f->scene,
                          (char *)"-o",
                          f->mesh,
                          (char *)"--threads",
                          threads,
                          (char *)"--json",
                          draws ? (char *)"--picture" : NULL,
                          f->picture,
                          NULL};
    program_times times;
    if (!program_run(argv, text, sizeof text, &times)) return false;
    double cpu_s = best->times.cpu_s > 0 && best->times.cpu_s < times.cpu_s ? best->times.cpu_s : times.cpu_s;
    if (best->times.wall_s == 0 || times.wall_s < best->times.wall_s)
        *best = (outcome){times,
                          program_json_figure(text, "read_s"),
                          program_json_figure(text, "index_s"),
                          program_json_figure(text, "generate_s"),
                          program_json_figure(text, "write_s"),
                          program_json_figure(text, "draw_s")};
    best->times.cpu_s = cpu_s;
    return true;
}

static void add_rows(table *t, table *bars, const char *name, const outcome *o, bool draws)
{
    table_add(t, "%s", name);
    table_add(t, "%s", draws ? "yes" : "no");
    table_add(t, "%.3f", o->times.wall_s);
    table_add(t, "%.3f", o->times.cpu_s);
    table_add(t, "%.3f", o->read_s);
    table_add(t, "%.3f", o->index_s);
    table_add(t, "%.3f", o->generate_s);
    table_add(t, "%.3f", o->write_s);
    table_add(t, "%.3f", o->draw_s);
    table_add_bar(bars, draws ? "navctl build with a picture s" : "navctl build s", name, o->times.wall_s, false,
                  draws ? 3 : 1.7);
}

bool bench_build(const bench_options *o, table *bars)
{
    const char *name = o->quick ? "terrain500m" : "terrain2km";
    char folder[] = "/tmp/navd-bench-XXXXXX";
    files f;
    outcome plain = {0}, drawn = {0};
    if (!mkdtemp(folder)) {
        fprintf(stderr, "bench: cannot make a folder in /tmp\n");
        return false;
    }
    snprintf(f.scene, sizeof f.scene, "%s/scene.obj", folder);
    snprintf(f.mesh, sizeof f.mesh, "%s/mesh.navd", folder);
    snprintf(f.picture, sizeof f.picture, "%s/picture.png", folder);
    bool ok = program_write_scene(name, f.scene);
    for (int i = 0; ok && i < (o->quick ? 1 : ROUNDS); i++)
        ok = run_once(o, &f, false, &plain) && run_once(o, &f, true, &drawn);
    if (ok) {
        table t;
        table_init(&t, "build", "navctl build on 2 threads, the whole command",
                   "scene,picture,wall_s,cpu_s,read_s,index_s,generate_s,write_s,draw_s");
        add_rows(&t, bars, name, &plain, false);
        add_rows(&t, bars, name, &drawn, true);
        table_print(&t);
        ok = table_write(&t, o->out);
        table_deinit(&t);
    } else {
        fprintf(stderr, "bench: build: the scene could not be written or built\n");
    }
    unlink(f.scene);
    unlink(f.mesh);
    unlink(f.picture);
    rmdir(folder);
    return ok;
}
