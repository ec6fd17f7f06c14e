#include "clients/c/look_up.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct client_look_up {
    atomic_int owners; // the thread and the client: the last one frees
    atomic_bool done;
    int event, problem;
    struct addrinfo *found;
    char host[256], port[32];
};

void navd_look_up_drop(client_look_up *l)
{
    if (!l || atomic_fetch_sub(&l->owners, 1) != 1) return;
    if (l->found) freeaddrinfo(l->found);
    if (l->event >= 0) close(l->event);
    free(l);
}

static void *run(void *user)
{
    client_look_up *l = user;
    const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    const uint64_t one = 1;
    l->problem = getaddrinfo(l->host, l->port, &wanted, &l->found);
    if (l->problem) l->found = NULL;
    atomic_store(&l->done, true);
    ssize_t written = write(l->event, &one, sizeof one);
    (void)written; // it is a counter from 0: it takes that
    navd_look_up_drop(l);
    return NULL;
}

// Signals are for the program's own threads.
static bool start_thread(client_look_up *l)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before)) return false;
    int failed = pthread_create(&thread, NULL, run, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) pthread_detach(thread);
    return !failed;
}

client_look_up *navd_look_up_begin(const char *host, const char *port)
{
    client_look_up *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    strncpy(l->host, host, sizeof l->host - 1);
    strncpy(l->port, port, sizeof l->port - 1);
    atomic_store(&l->owners, 2);
    if (l->event >= 0 && start_thread(l)) return l;
    atomic_store(&l->owners, 1);
    navd_look_up_drop(l);
    return NULL;
}

int navd_look_up_fd(const client_look_up *l)
{
    return l->event;
}

nav_status navd_look_up_take(client_look_up *l, struct addrinfo **out, int *problem)
{
    if (!atomic_load(&l->done)) return NAV_ERR_AGAIN;
    *out = l->found;
    *problem = l->problem;
    l->found = NULL;
    return *problem ? NAV_ERR_IO : NAV_OK;
}
