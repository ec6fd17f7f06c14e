// navctl push keeps a world in step with a scene file: once, and with --watch each time that it is saved.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static daemon_process navd;

static void start(void)
{
    daemon_start(&navd, NULL);
}

static void stop(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

// The yard without what follows an object's name, or with another name for it.
static void write_yard_until(const char *path, const char *object)
{
    char text[2048];
    snprintf(text, sizeof text, "%s", YARD_OBJ);
    char *at = strstr(text, object);
    ck_assert_ptr_nonnull(at);
    *at = '\0';
    write_text(path, text);
}

static void write_yard_renamed(const char *path, const char *from, const char *to)
{
    char text[2048];
    const char *at = strstr(YARD_OBJ, from);
    ck_assert_ptr_nonnull(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - YARD_OBJ), YARD_OBJ, to, at + strlen(from));
    write_text(path, text);
}

static outcome push(const char *path, const char *option, const char *value)
{
    return run_navctl("push", path, "-w", "yard", "-c", navd.socket, "--json", option, value, NULL);
}

static outcome good_push(const char *path, const char *option, const char *value)
{
    outcome r = push(path, option, value);
    ck_assert_msg(r.code == 0, "%s", r.err);
    return r;
}

static void expect_counts(const char *line, int added, int changed, int renamed, int removed, int unchanged)
{
    ck_assert_int_eq((int)json_value(line, "added"), added);
    ck_assert_int_eq((int)json_value(line, "changed"), changed);
    ck_assert_int_eq((int)json_value(line, "renamed"), renamed);
    ck_assert_int_eq((int)json_value(line, "removed"), removed);
    ck_assert_int_eq((int)json_value(line, "unchanged"), unchanged);
}

START_TEST(pushing_again_sends_what_differs_and_removes_what_is_gone)
{
    const char *path = temp_path("yard.obj");
    write_text(path, YARD_OBJ);
    expect_counts(good_push(path, NULL, NULL).out, 4, 0, 0, 0, 0);
    outcome r = good_push(path, NULL, NULL);
    expect_counts(r.out, 0, 0, 0, 0, 4);
    ck_assert_int_eq((int)json_value(r.out, "revision"), 1);
    ck_assert_int_eq((int)json_value(r.out, "meshes_sent"), 0);
    write_yard_renamed(path, "o crate\n", "o box\n");
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 1, 0, 3);
    write_yard_until(path, "o step");
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 1, 1, 2);

    // Another file, and a hand, put something; the first one's push leaves it.
    write_text(temp_path("other.obj"), "o hut\nv 5 0 20\nv 8 0 20\nv 8 0 23\nf 3 2 1\n");
    expect_counts(good_push(temp_path("other.obj"), NULL, NULL).out, 1, 0, 0, 0, 0);
    char put[300];
    snprintf(put, sizeof put, "tree=%s@1,0,1", temp_path("other.obj"));
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--put", put, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 0, 0, 3);
    r = run_navctl("world", "list", "-c", navd.socket, "--json", NULL);
    ck_assert_int_eq((int)json_value(r.out, "instances"), 5);
}
END_TEST

static int instances(void)
{
    outcome r = run_navctl("world", "list", "-c", navd.socket, "--json", NULL);
    return (int)json_value(r.out, "instances");
}

