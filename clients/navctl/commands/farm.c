// navctl farm: the farm that a running daemon belongs to.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct farm_args {
    bool json, check;
    remote_values remote;
} farm_args;

static const arg_option options[] = {
    {"check", 0, ARG_FLAG, NULL, "compare the tiles of the daemon's worlds with those of the leader",
     offsetof(farm_args, check), 0, 0, NULL},
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(farm_args, json), 0, 0, NULL}};
static const arg_group groups[] = {{"Options", options, ARG_COUNT(options), 0}, REMOTE_GROUP(farm_args, remote)};

static void print_member(const navd_farm *f, const navd_farm_member *m)
{
    char name[80];
    text_printable(m->name, name, sizeof name, 24);
    printf("  %-8s %-24s %.8s  navd %s", m->kind, name, m->id, m->version);
    if (m->generator != f->generator)
        printf(", generator %" PRIu32 " (this daemon has %" PRIu32 ")", m->generator, f->generator);
    if (!strcmp(m->kind, "worker"))
        printf(", %" PRIu32 " thread%s, %" PRIu32 " job%s at work, %" PRIu64 " tiles built, %" PRIu64 " found, %" PRIu64
               " jobs done",
               m->threads, text_s(m->threads), m->jobs, text_s(m->jobs), m->tiles, m->found, m->done);
    else
        printf(", %" PRIu64 " tiles wait, %" PRIu32 " job%s out, %" PRIu64 " tiles built by others, %" PRIu64 " found",
               m->waiting, m->jobs, text_s(m->jobs), m->tiles, m->found);
    if (m->set_aside) printf(", %" PRIu64 " set aside", m->set_aside);
    if (m->refused) printf(", %" PRIu64 " refused", m->refused);
    if (m->leaves) printf(", takes no new jobs");
    if (m->seen_ms > 2000) printf(", last heard of %.1f s ago", (double)m->seen_ms / 1000);
    printf("\n");
}

static void print_worlds(const navd_farm *f)
{
    printf("worlds: %s", f->worlds);
    if (f->role[0]) printf(", %s%s", f->role, f->live ? "" : " (not up to date)");
    if (f->leader[0]) printf(", led by %s", f->leader);
    if (f->epoch) printf(", epoch %" PRIu64, f->epoch);
    if (f->unlogged) printf(", %" PRIu64 " change%s not in the log yet", f->unlogged, text_s(f->unlogged));
    if (f->behind) printf(", %" PRIu64 " message%s behind", f->behind, text_s(f->behind));
    if (f->lag_p99_us) printf(", p99 of its lag %.1f ms", (double)f->lag_p99_us / 1000);
    printf("\n");
}

static void print_words(const navd_farm *f)
{
    size_t workers = 0;
    uint64_t threads = 0;
    for (size_t i = 0; i < f->member_count; i++) {
        const navd_farm_member *m = &f->members[i];
        if (strcmp(m->kind, "worker") != 0 || m->generator != f->generator) continue;
        workers++;
        threads += m->threads;
    }
    printf("farm %s: %s; %zu worker%s with %" PRIu64 " thread%s for this daemon\n", f->name,
           f->up           ? "its server answers"
           : f->trouble[0] ? "its server cannot be used, so this daemon builds everything itself"
                           : "its server cannot be reached, so this daemon builds everything itself",
           workers, text_s(workers), threads, text_s(threads));
    if (!f->up && !strcmp(f->worlds, "standby")) printf("edits are refused until the server is back\n");
    if (f->trouble[0]) printf("trouble: %s\n", f->trouble);
    for (size_t i = 0; i < f->member_count; i++) print_member(f, &f->members[i]);
    if (f->has_jobs)
        printf("jobs: %" PRIu64 " wait, %" PRIu64 " are out, %" PRIu64 " were given out again\n", f->jobs_waiting,
               f->jobs_out, f->jobs_redelivered);
    for (size_t i = 0; i < f->stream_count; i++) {
        const navd_farm_stream *s = &f->streams[i];
        char bytes[32], most[32];
        text_bytes((double)s->bytes, bytes, sizeof bytes);
        text_bytes((double)s->max_bytes, most, sizeof most);
        printf("stream %-7s %" PRIu64 " messages, %s%s%s\n", s->name, s->messages, bytes, s->max_bytes ? " of " : "",
               s->max_bytes ? most : "");
    }
    print_worlds(f);
}

static void members_json(const navd_farm *f, json_writer *w)
{
    json_open(w, "members", '[');
    for (size_t i = 0; i < f->member_count; i++) {
        const navd_farm_member *m = &f->members[i];
        json_open(w, NULL, '{');
        json_text(w, "id", m->id);
        json_text(w, "kind", m->kind);
        json_text(w, "name", m->name);
        json_text(w, "version", m->version);
        json_int(w, "generator", m->generator);
        json_bool(w, "leaves", m->leaves);
        json_int(w, "threads", m->threads);
        json_int(w, "jobs", m->jobs);
        json_int(w, "waiting", (int64_t)m->waiting);
        json_int(w, "tiles", (int64_t)m->tiles);
        json_int(w, "found", (int64_t)m->found);
        json_int(w, "done", (int64_t)m->done);
        json_int(w, "set_aside", (int64_t)m->set_aside);
        json_int(w, "refused", (int64_t)m->refused);
        json_int(w, "bytes_in", (int64_t)m->bytes_in);
        json_int(w, "bytes_out", (int64_t)m->bytes_out);
        json_int(w, "uptime_s", (int64_t)m->uptime_s);
        json_int(w, "seen_ms", (int64_t)m->seen_ms);
        json_close(w, '}');
    }
    json_close(w, ']');
}

