// Files of worlds that an import refuses: damaged, cut, made up, or more than the daemon takes. Nothing is left of
// them.
#include "clients/navctl/world_file/world_file.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon_pair.h"

#include <stdlib.h>
#include <string.h>

START_TEST(a_damaged_or_cut_file_is_refused_before_the_daemon_is_told_anything)
{
    size_t count;
    push_yard();
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", temp_path("w"), "-c", first.socket, NULL), 0);
    uint8_t *bytes = read_file(temp_path("w"), &count);
    write_file(temp_path("cut"), bytes, count - 100);
    bytes[count / 2] ^= 4;
    write_file(temp_path("damaged"), bytes, count);
    write_text(temp_path("text"), YARD_OBJ);
    static const struct {
        const char *name, *words;
    } bad[] = {{"cut", "cut short"}, {"damaged", "damaged"}, {"text", "not a world"}, {"none", "No such file"}};
    for (int i = 0; i < 4; i++) {
        outcome r = run_navctl("world", "import", temp_path(bad[i].name), "-c", second.socket, NULL);
        EXPECT_CODE(r, 4);
        ck_assert_msg(strstr(r.err, bad[i].words) != NULL, "%s: %s", bad[i].name, r.err);
    }
    ck_assert_uint_eq(daemon_stat(&second, "worlds"), 0);
    ck_assert_uint_eq(daemon_stat(&second, "meshes"), 0);
    free(bytes);
}
END_TEST

// A file whose checksums are right and whose content is wrong, made of the messages that `add` writes.
static outcome import_made_up(void (*add)(nav_buffer *out, world_writer *w))
{
    world_writer w;
    nav_buffer b = {0};
    ck_assert(world_writer_open(&w, temp_path("made_up")));
    add(&b, &w);
    nav_buffer_deinit(&b);
    ck_assert(world_writer_commit(&w));
    world_writer_discard(&w);
    return run_navctl("world", "import", temp_path("made_up"), "-c", second.socket, NULL);
}

static void add(world_writer *w, nav_buffer *b, nav_status encoded)
{
    ck_assert_int_eq(encoded, NAV_OK);
    ck_assert(world_writer_add(w, b, 1));
    b->size = 0;
}

static void add_open(nav_buffer *b, world_writer *w)
{
    np_world_open_request r = {.name = np_str_of("made_up"), .create = true};
    add(w, b, np_encode_world_open_request(b, 1, &r));
}

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
static const uint32_t corner_indices[3] = {0, 2, 1};

static void add_mesh(nav_buffer *b, world_writer *w, bool right_hash, uint32_t vertices)
{
    uint8_t data[48];
    memcpy(data, corners, 36);
    memcpy(data + 36, corner_indices, 12);
    np_mesh_put_request r = {
        .hash = nav_mesh_hash(corners, 3, corner_indices, 1), .vertices = vertices, .triangles = 1, .data = {data, 48}};
    r.hash.low += !right_hash;
    add(w, b, np_encode_mesh_put_request(b, 2, &r));
}

static void add_instance(nav_buffer *b, world_writer *w, nav_key mesh)
{
    np_op op = {.kind = NP_OP_PUT_INSTANCE,
                .id = 1,
                .u.instance = {.mesh = mesh, .transform = NAV_TRANSFORM_IDENTITY, .area = 63}};
    np_world_edit_request r = {.op_count = 1, .ops = &op};
    add(w, b, np_encode_world_edit_request(b, 3, &r));
    w->counts.objects++;
}

static void another_hash(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    add_mesh(b, w, false, 3);
}

static void mesh_twice(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    add_mesh(b, w, true, 3);
    add_mesh(b, w, true, 3);
    w->counts.meshes = 2;
}

static void mesh_of_another_file(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    add_instance(b, w, (nav_key){1, 2});
}

static void two_thirty_one_vertices(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    add_mesh(b, w, true, UINT32_C(1) << 31);
}

static void no_open(nav_buffer *b, world_writer *w)
{
    add_mesh(b, w, true, 3);
}

static void edit_before_mesh(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    np_world_edit_request r = {.op_count = 0};
    add(w, b, np_encode_world_edit_request(b, 3, &r));
    add_mesh(b, w, true, 3);
}

static void another_method(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    np_jobs_cancel_request r = {.has_world = true, .world = 1};
    add(w, b, np_encode_jobs_cancel_request(b, 3, &r));
}

static void removal(nav_buffer *b, world_writer *w)
{
    np_op op = {.kind = NP_OP_REMOVE_INSTANCE, .id = 1};
    np_world_edit_request r = {.op_count = 1, .ops = &op};
    add_open(b, w);
    add(w, b, np_encode_world_edit_request(b, 3, &r));
}

static void fewer_objects(nav_buffer *b, world_writer *w)
{
    add_open(b, w);
    w->counts.objects = 3;
}

static void nothing(nav_buffer *b, world_writer *w)
{
    (void)b, (void)w;
}

static const struct {
    void (*add)(nav_buffer *b, world_writer *w);
    const char *words;
} made_up[] = {{another_hash, "does not have that hash"},
               {mesh_twice, "comes twice"},
               {mesh_of_another_file, "which is not in it"},
               {two_thirty_one_vertices, "max_mesh_bytes"},
               {no_open, "has no place there"},
               {edit_before_mesh, "has no place there"},
               {another_method, "jobs.cancel"},
               {removal, "more than put objects"},
               {fewer_objects, "0 objects"},
               {nothing, "holds nothing"}};

START_TEST(content_that_no_export_would_write_is_refused_before_the_daemon_is_told_anything)
{
    outcome r = import_made_up(made_up[_i].add);
    EXPECT_CODE(r, 4);
    ck_assert_msg(strstr(r.err, made_up[_i].words) != NULL, "expected: %s; %s", made_up[_i].words, r.err);
    ck_assert_uint_eq(daemon_stat(&second, "worlds"), 0);
    ck_assert_uint_eq(daemon_stat(&second, "meshes"), 0);
}
END_TEST

START_TEST(an_import_that_the_daemon_refuses_half_way_leaves_nothing)
{
    static const char *const few[] = {"--max-objects", "3", NULL};
    daemon_process third;
    daemon_options at = {.socket = temp_path("third.sock"), .no_tcp = true, .arguments = few};
    push_yard();
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", temp_path("w"), "-c", first.socket, NULL), 0);
    daemon_launch(&third, &at);
    outcome r = run_navctl("world", "import", temp_path("w"), "-c", third.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "max-objects") && strstr(r.err, "is deleted again"), "%s", r.err);
    ck_assert_uint_eq(daemon_stat(&third, "worlds"), 0);
    ck_assert_int_eq(daemon_stop(&third), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world_refused");
    TCase *t = tcase_create("world_refused");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    tcase_add_checked_fixture(t, pair_start, pair_stop);
    tcase_add_test(t, a_damaged_or_cut_file_is_refused_before_the_daemon_is_told_anything);
    tcase_add_test(t, an_import_that_the_daemon_refuses_half_way_leaves_nothing);
    tcase_add_loop_test(t, content_that_no_export_would_write_is_refused_before_the_daemon_is_told_anything, 0,
                        (int)(sizeof made_up / sizeof *made_up));
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
