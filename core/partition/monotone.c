// Monotone partition: runs of connected spans along x, stacked along z as long as each run continues exactly one run of
// the row before and is its only continuation. Fast, no holes; long thin regions where the ground is broken.
//
//      row z + 1   bbbb  cccccc        the run over a splits: b and c begin new regions
//      row z       aaaaaaaaaaaa
//
// Source: M. Mononen, Recast (monotone partitioning), a sweep-line decomposition.
#include "core/partition/merge.h"
#include "core/partition/regions.h"

typedef struct run {
    int32_t below;    // region of the row before that it lies on: 0 none, SEVERAL
    int32_t contacts; // spans that touch it
    int32_t region;
} run;

enum { SEVERAL = -1 };

typedef struct sweep {
    const nav_compact_heightfield *f;
    int32_t *id; // final regions; of the row at hand: run number until the row is done
    run *runs;
    int32_t *touched; // per region: spans of the row at hand that touch it
    int32_t regions;
} sweep;

// Splits the row's spans into runs and notes what each lies on. Returns the number of runs, numbered from 1.
static int32_t find_runs(sweep *w, int32_t z)
{
    const nav_compact_heightfield *f = w->f;
    int32_t width = f->width, count = 0;
    for (int32_t x = f->border; x < width - f->border; x++) {
        int32_t c = z * width + x;
        for (int32_t i = f->column_first[c]; i < f->column_first[c + 1]; i++) {
            if (f->area[i] == NAV_AREA_NONE) continue;
            int32_t left = f->connection[0][i], below = f->connection[3][i];
            int32_t number = 0;
            if (left != NAV_NOT_CONNECTED && w->id[left] > 0 && f->area[left] == f->area[i]) number = w->id[left];
            if (number == 0) {
                number = ++count;
                w->runs[number] = (run){0};
            }
            w->id[i] = number;
            if (below == NAV_NOT_CONNECTED || w->id[below] <= 0 || f->area[below] != f->area[i]) continue;
            run *r = &w->runs[number];
            int32_t region = w->id[below];
            w->touched[region]++;
            if (r->below == 0 || r->below == region) {
                r->below = region;
                r->contacts++;
            } else {
                r->below = SEVERAL;
            }
        }
    }
    return count;
}

nav_status nav_regions_monotone(const nav_compact_heightfield *f, const nav_config *cfg, nav_arena *arena,
                                nav_regions *out)
{
    int32_t n = f->span_count, width = f->width;
    *out = (nav_regions){.id = NAV_TAKE(arena, int32_t, n)};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    sweep w = {
        .f = f,
        .id = out->id,
        .runs = NAV_TAKE(arena, run, n + 1),
        .touched = NAV_TAKE_ZERO(arena, int32_t, n + 1),
    };
    if (!w.id || !w.runs || !w.touched) return nav_arena_failure(arena);
    nav_regions_mark_outside(f, w.id);
    for (int32_t z = f->border; z < width - f->border; z++) {
        int32_t count = find_runs(&w, z);
        for (int32_t k = 1; k <= count; k++) {
            run *r = &w.runs[k];
            bool continues = r->below > 0 && w.touched[r->below] == r->contacts;
            r->region = continues ? r->below : ++w.regions;
        }
        int32_t first = f->column_first[z * width + f->border], end = f->column_first[(z + 1) * width - f->border];
        for (int32_t i = first; i < end; i++) {
            if (w.id[i] <= 0) continue;
            int32_t below = f->connection[3][i];
            if (below != NAV_NOT_CONNECTED && w.id[below] > 0) w.touched[w.id[below]] = 0;
            w.id[i] = w.runs[w.id[i]].region;
        }
    }
    nav_arena_release(arena, mark);
    out->count = w.regions;
    return nav_regions_merge(f, cfg, arena, out);
}
