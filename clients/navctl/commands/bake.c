// navctl bake: many scenes for many agents through one daemon, into files.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/arguments/farm_args.h"
#include "clients/navctl/bake/bake_file.h"
#include "clients/navctl/bake/bake_record.h"
#include "clients/navctl/bake/build_file.h"
#include "clients/navctl/bake/farm_work.h"
#include "clients/navctl/bake/scene_key.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/scene/scene_look.h"
#include "core/base/key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct bake_args {
    const char *file;
    int32_t parallel;
    bool json, again, dry_run;
    remote_values remote;
    farm_values farm;
} bake_args;

static const arg_option bake_options[] = {
    {"parallel", 0, ARG_INT, "N", "number of scenes to read, send and build at once", offsetof(bake_args, parallel), 1,
     SCENE_BUILDS_MOST, NULL},
    {"again", 0, ARG_FLAG, NULL, "build everything again, even what is already written", offsetof(bake_args, again), 0,
     0, NULL},
    {"dry-run", 0, ARG_FLAG, NULL, "say what would be built, and build nothing", offsetof(bake_args, dry_run), 0, 0,
     NULL},
    {"json", 0, ARG_FLAG, NULL, "print progress and results as lines of JSON on standard output",
     offsetof(bake_args, json), 0, 0, NULL},
};
static const arg_group groups[] = {{"Options", bake_options, ARG_COUNT(bake_options), 0},
                                   FARM_GROUP(bake_args, farm),
                                   REMOTE_GROUP(bake_args, remote)};
static const arg_positional positionals[] = {
    {"FILE", "what to bake: scenes, agent profiles and options, as JSON", true, true, offsetof(bake_args, file)}};

typedef struct bake_output {
    const bake_profile *profile;
    char *path;
    nav_key input;
} bake_output;

// A scene that is built.
typedef struct bake_job {
    const bake_scene *of;
    scene scene;
    nav_area_table areas;
    reach_values reach;
    bake_output *outputs; // those that are to be written, as input.profiles
    scene_build_profile *profiles;
    char world[64];
    scene_build_input input;
    double started_s;
} bake_job;

typedef struct bake {
    const bake_args *args;
    bake_file file;
    bake_record record;
    private_daemon daemon;
    scene_builds builds;
    bool has_client;
    int code; // of what went wrong first
    uint32_t written, kept, failed, outputs;
    double started_s, told_s;
    progress bar;
} bake;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// --- what is said ---

static void begin_event(json_writer *w, const char *event)
{
    *w = (json_writer){.out = stdout};
    json_open(w, NULL, '{');
    json_text(w, "event", event);
}

static void end_event(json_writer *w)
{
    json_close(w, '}');
    json_end_line(w);
}

// status: "kept", "to build", "written", "tiles failed" or "failed".
static void say_output(bake *b, const char *status, const bake_scene *s, const bake_output *o, const tile_set *tiles,
                       double seconds)
{
    const tile_set_totals t = tiles ? tile_set_count(tiles) : (tile_set_totals){0};
    if (b->bar.shown) fprintf(stderr, "\r\033[K");
    if (b->args->json) {
        json_writer w;
        begin_event(&w, "output");
        json_text(&w, "scene", s->name);
        json_text(&w, "profile", o->profile->name);
        json_text(&w, "output", o->path);
        json_text(&w, "status", status);
        if (tiles) {
            json_int(&w, "tiles", t.filled);
            json_int(&w, "failed_tiles", t.failed);
            json_int(&w, "bytes", (int64_t)t.bytes);
            json_number(&w, "seconds", seconds);
        }
        end_event(&w);
    } else {
        printf("%-12s %s", status, o->path);
        if (tiles) printf(": %u tile%s, %.1f KiB, %.2f s", t.filled, text_s(t.filled), (double)t.bytes / 1024, seconds);
        if (t.failed) printf(", %u failed", t.failed);
        printf("\n");
    }
    fflush(stdout);
}

