// What the partition at hand costs beside the watershed, and whether its tiles come out the same from any number of
// threads. Rounds alternate in one process, so that both meet the same noise; the best round of each counts.
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ROUNDS = 5, MOST_ROUNDS = 60 };
static const double ROUNDS_S = 2; // of the watershed, about

typedef struct run {
    const bench_options *options;
    table times, stages, *bars;
    mean ratios;
} run;

// Generates; keeps the round with the least time, with the least times of all rounds for each stage and the processor.
static bool round_of(const subject *s, nav_partition p, generated *best, double *cpu_s)
{
    generate_options options = {.settings = s->settings, .threads = 1, .encoding = GENERATE_DETOUR};
    generated g;
    options.settings.partition = p;
    double began_s = bench_cpu_s();
    if (!generate(&s->scene, &options, &g)) return false;
    *cpu_s = fmin(*cpu_s, bench_cpu_s() - began_s);
    for (int k = 0; best->tiles && k < NAV_STAGE_COUNT; k++) {
        g.stage_s[k] = best->stage_s[k] = fmin(g.stage_s[k], best->stage_s[k]);
    }
    if (!best->tiles || g.generate_s < best->generate_s) {
        generated old = *best;
        *best = g;
        g = old;
    }
    generated_deinit(&g);
    return true;
}

static uint64_t tiles_that_differ(const subject *s, const generated *a, const generated *b)
{
    uint64_t different = 0;
    for (uint32_t i = 0; i < subject_tiles(s); i++) {
        const generated_tile *x = &a->tiles[i], *y = &b->tiles[i];
        different += x->size != y->size || (x->size && memcmp(x->bytes, y->bytes, x->size) != 0);
    }
    return different;
}

// Tiles of navd's own format, on one thread and on two.
static bool compare_threads(const subject *s, uint64_t *different)
{
    generate_options options = {.settings = s->settings, .threads = 1, .encoding = GENERATE_NAVD};
    generated one = {0}, two = {0};
    bool ok = generate(&s->scene, &options, &one);
    options.threads = 2;
    ok = ok && generate(&s->scene, &options, &two);
    if (ok) *different = tiles_that_differ(s, &one, &two);
    generated_deinit(&one);
    generated_deinit(&two);
    return ok;
}

static void report(run *r, const subject *s, const generated *ours, const generated *watershed, double cpu_ratio,
                   int rounds, uint64_t different)
{
    table *t = &r->times;
    const double ratio = ours->generate_s / watershed->generate_s;
    table_add(t, "%s", s->name);
    table_add(t, "%s", nav_partition_name(s->settings.partition));
    table_add(t, "%d", rounds);
    table_add(t, "%.4f", ours->generate_s);
    table_add(t, "%.4f", watershed->generate_s);
    table_add(t, "%.3f", ratio);
    table_add(t, "%.3f", cpu_ratio);
    table_add(t, "%llu", (unsigned long long)different);
    table_add_bar(r->bars, "tiles that differ by threads", s->name, (double)different, false, 0);
    for (int by = 0; by < 2; by++) {
        const double *stage_s = by ? watershed->stage_s : ours->stage_s;
        table_add(&r->stages, "%s", s->name);
        table_add(&r->stages, "%s", nav_partition_name(by ? NAV_PARTITION_WATERSHED : s->settings.partition));
        for (int k = 0; k < NAV_STAGE_COUNT; k++) table_add(&r->stages, "%.4f", stage_s[k]);
    }
    if (s->settings.partition == NAV_PARTITION_WATERSHED) return;
    table_add_bar(r->bars, "generation time / watershed's", s->name, cpu_ratio, false, 0.7);
    mean_add(&r->ratios, cpu_ratio);
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    generated ours = {0}, watershed = {0};
    uint64_t different = 0;
    double cpu_s[2] = {INFINITY, INFINITY};
    int rounds = 0, wanted = 1;
    bool ok = true;
    for (; ok && rounds < wanted; rounds++) {
        ok = round_of(s, NAV_PARTITION_WATERSHED, &watershed, &cpu_s[1]) &&
             round_of(s, s->settings.partition, &ours, &cpu_s[0]);
        if (ok && !r->options->quick)
            wanted = (int)fmin(MOST_ROUNDS, fmax(LEAST_ROUNDS, ROUNDS_S / watershed.generate_s));
    }
    ok = ok && compare_threads(s, &different);
    if (ok) report(r, s, &ours, &watershed, cpu_s[0] / cpu_s[1], rounds, different);
    generated_deinit(&ours);
    generated_deinit(&watershed);
    return ok;
}

bool bench_partitions(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    char columns[512] = "scene,partition";
    for (int k = 0; k < NAV_STAGE_COUNT; k++) {
        strcat(columns, ",");
        strcat(columns, nav_stage_name((nav_stage)k));
    }
    table_init(&r.times, "partitions", "The partition beside the watershed, 1 thread, seconds",
               "scene,partition,rounds,all_s,watershed_s,ratio,cpu_ratio,different_by_threads");
    table_init(&r.stages, "partition_stages", "Where the time of both goes, seconds: the least of all rounds", columns);
    bool ok = subject_each(o, measure, &r);
    table_add_mean_bar(bars, "generation time / watershed's", &r.ratios, 0.7);
    table *all[] = {&r.times, &r.stages};
    for (int i = 0; i < 2; i++) {
        table_print(all[i]);
        ok = table_write(all[i], o->out) && ok;
        table_deinit(all[i]);
    }
    return ok;
}