START_TEST(two_files_with_the_same_names_keep_their_own_objects)
{
    const char *path = temp_path("yard.obj"), *copy = temp_path("copy.obj");
    write_text(path, YARD_OBJ);
    write_text(copy, YARD_OBJ);
    good_push(path, NULL, NULL);
    outcome r = good_push(copy, "--dry-run", NULL);
    expect_counts(r.out, 4, 0, 0, 0, 0);
    const char *added = strstr(r.out, "\"added_names\"");
    ck_assert_msg(added && strstr(added, "\"crate\""), "%s", r.out);
    expect_counts(good_push(copy, NULL, NULL).out, 4, 0, 0, 0, 0);
    ck_assert_int_eq(instances(), 8);
    const char *both[] = {path, copy};
    for (int i = 0; i < 2; i++) {
        r = good_push(both[i], NULL, NULL);
        expect_counts(r.out, 0, 0, 0, 0, 4);
        ck_assert_int_eq((int)json_value(r.out, "revision"), 2);
        expect_counts(good_push(both[i], "--dry-run", NULL).out, 0, 0, 0, 0, 4);
    }
    write_yard_until(copy, "o step");
    expect_counts(good_push(copy, NULL, NULL).out, 0, 0, 0, 1, 3);
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 0, 0, 4);
    write_text(copy, YARD_OBJ);
    expect_counts(good_push(copy, NULL, NULL).out, 1, 0, 0, 0, 3);
    write_yard_until(path, "o step");
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 0, 1, 3);
    ck_assert_int_eq(instances(), 7);
    expect_counts(good_push(copy, NULL, NULL).out, 0, 0, 1, 0, 3); // the id of the name alone is free
    expect_counts(good_push(copy, NULL, NULL).out, 0, 0, 0, 0, 4);
}
END_TEST

START_TEST(an_instance_without_a_source_is_not_taken_nor_doubled)
{
    const char *path = temp_path("yard.obj"), *hut = temp_path("hut.obj");
    char put[300];
    write_text(hut, "o crate\nv 5 0 20\nv 8 0 20\nv 8 0 23\nf 3 2 1\n");
    write_text(path, YARD_OBJ);
    good_push(hut, NULL, NULL);
    snprintf(put, sizeof put, "shed=%s@1,0,1", hut);
    outcome r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--put", put, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = push(path, NULL, NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(strstr(r.err, "is there already and has no source"), "%s", r.err);
    expect_counts(good_push(path, "--adopt", NULL).out, 3, 1, 0, 0, 0);
}
END_TEST

// What navctl world objects has before "crate" of a source: "@" and its number.
static void crate_of(const char *source, char out[32])
{
    char end[64];
    outcome r = run_navctl("world", "objects", "yard", "-c", navd.socket, NULL);
    snprintf(end, sizeof end, "  crate  (from %s)", source);
    const char *at = strstr(r.out, end);
    ck_assert_msg(at != NULL, "%s", r.out);
    while (*at != '@') at--;
    snprintf(out, 32, "%.*s", (int)strcspn(at, " "), at);
}

// Of a line of that list.
static bool stands_at(const char *line, const char *place)
{
    char words[64];
    snprintf(words, sizeof words, " at %s ", place);
    const char *at = strstr(line, words);
    return at && !memchr(line, '\n', (size_t)(at - line));
}

static outcome edit(const char *option, const char *value)
{
    return run_navctl("edit", "-w", "yard", "-c", navd.socket, option, value, NULL);
}

