// DESIGN. TLS 1.3 between a socket and its session. OpenSSL reads and writes two memory buffers, never a descriptor, so
// libuv keeps the socket, and tests and fuzzers drive it with bytes alone:
//
//     socket ──► nd_tls_feed ──► [ handshake, records ] ──► nd_tls_read ──► messages
//     socket ◄── nd_tls_output ◄──────── [ records ] ◄──── nd_tls_write ◄── messages
//
// What is held is bounded: what is fed is read again before more is fed, what is written is taken at once; a peer can
// make it answer at most a handshake and a few key updates. There are no session tickets, no early data and no older
// versions. Each connection holds its context, so a new certificate may replace it while others go on with the old one.
// Loop thread only.
#ifndef ND_TLS_H
#define ND_TLS_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_TLS_NAME_BYTES = 64, ND_TLS_WHY_BYTES = 160 };

typedef struct nd_tls_context nd_tls_context; // certificate, key, whom to trust
typedef struct nd_tls nd_tls;                 // one connection

// Files in PEM: the certificate with its chain, its key (without a password, not readable by others), and "" or the
// authorities that clients' certificates must come from; then a client without one is refused. One sentence in why:
// which file, what is wrong with it. NAV_ERR_IO, NAV_ERR_FORMAT, NAV_ERR_ARGUMENT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_tls_context_create(const char *certificate, const char *key, const char *client_ca,
                                              char *why, size_t why_bytes, nd_tls_context **out);
// Clients refuse the certificate, or will within 14 days: one sentence in why. False: all is well.
bool nd_tls_context_warns(const nd_tls_context *c, char *why, size_t why_bytes);
void nd_tls_context_destroy(nd_tls_context *c); // its connections go on; accepts NULL

// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_tls_create(const nd_tls_context *c, nd_tls **out);
void nd_tls_destroy(nd_tls *t); // accepts NULL

// Bytes that came from the socket. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_tls_feed(nd_tls *t, const void *bytes, size_t count);
// Goes on with the handshake, then gives what the peer wrote. Call until it is NAV_ERR_AGAIN, and look for output after
// each. NAV_ERR_CLOSED: the peer has ended it. NAV_ERR_FORMAT: it is no TLS, or was refused: nd_tls_why().
NAV_MUST_USE nav_status nd_tls_read(nd_tls *t, void *out, size_t room, size_t *count);
// Encrypts, after the handshake. NAV_ERR_STATE before it, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_tls_write(nd_tls *t, const void *bytes, size_t count);
// Says that no more is written.
void nd_tls_end(nd_tls *t);

// Bytes for the socket: how many, and moving them out (at most room; how many that were).
size_t nd_tls_output_size(const nd_tls *t);
size_t nd_tls_output(nd_tls *t, void *out, size_t room);

bool nd_tls_is_ready(const nd_tls *t); // the handshake is done
// The common name of the client's certificate, which was checked; "" without one, or where it is not plain text.
const char *nd_tls_peer_name(const nd_tls *t);
const char *nd_tls_why(const nd_tls *t);

#endif
