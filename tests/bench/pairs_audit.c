#include "tests/bench/pairs_audit.h"

#include "navcore/path.h"
#include "navcore/path_audit.h"

#include <stdio.h>
#include <stdlib.h>

static const double NEAR_M = 2;

bool pairs_audit(const generated *g, uint32_t count, uint32_t *open, uint32_t *bent)
{
    nav_audit_pair *pairs = calloc(count, sizeof *pairs);
    nav_path_set *set = NULL;
    nav_path_finder *finder = NULL;
    nav_audit_totals totals = {0};
    uint32_t drawn = 0;
    bool ok = pairs && nav_path_set_create(&set) == NAV_OK && nav_path_finder_create(&finder) == NAV_OK;
    for (uint64_t i = 0; ok && i < g->grids.total; i++)
        if (g->tiles[i].bytes) ok = nav_path_set_put(set, g->tiles[i].bytes, g->tiles[i].size, NULL, 0) == NAV_OK;
    ok = ok && nav_path_set_join(set) == NAV_OK;
    ok = ok && nav_audit_draw(finder, set, 7, count, pairs, &drawn) == NAV_OK;
    for (uint32_t i = 0; ok && i < drawn; i++)
        ok = nav_audit_answer(finder, set, NEAR_M, NULL, NULL, &pairs[i]) == NAV_OK;
    ok = ok && nav_audit_sum(pairs, drawn, &totals) == NAV_OK;
    if (!ok) fprintf(stderr, "bench: the paths of a mesh could not be asked for\n");
    *open = totals.open;
    *bent = totals.bent;
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    free(pairs);
    return ok;
}
