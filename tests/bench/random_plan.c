#include "tests/bench/random_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

// Star-shaped: concave as a rule, and never across itself.
static void make_loop(bench_random *r, double x, double y, double low, double high, plan_loop *out)
{
    out->count = 3 + (uint32_t)bench_random_in(r, 0, PLAN_RING_CORNERS - 2.01);
    const double turn = bench_random_in(r, 0, TURN);
    for (uint32_t i = 0; i < out->count; i++) {
        double angle = turn + TURN * (i + bench_random_in(r, -0.3, 0.3)) / out->count;
        double away = bench_random_in(r, low, high);
        out->xy[i][0] = round((x + away * cos(angle)) * 1e6) / 1e6;
        out->xy[i][1] = round((y + away * sin(angle)) * 1e6) / 1e6;
    }
}

void random_plan_make(bench_random *r, random_plan *out)
{
    make_loop(r, 0, 0, 9, 15, &out->floor);
    make_loop(r, bench_random_in(r, -1.5, 1.5), bench_random_in(r, -1.5, 1.5), 0.4, 1.2, &out->hole);
    out->obstacle_count = 4 + (uint32_t)bench_random_in(r, 0, PLAN_OBSTACLES - 3.01);
    for (uint32_t i = 0; i < out->obstacle_count; i++) {
        double size = bench_random_in(r, 0.3, 3);
        make_loop(r, bench_random_in(r, -13, 13), bench_random_in(r, -13, 13), 0.4 * size, size, &out->obstacles[i]);
    }
}

static void print_loop(FILE *f, const plan_loop *l)
{
    for (uint32_t i = 0; i < l->count; i++) fprintf(f, "%s%.6f %.6f", i ? ", " : "(", l->xy[i][0], l->xy[i][1]);
    fputc(')', f);
}

char *random_plan_wkt(const random_plan *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) abort();
    fprintf(f, "floor POLYGON (");
    print_loop(f, &p->floor);
    fprintf(f, ", ");
    print_loop(f, &p->hole);
    fprintf(f, ")\n");
    for (uint32_t i = 0; i < p->obstacle_count; i++) {
        fprintf(f, "obstacle to_height=2.5 POLYGON (");
        print_loop(f, &p->obstacles[i]);
        fprintf(f, ")\n");
    }
    if (fclose(f) || !text) abort();
    return text;
}