static void note(bake *b, int code)
{
    if (b->code == NAVCTL_OK) b->code = code;
}

static void on_progress(void *user, uint64_t done, uint64_t total)
{
    bake *b = user;
    progress_update(&b->bar, done, total);
    if (!b->args->json || now_s() - b->told_s < 1) return;
    json_writer w;
    b->told_s = now_s();
    begin_event(&w, "progress");
    json_int(&w, "outputs", b->outputs);
    json_int(&w, "finished", b->written + b->kept + b->failed);
    json_int(&w, "tiles_done", (int64_t)done);
    json_int(&w, "tiles", (int64_t)total); // of the scenes that are built now
    json_number(&w, "seconds", now_s() - b->started_s);
    end_event(&w);
    fflush(stdout);
}

static void say_end(const bake *b)
{
    const double seconds = now_s() - b->started_s;
    farm_work work;
    const bool farm = b->args->farm.url && b->has_client && navd_is_connected(b->builds.client) &&
                      farm_work_read(b->builds.client, &work);
    if (b->args->json) {
        json_writer w;
        begin_event(&w, "end");
        json_int(&w, "outputs", b->outputs);
        json_int(&w, "written", b->written);
        json_int(&w, "kept", b->kept);
        json_int(&w, "failed", b->failed);
        if (farm) farm_work_json(&work, &w);
        json_int(&w, "exit_code", b->code);
        json_number(&w, "seconds", seconds);
        end_event(&w);
    } else if (!b->args->dry_run) {
        printf("%u written, %u kept, %u failed, of %u file%s, in %.1f s\n", b->written, b->kept, b->failed, b->outputs,
               text_s(b->outputs), seconds);
        if (farm)
            printf("%llu tiles were in the farm's cache, its workers built %llu, this machine %llu\n",
                   (unsigned long long)work.found, (unsigned long long)work.made, (unsigned long long)work.built);
    }
}

// --- a scene ---

static void job_free(bake_job *j)
{
    if (!j) return;
    for (uint32_t i = 0; j->outputs && i < j->of->profile_count; i++) free(j->outputs[i].path);
    free(j->outputs);
    free(j->profiles);
    scene_deinit(&j->scene);
    free(j);
}

// As the record names it: from the bake file's folder, wherever navctl runs.
static const char *recorded_as(const bake *b, const bake_output *o)
{
    return b->file.output[0] == '/' ? o->path : o->path + strlen(b->file.folder);
}

static bool is_there(const bake *b, const bake_output *o, const nav_settings *settings)
{
    const bake_record_entry *e = b->args->again ? NULL : bake_record_find(&b->record, recorded_as(b, o));
    nav_key now;
    return e && nav_key_equal(e->input, o->input) && mesh_file_hash(o->path, b->file.kind, settings, &now) &&
           nav_key_equal(now, e->file);
}

// The profiles of a scene whose files are not there.
static int plan_profiles(bake *b, bake_job *j, bake_values *v)
{
    nav_key all = scene_key_of(&j->input), world = all;
    for (uint32_t i = 0; i < j->of->profile_count; i++) {
        const bake_profile *p = &b->file.profiles[j->of->profiles[i]];
        bake_output *o = &j->outputs[j->input.profile_count];
        if (!bake_file_values(&b->file, j->of, p, v)) return NAVCTL_INPUT;
        nav_settings settings = v->grid.settings, applied = settings;
        nav_area_table_apply(&j->areas, &applied);
        const nav_key key = scene_key_of_profile(all, &settings);
        *o = (bake_output){.profile = p, .path = bake_file_output(&b->file, j->of, p)};
        if (!o->path) return no_memory();
        o->input = scene_key_of_file(key, b->file.kind, j->of->path);
        if (is_there(b, o, &applied)) {
            b->kept++;
            say_output(b, "kept", j->of, o, NULL, 0);
            free(o->path);
            *o = (bake_output){0};
            continue;
        }
        // With the output, as another scene may hold the same.
        world = nav_key_join(nav_key_join(world, key), nav_key_of(recorded_as(b, o), strlen(recorded_as(b, o))));
        j->profiles[j->input.profile_count++] =
            (scene_build_profile){p->name, settings, build_file_encodings(b->file.kind, &settings)};
    }
    char text[NAV_KEY_TEXT_BYTES];
    nav_key_text(world, text);
    snprintf(j->world, sizeof j->world, "navctl-bake-%s", text);
    return NAVCTL_OK;
}

