// Writes small valid inputs for fuzz_records into a folder: `seed_records tests/fuzz/corpus/fuzz_records`. A database
// file with pages of 4096 bytes would be slow to change, so the files are as LMDB writes them, with few records.
#include "core/base/endian.h"
#include "daemon/base/thread.h"
#include "daemon/disk/database.h"
#include "daemon/store/records.h"
#include "daemon/world/profile_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "seed_records: %s\n", what);
    exit(1);
}

static void save(const char *folder, const char *name, const nav_buffer *b)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    must(f && fwrite(b->data, 1, b->size, f) == b->size && !fclose(f), path);
}

// The first record of a change, as fuzz_records takes it.
static void save_record(const char *folder, const char *name, nav_buffer *change)
{
    nav_buffer out = {0};
    uint8_t head[2] = {(uint8_t)(change->data[0] + 1), change->data[2]};
    size_t size = nav_load_u16(change->data + 2) + (size_t)nav_load_u32(change->data + 4);
    must(nav_buffer_append(&out, head, 2) == NAV_OK && nav_buffer_append(&out, change->data + 8, size) == NAV_OK, name);
    save(folder, name, &out);
    nav_buffer_deinit(&out);
    change->size = 0;
}

static void save_file(const char *folder, const char *name, const nav_buffer *change, bool with_large)
{
    char place[] = "/tmp/navd-seed-XXXXXX", path[64], why[ND_DATABASE_WHY_BYTES] = "";
    nd_database_opening opening;
    nd_database *d;
    nd_txn *t;
    nav_buffer out = {0};
    uint8_t bytes[16384] = {0};
    must(mkdtemp(place) != NULL, place);
    nd_database_options o = {
        .folder = place, .tables = nd_record_tables, .table_count = ND_RECORD_TABLES, .map_bytes = 1 << 20};
    must(nd_database_open(&o, &d, &opening, why, sizeof why) == NAV_OK, why);
    for (int round = 0; round < (with_large ? 3 : 1); round++) { // the third leaves free pages
        must(nd_database_begin_write(d, &t, why, sizeof why) == NAV_OK, why);
        must(nd_change_apply(change, t) == NAV_OK, "apply");
        if (with_large)
            must(nd_txn_put(t, ND_MESHES, (nd_bytes){"a large value", 13}, (nd_bytes){bytes, 5000}) == NAV_OK, "put");
        must(nd_txn_commit(t, why, sizeof why) == NAV_OK, why);
    }
    nd_database_close(d);
    snprintf(path, sizeof path, "%s/data.mdb", place);
    FILE *f = fopen(path, "rb");
    must(f && nav_buffer_append(&out, "", 1) == NAV_OK, path);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;) must(nav_buffer_append(&out, bytes, n) == NAV_OK, path);
    fclose(f);
    save(folder, name, &out);
    nav_buffer_deinit(&out);
    unlink(path);
    snprintf(path, sizeof path, "%s/lock.mdb", place);
    unlink(path);
    rmdir(place);
}

int main(int argc, char **argv)
{
    must(argc == 2, "usage: seed_records FOLDER");
    const char *folder = argv[1];
    nd_namespace space = {.name = "film"};
    const double origin[3] = {0};
    np_error err;
    nd_world *w;
    nav_buffer c = {0};
    nd_thread_set_loop(true);
    must(nd_world_create(1, &space, np_str_of("w"), origin, &w) == NAV_OK, "world");
    np_profile p = {.name = np_str_of("walker")};
    nav_settings_default(&p.settings);
    must(nd_world_add_profiles(w, &p, 1, &nd_world_no_limits, 0, &err) == NAV_OK, err.message);
    must(nd_change_head(&c, w) == NAV_OK, "head");
    save_file(folder, "file", &c, false);
    save_file(folder, "file_large", &c, true);
    save_record(folder, "head", &c);
    np_op op = {.kind = NP_OP_PUT_INSTANCE, .id = 1};
    must(nd_change_object(&c, 1, &op) == NAV_OK, "object");
    save_record(folder, "instance", &c);
    op = (np_op){.kind = NP_OP_PUT_LINK, .id = 1, .u.link = {.id = 1, .radius_m = 1, .area = 63, .flags = 1}};
    must(nd_change_object(&c, 1, &op) == NAV_OK, "object");
    save_record(folder, "link", &c);
    const nd_tile_place at = {1, 0, -1, 2};
    const nd_tile_result result = {.status = NP_TILE_OK};
    must(nd_change_tile(&c, &at, &result) == NAV_OK, "tile");
    save_record(folder, "tile", &c);
    const nd_mesh_head head = {1, 2, false, 3, 4, {{0, 0, 0}, {1, 1, 1}}, 5, false, {{0}}};
    must(nd_change_mesh(&c, (nav_key){1, 2}, &head) == NAV_OK, "mesh");
    save_record(folder, "mesh", &c);
    const nd_mesh_head with_areas = {1, 2, true, 3, 4, {{0, 0, 0}, {1, 1, 1}}, 5, false, {{0}}};
    must(nd_change_mesh(&c, (nav_key){1, 2}, &with_areas) == NAV_OK, "mesh");
    save_record(folder, "mesh_areas", &c);
    const nd_mesh_head with_digest = {1, 2, true, 3, 4, {{0, 0, 0}, {1, 1, 1}}, 5, true, {{6}}};
    must(nd_change_mesh(&c, (nav_key){1, 2}, &with_digest) == NAV_OK, "mesh");
    save_record(folder, "mesh_digest", &c);
    must(nd_change_mesh_space(&c, (nav_key){1, 2}, "film") == NAV_OK, "space");
    save_record(folder, "space", &c);
    must(nd_change_info(&c, &(nd_store_info){true, 2}) == NAV_OK, "info");
    save_record(folder, "info", &c);
    must(nd_change_revision(&c, 1, 2, 1) == NAV_OK, "revision");
    save_record(folder, "revision", &c);
    nav_buffer_deinit(&c);
    nd_world_destroy(w);
    return 0;
}
