// Who a session acts for: a name for the log, a role, and the namespace that it sees. Each session has exactly one, set
// when it is accepted (Unix socket: from the peer's credentials) or when it logs in (hello). Methods ask for a role at
// least; the table here is the one place that says which. Loop thread only.
//
//     nobody ◄ reader ◄ editor ◄ admin
//     (only     looks   changes  looks after the daemon:
//      hello)           worlds   all namespaces, its caches, its jobs
#ifndef ND_PRINCIPAL_H
#define ND_PRINCIPAL_H

#include "protocol/messages.h"

#include <sys/types.h>

typedef enum nd_role { ND_ROLE_NOBODY, ND_ROLE_READER, ND_ROLE_EDITOR, ND_ROLE_ADMIN } nd_role;

enum { ND_PRINCIPAL_NAME_BYTES = 64 }; // with its end

typedef struct nd_principal {
    char name[ND_PRINCIPAL_NAME_BYTES]; // "uid:1000", or the name of a token
    nd_role role;
} nd_principal;

// "reader", "editor", "admin". NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status nd_role_parse(const char *text, nd_role *out);
const char *nd_role_name(nd_role r); // never NULL

// The least role that may call a method. Admin for a method that the table does not have: forgetting opens nothing.
nd_role nd_role_needed(np_method m);
bool nd_role_is_stated(np_method m);

// Our own user and root look after the daemon; any other that the socket's mode let in gets `others`.
nd_principal nd_principal_of_user(uid_t peer, nd_role others);

#endif
