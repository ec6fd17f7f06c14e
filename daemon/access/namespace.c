#include "daemon/access/namespace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool nd_namespace_name_is_valid(const char *name, size_t length)
{
    if (length < 1 || length >= ND_NAMESPACE_BYTES || !isalnum((unsigned char)name[0])) return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_.", name[i])) return false;
    return memchr(name, 0, length) == NULL;
}

nd_namespace *nd_namespaces_find(const nd_namespaces *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (!strcmp(n->list[i]->name, name)) return n->list[i];
    return NULL;
}

nav_status nd_namespaces_need(nd_namespaces *n, const char *name, nd_namespace **out)
{
    *out = nd_namespaces_find(n, name);
    if (*out) return NAV_OK;
    size_t length = strlen(name);
    if (!nd_namespace_name_is_valid(name, length)) return NAV_ERR_ARGUMENT;
    if (n->count == ND_MAX_NAMESPACES) return NAV_ERR_LIMIT;
    nd_namespace **grown = realloc(n->list, (n->count + 1) * sizeof(nd_namespace *));
    if (!grown) return NAV_ERR_MEMORY;
    n->list = grown;
    nd_namespace *made = calloc(1, sizeof *made);
    if (!made) return NAV_ERR_MEMORY;
    memcpy(made->name, name, length + 1);
    made->quota = nd_quotas_of(&n->quotas, name);
    n->list[n->count++] = made;
    *out = made;
    return NAV_OK;
}

void nd_namespaces_set_quotas(nd_namespaces *n, nd_quotas *q)
{
    nd_quotas_deinit(&n->quotas);
    n->quotas = *q;
    *q = (nd_quotas){0};
    for (size_t i = 0; i < n->count; i++) n->list[i]->quota = nd_quotas_of(&n->quotas, n->list[i]->name);
}

void nd_namespaces_deinit(nd_namespaces *n)
{
    for (size_t i = 0; i < n->count; i++) free(n->list[i]);
    free(n->list);
    nd_quotas_deinit(&n->quotas);
    *n = (nd_namespaces){0};
}
