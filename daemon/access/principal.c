#include "daemon/access/principal.h"

#include <stdio.h>
#include <unistd.h>

nd_principal nd_principal_of_user(uid_t peer, np_role others)
{
    nd_principal p = {.role = peer == getuid() || peer == 0 ? NP_ROLE_ADMIN : others};
    snprintf(p.name, sizeof p.name, "uid:%lu", (unsigned long)peer);
    return p;
}
