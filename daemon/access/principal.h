// Who a session acts for: a name for the log, a role, and a namespace. Each session has exactly one principal, set
// when it is accepted (Unix socket: from the peer's credentials) or when it logs in (hello). The role that a method
// requires is in its row of NP_METHOD_LIST. Loop thread only.
#ifndef ND_PRINCIPAL_H
#define ND_PRINCIPAL_H

#include "protocol/messages.h"

#include <sys/types.h>

enum { ND_PRINCIPAL_NAME_BYTES = 64 }; // with its end

typedef struct nd_principal {
    char name[ND_PRINCIPAL_NAME_BYTES]; // "uid:1000", or the name of a token
    np_role role;
} nd_principal;

// Our own user and root look after the daemon; any other that the socket's mode let in gets `others`.
nd_principal nd_principal_of_user(uid_t peer, np_role others);

#endif
