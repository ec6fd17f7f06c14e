// A daemon that knows some people by their tokens, in two namespaces; for tests of who may see and do what.
#ifndef TEST_PEOPLE_H
#define TEST_PEOPLE_H

#include "daemon/access/tokens.h"
#include "tests/daemon/fixture.h"

enum { RED_READER, RED_EDITOR, BLUE_EDITOR, BLUE_ADMIN, TOKENS };
typedef struct person {
    const char *name;
    np_role role;
    const char *space;
} person;
extern const person people[TOKENS];
extern char tokens[TOKENS][ND_TOKEN_BYTES];
extern daemon_fixture navd;
extern char quotas_path[64];

// A folder with the tokens file; it goes away with people_stop(), which stops the daemon, too.
void people_make_files(void);
void people_stop(void);
// Options: the tokens, TCP on the loopback address, no long waits for wrong tokens.
void people_configure(nd_config *c);
void people_launch(void (*change)(nd_config *c));

// Replaces a file whole, 0600.
void write_private(const char *path, const char *text);
// The lines of all people but one (TOKENS: none is missing).
void write_tokens(int without);

nav_status login(client *c, const char *token, const char *space, np_hello_response *r, np_error *err);
// Connects by the Unix socket, with somebody's token.
void enter(client *c, int who);
// create: with a profile "walker" of small tiles. Its id is then in c->world.
nav_status open_world(client *c, const char *name, bool create, np_error *err);
bool has_mesh(client *c, nav_key hash);

#endif
