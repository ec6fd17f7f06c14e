// navctl bake, and navctl build --farm: many scenes through a daemon have the bytes that navctl build writes, whatever
// happens on the way.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
#include "tests/farm/nats_server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HILLS = 6, CELLS = FULL_OR_SANITIZED(60, 20) };

static void expect_same_files(const char *a, const char *b)
{
    size_t a_count, b_count;
    uint8_t *x = read_file(a, &a_count), *y = read_file(b, &b_count);
    ck_assert_msg(a_count == b_count && !memcmp(x, y, a_count), "%s and %s differ", a, b);
    free(x);
    free(y);
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) count++;
    return count;
}

static outcome bake(const char *file)
{
    return run_navctl("bake", file, "--navd", NAVD_PATH, NULL);
}

// Two scenes, two agents: three files.
static const char *write_bake(const char *ending)
{
    char text[1024];
    const char *path = temp_path("bake.json");
    yard();
    write_hills(temp_path("hills.obj"), 12);
    snprintf(text, sizeof text,
             "{\"output\": \"out/{profile}/{scene}.%s\", \"options\": {\"cell-height\": 0.25},"
             " \"profiles\": {\"small\": {}, \"large\": {\"agent-radius\": 1.2, \"cell-size\": 0.4}},"
             " \"scenes\": [\"yard.obj\", {\"file\": \"hills.obj\", \"name\": \"far\", \"profiles\": [\"large\"],"
             " \"options\": {\"island-min-area\": 40, \"area-type\": [\"7,name=mud\"]}}]}",
             ending);
    write_text(path, text);
    return path;
}

static void expect_built(const char *ending, const char *made, const char *scene, bool large, bool far)
{
    char made_name[128], built_name[128];
    snprintf(made_name, sizeof made_name, "out/%s/%s.%s", large ? "large" : "small", made, ending);
    snprintf(built_name, sizeof built_name, "built.%s", ending);
    const char *words[16] = {temp_path(scene), "-o", temp_path(built_name), "--cell-height", "0.25"};
    int n = 5;
    if (large) words[n++] = "--agent-radius=1.2", words[n++] = "--cell-size=0.4";
    if (far) words[n++] = "--island-min-area=40", words[n++] = "--area-type=7,name=mud";
    outcome r = run_navctl("build", words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7],
                           words[8], words[9], NULL);
    EXPECT_CODE(r, 0);
    expect_same_files(temp_path(made_name), words[2]);
}

START_TEST(a_bake_writes_the_bytes_of_navctl_build)
{
    static const char *const endings[] = {"bin", "navd", "obj", "glb"};
    const char *ending = endings[_i];
    outcome r = bake(write_bake(ending));
    EXPECT_CODE(r, 0);
    ck_assert_int_eq(count_words(r.out, "\nwritten") + !strncmp(r.out, "written", 7), 3);
    expect_built(ending, "yard", "yard.obj", false, false);
    expect_built(ending, "yard", "yard.obj", true, false);
    expect_built(ending, "far", "hills.obj", true, true);
}
END_TEST

START_TEST(walls_and_their_seams_are_those_of_navctl_build)
{
    yard();
    write_text(temp_path("walls.json"), "{\"output\": \"walls.bin\", \"profiles\": {\"a\": {\"sheets\": \"all\"}},"
                                        " \"scenes\": [\"yard.obj\"]}");
    outcome r = bake(temp_path("walls.json"));
    EXPECT_CODE(r, 0);
    ck_assert_int_eq(mkdir(temp_path("apart"), 0777), 0);
    r = run_navctl("build", temp_path("yard.obj"), "--sheets", "all", "-o", temp_path("apart/walls.bin"), NULL);
    EXPECT_CODE(r, 0);
    static const char *const names[] = {"walls.up.bin", "walls.x+.bin", "walls.z-.bin", "walls.seams.json"};
    for (int i = 0; i < 4; i++) {
        char apart[64];
        snprintf(apart, sizeof apart, "apart/%s", names[i]);
        expect_same_files(temp_path(names[i]), temp_path(apart));
    }
    r = bake(temp_path("walls.json"));
    EXPECT_CODE(r, 0);
    ck_assert_msg(!strncmp(r.out, "kept", 4), "%s", r.out);
    ck_assert_int_eq(unlink(temp_path("walls.z-.bin")), 0);
    r = bake(temp_path("walls.json"));
    ck_assert_msg(!strncmp(r.out, "written", 7), "%s", r.out);
}
END_TEST

