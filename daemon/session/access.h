// DESIGN. Who may connect, in one place:
//
//     Unix socket    the kernel says whose the other end is: own user and root are admins, others get socket_role
//     TCP, loopback  without tokens configured listen_role; else as below
//     WebSocket      a token in hello, also on loopback: any page of any browser can open one (service/site.h)
//     TCP            TLS, and a token in hello or a client certificate that the tokens file names; until then nothing
//                    but hello is answered. Beyond loopback navd does not listen without both.
//
// The answer to a wrong token waits (guesses.h), and the session ends with it. Of the connections from one address
// that have not logged in, as of all that have not said hello, the oldest make room for new ones (admission.h), so
// nobody is kept out by somebody who holds many. The tokens file and the certificates are read again on SIGHUP, the
// tokens also when their file changes; a file with a fault changes nothing. Sessions whose credential was removed or
// changed end. No secret is ever logged. Loop thread only.
#ifndef ND_ACCESS_H
#define ND_ACCESS_H

#include "daemon/access/namespace.h"
#include "daemon/access/passes.h"
#include "daemon/access/sources.h"
#include "daemon/access/tls.h"
#include "daemon/access/tokens.h"

#include <uv.h>

struct nd_sessions;
struct nd_session;
struct nd_refusal;

typedef struct nd_access {
    bool wants_token; // of TCP sessions: tokens are configured
    nd_tokens tokens;
    nd_passes passes;
    nd_tls_context *tls; // NULL: TCP is plain
    nd_sources sources;
    nd_namespaces spaces;
    struct nd_refusal *refusals; // wrong tokens whose answer waits
    uv_fs_event_t watch;         // the folder of the tokens file
    uv_timer_t settle;           // it changed; read when it has been quiet for a moment
    bool watching;
    uint64_t failed_logins, failed_handshakes;
} nd_access;

// Reads the files that the configuration names. One sentence in why. NAV_ERR_IO, NAV_ERR_ARGUMENT, NAV_ERR_FORMAT,
// NAV_ERR_LIMIT, NAV_ERR_MEMORY; nd_access_close() and nd_access_deinit() are due then, too.
NAV_MUST_USE nav_status nd_access_init(struct nd_sessions *sessions, char *why, size_t why_bytes);
void nd_access_close(struct nd_sessions *sessions); // closes handles; answers that wait are not given
void nd_access_deinit(struct nd_sessions *sessions);

// Reads quotas, tokens and certificates again, each by itself; what has a fault stays as it was. It is logged.
void nd_access_reload(struct nd_sessions *sessions);

// May navd listen at this address, as it is configured? NAV_ERR_ARGUMENT, with what is missing.
NAV_MUST_USE nav_status nd_access_check_address(const struct nd_sessions *sessions, const struct sockaddr *address,
                                                char *why, size_t why_bytes);

bool nd_access_is_loopback(const struct sockaddr *address); // or a Unix socket

// A connection was accepted: who is it, as far as that says. NULL, or one word: why it is refused. Either way
// nd_access_leave() is due when it ends.
const char *nd_access_enter(struct nd_session *s);
void nd_access_leave(struct nd_session *s);
// The TLS handshake is done. peer: nd_tls_peer_name(). NAV_ERR_UNAUTHENTICATED: the certificate is good, but nobody is
// known by its name and there are no tokens; NAV_ERR_LIMIT: its namespace has its sessions. One sentence in why.
NAV_MUST_USE nav_status nd_access_handshaken(struct nd_session *s, const char *peer, char *why, size_t why_bytes);

// hello. token and space are "" where they were not given. NAV_OK; NAV_ERR_AGAIN: the answer is given later, and the
// session is held; NAV_ERR_UNAUTHENTICATED, NAV_ERR_FORBIDDEN, NAV_ERR_NOT_FOUND, NAV_ERR_STATE, NAV_ERR_LIMIT with
// err.
NAV_MUST_USE nav_status nd_access_login(struct nd_session *s, uint32_t request, np_str token, np_str space,
                                        np_error *err);

#endif
