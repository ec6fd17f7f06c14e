// What comes over the farm, on any bytes: the first byte chooses. The sums of jobs and packs are made to fit, as
// whoever makes one up would do it; a job that is taken gives the views of all its tiles.
#include "core/geometry/mesh.h"
#include "daemon/farm/area_format.h"
#include "daemon/farm/beat.h"
#include "daemon/farm/pack.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { JOB, PACK, BEAT, DONE, VOID, KINDS };

static nd_mesh *some_mesh(void)
{
    static nd_mesh mesh;
    static const float verts[] = {0, 0, 0, 0, 0, 9, 9, 0, 9};
    static const uint32_t tris[] = {0, 1, 2};
    if (!mesh.owned && nav_mesh_create_in(NULL, verts, 3, tris, 1, NULL, &mesh.owned) != NAV_OK) abort();
    mesh.mesh = mesh.owned;
    return &mesh;
}

static void take_views(const nd_area_job *j)
{
    nd_view v = {0};
    nd_mesh **meshes = malloc((j->mesh_count + (size_t)1) * sizeof *meshes);
    if (!meshes) abort();
    for (uint32_t i = 0; i < j->mesh_count; i++) meshes[i] = some_mesh();
    for (uint32_t i = 0; i < j->tile_count; i++)
        if (nd_area_job_view(j, i, meshes, &v) >= NAV_STATUS_COUNT) abort();
    nd_view_deinit(&v);
    free(meshes);
}

static void read_job(uint8_t *bytes, size_t count)
{
    nd_area_job j;
    char why[200], daemon[ND_FARM_ID_BYTES];
    uint32_t generator;
    uint64_t number;
    if (count >= ND_AREA_HEAD_BYTES) nav_key_store(nd_area_sum(bytes, count), bytes + ND_AREA_SUM_AT);
    (void)nd_area_job_peek(bytes, count, &generator, daemon, &number);
    nav_status s = nd_area_job_read(bytes, count, &j, why, sizeof why);
    if (s == NAV_OK)
        take_views(&j);
    else if (!why[0])
        abort();
    nd_area_job_deinit(&j);
}

static void read_pack(uint8_t *bytes, size_t count)
{
    nd_pack p;
    nd_pack_tile t;
    uint64_t sum = 0;
    uint32_t tiles = 0;
    if (count >= ND_PACK_HEAD_BYTES) {
        const nav_key head = nav_key_of(bytes, 16);
        const nav_key rest = nav_key_of(bytes + ND_PACK_HEAD_BYTES, count - ND_PACK_HEAD_BYTES);
        nav_key_store(nav_key_join(head, rest), bytes + 16);
    }
    if (nd_pack_open(bytes, count, &p) != NAV_OK) return;
    for (; nd_pack_next(&p, &t); tiles++)
        for (size_t i = 0; i < t.record.data_bytes; i++) sum += t.record.data[i];
    if (tiles != p.tiles || sum == UINT64_MAX) abort();
}

static void read_words(unsigned kind, const uint8_t *bytes, size_t count)
{
    np_message m = {0};
    np_error err;
    nd_beat beat;
    nd_done done;
    nav_status s =
        kind == BEAT ? nd_beat_read(bytes, count, &m, &beat, &err) : nd_done_read(bytes, count, &m, &done, &err);
    if (s == NAV_OK && strlen(kind == BEAT ? beat.id : done.worker) != ND_FARM_ID_BYTES - 1) abort();
    np_message_deinit(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (!count) return 0;
    const unsigned kind = bytes[0] % KINDS;
    const size_t size = count - 1;
    uint8_t *copy = malloc(size + !size); // exactly sized
    if (!copy) return 0;
    if (size) memcpy(copy, bytes + 1, size);
    uint64_t jobs[ND_VOID_JOBS];
    uint32_t job_count;
    if (kind == JOB)
        read_job(copy, size);
    else if (kind == PACK)
        read_pack(copy, size);
    else if (kind == VOID)
        (void)!nd_void_read(copy, size, jobs, &job_count);
    else
        read_words(kind, copy, size);
    free(copy);
    return 0;
}
