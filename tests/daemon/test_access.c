// Who gets in, and what they can see and do: roles over every method, namespaces that do not see each other, tokens.
// All in one process, over the Unix socket and TCP.
#include "tests/check.h"
#include "tests/daemon/people.h"
#include "tests/protocol/examples.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void start(void)
{
    people_make_files();
    people_launch(people_configure);
}

static void connect_tcp(client *c)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    a.sin_port = htons((uint16_t)nd_server_port(navd.server));
    memset(c, 0, sizeof *c);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(c->fd, 0);
    ck_assert_int_eq(connect(c->fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(np_reader_init(&c->reader, NULL), NAV_OK);
    c->next_id = 1;
}

// --- roles ---

START_TEST(only_hello_is_for_anybody_and_what_is_no_method_is_for_admins)
{
    for (int m = NP_UNKNOWN + 1; m < NP_METHOD_COUNT; m++) {
        bool for_anybody = np_method_role((np_method)m) == NP_ROLE_NOBODY;
        ck_assert_msg(for_anybody == (m == NP_HELLO), "%s", np_method_name((np_method)m));
    }
    ck_assert_int_eq(np_method_role(NP_UNKNOWN), NP_ROLE_ADMIN);
    ck_assert_int_eq(np_method_role(NP_TILE), NP_ROLE_ADMIN);
    ck_assert_int_eq(np_method_role(NP_METHOD_COUNT), NP_ROLE_ADMIN);
}
END_TEST

static void check_names(const char *row, const char *method)
{
    ck_assert_ptr_nonnull(row);
    ck_assert_msg(strstr(row, method), "%s is not in: %s", method, row);
}

START_TEST(the_protocols_document_has_each_method_under_its_role)
{
    FILE *f = fopen(NAVD_PROTOCOL_MD, "r");
    char *rows[NP_ROLE_ADMIN + 1] = {0};
    char *line = NULL;
    size_t room = 0;
    ck_assert_ptr_nonnull(f);
    while (getline(&line, &room, f) != -1) {
        for (int r = NP_ROLE_READER; r <= NP_ROLE_ADMIN; r++) {
            char head[32];
            snprintf(head, sizeof head, "| `%s` | ", np_role_name((np_role)r));
            if (!rows[r] && !strncmp(line, head, strlen(head))) rows[r] = strdup(line);
        }
    }
#define IS_IN_ITS_ROW(ID, name, wire, role)                                                                            \
    if (NP_##ID != NP_HELLO) check_names(rows[np_method_role(NP_##ID)], "`" wire "`");
    NP_METHOD_LIST(IS_IN_ITS_ROW)
#undef IS_IN_ITS_ROW
    for (int r = NP_ROLE_READER; r <= NP_ROLE_ADMIN; r++) free(rows[r]);
    free(line);
    fclose(f);
}
END_TEST

// Sends an example, with its world's id (7 in all of them) replaced, and reads the answer to it.
static nav_status call_example(client *c, const example *e, uint64_t world, np_error *err, bool *names_world)
{
    static const uint8_t key[] = {0xa5, 'w', 'o', 'r', 'l', 'd', 7};
    uint8_t id[9] = {0xcf};
    nav_buffer out = {0};
    np_message m;
    ck_assert_int_eq(example_encode(e, &out), NAV_OK);
    for (int i = 0; i < 8; i++) id[1 + i] = (uint8_t)(world >> (56 - 8 * i));
    const uint8_t *found = memmem(out.data, out.size, key, sizeof key);
    size_t before = found ? (size_t)(found - out.data) + sizeof key - 1 : out.size;
    *names_world = found != NULL;
    client_send_bytes(c, out.data, before);
    if (found) client_send_bytes(c, id, sizeof id);
    if (found) client_send_bytes(c, out.data + before + 1, out.size - before - 1);
    nav_buffer_deinit(&out);
    for (;;) {
        ck_assert_msg(client_read(c, &m), "%s: the daemon closed the connection", e->name);
        bool mine = m.kind == NP_RESPONSE && m.id == e->id;
        nav_status s = mine && m.error ? np_error_decode(&m, err) : NAV_OK;
        np_message_deinit(&m);
        if (mine) return s;
    }
}

// Is it a call that answers at once, whatever stands in it?
static bool is_asked(const example *e)
{
    return e->kind == NP_REQUEST && e->method != NP_HELLO;
}

static void check_role(int who, np_role role)
{
    client c;
    enter(&c, who);
    int allowed = 0, forbidden = 0;
    for (uint32_t i = 0; i < example_count(); i++) {
        const example *e = example_at(i);
        np_error err = {0};
        bool names_world;
        if (!is_asked(e)) continue;
        nav_status s = call_example(&c, e, 77, &err, &names_world);
        bool creates = e->method == NP_WORLD_OPEN && ((const np_world_open_request *)e->message)->create;
        bool changes = creates || (e->method == NP_VIEW_OPEN && ((const np_view_open_request *)e->message)->edit);
        bool may = role >= np_method_role(e->method) && (!changes || role >= NP_ROLE_EDITOR);
        ck_assert_msg((s == NAV_ERR_FORBIDDEN) == !may, "%s as %s: %s: %s", e->name, np_role_name(role),
                      nav_status_name(s), err.message);
        if (!may) ck_assert_msg(strstr(err.message, np_role_name(role)), "%s", err.message);
        *(may ? &allowed : &forbidden) += 1;
    }
    ck_assert_int_gt(allowed, 0);
    ck_assert_int_eq(forbidden > 0, role < NP_ROLE_ADMIN);
    client_close(&c);
}

START_TEST(a_role_may_call_what_the_table_says_and_nothing_else)
{
    check_role(RED_READER, NP_ROLE_READER);
    check_role(BLUE_ADMIN, NP_ROLE_ADMIN);
}
END_TEST

START_TEST(a_reader_opens_a_world_but_adds_nothing_to_it)
{
    client ed, rita;
    np_error err = {0};
    enter(&ed, RED_EDITOR);
    enter(&rita, RED_READER);
    ck_assert_int_eq(open_world(&ed, "w", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&rita, "w", false, NULL), NAV_OK);
    ck_assert_uint_eq(ed.world, rita.world);
    ck_assert_int_eq(open_world(&rita, "w", true, NULL), NAV_OK); // with the profile that it has
    np_profile other = {.name = np_str_of("other")};
    nav_settings_default(&other.settings);
    np_world_open_request open = {.name = np_str_of("w"), .profile_count = 1, .profiles = &other};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&rita, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_FORBIDDEN);
    ck_assert_msg(strstr(err.message, "add a profile"), "%s", err.message);
    client_subscribe(&rita, NP_ENCODING_NAVD);
    np_op put = op_put(1, client_put_box(&ed, 3, 0.5f, 3), 0, 0, 0);
    ck_assert_int_eq(client_edit(&rita, &put, 1, NULL, &err), NAV_ERR_FORBIDDEN);
    ck_assert_int_eq(client_edit(&ed, &put, 1, NULL, &err), NAV_OK);
    client_settle(&rita);
    ck_assert_uint_gt(rita.tile_count, 0);
    client_close(&ed);
    client_close(&rita);
}
END_TEST

// --- namespaces ---

START_TEST(a_world_of_another_namespace_is_not_found_by_any_method)
{
    client red, blue;
    enter(&red, RED_EDITOR);
    enter(&blue, BLUE_EDITOR);
    ck_assert_int_eq(open_world(&red, "secret", true, NULL), NAV_OK);
    int asked = 0;
    for (uint32_t i = 0; i < example_count(); i++) {
        const example *e = example_at(i);
        np_error err = {0};
        bool names_world;
        if (!is_asked(e) || np_method_role(e->method) > NP_ROLE_EDITOR) continue;
        nav_status s = call_example(&blue, e, red.world, &err, &names_world);
        if (!names_world) continue;
        asked++;
        ck_assert_msg(s == NAV_ERR_NOT_FOUND && !strcmp(err.key, "world"), "%s: %s: %s", e->name, nav_status_name(s),
                      err.message);
        // In its own namespace the same call gets further.
        s = call_example(&red, e, red.world, &err, &names_world);
        ck_assert_msg(s != NAV_ERR_NOT_FOUND || strcmp(err.key, "world") != 0, "%s: %s", e->name, err.message);
        if (e->method == NP_WORLD_DELETE) ck_assert_int_eq(open_world(&red, "secret", true, NULL), NAV_OK);
    }
    ck_assert_int_ge(asked, 10);
    client_close(&red);
    client_close(&blue);
}
END_TEST

static bool has_counter(client *c, const char *name)
{
    np_stats_request ask = {0};
    np_stats_response r;
    ck_assert_int_eq(client_call(c, NP_STATS, &ask, &r, NULL), NAV_OK);
    for (uint32_t i = 0; i < r.counter_count; i++)
        if (np_str_equal(r.counters[i].name, name)) return true;
    return false;
}

START_TEST(stats_are_of_the_own_namespace_for_all_but_admins)
{
    client reader, red, blue, ada;
    enter(&reader, RED_READER);
    enter(&red, RED_EDITOR);
    enter(&blue, BLUE_EDITOR);
    enter(&ada, BLUE_ADMIN);
    ck_assert_int_eq(open_world(&red, "one", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&blue, "one", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&blue, "two", true, NULL), NAV_OK);
    nav_key box = client_put_box(&blue, 1, 0.5f, 1);
    np_op op = op_put(1, box, 0, 0, 0);
    ck_assert_int_eq(client_edit(&blue, &op, 1, NULL, NULL), NAV_OK);
    ck_assert_uint_eq(client_stat(&reader, "worlds"), 1);
    ck_assert_uint_eq(client_stat(&reader, "instances"), 0);
    ck_assert_uint_eq(client_stat(&reader, "tiles"), 0);
    ck_assert_uint_eq(client_stat(&reader, "mesh_bytes"), 0);
    ck_assert_uint_eq(client_stat(&reader, "sessions"), 2);
    ck_assert_uint_eq(client_stat(&blue, "worlds"), 2);
    ck_assert_uint_eq(client_stat(&blue, "instances"), 1);
    ck_assert_uint_eq(client_stat(&ada, "worlds"), 3);
    ck_assert_uint_eq(client_stat(&ada, "sessions"), 4);
    const char *const totals[] = {"edits", "requests", "bytes_in", "cache_bytes", "jobs_built", "rss_bytes"};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        ck_assert_msg(!has_counter(&reader, totals[i]) && !has_counter(&red, totals[i]), "%s", totals[i]);
        ck_assert_msg(has_counter(&ada, totals[i]), "%s", totals[i]);
    }
    client_close(&reader);
    client_close(&red);
    client_close(&blue);
    client_close(&ada);
}
END_TEST

