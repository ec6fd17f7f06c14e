#include "clients/navctl/scene/plan_geos.h"

#include <stdio.h>

static void keep_words(const char *message, void *user)
{
    plan_geos *g = user;
    snprintf(g->words, sizeof g->words, "%s", message);
}

bool plan_geos_init(plan_geos *g)
{
    *g = (plan_geos){.handle = GEOS_init_r()};
    if (!g->handle) return false;
    GEOSContext_setErrorMessageHandler_r(g->handle, keep_words, g);
    return true;
}

void plan_geos_deinit(plan_geos *g)
{
    if (g->handle) GEOS_finish_r(g->handle);
    g->handle = NULL;
}