START_TEST(what_is_there_is_kept_and_what_changed_is_built)
{
    const char *file = write_bake("navd");
    EXPECT_CODE(bake(file), 0);
    outcome r = bake(file);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "0 written, 3 kept, 0 failed"), "%s", r.out);

    write_text(temp_path("out/large/yard.navd"), "somebody was here"); // an output that somebody touched
    r = bake(file);
    ck_assert_msg(strstr(r.out, "1 written, 2 kept"), "%s", r.out);
    expect_built("navd", "yard", "yard.obj", true, false);

    write_hills(temp_path("hills.obj"), 13); // a scene
    r = bake(file);
    ck_assert_msg(strstr(r.out, "1 written, 2 kept"), "%s", r.out);
    expect_built("navd", "far", "hills.obj", true, true);

    size_t count;
    char *text = (char *)read_file(file, &count); // a profile
    char *radius = strstr(text, "1.2");
    ck_assert_ptr_nonnull(radius);
    radius[2] = '1';
    write_file(file, text, count);
    free(text);
    r = run_navctl("bake", file, "--dry-run", NULL);
    ck_assert_int_eq(count_words(r.out, "to build"), 2);
    ck_assert_int_eq(count_words(r.out, "kept"), 1);
    r = bake(file);
    ck_assert_msg(strstr(r.out, "2 written, 1 kept"), "%s", r.out);

    r = run_navctl("bake", file, "--navd", NAVD_PATH, "--again", NULL);
    ck_assert_msg(strstr(r.out, "3 written, 0 kept"), "%s", r.out);

    ck_assert_int_eq(unlink(temp_path("bake.json.done")), 0);
    ck_assert_msg(strstr(bake(file).out, "3 written, 0 kept"), "without a record");
    char *record = (char *)read_file(temp_path("bake.json.done"), &count); // one that was cut off, and nonsense
    write_file(temp_path("bake.json.done"), record, count - 10);
    free(record);
    r = bake(file);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "1 written, 2 kept"), "%s", r.out);
    write_text(temp_path("bake.json.done"),
               "{\"version\":1,\"output\":\"out/small/yard.navd\",\"input\":\"zz\"}\n\n[7");
    r = bake(file);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "3 written, 0 kept"), "%s", r.out);
}
END_TEST

START_TEST(scenes_of_the_same_content_do_not_meet)
{
    char text[1024];
    int n =
        snprintf(text, sizeof text, "{\"output\": \"twins/{scene}.navd\", \"profiles\": {\"a\": {}}, \"scenes\": [");
    yard();
    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s{\"file\": \"yard.obj\", \"name\": \"twin%d\"}",
                      i ? "," : "", i);
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    write_text(temp_path("twins.json"), text);
    outcome r = run_navctl("bake", temp_path("twins.json"), "--navd", NAVD_PATH, "--parallel", "8", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(!strstr(r.err, "deleted"), "%s", r.err);
    for (int i = 1; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "twins/twin%d.navd", i);
        expect_same_files(temp_path(name), temp_path("twins/twin0.navd"));
    }
}
END_TEST

// Two machines bake the same through one daemon.
START_TEST(two_bakes_of_the_same_both_end_well)
{
    daemon_process navd;
    char one[PATH_BYTES], two[PATH_BYTES], text[512];
    int status;
    daemon_start(&navd, NULL);
    write_hills(temp_path("both.obj"), CELLS);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mkdir(temp_path(i ? "two" : "one"), 0777), 0);
        snprintf(text, sizeof text, "{\"output\": \"both.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [\"%s\"]}",
                 temp_path("both.obj"));
        write_text(path_into(i ? two : one, i ? "two/both.json" : "one/both.json"), text);
    }
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        execl(NAVCTL_PATH, "navctl", "bake", two, "-c", navd.socket, (char *)NULL);
        _exit(127);
    }
    EXPECT_CODE(run_navctl("bake", one, "-c", navd.socket, NULL), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "it ended with %x", (unsigned)status);
    expect_same_files(temp_path("one/both.bin"), temp_path("two/both.bin"));
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

