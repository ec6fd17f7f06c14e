#include "daemon/schedule/caller.h"

#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

nd_caller *nd_caller_create(uint64_t session)
{
    ND_ASSERT_LOOP_THREAD();
    nd_caller *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->refs = 1;
    c->session = session;
    nd_caller_set_priority(c, NP_PRIORITY_NORMAL);
    return c;
}

void nd_caller_set_priority(nd_caller *c, np_priority p)
{
    static const uint32_t weights[] = {[NP_PRIORITY_NORMAL] = 4, [NP_PRIORITY_LOW] = 1, [NP_PRIORITY_HIGH] = 16};
    c->weight = weights[p];
    for (int k = 0; k < ND_CLASSES; k++) {
        nd_share_init(&c->builds[k], c, c->weight);
        c->builds[k].kind = ND_SHARE_BUILDS;
    }
}

nd_caller *nd_caller_ref(nd_caller *c)
{
    if (c) c->refs++;
    return c;
}

void nd_caller_unref(nd_caller *c)
{
    if (c && --c->refs == 0) free(c);
}

void nd_caller_set_name(char out[ND_CALLER_NAME_BYTES], np_str name)
{
    size_t n = name.size;
    if (n >= ND_CALLER_NAME_BYTES) {
        n = ND_CALLER_NAME_BYTES - 1;
        while (n && ((unsigned char)name.data[n] & 0xc0) == 0x80) n--; // not within a character of UTF-8
    }
    if (n) memcpy(out, name.data, n);
    out[n] = 0;
}
