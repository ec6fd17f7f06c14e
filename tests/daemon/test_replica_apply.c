// What a leader's commits say, done to the worlds of a second daemon: objects, settings, revisions and ids are the
// same, also where it comes twice; and what a state says, whatever was there before.
#include "daemon/methods/durable.h"
#include "daemon/replica/apply.h"
#include "daemon/work/mesh_job.h"
#include "tests/daemon/stored.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static daemon_fixture leader, follower;
static client author;
static bool with_revisions;      // in dumps
static nav_buffer entries[MOST]; // of the leader's commits; on its thread
static size_t entry_count, applied;

static void note_end(void *user, nd_commit *c, nav_status status)
{
    (void)user;
    ck_assert_int_eq(status, NAV_OK);
    ck_assert_uint_lt(entry_count, MOST);
    ck_assert_int_eq(nd_plan_pick((nd_bytes){c->log.records.data, c->log.records.size}, &entries[entry_count]), NAV_OK);
    entry_count += entries[entry_count].size > 0;
}

static void listen_to(nd_server *s, void *user)
{
    (void)user;
    nd_server_service(s)->methods->log = (nd_commit_hook){.ended = note_end};
}

// --- meshes ---

typedef struct carried {
    nav_key hash;
    nd_mesh_job job;
} carried;

static void read_mesh(nd_server *s, void *user)
{
    carried *c = user;
    const nd_mesh *m = nd_mesh_store_find(nd_server_service(s)->methods->meshes, &c->hash);
    ck_assert_ptr_nonnull(m);
    c->job = (nd_mesh_job){.vertices = m->vertices, .triangles = m->triangles, .form = m->form, .hash = c->hash};
    ck_assert_int_eq(nav_buffer_append(&c->job.bytes, m->source.data, m->source.size), NAV_OK);
}

static void write_mesh(nd_server *s, void *user)
{
    carried *c = user;
    nd_methods *m = nd_server_service(s)->methods;
    nd_mesh *mesh;
    if (nd_mesh_store_find(m->meshes, &c->hash)) return;
    c->job.memory = m->meshes->memory;
    nd_mesh_job_run(&c->job);
    ck_assert_int_eq(c->job.status, NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(m->meshes, c->job.mesh, &mesh), NAV_OK);
    ck_assert_int_eq(
        nd_mesh_store_keep_source(m->meshes, mesh, &c->job.bytes, c->job.vertices, c->job.triangles, c->job.form),
        NAV_OK);
}

static void carry_meshes(const nd_plan *p)
{
    for (uint32_t i = 0; i < p->mesh_count; i++) {
        carried c = {.hash = p->meshes[i]};
        fixture_call(&leader, read_mesh, &c);
        fixture_call(&follower, write_mesh, &c);
        nav_buffer_deinit(&c.job.bytes);
    }
}

// --- plans ---

typedef struct application {
    nd_apply apply;
    nd_plan plan;
    bool is_state;
    nav_status status;
    char why[ND_APPLY_WHY_BYTES];
    sem_t done;
} application;

static void applied_it(void *user, nav_status status, const char *why)
{
    application *a = user;
    a->status = status;
    snprintf(a->why, sizeof a->why, "%s", why);
    sem_post(&a->done);
}

static void start_it(nd_server *s, void *user)
{
    application *a = user;
    a->apply.methods = nd_server_service(s)->methods;
    nd_apply_start(&a->apply, &a->plan, a->is_state);
}

static uint64_t made_anew;

static nav_status apply(const nav_buffer *records, bool is_state)
{
    application a = {.is_state = is_state};
    nav_buffer copy = {0};
    a.apply.done = applied_it;
    a.apply.user = &a;
    sem_init(&a.done, 0, 0);
    ck_assert_int_eq(nav_buffer_append(&copy, records->data, records->size), NAV_OK);
    ck_assert_int_eq(nd_plan_read(&a.plan, &copy), NAV_OK);
    carry_meshes(&a.plan);
    fixture_call(&follower, start_it, &a);
    while (sem_wait(&a.done)) {
    }
    sem_destroy(&a.done);
    made_anew += a.apply.worlds_made;
    return a.status;
}

// --- all that worlds are, in one order ---

static int compare_worlds(const void *a, const void *b)
{
    const nd_world *const *p = a, *const *q = b;
    return ((*p)->id > (*q)->id) - ((*p)->id < (*q)->id);
}

static int compare_objects(const void *a, const void *b)
{
    const nd_object *const *p = a, *const *q = b;
    return ((*p)->id > (*q)->id) - ((*p)->id < (*q)->id);
}

