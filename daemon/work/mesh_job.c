#include "daemon/work/mesh_job.h"

#include "core/base/endian.h"

#include <stdlib.h>

// Between little-endian and the machine's own byte order, in place; a heap block is aligned for it.
static void swap_words(const nd_mesh_job *j)
{
    for (size_t i = 0, end = np_mesh_bytes(j->vertices, j->triangles, false); i < end; i += 4) {
        uint32_t word = nav_load_u32(j->bytes.data + i);
        memcpy(j->bytes.data + i, &word, 4);
    }
}

void nd_mesh_job_run(nd_mesh_job *j)
{
    swap_words(j);
    const float *verts = (const float *)(const void *)j->bytes.data;
    const uint32_t *tris =
        (const uint32_t *)(const void *)(j->bytes.data ? j->bytes.data + 12 * (size_t)j->vertices : NULL);
    const uint8_t *areas =
        j->has_areas && j->bytes.data ? j->bytes.data + np_mesh_bytes(j->vertices, j->triangles, false) : NULL;
    j->status = NAV_OK;
    if (j->has_hash && !nav_key_equal(nav_mesh_hash_with_areas(verts, j->vertices, tris, j->triangles, areas), j->hash))
        j->status = NAV_ERR_ARGUMENT;
    j->bad_area = areas ? nav_mesh_find_bad_area(areas, j->triangles) : j->triangles;
    if (j->status == NAV_OK && j->bad_area < j->triangles) j->status = NAV_ERR_FORMAT;
    if (j->status == NAV_OK)
        j->status = nav_mesh_create_in(j->memory, verts, j->vertices, tris, j->triangles, areas, &j->mesh);
    swap_words(j);
}

nav_status nd_mesh_job_refuse_area(const nd_mesh_job *j, const char *key, np_error *err)
{
    const uint8_t *areas = j->bytes.data + np_mesh_bytes(j->vertices, j->triangles, false);
    return np_error_set_key(err, NAV_ERR_ARGUMENT, key,
                            "triangle %u has the area %u, expected 0 to 63, or 255 for the area of the instance",
                            j->bad_area, areas[j->bad_area]);
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
