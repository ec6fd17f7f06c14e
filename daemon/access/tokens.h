// Credentials: the tokens and client certificates that the daemon knows, as lines of a file. A token is
//
//     navd_ID_SECRET      ID: 16 hexadecimal digits, SECRET: 64 of them, 256 random bits
//
// and is shown once, when it is made. The file keeps ID and a salted SHA-256 of SECRET; a slow hash would add nothing,
// as 256 random bits cannot be searched. A line is one of
//
//     ID       NAME ROLE NAMESPACE SALT HASH      a token
//     cert:CN  NAME ROLE NAMESPACE                a client certificate, by its common name
//
// with # comments and empty lines between. An unknown ID costs the same time as a wrong SECRET, and secrets are
// compared in constant time. Any thread; a set does not change once it is read.
#ifndef ND_TOKENS_H
#define ND_TOKENS_H

#include "daemon/access/namespace.h"
#include "daemon/access/principal.h"

enum {
    ND_TOKEN_ID_CHARS = 16,
    ND_TOKEN_SECRET_CHARS = 64,
    ND_TOKEN_BYTES = 5 + ND_TOKEN_ID_CHARS + 1 + ND_TOKEN_SECRET_CHARS + 1, // with its end
    ND_CREDENTIAL_BYTES = 72,                                               // "cert:" and a common name, with its end
    ND_TOKEN_LINE_BYTES = 384,                                              // a line as it is made
    ND_TOKEN_SALT_BYTES = 16,
    ND_TOKEN_HASH_BYTES = 32,
    ND_TOKENS_FILE_BYTES = 4 << 20, // of a whole file, at most
};

typedef struct nd_credential {
    char id[ND_CREDENTIAL_BYTES]; // ID, or "cert:CN"
    nd_principal principal;
    char space[ND_NAMESPACE_BYTES];
    uint8_t salt[ND_TOKEN_SALT_BYTES], hash[ND_TOKEN_HASH_BYTES]; // of a token
} nd_credential;

typedef struct nd_tokens {
    nd_credential *list;
    size_t count;
    // What the file was when it was read.
    struct timespec changed;
    uint64_t inode;
} nd_tokens;

// One sentence in why: the line, what is wrong, what is expected; never a hash or a secret. NAV_ERR_ARGUMENT,
// NAV_ERR_MEMORY. *out is untouched when it fails.
NAV_MUST_USE nav_status nd_tokens_parse(const char *text, size_t size, nd_tokens *out, char *why, size_t why_bytes);
// The same for a file, which nobody but its owner and its group may read. NAV_ERR_IO, NAV_ERR_ARGUMENT, NAV_ERR_LIMIT.
NAV_MUST_USE nav_status nd_tokens_load(const char *path, nd_tokens *out, char *why, size_t why_bytes);
// Is the file another than the one that was read?
bool nd_tokens_is_outdated(const nd_tokens *t, const char *path);
void nd_tokens_deinit(nd_tokens *t); // accepts a zeroed one

// NULL: it is none of these.
const nd_credential *nd_tokens_verify(const nd_tokens *t, np_str token);
// The credential that a token names by its ID, whatever its secret is. NULL: none, or it has not the form of a token.
const nd_credential *nd_tokens_named(const nd_tokens *t, np_str token);
// By id, as it stands in nd_credential.id; no secret is looked at.
const nd_credential *nd_tokens_find(const nd_tokens *t, const char *id);

// The ID that a token names. False: it has not the form of a token.
bool nd_token_take_id(np_str token, char id[ND_TOKEN_ID_CHARS + 1]);
// Is it the token of this credential? NULL is nobody's, which takes as long.
bool nd_credential_matches(const nd_credential *c, np_str token);

// Makes a secret: the token, which the caller cleanses, and id, salt and hash of its credential. NAV_ERR_IO (no random
// bytes).
NAV_MUST_USE nav_status nd_credential_create(char token[ND_TOKEN_BYTES], nd_credential *out);
// Makes a new one for the file: what is given to its user, and the line for the file (without its end). The caller
// cleanses token. NAV_ERR_ARGUMENT (name or namespace are no valid words), NAV_ERR_IO (no random bytes).
NAV_MUST_USE nav_status nd_token_create(const char *name, np_role role, const char *space, char token[ND_TOKEN_BYTES],
                                        char line[ND_TOKEN_LINE_BYTES]);

#endif
