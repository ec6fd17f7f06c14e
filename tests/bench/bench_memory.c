// Peak memory of `navctl build` on a terrain of two million triangles, reading of the file included.
#include "tests/bench/bench.h"
#include "tests/bench/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    bool ok = program_write_scene(name, in) && program_run(argv, text, sizeof text, NULL);
    if (ok) {
        double peak = program_json_figure(text, "peak_rss") / (1 << 20);
        table t;
        table_init(&t, "memory", "navctl build: peak memory, reading of the OBJ included",
                   "scene,triangles,tiles,read_s,generate_s,write_s,peak_rss_mib");
        table_add(&t, "%s", name);
        table_add(&t, "%.0f", program_json_figure(text, "triangles"));
        table_add(&t, "%.0f", program_json_figure(text, "tiles"));
        table_add(&t, "%.2f", program_json_figure(text, "read_s"));
        table_add(&t, "%.2f", program_json_figure(text, "generate_s"));
        table_add(&t, "%.2f", program_json_figure(text, "write_s"));
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
