// Writes small valid inputs for fuzz_farm into a folder: `seed_farm tests/fuzz/corpus/fuzz_farm`.
#include "daemon/farm/beat.h"
#include "tests/farm/area_fixture.h"

#include <stdio.h>
#include <stdlib.h>

static void save(const char *folder, const char *name, uint8_t kind, const nav_buffer *b)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (f && fwrite(&kind, 1, 1, f) == 1 && fwrite(b->data, 1, b->size, f) == b->size && !fclose(f)) return;
    perror(path);
    exit(1);
}

static void save_jobs(const char *folder)
{
    area_meshes meshes;
    nd_area_head head;
    nav_buffer job = {0};
    area_meshes_init(&meshes);
    area_head(&head, -1, 2);
    area_job_bytes(&meshes, &head, 2, 5, &job);
    save(folder, "job", 0, &job);
    head.settings.generator = NAV_GENERATOR_SURFACE;
    head.settings.sheets = NAV_SHEETS_ALL;
    head.settings.sheet = NAV_SHEET_ZMINUS;
    job.size = 0;
    area_job_bytes(&meshes, &head, 1, 3, &job);
    save(folder, "job_sheet", 0, &job);
    nav_buffer_deinit(&job);
    area_meshes_deinit(&meshes);
}

static void save_pack(const char *folder)
{
    static const uint8_t bytes[64] = {1, 2, 3};
    nd_pack_writer w;
    nd_pack_writer_init(&w);
    for (unsigned i = 0; i < 4; i++) {
        const nd_pack_tile t = pack_tile(i, bytes, sizeof bytes);
        if (nd_pack_writer_add(&w, &t) != NAV_OK) exit(1);
    }
    nd_pack_writer_finish(&w);
    save(folder, "pack", 1, &w.parts[0]);
    nd_pack_writer_deinit(&w);
}

static void save_words(const char *folder)
{
    static const nav_key mesh = {1, 2};
    static const nd_done_tile tile = {-1, 2, NAV_ERR_TIMEOUT};
    static const uint64_t jobs[] = {1, UINT64_MAX};
    nav_buffer out = {0};
    nd_beat b = {.kind = ND_BEAT_WORKER, .generator = 4, .threads = 2, .uptime_s = 9};
    nd_done d = {
        .job = 7, .status = ND_DONE_NO_MESH, .meshes = &mesh, .mesh_count = 1, .tiles = &tile, .tile_count = 1};
    snprintf(b.id, sizeof b.id, "%s", "0123456789abcdef0123456789abcdef");
    snprintf(d.worker, sizeof d.worker, "%s", b.id);
    b.name = np_str_of("one");
    d.why = np_str_of("why");
    if (nd_beat_write(&out, &b) != NAV_OK) exit(1);
    save(folder, "beat", 2, &out);
    out.size = 0;
    if (nd_done_write(&out, &d) != NAV_OK) exit(1);
    save(folder, "done", 3, &out);
    out.size = 0;
    if (nd_void_write(&out, jobs, 2) != NAV_OK) exit(1);
    save(folder, "void", 4, &out);
    nav_buffer_deinit(&out);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seed_farm FOLDER\n");
        return 2;
    }
    save_jobs(argv[1]);
    save_pack(argv[1]);
    save_words(argv[1]);
    return 0;
}
