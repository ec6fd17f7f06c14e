// How long an editor waits until an edit is acknowledged, which is when it is on disk: one edit after the other, each
// sent when nothing is left to do of the one before; by the daemon's commit_ms, the time that a commit waits for more.
#include "clients/navctl/output/progress.h"
#include "tests/bench/site.h"

#include <stdlib.h>
#include <string.h>

// Fills a series; false where something broke.
static bool acknowledge(site *at, series *into)
{
    session *s = &at->session;
    navd_operation op = {.kind = NAVD_MOVE_INSTANCE};
    navd_edit_result r;
    for (int i = 0; i < MOVES; i++) {
        double cpu_ms = service_cpu_ms(&at->daemon);
        op.id = site_next_move(at, op.u.instance.transform);
        double began_s = now_s();
        if (!session_did(s, navd_edit(s->client, s->world, NULL, &op, 1, &r), "edit")) return false;
        into->ms[into->count++] = (now_s() - began_s) * 1e3;
        into->cpu_ms += service_cpu_ms(&at->daemon) - cpu_ms;
        if (!session_did(s, navd_wait(s->client, s->world, NULL, NULL), "wait")) return false;
    }
    return true;
}

bool bench_acknowledge(const bench_options *o, table *bars)
{
    static const struct {
        const char *what, *const arguments[3];
        bool durable;
    } ways[] = {{"commit_ms 5", {"--commit-ms", "5", NULL}, true},
                {"commit_ms 0", {"--commit-ms", "0", NULL}, true},
                {"no disk", {NULL}, false}};
    const city c = o->quick ? (city){"city", 1250, 250, false} : (city){"city", 20000, 1000, false};
    bool ok = true;
    table t, fill;
    (void)bars; // there is none for it
    table_init(&fill, "acknowledge_worlds", "", FILL_COLUMNS);
    table_init(&t, "acknowledge", "One edit after the other: sent to acknowledged, milliseconds",
               "state,scene,boxes,edits,p50_ms,p99_ms,max_ms,daemon_cpu_ms");
    for (size_t i = 0; ok && i < sizeof ways / sizeof *ways; i++) {
        site *at = calloc(1, sizeof *at);
        if (!at) return false;
        site_init(at, &c);
        at->durable = ways[i].durable;
        at->daemon.arguments = ways[i].arguments;
        series *s = &at->moves;
        ok = site_open(at, o, &fill) && acknowledge(at, s);
        series_sort(s);
        table_add(&t, "%s", ways[i].what);
        table_add(&t, "%s", c.name);
        table_add(&t, "%u", c.boxes);
        table_add(&t, "%u", s->count);
        for (unsigned p = 50; p <= 100; p += p == 50 ? 49 : 1) table_add(&t, "%.3f", series_percentile(s, p));
        table_add(&t, "%.3f", s->cpu_ms / MOVES);
        site_close(at);
        free(at);
    }
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    table_deinit(&fill);
    return ok;
}
