// DESIGN. The 3D view: a page for browsers and the WebSocket that it talks over, at one listener (web.h).
//
//     GET /, /app.js, ...   the view's files (site_files.h), compressed in the binary; nobody needs a credential
//     GET /socket           a WebSocket, subprotocol "navd": a session like any other, with a token in hello
//
// Any page of any site that somebody has open in a browser can open connections to a port of the same machine. So the
// Host header must be a name that this listener serves (a foreign name that points here would make foreign pages this
// origin's), the Origin of a WebSocket must be this origin, and a session needs a token even on the loopback address.
// The pages may load nothing from elsewhere, run no inline script, and be in no frame. Loop thread only.
#ifndef ND_SITE_H
#define ND_SITE_H

#include "daemon/service/service.h"

typedef struct nd_site nd_site;

// How a browser reaches it: http://HOST:PORT/, by the first of --view-host where there is one.
void nd_site_url(const nd_site *t, char *out, size_t room);
bool nd_site_has_files(void);

// Listens on HOST:PORT, [HOST]:PORT or PORT (loopback). One sentence in why; what is in *out then is to be closed and
// destroyed, too, or tried again: *out is NULL, or what such a call has left. NAV_ERR_IO, NAV_ERR_MEMORY,
// NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status nd_site_create(nd_service *s, const char *address, char *why, size_t why_bytes, nd_site **out);
int nd_site_port(const nd_site *t); // 0 for NULL
void nd_site_reload(nd_site *t);    // the certificate may have changed; accepts NULL
void nd_site_close(nd_site *t);     // its handles; accepts NULL
void nd_site_destroy(nd_site *t);   // after the loop has ended; accepts NULL

#endif