// name: of the test that has it to itself.
static const char *write_many(const char *own)
{
    char text[2048], name[64];
    int n =
        snprintf(text, sizeof text, "{\"output\": \"%s/{scene}.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [", own);
    for (int i = 0; i < HILLS; i++) {
        snprintf(name, sizeof name, "hills%d.obj", i);
        write_hills(temp_path(name), CELLS + i);
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\"%s\"", i ? "," : "", name);
    }
    snprintf(text + n, sizeof text - (size_t)n, "]}");
    snprintf(name, sizeof name, "%s.json", own);
    write_text(temp_path(name), text);
    return temp_path(name);
}

// Starts a bake and waits for a line that has this word.
static pid_t bake_until(const char *file, const char *address, const char *word)
{
    int lines[2];
    char line[1024];
    bool found = false;
    ck_assert_int_eq(pipe(lines), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(lines[1], STDOUT_FILENO);
        execl(NAVCTL_PATH, "navctl", "bake", file, "--json", "--parallel", "2", address ? "--connect" : "--navd",
              address ? address : NAVD_PATH, (char *)NULL);
        _exit(127);
    }
    close(lines[1]);
    FILE *f = fdopen(lines[0], "r");
    while (!found && fgets(line, sizeof line, f)) found = strstr(line, word) != NULL;
    ck_assert_msg(found, "the bake ended before it said %s", word);
    fclose(f); // what it says from now on goes nowhere
    return pid;
}

static void expect_many_built(const char *own)
{
    char made[64], scene[64];
    for (int i = 0; i < HILLS; i++) {
        snprintf(made, sizeof made, "%s/hills%d.bin", own, i);
        snprintf(scene, sizeof scene, "hills%d.obj", i);
        EXPECT_CODE(run_navctl("build", temp_path(scene), "-o", temp_path("one.bin"), NULL), 0);
        expect_same_files(temp_path(made), temp_path("one.bin"));
    }
}

START_TEST(a_killed_bake_goes_on_where_it_was)
{
    const char *file = write_many("killed");
    pid_t pid = bake_until(file, NULL, "\"written\"");
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    outcome r = bake(file);
    EXPECT_CODE(r, 0);
    ck_assert_int_ge(count_words(r.out, "killed/"), HILLS);
    ck_assert_msg(strstr(r.out, "kept  "), "nothing was kept: %s", r.out);
    expect_many_built("killed");
}
END_TEST

