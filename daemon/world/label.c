#include "daemon/world/label.h"

#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

nav_status nd_label_create(np_str text, nd_label **out)
{
    ND_ASSERT_LOOP_THREAD();
    *out = NULL;
    if (!text.size) return NAV_OK;
    nd_label *l = malloc(sizeof *l + text.size);
    if (!l) return NAV_ERR_MEMORY;
    memcpy(l + 1, text.data, text.size);
    *l = (nd_label){.refs = 1, .text = {(const char *)(l + 1), text.size}};
    *out = l;
    return NAV_OK;
}

nd_label *nd_label_ref(nd_label *l)
{
    if (l) l->refs++;
    return l;
}

void nd_label_unref(nd_label *l)
{
    if (l && !--l->refs) free(l);
}

np_str nd_label_text(const nd_label *l)
{
    return l ? l->text : np_str_of("");
}

bool nd_label_is(const nd_label *l, np_str text)
{
    return np_str_same(nd_label_text(l), text);
}
