// navctl jobs, cancel, failed, why: what a daemon is making, for whom, and what came of it.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct jobs_args {
    const char *world, *profile, *revision, *build, *x, *z, *sheet;
    int32_t limit;
    bool json;
    remote_values remote;
} jobs_args;

#define JSON_OPTION                                                                                                    \
    {                                                                                                                  \
        "json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(jobs_args, json), 0, 0, NULL        \
    }
#define WORLD_POSITIONAL                                                                                               \
    {                                                                                                                  \
        "WORLD", "name of the world", true, false, offsetof(jobs_args, world)                                          \
    }

// Parses and connects. Returns an exit code; *c is NULL where there is nothing left to do.
static int begin(const arg_command *self, int argc, char **argv, jobs_args *a, navd_client **c)
{
    *c = NULL;
    arg_result parsed = args_parse(self, argc, argv, a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    return remote_open(&a->remote, c);
}

static int find_world(navd_client *c, const char *name, navd_world *out)
{
    navd_status s = navd_world_open(c, name, false, NULL, NULL, 0, out);
    if (s == NAVD_OK) return NAVCTL_OK;
    if (s != NAVD_ERR_NOT_FOUND) return remote_failed(c, s, name);
    fprintf(stderr, "navctl: no world %s (navctl world list shows the worlds)\n", name);
    return NAVCTL_FAILED;
}

// "7 (editor 2.1, mia)".
static void caller_text(const navd_caller *caller, char *out, size_t size)
{
    char client[NAVD_NAME_BYTES], who[NAVD_NAME_BYTES];
    text_printable(caller->client, client, sizeof client, 40);
    text_printable(caller->principal, who, sizeof who, 40);
    if (!caller->session)
        snprintf(out, size, "the daemon itself");
    else
        snprintf(out, size, "session %llu (%s%s%s)", (unsigned long long)caller->session, client,
                 client[0] && who[0] ? ", " : "", who);
}

static void json_caller(json_writer *w, const navd_caller *caller)
{
    json_int(w, "session", (int64_t)caller->session);
    json_text(w, "client", caller->client);
    json_text(w, "name", caller->principal);
}

static const char *class_name(navd_job_class c)
{
    return c == NAVD_JOB_INTERACTIVE ? "interactive" : "background";
}

// --- jobs ---

static const arg_option jobs_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "only the jobs of this world", offsetof(jobs_args, world), 0, 0, NULL},
    JSON_OPTION,
};
static const arg_group jobs_groups[] = {{"Options", jobs_options, ARG_COUNT(jobs_options), 0},
                                        REMOTE_GROUP(jobs_args, remote)};

static void print_jobs(const navd_jobs *j)
{
    char who[2 * NAVD_NAME_BYTES + 64], world[NAVD_NAME_BYTES], age[32];
    for (size_t i = 0; i < j->edit_count; i++) {
        const navd_edit_job *e = &j->edits[i];
        text_printable(e->world_name, world, sizeof world, NAVD_NAME_BYTES);
        caller_text(&e->caller, who, sizeof who);
        text_duration(e->age_ms / 1000, age, sizeof age);
        printf("world %s since revision %llu: %u tile%s, %u running, %s, for %s, by %s\n", world,
               (unsigned long long)e->revision, e->tiles, text_s(e->tiles), e->running, class_name(e->job_class), age,
               who);
    }
    for (size_t i = 0; i < j->build_count; i++) {
        const navd_build_job *b = &j->builds[i];
        caller_text(&b->caller, who, sizeof who);
        text_duration(b->age_ms / 1000, age, sizeof age);
        printf("build %llu: %u of %u tiles, %s, for %s, by %s\n", (unsigned long long)b->build, b->finished, b->tiles,
               class_name(b->job_class), age, who);
    }
    if (!j->edit_count && !j->build_count) printf("nothing to build\n");
}

