#include "tests/check.h"
#include "tests/clients/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

START_TEST(wrong_usage_is_one_line_and_code_2)
{
    outcome r = run_navctl("fly", NULL);
    expect_error(&r, 2, "unknown command 'fly'");
    r = run_navctl("build", "--wings", "2", NULL);
    expect_error(&r, 2, "unknown option '--wings'");
    r = run_navctl("build", NULL);
    expect_error(&r, 2, "SCENE is missing");
    r = run_navctl("build", "a.obj", "b.obj", NULL);
    expect_error(&r, 2, "unexpected argument 'b.obj'");
    r = run_navctl("build", "a.obj", "--threads", "0", NULL);
    expect_error(&r, 2, "--threads 0: expected a whole number from 1 to 1024");
    r = run_navctl("build", "a.obj", "--threads", "two", NULL);
    expect_error(&r, 2, "--threads two");
    r = run_navctl("build", "a.obj", "--threads", NULL);
    expect_error(&r, 2, "--threads needs a value: N");
    r = run_navctl("build", "a.obj", "--json=yes", NULL);
    expect_error(&r, 2, "--json takes no value");
    r = run_navctl("build", "a.obj", "--partition", "magic", NULL);
    expect_error(&r, 2, "one of: watershed monotone convex");
    r = run_navctl("build", "a.obj", "--triangulation", "magic", NULL);
    expect_error(&r, 2, "one of: ears min-area delaunay");
    r = run_navctl("build", "a.obj", "--outlines", "exact", NULL);
    expect_error(&r, 2, "one of: voxel true");
    r = run_navctl("build", "a.obj", "--relaxation", "11", NULL);
    expect_error(&r, 2, "--relaxation is 11");
    r = run_navctl("build", "a.obj", "--cell-size", "-1", NULL);
    expect_error(&r, 2, "--cell-size is -1");
    r = run_navctl("build", "a.obj", "--origin", "1,2", NULL);
    expect_error(&r, 2, "expected X,Y,Z");
    r = run_navctl("build", "a.obj", "--bounds", "3,0,1,9", NULL);
    expect_error(&r, 2, "--bounds 3,0,1,9: expected X,Z,X,Z, the lower corner first");
    r = run_navctl("watch", "-w", "w", "--margin", "3", NULL);
    expect_error(&r, 2, "--margin is around --bounds, which is missing");
    r = run_navctl("edit", "-w", "w", "--build", "some", NULL);
    expect_error(&r, 2, "--build some: expected WHAT[,METRES]");
    r = run_navctl("build", "a.obj", "--seed", "1,2,3", "--seed", "4,5", NULL);
    expect_error(&r, 2, "--seed 4,5: expected X,Y,Z");
    r = run_navctl("build", "a.obj", "--seed", "1,2,3e8", NULL);
    expect_error(&r, 2, "--seed 1,2,3e8: Z is 3e+08");
    r = run_navctl("build", "a.obj", "--unreachable", "hide", NULL);
    expect_error(&r, 2, "one of: keep flag drop");
    r = run_navctl("build", "a.obj", "--island-min-area", "-1", NULL);
    expect_error(&r, 2, "--island-min-area -1: expected a number from 0 to 1e+12");
    r = run_navctl("build", "a.obj", "-o", "mesh.txt", NULL);
    expect_error(&r, 2, "must end in .bin (Detour), .navd, .obj or .glb");
    r = run_navctl("build", "a.obj", "--picture", "mesh.gif", NULL);
    expect_error(&r, 2, "must end in .png or .svg");
    r = run_navctl("build", "a.obj", "--show", "cells", NULL);
    expect_error(&r, 2, "no --picture");
    r = run_navctl("build", "a.obj", "--picture", "a.png", "--show", "cells,roads", NULL);
    expect_error(&r, 2, "'roads' is none of layers, cells");
    r = run_navctl("build", "a.obj", "--picture", "a.png", "--show", "spans,regions", NULL);
    expect_error(&r, 2, "choose one");
}
END_TEST

