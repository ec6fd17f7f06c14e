#include "core/path/known.h"
#include "core/path/seen.h"

#include <string.h>

// A search of so few nodes is over before anything comes of it.
enum { SHORT_SEARCH = 24 };
// Points of the fine grid by which a way has to be longer: far above what lengths are off by, so that of equal ones
// none is dropped.
static const double MARGIN = 1.0 / 64;

nav_status nav_path_forget_known(path_search *s)
{
    nav_path_finder *f = s->f;
    s->known_count = 0;
    s->knows = !s->rules || !s->rules->weighs;
    if (f->met_room >= s->set->tile_count) return NAV_OK;
    path_met *met = realloc(f->met, s->set->tile_room * sizeof *met);
    if (!met) return NAV_ERR_MEMORY;
    memset(met + f->met_room, 0, (s->set->tile_room - f->met_room) * sizeof *met);
    f->met = met;
    f->met_room = s->set->tile_room;
    return NAV_OK;
}

// What is kept of a tile's sectors. NULL: no memory, or some of its ground may be closed, which parts sectors.
static path_known *known_of(path_search *s, uint32_t tile, const path_tile *t)
{
    nav_path_finder *f = s->f;
    path_met *met = &f->met[tile];
    if (met->search == f->search) return &f->known[met->first];
    if (t->areas & path_excluded(s)) return NULL;
    while (s->known_count + (uint64_t)t->sector_count > f->known_room) {
        uint32_t room = f->known_room;
        if (!PATH_GROW(f->known, f->known_room, room)) {
            s->out_of_memory = true;
            return NULL;
        }
        memset(&f->known[room], 0, (f->known_room - room) * sizeof *f->known);
    }
    *met = (path_met){f->search, s->known_count};
    s->known_count += t->sector_count;
    return &f->known[met->first];
}

static double length_of(const path_search *s, const path_known *known)
{
    return known->search == s->f->search ? known->length : INFINITY;
}

static void learn(const path_search *s, path_known *known, double length)
{
    if (length < length_of(s, known)) *known = (path_known){length, s->f->search};
}

bool nav_path_is_beaten(path_search *s, uint32_t tile, uint32_t corner, double length)
{
    if (!s->knows || s->node_count < SHORT_SEARCH) return false;
    const path_tile *t = s->set->tiles[tile];
    path_known *known = known_of(s, tile, t);
    if (!known) return false;
    known += t->sector[corner];
    if (length > length_of(s, known) + MARGIN) return true;
    learn(s, known, length);
    return false;
}

// Where R, the right end of what the cone sees of the edge from a to b, is nearer by a, so is any X before it: the cone
// and X to R are no shorter than the cone to R, and by a one passes X on the way to R.
bool nav_path_is_cone_beaten(path_search *s, const path_cone *cone, uint32_t tile, uint32_t corner)
{
    if (!s->knows || s->node_count < SHORT_SEARCH) return false;
    const path_tile *t = s->set->tiles[tile];
    path_known *known = known_of(s, tile, t);
    if (!known) return false;
    const path_turn *turn = &s->f->turns[cone->turn];
    uint32_t next = path_next(t, corner);
    path_spot p = turn->at, a = path_corner(t, corner), b = path_corner(t, next);
    path_known *at_a = known + t->sector[corner], *at_b = known + t->sector[next];
    path_real from = {p.x, p.z}, left_end = {a.x, a.z}, right_end = {b.x, b.z};
    bool sees_a = path_same(cone->left, a), sees_b = path_same(cone->right, b);
    path_real left = sees_a ? left_end : path_meet(p, cone->left, a, b);
    path_real right = sees_b ? right_end : path_meet(p, cone->right, a, b);
    double to_left = turn->g + path_between(from, left), to_right = turn->g + path_between(from, right);
    if (sees_a) learn(s, at_a, to_left);
    if (sees_b) learn(s, at_b, to_right);
    return to_right > length_of(s, at_a) + path_between(left_end, right) + MARGIN ||
           to_left > length_of(s, at_b) + path_between(right_end, left) + MARGIN;
}