static void print_jobs_json(const navd_jobs *j)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_open(&w, "edits", '[');
    for (size_t i = 0; i < j->edit_count; i++) {
        const navd_edit_job *e = &j->edits[i];
        json_open(&w, NULL, '{');
        json_int(&w, "world", (int64_t)e->world);
        json_text(&w, "world_name", e->world_name);
        json_int(&w, "revision", (int64_t)e->revision);
        json_text(&w, "class", class_name(e->job_class));
        json_int(&w, "tiles", e->tiles);
        json_int(&w, "running", e->running);
        json_int(&w, "age_ms", (int64_t)e->age_ms);
        json_caller(&w, &e->caller);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_open(&w, "builds", '[');
    for (size_t i = 0; i < j->build_count; i++) {
        const navd_build_job *b = &j->builds[i];
        json_open(&w, NULL, '{');
        json_int(&w, "build", (int64_t)b->build);
        json_text(&w, "class", class_name(b->job_class));
        json_int(&w, "tiles", b->tiles);
        json_int(&w, "finished", b->finished);
        json_int(&w, "age_ms", (int64_t)b->age_ms);
        json_caller(&w, &b->caller);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_close(&w, '}');
    json_end_line(&w);
}

static int run_jobs(const arg_command *self, int argc, char **argv)
{
    jobs_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_world world = {0};
    navd_jobs jobs = {0};
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    if (a.world) code = find_world(c, a.world, &world);
    if (code == NAVCTL_OK) {
        navd_status s = navd_jobs_list(c, a.world ? &world.id : NULL, &jobs);
        if (s != NAVD_OK) code = remote_failed(c, s, self->name);
    }
    if (code == NAVCTL_OK) (a.json ? print_jobs_json : print_jobs)(&jobs);
    navd_jobs_free(&jobs);
    navd_world_free(&world);
    navd_close(c);
    return code;
}

const arg_command jobs_command = {
    .name = "jobs",
    .summary = "Show what a running daemon is building, and for whom",
    .groups = jobs_groups,
    .group_count = ARG_COUNT(jobs_groups),
    .run = run_jobs,
};

// --- cancel ---

static const arg_option cancel_options[] = {
    {"world", 'w', ARG_TEXT, "NAME", "the tiles of this world", offsetof(jobs_args, world), 0, 0, NULL},
    {"revision", 0, ARG_TEXT, "N", "only tiles that wait since this revision, as navctl jobs shows it",
     offsetof(jobs_args, revision), 0, 0, NULL},
    {"build", 0, ARG_TEXT, "N", "a stateless build, as navctl jobs shows it", offsetof(jobs_args, build), 0, 0, NULL},
};
static const arg_group cancel_groups[] = {{"Options", cancel_options, ARG_COUNT(cancel_options), 0},
                                          REMOTE_GROUP(jobs_args, remote)};

static bool parse_id(const arg_command *self, const char *option, const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (end != text && !*end && !errno && text[0] != '-') return true;
    fprintf(stderr, "navctl %s: --%s %s: expected a whole number\n", self->name, option, text);
    return false;
}

static int run_cancel(const arg_command *self, int argc, char **argv)
{
    jobs_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c = NULL;
    navd_world world = {0};
    uint64_t revision = 0, build = 0;
    uint32_t cancelled = 0;
    navd_status s = NAVD_OK;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!a.world == !a.build || (a.revision && !a.world)) {
        fprintf(stderr, "navctl cancel: needs --world NAME, --world NAME and --revision N, or --build N\n");
        return NAVCTL_USAGE;
    }
    if (a.revision && !parse_id(self, "revision", a.revision, &revision)) return NAVCTL_USAGE;
    if (a.build && !parse_id(self, "build", a.build, &build)) return NAVCTL_USAGE;
    int code = remote_open(&a.remote, &c);
    if (code == NAVCTL_OK && a.world) code = find_world(c, a.world, &world);
    if (code == NAVCTL_OK) {
        if (a.build)
            s = navd_cancel_build(c, build, &cancelled);
        else if (a.revision)
            s = navd_cancel_edit(c, world.id, revision, &cancelled);
        else
            s = navd_cancel(c, world.id, &cancelled);
        if (s != NAVD_OK) code = remote_failed(c, s, self->name);
    }
    if (code == NAVCTL_OK) printf("cancelled %u tile%s\n", cancelled, text_s(cancelled));
    navd_world_free(&world);
    navd_close(c);
    return code;
}

const arg_command cancel_command = {
    .name = "cancel",
    .summary = "Cancel tiles that a running daemon has still to build",
    .details = "The tiles stay as they are until the next edit that touches them.\n",
    .groups = cancel_groups,
    .group_count = ARG_COUNT(cancel_groups),
    .run = run_cancel,
};