START_TEST(names_of_worlds_are_a_namespaces_own)
{
    client red, blue;
    np_error err = {0};
    enter(&red, RED_EDITOR);
    enter(&blue, BLUE_EDITOR);
    ck_assert_int_eq(open_world(&red, "level", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&blue, "level", false, &err), NAV_ERR_NOT_FOUND);
    np_world_list_request ask = {0};
    np_world_list_response list;
    ck_assert_int_eq(client_call(&blue, NP_WORLD_LIST, &ask, &list, NULL), NAV_OK);
    ck_assert_uint_eq(list.world_count, 0);
    ck_assert_int_eq(open_world(&blue, "level", true, NULL), NAV_OK);
    ck_assert_uint_ne(red.world, blue.world);
    ck_assert_int_eq(client_call(&blue, NP_WORLD_LIST, &ask, &list, NULL), NAV_OK);
    ck_assert_uint_eq(list.world_count, 1);
    client_close(&red);
    client_close(&blue);
}
END_TEST

START_TEST(knowing_the_hash_of_a_mesh_gives_nothing_of_it_away)
{
    client red, blue;
    np_error err = {0};
    enter(&red, RED_EDITOR);
    enter(&blue, BLUE_EDITOR);
    ck_assert_int_eq(open_world(&red, "level", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&blue, "level", true, NULL), NAV_OK);
    nav_key hash = client_put_box(&red, 3, 0.5f, 3);
    np_op put = op_put(1, hash, 0, 0, 0);
    ck_assert_int_eq(client_edit(&red, &put, 1, NULL, NULL), NAV_OK);
    ck_assert(has_mesh(&red, hash));
    ck_assert(!has_mesh(&blue, hash));
    ck_assert_int_eq(client_edit(&blue, &put, 1, NULL, &err), NAV_ERR_NOT_FOUND);
    np_mesh_get_request get = {.hash = hash};
    np_mesh_get_response got;
    ck_assert_int_eq(client_call(&blue, NP_MESH_GET, &get, &got, NULL), NAV_ERR_NOT_FOUND);
    ck_assert_int_eq(client_call(&red, NP_MESH_GET, &get, &got, NULL), NAV_OK);
    // Announcing it is not having it: the bytes have to come.
    np_mesh_put_request empty = {.hash = hash, .vertices = 8, .triangles = 12};
    np_mesh_put_response r;
    ck_assert_int_ne(client_call(&blue, NP_MESH_PUT, &empty, &r, NULL), NAV_OK);
    ck_assert(!has_mesh(&blue, hash));
    ck_assert(nav_key_equal(client_put_box(&blue, 3, 0.5f, 3), hash));
    ck_assert(has_mesh(&blue, hash));
    ck_assert_int_eq(client_edit(&blue, &put, 1, NULL, NULL), NAV_OK);
    client_close(&red);
    client_close(&blue);
}
END_TEST

