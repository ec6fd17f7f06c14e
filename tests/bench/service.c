#include "tests/bench/service.h"
#include "tests/folder.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { CONNECT_TRIES = 10000, ARGUMENTS = 32 };

bool service_start(service *s, const char *navd, bool durable)
{
    if (!s->folder[0]) {
        strcpy(s->folder, "/tmp/navd-bench-XXXXXX");
        if (!mkdtemp(s->folder)) return false;
        snprintf(s->socket, sizeof s->socket, "%s/socket", s->folder);
        snprintf(s->state, sizeof s->state, "%s/state", s->folder);
    }
    char *argv[ARGUMENTS] = {
        (char *)navd,          (char *)"--socket", s->socket, (char *)"--state", durable ? s->state : (char *)"",
        (char *)"--log-level", (char *)"error"};
    int count = 7;
    for (int i = 0; s->arguments && s->arguments[i] && count + 1 < ARGUMENTS; i++)
        argv[count++] = (char *)s->arguments[i];
    if (posix_spawn(&s->pid, navd, NULL, NULL, argv, environ) == 0) return true;
    fprintf(stderr, "bench: cannot start %s\n", navd);
    s->pid = 0;
    return false;
}

void service_stop(service *s)
{
    if (s->pid <= 0) return;
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
    s->pid = 0;
}

void service_remove(service *s)
{
    if (s->folder[0]) remove_folder(s->folder);
    s->folder[0] = 0;
}

double service_memory(const service *s, const char *key)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) == 0) kib = strtod(line + strlen(key), NULL);
    }
    if (f) fclose(f);
    return kib / 1024;
}

double service_cpu_ms(const service *s)
{
    char path[96];
    double sum_ns = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)s->pid);
    DIR *threads = opendir(path);
    for (struct dirent *e; threads && (e = readdir(threads));) {
        double ns = 0;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)s->pid, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f && fscanf(f, "%lf", &ns) == 1) sum_ns += ns;
        if (f) fclose(f);
    }
    if (threads) closedir(threads);
    return sum_ns * 1e-6;
}

bool service_connect(const service *s, navd_client **out)
{
    char why[256] = "";
    for (int i = 0; i < CONNECT_TRIES; i++) {
        if (navd_connect(s->socket, "bench", 10000, out, why, sizeof why) == NAVD_OK) return true;
        if (waitpid(s->pid, NULL, WNOHANG) != 0) break; // it has ended
        poll(NULL, 0, 1);
    }
    fprintf(stderr, "bench: %s\n", why);
    return false;
}

int service_free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof a;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool ok =
        fd >= 0 && !bind(fd, (struct sockaddr *)&a, bytes) && !getsockname(fd, (struct sockaddr *)&a, &bytes);
    if (fd >= 0) close(fd);
    return ok ? ntohs(a.sin_port) : 0;
}
