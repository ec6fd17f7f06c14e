#include "tests/daemon/people.h"

#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const person people[TOKENS] = {{"rita", NP_ROLE_READER, "red"},
                               {"ed", NP_ROLE_EDITOR, "red"},
                               {"bo", NP_ROLE_EDITOR, "blue"},
                               {"ada", NP_ROLE_ADMIN, "blue"}};

daemon_fixture navd;
static char folder[] = "/tmp/navd-access-XXXXXX", tokens_path[64];
char quotas_path[64], tokens[TOKENS][ND_TOKEN_BYTES];
static char lines[TOKENS][ND_TOKEN_LINE_BYTES];

void write_private(const char *path, const char *text)
{
    char other[80];
    snprintf(other, sizeof other, "%s.new", path);
    FILE *f = fopen(other, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fchmod(fileno(f), 0600), 0);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(rename(other, path), 0); // whole, or not at all
}

void write_tokens(int without)
{
    char text[TOKENS * (ND_TOKEN_LINE_BYTES + 1) + 1] = "";
    for (int i = 0; i < TOKENS; i++)
        if (i != without) strcat(strcat(text, lines[i]), "\n");
    write_private(tokens_path, text);
}

void people_make_files(void)
{
    strcpy(folder, "/tmp/navd-access-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(tokens_path, sizeof tokens_path, "%s/tokens", folder);
    snprintf(quotas_path, sizeof quotas_path, "%s/quotas", folder);
    for (int i = 0; i < TOKENS; i++)
        ck_assert_int_eq(nd_token_create(people[i].name, people[i].role, people[i].space, tokens[i], lines[i]), NAV_OK);
    write_tokens(TOKENS);
}

void people_configure(nd_config *c)
{
    snprintf(c->tokens, sizeof c->tokens, "%s", tokens_path);
    strcpy(c->listen, "127.0.0.1:0");
    c->auth_delay_ms = 1;
}

void people_launch(void (*change)(nd_config *c))
{
    fixture_start(&navd, change);
    ck_assert_msg(navd.status == NAV_OK, "%s", navd.why);
}

static void remove_files(void)
{
    unlink(tokens_path);
    unlink(quotas_path);
    ck_assert_int_eq(rmdir(folder), 0);
}

void people_stop(void)
{
    fixture_stop(&navd);
    remove_files();
}

nav_status login(client *c, const char *token, const char *space, np_hello_response *r, np_error *err)
{
    np_hello_request hello = {
        .version = NP_PROTOCOL_VERSION, .token = np_str_of(token), .space = np_str_of(space ? space : "")};
    return client_call(c, NP_HELLO, &hello, r, err);
}

void enter(client *c, int who)
{
    np_hello_response r;
    np_error err = {0};
    client_connect(c, &navd);
    ck_assert_msg(login(c, tokens[who], NULL, &r, &err) == NAV_OK, "%s", err.message);
    ck_assert(np_str_equal(r.role, np_role_name(people[who].role)));
    ck_assert(np_str_equal(r.space, people[who].space));
}

nav_status open_world(client *c, const char *name, bool create, np_error *err)
{
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    np_world_open_request open = {
        .name = np_str_of(name), .create = create, .profile_count = create, .profiles = &walker};
    np_world_open_response opened;
    nav_status s = client_call(c, NP_WORLD_OPEN, &open, &opened, err);
    if (s == NAV_OK) c->world = opened.world;
    return s;
}

bool has_mesh(client *c, nav_key hash)
{
    np_mesh_have_request ask = {.hash_count = 1, .hashes = &hash};
    np_mesh_have_response r;
    ck_assert_int_eq(client_call(c, NP_MESH_HAVE, &ask, &r, NULL), NAV_OK);
    return r.missing_count == 0;
}
