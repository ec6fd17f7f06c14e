// What clients get along with that have neither XXH3 nor zstd: a mesh without its hash, meshes asked for by their
// SHA-256, tiles without compression.
#include "tests/check.h"
#include "tests/daemon/people.h"
#include "tests/folder.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERTICES = 90000, BYTES = 12 * (VERTICES + 1), PART = 1 << 19 }; // above what the loop itself hashes

static uint8_t mesh[BYTES];
static nav_key hash;
static np_digest digest;

static void make_mesh(uint32_t seed)
{
    float *verts = calloc(3 * VERTICES, sizeof *verts);
    const uint32_t triangle[3] = {0, 1, 2};
    for (uint32_t i = 0; i < 3 * VERTICES; i++) verts[i] = (float)((i * 37 + seed) % 1000);
    memcpy(mesh, verts, 12 * VERTICES);
    memcpy(mesh + 12 * VERTICES, triangle, sizeof triangle);
    hash = nav_mesh_hash(verts, VERTICES, triangle, 1);
    SHA256(mesh, BYTES, digest.bytes);
    free(verts);
}

// The last part has this hash, the others none. The answer to the last one.
static nav_status send_unnamed(client *c, nav_key last, np_mesh_put_response *r, np_error *err)
{
    nav_status s = NAV_OK;
    for (uint32_t at = 0; at < BYTES && s == NAV_OK; at += PART) {
        uint32_t size = BYTES - at < PART ? BYTES - at : PART;
        np_mesh_put_request put = {.vertices = VERTICES, .triangles = 1, .offset = at, .data = {mesh + at, size}};
        if (at + size == BYTES) put.hash = last;
        s = client_call(c, NP_MESH_PUT, &put, r, err);
        if (at + size < BYTES) ck_assert(s == NAV_OK && !r->complete && nav_key_is_zero(r->hash));
    }
    return s;
}

static nav_key key_of(client *c, const np_digest *d)
{
    const np_digest asked[2] = {*d, {{1}}};
    np_mesh_have_request have = {.digest_count = 2, .digests = asked};
    np_mesh_have_response r;
    ck_assert_int_eq(client_call(c, NP_MESH_HAVE, &have, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.missing_count, 0);
    ck_assert_uint_eq(r.key_count, 2);
    ck_assert(nav_key_is_zero(r.keys[1]));
    return r.keys[0];
}

static daemon_fixture daemon_;
static client a;
static char state[64];

static void configure(nd_config *c)
{
    strcpy(c->state, state);
}

static void start_small(nd_config *c)
{
    configure(c);
    c->cache_bytes = 1 << 10; // less than any tile: all come from the disk
}

static void launch(void (*change)(nd_config *c))
{
    fixture_start(&daemon_, change);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
}

static void halt(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static void setup(void)
{
    strcpy(state, "/tmp/navd-state-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    make_mesh(1);
    launch(configure);
}

static void teardown(void)
{
    halt();
    remove_folder(state);
}

START_TEST(a_mesh_that_is_sent_without_its_hash_is_answered_with_it)
{
    np_mesh_put_response r;
    client_open(&a);
    ck_assert_int_eq(send_unnamed(&a, (nav_key){0, 0}, &r, NULL), NAV_OK);
    ck_assert(r.complete && r.received == BYTES);
    ck_assert(nav_key_equal(r.hash, hash));
    np_op put = op_put(1, r.hash, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    // Again: it is there, which shows when all of it has come.
    ck_assert_int_eq(send_unnamed(&a, (nav_key){0, 0}, &r, NULL), NAV_OK);
    ck_assert(r.complete && nav_key_equal(r.hash, hash));
    np_mesh_put_request named = {.hash = hash, .vertices = VERTICES, .triangles = 1, .data = {mesh, PART}};
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &named, &r, NULL), NAV_OK);
    ck_assert(r.complete && nav_key_equal(r.hash, hash));
}
END_TEST

START_TEST(a_hash_that_comes_with_the_last_part_is_checked)
{
    np_mesh_put_response r;
    np_error err;
    client_open(&a);
    ck_assert_int_eq(send_unnamed(&a, (nav_key){1, 2}, &r, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.key, "hash");
    ck_assert_int_eq(send_unnamed(&a, hash, &r, &err), NAV_OK);
    ck_assert(r.complete);
}
END_TEST

START_TEST(a_part_without_a_hash_continues_only_a_mesh_of_its_counts)
{
    np_mesh_put_response r;
    np_error err;
    client_open(&a);
    np_mesh_put_request put = {.vertices = VERTICES, .triangles = 1, .offset = PART, .data = {mesh, PART}};
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_ERR_STATE); // none was begun
    put.offset = 0;
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_OK);
    put.offset = PART;
    put.vertices++;
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_ERR_STATE);
    put.vertices--;
    put.hash = (nav_key){1, 2}; // named from now on
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_OK);
    put.offset = 2 * PART;
    put.hash = (nav_key){3, 4};
    put.data.size = 12;
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_ERR_STATE);
}
END_TEST

