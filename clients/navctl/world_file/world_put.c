#include "clients/navctl/world_file/world_put.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"

#include <stdlib.h>
#include <string.h>

enum { EDIT_OBJECTS = 4096 }; // in one request: what fits into a message whatever the objects are

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// Writes the request in b.
static int write_request(world_put *p, nav_status encoded, nav_buffer *b)
{
    if (encoded != NAV_OK) return no_memory();
    bool ok = world_writer_add(&p->writer, b, 1);
    b->size = 0;
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

int world_put_begin(world_put *p, const char *path, const char *name, const navd_world *world, const navd_reach *reach,
                    const nav_area_table *areas)
{
    nav_buffer request = {0};
    np_area wire_areas[NP_MAX_AREAS];
    if (!world_writer_open(&p->writer, path)) return NAVCTL_FAILED;
    np_profile *wire = calloc(world->profile_count + 1, sizeof *wire);
    if (!wire) return no_memory();
    np_world_open_request r = {.name = np_str_of(name),
                               .create = true,
                               .profile_count = (uint32_t)world->profile_count,
                               .profiles = wire,
                               .build = {(np_build_mode)world->build, world->margin_m},
                               .area_count = areas->count,
                               .areas = wire_areas,
                               .has_reach = reach->unreachable != NAVD_UNREACHABLE_KEEP,
                               .reach = {.unreachable = (nav_unreachable)reach->unreachable,
                                         .seed_count = (uint32_t)reach->seed_count,
                                         .seeds = (const np_seed *)(const void *)reach->seeds,
                                         .island_min_area_m2 = reach->island_min_area_m2}};
    memcpy(r.origin_m, world->origin_m, sizeof r.origin_m);
    for (uint32_t i = 0; i < areas->count; i++) np_area_from_core(&areas->types[i], &wire_areas[i]);
    for (size_t i = 0; i < world->profile_count; i++) {
        wire[i].name = np_str_of(world->profiles[i].name);
        navd_settings_to_core(&world->profiles[i].settings, world->origin_m, &wire[i].settings);
        np_profile_store(&wire[i]);
    }
    int code = write_request(p, np_encode_world_open_request(&request, ++p->next_id, &r), &request);
    nav_buffer_deinit(&request);
    free(wire);
    return code;
}

int world_put_mesh(world_put *p, nav_key key, const navd_mesh *mesh)
{
    uint64_t total = navd_mesh_bytes(mesh);
    nav_buffer request = {0};
    uint8_t *part = malloc(NP_MESH_PART_BYTES);
    np_mesh_put_request r = {.hash = key,
                             .areas = navd_mesh_form(mesh) & NP_MESH_AREAS,
                             .heights = np_mesh_height_bits(navd_mesh_form(mesh)),
                             .data = {part, 0}};
    navd_mesh_counts(mesh, &r.vertices, &r.triangles);
    int code = part ? NAVCTL_OK : no_memory();
    do {
        if (code != NAVCTL_OK) break;
        uint64_t left = total - r.offset;
        r.data.size = (uint32_t)(left < NP_MESH_PART_BYTES ? left : NP_MESH_PART_BYTES);
        navd_mesh_bytes_store(mesh, r.offset, part, r.data.size);
        code = write_request(p, np_encode_mesh_put_request(&request, ++p->next_id, &r), &request);
        r.offset += r.data.size;
    } while (r.offset < total);
    nav_buffer_deinit(&request);
    free(part);
    p->meshes++;
    return code;
}

int world_put_objects(world_put *p, const navd_operation *objects, size_t count)
{
    np_op *ops = malloc(EDIT_OBJECTS * sizeof *ops);
    int code = ops ? NAVCTL_OK : no_memory();
    for (size_t done = 0; done < count && code == NAVCTL_OK;) {
        np_world_edit_request r = {.ops = ops};
        for (; r.op_count < EDIT_OBJECTS && done < count; r.op_count++)
            navd_operation_to_wire(&objects[done++], &ops[r.op_count]);
        if (np_encode_world_edit_request(&p->edits, ++p->next_id, &r) != NAV_OK) code = no_memory();
        p->edit_count++;
    }
    p->objects += count;
    free(ops);
    return code;
}

void world_put_forget_objects(world_put *p)
{
    p->edits.size = 0;
    p->edit_count = 0;
    p->objects = 0;
}

int world_put_commit(world_put *p)
{
    if (!world_writer_add(&p->writer, &p->edits, p->edit_count)) return NAVCTL_FAILED;
    p->writer.counts.objects = p->objects;
    p->writer.counts.meshes = p->meshes;
    if (!world_writer_commit(&p->writer)) return NAVCTL_FAILED;
    p->file_bytes = p->writer.counts.packed_bytes + WORLD_FILE_HEADER_BYTES;
    return NAVCTL_OK;
}

void world_put_deinit(world_put *p)
{
    world_writer_discard(&p->writer);
    nav_buffer_deinit(&p->edits);
}
