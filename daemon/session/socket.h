// Sessions over sockets: libuv's streams, and TLS on TCP where it is configured (access/tls.h). What the kernel does
// not take stays with libuv, one packet at a time. With TLS a packet is encrypted when its turn has come: its bytes go
// through TLS and come back as the packet that takes its place, after what TLS itself has to send. So at most one
// packet is encrypted at a time, and records keep their order. Loop thread only.
#ifndef ND_SOCKET_H
#define ND_SOCKET_H

#include "daemon/session/sessions.h"

// Takes the next connection of a listener. Failures are logged.
void nd_socket_accept(nd_listener *l);

#endif