typedef struct objects {
    const nd_object **list;
    size_t count;
} objects;

static void add_object(void *user, nd_node *n)
{
    objects *all = user;
    all->list[all->count++] = ND_HOLDER(n, nd_object, node);
}

static void dump_world(nav_buffer *out, const nd_world *w)
{
    ck_assert_int_eq(nd_change_head(out, w), NAV_OK);
    if (with_revisions) ck_assert_int_eq(nd_change_revision(out, w->id, w->revision, 0), NAV_OK);
    for (int k = 0; k < ND_KIND_COUNT; k++) {
        objects all = {calloc(w->objects[k].count + 1, sizeof *all.list), 0};
        nd_table_each((nd_table *)&w->objects[k], add_object, &all);
        qsort(all.list, all.count, sizeof *all.list, compare_objects);
        for (size_t i = 0; i < all.count; i++) {
            const np_op op = nd_object_to_op(all.list[i]);
            ck_assert_int_eq(nd_change_object(out, w->id, &op), NAV_OK);
        }
        free(all.list);
    }
}

static void dump(nd_server *s, void *user)
{
    const nd_worlds *worlds = nd_server_service(s)->methods->worlds;
    nd_world **list = calloc(worlds->count + 1, sizeof *list);
    memcpy(list, worlds->list, worlds->count * sizeof *list);
    qsort(list, worlds->count, sizeof *list, compare_worlds);
    for (size_t i = 0; i < worlds->count; i++) dump_world(user, list[i]);
    free(list);
}

static void must_be_the_same(void)
{
    nav_buffer a = {0}, b = {0};
    fixture_call(&leader, dump, &a);
    fixture_call(&follower, dump, &b);
    ck_assert_uint_eq(a.size, b.size);
    size_t at = 0;
    while (at < a.size && a.data[at] == b.data[at]) at++;
    ck_assert_msg(at == a.size, "they differ from byte %zu of %zu on", at, a.size);
    nav_buffer_deinit(&a);
    nav_buffer_deinit(&b);
}

// What the leader has done since is done there, some of it twice.
static void catch_up(void)
{
    for (; applied < entry_count; applied++) {
        ck_assert_int_eq(apply(&entries[applied], false), NAV_OK);
        if (applied % 2) ck_assert_int_eq(apply(&entries[applied], false), NAV_OK);
    }
    must_be_the_same();
}

// --- tests ---

static void setup(void)
{
    stored_setup();
    fixture_start(&leader, stored_use);
    ck_assert_msg(leader.status == NAV_OK, "%s", leader.why);
    fixture_call(&leader, listen_to, NULL);
    client_connect(&author, &leader);
    fixture_start(&follower, NULL);
    entry_count = applied = 0;
    made_anew = 0;
    with_revisions = true;
}

static void teardown(void)
{
    client_close(&author);
    fixture_stop(&leader);
    fixture_stop(&follower);
    for (size_t i = 0; i < entry_count; i++) nav_buffer_deinit(&entries[i]);
    memset(entries, 0, sizeof entries);
    stored_teardown();
}

static void change_profile(const char *name, const nav_settings *settings, bool removes)
{
    np_error err = {0};
    const np_world_profile_request r = {
        .world = author.world, .name = np_str_of(name), .settings = *settings, .remove = removes};
    np_world_profile_response out;
    ck_assert_msg(client_call(&author, NP_WORLD_PROFILE, &r, &out, &err) == NAV_OK, "%s", err.message);
}

static void change_profiles(void)
{
    nav_settings s;
    np_profile runner = {.name = np_str_of("runner")};
    np_world_open_response opened;
    np_world_open_request r = {.name = np_str_of("w"), .profile_count = 1, .profiles = &runner};
    np_error err = {0};
    nav_settings_default(&s);
    s.agent_radius_m = 0.25f;
    runner.settings = s;
    ck_assert_msg(client_call(&author, NP_WORLD_OPEN, &r, &opened, &err) == NAV_OK, "%s", err.message);
    s.tile_cells = 48; // another grid: it moves into another slot
    change_profile("runner", &s, false);
    catch_up();
    s.agent_radius_m = 0.75f; // the same grid
    change_profile("runner", &s, false);
    client_settle(&author);
    change_profile("walker", &s, true);
    client_settle(&author);
    change_profile("jumper", &s, false); // into the slot that is free
    s.tile_cells = 40;
    change_profile("jumper", &s, false);
    const np_world_origin_request origin = {.world = author.world, .origin_m = {1, 0, 2}};
    np_world_origin_response moved;
    ck_assert_int_eq(client_call(&author, NP_WORLD_ORIGIN, &origin, &moved, &err), NAV_OK);
    client_settle(&author);
    catch_up();
}