START_TEST(meshes_are_found_by_their_sha_256_before_and_after_a_restart)
{
    np_mesh_put_response r;
    client_open(&a);
    ck_assert(nav_key_is_zero(key_of(&a, &digest)));
    ck_assert_int_eq(send_unnamed(&a, (nav_key){0, 0}, &r, NULL), NAV_OK);
    ck_assert(nav_key_equal(key_of(&a, &digest), hash));
    np_digest first = digest;
    nav_key first_hash = hash;
    make_mesh(2); // one that comes after the digests were asked for
    ck_assert(nav_key_is_zero(key_of(&a, &digest)));
    ck_assert_int_eq(send_unnamed(&a, (nav_key){0, 0}, &r, NULL), NAV_OK);
    ck_assert(nav_key_equal(key_of(&a, &digest), hash));
    ck_assert(nav_key_equal(key_of(&a, &first), first_hash));
    np_op ops[] = {op_put(1, hash, 0, 0, 0), op_put(2, first_hash, 0, 0, 0)};
    ck_assert_int_eq(client_edit(&a, ops, 2, NULL, NULL), NAV_OK);
    halt();
    launch(configure);
    client_open(&a);
    np_mesh_have_request have = {.digest_count = 1, .digests = &first};
    np_mesh_have_response found;
    fixture_hold_workers(&daemon_); // nobody computes it again, or reads the mesh for it
    ck_assert_int_eq(client_call(&a, NP_MESH_HAVE, &have, &found, NULL), NAV_OK);
    ck_assert(nav_key_equal(found.keys[0], first_hash));
    fixture_release_workers(&daemon_);
}
END_TEST

START_TEST(who_leaves_while_digests_are_computed_costs_nothing)
{
    np_mesh_put_response r;
    np_mesh_have_request have = {.digest_count = 1, .digests = &digest};
    client_open(&a);
    ck_assert_int_eq(send_unnamed(&a, (nav_key){0, 0}, &r, NULL), NAV_OK);
    fixture_hold_workers(&daemon_);
    client_send(&a, NP_MESH_HAVE, &have);
    client_close(&a);
    client_connect(&a, &daemon_);
    client_greet(&a);
    np_none none = {0};
    uint32_t asked = client_send(&a, NP_MESH_HAVE, &have), ping = client_send(&a, NP_PING, &none);
    fixture_release_workers(&daemon_);
    np_mesh_have_response found;
    ck_assert_int_eq(client_wait(&a, NP_MESH_HAVE, asked, &found, NULL), NAV_OK);
    ck_assert(nav_key_equal(found.keys[0], hash));
    ck_assert_int_eq(client_wait(&a, NP_PING, ping, &none, NULL), NAV_OK);
}
END_TEST