// --- failed ---

static const arg_positional failed_positionals[] = {WORLD_POSITIONAL};
static const arg_option failed_options[] = {
    {"limit", 'n', ARG_INT, "N", "show at most this many", offsetof(jobs_args, limit), 1, 10000, NULL},
    JSON_OPTION,
};
static const arg_group failed_groups[] = {{"Options", failed_options, ARG_COUNT(failed_options), 0},
                                          REMOTE_GROUP(jobs_args, remote)};

static void print_failed(const navd_failed_tile *t)
{
    char age[32], retry[32];
    text_duration(t->since_ms / 1000, age, sizeof age);
    text_duration(t->retry_ms / 1000, retry, sizeof retry);
    printf("tile %d,%d%s%s of %s: %s", t->x, t->z, t->sheet == NAVD_SHEET_UP ? "" : " of sheet ",
           t->sheet == NAVD_SHEET_UP ? "" : navd_sheet_name(t->sheet), t->profile, t->reason[0] ? t->reason : t->code);
    if (!t->reason[0] && t->stage[0]) printf(" in stage %s", t->stage);
    printf(" (for %s, %u %s", age, t->tries, t->tries == 1 ? "try" : "tries");
    printf(t->has_retry ? ", next in %s)\n" : ", next when its input changes)\n", retry);
}

static void json_failed(json_writer *w, const navd_failed_tile *t)
{
    json_text(w, "profile", t->profile);
    json_int(w, "x", t->x);
    json_int(w, "z", t->z);
    if (t->sheet != NAVD_SHEET_UP) json_text(w, "sheet", navd_sheet_name(t->sheet));
    json_text(w, "code", t->code);
    json_text(w, "reason", t->reason);
    json_text(w, "stage", t->stage[0] ? t->stage : NULL);
    if (t->signal[0]) json_text(w, "signal", t->signal);
    json_int(w, "since_ms", (int64_t)t->since_ms);
    json_int(w, "tries", t->tries);
    if (t->has_retry) json_int(w, "retry_ms", (int64_t)t->retry_ms);
}

static void print_failed_list(const navd_failed_tile *tiles, size_t count, uint64_t total, bool json)
{
    json_writer w = {.out = stdout};
    if (json) json_open(&w, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        if (json) {
            json_open(&w, NULL, '{');
            json_failed(&w, &tiles[i]);
            json_close(&w, '}');
        } else {
            print_failed(&tiles[i]);
        }
    }
    if (json) {
        json_close(&w, ']');
        json_end_line(&w);
    } else if (total > count) {
        printf("and %llu more\n", (unsigned long long)(total - count));
    } else if (!count) {
        printf("no failed tiles\n");
    }
}

