// What objects are called: put with them, listed, kept by moves and on disk, and of no account for tiles.
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/daemon/stored.h"
#include "tests/daemon/sync_fixture.h"

#include <string.h>

static void setup(void)
{
    stored_setup();
    fixture_start(&daemon_, stored_use);
    sync_begin();
}

static void teardown(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
    stored_teardown();
}

// The name of an object of the world, until the next call.
static const char *name_of(np_op_kind kind, uint64_t id)
{
    static char name[NP_NAME_BYTES + 1];
    const np_world_objects_request r = {.world = a.world, .limit = NP_OBJECTS_PAGE_MAX};
    np_world_objects_response page;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &page, NULL), NAV_OK);
    for (uint32_t i = 0; i < page.object_count; i++) {
        const np_op *o = &page.objects[i];
        if (o->kind != kind || o->id != id) continue;
        memset(name, 0, sizeof name);
        if (o->name.size) memcpy(name, o->name.data, o->name.size);
        return name;
    }
    ck_abort_msg("no object %d", (int)id);
}

static void edit(np_op op)
{
    np_error err;
    nav_status s = client_edit(&a, &op, 1, NULL, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
}

static np_op named(np_op op, const char *name)
{
    op.name = np_str_of(name);
    return op;
}

static void restart(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
    stored_start(&daemon_, &a);
    client_greet(&a);
    stored_open(&a, "w");
}

START_TEST(a_name_stays_with_its_object_until_another_put)
{
    edit(named(op_put(1, meshes[0], 2, 0, 3), "Crate \xc3\xa9 1"));
    edit(named(stored_volume(4), "pond"));
    np_op link = {.kind = NP_OP_PUT_LINK,
                  .id = 5,
                  .u.link = {.id = 5, .start = {1, 0, 1}, .end = {4, 0, 1}, .radius_m = 1, .area = 63, .flags = 1}};
    edit(named(link, "jump"));
    edit(op_move(1, 4, 0, 4));
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 1), "Crate \xc3\xa9 1");
        ck_assert_str_eq(name_of(NP_OP_PUT_VOLUME, 4), "pond");
        ck_assert_str_eq(name_of(NP_OP_PUT_LINK, 5), "jump");
        if (i == 0) restart();
    }
    edit(op_put(1, meshes[0], 4, 0, 4));
    ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 1), "");

    np_error err;
    np_op bad = named(op_put(1, meshes[0], 4, 0, 4), "line\nend");
    ck_assert_int_eq(client_edit(&a, &bad, 1, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "name") && strstr(err.message, "U+000A"), "%s", err.message);
    char longest[NP_NAME_BYTES + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    bad = named(op_put(1, meshes[0], 4, 0, 4), longest);
    ck_assert_int_eq(client_edit(&a, &bad, 1, NULL, &err), NAV_ERR_ARGUMENT);
}
END_TEST

// "n0", "n1" and so on, but for one.
static uint32_t write_names(uint8_t *out, uint32_t count, uint32_t other, const char *name)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s%u", i == other ? name : "n", i);
        out[used++] = (uint8_t)strlen(text);
        memcpy(out + used, text, strlen(text));
        used += (uint32_t)strlen(text);
    }
    return used;
}

START_TEST(a_list_brings_names_and_another_name_builds_nothing)
{
    enum { COUNT = 20 };
    list l = {.count = 0};
    uint8_t names[16 * COUNT];
    np_world_sync_response out;
    np_error err;
    for (uint32_t i = 0; i < COUNT; i++) list_add(&l, i, (int)(i % MESHES), 2 * (float)i, 3);
    np_world_sync_request r = request_of(&l, "level");
    r.has_names = true;
    r.names = (np_bin){names, write_names(names, COUNT, COUNT, "")};
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.added, COUNT);
    ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 7), "n7");
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.unchanged, COUNT);
    client_settle(&a);

    uint64_t before = revision(), jobs = client_stat(&a, "jobs_built") + client_stat(&a, "jobs_same_content");
    r.names.size = write_names(names, COUNT, 7, "door");
    r.dry_run = true;
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.renamed, 1);
    ck_assert(nav_load_u64(out.renamed_from.data) == 7 && nav_load_u64(out.renamed_to.data) == 7);
    r.dry_run = false;
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_OK);
    ck_assert_uint_eq(out.renamed, 1);
    ck_assert_uint_eq(out.unchanged, COUNT - 1);
    ck_assert_uint_eq(out.dirty_tiles, 0);
    ck_assert_uint_eq(out.revision, before + 1);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built") + client_stat(&a, "jobs_same_content"), jobs);
    ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 7), "door7");

    // Without the column they stay, whatever else changes.
    list_put(&l, 7, 7, meshes[3], 1, 9, 63);
    ck_assert_uint_eq(sync_list(&l, "level").moved, 1);
    ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 7), "door7");
    restart();
    ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 7), "door7");
    ck_assert_str_eq(name_of(NP_OP_PUT_INSTANCE, 8), "n8");

    r = request_of(&l, "level");
    r.has_names = true;
    r.names = (np_bin){names, 5};
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "names"), "%s", err.message);
    r.names.size = write_names(names, COUNT, 7, "a\n");
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "object 7"), "%s", err.message);

    np_world_sync_request part = request_part(&l, "level", 0, 10);
    part.more = true;
    ck_assert_int_eq(call_sync(&part, &out, &err), NAV_OK);
    part = request_part(&l, "level", 10, 10);
    part.has_names = true;
    part.names = (np_bin){names, write_names(names, 10, 10, "")};
    ck_assert_int_eq(call_sync(&part, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "some parts"), "%s", err.message);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("names");
    TCase *c = tcase_create("names");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_name_stays_with_its_object_until_another_put);
    tcase_add_test(c, a_list_brings_names_and_another_name_builds_nothing);
    suite_add_tcase(s, c);
    return run_suite(s);
}
