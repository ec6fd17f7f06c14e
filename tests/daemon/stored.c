#include "tests/daemon/stored.h"

#include "daemon/store/world_store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char stored_state[64];

void stored_setup(void)
{
    strcpy(stored_state, "/tmp/navd-state-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(stored_state));
}

void stored_teardown(void)
{
    static const char *const names[] = {"worlds/data.mdb", "worlds/lock.mdb", "worlds", "cache/data.mdb",
                                        "cache/lock.mdb",  "cache",           "lock"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", stored_state, names[i]);
        (void)remove(path);
    }
    ck_assert_int_eq(rmdir(stored_state), 0);
}

void stored_use(nd_config *c)
{
    strcpy(c->state, stored_state);
    c->commit_ms = 1;
}

void stored_use_small_file(nd_config *c)
{
    stored_use(c);
    c->worlds_bytes = 1 << 20;
}

void stored_start(daemon_fixture *f, client *c)
{
    fixture_start(f, stored_use);
    ck_assert_msg(f->status == NAV_OK, "%s", f->why);
    client_connect(c, f);
}

void stored_stop(daemon_fixture *f, client *c)
{
    client_close(c);
    fixture_stop(f);
}

static void gather_writes(nd_server *s, void *user)
{
    nd_writer *w = nd_server_service(s)->methods->store->writer;
    (void)user;
    nd_writer_set_commit_ms(w, 3600000);
    nd_writer_wait_written(w); // what is in the queue has the time of before
}

static void commit(nd_server *s, void *user)
{
    nd_writer *w = nd_server_service(s)->methods->store->writer;
    (void)user;
    nd_writer_set_commit_ms(w, 1);
    nd_writer_flush(w);
}

void stored_gather_writes(daemon_fixture *f)
{
    fixture_call(f, gather_writes, NULL);
}

void stored_commit(daemon_fixture *f)
{
    fixture_call(f, commit, NULL);
}

np_world_open_response stored_open(client *c, const char *name)
{
    np_world_open_request open = {.name = np_str_of(name)};
    np_world_open_response r;
    np_error err;
    nav_status s = client_call(c, NP_WORLD_OPEN, &open, &r, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    c->world = r.world;
    return r;
}

np_op stored_volume(uint64_t id)
{
    np_op op = {.kind = NP_OP_PUT_VOLUME, .id = id};
    const float square[8] = {1, 1, 2, 1, 2, 2, 1, 2};
    memcpy(op.u.volume.points, square, sizeof square);
    op.u.volume.point_count = 4;
    op.u.volume.min_y = -1;
    op.u.volume.max_y = 3;
    op.u.volume.area = 0;
    return op;
}

static np_op link_op(uint64_t id)
{
    np_op op = {.kind = NP_OP_PUT_LINK, .id = id};
    op.u.link = (nav_link){.start = {0, 1, 0},
                           .end = {3, 1, 3},
                           .radius_m = 0.5f,
                           .area = NAV_AREA_DEFAULT,
                           .flags = 1,
                           .id = (uint32_t)id};
    return op;
}

static int compare_ops(const void *a, const void *b)
{
    const np_op *p = a, *q = b;
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    return (p->id > q->id) - (p->id < q->id);
}

uint32_t stored_objects(client *c, np_op *out, uint32_t room)
{
    np_world_objects_request ask = {.world = c->world, .limit = room};
    np_world_objects_response r;
    ck_assert_int_eq(client_call(c, NP_WORLD_OBJECTS, &ask, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.next, 0);
    if (r.object_count > 0) memcpy(out, r.objects, r.object_count * sizeof *out);
    qsort(out, r.object_count, sizeof *out, compare_ops);
    return r.object_count;
}

void stored_make_scene(client *c)
{
    client_open(c);
    nav_key floor = client_put_box(c, 12, 0.5f, 12), box = client_put_box(c, 1, 1, 1);
    const np_op ops[] = {op_put(1, floor, 0, -0.5f, 0), op_put(2, box, 3, 1, 3), op_put(3, box, -3, 1, 3),
                         stored_volume(4), link_op(5)};
    ck_assert_int_eq(client_edit(c, ops, 5, NULL, NULL), NAV_OK);
    const np_op more[] = {op_move(2, 4, 1, 4), op_remove(3)};
    ck_assert_int_eq(client_edit(c, more, 2, NULL, NULL), NAV_OK);
}