START_TEST(a_name_of_two_sources_needs_the_number)
{
    const char *path = temp_path("yard.obj"), *copy = temp_path("copy.obj");
    char first[32], second[32], listed[2][64], move[64];
    write_text(path, YARD_OBJ);
    write_text(copy, YARD_OBJ);
    good_push(path, NULL, NULL);
    good_push(copy, NULL, NULL);
    crate_of("yard.obj", first);
    crate_of("copy.obj", second);
    ck_assert_str_ne(first, second);
    snprintf(listed[0], sizeof listed[0], "%s (from yard.obj)", first);
    snprintf(listed[1], sizeof listed[1], "%s (from copy.obj)", second);
    static const char *const steps[][2] = {{"--move", "crate=1,2,3"}, {"--remove", "crate"}};
    for (int i = 0; i < 2; i++) {
        outcome r = edit(steps[i][0], steps[i][1]);
        ck_assert_int_eq(r.code, 1);
        ck_assert_msg(strstr(r.err, "world yard has 2 instances of that name: ") && strstr(r.err, listed[0]) &&
                          strstr(r.err, listed[1]) && strstr(r.err, "; name one by its number, such as @"),
                      "%s", r.err);
    }
    snprintf(move, sizeof move, "%s=1,2,3", second);
    ck_assert_int_eq(edit("--move", move).code, 0);
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 0, 0, 4);
    outcome r = good_push(copy, "--dry-run", NULL);
    ck_assert_int_eq((int)json_value(r.out, "moved"), 1);

    // Only the one whose id is not made of its name alone is left.
    ck_assert_int_eq(edit("--remove", first).code, 0);
    r = edit("--move", "crat=1,2,3");
    ck_assert_msg(strstr(r.err, "; near it: crate (navctl"), "%s", r.err);
    r = edit("--move", "crate=4,5,6");
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("world", "objects", "yard", "-c", navd.socket, NULL);
    const char *at = strstr(r.out, second);
    ck_assert_msg(at && stands_at(at, "4,5,6"), "%s", r.out);

    // One that the same edit puts is meant by a later step.
    char put[300];
    snprintf(put, sizeof put, "crate=%s", path);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--put", put, "--move", "crate=7,8,9", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("world", "objects", "yard", "-c", navd.socket, NULL);
    at = strstr(r.out, first);
    ck_assert_msg(at && stands_at(at, "7,8,9"), "%s", r.out);
    r = edit("--remove", "crate");
    ck_assert_msg(r.code == 1 && strstr(r.err, listed[1]) && strstr(r.err, " (no source)"), "%s", r.err);
    ck_assert_int_eq(edit("--remove", first).code, 0);
    ck_assert_int_eq(edit("--remove", "crate").code, 0);
    ck_assert_int_eq(instances(), 6);
}
END_TEST

START_TEST(a_dry_run_names_what_would_change_and_changes_nothing)
{
    const char *path = temp_path("yard.obj");
    write_text(path, YARD_OBJ);
    outcome r = run_navctl("push", path, "-w", "yard", "-c", navd.socket, "--dry-run", NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert_msg(strstr(r.out, "does not exist yet") && strstr(r.out, "  new      crate\n") && strstr(r.out, "4 new"),
                  "%s", r.out);
    r = run_navctl("world", "list", "-c", navd.socket, "--json", NULL);
    ck_assert_msg(!strstr(r.out, "yard"), "%s", r.out);
    good_push(path, NULL, NULL);
    write_yard_until(path, "o step");
    r = good_push(path, "--dry-run", NULL);
    expect_counts(r.out, 0, 0, 0, 1, 3);
    write_text(path, YARD_OBJ);
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 0, 0, 4);
}
END_TEST

START_TEST(an_origin_that_the_world_does_not_have_is_refused)
{
    const char *path = temp_path("yard.obj");
    write_text(path, YARD_OBJ);
    good_push(path, "--origin", "1,0,-2");
    expect_counts(good_push(path, "--origin", "1,0,-2").out, 0, 0, 0, 0, 4);
    expect_counts(good_push(path, NULL, NULL).out, 0, 0, 0, 0, 4);
    for (int dry = 0; dry < 2; dry++) {
        outcome r = run_navctl("push", path, "-w", "yard", "-c", navd.socket, "--origin", "0,0,0",
                               dry ? "--dry-run" : NULL, NULL);
        expect_error(&r, 1, "--origin 0,0,0: world yard has its origin at 1,0,-2; leave out --origin");
    }
}
END_TEST

START_TEST(a_refused_push_leaves_no_empty_world)
{
    daemon_process small;
    char socket[PATH_BYTES];
    const char *const arguments[] = {"--max-objects", "3", NULL};
    const daemon_options options = {.arguments = arguments, .no_tcp = true, .socket = path_into(socket, "small.sock")};
    daemon_launch(&small, &options);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", small.socket, NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(strstr(r.err, "--max-objects"), "%s", r.err);
    r = run_navctl("world", "list", "-c", small.socket, "--json", NULL);
    ck_assert_msg(!strstr(r.out, "yard"), "%s", r.out);
    ck_assert_int_eq(daemon_stop(&small), 0);
}
END_TEST

