#include "daemon/world/edit_heights.h"

#include "core/base/endian.h"
#include "daemon/world/usage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nav_status check(const np_op *op, const nd_mesh *m, char *why, size_t why_bytes)
{
    const nav_height_grid *g = m->mesh->heights;
    if (m->state == ND_MESH_STORED) {
        snprintf(why, why_bytes, "its mesh is still being read from disk: try again");
        return NAV_ERR_AGAIN;
    }
    if (!g) {
        snprintf(why, why_bytes, "instance %llu has a mesh of triangles, not a height grid",
                 (unsigned long long)op->id);
        return NAV_ERR_ARGUMENT;
    }
    const uint32_t columns = op->u.patch.columns, rows = op->u.patch.rows;
    if (op->u.patch.column > g->columns - 1 || op->u.patch.row > g->rows - 1 ||
        columns > g->columns - op->u.patch.column || rows > g->rows - op->u.patch.row) {
        snprintf(why, why_bytes, "columns %u to %u and rows %u to %u are not within the grid's %u by %u samples",
                 op->u.patch.column, op->u.patch.column + columns - 1, op->u.patch.row, op->u.patch.row + rows - 1,
                 g->columns, g->rows);
        return NAV_ERR_ARGUMENT;
    }
    const size_t bytes = nav_height_sample_bytes(g->format) * columns * rows;
    if (op->u.patch.samples.size == bytes) return NAV_OK;
    snprintf(why, why_bytes, "samples: %u bytes, expected %zu: the grid has samples of %zu bytes",
             op->u.patch.samples.size, bytes, nav_height_sample_bytes(g->format));
    return NAV_ERR_ARGUMENT;
}

// The samples in memory, in the machine's byte order and aligned; NULL: no memory. The caller frees.
static void *read_samples(const np_op *op, nav_height_format format)
{
    const size_t count = (size_t)op->u.patch.columns * op->u.patch.rows;
    const uint8_t *from = op->u.patch.samples.data;
    uint16_t *whole = malloc(count * nav_height_sample_bytes(format));
    float *floats = (float *)(void *)whole;
    for (size_t i = 0; whole && i < count; i++) {
        if (format == NAV_HEIGHTS_16)
            whole[i] = nav_load_u16(from + 2 * i);
        else
            floats[i] = nav_load_f32(from + 4 * i);
    }
    return whole;
}

// Of all that the mesh has now: areas of a patch and floats are anybody's bytes.
static nav_status make_mesh(nd_staging *g, const np_op *op, const nd_mesh *from, nav_mesh **out, char *why,
                            size_t why_bytes)
{
    const nav_height_grid *grid = from->mesh->heights;
    const uint8_t *areas = op->u.patch.areas.size ? op->u.patch.areas.data : NULL;
    void *samples = read_samples(op, grid->format);
    if (!samples) return NAV_ERR_MEMORY;
    nav_status s = nav_heights_patch_in(g->meshes->memory, from->mesh, op->u.patch.column, op->u.patch.row,
                                        op->u.patch.columns, op->u.patch.rows, samples, areas, out);
    free(samples);
    if (s != NAV_OK || (grid->format == NAV_HEIGHTS_16 && !areas)) return s;
    const nav_heights_spec spec = nav_heights_spec_of((*out)->heights);
    s = nav_heights_check(&spec, NAV_HEIGHTS_SIDE_MAX, why, why_bytes);
    if (s == NAV_OK) return s;
    nav_mesh_destroy(*out);
    return s;
}

static nav_status note(nd_staging *g, nd_mesh *m)
{
    nd_mesh **grown = realloc(g->made, (g->made_count + 1) * sizeof(nd_mesh *));
    if (!grown) return NAV_ERR_MEMORY;
    g->made = grown;
    g->made[g->made_count++] = nd_mesh_ref(m);
    return NAV_OK;
}