static void change_head(void)
{
    np_error err = {0};
    np_area water = {.id = 3, .name = np_str_of("water"), .cost = 4, .walkable = true};
    const np_world_areas_request areas = {.world = author.world, .has_areas = true, .area_count = 1, .areas = &water};
    np_world_areas_response set;
    ck_assert_msg(client_call(&author, NP_WORLD_AREAS, &areas, &set, &err) == NAV_OK, "%s", err.message);
    const np_seed seed = {.at = {1, 0, 1}};
    const np_op ops[] = {
        {.kind = NP_OP_SET_REACH, .u.reach = {.unreachable = NAV_UNREACHABLE_DROP, .seed_count = 1, .seeds = &seed}},
        {.kind = NP_OP_SET_BUILD, .u.build = {NP_BUILD_WATCHED, 12}},
        op_move(2, 4, 1, 4)};
    ck_assert_msg(client_edit(&author, ops, 3, NULL, &err) == NAV_OK, "%s", err.message);
    catch_up();
    const np_op off = {.kind = NP_OP_SET_REACH};
    ck_assert_int_eq(client_edit(&author, &off, 1, NULL, &err), NAV_OK);
    catch_up();
}

START_TEST(what_a_leader_commits_is_done_to_a_second_daemon)
{
    np_error err = {0};
    stored_make_scene(&author);
    catch_up();
    const np_op named[] = {{.kind = NP_OP_PUT_VOLUME, .id = 9, .name = np_str_of("pit"), .u = stored_volume(9).u},
                           op_remove(1)};
    ck_assert_int_eq(client_edit(&author, named, 2, NULL, &err), NAV_OK);
    const np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {{-100, -100}, {100, 100}}};
    ck_assert_int_eq(client_edit(&author, &dirty, 1, NULL, &err), NAV_OK);
    catch_up();
    change_profiles();
    change_head();
    ck_assert_int_eq(
        client_call(&author, NP_WORLD_DELETE, &(np_world_delete_request){author.world}, &(np_none){0}, &err), NAV_OK);
    catch_up();
    const np_world_open_request again = {.name = np_str_of("w"), .create = true}; // another world
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&author, NP_WORLD_OPEN, &again, &opened, &err), NAV_OK);
    catch_up();
    ck_assert_uint_eq(made_anew, 0);
}
END_TEST

START_TEST(an_edit_that_goes_on_over_turns_is_one_edit_there)
{
    enum { MANY = 3000 };
    np_error err = {0};
    np_op *ops = calloc(MANY, sizeof *ops);
    stored_make_scene(&author);
    for (uint32_t i = 0; i < MANY; i++) ops[i] = stored_volume(100 + i);
    fixture_pace(&follower, 64);
    ck_assert_int_eq(client_edit(&author, ops, MANY, NULL, &err), NAV_OK);
    for (uint32_t i = 0; i < MANY; i++) ops[i] = (np_op){.kind = NP_OP_REMOVE_VOLUME, .id = 100 + i};
    ck_assert_int_eq(client_edit(&author, ops, MANY - 1, NULL, &err), NAV_OK);
    catch_up();
    free(ops);
}
END_TEST

START_TEST(a_state_makes_a_world_what_it_says)
{
    np_error err = {0};
    nav_buffer state = {0};
    stored_make_scene(&author);
    fixture_call(&leader, dump, &state);
    ck_assert_int_eq(apply(&state, true), NAV_OK); // nothing was there
    must_be_the_same();
    applied = entry_count;
    change_profiles();
    change_head();
    ck_assert_int_eq(apply(&state, true), NAV_OK); // back, with slots that others have
    nav_buffer again = {0};
    ck_assert_int_eq(client_edit(&author, &(np_op){.kind = NP_OP_REMOVE_LINK, .id = 5}, 1, NULL, &err), NAV_OK);
    fixture_call(&leader, dump, &again);
    ck_assert_int_eq(apply(&again, true), NAV_OK);
    with_revisions = false; // they never go back
    must_be_the_same();
    nav_buffer_deinit(&state);
    nav_buffer_deinit(&again);
}
END_TEST