START_TEST(an_admin_names_any_namespace_others_only_their_own)
{
    client red, c;
    np_hello_response r;
    np_error err = {0};
    enter(&red, RED_EDITOR);
    ck_assert_int_eq(open_world(&red, "level", true, NULL), NAV_OK);
    client_connect(&c, &navd);
    ck_assert_int_eq(login(&c, tokens[BLUE_ADMIN], "red", &r, &err), NAV_OK);
    ck_assert(np_str_equal(r.space, "red"));
    ck_assert_int_eq(open_world(&c, "level", false, NULL), NAV_OK);
    ck_assert_int_eq(login(&c, tokens[BLUE_EDITOR], NULL, &r, &err), NAV_ERR_STATE); // it is somebody already
    client_close(&c);
    client_connect(&c, &navd);
    ck_assert_int_eq(login(&c, tokens[BLUE_EDITOR], "red", &r, &err), NAV_ERR_FORBIDDEN);
    np_world_list_request ask = {0};
    np_world_list_response list;
    ck_assert_int_eq(client_call(&c, NP_WORLD_LIST, &ask, &list, NULL), NAV_ERR_STATE); // no hello yet
    client_close(&c);
    client_connect(&c, &navd);
    ck_assert_int_eq(login(&c, tokens[BLUE_ADMIN], "../x", &r, &err), NAV_ERR_ARGUMENT);
    client_close(&c);
    client_connect(&c, &navd); // our own user, over the Unix socket, without a token
    ck_assert_int_eq(login(&c, "", "red", &r, &err), NAV_OK);
    ck_assert(np_str_equal(r.role, "admin"));
    client_close(&c);
    client_close(&red);
}
END_TEST

