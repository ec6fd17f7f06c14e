#include "daemon/access/passes.h"

#include "daemon/base/thread.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

void nd_passes_deinit(nd_passes *p)
{
    if (p->list) OPENSSL_cleanse(p->list, ND_MAX_PASSES * sizeof *p->list);
    free(p->list);
    *p = (nd_passes){0};
}

static void drop(nd_passes *p, size_t at)
{
    memmove(&p->list[at], &p->list[at + 1], (--p->count - at) * sizeof *p->list);
    OPENSSL_cleanse(&p->list[p->count], sizeof *p->list);
}

static void drop_ended(nd_passes *p, uint64_t now_ms)
{
    for (size_t i = p->count; i-- > 0;)
        if (!p->list[i].sessions && p->list[i].ends_ms <= now_ms) drop(p, i);
}

static bool is_of(const nd_pass *pass, const char *name, const char *space)
{
    return !strcmp(pass->credential.principal.name, name) && !strcmp(pass->credential.space, space);
}

// The oldest of one name that nobody uses; p->count: there is none.
static size_t find_idle(const nd_passes *p, const char *name, const char *space)
{
    size_t i = 0;
    while (i < p->count && (p->list[i].sessions || !is_of(&p->list[i], name, space))) i++;
    return i;
}

static nav_status make_room(nd_passes *p, const char *name, const char *space)
{
    size_t own = 0;
    for (size_t i = 0; i < p->count; i++) own += is_of(&p->list[i], name, space);
    if (own < ND_MAX_PASSES_OF_ONE && p->count < ND_MAX_PASSES) return NAV_OK;
    size_t idle = find_idle(p, name, space);
    if (idle == p->count) return NAV_ERR_LIMIT;
    drop(p, idle);
    return NAV_OK;
}

nav_status nd_pass_create(nd_passes *p, const nd_principal *principal, const char *space, const char *origin,
                          uint64_t now_ms, char token[ND_TOKEN_BYTES])
{
    ND_ASSERT_LOOP_THREAD();
    nd_pass pass = {.ends_ms = now_ms + UINT64_C(1000) * ND_PASS_VALID_S};
    if (!p->list) p->list = calloc(ND_MAX_PASSES, sizeof *p->list);
    if (!p->list) return NAV_ERR_MEMORY;
    drop_ended(p, now_ms);
    nav_status s = make_room(p, principal->name, space);
    if (s != NAV_OK) return s;
    s = nd_credential_create(token, &pass.credential);
    if (s != NAV_OK) return s;
    pass.credential.principal = *principal;
    strcpy(pass.credential.space, space);
    strcpy(pass.origin, origin);
    p->list[p->count++] = pass;
    return NAV_OK;
}

const nd_pass *nd_passes_find(const nd_passes *p, const char *id)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->list[i].credential.id, id)) return &p->list[i];
    return NULL;
}

const nd_credential *nd_passes_named(const nd_passes *p, np_str token)
{
    char id[ND_TOKEN_ID_CHARS + 1];
    const nd_pass *pass = nd_token_take_id(token, id) ? nd_passes_find(p, id) : NULL;
    return pass ? &pass->credential : NULL;
}

const nd_credential *nd_passes_verify(nd_passes *p, np_str token, uint64_t now_ms)
{
    ND_ASSERT_LOOP_THREAD();
    drop_ended(p, now_ms);
    const nd_credential *c = nd_passes_named(p, token);
    return nd_credential_matches(c, token) ? c : NULL;
}

static nd_pass *find(nd_passes *p, const char *id)
{
    return (nd_pass *)nd_passes_find(p, id);
}

void nd_passes_enter(nd_passes *p, const char *id)
{
    nd_pass *pass = find(p, id);
    if (pass) pass->sessions++;
}

void nd_passes_leave(nd_passes *p, const char *id, uint64_t now_ms)
{
    nd_pass *pass = find(p, id);
    if (!pass) return;
    pass->sessions--;
    pass->ends_ms = now_ms + UINT64_C(1000) * ND_PASS_VALID_S;
}

static bool stands(const nd_pass *pass, const nd_tokens *tokens)
{
    const nd_credential *origin = pass->origin[0] ? nd_tokens_find(tokens, pass->origin) : NULL;
    if (!pass->origin[0]) return true;
    return origin && origin->principal.role >= pass->credential.principal.role &&
           !strcmp(origin->principal.name, pass->credential.principal.name) &&
           (origin->principal.role == NP_ROLE_ADMIN || !strcmp(origin->space, pass->credential.space));
}

void nd_passes_drop_revoked(nd_passes *p, const nd_tokens *tokens)
{
    for (size_t i = p->count; i-- > 0;)
        if (!stands(&p->list[i], tokens)) drop(p, i);
}