START_TEST(a_list_longer_than_a_message_is_sent_in_parts)
{
    enum { OBJECTS = 2000 }; // 64 KiB hold fewer than 900
    daemon_process small;
    char socket[PATH_BYTES];
    const char *const arguments[] = {"--max-message-bytes", "64K", NULL};
    const daemon_options options = {.arguments = arguments, .no_tcp = true, .socket = path_into(socket, "small.sock")};
    const char *path = temp_path("many.obj");
    daemon_launch(&small, &options);
    for (int round = 0; round < 2; round++) {
        FILE *f = fopen(path, "w");
        ck_assert_ptr_nonnull(f);
        for (int i = 0; i < OBJECTS; i++) {
            int x = i % 50, z = i / 50, y = round && i == OBJECTS - 1;
            fprintf(f, "o o%d\nv %d %d %d\nv %d %d %d\nv %d %d %d\nf -3 -1 -2\n", i, x, y, z, x + 1, y, z, x, y, z + 1);
        }
        fclose(f);
        outcome r = run_navctl("push", path, "-w", "many", "-c", small.socket, "--json", NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        if (round)
            expect_counts(r.out, 0, 1, 0, 0, OBJECTS - 1);
        else
            expect_counts(r.out, OBJECTS, 0, 0, 0, 0);
        ck_assert_int_eq((int)json_value(r.out, "meshes_sent"), round ? 1 : OBJECTS);
    }
    ck_assert_int_eq(daemon_stop(&small), 0);
}
END_TEST

// --- watching ---

typedef struct watching {
    pid_t pid;
    FILE *said; // standard output, a line at a time
    char line[4096];
} watching;

// Reads on until a line has these words.
static void await(watching *w, const char *words)
{
    do ck_assert_msg(fgets(w->line, sizeof w->line, w->said), "navctl push ended before it said %s", words);
    while (!strstr(w->line, words));
}

static void watch(watching *w, const char *path)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    w->pid = fork();
    ck_assert_int_ge(w->pid, 0);
    if (w->pid == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl(NAVCTL_PATH, "navctl", "push", path, "-w", "yard", "-c", navd.socket, "--json", "--watch", NULL);
        _exit(127);
    }
    close(ends[1]);
    w->said = fdopen(ends[0], "r");
    ck_assert_ptr_nonnull(w->said);
    await(w, "\"revision\": 1");
    await(w, "\"watching\"");
}

static void end(watching *w)
{
    int status;
    ck_assert_int_eq(kill(w->pid, SIGINT), 0);
    while (fgets(w->line, sizeof w->line, w->said)) {
    }
    fclose(w->said);
    ck_assert_int_eq(waitpid(w->pid, &status, 0), w->pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "ended with %d", status);
}

START_TEST(each_save_is_pushed_however_it_is_saved)
{
    const char *path = temp_path("yard.obj"), *other = temp_path("yard.obj.tmp"), *old = temp_path("yard.obj~");
    watching w = {0};
    write_text(path, YARD_OBJ);
    watch(&w, path);
    write_yard_until(path, "o step"); // in place
    await(&w, "\"removed\": 1");
    write_text(other, YARD_OBJ); // another file, renamed
    ck_assert_int_eq(rename(other, path), 0);
    await(&w, "\"added\": 1");
    ck_assert_int_eq(rename(path, old), 0); // the old one moved away first
    await(&w, "\"gone\"");
    write_yard_renamed(path, "o crate\n", "o box\n");
    await(&w, "\"renamed\": 1");
    expect_counts(w.line, 0, 0, 1, 0, 3);
    end(&w);
}
END_TEST

START_TEST(a_saved_file_keeps_its_objects_beside_those_of_the_same_names)
{
    const char *path = temp_path("yard.obj"), *copy = temp_path("copy.obj");
    watching w = {0};
    write_text(path, "o hut\nv 5 0 20\nv 8 0 20\nv 8 0 23\nf 3 2 1\n");
    write_text(copy, YARD_OBJ);
    watch(&w, path);
    good_push(copy, NULL, NULL);
    write_text(path, YARD_OBJ);
    await(&w, "\"added\": 4");
    expect_counts(w.line, 4, 0, 0, 1, 0);
    write_yard_until(path, "o step");
    await(&w, "\"removed\": 1");
    expect_counts(w.line, 0, 0, 0, 1, 3);
    expect_counts(good_push(copy, NULL, NULL).out, 0, 0, 0, 0, 4);
    end(&w);
}
END_TEST

