// How true are the outlines of a mesh to the scene's triangles? Scenes whose truth is known, at three sizes of cells,
// beside Recast: doors of known width, the exact free area, boxes whose outline has four corners; and the distance
// from the mesh's edges to walls and drops of any scene.
#include "tests/bench/outlines.h"

#include <stdlib.h>

const double OUTLINE_CELLS_M[OUTLINE_SIZES] = {0.2, 0.3, 0.5};
const char *const OUTLINE_MAKER_NAMES[OUTLINE_MAKERS] = {"navd", "recast"};

bool outlines_look(const subject *s, bool (*look)(const subject *s, int maker, const peer_tile *tiles, void *user),
                   void *user)
{
    const generate_options options = {.settings = s->settings, .threads = 2, .encoding = GENERATE_DETOUR};
    generated g = {0};
    peer_result p = {0};
    peer_tile *tiles = NULL;
    bool ok = generate(&s->scene, &options, &g) && (tiles = subject_borrow_tiles(s, &g)) && look(s, 0, tiles, user);
    if (ok && s->peer) {
        peer_generate(s->peer, 2, &p);
        ok = look(s, 1, p.tiles, user);
    }
    peer_result_free(&p, subject_tiles(s));
    generated_deinit(&g);
    free(tiles);
    return ok;
}

bool bench_rooms(const bench_options *o, table *bars)
{
    return outlines_doors(o, bars) && outlines_rooms(o, bars);
}

bool bench_outlines(const bench_options *o, table *bars)
{
    bool ok = !o->own || bench_rooms(o, bars);
    ok = outlines_distances(o, bars) && ok;
    ok = (!o->own || outlines_area(o, bars)) && ok;
    return (!o->own || outlines_boxes(o, bars)) && ok;
}
