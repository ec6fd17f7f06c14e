// navd_sync() against a daemon played by the test: what goes over the wire when meshes are missing.
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/clients/peer.h"

#include <string.h>

enum { OBJECTS = 3 };

static void take_list(peer *p, uint64_t offset, uint32_t objects, np_world_sync_request *out)
{
    np_error error;
    ck_assert_int_eq(peer_take(p), NP_WORLD_SYNC);
    ck_assert_int_eq(np_decode_world_sync_request(&p->request, out, &error), NAV_OK);
    ck_assert_uint_eq(out->offset, offset);
    ck_assert_uint_eq(out->ids.size, 8 * objects);
    ck_assert(!out->more);
}

static void answer(peer *p, const np_world_sync_response *r)
{
    nav_buffer b = {0};
    peer_send(p, &b, np_encode_world_sync_response(&b, p->request.id, r));
}

static void refuse(peer *p, nav_status status)
{
    nav_buffer b = {0};
    np_error error = {0};
    (void)np_error_set(&error, status, "there is no such list");
    peer_send(p, &b, np_error_encode(&b, p->request.id, &error));
}

static const nav_key lacked[] = {{2, 3}};
static const np_world_sync_response kept = {
    .received = OBJECTS, .complete = true, .missing_count = 1, .missing = lacked, .kept = true};
static const np_world_sync_response applied = {.received = OBJECTS, .complete = true, .applied = true, .added = 3};

static void play(peer *p)
{
    np_world_sync_request r;
    peer_hello(p);
    take_list(p, 0, OBJECTS, &r);
    answer(p, &kept);
    take_list(p, OBJECTS, 0, &r); // the same list: it need not come again
    ck_assert_uint_eq(r.world, 7);
    ck_assert(r.source.size == 5 && !memcmp(r.source.data, "level", 5));
    answer(p, &kept);
    take_list(p, OBJECTS, 0, &r);
    refuse(p, NAV_ERR_STATE); // the daemon has forgotten it
    take_list(p, 0, OBJECTS, &r);
    answer(p, &kept);
    take_list(p, 0, OBJECTS, &r); // another list
    ck_assert_uint_eq(nav_load_u64(r.ids.data + 16), 77);
    answer(p, &kept);
    take_list(p, 0, OBJECTS, &r); // of another source
    answer(p, &kept);
    take_list(p, OBJECTS, 0, &r);
    answer(p, &applied);
    take_list(p, 0, OBJECTS, &r); // nothing is kept of what was applied
    answer(p, &applied);
    peer_take(p);
}

static void sync_once(navd_client *c, const navd_sync_request *r, bool is_applied)
{
    navd_sync_result out;
    ck_assert_msg(navd_sync(c, r, &out) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_int_eq(out.applied, is_applied);
    ck_assert_uint_eq(out.missing_count, !is_applied);
    navd_sync_result_free(&out);
}

START_TEST(a_list_that_the_daemon_keeps_is_sent_once)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play);
    navd_sync_object objects[OBJECTS] = {{.id = 1}, {.id = 2}, {.id = 3}};
    navd_sync_request r = {.world = 7, .source = "level", .objects = objects, .count = OBJECTS};
    sync_once(c, &r, false);
    sync_once(c, &r, false);
    sync_once(c, &r, false);
    objects[2].id = 77;
    sync_once(c, &r, false);
    r.source = "another";
    sync_once(c, &r, false);
    sync_once(c, &r, true);
    sync_once(c, &r, true);
    peer_end(&p, c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client_sync");
    TCase *t = tcase_create("client_sync");
    tcase_add_test(t, a_list_that_the_daemon_keeps_is_sent_once);
    suite_add_tcase(s, t);
    return run_suite(s);
}