START_TEST(several_saves_at_once_end_with_the_last_one)
{
    const char *path = temp_path("yard.obj");
    watching w = {0};
    write_text(path, YARD_OBJ);
    watch(&w, path);
    for (int i = 0; i < 20; i++) {
        write_yard_until(path, "o shed");
        write_yard_until(path, "o step");
    }
    write_text(path, YARD_OBJ);
    int objects;
    do { // one push for all of them, but on a machine that stalls there are some more; only the last has four
        await(&w, "\"pushed\"");
        objects = (int)(json_value(w.line, "added") + json_value(w.line, "unchanged"));
    } while (objects != 4);
    expect_counts(good_push(path, "--dry-run", NULL).out, 0, 0, 0, 0, 4);
    end(&w);
}
END_TEST

static bool has_leases(const char *path)
{
    int fd = open(path, O_RDONLY);
    bool has = fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    close(fd);
    return has;
}

START_TEST(a_file_that_is_being_written_waits_and_a_broken_one_empties_nothing)
{
    const char *path = temp_path("yard.obj");
    watching w = {0};
    size_t half = strlen(YARD_OBJ) / 2;
    write_text(path, YARD_OBJ);
    if (!has_leases(path)) {
        printf("no leases here: not tested\n");
        return;
    }
    watch(&w, path);
    FILE *f = fopen(path, "w"); // empty
    ck_assert_ptr_nonnull(f);
    await(&w, "\"writing\"");
    ck_assert_uint_eq(fwrite(YARD_OBJ, 1, half, f), half);
    ck_assert_int_eq(fflush(f), 0); // half of it, which would read as a smaller scene
    ck_assert_int_ge(fputs(YARD_OBJ + half, f), 0);
    fclose(f);
    await(&w, "\"pushed\"");
    expect_counts(w.line, 0, 0, 0, 0, 4);
    write_text(path, "o nothing\n");
    await(&w, "\"unreadable\"");
    write_text(path, "");
    await(&w, "\"unreadable\"");
    write_yard_until(path, "o step");
    await(&w, "\"pushed\"");
    expect_counts(w.line, 0, 0, 0, 1, 3);
    end(&w);
}
END_TEST

START_TEST(a_folder_that_goes_and_comes_back_is_followed)
{
    const char *folder = temp_path("level"), *path = temp_path("level/yard.obj");
    watching w = {0};
    mkdir(folder, 0700);
    write_text(path, YARD_OBJ);
    watch(&w, path);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    await(&w, "\"gone\"");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    write_yard_until(path, "o step");
    await(&w, "\"removed\": 1");
    expect_counts(w.line, 0, 0, 0, 1, 3);
    end(&w);
}
END_TEST

START_TEST(what_the_file_refers_to_is_followed)
{
    const char *path = temp_path("yard.obj"), *library = temp_path("yard.mtl");
    char text[2048];
    watching w = {0};
    snprintf(text, sizeof text, "mtllib yard.mtl\n%s", YARD_OBJ);
    write_text(path, text);
    write_text(library, "newmtl grass\n");
    watch(&w, path);
    write_text(library, "newmtl water\n");
    await(&w, "\"pushed\"");
    expect_counts(w.line, 0, 0, 0, 0, 4);
    end(&w);
}
END_TEST

START_TEST(a_daemon_that_restarts_without_its_worlds_gets_the_scene_again)
{
    const char *path = temp_path("yard.obj");
    watching w = {0};
    write_text(path, YARD_OBJ);
    watch(&w, path);
    daemon_kill(&navd);
    daemon_start(&navd, NULL); // it kept nothing
    write_yard_until(path, "o step");
    await(&w, "\"added\": 3");
    end(&w);
}
END_TEST