static void put_scene(client *c)
{
    nav_key floor = client_put_box(c, 12, 0.5f, 12), box = client_put_box(c, 0.5f, 1, 0.5f);
    np_op ops[] = {op_put(1, floor, 0, 0, 0), op_put(2, box, 2, 1, 2)};
    ck_assert_int_eq(client_edit(c, ops, 2, NULL, NULL), NAV_OK);
}

static uint64_t subscribe(client *c, np_encoding e, np_compression compression)
{
    np_tiles_subscribe_request r = {
        .world = c->world, .profile = np_str_of("walker"), .encoding = e, .compression = compression};
    np_tiles_subscribe_response answer;
    ck_assert_int_eq(client_call(c, NP_TILES_SUBSCRIBE, &r, &answer, NULL), NAV_OK);
    return answer.subscription;
}

// All tiles of the one subscription came as well in the other, uncompressed, and are the same.
static void check_pair(const client *c, uint64_t packed, uint64_t plain)
{
    size_t pairs = 0, seen[2] = {0, 0};
    for (size_t i = 0; i < c->tile_count; i++) {
        const seen_tile *t = &c->tiles[i];
        ck_assert(t->data_good);
        if (t->subscription == packed) seen[0]++;
        if (t->subscription != plain) continue;
        seen[1]++;
        ck_assert(!t->compressed);
        for (size_t k = 0; k < c->tile_count; k++) {
            const seen_tile *o = &c->tiles[k];
            if (o->subscription != packed || o->x != t->x || o->z != t->z || o->revision != t->revision) continue;
            ck_assert(o->compressed || !o->data_bytes);
            ck_assert_uint_eq(o->size, t->size);
            ck_assert(nav_key_equal(o->data_key, t->data_key));
            pairs += o->data_bytes > 0;
        }
    }
    ck_assert_uint_eq(seen[0], seen[1]);
    ck_assert_uint_ge(pairs, 36);
}

START_TEST(uncompressed_tiles_are_the_same_tiles_in_all_encodings)
{
    uint64_t ids[3][2];
    client_open(&a);
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 2; k++) ids[e][k] = subscribe(&a, (np_encoding)e, (np_compression)k);
    put_scene(&a);
    client_settle(&a);
    for (int e = 0; e < 3; e++) check_pair(&a, ids[e][0], ids[e][1]);
    for (size_t i = 0; i < a.tile_count; i++) // a tile itself
        if (a.tiles[i].subscription == ids[NP_ENCODING_DETOUR][1])
            ck_assert_uint_eq(a.tiles[i].data_bytes, a.tiles[i].size);
}
END_TEST

START_TEST(uncompressed_tiles_come_from_the_disk_too)
{
    client_open(&a);
    for (int e = 0; e < 3; e++) subscribe(&a, (np_encoding)e, NP_COMPRESSION_ZSTD);
    put_scene(&a);
    client_settle(&a);
    for (int e = 0; e < 3; e++) {
        halt();
        launch(start_small);
        client_open(&a);
        uint64_t packed = subscribe(&a, (np_encoding)e, NP_COMPRESSION_ZSTD);
        uint64_t plain = subscribe(&a, (np_encoding)e, NP_COMPRESSION_NONE);
        client_settle(&a);
        check_pair(&a, packed, plain);
        ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    }
}
END_TEST

static const np_tile_xz places[] = {{0, -1, NAV_SHEET_UP}, {0, 0, NAV_SHEET_UP}, {77, 77, NAV_SHEET_UP}};

static np_tiles_get_response get_tiles(client *c, np_encoding e, np_compression compression)
{
    np_tiles_get_request get = {.world = c->world,
                                .profile = np_str_of("walker"),
                                .encoding = e,
                                .compression = compression,
                                .tile_count = 3,
                                .tiles = places};
    np_tiles_get_response got;
    ck_assert_int_eq(client_call(c, NP_TILES_GET, &get, &got, NULL), NAV_OK);
    ck_assert_uint_eq(got.tile_count, 3);
    return got;
}