static void print_json(const navd_farm *f)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "name", f->name);
    json_text(&w, "id", f->id);
    json_bool(&w, "up", f->up);
    json_text(&w, "trouble", f->trouble);
    json_int(&w, "generator", f->generator);
    json_text(&w, "worlds", f->worlds);
    json_text(&w, "role", f->role);
    json_bool(&w, "leads", f->leads);
    json_bool(&w, "live", f->live);
    json_text(&w, "leader", f->leader);
    json_int(&w, "epoch", (int64_t)f->epoch);
    json_int(&w, "unlogged", (int64_t)f->unlogged);
    json_int(&w, "behind", (int64_t)f->behind);
    json_int(&w, "lag_p99_us", (int64_t)f->lag_p99_us);
    if (f->has_jobs) {
        json_int(&w, "jobs_waiting", (int64_t)f->jobs_waiting);
        json_int(&w, "jobs_out", (int64_t)f->jobs_out);
        json_int(&w, "jobs_redelivered", (int64_t)f->jobs_redelivered);
    }
    members_json(f, &w);
    json_open(&w, "streams", '[');
    for (size_t i = 0; i < f->stream_count; i++) {
        json_open(&w, NULL, '{');
        json_text(&w, "name", f->streams[i].name);
        json_int(&w, "messages", (int64_t)f->streams[i].messages);
        json_int(&w, "bytes", (int64_t)f->streams[i].bytes);
        json_int(&w, "max_bytes", (int64_t)f->streams[i].max_bytes);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_close(&w, '}');
    json_end_line(&w);
}

static void print_checked(const navd_farm_checked *w, bool json)
{
    if (!json) {
        printf("%-8s %s: revision %" PRIu64 ", %" PRIu64 " tiles", navd_farm_state_name(w->state), w->name, w->revision,
               w->tiles);
        if (w->state == NAVD_FARM_DIFFERS || w->state == NAVD_FARM_PENDING)
            printf("; the leader: revision %" PRIu64 ", %" PRIu64 " tiles", w->leader_revision, w->leader_tiles);
        printf("\n");
        return;
    }
    json_writer out = {.out = stdout};
    json_open(&out, NULL, '{');
    json_text(&out, "world", w->name);
    json_text(&out, "state", navd_farm_state_name(w->state));
    json_int(&out, "revision", (int64_t)w->revision);
    json_int(&out, "leader_revision", (int64_t)w->leader_revision);
    json_int(&out, "tiles", (int64_t)w->tiles);
    json_int(&out, "leader_tiles", (int64_t)w->leader_tiles);
    json_close(&out, '}');
    json_end_line(&out);
}

// Fails where a world is not the leader's: now, or because nobody knows.
static int run_check(navd_client *c, bool json)
{
    navd_farm_checked *list;
    size_t count;
    bool answered;
    int code = NAVCTL_OK;
    navd_status s = navd_farm_check(c, &list, &count, &answered);
    if (s != NAVD_OK) return remote_failed(c, s, "farm");
    for (size_t i = 0; i < count; i++) {
        print_checked(&list[i], json);
        if (list[i].state == NAVD_FARM_DIFFERS) code = NAVCTL_EXCEEDED;
        if (list[i].state != NAVD_FARM_SAME && code == NAVCTL_OK) code = NAVCTL_FAILED;
    }
    if (!count && !json) printf("there are no worlds to compare\n");
    if (!answered) {
        fprintf(stderr,
                "navctl: the leader does not answer: navctl farm shows who leads, and whether the server answers\n");
        if (code == NAVCTL_OK) code = NAVCTL_FAILED;
    }
    free(list);
    return code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    farm_args a = {.remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    navd_client *c;
    navd_farm f;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    if (a.check) {
        code = run_check(c, a.json);
        navd_close(c);
        return code;
    }
    navd_status s = navd_farm_status(c, &f);
    if (s != NAVD_OK)
        code = remote_failed(c, s, "farm");
    else if (a.json)
        print_json(&f);
    else
        print_words(&f);
    navd_farm_free(&f);
    navd_close(c);
    return code;
}

const arg_command farm_command = {
    .name = "farm",
    .summary = "Show the farm of a running daemon: workers, jobs, streams, worlds",
    .details =
        "Workers and daemons report once a second. The jobs shown are those for workers with the daemon's own version\n"
        "of the generator; \"given out again\" counts jobs whose worker was silent for too long.\n"
        "With --check the exit code is 0 if all worlds are the same, 10 if tiles of a world differ, and 1 if that\n"
        "cannot be told: changes are on their way, or the leader has no such world or does not answer.\n",
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
