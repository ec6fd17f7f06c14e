#include "tests/farm/fleet.h"

#include "tests/check.h"
#include "tests/clients/run.h"

#include <stdio.h>
#include <string.h>

static void launch(member *m)
{
    const char *const arguments[] = {"--farm", m->url,     "--farm-worlds", m->mode, "--cache-disk-bytes",
                                     "0",      m->more[0], m->more[1],      NULL};
    const daemon_options o = {.arguments = arguments,
                              .state = m->state[0] ? m->state : NULL,
                              .socket = m->socket,
                              .environment = m->environment,
                              .no_tcp = true};
    daemon_launch(&m->navd, &o);
}

void member_start(member *m, const nats_server *nats, const char *name, const char *mode, bool no_state)
{
    char file[32];
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->url, sizeof m->url, "%s", nats->url);
    snprintf(file, sizeof file, "%s.sock", name);
    path_into(m->socket, file);
    m->state[0] = 0;
    snprintf(file, sizeof file, "%s-state", name);
    if (!no_state) path_into(m->state, file);
    m->mode = mode;
    launch(m);
}

void member_restart(member *m)
{
    launch(m);
}

void member_kill(member *m)
{
    daemon_kill(&m->navd);
}

void member_stop(member *m)
{
    ck_assert_int_eq(daemon_stop(&m->navd), 0);
}

void fleet_await_synced(peer *p, uint64_t revision)
{
    const double until = clock_ms() + PATIENCE_MS;
    while (p->synced < revision && p->fd >= 0) {
        ck_assert_msg(clock_ms() < until, "%s is at revision %llu, and %llu was awaited", p->world_name,
                      (unsigned long long)p->synced, (unsigned long long)revision);
        peers_run(&p, 1, 1000);
    }
    ck_assert_int_ge(p->fd, 0);
}

void fleet_open(peer *p, member *m, const char *world, int32_t side)
{
    char name[NP_NAME_BYTES + 16];
    snprintf(name, sizeof name, "name=\"%s\"", world);
    peer_init(p, world, side);
    while (!daemon_said(&m->navd, name)) daemon_await(&m->navd, "event=world.created", NULL);
    ck_assert(peer_connect(p, m->socket));
    ck_assert(peer_greeted(p));
}

void fleet_await_same(const char *socket, const char *other, const char *world, int32_t side)
{
    peer a, b;
    peer_init(&a, world, side);
    peer_init(&b, world, side);
    ck_assert(peer_connect(&a, socket) && peer_connect(&b, other));
    peer_settle(&a);
    peer_settle(&b);
    peer *const both[] = {&a, &b};
    const double until = clock_ms() + PATIENCE_MS;
    while (peer_differences(&a, &b)) {
        ck_assert_msg(clock_ms() < until && a.fd >= 0 && b.fd >= 0, "%u tiles of %s differ", peer_differences(&a, &b),
                      world);
        peers_run(both, 2, 1000);
    }
    peer_deinit(&a);
    peer_deinit(&b);
}

static bool takes_edits(member *m)
{
    peer p;
    np_error err = {0};
    np_world_open_response opened;
    const np_world_open_request open = {.name = np_str_of("probe"), .create = true};
    peer_init(&p, "probe", 0);
    ck_assert(peer_dial(&p, m->socket));
    ck_assert_int_eq(peer_call(&p, NP_HELLO, &(np_hello_request){.version = NP_PROTOCOL_VERSION}, NULL, &err), NAV_OK);
    nav_status s = peer_call(&p, NP_WORLD_OPEN, &open, &opened, &err);
    if (s == NAV_OK) s = peer_call(&p, NP_WORLD_DELETE, &(np_world_delete_request){opened.world}, NULL, &err);
    ck_assert_msg(s == NAV_OK || s == NAV_ERR_STATE, "%s", err.message);
    peer_deinit(&p);
    return s == NAV_OK;
}

member *fleet_await_leader(member *members, int count)
{
    const double until = clock_ms() + PATIENCE_MS;
    for (int i = 0;; i = (i + 1) % count) {
        if (takes_edits(&members[i])) return &members[i];
        ck_assert_msg(clock_ms() < until, "nobody leads");
    }
}

typedef struct verdicts {
    uint32_t worlds, same, differ;
    bool asked, answered; // answered: by the leader
    char which[200];      // differs
} verdicts;

static void on_check(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    verdicts *v = p->user;
    np_farm_check_response out;
    np_error err;
    if (r->method != NP_FARM_CHECK) return;
    ck_assert_msg(!error, "%s", error ? error->message : "");
    ck_assert_int_eq(np_decode_farm_check_response(m, &out, &err), NAV_OK);
    *v = (verdicts){.worlds = out.world_count, .answered = out.answered};
    for (uint32_t i = 0; i < out.world_count; i++) {
        const np_str state = out.worlds[i].state;
        v->same += state.size == 4 && !memcmp(state.data, "same", 4);
        const bool differs = state.size == 7 && !memcmp(state.data, "differs", 7);
        v->differ += differs;
        if (differs)
            snprintf(v->which, sizeof v->which, "%.*s: revision %llu, the leader's %llu; %llu tiles, the leader's %llu",
                     (int)out.worlds[i].name.size, out.worlds[i].name.data, (unsigned long long)out.worlds[i].revision,
                     (unsigned long long)out.worlds[i].leader_revision, (unsigned long long)out.worlds[i].tiles,
                     (unsigned long long)out.worlds[i].leader_tiles);
    }
}

void fleet_check(member *m)
{
    peer p;
    verdicts v = {0};
    np_error err = {0};
    const double until = clock_ms() + PATIENCE_MS;
    peer_init(&p, "", 0);
    p.on_answer = on_check;
    p.user = &v;
    ck_assert(peer_dial(&p, m->socket));
    ck_assert_int_eq(peer_call(&p, NP_HELLO, &(np_hello_request){.version = NP_PROTOCOL_VERSION}, NULL, &err), NAV_OK);
    do {
        v.asked = true;
        peer_ask(&p, NP_FARM_CHECK, &(np_none){0}, 0);
        peer *one = &p;
        while (v.asked && p.fd >= 0) peers_run(&one, 1, PATIENCE_MS);
        ck_assert_int_ge(p.fd, 0);
        ck_assert_msg(!v.differ, "%u of %u worlds of %s differ from the leader's: %s", v.differ, v.worlds, m->name,
                      v.which);
        ck_assert_msg(clock_ms() < until, "%u of %u worlds of %s are not as the leader's", v.worlds - v.same, v.worlds,
                      m->name);
    } while (!v.answered || !v.worlds || v.same < v.worlds);
    peer_deinit(&p);
}