static int read_job(bake *b, bake_job *j, bake_values *v)
{
    const bake_scene *s = j->of;
    char name[256];
    snprintf(name, sizeof name, "bake: %.200s", s->name);
    if (!bake_file_values(&b->file, s, &b->file.profiles[s->profiles[0]], v)) return NAVCTL_INPUT;
    int code = scene_load(s->path, &v->reading, name, shared_threads(), &j->scene);
    if (code != NAVCTL_OK) return code;
    if (!j->scene.tri_count) {
        fprintf(stderr, "navctl: %s: it holds no triangles\n", s->path);
        return NAVCTL_INPUT;
    }
    if (!area_type_values_apply(&v->area_types, name, &j->areas)) return NAVCTL_INPUT;
    j->reach = v->reach;
    j->input = (scene_build_input){.title = s->path,
                                   .world = j->world,
                                   .scene = &j->scene,
                                   .areas = &j->areas,
                                   .goal = &j->reach.goal,
                                   .unreachable = j->reach.mode,
                                   .allow_lost_seeds = j->reach.allow_lost_seeds,
                                   .profiles = j->profiles};
    scene_doubts doubts;
    const nav_settings first = v->grid.settings;
    code = plan_profiles(b, j, v);
    if (code == NAVCTL_OK && j->input.profile_count) scene_look_warn(&j->scene, &first, &doubts);
    return code;
}

// Reads a scene and finds what of it is to be built. *out: NULL where nothing is.
static int make_job(bake *b, const bake_scene *s, bake_job **out)
{
    bake_values *v = malloc(sizeof *v); // large
    bake_job *j = calloc(1, sizeof *j);
    *out = NULL;
    int code = v && j ? NAVCTL_OK : no_memory();
    if (code == NAVCTL_OK) {
        *j = (bake_job){.of = s, .started_s = now_s()};
        j->outputs = calloc(s->profile_count, sizeof *j->outputs);
        j->profiles = calloc(s->profile_count, sizeof *j->profiles);
        code = j->outputs && j->profiles ? read_job(b, j, v) : no_memory();
    }
    free(v);
    if (code == NAVCTL_OK && j->input.profile_count)
        *out = j;
    else
        job_free(j);
    return code;
}

static void fail_outputs(bake *b, const bake_scene *s, int code)
{
    for (uint32_t i = 0; i < s->profile_count; i++) {
        bake_output o = {.profile = &b->file.profiles[s->profiles[i]]};
        o.path = bake_file_output(&b->file, s, o.profile);
        b->failed++;
        say_output(b, "failed", s, &o, NULL, 0);
        free(o.path);
    }
    note(b, code);
}

static void fail_job(bake *b, const bake_job *j, int code)
{
    for (uint32_t i = 0; i < j->input.profile_count; i++, b->failed++)
        say_output(b, "failed", j->of, &j->outputs[i], NULL, 0);
    note(b, code);
}