START_TEST(a_shared_daemon_has_no_world_of_the_bake_afterwards)
{
    daemon_process navd;
    int status;
    const char *file = write_many("shared");
    daemon_start(&navd, NULL);
    pid_t pid = bake_until(file, navd.socket, "\"written\"");
    ck_assert_int_eq(kill(pid, SIGTERM), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status), "it died of signal %d", WTERMSIG(status));
    outcome r = run_navctl("world", "list", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0 && !strstr(r.out, "navctl-bake"), "%s", r.out);
    r = run_navctl("bake", file, "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "list", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0 && !strstr(r.out, "navctl-bake"), "%s", r.out);
    expect_many_built("shared");
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_daemon_that_comes_back_without_its_worlds_gets_them_again)
{
    daemon_process navd;
    int status;
    const char *file = write_many("back");
    daemon_start(&navd, NULL);
    pid_t pid = bake_until(file, navd.socket, "\"written\"");
    daemon_kill(&navd);
    daemon_start(&navd, NULL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "it ended with %x", (unsigned)status);
    expect_many_built("back");
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_scene_is_never_written_over)
{
    size_t before, after;
    free(read_file(yard(), &before));
    write_text(temp_path("over.json"),
               "{\"output\": \"./{scene}.obj\", \"profiles\": {\"a\": {}}, \"scenes\": [\"yard.obj\"]}");
    outcome r = bake(temp_path("over.json"));
    expect_error(&r, 4, "would replace the scene");
    r = run_navctl("build", temp_path("yard.obj"), "-o", temp_path("yard.obj"), NULL);
    expect_error(&r, 2, "would replace the input");
    free(read_file(temp_path("yard.obj"), &after));
    ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(a_scene_that_fails_does_not_stop_the_others)
{
    yard();
    write_text(temp_path("bad.obj"), "v 0 0 0\n");
    write_text(temp_path("some.json"), "{\"output\": \"some/{scene}.bin\", \"profiles\": {\"a\": {}},"
                                       " \"scenes\": [\"bad.obj\", \"missing.glb\", \"yard.obj\"]}");
    outcome r = bake(temp_path("some.json"));
    EXPECT_CODE(r, 4);
    ck_assert_msg(strstr(r.out, "1 written, 0 kept, 2 failed"), "%s", r.out);
    ck_assert(file_exists(temp_path("some/yard.bin")));
    ck_assert(!file_exists(temp_path("some/bad.bin")));
    ck_assert_msg(strstr(r.err, "bad.obj") && strstr(r.err, "missing.glb"), "%s", r.err);
}
END_TEST

START_TEST(files_that_are_wrong_are_refused_before_anything_begins)
{
    static const char *const wrong[][2] = {
        {"{", "line 1"},
        {"[1]", "it is a list"},
        {"[]", "it is empty"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [\"x.obj\"], \"scene\": 1}", "no \"scene\""},
        {"{\"output\": \"a.txt\", \"profiles\": {\"a\": {}}, \"scenes\": [\"x.obj\"]}",
         "\"a.txt\": the name must end in .bin"},
        {"{\"output\": \"a.bin\", \"profiles\": {}, \"scenes\": [\"x.obj\"]}", "\"profiles\" is empty"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": []}", "at least one scene"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [7]}", "scene 1 is a number"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [{\"file\": \"x\", \"up\": 1}]}", "no \"up\""},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}, \"b\": {}}, \"scenes\": [\"x.obj\"]}", "two outputs"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {\"seed\": \"1,2,3\"}}, \"scenes\": [\"x.obj\"]}",
         "\"seed\" belongs to scenes"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {\"origin\": \"1,2,3\"}}, \"scenes\": [\"x.obj\"]}", "origin"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {\"agent\": 1}}, \"scenes\": [\"x.obj\"]}",
         "no option \"agent\""},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {\"agent-radius\": -1}}, \"scenes\": [\"x.obj\"]}", "radius"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {\"agent-radius\": [1]}}, \"scenes\": [\"x.obj\"]}",
         "one value"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {\"agent-radius\": {}}}, \"scenes\": [\"x.obj\"]}",
         "is empty: give text or a number"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"../a\": {}}, \"scenes\": [\"x.obj\"]}", "no /"},
        {"{\"profiles\": {\"a\": {}}, \"scenes\": [\"x.obj\"]}", "\"output\" is missing"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": 1}, \"scenes\": [\"x.obj\"]}", "the options are a number"},
        {"{\"output\": \"a.bin\", \"options\": {\"filter-ledges\": {}}, \"profiles\": {\"a\": {}}, \"scenes\": "
         "[\"x\"]}",
         "filter-ledges"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [{\"file\": \"x\", \"profiles\": [1]}]}",
         "has a number in its list"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [{\"file\": \"x\", \"profiles\": [\"a\", "
         "\"a\"]}]}",
         "twice"},
        {"{\"output\": \"a.bin\", \"profiles\": {\"a\": {}}, \"scenes\": [{\"file\": \"x\", \"profiles\": [\"b\"]}]}",
         "no profile \"b\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_text(temp_path("wrong.json"), wrong[i][0]);
        outcome r = bake(temp_path("wrong.json"));
        ck_assert_msg(r.code == 4 && strstr(r.err, wrong[i][1]), "%s: %d %s%s", wrong[i][0], r.code, r.out, r.err);
        ck_assert_int_eq(count_words(r.err, "\n"), 1);
    }
    ck_assert(!file_exists(temp_path("wrong.json.done")));
    outcome r = run_navctl("bake", temp_path("none.json"), NULL);
    expect_error(&r, 4, "none.json");
    r = run_navctl("bake", temp_path(""), NULL);
    expect_error(&r, 4, "it is a folder");
    r = run_navctl("bake", temp_path("wrong.json"), "--farm", "", NULL);
    expect_error(&r, 2, "--farm is empty");
    r = run_navctl("bake", temp_path("wrong.json"), "--farm", "nats://localhost", "--farm-key", "x", NULL);
    expect_error(&r, 2, "--farm-key needs --farm-cert");
    r = run_navctl("bake", temp_path("wrong.json"), "--farm-name", "x", NULL);
    expect_error(&r, 2, "--farm-name goes with --farm");
    r = run_navctl("bake", temp_path("wrong.json"), "--farm", "nats://localhost", "-c", "x", NULL);
    expect_error(&r, 2, "--connect");
}
END_TEST

// Another machine, with nothing on its disk: what was built before is fetched.
START_TEST(what_anybody_has_built_is_not_built_again)
{
    nats_server nats;
    char scene[PATH_BYTES], first[PATH_BYTES], second[PATH_BYTES];
    write_hills(path_into(scene, "shared.obj"), 100);
    nats_server_start(&nats, "shared", NULL);
    outcome r = run_navctl("build", scene, "--farm", nats.url, "--navd", NAVD_PATH, "-o", path_into(first, "first.bin"),
                           "--json", NULL);
    EXPECT_CODE(r, 0);
    const double tiles = json_value(r.out, "tiles");
    ck_assert_double_ge(json_value(r.out, "built_here"), tiles);
    // An ask is not waited for longer than building takes, so on a busy machine some come too late: then once more.
    double found = 0;
    for (int tries = 0; tries < 20 && found < 0.9 * tiles; tries++) {
        r = run_navctl("build", scene, "--farm", nats.url, "--navd", NAVD_PATH, "-o", path_into(second, "second.bin"),
                       "--json", NULL);
        EXPECT_CODE(r, 0);
        found = json_value(r.out, "farm_found");
    }
    ck_assert_msg(found >= 0.9 * tiles, "%g of %g tiles were found: %s", found, tiles, r.out);
    expect_same_files(first, second);
    nats_server_kill(&nats);
}
END_TEST

START_TEST(a_build_in_a_farm_is_a_build)
{
    const char *scene = yard();
    // The second server is not there: what a farm does not do, the daemon does.
    const char *servers[2] = {NULL, "nats://127.0.0.1:1"};
    nats_server nats;
    const bool has_server = nats_server_is_there();
    if (has_server) nats_server_start(&nats, "nats", NULL);
    servers[0] = has_server ? nats.url : servers[1];
    EXPECT_CODE(run_navctl("build", scene, "-o", temp_path("here.bin"), "--picture", temp_path("here.png"), NULL), 0);
    for (int i = 0; i < 2; i++) {
        outcome r = run_navctl("build", scene, "--farm", servers[i], "--navd", NAVD_PATH, "-o", temp_path("farm.bin"),
                               "--picture", temp_path("farm.png"), "--json", NULL);
        EXPECT_CODE(r, 0);
        ck_assert_double_gt(json_value(r.out, "tiles"), 0);
        if (i == 1) ck_assert_msg(strstr(r.err, "cannot be reached") != NULL, "%s", r.err);
        expect_same_files(temp_path("here.bin"), temp_path("farm.bin"));
        expect_same_files(temp_path("here.png"), temp_path("farm.png"));
    }
    if (has_server) nats_server_kill(&nats);
    outcome r = run_navctl("build", scene, "--farm", servers[1], "--stages", NULL);
    expect_error(&r, 2, "--stages");
    r = run_navctl("build", scene, "--farm-key", "x", NULL);
    expect_error(&r, 2, "--farm-key goes with --farm");
    r = run_navctl("build", scene, "--farm", "http://x", "--navd", NAVD_PATH, "-o", temp_path("farm.bin"), NULL);
    EXPECT_CODE(r, 2); // navd's words for it come first
    ck_assert_msg(strstr(r.err, "nats://HOST:PORT") != NULL, "%s", r.err);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("bake");
    TCase *t = tcase_create("bake");
    tcase_set_timeout(t, TEST_S);
    tcase_add_loop_test(t, a_bake_writes_the_bytes_of_navctl_build, 0, 4);
    tcase_add_test(t, walls_and_their_seams_are_those_of_navctl_build);
    tcase_add_test(t, what_is_there_is_kept_and_what_changed_is_built);
    tcase_add_test(t, scenes_of_the_same_content_do_not_meet);
    tcase_add_test(t, two_bakes_of_the_same_both_end_well);
    tcase_add_test(t, a_killed_bake_goes_on_where_it_was);
    tcase_add_test(t, a_shared_daemon_has_no_world_of_the_bake_afterwards);
    tcase_add_test(t, a_daemon_that_comes_back_without_its_worlds_gets_them_again);
    tcase_add_test(t, a_scene_that_fails_does_not_stop_the_others);
    tcase_add_test(t, files_that_are_wrong_are_refused_before_anything_begins);
    tcase_add_test(t, a_scene_is_never_written_over);
    tcase_add_test(t, a_build_in_a_farm_is_a_build);
    if (nats_server_is_there()) tcase_add_test(t, what_anybody_has_built_is_not_built_again);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
