// Which watched paths may be others after tiles have changed.
#include "daemon/paths/watch_work.h"

#include <math.h>

// Columns by which what has changed is taken for larger: the points of paths are rounded.
#define MARGIN 1.0

typedef struct change {
    const nd_ground *ground;
    const nav_path_difference *difference;
    nav_path_box changed_m; // metres
} change;

// Does a part of the line from p to q lie in the box?
static bool line_meets(const float p[2], const float q[2], const nav_path_box *b)
{
    double from = 0, to = 1;
    for (int a = 0; a < 2; a++) {
        double at = (double)p[a], step = (double)q[a] - at;
        if (step == 0 && (at < b->min[a] || at > b->max[a])) return false;
        if (step == 0) continue;
        double k0 = (b->min[a] - at) / step, k1 = (b->max[a] - at) / step;
        from = fmax(from, fmin(k0, k1));
        to = fmin(to, fmax(k0, k1));
    }
    return from <= to;
}

// Does an agent so much wider than the tiles' touch the box on its way?
static bool way_meets(const nd_probe *probe, const nav_path_box *box, double wider_m)
{
    nav_path_box around = *box, *b = &around;
    for (int a = 0; a < 2; a++) {
        b->min[a] -= wider_m;
        b->max[a] += wider_m;
    }
    for (uint32_t i = 0; i + 1 < probe->way_count; i++)
        if (line_meets(&probe->way[2 * (size_t)i], &probe->way[2 * (size_t)i + 2], b)) return true;
    return false;
}

static void look_at(void *user, nd_probe_place *place)
{
    const change *c = user;
    const nav_path_difference *d = c->difference;
    nd_probe *probe = ND_HOLDER(place, nd_probe, place);
    const nd_probe_shape *shape = &place->shape;
    double saves = nd_probe_ellipse_saves(shape, &d->opened);
    if (way_meets(probe, &c->changed_m, nd_probe_terms_wider(probe->watch->terms, c->ground)))
        nd_probe_set_due(probe, ND_PROBES_BROKEN);
    else if (nd_probe_discs_meet(shape, &d->changed) || saves >= 0.125)
        nd_probe_set_due(probe, ND_PROBES_EIGHTH);
    else if (saves >= 0.0625)
        nd_probe_set_due(probe, ND_PROBES_SIXTEENTH);
    else if (saves >= 0 || (!probe->way && nd_probe_ellipse_meets(shape, &d->changed)))
        nd_probe_set_due(probe, ND_PROBES_OTHER);
    else if (probe->loose)
        nd_probe_set_due(probe, ND_PROBES_LOOSE);
}

static void note_change(nd_ground *g, const nd_path_change *c)
{
    const nav_settings *s = &g->settings;
    const nav_path_box *box = &c->difference.changed;
    double tile_m = (double)s->tile_cells * (double)s->cell_size_m, margin_m = MARGIN * (double)s->cell_size_m;
    change visit = {.ground = g, .difference = &c->difference};
    if (nav_path_box_is_empty(box)) return;
    for (int a = 0; a < 2; a++) {
        double origin_m = s->origin_m[2 * a];
        visit.changed_m.min[a] = origin_m + box->min[a] * tile_m - margin_m;
        visit.changed_m.max[a] = origin_m + box->max[a] * tile_m + margin_m;
    }
    nd_probe_index_each(&g->probes.index, c->x, c->z, look_at, &visit);
}

// opened: a way may have opened somewhere. What an update says of connections is of all ground, whatever is excluded or
// too narrow, and without links.
static void note_connections(nd_path_watch *w, const nd_path_update *u, bool opened)
{
    const nd_path_terms *t = &w->terms->path;
    bool other = t->links || t->costs.excluded || nd_probe_terms_wider(w->terms, w->ground) > 0;
    bool loose = u->opened || (opened && other), linked = u->linked && t->links;
    for (uint32_t i = 0; (loose || linked) && i < w->count; i++) {
        nd_probe *probe = &w->probes[i];
        if (linked || probe->loose) nd_probe_set_due(probe, linked ? ND_PROBES_OTHER : ND_PROBES_LOOSE);
    }
}

void nd_probes_note_update(nd_ground *g, const nd_path_update *u)
{
    bool opened = false;
    for (uint32_t i = 0; i < u->count; i++) {
        note_change(g, &u->changes[i]);
        opened |= !nav_path_box_is_empty(&u->changes[i].difference.opened);
    }
    for (nd_path_watch *w = g->paths->watches; w; w = w->next)
        if (w->ground == g) note_connections(w, u, opened);
}