// A file that lacks tiles is written, as navctl build does, but not recorded: the next bake tries them again.
static void write_output(bake *b, const bake_job *j, const scene_build *build, uint32_t i)
{
    const bake_output *o = &j->outputs[i];
    nav_settings settings = j->profiles[i].settings;
    const tile_set *tiles = scene_build_tiles(build, i, mesh_file_encoding(b->file.kind));
    const bool failed = tile_set_count(tiles).failed;
    nav_key file;
    nav_area_table_apply(&j->areas, &settings);
    bool ok = build_file_write(build, i, o->path, b->file.kind, j->of->path);
    if (ok && !failed)
        ok = mesh_file_hash(o->path, b->file.kind, &settings, &file) &&
             bake_record_add(&b->record, recorded_as(b, o), o->input, file);
    b->written += ok && !failed;
    b->failed += !ok || failed;
    say_output(b,
               !ok      ? "failed"
               : failed ? "tiles failed"
                        : "written",
               j->of, o, ok ? tiles : NULL, now_s() - j->started_s);
    if (!ok) note(b, NAVCTL_FAILED);
    if (failed) note(b, NAVCTL_TILES);
}

// Waits for one scene and writes its files. Returns an exit code other than NAVCTL_OK where the bake cannot go on.
static int finish_one(bake *b)
{
    scene_build *build;
    progress_begin(&b->bar, "Baking");
    int code = scene_builds_next(&b->builds, &build);
    progress_end(&b->bar);
    if (code != NAVCTL_OK) return code;
    bake_job *j = build->user;
    if (build->code == NAVCTL_OK || build->code == NAVCTL_TILES) {
        for (uint32_t i = 0; i < j->input.profile_count; i++) write_output(b, j, build, i);
    } else {
        fail_job(b, j, build->code);
    }
    scene_builds_close(&b->builds, build);
    job_free(j);
    return NAVCTL_OK;
}

// --- the whole ---

// The daemon is started when there is something for it.
static int connect_daemon(bake *b)
{
    remote_values remote = b->args->remote;
    const char *words[FARM_WORDS];
    navd_client *client;
    int code;
    if (b->has_client) return NAVCTL_OK;
    remote.keep_connected = true;
    const char *named = remote.address ? remote.address : getenv("NAVD_ADDRESS");
    if (!named || !named[0]) {
        farm_values_words(&b->args->farm, NULL, words);
        code = private_daemon_start(&b->daemon, b->args->farm.program, words);
        if (code == NAVCTL_OK) code = private_daemon_connect(&b->daemon, &remote, &client);
    } else {
        code = remote_open(&remote, &client);
    }
    if (code != NAVCTL_OK) return code;
    scene_builds_init(&b->builds, client, b->daemon.process > 0 ? &b->daemon : NULL);
    b->builds.on_progress = on_progress;
    b->builds.user = b;
    b->has_client = true;
    if (b->args->farm.url) farm_work_await(client);
    return code;
}

static int begin_scene(bake *b, const bake_scene *s)
{
    bake_job *j;
    scene_build *build;
    int code = make_job(b, s, &j);
    if (code != NAVCTL_OK) {
        fail_outputs(b, s, code);
        return NAVCTL_OK;
    }
    if (j && b->args->dry_run) {
        for (uint32_t i = 0; i < j->input.profile_count; i++) say_output(b, "to build", s, &j->outputs[i], NULL, 0);
        job_free(j);
        return NAVCTL_OK;
    }
    if (!j) return NAVCTL_OK;
    code = connect_daemon(b);
    const bool connected = code == NAVCTL_OK;
    if (connected) code = scene_builds_begin(&b->builds, &j->input, j, &build);
    if (code == NAVCTL_OK) return code;
    fail_job(b, j, code);
    job_free(j);
    const bool is_of_all = !connected || code == NAVCTL_CONNECT || code == NAVCTL_FORBIDDEN;
    return is_of_all ? code : NAVCTL_OK;
}

static void stop(bake *b)
{
    bake_job *left[SCENE_BUILDS_MOST];
    uint32_t count = 0;
    if (b->has_client) {
        for (; count < b->builds.count; count++) left[count] = b->builds.running[count]->user;
        scene_builds_deinit(&b->builds);
    }
    for (uint32_t i = 0; i < count; i++) job_free(left[i]);
    private_daemon_stop(&b->daemon);
}

