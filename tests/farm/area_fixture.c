#include "tests/farm/area_fixture.h"

#include "core/base/endian.h"
#include "core/geometry/tile_source.h"
#include "daemon/farm/area_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Also outside of a test.
static void must(nav_status s)
{
    if (s == NAV_OK) return;
    fprintf(stderr, "area_fixture: %s\n", nav_status_text(s));
    abort();
}

void area_meshes_init(area_meshes *m)
{
    static const uint32_t tris[] = {0, 1, 2, 0, 2, 3};
    memset(m, 0, sizeof *m);
    for (int i = 0; i < AREA_MESHES; i++) {
        const float side = 2 + (float)i;
        const float verts[] = {0, 0, 0, 0, 0, side, side, 0, side, side, 0, 0};
        must(nav_mesh_create_in(NULL, verts, 4, tris, 2, NULL, &m->owned[i]));
        m->nodes[i].mesh = m->owned[i];
        m->list[i] = &m->nodes[i];
    }
}

void area_meshes_deinit(area_meshes *m)
{
    for (int i = 0; i < AREA_MESHES; i++) nav_mesh_destroy(m->owned[i]);
}

void area_head(nd_area_head *out, int32_t block_x, int32_t block_z)
{
    *out = (nd_area_head){.generator = NAV_GENERATOR_VERSION,
                          .daemon = "00ff123456789abcdef0123456789abc",
                          .job = 77,
                          .revision = UINT64_C(1) << 40,
                          .block_x = block_x,
                          .block_z = block_z,
                          .wanted = 1u << ND_ENCODING_NAVD | 1u << ND_ENCODING_PACKED,
                          .zstd_level = -3};
    nav_settings_default(&out->settings);
    out->settings.origin_m[0] = -0.1;
    out->settings.cell_size_m = 0.25f;
    out->settings.agent_radius_m = 0.4f;
    out->settings.walkable_areas = UINT64_C(0x8000000000000006);
    out->settings.area_flags[5] = 0x1234;
    const nav_key anchor = {1, 2};
    out->area = nd_area_key(&out->settings, block_x, block_z, out->wanted, anchor);
}

nav_key area_view(const area_meshes *m, const nd_area_head *head, int32_t x, int32_t z, unsigned objects, nd_view *v)
{
    const float side = head->settings.cell_size_m * (float)head->settings.tile_cells;
    nd_view_begin(v, &head->settings, x, z);
    v->source.bounded = (x + z) & 1;
    for (unsigned i = 0; i < objects; i++) {
        // Every other one is of the tile's row alone, so the next tiles have it as well.
        const float own = i % 2 ? (float)x : 0;
        nav_instance in = {.mesh = m->owned[i % AREA_MESHES],
                           .transform = {1, 0, 0, own * side + (float)i, 0, 1, -0.0f, 0.5f, 0, 0, 1, (float)z * side},
                           .area = (uint8_t)(i % NAV_AREA_COUNT)};
        if (i % 5 == 0) in.transform[0] = 0.5f;
        must(nd_view_add_instance(v, m->list[i % AREA_MESHES], &in));
        if (i % 3) continue;
        const float a = (float)x * side, b = (float)z * side;
        const nav_volume volume = {.point_count = 4,
                                   .points = {a, b, a + 3, b, a + 3, b + 3 + (float)i, a, b + 3},
                                   .min_y = -1,
                                   .max_y = (float)(i + 1),
                                   .area = (uint8_t)(i % 4),
                                   .include = i % 6 == 0};
        must(nd_view_add_volume(v, &volume));
    }
    return nav_tile_source_key(&v->source);
}

void area_job_bytes(const area_meshes *m, const nd_area_head *head, unsigned tiles, unsigned objects, nav_buffer *out)
{
    nd_area_writer w = {0};
    nd_view v = {0};
    must(nd_area_writer_begin(&w, head));
    for (unsigned i = 0; i < tiles; i++) {
        nav_key key = area_view(m, head, head->block_x * ND_AREA_SIDE + (int32_t)(i % ND_AREA_SIDE),
                                head->block_z * ND_AREA_SIDE + (int32_t)(i / ND_AREA_SIDE), objects, &v);
        must(nd_area_writer_add(&w, &v, key));
    }
    must(nd_area_writer_finish(&w, out));
    nd_area_writer_deinit(&w);
    nd_view_deinit(&v);
}

void area_job_seal(nav_buffer *job)
{
    if (job->size >= ND_AREA_HEAD_BYTES) nav_key_store(nd_area_sum(job->data, job->size), job->data + ND_AREA_SUM_AT);
}

nd_pack_tile pack_tile(unsigned i, const uint8_t *bytes, size_t count)
{
    nd_pack_tile t = {.source = {i, 17 * (uint64_t)i}, .encoding = (uint8_t)(i % ND_ENCODINGS)};
    t.record.value.content_key = (nav_key){i + 1, 3};
    t.record.value.failure = nd_reason_of(NAV_OK);
    if (i % 3 == 1) {
        t.record.value.status = NP_TILE_EMPTY;
    } else if (i % 3 == 2) {
        t.record.value.status = NP_TILE_FAILED;
        t.record.value.content_key = (nav_key){0, 0};
        t.record.value.failure = (nd_reason){.status = NAV_ERR_CRASHED, .stage = NAV_STAGE_DETAIL, .signal = 11};
        t.record.memory_limit = UINT64_C(1) << 34;
    } else {
        t.record.value.status = NP_TILE_OK;
        t.record.value.size = 3 * count + 1;
        t.record.memory_limit = i % 2 ? 2 : 0;
        t.record.data = bytes;
        t.record.data_bytes = count;
    }
    return t;
}

void pack_seal(uint8_t *part, size_t count)
{
    if (count < ND_PACK_HEAD_BYTES) return;
    const nav_key head = nav_key_of(part, 16);
    nav_key_store(nav_key_join(head, nav_key_of(part + ND_PACK_HEAD_BYTES, count - ND_PACK_HEAD_BYTES)), part + 16);
}