// The ground of an area in a world's tiles, m².
static double ground_of(const char *world, const char *area)
{
    const char *tiles = temp_path("areas.navd");
    outcome r = run_navctl("watch", "-w", world, "--once", "-o", tiles, "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("info", tiles, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    const char *ground = strstr(r.out, "\"areas_m2\"");
    char key[16];
    snprintf(key, sizeof key, "\"%s\": ", area);
    return ground && strstr(ground, key) ? json_value(ground, area) : 0;
}

START_TEST(areas_and_their_table_are_pushed_and_put)
{
    static const char square[] = "v 0 0 0\nv 0 0 12\nv 12 0 12\nv 12 0 0\no pond\nusemtl water\nf 1 2 3 4\n";
    const char *path = temp_path("pond.obj");
    write_text(path, square);
    outcome r = run_navctl("push", path, "-w", "pond", "--area", "water=7", "--area-type", "7,name=water,cost=10", "-c",
                           navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_gt(ground_of("pond", "7"), 50);
    r = run_navctl("world", "areas", "pond", "--json", "-c", navd.socket, NULL);
    ck_assert_msg(strstr(r.out, "\"name\": \"water\", \"cost\": 10") != NULL, "%s", r.out);
    const double revision = json_value(r.out, "revision");
    r = run_navctl("push", path, "-w", "pond", "--area", "water=7", "--area-type", "7,cost=10", "-c", navd.socket,
                   NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("world", "areas", "pond", "--json", "-c", navd.socket, NULL);
    ck_assert_double_eq(json_value(r.out, "revision"), revision); // the table was so already
    ck_assert_msg(strstr(r.out, "\"name\": \"water\"") != NULL, "%s", r.out);
    // By the name of a material, then of an object.
    char put[200];
    snprintf(put, sizeof put, "more=%s@20,0,0", path);
    ck_assert_double_eq(ground_of("pond", "5"), 0);
    r = run_navctl("edit", "-w", "pond", "--put", put, "--area", "water=5", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_gt(ground_of("pond", "5"), 50);
    r = run_navctl("edit", "-w", "pond", "--put", put, "--area", "pond=9", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert(ground_of("pond", "9") > 50 && ground_of("pond", "5") < 1);
    r = run_navctl("push", path, "-w", "none", "--area-type", "7", "-c", navd.socket, NULL);
    expect_error(&r, 2, "--area-type 7: expected ID,KEY=VALUE,");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("push");
    TCase *t = tcase_create("push");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, pushing_again_sends_what_differs_and_removes_what_is_gone);
    tcase_add_test(t, two_files_with_the_same_names_keep_their_own_objects);
    tcase_add_test(t, an_instance_without_a_source_is_not_taken_nor_doubled);
    tcase_add_test(t, a_name_of_two_sources_needs_the_number);
    tcase_add_test(t, a_dry_run_names_what_would_change_and_changes_nothing);
    tcase_add_test(t, an_origin_that_the_world_does_not_have_is_refused);
    tcase_add_test(t, a_refused_push_leaves_no_empty_world);
    tcase_add_test(t, a_list_longer_than_a_message_is_sent_in_parts);
    tcase_add_test(t, each_save_is_pushed_however_it_is_saved);
    tcase_add_test(t, a_saved_file_keeps_its_objects_beside_those_of_the_same_names);
    tcase_add_test(t, several_saves_at_once_end_with_the_last_one);
    tcase_add_test(t, a_file_that_is_being_written_waits_and_a_broken_one_empties_nothing);
    tcase_add_test(t, a_folder_that_goes_and_comes_back_is_followed);
    tcase_add_test(t, what_the_file_refers_to_is_followed);
    tcase_add_test(t, a_daemon_that_restarts_without_its_worlds_gets_the_scene_again);
    tcase_add_test(t, areas_and_their_table_are_pushed_and_put);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