// --- logging in ---

START_TEST(over_tcp_nothing_is_answered_before_a_token)
{
    client c;
    np_hello_response r;
    np_error err = {0};
    bool names_world;
    connect_tcp(&c);
    for (uint32_t i = 0; i < example_count(); i++) {
        if (!is_asked(example_at(i))) continue;
        nav_status s = call_example(&c, example_at(i), 1, &err, &names_world);
        ck_assert_msg(s == NAV_ERR_STATE, "%s: %s", example_at(i)->name, nav_status_name(s));
    }
    ck_assert_int_eq(login(&c, "", NULL, &r, &err), NAV_ERR_UNAUTHENTICATED);
    client_close(&c);
}
END_TEST

static void guess(const char *token)
{
    client c;
    np_hello_response r;
    np_error err = {0};
    connect_tcp(&c);
    ck_assert_int_eq(login(&c, token, NULL, &r, &err), NAV_ERR_UNAUTHENTICATED);
    ck_assert_msg(!strstr(err.message, token), "%s", err.message);
    ck_assert(client_is_closed(&c));
    client_close(&c);
}

START_TEST(a_wrong_token_ends_the_session_and_a_right_one_gets_in_after_it)
{
    char wrong[ND_TOKEN_BYTES];
    client c;
    np_hello_response r;
    np_error err = {0};
    strcpy(wrong, tokens[RED_EDITOR]);
    wrong[ND_TOKEN_BYTES - 2] = wrong[ND_TOKEN_BYTES - 2] == '0' ? '1' : '0';
    guess(wrong);
    guess("navd_nonsense");
    guess(tokens[RED_EDITOR] + 1);
    connect_tcp(&c);
    ck_assert_int_eq(login(&c, tokens[RED_EDITOR], NULL, &r, &err), NAV_OK);
    client_close(&c);
    client_connect(&c, &navd); // by the Unix socket, as the daemon's own user
    client_greet(&c);
    ck_assert_uint_eq(client_stat(&c, "auth_failures"), 3);
    client_close(&c);
}
END_TEST

START_TEST(a_session_that_ends_before_its_refusal_costs_nothing)
{
    client c;
    for (int i = 0; i < 20; i++) {
        connect_tcp(&c);
        np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .token = np_str_of("navd_x")};
        client_send(&c, NP_HELLO, &hello);
        client_close(&c);
    }
    enter(&c, RED_EDITOR);
    client_close(&c);
}
END_TEST

