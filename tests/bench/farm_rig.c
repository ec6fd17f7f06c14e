#include "tests/bench/farm_rig.h"

#include "clients/navctl/output/progress.h"
#include "tests/folder.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TRIES = 10000 };

void farm_pin_self(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    const int count = (int)sysconf(_SC_NPROCESSORS_CONF);
    for (int i = 0; i < count; i++)
        if (processor == RIG_ANYWHERE || i == processor % count) CPU_SET(i, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static const char *server_program(void)
{
    static const char *const places[] = {"/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!access(places[i], X_OK)) return places[i];
    return NULL;
}

bool farm_rig_is_there(const char *what)
{
    if (server_program()) return true;
    printf("skipped: %s, as there is no nats-server on this machine (package nats-server)\n", what);
    return false;
}

bool farm_rig_start(farm_rig *r, const bench_options *o)
{
    const char *program = server_program();
    char port[16], store[64];
    *r = (farm_rig){.options = o, .folder = "/tmp/navd-bench-farm-XXXXXX"};
    if (!mkdtemp(r->folder)) return false;
    snprintf(port, sizeof port, "%d", service_free_port());
    snprintf(store, sizeof store, "%s/store", r->folder);
    snprintf(r->url, sizeof r->url, "nats://127.0.0.1:%s", port);
    char *argv[] = {"nats-server", "-a", "127.0.0.1", "-p", port, "-js", "-sd", store, "-l", "/dev/null", NULL};
    if (program && posix_spawn(&r->server, program, NULL, NULL, argv, environ) == 0) return true;
    fprintf(stderr, "bench: nats-server cannot be started\n");
    r->server = 0;
    return false;
}

void farm_rig_stop(farm_rig *r)
{
    if (r->server > 0) {
        kill(r->server, SIGKILL);
        waitpid(r->server, NULL, 0);
    }
    if (r->folder[0]) remove_folder(r->folder);
    *r = (farm_rig){0};
}

void farm_member_say(farm_member *m, const char *argument)
{
    if (m->count + 1 < RIG_ARGUMENTS) m->arguments[m->count++] = argument;
}

bool farm_member_start(farm_member *m, const farm_rig *r, bool worker, int processor)
{
    if (r->url[0]) farm_member_say(m, "--farm");
    if (r->url[0]) farm_member_say(m, r->url);
    if (worker) farm_member_say(m, "--worker");
    m->process.arguments = m->arguments;
    farm_pin_self(processor);
    bool ok = service_start(&m->process, r->options->navd, false);
    farm_pin_self(RIG_ANYWHERE);
    return ok && (worker || service_connect(&m->process, &m->session.client));
}

void farm_member_stop(farm_member *m)
{
    navd_close(m->session.client);
    service_stop(&m->process);
    service_remove(&m->process);
    *m = (farm_member){0};
}

// The processes that were started by one, and by those.
static double cpu_below(pid_t pid)
{
    double sum_ms = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *e; all && (e = readdir(all));) {
        char path[64], text[512] = "";
        int parent = 0;
        const int other = atoi(e->d_name);
        if (other <= 0) continue;
        snprintf(path, sizeof path, "/proc/%d/stat", other);
        FILE *f = fopen(path, "r");
        const char *at = f && fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL; // its name may hold anything
        if (f) fclose(f);
        if (!at || sscanf(at, ") %*c %d", &parent) != 1 || parent != pid) continue;
        sum_ms += service_cpu_ms(&(service){.pid = other}) + cpu_below(other);
    }
    if (all) closedir(all);
    return sum_ms;
}

double farm_member_cpu_ms(const farm_member *m)
{
    return service_cpu_ms(&m->process) + cpu_below(m->process.pid);
}

double farm_member_own_cpu_ms(const farm_member *m)
{
    return service_cpu_ms(&m->process);
}

double farm_server_cpu_ms(const farm_rig *r)
{
    return service_cpu_ms(&(service){.pid = r->server});
}

bool farm_member_await(farm_member *m, uint64_t workers)
{
    for (int i = 0; i < TRIES; i++) {
        if (session_counter(&m->session, "farm_up") && session_counter(&m->session, "farm_workers") >= workers)
            return true;
        poll(NULL, 0, 2);
    }
    fprintf(stderr, "bench: the daemon does not find its farm\n");
    return false;
}

bool farm_upload(farm_member *m, const scene *s)
{
    session *own = &m->session;
    navd_world world = {0};
    navd_set_timeout(own->client, -1);
    if (!session_did(own, navd_world_open(own->client, "bench", true, NULL, NULL, 0, &world), "world")) return false;
    own->world = world.id;
    navd_world_free(&world);
    return session_send(own, s);
}

bool farm_build(farm_member *m, const navd_settings *settings, int profiles, double *seconds, uint64_t *tiles)
{
    session *own = &m->session;
    const double began_s = now_s();
    uint64_t now;
    for (int i = 0; i < profiles; i++) {
        char name[16];
        navd_settings of_one = *settings;
        snprintf(name, sizeof name, "agent%d", i);
        of_one.agent_radius_m += FARM_RADIUS_STEP_M * i;
        if (!session_did(own, navd_profile_set(own->client, own->world, name, &of_one, NULL), "profile")) return false;
    }
    if (!session_did(own, navd_wait(own->client, own->world, NULL, &now), "wait")) return false;
    *seconds = now_s() - began_s;
    *tiles = session_counter(own, "tiles");
    return true;
}

bool farm_await_shared(farm_member *m)
{
    for (int i = 0; i < TRIES; i++) {
        const uint64_t ended =
            session_counter(&m->session, "farm_shared") + session_counter(&m->session, "farm_not_shared");
        if (ended >= session_counter(&m->session, "jobs_built")) return true;
        poll(NULL, 0, 2);
    }
    fprintf(stderr, "bench: what the daemon has built does not come into the farm's cache\n");
    return false;
}
