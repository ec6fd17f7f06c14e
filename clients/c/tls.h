// TLS 1.3 for a connection: bytes in, bytes out, no descriptor. The daemon's certificate is always verified, its name
// too. Private to the client library. Owner: one thread at a time.
#ifndef NAVD_CLIENT_TLS_H
#define NAVD_CLIENT_TLS_H

#include "core/base/buffer.h"

#include <stdbool.h>

typedef struct client_tls client_tls;

// host: the name or address that the certificate must have. ca: PEM file of authorities, "" for the system's.
// certificate, key: the client's own, "" for none. NAV_ERR_ARGUMENT, NAV_ERR_MEMORY with a sentence.
NAV_MUST_USE nav_status navd_client_tls_create(const char *host, const char *ca, const char *certificate,
                                               const char *key, char *why, size_t why_bytes, client_tls **out);
void navd_client_tls_destroy(client_tls *t); // accepts NULL

// Bytes from the socket, and what they say after that: NAV_ERR_AGAIN (needs more), NAV_ERR_CLOSED, NAV_ERR_IO with
// navd_client_tls_why(), NAV_ERR_MEMORY.
NAV_MUST_USE nav_status navd_client_tls_feed(client_tls *t, const void *bytes, size_t count);
NAV_MUST_USE nav_status navd_client_tls_read(client_tls *t, void *out, size_t room, size_t *count);
// One step of the handshake: NAV_OK when it is done, else as navd_client_tls_read().
NAV_MUST_USE nav_status navd_client_tls_shake(client_tls *t);
NAV_MUST_USE nav_status navd_client_tls_write(client_tls *t, const void *bytes, size_t count);
// Appends what the socket shall get.
NAV_MUST_USE nav_status navd_client_tls_take(client_tls *t, nav_buffer *out);

const char *navd_client_tls_why(const client_tls *t);

#endif
