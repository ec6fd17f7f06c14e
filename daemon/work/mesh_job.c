#include "daemon/work/mesh_job.h"

#include "daemon/work/mesh_call.h"

#include "core/base/endian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t word_bytes(const nd_mesh_job *j)
{
    return np_mesh_bytes(j->vertices, j->triangles, 0);
}

// From little-endian to the machine's own byte order, or back; in place, too.
static void swap_words(const uint8_t *from, size_t bytes, uint8_t *to)
{
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word = nav_load_u32(from + i);
        memcpy(to + i, &word, 4);
    }
}

void nd_mesh_job_get_words(const nd_mesh_job *j, uint8_t *out)
{
    size_t words = word_bytes(j);
    swap_words(j->bytes.data, words, out);
    if (j->form & NP_MESH_AREAS) memcpy(out + words, j->bytes.data + words, j->triangles);
}

void nd_mesh_job_index(nd_mesh_job *j, const uint8_t *words)
{
    const float *verts = (const float *)(const void *)words;
    const uint32_t *tris = (const uint32_t *)(const void *)(words ? words + 12 * (size_t)j->vertices : NULL);
    const uint8_t *areas = j->form & NP_MESH_AREAS && words ? words + word_bytes(j) : NULL;
    nav_key hash = {0, 0};
    j->mesh = NULL;
    j->bad_area = areas ? nav_mesh_find_bad_area(areas, j->triangles) : j->triangles;
    if (j->bad_area < j->triangles) {
        j->status = NAV_ERR_FORMAT;
        hash = nav_mesh_hash_with_areas(verts, j->vertices, tris, j->triangles, areas);
    } else {
        j->status = nav_mesh_create_in(j->memory, verts, j->vertices, tris, j->triangles, areas, &j->mesh);
        if (j->status == NAV_OK) hash = j->mesh->hash;
    }
    if (j->has_hash && (j->status == NAV_OK || j->status == NAV_ERR_FORMAT) && !nav_key_equal(hash, j->hash)) {
        nav_mesh_destroy(j->mesh);
        j->mesh = NULL;
        j->status = NAV_ERR_ARGUMENT;
    }
}

// From little-endian to the machine's own byte order, or back.
static void swap_samples(uint8_t *at, size_t count, nav_height_format format)
{
    for (size_t i = 0; i < count; i++) {
        if (format == NAV_HEIGHTS_16) {
            uint16_t v = nav_load_u16(at + 2 * i);
            memcpy(at + 2 * i, &v, sizeof v);
        } else {
            uint32_t v = nav_load_u32(at + 4 * i);
            memcpy(at + 4 * i, &v, sizeof v);
        }
    }
}

static nav_status check_heights(const nd_mesh_job *j, const nav_heights_spec *s, char *why, size_t why_bytes)
{
    const nav_height_format format = np_mesh_height_format(j->form);
    uint64_t samples = (uint64_t)s->columns * s->rows, cells = (uint64_t)(s->columns - 1) * (s->rows - 1);
    if (s->format != format) {
        snprintf(why, why_bytes, "the head says format %d, but the samples were announced with %u bits", (int)s->format,
                 np_mesh_height_bits(j->form));
        return NAV_ERR_FORMAT;
    }
    if (s->columns < 2 || s->rows < 2 || samples != j->vertices || 2 * cells != j->triangles) {
        snprintf(why, why_bytes,
                 "the head says %u columns and %u rows; %u vertices and %u triangles were announced, expected as many "
                 "as samples, and two for each cell",
                 s->columns, s->rows, j->vertices, j->triangles);
        return NAV_ERR_FORMAT;
    }
    return nav_heights_check(s, NAV_HEIGHTS_SIDE_MAX, why, why_bytes) == NAV_OK ? NAV_OK : NAV_ERR_FORMAT;
}

static void read_heights(nd_mesh_job *j)
{
    uint8_t *samples = j->bytes.data + NAV_HEIGHTS_HEAD_BYTES;
    nav_heights_spec s;
    nav_heights_load_head(j->bytes.data, &s);
    const size_t sample_bytes = nav_height_sample_bytes(np_mesh_height_format(j->form)) * (size_t)j->vertices;
    s.samples = samples;
    if (j->form & NP_MESH_AREAS) s.areas = samples + sample_bytes;
    swap_samples(samples, j->vertices, np_mesh_height_format(j->form));
    j->mesh = NULL;
    j->status = check_heights(j, &s, j->why, sizeof j->why);
    if (j->status == NAV_OK) j->status = nav_heights_create_in(j->memory, &s, &j->mesh);
    if (j->status == NAV_OK && j->has_hash && !nav_key_equal(j->mesh->hash, j->hash)) {
        nav_mesh_destroy(j->mesh);
        j->mesh = NULL;
        j->status = NAV_ERR_ARGUMENT;
    }
    swap_samples(samples, j->vertices, np_mesh_height_format(j->form));
}

void nd_mesh_job_run(nd_mesh_job *j)
{
    if (j->form & NP_MESH_HEIGHTS) {
        read_heights(j);
        return;
    }
    swap_words(j->bytes.data, word_bytes(j), j->bytes.data);
    nd_mesh_job_index(j, j->bytes.data);
    swap_words(j->bytes.data, word_bytes(j), j->bytes.data);
}

nav_status nd_mesh_job_refuse(const nd_mesh_job *j, const char *key, np_error *err)
{
    char hash[NAV_KEY_TEXT_BYTES];
    nav_key_text(j->hash, hash);
    switch (j->status) {
    case NAV_ERR_ARGUMENT:
        return np_error_set_key(err, j->status, "hash", "the bytes do not have the hash %s", hash);
    case NAV_ERR_FORMAT:
        if (j->form & NP_MESH_HEIGHTS)
            return np_error_set_key(err, NAV_ERR_ARGUMENT, key, "the height grid: %s", j->why);
        return np_error_set_key(err, NAV_ERR_ARGUMENT, key,
                                "triangle %u has the area %u, expected 0 to 63, or 255 for the area of the instance",
                                j->bad_area, j->bytes.data[word_bytes(j) + j->bad_area]);
    case NAV_ERR_CRASHED:
        return np_error_set(
            err, j->status,
            "the mesh %s crashed the generator twice while it was indexed (%s), and is not kept; please "
            "report it with its triangles",
            hash, nd_death_text(j->signal));
    case NAV_ERR_TIMEOUT:
        return np_error_set(err, j->status, "indexing the mesh %s did not return, and was ended; please report it",
                            hash);
    default:
        return np_error_set(err, j->status, "the mesh: %s", nav_status_text(j->status));
    }
}

void nd_mesh_job_run_task(nd_task *task, nd_worker *worker)
{
    nd_mesh_job *first = (nd_mesh_job *)task;
    if (worker->helper) {
        nd_mesh_call(first, worker->helper);
        return;
    }
    for (nd_mesh_job *j = first; j; j = j->next) nd_mesh_job_run(j);
}

void nd_mesh_job_destroy(nd_mesh_job *j)
{
    if (!j) return;
    nav_buffer_deinit(&j->bytes);
    nav_mesh_destroy(j->mesh);
    free(j);
}
