#include "clients/navctl/output/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_begin(progress *p, const char *what)
{
    *p = (progress){.what = what, .shown = isatty(STDERR_FILENO) == 1, .started_s = now_s()};
}

void progress_update(progress *p, uint64_t done, uint64_t total)
{
    enum { WIDTH = 30 };
    if (!p->shown) return;
    double now = now_s();
    if (now - p->drawn_s < 0.1) return;
    p->drawn_s = now;
    char bar[WIDTH + 1];
    double part = total ? (double)done / (double)total : 0;
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    double spent = now - p->started_s, left = part > 0.01 ? spent / part - spent : 0;
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  %llu of %llu", p->what, bar, part * 100, (unsigned long long)done,
            (unsigned long long)total);
    if (left >= 1) fprintf(stderr, "  %.0f s left", left);
}

void progress_end(progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    p->shown = false;
}