START_TEST(a_value_out_of_range_is_named_with_its_option_and_range)
{
    static const char *const cases[][3] = {
        {"--cell-size", "0", "--cell-size is 0, but must be between 0.001 and 1000"},
        {"--cell-size", "1e39", "--cell-size is inf, but must be between 0.001 and 1000"},
        {"--cell-height", "2000", "--cell-height is 2000, but must be between 0.001 and 1000"},
        {"--tile", "3", "--tile is 3, but must be between 4 and 16384"},
        {"--origin", "0,2e7,0", "--origin[1] is 2e+07, but must be between -1e+07 and 1e+07"},
        {"--agent-height", "0", "--agent-height is 0, but must be between"},
        {"--agent-radius", "-1", "--agent-radius is -1, but must be between 0 and 1000"},
        {"--agent-radius", "100", "--agent-radius in cells is 333.333, but must be between 0 and 255"},
        {"--agent-climb", "-1", "--agent-climb is -1, but must be between"},
        {"--agent-slope", "91", "--agent-slope is 91, but must be between 0 and 90"},
        {"--region-min", "-1", "--region-min is -1, but must be between"},
        {"--region-merge", "-1", "--region-merge is -1, but must be between"},
        {"--edge-length", "-1", "--edge-length is -1, but must be between"},
        {"--edge-error", "-1", "--edge-error is -1, but must be between"},
        {"--polygon-vertices", "7", "--polygon-vertices is 7, but must be between 3 and 6"},
        {"--relaxation", "11", "--relaxation is 11, but must be between 0 and 10"},
        {"--mitre-limit", "0.5", "--mitre-limit is 0.5, but must be between 1 and 10"},
        {"--arc-error", "-1", "--arc-error is -1, but must be between 0 and 1000"},
        {"--detail-sample", "-1", "--detail-sample is -1, but must be between"},
        {"--detail-error", "-1", "--detail-error is -1, but must be between"},
        {"--seed", "0,1e9,0", "--seed 0,1e9,0: Y is 1e+09, but must be between -1e+07 and 1e+07"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *yard = temp_path("yard.obj");
        write_text(yard, YARD_OBJ);
        outcome r = run_navctl("build", yard, "-o", temp_path("o.bin"), cases[i][0], cases[i][1], NULL);
        expect_error(&r, 2, cases[i][2]);
    }
    const char *far = temp_path("far.obj");
    write_text(far, "v 1e8 0 0\nv 1e8 0 10\nv 1.1e8 0 10\nf 1 2 3\n");
    outcome r = run_navctl("build", far, "-o", temp_path("o.bin"), NULL);
    ck_assert_int_ne(r.code, 0);
    ck_assert_msg(strstr(r.err, "reaches to X = 1.1e+08 m, but must lie between -1e7 and 1e7 m"), "%s", r.err);
    ck_assert(!file_exists(temp_path("o.bin")));
}
END_TEST

START_TEST(help_names_every_option_and_its_default)
{
    outcome r = run_navctl("--help", NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert(has(r.out, "build") && has(r.out, "info") && has(r.out, "Exit codes"));
    r = run_navctl("build", "--help", NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert_str_eq(r.err, "");
    ck_assert(has(r.out, "--agent-radius M") && has(r.out, "[0.6]") &&
              has(r.out, "(watershed monotone convex) [convex]"));
    outcome same = run_navctl("help", "build", NULL);
    ck_assert_str_eq(same.out, r.out);
    r = run_navctl("--version", NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert(has(r.out, "navctl "));
}
END_TEST

// Its exit code where there is no room for what it prints.
static int print_without_room(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s >/dev/full 2>%s", NAVCTL_PATH, arguments, temp_path("words"));
    int status = system(command);
    ck_assert_msg(WIFEXITED(status), "%s", command);
    return WEXITSTATUS(status);
}

START_TEST(what_cannot_be_printed_is_an_error_with_words)
{
    static const char *const printed[] = {"--help",       "help",      "help build", "help world",      "world --help",
                                          "build --help", "--version", "--complete", "--complete build"};
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        ck_assert_msg(print_without_room(printed[i]) == 1, "navctl %s", printed[i]);
        size_t count;
        char *words = (char *)read_file(temp_path("words"), &count);
        words[count] = 0;
        ck_assert_msg(has(words, "standard output") && has(words, "No space"), "%s", words);
        free(words);
    }
}
END_TEST

START_TEST(completion_knows_every_command_and_option)
{
    outcome help = run_navctl("--help", NULL), r = run_navctl("--complete", NULL);
    ck_assert_int_eq(r.code, 0);
    int commands = 0;
    for (char *line = strtok(r.out, "\n"); line; line = strtok(NULL, "\n")) {
        char name[32], kind[32], row[64];
        ck_assert_int_eq(sscanf(line, "%31s %31s", name, kind), 2);
        if (strcmp(kind, "command") != 0) continue;
        snprintf(row, sizeof row, "\n  %s ", name);
        ck_assert_msg(has(help.out, row), "%s is not in --help", name);
        commands++;
    }
    ck_assert_int_ge(commands, 4);
    r = run_navctl("--complete", "build", NULL);
    ck_assert(has(r.out, "--partition choice watershed monotone convex\n") && has(r.out, "-o file\n"));
    ck_assert(has(r.out, "--json flag\n") && has(r.out, "SCENE file\n"));
}
END_TEST

START_TEST(a_scene_that_cannot_be_read_writes_nothing)
{
    const char *out = temp_path("never.bin");
    outcome r = run_navctl("build", temp_path("absent.obj"), "-o", out, NULL);
    expect_error(&r, 4, "absent.obj: No such file");
    const char *cut = temp_path("cut.obj");
    write_file(cut, YARD_OBJ, strlen(YARD_OBJ) - 12);
    r = run_navctl("build", cut, "-o", out, "--json", NULL);
    expect_error(&r, 4, "cut.obj: line");
    ck_assert_int_eq(count_files("never"), 0);
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_named_and_left_as_it_was)
{
    outcome r = run_navctl("build", yard(), "-o", temp_path("no/such/folder.bin"), NULL);
    expect_error(&r, 1, "cannot write");
    r = run_navctl("build", yard(), "-o", temp_path("yard.bin"), "--picture", temp_path("no/such/a.png"), NULL);
    expect_error(&r, 1, "cannot write");
    ck_assert(!file_exists(temp_path("yard.bin"))); // known before anything is made
    write_text(temp_path("old.bin"), "old");
    r = run_navctl("build", temp_path("absent.obj"), "-o", temp_path("old.bin"), NULL);
    size_t count;
    uint8_t *bytes = read_file(temp_path("old.bin"), &count);
    ck_assert_uint_eq(count, 3);
    free(bytes);
}
END_TEST

START_TEST(a_pipe_is_not_replaced_and_a_link_is_followed)
{
    char fifo[256], alias[256], target[256];
    snprintf(fifo, sizeof fifo, "%s", temp_path("pipe.bin"));
    snprintf(alias, sizeof alias, "%s", temp_path("link.bin"));
    snprintf(target, sizeof target, "%s", temp_path("target.bin"));
    const char *yard = temp_path("linked.obj");
    write_text(yard, YARD_OBJ);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    outcome r = run_navctl("build", yard, "-o", fifo, NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(strstr(r.err, fifo) && strstr(r.err, "not a regular file"), "%s", r.err);
    struct stat info;
    ck_assert(lstat(fifo, &info) == 0 && S_ISFIFO(info.st_mode));

    write_text(target, "before");
    ck_assert_int_eq(symlink(target, alias), 0);
    r = run_navctl("build", yard, "-o", alias, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert(lstat(alias, &info) == 0 && S_ISLNK(info.st_mode));
    ck_assert(stat(target, &info) == 0 && info.st_size > 100);
}
END_TEST

START_TEST(build_reports_one_line_of_json)
{
    const char *out = temp_path("yard.bin");
    outcome r = run_navctl("build", yard(), "-o", out, "--json", "--threads", "2", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_str_eq(r.err, "");
    ck_assert_ptr_eq(strchr(r.out, '\n'), r.out + strlen(r.out) - 1);
    ck_assert_double_eq(json_value(r.out, "tiles"), 9); // 40 m by 30 m in tiles of 14.4 m
    ck_assert_double_eq(json_value(r.out, "failed_tiles"), 0);
    ck_assert_double_eq(json_value(r.out, "threads"), 2);
    ck_assert_double_ge(json_value(r.out, "polys"), json_value(r.out, "cells"));
    // The floor without a rim of the agent's radius, and without the boxes: about 38 m by 28 m less 60 m2.
    double area = json_value(r.out, "area_m2");
    ck_assert_msg(area > 980 && area < 1090, "%g m2", area);
    static const char *const keys[] = {"cells",   "bytes",    "read_s",    "generate_s",
                                       "write_s", "peak_rss", "rasterize", "encode"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) ck_assert_double_gt(json_value(r.out, keys[i]), 0);

    outcome info = run_navctl("info", "--json", out, NULL);
    ck_assert_int_eq(info.code, 0);
    ck_assert_double_eq(json_value(info.out, "tiles"), 9);
    ck_assert_double_eq(json_value(info.out, "polygons"), json_value(r.out, "polys"));
    ck_assert_double_eq(json_value(info.out, "bytes"), json_value(r.out, "bytes"));
    ck_assert_double_eq_tol(json_value(info.out, "area_m2"), area, 0.01);
}
END_TEST

START_TEST(any_number_of_threads_gives_the_same_bytes)
{
    static const char *const endings[] = {"bin", "navd"}, *const counts[] = {"1", "2", "3", "8", "16"};
    const char *scene = temp_path("hills.obj");
    write_hills(scene, 24);
    for (size_t e = 0; e < 2; e++) {
        char name[32];
        size_t size = 0;
        uint8_t *first = NULL;
        for (size_t i = 0; i < 5; i++) {
            snprintf(name, sizeof name, "hills-%s.%s", counts[i], endings[e]);
            const char *out = temp_path(name);
            outcome r = run_navctl("build", scene, "-o", out, "--threads", counts[i], NULL);
            ck_assert_msg(r.code == 0, "%s", r.err);
            size_t count;
            uint8_t *bytes = read_file(out, &count);
            if (!first) {
                first = bytes;
                size = count;
                ck_assert_uint_gt(size, 1000);
                continue;
            }
            ck_assert_uint_eq(count, size);
            ck_assert_msg(!memcmp(bytes, first, size), "%s threads: other bytes", counts[i]);
            free(bytes);
        }
        free(first);
    }
}
END_TEST

START_TEST(both_partitions_cover_the_same_ground)
{
    outcome a = run_navctl("build", yard(), "--json", "--partition", "watershed", NULL);
    outcome b = run_navctl("build", yard(), "--json", "--partition", "monotone", NULL);
    ck_assert_int_eq(a.code, 0);
    ck_assert_int_eq(b.code, 0);
    ck_assert_double_eq_tol(json_value(a.out, "area_m2"), json_value(b.out, "area_m2"), 15);
}
END_TEST

// The shed's roof is the only ground that the floor does not lead to.
START_TEST(what_no_seed_reaches_is_dropped_or_flagged_alike_on_any_number_of_threads)
{
    outcome all = run_navctl("build", yard(), "--json", NULL);
    double area = json_value(all.out, "area_m2"), cells = json_value(all.out, "cells");
    static const char *const counts[] = {"1", "2", "5"}, *const endings[] = {"bin", "navd"};
    for (int e = 0; e < 2; e++) {
        uint8_t *first = NULL;
        size_t size = 0, count;
        for (int i = 0; i < 3; i++) {
            char name[32];
            snprintf(name, sizeof name, "seeds-%s.%s", counts[i], endings[e]);
            const char *out = temp_path(name);
            outcome r =
                run_navctl("build", yard(), "--json", "--seed", "2,0,2", "-o", out, "--threads", counts[i], NULL);
            ck_assert_msg(r.code == 0, "%s", r.err);
            ck_assert_str_eq(r.err, "");
            ck_assert_double_gt(json_value(r.out, "unreachable_parts"), 0);
            ck_assert_double_eq_tol(json_value(r.out, "area_m2") + json_value(r.out, "unreachable_m2"), area, 0.01);
            outcome info = run_navctl("info", "--json", out, NULL);
            ck_assert_double_eq_tol(json_value(info.out, "area_m2"), json_value(r.out, "area_m2"), 0.01);
            uint8_t *bytes = read_file(out, &count);
            ck_assert(!first || (count == size && !memcmp(bytes, first, size)));
            if (first) free(first);
            first = bytes;
            size = count;
        }
        free(first);
    }
    outcome flag = run_navctl("build", yard(), "--json", "--seed", "2,0,2", "--unreachable", "flag", NULL);
    ck_assert_double_eq(json_value(flag.out, "cells"), cells);
    ck_assert_double_gt(json_value(flag.out, "unreachable_parts"), 0);
    outcome keep = run_navctl("build", yard(), "--json", "--seed", "2,0,2", "--unreachable", "keep", NULL);
    ck_assert_double_eq(json_value(keep.out, "unreachable_parts"), 0);
    outcome island = run_navctl("build", yard(), "--json", "--island-min-area", "100", NULL);
    ck_assert_double_lt(json_value(island.out, "area_m2"), area - 5);
    outcome small = run_navctl("build", yard(), "--json", "--island-min-area", "1", NULL);
    ck_assert_double_eq(json_value(small.out, "area_m2"), area);
}
END_TEST

START_TEST(a_seed_without_ground_is_named_with_its_place)
{
    outcome r =
        run_navctl("build", yard(), "--json", "--seed", "2,0,2", "--seed", "7,30,7", "--allow-lost-seeds", NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert(has(r.err, "seed 7,30,7 found no ground within 1.8 m, and 2 m up or down"));
    ck_assert_double_eq(json_value(r.out, "seeds_without_ground"), 1);
    const char *file = temp_path("lost.bin");
    r = run_navctl("build", yard(), "-o", file, "--seed", "2,0,2", "--seed", "7,30,7", NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert(has(r.err, "1 of 2 seeds found no ground, so nothing is written (--allow-lost-seeds goes on)"));
    ck_assert(!file_exists(file));
}
END_TEST

START_TEST(options_of_the_agent_change_the_mesh)
{
    outcome small = run_navctl("build", yard(), "--json", "--agent-radius", "0.3", NULL);
    outcome wide = run_navctl("build", yard(), "--json", "--agent-radius=2", NULL);
    ck_assert_double_gt(json_value(small.out, "area_m2"), json_value(wide.out, "area_m2") + 100);
    outcome low = run_navctl("build", yard(), "--json", "--agent-climb", "0.2", NULL); // the step is an obstacle now
    ck_assert_double_lt(json_value(low.out, "area_m2"), json_value(small.out, "area_m2"));
}
END_TEST

START_TEST(bounds_are_where_the_ground_ends)
{
    outcome all = run_navctl("build", yard(), "--json", NULL);
    outcome wide = run_navctl("build", yard(), "--json", "--bounds", "-1000,-1000,1000,1000", NULL);
    ck_assert_double_eq(json_value(wide.out, "area_m2"), json_value(all.out, "area_m2"));
    outcome small = run_navctl("build", yard(), "--json", "--bounds", "3,3,6,5", NULL);
    ck_assert_double_gt(json_value(small.out, "area_m2"), 0);
    ck_assert_double_le(json_value(small.out, "area_m2"), 3.3 * 2.3); // the columns whose middle is inside
    ck_assert_double_lt(json_value(small.out, "tiles"), json_value(all.out, "tiles") + 1);
}
END_TEST

// What --hashes says, at each level, fast and plain, on one thread and on several.
START_TEST(hashes_name_every_stage_and_are_the_same_whatever_builds)
{
    static const char *const levels[] = {"base", "v3", "v4"}, *const threads[] = {"1", "5"};
    outcome first = run_navctl("build", yard(), "--hashes", "--partition", "watershed", NULL);
    int compared = 0;
    ck_assert_msg(first.code == 0, "%s", first.err);
    for (const char *const *stage =
             (const char *const[]){"triangles", "heightfield", "compact", "eroded", "distances", "regions", "contours",
                                   "polygons", "detail", "navd", "detour", "packed", NULL};
         *stage; stage++) {
        char line[40];
        snprintf(line, sizeof line, "1,1 %-11s ", *stage);
        ck_assert_msg(has(first.out, line), "no '%s' in %s", line, first.out);
    }
    for (int i = 0; i < 12; i++) {
        outcome r = run_navctl("build", yard(), "--hashes", "--partition", "watershed", "--level", levels[i / 4],
                               "--threads", threads[i % 2], i / 2 % 2 ? "--plain" : NULL, NULL);
        if (r.code == 2) { // a level that this machine does not have
            ck_assert_msg(has(r.err, "this machine has base"), "%s", r.err);
            continue;
        }
        ck_assert_str_eq(r.out, first.out);
        compared++;
    }
    ck_assert_int_ge(compared, 4);
    outcome r = run_navctl("build", yard(), "--hashes", "--partition", "watershed", "--only-tile", "1,1", NULL);
    ck_assert_msg(r.out[0] && strstr(first.out, r.out), "%s", r.out);
    ck_assert(!has(r.out, "0,1 "));
    r = run_navctl("build", yard(), "--hashes", "--partition", "watershed", "--agent-climb", "0.2", "--only-tile",
                   "1,1", NULL);
    ck_assert(has(r.out, "1,1 navd") && !strstr(first.out, r.out));
    r = run_navctl("build", yard(), "--hashes", "--json", NULL);
    expect_error(&r, 2, "--hashes takes the place of --json");
    r = run_navctl("build", yard(), "--level", "v5", NULL);
    expect_error(&r, 2, "one of: base v3 v4");
}
END_TEST

START_TEST(a_tile_can_be_shown_and_extracted)
{
    static const char *const names[] = {"show.bin", "show.navd"};
    for (int i = 0; i < 2; i++) {
        const char *mesh = temp_path(names[i]), *one = temp_path("one.tile");
        outcome r = run_navctl("build", yard(), "-o", mesh, NULL);
        ck_assert_int_eq(r.code, 0);
        r = run_navctl("tile", mesh, "1", "1", "-o", one, "--json", NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        outcome again = run_navctl("tile", one, "1", "1", "--json", NULL);
        ck_assert_msg(again.code == 0, "%s", again.err);
        ck_assert_str_eq(again.out, r.out);
        ck_assert(has(r.out, "\"sides\": [\""));
        r = run_navctl("tile", yard(), "1", "1", "--json", "--encoding", i ? "navd" : "detour", NULL);
        ck_assert_str_eq(r.out, again.out);
        r = run_navctl("tile", mesh, "1", "1", "--encoding", i ? "detour" : "navd", NULL);
        expect_error(&r, 1, "not in this encoding");
        r = run_navctl("tile", mesh, "-3", "1", NULL);
        expect_error(&r, 1, "no tile at -3,1");
        r = run_navctl("tile", mesh, "one", "1", NULL);
        expect_error(&r, 2, "X one: expected a whole number");
        r = run_navctl("tile", mesh, "1", NULL);
        expect_error(&r, 2, "Z is missing");
        r = run_navctl("tile", mesh, "1", "1", "--profile", "tall", NULL);
        expect_error(&r, 2, "profiles are numbers");
        r = run_navctl("tile", mesh, "1", "1", "--up", "z", NULL);
        expect_error(&r, 2, "is no scene file");
    }
    outcome r = run_navctl("tile", yard(), "40", "1", NULL);
    expect_error(&r, 1, "nothing to walk on in tile 40,1");
    r = run_navctl("tile", yard(), "1", "1", "--profile", "tall", NULL);
    expect_error(&r, 2, "a scene file has no profiles");
    r = run_navctl("tile", yard(), "1", "1", "--world", "yard", NULL);
    expect_error(&r, 2, "either SOURCE or --world NAME");
    r = run_navctl("tile", temp_path("none.obj"), "1", "1", NULL);
    expect_error(&r, 4, "none.obj");
}
END_TEST

START_TEST(a_damaged_mesh_is_refused_by_every_command_that_reads_one)
{
    size_t count;
    const char *mesh = temp_path("whole.bin"), *cut = temp_path("cut.bin"), *picture = temp_path("none.png");
    ck_assert_int_eq(run_navctl("build", yard(), "-o", mesh, NULL).code, 0);
    uint8_t *bytes = read_file(mesh, &count);
    write_file(cut, bytes, count / 2);
    free(bytes);
    outcome r = run_navctl("info", cut, NULL);
    expect_error(&r, 4, "cut.bin: ");
    r = run_navctl("tile", cut, "0", "0", NULL);
    expect_error(&r, 4, "cut.bin: ");
    r = run_navctl("render", cut, "-o", picture, NULL);
    expect_error(&r, 4, "cut.bin: ");
    ck_assert(!file_exists(picture));
    r = run_navctl("info", yard(), NULL);
    expect_error(&r, 4, "neither a file of tiles nor a tile");
}
END_TEST

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) count++;
    return count;
}

START_TEST(a_graph_has_the_cells_of_the_scene)
{
    const char *mesh = temp_path("graph.navd"), *detour = temp_path("graph.bin"), *file = temp_path("yard.graphml");
    outcome r = run_navctl("build", yard(), "-o", mesh, "--json", NULL);
    int cells = (int)json_value(r.out, "cells"), tiles = (int)json_value(r.out, "tiles");
    static outcome scene, stored;
    scene = run_navctl("graph", yard(), NULL);
    stored = run_navctl("graph", mesh, NULL);
    ck_assert_msg(scene.code == 0 && stored.code == 0, "%s%s", scene.err, stored.err);
    ck_assert_int_eq(count_of(scene.out, "\"id\": "), cells);
    ck_assert_double_eq(json_value(scene.out, "tiles"), tiles);
    ck_assert_double_eq(json_value(scene.out, "open_portals"), 0);
    ck_assert_int_gt(count_of(scene.out, "\"kind\": \"border\""), 0);
    ck_assert_str_eq(strstr(scene.out, "\"nodes\""), strstr(stored.out, "\"nodes\"")); // only the names differ
    r = run_navctl("info", mesh, "--json", NULL);
    int passages = (int)json_value(r.out, "cell_portals"), borders = (int)json_value(r.out, "border_portals");
    ck_assert_int_eq(count_of(scene.out, "\"kind\": \"portal\""), passages);
    ck_assert_int_ge(borders, count_of(scene.out, "\"kind\": \"border\""));
    ck_assert_double_gt(json_value(r.out, "least_clearance"), 0);
    ck_assert_double_eq(json_value(r.out, "relaxed_cells"), 0);
    r = run_navctl("graph", mesh, "-o", file, NULL);
    ck_assert_msg(r.code == 0 && has(r.out, "portals"), "%s", r.err);
    size_t count;
    char *xml = (char *)read_file(file, &count);
    xml = realloc(xml, count + 1);
    xml[count] = '\0';
    ck_assert_int_eq(count_of(xml, "<node "), cells);
    ck_assert_int_eq(count_of(xml, "<edge "), count_of(scene.out, "\"source\""));
    ck_assert_msg(has(xml, "edgedefault=\"undirected\"") && has(xml + count - 12, "</graphml>\n"), "%.200s", xml);
    free(xml);

    ck_assert_int_eq(run_navctl("build", yard(), "-o", detour, NULL).code, 0);
    r = run_navctl("graph", detour, NULL);
    expect_error(&r, 4, "a Detour tile has no cells");
    r = run_navctl("graph", NULL);
    expect_error(&r, 2, "either SOURCE or --world NAME");
    r = run_navctl("graph", mesh, "--world", "yard", NULL);
    expect_error(&r, 2, "either SOURCE or --world NAME");
    r = run_navctl("graph", mesh, "--profile", "tall", NULL);
    expect_error(&r, 2, "profiles are numbers");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl");
    TCase *t = tcase_create("navctl");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, wrong_usage_is_one_line_and_code_2);
    tcase_add_test(t, a_value_out_of_range_is_named_with_its_option_and_range);
    tcase_add_test(t, help_names_every_option_and_its_default);
    tcase_add_test(t, what_cannot_be_printed_is_an_error_with_words);
    tcase_add_test(t, completion_knows_every_command_and_option);
    tcase_add_test(t, a_scene_that_cannot_be_read_writes_nothing);
    tcase_add_test(t, a_place_that_cannot_be_written_is_named_and_left_as_it_was);
    tcase_add_test(t, a_pipe_is_not_replaced_and_a_link_is_followed);
    tcase_add_test(t, build_reports_one_line_of_json);
    tcase_add_test(t, any_number_of_threads_gives_the_same_bytes);
    tcase_add_test(t, both_partitions_cover_the_same_ground);
    tcase_add_test(t, what_no_seed_reaches_is_dropped_or_flagged_alike_on_any_number_of_threads);
    tcase_add_test(t, a_seed_without_ground_is_named_with_its_place);
    tcase_add_test(t, options_of_the_agent_change_the_mesh);
    tcase_add_test(t, bounds_are_where_the_ground_ends);
    tcase_add_test(t, hashes_name_every_stage_and_are_the_same_whatever_builds);
    tcase_add_test(t, a_tile_can_be_shown_and_extracted);
    tcase_add_test(t, a_damaged_mesh_is_refused_by_every_command_that_reads_one);
    tcase_add_test(t, a_graph_has_the_cells_of_the_scene);
    return run_suite_in_folder(s);
}
