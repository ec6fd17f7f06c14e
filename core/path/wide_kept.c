// What is kept of tiles from search to search: for a few radii, and areas that are excluded, those that were used last.
#include "core/path/wide.h"

#include <stdlib.h>

enum { KEEP_BYTES = 256 << 20 }; // of all radii together

static void forget(wide_kept *k)
{
    for (uint32_t i = 0; i < k->tile_room; i++) {
        free(k->tiles[i]);
        k->tiles[i] = NULL;
    }
    k->bytes = 0;
    k->query = 0;
    k->stamp = 0;
}

static size_t kept_bytes(const nav_path_wide *w)
{
    size_t bytes = 0;
    for (int i = 0; i < WIDE_RADII; i++) bytes += w->kept[i].bytes;
    return bytes;
}

nav_status nav_path_wide_choose(wide_search *s)
{
    nav_path_wide *w = s->w;
    uint64_t excluded = s->rules ? s->q->costs->excluded : 0;
    wide_kept *k = w->kept;
    bool is_full = kept_bytes(w) > KEEP_BYTES || w->flood > UINT32_MAX / 2; // old floods could come again
    for (int i = 0; i < WIDE_RADII && is_full; i++) forget(&w->kept[i]);
    if (is_full) w->flood = 0;
    for (int i = 0; i < WIDE_RADII; i++) {
        wide_kept *o = &w->kept[i];
        bool is_it = o->radius == s->radius && o->excluded == excluded;
        if (is_it || o->used < k->used) k = o;
        if (is_it) break;
    }
    if (k->radius != s->radius || k->excluded != excluded) forget(k);
    k->radius = s->radius;
    k->excluded = excluded;
    k->used = ++w->uses;
    if (k->stamp != s->set->stamp || !k->query) {
        k->stamp = s->set->stamp;
        if (++k->query == 0) { // old numbers could come again
            forget(k);
            k->query = 1;
        }
    }
    if (s->set->tile_count > k->tile_room) {
        wide_tile **tiles = realloc(k->tiles, s->set->tile_count * sizeof(wide_tile *));
        if (!tiles) return NAV_ERR_MEMORY;
        for (uint32_t i = k->tile_room; i < s->set->tile_count; i++) tiles[i] = NULL;
        k->tiles = tiles;
        k->tile_room = s->set->tile_count;
    }
    s->kept = k;
    return NAV_OK;
}

size_t nav_path_wide_bytes(const nav_path_wide *w)
{
    if (!w) return 0;
    size_t bytes = sizeof *w + kept_bytes(w);
    for (int i = 0; i < WIDE_RADII; i++) bytes += w->kept[i].tile_room * sizeof *w->kept[i].tiles;
    return bytes + w->front_room * sizeof *w->fronts + w->piece_room * sizeof *w->pieces +
           w->knot_room * sizeof *w->knots +
           ((size_t)w->outline_room + w->clip_room[0] + w->clip_room[1] + w->point_room) * sizeof(wide_vec) +
           w->node_room * sizeof *w->nodes + w->root_room * sizeof *w->roots + w->entry_room * sizeof *w->entries +
           w->head_room * sizeof *w->heads + w->gap_room * sizeof *w->gaps + w->near_room * sizeof *w->near +
           w->reached_room * sizeof *w->reached + w->leap_room * sizeof *w->leaps;
}

void nav_path_wide_destroy(nav_path_wide *w)
{
    if (!w) return;
    for (int i = 0; i < WIDE_RADII; i++) {
        forget(&w->kept[i]);
        free(w->kept[i].tiles);
    }
    free(w->fronts);
    free(w->pieces);
    free(w->outline);
    free(w->knots);
    free(w->clip[0]);
    free(w->clip[1]);
    free(w->nodes);
    free(w->roots);
    free(w->entries);
    free(w->heads);
    free(w->gaps);
    free(w->near);
    free(w->points);
    free(w->reached);
    free(w->leaps);
    free(w);
}
