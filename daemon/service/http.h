// The HTTP pages for monitoring (web.h):
//
//     /healthz   200 as long as the loop lives                          nobody needs a credential
//     /readyz    200, or 503 and why it should not be used now          nobody needs a credential
//     /metrics   Prometheus text (metrics.h)                            beyond loopback: a token, by TLS
//
// No files. Wrong tokens wait for their answer as they do with hello (guesses.h). Loop thread only.
#ifndef ND_HTTP_H
#define ND_HTTP_H

#include "daemon/service/service.h"

typedef struct nd_http nd_http;

// Closed and destroyed like the service that it belongs to; what is in *out when it fails is, too. Listens on
// HOST:PORT, [HOST]:PORT or PORT (loopback). One sentence in why. NAV_ERR_IO, NAV_ERR_MEMORY, NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status nd_http_create(nd_service *s, const char *address, char *why, size_t why_bytes, nd_http **out);
int nd_http_port(const nd_http *h); // 0 for NULL
// The certificate may have changed. Accepts NULL.
void nd_http_reload(nd_http *h);
void nd_http_close(nd_http *h);   // its handles; accepts NULL
void nd_http_destroy(nd_http *h); // after the loop has ended; accepts NULL

#endif
