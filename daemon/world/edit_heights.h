// Brush strokes: operations that put other samples into a rectangle of an instance's height grid. Each makes a mesh, as
// meshes are immutable, and only what the rectangle touches is made again. Loop thread only.
#ifndef ND_EDIT_HEIGHTS_H
#define ND_EDIT_HEIGHTS_H

#include "daemon/world/edit_stage.h"

// The mesh that `current`, which the operation names, has afterwards: in the store, visible to the world, and noted in
// g->made where it was not there before. Borrowed. NAV_ERR_ARGUMENT, NAV_ERR_AGAIN (it is not in memory yet),
// NAV_ERR_LIMIT, NAV_ERR_MEMORY with one sentence in why.
NAV_MUST_USE nav_status nd_patch_heights(nd_staging *g, const np_op *op, const nd_placed *current, nd_mesh **out,
                                         char *why, size_t why_bytes);
// What of the instance changes where only samples and areas of its grid do. False: all of it may.
bool nd_patch_box(const nd_placed *before, const nd_placed *after, nd_box *out);
// The staging is given up, and its entries are freed: meshes that it made and nobody else has are forgotten.
void nd_patches_withdraw(nd_staging *g);

#endif
