// Files of credentials and quotas, and tokens as clients send them: whatever stands in them, they are read or refused
// with words, and no token of a client is known unless its secret was hashed into the file.
#include "daemon/access/quota.h"
#include "daemon/access/tokens.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) abort();
}

static void read_tokens(const char *text, size_t size)
{
    nd_tokens t;
    char why[320] = "";
    if (nd_tokens_parse(text, size, &t, why, sizeof why) != NAV_OK) {
        must(why[0] != 0);
        return;
    }
    for (size_t i = 0; i < t.count; i++) {
        const nd_credential *c = &t.list[i];
        must(nd_tokens_find(&t, c->id) == c);
        must(c->principal.role >= NP_ROLE_READER && c->principal.role <= NP_ROLE_ADMIN);
        must(nd_namespace_name_is_valid(c->space, strlen(c->space)));
        must(nd_namespace_name_is_valid(c->principal.name, strlen(c->principal.name)));
    }
    must(!nd_tokens_verify(&t, (np_str){text, (uint32_t)size}));
    nd_tokens_deinit(&t);
}

static void read_quotas(const char *text, size_t size)
{
    nd_quotas q;
    char why[320] = "";
    if (nd_quotas_parse(text, size, &q, why, sizeof why) != NAV_OK) {
        must(why[0] != 0);
        return;
    }
    for (size_t i = 0; i < q.count; i++) (void)nd_quotas_of(&q, q.lines[i].name);
    nd_quotas_deinit(&q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + !size); // of exactly that size
    must(text != NULL);
    if (size) memcpy(text, data, size);
    read_tokens(text, size);
    read_quotas(text, size);
    free(text);
    return 0;
}
