#include "daemon/access/principal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const role_names[] = {"nobody", "reader", "editor", "admin"};

// world.open and mesh.put look further: a reader may open a world but not make one.
static const nd_role needed[NP_METHOD_COUNT] = {
    [NP_WORLD_OPEN] = ND_ROLE_READER,
    [NP_WORLD_LIST] = ND_ROLE_READER,
    [NP_WORLD_CLOSE] = ND_ROLE_READER,
    [NP_WORLD_REACH] = ND_ROLE_READER,
    [NP_WORLD_OBJECTS] = ND_ROLE_READER,
    [NP_MESH_GET] = ND_ROLE_READER,
    [NP_WORLD_EDIT] = ND_ROLE_EDITOR,
    [NP_WORLD_DELETE] = ND_ROLE_EDITOR,
    [NP_MESH_HAVE] = ND_ROLE_EDITOR,
    [NP_MESH_PUT] = ND_ROLE_EDITOR,
    [NP_TILES_SUBSCRIBE] = ND_ROLE_READER,
    [NP_TILES_UNSUBSCRIBE] = ND_ROLE_READER,
    [NP_TILES_FOCUS] = ND_ROLE_READER,
    [NP_TILES_GET] = ND_ROLE_READER,
    [NP_TILES_BUILD] = ND_ROLE_EDITOR,
    [NP_DICTIONARY_GET] = ND_ROLE_READER,
    [NP_JOBS_WAIT] = ND_ROLE_READER,
    [NP_JOBS_LIST] = ND_ROLE_READER,
    [NP_TILES_FAILED] = ND_ROLE_READER,
    [NP_TILES_WHY] = ND_ROLE_READER,
    [NP_JOBS_CANCEL] = ND_ROLE_EDITOR,
    [NP_STATS] = ND_ROLE_READER,
    [NP_SESSIONS_LIST] = ND_ROLE_ADMIN,
    [NP_NAMESPACES_LIST] = ND_ROLE_ADMIN,
    [NP_PING] = ND_ROLE_READER,
    [NP_CACHE_GC] = ND_ROLE_ADMIN,
    [NP_CACHE_VERIFY] = ND_ROLE_ADMIN,
    [NP_CACHE_EXPORT] = ND_ROLE_ADMIN,
    [NP_CACHE_IMPORT] = ND_ROLE_ADMIN,
};

nav_status nd_role_parse(const char *text, nd_role *out)
{
    for (int r = ND_ROLE_READER; r <= ND_ROLE_ADMIN; r++)
        if (!strcmp(text, role_names[r])) {
            *out = (nd_role)r;
            return NAV_OK;
        }
    return NAV_ERR_ARGUMENT;
}

const char *nd_role_name(nd_role r)
{
    return role_names[r];
}

nd_role nd_role_needed(np_method m)
{
    if (m == NP_HELLO) return ND_ROLE_NOBODY;
    return m < NP_METHOD_COUNT && needed[m] ? needed[m] : ND_ROLE_ADMIN;
}

bool nd_role_is_stated(np_method m)
{
    return m == NP_HELLO || needed[m] != ND_ROLE_NOBODY;
}

nd_principal nd_principal_of_user(uid_t peer, nd_role others)
{
    nd_principal p = {.role = peer == getuid() || peer == 0 ? ND_ROLE_ADMIN : others};
    snprintf(p.name, sizeof p.name, "uid:%lu", (unsigned long)peer);
    return p;
}
