// DESIGN. All tokens are tried here, whichever listener they come through. The answer to a wrong one waits, twice as
// long with each from the same address with the same ID; unknown IDs count as one. At most max_unauthenticated of
// these answers wait at a time, even if their clients did not: then no further token of that address and ID is
// looked at until one of them is done. So guessing is slow and the log stays readable, while a right token never
// waits, unless somebody guesses its own secret from its own address. Loop thread only.
#ifndef ND_GUESSES_H
#define ND_GUESSES_H

#include "daemon/access/sources.h"
#include "daemon/access/tokens.h"

struct nd_sessions;
typedef struct nd_refusal nd_refusal;

// NAV_OK with the credential. NAV_ERR_UNAUTHENTICATED: it is wrong, is logged and counted, and the answer is due in
// *delay_ms; with a session (0: none) it is given then, to that request, and the session ends. NAV_ERR_LIMIT: it was
// not looked at. source: as nd_source_name() gives it. over: the door, for the log.
NAV_MUST_USE nav_status nd_guess(struct nd_sessions *sessions, np_str token, const char *source, const char *over,
                                 uint64_t session, uint32_t request, const nd_credential **out, uint64_t *delay_ms);
// Answers that wait are not given any more.
void nd_guesses_drop(struct nd_sessions *sessions);

#endif