static int run_failed(const arg_command *self, int argc, char **argv)
{
    jobs_args a = {.limit = 1000, .remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_world world = {0};
    navd_failed_tile *tiles = NULL;
    size_t count = 0;
    uint64_t total = 0;
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    code = find_world(c, a.world, &world);
    if (code == NAVCTL_OK) {
        navd_status s = navd_failed_tiles(c, world.id, (uint32_t)a.limit, &tiles, &count, &total);
        if (s != NAVD_OK) code = remote_failed(c, s, a.world);
    }
    if (code == NAVCTL_OK) {
        print_failed_list(tiles, count, total, a.json);
        if (count) code = NAVCTL_TILES;
    }
    free(tiles);
    navd_world_free(&world);
    navd_close(c);
    return code;
}

const arg_command failed_command = {
    .name = "failed",
    .summary = "List the tiles of a world that failed to build, and why",
    .positionals = failed_positionals,
    .positional_count = ARG_COUNT(failed_positionals),
    .groups = failed_groups,
    .group_count = ARG_COUNT(failed_groups),
    .run = run_failed,
};

// --- why ---

static const arg_positional why_positionals[] = {
    WORLD_POSITIONAL,
    {"X", "of the tile", true, false, offsetof(jobs_args, x)},
    {"Z", "of the tile", true, false, offsetof(jobs_args, z)},
};
static const arg_option why_options[] = {
    {"profile", 0, ARG_TEXT, "NAME", "agent profile; default: the world's first", offsetof(jobs_args, profile), 0, 0,
     NULL},
    {"sheet", 0, ARG_CHOICE, "NAME", "of which sheet; default: up", offsetof(jobs_args, sheet), 0, 0, SHEET_CHOICES},
    JSON_OPTION,
};
static const arg_group why_groups[] = {{"Options", why_options, ARG_COUNT(why_options), 0},
                                       REMOTE_GROUP(jobs_args, remote)};

static void print_story(const navd_tile_story *t, int32_t x, int32_t z)
{
    char who[2 * NAVD_NAME_BYTES + 64], age[32];
    printf("tile %d,%d: %s at revision %llu", x, z, navd_tile_status_name(t->status), (unsigned long long)t->revision);
    if (t->made_us)
        printf(", waited %.1f ms, built in %.1f ms\n", (double)t->queued_us / 1e3, (double)t->made_us / 1e3);
    else
        printf(", from cache\n");
    if (t->is_open)
        printf("now: %s, %s, since revision %llu\n", t->state, class_name(t->job_class),
               (unsigned long long)t->open_since);
    caller_text(&t->caller, who, sizeof who);
    text_duration(t->cause_ms / 1000, age, sizeof age);
    if (strcmp(t->cause, "none") != 0) {
        printf("last marked by: %s", t->cause);
        if (t->has_object) printf(" @%llu", (unsigned long long)t->object);
        printf(", revision %llu, %s ago, %s\n", (unsigned long long)t->cause_revision, age, who);
    }
    if (!t->has_failure) return;
    printf("failed: ");
    print_failed(&t->failure);
}

static void print_story_json(const navd_tile_story *t, int32_t x, int32_t z)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_int(&w, "x", x);
    json_int(&w, "z", z);
    json_text(&w, "state", t->state);
    json_text(&w, "status", navd_tile_status_name(t->status));
    json_int(&w, "revision", (int64_t)t->revision);
    json_int(&w, "queued_us", (int64_t)t->queued_us);
    json_int(&w, "made_us", (int64_t)t->made_us);
    json_text(&w, "cause", t->cause);
    char object[32];
    snprintf(object, sizeof object, "@%llu", (unsigned long long)t->object); // as navctl edit takes it
    if (t->has_object) json_text(&w, "object", object);
    json_int(&w, "cause_revision", (int64_t)t->cause_revision);
    json_int(&w, "cause_ms", (int64_t)t->cause_ms);
    json_caller(&w, &t->caller);
    if (t->is_open) {
        json_int(&w, "open_since", (int64_t)t->open_since);
        json_text(&w, "class", class_name(t->job_class));
    }
    if (t->has_failure) {
        json_open(&w, "failure", '{');
        json_failed(&w, &t->failure);
        json_close(&w, '}');
    }
    json_close(&w, '}');
    json_end_line(&w);
}

static bool parse_place(const arg_command *self, const char *name, const char *text, int32_t *out)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    *out = (int32_t)n;
    if (end != text && !*end && !errno && n == *out) return true;
    fprintf(stderr, "navctl %s: %s %s: expected a whole number\n", self->name, name, text);
    return false;
}

static int run_why(const arg_command *self, int argc, char **argv)
{
    jobs_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c = NULL;
    navd_world world = {0};
    navd_tile_story story;
    int32_t x, z;
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!parse_place(self, "X", a.x, &x) || !parse_place(self, "Z", a.z, &z)) return NAVCTL_USAGE;
    const navd_sheet sheet = (navd_sheet)settings_sheet(a.sheet);
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    code = remote_world(c, a.world, &world, &a.profile);
    if (code == NAVCTL_OK) {
        navd_status s = navd_tile_why_of(c, world.id, a.profile, sheet, x, z, &story);
        if (s != NAVD_OK) code = remote_failed(c, s, a.world);
    }
    if (code == NAVCTL_OK) (a.json ? print_story_json : print_story)(&story, x, z);
    navd_world_free(&world);
    navd_close(c);
    return code;
}

const arg_command why_command = {
    .name = "why",
    .summary = "Show what a tile waits for, or what last changed it and who did",
    .positionals = why_positionals,
    .positional_count = ARG_COUNT(why_positionals),
    .groups = why_groups,
    .group_count = ARG_COUNT(why_groups),
    .run = run_why,
};