// Folders of the outputs, and whether the files can be put there: before anything is built.
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        if (!made) fprintf(stderr, "navctl: cannot make the folder %s: %s\n", path, strerror(errno));
        *slash = '/';
        if (!made) return false;
    }
    return true;
}

static int prepare_outputs(bake *b)
{
    int code = NAVCTL_OK;
    for (uint32_t i = 0; i < b->file.scene_count; i++) {
        const bake_scene *s = &b->file.scenes[i];
        b->outputs += s->profile_count;
        for (uint32_t k = 0; k < s->profile_count && code == NAVCTL_OK && !b->args->dry_run; k++) {
            char *path = bake_file_output(&b->file, s, &b->file.profiles[s->profiles[k]]);
            if (!path)
                code = no_memory();
            else if (!make_folders(path) || !output_is_possible(path))
                code = NAVCTL_FAILED;
            free(path);
        }
    }
    return code;
}

// Two bakes of one file would write over each other. The lock ends with the process.
static int lock_file(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // what is no file, such as a pipe, is not waited for
    if (fd < 0) {
        fprintf(stderr, "navctl: %s: %s\n", path, strerror(errno));
        return NAVCTL_INPUT;
    }
    if (fstat(fd, &info) || !S_ISREG(info.st_mode)) {
        fprintf(stderr, "navctl: %s: it is %s: name a file\n", path, S_ISDIR(info.st_mode) ? "a folder" : "not a file");
        close(fd);
        return NAVCTL_INPUT;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return NAVCTL_OK;
    fprintf(stderr, "navctl: %s: %s\n", path,
            errno == EWOULDBLOCK ? "another navctl bakes it: wait until that has ended" : strerror(errno));
    close(fd);
    return NAVCTL_FAILED;
}

static int bake_all(bake *b)
{
    int code = prepare_outputs(b);
    for (uint32_t i = 0; i < b->file.scene_count && code == NAVCTL_OK; i++) {
        while (code == NAVCTL_OK && b->builds.count >= (uint32_t)b->args->parallel) code = finish_one(b);
        if (code == NAVCTL_OK) code = begin_scene(b, &b->file.scenes[i]);
    }
    while (code == NAVCTL_OK && b->builds.count) code = finish_one(b);
    note(b, code);
    return b->code;
}

static int run(const arg_command *self, int argc, char **argv)
{
    bake_args a = {.parallel = 4, .remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!farm_values_check(&a.farm, self->name)) return NAVCTL_USAGE;
    if (a.farm.url && a.remote.address) {
        fprintf(stderr, "navctl bake: --farm starts a navd of this command's own, and --connect names another: leave "
                        "one of the two out\n");
        return NAVCTL_USAGE;
    }
    bake b = {.args = &a, .started_s = now_s()};
    if (a.farm.url) unsetenv("NAVD_ADDRESS");
    int code = lock_file(a.file);
    if (code == NAVCTL_OK) code = bake_file_read(a.file, &b.file);
    if (code == NAVCTL_OK && !bake_record_open(a.file, &b.record)) code = NAVCTL_FAILED;
    if (code == NAVCTL_OK) {
        code = bake_all(&b);
        say_end(&b);
    }
    stop(&b);
    bake_record_deinit(&b.record);
    bake_file_deinit(&b.file);
    return code;
}

const arg_command bake_command = {
    .name = "bake",
    .summary = "Build the meshes of many scenes for many agents through a daemon",
    .details =
        "FILE lists the scenes, the agent profiles and the files to write; docs/clients.md describes it. Each file "
        "holds\n"
        "the same bytes as one that navctl build writes. FILE.done notes what has been written: files whose input,\n"
        "settings and version have not changed are kept, so a bake that was stopped goes on when you run it again. A\n"
        "scene that fails does not stop the others; the exit code is that of the first failure. The daemon is the one\n"
        "at --connect or NAVD_ADDRESS. Without either, or with --farm, this command starts a navd of its own.\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
