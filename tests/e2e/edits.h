// Random edits of a city: boxes come, move and go, volumes and links too, and meshes that nobody has seen. Each is
// valid after the ones drawn before it.
#ifndef TESTS_E2E_EDITS_H
#define TESTS_E2E_EDITS_H

#include "tests/e2e/city.h"

enum { EDIT_MAX_OPS = 4, EDIT_MAX_TILES = 256, CITY_TURNS = 10000 };

typedef struct edit {
    np_op ops[EDIT_MAX_OPS];
    uint32_t op_count;
    float mesh[3]; // half sizes of a mesh that it brings along; 0: none
} edit;

typedef struct objects { // by tile: is it there?
    bool box[EDIT_MAX_TILES], volume[EDIT_MAX_TILES], link[EDIT_MAX_TILES];
} objects;

// What there is once city_build() is done.
void objects_of_city(objects *o, const city *c);
// What there is after the edit.
void objects_apply(objects *o, const edit *e);
// One to four operations. o is what there will be before it, and then after it.
edit edit_draw(const city *c, objects *o, uint64_t *chance);
// Asks for it; does not wait.
void edit_send(peer *p, const edit *e);

#endif
