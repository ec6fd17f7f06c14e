#include "clients/c/look_up.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct client_look_up {
    atomic_int owners; // the thread and the client: the last one frees
    atomic_bool done;
    client_bell bell;
    int problem;
    struct addrinfo *found;
    char host[256], port[32];
};

void navd_look_up_drop(client_look_up *l)
{
    if (!l || atomic_fetch_sub(&l->owners, 1) != 1) return;
    if (l->found) freeaddrinfo(l->found);
    navd_bell_deinit(&l->bell);
    free(l);
}

static void run(void *user)
{
    client_look_up *l = user;
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    l->problem = getaddrinfo(l->host, l->port, &wanted, &l->found);
    if (l->problem) l->found = NULL;
    atomic_store(&l->done, true);
    navd_bell_ring(&l->bell);
    navd_look_up_drop(l);
}

client_look_up *navd_look_up_begin(const char *host, const char *port)
{
    client_look_up *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    snprintf(l->host, sizeof l->host, "%s", host);
    snprintf(l->port, sizeof l->port, "%s", port);
    atomic_store(&l->owners, 2);
    if (navd_bell_init(&l->bell) && navd_system_start_thread(run, l)) return l;
    atomic_store(&l->owners, 1);
    navd_look_up_drop(l);
    return NULL;
}

int navd_look_up_fd(const client_look_up *l)
{
    return l->bell.fd;
}

nav_status navd_look_up_take(client_look_up *l, struct addrinfo **out, int *problem)
{
    if (!atomic_load(&l->done)) return NAV_ERR_AGAIN;
    *out = l->found;
    *problem = l->problem;
    l->found = NULL;
    return *problem ? NAV_ERR_IO : NAV_OK;
}
