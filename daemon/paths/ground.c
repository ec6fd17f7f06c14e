#include "daemon/paths/ground.h"

#include "daemon/base/clock.h"
#include "daemon/paths/watch.h"
#include "daemon/world/profiles.h"

#include <math.h>
#include <stdlib.h>

static nd_world *world_of(const nd_ground *g)
{
    nd_world *w = nd_worlds_find(g->paths->worlds, g->world);
    bool same = w && g->profile < w->profile_count && w->profiles[g->profile].state == ND_PROFILE_LIVE &&
                w->profiles[g->profile].wire.grid == g->grid;
    return same ? w : NULL;
}

nd_world *nd_ground_world(const nd_ground *g)
{
    nd_world *w = g->gone ? NULL : world_of(g);
    return w && w->profiles[g->profile].version == g->version ? w : NULL;
}

// Any thread.
static void free_ground(void *what)
{
    nd_ground *g = what;
    nd_ground_drop_tiles(g);
    nav_path_landmarks_destroy(g->landmarks.made);
    nav_path_set_destroy(g->set);
    nav_climb_set_destroy(g->climb);
    free(g);
}

void nd_ground_destroy_if_idle(nd_ground *g)
{
    if (g->update || g->begun || g->fetching || g->landmarks.busy) return;
    nd_paths *p = g->paths;
    nd_ground **at = &p->grounds;
    while (*at != g) at = &(*at)->next;
    *at = g->next;
    p->ground_count--;
    p->set_bytes -= g->bytes;
    if (p->stopping)
        free_ground(g);
    else
        nd_workers_dispose(p->workers, g->bytes, free_ground, g);
}

static bool is_any(const nd_path_call *c, uint64_t value)
{
    (void)c;
    (void)value;
    return true;
}

bool nd_ground_has_slot(const nd_ground *g, const nd_world *w, uint32_t slot)
{
    if (slot == g->profile || !g->climb) return slot == g->profile;
    return nd_profile_is_live(w, slot) && nd_world_same_profile(w, slot, g->profile);
}

// Tiles are wanted in navd's encoding as long as there is the ground.
static void want_slots(const nd_ground *g, nd_world *w, int more)
{
    for (uint32_t i = 0; i < w->profile_count; i++)
        if (nd_ground_has_slot(g, w, i)) w->profiles[i].wanted[NP_ENCODING_NAVD] += (uint32_t)more;
}

void nd_ground_end(nd_ground *g, nav_status status, const char *words)
{
    if (g->gone) return;
    nd_world *w = world_of(g);
    g->gone = true;
    if (w) want_slots(g, w, -1);
    nd_ground_drop_begun(g, is_any, 0, status, words);
    nd_ground_drop_waiting(g, is_any, 0, status, words);
    nd_landmarks_give_up(g);
    nd_probes_leave_ground(g, status == NAV_ERR_LIMIT || status == NAV_ERR_MEMORY);
    nd_ground_destroy_if_idle(g);
}

nd_ground *nd_ground_find(const nd_paths *p, uint64_t world, uint32_t profile)
{
    nd_ground *g = p->grounds;
    while (g && (g->gone || g->world != world || g->profile != profile)) g = g->next;
    return g;
}

nav_status nd_ground_create(nd_paths *p, nd_world *w, uint32_t profile, nd_ground **out)
{
    nd_ground *g = calloc(1, sizeof *g);
    if (!g) return NAV_ERR_MEMORY;
    *g = (nd_ground){.paths = p,
                     .world = w->id,
                     .grid = w->profiles[profile].wire.grid,
                     .profile = profile,
                     .version = w->profiles[profile].version,
                     .settings = w->profiles[profile].wire.settings,
                     .used_ns = nd_now_ns(),
                     .listing = true,
                     .next = p->grounds};
    // An agent that crosses no inner edge has a turn that no edge has.
    const double inner_deg = fmax((double)g->settings.seam_inner_deg, 0.001);
    bool climbs = g->settings.sheets != NAV_SHEETS_UP;
    nav_status s = climbs ? nav_climb_set_create(inner_deg, &g->climb) : nav_path_set_create(&g->set);
    if (s != NAV_OK) {
        free(g);
        return s;
    }
    p->grounds = g;
    p->ground_count++;
    want_slots(g, w, 1);
    *out = g;
    return NAV_OK;
}