START_TEST(a_token_that_is_taken_back_ends_its_sessions_and_no_others)
{
    client ed, bo;
    np_message m;
    np_error err = {0};
    np_hello_response r;
    enter(&ed, RED_EDITOR);
    enter(&bo, BLUE_EDITOR);
    write_tokens(RED_EDITOR);
    ck_assert(client_read(&ed, &m));
    ck_assert_int_eq(np_error_decode(&m, &err), NAV_ERR_UNAUTHENTICATED);
    ck_assert_msg(strstr(err.message, "revoked"), "%s", err.message);
    np_message_deinit(&m);
    ck_assert(client_is_closed(&ed));
    ck_assert_int_eq(open_world(&bo, "w", true, NULL), NAV_OK);
    client_close(&ed);
    client_connect(&ed, &navd);
    ck_assert_int_eq(login(&ed, tokens[RED_EDITOR], NULL, &r, &err), NAV_ERR_UNAUTHENTICATED);
    client_close(&ed);
    client_close(&bo);
}
END_TEST

// --- connections that have not logged in ---

static void two_unauthenticated(nd_config *c)
{
    people_configure(c);
    c->max_unauthenticated = 2;
}

static void slow_refusals(nd_config *c)
{
    two_unauthenticated(c);
    c->auth_delay_ms = 3600000; // longer than any machine takes for the test
}

static void few_new(nd_config *c)
{
    people_configure(c);
    c->max_new_sessions = 2;
}

static void start_with_few_new(void)
{
    people_make_files();
    people_launch(few_new);
}

static void start_with_two(void)
{
    people_make_files();
    people_launch(two_unauthenticated);
}

// Until so much is counted of what TCP brings in its own time, and it is old enough to give way.
static void some_rounds(client *witness, const char *figure, uint64_t count)
{
    while (client_stat(witness, figure) < count) {
    }
    for (int i = 0; i < 8; i++) (void)client_stat(witness, figure);
}

static void watch(client *witness)
{
    client_connect(witness, &navd);
    client_greet(witness);
}

START_TEST(of_an_address_the_oldest_connection_without_a_login_gives_way_silent_ones_first)
{
    client c[4], witness;
    np_hello_response r;
    np_error err = {0};
    watch(&witness);
    connect_tcp(&c[0]);
    ck_assert_int_eq(login(&c[0], "", NULL, &r, &err), NAV_ERR_UNAUTHENTICATED); // it stays
    connect_tcp(&c[1]);
    some_rounds(&witness, "sessions", 3);
    connect_tcp(&c[2]);
    ck_assert(client_is_closed(&c[1]));
    some_rounds(&witness, "sessions", 3);
    connect_tcp(&c[3]);
    ck_assert(client_is_closed(&c[2]));
    ck_assert_int_eq(login(&c[3], tokens[RED_EDITOR], NULL, &r, &err), NAV_OK);
    ck_assert_int_eq(login(&c[0], tokens[RED_EDITOR], NULL, &r, &err), NAV_OK);
    for (int i = 0; i < 4; i++) client_close(&c[i]);
    client_close(&witness);
}
END_TEST

static void start_slow(void)
{
    people_make_files();
    people_launch(slow_refusals);
}

static void wrong_of(int who, char out[ND_TOKEN_BYTES])
{
    strcpy(out, tokens[who]);
    out[ND_TOKEN_BYTES - 2] = out[ND_TOKEN_BYTES - 2] == '0' ? '1' : '0';
}

// Connects and gives a wrong token, the count-th. The answer waits, unless too many of them do.
static void give(client *witness, client *c, const char *token, uint64_t count)
{
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .token = np_str_of(token)};
    connect_tcp(c);
    client_send(c, NP_HELLO, &hello);
    some_rounds(witness, "auth_failures", count);
}

