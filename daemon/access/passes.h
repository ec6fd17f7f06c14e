// DESIGN. Tokens that the daemon makes itself, for the view (view.open): a pass. It has the form of any token, the
// name, the namespace and at most the role of whoever asked for it, and lives in memory alone. It ends ND_PASS_VALID_S
// after it was made, or after the last session that came in with it has left; so a page that is left open keeps it
// through a broken connection, and a link that nobody followed is soon worth nothing. It ends with the credential of
// whoever asked for it, too. Loop thread only.
#ifndef ND_PASSES_H
#define ND_PASSES_H

#include "daemon/access/tokens.h"

enum { ND_PASS_VALID_S = 900, ND_MAX_PASSES = 256, ND_MAX_PASSES_OF_ONE = 16 };

typedef struct nd_pass {
    nd_credential credential;
    char origin[ND_CREDENTIAL_BYTES]; // the credential of who asked; "": another way than the tokens file
    uint64_t ends_ms;                 // while no session has it
    uint32_t sessions;
} nd_pass;

typedef struct nd_passes {
    nd_pass *list; // ND_MAX_PASSES of them, the oldest first; NULL: none was made yet
    size_t count;
} nd_passes;

void nd_passes_deinit(nd_passes *p); // accepts a zeroed one

// Makes one; the caller cleanses the token. Of one name with too many, the oldest that nobody uses gives way.
// NAV_ERR_LIMIT: all are in use. NAV_ERR_MEMORY, NAV_ERR_IO (no random bytes).
NAV_MUST_USE nav_status nd_pass_create(nd_passes *p, const nd_principal *principal, const char *space,
                                       const char *origin, uint64_t now_ms, char token[ND_TOKEN_BYTES]);
// NULL: it is none of these, or has ended.
const nd_credential *nd_passes_verify(nd_passes *p, np_str token, uint64_t now_ms);
// The pass of this ID, or of the ID that a token names. NULL: none.
const nd_pass *nd_passes_find(const nd_passes *p, const char *id);
const nd_credential *nd_passes_named(const nd_passes *p, np_str token);
// A session came in with the credential of this ID, or leaves; nothing happens where it is no pass.
void nd_passes_enter(nd_passes *p, const char *id);
void nd_passes_leave(nd_passes *p, const char *id, uint64_t now_ms);
// Those whose origin does not stand behind them any more end.
void nd_passes_drop_revoked(nd_passes *p, const nd_tokens *tokens);

#endif