// Takes the mesh over.
static nav_status keep(nd_staging *g, nav_mesh *mesh, np_mesh_form form, nd_mesh **out, np_error *err)
{
    const nav_heights_spec spec = nav_heights_spec_of(mesh->heights);
    const uint32_t samples = spec.columns * spec.rows, triangles = 2 * (spec.columns - 1) * (spec.rows - 1);
    nav_buffer source = {0};
    nd_mesh *m = nd_mesh_store_find(g->meshes, &mesh->hash);
    const bool known = m && m->state != ND_MESH_LOST;
    nav_status s = known && nd_mesh_is_visible(m, g->w->space)
                       ? NAV_OK
                       : nd_usage_check_mesh(g->meshes, g->w->space, nd_mesh_cost(mesh, samples, triangles, form), err);
    if (s != NAV_OK || known) {
        nav_mesh_destroy(mesh);
        *out = m;
        return s == NAV_OK ? nd_mesh_show(m, g->w->space) : s;
    }
    s = nav_buffer_reserve(&source, np_mesh_bytes(samples, triangles, form));
    if (s != NAV_OK) {
        nav_mesh_destroy(mesh);
        return s;
    }
    source.size = np_mesh_bytes(samples, triangles, form);
    nav_heights_store(&spec, source.data);
    s = nd_mesh_store_add(g->meshes, mesh, out);
    if (s == NAV_OK) s = note(g, *out);
    if (s == NAV_OK) s = nd_mesh_store_keep_source(g->meshes, *out, &source, samples, triangles, form);
    if (s == NAV_OK) s = nd_mesh_show(*out, g->w->space);
    nav_buffer_deinit(&source);
    if (s == NAV_ERR_LIMIT)
        return np_error_set(err, s, "all %zu bytes for meshes are in use (--mesh-store-bytes)", g->meshes->max_bytes);
    return s;
}

nav_status nd_patch_heights(nd_staging *g, const np_op *op, const nd_placed *current, nd_mesh **out, char *why,
                            size_t why_bytes)
{
    np_error err = {0};
    nav_mesh *mesh;
    snprintf(why, why_bytes, "no memory");
    nav_status s = check(op, current->mesh, why, why_bytes);
    if (s == NAV_OK) s = make_mesh(g, op, current->mesh, &mesh, why, why_bytes);
    if (s != NAV_OK) return s;
    const bool has_areas = mesh->heights->areas != NULL;
    s = keep(g, mesh, np_mesh_form_of(has_areas, mesh->heights->format == NAV_HEIGHTS_16 ? 16 : 32), out, &err);
    if (s == NAV_ERR_LIMIT) snprintf(why, why_bytes, "%s", err.message);
    return s;
}

bool nd_patch_box(const nd_placed *before, const nd_placed *after, nd_box *out)
{
    const nav_instance *a = &before->instance, *b = &after->instance;
    double min[2], max[2];
    if (!before->object.has_box || !after->object.has_box || a->area != b->area ||
        memcmp(a->transform, b->transform, sizeof a->transform) != 0 || !nav_height_is_moved(a->transform))
        return false;
    if (!nav_heights_difference(a->mesh, b->mesh, min, max)) return false;
    for (int k = 0; k < 2; k++) { // the samples' places are rounded to floats
        const double move = (double)a->transform[8 * k + 3];
        out->xz.min[k] = (double)nextafterf((float)(min[k] + move), -INFINITY);
        out->xz.max[k] = (double)nextafterf((float)(max[k] + move), INFINITY);
    }
    out->low = fmin(before->object.box.low, after->object.box.low);
    out->high = fmax(before->object.box.high, after->object.box.high);
    return true;
}

void nd_patches_withdraw(nd_staging *g)
{
    for (size_t i = 0; i < g->made_count; i++) {
        nd_mesh *m = g->made[i];
        const bool alone = atomic_load_explicit(&m->refs, memory_order_acquire) == 2; // the store's and this
        if (alone && !m->durable && !m->commits) nd_mesh_store_withdraw(g->meshes, m, NULL);
    }
}
