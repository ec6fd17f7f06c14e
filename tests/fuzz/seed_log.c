// Writes small valid inputs for fuzz_log into a folder: `seed_log tests/fuzz/corpus/fuzz_log`.
#include "daemon/replica/entry.h"
#include "daemon/replica/plan.h"
#include "daemon/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void save(const char *folder, const char *name, uint8_t kind, nav_buffer *b, nav_status written)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = written == NAV_OK ? fopen(path, "wb") : NULL;
    if (f && fwrite(&kind, 1, 1, f) == 1 && fwrite(b->data, 1, b->size, f) == b->size && !fclose(f)) {
        nav_buffer_deinit(b);
        return;
    }
    perror(path);
    exit(1);
}

static nav_status add_records(nav_buffer *out)
{
    static nd_namespace space = {.name = "team"};
    static const double origin[3] = {0, 0, 0};
    nd_world *w = NULL;
    np_op put = {.kind = NP_OP_PUT_INSTANCE, .id = 7, .name = {"crate", 5}};
    put.u.instance.mesh = (nav_key){1, 2};
    for (int k = 0; k < 3; k++) put.u.instance.transform[5 * k] = 1;
    const np_op link = {.kind = NP_OP_PUT_LINK, .id = 9, .u.link = {.radius_m = 0.5F, .end = {1, 0, 1}}};
    nav_status s = nd_world_create(5, &space, (np_str){"level", 5}, origin, &w);
    if (s == NAV_OK) s = nd_change_head(out, w);
    if (s == NAV_OK) s = nd_change_object(out, 5, &put);
    if (s == NAV_OK) s = nd_change_object(out, 5, &link);
    if (s == NAV_OK) s = nd_change_remove_object(out, 5, ND_VOLUME, 3);
    if (s == NAV_OK) s = nd_change_revision(out, 5, 12, 1);
    nd_world_destroy(w);
    return s;
}

int main(int argc, char **argv)
{
    nav_buffer b = {0};
    if (argc != 2) return 2;
    static const uint8_t some[] = {1, 2, 3};
    const nd_entry e = {.epoch = 2, .number = 3, .world = 5, .revision = 12, .parts = 1, .bytes = some, .count = 3};
    save(argv[1], "entry", 0, &b, nd_entry_write(&b, &e));
    const nd_leader_note n = {.epoch = 2, .log = {3, 4}, .id = "0123456789abcdef0123456789abcdef", .name = "here"};
    save(argv[1], "leader", 1, &b, nd_leader_note_write(&b, &n));
    const nd_state_head h = {.world = 5, .revision = 12, .sequence = 40, .id = {1, 2}, .parts = 1, .size = 3};
    save(argv[1], "state", 2, &b, nd_state_head_write(&b, &h));
    const nd_lease_note l = {.id = "0123456789abcdef0123456789abcdef", .name = "here"};
    save(argv[1], "lease", 3, &b, nd_lease_note_write(&b, &l));
    save(argv[1], "records", 4, &b, add_records(&b));
    save(argv[1], "deleted", 4, &b, nd_change_remove_world(&b, 5));
    return 0;
}