START_TEST(who_guesses_from_an_address_slows_down_nobody_else_there)
{
    client wrong[4], c, witness;
    char token[ND_TOKEN_BYTES];
    np_hello_response r;
    np_error err = {0};
    watch(&witness);
    for (uint64_t i = 0; i < 2; i++) give(&witness, &wrong[i], "navd_x", i + 1);
    connect_tcp(&c);
    ck_assert_int_eq(login(&c, "navd_x", NULL, &r, &err), NAV_ERR_LIMIT); // it is not even looked at
    client_close(&c);
    connect_tcp(&c);
    ck_assert_int_eq(login(&c, tokens[RED_EDITOR], NULL, &r, &err), NAV_OK);
    client_close(&c);
    wrong_of(RED_EDITOR, token);
    for (uint64_t i = 2; i < 4; i++) give(&witness, &wrong[i], token, i + 1);
    connect_tcp(&c);
    ck_assert_int_eq(login(&c, tokens[RED_EDITOR], NULL, &r, &err), NAV_ERR_LIMIT); // it is this one that is guessed
    client_close(&c);
    connect_tcp(&c);
    ck_assert_int_eq(login(&c, tokens[BLUE_EDITOR], NULL, &r, &err), NAV_OK);
    ck_assert_uint_eq(client_stat(&witness, "auth_failures"), 4);
    client_close(&c);
    for (int i = 0; i < 4; i++) client_close(&wrong[i]);
    client_close(&witness);
}
END_TEST

START_TEST(newcomers_over_tcp_do_not_push_out_those_of_the_unix_socket)
{
    client local, c[3], witness;
    client_connect(&local, &navd);
    watch(&witness);
    for (int i = 0; i < 2; i++) connect_tcp(&c[i]);
    some_rounds(&witness, "sessions", 4);
    connect_tcp(&c[2]);
    ck_assert(client_is_closed(&c[0]));
    client_greet(&local);
    client_close(&local);
    for (int i = 0; i < 3; i++) client_close(&c[i]);
    client_close(&witness);
}
END_TEST

static void loopback_reader(nd_config *c)
{
    strcpy(c->listen, "127.0.0.1:0");
    c->listen_role = NP_ROLE_READER;
}

START_TEST(loopback_without_tokens_gives_the_configured_role)
{
    client c;
    np_error err = {0};
    people_launch(loopback_reader);
    connect_tcp(&c);
    client_greet(&c);
    ck_assert_int_eq(open_world(&c, "w", true, &err), NAV_ERR_FORBIDDEN);
    client_close(&c);
    fixture_stop(&navd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("access");
    TCase *t = tcase_create("one daemon"), *own = tcase_create("other daemons");
    TCase *two = tcase_create("two connections"), *slow = tcase_create("slow refusals"), *few = tcase_create("few new");
    tcase_add_checked_fixture(two, start_with_two, people_stop);
    tcase_add_checked_fixture(slow, start_slow, people_stop);
    tcase_add_checked_fixture(few, start_with_few_new, people_stop);
    tcase_add_checked_fixture(t, start, people_stop);
    tcase_set_timeout(t, 900);
    tcase_set_timeout(own, 900);
    tcase_add_test(t, only_hello_is_for_anybody_and_what_is_no_method_is_for_admins);
    tcase_add_test(t, the_protocols_document_has_each_method_under_its_role);
    tcase_add_test(t, a_role_may_call_what_the_table_says_and_nothing_else);
    tcase_add_test(t, a_reader_opens_a_world_but_adds_nothing_to_it);
    tcase_add_test(t, a_world_of_another_namespace_is_not_found_by_any_method);
    tcase_add_test(t, stats_are_of_the_own_namespace_for_all_but_admins);
    tcase_add_test(t, names_of_worlds_are_a_namespaces_own);
    tcase_add_test(t, knowing_the_hash_of_a_mesh_gives_nothing_of_it_away);
    tcase_add_test(t, an_admin_names_any_namespace_others_only_their_own);
    tcase_add_test(t, over_tcp_nothing_is_answered_before_a_token);
    tcase_add_test(t, a_wrong_token_ends_the_session_and_a_right_one_gets_in_after_it);
    tcase_add_test(t, a_session_that_ends_before_its_refusal_costs_nothing);
    tcase_add_test(t, a_token_that_is_taken_back_ends_its_sessions_and_no_others);
    tcase_add_test(two, of_an_address_the_oldest_connection_without_a_login_gives_way_silent_ones_first);
    tcase_add_test(slow, who_guesses_from_an_address_slows_down_nobody_else_there);
    tcase_add_test(few, newcomers_over_tcp_do_not_push_out_those_of_the_unix_socket);
    tcase_add_test(own, loopback_without_tokens_gives_the_configured_role);
    suite_add_tcase(s, t);
    suite_add_tcase(s, own);
    suite_add_tcase(s, two);
    suite_add_tcase(s, slow);
    suite_add_tcase(s, few);
    return run_suite(s);
}
