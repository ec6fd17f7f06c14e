#include "daemon/work/mesh_job.h"

#include "core/base/endian.h"

#include <stdlib.h>

// Between little-endian and the machine's own byte order, in place; a heap block is aligned for it.
static void swap_words(nav_buffer *b)
{
    for (size_t i = 0; i + 4 <= b->size; i += 4) {
        uint32_t word = nav_load_u32(b->data + i);
        memcpy(b->data + i, &word, 4);
    }
}

void nd_mesh_job_run(nd_mesh_job *j)
{
    swap_words(&j->bytes);
    const float *verts = (const float *)(const void *)j->bytes.data;
    const uint32_t *tris =
        (const uint32_t *)(const void *)(j->bytes.data ? j->bytes.data + 12 * (size_t)j->vertices : NULL);
    j->status = NAV_OK;
    if (j->has_hash && !nav_key_equal(nav_mesh_hash(verts, j->vertices, tris, j->triangles), j->hash))
        j->status = NAV_ERR_ARGUMENT;
    if (j->status == NAV_OK) j->status = nav_mesh_create(verts, j->vertices, tris, j->triangles, &j->mesh);
    swap_words(&j->bytes);
}

void nd_mesh_job_run_task(nd_task *task, nd_worker *worker)
{
    (void)worker;
    nd_mesh_job_run((nd_mesh_job *)task);
}

void nd_mesh_job_destroy(nd_mesh_job *j)
{
    if (!j) return;
    nav_buffer_deinit(&j->bytes);
    nav_mesh_destroy(j->mesh);
    free(j);
}
