// The steps by which a session gets its principal: as it is accepted, after its TLS handshake, with hello; and what
// happens when it gives a wrong token. access.h has what others call. Loop thread only.
#ifndef ND_LOGIN_H
#define ND_LOGIN_H

#include "daemon/session/access.h"

// Does the credential that a session came in by still say the same?
bool nd_login_still_holds(const struct nd_sessions *sessions, const struct nd_session *s);

#endif