START_TEST(a_state_with_entries_behind_it_is_the_world_that_they_leave)
{
    np_error err = {0};
    nav_buffer all = {0};
    stored_make_scene(&author);
    for (uint64_t id = 100; id < 140; id++) {
        const np_op op = stored_volume(id);
        ck_assert_int_eq(client_edit(&author, &op, 1, NULL, &err), NAV_OK);
    }
    catch_up();
    fixture_call(&leader, dump, &all);
    for (uint64_t id = 100; id < 140; id += 2) {
        const np_op op = {.kind = NP_OP_REMOVE_VOLUME, .id = id};
        ck_assert_int_eq(client_edit(&author, &op, 1, NULL, &err), NAV_OK);
    }
    ck_assert_int_eq(client_edit(&author, &(np_op){.kind = NP_OP_REMOVE_INSTANCE, .id = 1}, 1, NULL, &err), NAV_OK);
    for (; applied < entry_count; applied++)
        ck_assert_int_eq(nav_buffer_append(&all, entries[applied].data, entries[applied].size), NAV_OK);
    ck_assert_int_eq(apply(&all, true), NAV_OK);
    must_be_the_same();
    ck_assert_uint_eq(made_anew, 0);
    nav_buffer_deinit(&all);
}
END_TEST

// The world's head with profiles in each other's slots.
static void dump_crossed(nd_server *s, void *user)
{
    const nd_world *w = nd_server_service(s)->methods->worlds->list[0];
    nd_profile_list l;
    ck_assert_int_eq(nd_profile_list_of(w, &l), NAV_OK);
    ck_assert_uint_eq(l.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        l.profiles[i].has_slot = true;
        l.profiles[i].slot = 1 - i;
    }
    ck_assert_int_eq(nd_change_head_to(user, w, &l), NAV_OK);
    nd_profile_list_deinit(&l);
}

static void check_crossed(nd_server *s, void *user)
{
    const nd_world *w = nd_server_service(s)->methods->worlds->list[0];
    (void)user;
    ck_assert_uint_eq(nd_world_find_profile(w, np_str_of("walker")), 1);
    ck_assert_uint_eq(nd_world_find_profile(w, np_str_of("runner")), 0);
}

START_TEST(a_state_that_does_not_fit_makes_the_world_anew)
{
    np_error err = {0};
    nav_buffer crossed = {0};
    np_profile runner = {.name = np_str_of("runner")};
    nav_settings_default(&runner.settings);
    const np_world_open_request r = {.name = np_str_of("w"), .profile_count = 1, .profiles = &runner};
    np_world_open_response opened;
    stored_make_scene(&author);
    ck_assert_int_eq(client_call(&author, NP_WORLD_OPEN, &r, &opened, &err), NAV_OK);
    catch_up();
    fixture_call(&leader, dump_crossed, &crossed);
    ck_assert_int_eq(apply(&crossed, false), NAV_ERR_FORMAT);
    ck_assert_int_eq(apply(&crossed, true), NAV_OK);
    ck_assert_uint_eq(made_anew, 1);
    fixture_call(&follower, check_crossed, NULL);
    nav_buffer_deinit(&crossed);
}
END_TEST

START_TEST(bytes_that_are_no_records_are_refused)
{
    nav_buffer all = {0};
    stored_make_scene(&author);
    fixture_call(&leader, dump, &all);
    uint64_t chance = 11;
    for (int round = 0; round < 4000; round++) {
        nav_buffer copy = {0};
        nd_plan plan = {0};
        chance = nd_hash_u64(chance + 1);
        size_t size = round % 2 ? all.size : chance % all.size;
        ck_assert_int_eq(nav_buffer_append(&copy, all.data, size), NAV_OK);
        if (size) copy.data[(chance >> 20) % size] ^= (uint8_t)(1 << (chance >> 8 & 7));
        (void)(nd_plan_read(&plan, &copy) == NAV_OK); // whatever it says, it reads nothing that is not there
        nd_plan_deinit(&plan);
    }
    nav_buffer_deinit(&all);
    ck_assert_int_eq(apply(&entries[entry_count - 1], false), NAV_ERR_NOT_FOUND); // of a world that is not here
}
END_TEST

int main(void)
{
    Suite *s = suite_create("replica apply");
    TCase *t = tcase_create("apply");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    suite_add_tcase(s, t);
    tcase_add_test(t, what_a_leader_commits_is_done_to_a_second_daemon);
    tcase_add_test(t, an_edit_that_goes_on_over_turns_is_one_edit_there);
    tcase_add_test(t, a_state_makes_a_world_what_it_says);
    tcase_add_test(t, a_state_with_entries_behind_it_is_the_world_that_they_leave);
    tcase_add_test(t, a_state_that_does_not_fit_makes_the_world_anew);
    tcase_add_test(t, bytes_that_are_no_records_are_refused);
    return run_suite(s);
}