START_TEST(tiles_get_and_tiles_build_answer_uncompressed)
{
    client_open(&a);
    uint64_t plain = subscribe(&a, NP_ENCODING_DETOUR, NP_COMPRESSION_NONE);
    put_scene(&a);
    client_settle(&a);
    np_tiles_get_response got = get_tiles(&a, NP_ENCODING_DETOUR, NP_COMPRESSION_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        const np_tile *t = &got.tiles[i];
        const seen_tile *seen = client_last_tile(&a, t->x, t->z, 0);
        ck_assert(seen->subscription == plain && t->status == NP_TILE_OK);
        ck_assert_uint_eq(t->data.size, t->size);
        ck_assert(nav_key_equal(nav_key_of(t->data.data, t->data.size), seen->data_key));
    }
    ck_assert_int_eq(got.tiles[2].status, NP_TILE_REMOVED);
    uint64_t size = got.tiles[0].size; // the answer is borrowed until the next
    ck_assert_uint_lt(get_tiles(&a, NP_ENCODING_DETOUR, NP_COMPRESSION_ZSTD).tiles[0].data.size, size);

    const float v[4][3] = {{0, 0, 0}, {0, 0, 9}, {9, 0, 9}, {9, 0, 0}};
    const uint32_t t[2][3] = {{0, 1, 2}, {0, 2, 3}};
    np_tiles_build_request build = {.compression = NP_COMPRESSION_NONE,
                                    .last = {1, 1},
                                    .area = NAV_AREA_DEFAULT,
                                    .vertices = {(const uint8_t *)v, sizeof v},
                                    .indices = {(const uint8_t *)t, sizeof t}};
    nav_settings_default(&build.settings);
    build.settings.tile_cells = 16;
    np_tiles_build_response built;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &built, NULL), NAV_OK);
    ck_assert_uint_eq(built.tile_count, 4);
    ck_assert_int_eq(built.tiles[0].status, NP_TILE_OK);
    ck_assert_uint_eq(built.tiles[0].data.size, built.tiles[0].size);
    ck_assert_mem_eq(built.tiles[0].data.data, "NAVT", 4);
    client_send(&a, NP_TILES_BUILD, &build); // who leaves meanwhile costs nothing
    client_close(&a);
    client_connect(&a, &daemon_);
    client_greet(&a);
}
END_TEST

START_TEST(a_sha_256_finds_no_mesh_of_another_namespace)
{
    client red, blue;
    np_mesh_put_response r;
    make_mesh(1);
    people_make_files();
    people_launch(people_configure);
    enter(&red, RED_EDITOR);
    enter(&blue, BLUE_EDITOR);
    ck_assert_int_eq(send_unnamed(&red, (nav_key){0, 0}, &r, NULL), NAV_OK);
    ck_assert(nav_key_equal(key_of(&red, &digest), hash));
    ck_assert(nav_key_is_zero(key_of(&blue, &digest)));
    client_close(&red);
    client_close(&blue);
    people_stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plain clients");
    TCase *c = tcase_create("one daemon");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_mesh_that_is_sent_without_its_hash_is_answered_with_it);
    tcase_add_test(c, a_hash_that_comes_with_the_last_part_is_checked);
    tcase_add_test(c, a_part_without_a_hash_continues_only_a_mesh_of_its_counts);
    tcase_add_test(c, meshes_are_found_by_their_sha_256_before_and_after_a_restart);
    tcase_add_test(c, who_leaves_while_digests_are_computed_costs_nothing);
    tcase_add_test(c, uncompressed_tiles_are_the_same_tiles_in_all_encodings);
    tcase_add_test(c, uncompressed_tiles_come_from_the_disk_too);
    tcase_add_test(c, tiles_get_and_tiles_build_answer_uncompressed);
    suite_add_tcase(s, c);
    TCase *two = tcase_create("two namespaces");
    tcase_add_test(two, a_sha_256_finds_no_mesh_of_another_namespace);
    suite_add_tcase(s, two);
    return run_suite(s);
}
